//! Projections and support functions of friction sets for the judge alone, in units of the extents of the set.
//!
//! In these units an ellipsoid is a ball. A polyhedron is projected on by the dual active-set method of Goldfarb and Idnani
//! (1983) in at most three dimensions. The projection of a user's own set is taken from the user, and checked by two
//! inequalities; in its own units, but for the disc under uniform pressure, whose radius is known.

use crate::set::{ConvexSet, Polyhedron, UniformDisc, UserSet};
use std::any::Any;

pub(super) type Tangents = [f64; 3];

/// How far F reaches along each axis; the same along all for a set whose shape is not known.
pub(super) fn extents(set: &ConvexSet) -> Tangents {
    let mut e = [1.0; 3];
    match set {
        ConvexSet::Interval | ConvexSet::Disc => {}
        ConvexSet::Ellipsoid(axes) => e.iter_mut().zip(axes).for_each(|(e, a)| *e = *a),
        ConvexSet::Mixed { ellipse, spin } => e = [ellipse[0], ellipse[1], *spin],
        ConvexSet::Polyhedron(polyhedron) => return reach(polyhedron),
        ConvexSet::Custom(own) => match uniform_disc(own.as_ref()) {
            Some(disc) => e[2] = disc.radius(),
            None => e = [largest_reach(own.as_ref()); 3],
        },
    }
    e
}

/// How far a polyhedron reaches along each axis; 1 along one that it does not have.
fn reach(polyhedron: &Polyhedron) -> Tangents {
    let mut e = [0.0; 3];
    for vertex in polyhedron.vertices() {
        e.iter_mut().zip(vertex).for_each(|(e, v): (&mut f64, _)| *e = e.max(v.abs()));
    }
    e.map(|e| if e > 0.0 { e } else { 1.0 })
}

fn uniform_disc(set: &dyn UserSet) -> Option<&UniformDisc> {
    (set as &dyn Any).downcast_ref()
}

fn largest_reach(set: &dyn UserSet) -> f64 {
    let d = set.dimension().min(3);
    let along = (0..2 * d).map(|k| {
        let mut axis = [0.0; 3];
        axis[k % d] = if k < d { 1.0 } else { -1.0 };
        set.support(&axis[..d])
    });
    along.fold(0.0, f64::max)
}

/// h_F(x), with x in units of one over the extents.
pub(super) fn support(set: &ConvexSet, x: &Tangents) -> f64 {
    let e = extents(set);
    match set {
        ConvexSet::Interval => x[0].abs(),
        ConvexSet::Disc => size(&x[..2]),
        ConvexSet::Ellipsoid(axes) => size(&x[..axes.len().min(3)]),
        ConvexSet::Mixed { .. } => size(&x[..2]) + x[2].abs(),
        ConvexSet::Polyhedron(polyhedron) => {
            let along =
                |v: &[f64]| v.iter().zip(x).zip(e).map(|((v, x), e)| v * x / e).sum::<f64>();
            polyhedron.vertices().map(along).fold(0.0, f64::max)
        }
        ConvexSet::Custom(own) => {
            let d = own.dimension().min(3);
            let native: Tangents = std::array::from_fn(|t| x[t] / e[t]);
            own.support(&native[..d])
        }
    }
}

/// The nearest point of `limit` F to x, in units of the extents. Not a number if the projection of a user's set fails its check.
pub(super) fn project(set: &ConvexSet, limit: f64, x: &Tangents) -> Tangents {
    match set {
        ConvexSet::Interval => [inside(x[0], limit), 0.0, 0.0],
        ConvexSet::Disc => ball(limit, x, 2),
        ConvexSet::Ellipsoid(axes) => ball(limit, x, axes.len().min(3)),
        ConvexSet::Mixed { .. } => {
            let [t, o, _] = ball(limit, x, 2);
            [t, o, inside(x[2], limit)]
        }
        ConvexSet::Polyhedron(polyhedron) => on_polyhedron(polyhedron, limit, x),
        ConvexSet::Custom(own) => match uniform_disc(own.as_ref()).map(|_| UniformDisc::new(1.0)) {
            Some(Ok(disc)) => checked(&disc, 1.0, limit, x),
            _ => checked(own.as_ref(), largest_reach(own.as_ref()), limit, x),
        },
    }
}

/// x moved into [−limit, limit]; not a number for a limit that is none.
#[inline(always)]
pub(super) fn inside(x: f64, limit: f64) -> f64 {
    let below = if x <= limit { x } else { limit };
    if below >= -limit { below } else { -limit }
}

fn ball(limit: f64, x: &Tangents, d: usize) -> Tangents {
    let length = size(&x[..d]);
    let share = if length > limit { limit / length } else { 1.0 };
    std::array::from_fn(|t| if t < d { share * x[t] } else { 0.0 })
}

/// The user's projection on `limit` F with F over `unit`, if it passes: p lies in the set, and nothing of the set lies farther
/// along x − p.
fn checked(set: &dyn UserSet, unit: f64, limit: f64, x: &Tangents) -> Tangents {
    /// What the check forgives, as a share of its terms.
    const CHECK: f64 = 1e-10;
    /// A way that is rounding beside the point.
    const STAYED: f64 = 1e-13;
    if limit == 0.0 {
        return [0.0; 3];
    }
    let d = set.dimension().min(3);
    let (mut p, mut back) = ([0.0; 3], [0.0; 3]);
    set.project(limit / unit, &x[..d], &mut p[..d]);
    let outward: Tangents = std::array::from_fn(|t| x[t] - p[t]);
    let reach = limit / unit * set.support(&outward[..d]);
    let along = dot(&outward, &p);
    // A point that hardly moved has no direction that could be checked.
    let farthest = size(&outward) <= STAYED * size(x)
        || (reach - along).abs() <= CHECK * (reach.abs() + size(&outward) * size(&p));
    set.project(limit / unit, &p[..d], &mut back[..d]);
    let inside = size(&std::array::from_fn::<f64, 3, _>(|t| p[t] - back[t])) <= CHECK * size(&p);
    if farthest && inside { p } else { [f64::NAN; 3] }
}

/// Rounds of the active-set method per facet; each adds or drops one.
const ROUNDS: usize = 10;

/// min |p − x|² with a·p ≤ limit for all facets, by Goldfarb and Idnani: p moves from x to the boundary of the most violated
/// half-space along what the active ones leave free, and drops those whose multipliers vanish on the way.
fn on_polyhedron(polyhedron: &Polyhedron, limit: f64, x: &Tangents) -> Tangents {
    if limit == 0.0 {
        return [0.0; 3];
    }
    let e = reach(polyhedron);
    let d = polyhedron.dimension();
    let facet =
        |a: &[f64]| -> Tangents { std::array::from_fn(|t| if t < d { a[t] * e[t] } else { 0.0 }) };
    let (mut p, mut active) = (*x, Active::default());
    for _ in 0..ROUNDS * (polyhedron.normals().len() + 3) {
        let violation = |a: &Tangents| {
            let terms: f64 = a.iter().zip(&p).map(|(a, p)| (a * p).abs()).sum();
            dot(a, &p) - limit - 4.0 * f64::EPSILON * (terms + limit)
        };
        let facets = polyhedron.normals().map(facet);
        let worst = facets.max_by(|a, b| violation(a).total_cmp(&violation(b)));
        let Some(a) = worst.filter(|a| violation(a) > 0.0) else { return p };
        let mut added = 0.0;
        loop {
            let (z, r) = active.split(&a);
            let (drop, first) = active.first_to_vanish(&r);
            let slope = dot(&z, &a);
            let full = if slope > 1e-14 * dot(&a, &a) && active.len < d {
                (dot(&a, &p) - limit) / slope
            } else {
                f64::INFINITY
            };
            let step = full.min(first);
            if !step.is_finite() {
                return [f64::NAN; 3];
            }
            if full.is_finite() {
                p = std::array::from_fn(|t| p[t] - step * z[t]);
            }
            active.advance(step, &r);
            added += step;
            if full <= first {
                active.push(a, added);
                break;
            }
            active.remove(drop);
        }
    }
    [f64::NAN; 3]
}

/// The active half-spaces, at most three, with their multipliers.
#[derive(Default)]
struct Active {
    normals: [Tangents; 3],
    multipliers: [f64; 3],
    len: usize,
}

impl Active {
    /// The part of `a` across the active normals, and its coefficients along them.
    fn split(&self, a: &Tangents) -> (Tangents, [f64; 3]) {
        let k = self.len;
        let mut g = [[0.0; 4]; 3];
        for (i, row) in g.iter_mut().enumerate().take(k) {
            for j in 0..k {
                row[j] = dot(&self.normals[i], &self.normals[j]);
            }
            row[3] = dot(&self.normals[i], a);
        }
        let r = solve(g, k);
        let mut z = *a;
        for (normal, r) in self.normals.iter().zip(&r).take(k) {
            z.iter_mut().zip(normal).for_each(|(z, n)| *z -= r * n);
        }
        (z, r)
    }

    fn first_to_vanish(&self, r: &[f64; 3]) -> (usize, f64) {
        let mut first = (0, f64::INFINITY);
        for i in 0..self.len {
            let at = self.multipliers[i] / r[i];
            if r[i] > 0.0 && at < first.1 {
                first = (i, at);
            }
        }
        first
    }

    fn advance(&mut self, step: f64, r: &[f64; 3]) {
        for i in 0..self.len {
            self.multipliers[i] = (self.multipliers[i] - step * r[i]).max(0.0);
        }
    }

    fn push(&mut self, normal: Tangents, multiplier: f64) {
        if self.len < 3 {
            (self.normals[self.len], self.multipliers[self.len]) = (normal, multiplier);
            self.len += 1;
        }
    }

    fn remove(&mut self, i: usize) {
        self.normals[i..].rotate_left(1);
        self.multipliers[i..].rotate_left(1);
        self.len -= 1;
    }
}

/// Solves the leading k × k system whose right side is the last column; the matrix is a Gram matrix of independent vectors.
fn solve(mut g: [[f64; 4]; 3], k: usize) -> [f64; 3] {
    for c in 0..k {
        let pivot = (c..k).max_by(|&a, &b| g[a][c].abs().total_cmp(&g[b][c].abs())).unwrap_or(c);
        g.swap(c, pivot);
        let top = g[c];
        for row in &mut g[c + 1..k] {
            let factor = row[c] / top[c];
            row.iter_mut().zip(&top).for_each(|(x, t)| *x -= factor * t);
        }
    }
    let mut x = [0.0; 3];
    for c in (0..k).rev() {
        let known: f64 = (c + 1..k).map(|j| g[c][j] * x[j]).sum();
        x[c] = (g[c][3] - known) / g[c][c];
    }
    x
}

fn dot(a: &Tangents, b: &Tangents) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
