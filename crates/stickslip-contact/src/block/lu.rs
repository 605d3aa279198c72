//! LU of a block-sparse matrix with a symmetric pattern, front by front.

use super::dense::partial_lu;
use super::{BlockMatrix, FrontTree};

/// Where the factors of a front lie.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pivots: usize,
    rows: usize,
    /// First of its scalar indices in `indices`: those of the pivots, then those of the rows.
    index: usize,
    swap: usize,
    value: usize,
}

/// The factors, on storage that is kept.
#[derive(Clone, Debug, Default)]
pub struct BlockLu {
    places: Vec<Place>,
    indices: Vec<usize>,
    swaps: Vec<usize>,
    /// Per front its first rows, [L\U | U], and then the rows of L below, pivots wide.
    values: Vec<f64>,
    front: Vec<f64>,
    /// Schur complements that wait for their parents, and how many rows each has.
    waiting: Vec<f64>,
    waiting_fronts: Vec<usize>,
    /// Position in the present front of each node, and of the scalars of a child.
    position: Vec<usize>,
    child: Vec<usize>,
    work: Vec<f64>,
}

/// The matrix that is factorised, block by block. `to` begins at the first entry of a block, and its rows
/// are `stride` apart; blocks without entries are not asked for.
pub trait Blocks {
    /// The columns of row i, and for each what its block is made from.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])>;
    /// Adds the block (i, j).
    fn add(&self, i: usize, j: usize, made_from: &[f64], to: &mut [f64], stride: usize);
    /// What the block (j, i) is made from, if not from the mirror image of what row i gave for column j.
    fn unlike_mirror(&self, _i: usize, _j: usize) -> Option<&[f64]> {
        None
    }
    /// Adds the block (j, i), from what row i gave for column j.
    fn add_mirrored(&self, i: usize, j: usize, made_from: &[f64], to: &mut [f64], stride: usize);
}

impl Blocks for BlockMatrix {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        BlockMatrix::row(self, i)
    }

    fn add(&self, _: usize, j: usize, block: &[f64], to: &mut [f64], stride: usize) {
        for (to, row) in to.chunks_mut(stride).zip(block.chunks_exact(self.size(j))) {
            to.iter_mut().zip(row).for_each(|(to, x)| *to += x);
        }
    }

    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        BlockMatrix::unlike_mirror(self, i, j)
    }

    fn add_mirrored(&self, _: usize, j: usize, block: &[f64], to: &mut [f64], stride: usize) {
        for (r, row) in block.chunks_exact(self.size(j)).enumerate() {
            row.iter().enumerate().for_each(|(c, x)| to[c * stride + r] += x);
        }
    }
}

impl BlockLu {
    /// Factorises. `offsets` are the first scalar indices of the nodes, and the number of scalars at
    /// the end. False if a front is singular.
    pub fn factorise(&mut self, tree: &FrontTree, offsets: &[usize], blocks: &impl Blocks) -> bool {
        self.places.clear();
        self.indices.clear();
        self.swaps.clear();
        self.values.clear();
        self.waiting.clear();
        self.waiting_fronts.clear();
        self.position.clear();
        self.position.resize(offsets.len(), usize::MAX);
        for f in &tree.fronts {
            let index = self.indices.len();
            for &v in f.pivots.iter().chain(&f.rows) {
                self.position[v] = self.indices.len() - index;
                self.indices.extend(offsets[v]..offsets[v + 1]);
            }
            let m = self.indices.len() - index;
            let pivots = f.rows.first().map_or(m, |&v| self.position[v]);
            self.front.clear();
            self.front.resize(m * m, 0.0);
            for &i in &f.pivots {
                if offsets[i] < offsets[i + 1] {
                    self.assemble(i, (m, pivots), offsets, blocks);
                }
            }
            for _ in 0..f.children {
                self.add_child(tree, offsets, m);
            }
            let swap = self.swaps.len();
            self.swaps.resize(swap + pivots, 0);
            if !partial_lu(&mut self.front, m, pivots, &mut self.swaps[swap..]) {
                return false;
            }
            for &v in f.pivots.iter().chain(&f.rows) {
                self.position[v] = usize::MAX;
            }
            let place = Place { pivots, rows: m - pivots, index, swap, value: self.values.len() };
            self.keep(place);
        }
        true
    }

    /// Adds the blocks of row i and their mirror images, except those of nodes that have been eliminated
    /// in an earlier front. Pivots of one front meet from both sides, so each side adds its own block only.
    fn assemble(
        &mut self,
        i: usize,
        (m, pivots): (usize, usize),
        offsets: &[usize],
        blocks: &impl Blocks,
    ) {
        let row = self.position[i];
        for (j, block) in blocks.row(i) {
            let column = self.position[j];
            if column == usize::MAX || offsets[j] == offsets[j + 1] {
                continue;
            }
            blocks.add(i, j, block, &mut self.front[row * m + column..], m);
            if column >= pivots {
                let to = &mut self.front[column * m + row..];
                match blocks.unlike_mirror(i, j) {
                    Some(block) => blocks.add(j, i, block, to, m),
                    None => blocks.add_mirrored(i, j, block, to, m),
                }
            }
        }
    }

    /// Adds the Schur complement on top of the stack to the present front.
    fn add_child(&mut self, tree: &FrontTree, offsets: &[usize], m: usize) {
        let Some(child) = self.waiting_fronts.pop() else { return };
        let n = self.places[child].rows;
        let start = self.waiting.len() - n * n;
        self.child.clear();
        for &v in &tree.fronts[child].rows {
            let at = self.position[v];
            self.child.extend(at..at + offsets[v + 1] - offsets[v]);
        }
        for (row, &r) in self.waiting[start..].chunks_exact(n.max(1)).zip(&self.child) {
            let to = &mut self.front[r * m..(r + 1) * m];
            for (x, &c) in row.iter().zip(&self.child) {
                to[c] += x;
            }
        }
        self.waiting.truncate(start);
    }

    /// Stores the factors of the present front, and its Schur complement on the stack.
    fn keep(&mut self, place: Place) {
        let (p, m) = (place.pivots, place.pivots + place.rows);
        self.values.extend_from_slice(&self.front[..p * m]);
        for row in self.front[p * m..].chunks_exact(m.max(1)) {
            self.values.extend_from_slice(&row[..p]);
            self.waiting.extend_from_slice(&row[p..]);
        }
        self.waiting_fronts.push(self.places.len());
        self.places.push(place);
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        let widest = self.places.iter().map(|p| p.pivots + p.rows).max().unwrap_or(0);
        self.work.clear();
        self.work.resize(widest, 0.0);
        for p in &self.places {
            let (m, ids) = (p.pivots + p.rows, &self.indices[p.index..]);
            let work = &mut self.work[..p.pivots];
            work.iter_mut().zip(ids).for_each(|(w, &i)| *w = x[i]);
            for (k, &s) in self.swaps[p.swap..p.swap + p.pivots].iter().enumerate() {
                work.swap(k, s);
            }
            for k in 1..p.pivots {
                let row = &self.values[p.value + k * m..p.value + k * m + k];
                work[k] -= dot(row, &work[..k]);
            }
            work.iter().zip(ids).for_each(|(w, &i)| x[i] = *w);
            let below = &self.values[p.value + p.pivots * m..];
            for (r, row) in below.chunks_exact(p.pivots.max(1)).take(p.rows).enumerate() {
                x[ids[p.pivots + r]] -= dot(row, work);
            }
        }
        for p in self.places.iter().rev() {
            let (m, ids) = (p.pivots + p.rows, &self.indices[p.index..]);
            let work = &mut self.work[..m];
            work.iter_mut().zip(ids).for_each(|(w, &i)| *w = x[i]);
            for k in (0..p.pivots).rev() {
                let row = &self.values[p.value + k * m..p.value + (k + 1) * m];
                work[k] = (work[k] - dot(&row[k + 1..], &work[k + 1..])) / row[k];
                x[ids[k]] = work[k];
            }
        }
    }
}

/// a·b, in four sums that do not wait for each other.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for c in 0..4 {
            sums[c] += a[c] * b[c];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
