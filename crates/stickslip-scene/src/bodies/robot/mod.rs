//! Robots in scene files: `[[robot]]` tables name models in URDF and MJCF, which become bodies, joints, colliders and forces of the
//! same [`Plan`](super::plan::Plan) that `[[body]]` and `[[joint]]` tables make.
//!
//! | step | where |
//! |---|---|
//! | the file, and errors in it | [`load`] |
//! | the table | [`read`] |
//! | which links are one body, and names | [`skeleton`] |
//! | where everything is at the start | [`start`] |
//! | bodies, joints and constraints | [`links`] |
//! | springs, dampers and drives | [`drives`] |
//! | joints that follow others | [`couplings`] |
//! | sensors | [`sensors`] |
//! | shapes that touch | [`shapes`] |
//! | what touches what, and with which law | [`touch`] |

mod couplings;
mod drives;
mod links;
mod load;
mod read;
mod sensors;
mod shapes;
mod skeleton;
mod start;
mod touch;

pub(crate) use couplings::PlannedCoupling;
pub(crate) use drives::PlannedDrive;
pub(super) use load::{mesh_file, read_file};
pub(super) use read::{BASES, read};

use super::draft::{Numbers, OrientationDraft};
use super::orientation::rotation;
use super::plan::Plan;
use super::values::Values;
use crate::document::Problem;
use crate::tree::Site;
use skeleton::Skeleton;
use std::sync::Arc;
use stickslip_robots::{ExplicitPair, GeometryRole, ModelPose, Place, RobotModel};

use load::at_place;
pub(crate) use load::is_robot;
pub(super) use touch::collide;

/// A `[[robot]]`.
#[derive(Clone, Debug)]
pub(crate) struct RobotDraft {
    pub(super) path: String,
    /// Its model, with the texts of the files that it came from.
    pub(super) source: Arc<Source>,
    pub(super) skeleton: Arc<Skeleton>,
    position: Option<Numbers>,
    orientation: Option<OrientationDraft>,
    keyframe: Option<(String, Site)>,
    /// Coordinates of joints at the start, by name.
    joints: Vec<(String, Site, Numbers)>,
    /// Controls of actuators, by name.
    controls: Vec<(String, Site, Numbers)>,
    collides: bool,
}

/// A model that was read.
#[derive(Debug)]
pub(crate) struct Source {
    pub(super) model: RobotModel,
    /// The texts of its files by name, for errors that point into them.
    texts: Vec<(String, String)>,
}

impl RobotDraft {
    /// The names of its bodies that forces move, in the order in which they get coordinates.
    pub(crate) fn moving(&self) -> impl Iterator<Item = &str> {
        let (model, skeleton) = (&self.source.model, &self.skeleton);
        let moving = (1..model.bodies.len()).filter(|&b| skeleton.is_free(b));
        moving.map(|b| skeleton.bodies[b].as_str())
    }

    /// The acceleration of gravity of its file.
    pub(super) fn gravity(&self) -> glam::DVec3 {
        self.source.model.options.gravity
    }

    /// The texts of its files, by name.
    pub(crate) fn texts(&self) -> &[(String, String)] {
        &self.source.texts
    }

    /// The step that its file asks for, with the name of the file.
    pub(crate) fn timestep(&self) -> Option<(f64, &str)> {
        let file = self.source.texts.first().map_or("", |(name, _)| name);
        Some((self.source.model.options.timestep?, file))
    }

    /// Whether a geometry of its model touches others.
    fn touches(&self, geometry: usize) -> bool {
        let model = &self.source.model;
        let paired = |p: &ExplicitPair| p.first == geometry || p.second == geometry;
        model.geometries[geometry].role != GeometryRole::Visual || model.pairs.iter().any(paired)
    }

    /// An error at a place of its file.
    fn problem(&self, place: &Place, reason: impl Into<String>) -> Problem {
        at_place(&self.source.texts, place, reason)
    }
}

/// A robot in a plan: where its links are.
pub(super) struct Planned<'d> {
    pub(super) draft: &'d RobotDraft,
    start: start::Start,
    /// The number in the plan of each body of the model: 0 for what stands still and touches nothing.
    numbers: Vec<usize>,
}

/// Adds a robot to a plan, but for what it touches with.
pub(super) fn plan<'d>(
    values: &Values,
    draft: &'d RobotDraft,
    plan: &mut Plan,
) -> Result<Planned<'d>, Problem> {
    let model = &draft.source.model;
    let base = ModelPose {
        position: values.vector(&draft.position)?,
        rotation: rotation(values, &draft.orientation)?,
    };
    plan.warnings.extend(model.warnings.iter().map(ToString::to_string));
    let start = start::start(values, draft, base, &mut plan.warnings)?;
    let numbers = links::bodies(draft, &start, plan)?;
    let planned = Planned { draft, start, numbers };
    links::joints(&planned, plan)?;
    links::equalities(&planned, plan);
    couplings::couplings(&planned, plan)?;
    drives::actuators(&planned, plan);
    drives::weights(&planned, plan);
    sensors::sensors(&planned, plan)?;
    Ok(planned)
}

/// Something that was read but has no place in the scene.
fn warning(place: &Place, text: &str) -> String {
    format!("{place}: {text}")
}
