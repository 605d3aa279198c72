//! Up to which factor of friction a quadratic form stays positive definite.

use nalgebra::{Cholesky, DMatrix, Dyn};

/// Above this a bound counts as none.
pub(super) const CEILING: f64 = 1e12;
/// Steps of a bisection: the bound is found to about 10⁻¹², from below.
const STEPS: usize = 100;

/// H(s) = H0 + s H1 − s² H2 with s ≥ 0, in units in which the diagonal of the matrix that H0 was made from is one.
///
/// Where H2 is positive semidefinite H is concave, so that with H(0) positive definite it is up to a first s and not
/// beyond. Callers that have another H2 say why the same holds.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) h0: DMatrix<f64>,
    pub(super) h1: DMatrix<f64>,
    pub(super) h2: DMatrix<f64>,
    /// How far entries of H0 may be off by rounding.
    pub(super) error: f64,
}

impl Form {
    /// A number below which H is positive definite, as close as rounding lets it be told: 0 if H(0) is not, infinite if
    /// there is no end up to 10¹².
    pub(super) fn limit(&self) -> f64 {
        if !self.holds(0.0) {
            return 0.0;
        }
        if self.h1.iter().chain(self.h2.iter()).all(|v| *v == 0.0) || self.holds(CEILING) {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, CEILING);
        let mut probe = 1.0;
        for _ in 0..STEPS {
            if self.holds(probe) {
                low = probe;
            } else {
                high = probe;
            }
            if high - low <= 1e-13 * high {
                break;
            }
            probe = match (low > 0.0, high < CEILING) {
                (true, true) => 0.5 * (low + high),
                (true, false) => (8.0 * low).min(0.5 * (low + high)),
                (false, _) => high / 8.0,
            };
        }
        low
    }

    fn holds(&self, s: f64) -> bool {
        let h = DMatrix::from_fn(self.h0.nrows(), self.h0.ncols(), |i, j| {
            self.h0[(i, j)] + s * self.h1[(i, j)] - s * s * self.h2[(i, j)]
        });
        let size = |m: &DMatrix<f64>| m.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let terms = s * size(&self.h1) + s * s * size(&self.h2);
        is_definite(h, self.error + 8.0 * f64::EPSILON * terms)
    }
}

/// Whether a symmetric matrix is positive definite although each entry may be off by `error`: a Cholesky factorisation
/// of the matrix, less the error, with rows and columns scaled to a diagonal of ones.
pub(super) fn is_definite(mut h: DMatrix<f64>, error: f64) -> bool {
    let n = h.nrows();
    for i in 0..n {
        h[(i, i)] -= n as f64 * error;
    }
    let d: Vec<f64> = (0..n).map(|i| h[(i, i)].sqrt()).collect();
    if !d.iter().all(|d| *d > 0.0 && d.is_finite()) {
        return false;
    }
    // Rounding of the factorisation: n ε per entry of a matrix with ones on its diagonal, Higham 2002, theorem 10.7.
    let margin = 4.0 * f64::EPSILON * (n * (n + 1)) as f64;
    let scaled = DMatrix::from_fn(n, n, |i, j| {
        let mean = 0.5 * (h[(i, j)] + h[(j, i)]) / d[i] / d[j];
        if i == j { 1.0 - margin } else { mean }
    });
    scaled.iter().all(|v| v.is_finite()) && Cholesky::new(scaled).is_some()
}

/// A factorisation of a positive definite matrix with a diagonal of about one, and the reciprocal of about its
/// smallest eigenvalue; none if it is singular to rounding.
pub(super) fn factor(a: DMatrix<f64>) -> Option<(Cholesky<f64, Dyn>, f64)> {
    let n = a.nrows();
    if n == 0 || !is_definite(a.clone(), 0.0) {
        return (n == 0).then(|| Cholesky::new(a)).flatten().map(|c| (c, 1.0));
    }
    let c = Cholesky::new(a)?;
    let size = c.inverse().norm();
    size.is_finite().then_some((c, size))
}
