//! The vector that shows a system to be infeasible.
//!
//! Notation: the row of the dictionary that cannot be repaired says ±x_B − Σ ±D x_N = ±d < 0 with no
//! negative coefficient on a variable that may be positive. It is a combination y of the rows
//! s − A x = b: y_i is the coefficient of s_i, and −(Aᵀy)_j that of x_j. R are the rows whose s_i is
//! nonbasic, C the columns whose x_j is basic: y vanishes outside of R (and of B), Aᵀy in C (but B).

use super::LinearProgram;
use crate::tolerance::{FARKAS_MARGIN, FARKAS_ROUNDING, PROGRAM_PIVOT};

/// Steps of iterative refinement.
const STEPS: usize = 3;

impl LinearProgram {
    /// Finds the Farkas vector of row r and checks it against the data.
    ///
    /// The dictionary holds it, with the errors of all its pivots; if these are too large it is
    /// solved for.
    pub(super) fn find_farkas(&mut self, r: usize, sign: f64) -> bool {
        // The rounding of a sum itself; more may still be allowed, but a better vector is worth a solve.
        let strict = 8.0 * f64::EPSILON * self.m as f64;
        self.read_farkas(r, sign);
        if self.farkas_holds(strict) {
            return true;
        }
        let rough = self.farkas_holds(FARKAS_ROUNDING).then(|| self.y.clone());
        if self.solve_farkas(r, sign) && self.farkas_holds(FARKAS_ROUNDING) {
            return true;
        }
        match rough {
            Some(y) => {
                self.y = y;
                true
            }
            None => false,
        }
    }

    fn read_farkas(&mut self, r: usize, sign: f64) {
        let (m, n) = (self.m, self.n);
        self.y.clear();
        self.y.resize(m, 0.0);
        for c in 0..=n {
            let (v, coefficient) = if c == n {
                (self.state.basic[r], sign)
            } else {
                (self.state.nonbasic[c], -sign * self.entry(r, c))
            };
            if v >= n {
                self.y[v - n] = coefficient;
            }
        }
        self.clip_farkas();
    }

    /// Solves (Aᵀy)_C = 0 for y_R, with y_B or −(Aᵀy)_B set to ±1; false if A_RC is singular.
    fn solve_farkas(&mut self, r: usize, sign: f64) -> bool {
        let (n, s) = (self.n, &self.state);
        self.leaving.clear();
        self.entering.clear();
        self.leaving.extend(s.nonbasic.iter().filter(|&&v| v >= n).map(|v| v - n));
        self.entering.extend(s.basic.iter().filter(|&&v| v < n));
        let (rows, cols) = (&self.leaving, &self.entering);
        let target = s.basic[r];
        let a = &self.a;
        let fill = |i: usize, row: &mut [f64]| {
            for (to, &j) in row.iter_mut().zip(cols) {
                *to = a[(rows[i], j)];
            }
        };
        if !self.lu.factor(rows.len(), 0.0, fill) {
            return false;
        }
        self.y.fill(0.0);
        if target >= n {
            self.y[target - n] = sign;
        }
        for _ in 0..STEPS {
            let wanted = |j: usize| if j == target { -sign } else { 0.0 };
            self.c.clear();
            for &j in cols {
                let terms = self.y.iter().enumerate().map(|(i, y)| y * a[(i, j)]);
                self.c.push(wanted(j) - terms.sum::<f64>());
            }
            self.lu.solve_transposed(&mut self.c);
            for (&i, d) in rows.iter().zip(&self.c) {
                self.y[i] += d;
            }
        }
        self.clip_farkas();
        true
    }

    /// Takes away what is rounding: entries that are negative and may not be, and those that are
    /// tiny. A contradiction must not hang on the latter: with dependent rows, rounding in y and the
    /// tolerance on Aᵀy make one out of nothing.
    fn clip_farkas(&mut self) {
        let largest = self.y.iter().fold(0.0, |l: f64, y| l.max(y.abs()));
        for i in 0..self.m {
            let wrong_sign = self.y[i] < 0.0 && !self.state.fixed[self.n + i];
            if wrong_sign || self.y[i].abs() <= PROGRAM_PIVOT * largest {
                self.y[i] = 0.0;
            }
        }
    }

    fn farkas_holds(&self, rounding: f64) -> bool {
        let (value, size) = sum_and_size(self.y.iter().zip(&self.b).map(|(y, b)| y * b));
        let decisive = value.is_finite() && size > 0.0 && value < -FARKAS_MARGIN * size;
        decisive && (0..self.n).all(|j| self.state.fixed[j] || self.column_holds(j, rounding))
    }

    /// (Aᵀy)_j ≤ 0 up to rounding.
    fn column_holds(&self, j: usize, rounding: f64) -> bool {
        let terms = self.y.iter().enumerate().map(|(i, y)| y * self.a[(i, j)]);
        let (value, size) = sum_and_size(terms);
        value <= rounding * size
    }
}

fn sum_and_size(terms: impl Iterator<Item = f64>) -> (f64, f64) {
    terms.fold((0.0, 0.0), |(v, s), t: f64| (v + t, s + t.abs()))
}
