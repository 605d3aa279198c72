//! The cone over an ellipsoid: one scalar equation instead of two nested ones.
//!
//! Notation: e semi-axes, (m, x) the point, c = μ m + a, p_i = x_i e_i² / (e_i² + ν) the projection,
//! g(ν) = |e_i x_i / (e_i² + ν)| = r its gauge. From n = m + μ ν g and r = μ n + a:
//! g(ν) (1 − μ² ν) = c. For c < 0 in the variable s = 1/ν, with k(s) = ν g = |e_i x_i / (1 + s e_i²)|:
//! k(s) (μ² − s) = −c.

use super::Slice;
use crate::set::vector::{Vector, load, norm};
use crate::set::{ellipsoid_nearest, ellipsoid_shrunk, ellipsoid_stretched};

/// The projection; nothing where numbers leave the range, or the axes do not fit.
pub(super) fn project(cone: &Slice, axes: &[f64], m: f64, x: &Vector) -> Option<(f64, Vector)> {
    let (n, p) = match region(cone, axes, m, x)? {
        Region::Inside => (m, *x),
        Region::Base => (0.0, ellipsoid_nearest(axes, cone.radius, x)),
        Region::Side(nu) => side(cone, axes, m, x, &nu),
    };
    (n.is_finite() && p.iter().all(|c| c.is_finite())).then_some((n, p))
}

/// Where a point is projected to.
pub(super) enum Region {
    /// It is in the cone.
    Inside,
    /// To the base n = 0.
    Base,
    /// To the lateral surface.
    Side(Multiplier),
}

/// ν, or its reciprocal where that is the smaller one.
pub(super) enum Multiplier {
    Plain(f64),
    Reciprocal(f64),
}

pub(super) fn region(cone: &Slice, axes: &[f64], m: f64, x: &Vector) -> Option<Region> {
    if axes.len() != cone.dimension {
        return None;
    }
    let e = padded(axes);
    let c = cone.mu * m + cone.radius;
    let gauge = norm(&ellipsoid_shrunk(axes, x));
    if m >= 0.0 && gauge <= c {
        return Some(Region::Inside);
    }
    // n = 0 is a minimum iff the slope of half the squared distance there is not negative.
    let base = ellipsoid_nearest(axes, cone.radius, x);
    let left = [x[0] - base[0], x[1] - base[1], x[2] - base[2]];
    if m + cone.mu * norm(&ellipsoid_stretched(axes, &left)) <= 0.0 {
        return Some(Region::Base);
    }
    let nu = if c >= 0.0 {
        Multiplier::Plain(root_plain(cone.mu, c, &e, x))
    } else {
        Multiplier::Reciprocal(root_reciprocal(cone.mu, -c, &e, x))
    };
    Some(Region::Side(nu))
}

fn side(cone: &Slice, axes: &[f64], m: f64, x: &Vector, nu: &Multiplier) -> (f64, Vector) {
    let e = padded(axes);
    let (mut p, mut k) = ([0.0; 3], [0.0; 3]);
    for i in 0..3 {
        let (kept, left) = shares(nu, e[i]);
        p[i] = kept * x[i];
        // ν e_i x_i / (e_i² + ν)
        k[i] = e[i] * (left * x[i]);
    }
    ((m + cone.mu * norm(&k)).max(0.0), p)
}

/// e²/(e² + ν) and ν/(e² + ν).
fn shares(nu: &Multiplier, e: f64) -> (f64, f64) {
    match *nu {
        Multiplier::Plain(nu) => {
            let whole = e * e + nu;
            (e * e / whole, nu / whole)
        }
        Multiplier::Reciprocal(s) => {
            let whole = s * e * e + 1.0;
            (s * e * e / whole, 1.0 / whole)
        }
    }
}

/// The root of c/g(ν) = 1 − μ² ν, c ≥ 0. The difference is concave and increases: Newton's steps rise to
/// the root from the start, which lies below it because one component alone has a smaller g.
fn root_plain(mu: f64, c: f64, e: &Vector, x: &Vector) -> f64 {
    let mut nu = 0.0_f64;
    for i in 0..3 {
        let reach = e[i] * x[i].abs();
        nu = nu.max((reach - c * e[i] * e[i]) / (c + mu * mu * reach));
    }
    for _ in 0..100 {
        let (mut w, mut slope) = ([0.0; 3], 0.0);
        for i in 0..3 {
            w[i] = e[i] * x[i] / (e[i] * e[i] + nu);
            slope += w[i] * w[i] / (e[i] * e[i] + nu);
        }
        let g = norm(&w);
        let step = (1.0 - mu * mu * nu - c / g) / (c * slope / (g * g * g) + mu * mu);
        if !(step > 0.5 * f64::EPSILON * nu) {
            break;
        }
        nu += step;
    }
    nu
}

/// The root of c/k(s) = μ² − s, c > 0, in the same way.
fn root_reciprocal(mu: f64, c: f64, e: &Vector, x: &Vector) -> f64 {
    let mut s = 0.0_f64;
    for i in 0..3 {
        let reach = e[i] * x[i].abs();
        s = s.max((mu * mu * reach - c) / (reach + c * e[i] * e[i]));
    }
    for _ in 0..100 {
        let (mut q, mut slope) = ([0.0; 3], 0.0);
        for i in 0..3 {
            let whole = 1.0 + s * e[i] * e[i];
            q[i] = e[i] * x[i] / whole;
            slope += q[i] * q[i] * e[i] * e[i] / whole;
        }
        let k = norm(&q);
        let step = (mu * mu - s - c / k) / (1.0 + c * slope / (k * k * k));
        if !(step > 0.5 * f64::EPSILON * s) {
            break;
        }
        s += step;
    }
    s
}

/// The semi-axes; missing ones are one, which no component of x belongs to.
pub(super) fn padded(axes: &[f64]) -> Vector {
    let mut e = load(axes);
    for axis in e.iter_mut().skip(axes.len()) {
        *axis = 1.0;
    }
    e
}
