//! Convex sets F with the origin inside, as data: what friction forces a contact can bear.
//!
//! Each set gives its projection, support function, gauge, and polyhedra inside and outside of it.
//! A radius multiplies a set where it is used (μ times the normal force, or a constant); it is not part of it.
//!
//! | set | dimension | what it stands for |
//! |---|---|---|
//! | [`ConvexSet::Interval`] | 1 | planar friction |
//! | [`ConvexSet::Disc`] | 2 | isotropic friction at a point |
//! | [`ConvexSet::Ellipsoid`] | 1 to 3 | orthotropic friction; with spin, the limit surface of paper 2, eq. (1) |
//! | [`ConvexSet::Polyhedron`] | 1 to 3 | polygons and polyhedra (paper 1; paper 2, b) |
//! | [`ConvexSet::Mixed`] | 3 | an ellipse and, apart from it, a bound on spin (paper 2, c) |
//! | [`ConvexSet::Custom`] | 1 to 3 | your own, for example [`UniformDisc`] |
//!
//! ```
//! use stickslip_contact::set::ConvexSet;
//!
//! let set = ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.3]);
//! set.validate()?;
//! let mut p = [0.0; 3];
//! set.project(2.0, &[0.0, 0.0, 5.0], &mut p);
//! assert_eq!(p, [0.0, 0.0, 0.6]);
//! assert_eq!(set.support(&[3.0, 4.0, 0.0]), 5.0);
//! # Ok::<(), stickslip_contact::Error>(())
//! ```
//!
//! No method panics, whatever the numbers. NaN in gives NaN out.

mod approximate;
mod ellipsoid;
mod error;
mod faces;
mod matrix3;
mod polyhedron;
#[cfg(test)]
pub(crate) mod samples;
mod stretch;
#[cfg(test)]
mod tests;
mod uniform_disc;
mod user;
pub(crate) mod vector;

use std::sync::Arc;

pub use approximate::Sandwich;
pub use error::SetError;
pub(crate) use polyhedron::Landing;
pub use polyhedron::{MAX_FACETS, Polyhedron};
pub(crate) use stretch::stretched;
pub use uniform_disc::UniformDisc;
pub use user::{UserSet, gauge_by_support_point, project_by_support_point};

pub(crate) use ellipsoid::{
    multiplier as ellipsoid_multiplier, nearest as ellipsoid_nearest, shrunk as ellipsoid_shrunk,
    stretched as ellipsoid_stretched,
};

use crate::Error;
use vector::{Vector, load, norm, store};

/// The most dimensions a set has: two directions of slip and one of spin.
pub const MAX_DIMENSION: usize = 3;

/// A convex compact set F with the origin in its interior.
///
/// Variants hold plain data: call [`validate`](ConvexSet::validate) once on data that you did not make yourself.
/// Slices have length [`dimension`](ConvexSet::dimension).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConvexSet {
    /// [−1, 1].
    Interval,
    /// The unit disc.
    Disc,
    /// The ellipse or ellipsoid with these semi-axes (one to three, between 10⁻¹⁰⁰ and 10¹⁰⁰).
    Ellipsoid(Vec<f64>),
    /// { c : a_j·c ≤ 1 }.
    Polyhedron(Polyhedron),
    /// The ellipse with these semi-axes in the first two components, and [−spin, spin] in the third.
    Mixed {
        /// Semi-axes of the ellipse.
        ellipse: [f64; 2],
        /// Half the length of the interval.
        spin: f64,
    },
    /// A set of the user's own.
    Custom(Arc<dyn UserSet>),
}

impl ConvexSet {
    /// The dimension of the space the set lives in.
    #[must_use]
    pub fn dimension(&self) -> usize {
        match self {
            ConvexSet::Interval => 1,
            ConvexSet::Disc => 2,
            ConvexSet::Ellipsoid(axes) => axes.len(),
            ConvexSet::Polyhedron(polyhedron) => polyhedron.dimension(),
            ConvexSet::Mixed { .. } => 3,
            ConvexSet::Custom(set) => set.dimension(),
        }
    }

    /// Refuses what is not a convex compact set around the origin.
    ///
    /// Of a user's set only the dimension and the support along the axes can be checked.
    pub fn validate(&self) -> Result<(), Error> {
        let found = self.dimension();
        if !(1..=MAX_DIMENSION).contains(&found) {
            return Err(SetError::Dimension { found }.into());
        }
        match self {
            ConvexSet::Interval | ConvexSet::Disc | ConvexSet::Polyhedron(_) => {}
            ConvexSet::Ellipsoid(axes) => ellipsoid::validate(axes)?,
            ConvexSet::Mixed { ellipse, spin } => {
                ellipsoid::validate(&[ellipse[0], ellipse[1], *spin])?
            }
            ConvexSet::Custom(_) => {
                for direction in 0..2 * MAX_DIMENSION {
                    let (axis, negative) = (direction % MAX_DIMENSION, direction >= MAX_DIMENSION);
                    if axis >= found {
                        continue;
                    }
                    let mut x = [0.0; MAX_DIMENSION];
                    x[axis] = if negative { -1.0 } else { 1.0 };
                    let value = self.support(&x[..found]);
                    if !(value > 0.0 && value.is_finite()) {
                        return Err(SetError::Support { direction, value }.into());
                    }
                }
            }
        }
        Ok(())
    }

    /// The nearest point to x of radius · F, exact to rounding.
    ///
    /// Radius 0 gives 0; a negative radius is the empty set, for which `out` is filled with NaN.
    /// Closed form for interval, disc and mixed discs; a few Newton steps for an ellipsoid; over the faces that
    /// x sees for a polyhedron.
    pub fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        if !(radius >= 0.0) {
            out.fill(f64::NAN);
            return;
        }
        if radius == 0.0 {
            out.fill(0.0);
            return;
        }
        if let ConvexSet::Custom(set) = self {
            set.project(radius, x, out);
            return;
        }
        store(&self.nearest(radius, &load(x)), out);
    }

    fn nearest(&self, radius: f64, x: &Vector) -> Vector {
        match self {
            ConvexSet::Interval => [limited(x[0], radius), 0.0, 0.0],
            ConvexSet::Disc => ellipsoid::project_ball(radius, &[x[0], x[1], 0.0]),
            ConvexSet::Ellipsoid(axes) => ellipsoid::project(axes, radius, x),
            ConvexSet::Polyhedron(polyhedron) => polyhedron.project(radius, x),
            ConvexSet::Mixed { ellipse, spin } => {
                let [a, b, _] = ellipsoid::project(ellipse, radius, &[x[0], x[1], 0.0]);
                let reach = radius * spin;
                [a, b, limited(x[2], reach)]
            }
            ConvexSet::Custom(_) => *x,
        }
    }

    /// The support function h(x) = max { x·f : f in F }, which is the gauge of the polar set.
    #[must_use]
    pub fn support(&self, x: &[f64]) -> f64 {
        let v = load(x);
        match self {
            ConvexSet::Interval => v[0].abs(),
            ConvexSet::Disc => norm(&[v[0], v[1], 0.0]),
            ConvexSet::Ellipsoid(axes) => norm(&ellipsoid::stretched(axes, &v)),
            ConvexSet::Polyhedron(polyhedron) => polyhedron.support(&v),
            ConvexSet::Mixed { ellipse, spin } => {
                norm(&ellipsoid::stretched(ellipse, &[v[0], v[1], 0.0])) + spin * v[2].abs()
            }
            ConvexSet::Custom(set) => set.support(x),
        }
    }

    /// A point f of F with x·f = h(x). For x = 0, which every point of F satisfies, the origin.
    pub fn support_point(&self, x: &[f64], out: &mut [f64]) {
        let v = load(x);
        let point = match self {
            ConvexSet::Interval => [sign(v[0]), 0.0, 0.0],
            ConvexSet::Disc => vector::unit(&[v[0], v[1], 0.0]),
            ConvexSet::Ellipsoid(axes) => ellipsoid::support_point(axes, &v),
            ConvexSet::Polyhedron(polyhedron) => polyhedron.support_point(&v),
            ConvexSet::Mixed { ellipse, spin } => {
                let [a, b, _] = ellipsoid::support_point(ellipse, &[v[0], v[1], 0.0]);
                [a, b, spin * sign(v[2])]
            }
            ConvexSet::Custom(set) => return set.support_point(x, out),
        };
        store(&point, out);
    }

    /// The gauge: the least t ≥ 0 with x in t F. It is at most 1 in F, and 1 on its surface.
    #[must_use]
    pub fn gauge(&self, x: &[f64]) -> f64 {
        let v = load(x);
        match self {
            ConvexSet::Interval => v[0].abs(),
            ConvexSet::Disc => norm(&[v[0], v[1], 0.0]),
            ConvexSet::Ellipsoid(axes) => norm(&ellipsoid::shrunk(axes, &v)),
            ConvexSet::Polyhedron(polyhedron) => polyhedron.gauge(&v),
            ConvexSet::Mixed { ellipse, spin } => {
                let flat = norm(&ellipsoid::shrunk(ellipse, &[v[0], v[1], 0.0]));
                let turn = v[2].abs() / spin;
                if flat.is_nan() || flat >= turn { flat } else { turn }
            }
            ConvexSet::Custom(set) => set.gauge(x),
        }
    }

    /// Whether x is in (1 + tolerance) F.
    #[must_use]
    pub fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        self.gauge(x) <= 1.0 + tolerance
    }
}

/// −1, 0 or 1.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// The nearest number to x in [−reach, reach].
fn limited(x: f64, reach: f64) -> f64 {
    if x > reach {
        reach
    } else if x < -reach {
        -reach
    } else {
        x
    }
}
