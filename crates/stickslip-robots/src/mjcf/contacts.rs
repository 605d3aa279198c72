//! `<contact>`: pairs that touch and pairs that do not.

use super::Reader;
use super::geoms::dimension;
use crate::error::Error;
use crate::model::{ExcludedBodies, ExplicitPair};
use crate::names::Names;
use crate::xml::Element;

impl Reader<'_> {
    pub(super) fn read_contacts(&mut self, root: &Element) -> Result<(), Error> {
        let (mut pairs, mut excludes) = (Names::new("contact pair"), Names::new("contact exclude"));
        for element in root.children_named("contact").flat_map(|contact| &contact.children) {
            if element.name == "exclude" {
                super::register(&mut excludes, element, 0)?;
                let first = self.bodies.find(element.required("body1")?)?;
                let second = self.bodies.find(element.required("body2")?)?;
                let place = element.place.clone();
                self.model.excluded.push(ExcludedBodies { place, first, second });
            } else {
                self.read_pair(element, &mut pairs)?;
            }
        }
        Ok(())
    }

    fn read_pair(&mut self, element: &Element, names: &mut Names) -> Result<(), Error> {
        let full = self.defaults.apply(element, None, "pair")?;
        let friction = full.numbers("friction", 1..=5)?;
        if friction.iter().flatten().any(|mu| *mu < 0.0) {
            return Err(full.out_of_range("friction", "zero or positive"));
        }
        // What is not given is that of MuJoCo's pairs.
        let friction = friction.map(|given| {
            let mut all = [1.0, 1.0, 0.005, 0.0001, 0.0001];
            all[..given.len()].copy_from_slice(&given);
            all
        });
        let pair = ExplicitPair {
            name: super::register(names, element, self.model.pairs.len())?,
            place: element.place.clone(),
            first: self.geoms.find(full.required("geom1")?)?,
            second: self.geoms.find(full.required("geom2")?)?,
            friction,
            contact_dimension: dimension(&full)?,
            margin: full.non_negative("margin")?,
            gap: full.non_negative("gap")?,
        };
        self.model.pairs.push(pair);
        Ok(())
    }
}
