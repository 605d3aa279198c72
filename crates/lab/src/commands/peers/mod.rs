//! The gauntlet by other programs beside ours, in one run: the same worlds, steps and measures.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- peers --python venv/bin/python3
//! cargo run --release -p stickslip-lab -- peers --case "F "
//! ```
//!
//! A world is handed over as plain data, the program gives its state at the end, and what is measured in it is worked out by the code that measures
//! ours. Programs that are not installed are left out.

mod program;

use program::{Program, find};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;
use stickslip::step::Integrator;
use stickslip_lab::Tables;
use stickslip_studies::gauntlet::{Case, Goal, Measure, cases, go};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Takes the motions of the gauntlet through MuJoCo, Drake, DART, Bullet and Rapier, those that are installed, beside ours.

Usage: lab peers [options]

  --case TEXT      cases whose row and name contain this                      [all]
  --long           also the cases that take minutes
  --limit SECONDS  time that a program has for a motion                       [120]
  --python PATH    an interpreter that can import mujoco, pydrake, dartpy, pybullet  [python3]
  --write FILE     put the table between the markers <!-- peers:begin --> and <!-- peers:end -->

Example: lab peers --case stack --python venv/bin/python3
";

struct Options {
    case: String,
    long: bool,
    limit: Duration,
    python: PathBuf,
    write: Option<PathBuf>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = read(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut tables = Tables::default();
    let programs = find(&options.python, &mut |notice| tables.add(notice));
    head(&mut tables, &programs);
    let mut passed = vec![(0, 0); 1 + programs.len()];
    let asked = |case: &Case| format!("{} {}", case.row, case.name).contains(&options.case);
    for case in cases(options.long).iter().filter(|case| asked(case)) {
        let cells = row(case, &programs, &options)?;
        for (count, (_, pass)) in passed.iter_mut().zip(&cells) {
            count.0 += usize::from(*pass == Some(true));
            count.1 += usize::from(pass.is_some());
        }
        let exact = match case.goal {
            Goal::Near(exact, tolerance) => format!("{exact:.6} ± {tolerance:.0e}"),
            Goal::Zero(tolerance) => format!("0 ± {tolerance:.0e}"),
            Goal::More(least) => format!("> {least:.0e}"),
        };
        let cells: Vec<String> = cells.iter().map(|(text, pass)| mark(text, *pass)).collect();
        let Case { row, name, quantity, .. } = case;
        tables.add(&format!("| {row} | {name} | {quantity} | {exact} | {} |", cells.join(" | ")));
    }
    let counts: Vec<String> = passed.iter().map(|(n, of)| format!("{n} of {of}")).collect();
    tables.add(&format!("| | | | pass | {} |", counts.join(" | ")));
    if let Some(path) = &options.write {
        write_between_markers(path, "peers", tables.text())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn read(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options {
        case: String::new(),
        long: false,
        limit: Duration::from_secs(120),
        python: "python3".into(),
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("case") => o.case = args.value()?.string()?,
            Long("long") => o.long = true,
            Long("limit") => {
                let seconds = args.value()?.parse::<f64>()?.clamp(0.1, 86_400.0);
                o.limit = Duration::from_secs_f64(seconds);
            }
            Long("python") => o.python = args.value()?.into(),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

fn head(tables: &mut Tables, programs: &[Program]) {
    let names: Vec<&str> = programs.iter().map(|p| p.name.as_str()).collect();
    let columns: Vec<&str> = ["ours"].into_iter().chain(names).collect();
    tables.add(&format!("| row | motion | measured | exact | {} |", columns.join(" | ")));
    tables.add(&format!("|---|---|---|---:|{}", "---:|".repeat(columns.len())));
}

/// What a program finds, and whether it is what it should be.
type Cell = (String, Option<bool>);

/// What each program finds, ours first.
fn row(case: &Case, programs: &[Program], options: &Options) -> Result<Vec<Cell>, Box<dyn Error>> {
    let ours = go(case, Integrator::default())?;
    let found = ours.lost.map_or_else(|| value(case, ours.found), |_| "lost".to_owned());
    let mut cells = vec![(found, Some(ours.pass))];
    let yard = (case.build)()?;
    let world = yard.description().cloned();
    let start = yard.built()?.1;
    for program in programs {
        let (Some(world), Measure::Ends(measure)) = (&world, &case.measure) else {
            cells.push(("–".to_owned(), None));
            continue;
        };
        cells.push(match program.run(world, case.span, options.limit)? {
            Ok(end) => {
                let found = measure(&start, &end);
                // Most programs move bodies by the velocity at the end of a step, as `gap_level` does.
                let goals = [case.goal, case.goal_of(Integrator::GapLevel)];
                (value(case, found), Some(goals.into_iter().any(|goal| goal.met(found))))
            }
            Err(program::NoEnd::Refused) => ("–".to_owned(), None),
            Err(why) => (why.to_string(), Some(false)),
        });
    }
    Ok(cells)
}

fn value(case: &Case, found: f64) -> String {
    match case.goal {
        Goal::Near(..) => format!("{found:.6}"),
        _ => format!("{found:.1e}"),
    }
}

/// What passes is bold.
fn mark(text: &str, pass: Option<bool>) -> String {
    if pass == Some(true) { format!("**{text}**") } else { text.to_owned() }
}
