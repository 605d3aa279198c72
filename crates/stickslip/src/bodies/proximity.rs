//! Where two bodies may touch: pairs of simple shapes, and pairs of the user's own.

use super::pose::check_vector;
use super::proximity_rate::{against_plane, between_balls, differences};
use super::{Pose, Twist, ellipsoid};
use crate::error::{Error, check};
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

pub use super::proximity_rate::ProximityRate;

/// A shape in the axes of its body, whose origin is the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A point of the body.
    Point(DVec3),
    /// A sphere: centre and radius.
    Sphere(DVec3, f64),
    /// The edge of a thin disc: centre, unit axis, radius.
    Disc(DVec3, DVec3, f64),
    /// An ellipsoid: centre, and the half axes along those of the body.
    Ellipsoid(DVec3, DVec3),
    /// A half-space: a point of its surface and the unit normal that points out of it.
    Plane(DVec3, DVec3),
}

/// How close two bodies are: the gap, the nearest points in world coordinates, and the unit normal from the second body
/// to the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// Distance; negative where they overlap.
    pub gap: f64,
    /// The nearest point of the first body.
    pub on_first: DVec3,
    /// The nearest point of the second body.
    pub on_second: DVec3,
    /// From the second to the first.
    pub normal: DVec3,
    /// A direction along which the first tangent is laid, for friction that depends on the heading.
    pub tangent: Option<DVec3>,
}

/// Two shapes of two bodies, seen in the order in which the contact is given.
pub trait Pair: Debug + Send + Sync {
    /// How close they are at these poses.
    fn proximity(&self, first: &Pose, second: &Pose) -> Proximity;

    /// How that changes while the bodies move with these twists; the event-driven integrator needs it. By default by central
    /// differences of eighth order, to about 1e-12 of the sizes where the shapes are smooth over a turn by 0.03 rad.
    fn rate(&self, first: (&Pose, &Twist), second: (&Pose, &Twist)) -> ProximityRate {
        differences(self, first, second)
    }
}

/// A pair of built-in shapes.
///
/// # Errors
/// If the first is a plane, the pair is one that is not built in, or a number is out of range.
pub fn pair(first: Shape, second: Shape) -> Result<Arc<dyn Pair>, Error> {
    for (place, shape) in [("the first shape", first), ("the second shape", second)] {
        validate(place, shape)?;
    }
    match (first, second) {
        (
            Shape::Point(_) | Shape::Sphere(..) | Shape::Disc(..) | Shape::Ellipsoid(..),
            Shape::Plane(..),
        )
        | (Shape::Point(_) | Shape::Sphere(..), Shape::Point(_) | Shape::Sphere(..)) => {
            Ok(Arc::new(BuiltIn { first, second }))
        }
        _ => Err(Error::Combination {
            part: "this first shape",
            other: "this second shape",
            reason: "points, spheres, discs and ellipsoids pair planes, points and spheres pair each other; \
                     give other pairs by the trait Pair",
        }),
    }
}

fn validate(place: &str, shape: Shape) -> Result<(), Error> {
    let unit = |axis: DVec3| {
        let length = axis.length();
        let inside = (length - 1.0).abs() < 1e-9;
        check(|| format!("the length of the direction of {place}"), length, inside, "1")
    };
    let radius =
        |r: f64| check(|| format!("the radius of {place}"), r, r > 0.0, "a finite number > 0");
    let point = |p: DVec3| check_vector(|| format!("a coordinate of {place}"), p);
    match shape {
        Shape::Point(p) => point(p),
        Shape::Sphere(p, r) => point(p).and_then(|()| radius(r)),
        Shape::Disc(p, axis, r) => point(p).and_then(|()| unit(axis)).and_then(|()| radius(r)),
        Shape::Ellipsoid(p, axes) => {
            point(p)?;
            let half = |x: f64| {
                let inside = x.is_finite() && x > 0.0;
                check(|| format!("a half axis of {place}"), x, inside, "a finite number > 0")
            };
            axes.to_array().into_iter().try_for_each(half)
        }
        Shape::Plane(p, normal) => point(p).and_then(|()| unit(normal)),
    }
}

#[derive(Clone, Copy, Debug)]
struct BuiltIn {
    first: Shape,
    second: Shape,
}

impl Pair for BuiltIn {
    fn proximity(&self, first: &Pose, second: &Pose) -> Proximity {
        match self.second {
            Shape::Plane(point, normal) => {
                let (point, normal) = (second.point(point), second.rotation * normal);
                let nearest = lowest(self.first, first, normal);
                let gap = (nearest - point).dot(normal);
                let on_second = nearest - gap * normal;
                Proximity { gap, on_first: nearest, on_second, normal, tangent: None }
            }
            _ => balls(self.first, self.second, first, second),
        }
    }

    fn rate(&self, first: (&Pose, &Twist), second: (&Pose, &Twist)) -> ProximityRate {
        match self.second {
            Shape::Plane(point, normal) => {
                against_plane(self.first, first, (point, normal), second)
            }
            _ => between_balls([self.first, self.second], first, second),
        }
    }
}

/// The point of a shape that lies farthest against the normal.
fn lowest(shape: Shape, pose: &Pose, normal: DVec3) -> DVec3 {
    match shape {
        Shape::Point(p) | Shape::Plane(p, _) => pose.point(p),
        Shape::Sphere(p, r) => pose.point(p) - r * normal,
        Shape::Disc(p, axis, r) => {
            let axis = pose.rotation * axis;
            let down = axis * axis.dot(normal) - normal;
            // A disc that lies flat touches everywhere: its centre stands for it.
            pose.point(p) + r * down.try_normalize().unwrap_or(DVec3::ZERO)
        }
        Shape::Ellipsoid(p, axes) => {
            pose.point(p + ellipsoid::lowest(axes, pose.rotation.conjugate() * normal))
        }
    }
}

fn balls(a: Shape, b: Shape, first: &Pose, second: &Pose) -> Proximity {
    let ball = |shape, pose: &Pose| match shape {
        Shape::Point(p) | Shape::Plane(p, _) | Shape::Ellipsoid(p, _) => (pose.point(p), 0.0),
        Shape::Sphere(p, r) | Shape::Disc(p, _, r) => (pose.point(p), r),
    };
    let ((p, r), (q, s)) = (ball(a, first), ball(b, second));
    let between = p - q;
    let distance = between.length();
    // Centres that coincide have no direction of their own.
    let normal = if distance > 0.0 { between / distance } else { DVec3::Z };
    let (on_first, on_second) = (p - r * normal, q + s * normal);
    Proximity { gap: distance - r - s, on_first, on_second, normal, tangent: None }
}

/// Two unit tangents that make a right-handed frame with the normal.
pub(super) fn tangents(normal: DVec3, along: Option<DVec3>) -> (DVec3, DVec3) {
    let hint = along.unwrap_or(if normal.x.abs() < 0.6 { DVec3::X } else { DVec3::Y });
    let t = (hint - normal * hint.dot(normal)).try_normalize();
    let t = t.unwrap_or_else(|| normal.any_orthonormal_vector());
    (t, normal.cross(t))
}
