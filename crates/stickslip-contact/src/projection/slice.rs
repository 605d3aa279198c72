//! A generalised derivative of the projection on a set, which is a slice of the cone.
//!
//! Notation: e semi-axes, ν with p_i = x_i e_i² / (e_i² + ν), w_i = e_i / (e_i² + ν), S = Σ w_i² x_i² / (e_i² + ν).

use super::ellipsoid::padded;
use crate::set::vector::{Vector, max_abs, norm, unit};
use crate::set::{ConvexSet, Landing, MAX_DIMENSION, ellipsoid_multiplier, ellipsoid_shrunk};

/// Rows and columns of the tangents.
type Tangent = [Vector; MAX_DIMENSION];

/// Step of the differences for a user's set, relative to point and set: the cube root of ε, at which the errors of
/// rounding and of the second derivative are alike.
const STEP: f64 = 6e-6;

/// A derivative of the projection on radius · F at x: symmetric, with eigenvalues from 0 to 1. At a kink it is a limit of
/// derivatives from one side.
///
/// Closed forms, but for a user's set central differences of its projection: 2 d projections, good to about
/// 10⁻¹⁰, and near a kink a mean of both sides.
pub(crate) fn set_jacobian(set: &ConvexSet, radius: f64, x: &Vector) -> Tangent {
    if !(radius > 0.0) {
        return [[0.0; 3]; 3];
    }
    match set {
        ConvexSet::Interval => round(radius, &[x[0], 0.0, 0.0]),
        ConvexSet::Disc => round(radius, &[x[0], x[1], 0.0]),
        ConvexSet::Ellipsoid(axes) => elliptic(axes, radius, x),
        ConvexSet::Mixed { ellipse, spin } => {
            let mut j = elliptic(ellipse, radius, &[x[0], x[1], 0.0]);
            let held = x[2].abs() <= radius * spin;
            j[2] = [0.0, 0.0, if held { 1.0 } else { 0.0 }];
            (j[0][2], j[1][2]) = (0.0, 0.0);
            j
        }
        ConvexSet::Polyhedron(polyhedron) => match polyhedron.land(radius, x).1 {
            Landing::Inside => diagonal(1.0),
            Landing::Facet([a, b]) => outer(&a, &outer(&b, &[[0.0; 3]; 3])),
            Landing::Edge(along) => outer(&along, &[[0.0; 3]; 3]),
            Landing::Corner => [[0.0; 3]; 3],
        },
        ConvexSet::Custom(_) => differences(set, radius, x),
    }
}

fn round(radius: f64, x: &Vector) -> Tangent {
    let length = norm(x);
    if length <= radius {
        return diagonal(1.0);
    }
    let (e, s) = (unit(x), radius / length);
    let minus = e.map(|e| -s * e);
    let mut j = diagonal(s);
    for (row, e) in j.iter_mut().zip(e) {
        row.iter_mut().zip(minus).for_each(|(x, m)| *x += e * m);
    }
    j
}

fn elliptic(axes: &[f64], radius: f64, x: &Vector) -> Tangent {
    if norm(&ellipsoid_shrunk(axes, x)) <= radius {
        return diagonal(1.0);
    }
    cylinder(&padded(axes), x, ellipsoid_multiplier(axes, radius, x))
}

/// The derivative at a point outside of an ellipsoid: dν = (Σ w_i² x_i dx_i) / S.
pub(super) fn cylinder(e: &Vector, x: &Vector, nu: f64) -> Tangent {
    let (mut wx, mut s) = ([0.0; 3], 0.0);
    for i in 0..3 {
        wx[i] = e[i] * x[i] / (e[i] * e[i] + nu);
        s += wx[i] * wx[i] / (e[i] * e[i] + nu);
    }
    let mut j = [[0.0; 3]; 3];
    for a in 0..3 {
        for b in 0..3 {
            let (wa, wb) = (e[a] * e[a] + nu, e[b] * e[b] + nu);
            let own = if a == b { e[a] * e[a] / wa } else { 0.0 };
            j[a][b] = own - (e[a] * wx[a] / wa) * (e[b] * wx[b] / wb) / s;
        }
    }
    j
}

fn differences(set: &ConvexSet, radius: f64, x: &Vector) -> Tangent {
    let d = set.dimension().min(MAX_DIMENSION);
    let mut here = [0.0; 3];
    set.project(radius, &x[..d], &mut here[..d]);
    if here[..d] == x[..d] {
        return diagonal(1.0);
    }
    let step = STEP * max_abs(x).max(max_abs(&here));
    let mut j = [[0.0; 3]; 3];
    for c in 0..d {
        let moved = |by: f64| {
            let (mut y, mut p) = (*x, [0.0; 3]);
            y[c] += by;
            set.project(radius, &y[..d], &mut p[..d]);
            p
        };
        let (back, forth) = (moved(-step), moved(step));
        // The derivative of a projection is symmetric; each half of it is known twice.
        for r in 0..d {
            let slope = 0.5 * (forth[r] - back[r]) / (2.0 * step);
            j[r][c] += slope;
            j[c][r] += slope;
        }
    }
    j
}

fn diagonal(value: f64) -> Tangent {
    std::array::from_fn(|r| std::array::from_fn(|c| if r == c { value } else { 0.0 }))
}

/// a aᵀ + j.
fn outer(a: &Vector, j: &Tangent) -> Tangent {
    std::array::from_fn(|r| std::array::from_fn(|c| a[r] * a[c] + j[r][c]))
}
