//! L Lᵀ of a symmetric positive definite block-sparse matrix, front by front: half of the work of LU, and half of its
//! storage.
//!
//! Only lower triangles are read and written: of a pair of blocks (i, j) and (j, i) the one that row i gives for the pivot
//! that goes first. What stands above the diagonal of a front is never read.

use super::dense::partial_llt;
use super::lu::dot;
use super::{Blocks, FrontTree};

/// Where the factors of a front lie.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pivots: usize,
    rows: usize,
    /// First of its scalar indices in `indices`: those of the pivots, then those of the rows.
    index: usize,
    value: usize,
}

/// The factors, on storage that is kept.
#[derive(Clone, Debug, Default)]
pub struct BlockLlt {
    places: Vec<Place>,
    indices: Vec<usize>,
    /// Per front the rows of L, pivots wide: those of the pivots, lower triangular, then the others.
    values: Vec<f64>,
    front: Vec<f64>,
    /// Lower triangles of Schur complements that wait for their parents, row by row, and whose they are.
    waiting: Vec<f64>,
    waiting_fronts: Vec<usize>,
    /// Position in the present front of each node, and of the scalars of a child.
    position: Vec<usize>,
    child: Vec<usize>,
    work: Vec<f64>,
}

impl BlockLlt {
    /// Factorises. `offsets` are the first scalar indices of the nodes, and the number of scalars at
    /// the end. False if a pivot is not positive: the matrix is then not positive definite, to rounding.
    pub fn factorise(&mut self, tree: &FrontTree, offsets: &[usize], blocks: &impl Blocks) -> bool {
        self.places.clear();
        self.indices.clear();
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
                    self.assemble(i, m, offsets, blocks);
                }
            }
            for _ in 0..f.children {
                self.add_child(tree, offsets, m);
            }
            if !partial_llt(&mut self.front, m, pivots) {
                return false;
            }
            for &v in f.pivots.iter().chain(&f.rows) {
                self.position[v] = usize::MAX;
            }
            self.keep(Place { pivots, rows: m - pivots, index, value: self.values.len() });
        }
        true
    }

    /// Adds the diagonal block of row i, and the mirror images of its blocks with nodes that come later.
    fn assemble(&mut self, i: usize, m: usize, offsets: &[usize], blocks: &impl Blocks) {
        let row = self.position[i];
        for (j, block) in blocks.row(i) {
            let column = self.position[j];
            if column == usize::MAX || offsets[j] == offsets[j + 1] {
                continue;
            }
            if i == j {
                blocks.add(i, i, block, &mut self.front[row * m + row..], m);
            } else if column > row {
                blocks.add_mirrored(i, j, block, &mut self.front[column * m + row..], m);
            }
        }
    }

    /// Adds the Schur complement on top of the stack to the present front.
    fn add_child(&mut self, tree: &FrontTree, offsets: &[usize], m: usize) {
        let Some(child) = self.waiting_fronts.pop() else { return };
        let n = self.places[child].rows;
        let start = self.waiting.len() - n * (n + 1) / 2;
        self.child.clear();
        for &v in &tree.fronts[child].rows {
            let at = self.position[v];
            self.child.extend(at..at + offsets[v + 1] - offsets[v]);
        }
        let mut rest = &self.waiting[start..];
        for (k, &r) in self.child.iter().enumerate() {
            let (row, below) = rest.split_at(k + 1);
            rest = below;
            let (to, upper) = self.front[r * m..].split_at_mut(m);
            for (x, &c) in row.iter().zip(&self.child) {
                // The parent may have them in another order: what falls above the diagonal belongs below it.
                if c <= r {
                    to[c] += x;
                } else {
                    upper[(c - r - 1) * m + r] += x;
                }
            }
        }
        self.waiting.truncate(start);
    }

    /// Stores the factors of the present front, and its Schur complement on the stack.
    fn keep(&mut self, place: Place) {
        let (p, m) = (place.pivots, place.pivots + place.rows);
        for (r, row) in self.front.chunks_exact(m.max(1)).enumerate() {
            self.values.extend_from_slice(&row[..p]);
            if r >= p {
                self.waiting.extend_from_slice(&row[p..=r]);
            }
        }
        self.waiting_fronts.push(self.places.len());
        self.places.push(place);
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        let widest = self.places.iter().map(|p| p.pivots).max().unwrap_or(0);
        self.work.clear();
        self.work.resize(widest, 0.0);
        for p in self.places.iter().filter(|p| p.pivots > 0) {
            let ids = &self.indices[p.index..];
            let work = &mut self.work[..p.pivots];
            let mut rows = self.values[p.value..].chunks_exact(p.pivots);
            for (k, row) in rows.by_ref().take(p.pivots).enumerate() {
                work[k] = (x[ids[k]] - dot(&row[..k], &work[..k])) / row[k];
                x[ids[k]] = work[k];
            }
            for (&i, row) in ids[p.pivots..].iter().zip(rows).take(p.rows) {
                x[i] -= dot(row, work);
            }
        }
        for p in self.places.iter().rev().filter(|p| p.pivots > 0) {
            let ids = &self.indices[p.index..p.index + p.pivots + p.rows];
            let work = &mut self.work[..p.pivots];
            work.iter_mut().zip(ids).for_each(|(w, &i)| *w = x[i]);
            let rows = self.values[p.value..].chunks_exact(p.pivots).zip(ids);
            for (row, &i) in rows.skip(p.pivots) {
                let x = x[i];
                work.iter_mut().zip(row).for_each(|(w, l)| *w -= l * x);
            }
            for k in (0..p.pivots).rev() {
                let row = &self.values[p.value + k * p.pivots..][..=k];
                let value = work[k] / row[k];
                work[..k].iter_mut().zip(row).for_each(|(w, l)| *w -= l * value);
                x[ids[k]] = value;
            }
        }
    }
}
