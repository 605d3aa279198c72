//! Two kinds of number whose sign can be trusted: integers, and intervals that enclose a real.
//!
//! A matrix class is decided by signs. Floating point alone cannot tell a minor of zero from one
//! of 10⁻¹⁷, so small matrices of integers (up to a power of two) are treated exactly, and others
//! in interval arithmetic, which says when it does not know.

use crate::Matrix;
use crate::tolerance::{INTERVAL_NARROW, INTERVAL_UNDERFLOW};

/// A sign that is known, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Negative,
    Zero,
    Positive,
    Unsure,
}

/// What elimination needs.
pub(crate) trait Number: Copy {
    const ZERO: Self;
    const ONE: Self;
    /// Whether elimination keeps a common denominator (see [`Number::eliminate`]).
    const FRACTION_FREE: bool;

    fn sign(self) -> Sign;
    fn negate(self) -> Self;
    fn plus(self, other: Self) -> Self;
    /// For the choice of pivots only.
    fn size(self) -> f64;

    /// The entry a after the elimination of its row's entry b by a pivot p whose row has c in a's
    /// column: a − b c / p. Integers keep the common denominator `previous`, the pivot before:
    /// (p a − b c) / previous, which Sylvester's identity makes an integer (Bareiss 1968).
    fn eliminate(a: Self, b: Self, c: Self, p: Self, previous: Self) -> Self;

    /// self / p; integers keep the denominator |p| for themselves and only take its sign.
    fn over(self, p: Self) -> Self;

    /// A vector with the direction of this one, in short numbers where possible.
    fn direction(v: &[Self]) -> Vec<f64>;
}

impl Number for i128 {
    const ZERO: Self = 0;
    const ONE: Self = 1;
    const FRACTION_FREE: bool = true;

    fn sign(self) -> Sign {
        match self.signum() {
            -1 => Sign::Negative,
            0 => Sign::Zero,
            _ => Sign::Positive,
        }
    }

    fn negate(self) -> Self {
        -self
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn size(self) -> f64 {
        (self as f64).abs()
    }

    fn eliminate(a: Self, b: Self, c: Self, p: Self, previous: Self) -> Self {
        let top = p * a - b * c;
        // The usual case, and much faster than a division of 128 bits.
        match (i64::try_from(top), i64::try_from(previous)) {
            (Ok(top), Ok(previous)) => (top / previous) as i128,
            _ => top / previous,
        }
    }

    fn over(self, p: Self) -> Self {
        if p < 0 { -self } else { self }
    }

    fn direction(v: &[Self]) -> Vec<f64> {
        let common = v.iter().fold(0, |g, &x| gcd(g, x.unsigned_abs())).max(1) as i128;
        v.iter().map(|x| (x / common) as f64).collect()
    }
}

/// All reals from `lo` to `hi`.
///
/// Every operation rounds outwards, and only where it rounds at all: the error of a sum, a product
/// or a quotient is itself computed (Dekker 1971), so that small integers stay points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Interval {
    const WHOLE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    pub(crate) const fn point(v: f64) -> Self {
        Self { lo: v, hi: v }
    }

    fn middle(self) -> f64 {
        if self.is_point() { self.lo } else { 0.5 * self.lo + 0.5 * self.hi }
    }

    pub(crate) fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Whether it holds a number up to the rounding of that.
    pub(crate) fn nearly_holds(self, v: f64) -> bool {
        let rounding = 4.0 * f64::EPSILON * v.abs();
        self.lo - rounding <= v && v <= self.hi + rounding
    }

    /// Whether its bounds are close to each other.
    pub(crate) fn is_narrow(self) -> bool {
        self.hi - self.lo <= INTERVAL_NARROW * self.size()
    }

    pub(crate) fn add(self, o: Self) -> Self {
        Self::ordered(sum(self.lo, o.lo).0, sum(self.hi, o.hi).1)
    }

    pub(crate) fn sub(self, o: Self) -> Self {
        self.add(o.negate())
    }

    pub(crate) fn mul(self, o: Self) -> Self {
        if self.is_point() && o.is_point() {
            let (lo, hi) = product(self.lo, o.lo);
            return Self::ordered(lo, hi);
        }
        let corners = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi];
        Self::around(corners)
    }

    /// self / o; everything if o may be zero.
    pub(crate) fn div(self, o: Self) -> Self {
        if !(o.lo > 0.0 || o.hi < 0.0) {
            return Self::WHOLE;
        }
        if self.is_point() && o.is_point() {
            let (lo, hi) = quotient(self.lo, o.lo);
            return Self::ordered(lo, hi);
        }
        let corners = [self.lo / o.lo, self.lo / o.hi, self.hi / o.lo, self.hi / o.hi];
        Self::around(corners)
    }

    /// From the least to the greatest of the rounded values, and one step further.
    fn around(corners: [f64; 4]) -> Self {
        if corners.iter().any(|v| v.is_nan()) {
            return Self::WHOLE;
        }
        let [a, b, c, d] = corners;
        Self { lo: a.min(b).min(c.min(d)).next_down(), hi: a.max(b).max(c.max(d)).next_up() }
    }

    /// A bound that is NaN (∞ − ∞, 0·∞) says nothing.
    fn ordered(lo: f64, hi: f64) -> Self {
        if lo <= hi { Self { lo, hi } } else { Self::WHOLE }
    }
}

impl Number for Interval {
    const ZERO: Self = Self::point(0.0);
    const ONE: Self = Self::point(1.0);
    const FRACTION_FREE: bool = false;

    fn sign(self) -> Sign {
        if self.lo > 0.0 {
            Sign::Positive
        } else if self.hi < 0.0 {
            Sign::Negative
        } else if self.lo == 0.0 && self.hi == 0.0 {
            Sign::Zero
        } else {
            Sign::Unsure
        }
    }

    fn negate(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }

    fn plus(self, other: Self) -> Self {
        self.add(other)
    }

    fn size(self) -> f64 {
        // The smallest absolute value: 0 if the sign is unsure.
        self.lo.max(-self.hi).max(0.0)
    }

    fn eliminate(a: Self, b: Self, c: Self, p: Self, _: Self) -> Self {
        if b.sign() == Sign::Zero || c.sign() == Sign::Zero {
            return a;
        }
        // b / p first: it is exact where two rows are equal or opposite, and so is the rest.
        a.sub(b.div(p).mul(c))
    }

    fn over(self, p: Self) -> Self {
        self.div(p)
    }

    fn direction(v: &[Self]) -> Vec<f64> {
        let sizes = v.iter().map(|x| x.middle().abs());
        let largest = sizes.fold(0.0, f64::max);
        let usable = largest > 0.0 && largest.is_finite();
        let exponent = if usable { -highest_bit(largest) } else { 0 };
        v.iter().map(|x| times_two_to(x.middle(), exponent)).collect()
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// a + b rounded down and up.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let bb = s - a;
    let error = (a - (s - bb)) + (b - bb);
    outwards(s, error)
}

/// a b rounded down and up.
fn product(a: f64, b: f64) -> (f64, f64) {
    if a == 0.0 || b == 0.0 {
        return (0.0, 0.0);
    }
    let p = a * b;
    if p.abs() < INTERVAL_UNDERFLOW {
        return (p.next_down(), p.next_up());
    }
    outwards(p, a.mul_add(b, -p))
}

/// a / b rounded down and up.
fn quotient(a: f64, b: f64) -> (f64, f64) {
    if a == 0.0 {
        return (0.0, 0.0);
    }
    let q = a / b;
    if q.abs() < INTERVAL_UNDERFLOW || a.abs() < INTERVAL_UNDERFLOW {
        return (q.next_down(), q.next_up());
    }
    let rest = (-q).mul_add(b, a);
    outwards(q, if b > 0.0 { rest } else { -rest })
}

/// Bounds of v + error where |error| is at most half a unit in the last place of v.
fn outwards(v: f64, error: f64) -> (f64, f64) {
    if !v.is_finite() || error.is_nan() {
        // An overflow: the true value lies beyond the largest number, or is unknown.
        return if v == f64::INFINITY {
            (f64::MAX, v)
        } else if v == f64::NEG_INFINITY {
            (v, f64::MIN)
        } else {
            (f64::NAN, f64::NAN)
        };
    }
    let lo = if error < 0.0 { v.next_down() } else { v };
    let hi = if error > 0.0 { v.next_up() } else { v };
    (lo, hi)
}

/// The entries of a square matrix as integers over a common power of two, if all its minors and
/// the products of two of them fit into 128 bits.
pub(crate) fn integers(m: &Matrix) -> Option<Vec<i128>> {
    let (unit, span) = common_unit(m);
    if span > 60 || hadamard_bits(m, unit) > 60.0 {
        return None;
    }
    let integer = |&v: &f64| times_two_to(v, -unit) as i128;
    Some(m.as_slice().iter().map(integer).collect())
}

/// The lowest bit that is set in any entry, and the number of bits from there to the highest.
pub(crate) fn common_unit(m: &Matrix) -> (i32, i32) {
    let nonzero = || m.as_slice().iter().filter(|v| **v != 0.0);
    let unit = nonzero().map(|&v| lowest_bit(v)).min().unwrap_or(0);
    let top = nonzero().map(|&v| highest_bit(v)).max().unwrap_or(0);
    (unit, top - unit)
}

/// Hadamard's bound on the minors of M / 2^unit, in bits: the product of the norms of the rows, or
/// of the columns.
pub(crate) fn hadamard_bits(m: &Matrix, unit: i32) -> f64 {
    // An entry of b bits is below 2^b; the norm of n of them below √n 2^b.
    let bits = |v: f64| {
        if v == 0.0 { 0 } else { highest_bit(v) + 1 - unit }
    };
    let n = m.rows();
    let line = |largest: Option<i32>| f64::from(largest.unwrap_or(0)) + 0.5 * (n as f64).log2();
    let rows: f64 = (0..n).map(|i| line((0..n).map(|j| bits(m[(i, j)])).max())).sum();
    let columns: f64 = (0..n).map(|j| line((0..n).map(|i| bits(m[(i, j)])).max())).sum();
    rows.min(columns)
}

/// The entries of a matrix as intervals.
pub(crate) fn intervals(m: &Matrix) -> Vec<Interval> {
    m.as_slice().iter().map(|&v| Interval::point(v)).collect()
}

/// v 2^e, exact unless it overflows or underflows.
pub(crate) fn times_two_to(v: f64, e: i32) -> f64 {
    v * 2f64.powi(e / 2) * 2f64.powi(e - e / 2)
}

/// The exponent of the highest bit of a finite number other than zero.
pub(crate) fn highest_bit(v: f64) -> i32 {
    let biased = ((v.to_bits() >> 52) & 0x7ff) as i32;
    if biased > 0 {
        biased - 1023
    } else {
        // Subnormal: count from the lowest bit, 2^-1074.
        -1074 + 63 - (v.to_bits() & MANTISSA).leading_zeros() as i32
    }
}

fn lowest_bit(v: f64) -> i32 {
    let mantissa = v.to_bits() & MANTISSA;
    let biased = ((v.to_bits() >> 52) & 0x7ff) as i32;
    if biased == 0 {
        -1074 + mantissa.trailing_zeros() as i32
    } else {
        biased - 1075 + (mantissa | 1 << 52).trailing_zeros() as i32
    }
}

const MANTISSA: u64 = (1 << 52) - 1;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn integers_stay_points_and_thirds_do_not() {
        let three = Interval::point(3.0);
        let third = Interval::ONE.div(three);
        assert!(third.lo < third.hi && third.lo.next_up() == third.hi);
        assert!(Interval::point(6.0).div(three).is_point());
        assert_eq!(third.mul(three).sub(Interval::ONE).sign(), Sign::Unsure);
        assert_eq!(three.mul(three).sub(Interval::point(9.0)).sign(), Sign::Zero);
    }

    #[test]
    fn overflow_and_division_by_zero_are_unknown_not_wrong() {
        let huge = Interval::point(1e308);
        let more = huge.mul(huge);
        assert!(more.lo >= 1e308 && more.hi == f64::INFINITY);
        assert_eq!(more.sub(more).sign(), Sign::Unsure);
        assert_eq!(Interval::ONE.div(Interval::ZERO), Interval::WHOLE);
        let tiny = Interval::point(5e-324);
        assert_eq!(tiny.mul(tiny).sign(), Sign::Unsure);
    }

    #[test]
    fn a_matrix_of_small_dyadic_numbers_is_one_of_integers() {
        let m = Matrix::from_rows(&[[0.5, -3.0], [0.0, 0.25]]).unwrap();
        assert_eq!(integers(&m), Some(vec![2, -12, 0, 1]));
        let tiny = Matrix::from_rows(&[[5e-324, 1.5e-323]]).unwrap();
        assert_eq!(lowest_bit(tiny[(0, 0)]), -1074);
        assert_eq!(highest_bit(tiny[(0, 1)]), -1073);
        assert_eq!(integers(&Matrix::from_fn(2, 2, |_, _| 0.1)), None);
        assert!(integers(&Matrix::from_fn(1, 1, |_, _| 1e308)).is_some());
    }

    proptest! {
        #[test]
        fn an_interval_holds_the_exact_result(a in -1000i64..1000, b in -1000i64..1000, c in 1i64..1000) {
            // (a/c + b/c) · c = a + b, with rounding on the way.
            let [ia, ib, ic] = [a, b, c].map(|v| Interval::point(v as f64));
            let back = ia.div(ic).add(ib.div(ic)).mul(ic);
            prop_assert!(back.lo <= (a + b) as f64 && (a + b) as f64 <= back.hi);
            prop_assert!(back.hi - back.lo < 1e-11);
        }
    }
}
