//! A motion step by step.

use super::grid::Grid;
use super::memory::leg;
use super::parts::{StepEnd, step_to};
use super::{Settings, Stopwatch, check};
use crate::error::{Error, check as check_number};
use crate::memory::{Archive, Archived, Unreadable, from_bytes, to_bytes};
use crate::model::{Model, check_sizes};
use crate::step::{Integrator, StepMemory, Stepper};
use crate::system::State;

/// A motion for those who look at its state between steps, or change it there, as a controller does. Its steps are those of
/// [`run`](super::run) with the same settings, bit by bit, as long as the state is left alone; a run has a last step that ends at its end time.
///
/// ```
/// use stickslip::model::Generalised;
/// use stickslip::models::Woodpecker;
/// use stickslip::run::{Settings, StepByStep, StepEnd};
///
/// let bird = Generalised::new(Woodpecker::default().system())?;
/// let settings = Settings { dt: 1e-5, ..Settings::default() };
/// let mut motion = StepByStep::new(&bird, &Woodpecker::start(), &settings)?;
/// for _ in 0..100 {
///     assert!(matches!(motion.step(&bird, &mut ())?, StepEnd::Done { .. }));
/// }
/// assert_eq!(motion.state().t, 1e-3);
/// # Ok::<(), stickslip::Error>(())
/// ```
#[derive(Debug)]
pub struct StepByStep<M: Model> {
    settings: Settings,
    stepper: Stepper<M>,
    grid: Grid,
    kept: Kept,
    before: State,
}

/// What the next steps depend on, beside model, settings and stepper.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// The time from which steps are counted, and the number of the next one.
    start: f64,
    next: u64,
    state: State,
    stepper: StepMemory,
}

impl Archived for Kept {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        self.start.pass(archive)?;
        self.next.pass(archive)?;
        self.state.pass(archive)?;
        self.stepper.pass(archive)
    }
}

impl<M: Model> StepByStep<M> {
    /// Before the first step. The end time of the settings is not used.
    ///
    /// # Errors
    /// If a setting or the start is out of range, does not go together with the model, or the motion is event-driven, which has no steps.
    pub fn new(model: &M, start: &State, settings: &Settings) -> Result<Self, Error> {
        if settings.step.integrator == Integrator::EventDriven {
            return Err(Error::Combination {
                part: "steps of a given size",
                other: "event_driven",
                reason: "its steps go from event to event; use run, or a time-stepping integrator",
            });
        }
        let settings = Settings { t_end: start.t + settings.dt, ..settings.clone() };
        check(model, start, &settings)?;
        Ok(Self {
            stepper: Stepper::new(model, settings.step.clone())?,
            grid: Grid::new(start.t, settings.dt),
            kept: Kept { start: start.t, state: start.clone(), ..Kept::default() },
            before: start.clone(),
            settings,
        })
    }

    /// The state after the last step.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.kept.state
    }

    /// The stepper, for what the last step did.
    #[must_use]
    pub fn stepper(&self) -> &Stepper<M> {
        &self.stepper
    }

    /// The length of steps.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.settings.dt
    }

    /// Other steps from here on.
    ///
    /// # Errors
    /// If the length is not a positive number.
    pub fn set_dt(&mut self, dt: f64) -> Result<(), Error> {
        check_number(|| "dt".into(), dt, dt > 0.0, "a finite number > 0")?;
        self.settings.dt = dt;
        self.count_from_here();
        Ok(())
    }

    /// Another state, from which steps go on. Contacts that rested may rest on, and solvers start where they ended.
    ///
    /// # Errors
    /// If the model refuses the state.
    pub fn set_state(&mut self, model: &M, state: &State) -> Result<(), Error> {
        if !state.t.is_finite() {
            return Err(Error::NotFinite { what: "the time of the state", t: state.t });
        }
        model.validate(&state.q, &state.u)?;
        self.kept.state.clone_from(state);
        self.count_from_here();
        Ok(())
    }

    /// The state of the same motion slightly displaced, as differences are taken of: what rests in one of them rests in the other, though a gap
    /// is open by the displacement and the velocity is another.
    ///
    /// # Errors
    /// If the model refuses the state.
    pub fn displace(&mut self, model: &M, state: &State) -> Result<(), Error> {
        self.stepper.rest_beside(&self.kept.state.u, &state.u);
        self.set_state(model, state)
    }

    fn count_from_here(&mut self) {
        (self.kept.start, self.kept.next) = (self.kept.state.t, 0);
        self.grid = Grid::new(self.kept.start, self.settings.dt);
    }

    /// The next step, whole or in parts.
    ///
    /// # Errors
    /// If the model refuses the state, or returns numbers that cannot be used. The state is then the last good one.
    pub fn step<W: Stopwatch>(&mut self, model: &M, watch: &mut W) -> Result<StepEnd, Error> {
        self.step_with(model, watch, |_, _, _| Ok(()))
    }

    /// The same; `passed` is called after each part of the step, with the stepper that made it, the state before it and the state at its end.
    ///
    /// # Errors
    /// As [`step`](Self::step), or what `passed` returns.
    pub fn step_with<W: Stopwatch>(
        &mut self,
        model: &M,
        watch: &mut W,
        passed: impl FnMut(&Stepper<M>, &State, &State) -> Result<(), Error>,
    ) -> Result<StepEnd, Error> {
        // As a run does: what solvers know beside the memory is dropped between legs.
        if self.kept.next > 0 && self.kept.next.is_multiple_of(leg(model)) {
            let memory = self.stepper.memory();
            self.renew(model, &memory)?;
        }
        let t = self.grid.time(self.kept.next + 1);
        let states = (&mut self.kept.state, &mut self.before);
        let end = step_to(&mut self.stepper, model, states, t, watch, passed)?;
        match end {
            StepEnd::Done { .. } => self.kept.next += 1,
            StepEnd::Failed(_) => self.count_from_here(),
        }
        Ok(end)
    }

    fn renew(&mut self, model: &M, memory: &StepMemory) -> Result<(), Error> {
        self.stepper = Stepper::new(model, self.settings.step.clone())?;
        self.stepper.recall(memory)
    }

    /// All that the next steps depend on, beside model and settings, as bytes for this version of the crate.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        to_bytes(&mut Kept { stepper: self.stepper.memory(), ..self.kept.clone() })
    }

    /// Goes back to where [`save`](Self::save) was called, with the same model and settings. Of the solvers only the impulses that
    /// contacts start at come back, as between the legs of a run.
    ///
    /// # Errors
    /// If the bytes are others, or of another model.
    pub fn restore(&mut self, model: &M, bytes: &[u8]) -> Result<(), Error> {
        let mut kept: Kept = from_bytes(bytes)?;
        check_sizes(model, &kept.state.q, &kept.state.u)?;
        self.renew(model, &kept.stepper)?;
        kept.stepper = StepMemory::default();
        self.kept = kept;
        self.grid = Grid::new(self.kept.start, self.settings.dt);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Law;
    use crate::model::Generalised;
    use crate::models::{Linear, LinearContact, Woodpecker};
    use crate::run::run;
    use complementarity::Matrix;

    const DT: f64 = 1e-4;

    /// More steps than a leg has, with impacts among them.
    const STEPS: usize = 2500;

    #[test]
    fn steps_are_those_of_a_run_to_the_last_bit() {
        let bird = Generalised::new(Woodpecker::default().system()).unwrap();
        let settings =
            Settings { t_end: DT * STEPS as f64, dt: DT, sample_dt: 0.1, ..Settings::default() };
        let report = run(&bird, &Woodpecker::start(), &settings, &mut (), &mut ()).unwrap();
        assert!(report.impacts > 0);
        let mut motion = StepByStep::new(&bird, &Woodpecker::start(), &settings).unwrap();
        for _ in 0..STEPS {
            assert!(matches!(motion.step(&bird, &mut ()), Ok(StepEnd::Done { .. })));
        }
        assert_eq!(*motion.state(), report.state);
    }

    #[test]
    fn a_displaced_motion_rests_where_another_state_falls() {
        let floor = LinearContact::new(vec![1.0], vec![0.0], Law::default());
        let ball = Linear::new(Matrix::identity(1), vec![-10.0], vec![floor]).unwrap();
        let ball = Generalised::new(ball).unwrap();
        let settings = Settings { dt: DT, ..Settings::default() };
        let start = State::new(vec![0.0], vec![0.0]);
        let mut motion = StepByStep::new(&ball, &start, &settings).unwrap();
        let beside = State::new(vec![1e-9], vec![1e-9]);
        let mut fall = |displaced: bool| {
            motion.set_state(&ball, &start).unwrap();
            assert!(motion.step(&ball, &mut ()).is_ok());
            let moved = if displaced {
                motion.displace(&ball, &beside)
            } else {
                motion.set_state(&ball, &beside)
            };
            moved.unwrap();
            assert!(motion.step(&ball, &mut ()).is_ok());
            motion.state().u[0]
        };
        assert!(fall(true).abs() < 1e-15);
        assert!(fall(false) < -0.9 * 10.0 * DT);
    }

    #[test]
    fn a_motion_goes_on_from_where_it_was_saved() {
        let bird = Generalised::new(Woodpecker::default().system()).unwrap();
        let settings = Settings { dt: DT, ..Settings::default() };
        let mut motion = StepByStep::new(&bird, &Woodpecker::start(), &settings).unwrap();
        let go = |motion: &mut StepByStep<_>, steps: usize| {
            (0..steps).for_each(|_| assert!(motion.step(&bird, &mut ()).is_ok()));
            motion.state().clone()
        };
        go(&mut motion, 1300);
        let saved = motion.save();
        let ahead = go(&mut motion, 1200);
        motion.restore(&bird, &saved).unwrap();
        assert_eq!(go(&mut motion, 1200), ahead);
        assert!(matches!(motion.restore(&bird, &saved[1..]), Err(Error::Memory(_))));
    }
}
