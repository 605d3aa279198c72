//! Numbers and vectors with their rates, so that positions and velocities come from one formula.

use glam::DVec3;
use std::ops::{Add, Mul, Neg, Sub};

/// A number and its rate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scalar {
    pub(crate) value: f64,
    pub(crate) rate: f64,
}

/// A vector and its rate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vector {
    pub(crate) value: DVec3,
    pub(crate) rate: DVec3,
}

impl Scalar {
    pub(crate) fn constant(value: f64) -> Self {
        Self { value, rate: 0.0 }
    }

    pub(crate) fn inverse(self) -> Self {
        let value = 1.0 / self.value;
        Self { value, rate: -self.rate * value * value }
    }
}

impl Vector {
    pub(crate) fn dot(self, o: Self) -> Scalar {
        Scalar {
            value: self.value.dot(o.value),
            rate: self.rate.dot(o.value) + self.value.dot(o.rate),
        }
    }

    pub(crate) fn cross(self, o: Self) -> Self {
        Self {
            value: self.value.cross(o.value),
            rate: self.rate.cross(o.value) + self.value.cross(o.rate),
        }
    }

    /// The part across a unit vector. It is taken twice, as of a vector that is nearly along the unit vector rounding leaves a part
    /// along it.
    pub(crate) fn across(self, unit: Self) -> Self {
        let once = self - unit * self.dot(unit);
        once - unit * once.dot(unit)
    }

    /// Length and direction; the fallback is the direction of a vector without length, whose direction is at rest.
    pub(crate) fn polar(self, fallback: DVec3) -> (Scalar, Self) {
        let length = self.value.length();
        if !(length > 0.0) {
            let rate = self.rate.dot(fallback);
            return (Scalar { value: 0.0, rate }, Self { value: fallback, rate: DVec3::ZERO });
        }
        let unit = self.value / length;
        let along = self.rate.dot(unit);
        let rate = (self.rate - along * unit) / length;
        (Scalar { value: length, rate: along }, Self { value: unit, rate })
    }
}

impl Add for Scalar {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { value: self.value + o.value, rate: self.rate + o.rate }
    }
}

impl Sub for Scalar {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { value: self.value - o.value, rate: self.rate - o.rate }
    }
}

impl Mul for Scalar {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { value: self.value * o.value, rate: self.rate * o.value + self.value * o.rate }
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { value: self.value + o.value, rate: self.rate + o.rate }
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { value: self.value - o.value, rate: self.rate - o.rate }
    }
}

impl Neg for Vector {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, rate: -self.rate }
    }
}

impl Mul<Scalar> for Vector {
    type Output = Self;
    fn mul(self, s: Scalar) -> Self {
        Self { value: s.value * self.value, rate: s.rate * self.value + s.value * self.rate }
    }
}

impl Mul<f64> for Vector {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { value: s * self.value, rate: s * self.rate }
    }
}
