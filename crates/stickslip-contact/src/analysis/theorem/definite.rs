//! Whether W is positive definite, with a bound on the error of the answer.

use super::layout::Layout;
use crate::error::Error;
use crate::redundancy::RANK;
use nalgebra::{DMatrix, SymmetricEigen};

/// The smallest eigenvalue of W, with W scaled to a diagonal of ones: W_ij / √(W_ii W_jj). It is definite, semidefinite
/// or singular if and only if W is, and the number has no unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Definiteness {
    /// The smallest eigenvalue of the scaled W, as computed; infinite if there are no rows.
    pub smallest: f64,
    /// How far that can be from the true one, by the residual of all eigenvectors and their departure from
    /// orthogonality.
    pub error: f64,
    /// Rows of W.
    pub rows: usize,
    /// Eigenvalues above [`RANK`] of the largest.
    pub rank: usize,
    /// As many forces that move nothing, W c = 0, as the rank lacks: self-stresses. Each with unit norm Σ W_ii c_i² = 1,
    /// orthogonal in it.
    pub null: Vec<Vec<f64>>,
}

impl Definiteness {
    /// Whether W is positive definite: proved, as the smallest eigenvalue is larger than its error.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        self.smallest > self.error && self.null.is_empty()
    }

    /// Whether W is singular to rounding.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        !self.null.is_empty()
    }

    pub(super) fn of(layout: &Layout) -> Result<Self, Error> {
        let n = layout.a.nrows();
        if n == 0 {
            let (smallest, null) = (f64::INFINITY, Vec::new());
            return Ok(Self { smallest, error: 0.0, rows: 0, rank: 0, null });
        }
        let overflow = || Error::Overflow { what: "the scaled Delassus matrix" };
        if !layout.a.iter().all(|v| v.is_finite()) {
            return Err(overflow());
        }
        let eigen = SymmetricEigen::try_new(layout.a.clone(), f64::EPSILON, 100 * n + 100)
            .ok_or_else(overflow)?;
        let (values, v) = (&eigen.eigenvalues, &eigen.eigenvectors);
        let largest = values.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let null: Vec<usize> = (0..n).filter(|&i| values[i].abs() <= RANK * largest).collect();
        let vectors = null.iter().map(|&i| (0..n).map(|r| v[(r, i)] / layout.s[r]).collect());
        Ok(Self {
            smallest,
            error: error(&layout.a, v, values.as_slice(), largest),
            rows: n,
            rank: n - null.len(),
            null: vectors.collect(),
        })
    }
}

/// With E = A V − V Λ and δ = ‖VᵀV − 1‖ the pencil (VᵀAV, VᵀV) has the eigenvalues of A and differs from (Λ, 1) by at
/// most δ ‖Λ‖ + (1 + δ) ‖E‖ and δ. The last term is the rounding of these products.
fn error(a: &DMatrix<f64>, v: &DMatrix<f64>, values: &[f64], largest: f64) -> f64 {
    let n = values.len();
    let product = a * v;
    let scaled = DMatrix::from_fn(n, n, |i, j| v[(i, j)] * values[j]);
    let residual = (product - scaled).norm();
    let delta = (v.tr_mul(v) - DMatrix::identity(n, n)).norm();
    if !(delta < 0.5) {
        return f64::INFINITY;
    }
    let rounding = 4.0 * f64::EPSILON * (n * n) as f64 * largest.max(1.0);
    (2.0 * delta * largest + (1.0 + delta) * residual) / (1.0 - delta) + rounding
}
