//! Many bodies that fall into a container, or are at rest in it, with contacts that collision detection finds.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- piles
//! cargo run --release -p stickslip-lab -- piles --shape boxes --bodies 1000 --tolerance 1e-6
//! cargo run --release -p stickslip-lab -- piles --table 3000 --write book/src/mechanics/piles.md
//! ```

use glam::{DQuat, DVec3};
use std::error::Error;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};
use std::path::PathBuf;
use std::time::Instant;
use stickslip::State;
use stickslip::bodies::{Collider, Geometry, MassProperties, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::run::{Stage, Stopwatch};
use stickslip::step::{self, Integrator, StepStatus, Stepper};
use stickslip_lab::Tables;
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
    let (world, mut state) = build(o)?;
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

/// Seconds that the processor spent on this thread where the system tells, else those of the clock: other work on the machine does not
/// count then.
fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(0.0, |t| t.as_secs_f64())
        },
        |ns| 1e-9 * ns,
    )
}

/// The diameter of spheres and the edge of boxes, m.
const SIZE: f64 = 0.1;

/// Bodies in a container without a lid.
fn build(o: &Options) -> Result<(World, State), stickslip::Error> {
    let mut world = World::new(DVec3::NEG_Z * 9.81)?;
    let material = world.materials().add(Law::disc(0.5))?;
    let places = if o.packed { packed(o) } else { falling(o) };
    let half = places.half;
    let wall = |axis: DVec3, angle: f64| {
        let rotation = DQuat::from_axis_angle(axis, angle);
        Pose { position: -half * (rotation * DVec3::Z), rotation }
    };
    let planes = [
        Pose::default(),
        wall(DVec3::Y, FRAC_PI_2),
        wall(DVec3::Y, -FRAC_PI_2),
        wall(DVec3::X, FRAC_PI_2),
        wall(DVec3::X, -FRAC_PI_2),
    ];
    for pose in planes {
        let collider = Collider::new(0, Geometry::HalfSpace).with_pose(pose);
        world.collider(World::GROUND, material, &collider)?;
    }
    for _ in &places.poses {
        let (properties, geometry) = if o.boxes {
            let edges = DVec3::splat(SIZE);
            (MassProperties::cuboid(1.0, edges)?, Geometry::Box { half_lengths: 0.5 * edges })
        } else {
            (MassProperties::sphere(1.0, 0.5 * SIZE)?, Geometry::Sphere { radius: 0.5 * SIZE })
        };
        let body = world.body(properties);
        world.collider(body, material, &Collider::new(0, geometry))?;
    }
    let motion: Vec<_> = places.poses.into_iter().map(|pose| (pose, Twist::default())).collect();
    let state = world.state(&motion)?;
    Ok((world, state))
}

/// Where bodies begin, and half the width of the container.
struct Places {
    poses: Vec<Pose>,
    half: f64,
}

/// In layers apart from each other, each body shifted and turned a little so that no two columns are the same.
fn falling(o: &Options) -> Places {
    const PITCH: f64 = 1.3 * SIZE;
    let side = ((o.bodies as f64).cbrt() * 1.2).ceil().max(2.0) as usize;
    let place = |i: usize| {
        // Multiples of irrational numbers are spread evenly.
        let share = |k: f64| (i as f64 * k).fract() - 0.5;
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        let middle = 0.5 * (side as f64 - 1.0);
        let shift = 0.01 * DVec3::new(share(0.618_034), share(0.754_878), 0.0);
        let position = DVec3::new(x as f64 - middle, y as f64 - middle, z as f64 + 0.6) * PITCH;
        let turn = 0.2 * DVec3::new(share(0.569_84), share(0.4142), share(0.7321));
        let rotation = if o.boxes { DQuat::from_scaled_axis(turn) } else { DQuat::IDENTITY };
        Pose { position: position + shift, rotation }
    };
    let half = 0.5 * side as f64 * PITCH + 0.02;
    Places { poses: (0..o.bodies).map(place).collect(), half }
}

/// At rest: spheres in layers that touch the walls, with smaller layers in their hollows; boxes in columns.
fn packed(o: &Options) -> Places {
    let side = (o.bodies as f64).cbrt().ceil().max(2.0) as usize;
    let (pitch, rise, half) = if o.boxes {
        (1.2 * SIZE, SIZE, 0.6 * SIZE * side as f64)
    } else {
        (SIZE, SIZE * FRAC_1_SQRT_2, 0.5 * SIZE * side as f64)
    };
    let mut poses = Vec::with_capacity(o.bodies);
    for layer in 0.. {
        let across = if o.boxes { side } else { side - layer % 2 };
        let middle = 0.5 * (across as f64 - 1.0);
        for i in 0..across * across {
            if poses.len() == o.bodies {
                return Places { poses, half };
            }
            let (x, y) = ((i % across) as f64 - middle, (i / across) as f64 - middle);
            let z = 0.5 * SIZE + layer as f64 * rise;
            poses.push(Pose::at(DVec3::new(pitch * x, pitch * y, z)));
        }
    }
    Places { poses, half }
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
