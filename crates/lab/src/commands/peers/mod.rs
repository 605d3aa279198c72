//! Motions by other programs beside ours, in one run: the gauntlet, or piles.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- peers --python venv/bin/python3
//! cargo run --release -p stickslip-lab -- peers --case "F "
//! cargo run --release -p stickslip-lab -- peers --piles 125,1000 --limit 600
//! ```
//!
//! A world is handed over as plain data, the program gives its states, and what is measured in them is worked out by the code that measures
//! ours. Programs that are not installed are left out.

mod piles;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;
use stickslip::State;
use stickslip::step::Integrator;
use stickslip_lab::Tables;
use stickslip_lab::peers::{Asked, NoEnd, Program, find};
use stickslip_studies::gauntlet::{Case, Goal, Measure, cases, go};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Takes the motions of the gauntlet through MuJoCo, Drake, DART, Bullet and Rapier, or piles through MuJoCo, Rapier and
Siconos, those that are installed, beside ours.

Usage: lab peers [options]

  --case TEXT      cases whose row and name contain this                      [all]
  --long           also the cases that take minutes
  --piles COUNTS   instead of the gauntlet, spheres and boxes that fall into a container, so many of them each;
                   numbers between commas
  --t-end SECONDS  end time of the piles                                      [3]
  --limit SECONDS  time that a program has for a motion                       [120]
  --python PATH    an interpreter that can import mujoco, pydrake, dartpy, pybullet; Siconos is asked of the one of
                   the system                                                 [python3]
  --write FILE     put the table between the markers <!-- peers:begin --> and <!-- peers:end -->; that of piles
                   between <!-- peer-piles:begin --> and <!-- peer-piles:end -->

Example: lab peers --case stack --python venv/bin/python3
";

/// The programs that the gauntlet is given to.
const PROGRAMS: [&str; 5] = ["MuJoCo", "Drake", "DART", "Bullet", "Rapier"];

struct Options {
    case: String,
    long: bool,
    piles: Vec<usize>,
    t_end: f64,
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
    let markers = if options.piles.is_empty() {
        gauntlet(&options, &mut tables)?;
        "peers"
    } else {
        piles::table(&options, &mut tables)?;
        "peer-piles"
    };
    if let Some(path) = &options.write {
        write_between_markers(path, markers, tables.text())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn gauntlet(options: &Options, tables: &mut Tables) -> Result<(), Box<dyn Error>> {
    let programs = find(&PROGRAMS, &options.python, &mut |notice| tables.add(notice));
    head(tables, &programs);
    let mut passed = vec![(0, 0); 1 + programs.len()];
    let mut reasons = Reasons::default();
    let mut ends = Ends::default();
    let asked = |case: &Case| format!("{} {}", case.row, case.name).contains(&options.case);
    for case in cases(options.long).iter().filter(|case| asked(case)) {
        ends.go_to(case, &programs, options.limit)?;
        let cells = row(case, &ends, &mut reasons)?;
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
    reasons.list(tables);
    Ok(())
}

fn read(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options {
        case: String::new(),
        long: false,
        piles: Vec::new(),
        t_end: 3.0,
        limit: Duration::from_secs(120),
        python: "python3".into(),
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("case") => o.case = args.value()?.string()?,
            Long("long") => o.long = true,
            Long("piles") => {
                for count in args.value()?.string()?.split(',') {
                    let count = count.trim().parse::<usize>().map_err(|e| e.to_string())?;
                    o.piles.push(count.max(1));
                }
            }
            Long("t-end") => o.t_end = args.value()?.parse::<f64>()?.clamp(0.0, 1e3),
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

/// The ends of a motion by other programs. Cases that measure several values in one motion follow each other.
#[derive(Default)]
struct Ends {
    motion: String,
    start: State,
    ends: Vec<Result<State, NoEnd>>,
}

impl Ends {
    /// Takes the motion of a case to its end, unless it was the last one.
    fn go_to(
        &mut self,
        case: &Case,
        programs: &[Program],
        limit: Duration,
    ) -> Result<(), Box<dyn Error>> {
        if self.motion == case.name {
            return Ok(());
        }
        let yard = (case.build)()?;
        let world = yard.description().cloned();
        self.start = yard.built()?.1;
        self.ends.clear();
        for program in programs {
            self.ends.push(match &world {
                Ok(world) => program.end(&Asked { world, span: case.span, tight: false, limit })?,
                Err(more) => Err(NoEnd::Refused((*more).to_owned())),
            });
        }
        self.motion.clone_from(&case.name);
        Ok(())
    }
}

/// Why cells are empty, each by a letter.
#[derive(Default)]
struct Reasons(Vec<String>);

impl Reasons {
    fn cell(&mut self, why: &str) -> Cell {
        let number = self.0.iter().position(|r| r == why).unwrap_or_else(|| {
            self.0.push(why.to_owned());
            self.0.len() - 1
        });
        (format!("– {}", letter(number)), None)
    }

    fn list(&self, tables: &mut Tables) {
        tables.add("");
        for (i, why) in self.0.iter().enumerate() {
            tables.add(&format!("- {}: {why}", letter(i)));
        }
    }
}

fn letter(number: usize) -> char {
    ('a'..='z').nth(number).unwrap_or('?')
}

/// What each program finds, ours first.
fn row(case: &Case, ends: &Ends, reasons: &mut Reasons) -> Result<Vec<Cell>, Box<dyn Error>> {
    let ours = go(case, Integrator::default())?;
    let found = ours.lost.map_or_else(|| value(case, ours.found), |_| "lost".to_owned());
    let mut cells = vec![(found, Some(ours.pass))];
    for end in &ends.ends {
        let Measure::Ends(measure) = &case.measure else {
            cells.push(reasons.cell("forces of each step are not asked for"));
            continue;
        };
        cells.push(match end {
            Ok(end) => {
                let found = measure(&ends.start, end);
                (value(case, found), Some(passes(case, found)))
            }
            Err(NoEnd::Refused(why)) => reasons.cell(why),
            Err(NoEnd::Late) => ("late".to_owned(), Some(false)),
            Err(NoEnd::Lost) => ("lost".to_owned(), Some(false)),
        });
    }
    Ok(cells)
}

/// Whether a value is what it should be. Most programs move bodies by the velocity at the end of a step, as `gap_level` does; Rapier does so four times in
/// a step, so that a quarter of what this adds remains.
fn passes(case: &Case, found: f64) -> bool {
    [0.0, 0.25, 1.0].into_iter().any(|share| match case.goal {
        Goal::Near(exact, tolerance) => Goal::Near(exact + share * case.late, tolerance).met(found),
        goal => goal.met(found),
    })
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
