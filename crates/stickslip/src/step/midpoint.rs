//! Moreau's midpoint rule, \[3\] section 5.

use super::{Span, Stepper, Stop};
use crate::dynamics::copy;
use crate::model::Model;
use crate::run::{Stage, Stopwatch};

/// No more passes are made once velocities change by less than this share, which rounding leaves.
const SETTLED: f64 = 64.0 * f64::EPSILON;
/// Most further passes for a model that ends steps with settled velocities, until these meet the laws to the tolerance.
const MORE_PASSES: usize = 10;

impl Stepper {
    pub(super) fn midpoint<M: Model + ?Sized, W: Stopwatch>(
        &mut self,
        model: &mut M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        let Span { q, u, t, dt } = *span;
        // Step 3 (a): mass matrix and forces at the midpoint.
        model.free(q, u, t, dt, &mut self.free)?;
        watch.lap(Stage::Free);
        // 4: the velocity at the end, eq. (17).
        copy(&mut self.end, &self.free);
        if self.outcome.active.is_empty() {
            self.no_contact();
        } else {
            self.contacts(model, span, watch)?;
        }
        // 5: the configuration at the end.
        if !self.outcome.active.is_empty() {
            copy(&mut self.last, &self.end);
        }
        let (impulse, stabilise) = (&self.outcome.impulse, self.settings.stabilise);
        let (end, there) = (&mut self.end, &mut self.q);
        self.outcome.drift = model.finish_step((q, u, t), dt, impulse, stabilise, end, there)?;
        Ok(())
    }

    /// Poses and solves the contact problem until rotation answers its impulses.
    fn contacts<M: Model + ?Sized, W: Stopwatch>(
        &mut self,
        model: &mut M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        model.collect(&self.outcome.active);
        self.begin_contacts(model, span)?;
        let Span { q, u, t, dt } = *span;
        let passes = self.settings.passes;
        let more = if model.ends_settled() { MORE_PASSES } else { 0 };
        let mut last = f64::INFINITY;
        for pass in 1..=passes + more {
            self.contact_with_shift(model, span, watch)?;
            if pass == passes + more {
                break;
            }
            let change = model.correct_free(q, u, t, dt, &self.end, &mut self.free)?;
            let met = pass >= passes && (change <= self.tolerance || change >= 0.5 * last);
            if change <= SETTLED || met {
                break;
            }
            last = change;
        }
        watch.lap(Stage::Certify);
        Ok(())
    }
}
