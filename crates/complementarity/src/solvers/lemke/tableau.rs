//! Lemke's method on a dense dictionary: the fastest form for small problems.
//!
//! Notation: the dictionary x_B = b + T x_N with n rows. At the start x_B = w, x_N = (z, t),
//! T = (M, 1), b = q, where t is the covering variable of w = M z + q + t. Variables are numbered
//! w_i = i, z_i = n + i, t = 2n. A row is an array of S numbers: the n columns of the first
//! nonbasic variables, zeros, and in its last two places the column that t starts in, and b. With
//! S known to the compiler a row is a few vector registers.
//!
//! Every pair (w_i, z_i) may also start the other way round (a warm start): the basic variable
//! of pair i at the start is its *base*. Degeneracy is resolved as if b_i were b_i + ε^(i+1) in
//! the starting dictionary (Cottle, Pang, Stone, section 4.9).

use super::{PathEnd, Tolerances};
use crate::tolerance::{CANCELLED, LEXICOGRAPHIC_TIE};
use crate::{Matrix, Ray};

#[derive(Clone, Debug, Default)]
pub(super) struct Tableau<const S: usize> {
    n: usize,
    t: Vec<[f64; S]>,
    /// Variable of each row.
    basic: Vec<usize>,
    /// Variable of each of the S − 1 columns; unused ones hold `NONE`.
    nonbasic: Vec<usize>,
    /// Row or column of each variable.
    place: Vec<usize>,
    is_basic: Vec<bool>,
    base: Vec<usize>,
    pub(super) pivots: usize,
}

const NONE: usize = usize::MAX;

impl<const S: usize> Tableau<S> {
    const COVER: usize = S - 2;
    const B: usize = S - 1;

    /// The most unknowns that fit.
    pub(super) const CAPACITY: usize = S - 2;

    /// Follows the path until the covering variable leaves, or until it cannot.
    pub(super) fn follow(&mut self, tol: &Tolerances, max_pivots: usize) -> PathEnd {
        let n = self.n;
        let Some(first) = self.first_row(tol) else {
            return PathEnd::Solution;
        };
        let mut leaving = self.basic[first];
        self.pivot(first, Self::COVER);
        loop {
            if self.pivots >= max_pivots {
                return PathEnd::PivotLimit;
            }
            let entering = if leaving < n { leaving + n } else { leaving - n };
            let column = self.place[entering];
            let Some(row) = self.ratio_test(column, tol) else {
                return PathEnd::Ray { entering };
            };
            leaving = self.basic[row];
            self.pivot(row, column);
            if leaving == 2 * n {
                return PathEnd::Solution;
            }
        }
    }

    /// Fills the dictionary from w = M z + q.
    pub(super) fn load(&mut self, m: &Matrix, q: &[f64]) {
        let n = q.len();
        debug_assert!(n <= Self::CAPACITY);
        self.pivots = 0;
        self.t.resize(n, [0.0; S]);
        for (i, row) in self.t.iter_mut().enumerate() {
            let (entries, rest) = row.split_at_mut(n);
            entries.copy_from_slice(m.row(i));
            rest.fill(0.0);
            row[Self::COVER] = 1.0;
            row[Self::B] = q[i];
        }
        if self.n == n && self.place.len() == 2 * n + 1 {
            self.restart();
            return;
        }
        self.n = n;
        self.basic.clear();
        self.basic.resize(n, 0);
        self.base.clear();
        self.base.resize(n, 0);
        self.nonbasic.clear();
        self.nonbasic.resize(S - 1, NONE);
        self.place.clear();
        self.place.resize(2 * n + 1, 0);
        self.is_basic.clear();
        self.is_basic.resize(2 * n + 1, false);
        self.restart();
    }

    /// Back to the basis of all w.
    fn restart(&mut self) {
        let n = self.n;
        for i in 0..n {
            self.basic[i] = i;
            self.base[i] = i;
            self.nonbasic[i] = n + i;
            self.place[i] = i;
            self.place[n + i] = i;
        }
        self.nonbasic[Self::COVER] = 2 * n;
        self.place[2 * n] = Self::COVER;
        self.is_basic[..n].fill(true);
        self.is_basic[n..].fill(false);
    }

    /// Exchanges w_i and z_i for the pairs in `support` whose pivot is not small.
    pub(super) fn warm(&mut self, support: impl Iterator<Item = usize>, pivot_tolerance: f64) {
        for i in support {
            let row = &self.t[i][..self.n];
            let largest = row.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
            if row[i].abs() > pivot_tolerance * largest {
                self.pivot(i, i);
                self.base[i] = self.n + i;
            }
        }
        // The cover is chosen afresh: one in every row of the starting dictionary.
        for row in &mut self.t {
            row[Self::COVER] = 1.0;
        }
    }

    /// Writes the values of z and returns that of the cover.
    pub(super) fn values(&self, z: &mut [f64]) -> f64 {
        let n = self.n;
        let mut cover = 0.0;
        z.fill(0.0);
        for (row, &v) in self.t.iter().zip(&self.basic) {
            if v == 2 * n {
                cover = row[Self::B];
            } else if v >= n {
                z[v - n] = row[Self::B].max(0.0);
            }
        }
        cover
    }

    /// Direction of z and of the cover when `entering` grows by one.
    pub(super) fn direction(&self, entering: usize, z: &mut [f64]) -> f64 {
        let n = self.n;
        let column = self.place[entering];
        let mut cover = 0.0;
        z.fill(0.0);
        if entering >= n {
            z[entering - n] = 1.0;
        }
        for (row, &v) in self.t.iter().zip(&self.basic) {
            if v == 2 * n {
                cover = row[column];
            } else if v >= n {
                z[v - n] = row[column];
            }
        }
        cover
    }

    /// The ray on which the path ended.
    pub(super) fn ray(&self, entering: usize, m: &Matrix) -> Ray {
        let n = self.n;
        let (mut origin, mut direction) = (vec![0.0; n], vec![0.0; n]);
        let origin_cover = self.values(&mut origin);
        let direction_cover = self.direction(entering, &mut direction);
        // d = B 1, with the columns of the starting basis: e_i of w_i, −M_i of z_i.
        let mut cover = vec![0.0; n];
        for (i, &base) in self.base.iter().enumerate() {
            if base < n {
                cover[i] += 1.0;
            } else {
                (0..n).for_each(|r| cover[r] -= m[(r, i)]);
            }
        }
        Ray { origin, origin_cover, direction, direction_cover, cover }
    }

    /// One step of iterative refinement: `w` holds M z + q, which must vanish where z is basic.
    /// The columns of the nonbasic w_i are the inverse of the final basis.
    pub(super) fn refine(&self, w: &[f64], z: &mut [f64]) {
        let n = self.n;
        for (row, &v) in self.t.iter().zip(&self.basic) {
            if v < n || v == 2 * n || z[v - n] == 0.0 {
                continue;
            }
            let mut correction = 0.0;
            for (t, &u) in row.iter().zip(&self.nonbasic) {
                if u < n {
                    correction += t * w[u];
                }
            }
            z[v - n] = (z[v - n] - correction).max(0.0);
        }
    }

    /// The row with the most negative b, the last of equal ones (the smallest in the lexicographic
    /// order); `None` if no b is negative.
    fn first_row(&self, tol: &Tolerances) -> Option<usize> {
        let smallest =
            self.t.iter().fold(0.0, |a, row| if row[Self::B] < a { row[Self::B] } else { a });
        if smallest >= 0.0 {
            return None;
        }
        self.t.iter().rposition(|row| row[Self::B] <= smallest * (1.0 - tol.tie))
    }

    /// The row that leaves when the variable of `column` grows; `None` if none does.
    ///
    /// Written without branches on the data, which a processor could not predict.
    #[inline]
    fn ratio_test(&self, column: usize, tol: &Tolerances) -> Option<usize> {
        assert!(column < S);
        let (mut largest, mut best) = (0.0, f64::INFINITY);
        for row in &self.t {
            let slope = row[column];
            largest = if slope.abs() > largest { slope.abs() } else { largest };
            best = lesser(best, ratio(row[Self::B], slope, 0.0));
        }
        let limit = -tol.pivot * largest;
        let mut ties = self.ties(column, limit, best, tol);
        if ties == 0 {
            // The smallest ratio belongs to a pivot that is too small.
            best = f64::INFINITY;
            for row in &self.t {
                best = lesser(best, ratio(row[Self::B], row[column], limit));
            }
            ties = self.ties(column, limit, best, tol);
        }
        let cover = self.place[2 * self.n];
        if ties == 0 {
            None
        } else if ties >> cover & 1 == 1 {
            Some(cover)
        } else if ties.is_power_of_two() {
            Some(ties.trailing_zeros() as usize)
        } else {
            Some(self.lexicographic(column, ties))
        }
    }

    /// The rows that are zero, but for rounding, when the variable of `column` has grown by `best`,
    /// as a set of bits.
    #[inline]
    fn ties(&self, column: usize, limit: f64, best: f64, tol: &Tolerances) -> u32 {
        if best == f64::INFINITY {
            return 0;
        }
        let mut ties = 0;
        for (i, row) in self.t.iter().enumerate() {
            let slope = row[column];
            let (before, step) = (row[Self::B], best * slope);
            let tied = (slope < limit) & (before + step <= tol.rounding - tol.tie * step);
            ties |= u32::from(tied) << i;
        }
        ties
    }

    /// Among tied rows the one whose perturbed ratio is smallest.
    #[cold]
    fn lexicographic(&self, column: usize, mut ties: u32) -> usize {
        let t = &self.t;
        for k in 0..self.n {
            // In the perturbed problem row i has b_i + Σ_k g_ik ε^(k+1), where g_ik is 1 if row i
            // holds the base variable of pair k, and −T_ik' if that variable is nonbasic in k'.
            let base = self.base[k];
            let place = self.place[base];
            let basic = self.is_basic[base];
            let gradient = |i: usize| {
                let g = if basic { f64::from(u8::from(place == i)) } else { -t[i][place] };
                g / -t[i][column]
            };
            let smallest = bits(ties).map(gradient).fold(f64::INFINITY, f64::min);
            let size = bits(ties).map(|i| gradient(i).abs()).fold(0.0, f64::max);
            let kept = bits(ties).filter(|&i| gradient(i) <= smallest + LEXICOGRAPHIC_TIE * size);
            let kept = kept.fold(0, |set, i| set | 1 << i);
            // Nothing is kept if a gradient is not a number.
            ties = if kept == 0 { ties } else { kept };
            if ties.is_power_of_two() {
                break;
            }
        }
        ties.trailing_zeros() as usize
    }

    /// Exchanges the basic variable of `row` and the nonbasic one of `column`.
    #[inline]
    fn pivot(&mut self, row: usize, column: usize) {
        assert!(column < S);
        self.pivots += 1;
        let mut pivot_row = self.t[row];
        let inverse = 1.0 / pivot_row[column];
        for v in &mut pivot_row {
            *v *= -inverse;
        }
        pivot_row[column] = inverse;
        for other in &mut self.t {
            let f = other[column];
            let before = other[Self::B];
            other[column] = 0.0;
            for (o, p) in other.iter_mut().zip(&pivot_row) {
                *o += f * p;
            }
            let after = other[Self::B];
            other[Self::B] = if after.abs() <= CANCELLED * before.abs() { 0.0 } else { after };
        }
        self.t[row] = pivot_row;
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = row;
        self.place[leaving] = column;
        self.is_basic[entering] = true;
        self.is_basic[leaving] = false;
    }
}

/// The growth at which b + slope · growth vanishes; ∞ unless the slope is below `limit` ≤ 0.
#[inline]
fn ratio(b: f64, slope: f64, limit: f64) -> f64 {
    let b = if b > 0.0 { b } else { 0.0 };
    let r = b / -slope;
    if slope < limit { r } else { f64::INFINITY }
}

#[inline]
fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The members of a set of bits.
fn bits(set: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| set >> i & 1 == 1)
}
