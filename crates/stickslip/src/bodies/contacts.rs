//! All contacts of a body model: between pairs of shapes that were given one by one, and between colliders, where collision detection
//! finds them.

use super::contact_pair::ContactPair;
use super::material::{Material, Materials};
use super::patch::FoundPatches;
use super::pose::{IN_PLANE, Planar};
use super::{Geometry, Pose, Twist};
use crate::contact::Law;
use crate::error::Error;
use crate::model::Candidate;
use crate::system::PlacedFriction;
use glam::DVec3;
use std::fmt;
use std::sync::Arc;
use stickslip_collision::{BodyMotion, Cache, Collider, Contact, Detector, Meeting};

/// Contacts are looked for where gaps are at most the ways that bodies make in a step, and this share of their sizes more: contacts
/// that rest keep their places in lists while rounding opens them.
const SKIN: f64 = 1e-3;

/// By how much velocities change in a step is seen in its middle and at its end, and taken this many times; angular ones may be by a share
/// of themselves others than those that the update of rotation turns a body with.
const CHANGE: f64 = 1.5;
const TURN: f64 = 0.25;

/// The contacts that a model may have.
#[derive(Clone, Default)]
pub(super) struct Contacts {
    pub(super) pairs: Vec<ContactPair>,
    detector: Detector,
    pub(super) materials: Materials,
    /// How far the colliders of each body reach from its centre.
    extents: Vec<f64>,
    /// Half of the least width of the colliders of each body.
    thickness: Vec<f64>,
}

impl fmt::Debug for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contacts")
            .field("pairs", &self.pairs.len())
            .field("colliders", &self.detector.colliders())
            .finish()
    }
}

impl Contacts {
    /// Those of bodies in the plane z = 0.
    pub(super) fn in_plane() -> Self {
        Self { materials: Materials::in_plane(), ..Self::default() }
    }

    /// Whether they are those of bodies in the plane.
    pub(super) fn are_planar(&self) -> bool {
        self.materials.are_planar()
    }

    /// Adds a pair between bodies that the model has checked.
    pub(super) fn add_pair(&mut self, pair: ContactPair) -> usize {
        self.pairs.push(pair);
        self.pairs.len() - 1
    }

    /// Lets the coefficient of friction of a pair depend on the poses of bodies and on time.
    pub(super) fn place_friction(
        &mut self,
        contact: usize,
        friction: Arc<dyn PlacedFriction>,
    ) -> Result<(), Error> {
        ContactPair::place_friction(&mut self.pairs, contact, friction)
    }

    /// Whether a coefficient of friction depends on poses or on time.
    pub(super) fn friction_varies(&self) -> bool {
        ContactPair::friction_varies(&self.pairs)
    }

    /// Whether contacts are looked for.
    pub(super) fn are_found(&self) -> bool {
        self.detector.colliders() > 0
    }

    /// Adds a collider to a body that the model has checked; `fixed` says that the body never moves.
    pub(super) fn add_collider(
        &mut self,
        (body, fixed): (usize, bool),
        material: Material,
        collider: &Collider,
    ) -> Result<usize, Error> {
        self.materials.check_known(material)?;
        check_dimension(collider, self.are_planar())?;
        let collider = Collider { body, material: material.0, ..collider.clone() };
        let index = self.detector.add(&collider)?;
        self.extents.resize(self.extents.len().max(body + 1), 0.0);
        self.extents[body] = self.detector.extent(body);
        self.thickness.resize(self.extents.len(), f64::INFINITY);
        self.thickness[body] = self.detector.thickness(body);
        if fixed {
            self.detector.fix(body);
        }
        Ok(index)
    }

    /// Lets two bodies pass through each other.
    pub(super) fn exclude(&mut self, first: usize, second: usize) {
        self.detector.exclude(first, second);
    }

    /// Lets two bodies pass through each other that a joint connects: they overlap there. What hangs on the ground may still touch it.
    pub(super) fn exclude_joined(&mut self, first: usize, second: usize) {
        if first.min(second) > 0 {
            self.detector.exclude(first, second);
        }
    }

    /// Finds the contacts of colliders at these motions of all bodies that may close within dt.
    pub(super) fn find(
        &self,
        found: &mut FoundContacts,
        motions: impl Iterator<Item = (Pose, Twist)>,
        dt: f64,
    ) -> Result<(), Error> {
        if !self.are_found() {
            return Ok(());
        }
        let FoundContacts { cache, poses, reach, list, patches, .. } = found;
        poses.clear();
        reach.clear();
        for (body, (pose, twist)) in motions.enumerate() {
            let size = self.extent(body);
            poses.push(pose);
            let way = dt * (twist.linear.length() + size * twist.angular.length());
            reach.push(way + SKIN * size);
        }
        self.detector.detect(cache, poses, reach, list)?;
        for contact in list.iter() {
            self.materials.check(contact.materials)?;
        }
        patches.take(list, &self.materials)
    }

    /// How far the colliders of a body reach from its centre; 0 without any.
    pub(super) fn extent(&self, body: usize) -> f64 {
        self.extents.get(body).copied().unwrap_or(0.0)
    }

    /// Whether a body with one of these velocities, those of all bodies in turn, may pass through others in a time dt.
    pub(super) fn is_fast(&self, twists: impl Iterator<Item = Twist>, dt: f64) -> bool {
        twists.enumerate().any(|(body, twist)| {
            let size = self.extent(body);
            let way = dt * (twist.linear.length() + size * twist.angular.length());
            self.thickness.get(body).is_some_and(|d| Detector::is_fast(*d, way))
        })
    }

    /// The first meeting of fast bodies in a step from t on, in the middle of which contacts have been looked for, and which is a part of a
    /// `whole` one. `motion` tells the motion of a body after some time.
    pub(super) fn first_meeting(
        &self,
        found: &mut FoundContacts,
        (t, dt, whole): (f64, f64, f64),
        mut motion: impl FnMut(usize, f64) -> (Pose, Twist),
    ) -> Option<Meeting> {
        let FoundContacts { cache, poses, motions, .. } = found;
        motions.clear();
        motions.resize(poses.len(), BodyMotion::default());
        let mut at = |s: f64, see: &dyn Fn(&mut BodyMotion, Twist)| {
            motions.iter_mut().enumerate().for_each(|(body, m)| see(m, motion(body, s).1));
        };
        at(0.0, &|m, twist| (m.linear, m.angular) = (twist.linear, twist.angular));
        for s in [0.5 * dt, dt] {
            at(s, &|m, twist| {
                let linear = CHANGE * (twist.linear - m.linear).length();
                let angular = CHANGE * (twist.angular - m.angular).length();
                let turn = TURN * m.angular.length();
                m.change = [m.change[0].max(linear), m.change[1].max(angular + turn)];
            });
        }
        let mut pose = |body, s| motion(body, s).0;
        self.detector.first_meeting(cache, motions, &mut pose, (t, dt, whole))
    }

    /// The law of a contact that was found.
    pub(super) fn found_law(&self, contact: &Contact) -> &Law {
        self.materials.law(contact.materials)
    }

    /// The candidate that a contact is which was found. A patch has no gap: its rim has.
    pub(super) fn found_candidate(contact: &Contact, gap: f64) -> Candidate {
        let gap = contact.patch.is_none().then_some(gap);
        Candidate { identity: contact.identity | FOUND, gap }
    }
}

/// Refuses a collider of the plane in space, and one of space in the plane.
fn check_dimension(collider: &Collider, planar: bool) -> Result<(), Error> {
    let flat = |geometry: &Geometry| match geometry {
        Geometry::Polygon { .. } | Geometry::Chain { .. } => true,
        Geometry::Compound { parts } => parts.iter().any(|(_, part)| part.is_planar()),
        _ => false,
    };
    if !planar && flat(&collider.geometry) {
        return Err(Error::Combination {
            part: "a geometry of the plane",
            other: "bodies in space",
            reason: "polygons and chains are for bodies in the plane (Tree::in_plane); take a box, hull or cylinder",
        });
    }
    if planar && !in_plane(&collider.geometry, &collider.pose) {
        return Err(Error::Combination {
            part: "a geometry or a pose of space",
            other: "bodies in the plane",
            reason: "bodies in the plane z = 0 have polygons, chains and half-spaces whose normals are in it, at places \
                     with z = 0 and turned about z",
        });
    }
    Ok(())
}

fn in_plane(geometry: &Geometry, pose: &Pose) -> bool {
    match geometry {
        Geometry::Polygon { .. } | Geometry::Chain { .. } => pose.is_in_plane(),
        Geometry::HalfSpace => {
            pose.position.z == 0.0 && (pose.rotation * DVec3::Z).z.abs() < IN_PLANE
        }
        Geometry::Compound { parts } => {
            pose.is_in_plane() && parts.iter().all(|(at, part)| in_plane(part, at))
        }
        _ => false,
    }
}

/// A bit of the identities of contacts that were found: those of others are smaller.
const FOUND: u64 = 1 << 63;

/// The contacts of colliders at a configuration, and the storage of looking for them.
#[derive(Debug, Default)]
pub(super) struct FoundContacts {
    cache: Cache,
    pub(super) poses: Vec<Pose>,
    reach: Vec<f64>,
    pub(super) list: Vec<Contact>,
    pub(super) patches: FoundPatches,
    motions: Vec<BodyMotion>,
}
