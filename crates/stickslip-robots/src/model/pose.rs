//! Positions with orientations.

use glam::{DQuat, DVec3};

/// A frame in another: x ↦ rotation x + position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelPose {
    /// The origin, in m.
    pub position: DVec3,
    /// The orientation, a unit quaternion.
    pub rotation: DQuat,
}

impl Default for ModelPose {
    fn default() -> Self {
        Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY }
    }
}

impl ModelPose {
    /// The pose of a frame that is given in this one.
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        let position = self.position + self.rotation * inner.position;
        Self { position, rotation: (self.rotation * inner.rotation).normalize() }
    }

    /// This frame as seen from the other side.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// A point of this frame in the outer one.
    #[must_use]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.position + self.rotation * point
    }
}
