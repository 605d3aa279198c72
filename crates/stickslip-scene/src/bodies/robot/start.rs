//! Where the links of a robot are at the start, and how they move: from coordinates of joints outwards.

use super::{RobotDraft, couplings, warning};
use crate::bodies::values::Values;
use crate::document::Problem;
use crate::tree::Site;
use glam::{DQuat, DVec3};
use stickslip::bodies::Twist;
use stickslip::expression::nearest;
use stickslip_robots::{ModelJoint, ModelJointKind, ModelPose, RobotModel};

/// The start of a robot.
pub(super) struct Start {
    /// Frames of all bodies in the world, and their motions, of the origins of the frames.
    pub(super) links: Vec<(ModelPose, Twist)>,
    /// Frames with all joints at their reference.
    pub(super) reference: Vec<ModelPose>,
    /// By joint.
    pub(super) joints: Vec<Stage>,
    /// Controls of the actuators.
    pub(super) controls: Vec<f64>,
}

/// What a joint does at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    /// A point of its axis before it moves, and the axis, in the world.
    pub(super) anchor: DVec3,
    pub(super) axis: DVec3,
    /// The frame of its body after it moved, and its motion.
    pub(super) after: (ModelPose, Twist),
    /// The coordinate of hinges and slides.
    pub(super) coordinate: f64,
}

/// Coordinates and velocities of joints, each with those of its kind.
struct Given {
    q: Vec<Option<Vec<f64>>>,
    u: Vec<Option<Vec<f64>>>,
}

/// Evaluates the start that a table asks for.
pub(super) fn start(
    values: &Values,
    draft: &RobotDraft,
    base: ModelPose,
    warnings: &mut Vec<String>,
) -> Result<Start, Problem> {
    let model = &draft.source.model;
    let (mut given, mut controls) = keyframe(draft)?;
    for (name, site, numbers) in &draft.joints {
        let names = model.joints.iter().map(|j| j.name.as_str());
        let joint = find("joint", (name, site), names)?;
        let kind = model.joints[joint].kind;
        if !matches!(kind, ModelJointKind::Hinge | ModelJointKind::Slide) {
            let reason = format!("the joint `{name}` is neither a hinge nor a slide");
            return Err(Problem::at(site.clone(), reason)
                .cure("leave it out; `position` and `orientation` place the whole robot"));
        }
        given.q[joint] = Some(vec![values.number(numbers)?]);
    }
    for (name, site, numbers) in &draft.controls {
        let names = model.actuators.iter().map(|a| a.name.as_str());
        controls[find("actuator", (name, site), names)?] = values.number(numbers)?;
    }
    couplings::follow(model, &mut given.q);
    within_limits(draft, &mut given, warnings);
    let mut reference = vec![base];
    for body in model.bodies.iter().skip(1) {
        let parent = reference[body.parent.unwrap_or(0)];
        reference.push(parent.then(&body.pose));
    }
    let (links, joints) = outwards(model, base, &given);
    Ok(Start { links, reference, joints, controls })
}

/// The number of something by its name.
fn find<'n>(
    what: &str,
    (name, site): (&str, &Site),
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<usize, Problem> {
    names.clone().position(|n| n == name).ok_or_else(|| {
        let cure = match nearest(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.clone().next().is_none() => "the file has none".to_owned(),
            None => format!("the robot has {}", names.collect::<Vec<_>>().join(", ")),
        };
        Problem::at(site.clone(), format!("the robot has no {what} `{name}`")).cure(cure)
    })
}

/// What the keyframe gives, if there is one.
fn keyframe(draft: &RobotDraft) -> Result<(Given, Vec<f64>), Problem> {
    let model = &draft.source.model;
    let count = model.joints.len();
    let mut given = Given { q: vec![None; count], u: vec![None; count] };
    let mut controls = vec![0.0; model.actuators.len()];
    let Some((name, site)) = &draft.keyframe else { return Ok((given, controls)) };
    let names = model.keyframes.iter().map(|k| k.name.as_str());
    let key = &model.keyframes[find("keyframe", (name, site), names)?];
    let (mut q, mut u) = (&key.positions[..], &key.velocities[..]);
    for (j, joint) in model.joints.iter().enumerate() {
        let (nq, nu) = (joint.kind.coordinates(), joint.kind.freedoms());
        if let Some((own, rest)) = q.split_at_checked(nq) {
            (given.q[j], q) = (Some(own.to_vec()), rest);
        }
        if let Some((own, rest)) = u.split_at_checked(nu) {
            (given.u[j], u) = (Some(own.to_vec()), rest);
        }
    }
    controls.iter_mut().zip(&key.controls).for_each(|(c, x)| *c = *x);
    Ok((given, controls))
}

/// Moves coordinates that are outside of the limits of their joints to the nearest limit, and says so.
fn within_limits(draft: &RobotDraft, given: &mut Given, warnings: &mut Vec<String>) {
    for (joint, q) in draft.source.model.joints.iter().zip(&mut given.q) {
        let one = matches!(joint.kind, ModelJointKind::Hinge | ModelJointKind::Slide);
        let Some(limits) = joint.limits.filter(|_| one) else { continue };
        let wanted = q.as_ref().map_or(joint.reference, |q| q[0]);
        let nearest = wanted.max(limits.lower).min(limits.upper);
        if nearest != wanted {
            let text = format!(
                "the joint `{}` would start at {wanted}, outside of its limits {} and {}; it starts at {nearest}",
                joint.name, limits.lower, limits.upper
            );
            warnings.push(warning(&joint.place, &text));
            *q = Some(vec![nearest]);
        }
    }
}

type Links = Vec<(ModelPose, Twist)>;

/// The frames of all bodies, each from that of its parent by its joints.
fn outwards(model: &RobotModel, base: ModelPose, given: &Given) -> (Links, Vec<Stage>) {
    let mut links: Links = vec![(base, Twist::default())];
    let still =
        Stage { anchor: DVec3::ZERO, axis: DVec3::Z, after: Default::default(), coordinate: 0.0 };
    let mut stages = vec![still; model.joints.len()];
    for body in model.bodies.iter().skip(1) {
        let (parent, moving) = links[body.parent.unwrap_or(0)];
        let pose = parent.then(&body.pose);
        let linear = moving.at(pose.position - parent.position);
        let mut now = (pose, Twist { linear, ..moving });
        for &j in &body.joints {
            let (q, u) = (given.q[j].as_deref(), given.u[j].as_deref());
            stages[j] = stage(&model.joints[j], now, base, q, u);
            now = stages[j].after;
        }
        links.push(now);
    }
    (links, stages)
}

/// What a joint makes of the frame of its body and of its motion.
fn stage(
    joint: &ModelJoint,
    (pose, twist): (ModelPose, Twist),
    base: ModelPose,
    q: Option<&[f64]>,
    u: Option<&[f64]>,
) -> Stage {
    let (anchor, axis) = (pose.apply(joint.anchor), pose.rotation * joint.axis);
    let coordinate = q.map_or(joint.reference, |q| q[0]);
    let (way, speed) = (coordinate - joint.reference, u.map_or(0.0, |u| u[0]));
    let there = twist.at(anchor - pose.position);
    let vector = |x: &[f64]| DVec3::new(x[0], x[1], x[2]);
    let quaternion = |x: &[f64]| DQuat::from_xyzw(x[1], x[2], x[3], x[0]).normalize();
    // The body turned about the anchor, with the spin that it then has.
    let turned = |rotation: DQuat, angular: DVec3| {
        let position = anchor - rotation * joint.anchor;
        let linear = there + angular.cross(position - anchor);
        (ModelPose { position, rotation }, Twist { linear, angular })
    };
    let after = match joint.kind {
        ModelJointKind::Fixed | ModelJointKind::Planar => (pose, twist),
        ModelJointKind::Hinge => {
            let rotation = (DQuat::from_axis_angle(axis, way) * pose.rotation).normalize();
            turned(rotation, twist.angular + speed * axis)
        }
        ModelJointKind::Slide => {
            let position = pose.position + way * axis;
            let linear = twist.at(position - pose.position) + speed * axis;
            (ModelPose { position, ..pose }, Twist { linear, ..twist })
        }
        ModelJointKind::Ball => {
            let rotation = pose.rotation * q.map_or(DQuat::IDENTITY, quaternion);
            turned(rotation, twist.angular + rotation * u.map_or(DVec3::ZERO, vector))
        }
        ModelJointKind::Free => {
            let placed = |q: &[f64]| {
                base.then(&ModelPose { position: vector(q), rotation: quaternion(&q[3..]) })
            };
            let pose = q.map_or(pose, placed);
            // Velocities are in the axes of the file's world, angular ones in those of the body.
            let moved = |u: &[f64]| Twist {
                linear: base.rotation * vector(u),
                angular: pose.rotation * vector(&u[3..]),
            };
            (pose, u.map_or(twist, moved))
        }
    };
    Stage { anchor, axis, after, coordinate }
}
