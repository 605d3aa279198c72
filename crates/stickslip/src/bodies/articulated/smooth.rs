//! The equations of motion on the level of accelerations.
//!
//! Loops hold Hᵀ u̇ + Ḣᵀ u = 0. Those that are among the candidates act there; all others act here: their reactions are in u̇ and in M⁻¹ H.

use super::contacts::Source;
use super::place::{TreePlace, Work};
use super::spatial::Motion;
use super::tree::Tree;
use crate::bodies::pose::turn_rate;
use crate::bodies::seen_contact::Moving;
use crate::bodies::{Pose, Twist};
use crate::error::Error;
use crate::model::{Accelerations, LEVEL, Span};
use glam::DVec3;
use stickslip_collision::Contact;

impl Tree {
    /// Accelerations of the joints, and the rows of these candidates at a state.
    pub(super) fn equations(
        &self,
        place: &mut TreePlace,
        (q, u, t): (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        if candidates.is_empty() {
            place.work.at.place(&self.links, q, t)?;
        } else {
            self.find_candidates(place, &Span { q, u, t, dt: 0.0 })?;
        }
        out.begin(u.len());
        self.accelerate(&mut place.work, (q, u, t), &mut out.free);
        let f = u.len().max(1);
        self.coast(&mut place.work);
        for &candidate in candidates {
            let source = place.sources[candidate];
            refuse_load_friction(source)?;
            let start = out.drive.len();
            self.append(&place.work.at, source, &mut out.directions);
            out.drive.resize(out.directions.len() / f, 0.0);
            self.drive_of(&place.work.at, source, &mut out.drive[start..]);
            let there = (&place.work, &place.found.list[..]);
            self.convect(there, source, (u, t), &mut out.convective);
            out.convective.resize(out.drive.len(), 0.0);
        }
        out.responses.resize(out.directions.len(), 0.0);
        let both = out.directions.chunks_exact(f).zip(out.responses.chunks_exact_mut(f));
        both.for_each(|(h, y)| place.work.solve(&self.links, h, y));
        self.loop_accelerations(place, candidates, (u, t), out);
        let finite = out.free.iter().all(|a| a.is_finite());
        if finite {
            Ok(())
        } else {
            Err(Error::NotFinite { what: "the acceleration of a joint", t })
        }
    }

    /// Appends what is left of the rates of the relative velocities of contacts and loops where no velocity changes; coordinates of joints
    /// have nothing left.
    fn convect(
        &self,
        (work, found): (&Work, &[Contact]),
        source: Source,
        (u, t): (&[f64], f64),
        out: &mut Vec<f64>,
    ) {
        match source {
            Source::Contact(contact) => {
                let start = out.len();
                let bodies = contact.bodies.map(|body| self.moving_body(work, body, t));
                out.resize(start + contact.components, 0.0);
                let of = (&self.contacts, found);
                contact.convective(of, bodies.each_ref(), &mut out[start..]);
            }
            Source::Closure(i) => self.connection_rates(i, work, (u, t), out),
            Source::Friction(_) | Source::LoadFriction(_) | Source::Limit(..) => {}
        }
    }

    /// Adds the reactions of the loops that are not among the candidates to the accelerations and to the responses of the rows.
    fn loop_accelerations(
        &self,
        place: &mut TreePlace,
        candidates: &[usize],
        (u, t): (&[f64], f64),
        out: &mut Accelerations,
    ) {
        let TreePlace { work, loops, sources, redundancy, .. } = place;
        let is = |c: &usize, i: usize| matches!(sources[*c], Source::Closure(j) if j == i);
        let inside = |i: &usize| !candidates.iter().any(|c| is(c, *i));
        let held = || (0..self.connections()).filter(inside);
        if held().next().is_none() {
            return;
        }
        loops.refresh(self, work, held());
        *redundancy = loops.redundancy;
        held().for_each(|i| self.connection_rates(i, work, (u, t), &mut loops.rest));
        out.hold_free(|free| loops.hold_with_rest(free));
        out.hold_responses(
            |response| loops.hold(response),
            |response, left| work.times_mass(&self.links, response, left),
        );
    }

    /// The accelerations of the links where no velocity of a joint changes, with the velocities last taken.
    fn coast(&self, work: &mut Work) {
        let Work { at, moving, .. } = work;
        moving.coasting.clear();
        for (i, link) in self.links.iter().enumerate() {
            let from = link.parent.map_or(Motion::default(), |p| moving.coasting[p]);
            let own = from.outward(at.reach(i)) + moving.convected(i);
            moving.coasting.push(own);
        }
    }

    /// A link by its number in the tree, where 0 is the ground.
    pub(super) fn moving_body(&self, work: &Work, number: usize, t: f64) -> Moving {
        let Some(link) = number.checked_sub(1) else { return Moving::default() };
        let twist = |m: Motion| Twist { linear: m.linear, angular: m.angular };
        let (pose, velocity): (Pose, Twist) = (work.at.poses[link], twist(work.moving.v[link]));
        let rate = match &self.links[link].moved {
            Some(moved) => moved.rate(t),
            None => twist(work.moving.coasting[link]),
        };
        Moving { pose, twist: velocity, rate }
    }

    /// Where rotations stand among the velocities: the first of three.
    pub(super) fn rotations(&self) -> impl Iterator<Item = usize> + '_ {
        self.links.iter().filter_map(|l| l.joint.quaternion().map(|at| l.u.start + at))
    }

    /// ξ̇ at the turns ξ; false if there are none.
    pub(super) fn turn_rates(&self, xi: &[f64], u: &[f64], out: &mut [f64]) -> bool {
        out.copy_from_slice(u);
        for at in self.rotations() {
            let [turn, spin] = [xi, u].map(|x| DVec3::from_slice(&x[at..]));
            turn_rate(turn, spin).write_to_slice(&mut out[at..at + 3]);
        }
        self.rotations().next().is_some()
    }

    /// |q|, and 1 for rotations.
    pub(super) fn coordinate_sizes(&self, q: &[f64], out: &mut [f64]) {
        for link in &self.links {
            let (q, out) = (&q[link.q.clone()], &mut out[link.u.clone()]);
            let plain = link.joint.quaternion().unwrap_or(out.len());
            out.iter_mut().zip(q).take(plain).for_each(|(s, q)| *s = q.abs());
            out[plain..].fill(1.0);
        }
        self.pool_vectors(out);
    }

    /// Raises the sizes of shifts and turns of one joint to the largest of them.
    pub(super) fn pool_vectors(&self, sizes: &mut [f64]) {
        for link in self.links.iter().filter(|l| l.joint.quaternion().is_some()) {
            for vector in sizes[link.u.clone()].chunks_exact_mut(3) {
                let largest = vector.iter().fold(0.0, |m: f64, x| m.max(*x));
                vector.fill(largest);
            }
        }
    }
}

fn refuse_load_friction(source: Source) -> Result<(), Error> {
    let Source::LoadFriction(_) = source else { return Ok(()) };
    Err(Error::Combination {
        part: LEVEL,
        other: "load-dependent friction in joints of a Tree",
        reason: "the load is not known there; take friction of constant size (Tree::friction); runs can also use \
                 moreau_midpoint, moreau_jean or gap_level",
    })
}
