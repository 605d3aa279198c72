//! Sensors of robots, as far as they are among those of scenes; the others are listed by name.

use super::links::pose;
use super::shapes::geometry;
use super::{Planned, warning};
use crate::bodies::plan::Plan;
use crate::document::Problem;
use crate::sensors::{Axes, Measure, PlannedSensor, PoseParts, ReactionParts};
use stickslip::bodies::{Geometry, Pose};
use stickslip_robots::{ModelJointKind, ModelPose, ModelSensor, SensorTarget};

/// Why a sensor is left out.
type Left = &'static str;

/// Adds the sensors of a robot.
pub(super) fn sensors(robot: &Planned<'_>, plan: &mut Plan) -> Result<(), Problem> {
    let draft = robot.draft;
    for (i, sensor) in draft.source.model.sensors.iter().enumerate() {
        let name = free_name(plan, &draft.skeleton.sensors[i]);
        let left = |why: &str| {
            let text = format!("the sensor `{}` ({}) is left out: {why}", sensor.name, sensor.kind);
            warning(&sensor.place, &text)
        };
        let measure = match measure(robot, sensor, plan)? {
            Ok(measure) => measure,
            Err(why) => {
                plan.warnings.push(left(why));
                continue;
            }
        };
        note(sensor, &measure, plan);
        let mark = draft.problem(&sensor.place, "").mark;
        plan.sensors.push(PlannedSensor { mark, name, measure, dispensable: true });
    }
    Ok(())
}

/// A name that no body, joint or sensor of the scene has: files may name sensors as what they are on.
fn free_name(plan: &Plan, name: &str) -> String {
    let bodies = plan.bodies.iter().map(|body| &body.name);
    let joints = plan.joints.iter().map(|joint| &joint.name);
    let sensors = plan.sensors.iter().map(|sensor| &sensor.name);
    let taken: Vec<&String> = bodies.chain(joints).chain(sensors).collect();
    let mut name = name.to_owned();
    while taken.contains(&&name) {
        name.push_str("_sensor");
    }
    name
}

/// Says what of a sensor is not kept.
fn note(sensor: &ModelSensor, measure: &Measure, plan: &mut Plan) {
    let touch = matches!(measure, Measure::Contact { .. });
    for (text, given) in [
        ("sums the normal forces of all contacts of its body, inside of its site or not", touch),
        ("is recorded without the noise that it is given", sensor.noise != 0.0),
        ("is recorded without its cutoff", sensor.cutoff != 0.0),
    ] {
        if given {
            let text = format!("the sensor `{}` ({}) {text}", sensor.name, sensor.kind);
            plan.warnings.push(warning(&sensor.place, &text));
        }
    }
}

/// What a sensor measures, or why it is left out.
fn measure(
    robot: &Planned<'_>,
    sensor: &ModelSensor,
    plan: &mut Plan,
) -> Result<Result<Measure, Left>, Problem> {
    let none = PoseParts::default();
    let pose_of = |shows: PoseParts, own: bool| {
        let [target] = &sensor.targets[..] else { return Err("it refers to another frame") };
        if matches!(target, SensorTarget::Inertial(_)) && (shows.orientation || own) {
            return Err("principal axes have no order that files agree on; use objtype=\"xbody\"");
        }
        let (body, frame) = frame(robot, target, plan).ok_or("it is on no frame of a body")?;
        let axes = if own { Axes::Own(body, frame) } else { Axes::World };
        Ok(Measure::Pose { body, frame, shows, axes })
    };
    let reaction = |shows: ReactionParts| match &sensor.targets[..] {
        [SensorTarget::Site(site)] => at_joint(robot, *site, shows, plan),
        _ => Err("it is on no site"),
    };
    Ok(match sensor.kind.as_str() {
        "framepos" => pose_of(PoseParts { position: true, ..none }, false),
        "framequat" => pose_of(PoseParts { orientation: true, ..none }, false),
        "framelinvel" => pose_of(PoseParts { velocity: true, ..none }, false),
        "frameangvel" => pose_of(PoseParts { angular_velocity: true, ..none }, false),
        "velocimeter" => pose_of(PoseParts { velocity: true, ..none }, true),
        "gyro" => pose_of(PoseParts { angular_velocity: true, ..none }, true),
        "jointpos" => coordinate(robot, sensor, [true, false], plan),
        "jointvel" => coordinate(robot, sensor, [false, true], plan),
        "force" => reaction(ReactionParts { force: true, torque: false }),
        "torque" => reaction(ReactionParts { force: false, torque: true }),
        "touch" => match &sensor.targets[..] {
            [SensorTarget::Site(site)] => {
                let body = robot.numbers[robot.draft.source.model.sites[*site].body];
                Ok(Measure::Contact { body, against: None, normal_only: true })
            }
            _ => Err("it is on no site"),
        },
        "distance" => return distance(robot, sensor, plan),
        "e_kinetic" | "e_potential" | "clock" => {
            Err("runs show energies and time by themselves (`kinetic`, `potential`, `t`)")
        }
        _ => Err("scenes have no such sensor; [[output]] has expressions of all motions"),
    })
}

/// The frame of what a sensor is on, in a body of the plan.
fn frame(robot: &Planned<'_>, target: &SensorTarget, plan: &Plan) -> Option<(usize, Pose)> {
    let model = &robot.draft.source.model;
    let (body, own) = match *target {
        SensorTarget::Body(body) => (body, ModelPose::default()),
        SensorTarget::Inertial(body) => {
            let position = model.bodies[body].inertia?.center;
            (body, ModelPose { position, ..ModelPose::default() })
        }
        SensorTarget::Geometry(g) => (model.geometries[g].body, model.geometries[g].pose),
        SensorTarget::Site(site) => (model.sites[site].body, model.sites[site].pose),
        _ => return None,
    };
    Some(on_body(robot, (body, &own), plan))
}

/// A frame on a link as one on its body of the plan.
fn on_body(robot: &Planned<'_>, (link, frame): (usize, &ModelPose), plan: &Plan) -> (usize, Pose) {
    let number = robot.numbers[link];
    let (there, body) = (pose(&robot.start.links[link].0.then(frame)), plan.pose(number));
    let back = body.rotation.conjugate();
    let position = back * (there.position - body.position);
    (number, Pose { position, rotation: (back * there.rotation).normalize() })
}

fn coordinate(
    robot: &Planned<'_>,
    sensor: &ModelSensor,
    shows: [bool; 2],
    plan: &Plan,
) -> Result<Measure, Left> {
    let [SensorTarget::Joint(joint)] = sensor.targets[..] else { return Err("it is on no joint") };
    let joint = joint_of(robot, joint, plan).ok_or("its joint does not move")?;
    let freedom = plan.joints[joint].freedom().ok_or("its joint has not one coordinate")?;
    Ok(Measure::Coordinate { joint, freedom, shows })
}

/// The number in the plan of a joint.
fn joint_of(robot: &Planned<'_>, joint: usize, plan: &Plan) -> Option<usize> {
    let name = &robot.draft.skeleton.joints[joint];
    plan.joints.iter().position(|planned| planned.name == *name)
}

/// What passes to the body of a site through the joint that it hangs on, in the axes of the site.
fn at_joint(
    robot: &Planned<'_>,
    site: usize,
    shows: ReactionParts,
    plan: &Plan,
) -> Result<Measure, Left> {
    let model = &robot.draft.source.model;
    let body = model.sites[site].body;
    if !robot.draft.skeleton.moves(body) {
        return Err("its body is welded to its parent, and what passes there is not known");
    }
    let moving = |j: &&usize| {
        !matches!(model.joints[**j].kind, ModelJointKind::Fixed | ModelJointKind::Free)
    };
    let joint = model.bodies[body].joints.iter().rev().find(moving);
    let joint =
        joint.and_then(|&j| joint_of(robot, j, plan)).ok_or("its body hangs on no joint")?;
    let (number, frame) = on_body(robot, (body, &model.sites[site].pose), plan);
    Ok(Measure::Reaction { joint, shows, axes: Axes::Own(number, frame) })
}

/// The distance between two geometries, or between all of two bodies.
fn distance(
    robot: &Planned<'_>,
    sensor: &ModelSensor,
    plan: &mut Plan,
) -> Result<Result<Measure, Left>, Problem> {
    let model = &robot.draft.source.model;
    let [a, b] = &sensor.targets[..] else { return Ok(Err("it is not between two things")) };
    let mut ends = Vec::new();
    for target in [a, b] {
        let (body, list) = match *target {
            SensorTarget::Geometry(g) => (model.geometries[g].body, vec![g]),
            SensorTarget::Body(body) | SensorTarget::Inertial(body) => {
                let all = model.bodies[body].geometries.iter().copied();
                (body, all.filter(|&g| robot.draft.touches(g)).collect())
            }
            _ => return Ok(Err("it is between neither geometries nor bodies")),
        };
        let mut shapes: Vec<(Geometry, Pose)> = Vec::new();
        for g in list {
            let moves = robot.draft.skeleton.roots[body] > 0;
            let Some(made) = geometry(robot.draft, g, moves, &mut Vec::new())? else { continue };
            let (_, at) = on_body(robot, (body, &model.geometries[g].pose), plan);
            shapes.push((made, at));
        }
        if shapes.is_empty() {
            return Ok(Err("one of its ends has no geometry"));
        }
        ends.push((robot.numbers[body], shapes));
    }
    let (Some((b, second)), Some((a, first))) = (ends.pop(), ends.pop()) else {
        return Ok(Err("it is not between two things"));
    };
    Ok(Ok(Measure::Distance { bodies: [a, b], shapes: [first, second] }))
}
