//! The equations of motion on the level of accelerations.
//!
//! Bars hold A v̇ + Ȧ v = 0, \[5\] eq. (1) differentiated twice, and joints J v̇ + J̇ v = 0. How the bars act over a step
//! ([`DistanceStep`](super::DistanceStep)) is no question here. Joints whose rows are among the candidates act there; all others act
//! here: their reactions are in v̇ and in M⁻¹ H, as those of the bars are.
//!
//! Rows over the masses say of v̇ what rows of rigid bodies say of their accelerations, and in addition what they make of the centripetal
//! accelerations ω × (ω × x) of masses of a body that turns at constant ω. So Ḣᵀ v over the masses is that of rigid bodies less
//! Hᵀ times these.

use super::block::{PointRows, Source};
use super::place::{Bodies, PointMassPlace};
use super::tetrahedron::{Quad, centre, moved, unit_momentum};
use super::world::{PointMassWorld, Role, read, write};
use crate::bodies::joint_rate;
use crate::bodies::roles::motion_rate;
use crate::bodies::seen_contact::Moving;
use crate::bodies::{Joint, Twist};
use crate::error::Error;
use crate::model::{Accelerations, Span};
use stickslip_collision::Contact;

impl PointMassWorld {
    /// Newton's equations of the masses with their bars, and the rows of these candidates at a state.
    pub(super) fn equations(
        &self,
        place: &mut PointMassPlace,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.locate(q, t, &mut place.bodies)?;
        place.active.clear();
        place.collected.clear();
        if !candidates.is_empty() {
            let mut seen = std::mem::take(&mut place.seen);
            seen.clear();
            let found = self.find_candidates(place, &Span { q, u, t, dt: 0.0 }, &mut seen);
            place.seen = seen;
            found?;
        }
        for &i in candidates {
            let source = place.sources[i];
            place.active.push(source);
            place.collected.push(self, &place.bodies, source);
        }
        out.begin(u.len());
        self.bar_accelerations(place, (q, u, t), &mut out.free);
        self.contact_accelerations(place, (u, t), out);
        self.joint_accelerations(place, (u, t), out);
        let finite = out.free.iter().all(|a| a.is_finite());
        let what = "the acceleration of a point mass";
        if finite { Ok(()) } else { Err(Error::NotFinite { what, t }) }
    }

    /// v̇ under forces and bars, and the centripetal accelerations, which are left in store. Masses whose bars hold move as one rigid body:
    /// v̇ = a + α × x + ω × (ω × x), with a and α from the balances of momentum and angular momentum, in which bars have no part. That is
    /// more exact than the equations of the bars where these are long and nearly parallel.
    fn bar_accelerations(
        &self,
        place: &mut PointMassPlace,
        (q, u, t): (&[f64], &[f64], f64),
        out: &mut [f64],
    ) {
        let PointMassPlace { bodies, loads, centripetal, .. } = place;
        self.load_at(loads, (q, u, t));
        centripetal.resize(u.len(), 0.0);
        for (i, (body, (force, torque))) in self.bodies.iter().zip(&loads.sums).enumerate() {
            let at = 12 * i..12 * i + 12;
            let (x, c) = (&bodies.masses[i], centre(&bodies.masses[i]));
            let spin = body.twist(x, &read(&u[at.clone()])).angular;
            let turns: Quad = x.map(|x| spin.cross(spin.cross(x - c)));
            let taken = 0.25 * body.properties().mass() * unit_momentum(x, &turns);
            let rigid = body.acceleration(x, (*force, *torque - taken));
            write(&moved(&rigid, &turns, 1.0), &mut out[at.clone()]);
            write(&turns, &mut centripetal[at]);
        }
    }

    /// A body as a rigid one, and its acceleration where no velocity of a free one changes.
    fn moving(&self, bodies: &Bodies, body: usize, (u, t): (&[f64], f64)) -> Moving {
        let (pose, twist) = bodies.poses[body];
        match &self.roles[body] {
            Role::Free(i, ()) => {
                let twist = self.bodies[*i].twist(&bodies.masses[*i], &read(&u[12 * i..]));
                Moving { pose, twist, rate: Twist::default() }
            }
            Role::Prescribed(_) if body == Self::GROUND.0 => Moving::default(),
            Role::Prescribed(motion) => Moving { pose, twist, rate: motion_rate(motion, t) },
        }
    }

    fn contact_accelerations(
        &self,
        place: &mut PointMassPlace,
        at: (&[f64], f64),
        out: &mut Accelerations,
    ) {
        let PointMassPlace { bodies, active, collected, posing, centripetal, found, .. } = place;
        let velocities = out.free.len();
        out.drive.extend_from_slice(&collected.drive);
        for link in &collected.links {
            collected.append_rows(link, velocities, &mut out.directions);
            collected.append_responses(link, velocities, &mut out.responses);
        }
        for source in &*active {
            self.rigid_rates((*source, &found.list), (bodies, at), &mut out.convective);
        }
        take_centripetal(collected, centripetal, &mut posing.gamma, &mut out.convective);
    }

    /// Appends what is left of the rates of the relative velocities of a candidate of rigid bodies where no velocity changes.
    fn rigid_rates(
        &self,
        (source, found): (Source, &[Contact]),
        (bodies, at): (&Bodies, (&[f64], f64)),
        out: &mut Vec<f64>,
    ) {
        let moving = |pair: [usize; 2]| pair.map(|body| self.moving(bodies, body, at));
        let joint = |i: usize| (self.joints[i].joint, moving(self.joints[i].bodies));
        let coordinate = |i: usize| {
            let (Joint { kind, on_first, on_second }, [a, b]) = joint(i);
            joint_rate::motion_rate(kind, (&a, &on_first), (&b, &on_second))
        };
        match source {
            Source::Contact(contact) => {
                let (start, [a, b]) = (out.len(), moving(contact.bodies));
                out.resize(start + contact.components, 0.0);
                contact.convective((&self.contacts, found), [&a, &b], &mut out[start..]);
            }
            Source::Joint(i) => {
                let (Joint { kind, on_first, on_second }, [a, b]) = joint(i);
                joint_rate::rates(kind, (&a, &on_first), (&b, &on_second), out);
            }
            Source::Stop(i, sign) => out.push(sign * coordinate(i)),
            Source::Drive(i, _) => out.push(coordinate(i)),
        }
    }

    /// Adds the reactions of the joints that are not collected to the accelerations and to the responses of the rows.
    fn joint_accelerations(
        &self,
        place: &mut PointMassPlace,
        at: (&[f64], f64),
        out: &mut Accelerations,
    ) {
        let PointMassPlace { bodies, reactions, active, posing, centripetal, .. } = place;
        let inside = |i: &usize| !active.contains(&Source::Joint(*i));
        let joints = || (0..self.joints.len()).filter(inside);
        if joints().next().is_none() {
            return;
        }
        reactions.refresh(self, bodies, joints());
        reactions.convective.clear();
        for i in joints() {
            self.rigid_rates((Source::Joint(i), &[]), (bodies, at), &mut reactions.convective);
        }
        let mut convective = std::mem::take(&mut reactions.convective);
        take_centripetal(&reactions.rows, centripetal, &mut posing.gamma, &mut convective);
        reactions.convective = convective;
        out.hold_free(|free| reactions.hold_rates(free));
        out.hold_responses(
            |response| reactions.project(response),
            |response, left| {
                left.copy_from_slice(response);
                for (body, left) in self.bodies.iter().zip(left.chunks_exact_mut(12)) {
                    left.iter_mut().for_each(|x| *x *= 0.25 * body.properties().mass());
                }
            },
        );
    }
}

/// From the rates of rigid bodies to those over the masses.
fn take_centripetal(
    rows: &PointRows,
    centripetal: &[f64],
    scratch: &mut Vec<f64>,
    rates: &mut [f64],
) {
    rows.velocities(centripetal, scratch);
    let made = scratch.iter().zip(&rows.drive).map(|(x, drive)| x - drive);
    rates.iter_mut().zip(made).for_each(|(rate, x)| *rate -= x);
}
