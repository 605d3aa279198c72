//! Problems and solvers for these tests.

use complementarity::newton::{self, NcpFunction};
use complementarity::{InteriorPoint, Matrix, Newton, Pgs, Solver};

pub(crate) const INF: f64 = f64::INFINITY;

/// A small generator with a fixed sequence (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Uniform in [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        bits as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.signed()).collect()
    }

    pub(crate) fn matrix(&mut self, rows: usize, cols: usize) -> Matrix {
        Matrix::from_fn(rows, cols, |_, _| self.signed())
    }
}

pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

/// B Bᵀ of the given rank, plus `shift` on the diagonal, plus `skew` times a skew matrix.
pub(crate) fn semidefinite(r: &mut Random, n: usize, rank: usize, shift: f64, skew: f64) -> Matrix {
    let b = r.matrix(n, rank);
    let s = r.matrix(n, n);
    let mut m = product(&b, &b.transposed());
    for i in 0..n {
        m[(i, i)] += shift;
        for j in 0..n {
            m[(i, j)] += skew * (s[(i, j)] - s[(j, i)]);
        }
    }
    m
}

/// q such that a random complementary pair (z, w) solves the problem; some pairs are degenerate.
pub(crate) fn q_for_known_pair(r: &mut Random, m: &Matrix) -> Vec<f64> {
    let n = m.rows();
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let v = r.signed();
        if v > 0.1 {
            z[i] = v;
        } else if v < -0.1 {
            w[i] = -v;
        }
    }
    let mz = m.mul_vec(&z);
    (0..n).map(|i| w[i] - mz[i]).collect()
}

/// Largest and mean of a list of counts, for the reports that `--nocapture` shows.
pub(crate) fn report(what: &str, counts: &[usize]) {
    let (sum, largest) = (counts.iter().sum::<usize>(), counts.iter().max().copied());
    let mean = sum as f64 / counts.len().max(1) as f64;
    println!("{what}: {} solves, mean {mean:.1}, most {}", counts.len(), largest.unwrap_or(0));
}

pub(crate) fn laplacian(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    })
}

pub(crate) fn all() -> [Box<dyn Solver>; 4] {
    let min = newton::Settings { function: NcpFunction::Min, ..Default::default() };
    [
        Box::new(Pgs::default()),
        Box::new(Newton::default()),
        Box::new(Newton::new(min).unwrap()),
        Box::new(InteriorPoint::default()),
    ]
}
