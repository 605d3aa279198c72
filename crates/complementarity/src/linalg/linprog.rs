//! Small dense linear programs on a dictionary: feasibility with a Farkas vector, maximisation.
//!
//! The system is x ≥ 0, s = A x + b ≥ 0, where any variable may be fixed to zero. It is meant for
//! the many related systems of a case distinction: fixing one more variable continues from the
//! vertex at hand, and a [`Dictionary`] can be kept and put back.
//!
//! Notation: variables 0..n are x, n..n+m are s. The dictionary (Chvátal 1983) writes each basic
//! variable as x_B = D x_N + d with the others, x_N, at zero. Rows and columns are equilibrated by
//! powers of two, so that no entry of the scaled A exceeds one. Row m of the dictionary is the objective.

pub(crate) mod exponents;
mod farkas;

use super::Lu;
use crate::Matrix;
use crate::tolerance::{CANCELLED, PROGRAM_PIVOT, PROGRAM_SMALL, PROGRAM_ZERO};
use exponents::Exponents;

/// Pivots after which a dictionary is computed afresh from the data.
const REFRESH: usize = 60;

/// Whether a linear system has a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasibility {
    /// Yes: the point at hand is one, a vertex.
    Feasible,
    /// No: the Farkas vector shows it, and has been checked against the data.
    Infeasible,
    /// Rounding or the limit on pivots prevents an answer.
    Undecided,
}

/// How large a linear function becomes on a linear system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maximum {
    /// The point at hand attains it.
    Optimal,
    /// It grows without end from the point at hand.
    Unbounded,
    /// The limit on pivots was reached, or the numbers overflowed.
    Undecided,
}

/// The state of a solve: a basis, and what is fixed. Cheap to keep and put back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    fixed: Vec<bool>,
    /// m + 1 rows of n + 1 entries, the last being d.
    rows: Vec<f64>,
    age: usize,
}

impl Dictionary {
    /// Takes over another's state without allocating, if the sizes agree.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.basic.clone_from(&other.basic);
        self.nonbasic.clone_from(&other.nonbasic);
        self.fixed.clone_from(&other.fixed);
        self.rows.clone_from(&other.rows);
        self.age = other.age;
    }
}

/// A system x ≥ 0, A x + b ≥ 0 with zeros fixed, and the storage to solve it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearProgram {
    m: usize,
    n: usize,
    a: Matrix,
    b: Vec<f64>,
    scaling: Exponents,
    state: Dictionary,
    y: Vec<f64>,
    lu: Lu,
    leaving: Vec<usize>,
    entering: Vec<usize>,
    ray: Vec<f64>,
    /// Right sides of the refinement of `y`.
    c: Vec<f64>,
    pivots: usize,
}

/// How a climb towards zero, or as far as it goes, ended.
#[derive(Clone, Copy, PartialEq)]
enum Climb {
    Arrived,
    Stuck,
    Unbounded(usize),
    OutOfPivots,
}

impl LinearProgram {
    /// Loads a system, with nothing fixed, at the vertex x = 0 (which need not be feasible).
    pub(crate) fn load(&mut self, a: &Matrix, b: &[f64]) {
        (self.m, self.n) = (a.rows(), a.cols());
        self.scaling.choose(a, b, &mut self.a, &mut self.b);
        let (m, n) = (self.m, self.n);
        let s = &mut self.state;
        s.fixed.clear();
        s.fixed.resize(m + n, false);
        self.reset_basis();
    }

    /// Fixes x_j to zero.
    pub(crate) fn fix_variable(&mut self, j: usize) {
        self.state.fixed[j] = true;
    }

    /// Fixes row i, that is (A x + b)_i, to zero.
    pub(crate) fn fix_row(&mut self, i: usize) {
        self.state.fixed[self.n + i] = true;
    }

    /// The state, to be kept for [`restore`](Self::restore).
    pub(crate) fn state(&self) -> &Dictionary {
        &self.state
    }

    /// Goes back to a state of the same system.
    pub(crate) fn restore(&mut self, state: &Dictionary) {
        self.state.copy_from(state);
    }

    /// Pivots since the storage was made.
    pub(crate) fn pivots(&self) -> usize {
        self.pivots
    }

    /// Looks for a vertex, from the one at hand.
    ///
    /// One row after the other is brought to where it must be, by maximising it over the rows that
    /// are there already; the row that cannot be is the Farkas vector.
    pub(crate) fn feasible(&mut self) -> Feasibility {
        if self.state.age > REFRESH {
            self.refresh();
        }
        let end = self.pivots + self.limit();
        let mut refreshed = false;
        while let Some((r, sign)) = self.row_to_repair() {
            match self.climb(r, sign, true, end) {
                Climb::Arrived => {}
                Climb::Stuck if self.find_farkas(r, sign) => return Feasibility::Infeasible,
                Climb::Stuck if !refreshed && self.state.age > 0 => {
                    self.refresh();
                    refreshed = true;
                }
                _ => return Feasibility::Undecided,
            }
        }
        if self.state.rows.iter().all(|v| v.is_finite()) {
            Feasibility::Feasible
        } else {
            Feasibility::Undecided
        }
    }

    /// Maximises cᵀx from the vertex that [`feasible`](Self::feasible) found.
    pub(crate) fn maximize(&mut self, c: &[f64]) -> Maximum {
        self.clear_objective();
        let mut scaled = vec![0.0; self.n];
        self.scaling.objective(c, &mut scaled);
        for (j, &c) in scaled.iter().enumerate() {
            self.add_to_objective(j, c);
        }
        self.climb_objective()
    }

    /// Maximises x_j from the vertex that [`feasible`](Self::feasible) found.
    pub(crate) fn maximize_variable(&mut self, j: usize) -> Maximum {
        self.clear_objective();
        self.add_to_objective(j, 1.0);
        self.climb_objective()
    }

    /// Maximises (A x + b)_i from the vertex that [`feasible`](Self::feasible) found.
    pub(crate) fn maximize_row(&mut self, i: usize) -> Maximum {
        self.maximize_variable(self.n + i)
    }

    /// The vertex at hand.
    pub(crate) fn point(&self, x: &mut [f64]) {
        x.fill(0.0);
        for (r, &v) in self.state.basic.iter().enumerate() {
            if v < self.n {
                x[v] = self.scaling.point(v, self.value(r));
            }
        }
    }

    /// The vertex at hand in scaled units: x_j, or (A x + b)_i as number n + i.
    pub(crate) fn scaled_values(&self, values: &mut [f64]) {
        values.fill(0.0);
        for (r, &v) in self.state.basic.iter().enumerate() {
            values[v] = self.value(r);
        }
    }

    /// The number of variables, rows included.
    pub(crate) fn len(&self) -> usize {
        self.n + self.m
    }

    /// A and b in scaled units, and the units.
    pub(crate) fn scaled(&self) -> (&Matrix, &[f64], &Exponents) {
        (&self.a, &self.b, &self.scaling)
    }

    /// Whether a variable (x_j as j, row i as n + i) is fixed.
    pub(crate) fn is_fixed(&self, v: usize) -> bool {
        self.state.fixed[v]
    }

    /// The columns of the dictionary whose variables are not fixed: the polyhedron lies in the cone
    /// of their [`column`](Self::column)s at the vertex at hand.
    pub(crate) fn open_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let s = &self.state;
        (0..self.n).filter(|&c| !s.fixed[s.nonbasic[c]])
    }

    /// How the n + m variables change, in scaled units, as the variable of column c grows.
    pub(crate) fn column(&self, c: usize, values: &mut [f64]) {
        values.fill(0.0);
        values[self.state.nonbasic[c]] = 1.0;
        for (r, &v) in self.state.basic.iter().enumerate() {
            let entry = self.entry(r, c);
            if !self.state.fixed[v] && entry.abs() > PROGRAM_PIVOT {
                values[v] = entry;
            }
        }
    }

    /// The direction in which the last maximum had no end.
    #[cfg(test)]
    fn ray(&self, x: &mut [f64]) {
        self.scaling.direction(&self.ray, x);
    }

    /// The Farkas vector of the last [`feasible`](Self::feasible) that ended infeasible: y_i ≥ 0
    /// unless row i is fixed, (Aᵀy)_j ≤ 0 unless x_j is fixed, bᵀy < 0. Its largest entry has
    /// size [1/2, 1).
    pub(crate) fn farkas(&self, y: &mut [f64]) {
        self.scaling.combination(&self.y, y);
    }

    /// The basis at hand: rows i whose s_i is nonbasic, columns j whose x_j is basic.
    pub(crate) fn basis(&self) -> (Vec<usize>, Vec<usize>) {
        let rows = self.state.nonbasic.iter().filter(|&&v| v >= self.n).map(|v| v - self.n);
        let columns = self.state.basic.iter().copied().filter(|&v| v < self.n);
        (rows.collect(), columns.collect())
    }

    /// Maximises ±(row r); with `to_zero` only until the row's variable is zero, which then leaves
    /// the basis. Rows that are not negative stay so.
    fn climb(&mut self, r: usize, sign: f64, to_zero: bool, end: usize) -> Climb {
        let mut stalled = 0;
        loop {
            if self.pivots >= end {
                return Climb::OutOfPivots;
            }
            let bland = stalled > self.m + self.n;
            let Some(c) = self.entering(r, sign, bland) else {
                return Climb::Stuck;
            };
            let blocking = self.blocking(c, r, bland);
            let here = self.entry(r, c);
            let arrival = if to_zero { (-self.value(r) / here).max(0.0) } else { f64::INFINITY };
            match blocking {
                Some((i, step)) if step < arrival => {
                    stalled = if step > 0.0 { 0 } else { stalled + 1 };
                    self.pivot(i, c);
                    self.snap_values();
                }
                None if !to_zero => return Climb::Unbounded(c),
                _ => {
                    self.pivot(r, c);
                    return Climb::Arrived;
                }
            }
        }
    }

    /// The column that improves ±(row r): the steepest, or by Bland's rule the first variable.
    fn entering(&self, r: usize, sign: f64, bland: bool) -> Option<usize> {
        let s = &self.state;
        let (mut best, mut found) = (PROGRAM_PIVOT, None);
        for (c, &v) in s.nonbasic.iter().enumerate() {
            let gain = sign * self.entry(r, c);
            if gain <= PROGRAM_PIVOT || s.fixed[v] {
                continue;
            }
            let better = match found {
                Some(old) if bland => v < s.nonbasic[old],
                _ => gain > best,
            };
            if better {
                (best, found) = (gain, Some(c));
            }
        }
        found
    }

    /// The row other than `target` that first becomes negative as column c grows, and when. Ties go
    /// to the largest pivot, or by Bland's rule to the first variable.
    fn blocking(&self, c: usize, target: usize, bland: bool) -> Option<(usize, f64)> {
        let (mut found, mut step, mut size) = (None, f64::INFINITY, 0.0);
        for i in 0..self.m {
            let (slope, value) = (-self.entry(i, c), self.value(i));
            if slope <= PROGRAM_PIVOT || value < 0.0 || i == target {
                continue;
            }
            let ratio = value / slope;
            let better = match found {
                Some(old) if ratio == step => {
                    if bland {
                        self.state.basic[i] < self.state.basic[old]
                    } else {
                        slope > size
                    }
                }
                _ => ratio < step,
            };
            if better {
                (found, step, size) = (Some(i), ratio, slope);
            }
        }
        found.map(|i| (i, step))
    }

    /// A row whose variable is not where it must be, and the way to go. Fixed variables come first:
    /// they leave the basis and never return. A fixed one at zero leaves by any pivot.
    fn row_to_repair(&mut self) -> Option<(usize, f64)> {
        self.snap_values();
        for r in 0..self.m {
            if !self.state.fixed[self.state.basic[r]] {
                continue;
            }
            let value = self.value(r);
            if value != 0.0 {
                return Some((r, if value < 0.0 { 1.0 } else { -1.0 }));
            }
            let largest = self.largest_entry(r);
            if largest.is_some_and(|c| self.entry(r, c).abs() > PROGRAM_PIVOT) {
                self.pivot(r, largest.unwrap_or(0));
            }
        }
        let negative = (0..self.m).filter(|&r| self.value(r) < 0.0);
        negative.min_by(|&i, &j| self.value(i).total_cmp(&self.value(j))).map(|r| (r, 1.0))
    }

    fn largest_entry(&self, r: usize) -> Option<usize> {
        let s = &self.state;
        (0..self.n)
            .filter(|&c| !s.fixed[s.nonbasic[c]])
            .max_by(|&i, &j| self.entry(r, i).abs().total_cmp(&self.entry(r, j).abs()))
    }

    /// Sets values to zero that are so to rounding.
    fn snap_values(&mut self) {
        for r in 0..self.m {
            let value = self.value(r);
            if value != 0.0 && value.abs() <= PROGRAM_SMALL && self.vanishes(r) {
                let at = r * (self.n + 1) + self.n;
                self.state.rows[at] = 0.0;
            }
        }
    }

    /// Whether the value of row r is zero to rounding: as Σ y_i b_i for the y that the row stands
    /// for, which does not remember the larger values that earlier pivots took it from.
    fn vanishes(&self, r: usize) -> bool {
        let (s, n) = (&self.state, self.n);
        let (mut sum, mut size) = (0.0, 0.0);
        let mut add = |v: usize, y: f64| {
            if v >= n && y.abs() > PROGRAM_PIVOT {
                sum += y * self.b[v - n];
                size += (y * self.b[v - n]).abs();
            }
        };
        add(s.basic[r], 1.0);
        for (c, &v) in s.nonbasic.iter().enumerate() {
            add(v, -self.entry(r, c));
        }
        sum.abs() <= PROGRAM_ZERO * size
    }

    fn clear_objective(&mut self) {
        let start = self.m * (self.n + 1);
        self.state.rows[start..].fill(0.0);
    }

    /// Adds `factor` times variable v to the objective.
    fn add_to_objective(&mut self, v: usize, factor: f64) {
        if factor == 0.0 {
            return;
        }
        let width = self.n + 1;
        let (rows, objective) = self.state.rows.split_at_mut(self.m * width);
        if let Some(c) = self.state.nonbasic.iter().position(|&u| u == v) {
            objective[c] += factor;
        } else if let Some(r) = self.state.basic.iter().position(|&u| u == v) {
            crate::matrix::axpy(factor, &rows[r * width..(r + 1) * width], objective);
        }
    }

    fn climb_objective(&mut self) -> Maximum {
        let end = self.pivots + self.limit();
        let outcome = self.climb(self.m, 1.0, false, end);
        if !self.state.rows.iter().all(|v| v.is_finite()) {
            return Maximum::Undecided;
        }
        match outcome {
            Climb::Unbounded(c) => {
                self.read_ray(c);
                Maximum::Unbounded
            }
            Climb::Stuck => Maximum::Optimal,
            _ => Maximum::Undecided,
        }
    }

    fn read_ray(&mut self, c: usize) {
        self.ray.clear();
        self.ray.resize(self.n, 0.0);
        let entering = self.state.nonbasic[c];
        if entering < self.n {
            self.ray[entering] = 1.0;
        }
        for r in 0..self.m {
            let v = self.state.basic[r];
            if v < self.n {
                self.ray[v] = self.entry(r, c).max(0.0);
            }
        }
    }

    /// Exchanges the basic variable of row r and the nonbasic one of column c.
    fn pivot(&mut self, r: usize, c: usize) {
        let width = self.n + 1;
        let rows = &mut self.state.rows;
        let (before, rest) = rows.split_at_mut(r * width);
        let (row, after) = rest.split_at_mut(width);
        let inverse = 1.0 / row[c];
        row.iter_mut().for_each(|v| *v *= -inverse);
        row[c] = inverse;
        for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let factor = other[c];
            if factor != 0.0 {
                other[c] = 0.0;
                for (o, p) in other.iter_mut().zip(&*row) {
                    let sum = *o + factor * p;
                    *o = if sum.abs() <= CANCELLED * o.abs() { 0.0 } else { sum };
                }
            }
        }
        let s = &mut self.state;
        std::mem::swap(&mut s.basic[r], &mut s.nonbasic[c]);
        s.age += 1;
        self.pivots += 1;
    }

    /// Computes the dictionary of the present basis afresh, by pivots on the largest entries.
    ///
    /// Variables that turn out dependent end up on the other side of the basis; the feasibility
    /// phase then deals with what that leaves.
    fn refresh(&mut self) {
        let n = self.n;
        let mut leaving = std::mem::take(&mut self.leaving);
        let mut entering = std::mem::take(&mut self.entering);
        leaving.clear();
        entering.clear();
        leaving.extend(self.state.nonbasic.iter().filter(|&&v| v >= n).map(|v| v - n));
        entering.extend(self.state.basic.iter().filter(|&&v| v < n));
        self.reset_basis();
        while !leaving.is_empty() && !entering.is_empty() {
            let (mut best, mut at) = (PROGRAM_PIVOT, None);
            for (k, &r) in leaving.iter().enumerate() {
                for (l, &c) in entering.iter().enumerate() {
                    if self.entry(r, c).abs() > best {
                        (best, at) = (self.entry(r, c).abs(), Some((k, l)));
                    }
                }
            }
            let Some((k, l)) = at else { break };
            self.pivot(leaving.swap_remove(k), entering.swap_remove(l));
        }
        (self.leaving, self.entering) = (leaving, entering);
        self.state.age = 0;
    }

    fn reset_basis(&mut self) {
        let (m, n) = (self.m, self.n);
        let s = &mut self.state;
        s.basic.clear();
        s.basic.extend(n..n + m);
        s.nonbasic.clear();
        s.nonbasic.extend(0..n);
        s.rows.clear();
        s.rows.resize((m + 1) * (n + 1), 0.0);
        for i in 0..m {
            let row = &mut s.rows[i * (n + 1)..(i + 1) * (n + 1)];
            row[..n].copy_from_slice(self.a.row(i));
            row[n] = self.b[i];
        }
        s.age = 0;
    }

    fn limit(&self) -> usize {
        50 * (self.m + self.n) + 200
    }

    #[inline]
    fn entry(&self, r: usize, c: usize) -> f64 {
        self.state.rows[r * (self.n + 1) + c]
    }

    #[inline]
    fn value(&self, r: usize) -> f64 {
        self.entry(r, self.n)
    }
}

#[cfg(test)]
mod tests;
