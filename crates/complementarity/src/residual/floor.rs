//! The sizes between which a row of the problem is measured.
//!
//! From below: a row whose terms all vanish at a solution (the friction rows of an open contact, say) has no
//! size of its own: any 10⁻¹⁶ in it would look like a fault of order one. It is measured against
//! the rest of the problem. To compare rows of different units they are first brought to common
//! ones: ρ and γ minimise Σ (log₂|m_ij| + ρ_i + γ_j)² over the entries that are not zero, which
//! makes the entries of 2^ρ_i m_ij 2^γ_j as equal as they can be. A change of units shifts ρ and γ
//! and leaves the scaled entries as they are; unknowns that no chain of entries connects share
//! no units, and have each a size of their own.
//!
//! From above: along the null space of M the terms of w can grow without limit and cancel, and beside
//! them q, and with it every fault, would vanish. So terms count up to a limit times q, in the same
//! common units.

/// Terms count up to this times the largest of q, and of the values that the bounds force.
pub(super) const GROWTH: f64 = 1e6;

/// Rounding is this part of the largest number of a connected part of the problem, as a multiple
/// of the tolerance: at a tolerance of 10⁻¹⁰, numbers below 10⁻¹⁴ of the largest one are rounding.
const FLOOR: f64 = 1e-4;

#[derive(Clone, Debug, Default)]
pub(super) struct Floor {
    row: Vec<f64>,
    column: Vec<f64>,
    /// Which part a column, and a row, belongs to: the least column that it is connected with.
    part: Vec<usize>,
    row_part: Vec<usize>,
    largest: Vec<f64>,
    given: Vec<f64>,
    sum: Vec<f64>,
    count: Vec<f64>,
}

/// Calls the function it is given for each entry (row, column, value) of the matrix.
pub(super) trait Entries {
    fn each(&self, f: impl FnMut(usize, usize, f64));
}

impl Floor {
    /// Makes room for n unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        let Self { row, column, largest, given, sum, count, part, row_part } = self;
        for v in [row, column, largest, given, sum, count] {
            v.clear();
            v.reserve(n);
        }
        for v in [part, row_part] {
            v.clear();
            v.reserve(n);
        }
    }

    /// Puts the size of each row between the limits. Returns what rounding may have hidden in w, in
    /// parts of the adjusted size, where that is most, and in which row.
    pub(super) fn adjust(
        &mut self,
        m: &impl Entries,
        q: &[f64],
        bounds: impl Fn(usize) -> (f64, f64),
        z: &[f64],
        size: &mut [f64],
    ) -> (f64, usize) {
        let n = q.len();
        self.balance(m, n);
        self.connect(m, n);
        for v in [&mut self.largest, &mut self.given] {
            v.clear();
            v.resize(n, 0.0);
        }
        for i in 0..n {
            let (l, u) = bounds(i);
            let forced = l.max(0.0) - u.min(0.0);
            let column = self.part[i];
            raise(&mut self.largest[column], z[i], -self.column[i]);
            raise(&mut self.given[column], forced, -self.column[i]);
            if let Some(row) = self.largest.get_mut(self.row_part[i]) {
                raise(row, size[i], self.row[i]);
                raise(&mut self.given[self.row_part[i]], q[i], self.row[i]);
            }
        }
        let mut lost = (0.0, 0);
        for i in 0..n {
            let Some(&largest) = self.largest.get(self.row_part[i]) else { continue };
            let given = self.given[self.row_part[i]];
            let limit = if given > 0.0 { GROWTH * given } else { f64::INFINITY };
            let unit = (-self.row[i]).exp2();
            let floor = FLOOR * largest.min(limit) * unit;
            if unit.is_finite() && floor.is_finite() {
                let terms = size[i];
                size[i] = terms.min(limit * unit) + floor;
                let hidden = f64::EPSILON * terms / size[i];
                if hidden > lost.0 {
                    lost = (hidden, i);
                }
            }
        }
        lost
    }

    /// Alternating minimisation; one sweep is exact for a full matrix.
    fn balance(&mut self, m: &impl Entries, n: usize) {
        const SWEEPS: usize = 100;
        const CLOSE: f64 = 0.02;
        for v in [&mut self.row, &mut self.column] {
            v.clear();
            v.resize(n, 0.0);
        }
        for _ in 0..SWEEPS {
            let Self { row, column, sum, count, .. } = self;
            mean(m, n, sum, count, |i, j| (i, column[j]));
            row.iter_mut().zip(&*sum).for_each(|(r, s)| *r = -s);
            mean(m, n, sum, count, |i, j| (j, row[i]));
            let mut change = 0.0_f64;
            for (c, s) in column.iter_mut().zip(&*sum) {
                change = change.max((*c + s).abs());
                *c = -s;
            }
            if change <= CLOSE {
                break;
            }
        }
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

/// Fills `sum` with the mean of log₂|m_ij| plus a term over the entries that belong to each index;
/// `pick(i, j)` is that index and that term.
fn mean(
    m: &impl Entries,
    n: usize,
    sum: &mut Vec<f64>,
    count: &mut Vec<f64>,
    pick: impl Fn(usize, usize) -> (usize, f64),
) {
    for v in [&mut *sum, &mut *count] {
        v.clear();
        v.resize(n, 0.0);
    }
    m.each(|i, j, v| {
        if v != 0.0 {
            let (at, term) = pick(i, j);
            sum[at] += log2(v) + term;
            count[at] += 1.0;
        }
    });
    for (s, c) in sum.iter_mut().zip(count) {
        *s /= c.max(1.0);
    }
}

/// log₂|v| of a v that is not zero to within 0.09, exactly additive for powers of two.
fn log2(v: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = v.abs().to_bits();
    let fraction = (bits & MANTISSA) as f64 / (MANTISSA + 1) as f64;
    (bits >> 52) as f64 - 1023.0 + fraction
}
