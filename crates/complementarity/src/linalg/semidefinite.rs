//! Whether a matrix is monotone, as far as rounding lets it be told: a choice, not a proof.

use crate::Matrix;
use crate::tolerance::DEFINITE_PIVOT;

/// Whether (M + Mᵀ)/2, scaled to a diagonal of ones, has a Cholesky factor up to rounding. Costs n³/3.
pub(crate) fn is_semidefinite(m: &Matrix) -> bool {
    let n = m.rows();
    let scale: Vec<f64> =
        (0..n).map(|i| if m[(i, i)] > 0.0 { m[(i, i)].sqrt().recip() } else { 1.0 }).collect();
    let mut s = Matrix::from_fn(n, n, |i, j| 0.5 * (m[(i, j)] + m[(j, i)]) * scale[i] * scale[j]);
    for k in 0..n {
        let pivot = s[(k, k)];
        if pivot <= DEFINITE_PIVOT {
            // Negated so that a NaN is refused.
            if !(pivot >= -DEFINITE_PIVOT
                && (k + 1..n).all(|i| s[(i, k)].abs() <= DEFINITE_PIVOT.sqrt()))
            {
                return false;
            }
            continue;
        }
        let column: Vec<f64> = (k + 1..n).map(|i| s[(i, k)]).collect();
        for (i, &l) in column.iter().enumerate() {
            crate::matrix::axpy(-l / pivot, &column[..=i], &mut s.row_mut(k + 1 + i)[k + 1..]);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gram_matrices_with_a_skew_part_are_monotone_and_others_are_not() {
        let gram = Matrix::from_rows(&[[4.0, 3.0, 2.0], [1.0, 1.0, 1.5], [2.0, 0.5, 1.0]]).unwrap();
        assert!(is_semidefinite(&gram));
        assert!(is_semidefinite(&Matrix::zeros(3, 3)));
        let mut indefinite = gram.clone();
        indefinite[(2, 2)] = 0.9;
        assert!(!is_semidefinite(&indefinite));
        assert!(!is_semidefinite(&Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]).unwrap()));
    }
}
