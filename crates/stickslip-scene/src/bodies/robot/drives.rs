//! Actuators with constant controls, as drives of joints; weights that are carried.

use super::{Planned, warning};
use crate::bodies::plan::{Plan, PlannedForce};
use stickslip_robots::{
    ActuatorDynamics, ActuatorTarget, ModelActuator, ModelJoint, ModelJointKind,
};

/// A drive of a joint: see [`JointDrive`](stickslip::bodies::forces::JointDrive).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedDrive {
    pub(crate) push: f64,
    pub(crate) stiffness: f64,
    pub(crate) rest: f64,
    pub(crate) damping: f64,
    pub(crate) range: Option<[f64; 2]>,
}

/// Adds the actuators of a robot.
pub(super) fn actuators(robot: &Planned<'_>, plan: &mut Plan) {
    let (draft, model) = (robot.draft, &robot.draft.source.model);
    for (actuator, &control) in model.actuators.iter().zip(&robot.start.controls) {
        match drive(actuator, control, &model.joints) {
            Ok((joint, made)) => {
                let name = &draft.skeleton.joints[joint];
                let made = PlannedDrive {
                    range: both(made.range, model.joints[joint].effort_range),
                    ..made
                };
                let idle = made.push == 0.0 && made.stiffness == 0.0 && made.damping == 0.0;
                let planned = plan.joints.iter_mut().find(|j| j.name == *name);
                if let (Some(planned), false) = (planned, idle) {
                    planned.drives.push(made);
                    if planned.drives.len() > 1 && model.joints[joint].effort_range.is_some() {
                        let text = format!(
                            "the drives of `{}` together have no range of forces, each of them has",
                            model.joints[joint].name
                        );
                        plan.warnings.push(warning(&actuator.place, &text));
                    }
                }
            }
            Err(why) => {
                let text = format!("the actuator `{}` is left out: {why}", actuator.name);
                plan.warnings.push(warning(&actuator.place, &text));
            }
        }
    }
}

/// What two ranges have in common.
fn both(one: Option<[f64; 2]>, other: Option<[f64; 2]>) -> Option<[f64; 2]> {
    match (one, other) {
        (Some([a, b]), Some([c, d])) => Some([a.max(c), b.min(d)]),
        (one, other) => one.or(other),
    }
}

/// The drive that an actuator is with a constant control, and the number of its joint.
fn drive(
    actuator: &ModelActuator,
    control: f64,
    joints: &[ModelJoint],
) -> Result<(usize, PlannedDrive), &'static str> {
    let ActuatorTarget::Joint(joint) = actuator.target else {
        return Err("it acts on no joint of one coordinate");
    };
    if !matches!(joints[joint].kind, ModelJointKind::Hinge | ModelJointKind::Slide) {
        return Err("it acts on no joint of one coordinate");
    }
    let law = &actuator.law;
    if law.damping_ratio.is_some() {
        return Err("its damping is given as a ratio of one that is not known");
    }
    let control = actuator.control_range.map_or(control, |[a, b]| control.max(a).min(b));
    let input = match law.dynamics {
        ActuatorDynamics::Direct => control,
        _ if control != 0.0 => return Err("its input follows the control in time"),
        _ => law.state_range.map_or(0.0, |[a, b]| 0.0_f64.max(a).min(b)),
    };
    // force = c₀ + c₁ gear q + c₂ gear v at the length gear q, and gear times as much at the joint.
    let gear = actuator.gear[0];
    let [c0, c1, c2] = [0, 1, 2].map(|k| law.gain[k] * input + law.bias[k]);
    let (push, stiffness, damping) = (gear * c0, -gear * gear * c1, -gear * gear * c2);
    let range = actuator.force_range.map(|[a, b]| {
        let (a, b) = (gear * a, gear * b);
        [a.min(b), a.max(b)]
    });
    let made = match stiffness == 0.0 {
        true => PlannedDrive { push, stiffness, rest: 0.0, damping, range },
        false => PlannedDrive { push: 0.0, stiffness, rest: push / stiffness, damping, range },
    };
    Ok((joint, made))
}

/// Adds the forces that carry shares of weights (MJCF `gravcomp`).
pub(super) fn weights(robot: &Planned<'_>, plan: &mut Plan) {
    let (draft, start) = (robot.draft, &robot.start);
    for (b, body) in draft.source.model.bodies.iter().enumerate() {
        let root = draft.skeleton.roots[b];
        let (Some(inertia), true) = (body.inertia, root > 0 && body.gravity_compensation != 0.0)
        else {
            continue;
        };
        let number = robot.numbers[root];
        let force = -body.gravity_compensation * inertia.mass * plan.gravity;
        let there = start.links[b].0.apply(inertia.center);
        let pose = plan.pose(number);
        let at = pose.rotation.conjugate() * (there - pose.position);
        plan.forces.push(PlannedForce::constant(&draft.path, number, at, force));
    }
}
