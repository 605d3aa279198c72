//! `auto` beside Siconos and Pinocchio on spatial friction: the same W, b and μ, to the same residual,
//! in one run.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- cone_compare
//! cargo run --release -p stickslip-lab -- cone_compare --problem "stack" --limit 10
//! cargo run --release -p stickslip-lab -- cone_compare --python venv/bin/python3
//! ```
//!
//! Programs stop by measures of their own, so each climbs a ladder of its own tolerances, and its
//! time is the shortest of those with which its answer meets the tolerance of a judge that is the
//! same for all. There are two judges: our residual, and the error that Siconos documents. Times
//! are the best over rounds that alternate between the programs, one thread each; ours begins with
//! nothing allocated, theirs with everything set up. Peers that are not installed are left out.

mod judge;
mod peer;
mod problems;
mod report;

use judge::judge;
use peer::{METHODS, Method, Peer, Peers, Reply};
use problems::{PROBLEMS, Posed};
use report::Report;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use stickslip_contact::ContactProblem;
use stickslip_contact::solvers::{Cascade, Method as _, cascade};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Times auto beside the solvers of Siconos and Pinocchio, in one run.

Usage: lab cone_compare [options]

  --problem TEXT    problems whose name contains this              [all]
  --method TEXT     methods of peers whose name contains this      [all]
  --limit SECONDS   time that a peer has for a solve               [60]
  --rounds COUNT    rounds in which the best are timed again       [3]
  --python PATH     an interpreter that can import pinocchio       [python3]
  --write FILE      put the tables between the markers <!-- cone_compare:begin --> and
                    <!-- cone_compare:end -->

Example: lab cone_compare --problem pile --python venv/bin/python3
";

/// What counts as solved.
const TOLERANCE: f64 = 1e-8;
/// Tolerances that are tried, each program's own.
const LADDER: [f64; 5] = [1e-6, 1e-8, 1e-10, 1e-12, 1e-14];
/// How long a solve is repeated, in seconds.
const REPEAT: f64 = 0.1;
/// What takes longer is not timed again.
const LONG: f64 = 2.0;
/// Peers this much slower than the best are not timed again, and not waited for.
const FAR: f64 = 4.0;
/// A peer is waited for at least so long, in seconds, however fast another is.
const PATIENCE: f64 = 3.0;

struct Options {
    problem: String,
    method: String,
    limit: f64,
    rounds: usize,
    python: PathBuf,
    write: Option<PathBuf>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut report = Report::default();
    let peers = Peers::find(&options.python, &mut |notice| report.add(notice))?;
    report.head();
    let mut slow = BTreeSet::new();
    for posed in PROBLEMS.iter().filter(|p| p.name.contains(&options.problem)) {
        let problem = (posed.make)();
        peers.pose(&problem)?;
        let runs = race(&options, &peers, posed, &problem, &mut slow)?;
        report.row(posed.name, &problem, &runs);
    }
    report.summary();
    if let Some(path) = &options.write {
        write_between_markers(path, "cone_compare", report.text())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options {
        problem: String::new(),
        method: String::new(),
        limit: 60.0,
        rounds: 3,
        python: "python3".into(),
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("problem") => o.problem = args.value()?.string()?,
            Long("method") => o.method = args.value()?.string()?,
            Long("limit") => o.limit = args.value()?.parse::<f64>()?.clamp(0.1, 86_400.0),
            Long("rounds") => o.rounds = args.value()?.parse()?,
            Long("python") => o.python = args.value()?.into(),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

/// A solve with one tolerance: its best time, and what the judges say.
struct Rung {
    tolerance: f64,
    seconds: f64,
    judged: [f64; 2],
}

/// How a program fared on a problem.
pub(crate) struct Run {
    /// None for ours.
    method: Option<&'static Method>,
    rungs: Vec<Rung>,
    /// The time within which it gave no answer, if so.
    late: Option<f64>,
    process: Option<Peer>,
}

impl Run {
    /// The shortest time whose answer the judge accepts.
    fn seconds(&self, judge: usize) -> Option<f64> {
        let fine = self.rungs.iter().filter(|r| r.judged[judge] <= TOLERANCE);
        fine.map(|r| r.seconds).min_by(f64::total_cmp)
    }

    fn answer(&mut self, problem: &ContactProblem, tolerance: f64, limit: f64) -> Reply {
        match (&mut self.process, self.method) {
            (Some(peer), _) => peer.solve(tolerance, REPEAT, limit),
            (None, None) => ours(problem, tolerance),
            (None, Some(_)) => Reply::Crashed,
        }
    }

    /// Tolerances are tightened until both judges are content or `limit` has passed.
    fn climb(&mut self, problem: &ContactProblem, limit: f64) {
        let start = Instant::now();
        for tolerance in LADDER {
            let left = limit - start.elapsed().as_secs_f64();
            match self.answer(problem, tolerance, left.max(0.0)) {
                Reply::Answer { converged, seconds, impulse } => {
                    let judged = judge(problem, &impulse);
                    self.rungs.push(Rung { tolerance, seconds, judged });
                    if !converged || judged.iter().all(|&r| r <= TOLERANCE) {
                        return;
                    }
                }
                Reply::Late => {
                    self.late = Some(limit);
                    self.process = None;
                    return;
                }
                Reply::Crashed => {
                    self.process = None;
                    return;
                }
            }
        }
    }

    /// Times again what a judge accepts.
    fn again(&mut self, problem: &ContactProblem) {
        for i in 0..self.rungs.len() {
            let Rung { tolerance, seconds, judged } = self.rungs[i];
            if seconds > LONG || judged.iter().all(|&r| r > TOLERANCE) {
                continue;
            }
            if let Reply::Answer { seconds, .. } = self.answer(problem, tolerance, LONG * FAR) {
                self.rungs[i].seconds = self.rungs[i].seconds.min(seconds);
            }
        }
    }
}

/// A solve with `auto`, a new one each time, repeated.
fn ours(problem: &ContactProblem, tolerance: f64) -> Reply {
    let settings = cascade::Settings { tolerance, ..Default::default() };
    let (mut seconds, mut spent) = (f64::INFINITY, 0.0);
    loop {
        let start = Instant::now();
        let Ok(mut solver) = Cascade::new(settings) else { return Reply::Crashed };
        solver.solve(problem);
        let time = start.elapsed().as_secs_f64();
        (seconds, spent) = (time.min(seconds), spent + time);
        if spent >= REPEAT {
            let solution = solver.solution();
            let (converged, impulse) = (solution.is_solved(), solution.impulse.clone());
            return Reply::Answer { converged, seconds, impulse };
        }
    }
}

/// All programs on one problem; ours comes first. `slow` are the methods that were late at a
/// smaller problem of the kind.
fn race(
    o: &Options,
    peers: &Peers,
    posed: &Posed,
    problem: &ContactProblem,
    slow: &mut BTreeSet<(&'static str, &'static str)>,
) -> Result<Vec<Run>, Box<dyn Error>> {
    let mut runs = vec![Run { method: None, rungs: Vec::new(), late: None, process: None }];
    runs[0].climb(problem, f64::INFINITY);
    let mut best = f64::INFINITY;
    for method in METHODS.iter().filter(|m| m.name.contains(&o.method)) {
        if problem.contacts() > method.most_contacts || slow.contains(&(method.name, posed.kind)) {
            continue;
        }
        let Some(process) = peers.start(method)? else { continue };
        let (method, process) = (Some(method), Some(process));
        let mut run = Run { method, rungs: Vec::new(), late: None, process };
        let limit = o.limit.min((FAR * best).max(PATIENCE));
        run.climb(problem, limit);
        if run.late == Some(o.limit) && run.rungs.is_empty() {
            slow.extend(method.map(|m| (m.name, posed.kind)));
        }
        best = run.seconds(0).unwrap_or(f64::INFINITY).min(best);
        runs.push(run);
    }
    for run in &mut runs[1..] {
        if !run.seconds(0).is_some_and(|s| s <= FAR * best) {
            run.process = None;
        }
    }
    for _ in 0..o.rounds {
        for run in &mut runs {
            run.again(problem);
        }
    }
    Ok(runs)
}
