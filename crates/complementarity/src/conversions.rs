//! Matrices from and to nalgebra, with the feature `nalgebra`. Theirs are column-major, so entries are copied.

use crate::Matrix;
use nalgebra::DMatrix;

/// ```
/// use complementarity::Matrix;
/// use nalgebra::DMatrix;
///
/// let theirs = DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// let ours = Matrix::from(&theirs);
/// assert_eq!(ours.row(1), &[4.0, 5.0, 6.0]);
/// assert_eq!(DMatrix::from(&ours), theirs);
/// ```
impl From<&DMatrix<f64>> for Matrix {
    fn from(m: &DMatrix<f64>) -> Self {
        Self::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
    }
}

impl From<&Matrix> for DMatrix<f64> {
    fn from(m: &Matrix) -> Self {
        Self::from_row_slice(m.rows(), m.cols(), m.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_the_same_there_and_back_and_rows_stay_rows() {
        for (rows, cols) in [(0, 0), (1, 3), (3, 2), (2, 0)] {
            let ours = Matrix::from_fn(rows, cols, |i, j| (10 * i + j) as f64);
            let theirs = DMatrix::from(&ours);
            assert_eq!((theirs.nrows(), theirs.ncols()), (rows, cols));
            assert!((0..rows).all(|i| (0..cols).all(|j| theirs[(i, j)] == ours[(i, j)])));
            assert_eq!(Matrix::from(&theirs), ours);
        }
    }
}
