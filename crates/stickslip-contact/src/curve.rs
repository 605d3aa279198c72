//! How the coefficient of friction depends on slip: a static coefficient, or a curve over the slip speed.

use crate::error::{Error, check};
use std::fmt;
use std::sync::Arc;

/// How the coefficient of friction of a [`Law`](crate::Law) depends on slip.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum SlipDependence {
    /// It does not.
    #[default]
    None,
    /// Another one, μ_s ≥ μ, where the contact does not slip.
    Static(f64),
    /// μ(s) of the slip speed s = |γ_T⁺|, that of the answer itself: the law is implicit. Then `mu` of the law is μ(0).
    Speed(FrictionCurve),
}

/// The coefficient of friction over the slip speed: continuous, finite and nowhere negative.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FrictionCurve {
    /// Falls from rest to sliding, and may rise again.
    Stribeck(Arc<Stribeck>),
    /// Straight lines between points (s, μ).
    Table(Arc<[[f64; 2]]>),
    /// Anything else.
    User(Arc<dyn UserCurve>),
}

/// μ(s) = μ_k + (μ_s − μ_k) exp(−(s/v)^δ) + c s.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Stribeck {
    /// μ_s, at rest.
    #[cfg_attr(feature = "serde", serde(rename = "static"))]
    pub rest: f64,
    /// μ_k, far beyond the speed v.
    pub kinetic: f64,
    /// v.
    pub speed: f64,
    /// δ, default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub exponent: f64,
    /// c, default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub viscous: f64,
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

/// A curve of the user's own, which has no text in files.
pub trait UserCurve: fmt::Debug + Send + Sync {
    /// μ at the slip speed s ≥ 0.
    fn coefficient(&self, speed: f64) -> f64;
}

/// A closure as a curve.
struct Closure<F>(F);

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function of the slip speed")
    }
}

impl<F: Fn(f64) -> f64 + Send + Sync> UserCurve for Closure<F> {
    fn coefficient(&self, speed: f64) -> f64 {
        (self.0)(speed)
    }
}

/// Points at which the range of a user's curve over an interval is sampled, and what is added to it as a share of its width.
const SAMPLES: u32 = 8;
const ADDED: f64 = 0.1;

impl FrictionCurve {
    /// μ(s) as a function.
    #[must_use]
    pub fn from_fn(f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::User(Arc::new(Closure(f)))
    }

    /// Straight lines between points (s, μ), in the order of their speeds, the first at rest; constant beyond the last.
    #[must_use]
    pub fn table(points: &[[f64; 2]]) -> Self {
        Self::Table(points.into())
    }

    /// μ at the slip speed s ≥ 0. Where a user's curve is negative no impulse obeys the law, and the certificate of every answer is infinite.
    #[must_use]
    pub fn coefficient(&self, speed: f64) -> f64 {
        match self {
            Self::Stribeck(law) => law.coefficient(speed),
            Self::Table(points) => interpolated(points, speed),
            Self::User(curve) => curve.coefficient(speed),
        }
    }

    /// The least and the largest μ between two speeds. That of a user's curve is sampled, and made wider by a tenth.
    pub(crate) fn range(&self, from: f64, to: f64) -> [f64; 2] {
        let ends = [self.coefficient(from), self.coefficient(to)];
        match self {
            Self::Stribeck(law) => law.range(from, to, ends),
            Self::Table(points) => {
                let inside = points.iter().filter(|p| p[0] > from && p[0] < to).map(|p| p[1]);
                hull(inside.chain(ends))
            }
            Self::User(curve) => {
                let step = (to - from) / f64::from(SAMPLES);
                let inside = (1..SAMPLES).map(|i| curve.coefficient(from + f64::from(i) * step));
                let [low, high] = hull(inside.chain(ends));
                let more = ADDED * (high - low);
                [(low - more).max(0.0), high + more]
            }
        }
    }

    /// Refuses parameters that make no curve. Of a user's curve only its value at rest can be seen.
    pub(crate) fn validate(&self, place: &dyn Fn(&str) -> String) -> Result<(), Error> {
        let rest = self.coefficient(0.0);
        match self {
            Self::Stribeck(law) => law.validate(place)?,
            Self::Table(points) => {
                let first = points.first().map_or(f64::NAN, |p| p[0]);
                let wanted = "0: the first point of a table of friction is that of rest";
                check(|| place("the first speed of mu"), first, first == 0.0, wanted)?;
                for p in points.iter() {
                    check(|| place("mu"), p[1], p[1] >= 0.0, "a finite number >= 0")?;
                }
                for p in points.windows(2) {
                    let wanted = "larger than the one before it";
                    check(|| place("a speed of mu"), p[1][0], p[1][0] > p[0][0], wanted)?;
                }
            }
            Self::User(_) => {}
        }
        check(|| place("mu at rest"), rest, rest >= 0.0, "a finite number >= 0")
    }
}

/// Curves are equal if they are given by the same data; those of a user's own if they are the same object.
impl PartialEq for FrictionCurve {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stribeck(a), Self::Stribeck(b)) => a == b,
            (Self::Table(a), Self::Table(b)) => a == b,
            (Self::User(a), Self::User(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Stribeck {
    /// The curve, as a law takes it.
    #[must_use]
    pub fn curve(self) -> FrictionCurve {
        FrictionCurve::Stribeck(Arc::new(self))
    }

    fn falling(&self, speed: f64) -> f64 {
        let x = speed / self.speed;
        let power = if self.exponent == 1.0 { x } else { x.powf(self.exponent) };
        self.kinetic + (self.rest - self.kinetic) * (-power).exp()
    }

    fn coefficient(&self, speed: f64) -> f64 {
        self.falling(speed) + self.viscous * speed
    }

    /// Monotone but for the viscous part, so that the parts have their ranges at the ends.
    fn range(&self, from: f64, to: f64, ends: [f64; 2]) -> [f64; 2] {
        if self.viscous == 0.0 || (self.rest <= self.kinetic && self.viscous > 0.0) {
            return hull(ends);
        }
        let parts = [self.falling(from), self.falling(to)];
        let (low, high) = (parts[0].min(parts[1]), parts[0].max(parts[1]));
        [low + self.viscous * from, high + self.viscous * to]
    }

    fn validate(&self, place: &dyn Fn(&str) -> String) -> Result<(), Error> {
        for (name, x) in [
            ("the static coefficient", self.rest),
            ("the kinetic coefficient", self.kinetic),
            ("the viscous coefficient", self.viscous),
        ] {
            check(|| place(name), x, x >= 0.0, "a finite number >= 0")?;
        }
        let (v, e) = (self.speed, self.exponent);
        check(|| place("the speed of a Stribeck curve"), v, v > 0.0, "a finite number > 0")?;
        check(|| place("the exponent of a Stribeck curve"), e, e > 0.0, "a finite number > 0")
    }
}

fn interpolated(points: &[[f64; 2]], speed: f64) -> f64 {
    let next = points.partition_point(|p| p[0] <= speed);
    match (next.checked_sub(1).map(|i| points[i]), points.get(next)) {
        (Some([s, mu]), Some([s1, mu1])) => mu + (mu1 - mu) * ((speed - s) / (s1 - s)),
        (Some([_, mu]), None) => mu,
        _ => f64::NAN,
    }
}

/// The least and the largest; NaN if there is one.
fn hull(values: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let mut all = [f64::INFINITY, f64::NEG_INFINITY];
    for x in values {
        if x.is_nan() {
            return [f64::NAN; 2];
        }
        all = [all[0].min(x), all[1].max(x)];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_every_value_between_two_speeds() {
        let stribeck =
            Stribeck { rest: 0.5, kinetic: 0.2, speed: 0.1, exponent: 2.0, viscous: 0.3 };
        let rising = Stribeck { rest: 0.1, ..stribeck };
        let table = FrictionCurve::table(&[[0.0, 0.4], [0.1, 0.6], [0.3, 0.1], [2.0, 0.2]]);
        let wave = FrictionCurve::from_fn(|s| 0.3 + 0.1 * (3.0 * s).sin());
        for curve in [stribeck.curve(), rising.curve(), table, wave] {
            for (from, to) in [(0.0, 0.05), (0.02, 0.4), (0.0, 3.0), (1.0, 1.1)] {
                let [low, high] = curve.range(from, to);
                for i in 0..=1000 {
                    let mu = curve.coefficient(from + (to - from) * f64::from(i) / 1000.0);
                    let inside = low - 1e-15 <= mu && mu <= high + 1e-15;
                    assert!(inside, "{curve:?} from {from} to {to}: {mu} in {low}..{high}");
                }
            }
        }
    }

    #[test]
    fn a_table_is_straight_between_its_points_and_constant_beyond_them() {
        let curve = FrictionCurve::table(&[[0.0, 0.5], [1.0, 0.3]]);
        for (s, mu) in [(0.0, 0.5), (0.25, 0.45), (1.0, 0.3), (7.0, 0.3)] {
            assert!((curve.coefficient(s) - mu).abs() < 1e-16);
        }
    }
}
