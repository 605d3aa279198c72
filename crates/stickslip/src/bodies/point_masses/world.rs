//! Bodies of four point masses with contacts, forces and prescribed bodies.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q, u | per body places and velocities of its four masses, world axes | 12 |
//! | rows | the rows of Hᵀ of one candidate for one body | components × 4 × 3 |
//! | response | M⁻¹ times the rows with the reactions of the bars | the same |

use super::super::Collider;
use super::super::acting::Forces;
use super::super::contact_pair::ContactPair;
use super::super::contacts::Contacts;
use super::super::forces::Force;
use super::super::material::{Material, Materials};
use super::super::patch;
use super::super::pose::check_vector;
use super::super::proximity::Pair;
use super::super::roles::{self, Body, check_pair};
use super::super::{MassProperties, Pose, Reaction, Twist};
use super::joints::Link;
use super::step::momenta;
use super::tetrahedron::{Quad, Tetrahedron};
use super::{ContactRows, DistanceStep};
use crate::contact::Law;
use crate::error::{Error, check};
use crate::model::Model;
use crate::system::{PlacedFriction, State};
use glam::DVec3;
use std::fmt;
use std::sync::Arc;

/// N, T, O, R.
pub(super) const MOST_COMPONENTS: usize = 4;
/// How far distances may be off in a state that is accepted, as a share of the longest.
pub(super) const OFF: f64 = 1e-6;

pub(super) type Role = roles::Role<()>;

/// Bodies of four point masses; the same calls as those of [`World`](super::super::World).
pub struct PointMassWorld {
    pub(super) roles: Vec<Role>,
    pub(super) bodies: Vec<Tetrahedron>,
    pub(super) contacts: Contacts,
    pub(super) joints: Vec<Link>,
    pub(super) reaction: Reaction,
    pub(super) gravity: DVec3,
    pub(super) forces: Forces,
    pub(super) step: DistanceStep,
    pub(super) rows: ContactRows,
}

impl fmt::Debug for PointMassWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("PointMassWorld");
        f.field("bodies", &self.bodies.len()).field("contacts", &self.contacts).finish()
    }
}

impl PointMassWorld {
    /// What does not move.
    pub const GROUND: Body = Body(0);

    /// An empty world with this gravity.
    ///
    /// # Errors
    /// If the gravity is not finite.
    pub fn new(gravity: DVec3) -> Result<Self, Error> {
        check_vector(|| "gravity".into(), gravity)?;
        Ok(Self {
            roles: vec![Role::still()],
            bodies: Vec::new(),
            contacts: Contacts::default(),
            joints: Vec::new(),
            reaction: Reaction::default(),
            gravity,
            forces: Forces::default(),
            step: DistanceStep::default(),
            rows: ContactRows::default(),
        })
    }

    /// The same world with another step of the bars.
    #[must_use]
    pub fn with_step(mut self, step: DistanceStep) -> Self {
        self.step = step;
        self
    }

    /// The same world with other contact rows.
    #[must_use]
    pub fn with_rows(mut self, rows: ContactRows) -> Self {
        self.rows = rows;
        self
    }

    /// Adds a body that moves freely.
    ///
    /// # Errors
    /// If it is flat, see [`Tetrahedron::new`].
    pub fn body(&mut self, properties: MassProperties) -> Result<Body, Error> {
        self.bodies.push(Tetrahedron::new(properties)?);
        self.roles.push(Role::Free(self.bodies.len() - 1, ()));
        Ok(Body(self.roles.len() - 1))
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
    /// If a body is not of this world, both are the same, or the law is out of range, bilateral or planar.
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
        let components = pair.law.components();
        check(
            || format!("the number of components of contact {index}"),
            components as f64,
            components <= MOST_COMPONENTS,
            "that of a contact in space: none, disc or a friction set of 2 or 3 dimensions",
        )?;
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
        patch::refuse(collider.patch, self.kind())?;
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

    /// Adds a force; see [`forces`](super::super::forces).
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

    /// A state from the motions of rigid bodies, in the order in which the free bodies were added.
    ///
    /// # Errors
    /// If there is not one for each free body, or a number is refused by [`Model::validate`].
    pub fn state(&self, motion: &[(Pose, Twist)]) -> Result<State, Error> {
        let (expected, found) = (self.bodies.len(), motion.len());
        if expected != found {
            return Err(Error::Size { what: "the list of poses", expected, found });
        }
        let (mut q, mut u) = (vec![0.0; 12 * expected], vec![0.0; 12 * expected]);
        for (i, (body, (pose, twist))) in self.bodies.iter().zip(motion).enumerate() {
            let length = pose.rotation.length();
            let place = || format!("the length of the quaternion of body {}", i + 1);
            check(place, length, (length - 1.0).abs() < OFF, "1; normalise it")?;
            let unit = Pose { rotation: pose.rotation.normalize(), ..*pose };
            let (x, v) = body.masses(&unit, twist);
            write(&x, &mut q[12 * i..]);
            write(&v, &mut u[12 * i..]);
        }
        self.validate(&q, &u)?;
        Ok(State::new(q, u))
    }

    /// The motion of a body as a rigid one.
    ///
    /// # Panics
    /// If the state does not belong to this world.
    #[must_use]
    pub fn motion(&self, body: Body, state: &State) -> (Pose, Twist) {
        match &self.roles[body.0] {
            Role::Free(i, ()) => {
                self.bodies[*i].motion(&read(&state.q[12 * i..]), &read(&state.u[12 * i..]))
            }
            Role::Prescribed(motion) => motion(state.t),
        }
    }

    /// Momentum and angular momentum about the origin of all free bodies.
    #[must_use]
    pub fn momentum(&self, state: &State) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for (i, body) in self.bodies.iter().enumerate() {
            let each = 0.25 * body.properties().mass();
            let (linear, angular) = momenta(&read(&state.q[12 * i..]), &read(&state.u[12 * i..]));
            sum.0 += each * linear;
            sum.1 += each * angular;
        }
        sum
    }
}

pub(crate) fn read(q: &[f64]) -> Quad {
    std::array::from_fn(|i| DVec3::new(q[3 * i], q[3 * i + 1], q[3 * i + 2]))
}

pub(crate) fn write(x: &Quad, q: &mut [f64]) {
    for (out, x) in q.chunks_exact_mut(3).zip(x) {
        out.copy_from_slice(&x.to_array());
    }
}
