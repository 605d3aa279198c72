//! A step of bodies without joints by the midpoint rule: half a step of free motion, all forces and impulses at once, and the other half.
//!
//! Free motion keeps the energy of rotation and its momentum, whatever the update; forces and impulses change the energy by their work with
//! the mean of the velocities before and after them. So contacts add no energy but the work ½ Λᵀ(γ⁻ + γ⁺) that they are seen to do, however
//! large their impulses are and however fast bodies turn, and rotation has no impulses to answer.

use super::place::WorldPlace;
use super::{Role, World};
use crate::bodies::pose::Coordinates;
use crate::bodies::{Pose, SpinUpdate, Twist};
use crate::error::Error;
use crate::model::Span;
use glam::DVec3;

/// A body may not turn by more than this in a step, in radians: its contacts in the middle tell nothing of those at its ends.
const LARGEST_TURN: f64 = 3.0;

impl World {
    /// Whether steps are made in halves: joints close at the ends of a step, the variational update takes torques there, and the cheapest one has one
    /// rotation only.
    pub(super) fn has_halves(&self) -> bool {
        self.joints.is_empty() && self.update == SpinUpdate::ImplicitMidpoint
    }

    /// Free motion for half of a step of length `dt`, from (q, u) on.
    pub(super) fn drift(
        &self,
        (q, u): (&[f64], &[f64]),
        dt: f64,
        there: &mut [f64],
        after: &mut [f64],
    ) -> Option<()> {
        let half = 0.5 * dt;
        for (i, p) in self.free_bodies() {
            let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
            let (r, w) = (pose.rotation, twist.angular);
            if dt * w.length() > LARGEST_TURN {
                return None;
            }
            let angular = self.update.free(p, r, w, DVec3::ZERO, half)?;
            let position = pose.position + half * twist.linear;
            let rotation = self.update.turn(p, r, w, angular, half);
            Pose { position, rotation }.write(&mut there[7 * i..]);
            Twist { angular, ..twist }.write(&mut after[6 * i..]);
        }
        Some(())
    }

    /// Takes the first half of a step.
    pub(super) fn drift_to_middle(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        q: &mut [f64],
        u: &mut Vec<f64>,
    ) -> Result<(), Error> {
        u.resize(6 * self.free, 0.0);
        self.drift((step.q, step.u), step.dt, q, u).ok_or(Error::Turn { t: step.t })?;
        place.before.clone_from(u);
        place.middle.clear();
        place.middle.extend_from_slice(q);
        Ok(())
    }

    /// The velocities in the middle after the loads in store.
    pub(super) fn kick(
        &self,
        place: &WorldPlace,
        step: &Span<'_>,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let WorldPlace { bodies, loads, before, .. } = place;
        for (i, ((force, torque), (mass, inertia))) in
            loads.sums.iter().zip(&bodies.inverse).enumerate()
        {
            let Twist { linear, angular } = Twist::read(&before[6 * i..]);
            let linear = linear + step.dt * *mass * *force;
            let angular = angular + step.dt * (*inertia * *torque);
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t: step.t });
            }
            Twist { linear, angular }.write(&mut out[6 * i..]);
        }
        Ok(())
    }

    /// From the velocity after impulses, in `free`, to the one that they have to be added to, with forces at the mean of velocities in the
    /// middle. Returns the largest change, as a share of the velocities.
    pub(super) fn follow_in_middle(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let before = std::mem::take(&mut place.before);
        self.load_at_mean(&mut place.loads, &Span { u: &before, ..*step }, free);
        place.before = before;
        self.kick(place, step, free)?;
        let (mut change, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        let both = place.base.chunks_exact(3).zip(free.chunks_exact(3));
        for ((last, now), before) in both.zip(place.before.chunks_exact(3)) {
            let [last, now, before] = [last, now, before].map(DVec3::from_slice);
            change = change.max((now - last).length());
            size = size.max(now.length() + before.length());
        }
        place.base.copy_from_slice(free);
        Ok(change / size)
    }

    /// Takes the loads in the middle, with the velocities there.
    pub(super) fn load_middle(&self, place: &mut WorldPlace, t: f64) {
        let WorldPlace { bodies, loads, before, .. } = place;
        let free =
            self.roles.iter().zip(&bodies.poses).filter_map(|(role, (pose, _))| match role {
                Role::Free(i, _) => Some((*pose, Twist::read(&before[6 * i..]))),
                Role::Prescribed(_) => None,
            });
        loads.set(free);
        self.load(loads, t);
    }
}
