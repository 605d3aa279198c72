//! All contacts of a body model: between pairs of shapes that were given one by one, and between colliders, where collision detection
//! finds them.

use super::contact_pair::ContactPair;
use super::material::{Material, Materials};
use super::{Pose, Twist};
use crate::contact::Law;
use crate::error::Error;
use crate::model::Candidate;
use crate::system::PlacedFriction;
use std::fmt;
use std::sync::Arc;
use stickslip_collision::{Cache, Collider, Contact, Detector};

/// Contacts are looked for where gaps are at most the ways that bodies make in a step, and this share of their sizes more: contacts
/// that rest keep their places in lists while rounding opens them.
const SKIN: f64 = 1e-3;

/// The contacts that a model may have.
#[derive(Default)]
pub(super) struct Contacts {
    pub(super) pairs: Vec<ContactPair>,
    detector: Detector,
    pub(super) materials: Materials,
    /// How far the colliders of each body reach from its centre.
    extents: Vec<f64>,
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
        let collider = Collider { body, material: material.0, ..collider.clone() };
        let index = self.detector.add(&collider)?;
        self.extents.resize(self.extents.len().max(body + 1), 0.0);
        self.extents[body] = self.detector.extent(body);
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
        let FoundContacts { cache, poses, reach, list } = found;
        poses.clear();
        reach.clear();
        for (body, (pose, twist)) in motions.enumerate() {
            let size = self.extents.get(body).copied().unwrap_or(0.0);
            poses.push(pose);
            let way = dt * (twist.linear.length() + size * twist.angular.length());
            reach.push(way + SKIN * size);
        }
        self.detector.detect(cache, poses, reach, list)?;
        for contact in list.iter() {
            self.materials.check(contact.materials)?;
        }
        Ok(())
    }

    /// The law of a contact that was found.
    pub(super) fn found_law(&self, contact: &Contact) -> &Law {
        self.materials.law(contact.materials)
    }

    /// The candidate that a contact is which was found.
    pub(super) fn found_candidate(contact: &Contact, gap: f64) -> Candidate {
        Candidate { identity: contact.identity | FOUND, gap: Some(gap) }
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
}
