//! A basis of w − M z − d t = q, factorised once and then updated pivot by pivot.
//!
//! Notation: the column of w_i is e_i, that of z_j is −M_j, that of the cover t is −d. Where w_i is
//! basic its unit column needs no work, so only the *kernel* is factorised: rows R whose w is not
//! basic, columns of the basic z and t. After that each exchange appends an eta vector (product
//! form of the inverse): B⁻¹ = E_m … E_1 B₀⁻¹. A solve costs 2k² + 2nk + 2nm operations for a
//! kernel of size k and m etas, and an exchange costs nothing beyond its own solve.

use crate::linalg::Lu;
use crate::matrix::axpy;

/// A variable of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Var {
    W(usize),
    Z(usize),
    Artificial,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    n: usize,
    /// M by columns.
    columns: Vec<f64>,
    /// d.
    pub(super) cover: Vec<f64>,
    /// The basic variable at each position.
    pub(super) basic: Vec<Var>,
    kernel: Lu,
    /// The rows of the kernel, which are also the positions of its variables.
    kernel_rows: Vec<usize>,
    kernel_vars: Vec<Var>,
    kernel_rhs: Vec<f64>,
    /// m vectors of n entries: the entering column in terms of the basis that it entered.
    etas: Vec<f64>,
    eta_positions: Vec<usize>,
    pub(super) factorizations: usize,
}

impl Basis {
    /// Takes a copy of the matrix `r_i m_ij c_j`, by columns, and starts from the basis of all w.
    pub(super) fn load(&mut self, m: &crate::Matrix, r: &[f64], c: &[f64]) {
        let n = m.rows();
        self.n = n;
        self.factorizations = 0;
        self.columns.clear();
        self.columns.resize(n * n, 0.0);
        // In blocks, so that neither the rows read nor the columns written leave the cache.
        const BLOCK: usize = 16;
        for i0 in (0..n).step_by(BLOCK) {
            for j0 in (0..n).step_by(BLOCK) {
                for i in i0..n.min(i0 + BLOCK) {
                    let row = m.row(i);
                    for j in j0..n.min(j0 + BLOCK) {
                        self.columns[j * n + i] = row[j] * (r[i] * c[j]);
                    }
                }
            }
        }
        self.cover.clear();
        self.cover.resize(n, 1.0);
        self.basic.clear();
        self.basic.extend((0..n).map(Var::W));
        self.kernel_rows.clear();
        self.kernel_vars.clear();
        self.kernel_rhs.clear();
        self.etas.clear();
        self.eta_positions.clear();
    }

    /// Makes room for n rows and this many exchanges.
    pub(super) fn reserve(&mut self, n: usize, exchanges: usize) {
        self.kernel.reserve(n);
        for (v, room) in [
            (&mut self.columns, n * n),
            (&mut self.cover, n),
            (&mut self.kernel_rhs, n),
            (&mut self.etas, (exchanges + 1) * n),
        ] {
            v.clear();
            v.reserve(room);
        }
        self.basic.reserve(n);
        self.kernel_rows.reserve(n);
        self.kernel_vars.reserve(n);
        self.eta_positions.reserve(exchanges + 1);
    }

    pub(super) fn column_of_z(&self, j: usize) -> &[f64] {
        &self.columns[j * self.n..(j + 1) * self.n]
    }

    /// Number of exchanges since the last factorisation.
    pub(super) fn updates(&self) -> usize {
        self.eta_positions.len()
    }

    /// Factorises the basis of the variables now in `basic`, which may change places.
    /// False if it is singular to working precision.
    pub(super) fn factor(&mut self) -> bool {
        let n = self.n;
        self.factorizations += 1;
        self.etas.clear();
        self.eta_positions.clear();
        self.kernel_vars.clear();
        self.kernel_rows.clear();
        self.kernel_vars.extend(self.basic.iter().filter(|v| !matches!(v, Var::W(_))));
        // A row without its w is a kernel row; CoveringVector marks it while the w are put in their places.
        self.kernel_rhs.clear();
        self.kernel_rhs.resize(n, 1.0);
        for v in &self.basic {
            if let Var::W(i) = *v {
                self.kernel_rhs[i] = 0.0;
            }
        }
        self.kernel_rows.extend((0..n).filter(|&i| self.kernel_rhs[i] != 0.0));
        debug_assert_eq!(self.kernel_rows.len(), self.kernel_vars.len());
        for i in 0..n {
            self.basic[i] = Var::W(i);
        }
        for (&i, &v) in self.kernel_rows.iter().zip(&self.kernel_vars) {
            self.basic[i] = v;
        }
        let k = self.kernel_vars.len();
        let Self { kernel, kernel_rows, kernel_vars, columns, cover, .. } = self;
        kernel.factor(k, 1e-14, |at, row| {
            let i = kernel_rows[at];
            for (entry, v) in row.iter_mut().zip(&*kernel_vars) {
                *entry = match *v {
                    Var::Z(j) => -columns[j * n + i],
                    Var::Artificial => -cover[i],
                    Var::W(_) => 0.0,
                };
            }
        })
    }

    /// Writes the column of a variable to `out`.
    pub(super) fn column(&self, v: Var, out: &mut [f64]) {
        match v {
            Var::W(i) => {
                out.fill(0.0);
                out[i] = 1.0;
            }
            Var::Z(j) => {
                for (o, m) in out.iter_mut().zip(self.column_of_z(j)) {
                    *o = -m;
                }
            }
            Var::Artificial => {
                for (o, d) in out.iter_mut().zip(&self.cover) {
                    *o = -d;
                }
            }
        }
    }

    /// Overwrites `a`, by rows, with B⁻¹ a, by positions. Returns the largest remainder in the
    /// rows of the kernel, which would be zero in exact arithmetic.
    pub(super) fn solve(&mut self, a: &mut [f64]) -> f64 {
        let n = self.n;
        let k = self.kernel_vars.len();
        let mut remainder = 0.0_f64;
        if k > 0 {
            self.kernel_rhs.clear();
            self.kernel_rhs.extend(self.kernel_rows.iter().map(|&i| a[i]));
            if self.kernel_rhs.iter().any(|&v| v != 0.0) {
                self.kernel.solve(&mut self.kernel_rhs);
                self.subtract_kernel(a);
            }
            for (&i, &y) in self.kernel_rows.iter().zip(&self.kernel_rhs) {
                remainder = remainder.max(a[i].abs());
                a[i] = y;
            }
        }
        for (eta, &p) in self.etas.chunks_exact(n.max(1)).zip(&self.eta_positions) {
            if a[p] != 0.0 {
                let s = a[p] / eta[p];
                axpy(-s, eta, a);
                a[p] = s;
            }
        }
        remainder
    }

    /// a += Σ_v (M_j or d) y_v over the kernel's variables, four columns at a time.
    fn subtract_kernel(&self, a: &mut [f64]) {
        let n = self.n;
        let column = |v: Var| match v {
            Var::Z(j) => &self.columns[j * n..(j + 1) * n],
            _ => &self.cover[..],
        };
        let fours = self.kernel_vars.chunks_exact(4);
        let ys = self.kernel_rhs.chunks_exact(4);
        for (&v, &y) in fours.remainder().iter().zip(ys.remainder()) {
            axpy(y, column(v), a);
        }
        for (v, y) in fours.zip(ys) {
            let (c0, c1, c2, c3) = (column(v[0]), column(v[1]), column(v[2]), column(v[3]));
            let (y0, y1, y2, y3) = (y[0], y[1], y[2], y[3]);
            let cs = c0.iter().zip(c1).zip(c2).zip(c3);
            for (a, (((c0, c1), c2), c3)) in a.iter_mut().zip(cs) {
                *a += (y0 * c0 + y1 * c1) + (y2 * c2 + y3 * c3);
            }
        }
    }

    /// Puts `entering` at `position`; `y` is its column in terms of the present basis.
    pub(super) fn exchange(&mut self, position: usize, entering: Var, y: &[f64]) {
        self.etas.extend_from_slice(y);
        self.eta_positions.push(position);
        self.basic[position] = entering;
    }
}
