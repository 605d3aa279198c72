//! Joints between two bodies: which relative motions they exclude, and how far off they are.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | a, b | poses of the two bodies |
//! | p | world position of the joint's frame on a body; its axes are x, y, z |
//! | row | six numbers per body: φ̇ = row_a · u_a + row_b · u_b |
//! | phi | the error φ of a row at the level of positions |

use super::Pose;
use super::pose::{check_vector, logarithm};
use crate::error::{Error, check};
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// Which relative motions a joint leaves. Axes are those of its frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// None.
    Fixed,
    /// A turn about z.
    Revolute,
    /// A shift along z.
    Prismatic,
    /// A turn about z and a shift along it.
    Cylindrical,
    /// Turns about z of the first frame and x of the second, which stay perpendicular.
    Universal,
    /// Every turn about the common origin.
    Spherical,
    /// Shifts in the plane of x and y, and a turn about z.
    Planar,
    /// Everything that keeps the origins at this distance.
    Distance(f64),
    /// Turns whose speeds about the z-axes keep this ratio, first to second, seen from the ground. The angles themselves
    /// are not compared.
    Gear(f64),
}

impl JointKind {
    /// The number of motions excluded.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Fixed => 6,
            Self::Revolute | Self::Prismatic => 5,
            Self::Cylindrical | Self::Universal => 4,
            Self::Spherical | Self::Planar => 3,
            Self::Distance(_) | Self::Gear(_) => 1,
        }
    }

    /// The axes of the first frame along which it excludes shifts: the first rows of [`rows`].
    pub(super) fn shifts(self) -> &'static [usize] {
        match self {
            Self::Fixed | Self::Revolute | Self::Universal | Self::Spherical => &[0, 1, 2],
            Self::Prismatic | Self::Cylindrical => &[0, 1],
            Self::Planar => &[2],
            Self::Distance(_) | Self::Gear(_) => &[],
        }
    }

    pub(super) fn validate(self, joint: usize) -> Result<(), Error> {
        match self {
            Self::Distance(d) => check(
                || format!("the distance of joint {joint}"),
                d,
                d > 0.0,
                "a finite number > 0",
            ),
            Self::Gear(r) => check(
                || format!("the ratio of joint {joint}"),
                r,
                r != 0.0,
                "a finite number other than 0",
            ),
            _ => Ok(()),
        }
    }
}

/// One excluded motion: the rows of both bodies and the error.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JointRow {
    pub(super) first: [f64; 6],
    pub(super) second: [f64; 6],
    pub(super) phi: f64,
}

/// The rows of a joint with these frames on its bodies.
pub(super) fn rows(
    kind: JointKind,
    (a, on_a): (&Pose, &Pose),
    (b, on_b): (&Pose, &Pose),
    out: &mut Vec<JointRow>,
) {
    let (p, q) = (a.point(on_a.position), b.point(on_b.position));
    let (r, s) = (a.rotation * on_a.rotation, b.rotation * on_b.rotation);
    let (axes, other) = (DMat3::from_quat(r), DMat3::from_quat(s));
    let (lever_a, lever_b) = (q - a.position, q - b.position);
    // d is fixed in the first body, which is followed at the point where the second one is.
    let mut shift = |d: DVec3| {
        out.push(JointRow {
            first: wrench(d, lever_a.cross(d)),
            second: wrench(-d, -lever_b.cross(d)),
            phi: d.dot(p - q),
        });
    };
    kind.shifts().iter().for_each(|&i| shift(axes.col(i)));
    let mut turn = |d: DVec3, phi: f64| {
        out.push(JointRow { first: wrench(DVec3::ZERO, d), second: wrench(DVec3::ZERO, -d), phi });
    };
    match kind {
        JointKind::Fixed | JointKind::Prismatic => {
            let off = logarithm(r * s.conjugate());
            (0..3).for_each(|i| turn(axes.col(i), axes.col(i).dot(off)));
        }
        JointKind::Revolute | JointKind::Cylindrical | JointKind::Planar => {
            // φ = t · (z_b × z_a) for t across the axis.
            let off = other.z_axis.cross(axes.z_axis);
            (0..2).for_each(|i| turn(axes.col(i), axes.col(i).dot(off)));
        }
        JointKind::Universal => {
            turn(axes.z_axis.cross(other.x_axis), axes.z_axis.dot(other.x_axis));
        }
        JointKind::Spherical => {}
        JointKind::Distance(length) => {
            let between = p - q;
            let d = between.normalize_or(DVec3::Z);
            out.push(JointRow {
                first: wrench(d, (p - a.position).cross(d)),
                second: wrench(-d, -(q - b.position).cross(d)),
                phi: between.length() - length,
            });
        }
        JointKind::Gear(ratio) => out.push(JointRow {
            first: wrench(DVec3::ZERO, axes.z_axis),
            second: wrench(DVec3::ZERO, -ratio * other.z_axis),
            phi: 0.0,
        }),
    }
}

fn wrench(force: DVec3, moment: DVec3) -> [f64; 6] {
    [force.x, force.y, force.z, moment.x, moment.y, moment.z]
}

/// The coordinate of a joint with one, an angle about z or a shift along it, of the second body against the first, and the
/// rows of its velocity. A cylindrical joint's is the angle; joints without one have 0 and no rows.
pub(super) fn motion(
    kind: JointKind,
    (a, on_a): (&Pose, &Pose),
    (b, on_b): (&Pose, &Pose),
) -> (f64, [[f64; 6]; 2]) {
    let (p, q) = (a.point(on_a.position), b.point(on_b.position));
    let axes = DMat3::from_quat(a.rotation * on_a.rotation);
    let other = DMat3::from_quat(b.rotation * on_b.rotation);
    let z = axes.z_axis;
    match kind {
        JointKind::Revolute | JointKind::Cylindrical | JointKind::Planar => {
            let angle = other.x_axis.dot(axes.y_axis).atan2(other.x_axis.dot(axes.x_axis));
            (angle, [wrench(DVec3::ZERO, -z), wrench(DVec3::ZERO, z)])
        }
        JointKind::Prismatic => {
            let (lever_a, lever_b) = (q - a.position, q - b.position);
            let rows = [wrench(-z, -lever_a.cross(z)), wrench(z, lever_b.cross(z))];
            (z.dot(q - p), rows)
        }
        _ => (0.0, [[0.0; 6]; 2]),
    }
}

impl JointKind {
    /// Whether its coordinate is an angle.
    fn is_angle(self) -> bool {
        matches!(self, Self::Revolute | Self::Cylindrical | Self::Planar)
    }

    /// A coordinate as its limits see it: an angle is the one within half a turn of their middle.
    pub(super) fn between_limits(self, x: f64, [low, high]: [f64; 2]) -> f64 {
        if !self.is_angle() {
            return x;
        }
        x - TAU * ((x - 0.5 * (low + high)) / TAU).round()
    }

    /// Whether limits, motors and friction can be put on the joint.
    #[must_use]
    pub fn has_coordinate(self) -> bool {
        matches!(self, Self::Revolute | Self::Cylindrical | Self::Planar | Self::Prismatic)
    }

    pub(super) fn check_coordinate(self) -> Result<(), Error> {
        if self.has_coordinate() {
            return Ok(());
        }
        Err(Error::Combination {
            part: "a limit or drive",
            other: "this kind of joint",
            reason: "it has no single coordinate; revolute, prismatic, cylindrical and planar joints have one",
        })
    }
}

/// Refuses frames of a joint that are not finite or not rotations.
pub(super) fn check_frames(joint: usize, frames: [&Pose; 2]) -> Result<(), Error> {
    for frame in frames {
        let length = frame.rotation.length();
        let place = || format!("the length of a quaternion of joint {joint}");
        check(place, length, (length - 1.0).abs() < 1e-6, "1; normalise it")?;
        check_vector(|| format!("a coordinate of joint {joint}"), frame.position)?;
    }
    Ok(())
}

/// Refuses limits of the coordinate of a joint that are not finite, cross, or are angles that poses cannot tell apart.
pub(super) fn check_limits(
    joint: usize,
    kind: JointKind,
    [low, high]: [f64; 2],
) -> Result<(), Error> {
    check(|| format!("the upper limit of joint {joint}"), high, true, "a finite number")?;
    let wanted = "a finite number below the upper";
    check(|| format!("the lower limit of joint {joint}"), low, low < high, wanted)?;
    let place = || format!("the angle between the limits of joint {joint}");
    let wanted = "less than a full turn: poses do not count turns";
    check(place, high - low, !kind.is_angle() || high - low < TAU, wanted)
}

pub(super) fn check_drive(joint: usize, velocity: f64, most: f64) -> Result<(), Error> {
    check(|| format!("the velocity of joint {joint}"), velocity, true, "a finite number")?;
    check(|| format!("the force of joint {joint}"), most, most >= 0.0, "a finite number >= 0")
}
