//! The runs as Markdown tables.

use super::{Failure, Motion, Outcome, alone, frictions, run};
use stickslip::Error;
use stickslip::contact::Law;
use stickslip::contact::solve::{Formulation, Rho, Settings, SolverChoice};

/// Corners or facets in the plane of a polygon in place of a round set; polyhedra in space need more.
const DIRECTIONS: usize = 8;
const DIRECTIONS_IN_SPACE: usize = 16;

/// A run that ended at a step without a certified answer.
#[derive(Clone, Debug)]
pub struct Lost {
    /// Formulation, friction set and motion.
    pub name: String,
    /// The step.
    pub failure: Failure,
}

/// Every formulation with every friction set: one line for each pair, over all motions.
///
/// # Errors
/// None, unless the sets of this module are invalid.
pub fn by_formulation(
    steps: usize,
    print: &mut dyn FnMut(&str),
    lost: &mut Vec<Lost>,
) -> Result<(), Error> {
    print("| formulation | friction set | steps | failed | worst certificate | model error |");
    print("|---|---|---:|---:|---:|---:|");
    for formulation in Formulation::ALL {
        for friction in frictions()? {
            let spatial = friction.law.tangents() == 3;
            let directions = if spatial { DIRECTIONS_IN_SPACE } else { DIRECTIONS };
            let settings = alone(formulation, directions);
            let name = format!("`{formulation}` | {}", friction.name);
            let all = over_motions(&friction.law, &settings, steps, &name, lost);
            print(&line(&name, &all));
        }
    }
    Ok(())
}

/// Phantom inertia with the disc, by the number of facets and ρ: `auto` with ρ as chosen, as given, and with a relaxed W; and
/// Lemke's method at one ρ without another attempt.
///
/// # Errors
/// None.
pub fn by_rho(
    steps: usize,
    print: &mut dyn FnMut(&str),
    lost: &mut Vec<Lost>,
) -> Result<(), Error> {
    print("| ρ | solver | facets | steps | failed | worst certificate | model error |");
    print("|---|---|---:|---:|---:|---:|---:|");
    let chosen = Settings::default();
    let relaxed = Settings { relaxation: 1e-6, ..chosen.clone() };
    let lemke = |rho: f64| Settings {
        rho: Rho::Uniform(rho),
        solver: SolverChoice::Lemke,
        ..Settings::default()
    };
    let given = |rho: f64| Settings { rho: Rho::Uniform(rho), ..Settings::default() };
    let cases = [
        ("chosen", chosen.clone()),
        ("chosen, relaxation 1e-6", relaxed),
        ("0 kg", given(0.0)),
        ("0.01 kg", given(0.01)),
        ("100 kg", given(100.0)),
        ("chosen", Settings { solver: SolverChoice::Lemke, ..chosen }),
        ("0 kg", lemke(0.0)),
        ("0.01 kg", lemke(0.01)),
        ("1 kg", lemke(1.0)),
        ("100 kg", lemke(100.0)),
    ];
    for (rho, case) in cases {
        for directions in [4, 8, 16] {
            let Settings { tolerance, fall_back, formulation, .. } =
                alone(Formulation::PhantomInertia, directions);
            let settings =
                Settings { tolerance, fall_back, formulation, directions, ..case.clone() };
            let name = format!("{rho} | `{}` | {directions}", settings.solver);
            // Lemke's method alone shows what ρ does to it; only `auto` is expected to lose none.
            let mut aside = Vec::new();
            let counted = settings.solver == SolverChoice::Auto;
            let list = if counted { &mut *lost } else { &mut aside };
            let all = over_motions(&Law::disc(super::MU), &settings, steps, &name, list);
            print(&line(&name, &all));
        }
    }
    Ok(())
}

/// All motions of a box, and how many of them were lost.
fn over_motions(
    law: &Law,
    settings: &Settings,
    steps: usize,
    name: &str,
    lost: &mut Vec<Lost>,
) -> (Outcome, usize) {
    let (mut all, mut failed) = (Outcome::default(), 0);
    for motion in Motion::ALL {
        let one = run(motion, law, settings, steps);
        if let Some(failure) = &one.failed {
            failed += 1;
            let name = format!("{name} | {}", motion.name());
            lost.push(Lost { name, failure: failure.clone() });
        }
        all.add(&one);
    }
    (all, failed)
}

fn line(name: &str, (all, failed): &(Outcome, usize)) -> String {
    if let Some(reason) = &all.refused {
        return format!("| {name} | refused | | {reason} | |");
    }
    let model = all.model.map_or_else(|| "exact".to_owned(), |m| format!("{m:.1e}"));
    format!("| {name} | {} | {failed} | {:.1e} | {model} |", all.steps, all.certificate)
}
