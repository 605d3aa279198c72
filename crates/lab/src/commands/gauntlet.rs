//! Everyday motions with known ends, and random throws, by every stepping integrator with default settings.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- gauntlet
//! cargo run --release -p stickslip-lab -- gauntlet --throws 10000 --long
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};
use stickslip::step::Integrator;
use stickslip_lab::gauntlet::{Thrown, cases, go, lost_problem, throw};
use stickslip_lab::{Tables, write_between_markers};

const HELP: &str = "\
Takes what should stand still, slide, roll or bounce through every stepping integrator with default settings, and throws boxes.

Usage: lab gauntlet [options]

  --case TEXT     cases whose name contains this                    [all]
  --throws COUNT  boxes thrown at random, for each integrator       [100]
  --first SEED    the seed of the first throw                       [0]
  --dt SECONDS    the step of throws                                [1e-3]
  --save FOLDER   write the contact problem of every throw that is lost there, as JSON
  --long          also the cases that take minutes
  --write FILE    put the tables between the markers <!-- gauntlet:begin --> and <!-- gauntlet:end -->

Example: lab gauntlet --case stack --throws 0
";

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut name, mut throws, mut first, mut dt) = (String::new(), 100_u64, 0_u64, 1e-3);
    let (mut long, mut write, mut save): (bool, Option<PathBuf>, Option<PathBuf>) =
        (false, None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("case") => name = args.value()?.string()?,
            Long("throws") => throws = args.value()?.parse()?,
            Long("first") => first = args.value()?.parse()?,
            Long("dt") => dt = args.value()?.parse()?,
            Long("save") => save = Some(args.value()?.into()),
            Long("long") => long = true,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut tables = Tables::default();
    motions(&mut tables, &name, long)?;
    if throws > 0 {
        thrown(&mut tables, first..first + throws, dt, save.as_deref())?;
    }
    if let Some(path) = write {
        write_between_markers(&path, "gauntlet", tables.text())?;
    }
    Ok(())
}

fn motions(tables: &mut Tables, name: &str, long: bool) -> Result<(), Box<dyn Error>> {
    tables.add("| motion | measured | exact | integrator | found | deepest, m | worst certificate | s per s |");
    tables.add("|---|---|---:|---|---:|---:|---:|---:|");
    for case in cases(long).iter().filter(|c| c.name.contains(name)) {
        for integrator in Integrator::STEPPING {
            if case.bounces && integrator == Integrator::GapLevel {
                continue;
            }
            let clock = std::time::Instant::now();
            let went = go(case, integrator)?;
            let cost = clock.elapsed().as_secs_f64() / went.t;
            let found = match &went.lost {
                None => format!("{:.3e}", went.found),
                Some(why) => format!("lost at {:.3} s: {why}", went.t),
            };
            tables.add(&format!(
                "| {} | {} | {:.4} | `{integrator}` | {found} | {:.1e} | {:.1e} | {cost:.2} |",
                case.name, case.quantity, case.exact, went.depth, went.worst
            ));
        }
    }
    Ok(())
}

fn thrown(
    tables: &mut Tables,
    seeds: std::ops::Range<u64>,
    dt: f64,
    save: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    tables.add("");
    tables.add("| integrator | throws | lost | steps split | energy rose unsaid | energy created and said | deepest, sizes | seeds lost |");
    tables.add("|---|---:|---:|---:|---:|---:|---:|---|");
    for integrator in Integrator::STEPPING {
        let (mut lost, mut parts, mut rose, mut said, mut deepest) = (Vec::new(), 0, 0, 0, 0.0_f64);
        for seed in seeds.clone() {
            let Thrown { lost: why, split, energy, created, depth } = throw(seed, integrator, dt)?;
            if let Some(why) = why {
                eprintln!("{integrator} {seed}: {why}");
                lost.push(seed);
                if let (Some(to), Some(problem)) = (save, lost_problem(seed, integrator, dt)?) {
                    std::fs::write(
                        to.join(format!("{integrator}_{seed}.json")),
                        problem.to_json()?,
                    )?;
                }
            }
            parts += split;
            said += usize::from(created > 0.0);
            rose += usize::from(energy > 1.0 + created + 1e-6);
            deepest = deepest.max(depth);
        }
        let shown: Vec<String> = lost.iter().take(8).map(u64::to_string).collect();
        tables.add(&format!(
            "| `{integrator}` | {} | {} | {parts} | {rose} | {said} | {deepest:.1e} | {} |",
            seeds.end - seeds.start,
            lost.len(),
            shown.join(", ")
        ));
    }
    Ok(())
}
