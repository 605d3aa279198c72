//! How a link moves against its parent.
//!
//! # Notation
//! Of the joint's frame in the link against the one in the parent, all in axes of the latter: rotation Q(q), shift d(q),
//! angular velocity A u, velocity B u. B does not depend on q; of A only the second axis of a universal joint does.

use crate::bodies::pose::{exponential, logarithm};
use glam::{DQuat, DVec3};

/// The joint between a link and its parent. Directions are axes of the joint's frame in the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeJoint {
    /// None: the link is welded on.
    Fixed,
    /// q: the angle about z.
    Revolute,
    /// q: the shift along z.
    Prismatic,
    /// q: the angle about z, the shift along it.
    Cylindrical,
    /// q: the angle about x, then the angle about the y that has turned with it.
    Universal,
    /// q: a unit quaternion (w, x, y, z); u: the angular velocity.
    Spherical,
    /// q: the shifts along x and y, the angle about z.
    Planar,
    /// q: the shifts along x, y, z and a unit quaternion (w, x, y, z); u: velocity and angular velocity.
    Free,
}

/// One column of A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Column {
    pub(super) turn: DVec3,
    pub(super) shift: DVec3,
}

impl TreeJoint {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Fixed,
        Self::Revolute,
        Self::Prismatic,
        Self::Cylindrical,
        Self::Universal,
        Self::Spherical,
        Self::Planar,
        Self::Free,
    ];

    /// The number of coordinates.
    #[must_use]
    pub fn coordinates(self) -> usize {
        match self {
            Self::Spherical => 4,
            Self::Free => 7,
            _ => self.velocities(),
        }
    }

    /// The number of velocities.
    #[must_use]
    pub fn velocities(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic => 1,
            Self::Cylindrical | Self::Universal => 2,
            Self::Spherical | Self::Planar => 3,
            Self::Free => 6,
        }
    }

    /// Where the quaternion begins, if there is one.
    pub(super) fn quaternion(self) -> Option<usize> {
        match self {
            Self::Spherical => Some(0),
            Self::Free => Some(3),
            _ => None,
        }
    }

    /// Q and d.
    pub(super) fn placement(self, q: &[f64]) -> (DQuat, DVec3) {
        match self {
            Self::Fixed => (DQuat::IDENTITY, DVec3::ZERO),
            Self::Revolute => (DQuat::from_rotation_z(q[0]), DVec3::ZERO),
            Self::Prismatic => (DQuat::IDENTITY, q[0] * DVec3::Z),
            Self::Cylindrical => (DQuat::from_rotation_z(q[0]), q[1] * DVec3::Z),
            Self::Universal => {
                (DQuat::from_rotation_x(q[0]) * DQuat::from_rotation_y(q[1]), DVec3::ZERO)
            }
            Self::Spherical => (quaternion(q), DVec3::ZERO),
            Self::Planar => (DQuat::from_rotation_z(q[2]), DVec3::new(q[0], q[1], 0.0)),
            Self::Free => (quaternion(&q[3..]), DVec3::new(q[0], q[1], q[2])),
        }
    }

    /// Column `j` of A and B.
    pub(super) fn column(self, q: &[f64], j: usize) -> Column {
        let turn = |turn| Column { turn, shift: DVec3::ZERO };
        let shift = |shift| Column { turn: DVec3::ZERO, shift };
        match (self, j) {
            (Self::Revolute, _) | (Self::Cylindrical, 0) | (Self::Planar, 2) => turn(DVec3::Z),
            (Self::Prismatic, _) | (Self::Cylindrical, _) => shift(DVec3::Z),
            (Self::Universal, 0) => turn(DVec3::X),
            (Self::Universal, _) => turn(second_axis(q)),
            (Self::Spherical, _) => turn(DVec3::AXES[j.min(2)]),
            (Self::Planar, _) => shift(DVec3::AXES[j.min(1)]),
            (Self::Free, 0..3) => shift(DVec3::AXES[j]),
            (Self::Free, _) => turn(DVec3::AXES[(j - 3).min(2)]),
            (Self::Fixed, _) => Column::default(),
        }
    }

    /// Ȧ u.
    pub(super) fn convective(self, q: &[f64], u: &[f64]) -> DVec3 {
        match self {
            Self::Universal => u[0] * u[1] * DVec3::X.cross(second_axis(q)),
            _ => DVec3::ZERO,
        }
    }

    /// The displacement from coordinates to others.
    pub(super) fn local(self, q: &[f64], there: &[f64], out: &mut [f64]) {
        let shifts = self.quaternion().unwrap_or(q.len());
        let both = q.iter().zip(there).take(shifts);
        out.iter_mut().zip(both).for_each(|(xi, (q, there))| *xi = there - q);
        if let Some(at) = self.quaternion() {
            let turn = logarithm(quaternion(&there[at..]) * quaternion(&q[at..]).conjugate());
            turn.write_to_slice(&mut out[at..]);
        }
    }

    /// The coordinates after a displacement u dt.
    pub(super) fn displace(self, q: &mut [f64], u: &[f64], dt: f64) {
        let shifts = self.quaternion().unwrap_or(q.len());
        q.iter_mut().zip(u).take(shifts).for_each(|(q, u)| *q += dt * u);
        if let Some(at) = self.quaternion() {
            let turn = dt * DVec3::new(u[at], u[at + 1], u[at + 2]);
            let r = (exponential(turn) * quaternion(&q[at..])).normalize();
            q[at..at + 4].copy_from_slice(&[r.w, r.x, r.y, r.z]);
        }
    }
}

fn quaternion(q: &[f64]) -> DQuat {
    DQuat::from_xyzw(q[1], q[2], q[3], q[0])
}

/// The second axis of a universal joint, in the frame of the parent.
fn second_axis(q: &[f64]) -> DVec3 {
    let (s, c) = q[0].sin_cos();
    DVec3::new(0.0, c, s)
}
