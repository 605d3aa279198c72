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
