//! Forces on bodies of point masses, as loads of rigid bodies.

use super::place::PointMassPlace;
use super::tetrahedron::{Quad, moved};
use super::world::{PointMassWorld, Role, read, write};
use crate::bodies::acting::Acting;
use crate::bodies::{Pose, Twist};
use crate::error::Error;
use crate::model::{Model, Span, ThetaStep};
use glam::DVec3;

/// What forces last were.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// Force and torque on each free body.
    pub(super) sums: Vec<(DVec3, DVec3)>,
    /// Accelerations without the bars.
    rates: Vec<Quad>,
    acting: Acting,
}

impl PointMassWorld {
    /// Gravity and forces on all bodies at a time, moved from q by u over the time of the span, at the mean of the velocities u
    /// and `end`.
    fn load(&self, loads: &mut Loads, span: &Span<'_>, end: &[f64]) {
        let Loads { sums, acting, .. } = loads;
        sums.clear();
        let masses = self.bodies.iter().map(|b| b.properties().mass());
        sums.extend(masses.map(|m| (m * self.gravity, DVec3::ZERO)));
        if self.forces.is_empty() {
            return;
        }
        acting.bodies.clear();
        acting.bodies.extend(self.show(span, end));
        self.forces.act(acting, span.t);
        for (role, load) in self.roles.iter().zip(&acting.loads) {
            if let Role::Free(i, ()) = role {
                sums[*i].0 += load.force;
                sums[*i].1 += load.torque;
            }
        }
    }

    /// The same at a state.
    pub(super) fn load_at(&self, loads: &mut Loads, (q, u, t): (&[f64], &[f64], f64)) {
        self.load(loads, &Span { q, u, t, dt: 0.0 }, u);
    }

    /// The same in the middle of a step.
    pub(super) fn load_middle(&self, loads: &mut Loads, step: &Span<'_>, end: &[f64]) {
        let half = Span { t: step.t + 0.5 * step.dt, dt: 0.5 * step.dt, ..*step };
        self.load(loads, &half, end);
    }

    /// The velocities at the end under a weighted sum of the loads of both ends, with the bars of the place, which
    /// exclude stretching by the velocity of the displacement, and with the joints there.
    pub(super) fn theta_velocity(
        &self,
        place: &mut PointMassPlace,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let PointMassPlace { bodies, loads, mean, there, .. } = place;
        loads.rates.clear();
        loads.rates.resize(self.bodies.len(), Quad::default());
        if step.forces < 1.0 {
            self.accelerate(loads, (step.q, step.u, step.t), 1.0 - step.forces);
        }
        if step.forces > 0.0 {
            step.mean(end, mean);
            there.resize(step.q.len(), 0.0);
            self.advance(step.q, mean, mean, step.dt, there);
            self.accelerate(loads, (there, end, step.t + step.dt), step.forces);
        }
        for (i, (rate, bars)) in loads.rates.iter().zip(&bodies.bars).enumerate() {
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
            place.reactions.hold(Some((step.u, step.past())), out);
        }
        Ok(())
    }

    /// Adds a share of the accelerations at (q, u, t) without the bars.
    fn accelerate(&self, loads: &mut Loads, (q, u, t): (&[f64], &[f64], f64), share: f64) {
        self.load(loads, &Span { q, u, t, dt: 0.0 }, u);
        for (i, (body, load)) in self.bodies.iter().zip(&loads.sums).enumerate() {
            let rate = body.acceleration(&read(&q[12 * i..]), *load);
            loads.rates[i] = moved(&loads.rates[i], &rate, share);
        }
    }

    pub(super) fn potential(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        if self.forces.is_empty() {
            return 0.0;
        }
        let bodies: Vec<_> = self.show(&Span { q, u, t, dt: 0.0 }, u).collect();
        self.forces.potential(&bodies, t)
    }

    /// How fast forces change the energy.
    pub(super) fn force_power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        if self.forces.is_empty() {
            return 0.0;
        }
        let bodies = self.show(&Span { q, u, t, dt: 0.0 }, u).collect();
        let mut acting = Acting { bodies, loads: Vec::new() };
        self.forces.power(&mut acting, t, |i| matches!(self.roles[i], Role::Free(..)))
    }

    /// All bodies as forces see them, see [`load`](Self::load).
    fn show<'a>(
        &'a self,
        span: &Span<'a>,
        end: &'a [f64],
    ) -> impl Iterator<Item = (Pose, Twist)> + 'a {
        let Span { q, u, t, dt } = *span;
        self.roles.iter().map(move |role| match role {
            Role::Free(i, ()) => {
                let at = 12 * i..12 * i + 12;
                let (v, w) = (read(&u[at.clone()]), read(&end[at.clone()]));
                let x = moved(&read(&q[at]), &v, dt);
                let mean = std::array::from_fn(|k| 0.5 * (v[k] + w[k]));
                let body = &self.bodies[*i];
                (body.pose(&x), body.twist(&x, &mean))
            }
            Role::Prescribed(motion) => motion(t),
        })
    }
}
