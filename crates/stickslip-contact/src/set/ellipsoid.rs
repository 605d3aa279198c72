//! Ball, ellipse and ellipsoid, and the product of an ellipse with an interval.
//!
//! Notation: a semi-axes, r radius, x the point, p its projection; λ the multiplier of the surface.

use super::SetError;
use super::vector::{Vector, max_abs, norm, unit};

/// Between these sizes no product of two axes and a scaled point overflows.
pub(crate) const SMALLEST: f64 = 1e-100;
pub(crate) const LARGEST: f64 = 1e100;

pub(crate) fn validate(axes: &[f64]) -> Result<(), SetError> {
    for (index, &value) in axes.iter().enumerate() {
        if !(SMALLEST..=LARGEST).contains(&value) {
            return Err(SetError::Axis { index, value });
        }
    }
    Ok(())
}

/// The nearest point of the ball of radius r.
pub(crate) fn project_ball(r: f64, x: &Vector) -> Vector {
    if norm(x) <= r {
        return *x;
    }
    unit(x).map(|c| r * c)
}

/// x_i a_i: the point whose norm is the support function.
pub(crate) fn stretched(axes: &[f64], x: &Vector) -> Vector {
    let mut y = *x;
    for (c, a) in y.iter_mut().zip(axes) {
        *c *= a;
    }
    y
}

/// x_i / a_i: the point whose norm is the gauge.
pub(crate) fn shrunk(axes: &[f64], x: &Vector) -> Vector {
    let mut y = *x;
    for (c, a) in y.iter_mut().zip(axes) {
        *c /= a;
    }
    y
}

/// The point of the ellipsoid that is farthest in direction x; the origin for x = 0.
pub(crate) fn support_point(axes: &[f64], x: &Vector) -> Vector {
    let big = max_abs(x);
    if big == 0.0 {
        return [0.0; 3];
    }
    stretched(axes, &unit(&stretched(axes, &x.map(|c| c / big))))
}

/// The nearest point of r times the ellipsoid, where r may be zero.
pub(crate) fn nearest(axes: &[f64], r: f64, x: &Vector) -> Vector {
    if r > 0.0 { project(axes, r, x) } else { [0.0; 3] }
}

/// The nearest point of r times the ellipsoid, r > 0.
///
/// Outside, p_i = x_i A_i² / (A_i² + λ) with A = r a, and λ > 0 is the root of |u| = 1 for
/// u_i = p_i / A_i.
pub(crate) fn project(axes: &[f64], r: f64, x: &Vector) -> Vector {
    if norm(&shrunk(axes, &x.map(|c| c / r))) <= 1.0 {
        return *x;
    }
    let Secular { c, d, .. } = Secular::new(axes, r, x);
    let lambda = secular_root(&c, &d);
    let mut p = [0.0; 3];
    for (i, &a) in axes.iter().enumerate().take(3) {
        // Two forms of one number: the first cannot overflow, the second keeps its digits if d underflows.
        p[i] = if lambda <= d[i] {
            x[i] * (d[i] / (d[i] + lambda))
        } else {
            r * (a * quotient(c[i], d[i] + lambda))
        };
    }
    p
}

/// ν = λ/r² with p_i = x_i a_i² / (a_i² + ν), for x outside of r times the ellipsoid, r > 0.
pub(crate) fn multiplier(axes: &[f64], r: f64, x: &Vector) -> f64 {
    let secular = Secular::new(axes, r, x);
    secular.unit / r * secular_root(&secular.c, &secular.d)
}

/// The equation |u| = 1 with u_i = c_i / (d_i + λ): λ divided by r, the largest axis and the largest |x_i|.
struct Secular {
    c: Vector,
    d: Vector,
    /// λ/r in these units.
    unit: f64,
}

impl Secular {
    fn new(axes: &[f64], r: f64, x: &Vector) -> Secular {
        let big = max_abs(x);
        let top = axes.iter().fold(0.0_f64, |m, &a| m.max(a));
        let ratio = r / big * top;
        let (mut c, mut d) = ([0.0; 3], [0.0; 3]);
        for (i, &a) in axes.iter().enumerate().take(3) {
            let a = a / top;
            c[i] = a * (x[i] / big);
            d[i] = ratio * a * a;
        }
        Secular { c, d, unit: top * big }
    }
}

/// The root λ ≥ 0 of |u(λ)| = 1, u_i = c_i / (d_i + λ), where |u(0)| ≥ 1.
///
/// 1/|u| is concave and increases: Newton's iterates rise to the root and never pass it. The start
/// has |u| ≤ √3, so that a handful of steps suffices.
fn secular_root(c: &Vector, d: &Vector) -> f64 {
    let mut lambda = (norm(c) - max_abs(d)).max(0.0);
    for i in 0..3 {
        lambda = lambda.max(c[i].abs() - d[i]);
    }
    for _ in 0..60 {
        let mut u = [0.0; 3];
        let mut slope = 0.0;
        for i in 0..3 {
            u[i] = quotient(c[i], d[i] + lambda);
            slope += quotient(u[i] * u[i], d[i] + lambda);
        }
        let length = norm(&u);
        let step = (length - 1.0) * length * length / slope;
        if !(step > 0.5 * f64::EPSILON * lambda) {
            break;
        }
        lambda += step;
    }
    lambda
}

/// a/b, where 0/0 is 0.
fn quotient(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}
