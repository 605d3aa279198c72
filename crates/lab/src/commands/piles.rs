//! Many bodies that fall into a container, or are at rest in it, with contacts that collision detection finds.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- piles
//! cargo run --release -p stickslip-lab -- piles --shape boxes --bodies 1000 --tolerance 1e-6
//! cargo run --release -p stickslip-lab -- piles --table 3000 --write book/src/mechanics/piles.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::model::Model;
use stickslip::run::{Stage, Stopwatch};
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
  --save FILE        write the contact problem of a step as JSON, for work on solvers
  --at STEP          the step whose problem is saved        [the last]
  --table BODIES     instead of one run the cost per step against the number of bodies up to this one, falling and
                     at rest, with the exponents
  --write FILE       put the table between the markers <!-- piles:begin --> and <!-- piles:end -->

Example: lab piles --shape boxes --bodies 1000 --tolerance 1e-3 --t-end 3
";

/// Numbers of bodies of the table.
const SIZES: [usize; 5] = [100, 300, 1000, 3000, 10_000];
/// The steps of a falling pile that count in the table: its bodies have met, and none rests. Of one at rest the first ones.
const FALLING: std::ops::Range<usize> = 60..100;
const RESTING: std::ops::Range<usize> = 1..21;

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
    /// The largest rise of the energy in a step, in J.
    rise: f64,
    slowest: f64,
    /// Processor time of the steps that count, in s.
    cpu: f64,
    lost: Option<String>,
}

/// The time of each stage.
struct Laps {
    last: Instant,
    times: [f64; Stage::ALL.len()],
}

impl Stopwatch for Laps {
    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        self.times[stage as usize] += (now - self.last).as_secs_f64();
        self.last = now;
    }
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
            let (totals, laps) = simulate(&options, 0..steps)?;
            report(&options, &totals, &laps, &mut tables);
            if let Some(lost) = totals.lost {
                return Err(lost.into());
            }
        }
    }
    if let Some(path) = options.write {
        write_between_markers(&path, "piles", tables.text())?;
    }
    Ok(())
}

/// Steps to the end of a range; those in the range count.
fn simulate(o: &Options, counted: std::ops::Range<usize>) -> Outcome<(Totals, Laps)> {
    let pile = Pile { boxes: o.boxes, packed: o.packed, bodies: o.bodies };
    let (world, mut state) = pile.built()?;
    let exact = step::exact(&world);
    let solve = Some(stickslip::contact::solve::Settings { tolerance: o.tolerance, ..exact });
    let settings = step::Settings { integrator: o.integrator, solve, ..step::Settings::default() };
    let mut stepper = Stepper::new(&world, settings)?;
    let mut laps = Laps { last: Instant::now(), times: [0.0; Stage::ALL.len()] };
    let mut totals = Totals::default();
    let mut energy = world.energy(&state.q, &state.u, 0.0).total();
    let mut begin = processor_time();
    let last = counted.end.saturating_sub(1);
    for step in 0..counted.end {
        if step == counted.start {
            (totals, begin) = (Totals::default(), processor_time());
            laps.times.fill(0.0);
        }
        laps.last = Instant::now();
        let clock = Instant::now();
        let status = stepper.step(&world, &mut state, o.dt, &mut laps)?;
        totals.slowest = totals.slowest.max(clock.elapsed().as_secs_f64());
        if let Some(path) = o.save.as_ref().filter(|_| step == o.at.unwrap_or(last)) {
            std::fs::write(path, stepper.problem().to_json()?)?;
            println!("wrote {}", path.display());
        }
        totals.steps += 1;
        if let StepStatus::Unsolved(unsolved) = status {
            totals.lost = Some(unsolved.at(state.t));
            break;
        }
        let outcome = stepper.outcome();
        totals.contacts += outcome.active.len();
        totals.most_contacts = totals.most_contacts.max(outcome.active.len());
        totals.worst = totals.worst.max(outcome.certificate.worst);
        let gaps = outcome.candidates.iter().filter_map(|c| c.gap);
        totals.deepest = gaps.fold(totals.deepest, |m, g| m.max(-g));
        let now = world.energy(&state.q, &state.u, state.t).total();
        totals.rise = totals.rise.max(now - energy);
        energy = now;
    }
    totals.cpu = processor_time() - begin;
    Ok((totals, laps))
}

fn report(o: &Options, t: &Totals, laps: &Laps, tables: &mut Tables) {
    let shape = if o.boxes { "boxes" } else { "spheres" };
    let steps = t.steps.max(1) as f64;
    tables.add(&format!(
        "{} {shape}, tolerance {:.0e}, {}, dt {} s, {} steps",
        o.bodies, o.tolerance, o.integrator, o.dt, t.steps
    ));
    tables.add(&format!(
        "processor time {:.3} ms a step; slowest step {:.1} ms on the clock",
        1e3 * t.cpu / steps,
        1e3 * t.slowest
    ));
    let mean = t.contacts as f64 / steps;
    tables.add(&format!("contacts: {mean:.0} a step, at most {}", t.most_contacts));
    tables.add(&format!(
        "worst certificate {:.1e}, deepest penetration {:.1e} m, largest rise of energy in a step {:.1e} J, unsolved steps {}",
        t.worst,
        t.deepest,
        t.rise,
        usize::from(t.lost.is_some())
    ));
    let all: f64 = laps.times.iter().sum();
    for (stage, time) in Stage::ALL.into_iter().zip(laps.times).filter(|x| x.1 > 0.0) {
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
    tables.add("| start | tolerance | bodies | contacts | ms per step | of it detection | worst certificate | unsolved |");
    tables.add("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (packed, name, counted) in [(false, "falling", FALLING), (true, "at rest", RESTING)] {
        let mut points = Vec::new();
        for &bodies in &sizes {
            let (t, laps) = simulate(&Options { packed, bodies, ..o.clone() }, counted.clone())?;
            let steps = t.steps.max(1) as f64;
            let cost = 1e3 * t.cpu / steps;
            let detection =
                laps.times[Stage::Detect as usize] / laps.times.iter().sum::<f64>() * cost;
            tables.add(&format!(
                "| {name} | {:.0e} | {bodies} | {:.0} | {cost:.2} | {detection:.2} | {:.1e} | {} |",
                o.tolerance,
                t.contacts as f64 / steps,
                t.worst,
                usize::from(t.lost.is_some())
            ));
            points.push((bodies as f64, cost));
        }
        tables.add(&format!(
            "| {name}, exponent from 100 bodies on | | | | {:.2} | | | |",
            exponent(&points)
        ));
    }
    Ok(())
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
