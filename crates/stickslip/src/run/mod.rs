//! Runs: from a start to an end time, watched by an observer.
//!
//! ```
//! use stickslip::models::Woodpecker;
//! use stickslip::run::{Settings, run};
//!
//! let mut bird = Woodpecker::default().system();
//! let settings = Settings { t_end: 0.01, dt: 1e-5, ..Settings::default() };
//! let report = run(&mut bird, &Woodpecker::start(), &settings, &mut (), &mut ())?;
//! assert_eq!(report.steps, 1000);
//! assert!(report.certificate.worst <= 1e-10);
//! # Ok::<(), stickslip::Error>(())
//! ```
//!
//! Bodies in space have [`run_space`].

mod observer;
mod report;
mod settings;
mod space;
mod time_stepping;

pub use observer::{Event, EventKind, Flow, Observer, Sample, Stage, Stopwatch};
pub use report::{Drift, End, Report};
pub use settings::Settings;
pub use space::{SpaceRun, run_space};

use crate::error::Error;
use crate::integrators::Integrator;
use crate::integrators::event_driven::run_event_driven;
use crate::system::{State, System};

/// Runs a system from `start` to the end time of the settings, unless the observer stops it or a step has no
/// certified answer; the report says which.
///
/// # Errors
/// If a setting or the start is out of range, or the model returns numbers that cannot be used.
pub fn run<S: System + ?Sized, O: Observer, W: Stopwatch>(
    system: &mut S,
    start: &State,
    settings: &Settings,
    observer: &mut O,
    watch: &mut W,
) -> Result<Report, Error> {
    system.info().validate()?;
    settings.validate(start.t)?;
    start.validate(system.info())?;
    if settings.integrator == Integrator::EventDriven {
        return run_event_driven(system, start, &settings.event_driven(), observer);
    }
    time_stepping::run(system, start, settings, observer, watch)
}
