//! Links and joints of a robot as bodies and joints of a plan.

use super::start::{Stage, Start};
use super::{Planned, RobotDraft, warning};
use crate::bodies::BodyModel;
use crate::bodies::plan::{Plan, PlannedBody, PlannedJoint, Role};
use crate::document::Problem;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use stickslip::bodies::{JointKind, MassProperties, Pose, Twist};
use stickslip_robots::{
    EqualityKind, Inertia, ModelEquality, ModelJoint, ModelJointKind, ModelPose, SiteOrBody,
};

pub(super) fn pose(pose: &ModelPose) -> Pose {
    Pose { position: pose.position, rotation: pose.rotation }
}

/// Adds the bodies of a robot; returns the number of each of its links in the plan.
pub(super) fn bodies(
    draft: &RobotDraft,
    start: &Start,
    plan: &mut Plan,
) -> Result<Vec<usize>, Problem> {
    let (model, skeleton) = (&draft.source.model, &draft.skeleton);
    let mut numbers = vec![0; model.bodies.len()];
    for (b, body) in model.bodies.iter().enumerate().skip(1) {
        let root = skeleton.roots[b];
        if body.prescribed {
            let text = format!("the body `{}` is moved from outside; it stands still", body.name);
            plan.warnings.push(warning(&body.place, &text));
        }
        if skeleton.moves(b) {
            let role = role(draft, start, b)?;
            let (role, center) =
                role.map_or((Role::Massless, DVec3::ZERO), |(m, c)| (Role::Free(m), c));
            let (frame, twist) = start.links[b];
            numbers[b] = push(plan, draft, &skeleton.bodies[b], role, (frame, center), twist);
        } else if root == 0 && draft.collides && body.geometries.iter().any(|&g| draft.touches(g)) {
            let (frame, twist) = start.links[b];
            let name = &skeleton.bodies[b];
            numbers[b] = push(plan, draft, name, Role::Fixed, (frame, DVec3::ZERO), twist);
        } else {
            numbers[b] = numbers[root];
        }
    }
    Ok(numbers)
}

fn push(
    plan: &mut Plan,
    draft: &RobotDraft,
    name: &str,
    role: Role,
    (frame, center): (ModelPose, DVec3),
    twist: Twist,
) -> usize {
    let lever = frame.rotation * center;
    let moves = !matches!(role, Role::Fixed);
    plan.bodies.push(PlannedBody {
        path: draft.path.clone(),
        name: name.to_owned(),
        role,
        angle: 0.0,
        pose: Pose { position: frame.position + lever, rotation: frame.rotation },
        twist: moves.then(|| Twist { linear: twist.at(lever), ..twist }),
    });
    plan.bodies.len()
}

/// Mass and centre of all links that are welded to one; none without a mass, which is only good for a link that carries others.
fn role(
    draft: &RobotDraft,
    start: &Start,
    root: usize,
) -> Result<Option<(MassProperties, DVec3)>, Problem> {
    let (model, roots) = (&draft.source.model, &draft.skeleton.roots);
    let back = start.links[root].0.inverse();
    let welded = (0..model.bodies.len()).filter(|&b| roots[b] == root);
    let parts = welded.filter_map(|b| {
        let inertia = model.bodies[b].inertia?;
        Some(inertia.moved(&back.then(&start.links[b].0)))
    });
    let body = &model.bodies[root];
    let Some(total) = Inertia::sum(parts) else {
        if carries_mass(draft, root) {
            return Ok(None);
        }
        let reason =
            format!("the body `{}` moves and has no mass, and nothing hangs on it", body.name);
        return Err(draft.problem(&body.place, reason).cure("give it a mass, or fix its joint"));
    };
    let made = MassProperties::new(total.mass, total.tensor);
    let made = made.map_err(|e| {
        draft.problem(&body.place, format!("the body `{}` is refused: {e}", body.name))
    })?;
    Ok(Some((made, total.center)))
}

/// Whether a body that hangs on this one has a mass.
fn carries_mass(draft: &RobotDraft, root: usize) -> bool {
    let model = &draft.source.model;
    let mut below = vec![false; model.bodies.len()];
    below[root] = true;
    for (b, body) in model.bodies.iter().enumerate().skip(root + 1) {
        below[b] = body.parent.is_some_and(|p| below[p]);
    }
    model.bodies.iter().zip(below).any(|(body, below)| below && body.inertia.is_some())
}

/// Adds the joints of a robot. Several joints of one body are joints between links without mass.
pub(super) fn joints(robot: &Planned<'_>, plan: &mut Plan) -> Result<(), Problem> {
    let Planned { draft, start, numbers } = robot;
    let (model, skeleton) = (&draft.source.model, &draft.skeleton);
    let limited = model.joints.iter().filter(|j| j.speed.is_some()).map(|j| j.name.as_str());
    let limited: Vec<&str> = limited.collect();
    if let (Some(first), false) =
        (model.joints.iter().find(|j| j.speed.is_some()), limited.is_empty())
    {
        let text = format!("no controller keeps the greatest speeds of {}", limited.join(", "));
        plan.warnings.push(warning(&first.place, &text));
    }
    for (b, body) in model.bodies.iter().enumerate().filter(|(b, _)| skeleton.moves(*b)) {
        let moving = |j: &&usize| {
            !matches!(model.joints[**j].kind, ModelJointKind::Fixed | ModelJointKind::Free)
        };
        let chain: Vec<usize> = body.joints.iter().filter(moving).copied().collect();
        note_free(robot, b, plan);
        if chain.len() > 1 && plan.model != BodyModel::Articulated {
            let reason = format!("the body `{}` has {} joints", body.name, chain.len());
            return Err(draft
                .problem(&body.place, reason)
                .cure("bodies with several joints are for the model `articulated`"));
        }
        let root = skeleton.roots[body.parent.unwrap_or(0)];
        let mut near = if root == 0 { 0 } else { numbers[root] };
        for (i, &j) in chain.iter().enumerate() {
            let far = if i + 1 == chain.len() {
                numbers[b]
            } else {
                let name = format!("{}_on_{}", skeleton.bodies[b], skeleton.joints[j]);
                let (frame, twist) = start.joints[j].after;
                push(plan, draft, &name, Role::Massless, (frame, DVec3::ZERO), twist)
            };
            let planned = joint(robot, j, [near, far], plan);
            plan.joints.push(planned);
            near = far;
        }
    }
    Ok(())
}

/// Says what a free joint has that has no place.
fn note_free(robot: &Planned<'_>, body: usize, plan: &mut Plan) {
    let model = &robot.draft.source.model;
    for &j in &model.bodies[body].joints {
        let joint = &model.joints[j];
        if joint.kind == ModelJointKind::Free {
            note_left(joint, ["damping", "friction", "stiffness", "armature", "limits"], plan);
        }
    }
}

/// Says which of these numbers of a joint are given and not used.
fn note_left<const N: usize>(joint: &ModelJoint, keys: [&str; N], plan: &mut Plan) {
    let given = |key: &str| match key {
        "damping" => joint.damping != 0.0,
        "friction" => joint.friction != 0.0,
        "stiffness" => joint.stiffness != 0.0,
        "armature" => joint.armature != 0.0,
        _ => joint.limits.is_some(),
    };
    let left: Vec<&str> = keys.into_iter().filter(|key| given(key)).collect();
    if !left.is_empty() {
        let kind = format!("{:?}", joint.kind).to_lowercase();
        let text =
            format!("the {kind} joint `{}` has no place for its {}", joint.name, left.join(", "));
        plan.warnings.push(warning(&joint.place, &text));
    }
}

/// A joint between two bodies of a plan.
fn joint(robot: &Planned<'_>, j: usize, bodies: [usize; 2], plan: &mut Plan) -> PlannedJoint {
    let Planned { draft, start, .. } = robot;
    let (joint, stage) = (&draft.source.model.joints[j], &start.joints[j]);
    let (kind, frames) = frames(joint, stage);
    let one = matches!(joint.kind, ModelJointKind::Hinge | ModelJointKind::Slide);
    let ball = joint.kind == ModelJointKind::Ball;
    if ball {
        note_left(joint, ["friction", "stiffness", "armature", "limits"], plan);
    } else if !one {
        note_left(joint, ["damping", "friction", "stiffness", "armature", "limits"], plan);
    }
    for (what, given) in [
        ("has no spring by time constant and damping ratio", joint.spring_damper.is_some()),
        (
            "has no armature: that is for the model `articulated`",
            one && joint.armature != 0.0 && plan.model != BodyModel::Articulated,
        ),
    ] {
        if given {
            plan.warnings
                .push(warning(&joint.place, &format!("the joint `{}` {what}", joint.name)));
        }
    }
    let positive = |x: f64| Some(x).filter(|x| *x > 0.0);
    let of_one = |x: f64| positive(x).filter(|_| one);
    PlannedJoint {
        path: draft.path.clone(),
        name: draft.skeleton.joints[j].clone(),
        kind,
        bodies,
        frames,
        start: if one { stage.coordinate } else { 0.0 },
        speed: 0.0,
        limits: if one { limits(joint, plan) } else { None },
        motor: None,
        dry: of_one(joint.friction),
        load_friction: None,
        spring: of_one(joint.stiffness).map(|k| [k, joint.spring_reference]),
        damping: positive(joint.damping).filter(|_| one || ball),
        armature: of_one(joint.armature).unwrap_or_default(),
        drives: Vec::new(),
    }
}

/// The kind of a joint, and its frames in the world at the start: the coordinate of the file is zero where the two coincide.
fn frames(joint: &ModelJoint, stage: &Stage) -> (JointKind, [Pose; 2]) {
    let (along, q) = (DQuat::from_rotation_arc(DVec3::Z, stage.axis), stage.coordinate);
    let at = |position: DVec3, rotation: DQuat| Pose { position, rotation };
    let (anchor, axis) = (stage.anchor, stage.axis);
    match joint.kind {
        ModelJointKind::Hinge => {
            let zero = along * DQuat::from_rotation_z(-joint.reference);
            let frames = [at(anchor, zero), at(anchor, zero * DQuat::from_rotation_z(q))];
            (JointKind::Revolute, frames)
        }
        ModelJointKind::Slide => {
            let zero = anchor - joint.reference * axis;
            (JointKind::Prismatic, [at(zero, along), at(zero + q * axis, along)])
        }
        ModelJointKind::Planar => (JointKind::Planar, [at(anchor, along); 2]),
        _ => (JointKind::Spherical, [at(anchor, DQuat::IDENTITY); 2]),
    }
}

/// The limits of a hinge or slide, as far as the model has them.
fn limits(joint: &ModelJoint, plan: &mut Plan) -> Option<[f64; 2]> {
    let limits = joint.limits?;
    let (lower, upper) = (limits.lower, limits.upper);
    let full = joint.kind == ModelJointKind::Hinge && upper - lower >= TAU;
    let reason = if !(lower.is_finite() && upper.is_finite() && lower < upper) {
        "they are no interval"
    } else if full && plan.model != BodyModel::Articulated {
        "they are a full turn apart, which poses do not count; the model `articulated` has them"
    } else {
        return Some([lower, upper]);
    };
    let text = format!("the limits {lower} and {upper} of `{}` are left out: {reason}", joint.name);
    plan.warnings.push(warning(&joint.place, &text));
    None
}

/// Adds the constraints of a robot that are joints: points that coincide, frames that are welded.
pub(super) fn equalities(robot: &Planned<'_>, plan: &mut Plan) {
    let Planned { draft, start, numbers } = robot;
    let model = &draft.source.model;
    for (i, equality) in model.equalities.iter().enumerate() {
        let name = &draft.skeleton.equalities[i];
        let left = |why: &str| {
            warning(&equality.place, &format!("the constraint `{name}` is left out: {why}"))
        };
        if !equality.active {
            plan.warnings.push(left("it is not active"));
            continue;
        }
        // Couplings of coordinates are no joints.
        let Some((kind, sides)) = sides(robot, equality) else { continue };
        let bodies = sides.map(|(body, _)| numbers[draft.skeleton.roots[body]]);
        let moves = |b: usize| draft.skeleton.roots[b] != 0;
        if bodies[0] == bodies[1] || !sides.iter().any(|(body, _)| moves(*body)) {
            plan.warnings.push(left("its bodies do not move against each other"));
            continue;
        }
        let frames = sides.map(|(body, frame)| pose(&start.links[body].0.then(&frame)));
        plan.joints.push(PlannedJoint {
            path: draft.path.clone(),
            name: name.clone(),
            kind,
            bodies: [0, 1].map(|k| if moves(sides[k].0) { bodies[k] } else { 0 }),
            frames,
            start: 0.0,
            speed: 0.0,
            limits: None,
            motor: None,
            dry: None,
            load_friction: None,
            spring: None,
            damping: None,
            armature: 0.0,
            drives: Vec::new(),
        });
    }
}

/// The two bodies of a constraint with its frames in them.
fn sides(
    robot: &Planned<'_>,
    equality: &ModelEquality,
) -> Option<(JointKind, [(usize, ModelPose); 2])> {
    let (model, start) = (&robot.draft.source.model, &robot.start);
    let site = |side: SiteOrBody| match side {
        SiteOrBody::Body(body) => (body, None),
        SiteOrBody::Site(site) => (model.sites[site].body, Some(model.sites[site].pose)),
    };
    // A frame of the first body in the second, in the reference configuration.
    let across = |[a, b]: [usize; 2], frame: &ModelPose| {
        start.reference[b].inverse().then(&start.reference[a].then(frame))
    };
    match &equality.kind {
        EqualityKind::Connect { first, second, anchor } => {
            let ((a, on_a), (b, on_b)) = (site(*first), site(*second));
            let at = ModelPose { position: *anchor, ..ModelPose::default() };
            let on_a = on_a.unwrap_or(at);
            Some((
                JointKind::Spherical,
                [(a, on_a), (b, on_b.unwrap_or_else(|| across([a, b], &on_a)))],
            ))
        }
        EqualityKind::Weld { first, second, relative, .. } => {
            let ((a, on_a), (b, on_b)) = (site(*first), site(*second));
            let on_b = on_b.unwrap_or_default();
            let on_a = on_a.or(*relative).unwrap_or_else(|| across([b, a], &on_b));
            Some((JointKind::Fixed, [(a, on_a), (b, on_b)]))
        }
        EqualityKind::Joint { .. } => None,
    }
}
