//! `stickslip sweep`: a scene for every value of one or two parameters, on all cores.

mod collector;
mod figure;
mod files;
mod simulate;

use crate::args::{SettingArgs, SweepArgs, Vary};
use crate::error::{CliError, Outcome};
use crate::progress::Progress;
use crate::scene::{self, Loaded};
use crate::{interrupt, output, table};
use collector::{Collected, Collector, Crossing, Limits, Over};
use figure::Shown;
use files::{Known, Sheet};
use serde::{Deserialize, Serialize};
use simulate::simulate;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use stickslip::State;
use stickslip::analysis::settling::Criterion;
use stickslip::run::{End, Report};
use stickslip::step::Integrator;
use stickslip_scene::section::{Kind, Section};
use stickslip_scene::{Scene, settings_json};

/// The most runs of one sweep.
const MOST_RUNS: usize = 10_000_000;

/// The most steps of one run.
const MOST_STEPS: f64 = 1e10;

/// How far a motion that has settled is from where it settles.
const TO_GO: f64 = 1e-4;

/// The scatter of time stepping that counts as noise. Steps of 10⁻⁵ s leave 3 % in the velocities of the woodpecker.
const SCATTER: f64 = 0.05;

/// How a run of a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Settled,
    NotSettled,
    NoReturn,
    Failed,
}

impl Status {
    const ALL: [Self; 4] = [Self::Settled, Self::NotSettled, Self::NoReturn, Self::Failed];

    fn name(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::NotSettled => "not settled",
            Self::NoReturn => "no return",
            Self::Failed => "failed",
        }
    }
}

/// What one run of a sweep gave.
#[derive(Clone, Debug)]
struct Point {
    /// The values of the parameters.
    values: Vec<f64>,
    status: Status,
    /// Of a motion that has settled one cycle, else the last that were asked for.
    crossings: Vec<Crossing>,
    /// How often the section was crossed.
    made: usize,
    /// After how many returns and what time a motion that has settled repeats.
    repeats: Option<(usize, f64)>,
    /// Mean velocity of each coordinate over the crossings that are kept.
    rates: Vec<f64>,
    impacts: usize,
    worst: f64,
}

/// `summary.json`.
#[derive(Debug, Serialize)]
struct SweepSummary {
    /// `finished` or `stopped`.
    status: &'static str,
    #[serde(flatten)]
    identity: Identity,
    vary: Vec<Varied>,
    counts: SweepCounts,
    worst_certificate: f64,
    threads: usize,
    seconds: f64,
    versions: BTreeMap<&'static str, &'static str>,
}

/// What the results of a sweep depend on, but for the values themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Identity {
    scene: String,
    source: Option<String>,
    /// The names of the parameters that are varied.
    names: Vec<String>,
    continued: bool,
    section: String,
    returns: usize,
    longest: f64,
    /// How far a motion that has settled may be from where it settles, or scatter.
    same: f64,
    keep: usize,
    /// The parameters that are not varied.
    parameters: BTreeMap<String, f64>,
    settings: serde_json::Value,
}

#[derive(Debug, Serialize)]
struct Varied {
    name: String,
    from: f64,
    to: f64,
    count: usize,
}

#[derive(Debug, Default, Serialize)]
struct SweepCounts {
    runs: usize,
    /// Taken from an earlier sweep.
    resumed: usize,
    settled: usize,
    not_settled: usize,
    no_return: usize,
    failed: usize,
    crossings: usize,
    /// Settled runs by the number of returns after which they repeat.
    returns: BTreeMap<usize, usize>,
}

#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    summary: &'a SweepSummary,
    directory: &'a Path,
    files: &'a [PathBuf],
}

/// What all runs of a sweep share.
struct Plan<'a> {
    args: &'a SweepArgs,
    base: &'a Scene,
    quiet: bool,
}

impl Plan<'_> {
    /// The section in the parameters of a run.
    fn section(&self, scene: &Scene) -> Result<Section, CliError> {
        let (section, period) = (self.args.section.as_deref(), self.args.period.as_deref());
        Ok(Section::parse(section, period, scene)?)
    }

    fn limits(&self, run: &Loaded, section: &Section) -> Limits {
        let event_driven = run.settings.step.integrator == Integrator::EventDriven;
        let longest = match section.kind {
            Kind::Period(period) => 1.5 * period,
            _ => self.args.longest.unwrap_or(run.settings.t_end - run.start.t),
        };
        let settled = match event_driven {
            true => Criterion::ToGo(self.args.same.unwrap_or(TO_GO)),
            false => Criterion::Scatter(self.args.same.unwrap_or(SCATTER)),
        };
        Limits { returns: self.args.returns, longest, settled, keep: self.args.keep }
    }
}

pub(crate) fn run(args: &SweepArgs) -> Result<Outcome, CliError> {
    let chains = chains(&args.vary, args.continued)?;
    // The first values stand for all: misuse is found before any work is done.
    let base = scene::read(&args.scene)?;
    scene::note_stop(&base);
    let first = load(&base, args, &args.vary.iter().map(|v| v.from).collect::<Vec<_>>())?;
    let info = first.scene.info().clone();
    scene::validate(&first)?;
    if !args.quiet {
        scene::note_idle(&first);
    }
    let plan = Plan { args, base: &base, quiet: args.quiet };
    let section = plan.section(&first.scene)?;
    let limits = plan.limits(&first, &section);
    check(args, &first, &section, &limits)?;
    let dir =
        args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("{}-sweep", first.name)));
    let mut sheet = Sheet::create(&dir, &args.vary, &info).map_err(CliError::Place)?;
    let identity = identity(args, &section, &limits, &first);
    let known = match args.resume {
        true => Known::read(&dir, &args.vary, &info, &identity)?,
        false => Known::default(),
    };

    interrupt::listen();
    let start = Instant::now();
    let threads = threads(args).min(chains.len()).max(1);
    let points = work(&plan, &chains, &known, threads)?;
    let seconds = start.elapsed().as_secs_f64();

    let all: usize = chains.iter().map(Vec::len).sum();
    let mut summary = summary(args, identity, &points, all);
    (summary.threads, summary.seconds) = (threads, seconds);
    let resumed = points.iter().filter(|p| known.get(&p.values).is_some());
    summary.counts.resumed = resumed.count();
    for point in &points {
        sheet.add(point);
    }
    let shown = Shown {
        info: &info,
        units: &first.units,
        cyclic: &first.cyclic_shown(),
        stroboscopic: matches!(section.kind, Kind::Period(_)),
    };
    let files = sheet.finish(&args.vary, &points, &summary, &shown)?;
    show(args, &summary, &dir, &files)?;
    Ok(match summary.status {
        "stopped" => Outcome::Interrupted,
        _ if summary.counts.failed > 0 => Outcome::NoAnswer,
        _ => Outcome::Good,
    })
}

/// Refuses what does not go together.
fn check(
    args: &SweepArgs,
    run: &Loaded,
    section: &Section,
    limits: &Limits,
) -> Result<(), CliError> {
    if args.resume && args.continued {
        let reason = "--resume cannot be used with --continue, where a run needs the one before it";
        return Err(CliError::misuse(reason));
    }
    if args.longest.is_some() && matches!(section.kind, Kind::Period(_)) {
        let reason = "--longest is for sections; after a period the motion always returns";
        return Err(CliError::misuse(reason));
    }
    for (name, value) in [("--longest", Some(limits.longest)), ("--same", args.same)] {
        if let Some(value) = value.filter(|v| !(*v > 0.0)) {
            return Err(CliError::misuse(format!("{name} is {value}; it must be above 0")));
        }
    }
    let steps = limits.longest * (limits.returns + 2) as f64 / run.settings.dt;
    if steps > MOST_STEPS && run.settings.step.integrator != Integrator::EventDriven {
        return Err(CliError::misuse(format!(
            "--returns and --longest allow for {steps:.1e} steps; take fewer returns, a shorter time or a larger --dt"
        )));
    }
    Ok(())
}

/// Runs that need the one before them stand in one list; the lists are independent of each other.
fn chains(vary: &[Vary], continued: bool) -> Result<Vec<Vec<Vec<f64>>>, CliError> {
    let (along, across) = match vary {
        [one] => (one, None),
        [one, two] if one.name != two.name => (one, Some(two)),
        [_, _] => return Err(CliError::misuse("--vary names the same parameter twice")),
        _ => return Err(CliError::misuse("--vary can be given once or twice")),
    };
    if along.count.saturating_mul(across.map_or(1, |v| v.count)) > MOST_RUNS {
        return Err(CliError::misuse(format!("a sweep has at most {MOST_RUNS} runs")));
    }
    let line = |second: Option<f64>| -> Vec<Vec<f64>> {
        along.values().map(|v| std::iter::once(v).chain(second).collect()).collect()
    };
    let lines: Vec<_> = match across {
        None => vec![line(None)],
        Some(across) => across.values().map(|v| line(Some(v))).collect(),
    };
    Ok(if continued { lines } else { lines.into_iter().flatten().map(|p| vec![p]).collect() })
}

fn load(base: &Scene, args: &SweepArgs, values: &[f64]) -> Result<Loaded, CliError> {
    let mut settings: SettingArgs = args.settings.clone();
    let varied = args.vary.iter().zip(values).map(|(vary, v)| (vary.name.clone(), *v));
    settings.set.extend(varied);
    scene::prepare(base, &args.scene, &settings)
}

fn threads(args: &SweepArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    args.threads.map_or_else(cores, usize::from)
}

/// Every point, in the order of the grid, whatever the threads. Those that Ctrl-C cut short are left out.
fn work(
    plan: &Plan<'_>,
    chains: &[Vec<Vec<f64>>],
    known: &Known,
    threads: usize,
) -> Result<Vec<Point>, CliError> {
    let all: usize = chains.iter().map(Vec::len).sum();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(Vec::with_capacity(chains.len()));
    let progress = Mutex::new(Progress::new("sweep", plan.quiet));
    let tick = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        // A thread that would have to wait leaves the bar to the others.
        if let Ok(mut progress) = progress.try_lock() {
            progress.show(done as f64, all as f64, |s| {
                format!("{done} of {all} runs, {:.1} runs/s", done as f64 / s.max(1e-9))
            });
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((i, chain)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    chains.get(i).map(|chain| (i, chain))
                } {
                    let result = follow(plan, chain, known, &tick);
                    let failed = result.is_err();
                    if let Ok(mut results) = results.lock() {
                        results.push((i, result));
                    }
                    if failed || interrupt::asked() {
                        next.store(chains.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if let Ok(progress) = progress.into_inner() {
        progress.finish();
    }
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|r| r.0);
    let mut points = Vec::with_capacity(all);
    for (_, result) in results {
        points.extend(result?);
    }
    Ok(points)
}

/// The runs of one chain, each from the last state of the one before it.
fn follow(
    plan: &Plan<'_>,
    chain: &[Vec<f64>],
    known: &Known,
    tick: &(impl Fn() + Sync),
) -> Result<Vec<Point>, CliError> {
    let mut points = Vec::new();
    let mut state: Option<State> = None;
    for values in chain {
        if let Some(point) = known.get(values) {
            points.push(point.clone());
            tick();
            continue;
        }
        let mut scene = load(plan.base, plan.args, values)?;
        if let Some(last) = state.take() {
            scene.start = State { t: scene.start.t, ..last };
        }
        let section = plan.section(&scene.scene)?;
        let (limits, cyclic) = (plan.limits(&scene, &section), scene.cyclic_own());
        scene.settings.t_end = scene.start.t + limits.longest * (limits.returns + 2) as f64;
        let mut collector = Collector::new(&section, &limits, &scene, &cyclic);
        let report = simulate(&mut scene, &section, &mut collector)?;
        let collected = collector.finish();
        if collected.over == Some(Over::Interrupted) {
            break;
        }
        let coordinates = scene.scene.info().coordinates.len();
        points.push(point(values, &report, collected, coordinates));
        // A chain goes on from a failed run at the scene's own start.
        let failed = matches!(report.end, End::Failed(_));
        state = (plan.args.continued && !failed).then_some(report.state);
        tick();
    }
    Ok(points)
}

/// What is kept of a run.
fn point(values: &[f64], report: &Report, collected: Collected, coordinates: usize) -> Point {
    let Collected { crossings, rates, made, over } = collected;
    let (status, repeats) = match over {
        _ if matches!(report.end, End::Failed(_)) => (Status::Failed, None),
        Some(Over::Settled(repeats)) => {
            let period = crossings.iter().filter_map(|c| c.since).sum();
            (Status::Settled, Some((repeats.returns, period)))
        }
        Some(Over::NoReturn) => (Status::NoReturn, None),
        _ => (Status::NotSettled, None),
    };
    let missing = vec![f64::NAN; coordinates];
    let rates = if rates.is_empty() { missing } else { rates };
    let values = values.to_vec();
    let (impacts, worst) = (report.impacts, report.certificate.worst);
    Point { values, status, crossings, made, repeats, rates, impacts, worst }
}

fn identity(args: &SweepArgs, section: &Section, limits: &Limits, first: &Loaded) -> Identity {
    let mut parameters = first.parameters.clone();
    parameters.retain(|name, _| args.vary.iter().all(|v| v.name != *name));
    Identity {
        scene: first.name.clone(),
        source: first.source.clone(),
        names: args.vary.iter().map(|v| v.name.clone()).collect(),
        continued: args.continued,
        section: section.name.clone(),
        returns: limits.returns,
        longest: limits.longest,
        same: match limits.settled {
            Criterion::ToGo(same) | Criterion::Scatter(same) => same,
        },
        keep: limits.keep,
        parameters,
        settings: settings_json(&first.settings),
    }
}

fn summary(args: &SweepArgs, identity: Identity, points: &[Point], all: usize) -> SweepSummary {
    let mut counts = SweepCounts { runs: points.len(), ..SweepCounts::default() };
    for point in points {
        *match point.status {
            Status::Settled => &mut counts.settled,
            Status::NotSettled => &mut counts.not_settled,
            Status::NoReturn => &mut counts.no_return,
            Status::Failed => &mut counts.failed,
        } += 1;
        counts.crossings += point.made;
        if let Some((returns, _)) = point.repeats {
            *counts.returns.entry(returns).or_default() += 1;
        }
    }
    let varied = |v: &Vary| Varied { name: v.name.clone(), from: v.from, to: v.to, count: v.count };
    SweepSummary {
        status: if points.len() == all { "finished" } else { "stopped" },
        identity,
        vary: args.vary.iter().map(varied).collect(),
        counts,
        worst_certificate: points.iter().fold(0.0, |m, p| p.worst.max(m)),
        threads: 1,
        seconds: 0.0,
        versions: stickslip_scene::recording::versions(),
    }
}

fn show(
    args: &SweepArgs,
    summary: &SweepSummary,
    dir: &Path,
    files: &[PathBuf],
) -> Result<(), CliError> {
    if args.json {
        return output::print_json(&Printed { summary, directory: dir, files });
    }
    if args.quiet {
        return Ok(());
    }
    let c = &summary.counts;
    let returns = |(p, n): (&usize, &usize)| format!("{n} repeat after {p}");
    let others = [(c.not_settled, "not settled"), (c.no_return, "do not return")];
    let others = others.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let motions: Vec<String> = c.returns.iter().map(returns).chain(others).collect();
    let rate = c.runs as f64 / summary.seconds.max(1e-9);
    output::print(&table::lines(&[
        ("scene", summary.identity.scene.clone()),
        ("runs", format!("{}, {} failed ({})", c.runs, c.failed, summary.status)),
        ("crossings", format!("{} of {}", c.crossings, summary.identity.section)),
        ("motions", motions.join(", ")),
        ("worst certificate", format!("{:.1e}", summary.worst_certificate)),
        (
            "wall time",
            format!("{:.3} s, {rate:.1} runs/s on {} threads", summary.seconds, summary.threads),
        ),
        ("files", format!("{} in {}", files.len(), dir.display())),
    ]))
}
