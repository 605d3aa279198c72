//! The linear systems of the interior point in the velocities of bodies.
//!
//! With W = AᵀA, A in the units of the cells, (W + D) dx = r is solved by
//!
//! (1 + A D⁻¹ Aᵀ) q = A D⁻¹ r,   dx = D⁻¹ (r − Aᵀ q),
//!
//! with six unknowns per body in place of three per contact: bodies that touch at many points have fewer of the first. D is the scaling of the
//! cones with the derivative of the correction, D = (1 − e tᵀ) S², and D⁻¹ = S⁻² (1 + e tᵀ) is written down; a
//! formula with determinants loses its digits near the boundary of the cones. One step of refinement on the system of contacts.

use super::{Cell, N};
use crate::block::{BlockLu, Blocks, FrontTree};
use crate::body_rows::{BodyRows, NONE, Six, dot};
use crate::solvers::jordan::Vector;

type Block = [f64; 36];

/// Which bodies touch each other, with the elimination order of a matrix that couples them.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyGraph {
    starts: Vec<usize>,
    columns: Vec<usize>,
    offsets: Vec<usize>,
    last: (Vec<usize>, Vec<usize>),
    tree: FrontTree,
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

/// 1 + A D⁻¹ Aᵀ and its factors.
#[derive(Clone, Debug, Default)]
pub(super) struct BodySystem {
    graph: BodyGraph,
    values: Vec<Block>,
    /// D and D⁻¹ of each contact, by columns.
    diagonals: Vec<[[Vector; N]; 2]>,
    lu: BlockLu,
    q: Vec<f64>,
    velocity: Vec<Six>,
    rest: Vec<Vector>,
    dx: Vec<Vector>,
}

struct Coupled<'a>(&'a BodyGraph, &'a [Block]);

impl BodySystem {
    pub(super) fn prepare(&mut self, rows: &BodyRows) {
        self.graph.fill(rows);
    }

    /// Assembles and factorises; false if the matrix is singular.
    pub(super) fn factorise(&mut self, rows: &BodyRows, cells: &[Cell]) -> bool {
        let Self { graph, values, diagonals, lu, .. } = self;
        values.clear();
        values.resize(graph.columns.len(), [0.0; 36]);
        for body in 0..rows.bodies() {
            let block = &mut values[graph.place(body, body)];
            (0..6).for_each(|x| block[7 * x] = 1.0);
        }
        diagonals.clear();
        for (i, cell) in cells.iter().enumerate() {
            let both = cell.diagonals();
            diagonals.push(both);
            let (link, own) = (rows.link(i), rows.contact(i));
            let sides = || (0..2).filter(|&s| link[s] != NONE);
            for q in sides() {
                let mut right = [[0.0; 6]; N];
                for r in 0..cell.n {
                    for c in 0..cell.n {
                        let d = both[1][c][r] * cell.units[c];
                        (0..6).for_each(|x| right[r][x] += d * own[c][q][x]);
                    }
                }
                for p in sides() {
                    let block = &mut values[graph.place(link[p] as usize, link[q] as usize)];
                    for r in 0..cell.n {
                        for (line, a) in block.chunks_exact_mut(6).zip(&own[r][p]) {
                            let a = cell.units[r] * a;
                            line.iter_mut().zip(&right[r]).for_each(|(b, x)| *b += a * x);
                        }
                    }
                }
            }
        }
        lu.factorise(&graph.tree, &graph.offsets, &Coupled(graph, values))
    }

    /// (W + D) x = rhs, one row after the other.
    pub(super) fn solve(&mut self, rows: &BodyRows, cells: &[Cell], rhs: &mut [f64]) {
        let k = cells.len();
        self.rest.clear();
        self.dx.clear();
        self.dx.resize(k, [0.0; N]);
        let mut at = 0;
        for cell in cells {
            let mut rest = [0.0; N];
            rest[..cell.n].copy_from_slice(&rhs[at..at + cell.n]);
            at += cell.n;
            self.rest.push(rest);
        }
        self.correct(rows, cells);
        self.subtract(rows, cells, rhs);
        self.correct(rows, cells);
        let mut at = 0;
        for (cell, dx) in cells.iter().zip(&self.dx) {
            rhs[at..at + cell.n].copy_from_slice(&dx[..cell.n]);
            at += cell.n;
        }
    }

    /// dx += what the factors give for the rest.
    fn correct(&mut self, rows: &BodyRows, cells: &[Cell]) {
        let Self { diagonals, lu, q, velocity, rest, dx, .. } = self;
        velocity.clear();
        velocity.resize(rows.bodies(), [0.0; 6]);
        for (i, cell) in cells.iter().enumerate() {
            cell.add(rows, i, &times(&diagonals[i][1], &rest[i], cell.n), velocity);
        }
        q.clear();
        q.extend(velocity.iter().flatten());
        lu.solve(q);
        velocity.iter_mut().zip(q.chunks_exact(6)).for_each(|(v, q)| v.copy_from_slice(q));
        for (i, cell) in cells.iter().enumerate() {
            let moved = cell.velocity(rows, i, velocity);
            let left = std::array::from_fn(|r| rest[i][r] - moved[r]);
            let step = times(&diagonals[i][1], &left, cell.n);
            (0..cell.n).for_each(|r| dx[i][r] += step[r]);
        }
    }

    /// The rest of the system of contacts at dx.
    fn subtract(&mut self, rows: &BodyRows, cells: &[Cell], rhs: &[f64]) {
        let Self { diagonals, velocity, rest, dx, .. } = self;
        velocity.fill([0.0; 6]);
        for (i, cell) in cells.iter().enumerate() {
            cell.add(rows, i, &dx[i], velocity);
        }
        let mut at = 0;
        for (i, cell) in cells.iter().enumerate() {
            let moved = cell.velocity(rows, i, velocity);
            let own = times(&diagonals[i][0], &dx[i], cell.n);
            for r in 0..cell.n {
                rest[i][r] = rhs[at + r] - moved[r] - own[r];
            }
            at += cell.n;
        }
    }
}

impl Blocks for Coupled<'_> {
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let range = self.0.starts[i]..self.0.starts[i + 1];
        range.map(move |at| (self.0.columns[at], &self.1[at][..]))
    }

    #[inline]
    fn add(&self, _: usize, _: usize, block: &[f64], to: &mut [f64], stride: usize) {
        for (to, row) in to.chunks_mut(stride).zip(block.chunks_exact(6)) {
            to.iter_mut().zip(row).for_each(|(to, x)| *to += x);
        }
    }

    #[inline]
    fn unlike_mirror(&self, i: usize, j: usize) -> Option<&[f64]> {
        Some(&self.1[self.0.place(j, i)])
    }

    #[inline]
    fn add_mirrored(&self, i: usize, j: usize, _: &[f64], to: &mut [f64], stride: usize) {
        self.add(j, i, &self.1[self.0.place(j, i)], to, stride);
    }
}

impl Cell {
    /// D = (1 − e tᵀ) S² and D⁻¹ = S⁻² (1 + e tᵀ), by columns.
    fn diagonals(&self) -> [[Vector; N]; 2] {
        let mut both = [[[0.0; N]; N]; 2];
        for c in 0..self.n {
            let mut unit = [0.0; N];
            unit[c] = 1.0;
            let mut column = self.scaling.square(&unit, self.n);
            column[0] -= self.along(&column);
            both[0][c] = column;
            unit[0] += self.along(&unit);
            let half = self.scaling.invert(&unit, self.n);
            both[1][c] = self.scaling.invert(&half, self.n);
        }
        both
    }

    /// u += A x, of contact i.
    fn add(&self, rows: &BodyRows, i: usize, x: &Vector, u: &mut [Six]) {
        for (side, &body) in rows.link(i).iter().enumerate().filter(|(_, b)| **b != NONE) {
            for (r, row) in rows.contact(i).iter().take(self.n).enumerate() {
                let x = self.units[r] * x[r];
                u[body as usize].iter_mut().zip(&row[side]).for_each(|(u, a)| *u += a * x);
            }
        }
    }

    /// Aᵀ u, of contact i.
    fn velocity(&self, rows: &BodyRows, i: usize, u: &[Six]) -> Vector {
        let mut out = [0.0; N];
        for (side, &body) in rows.link(i).iter().enumerate().filter(|(_, b)| **b != NONE) {
            for (r, row) in rows.contact(i).iter().take(self.n).enumerate() {
                out[r] += self.units[r] * dot(&row[side], &u[body as usize]);
            }
        }
        out
    }
}

fn times(columns: &[Vector; N], x: &Vector, n: usize) -> Vector {
    let mut out = [0.0; N];
    for c in 0..n {
        (0..n).for_each(|r| out[r] += columns[c][r] * x[c]);
    }
    out
}
