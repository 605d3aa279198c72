//! Arrays of NumPy as matrices and vectors of the library. The Python side has made them contiguous arrays of doubles.

use crate::error::{Raise, misuse};
use complementarity::{Error, Matrix, SparseMatrix};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A matrix with all its entries, or the entries of a sparse one: rows, columns, row, column and value of each.
#[derive(FromPyObject)]
pub(crate) enum MatrixLike<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(SparseParts<'py>),
}

type SparseParts<'py> = (
    usize,
    usize,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
);

/// The largest matrix that is filled with zeros, in entries: 800 MB. More would end the process where there is no memory for it.
const MOST_ENTRIES: usize = 100_000_000;

/// Refuses to fill so large a matrix with zeros; the message ends with what would help.
pub(crate) fn check_filled(rows: usize, cols: usize, cure: &str) -> PyResult<()> {
    if rows.checked_mul(cols).is_some_and(|entries| entries <= MOST_ENTRIES) {
        return Ok(());
    }
    let most = MOST_ENTRIES.isqrt();
    Err(misuse(format!(
        "a matrix of {rows} x {cols} with all its entries is too large; it may have as many as {most} x {most} has{cure}"
    )))
}

impl MatrixLike<'_> {
    /// With all entries.
    pub(crate) fn dense(&self, cure: &str) -> PyResult<Matrix> {
        match self {
            Self::Dense(array) => {
                let [rows, cols] = [array.shape()[0], array.shape()[1]];
                Matrix::from_slice(rows, cols, slice(array.as_slice())?).raise()
            }
            Self::Sparse((rows, cols, ..)) => {
                check_filled(*rows, *cols, cure)?;
                Ok(self.sparse()?.to_dense())
            }
        }
    }

    /// Without those that are zero.
    pub(crate) fn sparse(&self) -> PyResult<SparseMatrix> {
        match self {
            Self::Dense(_) => Ok(SparseMatrix::from_dense(&self.dense("")?)),
            Self::Sparse((rows, cols, ..)) => {
                SparseMatrix::from_triplets(*rows, *cols, &self.triplets()?).raise()
            }
        }
    }

    /// Refuses a matrix that is not one of a problem with this q, before anything of its size is made.
    pub(crate) fn check_fits(&self, q: &[f64]) -> PyResult<()> {
        let [rows, cols] = match self {
            Self::Dense(array) => [array.shape()[0], array.shape()[1]],
            Self::Sparse((rows, cols, ..)) => [*rows, *cols],
        };
        if rows != cols {
            return Err(Error::NotSquare { rows, cols }).raise();
        }
        if rows != q.len() {
            let (what, expected, found) = ("q", rows, q.len());
            return Err(Error::SizeMismatch { what, expected, found }).raise();
        }
        Ok(())
    }

    pub(crate) fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// The entries of a sparse matrix.
    pub(crate) fn triplets(&self) -> PyResult<Vec<(usize, usize, f64)>> {
        let Self::Sparse((_, _, i, j, values)) = self else { return Ok(Vec::new()) };
        let (i, j, values) =
            (slice(i.as_slice())?, slice(j.as_slice())?, slice(values.as_slice())?);
        let index = |k: &i64| {
            usize::try_from(*k)
                .map_err(|_| misuse(format!("the index {k} of an entry is negative")))
        };
        let all = i.iter().zip(j).zip(values);
        all.map(|((i, j), v)| Ok((index(i)?, index(j)?, *v))).collect()
    }
}

/// A number that Python gives for something.
pub(crate) fn number(value: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    value.extract().map_err(|_| misuse(format!("{what} is {value:?}; it must be a number")))
}

/// The numbers of a vector.
pub(crate) fn vector(array: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
    Ok(slice(array.as_slice())?.to_vec())
}

fn slice<T, E>(slice: Result<&[T], E>) -> PyResult<&[T]> {
    slice.map_err(|_| misuse("an array is not contiguous; numpy.ascontiguousarray makes it so"))
}
