//! The judge's own view of a friction set: its scaled coordinates, projection and support function.
//!
//! Sets with a closed form are written out. Polyhedra are projected on in `polyhedron`. The functions of a user's set can only be
//! asked for: an answer is a proposal, which counts as far as it can be proved.

use super::{norm, polyhedron};
use crate::set::{ConvexSet, UniformDisc, UserSet};
use std::any::Any;

/// How good the functions of a user's set are taken to be, relative to their sizes. As the proof of a projection is quadratic in its
/// error, errors from about the root of this on are found.
const USER_PRECISION: f64 = 1e-13;

/// The moment of [`UniformDisc`] without force, over its radius.
const UNIFORM_MOMENT: f64 = 2.0 / 3.0;

/// F in coordinates c_t / s_t, in which all its extents are alike.
pub(super) struct FrictionSet<'a> {
    shape: Shape<'a>,
    dimension: usize,
    /// s_t: the extent of F along axis t over the larger one of the first two. 1 for a user's set, whose projection can only be
    /// asked for in the coordinates it was made in, but for the disc under uniform pressure.
    pub(super) stretch: [f64; 3],
    /// The largest extent, in these coordinates.
    extent: f64,
}

enum Shape<'a> {
    /// Interval, disc, ellipse, ellipsoid: of radius `extent`.
    Ball,
    /// A disc and an interval, both of radius `extent`.
    Cylinder,
    Polyhedron(&'a crate::set::Polyhedron),
    User(&'a dyn UserSet),
    /// [`UniformDisc`] of the radius that has moment 1.
    Uniform,
}

impl<'a> FrictionSet<'a> {
    pub(super) fn new(set: &'a ConvexSet) -> Self {
        let dimension = set.dimension();
        let mut extents = [1.0; 3];
        let shape = match set {
            ConvexSet::Interval | ConvexSet::Disc => Shape::Ball,
            ConvexSet::Ellipsoid(axes) => {
                extents.iter_mut().zip(axes).for_each(|(e, a)| *e = *a);
                Shape::Ball
            }
            ConvexSet::Mixed { ellipse, spin } => {
                extents = [ellipse[0], ellipse[1], *spin];
                Shape::Cylinder
            }
            ConvexSet::Polyhedron(p) => {
                extents = [0.0; 3];
                for corner in p.vertices() {
                    extents.iter_mut().zip(corner).for_each(|(e, c)| *e = e.max(c.abs()));
                }
                Shape::Polyhedron(p)
            }
            ConvexSet::Custom(user) => match (&**user as &dyn Any).downcast_ref::<UniformDisc>() {
                Some(disc) => {
                    extents[2] = UNIFORM_MOMENT * disc.radius();
                    Shape::Uniform
                }
                None => return Self::user(&**user),
            },
        };
        let extent = extents[..dimension.min(2)].iter().fold(0.0, |m: f64, e| m.max(*e));
        let mut stretch = [1.0; 3];
        stretch.iter_mut().zip(&extents[..dimension]).for_each(|(s, e)| *s = e / extent);
        Self { shape, dimension, stretch, extent }
    }

    fn user(set: &'a dyn UserSet) -> Self {
        let dimension = set.dimension();
        let along = |axis: usize| {
            let mut x = [0.0; 3];
            x[axis % 3] = if axis < 3 { 1.0 } else { -1.0 };
            set.support(&x[..dimension])
        };
        let extent = (0..6).filter(|a| a % 3 < dimension).fold(0.0, |m: f64, a| m.max(along(a)));
        Self { shape: Shape::User(set), dimension, stretch: [1.0; 3], extent }
    }

    /// The largest extent along an axis.
    pub(super) fn largest(&self) -> f64 {
        self.extent
    }

    /// The nearest point of radius · F, and how far it can be from that: 0 where it is known to rounding.
    pub(super) fn project(&self, radius: f64, x: &[f64; 3]) -> ([f64; 3], f64) {
        if radius == 0.0 {
            return ([0.0; 3], 0.0);
        }
        let reach = radius * self.extent;
        match self.shape {
            Shape::Ball => (on_ball(reach, x), 0.0),
            Shape::Cylinder => {
                let [a, b, _] = on_ball(reach, &[x[0], x[1], 0.0]);
                ([a, b, x[2].max(-reach).min(reach)], 0.0)
            }
            Shape::Polyhedron(p) => polyhedron::project(p, &self.stretch, radius, x),
            Shape::User(set) => self.checked_projection(set, radius, x),
            Shape::Uniform => match uniform() {
                Some(set) => self.checked_projection(&set, radius, x),
                None => ([f64::NAN; 3], f64::INFINITY),
            },
        }
    }

    /// The support function.
    pub(super) fn support(&self, y: &[f64; 3]) -> f64 {
        let d = self.dimension;
        match self.shape {
            Shape::Ball => self.extent * norm(&y[..d]),
            Shape::Cylinder => self.extent * (norm(&y[..2]) + y[2].abs()),
            Shape::Polyhedron(p) => p.vertices().fold(0.0, |m: f64, corner| {
                let parts = corner.iter().zip(y).zip(&self.stretch).map(|((c, y), s)| c / s * y);
                m.max(parts.sum())
            }),
            Shape::User(set) => set.support(&y[..d]),
            Shape::Uniform => uniform().map_or(f64::NAN, |set| set.support(y)),
        }
    }

    /// A point f that is said to be the farthest of F against a velocity, both in the coordinates of the law: in scaled coordinates,
    /// with how far it can be from that.
    pub(super) fn checked_direction(&self, slip: [f64; 3], f: [f64; 3]) -> ([f64; 3], f64) {
        let (mut against, mut f) = (slip.map(|v| -v), f);
        for (r, s) in self.stretch.iter().enumerate() {
            against[r] = if r < self.dimension { against[r] * s } else { 0.0 };
            f[r] /= s;
        }
        let (inside, fault) = self.project(1.0, &f);
        let outside = norm(&[f[0] - inside[0], f[1] - inside[1], f[2] - inside[2]]) + fault;
        let short = self.support(&against) / norm(&against) - dot(&against, &f) / norm(&against);
        let fault = outside.max(short);
        (f, if fault <= USER_PRECISION * self.extent { 0.0 } else { fault })
    }

    /// What a user's set says is the nearest point p, with a bound on its error. For p in r F
    ///
    /// ```text
    ///   ‖p − P(x)‖² ≤ (x − p)ᵀ(P(x) − p) ≤ r h(x − p) − (x − p)ᵀp,
    /// ```
    ///
    /// and the error is at most ‖x − p‖. Where p is said to be in r F by the gauge, and not beyond the supporting planes normal to
    /// x − p and p.
    fn checked_projection(&self, set: &dyn UserSet, radius: f64, x: &[f64; 3]) -> ([f64; 3], f64) {
        let d = self.dimension;
        let mut p = [0.0; 3];
        set.project(radius, &x[..d], &mut p[..d]);
        let left = [x[0] - p[0], x[1] - p[1], x[2] - p[2]];
        let reach = radius * self.extent;
        let excess = (set.gauge(&p[..d]) - radius) * self.extent;
        let beyond = |y: &[f64; 3]| {
            let length = norm(y);
            let past = dot(y, &p) - radius * set.support(&y[..d]);
            if length > 0.0 { past / length } else { length }
        };
        let outside = larger(excess, beyond(&p));
        let gap = radius * set.support(&left[..d]) - dot(&left, &p);
        let distance = norm(&left);
        // A point that is off by δ has a gap of first order, and of second where it turns the direction of a short x − p.
        let size = larger(reach, norm(x));
        let delta = USER_PRECISION * size;
        let aside = if gap.abs() * distance <= delta * (distance * distance + delta * size) {
            0.0
        } else {
            gap.max(0.0).sqrt().min(distance) + (-gap).max(0.0) / distance
        };
        let outside = if outside <= USER_PRECISION * reach { 0.0 } else { outside };
        (p, outside + aside)
    }
}

/// The disc under uniform pressure whose moment without force is 1.
fn uniform() -> Option<UniformDisc> {
    UniformDisc::new(1.0 / UNIFORM_MOMENT).ok()
}

fn on_ball(reach: f64, x: &[f64; 3]) -> [f64; 3] {
    let length = norm(x);
    if length <= reach { *x } else { x.map(|c| reach * (c / length)) }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The larger of two, or NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}
