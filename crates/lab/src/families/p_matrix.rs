//! P-matrices that are not symmetric: exactly one solution for every q (CPS theorem 3.3.7).

use super::semidefinite::complementary_pair;
use crate::Expected;
use crate::dense::product;
use crate::instance::Plain;
use complementarity::Matrix;
use stickslip_studies::Draw;

/// Triangular with a positive diagonal, so every principal minor is a product of positive numbers;
/// entries below it up to 30 times as large, in chains of six unknowns. Permuted or not.
pub(super) fn triangular(d: &mut Draw, n: usize) -> Plain {
    triangular_in_chains(d, n, 6)
}

/// The same with chains of `length` unknowns: inverses grow by a factor of about 10 per link.
pub(super) fn triangular_in_chains(d: &mut Draw, n: usize, length: usize) -> Plain {
    let mut m = Matrix::zeros(n, n);
    for i in 0..n {
        m[(i, i)] = d.between(0.5, 2.0);
        let before = i % length;
        for _ in 0..6.min(before) {
            m[(i, i - before + d.index(before))] = 10.0 * d.normal();
        }
    }
    let p = if d.chance(0.5) { d.permutation(n) } else { (0..n).collect() };
    let m = Matrix::from_fn(n, n, |i, j| m[(p[i], p[j])]);
    let (z, w) = complementary_pair(d, n, 0.0);
    Plain::planted(m, z, &w)
}

/// Murty's matrix, on which the least-index method and Lemke's take 2ⁿ steps: ones on the
/// diagonal, twos below it, q = −1.
pub(super) fn murty(_: &mut Draw, n: usize) -> Plain {
    Plain::new(murty_matrix(n), vec![-1.0; n], Expected::Solvable)
}

/// Fathi's matrix, the positive definite one with the same fate: LLᵀ of Murty's.
pub(super) fn fathi(_: &mut Draw, n: usize) -> Plain {
    let l = murty_matrix(n);
    Plain::new(product(&l, &l.transposed()), vec![-1.0; n], Expected::Solvable)
}

fn murty_matrix(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 2.0,
    })
}

/// Off-diagonal entries ≤ 0 and a dominant diagonal: a non-singular M-matrix, thus P.
pub(super) fn m_matrix(d: &mut Draw, n: usize) -> Plain {
    let m = dominant(d, n, |d| -d.unit());
    Plain::new(m, d.normals(n), Expected::Solvable)
}

/// Any signs and a dominant positive diagonal: an H-matrix with positive diagonal, thus P.
pub(super) fn h_matrix(d: &mut Draw, n: usize) -> Plain {
    let m = dominant(d, n, Draw::normal);
    Plain::new(m, d.normals(n), Expected::Solvable)
}

/// Entries from `entry`, a third of them not zero, and a diagonal just above the sum of the sizes
/// of its row.
fn dominant(d: &mut Draw, n: usize, entry: fn(&mut Draw) -> f64) -> Matrix {
    let mut m = Matrix::zeros(n, n);
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..n {
            if i != j && d.chance(0.3) {
                let v = entry(d);
                m[(i, j)] = v;
                sum += v.abs();
            }
        }
        m[(i, i)] = 1.01 * sum + 0.01;
    }
    m
}
