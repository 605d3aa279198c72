//! Everyday motions with known ends, and random throws, by every stepping integrator with default settings.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- gauntlet
//! cargo run --release -p stickslip-lab -- gauntlet --throws 10000 --long
//! ```

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use stickslip::step::Integrator;
use stickslip_lab::Tables;
use stickslip_lab::gauntlet::{Kind, Tally, lost_problem, throw, throw_all};
use stickslip_studies::gauntlet::{Case, Goal, INTEGRATORS, cases, go};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Takes what should stand still, slide, roll, fall or bounce through every stepping integrator with default settings, and throws things.

Usage: lab gauntlet [options]

  --case TEXT       cases whose row and name contain this             [all]
  --throws COUNT    things thrown at random, for each integrator      [100]
  --first SEED      the seed of the first throw                       [0]
  --kind NAME       boxes, capsules, stacks or chains                 [all, in turn]
  --integrator NAME one of them                                       [all that step]
  --dt SECONDS      the step of throws                                [1e-3]
  --threads COUNT   threads of the throws; tables do not depend on it [all cores]
  --each            also print every throw that is lost or gains energy unsaid
  --save FOLDER     write the contact problem of every throw that is lost there, as JSON
  --long            also the cases that take minutes
  --write FILE      put the tables between the markers <!-- gauntlet:begin --> and <!-- gauntlet:end -->

Example: lab gauntlet --case stack --throws 0
";

/// Throws that take longer than this, in seconds, are named.
const SLOW: f64 = 10.0;

/// What is asked for.
struct Options {
    case: String,
    seeds: Range<u64>,
    kinds: Vec<Kind>,
    integrators: Vec<Integrator>,
    dt: f64,
    threads: usize,
    each: bool,
    save: Option<PathBuf>,
    long: bool,
    write: Option<PathBuf>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = read(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut tables = Tables::default();
    let failed = motions(&mut tables, &options)?;
    if !options.seeds.is_empty() {
        thrown(&mut tables, &options)?;
    }
    if let Some(path) = &options.write {
        write_between_markers(path, "gauntlet", tables.text())?;
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(format!("{failed} motions did not end as they should").into())
    }
}

fn read(mut args: lexopt::Parser) -> Result<Option<Options>, Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut first, mut throws) = (0_u64, 100_u64);
    let mut o = Options {
        case: String::new(),
        seeds: 0..0,
        kinds: Kind::ALL.into(),
        integrators: INTEGRATORS.into(),
        dt: 1e-3,
        threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        each: false,
        save: None,
        long: false,
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("case") => o.case = args.value()?.string()?,
            Long("throws") => throws = args.value()?.parse()?,
            Long("first") => first = args.value()?.parse()?,
            Long("kind") => o.kinds = vec![kind(&args.value()?.string()?)?],
            Long("integrator") => o.integrators = vec![args.value()?.string()?.parse()?],
            Long("dt") => o.dt = args.value()?.parse()?,
            Long("threads") => o.threads = args.value()?.parse()?,
            Long("each") => o.each = true,
            Long("save") => o.save = Some(args.value()?.into()),
            Long("long") => o.long = true,
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    o.seeds = first..first + throws;
    Ok(Some(o))
}

fn kind(name: &str) -> Result<Kind, String> {
    let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    known.ok_or_else(|| format!("no kind {name}; take boxes, capsules, stacks or chains"))
}

/// The table of motions; how many of them did not end as they should.
fn motions(tables: &mut Tables, options: &Options) -> Result<usize, Box<dyn Error>> {
    tables.add("| row | motion | measured | integrator | found | exact | tolerance | pass | deepest, m | worst certificate | s per s |");
    tables.add("|---|---|---|---|---:|---:|---:|---|---:|---:|---:|");
    let mut failed = 0;
    let asked = |case: &Case| format!("{} {}", case.row, case.name).contains(&options.case);
    for case in cases(options.long).iter().filter(|case| asked(case)) {
        for &integrator in options.integrators.iter().filter(|&&i| case.takes(i)) {
            let clock = std::time::Instant::now();
            let went = go(case, integrator)?;
            let cost = clock.elapsed().as_secs_f64() / went.t;
            let (exact, tolerance) = match case.goal_of(integrator) {
                Goal::Near(exact, tolerance) => (format!("{exact:.6}"), format!("{tolerance:.1e}")),
                Goal::Zero(tolerance) => ("0".to_owned(), format!("{tolerance:.0e}")),
                Goal::More(least) => (format!("> {least:.0e}"), String::new()),
            };
            let found = match (&went.lost, case.goal) {
                (Some(why), _) => format!("lost at {:.3} s: {why}", went.t),
                (None, Goal::Near(..)) => format!("{:.6}", went.found),
                (None, _) => format!("{:.1e}", went.found),
            };
            let pass = if went.pass { "yes" } else { "**no**" };
            failed += usize::from(!went.pass);
            tables.add(&format!(
                "| {} | {} | {} | `{integrator}` | {found} | {exact} | {tolerance} | {pass} | {:.1e} | {:.1e} | {cost:.2} |",
                case.row, case.name, case.quantity, went.depth, went.worst
            ));
        }
    }
    Ok(failed)
}

/// The table of throws.
fn thrown(tables: &mut Tables, options: &Options) -> Result<(), Box<dyn Error>> {
    tables.add("");
    tables.add("| thrown | integrator | throws | lost | energy rose unsaid | largest rise | energy created and said | deepest, sizes | deepest, m | steps split | without restitution | tolerance missed | seeds lost | seeds of rises |");
    tables.add("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|");
    for &kind in &options.kinds {
        for &integrator in &options.integrators {
            let Options { seeds, dt, threads, .. } = options;
            let tally = throw_all(
                kind,
                seeds.clone(),
                integrator,
                *dt,
                *threads,
                |tally, seed, seconds| {
                    if seconds > SLOW {
                        eprintln!("{} {integrator} {seed}: {seconds:.1} s", kind.name());
                    }
                    tell(tally, kind, integrator);
                },
            )?;
            report(&tally, kind, integrator, options)?;
            let Tally {
                throws,
                lost,
                unsaid,
                said,
                split,
                plastic,
                missed,
                rise,
                depth,
                metres,
                ..
            } = &tally;
            tables.add(&format!(
                "| {} | `{integrator}` | {throws} | {} | {} | {rise:.1e} | {said} | {depth:.1e} | {metres:.1e} | {split} | {plastic} | {missed} | {} | {} |",
                kind.name(),
                lost.len(),
                unsaid.len(),
                some(lost),
                some(unsaid)
            ));
        }
    }
    Ok(())
}

/// A line for every hundred throws, so that a long set can be followed.
fn tell(tally: &Tally, kind: Kind, integrator: Integrator) {
    let Tally { throws, lost, unsaid, .. } = tally;
    if throws.is_multiple_of(100) {
        let kind = kind.name();
        eprintln!("{kind} {integrator}: {throws} thrown, lost {lost:?}, unsaid {unsaid:?}");
    }
}

/// The first few seeds.
fn some(seeds: &[u64]) -> String {
    let shown: Vec<String> = seeds.iter().take(8).map(u64::to_string).collect();
    shown.join(", ")
}

/// What there is to say of single throws, and their problems where these are asked for.
fn report(
    tally: &Tally,
    kind: Kind,
    integrator: Integrator,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    if options.each {
        for &seed in tally.lost.iter().chain(&tally.unsaid).chain(&tally.deepest) {
            let thrown = throw(kind, seed, integrator, options.dt)?;
            eprintln!("{} {integrator} {seed}: {thrown:?}", kind.name());
        }
    }
    let Some(folder) = &options.save else { return Ok(()) };
    for &seed in &tally.lost {
        if let Some(problem) = lost_problem(kind, seed, integrator, options.dt)? {
            let file = folder.join(format!("{}_{integrator}_{seed}.json", kind.name()));
            std::fs::write(file, problem.to_json()?)?;
        }
    }
    Ok(())
}
