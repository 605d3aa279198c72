//! Steps with the forces of both their ends, θ of the end and 1 − θ of the beginning.

use super::World;
use super::place::WorldPlace;
use crate::bodies::Twist;
use crate::error::Error;
use crate::model::{Model, ThetaStep};

impl World {
    /// Euler's equations in world axes: J (ω⁺ − ω) is the weighted sum of Δt (τ − ω × J ω) of both ends, with J of the
    /// place. The update of free rotation turns the bodies, but plays no part in their velocities.
    pub(super) fn theta_velocity(
        &self,
        place: &mut WorldPlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.begin(place, (step.q, step.u, step.t), step.dt, Some(step.motion));
        let WorldPlace { bodies, loads, mean, there, .. } = place;
        loads.rates.clear();
        loads.rates.resize(self.free, Twist::default());
        if step.forces < 1.0 {
            self.accelerate((bodies, loads), (step.q, step.u, step.t), 1.0 - step.forces);
        }
        if step.forces > 0.0 {
            step.mean(end, mean);
            there.resize(step.q.len(), 0.0);
            self.advance(step.q, mean, mean, step.dt, there);
            self.accelerate((bodies, loads), (there, end, step.t + step.dt), step.forces);
        }
        for (i, rate) in loads.rates.iter().enumerate() {
            let before = Twist::read(&step.u[6 * i..]);
            let linear = before.linear + step.dt * rate.linear;
            let angular = before.angular + step.dt * rate.angular;
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t: step.t });
            }
            Twist { linear, angular }.write(&mut out[6 * i..]);
        }
        place.base.clear();
        place.base.extend_from_slice(out);
        if self.is_held() {
            self.hold_share(place, step.u, step.past(), out);
        }
        Ok(())
    }
}
