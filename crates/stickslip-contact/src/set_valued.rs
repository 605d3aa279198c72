//! The two set-valued elements of planar contact, \[3\] section 2: the unilateral primitive Upr and the
//! filled-in relay Sgn, with the decomposition of the relay into two primitives.
//!
//! ```
//! use stickslip_contact::set_valued::{Decomposition, sgn, upr};
//!
//! // -y ∈ Upr(x) says: x and y are not negative and one of them is zero, \[3\] eq. (2).
//! assert!(upr(0.0).contains(-3.0) && !upr(1.0).contains(-3.0));
//! // A relay at rest transmits anything between -1 and 1.
//! assert!(sgn(0.0).contains(0.4));
//! // \[3\] eq. (4): x = x_R - x_L.
//! let d = Decomposition::of(-2.0);
//! assert_eq!((d.right, d.left), (0.0, 2.0));
//! ```

/// A closed interval; a single value if both ends are equal, empty if `low > high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

impl Interval {
    /// No value at all.
    pub const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    /// One value.
    #[must_use]
    pub fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Whether `value` is in the interval.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// How far `value` is from the interval; infinite if the interval is empty.
    #[must_use]
    pub fn distance(self, value: f64) -> f64 {
        (self.low - value).max(value - self.high).max(0.0)
    }

    /// Every value with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        if self.low > self.high { self } else { Self { low: -self.high, high: -self.low } }
    }

    /// Every value multiplied by `factor >= 0` and then shifted.
    #[must_use]
    pub fn scaled(self, factor: f64, shift: f64) -> Self {
        let scale = |v: f64| if factor == 0.0 { shift } else { factor * v + shift };
        if self.low > self.high {
            self
        } else {
            Self { low: scale(self.low), high: scale(self.high) }
        }
    }
}

/// The unilateral primitive, \[3\] eq. (1): {0} for x > 0, (−∞, 0] at 0, empty for x < 0.
#[must_use]
pub fn upr(x: f64) -> Interval {
    if x > 0.0 {
        Interval::point(0.0)
    } else if x == 0.0 {
        Interval { low: f64::NEG_INFINITY, high: 0.0 }
    } else {
        Interval::EMPTY
    }
}

/// The filled-in relay, \[3\] eq. (3): {sign of x}, and the whole of [−1, 1] at 0.
#[must_use]
pub fn sgn(x: f64) -> Interval {
    if x > 0.0 {
        Interval::point(1.0)
    } else if x < 0.0 {
        Interval::point(-1.0)
    } else if x == 0.0 {
        Interval { low: -1.0, high: 1.0 }
    } else {
        Interval::EMPTY
    }
}

/// A slip x = x_R − x_L split as in \[3\] eqs. (4) and (26), with the least parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// x_R ≥ 0.
    pub right: f64,
    /// x_L ≥ 0.
    pub left: f64,
}

impl Decomposition {
    /// The parts of `x`: max(x, 0) and max(−x, 0).
    #[must_use]
    pub fn of(x: f64) -> Self {
        Self { right: x.max(0.0), left: (-x).max(0.0) }
    }

    /// Whether −y ∈ Sgn(x_R − x_L) by the two complementarities of \[3\] eq. (5).
    #[must_use]
    pub fn transmits(self, y: f64) -> bool {
        let pair = |a: f64, b: f64| a >= 0.0 && b >= 0.0 && a * b == 0.0;
        pair(1.0 + y, self.right) && pair(1.0 - y, self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![Just(0.0), Just(1.0), Just(-1.0), -3.0..3.0]
    }

    proptest! {
        #[test]
        fn upr_is_the_complementarity_of_equation_2(x in number(), y in number()) {
            prop_assert_eq!(upr(x).contains(-y), x >= 0.0 && y >= 0.0 && x * y == 0.0);
        }

        #[test]
        fn both_maps_are_monotone(x in number(), dx in 0.0..2.0, s in 0.0..1.0) {
            for map in [upr, sgn] {
                let (a, b) = (map(x), map(x + dx));
                if dx > 0.0 && a.low <= a.high && b.low <= b.high {
                    prop_assert!(a.high <= b.low, "{:?} {:?} at {} {} {}", a, b, x, dx, s);
                }
            }
        }

        #[test]
        fn the_relay_is_two_primitives(x in number(), y in number()) {
            // [3] eqs. (4), (5): the least parts exist if and only if -y is in Sgn(x).
            let d = Decomposition::of(x);
            prop_assert_eq!(sgn(x).contains(-y), d.transmits(y));
            let (r, l) = (upr(d.right), upr(d.left));
            let by_inclusion = r.scaled(1.0, 1.0).contains(-y) && l.contains(y - 1.0);
            prop_assert_eq!(by_inclusion, d.transmits(y));
            prop_assert_eq!(d.right - d.left, x);
        }

        #[test]
        fn no_larger_parts_transmit_more(x in number(), y in number(), more in 0.01..2.0) {
            let d = Decomposition::of(x);
            let larger = Decomposition { right: d.right + more, left: d.left + more };
            prop_assert!(!larger.transmits(y));
        }
    }

    #[test]
    fn not_a_number_is_in_no_image() {
        assert!(!upr(f64::NAN).contains(0.0) && !sgn(f64::NAN).contains(0.0));
        assert!(Interval::EMPTY.distance(0.0).is_infinite());
    }
}
