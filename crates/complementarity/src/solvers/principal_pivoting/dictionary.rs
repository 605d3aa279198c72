//! The path of Cottle and Dantzig on a dense dictionary x_B = b + T x_N.
//!
//! Notation: n rows of n + 1 numbers, T and then b. Variables are numbered w_i = i, z_i = n + i.
//! A *distinguished* basic variable with b < 0 is raised to zero by its complement, the *driving*
//! variable. A non-negative basic variable that would become negative leaves instead, and its
//! complement drives on.

use crate::Matrix;
use crate::tolerance::CANCELLED;

#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    n: usize,
    t: Vec<f64>,
    pivot_row: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Row or column of each variable.
    place: Vec<usize>,
    pub(super) pivots: usize,
}

/// How the method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Solution,
    Ray { driving: usize },
    PivotLimit,
}

impl Dictionary {
    pub(super) fn follow(&mut self, pivot_tolerance: f64, tie: f64, max_pivots: usize) -> End {
        let n = self.n;
        while let Some(distinguished) = (0..n).find(|&i| self.b(i) < 0.0) {
            let raised = self.basic[distinguished];
            let mut driving = complement(raised, n);
            // The row of the distinguished variable stays, since only others leave before it.
            loop {
                if self.pivots >= max_pivots {
                    return End::PivotLimit;
                }
                let column = self.place[driving];
                let Some(row) = self.blocking(column, distinguished, pivot_tolerance, tie) else {
                    return End::Ray { driving };
                };
                let leaving = self.basic[row];
                self.pivot(row, column);
                if leaving == raised {
                    break;
                }
                driving = complement(leaving, n);
            }
        }
        End::Solution
    }

    pub(super) fn load(&mut self, m: &Matrix, q: &[f64]) {
        let n = q.len();
        self.n = n;
        self.pivots = 0;
        self.t.clear();
        for (i, &q) in q.iter().enumerate() {
            self.t.extend_from_slice(m.row(i));
            self.t.push(q);
        }
        self.pivot_row.resize(n + 1, 0.0);
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..2 * n);
        self.place.clear();
        self.place.extend((0..n).chain(0..n));
    }

    /// Makes room for n unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        for (v, room) in [(&mut self.t, n * (n + 1)), (&mut self.pivot_row, n + 1)] {
            v.clear();
            v.reserve(room);
        }
        for (v, room) in [(&mut self.basic, n), (&mut self.nonbasic, n), (&mut self.place, 2 * n)] {
            v.clear();
            v.reserve(room);
        }
    }

    pub(super) fn values(&self, z: &mut [f64]) {
        z.fill(0.0);
        for (i, &v) in self.basic.iter().enumerate() {
            if v >= self.n {
                z[v - self.n] = self.b(i).max(0.0);
            }
        }
    }

    /// Direction of z when the driving variable grows by one.
    pub(super) fn direction(&self, driving: usize, z: &mut [f64]) {
        let column = self.place[driving];
        z.fill(0.0);
        if driving >= self.n {
            z[driving - self.n] = 1.0;
        }
        for (i, &v) in self.basic.iter().enumerate() {
            if v >= self.n {
                z[v - self.n] = self.t[i * (self.n + 1) + column];
            }
        }
    }

    fn b(&self, row: usize) -> f64 {
        self.t[row * (self.n + 1) + self.n]
    }

    /// The row that stops the driving variable: the distinguished one when it reaches zero, else
    /// the first non-negative one that does.
    fn blocking(
        &self,
        column: usize,
        distinguished: usize,
        pivot_tolerance: f64,
        tie: f64,
    ) -> Option<usize> {
        let rows = || self.t.chunks_exact(self.n + 1).enumerate();
        let largest = rows().fold(0.0_f64, |a, (_, row)| a.max(row[column].abs()));
        let smallest_pivot = pivot_tolerance * largest;
        let ratio = |i: usize, row: &[f64]| {
            let (b, slope) = (row[self.n], row[column]);
            if i == distinguished {
                (slope > smallest_pivot).then(|| -b / slope)
            } else {
                (slope < -smallest_pivot && b >= 0.0).then(|| b / -slope)
            }
        };
        let mut best: Option<f64> = None;
        for (i, row) in rows() {
            if let Some(r) = ratio(i, row) {
                best = Some(best.map_or(r, |b| b.min(r)));
            }
        }
        let best = best?;
        let tied = |i: usize, row: &[f64]| {
            ratio(i, row).is_some() && row[self.n].abs() - best * row[column].abs() <= tie
        };
        let row_of = |i: usize| &self.t[i * (self.n + 1)..(i + 1) * (self.n + 1)];
        if tied(distinguished, row_of(distinguished)) {
            return Some(distinguished);
        }
        // The least variable among ties (Chang 1979), where it is not a poor pivot.
        let good = rows().filter(|(i, row)| tied(*i, row) && row[column].abs() > 1e-3 * largest);
        good.min_by_key(|(i, _)| self.basic[*i] % self.n)
            .or_else(|| {
                let all = rows().filter(|(i, row)| tied(*i, row));
                all.max_by(|a, b| a.1[column].abs().total_cmp(&b.1[column].abs()))
            })
            .map(|(i, _)| i)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.n + 1;
        self.pivots += 1;
        let entries = &mut self.t[row * stride..(row + 1) * stride];
        let inverse = 1.0 / entries[column];
        for v in entries.iter_mut() {
            *v *= -inverse;
        }
        entries[column] = inverse;
        self.pivot_row.copy_from_slice(entries);
        for (i, other) in self.t.chunks_exact_mut(stride).enumerate() {
            let f = other[column];
            if i != row && f != 0.0 {
                let before = other[stride - 1];
                other[column] = 0.0;
                for (o, p) in other.iter_mut().zip(&self.pivot_row) {
                    *o += f * p;
                }
                if other[stride - 1].abs() <= CANCELLED * before.abs() {
                    other[stride - 1] = 0.0;
                }
            }
        }
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = row;
        self.place[leaving] = column;
    }
}

fn complement(v: usize, n: usize) -> usize {
    if v < n { v + n } else { v - n }
}
