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
use crate::block::BlockLu;
use crate::body_rows::{BodyRows, NONE, Six, dot};
use crate::solvers::body_matrix::BodyMatrix;
use crate::solvers::jordan::Vector;

/// 1 + A D⁻¹ Aᵀ and its factors.
#[derive(Clone, Debug, Default)]
pub(super) struct BodySystem {
    matrix: BodyMatrix,
    /// D and D⁻¹ of each contact, by columns.
    diagonals: Vec<[[Vector; N]; 2]>,
    lu: BlockLu,
    q: Vec<f64>,
    velocity: Vec<Six>,
    rest: Vec<Vector>,
    dx: Vec<Vector>,
}

impl BodySystem {
    pub(super) fn prepare(&mut self, rows: &BodyRows) {
        self.matrix.prepare(rows);
    }

    /// Assembles and factorises; false if the matrix is singular.
    pub(super) fn factorise(&mut self, rows: &BodyRows, cells: &[Cell]) -> bool {
        let Self { matrix, diagonals, lu, .. } = self;
        diagonals.clear();
        diagonals.extend(cells.iter().map(Cell::diagonals));
        matrix.fill(rows, 1.0, |i| {
            let (cell, mut weights) = (&cells[i], diagonals[i][1]);
            for (column, unit) in weights.iter_mut().zip(&cell.units) {
                column.iter_mut().zip(&cell.units).for_each(|(g, own)| *g *= own * unit);
            }
            (weights, cell.n)
        });
        lu.factorise(&matrix.graph.tree, &matrix.graph.offsets, matrix)
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
