//! One step of a run, whole or in parts.

use crate::error::Error;
use crate::model::Model;
use crate::run::Stopwatch;
use crate::step::{StepStatus, Stepper, Unsolved};
use crate::system::State;
use complementarity::Status;

/// A step is made in this many parts at most.
const MOST_PARTS: f64 = 64.0;

/// The same where a body turns too far in a step: however fast it spins, a part that is short enough is known to exist.
const MOST_TURNS: f64 = 65_536.0;

/// Fast bodies may meet this often in a step: a bullet of a kilometre a second between walls that are a millimetre apart does so in 50 ms.
const MOST_MEETINGS: usize = 65_536;

/// Why a run ends in which fast bodies meet more often.
#[cold]
fn too_many_meetings(t: f64) -> String {
    format!(
        "fast bodies meet more than {MOST_MEETINGS} times in the step at t = {t}; take a smaller dt, or see why they are so fast"
    )
}

/// How a step of a run ended.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a step without an answer leaves the state where its last part ended"]
pub enum StepEnd {
    /// The state is that of its end.
    Done {
        /// Whether no answer was found for the whole, so that it was made in shorter parts.
        split: bool,
        /// Whether it was made in parts because fast bodies meet in it.
        swept: bool,
    },
    /// There is no answer, for this reason; the state is the last good one.
    Failed(String),
}

/// Takes a state to a time as [`run`](super::run) makes its steps: in one, and where that has no answer, a body turns too far, or fast bodies
/// meet, in shorter parts. `passed` is called after each part, with the stepper that made it, the state before it and the state at its end;
/// `before` is storage for the one before.
///
/// # Errors
/// If the model refuses the state, or returns numbers that cannot be used, or `passed` returns an error.
pub fn step_to<M: Model, W: Stopwatch>(
    stepper: &mut Stepper<M>,
    model: &M,
    (state, before): (&mut State, &mut State),
    t_end: f64,
    watch: &mut W,
    mut passed: impl FnMut(&Stepper<M>, &State, &State) -> Result<(), Error>,
) -> Result<StepEnd, Error> {
    let mut parts = Parts::new(state, t_end);
    while let Some(t) = parts.next(state) {
        let dt = t - state.t;
        before.clone_from(state);
        match stepper.step_within(model, state, (dt, parts.whole), watch) {
            Ok((StepStatus::Done, made)) => {
                if !(made < dt) {
                    state.t = t;
                }
                passed(stepper, before, state)?;
                if made < dt && !parts.meet() {
                    return Ok(StepEnd::Failed(too_many_meetings(before.t)));
                }
            }
            Ok((StepStatus::Unsolved(unsolved), dt)) => {
                let again = stepper.decouple_next()
                    || stepper.thorough_next()
                    || parts.split(&unsolved, dt)
                    || stepper.plastic_next()
                    || stepper.accept_next(&unsolved, parts.whole / dt);
                if !again {
                    return Ok(StepEnd::Failed(unsolved.at(state.t)));
                }
            }
            // Joints that an iteration does not close are those of bodies that turn too far, and forces that are not finite may be those of one
            // that diverges.
            Err(Error::Turn { .. } | Error::Open { .. })
                if parts.shorten(dt, MOST_TURNS) || stepper.plastic_next() => {}
            Err(Error::NotFinite { .. }) if parts.shorten(dt, MOST_PARTS) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(StepEnd::Done { split: parts.is_split(), swept: parts.meetings > 0 })
}

/// A step of the run, which is made in shorter parts where no answer was found for its whole length: such an answer exists, unless the
/// opposite is proved, and the problem of a shorter step is another one. So is one in which a body turns too far for its update: light
/// bodies between heavy ones are spun by more than a radian in a millisecond.
struct Parts {
    end: f64,
    whole: f64,
    part: f64,
    /// Parts that were shorter because fast bodies meet in the step.
    meetings: usize,
}

impl Parts {
    fn new(state: &State, end: f64) -> Self {
        let whole = end - state.t;
        Self { end, whole, part: whole, meetings: 0 }
    }

    /// Where the next part ends.
    fn next(&self, state: &State) -> Option<f64> {
        let last = state.t + 1.5 * self.part >= self.end;
        (state.t < self.end).then_some(if last { self.end } else { state.t + self.part })
    }

    /// Halves the part that has no answer; false if that is of no use.
    fn split(&mut self, unsolved: &Unsolved, dt: f64) -> bool {
        matches!(unsolved.status, Status::Failed(_)) && self.shorten(dt, MOST_PARTS)
    }

    /// Halves a part; false if there are enough of them.
    fn shorten(&mut self, dt: f64, most: f64) -> bool {
        let half = 0.5 * dt;
        let few = half * most >= self.whole;
        if few {
            self.part = half;
        }
        few
    }

    /// Counts a part that was made shorter because fast bodies meet; false if there are too many of them.
    fn meet(&mut self) -> bool {
        self.meetings += 1;
        self.meetings <= MOST_MEETINGS
    }

    fn is_split(&self) -> bool {
        self.part < self.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use complementarity::Failure;

    fn without_answer(status: Status) -> Unsolved {
        Unsolved { status, worst: 1e-9, response: 1.0 }
    }

    #[test]
    fn a_step_without_an_answer_is_made_in_parts_that_end_where_it_does() {
        let mut state = State { t: 1.0, ..State::default() };
        let mut parts = Parts::new(&state, 2.0);
        assert_eq!(parts.next(&state), Some(2.0));
        assert!(parts.split(&without_answer(Status::Failed(Failure::Stalled)), 1.0));
        assert!(parts.split(&without_answer(Status::Failed(Failure::WorkLimit)), 0.5));
        let mut ends = Vec::new();
        while let Some(t) = parts.next(&state) {
            ends.push(t);
            state.t = t;
        }
        assert_eq!(ends, [1.25, 1.5, 1.75, 2.0]);
        assert!(parts.is_split());
    }

    #[test]
    fn what_is_proved_to_have_no_answer_and_what_has_none_in_many_parts_is_given_up() {
        let mut parts = Parts::new(&State::default(), 1.0);
        assert!(!parts.split(&without_answer(Status::NoSolution), 1.0));
        let mut parts = Parts::new(&State::default(), 1.0);
        let mut dt = 1.0;
        while parts.split(&without_answer(Status::Failed(Failure::Stalled)), dt) {
            dt *= 0.5;
        }
        assert_eq!(dt, 1.0 / MOST_PARTS);
    }
}
