//! The parts of a tree, and how it is built.

use super::TreeJoint;
use super::closure::{Closing, Closure};
use super::coupling::Coupled;
use super::friction::LoadFriction;
use crate::bodies::Collider;
use crate::bodies::acting::Forces;
use crate::bodies::contact_pair::ContactPair;
use crate::bodies::contacts::Contacts;
use crate::bodies::forces::{BodyIndex, Force};
use crate::bodies::material::{Material, Materials};
use crate::bodies::patch;
use crate::bodies::pose::{IN_PLANE, Planar, check_vector};
use crate::bodies::proximity::Pair;
use crate::bodies::roles::motion_rate;
use crate::bodies::world::Motion as Prescription;
use crate::bodies::{MassProperties, Pose, Twist};
use crate::contact::set::ConvexSet;
use crate::contact::{Kind, Law};
use crate::error::{Error, check};
use crate::model::Model;
use crate::system::PlacedFriction;
use glam::{DVec2, DVec3};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A link of a [`Tree`], or its ground, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub(super) usize);

impl LinkId {
    /// Its number in [`ContactPoint`](crate::model::ContactPoint).
    #[must_use]
    pub fn number(self) -> usize {
        self.0
    }
}

/// Forces of joints: from coordinates, velocities and time, adds one number per velocity.
pub type JointForce = Arc<dyn Fn(&[f64], &[f64], f64, &mut [f64]) + Send + Sync>;

impl From<LinkId> for BodyIndex {
    fn from(link: LinkId) -> Self {
        Self(link.0)
    }
}

/// What moves a link that is prescribed.
#[derive(Clone)]
pub(super) struct Moved(Prescription);

impl Moved {
    /// Its motion at a time.
    pub(super) fn at(&self, t: f64) -> (Pose, Twist) {
        (self.0)(t)
    }

    /// Its acceleration at a time.
    pub(super) fn rate(&self, t: f64) -> Twist {
        motion_rate(&self.0, t)
    }
}

impl fmt::Debug for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Moved")
    }
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) parent: Option<usize>,
    pub(super) joint: TreeJoint,
    /// The joint's frame in the parent, from its centre of mass (from the origin on the ground).
    pub(super) on_parent: Pose,
    /// The joint's frame in the link, from its centre of mass.
    pub(super) on_link: Pose,
    pub(super) mass: MassProperties,
    /// Inertia of a drive as seen at the joint, of joints with one velocity.
    pub(super) armature: f64,
    pub(super) q: Range<usize>,
    pub(super) u: Range<usize>,
    pub(super) moved: Option<Moved>,
}

/// A coordinate of a joint that may not leave an interval.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) q: usize,
    pub(super) u: usize,
    pub(super) bounds: [f64; 2],
    pub(super) law: Law,
}

/// Friction of constant size in a joint; against a target velocity it is a motor.
#[derive(Clone, Debug)]
pub(super) struct Dry {
    /// The velocities of the joint.
    pub(super) u: Range<usize>,
    pub(super) law: Law,
    pub(super) target: f64,
}

/// Links that hang on each other by joints, in the coordinates of the joints. See the [module](super).
#[derive(Clone)]
pub struct Tree {
    pub(super) links: Vec<Link>,
    pub(super) gravity: DVec3,
    pub(super) joint_forces: Vec<JointForce>,
    pub(super) forces: Forces,
    pub(super) closures: Vec<Closing>,
    pub(super) couplings: Vec<Coupled>,
    /// Dry friction and motors of joints.
    pub(super) frictions: Vec<Dry>,
    /// Friction of joints that goes by their reactions.
    pub(super) load_frictions: Vec<LoadFriction>,
    pub(super) limits: Vec<Limit>,
    /// Bodies are numbered as [`LinkId`] is: 0 is the ground.
    pub(super) contacts: Contacts,
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = f.debug_struct("Tree");
        f.field("links", &self.links.len()).field("closures", &self.closures.len());
        f.field("contacts", &self.contacts).finish()
    }
}

impl Tree {
    /// What does not move.
    pub const GROUND: LinkId = LinkId(0);

    /// A tree without links, with this gravity.
    ///
    /// # Errors
    /// If the gravity is not finite.
    pub fn new(gravity: DVec3) -> Result<Self, Error> {
        check_vector(|| "gravity".into(), gravity)?;
        Ok(Self {
            links: Vec::new(),
            gravity,
            joint_forces: Vec::new(),
            forces: Forces::default(),
            closures: Vec::new(),
            couplings: Vec::new(),
            frictions: Vec::new(),
            load_frictions: Vec::new(),
            limits: Vec::new(),
            contacts: Contacts::default(),
        })
    }

    /// A tree without links in the plane z = 0, with this gravity: its joints are planar, revolute about z, prismatic along a direction
    /// of the plane and fixed, its colliders polygons, chains and half-spaces whose normals are in the plane, and its contacts have planar
    /// laws. A body that nothing holds hangs on the ground by a [planar joint](TreeJoint::Planar), and has the coordinates x, y and its
    /// angle.
    ///
    /// # Errors
    /// If the gravity is not finite.
    pub fn in_plane(gravity: DVec2) -> Result<Self, Error> {
        Ok(Self { contacts: Contacts::in_plane(), ..Self::new(gravity.extend(0.0))? })
    }

    /// Whether it is a tree [in the plane](Self::in_plane).
    #[must_use]
    pub fn is_in_plane(&self) -> bool {
        self.contacts.are_planar()
    }

    /// Adds a link by a joint whose frame is given in the parent and in the link, each from the centre of mass (on the
    /// ground from the origin). At coordinates 0, quaternions (1, 0, 0, 0), the two frames coincide.
    ///
    /// # Errors
    /// If the parent is not of this tree, or a frame is not finite or not a rotation.
    pub fn link(
        &mut self,
        parent: LinkId,
        joint: TreeJoint,
        on_parent: Pose,
        on_link: Pose,
        mass: MassProperties,
    ) -> Result<LinkId, Error> {
        let number = self.links.len() + 1;
        self.known(parent, || format!("the parent of link {number}"))?;
        check_frame(&on_parent, || format!("the frame in the parent of link {number}"))?;
        check_frame(&on_link, || format!("the frame in link {number}"))?;
        if self.is_in_plane() {
            check_planar(number, joint, [&on_parent, &on_link])?;
        }
        let (q, u) = self.links.last().map_or((0, 0), |l| (l.q.end, l.u.end));
        let (q, u) = (q..q + joint.coordinates(), u..u + joint.velocities());
        let parent = parent.0.checked_sub(1);
        if let Some(parent) = parent {
            self.carries(parent, || format!("the parent of link {number}"))?;
            self.contacts.exclude(parent + 1, number);
        }
        let (armature, moved) = (0.0, None);
        self.links.push(Link { parent, joint, on_parent, on_link, mass, armature, q, u, moved });
        Ok(LinkId(number))
    }

    /// Adds a link without mass: several joints one after the other are links that carry each other, and the last of them has the
    /// mass. The frame in the link is from a point of it that is called its centre. Every velocity of its joint must move a mass,
    /// of a link that hangs on it; else steps refuse the mass matrix.
    ///
    /// # Errors
    /// As [`link`](Self::link).
    pub fn carrier(
        &mut self,
        parent: LinkId,
        joint: TreeJoint,
        on_parent: Pose,
        on_link: Pose,
    ) -> Result<LinkId, Error> {
        self.link(parent, joint, on_parent, on_link, MassProperties::none())
    }

    /// Adds the inertia of a drive that turns with a joint of one velocity, as seen there: ratio² times that of the rotor, in kg m², or kg
    /// for shifts. The gyroscopic torque of the rotor is not in it.
    ///
    /// # Errors
    /// If the joint has not one velocity, or the inertia is negative.
    pub fn armature(&mut self, link: LinkId, inertia: f64) -> Result<(), Error> {
        let count = self.jointed(link, || "the link of an armature".into())?.u.len();
        let place = || format!("the number of velocities of the joint of link {}", link.0);
        check(place, count as f64, count == 1, "1: an armature is of a hinge or a slider")?;
        let place = || format!("the armature of link {}", link.0);
        check(place, inertia, inertia >= 0.0, "a finite number >= 0")?;
        self.links[link.0 - 1].armature = inertia;
        Ok(())
    }

    /// Adds a body whose motion is prescribed, for contacts and forces; it carries no links and closes no loops.
    ///
    /// # Errors
    /// None at present: the motion is looked at when it is needed.
    pub fn prescribed(
        &mut self,
        motion: impl Fn(f64) -> (Pose, Twist) + Send + Sync + 'static,
    ) -> Result<LinkId, Error> {
        let (q, u) = self.links.last().map_or((0, 0), |l| (l.q.end, l.u.end));
        self.links.push(Link {
            parent: None,
            joint: TreeJoint::Fixed,
            on_parent: Pose::default(),
            on_link: Pose::default(),
            // It has no velocity to act on.
            mass: MassProperties::sphere(1.0, 1.0)?,
            armature: 0.0,
            q: q..q,
            u: u..u,
            moved: Some(Moved(Arc::new(motion))),
        });
        Ok(LinkId(self.links.len()))
    }

    fn carries(&self, link: usize, place: impl Fn() -> String) -> Result<(), Error> {
        let still = self.links[link].moved.is_none();
        let wanted = "a link that is not prescribed; put a joint's motion into a motor or a force";
        check(place, link as f64 + 1.0, still, wanted)
    }

    /// Keeps a coordinate of a joint between two bounds, by contacts without friction. A bound may be infinite.
    ///
    /// # Errors
    /// If the joint has no such coordinate, or it is part of a quaternion, or the bounds are not in order.
    pub fn limit(
        &mut self,
        link: LinkId,
        coordinate: usize,
        [lower, upper]: [f64; 2],
        restitution: f64,
    ) -> Result<(), Error> {
        let l = self.jointed(link, || "the link of a limit".into())?;
        let free = l.joint.quaternion().unwrap_or(l.q.len());
        let place = || format!("the coordinate of a limit of link {}", link.0);
        let wanted = "one of the joint that is an angle or a length";
        check(place, coordinate as f64, coordinate < free, wanted)?;
        let (q, u) = (l.q.start + coordinate, l.u.start + coordinate);
        let place = || format!("the lower limit of link {}", link.0);
        let ordered = lower < upper;
        if !ordered {
            return check(place, lower, false, "less than the upper limit");
        }
        let law = Law::frictionless().with_restitution(restitution, 0.0);
        law.validate(self.limits.len())?;
        self.limits.push(Limit { q, u, bounds: [lower, upper], law });
        Ok(())
    }

    /// Dry friction in a joint, by a law of [`Kind::Dry`] with as many components as the joint has velocities, 1 to 3, in
    /// their order. Its radius is a torque, or a force for shifts.
    ///
    /// # Errors
    /// If the law is of another kind or size, or out of range.
    pub fn friction(&mut self, link: LinkId, law: Law) -> Result<(), Error> {
        let u = self.jointed(link, || "the link of joint friction".into())?.u.clone();
        law.validate(self.frictions.len())?;
        let fits = matches!(law.kind, Kind::Dry(_)) && law.components() == u.len();
        let place = || format!("the number of components of the friction of link {}", link.0);
        let wanted = "that of the velocities of its joint, by a law of the kind `dry`";
        check(place, law.components() as f64, fits, wanted)?;
        self.frictions.push(Dry { u, law, target: 0.0 });
        Ok(())
    }

    /// A motor in a joint of one velocity: it drives towards that velocity with at most this torque, or force for shifts, and
    /// can be overpowered.
    ///
    /// # Errors
    /// If the joint has not one velocity, the velocity is not finite, or the torque negative.
    pub fn motor(&mut self, link: LinkId, velocity: f64, most: f64) -> Result<(), Error> {
        let u = self.jointed(link, || "the link of a motor".into())?.u.clone();
        let place = || format!("the number of velocities of the joint of link {}", link.0);
        check(place, u.len() as f64, u.len() == 1, "1: a motor drives a hinge or a slider")?;
        check(
            || format!("the velocity of the motor of link {}", link.0),
            velocity,
            true,
            "a finite number",
        )?;
        let place = || format!("the largest torque of the motor of link {}", link.0);
        check(place, most, most >= 0.0, "a finite number >= 0")?;
        self.frictions.push(Dry { u, law: Law::dry(most, ConvexSet::Interval), target: velocity });
        Ok(())
    }

    /// Closes a loop: the frames of two links, each from its centre of mass (from the origin on the ground), are held
    /// together.
    ///
    /// # Errors
    /// If a link is not of this tree, both are the same, or a frame is not finite or not a rotation.
    pub fn close(
        &mut self,
        closure: Closure,
        first: (LinkId, Pose),
        second: (LinkId, Pose),
    ) -> Result<(), Error> {
        let number = self.closures.len();
        self.two(first.0, second.0, || format!("loop {number}"))?;
        for (which, (_, frame)) in [("first", &first), ("second", &second)] {
            check_frame(frame, || format!("the frame in the {which} link of loop {number}"))?;
        }
        let links = [first.0, second.0].map(|l| l.0.checked_sub(1));
        for link in links.into_iter().flatten() {
            self.carries(link, || format!("a link of loop {number}"))?;
        }
        let planar = self.is_in_plane();
        if planar {
            check_planar(first.0.0, TreeJoint::Revolute, [&first.1, &second.1])?;
        }
        self.closures.push(Closing { closure, planar, links, frames: [first.1, second.1] });
        Ok(())
    }

    /// Adds a contact between two links, or a link and the ground.
    ///
    /// # Errors
    /// If a link is not of this tree, both are the same, or the law is not one of contacts in space, or out of range.
    pub fn contact(
        &mut self,
        first: LinkId,
        second: LinkId,
        pair: Arc<dyn Pair>,
        law: Law,
    ) -> Result<usize, Error> {
        let index = self.contacts.pairs.len();
        self.two(first, second, || format!("contact {index}"))?;
        let pair =
            ContactPair::new(index, [first.0, second.0], pair, law, self.contacts.are_planar())?;
        Ok(self.contacts.add_pair(pair))
    }

    /// The materials of colliders.
    pub fn materials(&mut self) -> &mut Materials {
        &mut self.contacts.materials
    }

    /// Gives a link a collider of a material; what `collider` says of these two does not matter. Colliders of links touch wherever they
    /// meet, but for those of the same link, of a link and the one that it hangs on, and of those that
    /// [`pass_through`](Self::pass_through) names.
    ///
    /// # Errors
    /// If the link or the material is not of this tree, or the geometry is refused.
    pub fn collider(
        &mut self,
        link: LinkId,
        material: Material,
        collider: &Collider,
    ) -> Result<usize, Error> {
        let known = link.0 <= self.links.len();
        check(|| "the link of a collider".into(), link.0 as f64, known, "one of this tree")?;
        patch::refuse(collider.patch, self.kind())?;
        let fixed = link.0.checked_sub(1).is_none_or(|i| self.links[i].moved.is_some());
        self.contacts.add_collider((link.0, fixed), material, collider)
    }

    /// Lets the colliders of two links pass through each other.
    pub fn pass_through(&mut self, first: LinkId, second: LinkId) {
        self.contacts.exclude(first.0, second.0);
    }

    /// Lets the coefficient of friction of a contact depend on the poses of links and on time; it takes the place of the law's.
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

    /// Adds forces in the coordinates of joints, which no other model has. Springs, dampers and all that other models can
    /// have too are a [`force`](Self::force).
    pub fn joint_force(
        &mut self,
        force: impl Fn(&[f64], &[f64], f64, &mut [f64]) + Send + Sync + 'static,
    ) {
        self.joint_forces.push(Arc::new(force));
    }

    /// Adds a force; see [`forces`](crate::bodies::forces).
    ///
    /// # Errors
    /// If it names a link that is not of this tree, or a number is out of range.
    pub fn force(&mut self, force: impl Force + 'static) -> Result<(), Error> {
        self.forces.add(self.links.len() + 1, force)
    }

    pub(super) fn known(&self, link: LinkId, place: impl Fn() -> String) -> Result<(), Error> {
        check(place, link.0 as f64, link.0 <= self.links.len(), "a link of this tree")
    }

    pub(super) fn jointed(&self, link: LinkId, place: impl Fn() -> String) -> Result<&Link, Error> {
        let found = link.0.checked_sub(1).and_then(|i| self.links.get(i));
        let wrong = |place: String| Error::Range {
            place,
            value: link.0 as f64,
            requirement: "a link of this tree; the ground has no joint",
        };
        found.ok_or_else(|| wrong(place()))
    }

    fn two(&self, a: LinkId, b: LinkId, place: impl Fn() -> String) -> Result<(), Error> {
        for link in [a, b] {
            self.known(link, || format!("a link of {}", place()))?;
        }
        let place = || format!("the second link of {}", place());
        check(place, b.0 as f64, a != b, "another than the first")
    }
}

/// Refuses a joint that leads out of the plane z = 0.
fn check_planar(link: usize, joint: TreeJoint, frames: [&Pose; 2]) -> Result<(), Error> {
    let axes = frames.map(|frame| frame.rotation * DVec3::Z);
    let about = |z: DVec3| z.truncate().length() < IN_PLANE;
    let along = |z: DVec3| z.z.abs() < IN_PLANE;
    let turned = frames[0].rotation * frames[1].rotation.conjugate();
    let flat = Pose { rotation: turned, ..Pose::default() }.is_in_plane()
        && frames.iter().all(|frame| frame.position.z == 0.0);
    let fits = match joint {
        TreeJoint::Fixed => true,
        TreeJoint::Revolute | TreeJoint::Planar => axes.into_iter().all(about),
        TreeJoint::Prismatic => axes.into_iter().all(along),
        _ => false,
    };
    if fits && flat {
        return Ok(());
    }
    let place = format!("the axis of the joint of link {link}, along z,");
    let requirement = "1 for a joint that is planar or revolute, 0 for a prismatic one, and of no other kind but fixed, \
                       with frames at z = 0 that turn about z: the tree is in the plane";
    Err(Error::Range { place, value: axes[0].z, requirement })
}

fn check_frame(frame: &Pose, place: impl Fn() -> String) -> Result<(), Error> {
    check_vector(|| format!("a coordinate of {}", place()), frame.position)?;
    let length = frame.rotation.length();
    let unit = (length - 1.0).abs() < 1e-9;
    check(|| format!("the length of the quaternion of {}", place()), length, unit, "1")
}
