//! What of a tree goes down to the contact problem: loops, friction in joints, limits, contacts of links.

use super::place::{TreePlace, Work};
use super::placement::Placement;
use super::spatial::Wrench;
use super::tree::Tree;
use crate::bodies::Twist;
use crate::bodies::contacts::Contacts;
use crate::bodies::pose::{Planar, check_motion};
use crate::bodies::seen_contact::SeenContact;
use crate::contact::Law;
use crate::error::{Error, check};
use crate::model::{Candidate, Model, Span};

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A loop or a coupling.
    Closure(usize),
    Friction(usize),
    /// Friction by the load of a joint.
    LoadFriction(usize),
    /// A coordinate, and its sign: 1 at the lower bound.
    Limit(usize, f64),
    Contact(SeenContact),
}

impl Tree {
    /// The candidates at coordinates and a time, in the order loops, couplings, friction in joints, friction by loads, limits, contacts of pairs, whose
    /// identities are places in that order, and contacts that are found.
    pub(super) fn find_candidates(
        &self,
        place: &mut TreePlace,
        span: &Span<'_>,
    ) -> Result<(), Error> {
        let Span { q, t, .. } = *span;
        let TreePlace { work: Work { at, .. }, candidates, sources, laws, contact_laws, .. } =
            place;
        at.locate(&self.links, q, t);
        self.check_moved(at, t)?;
        at.factorise(&self.links, q, t)?;
        candidates.clear();
        sources.clear();
        laws.clear();
        let mut add = |source, gap, law: Law| {
            candidates.push(Candidate { identity: candidates.len() as u64, gap });
            sources.push(source);
            laws.push(law);
        };
        for i in 0..self.connections() {
            let law = Law::bilateral(self.connection_size(i)).with_restitution(1.0, 1.0);
            add(Source::Closure(i), None, law);
        }
        for (i, dry) in self.frictions.iter().enumerate() {
            add(Source::Friction(i), None, dry.law.clone());
        }
        for i in 0..self.load_frictions.len() {
            add(Source::LoadFriction(i), None, Law::dry(0.0, self.rub_set(i)));
        }
        for (i, limit) in self.limits.iter().enumerate() {
            for (bound, sign) in limit.bounds.into_iter().zip([1.0, -1.0]) {
                if bound.is_finite() {
                    let gap = sign * (q[limit.q] - bound);
                    add(Source::Limit(i, sign), Some(gap), limit.law.clone());
                }
            }
        }
        let poses = (0..=self.links.len()).map(|l| at.pose(l));
        let pairs = &self.contacts.pairs;
        contact_laws.update(pairs, poses, t)?;
        for (i, pair) in pairs.iter().enumerate() {
            let [a, b] = [pair.first, pair.second].map(|l| at.pose(l));
            let seen = SeenContact::given(&self.contacts, i, &a, &b);
            let identity = candidates.len() as u64;
            candidates.push(Candidate { identity, gap: Some(seen.close.gap) });
            sources.push(Source::Contact(seen));
        }
        self.find_contacts(place, span)?;
        place.q.clear();
        place.q.extend_from_slice(q);
        place.t = t;
        Ok(())
    }

    /// The contacts between colliders.
    fn find_contacts(&self, place: &mut TreePlace, span: &Span<'_>) -> Result<(), Error> {
        if !self.contacts.are_found() {
            return Ok(());
        }
        let TreePlace { work: Work { at, moving, .. }, candidates, sources, found, .. } = place;
        if span.dt > 0.0 {
            moving.velocities(&self.links, at, span.u);
        }
        let motions = (0..=self.links.len()).map(|number| {
            let twist = match number.checked_sub(1) {
                Some(link) if span.dt > 0.0 => {
                    Twist { linear: moving.v[link].linear, angular: moving.v[link].angular }
                }
                _ => Twist::default(),
            };
            (at.pose(number), twist)
        });
        self.contacts.find(found, motions, span.dt)?;
        for (k, contact) in found.list.iter().enumerate() {
            let [a, b] = contact.bodies.map(|body| at.pose(body));
            let seen = SeenContact::found(&self.contacts, (k, contact), &a, &b);
            candidates.push(Contacts::found_candidate(contact, seen.close.gap));
            sources.push(Source::Contact(seen));
        }
        Ok(())
    }

    /// Refuses non-finite motions of prescribed links, and of a tree in the plane those that leave it.
    fn check_moved(&self, at: &Placement, t: f64) -> Result<(), Error> {
        for (i, _) in self.links.iter().enumerate().filter(|(_, link)| link.moved.is_some()) {
            let (pose, twist) = (at.poses[i], at.twists[i]);
            check_motion(i + 1, t, &(pose, twist))?;
            let place = || format!("z of the prescribed body {} at t = {t}", i + 1);
            let inside = !self.is_in_plane() || (pose.is_in_plane() && twist.is_in_plane());
            check(place, pose.position.z, inside, "0, with a turn about z alone, in the plane")?;
        }
        Ok(())
    }

    /// The number of components of a candidate.
    pub(super) fn components(&self, source: Source) -> usize {
        match source {
            Source::Closure(i) => self.connection_size(i),
            Source::Friction(i) => self.frictions[i].u.len(),
            Source::LoadFriction(i) => self.links[self.load_frictions[i].link].u.len(),
            Source::Limit(..) => 1,
            Source::Contact(contact) => contact.components,
        }
    }

    /// Appends the columns of H of a candidate.
    pub(super) fn append(&self, at: &Placement, source: Source, rows: &mut Vec<f64>) {
        let n = self.velocities();
        let mut unit = |u: usize, value: f64| {
            let start = rows.len();
            rows.resize(start + n, 0.0);
            rows[start + u] = value;
        };
        match source {
            Source::Friction(i) => self.frictions[i].u.clone().for_each(|u| unit(u, 1.0)),
            Source::LoadFriction(i) => {
                self.links[self.load_frictions[i].link].u.clone().for_each(|u| unit(u, 1.0))
            }
            Source::Limit(i, sign) => unit(self.limits[i].u, sign),
            Source::Closure(i) => self.connection_rows(i, at, rows),
            Source::Contact(contact) => self.contact_rows(at, &contact, rows),
        }
    }

    /// What prescribed links and the targets of motors add to the relative velocities of a candidate.
    pub(super) fn drive_of(&self, at: &Placement, source: Source, out: &mut [f64]) {
        let contact = match source {
            Source::Contact(contact) => contact,
            Source::Friction(i) => {
                out.iter_mut().for_each(|x| *x -= self.frictions[i].target);
                return;
            }
            _ => return,
        };
        for (body, sign, point) in contact.sides() {
            let moved = body.checked_sub(1).filter(|l| self.links[*l].moved.is_some());
            let Some((pose, twist)) = moved.map(|l| (at.poses[l], at.twists[l])) else { continue };
            for (x, d) in out.iter_mut().zip(contact.directions()) {
                let (force, moment) = d.wrench(sign, point - pose.position);
                *x += force.dot(twist.linear) + moment.dot(twist.angular);
            }
        }
    }

    fn contact_rows(&self, at: &Placement, contact: &SeenContact, rows: &mut Vec<f64>) {
        for d in contact.directions() {
            let start = rows.len();
            rows.resize(start + self.velocities(), 0.0);
            for (body, sign, point) in contact.sides() {
                let Some(link) = body.checked_sub(1) else { continue };
                let (force, torque) = d.wrench(sign, point - at.poses[link].position);
                let wrench = Wrench { torque, force };
                at.add_wrench(&self.links, link, wrench, &mut rows[start..]);
            }
        }
    }
}
