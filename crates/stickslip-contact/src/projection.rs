//! Projections onto the cone over a set, K = { (n, t) : n ≥ 0, t ∈ (μ n + a) F }, onto its polar, and their
//! derivatives.
//!
//! Notation: (m, x) the point, (n, p) its projection, a the constant radius, h the support function of F;
//! r = μ n + a the radius at n; ν ≥ 0 with x − p = ν · (outward normal of the ellipsoid at p).
//!
//! For every F, n is the root of n − m − μ h(x − P_r(x)) = 0 or zero: the derivative of half the squared
//! distance to the slice at n. Its slope is at least one, so that the residual bounds the error.

mod ellipsoid;
mod jacobian;
mod slice;
#[cfg(test)]
mod tests;

pub(crate) use slice::set_jacobian;

use super::set::vector::{Vector, load, max_abs, norm, scale, store, sub};
use super::set::{ConvexSet, MAX_DIMENSION, SetError};
use crate::Error;

/// { (n, t) : n ≥ 0, t ∈ (μ n + a) F }, for one contact: the normal component first.
///
/// With a = 0 it is a cone; with μ = 0, a cylinder over a F. Slices have length 1 + dimension of F.
///
/// ```
/// use stickslip_contact::projection::FrictionCone;
/// use stickslip_contact::set::ConvexSet;
///
/// let cone = FrictionCone { set: &ConvexSet::Disc, mu: 1.0, radius: 0.0 };
/// cone.validate()?;
/// let mut p = [0.0; 3];
/// cone.project(&[0.0, 2.0, 0.0], &mut p);
/// assert_eq!(p, [1.0, 1.0, 0.0]);
/// # Ok::<(), stickslip_contact::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FrictionCone<'a> {
    /// F.
    pub set: &'a ConvexSet,
    /// μ ≥ 0, finite.
    pub mu: f64,
    /// a ≥ 0, finite.
    pub radius: f64,
}

impl FrictionCone<'_> {
    /// Refuses an invalid set, and a coefficient or radius that is negative or not finite.
    pub fn validate(&self) -> Result<(), Error> {
        for (what, value) in [("mu", self.mu), ("radius", self.radius)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(SetError::Coefficient { what, value }.into());
            }
        }
        self.set.validate()
    }

    fn is_proper(&self) -> bool {
        self.mu >= 0.0 && self.radius >= 0.0 && self.mu.is_finite() && self.radius.is_finite()
    }

    /// The nearest point of the cone.
    ///
    /// Closed form for interval and disc, a few Newton steps for an ellipsoid, and for other sets about ten
    /// projections onto F. A cone that [`validate`](FrictionCone::validate) refuses gives NaN.
    pub fn project(&self, x: &[f64], out: &mut [f64]) {
        let (Some((&m, t)), Some((n_out, t_out))) = (x.split_first(), out.split_first_mut()) else {
            return;
        };
        let big = m.abs().max(max_abs(&load(t))).max(self.radius);
        if !self.is_proper() || !big.is_finite() || m.is_nan() || max_abs(&load(t)).is_nan() {
            out.fill(f64::NAN);
            return;
        }
        if big == 0.0 {
            out.fill(0.0);
            return;
        }
        let unit = Slice {
            set: self.set,
            mu: self.mu,
            radius: self.radius / big,
            dimension: t.len().min(MAX_DIMENSION),
        };
        let (n, p) = unit.project(m / big, &load(t).map(|c| c / big));
        *n_out = big * n;
        store(&scale(big, &p), t_out);
    }

    /// The nearest point of the polar cone { y : y·k ≤ 0 for all k in K }, by Moreau's decomposition: x minus its
    /// projection onto K.
    ///
    /// Only a cone has one: a radius other than 0 gives NaN. The dual cone K* is the negative of the polar.
    pub fn project_polar(&self, x: &[f64], out: &mut [f64]) {
        if self.radius != 0.0 {
            out.fill(f64::NAN);
            return;
        }
        self.project(x, out);
        for (p, x) in out.iter_mut().zip(x) {
            *p = x - *p;
        }
    }

    /// How far a point is outside: the larger of −n and gauge(t) − (μ max(n, 0) + a). Zero in the cone.
    #[must_use]
    pub fn excess(&self, x: &[f64]) -> f64 {
        let Some((&n, t)) = x.split_first() else { return 0.0 };
        let reach = self.mu * n.max(0.0) + self.radius;
        let outside = self.set.gauge(t) - reach;
        if n.is_nan() || outside.is_nan() {
            return f64::NAN;
        }
        outside.max(-n).max(0.0)
    }

    /// A generalised derivative of [`project`](FrictionCone::project) at x, row-major, (1 + d)² entries.
    ///
    /// Where the projection is differentiable it is the derivative; elsewhere the limit of derivatives from one
    /// side. Closed forms but for a user's set, whose projection is differenced (2 d projections, good to about 10⁻¹⁰).
    /// Where `out` is too short or numbers are not finite it returns false and leaves `out` alone.
    #[must_use]
    pub fn jacobian(&self, x: &[f64], out: &mut [f64]) -> bool {
        let Some((&m, t)) = x.split_first() else { return false };
        let v = load(t);
        let big = m.abs().max(max_abs(&v)).max(self.radius);
        if !self.is_proper() || !big.is_finite() || m.is_nan() || max_abs(&v).is_nan() {
            return false;
        }
        // The derivative is the same at all scales: x, n and a together.
        let big = if big > 0.0 { big } else { 1.0 };
        let unit = Slice {
            set: self.set,
            mu: self.mu,
            radius: self.radius / big,
            dimension: t.len().min(MAX_DIMENSION),
        };
        let Some(matrix) = unit.jacobian(m / big, &v.map(|c| c / big)) else { return false };
        let size = 1 + unit.dimension;
        if x.len() != size || out.len() < size * size {
            return false;
        }
        for (i, row) in matrix.iter().enumerate().take(size) {
            for (j, entry) in row.iter().enumerate().take(size) {
                out[i * size + j] = *entry;
            }
        }
        true
    }
}

/// The same cone in units in which the point has size one.
struct Slice<'a> {
    set: &'a ConvexSet,
    mu: f64,
    radius: f64,
    dimension: usize,
}

impl Slice<'_> {
    fn project(&self, m: f64, x: &Vector) -> (f64, Vector) {
        if self.mu == 0.0 {
            return (m.max(0.0), self.at(m, x, 0.0).p);
        }
        match self.set {
            ConvexSet::Interval => self.project_round(m, &[x[0], 0.0, 0.0]),
            ConvexSet::Disc => self.project_round(m, &[x[0], x[1], 0.0]),
            ConvexSet::Ellipsoid(axes) => {
                ellipsoid::project(self, axes, m, x).unwrap_or_else(|| self.project_any(m, x))
            }
            _ => self.project_any(m, x),
        }
    }

    /// Interval and disc: the nearest point of a line in the plane of the axis and x.
    fn project_round(&self, m: f64, x: &Vector) -> (f64, Vector) {
        let length = norm(x);
        if m >= 0.0 && length <= self.mu * m + self.radius {
            return (m, *x);
        }
        let n = self.on_line(m, length);
        let (n, reach) = if n > 0.0 { (n, self.mu * n + self.radius) } else { (0.0, self.radius) };
        if length <= reach { (n, *x) } else { (n, scale(reach, &super::set::vector::unit(x))) }
    }

    /// n of the nearest point to (m, length) on the line { (n, μ n + a) }.
    fn on_line(&self, m: f64, length: f64) -> f64 {
        let over = length - self.radius;
        if self.mu <= 1.0 {
            (m + self.mu * over) / (1.0 + self.mu * self.mu)
        } else {
            (m / self.mu + over) / (1.0 / self.mu + self.mu)
        }
    }

    /// Any set, by a bracketed root of the scalar equation.
    fn project_any(&self, m: f64, x: &Vector) -> (f64, Vector) {
        let low = self.at(m, x, 0.0);
        if low.value >= 0.0 || low.value.is_nan() {
            return (low.n, low.p);
        }
        if m >= 0.0 {
            let inside = self.at(m, x, m);
            if inside.value >= 0.0 {
                return (inside.n, inside.p);
            }
        }
        // φ(n) ≥ n − m − μ h(x − P_a(x)), and no projection is farther from the origin than its point.
        let top = (-low.value).min(m.abs() + norm(x));
        let high = self.at(m, x, top);
        let root = self.root(m, x, low, high);
        (root.n, root.p)
    }

    fn at(&self, m: f64, x: &Vector, n: f64) -> Trial {
        let d = self.dimension;
        let mut p = [0.0; MAX_DIMENSION];
        self.set.project(self.mu * n + self.radius, &x[..d], &mut p[..d]);
        let left = sub(x, &p);
        let value = n - m - self.mu * self.set.support(&left[..d]);
        Trial { n, value, p }
    }

    /// The root between two trials: the secant in Anderson and Björck's form, bisection where it is slow.
    ///
    /// φ is increasing with a slope of at least one, and piecewise linear for a polyhedron.
    fn root(&self, m: f64, x: &Vector, mut low: Trial, mut high: Trial) -> Trial {
        let (mut weight_low, mut weight_high) = (low.value, high.value);
        // Which end the last trial replaced: the other is lowered if it stays twice.
        let mut moved_low = None;
        let mut wide = f64::INFINITY;
        for round in 0..200 {
            let width = high.n - low.n;
            if high.value <= 0.0 || width <= f64::EPSILON * high.n {
                break;
            }
            let secant = (low.n * weight_high - high.n * weight_low) / (weight_high - weight_low);
            let slow = round % 4 == 3 && width > 0.25 * wide;
            if round % 4 == 3 {
                wide = width;
            }
            let n = if slow || !(secant > low.n && secant < high.n) {
                low.n + 0.5 * width
            } else {
                secant
            };
            let trial = self.at(m, x, n);
            // The three terms of φ are rounded; a slope of one passes that on to n.
            let rounding = f64::EPSILON * (n + m.abs() + (n - m - trial.value).abs());
            if trial.value.abs() <= rounding {
                return trial;
            }
            let is_low = trial.value < 0.0;
            if is_low {
                if moved_low == Some(true) {
                    weight_high *= anderson(trial.value, low.value);
                }
                (weight_low, low) = (trial.value, trial);
            } else {
                if moved_low == Some(false) {
                    weight_low *= anderson(trial.value, high.value);
                }
                (weight_high, high) = (trial.value, trial);
            }
            moved_low = Some(is_low);
        }
        if high.value.abs() <= low.value.abs() { high } else { low }
    }
}

/// The factor by which the end that stays is lowered when the other end has been replaced again.
fn anderson(new: f64, old: f64) -> f64 {
    let factor = 1.0 - new / old;
    if factor > 0.0 { factor } else { 0.5 }
}

/// A value of n with the residual of the scalar equation and the point of the slice.
struct Trial {
    n: f64,
    value: f64,
    p: Vector,
}
