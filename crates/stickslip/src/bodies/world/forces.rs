//! Gravity and forces on the bodies of a world, at the middle of a step or at its ends.

use super::place::{Bodies, WorldPlace};
use super::{Role, World};
use crate::bodies::acting::Acting;
use crate::bodies::pose::Coordinates;
use crate::bodies::spin::in_world;
use crate::bodies::tolerance::{DIVERGED, FORCE_PASSES, MEAN, SETTLED};
use crate::bodies::{Pose, Twist};
use crate::error::{Error, check};
use crate::model::Span;
use glam::DVec3;

/// Where forces were last taken, and what they were.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// The motions of the free bodies.
    pub(super) poses: Vec<Pose>,
    pub(super) twists: Vec<Twist>,
    /// Force and torque on each of them.
    pub(super) sums: Vec<(DVec3, DVec3)>,
    /// Accelerations that sums at several times lead to.
    pub(super) rates: Vec<Twist>,
    acting: Acting,
}

impl Loads {
    /// Takes motions of bodies that are free.
    pub(super) fn set(&mut self, bodies: impl Iterator<Item = (Pose, Twist)>) {
        self.poses.clear();
        self.twists.clear();
        for (pose, twist) in bodies {
            self.poses.push(pose);
            self.twists.push(twist);
        }
    }
}

impl World {
    /// All bodies at a time, those that are free by their number.
    pub(super) fn show<'a>(
        &'a self,
        t: f64,
        free: impl Fn(usize) -> (Pose, Twist) + 'a,
    ) -> impl Iterator<Item = (Pose, Twist)> + 'a {
        self.roles.iter().map(move |role| match role {
            Role::Free(i, _) => free(*i),
            Role::Prescribed(motion) => motion(t),
        })
    }

    /// How fast forces change the energy.
    pub(super) fn force_power(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        if self.forces.is_empty() {
            return 0.0;
        }
        let free = |i: usize| {
            let pose = Pose::read(&q[7 * i..]);
            // The mean of two quaternions is shorter than 1.
            (Pose { rotation: pose.rotation.normalize(), ..pose }, Twist::read(&u[6 * i..]))
        };
        let mut acting = Acting { bodies: self.show(t, free).collect(), loads: Vec::new() };
        self.forces.power(&mut acting, t, |i| matches!(self.roles[i], Role::Free(..)))
    }

    /// Gravity and forces on the free bodies at the poses and twists in store.
    pub(super) fn load(&self, loads: &mut Loads, t: f64) {
        let Loads { poses, twists, sums, acting, .. } = loads;
        sums.clear();
        sums.extend(self.free_bodies().map(|(_, p)| (p.mass() * self.gravity, DVec3::ZERO)));
        if self.forces.is_empty() {
            return;
        }
        acting.bodies.clear();
        acting.bodies.extend(self.show(t, |i| (poses[i], twists[i])));
        self.forces.act(acting, t);
        for (role, load) in self.roles.iter().zip(&acting.loads) {
            if let Role::Free(i, _) = role {
                sums[*i].0 += load.force;
                sums[*i].1 += load.torque;
            }
        }
    }

    /// The velocities at the end of a step without candidates, in `out`, become those under the forces at their mean with the
    /// velocities of the beginning, where forces follow velocities.
    pub(super) fn find_mean(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        if !self.forces.follow_velocity() {
            return Ok(());
        }
        let (mut change, mut last) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..FORCE_PASSES {
            change = self.answer(place, step, out)?;
            let stalled = change >= 0.5 * last && change < MEAN;
            let diverges = change >= last && change > DIVERGED;
            if change <= SETTLED || stalled || diverges || !change.is_finite() {
                break;
            }
            last = change;
        }
        let t = step.t;
        let what = || format!("the change of the mean velocity that forces follow at t = {t}");
        let wanted = "below 1e-9 of its size after 100 passes; take a smaller step";
        check(what, change, change < MEAN, wanted)
    }

    /// Takes the loads at the mean of the velocities of the beginning and `end`.
    pub(super) fn load_at_mean(&self, loads: &mut Loads, step: &Span<'_>, end: &[f64]) {
        for (i, twist) in loads.twists.iter_mut().enumerate() {
            let (a, b) = (Twist::read(&step.u[6 * i..]), Twist::read(&end[6 * i..]));
            *twist = Twist {
                linear: 0.5 * (a.linear + b.linear),
                angular: 0.5 * (a.angular + b.angular),
            };
        }
        self.load(loads, step.t + 0.5 * step.dt);
    }

    /// The same, and the linear velocities that the loads lead to; returns how much these changed, as a share of the largest.
    pub(super) fn follow(&self, place: &mut WorldPlace, step: &Span<'_>, end: &[f64]) -> f64 {
        self.load_at_mean(&mut place.loads, step, end);
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for (i, p) in self.free_bodies() {
            let range = 6 * i..6 * i + 3;
            let before = DVec3::from_slice(&step.u[range.clone()]);
            let next = before + step.dt / p.mass() * place.loads.sums[i].0;
            largest = largest.max((next - DVec3::from_slice(&place.base[range.clone()])).length());
            size = size.max(next.length() + before.length());
            next.write_to_slice(&mut place.base[range]);
        }
        largest / size
    }

    /// Adds a share of M⁻¹ times the forces at (q, u, t) to the rates, with M of the bodies given and without gyroscopic terms.
    pub(super) fn accelerate(
        &self,
        (bodies, loads): (&Bodies, &mut Loads),
        (q, u, t): (&[f64], &[f64], f64),
        share: f64,
    ) {
        let free = |i: usize| (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
        loads.set((0..self.free).map(free));
        self.load(loads, t);
        for ((rate, (force, torque)), (mass, inertia)) in
            loads.rates.iter_mut().zip(&loads.sums).zip(&bodies.inverse)
        {
            rate.linear += share * *mass * *force;
            rate.angular += share * (*inertia * *torque);
        }
    }

    /// Adds the gyroscopic terms of the motions in store to the rates: −M⁻¹ ω × J ω, with M of the bodies given.
    pub(super) fn add_gyroscopic(&self, bodies: &Bodies, loads: &mut Loads) {
        for (i, p) in self.free_bodies() {
            let spin = loads.twists[i].angular;
            let momentum = in_world(p.inertia(), loads.poses[i].rotation) * spin;
            loads.rates[i].angular -= bodies.inverse[i].1 * spin.cross(momentum);
        }
    }
}
