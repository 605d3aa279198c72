//! Every solver for cone problems on random problems of every law: who solves what, whether all find
//! the same velocities, and how fast.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- cone_agreement
//! cargo run --release -p stickslip-lab -- cone_agreement --law disc --solver auto --seeds 1000
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stickslip_contact::ContactProblem;
use stickslip_contact::solvers::{Cascade, Method, cascade};
use stickslip_lab::cone::{
    CONE_AUTO, ConeInstance, LAW_FAMILIES, LawFamily, Outcome, Profile, Run, Verdict, compare,
    cone_instance, cone_solvers, law_family, percent, run_all,
};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Runs every solver for cone problems on random problems of every law.

Usage: lab cone_agreement [options]

  --seeds N         problems per law and size up to 10 contacts;
                    of larger ones fewer, in proportion            [30]
  --first-seed N    the first seed                                 [1]
  --sizes LIST      numbers of contacts                            [1,2,3,5,10,20,50,100,200]
  --law TEXT        the law of this name, or laws whose name
                    contains this                                  [all]
  --solver TEXT     solvers whose name contains this               [all]
  --tolerance X     the scaled residual to be reached              [1e-9]
  --save DIR        writes the problems that auto fails on, and those
                    on which solvers differ, as JSON into a folder
  --load FILE       runs a saved problem instead
  --write PAGE      writes tables between the markers of a page, and the
                    plot beside it

Example: lab cone_agreement --law disc --sizes 5,50 --seeds 100 --save failures
";

struct Options {
    seeds: u64,
    first_seed: u64,
    sizes: Vec<usize>,
    law: String,
    solver: String,
    tolerance: f64,
    save: Option<PathBuf>,
    load: Option<PathBuf>,
    write: Option<PathBuf>,
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut o = Options {
        seeds: 30,
        first_seed: 1,
        sizes: vec![1, 2, 3, 5, 10, 20, 50, 100, 200],
        law: String::new(),
        solver: String::new(),
        tolerance: 1e-9,
        save: None,
        load: None,
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("seeds") => o.seeds = args.value()?.parse()?,
            Long("first-seed") => o.first_seed = args.value()?.parse()?,
            Long("sizes") => {
                let list = args.value()?.string()?;
                o.sizes = list.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Long("law") => o.law = args.value()?.string()?,
            Long("solver") => o.solver = args.value()?.string()?,
            Long("tolerance") => o.tolerance = args.value()?.parse()?,
            Long("save") => o.save = Some(args.value()?.into()),
            Long("load") => o.load = Some(args.value()?.into()),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(None);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(o))
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(o) = options(args)? else { return Ok(()) };
    let mut solvers = cone_solvers(o.tolerance)?;
    solvers.retain(|s| s.name().contains(&o.solver));
    if solvers.is_empty() {
        return Err(format!("no solver has {:?} in its name", o.solver).into());
    }
    if let Some(path) = &o.load {
        return load(path, &mut solvers, o.tolerance);
    }
    let mut survey = Survey::new(&solvers);
    let exact = law_family(&o.law).is_some();
    let wanted = |f: &&LawFamily| if exact { f.name == o.law } else { f.name.contains(&o.law) };
    for family in LAW_FAMILIES.iter().filter(wanted) {
        for &size in &o.sizes {
            run_size(family, size, &o, &mut solvers, &mut survey)?;
        }
        eprintln!("{}: {} problems so far", family.name, survey.problems);
    }
    let text = survey.report();
    println!("{text}");
    if let Some(page) = &o.write {
        write_between_markers(page, "cone_agreement", &survey.tables())?;
        let plot = survey.profile.plot("Share of problems solved within τ times the best time");
        std::fs::write(page.with_extension("svg"), plot)?;
    }
    Ok(())
}

/// Problems of one law and size.
fn run_size(
    family: &LawFamily,
    size: usize,
    o: &Options,
    solvers: &mut [Box<dyn Method>],
    survey: &mut Survey,
) -> Result<(), Box<dyn Error>> {
    let seeds = if size <= 10 { o.seeds } else { (10 * o.seeds).div_ceil(size as u64) };
    for seed in o.first_seed..o.first_seed + seeds {
        let instance = cone_instance(family, size, seed);
        let runs = run_all(&instance.problem, solvers, o.tolerance)?;
        let verdict = compare(&instance.problem, &runs);
        if survey.add(&instance, &runs, verdict)
            && let Some(dir) = &o.save
        {
            save(dir, &instance)?;
        }
    }
    Ok(())
}

fn save(dir: &Path, instance: &ConeInstance) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(dir)?;
    let path = dir.join(format!("{}.json", instance.name()));
    Ok(std::fs::write(path, instance.problem.to_json()?)?)
}

fn load(
    path: &Path,
    solvers: &mut [Box<dyn Method>],
    tolerance: f64,
) -> Result<(), Box<dyn Error>> {
    let problem: ContactProblem = ContactProblem::from_json(&std::fs::read_to_string(path)?)?;
    let runs = run_all(&problem, solvers, tolerance)?;
    for run in &runs {
        println!(
            "{:16} {:?}, residual {:.1e}, {:.2e} s",
            run.solver, run.outcome, run.residual, run.seconds
        );
    }
    println!("{:?}", compare(&problem, &runs));
    let mut auto = Cascade::new(cascade::Settings { tolerance, ..Default::default() })?;
    auto.solve(&problem);
    println!("the way of auto:");
    for a in auto.attempts() {
        println!("  {:16} {}, {} iterations, {:.1e}", a.method, a.status, a.iterations, a.residual);
    }
    Ok(())
}

/// What is counted per law.
#[derive(Clone, Debug, Default)]
struct Counts {
    problems: usize,
    /// Per solver: solved, and not taken.
    solved: Vec<usize>,
    not_taken: Vec<usize>,
    sharpened: usize,
    several: usize,
    undecided: usize,
    /// The largest difference of answers that agree as they stand.
    worst: f64,
}

struct Survey {
    names: Vec<&'static str>,
    laws: Vec<(&'static str, Counts)>,
    /// Per size the problems and each solver's seconds.
    times: BTreeMap<usize, (usize, Vec<f64>)>,
    profile: Profile,
    problems: usize,
    notes: Vec<String>,
    auto_failures: usize,
}

impl Survey {
    fn new(solvers: &[Box<dyn Method>]) -> Self {
        let names: Vec<_> = solvers.iter().map(|s| s.name()).collect();
        let profile = Profile::new(names.clone());
        let (laws, times, notes) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { names, laws, times, profile, problems: 0, notes, auto_failures: 0 }
    }

    /// Counts a problem; true if it should be looked at.
    fn add(&mut self, instance: &ConeInstance, runs: &[Run], verdict: Verdict) -> bool {
        let n = self.names.len();
        if self.laws.last().is_none_or(|(name, _)| *name != instance.law) {
            let empty = Counts { solved: vec![0; n], not_taken: vec![0; n], ..Default::default() };
            self.laws.push((instance.law, empty));
        }
        let Some((_, counts)) = self.laws.last_mut() else { return false };
        let times = self.times.entry(instance.contacts).or_insert((0, vec![0.0; n]));
        counts.problems += 1;
        self.problems += 1;
        times.0 += 1;
        let known =
            format!("{} {:?} masses {:e}", instance.name(), instance.shape, instance.mass_ratio);
        let mut look = false;
        for (i, run) in runs.iter().enumerate() {
            match run.outcome {
                Outcome::Solved => counts.solved[i] += 1,
                Outcome::NotTaken => counts.not_taken[i] += 1,
                Outcome::Lied => self.notes.push(format!("LIE of {}: {known}", run.solver)),
                Outcome::Failed(_) => {}
            }
            if run.outcome != Outcome::NotTaken {
                times.1[i] += run.seconds;
            }
            if run.solver == CONE_AUTO && run.outcome != Outcome::Solved {
                self.auto_failures += 1;
                look = true;
                let (r, s) = (run.residual, run.seconds);
                self.notes.push(format!("auto failed: {known}, residual {r:.1e}, {s:.2} s"));
            }
        }
        let time = |r: &Run| (r.outcome == Outcome::Solved).then_some(r.seconds);
        self.profile.add(&runs.iter().map(time).collect::<Vec<_>>());
        match verdict {
            Verdict::Alone => {}
            Verdict::Agree(d) => counts.worst = counts.worst.max(d),
            Verdict::AgreeSharpened(_) => counts.sharpened += 1,
            Verdict::Several(d) => {
                counts.several += 1;
                let wrong = if instance.unique { " ALTHOUGH IT IS UNIQUE" } else { "" };
                self.notes.push(format!("several solutions{wrong}: {known}, {d:.1e}"));
            }
            Verdict::Undecided(d) => {
                counts.undecided += 1;
                self.notes.push(format!("undecided: {known}, {d:.1e}"));
            }
        }
        look || matches!(verdict, Verdict::Several(_) | Verdict::Undecided(_))
    }

    fn report(&self) -> String {
        let (n, failed) = (self.problems, self.auto_failures);
        let notes = self.notes.join("\n");
        format!("{}\n\n{notes}\n\n{n} problems, auto failed on {failed}", self.tables())
    }

    fn tables(&self) -> String {
        let profile = self.profile.table();
        format!("{}\n\n{profile}\n\n{}", self.share_table(), self.time_table())
    }

    fn head(&self, first: &str, last: &[&str]) -> String {
        let mut head = format!("| {first} | problems |");
        self.names.iter().for_each(|s| write!(head, " `{s}` |").expect("text"));
        last.iter().for_each(|s| write!(head, " {s} |").expect("text"));
        let columns = self.names.len() + last.len() + 1;
        format!("{head}\n|---|{}", "---:|".repeat(columns))
    }

    fn share_table(&self) -> String {
        let last = ["largest difference", "sharpened", "several", "undecided"];
        let mut out = self.head("law", &last);
        for (law, c) in &self.laws {
            write!(out, "\n| {law} | {} |", c.problems).expect("text");
            for (solved, not) in c.solved.iter().zip(&c.not_taken) {
                let taken = c.problems - not;
                let share = match percent(*solved as f64 / taken.max(1) as f64) {
                    _ if taken == 0 => "–".to_owned(),
                    share if *not > 0 => format!("{share} of {taken}"),
                    share => share,
                };
                write!(out, " {share} |").expect("text");
            }
            let Counts { worst, sharpened, several, undecided, .. } = c;
            write!(out, " {worst:.0e} | {sharpened} | {several} | {undecided} |").expect("text");
        }
        out
    }

    fn time_table(&self) -> String {
        let mut out = self.head("contacts", &[]);
        for (size, (problems, seconds)) in &self.times {
            write!(out, "\n| {size} | {problems} |").expect("text");
            for s in seconds {
                write!(out, " {} |", per_problem(s / *problems as f64)).expect("text");
            }
        }
        out
    }
}

fn per_problem(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.0} µs", 1e6 * seconds)
    } else if seconds < 1.0 {
        format!("{:.1} ms", 1e3 * seconds)
    } else {
        format!("{seconds:.1} s")
    }
}
