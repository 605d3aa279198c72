//! Flat round ends on planes as one distributed contact each.
//!
//! A patch has two parts. The points of its rim bear the load without friction: their impulses Λ_i ≥ 0 add up to the load of the patch, and
//! their moments keep the end from tilting. Friction acts once, at the middle of the end: Λ_T ∈ μ (Σ Λ_i) F, where F is the limit surface
//! of a disc that presses evenly (\[2\], [`UniformDisc`]), of two forces and the moment about the normal. The limit depends on impulses of
//! other contacts, as that of joints does on their reactions, and is found with them: see [`Model::friction_limits`](crate::model::Model::friction_limits).
//!
//! A patch acts in a step in which the points of its rim that take part surround its middle: the end lies on the plane then. Otherwise it stands
//! on its rim, whose points are contacts as any other, with friction of their own.

use super::contacts::FoundContacts;
use super::material::Materials;
use super::proximity::Proximity;
use crate::contact::set::{ConvexSet, UniformDisc};
use crate::contact::{Kind, Law, SlipDependence};
use crate::error::Error;
use glam::DVec3;
use std::sync::Arc;
use stickslip_collision::{Contact, Patch};

/// Points that are off the line through the middle by less than this share of the radius are on it.
const ON_LINE: f64 = 1e-6;

/// What a contact that was found is of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum PatchRole {
    #[default]
    None,
    Rim(usize),
    Middle(usize),
}

/// A patch at a configuration.
#[derive(Clone, Debug)]
struct FoundPatch {
    patch: Patch,
    mu: f64,
    /// Of its middle; the radius is added to it from step to step.
    friction: Law,
    /// Of its rim.
    bearing: Law,
    /// Whether the end lies on the plane.
    acts: bool,
    load: f64,
}

/// The patches at a configuration.
#[derive(Debug, Default)]
pub(super) struct FoundPatches {
    all: Vec<FoundPatch>,
    /// Of every contact that was found; empty without patches.
    roles: Vec<PatchRole>,
    /// The limit surfaces by their radii.
    sets: Vec<(f64, Arc<ConvexSet>)>,
    /// Where the active points of a rim are from its middle.
    around: Vec<DVec3>,
}

impl FoundPatches {
    /// Takes the patches of a list of contacts.
    ///
    /// # Errors
    /// If the law between two materials is not one that a patch can have.
    pub(super) fn take(&mut self, list: &[Contact], materials: &Materials) -> Result<(), Error> {
        self.all.clear();
        self.roles.clear();
        for (k, contact) in list.iter().enumerate() {
            let Some(patch) = contact.patch else { continue };
            let law = materials.law(contact.materials);
            check_law(law)?;
            let Law { mu, eps_n, eps_t, .. } = *law;
            let plain = |kind| Law { kind, ..Law::default() };
            let friction = plain(Kind::Dry(self.set(patch.radius)?));
            let bearing = plain(law.kind.clone()).with_restitution(eps_n, 0.0);
            self.roles.resize(list.len(), PatchRole::None);
            self.roles[k] = PatchRole::Middle(self.all.len());
            for rim in patch.points() {
                self.roles[rim] = PatchRole::Rim(self.all.len());
            }
            let friction = friction.with_restitution(0.0, eps_t);
            self.all.push(FoundPatch { patch, mu, friction, bearing, acts: false, load: 0.0 });
        }
        Ok(())
    }

    fn set(&mut self, radius: f64) -> Result<Arc<ConvexSet>, Error> {
        if let Some((_, set)) = self.sets.iter().find(|(r, _)| *r == radius) {
            return Ok(Arc::clone(set));
        }
        let set = Arc::new(ConvexSet::Custom(Arc::new(UniformDisc::new(radius)?)));
        self.sets.push((radius, Arc::clone(&set)));
        Ok(set)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The law of a contact by its part in a patch; none for those that have the law of their materials.
    pub(super) fn law(&self, found: usize) -> Option<&Law> {
        match *self.roles.get(found)? {
            PatchRole::None => None,
            PatchRole::Rim(p) => Some(&self.all[p]).filter(|p| p.acts).map(|p| &p.bearing),
            PatchRole::Middle(p) => Some(&self.all[p].friction),
        }
    }

    /// Lets patches act that lie on their planes, and takes the others out of the active candidates, of which those that were found begin
    /// at `start`. `seen` says where such a contact is.
    pub(super) fn retain<'a>(
        &mut self,
        start: usize,
        active: &mut Vec<usize>,
        seen: impl Fn(usize) -> Option<&'a Proximity>,
    ) {
        let Self { all, roles, around, .. } = self;
        roles.iter().enumerate().for_each(|(k, role)| {
            let PatchRole::Middle(p) = *role else { return };
            let Some(middle) = seen(k) else { return };
            let takes_part = |k: &usize| active.binary_search(&(start + k)).is_ok();
            let points = all[p].patch.points().filter(takes_part).filter_map(&seen);
            around.clear();
            around.extend(points.map(|point| point.on_first - middle.on_first));
            all[p].acts = surround(around, middle.normal, all[p].patch.radius);
        });
        active.retain(|&i| match i.checked_sub(start).and_then(|k| roles.get(k)) {
            Some(PatchRole::Middle(p)) => all[*p].acts,
            _ => true,
        });
    }

    /// Begins to add up loads.
    pub(super) fn clear_loads(&mut self) {
        self.all.iter_mut().for_each(|p| p.load = 0.0);
    }

    /// Adds the normal impulse of a contact to the load of the patch on whose rim it is.
    pub(super) fn add_load(&mut self, found: usize, impulse: f64) {
        if let Some(PatchRole::Rim(p)) = self.roles.get(found) {
            self.all[*p].load += impulse;
        }
    }

    /// The coefficient of friction and the load of the patch whose middle a contact is.
    pub(super) fn loaded(&self, found: usize) -> Option<(f64, f64)> {
        match self.roles.get(found)? {
            PatchRole::Middle(p) => Some((self.all[*p].mu, self.all[*p].load)),
            _ => None,
        }
    }
}

impl FoundContacts {
    /// The law of one that was found.
    pub(super) fn law<'a>(&'a self, materials: &'a Materials, found: usize) -> &'a Law {
        self.patches.law(found).unwrap_or_else(|| materials.law(self.list[found].materials))
    }
}

/// Whether the middle, from which these points are seen, is in their hull: each has another within half a turn about the normal.
fn surround(points: &[DVec3], normal: DVec3, radius: f64) -> bool {
    let line = ON_LINE * radius * radius;
    let ahead = |a: &DVec3, b: &DVec3| {
        let turn = a.cross(*b).dot(normal);
        turn > line || (turn.abs() <= line && a.dot(*b) < 0.0)
    };
    !points.is_empty() && points.iter().all(|a| points.iter().any(|b| ahead(a, b)))
}

/// Refuses laws that are not Coulomb's isotropic one with a single coefficient: the limit surface is made from that.
fn check_law(law: &Law) -> Result<(), Error> {
    let kind = matches!(law.kind, Kind::Disc | Kind::Frictionless);
    if kind && law.radius == 0.0 && matches!(law.slip_dependence, SlipDependence::None) {
        return Ok(());
    }
    Err(Error::Combination {
        part: "a patch",
        other: "materials with a friction set, a static coefficient, a curve or a radius",
        reason: "its limit surface is made from Coulomb's isotropic friction with one coefficient; give mu alone, or leave the \
                 patch out",
    })
}

/// Refuses a collider with patches where the model has none.
pub(super) fn refuse(patch: bool, model: &'static str) -> Result<(), Error> {
    if !patch {
        return Ok(());
    }
    Err(Error::Combination {
        part: "a collider with patches",
        other: model,
        reason: "friction by the load of several contacts is known to rigid bodies in maximal coordinates alone; use these \
                 (World), or leave the patch out",
    })
}
