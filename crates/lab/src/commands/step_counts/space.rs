//! Bodies at rest: stacks, pyramids, a pile of spheres.

use glam::DVec3;
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};
use stickslip::State;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{Body, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::run::{Stage, Stopwatch};
use stickslip::step::{Settings, StepStatus, Stepper};
use stickslip_lab::gauntlet::{pyramid, stack};
use stickslip_lab::piles::processor_time;
use stickslip_studies::gauntlet::{self, Built};

const DT: f64 = 1e-3;

/// A name, bodies, and how many steps come before those that are counted.
pub(super) type Case = (&'static str, fn() -> Built, usize);

pub(super) const CASES: [Case; 7] = [
    ("stack of 10 cubes", || stack(10), 100),
    ("pyramid of 55 cubes", || pyramid(10), 100),
    ("pyramid of 105 cubes", || pyramid(14), 100),
    ("pile of 125 spheres", pile, 1000),
    ("stack of 10 cubes that are found", || gauntlet::stack(&[1.0; 10]), 100),
    ("pyramid of 55 cubes that are found", || gauntlet::pyramid(10), 100),
    ("50 stacks of 10 cubes that are found", || gauntlet::columns(50), 20),
];

/// Steps that are counted.
pub(super) const STEPS: usize = 20;

/// The most instructions that a step may take, for those at rest.
pub(super) const MOST: [(&str, u64); 3] = [
    ("stack of 10 cubes", 800_000),
    ("pyramid of 55 cubes", 2_600_000),
    ("pyramid of 105 cubes", 5_300_000),
];

/// The stages of the steps, in seconds.
#[derive(Default)]
struct Laps {
    last: Option<Instant>,
    times: [Duration; Stage::ALL.len()],
}

impl Stopwatch for Laps {
    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.times[stage as usize] += now - last;
        }
    }
}

/// Runs a case, and prints its contacts and what share of the time each stage took.
pub(super) fn one((_, build, before): &Case) -> Result<(), Box<dyn Error>> {
    let (world, mut state) = build()?;
    let mut stepper = Stepper::new(&world, Settings::default())?;
    steps(&mut stepper, &world, &mut state, *before, &mut ())?;
    counted_steps(&mut stepper, &world, &mut state)?;
    println!("contacts: {}", stepper.outcome().active.len());
    let mut laps = Laps { last: Some(Instant::now()), ..Laps::default() };
    steps(&mut stepper, &world, &mut state, STEPS, &mut laps)?;
    let total: Duration = laps.times.iter().sum();
    let share =
        |stage: &Stage| 100.0 * laps.times[*stage as usize].as_secs_f64() / total.as_secs_f64();
    let shares: Vec<String> = Stage::ALL.iter().map(|s| format!("{:.0}", share(s))).collect();
    println!("shares: {}", shares.join(" "));
    Ok(())
}

/// Prints the processor time of a step at rest, over many steps, and what share of the time each stage took.
pub(super) fn times() -> Result<(), Box<dyn Error>> {
    /// As game engines step.
    const LONG: f64 = 5e-3;
    const COUNT: usize = 1000;
    let names = Stage::ALL[..Stage::ALL.len() - 1].iter().map(|stage| stage.name());
    println!(
        "| bodies at rest | contacts | ms per step | solved anew, % | {} |",
        names.collect::<Vec<_>>().join(", % | ") + ", %"
    );
    println!("|---|---:|---:|---:|{}", "---:|".repeat(Stage::ALL.len() - 1));
    for (name, build, _) in CASES.iter().filter(|case| case.0 != "pile of 125 spheres") {
        let (world, mut state) = build()?;
        let mut stepper = Stepper::new(&world, Settings::default())?;
        let mut laps = Laps { last: Some(Instant::now()), ..Laps::default() };
        let (begin, mut anew) = (processor_time(), 0);
        for _ in 0..COUNT {
            let status = stepper.step(&world, &mut state, LONG, &mut laps)?;
            if let StepStatus::Unsolved(unsolved) = status {
                return Err(unsolved.at(state.t).into());
            }
            anew += usize::from(stepper.outcome().iterations > 0);
        }
        let each = 1e3 * (processor_time() - begin) / COUNT as f64;
        let total: Duration = laps.times.iter().sum();
        let share =
            |time: &Duration| format!("{:.0}", 100.0 * time.as_secs_f64() / total.as_secs_f64());
        let shares: Vec<String> = laps.times[..Stage::ALL.len() - 1].iter().map(share).collect();
        println!(
            "| {name} | {} | {each:.3} | {:.1} | {} |",
            stepper.outcome().active.len(),
            100.0 * anew as f64 / COUNT as f64,
            shares.join(" | ")
        );
    }
    Ok(())
}

/// What valgrind counts.
#[inline(never)]
fn counted_steps(
    stepper: &mut Stepper<World>,
    world: &World,
    state: &mut State,
) -> Result<(), Box<dyn Error>> {
    steps(black_box(stepper), world, state, STEPS, &mut ())
}

fn steps<W: Stopwatch>(
    stepper: &mut Stepper<World>,
    world: &World,
    state: &mut State,
    count: usize,
    watch: &mut W,
) -> Result<(), Box<dyn Error>> {
    for _ in 0..count {
        if let StepStatus::Unsolved(unsolved) = stepper.step(world, state, DT, watch)? {
            return Err(unsolved.at(state.t).into());
        }
    }
    Ok(())
}

/// 5 × 5 × 5 spheres of slightly different radii that fall the width of a gap into a box. Spheres meet their 26 neighbours.
fn pile() -> Built {
    const N: usize = 5;
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81))?;
    let law = Law::disc(0.4);
    let width = 0.2 * N as f64;
    let planes = [
        Shape::Plane(DVec3::ZERO, DVec3::Z),
        Shape::Plane(DVec3::ZERO, DVec3::X),
        Shape::Plane(DVec3::ZERO, DVec3::Y),
        Shape::Plane(width * DVec3::X, -DVec3::X),
        Shape::Plane(width * DVec3::Y, -DVec3::Y),
    ];
    let mut spheres: Vec<([usize; 3], Body, Shape)> = Vec::new();
    let mut poses = Vec::new();
    for i in 0..N * N * N {
        let cell = [i % N, i / N % N, i / (N * N)];
        let radius = 0.098 - 0.004 * ((i * 37 % 125) as f64 / 125.0);
        let body = world.body(MassProperties::sphere(1.0, radius)?);
        let shape = Shape::Sphere(DVec3::ZERO, radius);
        for plane in planes {
            world.contact(body, World::GROUND, pair(shape, plane)?, law.clone())?;
        }
        for (other, second, theirs) in &spheres {
            if cell.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= 1) {
                world.contact(body, *second, pair(shape, *theirs)?, law.clone())?;
            }
        }
        spheres.push((cell, body, shape));
        let shift =
            0.002 * DVec3::new((i * 53 % 7) as f64 - 3.0, (i * 29 % 5) as f64 - 2.0, 0.0) / 3.0;
        let centre = DVec3::from_array(cell.map(|c| 0.1 + 0.2 * c as f64)) + shift;
        poses.push((Pose::at(centre), Twist::default()));
    }
    let start = world.state(&poses)?;
    Ok((world, start))
}
