//! A gripper that holds a thin box with 15 N: row I.

use super::build::{G, at};
use super::limits::both;
use super::{Case, Goal, Measure, Span, Yard};
use glam::DVec3;
use std::f64::consts::TAU;
use stickslip::Error;
use stickslip::bodies::{Body, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::run::Sample;

/// The force of each finger, in N.
const FORCE: f64 = 15.0;
const MU: f64 = 0.5;
/// Thickness, width and height of the box, and edges of a finger, in m.
const THIN: DVec3 = DVec3::new(2e-3, 0.05, 0.08);
const FINGER: DVec3 = DVec3::new(0.01, 0.02, 0.02);
/// The radius of fingers that are balls, and how far above the middle of the box they hold it, in m.
const TIP: f64 = 0.01;
const ABOVE: f64 = 0.02;
/// How far the fingers are open at the start on either side, in m.
const OPEN: f64 = 1e-4;
/// When the hand begins to lift, and for how long it does, in s, and how far, in m.
const LIFT: (f64, f64, f64) = (0.2, 1.0, 0.1);
const SPAN: Span = Span { t_end: 2.0, dt: 1e-3 };

/// A box of 0.1 kg that is lifted with 2μN = 15 N of friction, and boxes whose weight is 0.1 % less and more than that.
pub(super) fn cases() -> Vec<Case> {
    let lifted = || Case {
        span: SPAN,
        ..Case::still('I', "gripper that lifts a thin box of 0.1 kg with 15 N, μ 0.5", lift)
    };
    let critical = 2.0 * MU * FORCE / G;
    let name = format!("gripper that holds a thin box with 15 N, critical mass {critical:.6} kg");
    let mut all = vec![
        Case {
            quantity: "slip in the hand, m",
            measure: Measure::ends(|a, b| b.q[2] - a.q[2] - LIFT.2),
            ..lifted()
        },
        Case {
            quantity: "largest error of the force of a finger, N",
            // The solver is accurate to 1e-9 of the force, at each of eight contacts.
            goal: Goal::Zero(8e-9 * FORCE),
            measure: Measure::samples(|s| if s.t > LIFT.0 { force_error(s) } else { 0.0 }),
            ..lifted()
        },
    ];
    all.extend(both('I', &name, move |share| hold(critical / share)));
    all
}

/// The box stands on the ground between the fingers, which close; then the hand is lifted.
fn lift() -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(MU))?;
    let hand = yard.prescribe(|t| {
        let (height, velocity) = lifting(t);
        (Pose::at(DVec3::Z * height), Twist { linear: DVec3::Z * velocity, ..Twist::default() })
    });
    yard.cuboid(0.1, THIN, at(0.5 * THIN.z * DVec3::Z))?;
    fingers(&mut yard, hand, OPEN)?;
    Ok(yard)
}

/// The box is in the air, between two balls that touch it. A ball has one point of contact, so that the law leaves nothing open: N of flat fingers may lie
/// anywhere in their faces, and friction with most of it in a corner lets the box turn out of the hand.
fn hold(mass: f64) -> Result<Yard, Error> {
    let mut yard = Yard::without_ground(DVec3::NEG_Z * G, Law::disc(MU))?;
    yard.cuboid(mass, THIN, at(DVec3::NEG_Z * ABOVE))?;
    for side in [-1.0, 1.0] {
        let place = DVec3::X * side * (0.5 * THIN.x + TIP);
        let finger = yard.ball(0.5, TIP, at(place))?;
        push(&mut yard, World::GROUND, (finger, place), side)?;
    }
    Ok(yard)
}

/// Two flat fingers, open by this much on either side.
fn fingers(yard: &mut Yard, hand: Body, open: f64) -> Result<(), Error> {
    for side in [-1.0, 1.0] {
        let x = side * (0.5 * (THIN.x + FINGER.x) + open);
        let place = DVec3::new(x, 0.0, 0.5 * THIN.z);
        let finger = yard.cuboid(0.5, FINGER, at(place))?;
        push(yard, hand, (finger, place), side)?;
    }
    Ok(())
}

/// Guides a finger along x, and pushes it to the box.
fn push(
    yard: &mut Yard,
    hand: Body,
    (finger, place): (Body, DVec3),
    side: f64,
) -> Result<(), Error> {
    yard.guide(hand, (finger, place), DVec3::X)?;
    yard.pull(finger, -side * FORCE * DVec3::X)
}

/// Height and velocity of the hand, whose acceleration is a sine of at most 0.63 m/s². It begins and ends with 0, so that the sum of velocities at the ends of
/// steps is the way: where it jumps by a, that sum has an error of a Δt²/12.
fn lifting(t: f64) -> (f64, f64) {
    let (begin, duration, height) = LIFT;
    let share = ((t - begin) / duration).clamp(0.0, 1.0);
    let (sin, cos) = (TAU * share).sin_cos();
    (height * (share - sin / TAU), height / duration * (1.0 - cos))
}

/// How far the normal force of either finger is from what it is pushed with, from the impulses of a step.
fn force_error(sample: &Sample<'_>) -> f64 {
    let mut force = [0.0; 2];
    let mut row = 0;
    for point in sample.points.iter().flatten() {
        let normal = point.normal[0].abs();
        // Contacts with the ground have another normal.
        if normal > 0.5 {
            force[usize::from(point.position[0] > 0.0)] += sample.impulses[row] / SPAN.dt;
        }
        row += point.components;
    }
    force.into_iter().map(|f| (f - FORCE).abs()).fold(0.0, f64::max)
}
