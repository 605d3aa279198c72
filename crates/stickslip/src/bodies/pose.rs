//! Where a body is and how it moves.

use crate::error::{Error, check};
use glam::{DQuat, DVec3};

pub use stickslip_collision::Pose;

/// Seven coordinates of a pose: x, y, z and the quaternion w, x, y, z.
pub(crate) trait Coordinates {
    fn read(q: &[f64]) -> Self;
    fn write(&self, q: &mut [f64]);
}

impl Coordinates for Pose {
    fn read(q: &[f64]) -> Self {
        let rotation = DQuat::from_xyzw(q[4], q[5], q[6], q[3]);
        Self { position: DVec3::new(q[0], q[1], q[2]), rotation }
    }

    fn write(&self, q: &mut [f64]) {
        let (p, r) = (self.position, self.rotation);
        q[..7].copy_from_slice(&[p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
    }
}

/// How far a rotation may lead out of the plane: rounding of frames that are turned over.
pub(crate) const IN_PLANE: f64 = 1e-12;

/// Whether something is in the plane z = 0.
pub(crate) trait Planar {
    fn is_in_plane(&self) -> bool;
}

impl Planar for Pose {
    fn is_in_plane(&self) -> bool {
        let r = self.rotation;
        self.position.z == 0.0 && r.x.abs() < IN_PLANE && r.y.abs() < IN_PLANE
    }
}

impl Planar for Twist {
    fn is_in_plane(&self) -> bool {
        self.linear.z == 0.0 && self.angular.x == 0.0 && self.angular.y == 0.0
    }
}

/// The velocity of the centre of mass and the angular velocity, both in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Of the centre of mass.
    pub linear: DVec3,
    /// Angular velocity.
    pub angular: DVec3,
}

impl Twist {
    /// The velocity of the point of the body that is at `lever` from its centre.
    #[must_use]
    pub fn at(&self, lever: DVec3) -> DVec3 {
        self.linear + self.angular.cross(lever)
    }

    pub(crate) fn read(u: &[f64]) -> Self {
        let (linear, angular) = (DVec3::new(u[0], u[1], u[2]), DVec3::new(u[3], u[4], u[5]));
        Self { linear, angular }
    }

    pub(crate) fn write(&self, u: &mut [f64]) {
        let (v, w) = (self.linear, self.angular);
        u[..6].copy_from_slice(&[v.x, v.y, v.z, w.x, w.y, w.z]);
    }
}

/// Refuses a vector that is not finite, and tells the number that is not.
pub(super) fn check_vector(place: impl FnOnce() -> String, v: DVec3) -> Result<(), Error> {
    let wrong = v.to_array().into_iter().find(|x| !x.is_finite());
    check(place, wrong.unwrap_or(0.0), wrong.is_none(), "a finite number")
}

/// Refuses a prescribed motion that is not finite or whose rotation is not of length 1.
pub(super) fn check_motion(
    body: usize,
    t: f64,
    (pose, twist): &(Pose, Twist),
) -> Result<(), Error> {
    let place = |what| move || format!("{what} of the prescribed body {body} at t = {t}");
    check_vector(place("the position"), pose.position)?;
    check_vector(place("the velocity"), twist.linear)?;
    check_vector(place("the angular velocity"), twist.angular)?;
    let length = pose.rotation.length();
    let unit = (length - 1.0).abs() < 1e-6;
    check(place("the length of the quaternion"), length, unit, "1; normalise it")
}

/// The rotation by the vector `turn`: exp(turn / 2) as a quaternion, good for the smallest angles.
#[must_use]
pub fn exponential(turn: DVec3) -> DQuat {
    let half = 0.5 * turn.length();
    // sin(x)/x and cos(x), whose series are exact to rounding below this.
    let (factor, cosine) = if half < 1e-3 {
        let x = half * half;
        (0.5 * (1.0 - x / 6.0 * (1.0 - x / 20.0)), 1.0 - 0.5 * x * (1.0 - x / 12.0))
    } else {
        (0.5 * half.sin() / half, half.cos())
    };
    let v = factor * turn;
    DQuat::from_xyzw(v.x, v.y, v.z, cosine)
}

/// The turn, a vector of length at most π, whose [`exponential`] is this rotation.
#[must_use]
pub fn logarithm(rotation: DQuat) -> DVec3 {
    let r = if rotation.w < 0.0 { -rotation } else { rotation };
    let v = DVec3::new(r.x, r.y, r.z);
    let s = v.length();
    let factor = if s < 1e-8 { 2.0 / r.w } else { 2.0 * s.atan2(r.w) / s };
    factor * v
}

/// The rate of the turn ξ of a rotation exp(ξ) R that has the angular velocity `spin` in world axes: ξ̇ = dexp⁻¹(ξ) ω, for turns of
/// less than a whole one.
#[must_use]
pub fn turn_rate(turn: DVec3, spin: DVec3) -> DVec3 {
    let square = turn.length_squared();
    // (1 − x cot x) / (4 x²) with x half of the angle; its series is exact to rounding below this.
    let factor = if square < 1e-2 {
        1.0 / 12.0
            + square * (1.0 / 720.0 + square * (1.0 / 30_240.0 + square * (1.0 / 1_209_600.0)))
    } else {
        let half = 0.5 * square.sqrt();
        (1.0 - half / half.tan()) / square
    };
    let cross = turn.cross(spin);
    spin - 0.5 * cross + factor * turn.cross(cross)
}
