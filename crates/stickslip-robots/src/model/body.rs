//! Bodies, frames on them, and constraints between them.

use super::{Inertia, ModelPose, ModelShape};
use crate::error::Place;
use glam::DVec3;

/// A rigid body: a link of URDF, a body of MJCF.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBody {
    /// Its name, unique among the bodies. Without one in the file it is `body_` and its index.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// The body that it hangs on; none for the world alone.
    pub parent: Option<usize>,
    /// Its frame in that of the parent, with its joints at their reference.
    pub pose: ModelPose,
    /// Its mass; none if the file gives it none.
    pub inertia: Option<Inertia>,
    /// Its joints to the parent, in the order in which they act from the parent outwards. Without a joint, or with one of the kind
    /// `Fixed`, it is fixed to the parent.
    pub joints: Vec<usize>,
    /// Its shapes.
    pub geometries: Vec<usize>,
    /// Whether its pose is prescribed from outside (MJCF `mocap`).
    pub prescribed: bool,
    /// The share of its weight that is carried by a force from outside (MJCF `gravcomp`).
    pub gravity_compensation: f64,
}

/// A named frame on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSite {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// The body that it is on.
    pub body: usize,
    /// The frame in that of the body.
    pub pose: ModelPose,
    /// The form in which it is drawn, and in which sensors of touch look for contacts.
    pub shape: ModelShape,
    /// Red, green, blue and opacity from 0 to 1.
    pub colour: Option<[f64; 4]>,
}

/// A constraint that is not a joint of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelEquality {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Whether it holds from the start.
    pub active: bool,
    /// What it demands.
    pub kind: EqualityKind,
}

/// The two ways to say where a constraint acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SiteOrBody {
    /// On a body (the world is body 0).
    Body(usize),
    /// At a site.
    Site(usize),
}

/// What a constraint demands.
#[derive(Clone, Debug, PartialEq)]
pub enum EqualityKind {
    /// Two points coincide, as in a ball joint. On bodies the point is `anchor` in the frame of the first, and on the second the
    /// point that coincides with it in the reference configuration; on sites their origins coincide and `anchor` is zero.
    Connect {
        /// The first.
        first: SiteOrBody,
        /// The second.
        second: SiteOrBody,
        /// The point in the frame of the first body.
        anchor: DVec3,
    },
    /// Two frames stay fixed to each other.
    Weld {
        /// The first.
        first: SiteOrBody,
        /// The second.
        second: SiteOrBody,
        /// The point in the frame of the second body at which positions are compared.
        anchor: DVec3,
        /// The second frame in the first; none: as in the reference configuration (for sites: the frames coincide).
        relative: Option<ModelPose>,
        /// How rotation counts against translation.
        torque_scale: f64,
    },
    /// A polynomial relation of joints, with both measured from their reference:
    /// first = c₀ + c₁ second + c₂ second² + c₃ second³ + c₄ second⁴, or first = c₀ without a second.
    Joint {
        /// The joint that follows.
        first: usize,
        /// The joint that leads.
        second: Option<usize>,
        /// The coefficients.
        polynomial: [f64; 5],
    },
}
