//! Dense and sparse matrices, as plain data.
//!
//! Row-major, because a complementarity problem is read row by row: w_i = M_i z + q_i.

use crate::Error;
use std::ops::{Index, IndexMut};

/// A dense matrix, row-major.
///
/// ```
/// use complementarity::Matrix;
///
/// let m = Matrix::from_rows(&[[2.0, 1.0], [0.0, 3.0]])?;
/// assert_eq!(m[(0, 1)], 1.0);
/// assert_eq!(m.row(1), &[0.0, 3.0]);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    #[must_use]
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// The identity.
    #[must_use]
    pub fn identity(n: usize) -> Self {
        let mut m = Self::zeros(n, n);
        for i in 0..n {
            m[(i, i)] = 1.0;
        }
        m
    }

    /// A matrix from its rows, which must all have the same length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, Error> {
        let cols = rows.first().map_or(0, |r| r.as_ref().len());
        let mut data = Vec::with_capacity(rows.len() * cols);
        for (row, entries) in rows.iter().enumerate() {
            let entries = entries.as_ref();
            if entries.len() != cols {
                return Err(Error::RaggedRows { row, expected: cols, found: entries.len() });
            }
            data.extend_from_slice(entries);
        }
        Ok(Self { rows: rows.len(), cols, data })
    }

    /// A matrix from its entries in row-major order.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<f64>) -> Result<Self, Error> {
        let expected = rows.saturating_mul(cols);
        if data.len() != expected {
            return Err(Error::SizeMismatch { what: "the matrix", expected, found: data.len() });
        }
        Ok(Self { rows, cols, data })
    }

    /// The same from a slice, which is copied.
    pub fn from_slice(rows: usize, cols: usize, entries: &[f64]) -> Result<Self, Error> {
        Self::from_vec(rows, cols, entries.to_vec())
    }

    /// A matrix whose entry (i, j) is `f(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut m = Self::zeros(rows, cols);
        for i in 0..rows {
            for j in 0..cols {
                m[(i, j)] = f(i, j);
            }
        }
        m
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    #[inline]
    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to write to.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All entries, row-major.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// All entries, row-major, to write to.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Shapes `self` as `rows` x `cols` with unspecified entries, keeping its storage.
    pub fn reshape(&mut self, rows: usize, cols: usize) {
        self.rows = rows;
        self.cols = cols;
        if self.data.len() != rows * cols {
            self.data.resize(rows * cols, 0.0);
        }
    }

    /// The transpose.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// `out = self · x`.
    ///
    /// # Panics
    /// If a length does not fit.
    pub fn mul_vec_into(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!((x.len(), out.len()), (self.cols, self.rows), "lengths of x and of the result");
        for (i, o) in out.iter_mut().enumerate() {
            *o = dot(self.row(i), x);
        }
    }

    /// `self · x`.
    #[must_use]
    pub fn mul_vec(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows];
        self.mul_vec_into(x, &mut out);
        out
    }

    /// The first entry that is NaN or infinite, as an error.
    pub fn check_finite(&self) -> Result<(), Error> {
        match self.data.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(k) => Err(Error::EntryNotFinite {
                row: k / self.cols,
                col: k % self.cols,
                value: self.data[k],
            }),
        }
    }
}

/// The entries in row-major order.
impl AsRef<[f64]> for Matrix {
    fn as_ref(&self) -> &[f64] {
        &self.data
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        assert!(j < self.cols, "column {j} of {}", self.cols);
        &self.data[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        assert!(j < self.cols, "column {j} of {}", self.cols);
        &mut self.data[i * self.cols + j]
    }
}

/// A sparse matrix in compressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    rows: usize,
    cols: usize,
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    /// The same entries by columns: for each, its row and its place in `values`.
    column_starts: Vec<usize>,
    by_column: Vec<(usize, usize)>,
}

impl SparseMatrix {
    /// A matrix from triplets (row, column, value) in any order; repeated places add up.
    pub fn from_triplets(
        rows: usize,
        cols: usize,
        triplets: &[(usize, usize, f64)],
    ) -> Result<Self, Error> {
        if let Some(&(row, col, _)) = triplets.iter().find(|t| t.0 >= rows || t.1 >= cols) {
            return Err(Error::OutOfRange { row, col, rows, cols });
        }
        let mut sorted: Vec<_> = triplets.to_vec();
        sorted.sort_by_key(|&(i, j, _)| (i, j));
        let mut m = Self { rows, cols, ..Self::default() };
        m.starts.push(0);
        let mut next = sorted.into_iter().peekable();
        for i in 0..rows {
            while let Some((_, j, v)) = next.next_if(|t| t.0 == i) {
                if m.columns.len() > m.starts[i] && m.columns.last() == Some(&j) {
                    let last = m.values.len() - 1;
                    m.values[last] += v;
                } else {
                    m.columns.push(j);
                    m.values.push(v);
                }
            }
            m.starts.push(m.columns.len());
        }
        m.index_columns();
        Ok(m)
    }

    /// The entries of a dense matrix that are not zero.
    #[must_use]
    pub fn from_dense(m: &Matrix) -> Self {
        let mut s = Self { rows: m.rows, cols: m.cols, ..Self::default() };
        s.starts.push(0);
        for i in 0..m.rows {
            for (j, &v) in m.row(i).iter().enumerate() {
                if v != 0.0 {
                    s.columns.push(j);
                    s.values.push(v);
                }
            }
            s.starts.push(s.columns.len());
        }
        s.index_columns();
        s
    }

    fn index_columns(&mut self) {
        self.column_starts = vec![0; self.cols + 1];
        for &j in &self.columns {
            self.column_starts[j + 1] += 1;
        }
        for j in 0..self.cols {
            self.column_starts[j + 1] += self.column_starts[j];
        }
        let mut next = self.column_starts.clone();
        self.by_column = vec![(0, 0); self.columns.len()];
        for i in 0..self.rows {
            for at in self.starts[i]..self.starts[i + 1] {
                let j = self.columns[at];
                self.by_column[next[j]] = (i, at);
                next[j] += 1;
            }
        }
    }

    /// The same matrix with all its zeros.
    #[must_use]
    pub fn to_dense(&self) -> Matrix {
        let mut m = Matrix::zeros(self.rows, self.cols);
        for i in 0..self.rows {
            for (j, v) in self.row(i) {
                m[(i, j)] = v;
            }
        }
        m
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The stored entries (column, value) of row `i`, by increasing column.
    #[inline]
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The stored entries (row, value) of column `j`, by increasing row.
    #[inline]
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.column_starts[j]..self.column_starts[j + 1];
        self.by_column[range].iter().map(|&(i, at)| (i, self.values[at]))
    }

    /// The first entry that is NaN or infinite, as an error.
    pub fn check_finite(&self) -> Result<(), Error> {
        for i in 0..self.rows {
            if let Some((col, value)) = self.row(i).find(|(_, v)| !v.is_finite()) {
                return Err(Error::EntryNotFinite { row: i, col, value });
            }
        }
        Ok(())
    }
}

/// xᵀy, summed in four lanes so that the compiler can use vector registers; the order is fixed.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    let (x, y) = (&x[..n], &y[..n]);
    let mut lanes = [0.0; 4];
    let (xc, yc) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail: f64 = xc.remainder().iter().zip(yc.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xc.zip(yc) {
        for l in 0..4 {
            lanes[l] += a[l] * b[l];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + tail
}

/// y += a·x.
#[inline]
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_in_any_order_add_up_and_survive_the_way_to_dense_and_back() {
        let triplets = [(1, 2, 3.0), (0, 0, 1.0), (1, 2, 4.0), (1, 0, 5.0)];
        let s = SparseMatrix::from_triplets(3, 3, &triplets).unwrap();
        let dense = Matrix::from_rows(&[[1.0, 0.0, 0.0], [5.0, 0.0, 7.0], [0.0; 3]]).unwrap();
        assert_eq!(s.to_dense(), dense);
        assert_eq!(SparseMatrix::from_dense(&dense), s);
        assert_eq!(s.entries(), 3);
    }

    #[test]
    fn a_ragged_matrix_and_a_triplet_outside_are_refused() {
        assert!(matches!(
            Matrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]),
            Err(Error::RaggedRows { row: 1, expected: 1, found: 2 })
        ));
        assert!(SparseMatrix::from_triplets(2, 2, &[(2, 0, 1.0)]).is_err());
        assert!(Matrix::from_vec(usize::MAX, 2, vec![]).is_err());
    }

    #[test]
    fn dot_agrees_with_the_plain_sum_for_every_length() {
        for n in 0..13 {
            let x: Vec<f64> = (0..n).map(|i| i as f64 + 0.5).collect();
            let plain: f64 = x.iter().map(|a| a * a).sum();
            assert_eq!(dot(&x, &x), plain);
        }
    }
}
