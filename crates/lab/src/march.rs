//! A system that is stepped, without anything around the steps.

use stickslip::contact::solve;
use stickslip::impact::ImpactLaw;
use stickslip::integrators::{Integrator, JeanSettings, Stepper};
use stickslip::models::{Woodpecker, WoodpeckerSystem};
use stickslip::{Error, State, System};

/// A state, its system and a time-stepping method: what is left of a run without samples, events and reports.
///
/// ```
/// use stickslip::integrators::Integrator;
/// use stickslip_lab::March;
///
/// let mut march = March::woodpecker(Integrator::MoreauMidpoint)?;
/// march.steps(100, 1e-4)?;
/// assert!((march.state.t - 0.01).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct March<S> {
    /// The system.
    pub system: S,
    /// Where it is.
    pub state: State,
    /// What takes it further.
    pub stepper: Stepper,
}

impl March<WoodpeckerSystem> {
    /// The woodpecker of Table I at its start, with default settings.
    ///
    /// # Errors
    /// If the integrator is not one of steps.
    pub fn woodpecker(integrator: Integrator) -> Result<Self, Error> {
        Self::new(Woodpecker::default().system(), Woodpecker::start(), integrator)
    }
}

impl<S: System> March<S> {
    /// A system at a state, with default settings of the method.
    ///
    /// # Errors
    /// If the system is out of range, or the integrator is not one of steps.
    pub fn new(system: S, state: State, integrator: Integrator) -> Result<Self, Error> {
        let (info, impact) = (system.info(), ImpactLaw::Newton);
        let settings = solve::Settings::default();
        let stepper = match integrator {
            Integrator::MoreauMidpoint => Stepper::midpoint(info, settings, impact)?,
            Integrator::MoreauJean => {
                Stepper::jean(info, JeanSettings::default(), settings, impact)?
            }
            _ => {
                let (part, other) = (integrator.name(), "steps of a given size");
                return Err(Error::Combination { part, other, reason: "it goes by events" });
            }
        };
        Ok(Self { system, state, stepper })
    }

    /// One step.
    ///
    /// # Errors
    /// If the model fails, or the step has no certified answer.
    #[inline]
    pub fn step(&mut self, dt: f64) -> Result<(), Stopped> {
        match self.stepper.step(&mut self.system, &mut self.state, dt, &mut ()) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(unsolved)) => Err(Stopped(format!("t = {}: {unsolved:?}", self.state.t))),
            Err(error) => Err(Stopped(error.to_string())),
        }
    }

    /// `count` steps.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn steps(&mut self, count: usize, dt: f64) -> Result<(), Stopped> {
        (0..count).try_for_each(|_| self.step(dt))
    }
}

/// Why there is no next step.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped(String);

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no step from here: {}", self.0)
    }
}

impl std::error::Error for Stopped {}
