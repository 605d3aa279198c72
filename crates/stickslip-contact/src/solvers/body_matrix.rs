//! Matrices that couple bodies which touch: six unknowns per body, one block per pair.

use super::MAX_ROWS;
use crate::block::{Blocks, FrontTree};
use crate::body_rows::{BodyRows, NONE};

const N: usize = MAX_ROWS;
type Block = [f64; 36];

/// What the rows of a contact weigh, by columns, and how many rows take part.
pub(super) type Weights = ([[f64; N]; N], usize);

/// Which bodies touch each other, with the elimination order of a matrix that couples them.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyGraph {
    starts: Vec<usize>,
    columns: Vec<usize>,
    pub(super) offsets: Vec<usize>,
    last: (Vec<usize>, Vec<usize>),
    pub(super) tree: FrontTree,
}

impl BodyGraph {
    /// Takes over the contacts of a problem; the order is kept while the same bodies touch.
    pub(crate) fn fill(&mut self, rows: &BodyRows) {
        let Self { starts, columns, .. } = self;
        starts.clear();
        columns.clear();
        starts.push(0);
        for body in 0..rows.bodies() {
            let first = columns.len();
            columns.push(body);
            for &(i, side) in rows.at(body as u32) {
                let other = rows.link(i as usize)[1 - usize::from(side)];
                if other != NONE {
                    columns.push(other as usize);
                }
            }
            columns[first..].sort_unstable();
            let mut end = first + 1;
            for at in first + 1..columns.len() {
                if columns[at] != columns[end - 1] {
                    columns[end] = columns[at];
                    end += 1;
                }
            }
            columns.truncate(end);
            starts.push(end);
        }
        if (&self.last.0, &self.last.1) != (&*starts, &*columns) {
            self.tree = FrontTree::new(rows.bodies(), |i| &columns[starts[i]..starts[i + 1]]);
            self.last.0.clone_from(starts);
            self.last.1.clone_from(columns);
        }
        self.offsets.clear();
        self.offsets.extend((0..=rows.bodies()).map(|b| 6 * b));
    }

    /// Operations of a factorisation.
    pub(crate) fn work(&self) -> f64 {
        self.tree.work(|_| 6)
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let first = self.starts[i];
        first + self.columns[first..self.starts[i + 1]].partition_point(|c| *c < j)
    }
}

/// σ 1 + A G Aᵀ, with a block of G per contact.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyMatrix {
    pub(super) graph: BodyGraph,
    values: Vec<Block>,
}

impl BodyMatrix {
    /// Takes over the contacts of a problem.
    pub(super) fn prepare(&mut self, rows: &BodyRows) {
        self.graph.fill(rows);
    }

    /// Assembles the matrix with σ on the diagonal, from what the rows of each contact weigh.
    pub(super) fn fill(
        &mut self,
        rows: &BodyRows,
        sigma: f64,
        mut weights: impl FnMut(usize) -> Weights,
    ) {
        let Self { graph, values } = self;
        values.clear();
        values.resize(graph.columns.len(), [0.0; 36]);
        for body in 0..rows.bodies() {
            let block = &mut values[graph.place(body, body)];
            (0..6).for_each(|x| block[7 * x] = sigma);
        }
        for i in 0..rows.len() {
            let (weights, n) = weights(i);
            let (link, own) = (rows.link(i), rows.contact(i));
            let sides = || (0..2).filter(|&s| link[s] != NONE);
            for q in sides() {
                let mut right = [[0.0; 6]; N];
                for r in 0..n {
                    for c in 0..n {
                        let g = weights[c][r];
                        (0..6).for_each(|x| right[r][x] += g * own[c][q][x]);
                    }
                }
                for p in sides() {
                    let block = &mut values[graph.place(link[p] as usize, link[q] as usize)];
                    for r in 0..n {
                        for (line, a) in block.chunks_exact_mut(6).zip(&own[r][p]) {
                            line.iter_mut().zip(&right[r]).for_each(|(b, x)| *b += a * x);
                        }
                    }
                }
            }
        }
    }
}

impl Blocks for BodyMatrix {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let range = self.graph.starts[i]..self.graph.starts[i + 1];
        range.map(move |at| (self.graph.columns[at], &self.values[at][..]))
    }

    #[inline]
    fn add(&self, _: usize, _: usize, block: &[f64], to: &mut [f64], stride: usize) {
        for (to, row) in to.chunks_mut(stride).zip(block.chunks_exact(6)) {
            to.iter_mut().zip(row).for_each(|(to, x)| *to += x);
        }
    }

    #[inline]
    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        Some(&self.values[self.graph.place(j, i)])
    }

    #[inline]
    fn add_mirrored(&self, i: usize, j: usize, _: &[f64], to: &mut [f64], stride: usize) {
        self.add(j, i, &self.values[self.graph.place(j, i)], to, stride);
    }
}
