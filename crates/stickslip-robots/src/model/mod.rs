//! The neutral model: what URDF and MJCF describe, in one set of plain types. SI units, radians, bodies before their children.

mod actuation;
mod body;
mod geometry;
mod inertia;
mod joint;
mod pose;

pub use actuation::{
    ActuatorDynamics, ActuatorKind, ActuatorLaw, ActuatorTarget, ModelActuator, ModelKeyframe,
    ModelSensor, SensorTarget,
};
pub use body::{EqualityKind, ModelBody, ModelEquality, ModelSite, SiteOrBody};
pub use geometry::{
    ContactFilter, ExcludedBodies, ExplicitPair, GeometryRole, HeightField, ModelGeometry,
    ModelMesh, ModelShape, ThreeFrictions,
};
pub(crate) use inertia::Sum;
pub use inertia::{Inertia, TRIANGLE_SLACK, principal_axes};
pub use joint::{JointLimits, Mimic, ModelJoint, ModelJointKind};
pub use pose::ModelPose;

use crate::error::{Error, Place, Problem, Warning};
use glam::DVec3;

/// The format that a model came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Unified Robot Description Format.
    Urdf,
    /// The format of MuJoCo.
    Mjcf,
}

/// A model of a robot or of a scene: trees of bodies with joints, geometry, actuators and constraints.
///
/// Everything refers to everything else by index into the lists of this struct.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotModel {
    /// Its name; empty if the file gives none.
    pub name: String,
    /// Where it came from.
    pub format: Format,
    /// The bodies. The first is the world, which does not move; parents stand before their children.
    pub bodies: Vec<ModelBody>,
    /// The joints, in the order of their bodies.
    pub joints: Vec<ModelJoint>,
    /// Shapes for contact and drawing.
    pub geometries: Vec<ModelGeometry>,
    /// Named frames on bodies.
    pub sites: Vec<ModelSite>,
    /// Triangle meshes, scaled and placed as the file says.
    pub meshes: Vec<ModelMesh>,
    /// Height fields.
    pub height_fields: Vec<HeightField>,
    /// Pairs of bodies that never touch.
    pub excluded: Vec<ExcludedBodies>,
    /// Pairs of geometries that touch whatever the filters say.
    pub pairs: Vec<ExplicitPair>,
    /// Constraints that are not joints.
    pub equalities: Vec<ModelEquality>,
    /// Actuators.
    pub actuators: Vec<ModelActuator>,
    /// Sensors.
    pub sensors: Vec<ModelSensor>,
    /// Named states.
    pub keyframes: Vec<ModelKeyframe>,
    /// What holds for the whole simulation.
    pub options: ModelOptions,
    /// What was read but is not in the model, each with its place.
    pub warnings: Vec<Warning>,
}

/// What holds for the whole simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelOptions {
    /// The acceleration of gravity in m/s²; URDF has none and gets (0, 0, −9.81).
    pub gravity: DVec3,
    /// The step of the integrator in s, if the file says one.
    pub timestep: Option<f64>,
    /// Whether bodies joined directly by a joint may touch. URDF does not say, and gets no; MJCF says no except for the world.
    pub parent_contacts: bool,
}

impl RobotModel {
    /// The index of a body by name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }

    /// The index of a joint by name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The index of a geometry by name.
    #[must_use]
    pub fn geometry(&self, name: &str) -> Option<usize> {
        self.geometries.iter().position(|geometry| geometry.name == name)
    }

    /// The number of position coordinates: a quaternion counts four.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.joints.iter().map(|joint| joint.kind.coordinates()).sum()
    }

    /// The number of degrees of freedom of all joints.
    #[must_use]
    pub fn freedoms(&self) -> usize {
        self.joints.iter().map(|joint| joint.kind.freedoms()).sum()
    }

    /// The poses of all bodies in the world, with all joints at their reference.
    #[must_use]
    pub fn world_poses(&self) -> Vec<ModelPose> {
        let mut poses: Vec<ModelPose> = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let pose = body.parent.map_or(body.pose, |parent| poses[parent].then(&body.pose));
            poses.push(pose);
        }
        poses
    }

    /// The mass of all bodies together in kg.
    #[must_use]
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().filter_map(|body| body.inertia).map(|inertia| inertia.mass).sum()
    }

    /// Refuses a model in which products of large numbers became infinite.
    pub(crate) fn check_finite(&self) -> Result<(), Error> {
        let overflow = |place: &Place, kind: &str, name: &str| {
            let owner = if name.is_empty() { kind.to_owned() } else { format!("{kind} `{name}`") };
            Err(place.error(Problem::Overflow { owner }))
        };
        let fine = |pose: &ModelPose| pose.position.is_finite() && pose.rotation.is_finite();
        for (body, world) in self.bodies.iter().zip(self.world_poses()) {
            let inertia = body.inertia.is_none_or(|inertia| {
                inertia.mass.is_finite() && inertia.center.is_finite() && inertia.tensor.is_finite()
            });
            if !fine(&body.pose) || !fine(&world) || !inertia {
                return overflow(&body.place, "the body", &body.name);
            }
        }
        if let Some(joint) =
            self.joints.iter().find(|j| !j.anchor.is_finite() || !j.axis.is_finite())
        {
            return overflow(&joint.place, "the joint", &joint.name);
        }
        if let Some(geometry) = self.geometries.iter().find(|geometry| !fine(&geometry.pose)) {
            return overflow(&geometry.place, "the geometry", &geometry.name);
        }
        if let Some(site) = self.sites.iter().find(|site| !fine(&site.pose)) {
            return overflow(&site.place, "the site", &site.name);
        }
        if let Some(mesh) =
            self.meshes.iter().find(|m| m.mesh.vertices.iter().any(|v| !v.is_finite()))
        {
            return overflow(&mesh.place, "the mesh", &mesh.name);
        }
        Ok(())
    }
}
