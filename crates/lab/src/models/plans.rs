//! The mechanisms.

use super::{Contact, Link, Loop, Plan};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::Error;
use stickslip::bodies::articulated::{Closure, TreeJoint};
use stickslip::bodies::{MassProperties, Pose, Shape};
use stickslip::contact::Law;

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// All mechanisms.
///
/// # Errors
/// If a mass is refused.
pub fn plans() -> Result<Vec<Plan>, Error> {
    Ok(vec![
        double_pendulum()?,
        chain()?,
        shaft()?,
        slider()?,
        four_bar()?,
        sliding_arm()?,
        dragged_rod()?,
        stopped_pendulum()?,
        falling_box()?,
    ])
}

fn plan(name: &'static str, links: Vec<Link>, t_end: f64, steps: usize) -> Plan {
    let (loops, contacts, stops) = (Vec::new(), Vec::new(), Vec::new());
    let (order, shifts, margin) = (2.0, 1, 0.0);
    let gravity = GRAVITY;
    Plan { name, gravity, links, loops, contacts, stops, t_end, steps, order, shifts, margin }
}

/// A rod along x.
fn rod(length: f64) -> Result<MassProperties, Error> {
    MassProperties::cuboid(length, DVec3::new(length, 0.12, 0.08))
}

fn frame(x: f64, rotation: DQuat) -> Pose {
    Pose { position: DVec3::new(x, 0.0, 0.0), rotation }
}

/// Turns the axis z into y.
fn about_y() -> DQuat {
    DQuat::from_rotation_x(-FRAC_PI_2)
}

/// Turns the axis z into x.
fn about_x() -> DQuat {
    DQuat::from_rotation_y(FRAC_PI_2)
}

/// A rod that hangs by its end at `place` of its parent; the joint's frame is turned so.
fn hung(
    parent: Option<usize>,
    joint: TreeJoint,
    place: DVec3,
    turn: DQuat,
    length: f64,
    (q, u): (&[f64], &[f64]),
) -> Result<Link, Error> {
    Ok(Link {
        parent,
        joint,
        on_parent: Pose { position: place, rotation: turn },
        on_link: frame(-0.5 * length, turn),
        mass: rod(length)?,
        q: q.to_vec(),
        u: u.to_vec(),
    })
}

fn turned(turn: DVec3) -> [f64; 4] {
    let r = DQuat::from_scaled_axis(turn);
    [r.w, r.x, r.y, r.z]
}

/// Two rods on hinges whose axes are not parallel, so that the motion is in space.
fn double_pendulum() -> Result<Plan, Error> {
    let skew = about_y() * DQuat::from_rotation_x(0.4);
    let first = hung(None, TreeJoint::Revolute, DVec3::ZERO, about_y(), 1.0, (&[0.4], &[1.0]))?;
    let end = DVec3::new(0.5, 0.0, 0.0);
    let second = hung(Some(0), TreeJoint::Revolute, end, skew, 0.8, (&[-0.6], &[2.0]))?;
    Ok(plan("double pendulum, hinges", vec![first, second], 1.0, 50))
}

fn chain() -> Result<Plan, Error> {
    let mut links = Vec::new();
    for i in 0..3 {
        let x = if i == 0 { 0.0 } else { 0.25 };
        let parent = usize::checked_sub(i, 1);
        let q = turned(DVec3::new(0.1, 0.3, 0.4) * (i as f64 - 0.5));
        let u = [0.5, -1.0 + i as f64, 1.5];
        let place = DVec3::new(x, 0.0, 0.0);
        links.push(hung(parent, TreeJoint::Spherical, place, DQuat::IDENTITY, 0.5, (&q, &u))?);
    }
    Ok(plan("three links, balls", links, 0.5, 50))
}

/// A shaft in a bearing drives another by a universal joint, which swings freely.
fn shaft() -> Result<Plan, Error> {
    let first = hung(None, TreeJoint::Revolute, DVec3::ZERO, about_x(), 0.6, (&[0.3], &[4.0]))?;
    let end = DVec3::new(0.3, 0.0, 0.0);
    let swings = (&[0.3, 0.5][..], &[0.5, -1.0][..]);
    let across = DQuat::from_rotation_z(FRAC_PI_2);
    let second = hung(Some(0), TreeJoint::Universal, end, across, 0.8, swings)?;
    Ok(plan("shafts, universal joint", vec![first, second], 0.5, 50))
}

/// A block on a straight guide, with a rod that swings across it.
fn slider() -> Result<Plan, Error> {
    let block = Link {
        parent: None,
        joint: TreeJoint::Prismatic,
        on_parent: frame(0.0, about_x()),
        on_link: frame(0.0, about_x()),
        mass: MassProperties::cuboid(1.5, DVec3::new(0.3, 0.2, 0.2))?,
        q: vec![0.1],
        u: vec![0.5],
    };
    let skew = about_y() * DQuat::from_rotation_y(0.3);
    let rod = hung(Some(0), TreeJoint::Revolute, DVec3::ZERO, skew, 0.8, (&[0.5], &[1.0]))?;
    Ok(plan("slider with a pendulum", vec![block, rod], 1.0, 100))
}

/// A crank turns, a rocker swings: lengths 0.4, 1, 0.8 and 1 between the bearings.
fn four_bar() -> Result<Plan, Error> {
    let (a, b, c, d) = (0.4_f64, 1.0_f64, 0.8_f64, 1.0);
    // The end of the crank, and where circles about it and about the rocker's bearing meet.
    let angle = 0.8_f64;
    let (x, z) = (a * angle.cos(), -a * angle.sin());
    let (dx, dz) = (d - x, -z);
    let far = dx.hypot(dz);
    let inner = ((b * b + far * far - c * c) / (2.0 * b * far)).acos();
    // An angle θ points along (cos θ, −sin θ) in x and z.
    let coupler = (-dz).atan2(dx) - inner;
    let [crank, rod] = [(a, angle, 5.0, 0.0), (b, coupler - angle, -5.0, 0.5 * a)];
    let first =
        hung(None, TreeJoint::Revolute, DVec3::ZERO, about_y(), crank.0, (&[crank.1], &[crank.2]))?;
    let end = DVec3::new(rod.3, 0.0, 0.0);
    let second = hung(Some(0), TreeJoint::Revolute, end, about_y(), rod.0, (&[rod.1], &[rod.2]))?;
    let (ex, ez) = (x + b * coupler.cos(), z - b * coupler.sin());
    let back = (ez).atan2(d - ex);
    let end = DVec3::new(0.5 * b, 0.0, 0.0);
    let third = hung(Some(1), TreeJoint::Revolute, end, about_y(), c, (&[back - coupler], &[0.0]))?;
    let mut plan = plan("four-bar, a loop of hinges", vec![first, second, third], 0.5, 200);
    let ends = [(Some(2), frame(0.5 * c, about_y())), (None, frame(d, about_y()))];
    plan.loops.push(Loop { closure: Closure::Hinge, ends });
    Ok(plan)
}

fn floor() -> Shape {
    Shape::Plane(DVec3::ZERO, DVec3::Z)
}

/// Two rods on parallel hinges, the tip of the second on the floor.
fn sliding_arm() -> Result<Plan, Error> {
    let (first, second) = (0.3_f64, 1.1_f64);
    let height = first.sin() + second.sin();
    let base = DVec3::new(0.0, 0.0, height);
    let speed = 0.8;
    // The tip stays at its height.
    let other = -speed * first.cos() / second.cos();
    let upper = hung(None, TreeJoint::Revolute, base, about_y(), 1.0, (&[first], &[speed]))?;
    let end = DVec3::new(0.5, 0.0, 0.0);
    let state = (&[second - first][..], &[other - speed][..]);
    let lower = hung(Some(0), TreeJoint::Revolute, end, about_y(), 1.0, state)?;
    let mut plan = plan("two-link arm, its tip slides", vec![upper, lower], 0.2, 40);
    plan.contacts.push(Contact {
        links: [Some(1), None],
        shapes: [Shape::Point(DVec3::new(0.5, 0.0, 0.0)), floor()],
        law: Law::disc(0.2),
    });
    plan.margin = 1e-3;
    Ok(plan)
}

/// A rod on a ball joint leans on the floor and is dragged round. The law asks for the direction of slip at the end of a step, so that
/// friction whose direction turns is of first order; the models differ by less.
fn dragged_rod() -> Result<Plan, Error> {
    let lean = 0.7_f64;
    let base = DVec3::new(0.0, 0.0, lean.sin());
    let q = turned(DVec3::new(0.0, lean, 0.0));
    let link =
        hung(None, TreeJoint::Spherical, base, DQuat::IDENTITY, 1.0, (&q, &[0.0, 0.0, 3.0]))?;
    let mut plan = plan("pendulum that drags on the floor", vec![link], 0.3, 40);
    plan.contacts.push(Contact {
        links: [Some(0), None],
        shapes: [Shape::Point(DVec3::new(0.5, 0.0, 0.0)), floor()],
        law: Law::disc(0.3),
    });
    (plan.margin, plan.order) = (1e-3, 1.0);
    Ok(plan)
}

/// A rod falls from the level, passes the lowest point, hits a stop and swings back from it.
fn stopped_pendulum() -> Result<Plan, Error> {
    let link = hung(None, TreeJoint::Revolute, DVec3::ZERO, about_y(), 1.0, (&[0.3], &[0.0]))?;
    let mut plan = plan("pendulum that hits a stop", vec![link], 0.8, 80);
    plan.stops.push((0, [-1.0, FRAC_PI_2 + 0.3]));
    (plan.order, plan.shifts) = (1.0, 8);
    Ok(plan)
}

/// A box falls on the floor with one corner first, then stands on an edge and slides. It ends before the opposite edge lands: two
/// corners at once, whose order decides what follows, so that no method converges there.
fn falling_box() -> Result<Plan, Error> {
    let half = DVec3::new(0.2, 0.15, 0.1);
    let tilt = DQuat::from_scaled_axis(DVec3::new(0.3, 0.2, 0.1));
    let r = [tilt.w, tilt.x, tilt.y, tilt.z];
    let link = Link {
        parent: None,
        joint: TreeJoint::Free,
        on_parent: Pose::default(),
        on_link: Pose::default(),
        mass: MassProperties::cuboid(1.0, 2.0 * half)?,
        q: [&[0.0, 0.0, 0.3][..], &r].concat(),
        u: vec![1.0, 0.5, 0.0, 0.5, -1.0, 2.0],
    };
    let mut plan = plan("box that falls on the floor", vec![link], 0.21, 84);
    for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        plan.contacts.push(Contact {
            links: [Some(0), None],
            shapes: [Shape::Point(half * DVec3::new(x, y, -1.0)), floor()],
            law: Law::disc(0.3),
        });
    }
    (plan.order, plan.shifts) = (1.0, 8);
    Ok(plan)
}
