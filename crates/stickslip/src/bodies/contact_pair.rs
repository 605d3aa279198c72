//! Contacts between pairs of shapes that were given one by one: what is refused, and their laws.

use super::Pose;
use super::proximity::Pair;
use crate::contact::{Kind, Law, SlipDependence};
use crate::error::{Error, check};
use crate::model::placed::place_friction;
use crate::system::PlacedFriction;
use std::sync::Arc;

/// A contact that may be, between two bodies by their numbers in the model.
#[derive(Clone)]
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
        planar: bool,
    ) -> Result<Self, Error> {
        check_law(&law, (index, "contact"), planar)?;
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
}

/// Refuses a law that is not one of a contact between bodies in space, or in the plane.
pub(super) fn check_law(law: &Law, (index, of): (usize, &str), planar: bool) -> Result<(), Error> {
    law.validate(index)?;
    let place = || format!("the number of components of {of} {index}");
    let (fits, wanted) = match planar {
        true => (law.kind == Kind::Planar, "2, of the kind planar: that of a contact in the plane"),
        false => (
            !matches!(law.kind, Kind::Bilateral(_) | Kind::Planar | Kind::Dry(_)),
            "that of a contact in space: none, disc or a friction set",
        ),
    };
    check(place, law.components() as f64, fits, wanted)
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
