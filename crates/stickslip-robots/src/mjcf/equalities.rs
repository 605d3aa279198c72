//! `<equality>`: constraints that are not joints.

use super::{Reader, register};
use crate::error::{Error, Problem};
use crate::model::{EqualityKind, ModelEquality, ModelJointKind, ModelPose, SiteOrBody};
use crate::names::Names;
use crate::xml::{Attribute, Element};
use glam::{DQuat, DVec3};

impl Reader<'_> {
    pub(super) fn read_equalities(&mut self, root: &Element) -> Result<(), Error> {
        let mut names = Names::new("equality");
        for element in root.children_named("equality").flat_map(|section| &section.children) {
            let full = self.defaults.apply(element, None, "equality")?;
            let kind = match element.name.as_str() {
                "connect" => self.connect(&full)?,
                "weld" => self.weld(&full)?,
                _ => self.coupling(&full)?,
            };
            let name = register(&mut names, element, self.model.equalities.len())?;
            let active = full.boolean("active")?.unwrap_or(true);
            let place = element.place.clone();
            self.model.equalities.push(ModelEquality { name, place, active, kind });
        }
        Ok(())
    }

    fn connect(&self, full: &Element) -> Result<EqualityKind, Error> {
        let (first, second) = self.ends(full)?;
        let anchor = match first {
            SiteOrBody::Body(_) => {
                full.required("anchor")?;
                full.vector("anchor")?.unwrap_or_default()
            }
            SiteOrBody::Site(_) => DVec3::ZERO,
        };
        Ok(EqualityKind::Connect { first, second, anchor })
    }

    fn weld(&self, full: &Element) -> Result<EqualityKind, Error> {
        let (first, second) = self.ends(full)?;
        let relative = match full.numbers("relpose", 7..=7)? {
            // A quaternion of zeros means the reference configuration.
            Some(v) if v[3..] != [0.0; 4] => {
                let largest = v[3..].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let [w, x, y, z] = [v[3], v[4], v[5], v[6]].map(|c| c / largest);
                let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
                Some(ModelPose { position: DVec3::new(v[0], v[1], v[2]), rotation })
            }
            _ => None,
        };
        let anchor = full.vector("anchor")?.unwrap_or_default();
        let torque_scale = full.non_negative("torquescale")?.unwrap_or(1.0);
        Ok(EqualityKind::Weld { first, second, anchor, relative, torque_scale })
    }

    /// Two bodies, of which the second may be the world by saying nothing, or two sites.
    fn ends(&self, full: &Element) -> Result<(SiteOrBody, SiteOrBody), Error> {
        let site = |attribute: &Attribute| self.sites.find(attribute).map(SiteOrBody::Site);
        let body = |attribute: &Attribute| self.bodies.find(attribute).map(SiteOrBody::Body);
        if let Some(first) = full.attribute("site1") {
            if full.has("body1") {
                return Err(full.error(Problem::Conflict {
                    element: full.name.clone(),
                    first: "site1".to_owned(),
                    second: "body1".to_owned(),
                }));
            }
            return Ok((site(first)?, site(full.required("site2")?)?));
        }
        let second = full.attribute("body2").map_or(Ok(SiteOrBody::Body(0)), body)?;
        Ok((body(full.required("body1")?)?, second))
    }

    fn coupling(&self, full: &Element) -> Result<EqualityKind, Error> {
        let first = self.scalar_joint(full.required("joint1")?)?;
        let second = full.attribute("joint2").map(|joint| self.scalar_joint(joint)).transpose()?;
        let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(given) = full.numbers("polycoef", 1..=5)? {
            polynomial[..given.len()].copy_from_slice(&given);
        }
        Ok(EqualityKind::Joint { first, second, polynomial })
    }

    /// A joint with one coordinate.
    fn scalar_joint(&self, attribute: &Attribute) -> Result<usize, Error> {
        let index = self.joints.find(attribute)?;
        match self.model.joints[index].kind {
            ModelJointKind::Hinge | ModelJointKind::Slide => Ok(index),
            _ => Err(attribute.place.error(Problem::Unsupported {
                what: format!("a relation of `{}`, which has not one coordinate,", attribute.value),
                cure: "name a hinge or a slide",
            })),
        }
    }
}
