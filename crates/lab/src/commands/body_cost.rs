//! Cost per step of every model of bodies against their number, and the energy of an articulated chain over 100 s.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- body_cost
//! cargo run --release -p stickslip-lab -- body_cost --write book/src/measurements/body_cost.md
//! ```

use glam::{DQuat, DVec3};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::State;
use stickslip::bodies::articulated::{self, LinkId, Tree};
use stickslip::bodies::{Joint, JointKind, MassProperties, PointMassWorld, Pose, Twist, World};
use stickslip::model::Model;
use stickslip::step::{self, Stepper};
use stickslip_lab::Tables;
use stickslip_studies::plot::LogLog;
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Measures the time per step of chains, of trees in which every body carries two, and of free bodies, in each model. The
exponents are fitted from 100 bodies on; 1 is linear. Then products with M⁻¹, and the energy of an articulated chain over 100 s.

Usage: lab body_cost [options]

  --most BODIES       up to this many bodies                      [10000]
  --write FILE        put the tables between the markers <!-- body_cost:begin --> and <!-- body_cost:end -->, and the
                      plot beside the file

Example: lab body_cost --most 1000
";

const SIZES: [usize; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Below the period of a light rod that carries thousands of others, which is what limits the step here.
const DT: f64 = 1e-4;
/// Bodies from which on exponents are fitted.
const LARGE: usize = 100;
/// Half the length of a rod, m.
const HALF: f64 = 0.05;

type Outcome<T> = Result<T, Box<dyn Error>>;
/// Microseconds per step of this many bodies.
type Measure = fn(usize) -> Outcome<f64>;

/// The models, by name.
const MODELS: [(&str, Measure); 8] = [
    ("articulated chain", |n| articulated(n, 1)),
    ("articulated tree", |n| articulated(n, 2)),
    ("maximal chain, revolute", |n| maximal(n, 1, JointKind::Revolute)),
    ("maximal chain, spherical", |n| maximal(n, 1, JointKind::Spherical)),
    ("maximal tree, revolute", |n| maximal(n, 2, JointKind::Revolute)),
    ("maximal tree, spherical", |n| maximal(n, 2, JointKind::Spherical)),
    ("free bodies, maximal", free_rigid),
    ("free bodies, point masses", free_masses),
];

pub(crate) fn run(args: lexopt::Parser) -> Outcome<()> {
    let Some((most, write)) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let sizes: Vec<usize> = SIZES.into_iter().filter(|n| *n <= most).collect();
    let mut tables = Tables::default();
    let curves = steps(&sizes, &mut tables)?;
    products(&sizes, &mut tables)?;
    drifts(&mut tables)?;
    if let Some(path) = write {
        write_between_markers(&path, "body_cost", tables.text())?;
        let picture = path.with_file_name("body_cost.svg");
        std::fs::write(&picture, plot(curves).to_svg())?;
        println!("wrote {}", picture.display());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<(usize, Option<PathBuf>)>, lexopt::Error> {
    use lexopt::prelude::*;
    let (mut most, mut write) = (SIZES[SIZES.len() - 1], None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("most") => most = args.value()?.parse()?,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some((most, write)))
}

type Curve = (String, Vec<(f64, f64)>);

fn steps(sizes: &[usize], tables: &mut Tables) -> Outcome<Vec<Curve>> {
    tables.add("Microseconds per step:\n");
    let head: String = sizes.iter().map(|n| format!(" {n} |")).collect();
    tables.add(&format!("| bodies |{head} per body at the end | exponent |"));
    tables.add(&format!("|---|{}---:|---:|", "---:|".repeat(sizes.len())));
    let mut curves = Vec::new();
    for (name, measure) in MODELS {
        let mut points = Vec::new();
        for &n in sizes {
            points.push((n as f64, measure(n)?));
        }
        let cells: String = points.iter().map(|(_, t)| format!(" {t:.1} |")).collect();
        let each = points.last().map_or(0.0, |(n, t)| t / n);
        let slope = exponent(&points);
        tables.add(&format!("| {name} |{cells} {each:.3} | {slope:.3} |"));
        curves.push((name.to_owned(), points));
    }
    Ok(curves)
}

fn plot(curves: Vec<Curve>) -> LogLog {
    LogLog {
        title: "Time per step against the number of bodies".to_owned(),
        x: "bodies".to_owned(),
        y: "µs per step".to_owned(),
        curves,
        slopes: vec![("linear".to_owned(), 1.0, (1e3, 1e2))],
        ..LogLog::default()
    }
}

/// The shortest of several steps, in microseconds.
fn shortest<M: Model>(model: &M, mut state: State, bodies: usize) -> Outcome<f64> {
    let mut stepper = Stepper::new(model, step::Settings::default())?;
    let mut least = f64::INFINITY;
    for _ in 0..(100_000 / bodies).clamp(60, 1000) {
        let start = Instant::now();
        if let Err(unsolved) = stepper.step(model, &mut state, DT, &mut ())?.done() {
            return Err(format!("a step of {bodies} bodies: {unsolved:?}").into());
        }
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(1e6 * least)
}

fn rod() -> Result<MassProperties, stickslip::Error> {
    MassProperties::cuboid(0.1, DVec3::new(0.02, 2.0 * HALF, 0.02))
}

/// The angle of a body against the one that carries it.
fn bend(i: usize) -> f64 {
    0.02 * (i as f64).sin()
}

fn articulated(links: usize, children: usize) -> Outcome<f64> {
    let tree = build(links, children)?;
    let q: Vec<f64> = (0..links).map(bend).collect();
    let state = tree.state(&q, &vec![0.0; links])?;
    shortest(&tree, state, links)
}

fn maximal(bodies: usize, children: usize, kind: JointKind) -> Outcome<f64> {
    let mut world = World::new(DVec3::new(0.0, -9.81, 0.0))?;
    let (top, end) = (Pose::at(HALF * DVec3::Y), Pose::at(-HALF * DVec3::Y));
    let (mut all, mut motion) = (Vec::new(), Vec::<(Pose, Twist)>::new());
    for i in 0..bodies {
        let body = world.body(rod()?);
        let before = i.checked_sub(1).map(|before| before / children);
        let (parent, on_first) = before.map_or((World::GROUND, Pose::default()), |b| (all[b], end));
        world.joint(parent, body, Joint { kind, on_first, on_second: top })?;
        let (rotation, hinge) = before.map_or((DQuat::IDENTITY, DVec3::ZERO), |b| {
            (motion[b].0.rotation, motion[b].0.point(end.position))
        });
        let rotation = rotation * DQuat::from_rotation_z(bend(i));
        let position = hinge - rotation * top.position;
        motion.push((Pose { position, rotation }, Twist::default()));
        all.push(body);
    }
    let state = world.state(&motion)?;
    shortest(&world, state, bodies)
}

/// Bodies that tumble, each in a way of its own.
fn tumbling(bodies: usize) -> Vec<(Pose, Twist)> {
    let one = |i: usize| {
        let x = i as f64;
        let angular = DVec3::new(x.sin(), 2.0, x.cos());
        (Pose::at(x * DVec3::X), Twist { linear: DVec3::ZERO, angular })
    };
    (0..bodies).map(one).collect()
}

fn free_rigid(bodies: usize) -> Outcome<f64> {
    let mut world = World::new(DVec3::new(0.0, -9.81, 0.0))?;
    for _ in 0..bodies {
        world.body(rod()?);
    }
    let state = world.state(&tumbling(bodies))?;
    shortest(&world, state, bodies)
}

fn free_masses(bodies: usize) -> Outcome<f64> {
    let mut world = PointMassWorld::new(DVec3::new(0.0, -9.81, 0.0))?;
    for _ in 0..bodies {
        world.body(rod()?)?;
    }
    let state = world.state(&tumbling(bodies))?;
    shortest(&world, state, bodies)
}

fn products(sizes: &[usize], tables: &mut Tables) -> Outcome<()> {
    tables.add("\nMicroseconds per product with M⁻¹ of an articulated tree:\n");
    let head: String = sizes.iter().map(|n| format!(" {n} |")).collect();
    tables.add(&format!("| links |{head} exponent |"));
    tables.add(&format!("|---|{}---:|", "---:|".repeat(sizes.len())));
    for (name, children) in [("chain", 1), ("tree", 2)] {
        let mut points = Vec::new();
        for &n in sizes {
            let tree = build(n, children)?;
            let (q, x): (Vec<f64>, _) = ((0..n).map(bend).collect(), vec![1.0; n]);
            let mut least = f64::INFINITY;
            for _ in 0..(100_000 / n).clamp(10, 1000) {
                let start = Instant::now();
                std::hint::black_box(tree.inverse_mass_times(&q, &x)?);
                least = least.min(start.elapsed().as_secs_f64());
            }
            points.push((n as f64, 1e6 * least));
        }
        let cells: String = points.iter().map(|(_, t)| format!(" {t:.1} |")).collect();
        tables.add(&format!("| {name} |{cells} {:.3} |", exponent(&points)));
    }
    Ok(())
}

fn drifts(tables: &mut Tables) -> Outcome<()> {
    tables.add("\nAn articulated chain of 100 links from a bent start over 100 s:\n");
    tables.add("| step, ms | largest change of energy | at the end |");
    tables.add("|---:|---:|---:|");
    for dt in [2e-3, 1e-3, 5e-4] {
        let (largest, last) = drift(dt)?;
        tables.add(&format!("| {} | {largest:.2e} | {last:.2e} |", 1e3 * dt));
    }
    Ok(())
}

/// How far the energy of a chain of 100 links is off over 100 s, over the energy that moves: at most, and at the end.
fn drift(dt: f64) -> Outcome<(f64, f64)> {
    let tree = build(100, 1)?;
    let mut q = vec![0.0; 100];
    let lowest = tree.energy(&q, &[0.0; 100], 0.0).total();
    q[0] = 0.5;
    let mut state = tree.state(&q, &[0.0; 100])?;
    let before = tree.energy(&state.q, &state.u, 0.0).total();
    let mut stepper = Stepper::new(&tree, step::Settings::default())?;
    let (mut largest, mut last) = (0.0_f64, 0.0);
    for step in 1..=(100.0 / dt).round() as usize {
        if let Err(unsolved) = stepper.step(&tree, &mut state, dt, &mut ())?.done() {
            return Err(format!("the chain at t = {}: {unsolved:?}", state.t).into());
        }
        if step % 20 == 0 {
            let now = tree.energy(&state.q, &state.u, 0.0).total();
            last = (now - before).abs() / (before - lowest);
            largest = largest.max(last);
        }
    }
    Ok((largest, last))
}

/// Rods on hinges, each carrying as many others at its end.
fn build(links: usize, children: usize) -> Outcome<Tree> {
    let mut tree = Tree::new(DVec3::new(0.0, -9.81, 0.0))?;
    let (top, end) = (Pose::at(HALF * DVec3::Y), Pose::at(-HALF * DVec3::Y));
    let mut all: Vec<LinkId> = Vec::with_capacity(links);
    for i in 0..links {
        let (parent, at) = match i.checked_sub(1) {
            None => (Tree::GROUND, Pose::default()),
            Some(before) => (all[before / children], end),
        };
        all.push(tree.link(parent, articulated::TreeJoint::Revolute, at, top, rod()?)?);
    }
    Ok(tree)
}

/// The slope of the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs = points.iter().filter(|(n, _)| *n >= LARGE as f64);
    let logs: Vec<(f64, f64)> = logs.map(|(n, t)| (n.ln(), t.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (over, under) = logs
        .iter()
        .fold((0.0, 0.0), |(o, u), (a, b)| (o + (a - x) * (b - y), u + (a - x) * (a - x)));
    over / under
}
