//! The linear complementarity problem, dense and sparse.

use super::{check_finite, check_len, check_square};
use crate::{Error, Matrix, Mlcp, Residual, SparseMatrix, residual};

/// Find z with 0 ≤ w = M z + q ⊥ z ≥ 0.
///
/// ```
/// use complementarity::{Lcp, Matrix};
///
/// let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
/// let problem = Lcp::new(m, vec![-5.0, -6.0])?;
/// assert!(problem.residual(&[4.0 / 3.0, 7.0 / 3.0]).scaled < 1e-15);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lcp {
    m: Matrix,
    q: Vec<f64>,
}

impl Lcp {
    /// A problem from a square matrix and a vector of its size, all numbers finite.
    pub fn new(m: Matrix, q: Vec<f64>) -> Result<Self, Error> {
        check_square(&m, &q)?;
        Ok(Self { m, q })
    }

    /// Number of unknowns.
    #[inline]
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
    #[inline]
    #[must_use]
    pub fn m(&self) -> &Matrix {
        &self.m
    }

    /// The vector q.
    #[inline]
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Replaces q and keeps M: the usual change from one time step to the next.
    pub fn set_q(&mut self, q: &[f64]) -> Result<(), Error> {
        check_len("q", self.len(), q)?;
        check_finite("q", q)?;
        self.q.copy_from_slice(q);
        Ok(())
    }

    /// Makes room for a problem of n unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.m.reshape(n, n);
        self.q.resize(n, 0.0);
    }

    /// Becomes the given problem with its rows multiplied by `r` and its unknowns divided by `c`, on
    /// the storage it has; false if a number overflowed.
    pub(crate) fn refill(&mut self, given: &Self, r: &[f64], c: &[f64]) -> bool {
        self.reserve(given.len());
        for i in 0..given.len() {
            self.q[i] = given.q[i] * r[i];
            for ((to, from), c) in self.m.row_mut(i).iter_mut().zip(given.m.row(i)).zip(c) {
                *to = from * r[i] * c;
            }
        }
        check_square(&self.m, &self.q).is_ok()
    }

    /// Takes the problem apart.
    #[must_use]
    pub fn into_parts(self) -> (Matrix, Vec<f64>) {
        (self.m, self.q)
    }

    /// How far `z` is from a solution. See [`Residual`].
    ///
    /// # Panics
    /// Never; a `z` of the wrong size has an infinite residual.
    #[must_use]
    pub fn residual(&self, z: &[f64]) -> Residual {
        residual::lcp(&self.m, &self.q, z)
    }

    /// The same problem with explicit bounds 0 ≤ z < ∞.
    #[must_use]
    pub fn to_mlcp(&self) -> Mlcp {
        let n = self.len();
        Mlcp::from_valid_parts(self.m.clone(), self.q.clone(), vec![0.0; n], vec![f64::INFINITY; n])
    }
}

/// An [`Lcp`] whose matrix is sparse; for [`Pgs`](crate::Pgs), which needs only its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseLcp {
    m: SparseMatrix,
    q: Vec<f64>,
}

impl SparseLcp {
    /// A problem from a square matrix and a vector of its size, all numbers finite.
    pub fn new(m: SparseMatrix, q: Vec<f64>) -> Result<Self, Error> {
        if m.rows() != m.cols() {
            return Err(Error::NotSquare { rows: m.rows(), cols: m.cols() });
        }
        check_len("q", m.rows(), &q)?;
        m.check_finite()?;
        check_finite("q", &q)?;
        Ok(Self { m, q })
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
    pub fn m(&self) -> &SparseMatrix {
        &self.m
    }

    /// The vector q.
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// How far `z` is from a solution. See [`Residual`].
    #[must_use]
    pub fn residual(&self, z: &[f64]) -> Residual {
        residual::sparse_lcp(&self.m, &self.q, z)
    }

    /// The same problem with a dense matrix, for the solvers that factorise.
    #[must_use]
    pub fn to_dense(&self) -> Lcp {
        Lcp { m: self.m.to_dense(), q: self.q.clone() }
    }
}
