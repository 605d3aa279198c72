//! Load-dependent friction: the contact problem again and again until every limit is the one that its load allows.
//!
//! The first problem of a step has no such friction, so that the answer depends on the state alone. Limits then follow the
//! reactions just solved, by the secant of the last two problems where friction takes from its own load or adds little to
//! it. A joint that friction loads more than by as much again, so that it wedges, may have no answer here; the step says so.
//!
//! # Notation
//! r: the limit of a problem; g: the one that its answer allows; s: the slope of g over r, by the last two.

use super::{Stepper, Stop, Unsolved};
use crate::model::Model;
use crate::run::Stopwatch;
use complementarity::{Failure, Status};

/// Most problems of one step.
const ROUNDS: usize = 100;
/// The secant is taken below this slope.
const STEEP: f64 = 0.9;

impl<M: Model> Stepper<M> {
    /// Poses and solves the contact problem of the velocity `free`.
    pub(super) fn contact<W: Stopwatch>(
        &mut self,
        model: &M,
        dt: f64,
        watch: &mut W,
    ) -> Result<(), Stop> {
        self.set_bias(model, dt);
        if !self.limits.is_empty() {
            self.load_laws(model, dt);
        }
        self.secants.clear();
        let mut iterations = if self.impacted { self.impact.iterations } else { 0 };
        let mut error = 0.0;
        for _ in 0..ROUNDS {
            self.solve(model, watch)?;
            iterations += self.outcome.iterations;
            self.outcome.iterations = iterations;
            self.next_limits.clear();
            model.friction_limits(
                &mut self.place,
                &self.outcome.impulse,
                &self.end,
                &mut self.next_limits,
            );
            error = self.load_error();
            self.outcome.load_error = error;
            if error <= self.tolerance {
                return Ok(());
            }
            self.next_round();
            self.load_laws(model, dt);
        }
        let status = Status::Failed(Failure::IterationLimit);
        Err(Stop::Unsolved(Unsolved::new(status, error)))
    }

    /// The worst difference between the limits of the last problem and those that its answer allows.
    fn load_error(&self) -> f64 {
        let mut worst = 0.0_f64;
        for (i, next) in self.next_limits.iter().enumerate() {
            let Some(next) = next else { continue };
            let now = self.limits.get(i).copied().flatten().unwrap_or_default();
            let off = (next.limit - now.limit).abs();
            let share = if off > 0.0 { off / next.scale } else { off };
            // NaN must not pass as small.
            worst = if share <= worst { worst } else { share };
        }
        worst
    }

    /// Takes other limits: where the secant of g meets r, or g.
    fn next_round(&mut self) {
        let first = self.secants.is_empty();
        self.limits.resize(self.next_limits.len(), None);
        self.secants.resize(self.next_limits.len(), [0.0; 2]);
        let all = self.limits.iter_mut().zip(&self.next_limits).zip(&mut self.secants);
        for ((limit, next), secant) in all {
            let Some(mut next) = *next else { continue };
            let (r, g) = (limit.unwrap_or_default().limit, next.limit);
            let s = (g - secant[1]) / (r - secant[0]);
            *secant = [r, g];
            if !first && s < STEEP {
                next.limit = ((g - s * r) / (1.0 - s)).max(0.0);
            }
            *limit = Some(next);
        }
    }

    /// Puts the limits into the laws.
    fn load_laws(&mut self, model: &M, dt: f64) {
        let o = &self.outcome;
        for ((law, &i), limit) in self.laws.iter_mut().zip(&o.active).zip(&self.limits) {
            if let Some(limit) = limit {
                law.radius = model.law(&self.place, i).radius * dt + limit.limit;
            }
        }
    }
}
