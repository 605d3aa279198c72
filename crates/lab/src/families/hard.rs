//! Families in which nobody can promise a solution in reasonable time: for honesty, not for score.

use super::p_matrix::triangular_in_chains;
use super::semidefinite::complementary_pair;
use crate::Expected;
use crate::dense::{normal_matrix, permute};
use crate::instance::Plain;
use stickslip_studies::Draw;

/// A matrix of no class, built around a solution. To find one is NP-hard.
pub(super) fn planted(d: &mut Draw, n: usize) -> Plain {
    let m = normal_matrix(d, n, n);
    let (z, w) = complementary_pair(d, n, 0.0);
    Plain::planted(m, z, &w)
}

/// A triangular P-matrix in one chain, built around its only solution. Beyond 20 unknowns or so the
/// submatrices are worse conditioned than double precision can bear.
pub(super) fn triangular(d: &mut Draw, n: usize) -> Plain {
    triangular_in_chains(d, n, usize::MAX)
}

/// A matrix and a vector of no class.
pub(super) fn any(d: &mut Draw, n: usize) -> Plain {
    Plain::new(normal_matrix(d, n, n), d.normals(n), Expected::Unknown)
}

/// Feasible but without a solution: two pairs form [[0, a], [b, 0]] with q = (−1, 1), where
/// w₂ = b z₁ + 1 > 0 forces z₂ = 0 and then w₁ = −1. The others do not act on these two. A single
/// unknown gets 0·z − 1, which has no feasible point.
pub(super) fn feasible_unsolvable(d: &mut Draw, n: usize) -> Plain {
    let mut m = normal_matrix(d, n, n);
    let mut q = d.normals(n);
    let own = 2.min(n);
    for i in 0..own {
        m.row_mut(i).fill(0.0);
    }
    q[0] = -1.0;
    if own == 2 {
        m[(0, 1)] = d.between(0.5, 2.0);
        m[(1, 0)] = d.between(0.5, 2.0);
        q[1] = 1.0;
    }
    let (m, q) = permute(&d.permutation(n), &m, &q);
    Plain::new(m, q, Expected::Unsolvable)
}
