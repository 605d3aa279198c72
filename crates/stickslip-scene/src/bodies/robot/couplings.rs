//! Joints that follow others: `mimic` of URDF, `equality/joint` of MJCF.

use super::{Planned, RobotDraft};
use crate::bodies::BodyModel;
use crate::bodies::plan::Plan;
use crate::document::Problem;
use stickslip::bodies::articulated::Coupling;
use stickslip_robots::{EqualityKind, Place, RobotModel};

/// A coordinate of a joint that follows that of another, by their numbers in the plan.
pub(crate) struct PlannedCoupling {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) joint: usize,
    /// None if the coordinate is held.
    pub(crate) leader: Option<usize>,
    pub(crate) coupling: Coupling,
}

/// Adds the couplings of a robot, whose joints are in the plan.
pub(super) fn couplings(robot: &Planned<'_>, plan: &mut Plan) -> Result<(), Problem> {
    let (draft, model) = (robot.draft, &robot.draft.source.model);
    for (j, joint) in model.joints.iter().enumerate() {
        let Some(mimic) = joint.mimic else { continue };
        let coupling = Coupling::affine(mimic.multiplier, mimic.offset);
        let name = format!("{}_follows", draft.skeleton.joints[j]);
        add(draft, &joint.place, (j, Some(mimic.joint)), (name, coupling), plan)?;
    }
    for (i, equality) in model.equalities.iter().enumerate().filter(|(_, e)| e.active) {
        let EqualityKind::Joint { first, second, polynomial } = equality.kind else { continue };
        let about = |joint: usize| model.joints[joint].reference;
        let coupling = Coupling {
            offset: about(first),
            about: second.map_or(0.0, about),
            coefficients: polynomial,
        };
        let name = draft.skeleton.equalities[i].clone();
        add(draft, &equality.place, (first, second), (name, coupling), plan)?;
    }
    Ok(())
}

fn add(
    draft: &RobotDraft,
    place: &Place,
    (joint, leader): (usize, Option<usize>),
    (name, coupling): (String, Coupling),
    plan: &mut Plan,
) -> Result<(), Problem> {
    let names = &draft.source.model.joints;
    if plan.model != BodyModel::Articulated {
        let reason = format!(
            "the joint `{}` follows another, and the model `{}` does not couple the coordinates of joints",
            names[joint].name,
            plan.model.name()
        );
        return Err(draft.problem(place, reason).cure("choose model = \"articulated\""));
    }
    let find = |j: usize| {
        let planned = &draft.skeleton.joints[j];
        plan.joints.iter().position(|p| p.name == *planned && p.freedom().is_some()).ok_or_else(
            || {
                let reason =
                    format!("the joint `{}` is coupled and has not one coordinate", names[j].name);
                draft.problem(place, reason).cure("name hinges or slides")
            },
        )
    };
    let (joint, leader) = (find(joint)?, leader.map(find).transpose()?);
    let path = draft.path.clone();
    plan.couplings.push(PlannedCoupling { path, name, joint, leader, coupling });
    Ok(())
}

/// Lets joints that mimic others start where these are, unless they are given a place.
pub(super) fn follow(model: &RobotModel, q: &mut [Option<Vec<f64>>]) {
    // The reader refuses circles, so that every joint is reached after as many rounds as there are joints.
    for _ in 0..model.joints.len() {
        let mut changed = false;
        for (j, joint) in model.joints.iter().enumerate() {
            let (Some(mimic), None) = (joint.mimic, &q[j]) else { continue };
            let waits = model.joints[mimic.joint].mimic.is_some() && q[mimic.joint].is_none();
            if waits {
                continue;
            }
            let leader = q[mimic.joint].as_ref().and_then(|x| x.first().copied());
            let leader = leader.unwrap_or(model.joints[mimic.joint].reference);
            q[j] = Some(vec![mimic.multiplier * leader + mimic.offset]);
            changed = true;
        }
        if !changed {
            return;
        }
    }
}
