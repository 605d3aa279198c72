//! Free rotation with every update of rigid bodies and every step of point masses.

use super::FreeRotor;
use glam::{DMat3, DQuat, DVec3};
use std::time::Instant;
use stickslip::bodies::point_masses::DistanceStep;
use stickslip::bodies::{Body, MassProperties, PointMassWorld, Pose, SpinUpdate, Twist, World};
use stickslip::model::Model;
use stickslip::step::{self, StepStatus, Stepper};
use stickslip::{Error, State};

/// A body model with its update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Position and quaternion.
    Rigid(SpinUpdate),
    /// Four point masses; whether distances are put back after each step.
    Masses(DistanceStep, bool),
}

impl Variant {
    /// All that are compared.
    pub const ALL: [Self; 7] = [
        Self::Rigid(SpinUpdate::SemiImplicit),
        Self::Rigid(SpinUpdate::ImplicitMidpoint),
        Self::Rigid(SpinUpdate::Variational),
        Self::Masses(DistanceStep::AsPrinted, false),
        Self::Masses(DistanceStep::AsPrinted, true),
        Self::Masses(DistanceStep::Half, true),
        Self::Masses(DistanceStep::Shake, true),
    ];

    /// For tables.
    pub fn name(self) -> String {
        match self {
            Self::Rigid(update) => format!("rigid, {update}"),
            Self::Masses(step, true) => format!("masses, {step}"),
            Self::Masses(step, false) => format!("masses, {step}, drifting"),
        }
    }
}

/// How far a run is from the exact motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// The largest angle to the exact rotation, at sixteen times, rad.
    pub rotation: f64,
    /// The largest change of the energy, as a share.
    pub energy: f64,
    /// The largest change of the angular momentum, as a share.
    pub momentum: f64,
}

/// One step of a model, whatever it is.
type Step<'a> = Box<dyn FnMut(&mut State, f64) -> Result<StepStatus, Error> + 'a>;

fn stepping<M: Model>(model: &M, settings: step::Settings) -> Result<Step<'_>, Error> {
    let mut stepper = Stepper::new(model, settings)?;
    Ok(Box::new(move |state, dt| stepper.step(model, state, dt, &mut ())))
}

/// One of the two models with one body, behind the calls that both have.
enum Single {
    Rigid(Box<World>, Body),
    Masses(Box<PointMassWorld>, Body),
}

impl Single {
    fn new(model: Variant, body: MassProperties) -> Result<Self, Error> {
        Ok(match model {
            Variant::Rigid(update) => {
                let mut world = World::new(DVec3::ZERO)?.with_update(update);
                let body = world.body(body);
                Self::Rigid(Box::new(world), body)
            }
            Variant::Masses(step, _) => {
                let mut world = PointMassWorld::new(DVec3::ZERO)?.with_step(step);
                let body = world.body(body)?;
                Self::Masses(Box::new(world), body)
            }
        })
    }

    fn start(&self, motion: (Pose, Twist)) -> Result<State, Error> {
        match self {
            Self::Rigid(world, _) => world.state(&[motion]),
            Self::Masses(world, _) => world.state(&[motion]),
        }
    }

    fn motion(&self, state: &State) -> (Pose, Twist) {
        match self {
            Self::Rigid(world, body) => world.motion(*body, state),
            Self::Masses(world, body) => world.motion(*body, state),
        }
    }

    fn angular_momentum(&self, state: &State) -> DVec3 {
        match self {
            Self::Rigid(world, _) => world.momentum(state).1,
            Self::Masses(world, _) => world.momentum(state).1,
        }
    }

    fn energy(&self, state: &State) -> f64 {
        let State { t, q, u } = state;
        match self {
            Self::Rigid(world, _) => world.energy(q, u, *t).total(),
            Self::Masses(world, _) => world.energy(q, u, *t).total(),
        }
    }

    fn steps(&self, model: Variant) -> Result<Step<'_>, Error> {
        let stabilise = model != Variant::Masses(DistanceStep::AsPrinted, false);
        let settings = step::Settings { stabilise, ..step::Settings::default() };
        match self {
            Self::Rigid(world, _) => stepping(&**world, settings),
            Self::Masses(world, _) => stepping(&**world, settings),
        }
    }
}

/// A free rotation from rest in space over `t_end` in `steps` steps, a multiple of sixteen; `velocity` is in body
/// axes, which are the world's at the beginning. None if the model refuses, as the step is too large for it.
pub fn run_free(
    model: Variant,
    moments: DVec3,
    velocity: DVec3,
    t_end: f64,
    steps: usize,
) -> Result<Option<Errors>, Error> {
    let body = MassProperties::new(1.0, DMat3::from_diagonal(moments))?;
    let single = Single::new(model, body)?;
    let twist = Twist { linear: DVec3::ZERO, angular: velocity };
    let mut state = single.start((Pose::default(), twist))?;
    let rotor = FreeRotor::new(moments, DQuat::IDENTITY, velocity);
    let mut step = single.steps(model)?;
    let (energy, momentum) = (single.energy(&state), single.angular_momentum(&state));
    let (dt, mut errors) = (t_end / steps as f64, Errors::default());
    for n in 1..=steps {
        match step(&mut state, dt) {
            Ok(StepStatus::Done) => {}
            Ok(StepStatus::Unsolved(_)) | Err(Error::NotFinite { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let now = single.energy(&state);
        errors.energy = errors.energy.max((now / energy - 1.0).abs());
        let change = (single.angular_momentum(&state) - momentum).length() / momentum.length();
        errors.momentum = errors.momentum.max(change);
        if n % (steps / 16) == 0 {
            let exact = rotor.rotation(n as f64 * dt);
            let off = exact.conjugate() * single.motion(&state).0.rotation;
            let sine = DVec3::new(off.x, off.y, off.z).length();
            errors.rotation = errors.rotation.max(2.0 * sine.atan2(off.w.abs()));
        }
    }
    Ok(Some(errors))
}

/// The time of a step without contacts, everything around it included: the least of several runs.
pub fn nanoseconds_per_step(
    model: Variant,
    moments: DVec3,
    velocity: DVec3,
    dt: f64,
) -> Result<f64, Error> {
    const STEPS: usize = 20_000;
    let body = MassProperties::new(1.0, DMat3::from_diagonal(moments))?;
    let single = Single::new(model, body)?;
    let twist = Twist { linear: DVec3::ZERO, angular: velocity };
    let start = single.start((Pose::default(), twist))?;
    let mut step = single.steps(model)?;
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let mut state = start.clone();
        let clock = Instant::now();
        let mut solved = true;
        for n in 0..STEPS {
            if n % 1000 == 0 {
                state = start.clone();
            }
            solved &= step(&mut state, dt)?.done().is_ok();
        }
        if solved && state.t > 0.0 {
            best = best.min(clock.elapsed().as_secs_f64() * 1e9 / STEPS as f64);
        }
    }
    Ok(best)
}
