//! Cost per step of articulated trees against the number of links, and the energy of a chain over 100 s.
//!
//! ```text
//! cargo run --release -p stickslip-harness --bin body_cost
//! ```

use glam::DVec3;
use std::error::Error;
use std::time::Instant;
use stickslip::bodies::articulated::{Joint, LinkId, Tree};
use stickslip::bodies::{MassProperties, Pose};
use stickslip::integrators::{SpaceSettings, SpaceStepper};
use stickslip::mechanism::Mechanism;

const HELP: &str = "\
Measures the time per step of articulated trees against the number of links: a chain, and a tree in which every link
carries two. The exponents are fitted from 100 links on; 1 is linear. Then the energy of a chain over 100 s.

Usage: body_cost [--most LINKS]   up to this many links (default 10000)

Example: body_cost --most 1000
";

const SIZES: [usize; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Below the period of a light rod that carries thousands of others, which is what limits the step here.
const DT: f64 = 1e-4;
/// Links from which on exponents are fitted.
const LARGE: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut most = SIZES[SIZES.len() - 1];
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("most") => most = args.value()?.parse()?,
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    for (name, parent) in [("chain", 1), ("balanced tree", 2)] {
        println!("\n{name}\n");
        println!("| links | step, µs | per link, µs | iterations | M⁻¹ x, µs | per link, µs |");
        println!("|---:|---:|---:|---:|---:|---:|");
        let (mut steps, mut products) = (Vec::new(), Vec::new());
        for n in SIZES.into_iter().filter(|n| *n <= most) {
            let (step, iterations, product) = measure(n, parent)?;
            let per = |t: f64| t / n as f64;
            let (a, b) = (per(step), per(product));
            println!("| {n} | {step:.1} | {a:.3} | {iterations} | {product:.1} | {b:.3} |");
            steps.push((n, step));
            products.push((n, product));
        }
        let (step, product) = (exponent(&steps), exponent(&products));
        println!("\ntime per step ~ links^{step:.3}, per product with M⁻¹ ~ links^{product:.3}");
    }
    println!("\n100 links from a bent start, 100 s: energy off, over the energy that moves\n");
    println!("| step, ms | largest | at the end | s of computation |");
    println!("|---:|---:|---:|---:|");
    for dt in [2e-3, 1e-3, 5e-4] {
        let start = Instant::now();
        let (largest, last) = drift(dt)?;
        let spent = start.elapsed().as_secs_f64();
        println!("| {} | {largest:.2e} | {last:.2e} | {spent:.1} |", 1e3 * dt);
    }
    Ok(())
}

/// How far the energy of a chain of 100 links is off over 100 s: at most, and at the end.
fn drift(dt: f64) -> Result<(f64, f64), Box<dyn Error>> {
    let mut tree = build(100, 1)?;
    let mut q = vec![0.0; 100];
    let lowest = tree.energy(&q, &[0.0; 100], 0.0).total();
    q[0] = 0.5;
    let mut state = tree.state(&q, &[0.0; 100])?;
    let before = tree.energy(&state.q, &state.u, 0.0).total();
    let mut stepper = SpaceStepper::new(&tree, SpaceSettings::default())?;
    let (mut largest, mut last) = (0.0_f64, 0.0);
    for step in 1..=(100.0 / dt).round() as usize {
        if let Err(unsolved) = stepper.step(&mut tree, &mut state, dt, &mut ())? {
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

/// Microseconds per step, iterations of the last one, microseconds per product with M⁻¹: the shortest of several runs.
fn measure(links: usize, children: usize) -> Result<(f64, usize, f64), Box<dyn Error>> {
    let mut tree = build(links, children)?;
    let q: Vec<f64> = (0..links).map(|i| 0.02 * (i as f64).sin()).collect();
    let mut state = tree.state(&q, &vec![0.0; links])?;
    let mut stepper = SpaceStepper::new(&tree, SpaceSettings::default())?;
    let runs = (100_000 / links).clamp(10, 1000);
    let (mut step, mut product) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        let start = Instant::now();
        if let Err(unsolved) = stepper.step(&mut tree, &mut state, DT, &mut ())? {
            return Err(format!("a step of {links} links: {unsolved:?}").into());
        }
        step = step.min(start.elapsed().as_secs_f64());
    }
    let iterations = tree.iterations();
    let x = vec![1.0; links];
    tree.inverse_mass_times(&state.q, &x)?;
    for _ in 0..runs {
        let start = Instant::now();
        std::hint::black_box(tree.inverse_mass_times(&state.q, &x)?);
        product = product.min(start.elapsed().as_secs_f64());
    }
    Ok((1e6 * step, iterations, 1e6 * product))
}

/// Rods on hinges, each carrying as many others at its end.
fn build(links: usize, children: usize) -> Result<Tree, Box<dyn Error>> {
    let mut tree = Tree::new(DVec3::new(0.0, -9.81, 0.0))?;
    let rod = MassProperties::cuboid(0.1, DVec3::new(0.02, 0.1, 0.02))?;
    let (top, end) = (Pose::at(DVec3::new(0.0, 0.05, 0.0)), Pose::at(DVec3::new(0.0, -0.05, 0.0)));
    let mut all: Vec<LinkId> = Vec::with_capacity(links);
    for i in 0..links {
        let (parent, at) = match i.checked_sub(1) {
            None => (Tree::GROUND, Pose::default()),
            Some(before) => (all[before / children], end),
        };
        all.push(tree.link(parent, Joint::Revolute, at, top, rod)?);
    }
    debug_assert_eq!(tree.velocities(), links);
    Ok(tree)
}

/// The slope of the logarithms, by least squares.
fn exponent(points: &[(usize, f64)]) -> f64 {
    let logs = points.iter().filter(|(n, _)| *n >= LARGE);
    let logs: Vec<(f64, f64)> = logs.map(|(n, t)| ((*n as f64).ln(), t.ln())).collect();
    let count = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a / count, y + b / count));
    let (over, under) = logs
        .iter()
        .fold((0.0, 0.0), |(o, u), (a, b)| (o + (a - x) * (b - y), u + (a - x) * (a - x)));
    over / under
}
