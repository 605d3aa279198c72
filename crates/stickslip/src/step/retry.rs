//! What a step without an answer is tried again with.

use super::{Integrator, Stepper, Unsolved};
use crate::model::Model;
use complementarity::Status;
use std::mem::replace;

/// What a try of a step does that the first does not; by default nothing. It holds until the step is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Retry {
    /// A step of the θ-method may end without the velocity whose forces it takes.
    pub(super) decoupled: bool,
    /// A brief search ended without an answer, and searches are no longer brief because of it.
    pub(super) ended_briefly: bool,
    pub(super) thorough: bool,
    /// Contacts are without restitution.
    pub(super) plastic: bool,
    /// An answer will do that is this near to the laws, if it is not 0.
    pub(super) accepts: f64,
}

/// Each returns false where it is of no use: it was tried, or is not what the step is made with.
impl<M: Model> Stepper<M> {
    /// Lets the next try take the forces of the velocity without contact, if the velocity at its end is not found otherwise.
    pub(crate) fn decouple_next(&mut self) -> bool {
        let searches = matches!(self.settings.integrator, Integrator::MoreauJean { .. });
        searches && !replace(&mut self.retry.decoupled, true)
    }

    /// Lets the next try search for all answers, where a brief search of this one ended without.
    pub(crate) fn thorough_next(&mut self) -> bool {
        self.retry.ended_briefly && !replace(&mut self.retry.thorough, true)
    }

    /// Leaves restitution out of the next try.
    pub(crate) fn plastic_next(&mut self) -> bool {
        self.rebounds() && !replace(&mut self.retry.plastic, true)
    }

    /// Lets the next try be made with an answer that misses the tolerance, unless there is known to be none. In one of so many parts of a step forces make
    /// as many times less of the velocities that the answer is measured by: what may be missed is a share of those of the whole.
    pub(crate) fn accept_next(&mut self, unsolved: &Unsolved, parts: f64) -> bool {
        let failed = matches!(unsolved.status, Status::Failed(_));
        let accepts = if failed { self.settings.accept * parts } else { 0.0 };
        replace(&mut self.retry.accepts, accepts) < accepts
    }
}
