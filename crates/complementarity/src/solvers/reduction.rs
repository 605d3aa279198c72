//! A mixed problem as one in a box 0 ≤ x ≤ u: what every pivoting method for mixed problems starts with.
//!
//! Notation: F the free unknowns, whose rows are equations, B the others. Gauss-Jordan elimination
//! of the F rows by F columns, with complete pivoting, leaves w_B as a function of x_B alone.
//! Equations that no F column can solve (M_FF singular, as in the KKT system of a quadratic
//! program, or with redundant joints) are either combinations of others, and then dropped or shown to
//! contradict them, or conditions on x_B: such an equation r = 0 with an unused unknown c becomes
//! the two pairs 0 ≤ c⁺ ⊥ r ≥ 0 and 0 ≤ c⁻ ⊥ −r ≥ 0 with c = c⁺ − c⁻.

use crate::linalg::Scaling;
use crate::matrix::axpy;
use crate::proof::prove_mixed;
use crate::tolerance::{REDUCED_ENTRY, ROUNDING};
use crate::{Lcp, Matrix, Mlcp, Proof};

/// Passes of equilibration; a well scaled problem takes one.
const PASSES: usize = 10;

/// A mixed problem in the form M x + q, 0 ≤ x ≤ u.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reduction {
    /// The reduced problem.
    pub(crate) m: Matrix,
    pub(crate) q: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    unknowns: Vec<Origin>,
    /// The eliminated unknowns: z_c = −(row · z + constant), as (column, work row).
    eliminated: Vec<(usize, usize)>,
    offset: Vec<f64>,
    sign: Vec<f64>,
    /// The scaled system after elimination: n columns, then the constant, then multipliers of
    /// the equations that were added to the row.
    work: Matrix,
    equations: Vec<usize>,
    scale: Scaling,
}

/// Where a reduced unknown comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// z_i = offset + sign · x.
    Bounded(usize),
    /// ± an unknown c that no equation determined, opposite ± the equation r.
    Split { c: Option<usize>, r: Option<usize>, sign: f64 },
}

impl Reduction {
    /// Reduces the problem; an error is a proof that its equations contradict each other.
    pub(crate) fn reduce(&mut self, problem: &Mlcp) -> Result<(), Proof> {
        let n = problem.len();
        self.shift(problem);
        self.load(problem);
        let (rows_left, columns_left) = self.eliminate();
        let bounded: Vec<usize> = (0..n).filter(|&i| is_bounded(problem, i)).collect();
        let equations = self.conditions(&bounded, rows_left, problem)?;
        let effective =
            |c: &usize| bounded.iter().any(|&i| self.work[(i, *c)].abs() > REDUCED_ENTRY);
        let unused: Vec<usize> = columns_left.into_iter().filter(effective).collect();
        self.unknowns = bounded.iter().map(|&i| Origin::Bounded(i)).collect();
        for k in 0..equations.len().max(unused.len()) {
            let (c, r) = (unused.get(k).copied(), equations.get(k).copied());
            for sign in [1.0, -1.0] {
                self.unknowns.push(Origin::Split { c, r, sign });
            }
        }
        self.assemble(problem);
        Ok(())
    }

    /// z from the unknowns of the reduced problem.
    pub(crate) fn expand(&self, x: &[f64], problem: &Mlcp, z: &mut [f64]) {
        let n = problem.len();
        let mut scaled = vec![0.0; n];
        z.copy_from_slice(&self.offset);
        for (&x, origin) in x.iter().zip(&self.unknowns) {
            match *origin {
                Origin::Bounded(i) => {
                    let (l, u) = (problem.lower()[i], problem.upper()[i]);
                    z[i] = (self.offset[i] + self.sign[i] * x).clamp(l, u);
                    scaled[i] = x / self.scale.col[i];
                }
                Origin::Split { c: Some(c), sign, .. } => scaled[c] += sign * x,
                Origin::Split { c: None, .. } => {}
            }
        }
        for origin in &self.unknowns {
            if let Origin::Split { c: Some(c), .. } = *origin {
                z[c] = scaled[c] * self.scale.col[c];
            }
        }
        for &(column, row) in &self.eliminated {
            let entries = self.work.row(row);
            let mut sum = entries[n];
            for (j, &x) in scaled.iter().enumerate() {
                if x != 0.0 {
                    sum += entries[j] * x;
                }
            }
            z[column] = -sum * self.scale.col[column];
        }
    }

    /// The reduced problem as a plain one: each finite upper bound u becomes a pair
    /// 0 ≤ v ⊥ u − x ≥ 0, and v is added to the row of x. `None` beyond `most` unknowns.
    pub(crate) fn to_plain(&self, most: usize) -> Option<Lcp> {
        let n = self.q.len();
        let boxed: Vec<usize> = (0..n).filter(|&i| self.upper[i].is_finite()).collect();
        let size = n + boxed.len();
        if size > most {
            return None;
        }
        let mut m = Matrix::zeros(size, size);
        let mut q = self.q.clone();
        for i in 0..n {
            m.row_mut(i)[..n].copy_from_slice(self.m.row(i));
        }
        for (k, &i) in boxed.iter().enumerate() {
            m[(i, n + k)] = 1.0;
            m[(n + k, i)] = -1.0;
            q.push(self.upper[i]);
        }
        Lcp::new(m, q).ok()
    }

    /// The reduced unknowns that belong to z, for a warm start.
    pub(crate) fn restrict(&self, z: &[f64]) -> Vec<f64> {
        let restrict = |origin: &Origin| match *origin {
            Origin::Bounded(i) => self.sign[i] * (z[i] - self.offset[i]),
            Origin::Split { c: Some(c), sign, .. } => (sign * z[c] / self.scale.col[c]).max(0.0),
            Origin::Split { c: None, .. } => 0.0,
        };
        self.unknowns.iter().map(restrict).collect()
    }

    /// A Farkas vector of the reduced problem as one of the mixed problem, if it is one.
    pub(crate) fn lift(&self, y: &[f64], problem: &Mlcp) -> Option<Proof> {
        let n = problem.len();
        let mut lifted = vec![0.0; n];
        for (&y, origin) in y.iter().zip(&self.unknowns) {
            let (row, factor) = match *origin {
                Origin::Bounded(i) => (i, y * self.sign[i] / self.scale.row[i]),
                Origin::Split { r: Some(r), sign, .. } => (r, y * sign),
                Origin::Split { r: None, .. } => continue,
            };
            self.add_combination(row, factor, &mut lifted);
        }
        for (i, y) in lifted.iter_mut().enumerate() {
            // Rounding must not spoil a sign, nor a pair of bounds that allows none.
            *y = match (problem.lower()[i].is_finite(), problem.upper()[i].is_finite()) {
                (true, true) => 0.0,
                (true, false) => y.max(0.0),
                (false, true) => y.min(0.0),
                (false, false) => *y,
            };
        }
        prove_mixed(problem, &lifted)
    }

    /// Adds `factor` times the combination of equilibrated rows that the work row stands for.
    fn add_combination(&self, row: usize, factor: f64, y: &mut [f64]) {
        let n = y.len();
        y[row] += factor;
        for (k, &e) in self.equations.iter().enumerate() {
            y[e] += factor * self.work[(row, n + 1 + k)];
        }
    }

    /// A combination of equilibrated rows as one of the given rows, without what is only rounding.
    fn to_given_rows(&self, y: &mut [f64]) {
        let rounding = ROUNDING * y.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        for (y, r) in y.iter_mut().zip(&self.scale.row) {
            *y = if y.abs() <= rounding { 0.0 } else { *y * r };
        }
    }

    /// z = offset + sign · x with x ≥ 0; free unknowns keep themselves.
    fn shift(&mut self, problem: &Mlcp) {
        self.offset.clear();
        self.sign.clear();
        for (&l, &u) in problem.lower().iter().zip(problem.upper()) {
            // From the bound that is nearer to zero, so that a remote one costs no digits.
            let (offset, sign) = match (l.is_finite(), u.is_finite()) {
                (true, true) if u.abs() < l.abs() => (u, -1.0),
                (true, _) => (l, 1.0),
                (false, true) => (u, -1.0),
                (false, false) => (0.0, 1.0),
            };
            self.offset.push(offset);
            self.sign.push(sign);
        }
    }

    /// The equilibrated system in the shifted unknowns. Rows keep the sign of w.
    fn load(&mut self, problem: &Mlcp) {
        let n = problem.len();
        self.scale.equilibrate(n, PASSES, false, |i, j| problem.m()[(i, j)]);
        self.equations = (0..n).filter(|&i| is_free(problem, i)).collect();
        self.work = Matrix::zeros(n, n + 1 + self.equations.len());
        let (r, c) = (&self.scale.row, &self.scale.col);
        for i in 0..n {
            let row = self.work.row_mut(i);
            let entries = problem.m().row(i);
            row[n] = problem.q()[i];
            for j in 0..n {
                row[n] += entries[j] * self.offset[j];
                row[j] = entries[j] * self.sign[j] * r[i] * c[j];
            }
            row[n] *= r[i];
        }
    }

    /// Gauss-Jordan with complete pivoting on the free block; returns what could not be used.
    fn eliminate(&mut self) -> (Vec<usize>, Vec<usize>) {
        let mut rows = self.equations.clone();
        let mut columns = self.equations.clone();
        self.eliminated.clear();
        while let Some((r, c)) = self.largest(&rows, &columns) {
            rows.retain(|&i| i != r);
            columns.retain(|&j| j != c);
            let inverse = 1.0 / self.work[(r, c)];
            self.work.row_mut(r).iter_mut().for_each(|v| *v *= inverse);
            // The pivot row's own multiplier: it now stands for `inverse` times the equation.
            let own = self.equations.iter().position(|&e| e == r);
            let n = self.work.rows();
            let pivot_row = self.work.row(r).to_vec();
            for i in 0..n {
                let f = self.work[(i, c)];
                if i != r && f != 0.0 {
                    axpy(-f, &pivot_row, self.work.row_mut(i));
                    self.work[(i, c)] = 0.0;
                    if let Some(k) = own {
                        self.work[(i, n + 1 + k)] -= f * inverse;
                    }
                }
            }
            self.eliminated.push((c, r));
        }
        (rows, columns)
    }

    fn largest(&self, rows: &[usize], columns: &[usize]) -> Option<(usize, usize)> {
        let mut best = (REDUCED_ENTRY, None);
        for &i in rows {
            for &j in columns {
                let v = self.work[(i, j)].abs();
                if v > best.0 {
                    best = (v, Some((i, j)));
                }
            }
        }
        best.1
    }

    /// The equations left over that are conditions on the bounded unknowns. One that has no
    /// unknown left is redundant, or a contradiction.
    fn conditions(
        &self,
        bounded: &[usize],
        rows: Vec<usize>,
        problem: &Mlcp,
    ) -> Result<Vec<usize>, Proof> {
        let n = problem.len();
        let mut kept = Vec::new();
        for r in rows {
            let row = self.work.row(r);
            if bounded.iter().any(|&j| row[j].abs() > REDUCED_ENTRY) {
                kept.push(r);
                continue;
            }
            let mut y = vec![0.0; n];
            self.add_combination(r, -row[n].signum(), &mut y);
            self.to_given_rows(&mut y);
            if row[n] != 0.0
                && let Some(proof) = prove_mixed(problem, &y)
            {
                return Err(proof);
            }
        }
        Ok(kept)
    }

    fn assemble(&mut self, problem: &Mlcp) {
        let n = problem.len();
        let size = self.unknowns.len();
        let mut m = std::mem::take(&mut self.m);
        m.reshape(size, size);
        self.q.clear();
        self.upper.clear();
        for (a, row) in self.unknowns.iter().enumerate() {
            for (b, column) in self.unknowns.iter().enumerate() {
                m[(a, b)] = self.entry(row, column);
            }
            self.q.push(match *row {
                Origin::Bounded(i) => self.sign[i] * self.work[(i, n)] / self.scale.row[i],
                Origin::Split { r: Some(r), sign, .. } => sign * self.work[(r, n)],
                Origin::Split { r: None, .. } => 0.0,
            });
            self.upper.push(match *row {
                Origin::Bounded(i) => problem.upper()[i] - problem.lower()[i],
                Origin::Split { .. } => f64::INFINITY,
            });
        }
        self.m = m;
    }

    fn entry(&self, row: &Origin, column: &Origin) -> f64 {
        let (i, row_factor) = match *row {
            Origin::Bounded(i) => (i, self.sign[i] / self.scale.row[i]),
            Origin::Split { r: Some(r), sign, .. } => (r, sign),
            Origin::Split { r: None, .. } => return 0.0,
        };
        match *column {
            Origin::Bounded(j) => row_factor * self.work[(i, j)] / self.scale.col[j],
            // An equation left over has only rounding in an unknown left over.
            Origin::Split { c: Some(_), .. } if matches!(row, Origin::Split { .. }) => 0.0,
            Origin::Split { c: Some(c), sign, .. } => row_factor * self.work[(i, c)] * sign,
            Origin::Split { c: None, .. } => 0.0,
        }
    }
}

fn is_free(problem: &Mlcp, i: usize) -> bool {
    problem.lower()[i] == f64::NEG_INFINITY && problem.upper()[i] == f64::INFINITY
}

/// Neither free nor fixed.
fn is_bounded(problem: &Mlcp, i: usize) -> bool {
    !is_free(problem, i) && problem.lower()[i] < problem.upper()[i]
}
