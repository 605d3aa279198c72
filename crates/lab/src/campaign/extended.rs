//! Numbers of twice the precision, as unevaluated sums of two: about 32 digits.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extended {
    high: f64,
    low: f64,
}

pub(super) fn x(value: f64) -> Extended {
    Extended { high: value, low: 0.0 }
}

impl Extended {
    /// The exact sum of two numbers.
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Self { high, low: (a - (high - part)) + (b - part) }
    }

    /// The same for |a| ≥ |b|.
    fn quick(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    pub(super) fn value(self) -> f64 {
        self.high + self.low
    }

    pub(super) fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    pub(super) fn max(self, other: Self) -> Self {
        if (self - other).high >= 0.0 { self } else { other }
    }

    pub(super) fn min(self, other: Self) -> Self {
        -(-self).max(-other)
    }

    pub(super) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::default();
        }
        // Karp's trick: one Newton step, of which only the correction needs the precision.
        let root = self.high.sqrt();
        let rest = (self - x(root) * x(root)).high;
        Self::sum(root, 0.5 * rest / root)
    }
}

impl Neg for Extended {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for Extended {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (s, t) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let s = Self::quick(s.high, s.low + t.high);
        Self::quick(s.high, s.low + t.low)
    }
}

impl Sub for Extended {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Extended {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high);
        Self::quick(high, low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Extended {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * x(first);
        let second = rest.high / other.high;
        let rest = rest - other * x(second);
        Self::quick(first, second) + x(rest.high / other.high)
    }
}

pub(super) fn dot(a: &[Extended], b: &[Extended]) -> Extended {
    a.iter().zip(b).fold(Extended::default(), |s, (a, b)| s + *a * *b)
}

pub(super) fn norm(v: &[Extended]) -> Extended {
    // Far from 1, squares would leave the range of the exponent.
    let big = v.iter().fold(0.0_f64, |m, c| m.max(c.value().abs()));
    if big == 0.0 {
        return Extended::default();
    }
    let unit: Vec<_> = v.iter().map(|c| *c / x(big)).collect();
    dot(&unit, &unit).sqrt() * x(big)
}

#[test]
fn products_roots_and_quotients_have_thirty_digits() {
    let third = x(1.0) / x(3.0);
    let two = x(2.0).sqrt() * x(2.0).sqrt();
    assert!((third * x(3.0) - x(1.0)).value().abs() < 1e-30);
    assert!((two - x(2.0)).value().abs() < 1e-30);
    // (2²⁷ + 1)² is not a double.
    let square = x(134_217_729.0) * x(134_217_729.0);
    assert_eq!((square - x(18_014_398_777_917_440.0)).value(), 1.0);
}
