//! Problems that the tests share.

use crate::{Lcp, Matrix};

/// A small generator of numbers (Marsaglia's xorshift), so that a seed means the same problem
/// for ever.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// In [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn gauss(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// One of low, …, high.
    pub(super) fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + (self.unit() * (high - low + 1) as f64) as i64
    }

    pub(super) fn gaussian(&mut self, rows: usize, cols: usize) -> Matrix {
        Matrix::from_fn(rows, cols, |_, _| self.gauss())
    }

    pub(super) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.gauss()).collect()
    }
}

/// G Gᵀ.
pub(super) fn gram(g: &Matrix) -> Matrix {
    Matrix::from_fn(g.rows(), g.rows(), |i, j| {
        g.row(i).iter().zip(g.row(j)).map(|(a, b)| a * b).sum()
    })
}

pub(super) fn lcp(m: Matrix, q: Vec<f64>) -> Lcp {
    Lcp::new(m, q).unwrap()
}

/// Murty's matrix (1978): ones on the diagonal, twos above it.
pub(super) fn murty(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 2.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 0.0,
    })
}

/// Stewart and Trinkle's matrix of `contacts` random planar contacts on `bodies` unit masses.
pub(super) fn friction(random: &mut Random, contacts: usize, freedoms: usize, mu: f64) -> Lcp {
    let h = random.gaussian(2 * contacts, freedoms);
    let w = gram(&h);
    let n = 4 * contacts;
    let mut m = Matrix::zeros(n, n);
    // Unknowns per contact: normal, two opposite tangents, slip.
    let direction = |a: usize| match a % 4 {
        0 => Some((2 * (a / 4), 1.0)),
        1 => Some((2 * (a / 4) + 1, 1.0)),
        2 => Some((2 * (a / 4) + 1, -1.0)),
        _ => None,
    };
    for a in 0..n {
        for b in 0..n {
            if let (Some((i, s)), Some((j, t))) = (direction(a), direction(b)) {
                m[(a, b)] = s * t * w[(i, j)];
            }
        }
    }
    for c in (0..n).step_by(4) {
        m[(c + 1, c + 3)] = 1.0;
        m[(c + 2, c + 3)] = 1.0;
        m[(c + 3, c)] = mu;
        m[(c + 3, c + 1)] = -1.0;
        m[(c + 3, c + 2)] = -1.0;
    }
    let b = random.vector(2 * contacts);
    let q = (0..n).map(|a| direction(a).map_or(0.0, |(i, s)| s * b[i] - s * f64::from(a % 4 == 0)));
    lcp(m, q.collect())
}

/// A problem with a solution: half of the z_i, and the other half of the w_i, between 0 and 1.
fn planted(m: Matrix, random: &mut Random) -> Lcp {
    let n = m.rows();
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        if i % 2 == 0 {
            z[i] = random.unit();
        } else {
            w[i] = random.unit();
        }
    }
    let q = m.mul_vec(&z).iter().zip(&w).map(|(mz, w)| w - mz).collect();
    lcp(m, q)
}

/// Solutions: z of the first half in [0, 1], where w = 0; w of the second half is 1 − z of the first.
pub(super) fn cube(k: usize) -> Lcp {
    let m = Matrix::from_fn(2 * k, 2 * k, |i, j| -f64::from(i == j + k));
    lcp(m, (0..2 * k).map(|i| f64::from(i >= k)).collect())
}

/// The equilibria of a game with positive random costs, n/2 moves for either player.
pub(super) fn bimatrix_game(n: usize, random: &mut Random) -> Lcp {
    let across = |i: usize, j: usize| (i < n / 2) != (j < n / 2);
    let cost = |i, j| {
        if across(i, j) { 1.0 + random.unit() } else { 0.0 }
    };
    lcp(Matrix::from_fn(n, n, cost), vec![-1.0; n])
}

/// Whether some of k integers add up to a given sum (Chung 1989): z_i ∈ {0, a_i} and two rows for
/// the sum, here an odd one for even integers, so that there are feasible points but no solution.
fn knapsack(k: usize, random: &mut Random) -> Lcp {
    let a: Vec<f64> = (0..k).map(|_| 2.0 * random.whole(50, 150) as f64).collect();
    let sum = 2.0 * (a.iter().sum::<f64>() / 4.0).floor() + 1.0;
    let n = k + 2;
    let m = Matrix::from_fn(n, n, |i, j| match (i, j) {
        _ if i < k => -f64::from(i == j),
        _ if j < k && i == k => 1.0,
        _ if j < k => -1.0,
        _ => -(n as f64) * f64::from(i == j),
    });
    let mut q = a;
    q.extend([-sum, sum]);
    lcp(m, q)
}

/// Families for the timing.
pub(super) fn timed(n: usize) -> Vec<(&'static str, Vec<Lcp>)> {
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    let mut list = Vec::new();
    let mut add = |name, make: &mut dyn FnMut() -> Lcp| {
        list.push((name, (0..4).map(|_| make()).collect::<Vec<_>>()));
    };
    add("gaussian", &mut || lcp(r.gaussian(n, n), r.vector(n)));
    add("gaussian, q < 0", &mut || {
        lcp(r.gaussian(n, n), r.vector(n).iter().map(|q| -q.abs()).collect())
    });
    add("gaussian, planted", &mut || planted(r.gaussian(n, n), &mut r));
    add("symmetric, planted", &mut || {
        let g = r.gaussian(n, n);
        let m = Matrix::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)]);
        planted(m, &mut r)
    });
    add("bimatrix game", &mut || bimatrix_game(n, &mut r));
    add("knapsack", &mut || knapsack(n - 2, &mut r));
    add("positive definite", &mut || lcp(gram(&r.gaussian(n, n)), r.vector(n)));
    add("semidefinite, rank n/2", &mut || lcp(gram(&r.gaussian(n, n / 2)), r.vector(n)));
    add("minus positive definite, q>0", &mut || {
        let g = gram(&r.gaussian(n, n));
        let minus = Matrix::from_fn(n, n, |i, j| -g[(i, j)]);
        lcp(minus, r.vector(n).iter().map(|q| q.abs()).collect())
    });
    add("minus identity, q = 1", &mut || {
        let minus = Matrix::from_fn(n, n, |i, j| if i == j { -1.0 } else { 0.0 });
        lcp(minus, vec![1.0; n])
    });
    add("friction, mu = 0.5", &mut || friction(&mut r, n / 4, n, 0.5));
    add("friction, mu = 5", &mut || friction(&mut r, n / 4, n, 5.0));
    add("friction, redundant", &mut || friction(&mut r, n / 4, 3, 1.0));
    add("zero matrix, q >= 0", &mut || {
        lcp(Matrix::zeros(n, n), (0..n).map(|i| (i % 2) as f64).collect())
    });
    add("gaussian, q = 0", &mut || lcp(r.gaussian(n, n), vec![0.0; n]));
    add("identity, q = 0", &mut || lcp(Matrix::identity(n), vec![0.0; n]));
    add("integers in -2..2", &mut || {
        let m = Matrix::from_fn(n, n, |_, _| r.whole(-2, 2) as f64);
        let q = (0..n).map(|_| r.whole(-2, 2) as f64).collect();
        lcp(m, q)
    });
    add("each row twice", &mut || {
        let g = r.gaussian(n, n);
        let q = r.vector(n);
        let m = Matrix::from_fn(n, n, |i, j| g[(i / 2, j)]);
        lcp(m, (0..n).map(|i| q[i / 2]).collect())
    });
    add("murty, q = -1", &mut || lcp(murty(n), vec![-1.0; n]));
    add("fathi, q = -1", &mut || {
        let m = murty(n);
        lcp(gram(&m), vec![-1.0; n])
    });
    add("a cube of solutions", &mut || cube(n / 2));
    add("crossing axes", &mut || {
        let swap = |i: usize, j: usize| f64::from(i != j && i / 2 == j / 2);
        lcp(Matrix::from_fn(n, n, swap), vec![0.0; n])
    });
    add("all zero", &mut || lcp(Matrix::zeros(n, n), vec![0.0; n]));
    add("each unknown twice", &mut || {
        let g = gram(&r.gaussian(n, n));
        let q = r.vector(n);
        let m = Matrix::from_fn(n, n, |i, j| g[(i / 2, j / 2)]);
        lcp(m, (0..n).map(|i| q[i / 2]).collect())
    });
    add("copositive (non-negative)", &mut || {
        let m = Matrix::from_fn(n, n, |_, _| r.unit());
        lcp(m, r.vector(n).iter().map(|q| -q.abs()).collect())
    });
    list
}

/// One contact with W = [[1.6, −1.2], [−1.2, 3.4]] ⊕ 1 in the order N, T, O, two directions, μ = 5,
/// b = (1, −4, 0) and ρ = 10 k λ_max([W⁻¹]_TT); and the map from z to (λ_n, λ_t, λ_o).
pub(super) fn phantom_inertia() -> (Lcp, impl Fn(&[f64]) -> [f64; 3]) {
    let determinant: f64 = 1.6 * 3.4 - 1.2 * 1.2;
    phantom_inertia_with(10.0 * 2.0 * f64::max(1.6 / determinant, 1.0))
}

/// The same with another ρ.
pub(super) fn phantom_inertia_with(rho: f64) -> (Lcp, impl Fn(&[f64]) -> [f64; 3]) {
    let (w_nn, w_nt, mu, b) = (1.6, [-1.2, 0.0], 5.0, [1.0, -4.0, 0.0]);
    // S = W_TT⁻¹ with W_TT = diag(3.4, 1).
    let s = [1.0 / 3.4, 1.0];
    let mut m = Matrix::zeros(5, 5);
    m[(0, 0)] = w_nn - w_nt[0] * s[0] * w_nt[0];
    let mut q = vec![b[0] - w_nt[0] * s[0] * b[1], 0.0, 0.0, 0.0, 0.0];
    for i in 0..2 {
        m[(0, 1 + i)] = w_nt[i] * s[i];
        m[(0, 3 + i)] = -w_nt[i] * s[i];
        m[(1 + i, 0)] = mu - s[i] * w_nt[i];
        m[(3 + i, 0)] = mu + s[i] * w_nt[i];
        m[(1 + i, 1 + i)] = s[i];
        m[(3 + i, 3 + i)] = s[i];
        m[(1 + i, 3 + i)] = rho - s[i];
        m[(3 + i, 1 + i)] = rho - s[i];
        q[1 + i] = -s[i] * b[1 + i];
        q[3 + i] = s[i] * b[1 + i];
    }
    let decode = move |z: &[f64]| {
        let tangent = |i: usize| s[i] * (z[1 + i] - z[3 + i] - w_nt[i] * z[0] - b[1 + i]);
        [z[0], tangent(0), tangent(1)]
    };
    (lcp(m, q), decode)
}
