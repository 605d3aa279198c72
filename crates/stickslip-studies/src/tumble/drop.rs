//! Paper 5's own example: a box with four contact points falls on a plane.

use super::Variant;
use crate::Error;
use glam::{DQuat, DVec3};
use stickslip::State;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, PointMassWorld, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::step::{self, Stepper};

/// The box's edges, m.
pub fn edges() -> DVec3 {
    DVec3::new(0.4, 0.25, 0.1)
}

/// Where a run ended.
#[derive(Clone, Copy, Debug)]
pub struct Landed {
    /// Where the box is.
    pub pose: Pose,
    /// How it moves.
    pub twist: Twist,
    /// L_z / J_zz of the beginning, rad/s.
    pub expected_spin: f64,
    /// The worst certificate of a step.
    pub worst: f64,
    /// The largest overlap of a contact point with the plane at the midpoint of a step, m.
    pub overlap: f64,
}

/// Lets a box fall from 5 cm above the plane, tilted, sliding and spinning, over `t_end`; the first step is a share
/// `shift` of `dt`, since where an impact falls into a step decides the error of a single run.
///
/// # Errors
/// If a step has no answer.
pub fn drop_box(model: Variant, mu: f64, t_end: f64, dt: f64, shift: f64) -> Result<Landed, Error> {
    let body = MassProperties::cuboid(1.3, edges())?;
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let law = if mu > 0.0 { Law::disc(mu) } else { Law::frictionless() };
    let rotation = DQuat::from_scaled_axis(DVec3::new(0.5, 0.5, 0.0));
    let pose = Pose { position: DVec3::new(0.0, 0.0, 0.24), rotation };
    let angular = DVec3::new(0.3, 0.2, 3.0);
    let twist = Twist { linear: DVec3::new(0.5, 0.2, 0.0), angular };
    let moments = body.inertia();
    let momentum = rotation * (moments * (rotation.conjugate() * angular));
    let expected_spin = momentum.z / moments.z_axis.z;
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let points = corners.map(|(x, y)| 0.5 * edges() * DVec3::new(x, y, -1.0));
    let touching = |point| pair(Shape::Point(point), Shape::Plane(DVec3::ZERO, DVec3::Z));
    let schedule = Schedule { t_end, dt, shift };
    let (pose, twist, (worst, overlap)) = match model {
        Variant::Rigid(update) => {
            let mut world = World::new(gravity)?.with_update(update);
            let free = world.body(body);
            for point in points {
                let touching = touching(point)?;
                world.contact(free, World::GROUND, touching, law.clone())?;
            }
            let mut state = world.state(&[(pose, twist)])?;
            let worst = march(&world, &mut state, &schedule)?;
            let (pose, twist) = world.motion(free, &state);
            (pose, twist, worst)
        }
        Variant::Masses(step, _) => {
            let mut world = PointMassWorld::new(gravity)?.with_step(step);
            let free = world.body(body)?;
            for point in points {
                let touching = touching(point)?;
                world.contact(free, PointMassWorld::GROUND, touching, law.clone())?;
            }
            let mut state = world.state(&[(pose, twist)])?;
            let worst = march(&world, &mut state, &schedule)?;
            let (pose, twist) = world.motion(free, &state);
            (pose, twist, worst)
        }
    };
    Ok(Landed { pose, twist, expected_spin, worst, overlap })
}

struct Schedule {
    t_end: f64,
    dt: f64,
    shift: f64,
}

fn march<M: Model>(world: &M, state: &mut State, schedule: &Schedule) -> Result<(f64, f64), Error> {
    let mut stepper = Stepper::new(world, step::Settings::default())?;
    let (mut worst, mut overlap) = (0.0_f64, 0.0_f64);
    let mut length = schedule.shift * schedule.dt;
    // What is left below a share of 1e-6 of dt is rounding.
    while schedule.t_end - state.t > 1e-6 * schedule.dt {
        let dt = length.min(schedule.t_end - state.t);
        let answer = stepper.step(world, state, dt, &mut ())?;
        answer.done().map_err(|unsolved| Error::Unsolved(unsolved.at(state.t)))?;
        let outcome = stepper.outcome();
        worst = worst.max(outcome.certificate.worst);
        let gaps = outcome.candidates.iter().filter_map(|c| c.gap);
        overlap = gaps.fold(overlap, |m, g| m.max(-g));
        length = schedule.dt;
    }
    Ok((worst, overlap))
}
