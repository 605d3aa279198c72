//! Runs: from a start to an end time, watched by an observer.
//!
//! ```
//! use stickslip::model::Generalised;
//! use stickslip::models::Woodpecker;
//! use stickslip::run::{Settings, run};
//!
//! let bird = Generalised::new(Woodpecker::default().system())?;
//! let settings = Settings { t_end: 0.01, dt: 1e-5, ..Settings::default() };
//! let report = run(&bird, &Woodpecker::start(), &settings, &mut (), &mut ())?;
//! assert_eq!(report.steps, 1000);
//! assert!(report.certificate.worst <= 1e-10);
//! # Ok::<(), stickslip::Error>(())
//! ```
//!
//! Bodies in space run in the same way:
//!
//! ```
//! use glam::DVec3;
//! use stickslip::bodies::{MassProperties, Pose, Twist, World};
//! use stickslip::run::{Settings, run};
//!
//! let mut world = World::new(DVec3::new(0.0, 0.0, -9.81))?;
//! world.body(MassProperties::sphere(1.0, 0.1)?);
//! let start = world.state(&[(Pose::default(), Twist::default())])?;
//! let settings = Settings { t_end: 0.5, ..Settings::default() };
//! let report = run(&world, &start, &settings, &mut (), &mut ())?;
//! assert!((report.state.q[2] + 0.5 * 9.81 * 0.25).abs() < 1e-12);
//! # Ok::<(), stickslip::Error>(())
//! ```

mod contact_list;
mod grid;
mod log;
mod memory;
mod observer;
mod parts;
mod report;
mod settings;
mod step_by_step;
mod stepping;

pub(crate) use memory::Kept;
pub use memory::Memory;
pub use observer::{Event, EventKind, Flow, Observer, PassedStep, Sample, Stage, Stopwatch};
pub use parts::{StepEnd, step_to};
pub use report::{Drift, End, Report, StartMoved};
pub use settings::Settings;
pub use step_by_step::StepByStep;

use crate::error::Error;
use crate::events::{EventDriven, Section, resume_event_driven_until, run_event_driven_until};
use crate::model::{Model, Span};
use crate::step::Integrator;
use crate::system::State;
use stepping::SteppingRun;

/// Runs a model from `start` to the end time of the settings, unless the observer stops it or a step has no certified answer; the
/// report says which, and its state is then the last good one. A step for which no answer was found, or in which a body turns too far, is first
/// tried in shorter parts, and one in which fast bodies meet is made in parts with the meetings in their middles; the report counts both. Samples are taken at their regular times, and just before and just after the steps of impacts, so that jumps
/// of the velocities show as such; event-driven runs take these two at the time of the impact.
///
/// Contacts in samples and events are the candidates of the model, in their order. Their impulses stand one after the other,
/// each with all its components; gaps of connections are 0. The impulse of an event is the normal one and the friction: its size,
/// with a sign where it has one component.
///
/// # Errors
/// If a setting or the start is out of range, does not go together with the model, or the first step cannot be made because the
/// model returns numbers that cannot be used.
pub fn run<M: Model, O: Observer + ?Sized, W: Stopwatch>(
    model: &M,
    start: &State,
    settings: &Settings,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    run_until(model, start, settings, None, observer, watch)
}

/// [`run`] that also ends where a function of the state rises through zero: at that instant, found as an event, if it is event-driven; else
/// at the end of the first step where the function is not negative. The report's end is then [`End::Condition`].
///
/// # Errors
/// As [`run`].
pub fn run_until<M: Model, O: Observer + ?Sized, W: Stopwatch>(
    model: &M,
    start: &State,
    settings: &Settings,
    mut condition: Option<&mut dyn Section>,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    check(model, start, settings)?;
    if settings.step.integrator == Integrator::EventDriven {
        return run_event_driven_until(model, start, &settings.event_driven(), condition, observer);
    }
    SteppingRun::begin(model, start, settings, observer)?.finish(&mut condition, observer, watch)
}

/// Goes on with a run from a [`Memory`] that an observer was given at the end of a leg: with the same model, settings and condition, samples and
/// events from there on and the report are those of the run that was not interrupted, bit by bit.
///
/// # Errors
/// If the memory is not one of this model and integrator, or as [`run`].
pub fn resume_until<M: Model, O: Observer + ?Sized, W: Stopwatch>(
    model: &M,
    memory: &Memory,
    settings: &Settings,
    mut condition: Option<&mut dyn Section>,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    let event_driven = settings.step.integrator == Integrator::EventDriven;
    match &memory.0 {
        Kept::Events(kept) if event_driven => {
            settings.validate(kept.t())?;
            resume_event_driven_until(model, kept, &settings.event_driven(), condition, observer)
        }
        Kept::Stepping(kept) if !event_driven => {
            settings.validate(kept.state.t)?;
            SteppingRun::recall(model, settings, kept)?.finish(&mut condition, observer, watch)
        }
        _ => Err(Error::Combination {
            part: "a memory of a run",
            other: "another integrator",
            reason: "a run goes on with the integrator that it began with",
        }),
    }
}

/// Refuses what [`run`] would refuse before its first step.
///
/// # Errors
/// If a setting or the start is out of range, or does not go together with the model or one of its contacts.
pub fn check<M: Model>(model: &M, start: &State, settings: &Settings) -> Result<(), Error> {
    if !start.t.is_finite() {
        return Err(Error::NotFinite { what: "the time of the start", t: start.t });
    }
    settings.validate(start.t)?;
    model.validate(&start.q, &start.u)?;
    if settings.step.integrator == Integrator::EventDriven {
        settings.step.poses(model)?;
        return EventDriven::new(model, start, &settings.event_driven()).map(|_| ());
    }
    settings.step.fits(model)?;
    let (mut place, mut candidates) = (M::Place::default(), Vec::new());
    model.detect(&mut place, &Span::still(start), &mut candidates)?;
    let formulation = settings.step.solve_for(model).formulation;
    let mut contacts = (0..candidates.len()).filter(|&i| candidates[i].gap.is_some());
    contacts.try_for_each(|i| settings.step.takes(formulation, model.law(&place, i)))
}

/// Steps of length dt, the last one shortened; a share of 1e-9 of a step is rounding.
fn steps(duration: f64, dt: f64) -> u64 {
    ((duration / dt - 1e-9).ceil() as u64).max(1)
}
