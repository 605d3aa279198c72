//! Drives of joints by affine laws, and damping of ball joints.

use super::forces::{Axis, BodyIndex, Force, Load, at_least_zero, known, two};
use super::{Pose, Twist};
use crate::error::{Error, check};

/// A drive in a joint: `push` − `stiffness` (coordinate − `rest`) − `damping` velocity, within a range. A servo for a position has a
/// stiffness, one for a speed a push and a damping. An angle is taken as the one within half a turn of `rest`: poses do not count
/// turns. It counts as a force without a potential: what it does is work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDrive {
    /// The motion.
    pub axis: Axis,
    /// The force or torque at `rest` and without velocity.
    pub push: f64,
    /// Torque per angle or force per length.
    pub stiffness: f64,
    /// The angle or shift at which the stiffness does nothing.
    pub rest: f64,
    /// Torque per angular velocity or force per speed.
    pub damping: f64,
    /// The least and the largest force or torque.
    pub range: Option<[f64; 2]>,
}

impl Force for JointDrive {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        self.axis.validate("a joint drive", bodies)?;
        for (what, x) in [
            ("the push of a joint drive", self.push),
            ("the stiffness of a joint drive", self.stiffness),
            ("the rest of a joint drive", self.rest),
            ("the damping of a joint drive", self.damping),
        ] {
            check(|| what.into(), x, true, "a finite number")?;
        }
        let Some([least, most]) = self.range else { return Ok(()) };
        let ordered = least <= most;
        check(|| "the least force of a joint drive".into(), least, ordered, "at most the largest")
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        let (coordinate, velocity) = self.axis.motion(bodies);
        let strain = self.axis.off(coordinate, self.rest);
        let force = self.push - self.stiffness * strain - self.damping * velocity;
        let force = self.range.map_or(force, |[least, most]| force.max(least).min(most));
        self.axis.push(force, bodies, loads);
    }

    fn follows_velocity(&self) -> bool {
        self.damping != 0.0
    }
}

/// Viscous friction between two bodies that turn against each other in any direction: a torque per angular velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallDamper {
    /// One body.
    pub first: BodyIndex,
    /// The other.
    pub second: BodyIndex,
    /// Torque per angular velocity, at least 0.
    pub damping: f64,
}

impl Force for BallDamper {
    fn validate(&self, bodies: usize) -> Result<(), Error> {
        two(self.first, self.second, "a ball damper")?;
        known(self.first, "a ball damper", bodies)?;
        known(self.second, "a ball damper", bodies)?;
        at_least_zero("the damping of a ball damper", self.damping)
    }

    fn act(&self, bodies: &[(Pose, Twist)], _: f64, loads: &mut [Load]) {
        let [i, j] = [self.first, self.second].map(BodyIndex::index);
        let torque = self.damping * (bodies[j].1.angular - bodies[i].1.angular);
        loads[i].torque += torque;
        loads[j].torque -= torque;
    }
}
