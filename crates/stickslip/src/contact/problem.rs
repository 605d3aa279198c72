//! The contact problem.

use super::{Certificate, Law};
use crate::error::{Error, check};
use complementarity::Matrix;

/// Entries of W and their mirror images may differ by this share of the largest entry.
const SYMMETRY: f64 = 1e-9;

/// Find impulses Λ such that with ξ = W Λ + b every contact obeys its [`Law`].
///
/// Planar contacts, two components each in the order N, T: contact i has rows 2 i and 2 i + 1.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactProblem {
    delassus: Matrix,
    bias: Vec<f64>,
    laws: Vec<Law>,
}

impl Default for ContactProblem {
    fn default() -> Self {
        Self { delassus: Matrix::zeros(0, 0), bias: Vec::new(), laws: Vec::new() }
    }
}

impl ContactProblem {
    /// A problem from W = Hᵀ M⁻¹ H, b and one law per contact.
    ///
    /// # Errors
    /// If sizes do not fit, a number is not finite, W is not symmetric, or a law is out of range.
    pub fn new(delassus: Matrix, bias: Vec<f64>, laws: Vec<Law>) -> Result<Self, Error> {
        let n = 2 * laws.len();
        let size = |what, found| Err(Error::Size { what, expected: n, found });
        if bias.len() != n {
            return size("bias (two per contact)", bias.len());
        }
        if delassus.rows() != n {
            return size("delassus (rows: two per contact)", delassus.rows());
        }
        if delassus.cols() != n {
            return size("delassus (columns: two per contact)", delassus.cols());
        }
        for (i, law) in laws.iter().enumerate() {
            law.validate(i)?;
        }
        for (i, &b) in bias.iter().enumerate() {
            check(|| format!("bias[{i}]"), b, true, "a finite number")?;
        }
        check_symmetric(&delassus)?;
        Ok(Self { delassus, bias, laws })
    }

    /// The parts, to fill them again without allocation.
    pub(crate) fn parts_mut(&mut self) -> (&mut Matrix, &mut Vec<f64>, &mut Vec<Law>) {
        (&mut self.delassus, &mut self.bias, &mut self.laws)
    }

    /// The number of contacts k.
    pub fn contacts(&self) -> usize {
        self.laws.len()
    }

    /// W, 2k × 2k.
    pub fn delassus(&self) -> &Matrix {
        &self.delassus
    }

    /// b, with 2k entries.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The laws of the contacts.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// ξ = W Λ + b.
    ///
    /// # Panics
    /// If a slice does not have 2k entries.
    pub fn velocity_into(&self, impulse: &[f64], out: &mut [f64]) {
        self.delassus.mul_vec_into(impulse, out);
        for (o, b) in out.iter_mut().zip(&self.bias) {
            *o += b;
        }
    }

    /// How far Λ is from the laws, computed from this problem and Λ alone.
    ///
    /// # Errors
    /// If `impulse` does not have 2k entries.
    pub fn certificate(&self, impulse: &[f64]) -> Result<Certificate, Error> {
        if impulse.len() != self.bias.len() {
            let (expected, found) = (self.bias.len(), impulse.len());
            return Err(Error::Size { what: "impulse", expected, found });
        }
        Ok(Certificate::of(self, impulse))
    }
}

fn check_symmetric(w: &Matrix) -> Result<(), Error> {
    let largest = w.as_slice().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for row in 0..w.rows() {
        for col in 0..w.cols() {
            let value = w.row(row)[col];
            check(|| format!("delassus[{row}][{col}]"), value, true, "a finite number")?;
            let mirrored = w.row(col)[row];
            if !((value - mirrored).abs() <= SYMMETRY * largest) && mirrored.is_finite() {
                return Err(Error::NotSymmetric { row, col, value, mirrored });
            }
        }
    }
    Ok(())
}
