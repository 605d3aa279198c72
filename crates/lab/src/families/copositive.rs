//! Copositive matrices that need not be P or semidefinite.

use crate::Expected;
use crate::dense::{add, normal_matrix, permute, put, skew, transposed_product};
use crate::instance::Plain;
use complementarity::Matrix;
use stickslip_studies::Draw;

/// A semidefinite block ⊕ a strictly copositive one of at most 50 unknowns, plus a skew part across
/// both, permuted.
///
/// Each block is copositive-plus, a direct sum of such is, and a skew part changes neither xᵀMx
/// nor M + Mᵀ. With a feasible q Lemke's method ends in a solution (Lemke 1965). How long its path is
/// nobody can promise: finding an equilibrium of a game of two persons is such a problem. So the
/// block that makes it hard is bounded; without a bound the family is among the hard ones.
pub(super) fn blocks(d: &mut Draw, n: usize) -> Plain {
    blocks_of(d, n, n.div_ceil(2).min(50))
}

/// The same with half of the unknowns in the strictly copositive block, however many.
pub(super) fn large_blocks(d: &mut Draw, n: usize) -> Plain {
    blocks_of(d, n, n.div_ceil(2))
}

fn blocks_of(d: &mut Draw, n: usize, second: usize) -> Plain {
    let first = n - second;
    let mut m = Matrix::zeros(n, n);
    let g = normal_matrix(d, (first / 2).max(1), first);
    put(&mut m, 0, 0, &transposed_product(&g, &g));
    put(&mut m, first, first, &nonnegative(d, second));
    add(&mut m, &skew(d, n, 0.5));
    let q = feasible(d, &m);
    let (m, q) = permute(&d.permutation(n), &m, &q);
    Plain::new(m, q, Expected::Solvable)
}

/// Non-negative with a positive diagonal, plus semidefinite, plus skew: strictly copositive, hence
/// solvable for every q (CPS theorem 3.8.5).
pub(super) fn strict(d: &mut Draw, n: usize) -> Plain {
    let mut m = nonnegative(d, n);
    let g = normal_matrix(d, (n / 3).max(1), n);
    let mut gram = transposed_product(&g, &g);
    for v in gram.as_mut_slice() {
        *v /= n as f64;
    }
    add(&mut m, &gram);
    add(&mut m, &skew(d, n, 0.5));
    Plain::new(m, d.normals(n), Expected::Solvable)
}

/// Symmetric, entries ≥ 0, diagonal positive and small beside the rest: strictly copositive and,
/// beyond size 1, as a rule neither semidefinite nor P.
fn nonnegative(d: &mut Draw, n: usize) -> Matrix {
    let mut m = Matrix::zeros(n, n);
    for i in 0..n {
        m[(i, i)] = d.between(0.1, 0.5);
        for j in 0..i {
            let v = if d.chance(0.5) { d.unit() } else { 0.0 };
            m[(i, j)] = v;
            m[(j, i)] = v;
        }
    }
    m
}

/// q = w0 − M z0 with z0, w0 ≥ 0 that need not be complementary.
fn feasible(d: &mut Draw, m: &Matrix) -> Vec<f64> {
    let z: Vec<f64> = (0..m.rows()).map(|_| d.unit()).collect();
    m.mul_vec(&z).iter().map(|mz| d.unit() - mz).collect()
}
