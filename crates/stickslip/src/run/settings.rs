//! Settings of a run.

use crate::contact::solve;
use crate::error::{Error, check};
use crate::impact::ImpactLaw;
use crate::integrators::{Integrator, JeanSettings, event_driven};

/// The most steps that a run may have.
const MAX_STEPS: f64 = 1e10;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The integrator. Default `moreau_midpoint`.
    pub integrator: Integrator,
    /// The end time. Default 1.
    pub t_end: f64,
    /// The step of the time-stepping methods. Default 1e-4.
    pub dt: f64,
    /// Between samples at least this much time passes; 0 for every step, and for a thousand samples of an
    /// event-driven run. Default 0.
    pub sample_dt: f64,
    /// The law of impacts. Default `newton`.
    pub impact: ImpactLaw,
    /// Whether the configuration is moved out of contacts at the end of each step. Default false.
    pub correction: bool,
    /// Formulation, solver, tolerance.
    pub solve: solve::Settings,
    /// Of the θ-method.
    pub jean: JeanSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            integrator: Integrator::default(),
            t_end: 1.0,
            dt: 1e-4,
            sample_dt: 0.0,
            impact: ImpactLaw::default(),
            correction: false,
            solve: solve::Settings::default(),
            jean: JeanSettings::default(),
        }
    }
}

impl Settings {
    /// The same settings for the event-driven integrator.
    #[must_use]
    pub fn event_driven(&self) -> event_driven::Settings {
        let sample_every =
            if self.sample_dt > 0.0 { self.sample_dt } else { self.t_end.abs() / 1000.0 };
        event_driven::Settings {
            t_end: self.t_end,
            sample_every,
            impact: self.impact,
            solver: self.solve.clone(),
            ..event_driven::Settings::default()
        }
    }

    /// Refuses settings outside of their ranges, for a run that starts at `t`.
    pub fn validate(&self, t: f64) -> Result<(), Error> {
        self.solve.validate()?;
        self.jean.validate()?;
        let stepped = self.integrator != Integrator::EventDriven;
        check_times(t, self.t_end, self.dt, self.sample_dt, stepped)
    }
}

/// Refuses times of a run from `t` that are out of order, and too many steps where it has them.
pub(super) fn check_times(
    t: f64,
    t_end: f64,
    dt: f64,
    sample_dt: f64,
    stepped: bool,
) -> Result<(), Error> {
    check(|| "dt".into(), dt, dt > 0.0, "a finite number > 0")?;
    check(|| "t_end".into(), t_end, t_end > t, "a finite number after the start")?;
    check(|| "sample_dt".into(), sample_dt, sample_dt >= 0.0, "a finite number >= 0")?;
    let steps = (t_end - t) / dt;
    let few = !stepped || steps <= MAX_STEPS;
    let wanted = "at most 1e10 steps; take a larger dt or a smaller t_end";
    check(|| "t_end / dt".into(), steps, few, wanted)
}
