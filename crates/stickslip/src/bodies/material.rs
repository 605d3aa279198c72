//! Materials of colliders, and the laws between them.

use super::contact_pair::check_law;
use crate::contact::{Law, SlipDependence};
use crate::error::{Error, check};

/// A material of a model, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Material(pub(crate) usize);

/// The materials of the colliders of a model, with the laws between all pairs of them.
///
/// Between two materials hold the geometric mean of their coefficients of friction, so that a frictionless one is so against all, and the
/// larger of their restitutions, unless [`set_pair`](Self::set_pair) gives another law. Materials with different friction sets,
/// static coefficients or curves need one: there is no rule for these.
#[derive(Clone, Debug, Default)]
pub struct Materials {
    count: usize,
    /// Whether the laws are those of the plane.
    planar: bool,
    /// By the larger and the smaller number, row by row of the lower triangle, and whether there is a rule for them.
    laws: Vec<(Law, bool)>,
}

impl Materials {
    /// Those of bodies in the plane, whose laws are planar.
    pub(super) fn in_plane() -> Self {
        Self { planar: true, ..Self::default() }
    }

    /// Whether they are those of bodies in the plane.
    pub(super) fn are_planar(&self) -> bool {
        self.planar
    }

    /// Adds a material with this law against itself.
    ///
    /// # Errors
    /// If the law is out of range, or not one of contacts in space; of a model in the plane, not a planar one.
    pub fn add(&mut self, law: Law) -> Result<Material, Error> {
        let new = self.count;
        check_law(&law, (new, "material"), self.planar)?;
        for other in 0..new {
            let combined = combine(&self.laws[index([other, other])].0, &law);
            let ruled = combined.is_some();
            self.laws.push((combined.unwrap_or_default(), ruled));
        }
        self.laws.push((law, true));
        self.count += 1;
        Ok(Material(new))
    }

    /// Sets the law between two materials.
    ///
    /// # Errors
    /// If a material is not of this model, or as [`add`](Self::add).
    pub fn set_pair(&mut self, first: Material, second: Material, law: Law) -> Result<(), Error> {
        self.check_known(first)?;
        self.check_known(second)?;
        check_law(&law, (first.0, "the pair of material"), self.planar)?;
        self.laws[index([first.0, second.0])] = (law, true);
        Ok(())
    }

    /// Refuses a material of another model.
    pub(super) fn check_known(&self, material: Material) -> Result<(), Error> {
        let known = material.0 < self.count;
        let wanted = "one that was added to this model";
        check(|| "the number of a material".into(), material.0 as f64, known, wanted)
    }

    /// Refuses two materials for which there is no rule.
    pub(super) fn check(&self, materials: [usize; 2]) -> Result<(), Error> {
        if self.laws[index(materials)].1 {
            return Ok(());
        }
        Err(Error::Combination {
            part: "a material",
            other: "another material with a friction set, a static coefficient or a curve of its own",
            reason: "there is no rule for what their contact has; give the law of this pair of materials",
        })
    }

    /// The law between two materials for which there is a rule.
    pub(super) fn law(&self, materials: [usize; 2]) -> &Law {
        &self.laws[index(materials)].0
    }
}

fn index([a, b]: [usize; 2]) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high + 1) / 2 + low
}

/// What two materials have between them unless it is given; none where there is no rule.
fn combine(a: &Law, b: &Law) -> Option<Law> {
    let plain = |law: &Law| matches!(law.slip_dependence, SlipDependence::None);
    if a == b {
        return Some(a.clone());
    }
    if a.kind != b.kind || !plain(a) || !plain(b) {
        return None;
    }
    Some(Law {
        kind: a.kind.clone(),
        mu: (a.mu * b.mu).sqrt(),
        radius: (a.radius * b.radius).sqrt(),
        eps_n: a.eps_n.max(b.eps_n),
        eps_t: a.eps_t.max(b.eps_t),
        ..Law::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_the_geometric_mean_of_friction_and_the_larger_restitution_unless_given() {
        let law = |mu, eps| Law::disc(mu).with_restitution(eps, 0.0);
        let mut all = Materials::default();
        let [ice, steel, rubber] =
            [(0.0, 0.2), (0.25, 0.1), (1.0, 0.8)].map(|(mu, eps)| all.add(law(mu, eps)).unwrap());
        let of = |all: &Materials, a: Material, b: Material| {
            let law = all.law([a.0, b.0]);
            (law.mu, law.eps_n)
        };
        assert_eq!(of(&all, ice, rubber), (0.0, 0.8));
        assert_eq!(of(&all, steel, rubber), (0.5, 0.8));
        assert_eq!(of(&all, rubber, steel), of(&all, steel, rubber));
        assert_eq!(of(&all, steel, steel), (0.25, 0.1));
        all.set_pair(rubber, steel, law(0.7, 0.3)).unwrap();
        assert_eq!(of(&all, steel, rubber), (0.7, 0.3));
    }
}
