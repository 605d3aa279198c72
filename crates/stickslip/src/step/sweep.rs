//! Steps in which fast bodies meet are made in parts.
//!
//! Moreau's midpoint rule and the θ-method see contacts where bodies are in the middle of a step, so that bodies that move by more than their
//! thickness in it may pass through each other. Where they do, the step is made in parts, one of which has the meeting in its middle. There an
//! impact is exact at θ = ½: with the velocities u before and u⁺ after it, bodies go by h/2 u and then by h/2 u⁺ in a part of length h, and that
//! is the displacement h (u + u⁺) / 2 of the rule, whatever the restitution.

use super::{Integrator, StepStatus, Stepper, Stop, Unsolved};
use crate::error::Error;
use crate::model::{Meeting, Model, Span};
use crate::run::Stopwatch;
use crate::system::State;

/// Most lengths that are tried for a part. Each is shorter than the last; two are the rule.
const MOST_TRIES: usize = 64;

/// Lengths that differ by less than this share are the same.
const SAME: f64 = 1e-9;

/// The share of a step that is made first where its impulses make bodies too fast for it. If they act in its middle, they act in the middle of
/// a step of half the length afterwards.
const SHORTER: f64 = 0.25;

impl<M: Model> Stepper<M> {
    /// One step of length `dt`, or a shorter one if fast bodies meet in it; how long it is. Steps of this kind made one after the other let no
    /// bodies pass through each other, however fast they are. What is left of a step of length `whole` after a shorter one is a part of it:
    /// bodies are fast by the whole.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_within<W: Stopwatch>(
        &mut self,
        model: &M,
        state: &mut State,
        (dt, whole): (f64, f64),
        watch: &mut W,
    ) -> Result<(StepStatus, f64), Error> {
        self.check_step(model, state, dt)?;
        // At the level of positions contacts take part before they close.
        let sweeps = model.finds_contacts() && !self.settings.integrator.at_positions();
        self.sweeps = sweeps.then_some(whole.max(dt));
        self.whole = Some(whole.max(dt));
        let mut part = dt;
        for _ in 0..MOST_TRIES {
            match self.stages(model, state, part, watch) {
                Ok(()) => return Ok((StepStatus::Done, part)),
                Err(Stop::Meets(shorter)) => part = shorter,
                Err(Stop::Unsolved(unsolved)) => return Ok((StepStatus::Unsolved(unsolved), part)),
                Err(Stop::Refused(error)) => return Err(error),
            }
        }
        Ok((StepStatus::Unsolved(Unsolved::given_up()), part))
    }

    /// Stops a step in which fast bodies meet elsewhere than in its middle, or others do later in it.
    pub(super) fn sweep(&mut self, model: &M, span: &Span<'_>, whole: f64) -> Result<(), Stop> {
        if !model.is_fast(&mut self.place, span.u, whole) {
            return Ok(());
        }
        let meeting = model.first_meeting(&mut self.place, span, whole);
        let part = meeting.and_then(|m| first_part(&m, self.settings.integrator, span.dt));
        part.map_or(Ok(()), |part| Err(Stop::Meets(part)))
    }

    /// Stops a step whose forces or impulses make bodies so fast that they meet others in it: a shorter one is made first. The place stays as it is.
    pub(super) fn sweep_end(&mut self, model: &M, span: &Span<'_>, whole: f64) -> Result<(), Stop> {
        let Span { q, u, t, dt } = *span;
        self.gamma.clear();
        self.gamma.extend(self.end.iter().zip(u).map(|(end, u)| end - u));
        // The displacement is that of the mean velocity.
        if !model.is_fast(&mut self.place, &self.gamma, 0.5 * dt) {
            return Ok(());
        }
        let mean = &mut self.gamma;
        mean.iter_mut().zip(u).for_each(|(change, u)| *change = u + 0.5 * *change);
        model.advance(q, mean, mean, 0.5 * dt, &mut self.at);
        self.ahead.clear();
        let middle = Span { q: &self.at, u: mean, t: t + 0.5 * dt, dt };
        model.detect(&mut self.elsewhere, &middle, &mut self.ahead)?;
        let meeting = model.first_meeting(&mut self.elsewhere, &Span { u: mean, ..*span }, whole);
        match meeting {
            Some(m) if m.time < dt - m.slack => Err(Stop::Meets(SHORTER * dt)),
            _ => Ok(()),
        }
    }
}

/// The length of the part to begin with; none if the step can be made as it is. The part in whose middle the meeting is begins and ends within the
/// step, and ends before others meet; by a θ beyond ½, for which impacts are not exact, it is a short one.
fn first_part(meeting: &Meeting, integrator: Integrator, dt: f64) -> Option<f64> {
    let Meeting { time, next, slack, seen } = *meeting;
    let beyond = 2.0 * integrator.motion() - 1.0;
    let exact = if beyond > 0.0 { slack / beyond } else { f64::INFINITY };
    let room = if next <= dt { 0.5 * (next - time) } else { f64::INFINITY };
    if seen && room.min(exact) >= 0.5 * (1.0 - SAME) * dt {
        return None;
    }
    let half = (dt - time).min(exact).min(room);
    let part = if half >= (1.0 - SAME) * time {
        2.0 * time
    } else {
        (time - half).max(0.5 * slack.min(time))
    };
    (part < (1.0 - SAME) * dt).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDPOINT: Integrator = Integrator::MoreauMidpoint;

    fn meeting(time: f64) -> Meeting {
        Meeting { time, next: f64::INFINITY, slack: 1e-3, seen: false }
    }

    fn near(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-12)
    }

    #[test]
    fn a_part_has_the_meeting_in_its_middle_and_ends_within_the_step() {
        // Early: from the beginning on, twice as long. Late: what is left after the first part.
        assert!(near(first_part(&meeting(0.2), MIDPOINT, 1.0), 0.4));
        assert!(near(first_part(&meeting(0.7), MIDPOINT, 1.0), 0.4));
        assert_eq!(first_part(&meeting(0.5), MIDPOINT, 1.0), None);
        // Others meet at 0.3: the part ends halfway to there.
        let two = Meeting { next: 0.3, ..meeting(0.2) };
        assert!(near(first_part(&two, MIDPOINT, 1.0), 0.15));
    }

    #[test]
    fn parts_of_methods_that_are_not_exact_are_short() {
        let part = first_part(&meeting(0.2), Integrator::MoreauJean { theta: 1.0 }, 1.0);
        assert!(near(part, 0.2 - 1e-3));
    }
}
