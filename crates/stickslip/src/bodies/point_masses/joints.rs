//! Joints between bodies of point masses: how they are built, and the candidates that they are.

use super::block::Source;
use super::place::PointMassPlace;
use super::world::PointMassWorld;
use crate::bodies::joint::{self, check_drive, check_frames, check_limits};
use crate::bodies::roles::{Body, check_pair};
use crate::bodies::tolerance::JOINT_IDENTITIES;
use crate::bodies::{Joint, Reaction};
use crate::contact::Law;
use crate::contact::set::ConvexSet;
use crate::error::{Error, check};
use crate::model::{Candidate, Model};
use crate::system::State;

pub(super) struct Link {
    pub(super) joint: Joint,
    pub(super) bodies: [usize; 2],
    limits: Option<[f64; 2]>,
    /// Target velocity and largest force or torque.
    drive: Option<(f64, f64)>,
}

impl PointMassWorld {
    /// The same world with the reactions of joints worked out elsewhere.
    #[must_use]
    pub fn with_reactions(mut self, reaction: Reaction) -> Self {
        self.reaction = reaction;
        self
    }

    /// Adds a joint between two bodies, of which at least one must be free. Its rows are those of rigid bodies pulled back
    /// to the masses.
    ///
    /// # Errors
    /// If a body is not of this world, both are the same, a rotation is not of length 1, or a number is out of range.
    pub fn joint(&mut self, first: Body, second: Body, joint: Joint) -> Result<usize, Error> {
        let index = self.joints.len();
        check_pair(&self.roles, &format!("joint {index}"), first, second)?;
        joint.kind.validate(index)?;
        check_frames(index, [&joint.on_first, &joint.on_second])?;
        let bodies = [first.0, second.0];
        self.joints.push(Link { joint, bodies, limits: None, drive: None });
        Ok(index)
    }

    /// Stops the coordinate of a joint at these values, as [`World::limit`](super::super::World::limit) does.
    ///
    /// # Errors
    /// If there is no such joint, it has no coordinate, the limits cross, or those of an angle are a turn apart or more.
    pub fn limit(&mut self, joint: usize, low: f64, high: f64) -> Result<(), Error> {
        let link = self.coordinate(joint)?;
        check_limits(joint, link.joint.kind, [low, high])?;
        link.limits = Some([low, high]);
        Ok(())
    }

    /// Drives the coordinate of a joint, as [`World::motor`](super::super::World::motor) does.
    ///
    /// # Errors
    /// If there is no such joint, it has no coordinate, or a number is out of range.
    pub fn motor(&mut self, joint: usize, velocity: f64, most: f64) -> Result<(), Error> {
        let link = self.coordinate(joint)?;
        check_drive(joint, velocity, most)?;
        link.drive = Some((velocity, most));
        Ok(())
    }

    fn coordinate(&mut self, joint: usize) -> Result<&mut Link, Error> {
        let wanted = "that of a joint of this world";
        let known = joint < self.joints.len();
        check(|| "the number of a joint".into(), joint as f64, known, wanted)?;
        let link = &mut self.joints[joint];
        link.joint.kind.check_coordinate()?;
        Ok(link)
    }

    /// Moves the bodies of a state by the shortest way, in the metric of their masses, so that all joints fit, and removes
    /// velocities that they exclude.
    ///
    /// # Errors
    /// If they cannot be made to fit: a loop that cannot close.
    pub fn assemble(&self, state: &mut State) -> Result<(), Error> {
        self.validate(&state.q, &state.u)?;
        let State { t, q, u } = state;
        self.stabilise(&mut PointMassPlace::default(), q, u, *t).map(|_| ())
    }

    /// The coordinate of a joint at a state.
    ///
    /// # Panics
    /// If there is no such joint, or the state does not belong to this world.
    #[must_use]
    pub fn joint_coordinate(&self, joint: usize, state: &State) -> f64 {
        let Link { joint, bodies, .. } = &self.joints[joint];
        let [a, b] = bodies.map(|body| self.motion(Body(body), state).0);
        joint::motion(joint.kind, (&a, &joint.on_first), (&b, &joint.on_second)).0
    }

    /// The candidates of a joint: its rows in the contact problem, its stops, its drive.
    pub(super) fn find_joint(
        &self,
        i: usize,
        place: &mut PointMassPlace,
        out: &mut Vec<Candidate>,
    ) {
        let PointMassPlace { bodies, sources, joint_laws, .. } = place;
        let mut add = |source, identity, gap, law| {
            sources.push(source);
            joint_laws.push(law);
            out.push(Candidate { identity, gap });
        };
        let Link { joint, limits, drive, .. } = &self.joints[i];
        let identity = JOINT_IDENTITIES + 4 * i as u64;
        if self.reaction == Reaction::InProblem {
            let law = Law::bilateral(joint.kind.rows()).with_restitution(1.0, 1.0);
            add(Source::Joint(i), identity, None, law);
        }
        if let Some([low, high]) = *limits {
            let x = joint.kind.between_limits(self.joint_motion(bodies, i).0, [low, high]);
            for (k, sign, gap) in [(1, 1.0, x - low), (2, -1.0, high - x)] {
                add(Source::Stop(i, sign), identity + k, Some(gap), Law::frictionless());
            }
        }
        if let Some((target, most)) = *drive {
            let law = Law::dry(most, ConvexSet::Interval);
            add(Source::Drive(i, target), identity + 3, None, law);
        }
    }
}
