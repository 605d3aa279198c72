//! How the velocities that joints exclude change while the bodies move, for joints on the level of accelerations.
//!
//! The rows J of [`joint::rows`](super::joint::rows) say φ̇ = J v. Here is J̇ v of φ̈ = J v̇ + J̇ v: what is left of φ̈ where no velocity of the
//! model changes, with the accelerations of bodies that are moved.

use super::joint::JointKind;
use super::seen_contact::Moving;
use super::{Pose, Twist};
use glam::{DMat3, DVec3};

/// Of the first body against the second: velocities at a point of the second, and how these change.
struct Relative {
    velocity: Twist,
    rate: Twist,
    /// The angular velocity of the first body, which its axes turn with.
    carries: DVec3,
}

impl Relative {
    fn at(a: &Moving, b: &Moving, point: DVec3) -> Self {
        let moves = b.twist.at(point - b.pose.position);
        let ((v, dv), (w, dw)) = (a.at(point, moves), b.at(point, moves));
        Self {
            velocity: Twist { linear: v - w, angular: a.twist.angular - b.twist.angular },
            rate: Twist { linear: dv - dw, angular: a.rate.angular - b.rate.angular },
            carries: a.twist.angular,
        }
    }

    /// Of the shift along an axis of the first body.
    fn shift(&self, axis: DVec3) -> f64 {
        axis.dot(self.rate.linear) + self.carries.cross(axis).dot(self.velocity.linear)
    }

    /// Of the turn about an axis of the first body.
    fn turn(&self, axis: DVec3) -> f64 {
        self.turn_about(axis, self.carries.cross(axis))
    }

    /// Of the turn about an axis that moves.
    fn turn_about(&self, axis: DVec3, moves: DVec3) -> f64 {
        axis.dot(self.rate.angular) + moves.dot(self.velocity.angular)
    }
}

/// Appends J̇ v of every row of a joint, in the order of [`joint::rows`](super::joint::rows).
pub(super) fn rates(
    kind: JointKind,
    (a, on_a): (&Moving, &Pose),
    (b, on_b): (&Moving, &Pose),
    out: &mut Vec<f64>,
) {
    let axes = DMat3::from_quat(a.pose.rotation * on_a.rotation);
    let other = DMat3::from_quat(b.pose.rotation * on_b.rotation);
    let relative = Relative::at(a, b, b.pose.point(on_b.position));
    out.extend(kind.shifts().iter().map(|&i| relative.shift(axes.col(i))));
    match kind {
        JointKind::Fixed | JointKind::Prismatic => {
            out.extend((0..3).map(|i| relative.turn(axes.col(i))));
        }
        JointKind::Revolute | JointKind::Cylindrical | JointKind::Planar => {
            out.extend((0..2).map(|i| relative.turn(axes.col(i))));
        }
        JointKind::Universal => {
            let (z, x) = (axes.z_axis, other.x_axis);
            let moves = a.twist.angular.cross(z).cross(x) + z.cross(b.twist.angular.cross(x));
            out.push(relative.turn_about(z.cross(x), moves));
        }
        JointKind::Spherical => {}
        JointKind::Distance(_) => out.push(distance_rate((a, on_a), (b, on_b))),
        JointKind::Gear(ratio) => {
            let (z, w) = (axes.z_axis, other.z_axis);
            out.push(z.dot(a.rate.angular) - ratio * w.dot(b.rate.angular));
        }
    }
}

/// Of the distance of the two origins: their accelerations along it, and that their velocities turn it.
fn distance_rate((a, on_a): (&Moving, &Pose), (b, on_b): (&Moving, &Pose)) -> f64 {
    let end = |body: &Moving, frame: &Pose| {
        let point = body.pose.point(frame.position);
        let velocity = body.twist.at(point - body.pose.position);
        (point, velocity, body.at(point, velocity).1)
    };
    let ((p, v, dv), (q, w, dw)) = (end(a, on_a), end(b, on_b));
    let length = (p - q).length();
    let d = (p - q).normalize_or(DVec3::Z);
    let across = (v - w) - d * d.dot(v - w);
    let turns = if length > 0.0 { across.length_squared() / length } else { 0.0 };
    d.dot(dv - dw) + turns
}

/// The same of the coordinate of a joint, whose row is that of [`joint::motion`](super::joint::motion): 0 for joints without one.
pub(super) fn motion_rate(
    kind: JointKind,
    (a, on_a): (&Moving, &Pose),
    (b, on_b): (&Moving, &Pose),
) -> f64 {
    let z = a.pose.rotation * (on_a.rotation * DVec3::Z);
    let relative = Relative::at(a, b, b.pose.point(on_b.position));
    match kind {
        JointKind::Prismatic => -relative.shift(z),
        _ if kind.has_coordinate() => -relative.turn(z),
        _ => 0.0,
    }
}
