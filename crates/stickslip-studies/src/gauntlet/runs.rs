//! Worlds taken through time with default settings: the one place that runs them.

use glam::DVec3;
use stickslip::bodies::World;
use stickslip::contact::ContactProblem;

use stickslip::run::{self, End, Event, Flow, Observer, Report, Sample};
use stickslip::step::{self, Integrator, StepStatus, Stepper};
use stickslip::{Error, State};

/// The end time and the step, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The end time.
    pub t_end: f64,
    /// The step.
    pub dt: f64,
}

/// The largest among the samples of a run.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// Energy.
    pub energy: f64,
    /// Speed of a body.
    pub speed: f64,
    /// Angular speed of a body.
    pub spin: f64,
}

impl Observer for Peak {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.energy = self.energy.max(sample.energy.total());
        for twist in sample.u.chunks_exact(6) {
            self.speed = self.speed.max(DVec3::from_slice(twist).length());
            self.spin = self.spin.max(DVec3::from_slice(&twist[3..]).length());
        }
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

/// Every setting but the integrator as it is by default.
fn default_by(integrator: Integrator) -> step::Settings {
    step::Settings { integrator, ..step::Settings::default() }
}

/// Runs a world with default settings, and gives the peaks of about twenty samples and those around impacts.
///
/// # Errors
/// If the world or its start is refused.
pub fn run_world(
    world: &World,
    start: &State,
    Span { t_end, dt }: Span,
    integrator: Integrator,
) -> Result<(Report, Peak), Error> {
    let settings =
        run::Settings { t_end, dt, sample_dt: t_end / 20.0, step: default_by(integrator) };
    let mut peak = Peak { energy: f64::NEG_INFINITY, speed: 0.0, spin: 0.0 };
    let report = run::run(world, start, &settings, &mut peak, &mut ())?;
    Ok((report, peak))
}

/// The largest size of a value among samples at every step.
struct Largest<'a> {
    value: &'a dyn Fn(&Sample<'_>) -> f64,
    found: f64,
}

impl Observer for Largest<'_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        self.found = self.found.max((self.value)(sample).abs());
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

/// Runs a world with default settings, and gives the largest size of a value among samples at every step.
pub(super) fn largest_of(
    world: &World,
    start: &State,
    Span { t_end, dt }: Span,
    integrator: Integrator,
    value: &dyn Fn(&Sample<'_>) -> f64,
) -> Result<(Report, f64), Error> {
    let settings = run::Settings { t_end, dt, sample_dt: dt, step: default_by(integrator) };
    let mut largest = Largest { value, found: 0.0 };
    let report = run::run(world, start, &settings, &mut largest, &mut ())?;
    Ok((report, largest.found))
}

/// Why a run ended before its time.
pub fn loss(report: &Report) -> Option<String> {
    match &report.end {
        End::Finished => None,
        End::Failed(why) => Some(why.clone()),
        End::Stopped | End::Condition => Some("stopped".to_owned()),
    }
}

/// The contact problem of the first whole step that has no answer.
///
/// # Errors
/// If the world or its start is refused.
pub fn first_unsolved(
    world: &World,
    mut state: State,
    Span { t_end, dt }: Span,
    integrator: Integrator,
) -> Result<Option<ContactProblem>, Error> {
    let mut stepper = Stepper::new(world, default_by(integrator))?;
    for i in 0..(t_end / dt) as usize {
        let end = (i + 1) as f64 * dt;
        let length = end - state.t;
        if stepper.step(world, &mut state, length, &mut ())? != StepStatus::Done {
            return Ok(Some(stepper.problem().clone()));
        }
        state.t = end;
    }
    Ok(None)
}
