//! Friction between bodies that depends on where they are, or on time.

use super::plan::Plan;
use crate::document::Problem;
use crate::view::expand;
use std::sync::Arc;
use stickslip::bodies::forces::BodyIndex;
use stickslip::bodies::{Pose, Twist};
use stickslip::system::PlacedFriction;

/// The numbers of a pose: a position and a quaternion.
const OF_POSE: usize = 7;

/// The coefficient of friction of a contact, of the coordinates of all bodies that move freely.
#[derive(Clone)]
pub(crate) struct PlannedFriction {
    /// Of `mu` in the file.
    pub(super) path: String,
    pub(super) mu: Arc<dyn PlacedFriction>,
}

impl PlannedFriction {
    /// Refuses a coefficient that is negative or not finite at the start, where the bodies that move freely have these motions.
    pub(super) fn check_start(&self, motions: &[(Pose, Twist)]) -> Result<(), Problem> {
        let mu = self.mu.coefficient(&expand(motions).0, 0.0, 0.0);
        if mu >= 0.0 && mu.is_finite() {
            return Ok(());
        }
        let reason = format!("mu is {mu} at the start; it must be at least 0");
        let cure = if mu < 0.0 {
            "write e.g. `max(0, ...)`"
        } else {
            "check for a division by zero, the root of a negative number, or a table beyond its points there"
        };
        Err(Problem::of(self.path.clone(), reason).cure(cure))
    }

    /// The same for a model that numbers the bodies of the plan, the ground first, in this way.
    pub(super) fn of(&self, plan: &Plan, numbers: &[BodyIndex]) -> Arc<dyn PlacedFriction> {
        let bodies = plan.bodies.iter().zip(&numbers[1..]);
        let free = bodies.filter(|(b, _)| b.is_free()).map(|(_, number)| number.index()).collect();
        Arc::new(OfModel { mu: self.mu.clone(), free })
    }
}

/// A coefficient of the coordinates of some bodies of a model.
#[derive(Debug)]
struct OfModel {
    mu: Arc<dyn PlacedFriction>,
    /// The numbers of these bodies in the model.
    free: Vec<usize>,
}

impl PlacedFriction for OfModel {
    fn coefficient(&self, q: &[f64], t: f64, speed: f64) -> f64 {
        let poses = self.free.iter().flat_map(|body| &q[OF_POSE * body..][..OF_POSE]);
        let q: Vec<f64> = poses.copied().collect();
        self.mu.coefficient(&q, t, speed)
    }

    fn by_speed(&self) -> bool {
        self.mu.by_speed()
    }
}
