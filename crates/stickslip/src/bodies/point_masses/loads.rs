//! Forces on bodies of point masses, as loads of rigid bodies.

use super::tetrahedron::{Quad, moved};
use super::world::{PointMassWorld, Role, read, write};
use crate::error::Error;
use crate::model::{Model, ThetaStep};
use glam::DVec3;

impl PointMassWorld {
    /// Gravity and forces at a time, see [`show`](Self::show).
    pub(super) fn load(&mut self, motion: (&[f64], &[f64]), t: f64, dt: f64, end: &[f64]) {
        self.loads.clear();
        let masses = self.bodies.iter().map(|b| b.properties().mass());
        self.loads.extend(masses.map(|m| (m * self.gravity, DVec3::ZERO)));
        if self.forces.is_empty() {
            return;
        }
        self.show(motion, t, dt, end);
        self.forces.act(t);
        for (role, load) in self.roles.iter().zip(&self.forces.loads) {
            if let Role::Free(i, ()) = role {
                self.loads[*i].0 += load.force;
                self.loads[*i].1 += load.torque;
            }
        }
    }

    /// The velocities at the end under a weighted sum of the loads of both ends, with the bars of the last `detect`, which
    /// exclude stretching by the velocity of the displacement, and with the joints there.
    pub(super) fn theta_velocity(
        &mut self,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.rates.clear();
        self.rates.resize(self.bodies.len(), Quad::default());
        if step.forces < 1.0 {
            self.accelerate((step.q, step.u), step.t, 1.0 - step.forces);
        }
        if step.forces > 0.0 {
            let (mut mean, mut there) =
                (std::mem::take(&mut self.end), std::mem::take(&mut self.there));
            step.mean(end, &mut mean);
            there.resize(step.q.len(), 0.0);
            self.advance(step.q, &mean, &mean, step.dt, &mut there);
            self.accelerate((&there, end), step.t + step.dt, step.forces);
            (self.end, self.there) = (mean, there);
        }
        for (i, (rate, bars)) in self.rates.iter().zip(&self.bars).enumerate() {
            let at = 12 * i..12 * i + 12;
            let before = read(&step.u[at.clone()]);
            let mut after = moved(&before, rate, step.dt);
            bars.hold(&mut after, bars.stretching(&before).map(|x| -step.past() * x));
            if !after.iter().all(|x| x.is_finite()) {
                let what = "the velocity of a body of point masses after one step";
                return Err(Error::NotFinite { what, t: step.t });
            }
            write(&after, &mut out[at]);
        }
        if self.is_held() {
            self.reactions.hold(Some((step.u, step.past())), out);
        }
        Ok(())
    }

    /// Adds a share of the accelerations at (q, u, t) without the bars.
    fn accelerate(&mut self, (q, u): (&[f64], &[f64]), t: f64, share: f64) {
        self.load((q, u), t, 0.0, u);
        for (i, (body, load)) in self.bodies.iter().zip(&self.loads).enumerate() {
            let rate = body.acceleration(&read(&q[12 * i..]), *load);
            self.rates[i] = moved(&self.rates[i], &rate, share);
        }
    }

    pub(super) fn potential(&mut self, q: &[f64], u: &[f64], t: f64) -> f64 {
        if self.forces.is_empty() {
            return 0.0;
        }
        self.show((q, u), t, 0.0, u);
        self.forces.potential(t)
    }

    /// Shows the forces all bodies at a time, moved from q by u over `dt`, with the mean of the velocities u and `end`.
    fn show(&mut self, (q, u): (&[f64], &[f64]), t: f64, dt: f64, end: &[f64]) {
        self.forces.bodies.clear();
        for role in &self.roles {
            self.forces.bodies.push(match role {
                Role::Free(i, ()) => {
                    let at = 12 * i..12 * i + 12;
                    let (v, w) = (read(&u[at.clone()]), read(&end[at.clone()]));
                    let x = moved(&read(&q[at]), &v, dt);
                    let mean = std::array::from_fn(|k| 0.5 * (v[k] + w[k]));
                    let body = &self.bodies[*i];
                    (body.pose(&x), body.twist(&x, &mean))
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
    }
}
