//! Settings from outside of the file, and settings that do nothing with the others.

use crate::document::{Entry, Problem, Table};
use crate::error::SceneError;
use crate::read::Draft;
use crate::scene::Scene;
use crate::tree::Site;
use stickslip::contact::solve::Formulation;
use stickslip::expression::Scalar;
use stickslip::run::Settings;
use stickslip::step::Integrator;

impl Draft {
    /// Gives contacts another ρ: all of them the same, or each table `[[contact]]` its own. Those without friction have none.
    pub(crate) fn set_rho(&mut self, rho: &[f64]) -> Result<(), Problem> {
        let planar = self.definition.contacts.len();
        let count = self.space.as_ref().map_or(planar, |space| space.contacts.len());
        let list = match rho {
            [] => return Ok(()),
            [one] => vec![*one; count],
            list if list.len() == count => list.to_vec(),
            list => {
                let reason = format!(
                    "rho has {} numbers; the scene has {count} tables [[contact]]",
                    list.len()
                );
                return Err(Problem::of("contact", reason)
                    .cure("give one number, or one for each table in their order"));
            }
        };
        for (contact, &rho) in self.definition.contacts.iter_mut().zip(&list) {
            contact.rho = contact.has_friction().then_some(Scalar::Number(rho));
        }
        for (contact, &rho) in self.space.iter_mut().flat_map(|s| &mut s.contacts).zip(&list) {
            contact.set_rho(rho);
        }
        Ok(())
    }
}

/// A setting that nothing reads, and the choice that makes it so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Idle {
    /// Its key under `[run]`.
    pub key: &'static str,
    /// Which choice it depends on: `integrator` or `formulation`.
    pub choice: &'static str,
    /// What was chosen there.
    pub chosen: &'static str,
    /// What would have to be chosen for the setting to be read.
    pub needed: Vec<&'static str>,
}

impl Idle {
    /// All settings that nothing reads with this integrator and this formulation.
    #[must_use]
    pub fn with(integrator: Integrator, formulation: Formulation) -> Vec<Self> {
        [Self::with_integrator(integrator), Self::with_formulation(formulation)].concat()
    }

    /// Those that nothing reads with this integrator.
    #[must_use]
    pub fn with_integrator(integrator: Integrator) -> Vec<Self> {
        let jean =
            Integrator::STEPPING.iter().filter(|i| matches!(i, Integrator::MoreauJean { .. }));
        let jean: Vec<&str> = jean.map(|i| i.name()).collect();
        let stepping: Vec<&str> = Integrator::STEPPING.iter().map(|i| i.name()).collect();
        // It refuses a correction, which is another matter.
        let other = Integrator::PaoliSchatzman.name();
        let corrected =
            stepping.iter().copied().filter(|i| *i != other || integrator.name() == other);
        let corrected = corrected.collect();
        let needs = [("theta", jean), ("dt", stepping), ("correction", corrected)];
        Self::among(needs, "integrator", integrator.name())
    }

    /// Those that nothing reads with this formulation.
    #[must_use]
    pub fn with_formulation(formulation: Formulation) -> Vec<Self> {
        let phantom = Formulation::PhantomInertia.name();
        let polygons =
            vec![Formulation::StewartTrinkle.name(), Formulation::AnitescuPotra.name(), phantom];
        let needs = [("directions", polygons), ("rho", vec![phantom])];
        Self::among(needs, "formulation", formulation.name())
    }

    fn among<const N: usize>(
        needs: [(&'static str, Vec<&'static str>); N],
        choice: &'static str,
        chosen: &'static str,
    ) -> Vec<Self> {
        let idle = needs.into_iter().filter(|(_, needed)| !needed.contains(&chosen));
        idle.map(|(key, needed)| Self { key, choice, chosen, needed }).collect()
    }
}

impl Scene {
    /// What stands in the file and does nothing with these settings, which may differ from those of the file: warnings, each with its
    /// place and what would be right. A file may hold settings for several runs, so that none of them is an error. `dt` is not among
    /// them: a single step of an event-driven scene takes it.
    #[must_use]
    pub fn idle(&self, settings: &Settings) -> Vec<SceneError> {
        let integrator = settings.step.integrator;
        let formulation = settings.step.solve.as_ref().map(|solve| solve.formulation);
        let idle = Idle::with(integrator, formulation.unwrap_or_default());
        let written = self.conditional().iter();
        let pairs =
            written.filter_map(|(key, site)| Some((idle.iter().find(|i| i.key == *key)?, site)));
        pairs.map(|(idle, site)| self.shown(self.warning(idle, site))).collect()
    }

    fn warning(&self, idle: &Idle, site: &Site) -> Problem {
        let Idle { key, choice, chosen, needed } = idle;
        let file = self.settings().step;
        let usual = file.solve.map(|solve| solve.formulation).unwrap_or_default();
        let (written, usual) = match *choice {
            "integrator" => (self.run.integrator.map(Integrator::name), file.integrator.name()),
            _ => (self.run.formulation.map(Formulation::name), usual.name()),
        };
        let origin = match written {
            Some(name) if name == *chosen => String::new(),
            Some(name) => format!(", which was chosen instead of {name} of the file"),
            None if usual == *chosen => ", the default here".to_owned(),
            None => ", which was chosen for this run".to_owned(),
        };
        let reason = format!("`{key}` does nothing with the {choice} {chosen}{origin}");
        let names: Vec<String> = needed.iter().map(|name| format!("\"{name}\"")).collect();
        let cure = format!("leave it out, or set {choice} = {} under [run]", names.join(" or "));
        Problem::at(site.clone(), reason).cure(cure)
    }
}

/// The settings of a file that only some integrators and formulations read, with their places.
pub(crate) fn conditional(root: &Table<'_>) -> Result<Vec<(&'static str, Site)>, Problem> {
    let mut found = vec![];
    if let Some(run) = root.get("run") {
        let run = run.table("[run]")?;
        for key in ["theta", "directions", "rho"] {
            found.extend(run.get(key).map(|entry| (key, entry.span())));
        }
        // Without a correction nothing is idle.
        let correction = run.get("correction").filter(|entry| entry.truth().unwrap_or_default());
        found.extend(correction.map(|entry| ("correction", entry.span())));
    }
    for table in root.get("contact").map_or(Ok(vec![]), Entry::tables)? {
        found.extend(table.get("rho").map(|entry| ("rho", entry.span())));
    }
    Ok(found)
}
