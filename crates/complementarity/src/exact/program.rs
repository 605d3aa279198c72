//! The simplex method in integers.
//!
//! Notation: variables 0..n are x, n..n+m are s = A x + b with integer A, b. The dictionary writes each
//! basic variable as D x_B = T x_N + t with integers T, t and one common denominator D > 0, the size of
//! the determinant of the basis. A pivot divides by the D before it without a rest (Edmonds 1967,
//! Bareiss 1968), so numbers grow no longer than the minors of (A, b).

use super::dyadic::sign;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// What is asked of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    NonNegative,
    /// Fixed to zero.
    Zero,
    /// May have any sign; must be brought into the basis before the search.
    Free,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The vertex at hand is feasible.
    Feasible,
    /// This row can't be brought to where it must be, by raising it (true) or lowering it.
    Infeasible(usize, bool),
    /// The bound on work was reached.
    WorkLimit,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The number of columns and one more, for t.
    width: usize,
    /// m rows.
    rows: Vec<BigInt>,
    denominator: BigInt,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    kind: Vec<Kind>,
    /// Operations on words that may still be spent.
    work: u64,
}

impl Program {
    /// The system s = A x + b with A and b in `entries`, row by row, b last; at x = 0.
    pub(crate) fn new(columns: usize, entries: Vec<BigInt>, kind: Vec<Kind>, work: u64) -> Self {
        let rows = entries.len() / (columns + 1);
        let basic = (columns..columns + rows).collect();
        let nonbasic = (0..columns).collect();
        let denominator = BigInt::from(1);
        Self { width: columns + 1, rows: entries, denominator, basic, nonbasic, kind, work }
    }

    /// Operations on words that may still be spent.
    pub(crate) fn work_left(&self) -> u64 {
        self.work
    }

    /// Looks for a vertex, from the one at hand: one row after the other is brought to where it must
    /// be, over those that are there already.
    pub(crate) fn feasible(&mut self) -> End {
        while let Some((r, up)) = self.row_to_repair() {
            if self.work == 0 {
                return End::WorkLimit;
            }
            match self.climb(r, up) {
                Climb::Arrived => {}
                Climb::Stuck => return End::Infeasible(r, up),
                Climb::WorkLimit => return End::WorkLimit,
            }
        }
        if self.work == 0 { End::WorkLimit } else { End::Feasible }
    }

    /// Whether a variable is positive somewhere, from the vertex that [`feasible`](Self::feasible)
    /// found; `None` beyond the bound on work.
    pub(crate) fn can_be_positive(&mut self, v: usize) -> Option<bool> {
        if self.kind[v] == Kind::Zero {
            return Some(false);
        }
        if let Some(c) = self.nonbasic.iter().position(|&u| u == v) {
            match self.blocking(c, usize::MAX) {
                Some(r) if sign(self.value(r)) == Ordering::Equal => self.pivot(r, c),
                _ => return Some(true),
            }
        }
        let r = self.basic.iter().position(|&u| u == v)?;
        loop {
            if sign(self.value(r)) == Ordering::Greater {
                return Some(true);
            }
            if self.work == 0 {
                return None;
            }
            let Some(c) = self.entering(r, true) else { return Some(false) };
            match self.blocking(c, r) {
                Some(i) => self.pivot(i, c),
                None => return Some(true),
            }
        }
    }

    /// Brings columns into the basis and rows out of it, as many as are independent.
    pub(crate) fn exchange(&mut self, columns: &[usize], rows: &[usize]) {
        for &v in columns {
            let Some(c) = self.nonbasic.iter().position(|&u| u == v) else { continue };
            let usable = |&r: &usize| {
                rows.contains(&self.basic[r]) && sign(self.entry(r, c)) != Ordering::Equal
            };
            let shortest = (0..self.basic.len()).filter(usable);
            let shortest = shortest.min_by_key(|&r| self.entry(r, c).bits());
            if let Some(r) = shortest.filter(|_| self.work > 0) {
                self.pivot(r, c);
            }
        }
    }

    /// The combination y of the rows s that shows row r of the dictionary to be infeasible: y_i ≥ 0
    /// unless s_i is fixed, (Aᵀy)_j ≤ 0 unless x_j is fixed, bᵀy < 0. In positive multiples.
    pub(crate) fn farkas(&self, r: usize, up: bool) -> Vec<BigInt> {
        let columns = self.width - 1;
        let mut y = vec![BigInt::from(0); self.basic.len()];
        let signed = |v: &BigInt| if up { v.clone() } else { -v };
        if self.basic[r] >= columns {
            y[self.basic[r] - columns] = signed(&self.denominator);
        }
        for (c, &v) in self.nonbasic.iter().enumerate().filter(|(_, v)| **v >= columns) {
            y[v - columns] = -signed(self.entry(r, c));
        }
        y
    }

    /// The vertex at hand: x times the denominator, and the denominator.
    pub(crate) fn point(&self) -> (Vec<BigInt>, &BigInt) {
        let mut x = vec![BigInt::from(0); self.width - 1];
        for (r, &v) in self.basic.iter().enumerate().filter(|(_, v)| **v < self.width - 1) {
            x[v] = self.value(r).clone();
        }
        (x, &self.denominator)
    }

    /// The variables that are positive at the vertex at hand.
    pub(crate) fn positive(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = self.basic.iter().enumerate();
        rows.filter(|(r, _)| sign(self.value(*r)) == Ordering::Greater).map(|(_, &v)| v)
    }

    /// Whether the vertex that [`feasible`](Self::feasible) found is the only feasible point: no
    /// variable that is zero there can be positive. `None` beyond the bound on work.
    pub(crate) fn is_only(&mut self) -> Option<bool> {
        let zero: Vec<usize> = self.nonbasic.clone();
        for v in zero {
            if self.can_be_positive(v)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Raises or lowers row r until its variable is zero, which then leaves the basis. Rows that are
    /// where they must be stay so. The least variable goes first (Bland 1977), so it ends.
    fn climb(&mut self, r: usize, up: bool) -> Climb {
        loop {
            if self.work == 0 {
                return Climb::WorkLimit;
            }
            let Some(c) = self.entering(r, up) else { return Climb::Stuck };
            match self.blocking(c, r) {
                Some(i) if self.is_before(i, r, c) => self.pivot(i, c),
                _ => {
                    self.pivot(r, c);
                    return Climb::Arrived;
                }
            }
            if sign(self.value(r)) != if up { Ordering::Less } else { Ordering::Greater } {
                return Climb::Arrived;
            }
        }
    }

    /// The column of the least variable that improves row r.
    fn entering(&self, r: usize, up: bool) -> Option<usize> {
        let better = if up { Ordering::Greater } else { Ordering::Less };
        let improves = |&c: &usize| {
            self.kind[self.nonbasic[c]] == Kind::NonNegative && sign(self.entry(r, c)) == better
        };
        (0..self.nonbasic.len()).filter(improves).min_by_key(|&c| self.nonbasic[c])
    }

    /// The row other than `target` that first becomes negative as column c grows; of several that of
    /// the least variable.
    fn blocking(&self, c: usize, target: usize) -> Option<usize> {
        let falls = |&r: &usize| {
            r != target
                && self.kind[self.basic[r]] == Kind::NonNegative
                && sign(self.value(r)) != Ordering::Less
                && sign(self.entry(r, c)) == Ordering::Less
        };
        (0..self.basic.len()).filter(falls).reduce(|best, r| {
            // value / −entry of each, cross-multiplied.
            let (ours, theirs) =
                (self.value(r) * self.entry(best, c), self.value(best) * self.entry(r, c));
            match ours.cmp(&theirs) {
                Ordering::Greater => r,
                Ordering::Equal if self.basic[r] < self.basic[best] => r,
                _ => best,
            }
        })
    }

    /// Whether row i becomes negative before row r becomes zero, as column c grows.
    fn is_before(&self, i: usize, r: usize, c: usize) -> bool {
        // value_i / −entry_i < −value_r / entry_r, where −value_r and entry_r have the same sign.
        let ours = self.value(i) * self.entry(r, c);
        let theirs = self.value(r) * self.entry(i, c);
        if sign(self.entry(r, c)) == Ordering::Greater { ours < theirs } else { ours > theirs }
    }

    /// A row whose variable is not where it must be, and whether it must rise. Fixed variables come
    /// first: they leave the basis and never return.
    fn row_to_repair(&mut self) -> Option<(usize, bool)> {
        for r in 0..self.basic.len() {
            if self.kind[self.basic[r]] != Kind::Zero {
                continue;
            }
            match sign(self.value(r)) {
                Ordering::Less => return Some((r, true)),
                Ordering::Greater => return Some((r, false)),
                Ordering::Equal => {
                    let usable = |&c: &usize| {
                        self.kind[self.nonbasic[c]] == Kind::NonNegative
                            && sign(self.entry(r, c)) != Ordering::Equal
                    };
                    if let Some(c) = (0..self.nonbasic.len()).find(usable) {
                        self.pivot(r, c);
                    }
                }
            }
        }
        let is_negative = |&r: &usize| {
            self.kind[self.basic[r]] == Kind::NonNegative && sign(self.value(r)) == Ordering::Less
        };
        (0..self.basic.len()).find(is_negative).map(|r| (r, true))
    }

    /// Exchanges the basic variable of row r and the nonbasic one of column c.
    fn pivot(&mut self, r: usize, c: usize) {
        let width = self.width;
        let row: Vec<BigInt> = self.rows[r * width..(r + 1) * width].to_vec();
        let p = row[c].clone();
        let negative = sign(&p) == Ordering::Less;
        let mut spent = 0;
        for (i, other) in self.rows.chunks_exact_mut(width).enumerate().filter(|(i, _)| *i != r) {
            debug_assert_ne!(i, r);
            let factor = other[c].clone();
            for (j, v) in other.iter_mut().enumerate().filter(|(j, _)| *j != c) {
                let mut top = &p * &*v;
                if sign(&factor) != Ordering::Equal && sign(&row[j]) != Ordering::Equal {
                    top -= &factor * &row[j];
                }
                spent += cost(&top);
                *v = if sign(&top) == Ordering::Equal { top } else { top / &self.denominator };
                if negative {
                    *v = -std::mem::take(v);
                }
            }
            if negative {
                other[c] = -factor;
            }
        }
        for (j, v) in self.rows[r * width..(r + 1) * width].iter_mut().enumerate() {
            *v = match (j == c, negative) {
                (true, false) => self.denominator.clone(),
                (true, true) => -&self.denominator,
                (false, false) => -&row[j],
                (false, true) => row[j].clone(),
            };
        }
        self.denominator = if negative { -p } else { p };
        std::mem::swap(&mut self.basic[r], &mut self.nonbasic[c]);
        self.work = self.work.saturating_sub(spent);
    }

    fn entry(&self, r: usize, c: usize) -> &BigInt {
        &self.rows[r * self.width + c]
    }

    fn value(&self, r: usize) -> &BigInt {
        self.entry(r, self.width - 1)
    }
}

enum Climb {
    Arrived,
    Stuck,
    WorkLimit,
}

/// What an exact product of this length and its division cost, in products of words.
fn cost(v: &BigInt) -> u64 {
    let words = v.bits() / 128 + 1;
    40 + 2 * words * words
}
