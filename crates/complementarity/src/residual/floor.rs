//! The sizes between which a row of the problem is measured.
//!
//! From below: a row whose terms all vanish at a solution (the friction rows of an open contact, say) has no
//! size of its own: any 10⁻¹⁶ in it would look like a fault of order one. It is measured against
//! the rest of the problem. To compare rows of different units they are first brought to common
//! ones, in which the entries of the matrix are as equal as they can be ([`Balance`]); unknowns that
//! no chain of entries connects share no units, and have each a size of their own.
//!
//! From above: along the null space of M the terms of w can grow without limit and cancel, and beside
//! them q, and with it every fault, would vanish. So terms count up to a limit times q, in the same
//! common units.

use crate::linalg::{Balance, Entries};
use crate::tolerance::{RESIDUAL_FLOOR, RESIDUAL_GROWTH};

#[derive(Clone, Debug, Default)]
pub(super) struct Floor {
    balance: Balance,
    /// Which part a column, and a row, belongs to: the least column that it is connected with.
    part: Vec<usize>,
    row_part: Vec<usize>,
    largest: Vec<f64>,
    given: Vec<f64>,
    pub(super) hidden: Vec<f64>,
}

impl Floor {
    /// Makes room for n unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        self.balance.reserve(n);
        let Self { largest, given, hidden, part, row_part, .. } = self;
        for v in [largest, given, hidden] {
            v.clear();
            v.reserve(n);
        }
        for v in [part, row_part] {
            v.clear();
            v.reserve(n);
        }
    }

    /// Puts the size of each row between the limits, and keeps in `hidden` what rounding may hide in w.
    /// Returns how much the terms dwarf what is given, where they do most.
    pub(super) fn adjust(
        &mut self,
        m: &impl Entries,
        q: &[f64],
        bounds: impl Fn(usize) -> (f64, f64),
        z: &[f64],
        size: &mut [f64],
    ) -> f64 {
        let n = q.len();
        self.balance.compute(m, n);
        self.connect(m, n);
        for v in [&mut self.largest, &mut self.given] {
            v.clear();
            v.resize(n, 0.0);
        }
        for i in 0..n {
            let (l, u) = bounds(i);
            let forced = l.max(0.0) - u.min(0.0);
            let column = self.part[i];
            raise(&mut self.largest[column], z[i], -self.balance.column[i]);
            raise(&mut self.given[column], forced, -self.balance.column[i]);
            if let Some(row) = self.largest.get_mut(self.row_part[i]) {
                raise(row, size[i], self.balance.row[i]);
                raise(&mut self.given[self.row_part[i]], q[i], self.balance.row[i]);
            }
        }
        let mut growth = 0.0_f64;
        self.hidden.clear();
        self.hidden.extend(size.iter().map(|terms| f64::EPSILON * terms));
        for i in 0..n {
            let Some(&largest) = self.largest.get(self.row_part[i]) else { continue };
            let given = self.given[self.row_part[i]];
            let limit = if given > 0.0 { RESIDUAL_GROWTH * given } else { f64::INFINITY };
            growth = growth.max(RESIDUAL_GROWTH * largest / limit);
            let unit = (-self.balance.row[i]).exp2();
            let floor = RESIDUAL_FLOOR * largest.min(limit) * unit;
            if unit.is_finite() && floor.is_finite() {
                size[i] = size[i].min(limit * unit) + floor;
            }
        }
        growth
    }

    /// Labels the connected parts of the pattern of entries.
    fn connect(&mut self, m: &impl Entries, n: usize) {
        self.part.clear();
        self.part.extend(0..n);
        self.row_part.clear();
        self.row_part.resize(n, usize::MAX);
        let mut changed = true;
        let mut rounds = 0;
        while changed && rounds <= 2 * n {
            changed = false;
            rounds += 1;
            let Self { part, row_part, .. } = self;
            m.each(|i, j, v| {
                if v != 0.0 && row_part[i] != part[j] {
                    let least = row_part[i].min(part[j]);
                    row_part[i] = least;
                    part[j] = least;
                    changed = true;
                }
            });
        }
    }
}

/// Raises a maximum to |v| 2^exponent.
fn raise(largest: &mut f64, v: f64, exponent: f64) {
    if v != 0.0 {
        *largest = largest.max((v.abs().log2() + exponent).exp2());
    }
}
