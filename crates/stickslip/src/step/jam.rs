//! Contacts that friction jams against each other.
//!
//! Bodies that are wedged have impulses of any size that do nothing together. What the laws ask of their contact points, and bodies cannot do, makes
//! such impulses large without bound, and energy with them: restitution, which pushes apart what friction holds; the motion of contact points from the
//! middle of a step to its end; depths that are pushed out. Without these the relative velocities of the problem are those of bodies that
//! move: impulses that do nothing together do no work, the problem has an answer, and its impulses make no energy. So where a
//! problem has no answer or one that makes energy it is posed again without what causes it, which the outcome of the step says. That there is none takes
//! long to find out, and what is jammed mostly stays so: after such a step some are made without trying, twice as many each time.

use super::activation::is_connection;
use super::{Stepper, Stop};
use crate::contact::Law;
use crate::contact::solve::Effort;
use crate::dynamics::largest;
use crate::impact::ImpactLaw;
use crate::model::{Model, Span};
use crate::run::Stopwatch;

/// The most energy that the impacts of a step may make by Newton's law, as a share of that of the motion without them. One
/// impact of a body without others makes less: Newton's law is known for some tenths.
const MOST_GAIN: f64 = 0.5;

impl<M: Model> Stepper<M> {
    /// The contact problem with contact points at the end of the step, or in its middle where that has no answer or one that makes energy; how
    /// far the end is off then is reported. And without restitution of contacts that would make too much energy.
    pub(super) fn contact_without_jam<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        if self.shift_after.is_empty() {
            self.contact(model, span.dt, watch)?;
        } else if !(self.patience.tries() && self.solves_at_end(model, span, watch)?) {
            self.stay_in_middle();
            self.contact(model, span.dt, watch)?;
        }
        // What is in contact with one thing alone is not jammed.
        if self.outcome.active.len() > 1 && self.rebounds() && self.explodes(model, span) {
            self.stay_in_middle();
            self.contact(model, span.dt, watch)?;
        }
        Ok(())
    }

    /// Whether the problem at the end of the step has an answer, which makes no energy where impulses act in the middle of the step, and not too much elsewhere: what
    /// they add to the velocities in the middle is then not quite what they make.
    fn solves_at_end<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<bool, Stop> {
        let attempt = self.briefly(|stepper| stepper.contact_with_shift(model, span, watch));
        let solved = match attempt {
            Ok(()) => true,
            Err(Stop::Unsolved(_)) => false,
            Err(refused) => return Err(refused),
        };
        self.patience.take(solved);
        if !solved {
            return Ok(false);
        }
        let made = self.created(model);
        Ok(made <= 0.0 || self.middle.is_empty() && made <= self.most_made(model, span))
    }

    /// Solves a problem that can be posed in another way with a brief search, unless the step had no answer with that.
    fn briefly(&mut self, solve: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        let effort = if self.retry.thorough { Effort::Full } else { Effort::Brief };
        self.solver.set_effort(effort);
        let attempt = solve(self);
        self.solver.set_effort(Effort::Full);
        self.retry.ended_briefly |=
            !self.retry.thorough && matches!(attempt, Err(Stop::Unsolved(_)));
        attempt
    }

    /// Leaves the motion of contact points out of the problem.
    fn stay_in_middle(&mut self) {
        let size = largest(&self.bias).max(f64::MIN_POSITIVE);
        let off = largest(&self.shift_after) / size;
        self.outcome.settling = self.outcome.settling.max(off);
        self.shift_before.clear();
        self.shift_after.clear();
    }

    /// Whether contacts would rebound by Newton's law.
    pub(super) fn rebounds(&self) -> bool {
        let newton = self.settings.impact == ImpactLaw::Newton;
        let elastic = |law: &Law| law.eps_n != 0.0 || law.eps_t != 0.0;
        let mut contacts = self.laws.iter().enumerate().filter(|(_, l)| !is_connection(&l.kind));
        newton
            && !self.settings.integrator.at_positions()
            && contacts.any(|(i, law)| elastic(law) && !self.plastic.get(i).is_some_and(|p| *p))
    }

    /// Whether impulses of an island make more energy than they may; its contacts are without restitution from then on.
    fn explodes(&mut self, model: &M, span: &Span<'_>) -> bool {
        if self.created(model) <= 0.0 {
            return false;
        }
        let most = self.most_made(model, span);
        let contacts = self.outcome.active.len();
        self.problem.islands(&mut self.islands);
        self.made.clear();
        self.made.resize(contacts, 0.0);
        for (i, &island) in self.islands.iter().enumerate() {
            let o = &self.outcome;
            let work = self.problem.rows(i).map(|r| o.impulse[r] * (self.gamma[r] + o.after[r]));
            self.made[island] += 0.5 * work.sum::<f64>();
        }
        if !self.made.iter().any(|made| *made > most) {
            return false;
        }
        self.plastic.resize(contacts, false);
        let both = self.plastic.iter_mut().zip(&self.islands);
        both.for_each(|(plastic, island)| *plastic |= self.made[*island] > most);
        true
    }

    /// The most energy that impulses may make.
    fn most_made(&self, model: &M, span: &Span<'_>) -> f64 {
        MOST_GAIN * model.energy(span.q, &self.free, span.t).kinetic
    }

    /// Begins a step, with restitution or without.
    pub(super) fn begin_plastic(&mut self) {
        if self.retry.plastic {
            self.plastic.resize(self.outcome.active.len(), true);
        }
    }

    /// Takes restitution out of the bias of the contacts that are without it.
    #[cold]
    pub(super) fn leave_out_restitution(&mut self, model: &M) {
        model.relative_velocity(&self.place, &self.free, &mut self.gamma);
        let mut row = 0;
        for (law, plastic) in self.laws.iter().zip(&self.plastic) {
            let rows = row..row + law.components();
            row = rows.end;
            if *plastic && !is_connection(&law.kind) {
                self.bias[rows.clone()].copy_from_slice(&self.gamma[rows]);
            }
        }
    }

    /// The contact problem of `gap_level`, or the same without pushing bodies out of each other.
    pub(super) fn contact_at_gaps<W: Stopwatch>(
        &mut self,
        model: &M,
        dt: f64,
        watch: &mut W,
    ) -> Result<(), Stop> {
        self.push_out = true;
        if self.patience.tries() {
            let solved = match self.briefly(|stepper| stepper.contact(model, dt, watch)) {
                Ok(()) => true,
                Err(Stop::Unsolved(_)) => false,
                Err(refused) => return Err(refused),
            };
            self.patience.take(solved);
            if solved && self.created(model) <= 0.0 {
                return Ok(());
            }
        }
        self.push_out = false;
        self.contact(model, dt, watch)?;
        model.relative_velocity(&self.place, &self.end, &mut self.outcome.after);
        Ok(())
    }

    /// The energy that impulses add to that of the velocity without contact, ½ Λ (γ_free + γ⁺); leaves γ_free in `gamma` and γ⁺ in the outcome.
    pub(super) fn created(&mut self, model: &M) -> f64 {
        model.relative_velocity(&self.place, &self.free, &mut self.gamma);
        model.relative_velocity(&self.place, &self.end, &mut self.outcome.after);
        let o = &self.outcome;
        let velocities = self.gamma.iter().zip(&o.after);
        o.impulse.iter().zip(velocities).map(|(lam, (a, b))| 0.5 * lam * (a + b)).sum()
    }
}
