//! Event-driven integration: smooth motion of high order between events, events found to rounding.
//!
//! Between events every contact keeps its mode (open, stick, slide with a sign or, in space, along its velocity) and the motion is smooth:
//! Gauss collocation with twelve stages follows it. An event is a zero of a function: a gap closes, a normal
//! force or a slip vanishes, sticking friction reaches its limit. There contacts that approach collide
//! (Δt = 0), and the contact problem on the level of accelerations decides how the motion goes on.
//! Infinitely many impacts in finite time are summed.
//!
//! Joints, loops and bars act inside the model ([`Model::accelerations`]). What rounding and the order of the method leave of them is
//! taken away once it shows, by [`Model::stabilise`], and [`Report::constraint_drift`] says how much that was at worst.
//!
//! Not for stiff systems: the stages are found by iteration, so that a step is at most a few times the
//! shortest time constant.

mod accumulation;
mod decision;
mod flow;
mod gauss;
pub(crate) mod linear;
mod memory;
mod motion;
mod projection;
mod redundant;
mod roots;
mod sampling;
mod skim;
mod slip;
mod slip_newton;
mod smooth;
mod step;
mod tolerance;
mod transition;
mod watch;

pub use flow::{EventDriven, Phase, Reached, Totals};
pub(crate) use memory::Memory;
pub use watch::Section;

use crate::contact::solve::{self, SolverChoice};
use crate::error::{Error, check};
use crate::impact::ImpactLaw;
use crate::model::Model;
use crate::run::{self, End, Flow, Kept, Observer, Report};
use crate::system::State;

/// Settings of the event-driven integrator.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// End time. Default 1.
    pub t_end: f64,
    /// Time between samples, which are also taken just before and just after impacts, both at the same time; 0 for none but the first
    /// and the last. Default 0.
    pub sample_every: f64,
    /// Error of the velocities inside a step, relative to their size; at the ends of steps it is far
    /// less. Default 1e-12.
    pub tolerance: f64,
    /// The longest step. Default infinite.
    pub max_step: f64,
    /// Events after which the run fails: they may accumulate in a way that is not understood. Default 1,000,000.
    pub max_events: usize,
    /// Steps after which the run fails. Default 100,000,000.
    pub max_steps: usize,
    /// The height of a bounce, relative to the first of its series, below which the rest of the series is
    /// summed. Default 1e-12.
    pub accumulation: f64,
    /// The law of impacts. Default Newton's.
    pub impact: ImpactLaw,
    /// The solver of contact problems at events.
    pub solver: solve::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            t_end: 1.0,
            sample_every: 0.0,
            tolerance: 1e-12,
            max_step: f64::INFINITY,
            max_events: 1_000_000,
            max_steps: 100_000_000,
            accumulation: 1e-12,
            impact: ImpactLaw::default(),
            solver: solve::Settings::default(),
        }
    }
}

impl Settings {
    /// Refuses numbers out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let (tol, rest) = (self.tolerance, self.accumulation);
        check(|| "t_end".into(), self.t_end, true, "a finite number")?;
        let samples = self.sample_every;
        check(|| "sample_every".into(), samples, samples >= 0.0, "a finite number >= 0")?;
        let inside = (1e-14..=1e-3).contains(&tol);
        check(|| "tolerance".into(), tol, inside, "between 1e-14 and 1e-3")?;
        let inside = (1e-15..=1e-2).contains(&rest);
        check(|| "accumulation".into(), rest, inside, "between 1e-15 and 0.01")?;
        if !(self.max_step > 0.0) {
            let (place, value) = ("max_step".into(), self.max_step);
            return Err(Error::Range { place, value, requirement: "greater than 0" });
        }
        if self.solver.solver == SolverChoice::Alternating {
            return Err(Error::Combination {
                part: "integrator event_driven",
                other: "solver alternating",
                reason: "contacts that slide have a known direction of friction at events, which the alternating iteration does \
                         not take; choose another solver, or a time-stepping integrator",
            });
        }
        if self.solver.relaxation != 0.0 {
            return Err(Error::Combination {
                part: "integrator event_driven",
                other: "relaxation",
                reason: "contacts would be compliant at events and rigid between them; set relaxation to 0, or take a \
                         time-stepping integrator",
            });
        }
        Ok(self.solver.validate()?)
    }
}

/// Runs a model from a start to the end time of the settings.
///
/// A start a little inside a contact is moved out of it along M⁻¹w_N: [`Report::start_moved`] says by how much, and the report's drift how
/// deep it was. A start deeper than a hundredth of the size of the coordinates is refused: no rounding to two digits explains it, and the
/// motion from another start is not what was asked for. The same holds for a start off joints and loops.
///
/// # Errors
/// If the start, the model or a setting is refused, the model has no [`Model::accelerations`], or returns what is not finite.
pub fn run_event_driven<M: Model, O: Observer + ?Sized>(
    model: &M,
    start: &State,
    settings: &Settings,
    observer: &mut O,
) -> Result<Report, Error> {
    run_event_driven_until(model, start, settings, None, observer)
}

/// [`run_event_driven`] that also ends where a section is crossed, with [`End::Condition`].
///
/// # Errors
/// As [`run_event_driven`].
pub fn run_event_driven_until<M: Model, O: Observer + ?Sized>(
    model: &M,
    start: &State,
    settings: &Settings,
    section: Option<&mut dyn Section>,
    observer: &mut O,
) -> Result<Report, Error> {
    let motion = EventDriven::new(model, start, settings)?;
    finish(motion, start.t, section, observer)
}

/// Goes on from where a memory was taken.
pub(crate) fn resume_event_driven_until<M: Model, O: Observer + ?Sized>(
    model: &M,
    kept: &Memory,
    settings: &Settings,
    section: Option<&mut dyn Section>,
    observer: &mut O,
) -> Result<Report, Error> {
    let motion = EventDriven::recall(model, settings, kept)?;
    finish(motion, f64::NEG_INFINITY, section, observer)
}

/// Goes on to the end, leg by leg.
fn finish<M: Model, O: Observer + ?Sized>(
    mut motion: EventDriven<'_, M>,
    start: f64,
    mut section: Option<&mut dyn Section>,
    observer: &mut O,
) -> Result<Report, Error> {
    let (model, settings) = (motion.model, motion.settings.clone());
    let end = loop {
        match motion.advance_leg(settings.t_end, memory::LEG, &mut section, observer) {
            Ok(None) => {
                let memory = run::Memory(Kept::Events(Box::new(motion.memory())));
                if observer.leg(&memory) == Flow::Stop {
                    motion.last_sample(observer)?;
                    break End::Stopped;
                }
                let run::Memory(Kept::Events(kept)) = memory else { continue };
                motion = EventDriven::recall(model, &settings, &kept)?;
            }
            Ok(Some(Reached::Time)) => break End::Finished,
            Ok(Some(Reached::Section)) => {
                motion.last_sample(observer)?;
                break End::Condition;
            }
            Ok(Some(Reached::Stopped)) => break End::Stopped,
            Ok(Some(Reached::Failed(why))) => break End::Failed(why),
            // What has been computed is not lost with the step that cannot be.
            Err(error) if motion.state().t > start => break End::Failed(error.to_string()),
            Err(error) => return Err(error),
        }
    };
    Ok(motion.report(end).judged())
}
