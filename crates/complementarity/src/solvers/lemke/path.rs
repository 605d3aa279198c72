//! Lemke's method on a factorised basis, for problems in a box 0 ≤ z ≤ u (u = ∞ for a plain one).
//!
//! Notation: w − M z − d t = q with the cover t. A nonbasic z_i rests at 0 or at u_i; w_i is
//! then ≥ 0 or ≤ 0. θ is the step, y the entering column in terms of the basis, so that the basic
//! variables x move by −θ y when the entering one grows by θ.
//!
//! A path alternates as in the plain method. New in a box: a basic z_i may leave at its upper
//! bound, whereupon w_i enters downwards; and an entering z_i may cross its box before anything
//! else leaves, whereupon no basis changes and w_i enters next (Sargent 1978).

use super::basis::{Basis, Var};
use super::{PathEnd, Tolerances};
use crate::Matrix;
use crate::matrix::axpy;
use crate::tolerance::{
    CANCELLED, LEXICOGRAPHIC_TIE, UPDATED_BASIS_PIVOT, UPDATED_BASIS_REMAINDER,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    n: usize,
    pub(super) basis: Basis,
    q: Vec<f64>,
    upper: Vec<f64>,
    /// Values of the basic variables and their bounds, by position.
    x: Vec<f64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    y: Vec<f64>,
    column: Vec<f64>,
    /// Whether z_i rests, or last rested, at its upper bound.
    at_upper: Vec<bool>,
    /// Position of w_i (first n), z_i (next n) and the cover; `NONBASIC` if not basic.
    position: Vec<usize>,
    /// The basis of the start, which the lexicographic order refers to.
    base: Vec<Var>,
    ties: Vec<usize>,
    max_updates: usize,
    pub(super) pivots: usize,
}

const NONBASIC: usize = usize::MAX;

/// Where a guess puts an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    Lower,
    Between,
    Upper,
}

/// The entering variable and the way it moves.
#[derive(Clone, Copy)]
struct Entering {
    var: Var,
    /// +1 if it grows, −1 if it shrinks.
    sign: f64,
    /// Its value before the step.
    start: f64,
    /// How far it can go on its own.
    room: f64,
}

/// What ends a step of the entering variable.
enum Block {
    Position(usize),
    OwnBound,
    Nothing,
    /// A number overflowed.
    Lost,
}

impl Path {
    /// Follows the path until the cover leaves, or until it cannot. `spread(i) > 0` is the cover of
    /// position i.
    pub(super) fn follow(
        &mut self,
        tol: &Tolerances,
        max_pivots: usize,
        spread: impl Fn(usize) -> f64,
    ) -> PathEnd {
        let Some((mut leaving, mut at_upper)) = self.bring_cover(tol, spread) else {
            return PathEnd::Solution;
        };
        while self.pivots < max_pivots {
            let entering = self.complement(leaving, at_upper);
            if !self.prepare(entering.var) {
                return PathEnd::Singular;
            }
            let (mut block, mut theta) = self.ratio_test(&entering, tol);
            if self.is_doubtful(&block) {
                if !(self.refactor() && self.prepare(entering.var)) {
                    return PathEnd::Singular;
                }
                (block, theta) = self.ratio_test(&entering, tol);
            }
            self.pivots += 1;
            match block {
                Block::Lost => return PathEnd::Singular,
                Block::Nothing => {
                    return PathEnd::Ray { entering: self.number(entering.var) };
                }
                Block::OwnBound => {
                    self.advance(entering.sign * theta);
                    (leaving, at_upper) = (entering.var, entering.sign > 0.0);
                }
                Block::Position(p) => {
                    at_upper = entering.sign * self.y[p] < 0.0;
                    leaving = self.exchange(p, &entering, theta);
                }
            }
            match leaving {
                Var::Artificial => return PathEnd::Solution,
                Var::Z(i) => self.at_upper[i] = at_upper,
                Var::W(_) => {}
            }
        }
        PathEnd::PivotLimit
    }

    /// Loads the problem with rows scaled by `r` and unknowns by `c`: z = c · (scaled z).
    pub(super) fn load(
        &mut self,
        m: &Matrix,
        q: &[f64],
        upper: Option<&[f64]>,
        r: &[f64],
        c: &[f64],
    ) {
        let n = q.len();
        self.reserve(n);
        self.n = n;
        self.pivots = 0;
        self.max_updates = max_updates(n);
        self.basis.load(m, r, c);
        self.q.clear();
        self.q.extend(q.iter().zip(r).map(|(q, r)| q * r));
        self.upper.clear();
        match upper {
            Some(u) => self.upper.extend(u.iter().zip(c).map(|(u, c)| u / c)),
            None => self.upper.resize(n, f64::INFINITY),
        }
        for v in [&mut self.x, &mut self.lo, &mut self.hi, &mut self.y, &mut self.column] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.at_upper.clear();
        self.at_upper.resize(n, false);
        self.index();
        self.evaluate();
    }

    /// Makes room for n unknowns, so that no problem of that size allocates.
    pub(super) fn reserve(&mut self, n: usize) {
        if self.n == n && self.position.len() == 2 * n + 1 {
            return;
        }
        self.n = n;
        self.basis.reserve(n, max_updates(n));
        let Self { q, upper, x, lo, hi, y, column, .. } = self;
        for v in [q, upper, x, lo, hi, y, column] {
            v.clear();
            v.reserve(n);
        }
        self.at_upper.reserve(n);
        self.base.reserve(n);
        self.ties.reserve(n);
        self.position.clear();
        self.position.resize(2 * n + 1, NONBASIC);
    }

    /// Starts from the basis that a guess suggests, if that basis is regular and none of its z lies
    /// outside of a finite box; else stays with the basis of all w.
    pub(super) fn warm(&mut self, guess: impl Fn(usize) -> Guess) {
        for i in 0..self.n {
            match guess(i) {
                Guess::Lower => {}
                Guess::Upper => self.at_upper[i] = self.upper[i].is_finite(),
                Guess::Between => self.basis.basic[i] = Var::Z(i),
            }
        }
        if !self.refactor() || self.leaves_a_box() {
            for i in 0..self.n {
                self.basis.basic[i] = Var::W(i);
            }
            self.at_upper.fill(false);
            self.refactor();
        }
    }

    fn leaves_a_box(&self) -> bool {
        (0..self.n)
            .any(|p| self.hi[p].is_finite() && !(self.lo[p]..=self.hi[p]).contains(&self.x[p]))
    }

    /// Writes the scaled z and returns the cover.
    pub(super) fn values(&self, z: &mut [f64]) -> f64 {
        let mut cover = 0.0;
        for i in 0..self.n {
            z[i] = if self.at_upper[i] { self.upper[i] } else { 0.0 };
        }
        for (p, v) in self.basis.basic.iter().enumerate() {
            match *v {
                Var::Z(i) => z[i] = self.x[p].clamp(0.0, self.upper[i]),
                Var::Artificial => cover = self.x[p],
                Var::W(_) => {}
            }
        }
        cover
    }

    /// Direction of the scaled z, and of the cover, on the ray that `follow` ended on.
    pub(super) fn direction(&self, entering: usize, z: &mut [f64]) -> f64 {
        let n = self.n;
        let mut cover = 0.0;
        z.fill(0.0);
        if (n..2 * n).contains(&entering) {
            z[entering - n] = 1.0;
        }
        for (p, v) in self.basis.basic.iter().enumerate() {
            match *v {
                Var::Z(i) => z[i] = -self.y[p],
                Var::Artificial => cover = -self.y[p],
                Var::W(_) => {}
            }
        }
        cover
    }

    /// One step of iterative refinement of the scaled z: `w` holds the scaled M z + q, which must
    /// vanish where z is basic.
    pub(super) fn refine(&mut self, w: &[f64], z: &mut [f64]) {
        for i in 0..self.n {
            self.column[i] = if self.position[i] == NONBASIC { w[i] } else { 0.0 };
        }
        self.basis.solve(&mut self.column);
        for (p, v) in self.basis.basic.iter().enumerate() {
            if let Var::Z(i) = *v
                && z[i] != 0.0
            {
                z[i] = (z[i] + self.column[p]).clamp(0.0, self.upper[i]);
            }
        }
    }

    /// Factorises the present basis afresh and recomputes the values.
    pub(super) fn refactor(&mut self) -> bool {
        if !self.basis.factor() {
            return false;
        }
        self.index();
        self.evaluate();
        true
    }

    /// Chooses the cover so that every basic variable is inside its bounds, and brings it into the
    /// basis. Returns the variable that left, or `None` if the basis is feasible without it.
    fn bring_cover(
        &mut self,
        tol: &Tolerances,
        spread: impl Fn(usize) -> f64,
    ) -> Option<(Var, bool)> {
        let n = self.n;
        self.base.clear();
        self.base.extend_from_slice(&self.basis.basic);
        // σ, the growth of each basic variable with the cover; 0 for a z within a finite box.
        let (mut largest, mut first) = (0.0_f64, None);
        for p in 0..n {
            let sign = match (self.lo[p].is_finite(), self.hi[p].is_finite()) {
                (true, false) => 1.0,
                (false, true) => -1.0,
                _ => 0.0,
            };
            self.y[p] = -sign * spread(p);
            let violation = if sign == 0.0 { 0.0 } else { self.x[p] / self.y[p] };
            // The last of equal ones is the smallest in the lexicographic order.
            if violation > 0.0 && violation >= largest * (1.0 - tol.tie) {
                largest = largest.max(violation);
                first = Some(p);
            }
        }
        let p = first?;
        // d = B σ
        self.basis.cover.fill(0.0);
        for q in 0..n {
            match self.basis.basic[q] {
                Var::W(i) => self.basis.cover[i] -= self.y[q],
                v => {
                    self.basis.column(v, &mut self.column);
                    axpy(-self.y[q], &self.column, &mut self.basis.cover);
                }
            }
        }
        let leaving = self.basis.basic[p];
        let at_upper = self.lo[p] == f64::NEG_INFINITY;
        let cover = Entering { var: Var::Artificial, sign: 1.0, start: 0.0, room: f64::INFINITY };
        self.exchange(p, &cover, largest);
        self.pivots += 1;
        // A w that leaves is followed by its z, wherever that rests.
        Some((leaving, at_upper && matches!(leaving, Var::Z(_))))
    }

    /// The variable that enters after `leaving` left (at its upper bound, if that is a z).
    fn complement(&self, leaving: Var, at_upper: bool) -> Entering {
        match leaving {
            Var::W(i) => {
                let (sign, start) =
                    if self.at_upper[i] { (-1.0, self.upper[i]) } else { (1.0, 0.0) };
                Entering { var: Var::Z(i), sign, start, room: self.upper[i] }
            }
            Var::Z(i) => {
                let sign = if at_upper { -1.0 } else { 1.0 };
                Entering { var: Var::W(i), sign, start: 0.0, room: f64::INFINITY }
            }
            Var::Artificial => unreachable!("the path ends when the cover leaves"),
        }
    }

    /// Fills y with the column of the entering variable in terms of the basis.
    fn prepare(&mut self, entering: Var) -> bool {
        if self.basis.updates() >= self.max_updates && !self.refactor() {
            return false;
        }
        for attempt in 0..2 {
            self.basis.column(entering, &mut self.y);
            let size = largest(&self.y);
            let remainder = self.basis.solve(&mut self.y);
            if remainder <= UPDATED_BASIS_REMAINDER * size {
                return true;
            }
            if attempt == 0 && !(self.basis.updates() > 0 && self.refactor()) {
                return false;
            }
        }
        false
    }

    /// A small pivot, or no pivot, found with a basis that has been updated since it was factorised.
    fn is_doubtful(&self, block: &Block) -> bool {
        self.basis.updates() > 0
            && match *block {
                Block::Position(p) => self.y[p].abs() < UPDATED_BASIS_PIVOT * largest(&self.y),
                Block::Nothing => true,
                Block::OwnBound | Block::Lost => false,
            }
    }

    fn ratio_test(&mut self, entering: &Entering, tol: &Tolerances) -> (Block, f64) {
        let smallest_pivot = tol.pivot * largest(&self.y);
        let sign = entering.sign;
        let mut best = f64::INFINITY;
        for p in 0..self.n {
            let v = sign * self.y[p];
            if v.abs() > smallest_pivot {
                let slack = if v > 0.0 { self.x[p] - self.lo[p] } else { self.hi[p] - self.x[p] };
                let ratio = slack.max(0.0) / v.abs();
                if ratio < best {
                    best = ratio;
                }
            }
        }
        if entering.room <= best {
            return match entering.room {
                f64::INFINITY => (Block::Nothing, best),
                room => (Block::OwnBound, room),
            };
        }
        self.ties.clear();
        for p in 0..self.n {
            let v = sign * self.y[p];
            let slack = if v > 0.0 { self.x[p] - self.lo[p] } else { self.hi[p] - self.x[p] };
            let step = best * v.abs();
            if v.abs() > smallest_pivot && slack - step <= tol.rounding + tol.tie * step {
                if self.basis.basic[p] == Var::Artificial {
                    return (Block::Position(p), slack.max(0.0) / v.abs());
                }
                self.ties.push(p);
            }
        }
        let p = match self.ties[..] {
            [] => return (Block::Lost, best),
            [only] => only,
            _ => self.lexicographic(),
        };
        let v = sign * self.y[p];
        let slack = if v > 0.0 { self.x[p] - self.lo[p] } else { self.hi[p] - self.x[p] };
        (Block::Position(p), slack.max(0.0) / v.abs())
    }

    /// Among tied positions the one whose perturbed ratio is smallest: the rows of B⁻¹ B_start,
    /// divided by y, in lexicographic order. Evaluated column by column, since few are needed.
    fn lexicographic(&mut self) -> usize {
        for k in 0..self.n {
            let base = self.base[k];
            let at = self.position[self.number(base)];
            if at != NONBASIC && !self.ties.contains(&at) {
                continue;
            }
            if at != NONBASIC {
                self.column.fill(0.0);
                self.column[at] = 1.0;
            } else {
                self.basis.column(base, &mut self.column);
                self.basis.solve(&mut self.column);
            }
            let (column, y) = (&self.column, &self.y);
            let key = |p: usize| column[p] / y[p];
            let smallest = self.ties.iter().map(|&p| key(p)).fold(f64::INFINITY, f64::min);
            let size = self.ties.iter().map(|&p| key(p).abs()).fold(0.0, f64::max);
            if smallest.is_finite() {
                self.ties.retain(|&p| key(p) <= smallest + LEXICOGRAPHIC_TIE * size);
            }
            if self.ties.len() == 1 {
                break;
            }
        }
        self.ties[0]
    }

    /// Moves by `theta`, puts the entering variable at position `p` and returns the leaving one.
    fn exchange(&mut self, p: usize, entering: &Entering, theta: f64) -> Var {
        self.advance(entering.sign * theta);
        self.x[p] = entering.start + entering.sign * theta;
        let leaving = self.basis.basic[p];
        self.basis.exchange(p, entering.var, &self.y);
        let (gone, come) = (self.number(leaving), self.number(entering.var));
        self.position[gone] = NONBASIC;
        self.position[come] = p;
        (self.lo[p], self.hi[p]) = self.bounds(entering.var);
        leaving
    }

    /// x −= step · y, with what cancels to rounding set to zero.
    fn advance(&mut self, step: f64) {
        for (x, y) in self.x.iter_mut().zip(&self.y) {
            let before = *x;
            *x -= step * y;
            if x.abs() <= CANCELLED * before.abs() {
                *x = 0.0;
            }
        }
    }

    fn bounds(&self, v: Var) -> (f64, f64) {
        match v {
            Var::W(i) if self.at_upper[i] => (f64::NEG_INFINITY, 0.0),
            Var::Z(i) => (0.0, self.upper[i]),
            Var::W(_) | Var::Artificial => (0.0, f64::INFINITY),
        }
    }

    fn number(&self, v: Var) -> usize {
        match v {
            Var::W(i) => i,
            Var::Z(i) => self.n + i,
            Var::Artificial => 2 * self.n,
        }
    }

    /// Positions and bounds from `basic`.
    fn index(&mut self) {
        self.position.clear();
        self.position.resize(2 * self.n + 1, NONBASIC);
        for p in 0..self.n {
            let v = self.basis.basic[p];
            let number = self.number(v);
            self.position[number] = p;
            (self.lo[p], self.hi[p]) = self.bounds(v);
        }
    }

    /// x = B⁻¹ (q + Σ M_i u_i over the z_i that rest at u_i).
    fn evaluate(&mut self) {
        self.x.copy_from_slice(&self.q);
        for i in 0..self.n {
            if self.at_upper[i] && self.position[self.n + i] == NONBASIC {
                axpy(self.upper[i], self.basis.column_of_z(i), &mut self.x);
            }
        }
        self.basis.solve(&mut self.x);
        let rounding = CANCELLED * largest(&self.x);
        for x in &mut self.x {
            if x.abs() <= rounding {
                *x = 0.0;
            }
        }
    }
}

/// Exchanges after which a basis is factorised afresh.
fn max_updates(n: usize) -> usize {
    (n / 4).clamp(16, 64)
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |a, b| if b.abs() > a { b.abs() } else { a })
}
