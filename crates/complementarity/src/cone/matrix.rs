//! Symmetric matrices that are sparse by blocks: few small dense blocks per row of blocks.
//!
//! The Delassus matrix of contacts is of this form: two contacts share a block if they share a
//! body. Blocks of one row lie side by side in one array, in the order of their columns, and both
//! triangles are stored, so that a row (or, by symmetry, a column) is read in one stream.

use crate::problem::check_finite;
use crate::{Error, Matrix};

/// A symmetric matrix of blocks. Storage is proportional to the blocks that are not zero.
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
}

/// A block as row and column of blocks, and its entries row by row.
pub type BlockEntry = (usize, usize, Vec<f64>);

/// How far two entries that mirror each other may differ, relative to their diagonal entries.
const ASYMMETRY: f64 = 1e-9;

impl BlockMatrix {
    /// Puts blocks together. `sizes` are the sizes of the diagonal blocks. A block (i, j) stands for
    /// its mirror (j, i) too, so only one of them is to be given; what is given twice, in either
    /// form, is summed. Cost: a sort of the blocks.
    ///
    /// # Errors
    /// If a block lies outside, has the wrong number of entries or one that is not finite, or if a
    /// diagonal block is not symmetric.
    pub fn from_blocks(sizes: &[usize], blocks: Vec<BlockEntry>) -> Result<Self, Error> {
        let k = sizes.len();
        let mut all: Vec<BlockEntry> = Vec::with_capacity(2 * blocks.len() + k);
        all.extend((0..k).map(|i| (i, i, vec![0.0; sizes[i] * sizes[i]])));
        for (i, j, entries) in blocks {
            let (Some(rows), Some(cols)) = (sizes.get(i), sizes.get(j)) else {
                return Err(Error::OutOfRange { row: i, col: j, rows: k, cols: k });
            };
            let expected = rows * cols;
            if entries.len() != expected {
                let found = entries.len();
                return Err(Error::SizeMismatch { what: "a block of the matrix", expected, found });
            }
            check_finite("a block of the matrix", &entries)?;
            if i != j {
                all.push((j, i, transposed(&entries, *rows, *cols)));
            }
            all.push((i, j, entries));
        }
        // Stable, so that sums have a fixed order.
        all.sort_by_key(|&(i, j, _)| (i, j));
        let mut matrix = Self::gathered(sizes, &all);
        matrix.symmetrise_diagonal()?;
        Ok(matrix)
    }

    /// The blocks of a dense matrix that are not zero. Cost: one pass over the matrix.
    ///
    /// # Errors
    /// If the sizes do not sum to the size of the matrix, which must be square and symmetric.
    pub fn from_dense(sizes: &[usize], m: &Matrix) -> Result<Self, Error> {
        let n: usize = sizes.iter().sum();
        if m.rows() != m.cols() {
            return Err(Error::NotSquare { rows: m.rows(), cols: m.cols() });
        }
        if m.rows() != n {
            let what = "the matrix, by the sizes of its blocks,";
            return Err(Error::SizeMismatch { what, expected: n, found: m.rows() });
        }
        let offsets = running_sum(sizes);
        let mut blocks = Vec::new();
        for i in 0..sizes.len() {
            for j in 0..sizes.len() {
                let columns = offsets[j]..offsets[j + 1];
                let rows = offsets[i]..offsets[i + 1];
                let entries: Vec<f64> =
                    rows.flat_map(|r| m.row(r)[columns.clone()].iter().copied()).collect();
                if entries.iter().any(|x| *x != 0.0) {
                    blocks.push((i, j, entries));
                }
            }
        }
        Self::from_full(sizes, blocks)
    }

    /// From entries (row, column, value) of the whole matrix; what is given twice is summed, and both
    /// triangles have to be there.
    ///
    /// # Errors
    /// As [`BlockMatrix::from_blocks`].
    pub fn from_triplets(
        sizes: &[usize],
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, Error> {
        let offsets = running_sum(sizes);
        let n = offsets[sizes.len()];
        let block_of = |row: usize| offsets.partition_point(|&o| o <= row) - 1;
        let mut sorted = Vec::new();
        for (row, col, value) in entries {
            if row >= n || col >= n {
                return Err(Error::OutOfRange { row, col, rows: n, cols: n });
            }
            if !value.is_finite() {
                return Err(Error::EntryNotFinite { row, col, value });
            }
            sorted.push((block_of(row), block_of(col), row, col, value));
        }
        sorted.sort_by_key(|e| (e.0, e.1, e.2, e.3));
        let mut blocks: Vec<BlockEntry> = Vec::new();
        for (i, j, row, col, value) in sorted {
            if blocks.last().is_none_or(|b| (b.0, b.1) != (i, j)) {
                blocks.push((i, j, vec![0.0; sizes[i] * sizes[j]]));
            }
            if let Some((_, _, block)) = blocks.last_mut() {
                block[(row - offsets[i]) * sizes[j] + col - offsets[j]] += value;
            }
        }
        Self::from_full(sizes, blocks)
    }

    /// The mean of the two triangles, if they mirror each other up to rounding.
    fn from_full(sizes: &[usize], blocks: Vec<BlockEntry>) -> Result<Self, Error> {
        let share = |(i, j, entries): &BlockEntry| {
            let part = if i == j { 1.0 } else { 0.5 };
            (*i, *j, entries.iter().map(|x| part * x).collect())
        };
        let mean = Self::from_blocks(sizes, blocks.iter().map(share).collect())?;
        for (i, j, entries) in &blocks {
            let Some(at) = mean.find(*i, *j) else { continue };
            let cols = sizes[*j].max(1);
            for (e, (x, y)) in entries.iter().zip(mean.stored(at)).enumerate() {
                mean.check_mirror((*i, e / cols), (*j, e % cols), (*x, *y))?;
            }
        }
        Ok(mean)
    }

    fn gathered(sizes: &[usize], sorted: &[BlockEntry]) -> Self {
        let offsets = running_sum(sizes);
        let (mut starts, mut columns, mut places) = (vec![0], Vec::new(), vec![0]);
        let (mut diagonals, mut values) = (Vec::new(), Vec::<f64>::new());
        let mut last = None;
        for (i, j, entries) in sorted {
            while starts.len() <= *i {
                starts.push(columns.len());
            }
            if last == Some((*i, *j)) {
                let start = values.len() - entries.len();
                values[start..].iter_mut().zip(entries).for_each(|(v, e)| *v += e);
                continue;
            }
            last = Some((*i, *j));
            if i == j {
                diagonals.push(columns.len());
            }
            columns.push(*j);
            values.extend(entries);
            places.push(values.len());
        }
        while starts.len() <= sizes.len() {
            starts.push(columns.len());
        }
        let first = sizes.first().copied().unwrap_or(0);
        let uniform = if sizes.iter().all(|&s| s == first) { first } else { 0 };
        Self { offsets, starts, columns, places, diagonals, values, uniform }
    }

    /// Refuses a diagonal block that does not mirror itself; takes the mean of what differs by
    /// rounding.
    fn symmetrise_diagonal(&mut self) -> Result<(), Error> {
        for i in 0..self.len() {
            let (n, place) = (self.size(i), self.places[self.diagonals[i]]);
            for r in 0..n {
                for c in 0..r {
                    let (a, b) = (place + r * n + c, place + c * n + r);
                    let mean = 0.5 * self.values[a] + 0.5 * self.values[b];
                    self.check_mirror((i, r), (i, c), (self.values[a], mean))?;
                    self.values[a] = mean;
                    self.values[b] = mean;
                }
            }
        }
        Ok(())
    }

    /// Refuses an entry that is far from the mean of itself and its mirror.
    fn check_mirror(
        &self,
        (i, r): (usize, usize),
        (j, c): (usize, usize),
        (x, mean): (f64, f64),
    ) -> Result<(), Error> {
        let size = self.diagonal_entry(i, r).abs().sqrt() * self.diagonal_entry(j, c).abs().sqrt();
        if (x - mean).abs() <= ASYMMETRY * size.max(mean.abs()) {
            return Ok(());
        }
        Err(Error::NotSymmetric { row: self.offsets[i] + r, col: self.offsets[j] + c })
    }

    fn diagonal_entry(&self, i: usize, r: usize) -> f64 {
        self.values[self.places[self.diagonals[i]] + r * (self.size(i) + 1)]
    }

    /// Number of rows of blocks.
    pub fn len(&self) -> usize {
        self.diagonals.len()
    }

    /// Whether there is no block at all.
    pub fn is_empty(&self) -> bool {
        self.diagonals.is_empty()
    }

    /// Number of scalar rows.
    pub fn rows(&self) -> usize {
        self.offsets[self.len()]
    }

    /// Number of stored blocks, of both triangles.
    pub fn stored_blocks(&self) -> usize {
        self.columns.len()
    }

    /// Rows of diagonal block `i`.
    pub fn size(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    /// First scalar row of block row `i`.
    pub fn offset(&self, i: usize) -> usize {
        self.offsets[i]
    }

    /// The size that all diagonal blocks have, or 0 if they differ.
    pub fn uniform(&self) -> usize {
        self.uniform
    }

    /// The diagonal block `i`, row by row.
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

    /// y = W x + b.
    pub fn multiply_add(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        y.copy_from_slice(b);
        for i in 0..self.len() {
            self.add_row(i, x, &mut y[self.offsets[i]..self.offsets[i + 1]]);
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
    /// unknowns of block i does to all rows. Cost: the blocks of one row.
    #[inline]
    pub(crate) fn add_column(&self, i: usize, d: &[f64], y: &mut [f64]) {
        let (columns, entries) = self.row_arrays(i);
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

    fn find(&self, i: usize, j: usize) -> Option<usize> {
        let (first, end) = (self.starts[i], self.starts[i + 1]);
        self.columns[first..end].binary_search(&j).ok().map(|at| first + at)
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
    }

    /// The whole matrix, dense. Cost: n².
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

fn running_sum(sizes: &[usize]) -> Vec<usize> {
    let mut sum = vec![0];
    sum.extend(sizes.iter().scan(0, |s, n| {
        *s += n;
        Some(*s)
    }));
    sum
}

fn transposed(a: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    (0..cols).flat_map(|c| (0..rows).map(move |r| a[r * cols + c])).collect()
}
