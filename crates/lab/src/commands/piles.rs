//! Many bodies that fall into a container, or are at rest in it, with contacts that collision detection finds.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- piles
//! cargo run --release -p stickslip-lab -- piles --shape boxes --bodies 1000 --tolerance 1e-6
//! cargo run --release -p stickslip-lab -- piles --table 3000 --write book/src/measurements/piles.md
//! ```

use std::cell::Cell;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::bodies::world::World;
use stickslip::contact::Mode;
use stickslip::run::{self, End, Event, Flow, Observer, Sample, Stage, Stopwatch};
use stickslip::step::{self, Integrator, StepStatus, Stepper};
use stickslip_lab::Tables;
use stickslip_lab::piles::{Pile, processor_time};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Drops spheres or boxes into a container, and says what a step costs and how exact it is. Times are those of the processor.

Usage: lab piles [options]

  --shape NAME       spheres or boxes                       [spheres]
  --start NAME       fall: in layers apart from each other; packed: at rest, spheres in the hollows between four
                     others, boxes in columns               [fall]
  --bodies COUNT     how many                               [125]
  --tolerance SHARE  of the contact problems                [1e-6]
  --integrator NAME  the integrator                         [gap_level]
  --dt SECONDS       the step                               [5e-3]
  --t-end SECONDS    the end time                           [1]
  --threads COUNT    that share the solving; the answer is the same to the last bit  [1]; a table is made with one and with
                     so many, and refused if not all figures of the motion are the same to the last bit
  --save FILE        write the contact problem of a step as JSON, for work on solvers
  --at STEP          the step whose problem is saved, if none before it misses the tolerance  [the last]
  --table BODIES     instead of one run the cost per step against the number of bodies up to this one, falling and
                     at rest, with the exponents
  --write FILE       put the table between the markers <!-- piles:begin --> and <!-- piles:end -->, or those of boxes

Example: lab piles --shape boxes --bodies 1000 --tolerance 1e-3 --t-end 3
";

/// Numbers of bodies of the table.
const SIZES: [usize; 5] = [100, 300, 1000, 3000, 10_000];
/// The steps of a falling pile that count in the table: its bodies have met, and none rests. Of one at rest the first ones.
const FALLING: std::ops::Range<usize> = 60..100;
const RESTING: std::ops::Range<usize> = 1..21;

/// Depths that are rounding of coordinates, in m, and rises that are rounding of the energy, as a share of it.
const ROUNDING: f64 = 1e-14;

type Times = [f64; Stage::ALL.len()];
type Outcome<T> = Result<T, Box<dyn Error>>;

/// What is asked for.
#[derive(Clone)]
struct Options {
    boxes: bool,
    packed: bool,
    bodies: usize,
    tolerance: f64,
    integrator: Integrator,
    dt: f64,
    t_end: f64,
    threads: usize,
    save: Option<PathBuf>,
    at: Option<usize>,
    table: Option<usize>,
    write: Option<PathBuf>,
}

/// What a run amounted to.
#[derive(Default)]
struct Totals {
    steps: usize,
    contacts: usize,
    most_contacts: usize,
    worst: f64,
    deepest: f64,
    /// The largest depth after a step as a share of what its certificate allows.
    allowed: f64,
    /// The largest rise of the energy in a step, in J, and of its share of what the depth before it and its certificate allow.
    rise: f64,
    allowed_rise: f64,
    slowest: f64,
    /// The energy at the end, in J.
    energy: f64,
    /// Processor time of the steps that count, in s, in the thread that steps, and what the clock says.
    cpu: f64,
    wall: f64,
    /// Steps that were made in shorter parts, since they had no certified answer.
    split: usize,
    /// Steps whose certificate misses the tolerance.
    missed: usize,
    lost: bool,
}

/// The time of each stage, while steps count.
struct Laps<'a> {
    counts: &'a Cell<bool>,
    last: Instant,
    times: [f64; Stage::ALL.len()],
}

impl Stopwatch for Laps<'_> {
    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        if self.counts.get() {
            self.times[stage as usize] += (now - self.last).as_secs_f64();
        }
        self.last = now;
    }
}

/// Adds up the steps that count.
struct Tally<'a> {
    pile: Pile,
    dt: f64,
    loads: Vec<f64>,
    counts: &'a Cell<bool>,
    /// When the first of them begins.
    from: f64,
    totals: Totals,
    energy: f64,
    depth: f64,
    clock: Instant,
    begin: f64,
}

impl Observer for Tally<'_> {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let (energy, t) = (sample.energy.total(), &mut self.totals);
        let depth = sample.gaps.iter().fold(0.0_f64, |m, gap| m.max(-gap));
        if self.counts.get() {
            let closed = sample.modes.iter().filter(|mode| **mode != Mode::Open).count();
            t.steps += 1;
            t.contacts += closed;
            t.most_contacts = t.most_contacts.max(closed);
            let rise = energy - self.energy;
            t.rise = t.rise.max(rise);
            let allowed = self.pile.allowed(sample, (self.dt, self.depth), &mut self.loads);
            t.allowed = t.allowed.max(if depth > ROUNDING { depth / allowed.depth } else { 0.0 });
            let seen = rise > ROUNDING * energy.abs();
            t.allowed_rise = t.allowed_rise.max(if seen { rise / allowed.rise } else { 0.0 });
            let elapsed = self.clock.elapsed().as_secs_f64();
            t.slowest = t.slowest.max(elapsed);
            t.wall += elapsed;
            t.cpu = processor_time() - self.begin;
        } else if sample.t >= self.from {
            self.counts.set(true);
            self.begin = processor_time();
        }
        (self.energy, self.depth, self.clock) = (energy, depth, Instant::now());
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}

pub(crate) fn run(args: lexopt::Parser) -> Outcome<()> {
    let Some(options) = read(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut tables = Tables::default();
    match options.table {
        Some(most) => costs(&options, most, &mut tables)?,
        None => {
            let steps = (options.t_end / options.dt).round() as usize;
            if let Some(path) = &options.save {
                return save(&options, path, options.at.unwrap_or(steps.saturating_sub(1)));
            }
            let (totals, times) = simulate(&options, 0..steps)?;
            report(&options, &totals, &times, &mut tables);
            if totals.lost {
                return Err("the run is lost".into());
            }
        }
    }
    if let Some(path) = options.write {
        write_between_markers(&path, if options.boxes { "boxes" } else { "piles" }, tables.text())?;
    }
    Ok(())
}

/// Runs to the end of a range of steps; those in the range count.
fn simulate(o: &Options, counted: std::ops::Range<usize>) -> Outcome<(Totals, Times)> {
    let pile = Pile { boxes: o.boxes, packed: o.packed, bodies: o.bodies };
    let (world, start) = pile.built()?;
    let step = step_settings(o, &world);
    let t_end = counted.end as f64 * o.dt;
    let settings = run::Settings { dt: o.dt, sample_dt: o.dt, t_end, step };
    let counts = Cell::new(false);
    let now = Instant::now();
    let mut laps = Laps { counts: &counts, last: now, times: [0.0; Stage::ALL.len()] };
    let mut tally = Tally {
        pile,
        dt: o.dt,
        loads: Vec::new(),
        counts: &counts,
        from: (counted.start as f64 - 0.5) * o.dt,
        totals: Totals::default(),
        energy: 0.0,
        depth: 0.0,
        clock: now,
        begin: 0.0,
    };
    let report = run::run(&world, &start, &settings, &mut tally, &mut laps)?;
    let mut totals = Totals { energy: tally.energy, ..tally.totals };
    totals.worst = report.certificate.worst;
    totals.deepest = report.drift.depth;
    (totals.split, totals.missed) = (report.split_steps, report.missed_steps);
    totals.lost = report.end != End::Finished;
    if let End::Failed(reason) = report.end {
        println!("{reason}");
    }
    Ok((totals, laps.times))
}

fn step_settings(o: &Options, world: &World) -> step::Settings {
    let exact = step::exact(world);
    let solve =
        stickslip::contact::solve::Settings { tolerance: o.tolerance, threads: o.threads, ..exact };
    step::Settings { integrator: o.integrator, solve: Some(solve), ..step::Settings::default() }
}

/// Writes the contact problem of a step.
fn save(o: &Options, path: &Path, at: usize) -> Outcome<()> {
    let pile = Pile { boxes: o.boxes, packed: o.packed, bodies: o.bodies };
    let (world, mut state) = pile.built()?;
    let mut stepper = Stepper::new(&world, step_settings(o, &world))?;
    for _ in 0..=at {
        if let StepStatus::Unsolved(unsolved) = stepper.step(&world, &mut state, o.dt, &mut ())? {
            println!("{}", unsolved.at(state.t));
            break;
        }
        if stepper.outcome().missed {
            println!("the step to t = {} misses the tolerance", state.t);
            break;
        }
    }
    std::fs::write(path, stepper.problem().to_json()?)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn report(o: &Options, t: &Totals, times: &Times, tables: &mut Tables) {
    let shape = if o.boxes { "boxes" } else { "spheres" };
    let steps = t.steps.max(1) as f64;
    tables.add(&format!(
        "{} {shape}, tolerance {:.0e}, {}, dt {} s, {} steps, threads {}",
        o.bodies, o.tolerance, o.integrator, o.dt, t.steps, o.threads
    ));
    tables.add(&format!(
        "processor time {:.3} ms a step, of the thread that steps, {:.3} ms without the samples that are taken of each; on the clock {:.3} ms a step, the slowest {:.1} ms",
        1e3 * t.cpu / steps,
        1e3 * t.cpu / steps * (1.0 - times[Stage::Observe as usize] / times.iter().sum::<f64>()),
        1e3 * t.wall / steps,
        1e3 * t.slowest
    ));
    let mean = t.contacts as f64 / steps;
    tables.add(&format!("contacts: {mean:.0} a step, at most {}", t.most_contacts));
    tables.add(&format!(
        "worst certificate {:.1e}, deepest penetration {:.1e} m, at most {:.2} of what the certificate of its step allows, largest rise of energy in a step {:.1e} J, at most {:.4} of what the depth before it and its certificate allow, steps made in parts {}, that miss the tolerance {}",
        t.worst, t.deepest, t.allowed, t.rise, t.allowed_rise, t.split, t.missed
    ));
    let all: f64 = times.iter().sum();
    for (stage, time) in Stage::ALL.into_iter().zip(times).filter(|x| *x.1 > 0.0) {
        let (share, each) = (time / all, 1e3 * t.cpu / steps);
        tables.add(&format!(
            "  {:<8} {:8.3} ms {:5.1} %",
            stage.name(),
            share * each,
            100.0 * share
        ));
    }
}

/// The cost per step against the number of bodies, falling and at rest.
fn costs(o: &Options, most: usize, tables: &mut Tables) -> Outcome<()> {
    let sizes: Vec<usize> = SIZES.into_iter().filter(|n| *n <= most).collect();
    let threads = o.threads;
    tables.add(&format!("| start | tolerance | bodies | contacts | ms per step | of it detection | by the clock | {threads} threads, by the clock | worst certificate | deepest, m | in parts | missed |"));
    tables.add("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (packed, name, counted) in [(false, "falling", FALLING), (true, "at rest", RESTING)] {
        let mut points = Vec::new();
        for &bodies in &sizes {
            let alone = Options { packed, bodies, threads: 1, ..o.clone() };
            let (t, times) = simulate(&alone, counted.clone())?;
            let (shared, _) = simulate(&Options { threads, ..alone }, counted.clone())?;
            if t.motion() != shared.motion() {
                let (one, more) = (t.motion(), shared.motion());
                return Err(format!("{threads} threads change figures: {one:?}, {more:?}").into());
            }
            let steps = t.steps.max(1) as f64;
            let cost = 1e3 * t.cpu / steps;
            let detection = times[Stage::Detect as usize] / times.iter().sum::<f64>() * cost;
            tables.add(&format!(
                "| {name} | {:.0e} | {bodies} | {:.0} | {cost:.2} | {detection:.2} | {:.2} | {:.2} | {:.1e} | {:.1e} | {} | {} |",
                o.tolerance,
                t.contacts as f64 / steps,
                1e3 * t.wall / steps,
                1e3 * shared.wall / steps,
                t.worst,
                t.deepest,
                t.split,
                t.missed
            ));
            points.push((bodies as f64, cost));
        }
        tables.add(&format!(
            "| {name}, exponent from 100 bodies on | | | | {:.2} | | | | | | | |",
            exponent(&points)
        ));
    }
    Ok(())
}

impl Totals {
    /// What threads may not change.
    fn motion(&self) -> [u64; 8] {
        let figures = [self.worst, self.deepest, self.rise, self.energy].map(f64::to_bits);
        let counts = [self.contacts, self.most_contacts, self.split, self.missed];
        let [worst, deepest, rise, energy] = figures;
        let [contacts, most, split, missed] = counts.map(|n| n as u64);
        [worst, deepest, rise, energy, contacts, most, split, missed]
    }
}

/// The slope of the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, t)| (n.ln(), t.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (over, under) = logs
        .iter()
        .fold((0.0, 0.0), |(o, u), (a, b)| (o + (a - x) * (b - y), u + (a - x) * (a - x)));
    over / under
}

fn read(mut args: lexopt::Parser) -> Result<Option<Options>, Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut o = Options {
        boxes: false,
        packed: false,
        bodies: 125,
        tolerance: 1e-6,
        integrator: Integrator::GapLevel,
        dt: 5e-3,
        t_end: 1.0,
        threads: 1,
        save: None,
        at: None,
        table: None,
        write: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("shape") => match args.value()?.string()?.as_str() {
                "spheres" => o.boxes = false,
                "boxes" => o.boxes = true,
                other => return Err(format!("no shape {other}; take spheres or boxes").into()),
            },
            Long("start") => match args.value()?.string()?.as_str() {
                "fall" => o.packed = false,
                "packed" => o.packed = true,
                other => return Err(format!("no start {other}; take fall or packed").into()),
            },
            Long("bodies") => o.bodies = args.value()?.parse()?,
            Long("tolerance") => o.tolerance = args.value()?.parse()?,
            Long("integrator") => o.integrator = args.value()?.string()?.parse()?,
            Long("dt") => o.dt = args.value()?.parse()?,
            Long("t-end") => o.t_end = args.value()?.parse()?,
            Long("threads") => o.threads = args.value()?.parse()?,
            Long("save") => o.save = Some(args.value()?.into()),
            Long("at") => o.at = Some(args.value()?.parse()?),
            Long("table") => o.table = Some(args.value()?.parse()?),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(o))
}
