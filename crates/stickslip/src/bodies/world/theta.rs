//! Steps with the forces of both their ends, θ of the end and 1 − θ of the beginning.

use super::World;
use crate::bodies::spin::in_world;
use crate::bodies::{Pose, Twist};
use crate::error::Error;
use crate::model::{Model, ThetaStep};

impl World {
    /// Euler's equations in world axes: J (ω⁺ − ω) is the weighted sum of Δt (τ − ω × J ω) of both ends, with J of the last
    /// `detect`. The update of free rotation turns the bodies, but plays no part in their velocities.
    pub(super) fn theta_velocity(
        &mut self,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.begin(step.q, step.u, step.t + step.dt, step.dt, Some(step.motion));
        self.rates.clear();
        self.rates.resize(self.free, Twist::default());
        if step.forces < 1.0 {
            self.accelerate((step.q, step.u), step.t, 1.0 - step.forces);
        }
        if step.forces > 0.0 {
            let (mut mean, mut there) =
                (std::mem::take(&mut self.mean), std::mem::take(&mut self.there));
            step.mean(end, &mut mean);
            there.resize(step.q.len(), 0.0);
            self.advance(step.q, &mean, &mean, step.dt, &mut there);
            self.accelerate((&there, end), step.t + step.dt, step.forces);
            (self.mean, self.there) = (mean, there);
        }
        for (i, rate) in self.rates.iter().enumerate() {
            let before = Twist::read(&step.u[6 * i..]);
            let linear = before.linear + step.dt * rate.linear;
            let angular = before.angular + step.dt * rate.angular;
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t: step.t });
            }
            Twist { linear, angular }.write(&mut out[6 * i..]);
        }
        self.base.clear();
        self.base.extend_from_slice(out);
        if self.is_held() {
            self.hold_share(step.u, step.past(), out);
        }
        Ok(())
    }

    /// Adds a share of M⁻¹ h(q, u, t) to the rates, with M of the last `detect`.
    pub(super) fn accelerate(&mut self, (q, u): (&[f64], &[f64]), t: f64, share: f64) {
        self.middle.clear();
        self.middle.extend((0..self.free).map(|i| Pose::read(&q[7 * i..])));
        self.twists.clear();
        self.twists.extend((0..self.free).map(|i| Twist::read(&u[6 * i..])));
        self.load(t);
        let mut rates = std::mem::take(&mut self.rates);
        for (i, p) in self.free_bodies() {
            let ((force, torque), spin) = (self.loads[i], self.twists[i].angular);
            let momentum = in_world(p.inertia(), self.middle[i].rotation) * spin;
            let (mass, inertia) = self.inverse[i];
            rates[i].linear += share * mass * force;
            rates[i].angular += share * (inertia * (torque - spin.cross(momentum)));
        }
        self.rates = rates;
    }
}
