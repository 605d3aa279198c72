//! The equations of motion on the level of accelerations.
//!
//! Joints hold φ̈ = J u̇ + J̇ u = 0. Those whose rows are among the candidates act there; all others act here: their reactions are in u̇ and in
//! M⁻¹ H, wherever [`Reaction`](super::Reaction) has those of a step.

use super::place::{Bodies, WorldPlace};
use super::rows::{Rows, Source};
use super::{Role, World};
use crate::bodies::Twist;
use crate::bodies::joint_rate;
use crate::bodies::roles::motion_rate;
use crate::bodies::seen_contact::Moving;
use crate::error::Error;
use crate::model::{Accelerations, LEVEL, Span};

impl World {
    /// Newton's and Euler's equations in world axes, and the rows of these candidates at a state.
    pub(super) fn equations(
        &self,
        place: &mut WorldPlace,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.move_to(place, q, t);
        place.rows.clear();
        place.collected.clear();
        if !candidates.is_empty() {
            self.find_candidates(place, &Span { q, u, t, dt: 0.0 })?;
        }
        for &i in candidates {
            let source = place.sources[i];
            refuse_load_friction(source)?;
            place.collected.push(source);
            place.rows.push(self, &place.bodies, source);
        }
        out.begin(u.len());
        let WorldPlace { bodies, loads, .. } = &mut *place;
        loads.rates.clear();
        loads.rates.resize(self.free, Twist::default());
        self.accelerate((bodies, loads), (q, u, t), 1.0);
        self.add_gyroscopic(bodies, loads);
        for (rate, free) in loads.rates.iter().zip(out.free.chunks_exact_mut(6)) {
            rate.write(free);
        }
        spread_rows(&place.rows, out);
        self.contact_accelerations(place, (u, t), out);
        self.joint_accelerations(place, (u, t), out);
        let finite = out.free.iter().all(|a| a.is_finite());
        if finite { Ok(()) } else { Err(Error::NotFinite { what: "a force", t }) }
    }

    /// A body, and its acceleration where no velocity of a free one changes.
    fn moving(&self, bodies: &Bodies, body: usize, (u, t): (&[f64], f64)) -> Moving {
        let (pose, twist) = bodies.poses[body];
        match &self.roles[body] {
            Role::Free(i, _) => {
                Moving { pose, twist: Twist::read(&u[6 * i..]), rate: Twist::default() }
            }
            Role::Prescribed(_) if body == Self::GROUND.0 => Moving::default(),
            Role::Prescribed(motion) => Moving { pose, twist, rate: motion_rate(motion, t) },
        }
    }

    fn contact_accelerations(
        &self,
        place: &WorldPlace,
        at: (&[f64], f64),
        out: &mut Accelerations,
    ) {
        let moving = |bodies: [usize; 2]| bodies.map(|b| self.moving(&place.bodies, b, at));
        for source in &place.collected {
            let start = out.convective.len();
            match *source {
                Source::Contact(contact) => {
                    let [a, b] = moving(contact.bodies);
                    out.convective.resize(start + contact.components, 0.0);
                    let of = (&self.contacts, &place.found.list[..]);
                    contact.convective(of, [&a, &b], &mut out.convective[start..]);
                }
                Source::Joint(i) => {
                    self.joint_rates(i, moving(self.joint_bodies(i)), &mut out.convective);
                }
                Source::Stop(i, sign) => {
                    out.convective.push(sign * self.motion_rate(i, moving(self.joint_bodies(i))));
                }
                Source::Drive(i, _) | Source::LoadFriction(i) => {
                    out.convective.push(self.motion_rate(i, moving(self.joint_bodies(i))));
                }
            }
        }
    }

    /// J̇ u of a joint.
    fn joint_rates(&self, i: usize, [a, b]: [Moving; 2], out: &mut Vec<f64>) {
        let j = &self.joints[i];
        joint_rate::rates(j.kind, (&a, &j.on_first), (&b, &j.on_second), out);
    }

    /// The same of the row of its coordinate.
    fn motion_rate(&self, i: usize, [a, b]: [Moving; 2]) -> f64 {
        let j = &self.joints[i];
        joint_rate::motion_rate(j.kind, (&a, &j.on_first), (&b, &j.on_second))
    }

    /// Adds the reactions of the joints that are not collected to the accelerations and to the responses of the rows.
    fn joint_accelerations(
        &self,
        place: &mut WorldPlace,
        at: (&[f64], f64),
        out: &mut Accelerations,
    ) {
        let WorldPlace { bodies, reactions, collected, redundancy, .. } = place;
        let inside = |i: &usize| !collected.contains(&Source::Joint(*i));
        let joints = || (0..self.joints.len()).filter(inside);
        if joints().next().is_none() {
            return;
        }
        reactions.refresh(self, bodies, joints());
        *redundancy = reactions.redundancy;
        reactions.convective.clear();
        for i in joints() {
            let both = self.joint_bodies(i).map(|b| self.moving(bodies, b, at));
            self.joint_rates(i, both, &mut reactions.convective);
        }
        out.hold_free(|free| reactions.hold_rates(free));
        out.hold_responses(
            |response| reactions.project(response),
            |response, left| {
                left.copy_from_slice(response);
                bodies.times_mass(left);
            },
        );
    }
}

fn refuse_load_friction(source: Source) -> Result<(), Error> {
    let Source::LoadFriction(_) = source else { return Ok(()) };
    Err(Error::Combination {
        part: LEVEL,
        other: "load-dependent friction in joints of a World",
        reason: "the load is not known there; take friction of constant size (World::motor with the velocity 0); runs can \
                 also use moreau_midpoint, moreau_jean or gap_level",
    })
}

/// The collected rows, with one number for every velocity of the world.
fn spread_rows(rows: &Rows, out: &mut Accelerations) {
    let f = out.free.len();
    out.drive.extend_from_slice(&rows.drive);
    let entries = out.drive.len() * f;
    out.directions.resize(entries, 0.0);
    out.responses.resize(entries, 0.0);
    for link in &rows.links {
        for row in link.start..link.start + link.rows {
            for (side, body) in link.bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let range = row * f + 6 * body..row * f + 6 * body + 6;
                out.directions[range.clone()].copy_from_slice(&rows.values[row][side]);
                out.responses[range].copy_from_slice(&rows.response[row][side]);
            }
        }
    }
}
