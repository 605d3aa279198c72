//! Forces on bodies of point masses, as loads of rigid bodies.

use super::super::super::Twist;
use super::super::tetrahedron::{Quad, moved};
use super::{PointMassWorld, Role, read, write};
use crate::error::{Error, check};
use crate::mechanism::{Mechanism, Weighted};
use glam::DVec3;

/// Most passes for the mean velocity that forces follow; the changes at which it is found, and found but for rounding.
const PASSES: usize = 100;
const SETTLED: f64 = 4.0 * f64::EPSILON;
const MEAN: f64 = 1e-9;
/// Changes that are larger than this and do not fall will not.
const DIVERGED: f64 = 0.5;

impl PointMassWorld {
    /// The velocities at the end of a step from (q, u) without contact, under the loads of its middle at the mean of u and
    /// `end`.
    pub(super) fn loaded(
        &mut self,
        (q, u): (&[f64], &[f64]),
        t: f64,
        dt: f64,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.load((q, u), t + 0.5 * dt, 0.5 * dt, end);
        for (i, (body, load)) in self.bodies.iter().zip(&self.loads).enumerate() {
            let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
            let end = self.step.free(body, &x, &v, *load, dt);
            let Some(end) = end.filter(|v| v.iter().all(|x| x.is_finite())) else {
                let what = "the velocity of a body of point masses after one step";
                return Err(Error::NotFinite { what, t });
            };
            write(&end, &mut out[12 * i..12 * i + 12]);
        }
        Ok(())
    }

    /// Gravity and forces at a time, see [`show`](Self::show).
    fn load(&mut self, motion: (&[f64], &[f64]), t: f64, dt: f64, end: &[f64]) {
        self.loads.clear();
        let masses = self.bodies.iter().map(|b| b.properties().mass());
        self.loads.extend(masses.map(|m| (m * self.gravity, DVec3::ZERO)));
        if self.forces.is_empty() {
            return;
        }
        self.show(motion, t, dt, end);
        self.forces.act(t);
        for (role, load) in self.roles.iter().zip(&self.forces.loads) {
            if let Role::Free(i) = role {
                self.loads[*i].0 += load.force;
                self.loads[*i].1 += load.torque;
            }
        }
    }

    /// The velocities at the end under a weighted sum of the loads of both ends, with the bars of the last `detect`, which
    /// exclude stretching by the velocity of the displacement.
    pub(super) fn weigh(
        &mut self,
        step: &Weighted<'_>,
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
                (std::mem::take(&mut self.end), std::mem::take(&mut self.last));
            step.mean(end, &mut mean);
            there.resize(step.q.len(), 0.0);
            self.advance(step.q, &mean, &mean, step.dt, &mut there);
            self.accelerate((&there, end), step.t + step.dt, step.forces);
            (self.end, self.last) = (mean, there);
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

    /// The same with the velocities at the end that it leads to, where forces follow velocities.
    pub(super) fn find_mean(
        &mut self,
        start: (&[f64], &[f64]),
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        if !self.forces.follow_velocity() {
            return Ok(());
        }
        let mut end = std::mem::take(&mut self.end);
        let (mut change, mut last) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..PASSES {
            end.clear();
            end.extend_from_slice(out);
            change = self.follow(start, t, dt, &end, out)?;
            let stalled = change >= 0.5 * last && change < MEAN;
            let diverges = change >= last && change > DIVERGED;
            if change <= SETTLED || stalled || diverges {
                break;
            }
            last = change;
        }
        self.end = end;
        let place = || format!("the change of the mean velocity that forces follow at t = {t}");
        let wanted = "below 1e-9 of its size after 100 passes; take a smaller step";
        check(place, change, change < MEAN, wanted)
    }

    /// Takes the loads at the mean of u and `end`, and puts the velocities that they lead to into `free`; returns how much
    /// these changed, as a share of the largest.
    pub(super) fn follow(
        &mut self,
        start: (&[f64], &[f64]),
        t: f64,
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        if !self.forces.follow_velocity() {
            return Ok(0.0);
        }
        let mut last = std::mem::take(&mut self.last);
        last.clear();
        last.extend_from_slice(free);
        self.loaded(start, t, dt, end, free)?;
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for ((a, b), u) in free.iter().zip(&last).zip(start.1) {
            largest = largest.max((a - b).abs());
            size = size.max(a.abs() + u.abs());
        }
        self.last = last;
        Ok(largest / size)
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
                Role::Free(i) => {
                    let at = 12 * i..12 * i + 12;
                    let (v, w) = (read(&u[at.clone()]), read(&end[at.clone()]));
                    let x = moved(&read(&q[at]), &v, dt);
                    let mean = std::array::from_fn(|k| 0.5 * (v[k] + w[k]));
                    let body = &self.bodies[*i];
                    let twist: Twist = body.twist(&x, &mean);
                    (body.pose(&x), twist)
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
    }
}
