//! The contacts of a body model: what is refused, how close they are, their frames and velocities.

use super::proximity::{Pair, Proximity, tangents};
use super::{Pose, Twist};
use crate::contact::{Kind, Law, SlipDependence};
use crate::error::{Error, check};
use crate::model::Candidate;
use crate::model::placed::place_friction;
use crate::system::PlacedFriction;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A contact that may be, between two bodies by their numbers in the model.
pub(super) struct ContactPair {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) pair: Arc<dyn Pair>,
    pub(super) law: Law,
    /// The coefficient of friction, where it depends on poses or on time.
    friction: Option<Arc<dyn PlacedFriction>>,
}

impl ContactPair {
    /// Contact number `index`, between bodies that the model has checked.
    pub(super) fn new(
        index: usize,
        [first, second]: [usize; 2],
        pair: Arc<dyn Pair>,
        law: Law,
    ) -> Result<Self, Error> {
        law.validate(index)?;
        let spatial = !matches!(law.kind, Kind::Bilateral(_) | Kind::Planar | Kind::Dry(_));
        let place = || format!("the number of components of contact {index}");
        let wanted = "that of a contact in space: none, disc or a friction set";
        check(place, law.components() as f64, spatial, wanted)?;
        Ok(Self { first, second, pair, law, friction: None })
    }

    /// Lets the coefficient of friction of contact number `index` depend on the poses of bodies and on time.
    pub(super) fn place_friction(
        pairs: &mut [Self],
        index: usize,
        friction: Arc<dyn PlacedFriction>,
    ) -> Result<(), Error> {
        let known = pairs.len();
        let wanted = "the number of a contact that was added";
        check(|| "the contact of a coefficient".into(), index as f64, index < known, wanted)?;
        let pair = &mut pairs[index];
        let refused = |other, reason| {
            Err(Error::Combination { part: "a coefficient of friction that varies", other, reason })
        };
        if pair.law.kind.set().is_none() {
            return refused(
                "a contact without friction",
                "give it the kind disc, or a friction set",
            );
        }
        if pair.law.slip_dependence != SlipDependence::None {
            let reason = "the coefficient that varies takes the place of every other; leave the curve or the static one out";
            return refused("a law with a curve or a static coefficient", reason);
        }
        if friction.by_speed() && pair.law.eps_t != 0.0 {
            let reason = "a coefficient of the slip speed is about the slip at the end of an impact alone; set eps_t to 0";
            return refused("eps_t > 0", reason);
        }
        pair.friction = Some(friction);
        Ok(())
    }

    /// Whether a coefficient of friction among these contacts depends on poses or on time.
    pub(super) fn friction_varies(pairs: &[Self]) -> bool {
        pairs.iter().any(|pair| pair.friction.is_some())
    }

    /// Its law where all bodies, the ground first, have these poses, written one after the other as in [`PlacedFriction`].
    fn law_at(&self, index: usize, poses: &[f64], t: f64) -> Result<Law, Error> {
        let mut law = self.law.clone();
        if let Some(friction) = &self.friction {
            place_friction(&mut law, (index, friction), (poses, t), &mut Vec::new())?;
        }
        Ok(law)
    }

    /// How close it is at these poses, and the candidate that it is.
    pub(super) fn detect(
        &self,
        identity: u64,
        first: &Pose,
        second: &Pose,
    ) -> (Proximity, Candidate) {
        let close = self.pair.proximity(first, second);
        (close, Candidate { identity, gap: Some(close.gap) })
    }

    /// The bodies with the signs of their velocities in the relative one, and the points that touch.
    pub(super) fn sides(&self, close: &Proximity) -> [(usize, f64, DVec3); 2] {
        [(self.first, 1.0, close.on_first), (self.second, -1.0, close.on_second)]
    }

    /// The relative velocity at these motions, in the frame of `then` turned with the normal.
    pub(super) fn velocity_at(
        &self,
        (a, v): (Pose, Twist),
        (b, w): (Pose, Twist),
        then: &Proximity,
        out: &mut [f64],
    ) {
        let now = self.pair.proximity(&a, &b);
        let slip = v.at(now.on_first - a.position) - w.at(now.on_second - b.position);
        let turn = DQuat::from_rotation_arc(then.normal, now.normal);
        let (t, o) = tangents(then.normal, then.tangent);
        let spin = (v.angular - w.angular).dot(now.normal);
        let all = [slip.dot(now.normal), slip.dot(turn * t), slip.dot(turn * o), spin];
        out.iter_mut().zip(all).for_each(|(x, y)| *x = y);
    }
}

/// The laws of contacts at a place: their own, unless friction varies.
#[derive(Debug, Default)]
pub(super) struct ContactLaws {
    /// All of them where the friction of one varies, else none.
    there: Vec<Law>,
}

impl ContactLaws {
    /// Evaluates friction where all bodies, the ground first, have these poses.
    pub(super) fn update(
        &mut self,
        pairs: &[ContactPair],
        poses: impl Iterator<Item = Pose>,
        t: f64,
    ) -> Result<(), Error> {
        self.there.clear();
        if !ContactPair::friction_varies(pairs) {
            return Ok(());
        }
        let write = |Pose { position: p, rotation: r }: Pose| [p.x, p.y, p.z, r.w, r.x, r.y, r.z];
        let written: Vec<f64> = poses.flat_map(write).collect();
        for (index, pair) in pairs.iter().enumerate() {
            self.there.push(pair.law_at(index, &written, t)?);
        }
        Ok(())
    }

    /// That of one of them.
    pub(super) fn law<'a>(&'a self, pairs: &'a [ContactPair], contact: usize) -> &'a Law {
        self.there.get(contact).unwrap_or(&pairs[contact].law)
    }
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

impl ContactPair {
    /// What is left of the rates of the relative velocities where no velocity of the model changes. The frame turns with the
    /// normal, and not about it.
    pub(super) fn convective(&self, [a, b]: [&Moving; 2], close: &Proximity, out: &mut [f64]) {
        let rate = self.pair.rate((&a.pose, &a.twist), (&b.pose, &b.twist));
        let (v, first) = a.at(close.on_first, rate.on_first);
        let (w, second) = b.at(close.on_second, rate.on_second);
        let (slip, change, n) = (v - w, first - second, close.normal);
        let (t, o) = tangents(n, close.tangent);
        let along = |d: DVec3| change.dot(d) - d.dot(rate.normal) * slip.dot(n);
        let spin = a.twist.angular - b.twist.angular;
        let spins = (a.rate.angular - b.rate.angular).dot(n) + spin.dot(rate.normal);
        let all = [change.dot(n) + slip.dot(rate.normal), along(t), along(o), spins];
        out.iter_mut().zip(all).for_each(|(x, y)| *x = y);
    }
}

/// The directions of a contact's components N, T, O, R: the first three of shifts, the last of a turn.
pub(super) fn directions(close: &Proximity) -> [Direction; 4] {
    let (t, o) = tangents(close.normal, close.tangent);
    let [n, t, o] = [close.normal, t, o].map(Direction::Shift);
    [n, t, o, Direction::Turn(close.normal)]
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
