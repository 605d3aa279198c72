//! Which contacts there are, and which of them take part.

use super::{Integrator, Stepper};
use crate::contact::Kind;
use crate::dynamics::{assign, largest};
use crate::error::Error;
use crate::model::{Candidate, Model, Span, ThetaStep};

/// A contact is at rest if it separates no faster than this share of the velocities of its problem, or than the tolerance of the solver.
pub(super) const REST: f64 = 1e-6;

/// A gap that is this share of the largest coordinate is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The contacts that came to rest in the last step, in the order of their identities, and the gap up to which they still take part.
#[derive(Clone, Debug, Default)]
pub(super) struct Resting {
    pub(super) identities: Vec<u64>,
    pub(super) gap: f64,
    /// The velocities that the step ended with: a state with others was not left by this stepper.
    pub(super) end: Vec<f64>,
}

impl<M: Model> Stepper<M> {
    /// The candidates at the predicted midpoint, \[3\] section 5, step 3 (b), or at the beginning.
    pub(super) fn detect(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        if self.settings.integrator.at_positions() {
            return self.reach(model, span);
        }
        let Span { q, u, t, dt } = *span;
        if matches!(self.settings.integrator, Integrator::MoreauMidpoint) {
            model.first_half(&mut self.place, span, &mut self.at, &mut self.middle)?;
        } else {
            model.advance(q, u, u, 0.5 * dt, &mut self.at);
        }
        self.outcome.candidates.clear();
        let middle = Span { q: &self.at, u, t: t + 0.5 * dt, dt };
        model.detect(&mut self.place, &middle, &mut self.outcome.candidates)?;
        if self.begun || self.middle.is_empty() { Ok(()) } else { self.begin_at_rest(model, span) }
    }

    /// Contacts that are closed at the start take part in the first step, though bodies that move freely for half of it may leave them by what is second
    /// order in its length.
    fn begin_at_rest(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        self.begun = true;
        self.ahead.clear();
        model.detect(&mut self.elsewhere, &Span { dt: 0.0, ..*span }, &mut self.ahead)?;
        let margin = self.settings.margin + ROUNDING * largest(span.q);
        let closed = self.ahead.iter().filter(|c| c.gap.is_some_and(|gap| gap <= margin));
        self.resting.identities.clear();
        self.resting.identities.extend(closed.map(|c| c.identity));
        self.resting.identities.sort_unstable();
        self.resting.gap = f64::INFINITY;
        assign(&mut self.resting.end, span.u);
        Ok(())
    }

    /// Those that are closed, are at rest, or may close in the step where gaps are asked for.
    pub(super) fn activate(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        let o = &mut self.outcome;
        let margin = self.settings.margin + ROUNDING * largest(&self.at);
        let ahead = self.settings.integrator.at_positions();
        let reach = if ahead { margin.max(reach(&o.candidates, &self.ahead)) } else { margin };
        let resting = &self.resting;
        let continues = std::cell::LazyCell::new(|| resting.end == span.u);
        o.active.clear();
        for (i, c) in o.candidates.iter().enumerate() {
            let Some(gap) = c.gap else {
                o.active.push(i);
                continue;
            };
            if !gap.is_finite() {
                return Err(Error::NotFinite { what: "a gap", t: span.t });
            }
            if self.picky {
                self.settings.takes(self.formulation, model.law(&self.place, i))?;
            }
            // What holds a body asleep holds it when it wakes.
            if gap <= reach || self.sleeping.holds(c.identity) {
                o.active.push(i);
                continue;
            }
            // What rests on a face may come to be seen at other features of it, with another identity and a gap of the errors of many steps.
            let slight = || resting.gap.is_finite() && gap <= REST * resting.gap;
            let rests = || resting.identities.binary_search(&c.identity).is_ok();
            if gap <= resting.gap && (slight() || rests()) && *continues {
                o.active.push(i);
            }
        }
        model.retain_active(&mut self.place, &mut o.active);
        Ok(())
    }

    /// Contacts that rest at one velocity rest at another, of the same motion slightly displaced.
    pub(crate) fn rest_beside(&mut self, before: &[f64], u: &[f64]) {
        if self.resting.end == before {
            assign(&mut self.resting.end, u);
        }
    }

    /// Keeps which contacts came to rest.
    pub(super) fn remember(&mut self, dt: f64) {
        let (o, resting) = (&self.outcome, &mut self.resting);
        resting.identities.clear();
        resting.gap = 0.0;
        if o.active.is_empty() {
            return;
        }
        let largest = largest(self.problem.bias());
        let slow = REST.max(self.tolerance) * largest;
        resting.gap = 0.5 * dt * largest;
        assign(&mut resting.end, &self.end);
        for (k, &i) in o.active.iter().enumerate() {
            let (c, row) = (&o.candidates[i], self.problem.rows(k).start);
            let shift = self.shift_after.get(row).copied().unwrap_or(0.0);
            if c.gap.is_some() && o.after[row] + shift <= slow {
                resting.identities.push(c.identity);
            }
        }
        resting.identities.sort_unstable();
    }

    /// The candidates of the beginning, with the gaps that the motion without contact leads to.
    fn reach(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        let Span { q, u, t, dt } = *span;
        self.at.copy_from_slice(q);
        model.place_at(&mut self.place, span, &mut self.outcome.candidates)?;
        let step = ThetaStep { q, u, t, dt, forces: 0.0, motion: 1.0 };
        model.free_theta(&mut self.place, &step, u, &mut self.free)?;
        model.advance(q, &self.free, &self.free, dt, &mut self.at);
        self.ahead.clear();
        let end = Span { q: &self.at, u: &self.free, t: t + dt, dt };
        model.detect(&mut self.place, &end, &mut self.ahead)?;
        self.ahead.sort_unstable_by_key(|c| c.identity);
        self.at.copy_from_slice(q);
        self.outcome.candidates.clear();
        let free = Span { q, u: &self.free, t, dt };
        model.detect(&mut self.place, &free, &mut self.outcome.candidates)
    }
}

/// Where gaps are asked for, bodies move by what their motion without contact covers, and out of contacts that they are in; those
/// that they push do too. Twice the largest of these may be reached; a contact that is not transmits nothing.
fn reach(now: &[Candidate], then: &[Candidate]) -> f64 {
    let ahead = |identity: u64| {
        let found = then.binary_search_by_key(&identity, |c| c.identity);
        found.ok().and_then(|k| then[k].gap)
    };
    let moved = now.iter().filter_map(|c| {
        let now = c.gap?;
        // A contact that the model no longer finds at the end of the motion has opened by more than it looks for.
        let change = ahead(c.identity).map_or(0.0, |then| (then - now).abs().max(-then));
        Some(change.max(-now))
    });
    2.0 * moved.fold(0.0_f64, f64::max)
}

/// Whether a law is that of a connection.
pub(super) fn is_connection(kind: &Kind) -> bool {
    matches!(kind, Kind::Bilateral(_))
}
