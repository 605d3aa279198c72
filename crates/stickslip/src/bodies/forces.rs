//! Forces on bodies: the same objects for every body model.
//!
//! A model evaluates its forces in the middle of a step, at the pose that the velocity of the beginning leads to and at the
//! mean of the velocities of both ends, so that smooth motion keeps second order. That mean is found by iteration for
//! forces that [depend on velocities](Force::follows_velocity). Gravity is part of the models.
//!
//! | force | between | has a potential |
//! |---|---|---|
//! | [`Spring`] | two marks, along their line | yes |
//! | [`Damper`] | two marks, along their line | |
//! | [`JointSpring`] | two frames: the turn about z (a torsion spring) or the shift along z | yes |
//! | [`JointDamper`] | two frames: the same motions | |
//! | [`JointDrive`] | the same: an affine law within a range | |
//! | [`BallDamper`] | two bodies: their angular velocity against each other | |
//! | [`Constant`] | a mark, in world or body axes | in world axes, without a torque |
//! | [`Custom`] | whatever a function says | |
//!
//! ```
//! use glam::DVec3;
//! use stickslip::bodies::forces::{Anchor, Spring};
//! use stickslip::bodies::{MassProperties, World};
//!
//! let mut world = World::new(DVec3::ZERO)?;
//! let body = world.body(MassProperties::sphere(1.0, 0.1)?);
//! let (from, to) = (Anchor::world(DVec3::ZERO), Anchor::on(body, DVec3::ZERO));
//! world.force(Spring { from, to, stiffness: 40.0, length: 0.5 })?;
//! # Ok::<(), stickslip::Error>(())
//! ```

pub use super::joint_drive::{BallDamper, JointDrive};

use super::pose::check_vector;
use super::{Pose, Twist};
use crate::error::{Error, check};
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};
use std::fmt;
use std::sync::Arc;

/// A body of any model, by number: made from a [`Body`](super::Body) or a [`LinkId`](super::articulated::LinkId).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyIndex(pub(crate) usize);

impl BodyIndex {
    /// What does not move, in every model.
    pub const GROUND: Self = Self(0);

    /// Its place in the lists that a [`Force`] is given.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// A point of a body, in its own axes from its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The body.
    pub part: BodyIndex,
    /// The point.
    pub point: DVec3,
}

impl Anchor {
    /// A point of a body.
    pub fn on(part: impl Into<BodyIndex>, point: DVec3) -> Self {
        Self { part: part.into(), point }
    }

    /// A point of the world.
    #[must_use]
    pub fn world(point: DVec3) -> Self {
        Self { part: BodyIndex::GROUND, point }
    }

    /// Where it is, its lever from the centre of mass, its velocity.
    fn motion(&self, bodies: &[(Pose, Twist)]) -> (DVec3, DVec3, DVec3) {
        let (pose, twist) = &bodies[self.part.0];
        let lever = pose.rotation * self.point;
        (pose.position + lever, lever, twist.at(lever))
    }

    fn validate(&self, what: &str, bodies: usize) -> Result<(), Error> {
        known(self.part, what, bodies)?;
        check_vector(|| format!("a coordinate of {what}"), self.point)
    }
}

/// What acts on a body: a force, and a torque about its centre of mass, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// The force.
    pub force: DVec3,
    /// The torque about the centre of mass.
    pub torque: DVec3,
}

impl Load {
    /// Adds a force that acts at this lever from the centre of mass.
    pub fn push(&mut self, lever: DVec3, force: DVec3) {
        self.force += force;
        self.torque += lever.cross(force);
    }
}

/// A force on bodies, whatever their model.
pub trait Force: Send + Sync {
    /// Refuses numbers out of range, and bodies that a model with this many (the ground included) does not have.
    ///
    /// # Errors
    /// Which number, and what it should be.
    fn validate(&self, bodies: usize) -> Result<(), Error>;

    /// Adds the loads at these poses and twists of all bodies, each at its [`BodyIndex::index`]; those of prescribed bodies and the
    /// ground have no effect.
    fn act(&self, bodies: &[(Pose, Twist)], t: f64, loads: &mut [Load]);

    /// The potential energy, for forces that have one.
    fn potential(&self, _bodies: &[(Pose, Twist)], _t: f64) -> f64 {
        0.0
    }

    /// How fast that potential energy changes where the bodies move so. A force that has a potential must say it: energies are balanced
    /// with it.
    fn potential_rate(&self, _bodies: &[(Pose, Twist)], _t: f64) -> f64 {
        0.0
    }

    /// Whether twists matter. A model then looks for the mean velocity of a step by iteration. Default true.
    fn follows_velocity(&self) -> bool {
        true
    }
}

impl<F: Force + ?Sized> Force for Arc<F> {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        (**self).validate(bodies)
    }

    fn act(&self, bodies: &[(Pose, Twist)], t: f64, loads: &mut [Load]) {
        (**self).act(bodies, t, loads);
    }

    fn potential(&self, bodies: &[(Pose, Twist)], t: f64) -> f64 {
        (**self).potential(bodies, t)
    }

    fn potential_rate(&self, bodies: &[(Pose, Twist)], t: f64) -> f64 {
        (**self).potential_rate(bodies, t)
    }

    fn follows_velocity(&self) -> bool {
        (**self).follows_velocity()
    }
}

/// A linear spring between two marks: a force `stiffness` · (distance − `length`) along their line. Where the marks meet there
/// is no line, and no force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// One end.
    pub from: Anchor,
    /// The other.
    pub to: Anchor,
    /// Force per length, at least 0.
    pub stiffness: f64,
    /// The length without force, at least 0.
    pub length: f64,
}

impl Force for Spring {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        two(self.from.part, self.to.part, "a spring")?;
        self.from.validate("a spring's first mark", bodies)?;
        self.to.validate("a spring's second mark", bodies)?;
        at_least_zero("the stiffness of a spring", self.stiffness)?;
        at_least_zero("the length of a spring", self.length)
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        let ((p, lever, _), (q, other, _)) = (self.from.motion(bodies), self.to.motion(bodies));
        let between = q - p;
        let pull = self.stiffness * (between - self.length * between.normalize_or_zero());
        loads[self.from.part.0].push(lever, pull);
        loads[self.to.part.0].push(other, -pull);
    }

    fn potential(&self, bodies: &[(Pose, Twist)], _: f64) -> f64 {
        let (p, q) = (self.from.motion(bodies).0, self.to.motion(bodies).0);
        0.5 * self.stiffness * ((q - p).length() - self.length).powi(2)
    }

    fn potential_rate(&self, bodies: &[(Pose, Twist)], _: f64) -> f64 {
        let ((p, _, v), (q, _, w)) = (self.from.motion(bodies), self.to.motion(bodies));
        let between = q - p;
        let pull = self.stiffness * (between - self.length * between.normalize_or_zero());
        pull.dot(w - v)
    }

    fn follows_velocity(&self) -> bool {
        false
    }
}

/// A dashpot between two marks: a force `damping` times the speed at which their distance grows, against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damper {
    /// One end.
    pub from: Anchor,
    /// The other.
    pub to: Anchor,
    /// Force per speed, at least 0.
    pub damping: f64,
}

impl Force for Damper {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        two(self.from.part, self.to.part, "a damper")?;
        self.from.validate("a damper's first mark", bodies)?;
        self.to.validate("a damper's second mark", bodies)?;
        at_least_zero("the damping of a damper", self.damping)
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        let ((p, lever, v), (q, other, w)) = (self.from.motion(bodies), self.to.motion(bodies));
        let along = (q - p).normalize_or_zero();
        let pull = self.damping * (w - v).dot(along) * along;
        loads[self.from.part.0].push(lever, pull);
        loads[self.to.part.0].push(other, -pull);
    }
}

/// A motion that a joint leaves, of its second frame against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// The turn about z of the first frame.
    Turn,
    /// The shift along z of the first frame.
    Shift,
}

/// Two frames of two bodies, each in the body's own axes from its centre of mass, and a motion between them that the bodies'
/// joint leaves: about or along the common axis z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The first body and its frame.
    pub first: (BodyIndex, Pose),
    /// The second body and its frame.
    pub second: (BodyIndex, Pose),
    /// Which motion.
    pub freedom: Freedom,
}

impl Axis {
    /// Frames on two bodies.
    pub fn new(
        freedom: Freedom,
        (first, on_first): (impl Into<BodyIndex>, Pose),
        (second, on_second): (impl Into<BodyIndex>, Pose),
    ) -> Self {
        Self { first: (first.into(), on_first), second: (second.into(), on_second), freedom }
    }

    pub(super) fn validate(&self, what: &str, bodies: usize) -> Result<(), Error> {
        two(self.first.0, self.second.0, what)?;
        for (part, frame) in [self.first, self.second] {
            Anchor { part, point: frame.position }
                .validate(&format!("a frame of {what}"), bodies)?;
            let length = frame.rotation.length();
            let place = || format!("the length of a quaternion of {what}");
            check(place, length, (length - 1.0).abs() < 1e-6, "1; normalise it")?;
        }
        Ok(())
    }

    /// The coordinate and its velocity at these motions of all bodies, each at its [`BodyIndex::index`]; an angle is from −π to π.
    ///
    /// # Panics
    /// If a body of it is not among them.
    #[must_use]
    pub fn motion(&self, bodies: &[(Pose, Twist)]) -> (f64, f64) {
        let ((i, on_a), (j, on_b)) = (self.first, self.second);
        let ((a, v), (b, w)) = (&bodies[i.0], &bodies[j.0]);
        let axes = DMat3::from_quat(a.rotation * on_a.rotation);
        match self.freedom {
            Freedom::Turn => {
                let x = b.rotation * (on_b.rotation * DVec3::X);
                let angle = x.dot(axes.y_axis).atan2(x.dot(axes.x_axis));
                (angle, axes.z_axis.dot(w.angular - v.angular))
            }
            Freedom::Shift => {
                let q = b.point(on_b.position);
                // The first body is followed to where the second one is.
                let speed = w.at(q - b.position) - v.at(q - a.position);
                (axes.z_axis.dot(q - a.point(on_a.position)), axes.z_axis.dot(speed))
            }
        }
    }

    /// How far a coordinate is from another; angles by the shorter way.
    pub(super) fn off(&self, coordinate: f64, rest: f64) -> f64 {
        let off = coordinate - rest;
        match self.freedom {
            Freedom::Turn => off - TAU * ((off + PI) / TAU).floor(),
            Freedom::Shift => off,
        }
    }

    /// Adds a force or torque on the second body along the motion, and the opposite one on the first.
    pub(super) fn push(&self, size: f64, bodies: &[(Pose, Twist)], loads: &mut [Load]) {
        let ((i, on_a), (j, on_b)) = (self.first, self.second);
        let (a, b) = (&bodies[i.0].0, &bodies[j.0].0);
        let along = size * (a.rotation * (on_a.rotation * DVec3::Z));
        match self.freedom {
            Freedom::Turn => {
                loads[i.0].torque -= along;
                loads[j.0].torque += along;
            }
            Freedom::Shift => {
                let q = b.point(on_b.position);
                loads[i.0].push(q - a.position, -along);
                loads[j.0].push(q - b.position, along);
            }
        }
    }
}

/// A spring in a joint: a torsion spring for a turn, a linear one for a shift. An angle is taken as the one within half a turn
/// of `rest`: poses do not count turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSpring {
    /// The motion.
    pub axis: Axis,
    /// Torque per angle or force per length, at least 0.
    pub stiffness: f64,
    /// The angle or shift without force.
    pub rest: f64,
}

impl JointSpring {
    fn strain(&self, bodies: &[(Pose, Twist)]) -> f64 {
        self.axis.off(self.axis.motion(bodies).0, self.rest)
    }
}

impl Force for JointSpring {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        self.axis.validate("a joint spring", bodies)?;
        check(|| "the rest of a joint spring".into(), self.rest, true, "a finite number")?;
        at_least_zero("the stiffness of a joint spring", self.stiffness)
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        self.axis.push(-self.stiffness * self.strain(bodies), bodies, loads);
    }

    fn potential(&self, bodies: &[(Pose, Twist)], _: f64) -> f64 {
        0.5 * self.stiffness * self.strain(bodies).powi(2)
    }

    fn potential_rate(&self, bodies: &[(Pose, Twist)], _: f64) -> f64 {
        self.stiffness * self.strain(bodies) * self.axis.motion(bodies).1
    }

    fn follows_velocity(&self) -> bool {
        false
    }
}

/// Viscous friction in a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDamper {
    /// The motion.
    pub axis: Axis,
    /// Torque per angular velocity or force per speed, at least 0.
    pub damping: f64,
}

impl Force for JointDamper {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        self.axis.validate("a joint damper", bodies)?;
        at_least_zero("the damping of a joint damper", self.damping)
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        self.axis.push(-self.damping * self.axis.motion(bodies).1, bodies, loads);
    }
}

/// A force at a mark and a torque, both constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// Where the force acts.
    pub at: Anchor,
    /// The force.
    pub force: DVec3,
    /// The torque.
    pub torque: DVec3,
    /// Whether both are given in the axes of the body, and turn with it.
    pub turns: bool,
}

impl Force for Constant {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        self.at.validate("the mark of a constant force", bodies)?;
        for (what, x) in [("a constant force", self.force), ("a constant torque", self.torque)] {
            check_vector(|| what.into(), x)?;
        }
        Ok(())
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        let pose = &bodies[self.at.part.0].0;
        let turned = |x: DVec3| if self.turns { pose.rotation * x } else { x };
        let load = &mut loads[self.at.part.0];
        load.push(pose.rotation * self.at.point, turned(self.force));
        load.torque += turned(self.torque);
    }

    fn potential(&self, bodies: &[(Pose, Twist)], _: f64) -> f64 {
        if self.turns { 0.0 } else { -self.force.dot(self.at.motion(bodies).0) }
    }

    fn potential_rate(&self, bodies: &[(Pose, Twist)], _: f64) -> f64 {
        if self.turns { 0.0 } else { -self.force.dot(self.at.motion(bodies).2) }
    }

    fn follows_velocity(&self) -> bool {
        false
    }
}

/// A force by a function of the motions of all bodies and of time.
pub struct Custom<F>(F);

impl<F: Fn(&[(Pose, Twist)], f64, &mut [Load]) + Send + Sync> Custom<F> {
    /// The function adds to the loads; see [`Force::act`]. It should be smooth in the velocities: steps look for their mean.
    pub fn new(act: F) -> Self {
        Self(act)
    }
}

impl<F> fmt::Debug for Custom<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}

impl<F: Fn(&[(Pose, Twist)], f64, &mut [Load]) + Send + Sync> Force for Custom<F> {
    fn validate(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn act(&self, bodies: &[(Pose, Twist)], t: f64, loads: &mut [Load]) {
        (self.0)(bodies, t, loads);
    }
}

pub(super) fn known(part: BodyIndex, what: &str, bodies: usize) -> Result<(), Error> {
    let place = || format!("the body of {what}");
    check(place, part.0 as f64, part.0 < bodies, "one of this model, added before the force")
}

pub(super) fn two(first: BodyIndex, second: BodyIndex, what: &str) -> Result<(), Error> {
    let place = || format!("the second body of {what}");
    check(place, second.0 as f64, first != second, "another than the first")
}

pub(super) fn at_least_zero(what: &'static str, x: f64) -> Result<(), Error> {
    check(|| what.into(), x, x >= 0.0, "a finite number >= 0")
}
