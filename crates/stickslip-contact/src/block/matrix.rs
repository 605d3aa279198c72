//! Symmetric matrices that are sparse by blocks: few small dense blocks per row of blocks.
//!
//! The Delassus matrix of contacts is of this form: two contacts share a block if they share a
//! body. Blocks of one row lie side by side in one array, in the order of their columns, and both
//! triangles are stored, so that a row (or, by symmetry, a column) is read in one stream.

use crate::Error;
use crate::error::check_finite;
use complementarity::Matrix;

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

/// Blocks for [`BlockMatrix::refill`], on storage that is kept.
#[derive(Clone, Debug, Default)]
pub struct BlockList {
    /// Row and column of blocks, and the first of the entries.
    places: Vec<(usize, usize, usize)>,
    values: Vec<f64>,
    /// Row, column, and 0 for an empty block on the diagonal, 2 n + 1 for block n mirrored, 2 n + 2 for block n.
    order: Vec<(usize, usize, usize)>,
}

impl BlockList {
    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
    }

    /// Adds a block, its entries row by row; what is added twice, in either triangle, is summed.
    pub fn push(&mut self, i: usize, j: usize, entries: impl IntoIterator<Item = f64>) {
        self.places.push((i, j, self.values.len()));
        self.values.extend(entries);
    }
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
        }
    }
}

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
        let mut list = BlockList::default();
        blocks.iter().for_each(|(i, j, entries)| list.push(*i, *j, entries.iter().copied()));
        let mut matrix = Self::default();
        matrix.refill(sizes, &mut list)?;
        Ok(matrix)
    }

    /// [`from_blocks`](Self::from_blocks) on the storage of this matrix: allocates nothing if it has been as large before. After
    /// an error the entries are unspecified.
    ///
    /// # Errors
    /// As [`from_blocks`](Self::from_blocks).
    pub fn refill(&mut self, sizes: &[usize], list: &mut BlockList) -> Result<(), Error> {
        let k = sizes.len();
        list.order.clear();
        list.order.extend((0..k).map(|i| (i, i, 0)));
        for (n, &(i, j, start)) in list.places.iter().enumerate() {
            let (Some(rows), Some(cols)) = (sizes.get(i), sizes.get(j)) else {
                return Err(Error::OutOfRange { row: i, col: j, size: k });
            };
            let end = list.places.get(n + 1).map_or(list.values.len(), |next| next.2);
            let (expected, found) = (rows * cols, end - start);
            if found != expected {
                return Err(Error::Size { what: "a block of the matrix", expected, found });
            }
            check_finite("a block of the matrix", &list.values[start..end])?;
            if i != j {
                list.order.push((j, i, 2 * n + 1));
            }
            list.order.push((i, j, 2 * n + 2));
        }
        // By number last, so that sums have a fixed order.
        list.order.sort_unstable();
        self.gather(sizes, list);
        self.symmetrise_diagonal()
    }

    /// Becomes a copy of another one, on the storage that it has.
    pub fn assign(&mut self, other: &Self) {
        let Self { offsets, starts, columns, places, diagonals, values, uniform } = other;
        self.offsets.clone_from(offsets);
        self.starts.clone_from(starts);
        self.columns.clone_from(columns);
        self.places.clone_from(places);
        self.diagonals.clone_from(diagonals);
        self.values.clone_from(values);
        self.uniform = *uniform;
    }

    /// The blocks of a dense matrix that are not zero. Cost: one pass over the matrix.
    ///
    /// # Errors
    /// If the sizes do not sum to the size of the matrix, which must be square and symmetric.
    pub fn from_dense(sizes: &[usize], m: &Matrix) -> Result<Self, Error> {
        let mut matrix = Self::default();
        matrix.refill_dense(sizes, m, &mut BlockList::default())?;
        Ok(matrix)
    }

    /// [`from_dense`](Self::from_dense) on the storage of this matrix and of a list of blocks, as [`refill`](Self::refill).
    ///
    /// # Errors
    /// As [`from_dense`](Self::from_dense).
    pub fn refill_dense(
        &mut self,
        sizes: &[usize],
        m: &Matrix,
        list: &mut BlockList,
    ) -> Result<(), Error> {
        let n: usize = sizes.iter().sum();
        if m.rows() != m.cols() {
            let (what, expected, found) = ("a row of the matrix", m.rows(), m.cols());
            return Err(Error::Size { what, expected, found });
        }
        if m.rows() != n {
            let what = "the matrix, by the sizes of its blocks,";
            return Err(Error::Size { what, expected: n, found: m.rows() });
        }
        list.clear();
        self.set_offsets(sizes);
        for i in 0..sizes.len() {
            for j in 0..sizes.len() {
                let (rows, columns) = (self.range(i), self.range(j));
                let block = || rows.clone().flat_map(|r| m.row(r)[columns.clone()].iter());
                if block().any(|x| *x != 0.0) {
                    let part = if i == j { 1.0 } else { 0.5 };
                    list.push(i, j, block().map(|x| part * x));
                }
            }
        }
        self.refill(sizes, list)?;
        for &(i, j, _) in &list.places {
            let Some(at) = self.find(i, j) else { continue };
            let (cols, stored) = (sizes[j].max(1), self.stored(at));
            for (e, mean) in stored.iter().enumerate() {
                let (r, c) = (e / cols, e % cols);
                let x = m.row(self.offsets[i] + r)[self.offsets[j] + c];
                self.check_mirror((i, r), (j, c), (x, *mean))?;
            }
        }
        Ok(())
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
                return Err(Error::OutOfRange { row, col, size: n });
            }
            if !value.is_finite() {
                let place = format!("entry ({row}, {col}) of the matrix");
                return Err(Error::Range { place, value, requirement: "a finite number" });
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

    fn set_offsets(&mut self, sizes: &[usize]) {
        self.offsets.clear();
        self.offsets.push(0);
        self.offsets.extend(sizes.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        }));
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i]..self.offsets[i + 1]
    }

    /// Puts the blocks in the order of the list side by side, and sums those of one place.
    fn gather(&mut self, sizes: &[usize], list: &BlockList) {
        self.set_offsets(sizes);
        for store in [&mut self.starts, &mut self.columns, &mut self.places, &mut self.diagonals] {
            store.clear();
        }
        self.values.clear();
        self.starts.push(0);
        self.places.push(0);
        let mut last = None;
        for &(i, j, n) in &list.order {
            while self.starts.len() <= i {
                self.starts.push(self.columns.len());
            }
            if last != Some((i, j)) {
                last = Some((i, j));
                if i == j {
                    self.diagonals.push(self.columns.len());
                }
                self.columns.push(j);
                self.values.resize(self.values.len() + sizes[i] * sizes[j], 0.0);
                self.places.push(self.values.len());
            }
            let Some(block) = n.checked_sub(1) else { continue };
            let (start, mirrored) = (list.places[block / 2].2, block % 2 == 0);
            let (rows, cols) = (sizes[i], sizes[j]);
            let at = self.values.len() - rows * cols;
            for (e, v) in self.values[at..].iter_mut().enumerate() {
                let from = if mirrored { (e % cols) * rows + e / cols } else { e };
                *v += list.values[start + from];
            }
        }
        while self.starts.len() <= sizes.len() {
            self.starts.push(self.columns.len());
        }
        let first = sizes.first().copied().unwrap_or(0);
        self.uniform = if sizes.iter().all(|&s| s == first) { first } else { 0 };
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
        let (row, col) = (self.offsets[i] + r, self.offsets[j] + c);
        Err(Error::NotSymmetric { row, col, value: x, mirrored: 2.0 * mean - x })
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

    /// Starts of the rows and columns of their blocks.
    pub(crate) fn pattern(&self) -> (&[usize], &[usize]) {
        (&self.starts, &self.columns)
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
