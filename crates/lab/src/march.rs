//! A system that is stepped, without anything around the steps.

use stickslip::model::Generalised;
use stickslip::models::{Woodpecker, WoodpeckerSystem};
use stickslip::step::{self, Integrator, StepStatus, Stepper};
use stickslip::{Error, State, System};

/// Moreau and Jean's method at θ = ½.
pub const JEAN: Integrator = Integrator::MoreauJean { theta: 0.5 };

/// A state, its system and a time-stepping method: what is left of a run without samples, events and reports.
///
/// ```
/// use stickslip::step::Integrator;
/// use stickslip_lab::March;
///
/// let mut march = March::woodpecker(Integrator::MoreauMidpoint)?;
/// march.steps(100, 1e-4)?;
/// assert!((march.state.t - 0.01).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct March<S: System> {
    /// The system.
    pub model: Generalised<S>,
    /// Where it is.
    pub state: State,
    /// What takes it further.
    pub stepper: Stepper<Generalised<S>>,
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
        let model = Generalised::new(system)?;
        let settings = step::Settings { integrator, ..step::Settings::default() };
        let stepper = Stepper::new(&model, settings)?;
        Ok(Self { model, state, stepper })
    }

    /// One step.
    ///
    /// # Errors
    /// If the model fails, or the step has no certified answer.
    #[inline]
    pub fn step(&mut self, dt: f64) -> Result<(), Stopped> {
        match self.stepper.step(&self.model, &mut self.state, dt, &mut ()) {
            Ok(StepStatus::Done) => Ok(()),
            Ok(StepStatus::Unsolved(unsolved)) => Err(Stopped(unsolved.at(self.state.t))),
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
