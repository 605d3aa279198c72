//! Methods with the forces of both ends of a step: Moreau and Jean's, and those at the level of positions, whose forces are those of its
//! beginning.

use super::activation::REST;
use super::{Integrator, Stepper, Stop, Unsolved};
use crate::dynamics::copy;
use crate::model::{Model, Span, ThetaStep};
use crate::run::{Stage, Stopwatch};
use complementarity::{Failure, Status};

/// Most iterations for the velocity at the end.
const ITERATIONS: usize = 100;
/// Those that are not accelerated, and the differences that acceleration goes by.
const PLAIN: usize = 6;
const MEMORY: usize = 5;
/// It is found when it changes by this share of itself.
const FOUND: f64 = 1e-13;
/// Changes that rounding or the tolerance of the contact problem keep from getting smaller count as found below this share.
const GOOD: f64 = 1e-9;

impl<M: Model> Stepper<M> {
    // Out of the way of the explicit method, whose stages are one function then.
    #[inline(never)]
    pub(super) fn theta<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        let Span { q, u, t, dt } = *span;
        let motion = self.settings.integrator.motion();
        let explicit = self.settings.integrator.at_positions();
        let step = ThetaStep { q, u, t, dt, forces: if explicit { 0.0 } else { motion }, motion };
        copy(&mut self.end, u);
        self.no_contact();
        if !self.outcome.active.is_empty() {
            model.collect(&mut self.place, &self.outcome.active);
            self.begin_contacts(model, span)?;
        }
        match self.iterate(model, span, &step, watch) {
            Err(Stop::Unsolved(_)) if self.retry.decoupled => {
                self.decoupled(model, span, &step, watch)?;
            }
            other => other?,
        }
        watch.lap(Stage::Certify);
        model.finish_theta(&step, &mut self.end, &mut self.last, &mut self.q)?;
        copy(&mut self.last, &self.end);
        self.outcome.drift = 0.0;
        if self.settings.stabilise {
            self.outcome.drift =
                model.stabilise(&mut self.place, &mut self.q, &mut self.end, t + dt)?;
        }
        Ok(())
    }

    /// u⁺ = u + Δt M⁻¹ (θ h(q⁺, u⁺, t⁺) + (1 − θ) h(q, u, t)) + M⁻¹ H Λ, with a contact problem in each iteration. Redundant contacts
    /// between light and heavy bodies have impulses that change from one iteration to the next within the tolerance; what such a
    /// change makes of rotation is reported, and accepted below the share at which velocities count as rest.
    fn iterate<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        step: &ThetaStep<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        let (mut last, mut iterations) = (f64::INFINITY, 0);
        for iteration in 0..ITERATIONS {
            self.next_guess(iteration);
            copy(&mut self.free_before, &self.free);
            model.free_theta(&mut self.place, step, &self.last, &mut self.free)?;
            watch.lap(Stage::Free);
            // The same velocity without contact has the same contact problem.
            if iteration > 0 && change(&self.free, &self.free_before, step.u) <= FOUND {
                return Ok(());
            }
            if self.outcome.active.is_empty() {
                copy(&mut self.end, &self.free);
            } else {
                model.collect(&mut self.place, &self.outcome.active);
                if iteration > 0 && !self.shift_after.is_empty() {
                    self.predict_shift(model, span);
                }
                match self.settings.integrator {
                    Integrator::GapLevel => self.contact_at_gaps(model, step.dt, watch)?,
                    Integrator::PaoliSchatzman => self.contact_at_mean(model, step.dt, watch)?,
                    _ => self.contact_without_jam(model, span, watch)?,
                }
                iterations += self.outcome.iterations;
                self.outcome.iterations = iterations;
            }
            let share = change(&self.end, &self.last, step.u);
            let stalled = share >= last && share < GOOD.max(self.unresolved());
            if step.forces == 0.0 || share <= FOUND {
                return Ok(());
            }
            if stalled {
                self.outcome.settling = self.outcome.settling.max(share);
                return Ok(());
            }
            last = share;
        }
        // Where a contact problem has several solutions, or nearly so, the iteration goes round between them for ever, though the velocity
        // without contact hardly changes: then the answer is one of the contact problem of another velocity, which is this far off.
        copy(&mut self.last, &self.end);
        model.free_theta(&mut self.place, step, &self.last, &mut self.free_before)?;
        let open = change(&self.free_before, &self.free, step.u).min(last);
        if open < REST {
            self.outcome.settling = self.outcome.settling.max(open);
            return Ok(());
        }
        let status = Status::Failed(Failure::IterationLimit);
        Err(Stop::Unsolved(Unsolved::new(status, last)))
    }
}

impl<M: Model> Stepper<M> {
    /// The step with the forces and the rotation of the velocity without contact: the impulses meet their laws, but neither answers
    /// them. How far off that velocity is from the one of the method is reported.
    fn decoupled<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        step: &ThetaStep<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        for _ in 0..ITERATIONS {
            copy(&mut self.last, &self.free);
            model.free_theta(&mut self.place, step, &self.last, &mut self.free)?;
            if change(&self.free, &self.last, step.u) <= GOOD {
                break;
            }
        }
        model.collect(&mut self.place, &self.outcome.active);
        self.contact_without_jam(model, span, watch)?;
        copy(&mut self.last, &self.end);
        model.free_theta(&mut self.place, step, &self.last, &mut self.free_before)?;
        let off = change(&self.free_before, &self.free, step.u);
        self.outcome.settling = self.outcome.settling.max(off);
        Ok(())
    }

    /// The velocity `last` that an iteration starts from: that of the end of the one before, or what Anderson's acceleration makes of
    /// those so far where they are many. Light bodies between heavy ones magnify what rotation makes of impulses.
    fn next_guess(&mut self, iteration: usize) {
        if iteration <= PLAIN {
            copy(&mut self.last, &self.end);
            return;
        }
        if iteration == PLAIN + 1 {
            self.anderson.reset(self.end.len(), MEMORY);
        }
        let both = self.end.iter().zip(&self.last);
        self.change.clear();
        self.change.extend(both.map(|(end, last)| end - last));
        self.anderson.advance(&mut self.last, &self.change);
    }

    /// What the tolerance of the contact problem leaves open of the velocities, as a share of them.
    fn unresolved(&self) -> f64 {
        if self.outcome.active.is_empty() {
            return 0.0;
        }
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let w = self.problem.delassus().diagonal();
        let responses = w.iter().zip(&self.outcome.impulse).map(|(w, lam)| (w * lam).abs());
        self.tolerance * responses.sum::<f64>() / largest(&self.end).max(f64::MIN_POSITIVE)
    }
}

/// How much a velocity changed in an iteration, as a share of itself and of that of the beginning.
fn change(now: &[f64], last: &[f64], start: &[f64]) -> f64 {
    let (mut change, mut size) = (0.0_f64, 0.0_f64);
    for ((a, b), u) in now.iter().zip(last).zip(start) {
        change = change.max((a - b).abs());
        size = size.max(a.abs().max(b.abs()).max(u.abs()));
    }
    if change > 0.0 { change / size } else { change }
}
