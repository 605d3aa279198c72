//! A guess that is an answer already: what is at rest has the impulses of the step before.

use super::super::{BlockForm, newton};
use super::{Cascade, is_swept};
use crate::Certificate;
use complementarity::auto::Attempt;
use complementarity::{Failure, Status};

/// A guess is an answer if its certificate is this share of the tolerance. Errors of impulses that stay the same from step to step add up in
/// the velocities, and the impulse that takes them away is wrong for the step after: both have to be far below the tolerance.
pub(in crate::solvers) const GUESS: f64 = 1e-3;
/// The share of the tolerance that a guess within it is sharpened to.
const SHARP: f64 = 1e-5;
/// The share of its certificate at most that is left of a guess that was sharpened.
const REST: f64 = 0.1;

impl Cascade {
    /// Looks at the guess before anything is done: what is at rest has the impulses of the step before. A guess that is good enough for
    /// this step but not for many is sharpened.
    pub(super) fn guess_is_answer(&mut self, problem: &BlockForm) -> bool {
        let tolerance = self.settings.tolerance;
        // Among many contacts sweeps look at it themselves, and cost less than a step of Newton's method.
        let swept = is_swept(problem);
        if swept || !self.solution.certify(problem, tolerance, Failure::IterationLimit) {
            self.solution.certificate = Certificate::INFINITE;
            return false;
        }
        let (residual, status) = (self.solution.certificate.worst, self.solution.status);
        self.attempts.push(Attempt { method: "warm start", status, residual, iterations: 0 });
        if residual > GUESS * tolerance && !self.sharpen_at_rest(problem) {
            let tolerance = SHARP * tolerance;
            let patience = Some(1);
            let sharp = newton::Settings {
                tolerance,
                first_sweeps: 3,
                max_steps: 3,
                patience,
                ..Default::default()
            };
            self.newton("newton", problem, sharp);
            self.solution.status = Status::Solved;
        }
        self.sharpened = (residual > GUESS * tolerance).then_some(residual);
        true
    }

    /// Sharpens a guess where every contact is open or holds; false where that is not so, or it gets no better.
    fn sharpen_at_rest(&mut self, problem: &BlockForm) -> bool {
        let Self { rest, solution, sharp, .. } = self;
        sharp.assign(solution);
        if !rest.sharpen(problem, &mut sharp.impulse, &mut sharp.velocity) {
            return false;
        }
        sharp.certify(problem, self.settings.tolerance, Failure::Stalled);
        (sharp.iterations, sharp.factorisations) = (1, 1);
        let found = std::mem::take(sharp);
        let better = found.certificate.worst < REST * self.solution.certificate.worst;
        self.consider("at rest", &found);
        self.sharp = found;
        better
    }
}
