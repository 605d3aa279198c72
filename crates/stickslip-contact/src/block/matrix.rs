//! Square matrices that are sparse by blocks: few small dense blocks per row of blocks.
//!
//! The Delassus matrix of contacts is of this form: two contacts share a block if they share a
//! body. Blocks of one row lie side by side in one array, in the order of their columns. Both
//! triangles are stored, and the pattern is symmetric: where a block has no mirror image, that is
//! stored as zeros. The entries need not be symmetric; [`BlockMatrix::asymmetry`] says how far they are.

mod fill;

pub use fill::{BlockEntry, BlockList};

use super::pair_asymmetry;
use complementarity::Matrix;

/// A square matrix of blocks. Storage is proportional to the blocks that are not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix {
    /// First scalar row of each block row, and the number of rows at the end.
    offsets: Vec<usize>,
    /// First stored block of each block row, and the number of stored blocks at the end.
    starts: Vec<usize>,
    /// Block column of each stored block, ascending within a row.
    columns: Vec<usize>,
    /// Where the entries of each stored block begin, and the number of entries at the end.
    places: Vec<usize>,
    /// Which stored block is the diagonal one of each row.
    diagonals: Vec<usize>,
    values: Vec<f64>,
    /// The size that all blocks have, or 0.
    uniform: usize,
    asymmetry: f64,
}

impl Default for BlockMatrix {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            starts: vec![0],
            columns: Vec::new(),
            places: vec![0],
            diagonals: Vec::new(),
            values: Vec::new(),
            uniform: 0,
            asymmetry: 0.0,
        }
    }
}

impl BlockMatrix {
    /// How far the matrix is from symmetric: the largest |w_rc − w_cr|, relative to √(w_rr w_cc) or to the entries
    /// themselves where these are larger. Kept; it costs nothing to ask.
    #[must_use]
    pub fn asymmetry(&self) -> f64 {
        self.asymmetry
    }

    fn largest_asymmetry(&self) -> f64 {
        let mut largest = 0.0_f64;
        for i in 0..self.len() {
            for (j, block) in self.row(i).take_while(|(j, _)| *j <= i) {
                largest = largest.max(self.block_asymmetry(i, j, block, self.block(j, i)));
            }
        }
        largest
    }

    fn block_asymmetry(&self, i: usize, j: usize, block: &[f64], mirror: &[f64]) -> f64 {
        let (rows, cols) = (self.size(i), self.size(j));
        let mut largest = 0.0_f64;
        for r in 0..rows {
            for c in 0..cols {
                let pair = (block[r * cols + c], mirror[c * rows + r]);
                let own = (self.diagonal_entry(i, r), self.diagonal_entry(j, c));
                largest = largest.max(pair_asymmetry(pair, own));
            }
        }
        largest
    }

    fn diagonal_entry(&self, i: usize, r: usize) -> f64 {
        self.values[self.places[self.diagonals[i]] + r * (self.size(i) + 1)]
    }

    /// Number of rows of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.diagonals.len()
    }

    /// Whether there is no block at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diagonals.is_empty()
    }

    /// Number of scalar rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets[self.len()]
    }

    /// Number of stored blocks, of both triangles.
    #[must_use]
    pub fn stored_blocks(&self) -> usize {
        self.columns.len()
    }

    /// Rows of diagonal block `i`.
    #[must_use]
    pub fn size(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    /// Starts of the rows and columns of their blocks.
    pub(crate) fn pattern(&self) -> (&[usize], &[usize]) {
        (&self.starts, &self.columns)
    }

    /// The first scalar row of every block row, and the number of rows at the end.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// First scalar row of block row `i`.
    #[must_use]
    pub fn offset(&self, i: usize) -> usize {
        self.offsets[i]
    }

    /// The size that all diagonal blocks have, or 0 if they differ.
    #[must_use]
    pub fn uniform(&self) -> usize {
        self.uniform
    }

    /// The diagonal block `i`, row by row.
    #[must_use]
    pub fn diagonal(&self, i: usize) -> &[f64] {
        self.stored(self.diagonals[i])
    }

    /// The blocks of row `i` as (column, entries row by row), columns ascending.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let range = self.starts[i]..self.starts[i + 1];
        range.map(move |at| (self.columns[at], self.stored(at)))
    }

    /// Columns of the blocks of row `i`, ascending, and their entries in one array.
    #[inline]
    pub(crate) fn row_arrays(&self, i: usize) -> (&[usize], &[f64]) {
        let (first, end) = (self.starts[i], self.starts[i + 1]);
        (&self.columns[first..end], &self.values[self.places[first]..self.places[end]])
    }

    /// The stored entries of one row of W, as the first column of each block and its entries.
    pub(crate) fn scalar_row(&self, row: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let i = self.offsets.partition_point(|&o| o <= row) - 1;
        let local = row - self.offsets[i];
        self.row(i).map(move |(j, block)| {
            let m = self.size(j);
            (self.offsets[j], &block[local * m..(local + 1) * m])
        })
    }

    /// y = W x + b.
    pub fn multiply_add(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        y.copy_from_slice(b);
        for i in 0..self.len() {
            self.add_row(i, x, &mut y[self.offsets[i]..self.offsets[i + 1]]);
        }
    }

    /// y = |W| |x| + |b|: the size of the terms of W x + b.
    pub(crate) fn sizes(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        for i in 0..self.len() {
            let rows = self.offsets[i]..self.offsets[i + 1];
            let y = &mut y[rows.clone()];
            y.iter_mut().zip(&b[rows]).for_each(|(y, b)| *y = b.abs());
            for (j, block) in self.row(i) {
                let x = &x[self.offsets[j]..self.offsets[j + 1]];
                for (y, row) in y.iter_mut().zip(block.chunks_exact(x.len())) {
                    *y += row.iter().zip(x).map(|(a, b)| (a * b).abs()).sum::<f64>();
                }
            }
        }
    }

    /// y += Σ_j W_ij x_j, the rows of block i of the product. Cost: the blocks of one row.
    #[inline]
    pub(crate) fn add_row(&self, i: usize, x: &[f64], y: &mut [f64]) {
        if let (3, [y0, y1, y2]) = (self.uniform, &mut *y) {
            let (columns, entries) = self.row_arrays(i);
            let mut sum = [*y0, *y1, *y2];
            for (&j, a) in columns.iter().zip(entries.chunks_exact(9)) {
                let x = &x[3 * j..3 * j + 3];
                for (r, s) in sum.iter_mut().enumerate() {
                    *s += a[3 * r] * x[0] + a[3 * r + 1] * x[1] + a[3 * r + 2] * x[2];
                }
            }
            y.copy_from_slice(&sum);
            return;
        }
        for (j, block) in self.row(i) {
            let x = &x[self.offsets[j]..self.offsets[j + 1]];
            for (y, row) in y.iter_mut().zip(block.chunks_exact(x.len())) {
                *y += row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            }
        }
    }

    /// y += W_ji d for every block j that shares an entry with block i: what a change d of the
    /// unknowns of block i does to all rows. Cost: the blocks of one row, which are read in one stream if the matrix
    /// is symmetric to the last bit; else each is looked up.
    #[inline]
    pub(crate) fn add_column(&self, i: usize, d: &[f64], y: &mut [f64]) {
        let (columns, entries) = self.row_arrays(i);
        if self.asymmetry > 0.0 {
            for &j in columns {
                let y = &mut y[self.offsets[j]..self.offsets[j + 1]];
                for (y, row) in y.iter_mut().zip(self.block(j, i).chunks_exact(d.len().max(1))) {
                    *y += row.iter().zip(d).map(|(a, d)| a * d).sum::<f64>();
                }
            }
            return;
        }
        if let (3, &[d0, d1, d2]) = (self.uniform, d) {
            for (&j, a) in columns.iter().zip(entries.chunks_exact(9)) {
                let y = &mut y[3 * j..3 * j + 3];
                // The block (i, j), used by columns: it mirrors the block (j, i).
                y[0] += a[0] * d0 + a[3] * d1 + a[6] * d2;
                y[1] += a[1] * d0 + a[4] * d1 + a[7] * d2;
                y[2] += a[2] * d0 + a[5] * d1 + a[8] * d2;
            }
            return;
        }
        for (j, block) in self.row(i) {
            let y = &mut y[self.offsets[j]..self.offsets[j + 1]];
            for (row, d) in block.chunks_exact(y.len()).zip(d) {
                y.iter_mut().zip(row).for_each(|(y, a)| *y += a * d);
            }
        }
    }

    /// The block (i, j), row by row; empty if it is not stored. Cost: a search among the blocks of row i.
    #[must_use]
    pub fn block(&self, i: usize, j: usize) -> &[f64] {
        let first = self.starts[i];
        let row = &self.columns[first..self.starts[i + 1]];
        row.binary_search(&j).map_or(&[], |at| self.stored(first + at))
    }

    /// The block (j, i) of a block (i, j) that is stored, unless it is its mirror image to the last bit, as all are in
    /// a matrix that is symmetric.
    #[inline]
    pub(crate) fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        (self.asymmetry > 0.0).then(|| self.block(j, i))
    }

    fn stored(&self, at: usize) -> &[f64] {
        &self.values[self.places[at]..self.places[at + 1]]
    }

    /// Multiplies the entries on the diagonal by a factor.
    pub fn scale_diagonal(&mut self, factor: f64) {
        for i in 0..self.len() {
            let (n, at) = (self.size(i), self.places[self.diagonals[i]]);
            (0..n).for_each(|r| self.values[at + r * (n + 1)] *= factor);
        }
        if self.asymmetry > 0.0 {
            self.asymmetry = self.largest_asymmetry();
        }
    }

    /// The whole matrix, dense. Cost: n².
    #[must_use]
    pub fn to_dense(&self) -> Matrix {
        let mut m = Matrix::zeros(self.rows(), self.rows());
        for i in 0..self.len() {
            for (j, block) in self.row(i) {
                for (r, row) in block.chunks_exact(self.size(j).max(1)).enumerate() {
                    let to = &mut m.row_mut(self.offsets[i] + r)[self.offsets[j]..];
                    to[..row.len()].copy_from_slice(row);
                }
            }
        }
        m
    }
}
