//! Joints.

use crate::error::Place;
use glam::DVec3;

/// What a joint lets a body do relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelJointKind {
    /// Nothing.
    Fixed,
    /// Rotation about the axis (URDF revolute and continuous, MJCF hinge).
    Hinge,
    /// Translation along the axis (URDF prismatic, MJCF slide).
    Slide,
    /// Rotation about the anchor.
    Ball,
    /// Everything (URDF floating, MJCF free).
    Free,
    /// Translation in the plane normal to the axis and rotation about the axis (URDF planar).
    Planar,
}

impl ModelJointKind {
    /// The number of degrees of freedom.
    #[must_use]
    pub fn freedoms(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Hinge | Self::Slide => 1,
            Self::Ball | Self::Planar => 3,
            Self::Free => 6,
        }
    }

    /// The number of coordinates of a position, with quaternions for rotations in space.
    #[must_use]
    pub fn coordinates(self) -> usize {
        match self {
            Self::Ball => 4,
            Self::Free => 7,
            other => other.freedoms(),
        }
    }
}

/// A joint between a body and its parent.
///
/// The coordinate is that of the file: at `reference` the body is in the pose that the file gives it.
/// Angles in rad, lengths in m, torques in N m, forces in N.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelJoint {
    /// Its name, unique among the joints. Without one in the file it is `joint_` and its index.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// The body that it moves.
    pub body: usize,
    /// What it allows.
    pub kind: ModelJointKind,
    /// A point on the axis, in the frame of the body.
    pub anchor: DVec3,
    /// The unit vector of the axis, in the frame of the body. Balls and free joints have none, and (0, 0, 1) here.
    pub axis: DVec3,
    /// The range of the coordinate; of a ball, the range of the angle of its rotation.
    pub limits: Option<JointLimits>,
    /// The greatest force or torque of a drive (URDF `effort`, the greater bound of MJCF `actuatorfrcrange`).
    pub effort: Option<f64>,
    /// The range of the force or torque of all drives together, where it is not symmetric or given as a range.
    pub effort_range: Option<[f64; 2]>,
    /// The greatest speed (URDF `velocity`).
    pub speed: Option<f64>,
    /// Viscous damping, force or torque per speed.
    pub damping: f64,
    /// Dry friction: the force or torque to be overcome.
    pub friction: f64,
    /// Inertia of the drive as seen at the joint, in kg m² or kg.
    pub armature: f64,
    /// Stiffness of a spring at the joint.
    pub stiffness: f64,
    /// The coordinate at which that spring is relaxed.
    pub spring_reference: f64,
    /// Time constant and damping ratio that are to give stiffness and damping instead (MJCF `springdamper`).
    pub spring_damper: Option<[f64; 2]>,
    /// The coordinate in the pose of the file.
    pub reference: f64,
    /// The joint that it follows.
    pub mimic: Option<Mimic>,
}

/// A range of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// The least value.
    pub lower: f64,
    /// The greatest.
    pub upper: f64,
}

/// A joint follows another: coordinate = multiplier × leader + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The joint that leads.
    pub joint: usize,
    /// The multiplier.
    pub multiplier: f64,
    /// The offset.
    pub offset: f64,
}
