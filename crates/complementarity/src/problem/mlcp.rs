//! The mixed problem in a box.

use super::{check_len, check_square};
use crate::{Error, Lcp, Matrix, Residual, residual};

/// Find z with l ≤ z ≤ u such that, for w = M z + q and each i,
/// w_i ≥ 0 where z_i = l_i, w_i ≤ 0 where z_i = u_i, w_i = 0 where l_i < z_i < u_i.
///
/// A free variable (l = −∞, u = ∞) makes its row an equation: a bilateral constraint.
///
/// ```
/// use complementarity::{Matrix, Mlcp};
///
/// // A free unknown and one between 0 and 1, which ends at its upper bound.
/// let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
/// let inf = f64::INFINITY;
/// let problem = Mlcp::new(m, vec![1.0, -5.0], vec![-inf, 0.0], vec![inf, 1.0])?;
/// assert!(problem.residual(&[-1.0, 1.0]).scaled < 1e-15);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mlcp {
    m: Matrix,
    q: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Mlcp {
    /// A problem from a square matrix, a vector and bounds of its size with `lower ≤ upper`.
    ///
    /// Matrix and vector must be finite; a lower bound may be −∞ and an upper one ∞.
    pub fn new(m: Matrix, q: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, Error> {
        check_square(&m, &q)?;
        check_len("lower", q.len(), &lower)?;
        check_len("upper", q.len(), &upper)?;
        for (index, (&l, &u)) in lower.iter().zip(&upper).enumerate() {
            if l.is_nan() || l == f64::INFINITY {
                let cure = "a finite number, or minus infinity (null in JSON) for none";
                return Err(Error::BadBound { what: "lower", index, value: l, cure });
            }
            if u.is_nan() || u == f64::NEG_INFINITY {
                let cure = "a finite number, or infinity (null in JSON) for none";
                return Err(Error::BadBound { what: "upper", index, value: u, cure });
            }
            if l > u {
                return Err(Error::BoundsCrossed { index, lower: l, upper: u });
            }
        }
        Ok(Self { m, q, lower, upper })
    }

    pub(crate) fn from_valid_parts(
        m: Matrix,
        q: Vec<f64>,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Self {
        Self { m, q, lower, upper }
    }

    /// Number of unknowns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are no unknowns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// The matrix M.
    #[must_use]
    pub fn m(&self) -> &Matrix {
        &self.m
    }

    /// The vector q.
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// The lower bounds; −∞ for none.
    #[must_use]
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds; ∞ for none.
    #[must_use]
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// How far `z` is from a solution. See [`Residual`].
    #[must_use]
    pub fn residual(&self, z: &[f64]) -> Residual {
        residual::mlcp(&self.m, &self.q, &self.lower, &self.upper, z)
    }

    /// The plain problem, if every variable has the bounds 0 and ∞.
    #[must_use]
    pub fn to_lcp(&self) -> Option<Lcp> {
        let plain =
            self.lower.iter().all(|&l| l == 0.0) && self.upper.iter().all(|&u| u == f64::INFINITY);
        plain.then(|| {
            Lcp::new(self.m.clone(), self.q.clone()).expect("a valid Mlcp has valid parts")
        })
    }
}
