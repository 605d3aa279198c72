//! Rank and condition of the matrix of a formulation.

use super::solver;
use complementarity::Matrix;
use nalgebra::DMatrix;
use stickslip::Error;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{Formulation, Rho, eliminate_free};

/// Singular values below this share of the largest count as zero.
pub const RANK: f64 = 1e-12;

/// What is left of the unknowns that no condition restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// \[1\] eq. (8) less the accelerations, of which M is the matrix: (Λ_N, Λ_T, κ₊, κ₋). It has the nullity of (8).
    Mixed,
    /// Less Λ_T as well, by the Schur complement: (Λ_N, κ₊, κ₋).
    Schur,
}

/// The matrix of a formulation with k lines, with ρ as given or by default; none if Λ_T cannot be eliminated. What has no
/// free unknowns, as the matrix of Stewart and Trinkle, is the same in both forms.
///
/// # Errors
/// If the formulation has no such matrix, or ρ is out of range.
pub fn lead_matrix(
    problem: &ContactProblem,
    formulation: Formulation,
    lines: usize,
    rho: impl Into<Rho>,
    form: Form,
) -> Result<Option<DMatrix<f64>>, Error> {
    let (encoding, model) = solver(formulation, lines, rho)?.encoding(problem)?;
    let mixed = encoding.mixed(model.as_ref().unwrap_or(problem))?;
    if form == Form::Mixed {
        return Ok(Some(dense(mixed.m())));
    }
    Ok(eliminate_free(&mixed)?.map(|e| dense(e.lcp.m())))
}

fn dense(m: &Matrix) -> DMatrix<f64> {
    DMatrix::from_row_slice(m.rows(), m.cols(), m.as_slice())
}

/// What the singular values of a matrix say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// Rows.
    pub size: usize,
    /// Singular values above the tolerance.
    pub rank: usize,
    /// The largest singular value over the smallest; infinite where the rank is not full.
    pub condition: f64,
    /// The smallest singular value that counts, over the largest.
    pub counted: f64,
    /// The largest that does not, over the largest; 0 if all count.
    pub neglected: f64,
}

impl Lead {
    /// Of a matrix. Cost: its singular values.
    pub fn of(matrix: &DMatrix<f64>) -> Self {
        let mut sigma: Vec<f64> = matrix.singular_values().iter().copied().collect();
        sigma.sort_by(|a, b| b.total_cmp(a));
        let size = sigma.len();
        let largest = sigma.first().copied().unwrap_or(0.0);
        let rank = sigma.iter().filter(|s| **s > RANK * largest).count();
        let share = |i: usize| sigma.get(i).map_or(0.0, |s| s / largest);
        let counted = if rank == 0 { 0.0 } else { share(rank - 1) };
        let condition = if rank == size { counted.recip() } else { f64::INFINITY };
        Self { size, rank, condition, counted, neglected: share(rank) }
    }

    /// Whether all singular values count.
    pub fn is_full(&self) -> bool {
        self.rank == self.size
    }
}
