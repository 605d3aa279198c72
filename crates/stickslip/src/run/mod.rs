//! Runs: from a start to an end time, watched by an observer.
//!
//! ```
//! use stickslip::model::Generalised;
//! use stickslip::models::Woodpecker;
//! use stickslip::run::{Settings, run};
//!
//! let mut bird = Generalised::new(Woodpecker::default().system())?;
//! let settings = Settings { t_end: 0.01, dt: 1e-5, ..Settings::default() };
//! let report = run(&mut bird, &Woodpecker::start(), &settings, &mut (), &mut ())?;
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
//! let report = run(&mut world, &start, &settings, &mut (), &mut ())?;
//! assert!((report.state.q[2] + 0.5 * 9.81 * 0.25).abs() < 1e-12);
//! # Ok::<(), stickslip::Error>(())
//! ```

mod log;
mod observer;
mod report;
mod settings;

pub use observer::{Event, EventKind, Flow, Observer, Sample, Stage, Stopwatch};
pub use report::{Drift, End, Report};
pub use settings::Settings;

use crate::error::Error;
use crate::events::{self, EventDriven};
use crate::model::Model;
use crate::step::{Integrator, StepStatus, Stepper};
use crate::system::State;
use log::Log;

/// Runs a model from `start` to the end time of the settings, unless the observer stops it or a step has no certified answer; the
/// report says which, and its state is then the last good one.
///
/// Contacts in samples and events are the candidates of the model, in their order. Their impulses stand one after the other,
/// each with all its components; gaps of connections are 0. The impulse of an event is the normal one and the friction: its size,
/// with a sign where it has one component.
///
/// # Errors
/// If a setting or the start is out of range, does not go together with the model, or the first step cannot be made because the
/// model returns numbers that cannot be used.
pub fn run<M: Model + ?Sized, O: Observer, W: Stopwatch>(
    model: &mut M,
    start: &State,
    settings: &Settings,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    check(model, start, settings)?;
    if settings.step.integrator == Integrator::EventDriven {
        return events::run_model(model, start, &settings.event_driven(), observer);
    }
    let mut stepper = Stepper::new(model, settings.step.clone())?;
    let mut state = start.clone();
    let mut log = Log::new(model, &state)?;
    let steps = steps(settings.t_end - start.t, settings.dt);
    let mut flow = log.sample(model, &state, observer)?;
    let mut end = End::Finished;
    for i in 0..steps {
        if flow == Flow::Stop {
            end = End::Stopped;
            break;
        }
        let last = i + 1 == steps;
        let t_next = if last { settings.t_end } else { start.t + (i + 1) as f64 * settings.dt };
        let dt = t_next - state.t;
        match stepper.step(model, &mut state, dt, watch) {
            Ok(StepStatus::Done) => {}
            Ok(StepStatus::Unsolved(unsolved)) => {
                end = End::Failed(unsolved.at(state.t));
                break;
            }
            // What has been computed is not lost with the step that cannot be.
            Err(error) if i > 0 => {
                end = End::Failed(error.to_string());
                break;
            }
            Err(error) => return Err(error),
        }
        state.t = t_next;
        log.record(model, &state, &stepper, observer);
        if state.t - log.last_sample() >= settings.sample_dt * (1.0 - 1e-9) || last {
            flow = log.sample(model, &state, observer)?;
        }
        watch.lap(Stage::Observe);
    }
    Ok(log.finish(model, state, end))
}

/// Refuses what [`run`] would refuse before its first step.
///
/// # Errors
/// If a setting or the start is out of range, or does not go together with the model or one of its contacts.
pub fn check<M: Model + ?Sized>(
    model: &mut M,
    start: &State,
    settings: &Settings,
) -> Result<(), Error> {
    if !start.t.is_finite() {
        return Err(Error::NotFinite { what: "the time of the start", t: start.t });
    }
    settings.validate(start.t)?;
    model.validate(&start.q, &start.u)?;
    if settings.step.integrator == Integrator::EventDriven {
        return EventDriven::with_model(model, start, &settings.event_driven()).map(|_| ());
    }
    settings.step.fits(model)?;
    let mut candidates = Vec::new();
    model.detect(&start.q, start.t, &mut candidates)?;
    let formulation = settings.step.solve_for(model).formulation;
    let mut contacts = (0..candidates.len()).filter(|&i| candidates[i].gap.is_some());
    contacts.try_for_each(|i| settings.step.takes(formulation, model.law(i)))
}

/// Steps of length dt, the last one shortened; a share of 1e-9 of a step is rounding.
fn steps(duration: f64, dt: f64) -> u64 {
    ((duration / dt - 1e-9).ceil() as u64).max(1)
}
