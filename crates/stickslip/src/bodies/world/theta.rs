//! Steps with the forces of both their ends, θ of the end and 1 − θ of the beginning.
//!
//! Rotation is no force. By the θ-method the torques and impulses of a step act on a body that turns with its own θ, [`spin::implicit`]; where
//! forces and impulses act at the beginning, the free motion of the update follows, so that neither creates energy at any spin.

use super::World;
use super::place::WorldPlace;
use crate::bodies::pose::Coordinates;
use crate::bodies::spin;
use crate::bodies::{Pose, Twist};
use crate::error::Error;
use crate::model::ThetaStep;
use glam::DVec3;

impl World {
    /// v + Δt F/m and, of the beginning's forces alone, ω + Δt J⁻¹ τ; otherwise the ω to which impulses add what they make of the step's rotation:
    /// those that led to `end` are taken as a torque.
    pub(super) fn theta_velocity(
        &self,
        place: &mut WorldPlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let weights = Some([step.forces, step.motion]);
        self.begin(place, (step.q, step.u, step.t), step.dt, weights);
        let WorldPlace { bodies, loads, mean, there, .. } = place;
        loads.rates.clear();
        loads.rates.resize(self.free, Twist::default());
        if step.forces < 1.0 {
            self.accelerate((bodies, loads), (step.q, step.u, step.t), 1.0 - step.forces);
        }
        if step.forces > 0.0 {
            there.resize(step.q.len(), 0.0);
            mean.clear();
            mean.extend_from_slice(end);
            self.displace_theta(step, mean, there)?;
            self.accelerate((bodies, loads), (there, end, step.t + step.dt), step.forces);
        }
        for (i, p) in self.free_bodies() {
            let (before, rate) = (Twist::read(&step.u[6 * i..]), place.loads.rates[i]);
            let linear = before.linear + step.dt * rate.linear;
            let mut angular = before.angular + step.dt * rate.angular;
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t: step.t });
            }
            if step.forces > 0.0 {
                let known = place.base.get(6 * i + 3..6 * i + 6);
                let pushed = known.map_or(DVec3::ZERO, |base| {
                    Twist::read(&end[6 * i..]).angular - DVec3::from_slice(base)
                });
                let torque = place.bodies.masses[i].1 * (rate.angular + pushed / step.dt);
                let (r, by) = (Pose::read(&step.q[7 * i..]).rotation, (step.dt, step.motion));
                let Some(after) = spin::implicit(p, r, before.angular, torque, by) else {
                    return Err(Error::Turn { t: step.t });
                };
                angular = after - pushed;
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

    /// Where a step leads that ends with a velocity; after forces and impulses of its beginning alone by free motion, which changes the velocity.
    pub(super) fn displace_theta(
        &self,
        step: &ThetaStep<'_>,
        end: &mut [f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let ThetaStep { dt, motion, .. } = *step;
        for (i, p) in self.free_bodies() {
            let (pose, before) = (Pose::read(&step.q[7 * i..]), Twist::read(&step.u[6 * i..]));
            let (r, mut after) = (pose.rotation, Twist::read(&end[6 * i..]));
            let position = pose.position + dt * before.linear.lerp(after.linear, motion);
            let rotation = if step.forces > 0.0 {
                let by = (dt, motion);
                spin::implicit_turn(r, before.angular, after.angular, by).normalize()
            } else {
                let start = after.angular;
                let Some(free) = self.update.free(p, r, start, DVec3::ZERO, dt) else {
                    return Err(Error::Turn { t: step.t });
                };
                after.angular = free;
                after.write(&mut end[6 * i..]);
                self.update.turn(p, r, start, free, dt)
            };
            Pose { position, rotation }.write(&mut out[7 * i..]);
        }
        Ok(())
    }
}
