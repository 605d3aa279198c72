//! Moreau's midpoint rule, \[3\] section 5.

use super::{Stepper, Stop};
use crate::dynamics::copy;
use crate::model::{Model, Span};
use crate::run::{Stage, Stopwatch};

/// No more passes are made once velocities change by less than this share, which rounding leaves.
const SETTLED: f64 = 64.0 * f64::EPSILON;
/// Most further passes for a model that ends steps with settled velocities, until these meet the laws to the tolerance.
const MORE_PASSES: usize = 10;

impl<M: Model> Stepper<M> {
    pub(super) fn midpoint<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        // Step 3 (a): mass matrix and forces at the midpoint.
        model.free(&mut self.place, span, &mut self.free)?;
        watch.lap(Stage::Free);
        // 4: the velocity at the end, eq. (17).
        if self.outcome.active.is_empty() {
            copy(&mut self.end, &self.free);
            self.no_contact();
        } else {
            self.contacts(model, span, watch)?;
            copy(&mut self.last, &self.end);
            if !self.middle.is_empty() {
                model.relative_velocity(&self.place, &self.end, &mut self.outcome.after);
            }
        }
        // 5: the configuration at the end.
        let (impulse, stabilise) = (&self.outcome.impulse, self.settings.stabilise);
        let (place, end, there) = (&mut self.place, &mut self.end, &mut self.q);
        self.outcome.drift = model.finish_step(place, span, impulse, stabilise, end, there)?;
        Ok(())
    }

    /// Poses and solves the contact problem until rotation answers its impulses.
    fn contacts<W: Stopwatch>(
        &mut self,
        model: &M,
        span: &Span<'_>,
        watch: &mut W,
    ) -> Result<(), Stop> {
        model.collect(&mut self.place, &self.outcome.active);
        self.begin_contacts(model, span)?;
        let passes = self.settings.passes;
        let mut last = f64::INFINITY;
        for pass in 1..=passes + MORE_PASSES {
            self.contact_without_jam(model, span, watch)?;
            if pass == passes + MORE_PASSES {
                break;
            }
            let (asked, place) = (pass < passes, &mut self.place);
            let change = model.correct_free(place, span, asked, &self.end, &mut self.free)?;
            let met = !asked && (change <= self.tolerance || change >= 0.5 * last);
            if change <= SETTLED || met {
                break;
            }
            last = change;
        }
        watch.lap(Stage::Certify);
        Ok(())
    }
}
