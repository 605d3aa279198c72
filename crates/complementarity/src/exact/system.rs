//! Systems of linear inequalities, and the Farkas vectors that show one to be contradictory.
//!
//! Notation: l ≤ x ≤ u and s = A x + b, each s_i ≥ 0, ≤ 0, = 0 or free. For any y,
//! yᵀs = vᵀx + bᵀy with v = Aᵀy. If y has the signs that make yᵀs ≥ 0, and yet
//! max over l ≤ x ≤ u of vᵀx + bᵀy is negative, there is no x (Farkas 1902).

use super::dyadic::{Dyadic, quotient, sign};
use super::near::Hint;
use super::number::{Interval, Number, Sign};
use super::program::{End, Kind, Program};
use crate::{Error, Matrix};
use num_bigint::BigInt;
use std::cmp::Ordering;
use thiserror::Error as ThisError;

/// What is asked of a row s_i of a [`ExactSystem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// s_i ≥ 0.
    NonNegative,
    /// s_i ≤ 0.
    NonPositive,
    /// s_i = 0.
    Zero,
    /// Nothing.
    Free,
}

/// A system l ≤ x ≤ u, s = A x + b with a condition on each s_i; see the [module](super).
#[derive(Clone, Debug)]
pub struct ExactSystem<'a> {
    pub(super) a: &'a Matrix,
    pub(super) b: &'a [f64],
    pub(super) rows: Vec<Row>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
}

/// Whether a [`ExactSystem`] has a solution.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Yes: this one, a vertex.
    Feasible(Point),
    /// No: this Farkas vector passes [`ExactSystem::check`].
    Infeasible(Vec<Dyadic>),
    /// The bound on work was reached first.
    WorkLimit,
}

/// A point with rational coordinates over a common denominator.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The coordinates times the denominator.
    pub numerators: Vec<Dyadic>,
    /// The denominator, positive.
    pub denominator: Dyadic,
}

impl Point {
    /// The coordinates to a unit in the last place; ±∞ beyond the range.
    #[must_use]
    pub fn to_f64(&self) -> Vec<f64> {
        self.numerators.iter().map(|x| quotient(x, &self.denominator)).collect()
    }
}

/// Why a vector is no Farkas vector.
#[derive(Clone, Debug, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Flaw {
    /// It has the wrong size.
    #[error("a vector of the proof does not have {expected} entries")]
    Size {
        /// The number of rows of the system.
        expected: usize,
    },
    /// A component of y has the wrong sign.
    #[error("y[{index}] is {value}, which has the wrong sign")]
    Sign {
        /// Index of the component.
        index: usize,
        /// The component.
        value: f64,
    },
    /// A component of Aᵀy has a sign for which the unknown has no bound.
    #[error("(Mᵀy)[{index}] is {value:e}, which has the wrong sign")]
    Product {
        /// Index of the component.
        index: usize,
        /// The component, rounded.
        value: f64,
    },
    /// The value that must be negative is not.
    #[error("the value that must be negative is {value:e}")]
    Value {
        /// The value, rounded.
        value: f64,
    },
}

impl<'a> ExactSystem<'a> {
    /// The system x ≥ 0, A x + b ≥ 0.
    ///
    /// # Errors
    /// If the sizes do not fit or an entry is NaN or ∞.
    pub fn new(a: &'a Matrix, b: &'a [f64]) -> Result<Self, Error> {
        if a.rows() != b.len() {
            return Err(Error::SizeMismatch { what: "b", expected: a.rows(), found: b.len() });
        }
        a.check_finite()?;
        if let Some(index) = b.iter().position(|v| !v.is_finite()) {
            return Err(Error::NotFinite { what: "b", index, value: b[index] });
        }
        Ok(Self::of_finite(a, b))
    }

    /// As [`new`](Self::new), for data that have been checked.
    pub(crate) fn of_finite(a: &'a Matrix, b: &'a [f64]) -> Self {
        let (lower, upper) = (vec![0.0; a.cols()], vec![f64::INFINITY; a.cols()]);
        Self { a, b, rows: vec![Row::NonNegative; a.rows()], lower, upper }
    }

    /// Asks something else of row i.
    pub fn set_row(&mut self, i: usize, row: Row) {
        self.rows[i] = row;
    }

    /// Asks s_i = 0.
    pub fn fix_row(&mut self, i: usize) {
        self.rows[i] = Row::Zero;
    }

    /// Gives x_j other bounds: −∞ and ∞ stand for none, and l ≤ u.
    pub fn set_bounds(&mut self, j: usize, lower: f64, upper: f64) {
        (self.lower[j], self.upper[j]) = (lower, upper);
    }

    /// Asks x_j = 0.
    pub fn fix_variable(&mut self, j: usize) {
        self.set_bounds(j, 0.0, 0.0);
    }

    /// Whether y shows that the system has no solution, in exact arithmetic.
    ///
    /// # Errors
    /// Says where it fails.
    pub fn check(&self, y: &[Dyadic]) -> Result<(), Flaw> {
        if y.len() != self.b.len() {
            return Err(Flaw::Size { expected: self.b.len() });
        }
        for (index, value) in y.iter().enumerate() {
            let right = match self.rows[index] {
                Row::NonNegative => value.sign() != Ordering::Less,
                Row::NonPositive => value.sign() != Ordering::Greater,
                Row::Zero => true,
                Row::Free => value.sign() == Ordering::Equal,
            };
            if !right {
                return Err(Flaw::Sign { index, value: value.to_f64() });
            }
        }
        let near: Vec<Interval> = y.iter().map(enclose).collect();
        // Σ_j max over l_j ≤ x_j ≤ u_j of v_j x_j, as the bound at which each is attained.
        let mut at = vec![0.0; self.lower.len()];
        let mut value = sum((0..y.len()).map(|i| (self.b[i], near[i])));
        for j in 0..at.len() {
            let v = sum((0..y.len()).map(|i| (self.a[(i, j)], near[i])));
            at[j] = match self.sign_of_column(j, v, y) {
                Ordering::Less => self.lower[j],
                Ordering::Equal => 0.0,
                Ordering::Greater => self.upper[j],
            };
            if at[j].is_infinite() {
                return Err(Flaw::Product { index: j, value: self.column(j, y).to_f64() });
            }
            value = value.add(v.mul(Interval::point(at[j])));
        }
        match value.sign() {
            Sign::Negative => Ok(()),
            Sign::Unsure => self.check_value(y, &at),
            _ => Err(Flaw::Value { value: value.hi }),
        }
    }

    /// Looks for a solution or a Farkas vector, with a bound on the operations on words of 64 bits, from which those that
    /// it took are subtracted. A system with n unknowns and n rows of full precision takes about n⁵ of them.
    pub fn decide(&self, work: &mut u64) -> Decision {
        let mut loaded = Loaded::new(self, &Hint::default(), *work);
        let decision = self.decision(&mut loaded);
        *work = loaded.program.work_left();
        decision
    }

    /// As [`decide`](Self::decide), from the basis that the hint suggests.
    pub(crate) fn decide_from(&self, hint: &Hint, work: u64) -> Decision {
        self.decision(&mut Loaded::new(self, hint, work))
    }

    fn decision(&self, loaded: &mut Loaded) -> Decision {
        match loaded.program.feasible() {
            End::WorkLimit => Decision::WorkLimit,
            End::Feasible => Decision::Feasible(loaded.point(self)),
            End::Infeasible(r, up) => Decision::Infeasible(loaded.farkas(self, r, up)),
        }
    }

    /// A Farkas vector near to `y`, one that floating-point arithmetic took for one; `None` if there is
    /// none, or it takes more work.
    #[must_use]
    pub fn farkas_near(&self, y: &[f64], work: u64) -> Option<Vec<Dyadic>> {
        super::near::farkas_near(self, y, work)
    }

    /// As [`farkas_near`](Self::farkas_near), as far as floating-point numbers suffice.
    pub(crate) fn short_farkas_near(&self, y: &[f64]) -> Option<Vec<Dyadic>> {
        super::near::short(self, y, &mut None)
    }

    /// A solution from which to ask how large variables become; `None` if there is none or it takes
    /// more work.
    pub(crate) fn solved(&self, hint: &Hint, work: u64) -> Option<Solved<'_, 'a>> {
        let mut loaded = Loaded::new(self, hint, work);
        let found = loaded.program.feasible() == End::Feasible;
        found.then_some(Solved { system: self, loaded })
    }

    /// The signs of v = Aᵀy in some columns.
    pub(crate) fn signs_of_products<'s>(
        &'s self,
        y: &'s [Dyadic],
        columns: impl Iterator<Item = usize> + 's,
    ) -> impl Iterator<Item = (usize, Ordering)> + 's {
        let near: Vec<Interval> = y.iter().map(enclose).collect();
        columns.map(move |j| {
            let v = sum((0..y.len()).map(|i| (self.a[(i, j)], near[i])));
            (j, self.sign_of_column(j, v, y))
        })
    }

    /// What intervals say of a vector of floating-point numbers: that it is a Farkas vector, that it is
    /// none, or nothing.
    pub(super) fn check_quickly(&self, y: &[f64]) -> Option<bool> {
        if y.len() != self.b.len() || !y.iter().all(|v| v.is_finite()) {
            return Some(false);
        }
        let right = |(&y, row): (&f64, &Row)| match row {
            Row::NonNegative => y >= 0.0,
            Row::NonPositive => y <= 0.0,
            Row::Zero => true,
            Row::Free => y == 0.0,
        };
        if !y.iter().zip(&self.rows).all(right) {
            return Some(false);
        }
        let support: Vec<usize> = (0..y.len()).filter(|&i| y[i] != 0.0).collect();
        let mut value = sum(support.iter().map(|&i| (self.b[i], Interval::point(y[i]))));
        for j in 0..self.lower.len() {
            let (l, u) = (self.lower[j], self.upper[j]);
            if l == 0.0 && u == 0.0 {
                continue;
            }
            let v = sum(support.iter().map(|&i| (self.a[(i, j)], Interval::point(y[i]))));
            let at = match v.sign() {
                Sign::Negative => l,
                Sign::Zero => continue,
                Sign::Positive => u,
                Sign::Unsure => return None,
            };
            if at.is_infinite() {
                return Some(false);
            }
            value = value.add(v.mul(Interval::point(at)));
        }
        match value.sign() {
            Sign::Unsure => None,
            sign => Some(sign == Sign::Negative),
        }
    }

    /// v_j = (Aᵀy)_j.
    fn column(&self, j: usize, y: &[Dyadic]) -> Dyadic {
        let mut sum = Dyadic::default();
        for (i, y) in y.iter().enumerate().filter(|(i, _)| self.a[(*i, j)] != 0.0) {
            sum = &sum + &(&dyadic(self.a[(i, j)]) * y);
        }
        sum
    }

    fn sign_of_column(&self, j: usize, near: Interval, y: &[Dyadic]) -> Ordering {
        match near.sign() {
            Sign::Negative => Ordering::Less,
            Sign::Zero => Ordering::Equal,
            Sign::Positive => Ordering::Greater,
            Sign::Unsure => self.column(j, y).sign(),
        }
    }

    fn check_value(&self, y: &[Dyadic], at: &[f64]) -> Result<(), Flaw> {
        let mut value = Dyadic::default();
        for (y, &b) in y.iter().zip(self.b) {
            value = &value + &(&dyadic(b) * y);
        }
        for (j, &at) in at.iter().enumerate().filter(|(_, at)| **at != 0.0) {
            value = &value + &(&dyadic(at) * &self.column(j, y));
        }
        if value.sign() == Ordering::Less {
            Ok(())
        } else {
            Err(Flaw::Value { value: value.to_f64() })
        }
    }
}

/// A solution of a system, and the program that found it.
pub(crate) struct Solved<'s, 'a> {
    system: &'s ExactSystem<'a>,
    loaded: Loaded,
}

impl Solved<'_, '_> {
    /// The solution at hand.
    pub(crate) fn point(&self) -> Point {
        self.loaded.point(self.system)
    }

    /// Whether variable v (x_j as j, row i as n + i) is positive somewhere, where bounds are those of
    /// [`ExactSystem::new`] or zero; `None` if it takes more work.
    pub(crate) fn can_be_positive(&mut self, v: usize) -> Option<bool> {
        let n = self.system.lower.len();
        let position = if v < n {
            self.loaded.columns.iter().position(|c| c.index == v)
        } else {
            let row = self.loaded.rows.iter().position(|r| r.index == v - n);
            row.map(|r| self.loaded.columns.len() + r)
        };
        // What is held or left out is zero.
        position.map_or(Some(false), |v| self.loaded.program.can_be_positive(v))
    }

    /// Which variables are positive at the solution at hand, as numbers of
    /// [`can_be_positive`](Self::can_be_positive).
    pub(crate) fn positive(&self) -> Vec<usize> {
        let n = self.system.lower.len();
        let columns = self.loaded.columns.iter().map(|c| c.index);
        let rows = self.loaded.rows.iter().map(|r| n + r.index);
        let given: Vec<usize> = columns.chain(rows).collect();
        self.loaded.program.positive().filter_map(|v| given.get(v).copied()).collect()
    }

    /// Whether the solution at hand is the only one; `None` if it takes more work.
    pub(crate) fn is_only(&mut self) -> Option<bool> {
        self.loaded.program.is_only()
    }
}

/// A finite number; the data of a system are.
pub(super) fn dyadic(v: f64) -> Dyadic {
    Dyadic::from_f64(v).unwrap_or_default()
}

fn enclose(y: &Dyadic) -> Interval {
    if let Some(same) = y.as_f64() {
        return Interval::point(same);
    }
    let near = y.to_f64();
    if Dyadic::from_f64(near).as_ref() == Some(y) {
        return Interval::point(near);
    }
    let wide = |v: f64| v.abs() > f64::MIN_POSITIVE;
    if near.is_finite() && wide(near) {
        Interval { lo: near.next_down(), hi: near.next_up() }
    } else {
        Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY }
    }
}

fn sum(terms: impl Iterator<Item = (f64, Interval)>) -> Interval {
    let terms = terms.filter(|(a, _)| *a != 0.0);
    terms.fold(Interval::ZERO, |sum, (a, y)| sum.add(Interval::point(a).mul(y)))
}

/// A system as a program in integers.
struct Loaded {
    program: Program,
    columns: Vec<Column>,
    rows: Vec<Line>,
    /// Where each x_j is when its column of the program is zero.
    offset: Vec<f64>,
}

/// x_j = offset ± 2^−exponent times the unknown of the program.
struct Column {
    index: usize,
    falls: bool,
    exponent: i64,
}

/// Row i of the program is ± 2^−exponent s_i.
struct Line {
    index: usize,
    falls: bool,
    exponent: i64,
}

impl Loaded {
    /// The system in the rows and columns that the hint keeps, at the basis that it suggests.
    fn new(system: &ExactSystem<'_>, hint: &Hint, work: u64) -> Self {
        let offset = offsets(system, hint);
        let columns = columns(system, hint);
        let (mut entries, mut rows, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        for c in &columns {
            let free = system.lower[c.index].is_infinite() && system.upper[c.index].is_infinite();
            kinds.push(if free { Kind::Free } else { Kind::NonNegative });
        }
        let kept = |i: &usize| system.rows[*i] != Row::Free && hint.keeps_row(*i);
        for i in (0..system.b.len()).filter(kept) {
            let falls = system.rows[i] == Row::NonPositive;
            let terms = offset.iter().enumerate().filter(|(_, o)| **o != 0.0);
            let constant = terms.fold(dyadic(system.b[i]), |sum, (j, &o)| {
                &sum + &(&dyadic(system.a[(i, j)]) * &dyadic(o))
            });
            let row = columns.iter().map(|c| c.entry(&dyadic(system.a[(i, c.index)])));
            let row: Vec<Dyadic> = row.chain([constant]).collect();
            rows.push(Line { index: i, falls, exponent: push_row(&mut entries, &row, falls) });
            kinds.push(if system.rows[i] == Row::Zero { Kind::Zero } else { Kind::NonNegative });
        }
        for (k, c) in columns.iter().enumerate() {
            let (l, u) = (system.lower[c.index], system.upper[c.index]);
            if l.is_finite() && u.is_finite() {
                let mut row = vec![Dyadic::default(); columns.len() + 1];
                row[k] = -&dyadic(1.0).times_two_to(-c.exponent);
                row[columns.len()] = &dyadic(u) + &-&dyadic(l);
                push_row(&mut entries, &row, false);
                kinds.push(Kind::NonNegative);
            }
        }
        let program = Program::new(columns.len(), entries, kinds, work);
        let mut loaded = Self { program, columns, rows, offset };
        loaded.go_to_basis(system, hint);
        loaded
    }

    /// Brings the free unknowns into the basis, where they have to be, and then what the hint says.
    fn go_to_basis(&mut self, system: &ExactSystem<'_>, hint: &Hint) {
        let n = self.columns.len();
        let is_free =
            |c: &Column| system.lower[c.index].is_infinite() && system.upper[c.index].is_infinite();
        let free: Vec<usize> = (0..n).filter(|&k| is_free(&self.columns[k])).collect();
        let rows = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..self.rows.len()).filter(|&r| wanted(self.rows[r].index)).map(|r| n + r).collect()
        };
        let equations = rows(&|i| system.rows[i] == Row::Zero);
        let all = rows(&|_| true);
        let basis = rows(&|i| hint.rows.contains(&i));
        let position = |j: usize| self.columns.iter().position(|c| c.index == j);
        let wanted: Vec<usize> = hint.columns.iter().filter_map(|&j| position(j)).collect();
        let wanted: Vec<usize> = wanted.into_iter().filter(|k| !free.contains(k)).collect();
        self.program.exchange(&free, &equations);
        self.program.exchange(&free, &all);
        self.program.exchange(&wanted, &basis);
    }

    fn point(&self, system: &ExactSystem<'_>) -> Point {
        let (x, denominator) = self.program.point();
        let denominator = Dyadic::new(denominator.clone(), 0);
        let mut numerators: Vec<Dyadic> =
            self.offset.iter().map(|&o| &dyadic(o) * &denominator).collect();
        debug_assert_eq!(numerators.len(), system.lower.len());
        for (c, x) in self.columns.iter().zip(x) {
            let step = Dyadic::new(if c.falls { -x } else { x }, -c.exponent);
            numerators[c.index] = &numerators[c.index] + &step;
        }
        Point { numerators, denominator }
    }

    fn farkas(&self, system: &ExactSystem<'_>, r: usize, up: bool) -> Vec<Dyadic> {
        let multipliers = self.program.farkas(r, up);
        let mut y = vec![Dyadic::default(); system.b.len()];
        for (line, v) in self.rows.iter().zip(multipliers) {
            y[line.index] = Dyadic::new(if line.falls { -v } else { v }, -line.exponent);
        }
        y
    }
}

impl Column {
    fn entry(&self, a: &Dyadic) -> Dyadic {
        let scaled = a.times_two_to(-self.exponent);
        if self.falls { -&scaled } else { scaled }
    }
}

/// The bound from which each unknown is counted: one that it has, or that the hint holds it at.
fn offsets(system: &ExactSystem<'_>, hint: &Hint) -> Vec<f64> {
    let offset = |j: usize| {
        let (l, u) = (system.lower[j], system.upper[j]);
        let held = hint.held.as_ref().and_then(|held| held[j]);
        match held {
            Some(bound) => bound,
            None if l.is_finite() => l,
            None if u.is_finite() => u,
            None => 0.0,
        }
    };
    (0..system.lower.len()).map(offset).collect()
}

fn columns(system: &ExactSystem<'_>, hint: &Hint) -> Vec<Column> {
    let moves = |j: &usize| system.lower[*j] < system.upper[*j] && !hint.holds(*j);
    let make = |j: usize| {
        let entries = (0..system.b.len()).filter(|&i| hint.keeps_row(i));
        let lowest = entries.filter_map(|i| dyadic(system.a[(i, j)]).lowest_bit()).min();
        Column {
            index: j,
            falls: system.lower[j].is_infinite() && system.upper[j].is_finite(),
            exponent: lowest.unwrap_or(0),
        }
    };
    (0..system.lower.len()).filter(moves).map(make).collect()
}

/// Adds a row as integers over a common power of two, which is returned.
fn push_row(entries: &mut Vec<BigInt>, row: &[Dyadic], negated: bool) -> i64 {
    let unit = row.iter().filter_map(Dyadic::lowest_bit).min().unwrap_or(0);
    for v in row {
        let integer = match v.sign() {
            Ordering::Equal => BigInt::from(0),
            _ => v.over_two_to(unit),
        };
        debug_assert_eq!(sign(&integer), v.sign());
        entries.push(if negated { -integer } else { integer });
    }
    unit
}
