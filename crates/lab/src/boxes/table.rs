//! The runs as Markdown tables.

use super::{Failure, Motion, Outcome, alone, frictions, problems, run};
use stickslip::Error;
use stickslip::contact::Law;
use stickslip::contact::solve::{Formulation, Rho, Settings};
use stickslip_studies::phantom::{chosen_rho, one_attempt};

/// Corners or facets in the plane of a polygon in place of a round set; polyhedra in space need more.
const DIRECTIONS: usize = 8;
const DIRECTIONS_IN_SPACE: usize = 16;
/// Facets of the polygons of phantom inertia.
const FACETS: [usize; 3] = [4, 8, 16];

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

/// Phantom inertia with the disc, by the number of facets and ρ: as chosen, with a relaxed W, and as given.
///
/// # Errors
/// None.
pub fn by_rho(
    steps: usize,
    print: &mut dyn FnMut(&str),
    lost: &mut Vec<Lost>,
) -> Result<(), Error> {
    print("| ρ | facets | steps | failed | worst certificate | model error |");
    print("|---|---:|---:|---:|---:|---:|");
    let cases = [
        ("chosen", Rho::Chosen, 0.0),
        ("chosen, relaxation 1e-6", Rho::Chosen, 1e-6),
        ("0", Rho::Uniform(0.0), 0.0),
        ("0.01 kg", Rho::Uniform(0.01), 0.0),
        ("1 kg", Rho::Uniform(1.0), 0.0),
    ];
    for (name, rho, relaxation) in cases {
        for directions in FACETS {
            let own = alone(Formulation::PhantomInertia, directions);
            let settings = Settings { rho: rho.clone(), relaxation, ..own };
            let name = format!("{name} | {directions}");
            let all = over_motions(&Law::disc(super::MU), &settings, steps, &name, lost);
            print(&line(&name, &all));
        }
    }
    Ok(())
}

/// One attempt alone on every fourth contact problem of the runs with the chosen ρ, at multiples of it.
///
/// # Errors
/// None.
pub fn attempts(
    steps: usize,
    print: &mut dyn FnMut(&str),
    _lost: &mut Vec<Lost>,
) -> Result<(), Error> {
    let factors = [0.0, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6];
    print(&format!("| facets | problems | {} |", factors.map(|f| format!("{f:.0e}")).join(" | ")));
    print(&format!("|---:|---:|{}", "---:|".repeat(factors.len())));
    for directions in FACETS {
        let settings = alone(Formulation::PhantomInertia, directions);
        let (mut all, mut certified) = (0, [0; 7]);
        for motion in Motion::ALL {
            let list = problems(motion, &Law::disc(super::MU), &settings, steps)?;
            for problem in list.iter().step_by(4) {
                all += 1;
                let chosen = chosen_rho(problem, directions / 2)?;
                for (count, factor) in certified.iter_mut().zip(factors) {
                    let rho = Rho::PerContact(chosen.iter().map(|r| r * factor).collect());
                    let found = one_attempt(problem, directions / 2, rho)?;
                    *count += usize::from(found.is_some());
                }
            }
        }
        let cells = certified.map(|n| n.to_string()).join(" | ");
        print(&format!("| {directions} | {all} | {cells} |"));
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
