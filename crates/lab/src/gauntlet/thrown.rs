//! Boxes thrown at random: masses, sizes, friction, restitution and motions of many orders.

use super::scenes::stand;
use crate::Draw;
use glam::{DQuat, DVec3};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::{ContactProblem, Law};
use stickslip::run::{self, End};
use stickslip::step::{self, Integrator, StepStatus, Stepper};
use stickslip::{Error, State};

/// How a throw ended.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// Why it ended before its time.
    pub lost: Option<String>,
    /// Steps that were made in shorter parts.
    pub split: usize,
    /// The energy at the end over that of the start.
    pub energy: f64,
    /// The energy that impacts were said to create, as a share of that of the start.
    pub created: f64,
    /// The deepest penetration over the size of the box.
    pub depth: f64,
}

/// Throws one to three boxes onto the ground, 2 s, with default settings.
///
/// # Errors
/// If the world is refused.
pub fn throw(seed: u64, integrator: Integrator, dt: f64) -> Result<Thrown, Error> {
    let draw = &mut Draw::new("thrown boxes", 0, seed);
    let (world, start, size) = boxes(draw, integrator == Integrator::GapLevel)?;
    let step = step::Settings { integrator, ..step::Settings::default() };
    let settings = run::Settings { t_end: 2.0, dt, sample_dt: 0.1, step };
    let report = run::run(&world, &start, &settings, &mut (), &mut ())?;
    let scale = report.energy_start.total();
    let lost = match &report.end {
        End::Finished => None,
        end => Some(format!("{end:?}")),
    };
    Ok(Thrown {
        lost,
        split: report.split_steps,
        energy: report.energy_end.total() / scale,
        created: report.energy_created.1 / scale,
        depth: report.drift.depth / size,
    })
}

/// The contact problem of the step at which a throw is lost.
///
/// # Errors
/// If the world is refused.
pub fn lost_problem(
    seed: u64,
    integrator: Integrator,
    dt: f64,
) -> Result<Option<ContactProblem>, Error> {
    let draw = &mut Draw::new("thrown boxes", 0, seed);
    let (world, mut state, _) = boxes(draw, integrator == Integrator::GapLevel)?;
    let settings = step::Settings { integrator, ..step::Settings::default() };
    let mut stepper = Stepper::new(&world, settings)?;
    for i in 0..(2.0 / dt) as usize {
        let step = (i + 1) as f64 * dt - state.t;
        if stepper.step(&world, &mut state, step, &mut ())? != StepStatus::Done {
            return Ok(Some(stepper.problem().clone()));
        }
        state.t = (i + 1) as f64 * dt;
    }
    Ok(None)
}

fn boxes(draw: &mut Draw, plastic: bool) -> Result<(World, State, f64), Error> {
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81))?;
    let size = draw.log_between(0.01, 3.0);
    let eps = if plastic || draw.chance(0.4) { 0.0 } else { draw.between(0.0, 0.9) };
    let law = Law::disc(draw.between(0.0, 1.2)).with_restitution(eps, 0.0);
    let count = draw.whole(1, 3);
    let (mut below, mut height) = ((World::GROUND, Shape::Plane(DVec3::ZERO, DVec3::Z)), 0.0);
    let mut poses = Vec::new();
    for _ in 0..count {
        let mut edge = || size * draw.between(0.5, 2.0);
        let edges = DVec3::new(edge(), edge(), edge());
        let mass = draw.log_between(0.01, 1e3);
        let cuboid = world.body(MassProperties::cuboid(mass, edges)?);
        if count == 1 {
            stand_on_all(&mut world, cuboid, edges, &law)?;
        } else {
            stand(&mut world, (cuboid, edges), below.0, below.1, &law, &[-0.5, 0.5])?;
            below = (cuboid, Shape::Plane(DVec3::Z * 0.5 * edges.z, DVec3::Z));
        }
        let mut vector = || DVec3::from_array(std::array::from_fn(|_| draw.between(-1.0, 1.0)));
        let speed = (9.81 * size).sqrt();
        let twist = Twist { linear: speed * vector(), angular: speed / size * vector() };
        let (rotation, twist, gap) = if count == 1 {
            (DQuat::from_scaled_axis(3.0 * vector()), twist, 2.0 * size)
        } else {
            (DQuat::IDENTITY, Twist { linear: 0.1 * twist.linear, ..Twist::default() }, 0.0)
        };
        let position = DVec3::Z * (height + gap + 0.5 * edges.z);
        height += gap + edges.z;
        poses.push((Pose { position, rotation }, twist));
    }
    let start = world.state(&poses)?;
    Ok((world, start, size))
}

/// All eight corners on the ground.
fn stand_on_all(
    world: &mut World,
    cuboid: stickslip::bodies::Body,
    edges: DVec3,
    law: &Law,
) -> Result<(), Error> {
    let floor = Shape::Plane(DVec3::ZERO, DVec3::Z);
    stand(world, (cuboid, edges), World::GROUND, floor, law, &[-0.5, 0.5])?;
    for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
        let corner = Shape::Point(edges * DVec3::new(x, y, 0.5));
        world.contact(cuboid, World::GROUND, pair(corner, floor)?, law.clone())?;
    }
    Ok(())
}
