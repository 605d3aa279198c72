//! A contact as it is seen at a configuration: its points, frame, velocities and their rates.

use super::contacts::Contacts;
use super::proximity::{Pair, Proximity, ProximityRate, tangents};
use super::{Pose, Twist};
use crate::contact::{Kind, Law};
use crate::model::ContactPoint;
use glam::{DQuat, DVec3};
use stickslip_collision::{Contact, FeaturePair};

/// A contact at a configuration, between two bodies by their numbers in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeenContact {
    pub(super) bodies: [usize; 2],
    /// Of its law, and how many of them are along the normal.
    pub(super) components: usize,
    normals: usize,
    pub(super) close: Proximity,
    /// A direction along which the first tangent is laid.
    tangent: Option<DVec3>,
    /// The number of its pair, or after all pairs that among the contacts that were found.
    geometry: usize,
}

impl SeenContact {
    /// A contact of the pair with this number.
    pub(super) fn given(contacts: &Contacts, index: usize, first: &Pose, second: &Pose) -> Self {
        let given = &contacts.pairs[index];
        let close = given.pair.proximity(first, second);
        Self {
            bodies: [given.first, given.second],
            components: given.law.components(),
            normals: 1,
            close,
            tangent: in_plane(&given.law, &close).or_else(|| given.pair.tangent(first, second)),
            geometry: index,
        }
    }

    /// The one with this number among those that were found.
    pub(super) fn found(
        contacts: &Contacts,
        (index, contact): (usize, &Contact),
        first: &Pose,
        second: &Pose,
    ) -> Self {
        let (law, close) = (contacts.found_law(contact), contact.feature.proximity(first, second));
        // A patch has two shifts and a turn.
        let (components, normals) =
            if contact.patch.is_some() { (3, 0) } else { (law.components(), 1) };
        Self {
            bodies: contact.bodies,
            components,
            normals,
            close,
            tangent: in_plane(law, &close),
            geometry: contacts.pairs.len() + index,
        }
    }

    /// The unit normal and the two unit tangents.
    pub(super) fn frame(&self) -> [DVec3; 3] {
        let (t, o) = tangents(self.close.normal, self.tangent);
        [self.close.normal, t, o]
    }

    /// The directions of the components N, T, O, R: the first three of shifts, the last of a turn.
    pub(super) fn directions(&self) -> impl Iterator<Item = Direction> + use<> {
        let [n, t, o] = self.frame().map(Direction::Shift);
        self.own([n, t, o, Direction::Turn(self.close.normal)])
    }

    /// Those of N, T, O, R that it has.
    fn own<T>(&self, all: [T; 4]) -> impl Iterator<Item = T> + use<T> {
        all.into_iter().skip(1 - self.normals).take(self.components)
    }

    /// Its number among the contacts that were found.
    pub(super) fn found_number(&self, contacts: &Contacts) -> Option<usize> {
        self.geometry.checked_sub(contacts.pairs.len())
    }

    /// The bodies with the signs of their velocities in the relative one, and the points that touch.
    pub(super) fn sides(&self) -> [(usize, f64, DVec3); 2] {
        let [first, second] = self.bodies;
        [(first, 1.0, self.close.on_first), (second, -1.0, self.close.on_second)]
    }

    /// For those who list or draw it.
    pub(super) fn point(&self, mu: f64) -> ContactPoint {
        let [normal, tangent, _] = self.frame().map(|d| d.to_array());
        let position = (0.5 * (self.close.on_first + self.close.on_second)).to_array();
        let Self { bodies, components, normals, .. } = *self;
        ContactPoint { bodies, position, normal, tangent, components, normals, mu }
    }

    /// What touches: a pair that was given, or features that were found.
    fn touching<'a>(
        &self,
        (contacts, found): (&'a Contacts, &'a [Contact]),
    ) -> Result<&'a dyn Pair, &'a FeaturePair> {
        match self.found_number(contacts) {
            None => Ok(&*contacts.pairs[self.geometry].pair),
            Some(index) => Err(&found[index].feature),
        }
    }

    fn proximity(&self, of: (&Contacts, &[Contact]), first: &Pose, second: &Pose) -> Proximity {
        match self.touching(of) {
            Ok(pair) => pair.proximity(first, second),
            Err(feature) => feature.proximity(first, second),
        }
    }

    fn rate(
        &self,
        of: (&Contacts, &[Contact]),
        first: (&Pose, &Twist),
        second: (&Pose, &Twist),
    ) -> ProximityRate {
        match self.touching(of) {
            Ok(pair) => pair.rate(first, second),
            Err(feature) => {
                let moving = |(pose, twist): (_, &Twist)| (pose, twist.linear, twist.angular);
                feature.rate(moving(first), moving(second))
            }
        }
    }

    /// The relative velocity if the bodies moved so, in the frame seen here turned with the normal.
    pub(super) fn velocity_at(
        &self,
        of: (&Contacts, &[Contact]),
        (a, v): (Pose, Twist),
        (b, w): (Pose, Twist),
        out: &mut [f64],
    ) {
        let now = self.proximity(of, &a, &b);
        let slip = v.at(now.on_first - a.position) - w.at(now.on_second - b.position);
        let [n, t, o] = self.frame();
        let turn = DQuat::from_rotation_arc(n, now.normal);
        let spin = (v.angular - w.angular).dot(now.normal);
        let all = [slip.dot(now.normal), slip.dot(turn * t), slip.dot(turn * o), spin];
        out.iter_mut().zip(self.own(all)).for_each(|(x, y)| *x = y);
    }

    /// What is left of the rates of the relative velocities where no velocity of the model changes. The frame turns with the
    /// normal, and not about it.
    pub(super) fn convective(
        &self,
        of: (&Contacts, &[Contact]),
        [a, b]: [&Moving; 2],
        out: &mut [f64],
    ) {
        let rate = self.rate(of, (&a.pose, &a.twist), (&b.pose, &b.twist));
        let (v, first) = a.at(self.close.on_first, rate.on_first);
        let (w, second) = b.at(self.close.on_second, rate.on_second);
        let (slip, change) = (v - w, first - second);
        let [n, t, o] = self.frame();
        let along = |d: DVec3| change.dot(d) - d.dot(rate.normal) * slip.dot(n);
        let spin = a.twist.angular - b.twist.angular;
        let spins = (a.rate.angular - b.rate.angular).dot(n) + spin.dot(rate.normal);
        let all = [change.dot(n) + slip.dot(rate.normal), along(t), along(o), spins];
        out.iter_mut().zip(self.own(all)).for_each(|(x, y)| *x = y);
    }
}

/// The tangent of a planar contact: in the plane, to the right of who looks along its normal.
fn in_plane(law: &Law, close: &Proximity) -> Option<DVec3> {
    (law.kind == Kind::Planar).then(|| close.normal.cross(DVec3::Z))
}

/// A body in motion, and its acceleration where no velocity of the model changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moving {
    pub(super) pose: Pose,
    pub(super) twist: Twist,
    pub(super) rate: Twist,
}

impl Moving {
    /// The velocity of the body at a place that moves with the velocity `moves`, and how that velocity changes.
    pub(super) fn at(&self, place: DVec3, moves: DVec3) -> (DVec3, DVec3) {
        let lever = place - self.pose.position;
        let carried = self.twist.angular.cross(moves - self.twist.linear);
        (self.twist.at(lever), self.rate.at(lever) + carried)
    }
}

/// What one component of a contact measures.
#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    /// The velocity of the point along this.
    Shift(DVec3),
    /// The angular velocity about this.
    Turn(DVec3),
}

impl Direction {
    /// The force and the moment about the centre of a unit impulse on a body, at `lever` from its centre.
    pub(super) fn wrench(self, sign: f64, lever: DVec3) -> (DVec3, DVec3) {
        match self {
            Self::Shift(d) => (sign * d, sign * lever.cross(d)),
            Self::Turn(d) => (DVec3::ZERO, sign * d),
        }
    }
}
