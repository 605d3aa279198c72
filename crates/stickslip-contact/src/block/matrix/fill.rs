//! How a matrix of blocks is put together: from one triangle, from both, from entries, from a dense matrix.

use super::BlockMatrix;
use crate::Error;
use crate::block::{BOTH_TRIANGLES_ALIKE, pair_asymmetry};
use complementarity::Matrix;

/// A block as row and column of blocks, and its entries row by row.
pub type BlockEntry = (usize, usize, Vec<f64>);

/// Blocks for [`BlockMatrix::refill_one_triangle`] and [`BlockMatrix::refill_both_triangles`], on storage that is kept.
#[derive(Clone, Debug, Default)]
pub struct BlockList {
    /// Row and column of blocks, and the first of the entries.
    places: Vec<(usize, usize, usize)>,
    values: Vec<f64>,
    /// Row, column, and 0 for a block of zeros, 2 n + 1 for block n mirrored, 2 n + 2 for block n.
    order: Vec<(usize, usize, usize)>,
    /// Of the sort: the order before, and where each column or row begins.
    unsorted: Vec<(usize, usize, usize)>,
    begins: Vec<usize>,
    last: Pattern,
}

/// Which blocks the last list had, what matrix it made, and where each of its blocks went: from step to step contacts mostly stay.
#[derive(Clone, Debug, Default)]
struct Pattern {
    given: Given,
    sizes: Vec<usize>,
    listed: Vec<(usize, usize, usize)>,
    entries: usize,
    offsets: Vec<usize>,
    starts: Vec<usize>,
    columns: Vec<usize>,
    /// Where the entries of each listed block begin in the matrix, and those of its mirror image if it has one.
    targets: Vec<(usize, Option<usize>)>,
    /// Whether every block of the matrix is that of one listed block, or of its mirror image.
    single: bool,
}

impl BlockList {
    /// Forgets all blocks.
    pub fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
    }

    /// Adds a block, its entries row by row; what is added twice is summed.
    pub fn push(&mut self, i: usize, j: usize, entries: impl IntoIterator<Item = f64>) {
        self.places.push((i, j, self.values.len()));
        self.values.extend(entries);
    }

    /// Adds a block of so many zeros, and gives it to be filled.
    #[inline]
    pub fn push_zeros(&mut self, i: usize, j: usize, entries: usize) -> &mut [f64] {
        let start = self.values.len();
        self.places.push((i, j, start));
        self.values.resize(start + entries, 0.0);
        &mut self.values[start..]
    }

    fn check_finite(&self) -> Result<(), Error> {
        // Without a branch per entry.
        if self.values.iter().fold(true, |all, x| all & x.is_finite()) {
            return Ok(());
        }
        let Some(at) = self.values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
        let (i, j, start) = self.places[self.places.partition_point(|p| p.2 <= at) - 1];
        let place = format!("entry {} of block ({i}, {j}) of the matrix", at - start);
        Err(Error::Range { place, value: self.values[at], requirement: "a finite number" })
    }

    /// Puts the order by rows of blocks, and in each by columns. What is at one place stays in the order in which it was added, so
    /// that sums have a fixed order. Cost: proportional to the blocks and the rows.
    fn sort(&mut self, rows: usize) {
        let Self { order, unsorted, begins, .. } = self;
        count_into(order, unsorted, begins, rows, |place| place.1);
        count_into(unsorted, order, begins, rows, |place| place.0);
    }
}

/// Copies places in the order of a key below `keys`; those of one key stay in their order.
fn count_into(
    from: &[(usize, usize, usize)],
    to: &mut Vec<(usize, usize, usize)>,
    begins: &mut Vec<usize>,
    keys: usize,
    key: impl Fn(&(usize, usize, usize)) -> usize,
) {
    begins.clear();
    begins.resize(keys + 1, 0);
    from.iter().for_each(|place| begins[key(place) + 1] += 1);
    for k in 0..keys {
        begins[k + 1] += begins[k];
    }
    to.resize(from.len(), (0, 0, 0));
    for place in from {
        let next = &mut begins[key(place)];
        to[*next] = *place;
        *next += 1;
    }
}

/// Which blocks of a matrix a list holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Given {
    /// One of each pair (i, j) and (j, i), which stands for both.
    OneTriangle,
    /// All of them.
    #[default]
    BothTriangles,
}

impl BlockMatrix {
    /// A symmetric matrix from one triangle. `sizes` are the sizes of the diagonal blocks. A block (i, j) stands for
    /// its mirror image (j, i) too, so only one of them is to be given; what is given twice, in either
    /// form, is summed. Diagonal blocks are given whole; what differs in them by rounding is replaced by its mean. Cost:
    /// proportional to the blocks.
    ///
    /// # Errors
    /// If a block lies outside, has the wrong number of entries or one that is not finite, or if a
    /// diagonal block is not symmetric.
    pub fn from_one_triangle(sizes: &[usize], blocks: Vec<BlockEntry>) -> Result<Self, Error> {
        Self::from_list(sizes, &blocks, Given::OneTriangle)
    }

    /// Any matrix from all of its blocks: (i, j) and (j, i) are different blocks, and one that is not given is zero. What
    /// is given twice is summed, else entries are kept bit by bit. Cost: proportional to the blocks.
    ///
    /// # Errors
    /// If a block lies outside, has the wrong number of entries or one that is not finite.
    pub fn from_both_triangles(sizes: &[usize], blocks: Vec<BlockEntry>) -> Result<Self, Error> {
        Self::from_list(sizes, &blocks, Given::BothTriangles)
    }

    fn from_list(sizes: &[usize], blocks: &[BlockEntry], given: Given) -> Result<Self, Error> {
        let mut list = BlockList::default();
        blocks.iter().for_each(|(i, j, entries)| list.push(*i, *j, entries.iter().copied()));
        let mut matrix = Self::default();
        matrix.refill(sizes, &mut list, given)?;
        Ok(matrix)
    }

    /// [`from_one_triangle`](Self::from_one_triangle) on the storage of this matrix: allocates nothing if it has been as
    /// large before. After an error the entries are unspecified.
    ///
    /// # Errors
    /// As [`from_one_triangle`](Self::from_one_triangle).
    pub fn refill_one_triangle(
        &mut self,
        sizes: &[usize],
        list: &mut BlockList,
    ) -> Result<(), Error> {
        self.refill(sizes, list, Given::OneTriangle)
    }

    /// [`from_both_triangles`](Self::from_both_triangles) on the storage of this matrix, as
    /// [`refill_one_triangle`](Self::refill_one_triangle).
    ///
    /// # Errors
    /// As [`from_both_triangles`](Self::from_both_triangles).
    pub fn refill_both_triangles(
        &mut self,
        sizes: &[usize],
        list: &mut BlockList,
    ) -> Result<(), Error> {
        self.refill(sizes, list, Given::BothTriangles)
    }

    fn refill(&mut self, sizes: &[usize], list: &mut BlockList, given: Given) -> Result<(), Error> {
        if !self.has_pattern(sizes, list, given) {
            self.set_blocks(sizes, list, given)?;
        }
        list.check_finite()?;
        self.gather(list);
        if given == Given::OneTriangle {
            return self.symmetrise_diagonal();
        }
        self.asymmetry = self.largest_asymmetry();
        Ok(())
    }

    /// Whether the blocks go where those of the last list went, and this is the matrix that was made of that.
    fn has_pattern(&self, sizes: &[usize], list: &BlockList, given: Given) -> bool {
        let last = &list.last;
        !list.places.is_empty()
            && last.given == given
            && last.sizes == sizes
            && last.listed == list.places
            && last.entries == list.values.len()
            && (&last.offsets, &last.starts, &last.columns)
                == (&self.offsets, &self.starts, &self.columns)
    }

    /// Checks the blocks of a list, and sets which of them the matrix has and where they go.
    fn set_blocks(
        &mut self,
        sizes: &[usize],
        list: &mut BlockList,
        given: Given,
    ) -> Result<(), Error> {
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
            if i != j {
                list.order.push((j, i, if given == Given::OneTriangle { 2 * n + 1 } else { 0 }));
            }
            list.order.push((i, j, 2 * n + 2));
        }
        list.sort(k);
        self.set_pattern(sizes, list);
        self.set_targets(list);
        let last = &mut list.last;
        last.given = given;
        last.sizes.clear();
        last.sizes.extend_from_slice(sizes);
        last.listed.clone_from(&list.places);
        last.entries = list.values.len();
        last.offsets.clone_from(&self.offsets);
        last.starts.clone_from(&self.starts);
        last.columns.clone_from(&self.columns);
        Ok(())
    }

    /// Becomes a copy of another one, on the storage that it has.
    pub fn assign(&mut self, other: &Self) {
        let Self { offsets, starts, columns, places, diagonals, values, uniform, asymmetry } =
            other;
        self.offsets.clone_from(offsets);
        self.starts.clone_from(starts);
        self.columns.clone_from(columns);
        self.places.clone_from(places);
        self.diagonals.clone_from(diagonals);
        self.values.clone_from(values);
        self.uniform = *uniform;
        self.asymmetry = *asymmetry;
    }

    /// The blocks of a dense matrix that are not zero, as they are. Cost: one pass over the matrix.
    ///
    /// # Errors
    /// If the sizes do not sum to the size of the matrix, which must be square, or a number is not finite.
    pub fn from_dense(sizes: &[usize], m: &Matrix) -> Result<Self, Error> {
        let mut matrix = Self::default();
        matrix.refill_dense(sizes, m, &mut BlockList::default())?;
        Ok(matrix)
    }

    /// [`from_dense`](Self::from_dense) on the storage of this matrix and of a list of blocks, as
    /// [`refill_both_triangles`](Self::refill_both_triangles).
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
                    list.push(i, j, block().copied());
                }
            }
        }
        self.refill_both_triangles(sizes, list)
    }

    /// From entries (row, column, value) of both triangles; what is given twice is summed, else entries are kept bit by
    /// bit.
    ///
    /// # Errors
    /// If an entry lies outside or is not finite.
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
        Self::from_both_triangles(sizes, blocks)
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

    /// Where each block of the list goes, and its mirror image.
    fn set_targets(&self, list: &mut BlockList) {
        let BlockList { order, places, last: Pattern { targets, single, .. }, .. } = list;
        targets.clear();
        targets.resize(places.len(), (0, None));
        let (mut at, mut last) = (0, None);
        let (mut parts, mut one_each) = (0, true);
        for &(i, j, n) in &*order {
            if last.is_some_and(|last| last != (i, j)) {
                one_each &= parts == 1;
                (at, parts) = (at + 1, 0);
            }
            last = Some((i, j));
            let Some(block) = n.checked_sub(1) else { continue };
            parts += 1;
            let target = &mut targets[block / 2];
            if block % 2 == 0 {
                target.1 = Some(self.places[at]);
            } else {
                target.0 = self.places[at];
            }
        }
        *single = one_each && parts == 1;
    }

    /// Puts the blocks of the list where they go, and sums those of one place.
    fn gather(&mut self, list: &BlockList) {
        if list.last.single {
            self.values.resize(self.places[self.columns.len()], 0.0);
            return self.place(list, |v, x| *v = x);
        }
        self.values.clear();
        self.values.resize(self.places[self.columns.len()], 0.0);
        self.place(list, |v, x| *v += x);
    }

    fn place(&mut self, list: &BlockList, put: impl Fn(&mut f64, f64)) {
        let ends = list.places.iter().skip(1).map(|p| p.2).chain([list.values.len()]);
        let blocks = list.places.iter().zip(ends).zip(&list.last.targets);
        for ((&(i, _, start), end), &(target, mirror)) in blocks {
            let from = &list.values[start..end];
            let to = &mut self.values[target..target + from.len()];
            match (<&mut [f64; 9]>::try_from(&mut *to), <&[f64; 9]>::try_from(from)) {
                (Ok(to), Ok(from)) => (0..9).for_each(|k| put(&mut to[k], from[k])),
                _ => to.iter_mut().zip(from).for_each(|(v, x)| put(v, *x)),
            }
            if let Some(mirror) = mirror {
                let rows = self.offsets[i + 1] - self.offsets[i];
                mirror_into(&mut self.values[mirror..mirror + from.len()], from, rows, &put);
            }
        }
    }

    /// Which blocks there are, and where their entries begin.
    fn set_pattern(&mut self, sizes: &[usize], list: &BlockList) {
        self.set_offsets(sizes);
        let first = sizes.first().copied().unwrap_or(0);
        self.uniform = if sizes.iter().all(|&s| s == first) { first } else { 0 };
        for store in [&mut self.starts, &mut self.columns, &mut self.places, &mut self.diagonals] {
            store.clear();
        }
        self.starts.push(0);
        self.places.push(0);
        let (mut end, mut last) = (0, None);
        for &(i, j, _) in
            list.order.iter().filter(|&&(i, j, _)| last.replace((i, j)) != Some((i, j)))
        {
            while self.starts.len() <= i {
                self.starts.push(self.columns.len());
            }
            if i == j {
                self.diagonals.push(self.columns.len());
            }
            self.columns.push(j);
            end += sizes[i] * sizes[j];
            self.places.push(end);
        }
        while self.starts.len() <= sizes.len() {
            self.starts.push(self.columns.len());
        }
    }

    /// Refuses a diagonal block that does not mirror itself; takes the mean of what differs by
    /// rounding. The whole matrix is then symmetric to the last bit.
    fn symmetrise_diagonal(&mut self) -> Result<(), Error> {
        self.asymmetry = 0.0;
        for i in 0..self.len() {
            let (n, place) = (self.size(i), self.places[self.diagonals[i]]);
            let block = &mut self.values[place..place + n * n];
            for r in 0..n {
                for c in 0..r {
                    let (a, b) = (block[r * n + c], block[c * n + r]);
                    // Most are the same to the last bit.
                    if a == b {
                        continue;
                    }
                    let asymmetry =
                        pair_asymmetry((a, b), (block[r * (n + 1)], block[c * (n + 1)]));
                    if !(asymmetry <= BOTH_TRIANGLES_ALIKE) {
                        let what = "a matrix of which one triangle is given (`from_both_triangles` keeps it as it is)";
                        return Err(Error::NotSymmetric { what, asymmetry });
                    }
                    let mean = 0.5 * a + 0.5 * b;
                    (block[r * n + c], block[c * n + r]) = (mean, mean);
                }
            }
        }
        Ok(())
    }
}

/// Puts the mirror image of a block into place; `to` has so many columns.
#[inline(always)]
fn mirror_into(to: &mut [f64], from: &[f64], cols: usize, put: impl Fn(&mut f64, f64)) {
    if let (Ok(to), Ok(from), 3) =
        (<&mut [f64; 9]>::try_from(&mut *to), <&[f64; 9]>::try_from(from), cols)
    {
        for r in 0..3 {
            (0..3).for_each(|c| put(&mut to[3 * r + c], from[3 * c + r]));
        }
        return;
    }
    let rows = to.len() / cols.max(1);
    for (r, row) in to.chunks_exact_mut(cols.max(1)).enumerate() {
        row.iter_mut().zip(from[r..].iter().step_by(rows)).for_each(|(v, x)| put(v, *x));
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
