//! Which contacts there are, and which of them take part.

use super::Stepper;
use crate::contact::Kind;
use crate::dynamics::{assign, largest};
use crate::error::Error;
use crate::model::{Candidate, Model, Span, ThetaStep};

/// A contact is at rest if it separates no faster than this share of the velocities of its problem, or than the tolerance of the solver.
pub(super) const REST: f64 = 1e-6;

/// A gap that is this share of the largest coordinate is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The contacts that came to rest in the last step, in the order of their identities, and the gap up to which they still take part.
#[derive(Debug, Default)]
pub(super) struct Resting {
    identities: Vec<u64>,
    gap: f64,
    /// The velocities that the step ended with: a state with others was not left by this stepper.
    end: Vec<f64>,
}

impl<M: Model> Stepper<M> {
    /// The candidates at the predicted midpoint, \[3\] section 5, step 3 (b), or at the beginning.
    pub(super) fn detect(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        if self.settings.integrator.at_positions() {
            return self.reach(model, span);
        }
        let Span { q, u, t, dt } = *span;
        model.advance(q, u, u, 0.5 * dt, &mut self.at);
        self.candidates(model, t + 0.5 * dt)
    }

    fn candidates(&mut self, model: &M, t: f64) -> Result<(), Error> {
        self.outcome.candidates.clear();
        model.detect(&mut self.place, &self.at, t, &mut self.outcome.candidates)
    }

    /// Those that are closed, are at rest, or may close in the step where gaps are asked for.
    pub(super) fn activate(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        let o = &mut self.outcome;
        let margin = self.settings.margin + ROUNDING * largest(&self.at);
        let ahead = self.settings.integrator.at_positions();
        let reach = if ahead { margin.max(reach(&o.candidates, &self.gaps)) } else { margin };
        let mut resting = &self.resting.identities[..];
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
            if gap <= reach {
                o.active.push(i);
                continue;
            }
            if gap > self.resting.gap {
                continue;
            }
            while resting.first().is_some_and(|&id| id < c.identity) {
                resting = &resting[1..];
            }
            if resting.first() == Some(&c.identity) && self.resting.end == span.u {
                o.active.push(i);
            }
        }
        Ok(())
    }

    /// Keeps which contacts came to rest.
    pub(super) fn remember(&mut self, dt: f64) {
        let (o, resting) = (&self.outcome, &mut self.resting);
        resting.identities.clear();
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
    }

    /// The candidates of the beginning, with the gaps that the motion without contact leads to.
    fn reach(&mut self, model: &M, span: &Span<'_>) -> Result<(), Error> {
        let Span { q, u, t, dt } = *span;
        self.at.copy_from_slice(q);
        self.candidates(model, t)?;
        let step = ThetaStep { q, u, t, dt, forces: 0.0, motion: 1.0 };
        model.free_theta(&mut self.place, &step, u, &mut self.free)?;
        model.advance(q, &self.free, &self.free, dt, &mut self.at);
        self.candidates(model, t + dt)?;
        self.gaps.clear();
        self.gaps.extend(self.outcome.candidates.iter().map(|c| c.gap));
        self.at.copy_from_slice(q);
        self.candidates(model, t)
    }
}

/// Where gaps are asked for, bodies move by what their motion without contact covers, and out of contacts that they are in; those
/// that they push do too. Twice the largest of these may be reached; a contact that is not transmits nothing.
fn reach(now: &[Candidate], then: &[Option<f64>]) -> f64 {
    let pairs = now.iter().zip(then).filter_map(|(now, then)| Some((now.gap?, (*then)?)));
    2.0 * pairs.fold(0.0_f64, |m, (now, then)| m.max((then - now).abs()).max(-now).max(-then))
}

/// Whether a law is that of a connection.
pub(super) fn is_connection(kind: &Kind) -> bool {
    matches!(kind, Kind::Bilateral(_))
}
