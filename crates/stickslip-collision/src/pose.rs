//! Where a body or a part of it is.

use glam::{DMat3, DQuat, DVec3};

/// A place and a rotation.
///
/// Of a body: the position of its centre of mass, and the rotation from body to world axes. Of a collider: the position of its
/// origin in the axes of its body, and the rotation from its own axes to those of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Pose {
    /// The centre of mass of a body, the origin of a collider.
    pub position: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
}

impl Default for Pose {
    fn default() -> Self {
        Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY }
    }
}

impl Pose {
    /// At a place, without rotation.
    #[must_use]
    pub fn at(position: DVec3) -> Self {
        Self { position, ..Self::default() }
    }

    /// The outer coordinates of a point given in inner ones: world coordinates of a point of a body.
    #[must_use]
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// The pose of a part that is at `inner` in the axes of what is at this pose.
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        Self { position: self.point(inner.position), rotation: self.rotation * inner.rotation }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

/// From the axes of one body to those of another, with the rotation as a matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relative {
    pub(crate) rotation: DMat3,
    pub(crate) shift: DVec3,
}

impl Relative {
    /// From the axes of `first` to those of `second`. Positions are subtracted before anything is rotated, so that bodies far from
    /// the origin lose no more digits than their positions have lost already.
    pub(crate) fn between(first: &Pose, second: &Pose) -> Self {
        let (a, b) = (matrix(first.rotation), matrix(second.rotation).transpose());
        Self { rotation: b * a, shift: b * (first.position - second.position) }
    }

    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, shift: -(rotation * self.shift) }
    }

    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.shift
    }

    pub(crate) fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// The point of the first body whose image is `p`.
    pub(crate) fn back(&self, p: DVec3) -> DVec3 {
        self.rotation.transpose() * (p - self.shift)
    }
}

/// The matrix of a rotation, orthogonal to rounding also where the quaternion has lost its length by some digits.
pub(crate) fn matrix(q: DQuat) -> DMat3 {
    DMat3::from_quat(q.normalize())
}
