//! Settings of a run.

use crate::error::{Error, check};
use crate::events;
use crate::step::{self, Integrator};

/// The most steps that a run may have.
const MAX_STEPS: f64 = 1e10;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The end time. Default 1.
    pub t_end: f64,
    /// The step of the time-stepping methods. Default 1e-3.
    pub dt: f64,
    /// Between samples at least this much time passes; 0 for every step, and for a thousand samples of an
    /// event-driven run. Default 0.
    pub sample_dt: f64,
    /// Integrator, formulation, solver, impacts.
    pub step: step::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self { t_end: 1.0, dt: 1e-3, sample_dt: 0.0, step: step::Settings::default() }
    }
}

impl Settings {
    /// The same settings for the event-driven integrator.
    #[must_use]
    pub fn event_driven(&self) -> events::Settings {
        let sample_every =
            if self.sample_dt > 0.0 { self.sample_dt } else { self.t_end.abs() / 1000.0 };
        events::Settings {
            t_end: self.t_end,
            sample_every,
            impact: self.step.impact,
            solver: self.step.solve.clone().unwrap_or_default(),
            ..events::Settings::default()
        }
    }

    /// Refuses settings outside of their ranges, for a run that starts at `t`.
    pub fn validate(&self, t: f64) -> Result<(), Error> {
        self.step.validate()?;
        let (dt, t_end, sample_dt) = (self.dt, self.t_end, self.sample_dt);
        check(|| "dt".into(), dt, dt > 0.0, "a finite number > 0")?;
        check(|| "t_end".into(), t_end, t_end > t, "a finite number after the start")?;
        check(|| "sample_dt".into(), sample_dt, sample_dt >= 0.0, "a finite number >= 0")?;
        let steps = (t_end - t) / dt;
        let few = self.step.integrator == Integrator::EventDriven || steps <= MAX_STEPS;
        let wanted = "at most 1e10 steps; take a larger dt or a smaller t_end";
        check(|| "t_end / dt".into(), steps, few, wanted)
    }
}
