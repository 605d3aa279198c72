//! Rigid bodies in maximal coordinates.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q | per body position and unit quaternion (w, x, y, z) | 7 |
//! | u | per body velocity of the centre and angular velocity, world axes | 6 |
//!
//! A step with joints is one of RATTLE: reactions at its beginning are such that positions are on the joints at its end, and reactions
//! at its end such that velocities are. in the contact problem joints exclude motions of the mean velocity of a step, J(q_mid) (u⁺ + u) = −2 ŵ, a
//! law with ε = 1; contacts see this, and then the step ends in the same way.

mod delassus;
mod forces;
mod friction;
mod halves;
mod model;
mod place;
mod rattle;
mod reactions;
mod rows;
mod sleep;
mod smooth;
mod theta;

use super::acting::Forces;
use super::contact_pair::ContactPair;
use super::contacts::Contacts;
use super::forces::Force;
use super::joint::{JointKind, check_drive, check_frames, check_limits};
use super::material::{Material, Materials};
use super::pose::check_vector;
use super::proximity::Pair;
use super::roles::{self, check_pair};
pub use super::roles::{Body, Motion};
use super::spin::in_world;
use super::{Collider, MassProperties, Pose, SpinUpdate, Twist};
use crate::bodies::pose::Coordinates;
use crate::contact::Law;
use crate::error::{Error, check};
use crate::model::Model;
use crate::system::{PlacedFriction, State};
use glam::DVec3;
pub use place::WorldPlace;
use std::fmt;
use std::sync::Arc;

type Role = roles::Role<MassProperties>;

/// A joint between two bodies.
///
/// The frames are given in each body's own axes, from its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Which motions it leaves.
    pub kind: JointKind,
    /// Its frame on the first body.
    pub on_first: Pose,
    /// Its frame on the second body.
    pub on_second: Pose,
}

/// Where the reactions of joints are worked out in steps. Event-driven motion has them inside whatever is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reaction {
    /// In the model: contacts see bodies that joints hold together. Cost grows with the joints alone; every contact then sees
    /// every other of its mechanism.
    #[default]
    Inside,
    /// in the contact problem, as bilateral laws beside the contacts.
    InProblem,
}

#[derive(Clone)]
struct Link {
    kind: JointKind,
    first: usize,
    second: usize,
    on_first: Pose,
    on_second: Pose,
    limits: Option<[f64; 2]>,
    /// Target velocity and largest force or torque.
    drive: Option<(f64, f64)>,
    /// Friction per load: μ, times the radius of a pin.
    load_friction: Option<f64>,
}

/// Rigid bodies with contacts, forces and prescribed bodies.
///
/// The ground is the body [`World::GROUND`], fixed at the origin.
#[derive(Clone)]
pub struct World {
    roles: Vec<Role>,
    free: usize,
    contacts: Contacts,
    joints: Vec<Link>,
    reaction: Reaction,
    gravity: DVec3,
    forces: Forces,
    update: SpinUpdate,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("World");
        f.field("bodies", &self.free).field("contacts", &self.contacts).finish()
    }
}

impl Default for World {
    fn default() -> Self {
        Self {
            roles: vec![Role::still()],
            free: 0,
            contacts: Contacts::default(),
            joints: Vec::new(),
            reaction: Reaction::default(),
            gravity: DVec3::ZERO,
            forces: Forces::default(),
            update: SpinUpdate::default(),
        }
    }
}

impl World {
    /// What does not move.
    pub const GROUND: Body = Body(0);

    /// An empty world with this gravity.
    ///
    /// # Errors
    /// If the gravity is not finite.
    pub fn new(gravity: DVec3) -> Result<Self, Error> {
        check_vector(|| "gravity".into(), gravity)?;
        Ok(Self { gravity, ..Self::default() })
    }

    /// The same world with another update of free rotation.
    #[must_use]
    pub fn with_update(mut self, update: SpinUpdate) -> Self {
        self.update = update;
        self
    }

    /// The same world with the reactions of joints worked out elsewhere.
    #[must_use]
    pub fn with_reactions(mut self, reaction: Reaction) -> Self {
        self.reaction = reaction;
        self
    }

    /// Adds a body that moves freely.
    pub fn body(&mut self, properties: MassProperties) -> Body {
        self.roles.push(Role::Free(self.free, properties));
        self.free += 1;
        Body(self.roles.len() - 1)
    }

    /// Adds a body whose motion is prescribed.
    pub fn prescribed(
        &mut self,
        motion: impl Fn(f64) -> (Pose, Twist) + Send + Sync + 'static,
    ) -> Body {
        self.roles.push(Role::prescribed(motion));
        Body(self.roles.len() - 1)
    }

    /// Adds a contact between two bodies.
    ///
    /// # Errors
    /// If a body is not of this world, both are the same, or the law is out of range or bilateral.
    pub fn contact(
        &mut self,
        first: Body,
        second: Body,
        pair: Arc<dyn Pair>,
        law: Law,
    ) -> Result<usize, Error> {
        let index = self.contacts.pairs.len();
        check_pair(&self.roles, &format!("contact {index}"), first, second)?;
        let pair =
            ContactPair::new(index, [first.0, second.0], pair, law, self.contacts.are_planar())?;
        Ok(self.contacts.add_pair(pair))
    }

    /// The materials of colliders.
    pub fn materials(&mut self) -> &mut Materials {
        &mut self.contacts.materials
    }

    /// Gives a body a collider of a material; what `collider` says of these two does not matter. Colliders of bodies touch wherever they
    /// meet, but for those of the same body, of two bodies that do not move freely, of bodies that a joint connects (but for the ground), and of those that
    /// [`pass_through`](Self::pass_through) names.
    ///
    /// # Errors
    /// If the body or the material is not of this world, or the geometry is refused.
    pub fn collider(
        &mut self,
        body: Body,
        material: Material,
        collider: &Collider,
    ) -> Result<usize, Error> {
        let known = body.0 < self.roles.len();
        check(|| "the body of a collider".into(), body.0 as f64, known, "one of this world")?;
        let fixed = self.roles[body.0].free().is_none();
        self.contacts.add_collider((body.0, fixed), material, collider)
    }

    /// Lets the colliders of two bodies pass through each other.
    pub fn pass_through(&mut self, first: Body, second: Body) {
        self.contacts.exclude(first.0, second.0);
    }

    /// Lets the coefficient of friction of a contact depend on the poses of bodies and on time; it takes the place of the law's.
    ///
    /// # Errors
    /// If there is no such contact, or its law has no friction or a coefficient that varies by itself.
    pub fn place_friction(
        &mut self,
        contact: usize,
        friction: Arc<dyn PlacedFriction>,
    ) -> Result<(), Error> {
        self.contacts.place_friction(contact, friction)
    }

    /// Adds a joint between two bodies, of which at least one must be free.
    ///
    /// # Errors
    /// If a body is not of this world, both are the same, a rotation is not of length 1, or a number is out of range.
    pub fn joint(&mut self, first: Body, second: Body, joint: Joint) -> Result<usize, Error> {
        let index = self.joints.len();
        check_pair(&self.roles, &format!("joint {index}"), first, second)?;
        joint.kind.validate(index)?;
        check_frames(index, [&joint.on_first, &joint.on_second])?;
        let Joint { kind, on_first, on_second } = joint;
        let (first, second) = (first.0, second.0);
        self.contacts.exclude_joined(first, second);
        let (limits, drive, load_friction) = (None, None, None);
        self.joints.push(Link {
            kind,
            first,
            second,
            on_first,
            on_second,
            limits,
            drive,
            load_friction,
        });
        Ok(index)
    }

    /// Stops the coordinate of a joint (an angle about z or a shift along it, of the second body against the first) at
    /// these values, without friction or restitution. Poses do not count turns: an angle is taken as the one within half a turn of
    /// the middle of the limits, so that these are less than a turn apart.
    ///
    /// # Errors
    /// If there is no such joint, it has no coordinate, the limits cross, or those of an angle are a turn apart or more.
    pub fn limit(&mut self, joint: usize, low: f64, high: f64) -> Result<(), Error> {
        self.check_coordinate(joint)?;
        check_limits(joint, self.joints[joint].kind, [low, high])?;
        self.joints[joint].limits = Some([low, high]);
        Ok(())
    }

    /// Drives the coordinate of a joint to a velocity with a force or torque of at most `most`. With the velocity 0 it is dry
    /// friction of a size that does not depend on the load; for friction that does see [`pin_friction`](Self::pin_friction) and
    /// [`guide_friction`](Self::guide_friction).
    ///
    /// # Errors
    /// If there is no such joint, it has no coordinate, or a number is out of range.
    pub fn motor(&mut self, joint: usize, velocity: f64, most: f64) -> Result<(), Error> {
        self.check_coordinate(joint)?;
        check_drive(joint, velocity, most)?;
        self.joints[joint].drive = Some((velocity, most));
        Ok(())
    }

    fn check_coordinate(&self, joint: usize) -> Result<(), Error> {
        let known = joint < self.joints.len();
        check(
            || "the number of a joint".into(),
            joint as f64,
            known,
            "that of a joint of this world",
        )?;
        self.joints[joint].kind.check_coordinate()
    }

    /// Moves the bodies of a state by the shortest way, in the metric of their masses, so that all joints fit, and removes
    /// velocities that they exclude.
    ///
    /// # Errors
    /// If they cannot be made to fit: a loop that cannot close.
    pub fn assemble(&self, state: &mut State) -> Result<(), Error> {
        self.validate(&state.q, &state.u)?;
        let State { t, q, u } = state;
        self.stabilise(&mut WorldPlace::default(), q, u, *t).map(|_| ())
    }

    /// The coordinate of a joint at a state.
    ///
    /// # Panics
    /// If there is no such joint, or the state does not belong to this world.
    #[must_use]
    pub fn joint_coordinate(&self, joint: usize, state: &State) -> f64 {
        let j = &self.joints[joint];
        let a = self.motion(Body(j.first), state).0;
        let b = self.motion(Body(j.second), state).0;
        super::joint::motion(j.kind, (&a, &j.on_first), (&b, &j.on_second)).0
    }

    /// Adds a force; see [`forces`](super::forces).
    ///
    /// # Errors
    /// If it names a body that is not of this world, or a number is out of range.
    pub fn force(&mut self, force: impl Force + 'static) -> Result<(), Error> {
        self.forces.add(self.roles.len(), force)
    }

    /// All bodies, in the order in which they were added, the ground first.
    pub fn bodies(&self) -> impl Iterator<Item = Body> + use<> {
        (0..self.roles.len()).map(Body)
    }

    /// A state with these poses and twists, in the order in which the free bodies were added.
    ///
    /// # Errors
    /// If there is not one for each free body, or a number is refused by [`Model::validate`].
    pub fn state(&self, motion: &[(Pose, Twist)]) -> Result<State, Error> {
        let (expected, found) = (self.free, motion.len());
        if expected != found {
            return Err(Error::Size { what: "the list of poses", expected, found });
        }
        let mut state = State::new(vec![0.0; 7 * self.free], vec![0.0; 6 * self.free]);
        for (i, (pose, twist)) in motion.iter().enumerate() {
            pose.write(&mut state.q[7 * i..]);
            twist.write(&mut state.u[6 * i..]);
        }
        self.validate(&state.q, &state.u)?;
        Ok(state)
    }

    /// The pose and twist of a body at a state.
    ///
    /// # Panics
    /// If the state does not belong to this world.
    #[must_use]
    pub fn motion(&self, body: Body, state: &State) -> (Pose, Twist) {
        match &self.roles[body.0] {
            Role::Free(i, _) => (Pose::read(&state.q[7 * i..]), Twist::read(&state.u[6 * i..])),
            Role::Prescribed(motion) => motion(state.t),
        }
    }

    /// Momentum and angular momentum about the origin of all free bodies.
    #[must_use]
    pub fn momentum(&self, state: &State) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for (i, p) in self.free_bodies() {
            let (pose, twist) = (Pose::read(&state.q[7 * i..]), Twist::read(&state.u[6 * i..]));
            let linear = p.mass() * twist.linear;
            sum.0 += linear;
            sum.1 +=
                pose.position.cross(linear) + in_world(p.inertia(), pose.rotation) * twist.angular;
        }
        sum
    }

    fn free_bodies(&self) -> impl Iterator<Item = (usize, &MassProperties)> {
        self.roles.iter().filter_map(|role| match role {
            Role::Free(i, p) => Some((*i, p)),
            Role::Prescribed(_) => None,
        })
    }
}
