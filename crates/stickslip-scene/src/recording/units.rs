//! Units of what a run shows.

use crate::bodies::velocities;
use crate::scene::Scene;
use crate::view::SceneModel;
use stickslip::SystemInfo;
use stickslip::expression::Dimension;

/// The units on the axes of plots, e.g. `m`, `rad/s`. An empty one is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// Of each coordinate.
    pub coordinates: Vec<String>,
    /// Of each velocity.
    pub velocities: Vec<String>,
    /// Of each gap.
    pub gaps: Vec<String>,
    /// Of the time.
    pub time: String,
    /// Of energies.
    pub energy: String,
    /// Of the force of each contact, or the torque.
    pub forces: Vec<String>,
}

impl Units {
    /// SI units for a system whose coordinates have these; gaps are lengths, velocities are per
    /// second. Missing units are left out.
    #[must_use]
    pub fn si(info: &SystemInfo, coordinates: &[&str]) -> Self {
        let unit = |i: usize| coordinates.get(i).copied().unwrap_or_default().to_owned();
        let per_second = |i: usize| match unit(i) {
            empty if empty.is_empty() => empty,
            unit => format!("{unit}/s"),
        };
        Self {
            coordinates: (0..info.dof()).map(unit).collect(),
            velocities: (0..info.dof()).map(per_second).collect(),
            gaps: vec!["m".to_owned(); info.contacts.len()],
            time: "s".to_owned(),
            energy: "J".to_owned(),
            forces: vec!["N".to_owned(); info.contacts.len()],
        }
    }

    /// The units of a scene.
    #[must_use]
    pub fn of_scene(scene: &Scene) -> Self {
        let info = scene.info();
        let coordinates: Vec<&str> =
            scene.units.iter().map(|u| u.as_deref().unwrap_or_default()).collect();
        let gaps = scene.gap_units().to_vec();
        let forces = gaps.iter().map(|gap| force_over(gap)).collect();
        let mut units = Self { gaps, forces, ..Self::si(info, &coordinates) };
        if !matches!(scene.model(), SceneModel::Generalised(_)) {
            let of_body = velocities(scene.model().ambient());
            let bodies = info.velocities.len() / of_body.len();
            let all = (0..bodies).flat_map(|_| of_body.iter().map(|(_, unit)| (*unit).to_owned()));
            units.velocities = all.collect();
        }
        units
    }

    /// The unit of a coordinate or velocity; empty for any other text.
    pub(crate) fn of_name(&self, info: &SystemInfo, text: &str) -> String {
        let at = |names: &[String]| names.iter().position(|name| name == text.trim());
        let coordinate = at(&info.coordinates).map(|i| Self::of(&self.coordinates, i));
        let velocity = || at(&info.velocities).map(|i| Self::of(&self.velocities, i));
        coordinate.or_else(velocity).unwrap_or_default()
    }

    pub(crate) fn of(list: &[String], i: usize) -> String {
        list.get(i).cloned().unwrap_or_default()
    }
}

/// The unit of a force that works over a gap in this unit: newtons, or newton metres over an angle. Empty where the unit is not known.
fn force_over(gap: &str) -> String {
    match (gap, Dimension::of_unit(gap)) {
        ("", _) | (_, Err(_)) => String::new(),
        (_, Ok(unit)) if unit.is(Dimension::NONE) => "N m".to_owned(),
        (_, Ok(unit)) => Dimension::ENERGY.over(unit).to_string(),
    }
}
