//! Random problems and plain linear algebra.

use complementarity::Matrix;
use stickslip_contact::analysis::solutions::{Settings, Solutions, all_solutions};
use stickslip_contact::{ContactProblem, Law};

/// Numbers in (−1, 1) that are the same on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * 0.5 * (1.0 + self.next())
    }

    pub(super) fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    /// Hᵀ H for a random H with this many rows: singular if they are fewer than n.
    pub(super) fn semidefinite(&mut self, n: usize, rows: usize) -> Matrix {
        let h: Vec<Vec<f64>> = (0..rows).map(|_| self.vector(n)).collect();
        Matrix::from_fn(n, n, |i, j| h.iter().map(|r| r[i] * r[j]).sum())
    }

    /// W from random directions, b random, and these laws.
    pub(super) fn problem(&mut self, rows: usize, laws: Vec<Law>) -> ContactProblem {
        let n = laws.iter().map(Law::components).sum();
        let w = self.semidefinite(n, rows);
        let b = self.vector(n);
        ContactProblem::new(w, b, laws).unwrap()
    }
}

pub(super) fn all(problem: &ContactProblem) -> Solutions {
    let found = all_solutions(problem, &Settings::default()).unwrap();
    for s in &found.solutions {
        let certificate = problem.certificate(&s.impulse).unwrap();
        assert!(certificate.worst <= 1e-9, "{certificate:?}");
        for v in &s.vertices {
            assert!(problem.certificate(v).unwrap().worst <= 1e-9);
        }
    }
    if let Some(proof) = &found.proof {
        assert_eq!(proof.check(problem), Ok(()));
    }
    assert_eq!(found.proof.is_some(), found.solutions.is_empty() && found.is_complete());
    found
}

/// Gaussian elimination with partial pivoting; `None` if singular.
pub(super) fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[p][k].abs() < 1e-12 {
            return None;
        }
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

/// Whether two points are the same to a share of their size, or of one.
pub(super) fn near(x: &[f64], y: &[f64], tolerance: f64) -> bool {
    let size = x.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    x.iter().zip(y).all(|(x, y)| (x - y).abs() <= tolerance * size)
}

/// Whether two lists hold the same points, in any order.
pub(super) fn same(a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| near(x, y, tolerance)))
}
