//! Ours beside Siconos in one run, and how our time grows.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- compare
//! cargo run --release -p stickslip-lab -- compare --rounds 15 --seconds 0.5
//! cargo run --release -p stickslip-lab -- compare --write book/src/measurements/speed.md
//! ```
//!
//! Rounds alternate between the two programs, so that a busy machine disturbs both alike; times are
//! medians over rounds, ratios are medians of the ratios within a round. Problems are those that have
//! a solution by a theorem, and timed are those that both solve. Where Siconos is not installed, ours
//! is timed alone.

mod siconos;

use complementarity::{Lcp, Solver};
use siconos::Siconos;
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;
use stickslip_lab::{Expected, Instance, TOLERANCE, plain_family, plain_solvers};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Times our solvers beside Siconos' lcp_lexicolemke, in rounds within one run.

Usage: lab compare [options]

  --rounds COUNT     rounds                                  [9]
  --seconds SECONDS  time per case, program and round        [0.1]
  --solvers LIST     ours, separated by commas               [lemke,auto]
  --no-scaling       leave out the table of how time grows
  --write FILE       put the tables between the markers <!-- speed:begin --> and <!-- speed:end -->

Example: lab compare --rounds 15 --seconds 0.5 --solvers lemke
";

/// Name, family, sizes asked for, instances per size.
const CASES: &[(&str, &str, &[usize], usize)] = &[
    ("one planar contact", "planar_glocker_studer", &[3], 8),
    ("positive definite", "pd_symmetric", &[6, 30, 100, 300], 6),
    ("planar friction, Glocker-Studer", "planar_glocker_studer", &[6, 30, 100, 300], 6),
    ("planar friction, Stewart-Trinkle", "planar_stewart_trinkle", &[8, 32, 100, 300], 6),
    ("redundant stacks, Glocker-Studer", "stack_glocker_studer", &[30, 100], 10),
    ("redundant stacks, Stewart-Trinkle", "stack_stewart_trinkle", &[32, 100], 10),
    ("redundant boxes in space", "stack_boxes", &[24, 96], 10),
];

/// Where to stop looking for problems with a solution.
const MOST_SEEDS: u64 = 1000;

struct Options {
    rounds: usize,
    seconds: f64,
    solvers: Vec<String>,
    scaling: bool,
    write: Option<PathBuf>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let cases: Vec<Case> = CASES.iter().flat_map(Case::of).collect();
    let problems: Vec<&Lcp> = cases.iter().flat_map(|c| &c.problems).collect();
    let mut tables = Tables::default();
    let mut siconos = match Siconos::start(&problems) {
        Ok(siconos) => Some(siconos),
        Err(e) => {
            tables.add(&format!("Siconos is not at hand ({e}): ours alone.\n"));
            None
        }
    };
    tables.add(
        "| problems | n | solver | solved | worst residual | time | Siconos solved | its worst residual | its time | ratio (spread) |",
    );
    tables.add("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut first = 0;
    for case in &cases {
        compare(&options, case, first, siconos.as_mut(), &mut tables)?;
        first += case.problems.len();
    }
    if options.scaling {
        scaling(&options, &mut tables);
    }
    if let Some(path) = &options.write {
        write_between_markers(path, "speed", &tables.0)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// What was printed so far.
#[derive(Default)]
struct Tables(String);

impl Tables {
    /// Prints a line at once, since a run takes minutes, and keeps it.
    fn add(&mut self, line: &str) {
        println!("{line}");
        let _ = writeln!(self.0, "{line}");
    }
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options {
        rounds: 9,
        seconds: 0.1,
        solvers: vec!["lemke".to_owned(), "auto".to_owned()],
        scaling: true,
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("rounds") => o.rounds = args.value()?.parse::<usize>()?.max(1),
            Long("seconds") => o.seconds = args.value()?.parse()?,
            Long("solvers") => {
                o.solvers = args.value()?.string()?.split(',').map(str::to_owned).collect();
            }
            Long("no-scaling") => o.scaling = false,
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

struct Case {
    name: &'static str,
    n: usize,
    problems: Vec<Lcp>,
}

impl Case {
    fn of(&(name, family, sizes, count): &(&'static str, &str, &[usize], usize)) -> Vec<Self> {
        let family = plain_family(family).expect("the family exists");
        let at = |&n: &usize| {
            // Restitution on a singular W can leave a contact problem without a solution.
            let solvable = |i: &Instance| i.expected == Expected::Solvable;
            let instances = (0..MOST_SEEDS).map(|s| family.instance(n, s)).filter(solvable);
            let problems: Vec<Lcp> = instances.take(count).map(|i| i.problem).collect();
            Self { name, n: problems.first().map_or(n, Lcp::len), problems }
        };
        sizes.iter().map(at).collect()
    }
}

/// How well a program did on each problem of a case: the residual, infinite if it gave up.
struct Quality(Vec<f64>);

impl Quality {
    fn solved(&self, i: usize) -> bool {
        self.0[i] <= TOLERANCE
    }

    fn share(&self) -> String {
        let solved = (0..self.0.len()).filter(|&i| self.solved(i)).count();
        format!("{solved}/{}", self.0.len())
    }

    /// Over the problems solved.
    fn worst(&self) -> String {
        let solved = self.0.iter().filter(|r| **r <= TOLERANCE);
        format!("{:.0e}", solved.fold(0.0f64, |a, &b| a.max(b)))
    }
}

fn compare(
    o: &Options,
    case: &Case,
    first: usize,
    mut siconos: Option<&mut Siconos>,
    tables: &mut Tables,
) -> Result<(), Box<dyn Error>> {
    let theirs = match &mut siconos {
        Some(s) => Some(their_quality(case, first, s)?),
        None => None,
    };
    for mut solver in plain_solvers() {
        if !o.solvers.iter().any(|name| name == solver.name()) {
            continue;
        }
        let solver = solver.as_mut();
        let ours = our_quality(case, solver);
        let both = |i: &usize| ours.solved(*i) && theirs.as_ref().is_none_or(|t| t.solved(*i));
        let timed: Vec<usize> = (0..case.problems.len()).filter(both).collect();
        let lists: Vec<usize> = timed.iter().map(|i| first + i).collect();
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        for _ in 0..if timed.is_empty() { 0 } else { o.rounds } {
            our_times.push(time(o.seconds, case, &timed, solver));
            if let Some(s) = &mut siconos {
                their_times.push(s.time(o.seconds, &lists)?);
            }
        }
        let ratios: Vec<f64> = their_times.iter().zip(&our_times).map(|(t, o)| t / o).collect();
        tables.add(&format!(
            "| {} | {} | `{}` | {} | {} | {} | {} | {} | {} | {} |",
            case.name,
            case.n,
            solver.name(),
            ours.share(),
            ours.worst(),
            nanoseconds(&our_times),
            theirs.as_ref().map_or("–".to_owned(), Quality::share),
            theirs.as_ref().map_or("–".to_owned(), Quality::worst),
            nanoseconds(&their_times),
            spread(&ratios),
        ));
    }
    Ok(())
}

fn our_quality(case: &Case, solver: &mut dyn Solver) -> Quality {
    let residual = |p: &Lcp, s: &mut dyn Solver| {
        let solution = s.solve(p);
        if solution.is_solved() { p.residual(&solution.z).scaled } else { f64::INFINITY }
    };
    Quality(case.problems.iter().map(|p| residual(p, solver)).collect())
}

/// The residual decides, whatever the flag says; a flag that is not 0 counts as giving up.
fn their_quality(case: &Case, first: usize, s: &mut Siconos) -> std::io::Result<Quality> {
    let mut residuals = Vec::new();
    for (i, p) in case.problems.iter().enumerate() {
        let answer = s.solve(first + i)?;
        let residual = p.residual(&answer.z).scaled;
        residuals.push(if answer.info == 0 { residual } else { f64::INFINITY });
    }
    Ok(Quality(residuals))
}

/// Nanoseconds per solve, looping over the listed problems for about `seconds`.
fn time(seconds: f64, case: &Case, list: &[usize], solver: &mut dyn Solver) -> f64 {
    let (mut passes, mut solves) = (1, 0);
    let start = Instant::now();
    loop {
        for _ in 0..passes {
            for &i in list {
                black_box(solver.solve(black_box(&case.problems[i])));
            }
        }
        solves += passes * list.len();
        let elapsed = start.elapsed().as_secs_f64();
        if elapsed >= seconds {
            return 1e9 * elapsed / solves as f64;
        }
        // The clock is read ever more seldom, or a tiny problem would time the clock.
        if elapsed < seconds / 4.0 {
            passes *= 2;
        }
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn nanoseconds(times: &[f64]) -> String {
    if times.is_empty() {
        return "–".to_owned();
    }
    match median(times) {
        t if t < 1e3 => format!("{t:.0} ns"),
        t if t < 1e6 => format!("{:.2} µs", t / 1e3),
        t => format!("{:.2} ms", t / 1e6),
    }
}

fn spread(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "–".to_owned();
    }
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ratios.iter().copied().fold(0.0, f64::max);
    format!("{:.1} ({low:.1} to {high:.1})", median(ratios))
}

/// Time over pivots times n², which must not grow with n.
fn scaling(o: &Options, tables: &mut Tables) {
    let family = plain_family("pd_symmetric").expect("the family exists");
    tables.add("\n| solver | n | pivots | time | time / (pivots n²) |");
    tables.add("|---|---:|---:|---:|---:|");
    for mut solver in plain_solvers() {
        if solver.name() != "lemke" {
            continue;
        }
        for n in [50, 100, 200, 400, 800] {
            let case = Case {
                name: "positive definite",
                n,
                problems: vec![family.instance(n, 1).problem],
            };
            let pivots = solver.solve(&case.problems[0]).statistics.iterations.max(1);
            let times: Vec<f64> = (0..o.rounds.min(5))
                .map(|_| time(o.seconds, &case, &[0], solver.as_mut()))
                .collect();
            let per = median(&times) / (pivots * n * n) as f64;
            let time = nanoseconds(&times);
            let name = solver.name();
            tables.add(&format!("| `{name}` | {n} | {pivots} | {time} | {per:.3} ns |"));
        }
    }
}
