//! The two formulations of planar friction against each other, on thousands of random systems.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- formulations
//! cargo run --release -p stickslip-lab -- formulations --count 500
//! cargo run --release -p stickslip-lab -- formulations --write book/src/measurements/formulations.md
//! ```
//!
//! Each formulation solves alone, without falling back on the other.

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::{Agreement, Kind, Pair, Tables};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
glocker_studer against stewart_trinkle on random planar systems.

Usage: lab formulations [options]

  --count COUNT  systems per kind and number of contacts     [10000]
  --write FILE   put the table between the markers <!-- formulations:begin --> and
                 <!-- formulations:end -->

Example: lab formulations --count 500
";

const MOST_CONTACTS: usize = 4;

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut count, mut write): (u64, Option<PathBuf>) = (10_000, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("count") => count = args.value()?.parse()?,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut tables = Tables::default();
    let wrong = table(count, &mut tables);
    if let Some(path) = &write {
        write_between_markers(path, "formulations", tables.text())?;
        println!("wrote {}", path.display());
    }
    if wrong == 0 {
        Ok(())
    } else {
        Err(format!("the formulations are at odds {wrong} times").into())
    }
}

/// Prints the counts; returns how often the formulations are at odds.
fn table(count: u64, tables: &mut Tables) -> usize {
    tables.add("| friction | W | restitution | contacts | systems | same velocities | of these with other impulses | several solutions | no solution | at odds | `glocker_studer` failed | `stewart_trinkle` failed |");
    tables.add("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut total = [0; Agreement::ALL.len()];
    let mut pair = Pair::default();
    for kind in Kind::all() {
        for contacts in 1..=MOST_CONTACTS {
            let mut tally = [0; Agreement::ALL.len()];
            for seed in 0..count {
                let problem = kind.problem(contacts, seed);
                let agreement = pair.compare(&problem);
                tally[agreement as usize] += 1;
                if agreement.is_wrong() || agreement.is_failure() {
                    eprintln!("{agreement:?}: {kind:?}, {contacts} contacts, seed {seed}");
                    eprintln!("{}\n", problem.to_json().unwrap_or_default());
                }
            }
            for (t, n) in total.iter_mut().zip(tally) {
                *t += n;
            }
            let restitution = if kind.restitution { "yes" } else { "no" };
            let name =
                format!("{} | {} | {restitution} | {contacts}", kind.friction(), kind.matrix());
            tables.add(&row(&name, &tally));
        }
    }
    tables.add(&row("**all** | | | ", &total));
    Agreement::ALL.iter().filter(|a| a.is_wrong()).map(|a| total[*a as usize]).sum()
}

fn row(name: &str, tally: &[usize]) -> String {
    use Agreement::*;
    let of = |list: &[Agreement]| list.iter().map(|a| tally[*a as usize]).sum::<usize>();
    let columns = [
        tally.iter().sum(),
        of(&[Same, SameVelocities]),
        of(&[SameVelocities]),
        of(&[Several]),
        of(&[NoSolution]),
        of(&[Contradiction, Unlisted]),
        of(&[GlockerStuderFailed, BothFailed]),
        of(&[StewartTrinkleFailed, BothFailed]),
    ];
    format!("| {name} | {} |", columns.map(|n: usize| n.to_string()).join(" | "))
}
