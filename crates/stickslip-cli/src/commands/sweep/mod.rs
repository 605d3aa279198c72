//! `stickslip sweep`: a scene for every value of one or two parameters, on all cores.

mod collector;
mod files;

use crate::args::{SettingArgs, SweepArgs, Vary};
use crate::error::{CliError, Outcome};
use crate::progress::Progress;
use crate::scene::{self, Loaded};
use crate::section::{Kind, Section};
use crate::{interrupt, output, table};
use collector::{Bystander, Collector, Crossing};
use files::{Known, Sheet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use stickslip::events::{EventDriven, Reached};
use stickslip::model::Generalised;
use stickslip::run::{End, Report};
use stickslip::step::Integrator;
use stickslip::{State, System};
use stickslip_scene::Scene;

/// The most runs of one sweep.
const MOST_RUNS: usize = 10_000_000;

/// Crossings of a surface are at least this share of the run apart.
const PAUSE: f64 = 1e-7;

/// What one run of a sweep gave.
#[derive(Clone, Debug)]
struct Point {
    /// The values of the parameters.
    values: Vec<f64>,
    /// `finished` or `failed`.
    end: &'static str,
    crossings: Vec<Crossing>,
    /// After how many crossings and what time the motion repeats.
    returns: Option<(usize, f64)>,
    /// Mean velocity of each coordinate after the transient.
    drift: Vec<f64>,
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
    transient: f64,
    same: f64,
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
    failed: usize,
    crossings: usize,
    /// Runs by the number of crossings after which they repeat; 0 for none.
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
    section: Section,
    transient: f64,
    quiet: bool,
}

pub(crate) fn run(args: &SweepArgs) -> Result<Outcome, CliError> {
    let chains = chains(&args.vary, args.continued)?;
    // The first values stand for all: misuse is found before any work is done.
    let base = scene::read(&args.scene)?;
    let first = load(&base, args, &args.vary.iter().map(|v| v.from).collect::<Vec<_>>())?;
    let info = first.scene.info().clone();
    scene::validate(&first)?;
    let section = Section::parse(args.section.as_deref(), &first.scene)?;
    let event_driven = first.settings.step.integrator == Integrator::EventDriven;
    if event_driven && matches!(section.kind, Kind::Event(..)) {
        let reason = "event_driven finds the states at a surface, not those at an event of a contact: \
            give --section an expression, e.g. --section phi_S, or choose another integrator";
        return Err(CliError::misuse(reason));
    }
    let transient = args.transient.unwrap_or(0.5 * (first.start.t + first.settings.t_end));
    if args.resume && args.continued {
        let reason = "--resume cannot be used with --continue, where a run needs the one before it";
        return Err(CliError::misuse(reason));
    }
    if !(transient < first.settings.t_end) {
        return Err(CliError::misuse("--transient must be before the end time"));
    }
    let dir =
        args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("{}-sweep", first.name)));
    let mut sheet = Sheet::create(&dir, &args.vary, &info).map_err(CliError::Place)?;
    let identity = identity(args, &section, transient, &first);
    let known = match args.resume {
        true => Known::read(&dir, &args.vary, &info, &identity)?,
        false => Known::default(),
    };

    interrupt::listen();
    let start = Instant::now();
    let threads = threads(args).min(chains.len()).max(1);
    let plan = Plan { args, base: &base, section, transient, quiet: args.quiet };
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
    let files = sheet.finish(&args.vary, &points, &summary, &info)?;
    show(args, &summary, &dir, &files)?;
    Ok(match summary.status {
        "stopped" => Outcome::Interrupted,
        _ if summary.counts.failed > 0 => Outcome::NoAnswer,
        _ => Outcome::Good,
    })
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
        let mut collector = Collector::new(&plan.section, plan.transient);
        let report = simulate(&mut scene, &plan.section, &mut collector)?;
        if report.end == End::Stopped {
            break;
        }
        let Collector { crossings, settled, sizes, .. } = collector;
        let (t0, q0) = settled.unwrap_or_else(|| (scene.start.t, scene.start.q.clone()));
        let rate = |(end, begin): (&f64, &f64)| (end - begin) / (report.state.t - t0);
        points.push(Point {
            values: values.clone(),
            end: if report.end == End::Finished { "finished" } else { "failed" },
            returns: collector::returns(&crossings, &sizes, plan.args.same),
            crossings,
            drift: report.state.q.iter().zip(&q0).map(rate).collect(),
            impacts: report.impacts,
            worst: report.certificate.worst,
        });
        // A chain goes on from a failed run at the scene's own start.
        state = (report.end == End::Finished && plan.args.continued).then_some(report.state);
        tick();
    }
    Ok(points)
}

/// One run. Time stepping shows every step to the collector; the event-driven integrator stops at the surface.
fn simulate(
    scene: &mut Loaded,
    section: &Section,
    collector: &mut Collector,
) -> Result<Report, CliError> {
    let Loaded { system, start, settings, .. } = scene;
    let model = Generalised::new(&*system)?;
    let Kind::Surface(surface) = &section.kind else {
        settings.sample_dt = 0.0;
        return Ok(stickslip::run::run(&model, start, settings, collector, &mut ())?);
    };
    if settings.step.integrator != Integrator::EventDriven {
        settings.sample_dt = 0.0;
        return Ok(stickslip::run::run(&model, start, settings, collector, &mut ())?);
    }
    let mut surface = surface.clone();
    let mut sigma = |q: &[f64], u: &[f64], t: f64| surface.value(q, u, t);
    let mut gaps = vec![0.0; system.info().contacts.len()];
    let mut motion = EventDriven::new(&model, start, &settings.event_driven())?;
    // Rounding may leave a state on either side of the surface: a pause keeps it from being met again at once.
    let pause = PAUSE * (settings.t_end - start.t);
    let mut resume = start.t;
    loop {
        let mut reached = motion.advance(resume, None, &mut Bystander(collector))?;
        if reached == Reached::Time {
            reached =
                motion.advance(settings.t_end, Some(&mut sigma), &mut Bystander(collector))?;
        }
        let end = match reached {
            Reached::Section if interrupt::asked() => End::Stopped,
            Reached::Section if collector.crossings.len() < collector::MOST => {
                let State { t, q, u } = motion.state().clone();
                system.gaps(&q, t, &mut gaps);
                resume = (t + pause).min(settings.t_end);
                collector.take(Crossing { t, since: None, q, u, gaps: gaps.clone() });
                continue;
            }
            Reached::Section | Reached::Time => End::Finished,
            Reached::Stopped => End::Stopped,
            Reached::Failed(why) => End::Failed(why),
        };
        return Ok(motion.report(end));
    }
}

fn identity(args: &SweepArgs, section: &Section, transient: f64, first: &Loaded) -> Identity {
    let mut parameters = first.parameters.clone();
    parameters.retain(|name, _| args.vary.iter().all(|v| v.name != *name));
    Identity {
        scene: first.name.clone(),
        source: first.source.clone(),
        names: args.vary.iter().map(|v| v.name.clone()).collect(),
        continued: args.continued,
        section: section.name.clone(),
        transient,
        same: args.same,
        parameters,
        settings: super::run::settings_json(&first.settings),
    }
}

fn summary(args: &SweepArgs, identity: Identity, points: &[Point], all: usize) -> SweepSummary {
    let mut counts = SweepCounts { runs: points.len(), ..SweepCounts::default() };
    for point in points {
        counts.failed += usize::from(point.end == "failed");
        counts.crossings += point.crossings.len();
        *counts.returns.entry(point.returns.map_or(0, |r| r.0)).or_default() += 1;
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
    let returns = |(p, n): (&usize, &usize)| match p {
        0 => format!("{n} do not repeat"),
        p => format!("{n} repeat after {p}"),
    };
    let rate = c.runs as f64 / summary.seconds.max(1e-9);
    output::print(&table::lines(&[
        ("scene", summary.identity.scene.clone()),
        ("runs", format!("{}, {} failed ({})", c.runs, c.failed, summary.status)),
        ("crossings", format!("{} of {}", c.crossings, summary.identity.section)),
        ("motions", c.returns.iter().map(returns).collect::<Vec<_>>().join(", ")),
        ("worst certificate", format!("{:.1e}", summary.worst_certificate)),
        (
            "wall time",
            format!("{:.3} s, {rate:.1} runs/s on {} threads", summary.seconds, summary.threads),
        ),
        ("files", format!("{} in {}", files.len(), dir.display())),
    ]))
}
