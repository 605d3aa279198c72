//! Phantom inertia of contacts from outside of the file, and what does nothing with a formulation.

use crate::document::{Entry, Problem, Table};
use crate::read::Draft;
use stickslip::contact::solve::Formulation;
use stickslip::expression::Scalar;

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

/// Refuses what does nothing with the formulation.
pub(crate) fn refuse_idle(
    table: &Table<'_>,
    formulation: Option<Formulation>,
) -> Result<(), Problem> {
    let phantom = [Formulation::PhantomInertia];
    let polygons =
        [Formulation::PhantomInertia, Formulation::StewartTrinkle, Formulation::AnitescuPotra];
    for (key, needed) in [("directions", &polygons[..]), ("rho", &phantom)] {
        let idle = !formulation.is_some_and(|f| needed.contains(&f));
        if let (Some(entry), true) = (table.get(key), idle) {
            let names: Vec<&str> = needed.iter().map(|f| f.name()).collect();
            let reason = format!("`{key}` does nothing without a formulation that has it");
            return Err(Problem::at(entry.span(), reason)
                .cure(format!("leave it out, or set formulation to {}", names.join(" or "))));
        }
    }
    Ok(())
}

/// Refuses ρ of contacts where no formulation has it.
pub(crate) fn refuse_idle_contacts(
    root: &Table<'_>,
    formulation: Option<Formulation>,
) -> Result<(), Problem> {
    if formulation == Some(Formulation::PhantomInertia) {
        return Ok(());
    }
    for table in root.get("contact").map_or(Ok(vec![]), Entry::tables)? {
        if let Some(entry) = table.get("rho") {
            let reason = "`rho` does nothing without the formulation phantom_inertia";
            return Err(Problem::at(entry.span(), reason)
                .cure("leave it out, or set formulation = \"phantom_inertia\" under [run]"));
        }
    }
    Ok(())
}
