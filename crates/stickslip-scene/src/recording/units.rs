//! Units of what a run shows.

use crate::bodies::VELOCITIES;
use crate::scene::Scene;
use crate::view::SceneModel;
use stickslip::SystemInfo;

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
    /// Of contact forces.
    pub force: String,
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
            force: "N".to_owned(),
        }
    }

    /// The units of a scene.
    #[must_use]
    pub fn of_scene(scene: &Scene) -> Self {
        let info = scene.info();
        let coordinates: Vec<&str> =
            scene.units.iter().map(|u| u.as_deref().unwrap_or_default()).collect();
        let mut units = Self { gaps: scene.gap_units().to_vec(), ..Self::si(info, &coordinates) };
        if !matches!(scene.model(), SceneModel::Generalised(_)) {
            let bodies = info.velocities.len() / VELOCITIES.len();
            let all = (0..bodies).flat_map(|_| VELOCITIES.map(|(_, unit)| unit.to_owned()));
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
