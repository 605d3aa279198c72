//! Many bodies that fall into a container, with contacts that collision detection finds.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- piles
//! cargo run --release -p stickslip-lab -- piles --shape boxes --bodies 1000 --tolerance 1e-6
//! ```

use glam::{DQuat, DVec3};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::time::Instant;
use stickslip::State;
use stickslip::bodies::{Collider, Geometry, MassProperties, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::run::{Stage, Stopwatch};
use stickslip::step::{self, Integrator, StepStatus, Stepper};

const HELP: &str = "\
Drops spheres or boxes into a container, and says what a step costs and how exact it is.

Usage: lab piles [options]

  --shape NAME       spheres or boxes                       [spheres]
  --bodies COUNT     how many                               [125]
  --tolerance SHARE  of the contact problems                [1e-6]
  --integrator NAME  the integrator                         [gap_level]
  --dt SECONDS       the step                               [5e-3]
  --t-end SECONDS    the end time                           [1]

Example: lab piles --shape boxes --bodies 1000 --tolerance 1e-3 --t-end 3
";

/// What is asked for.
struct Options {
    boxes: bool,
    bodies: usize,
    tolerance: f64,
    integrator: Integrator,
    dt: f64,
    t_end: f64,
}

/// What a run amounted to.
#[derive(Default)]
struct Totals {
    contacts: usize,
    most_contacts: usize,
    worst: f64,
    deepest: f64,
    /// The largest rise of the energy in a step, in J.
    rise: f64,
    slowest: f64,
    unsolved: usize,
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

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = read(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let (world, mut state) = build(&options)?;
    let exact = step::exact(&world);
    let solve = Some(stickslip::contact::solve::Settings { tolerance: options.tolerance, ..exact });
    let settings =
        step::Settings { integrator: options.integrator, solve, ..step::Settings::default() };
    let mut stepper = Stepper::new(&world, settings)?;
    let mut laps = Laps { last: Instant::now(), times: [0.0; Stage::ALL.len()] };
    let steps = (options.t_end / options.dt).round() as usize;
    let mut totals = Totals::default();
    let begin = Instant::now();
    let mut energy = world.energy(&state.q, &state.u, 0.0).total();
    for _ in 0..steps {
        laps.last = Instant::now();
        let clock = Instant::now();
        let status = stepper.step(&world, &mut state, options.dt, &mut laps)?;
        totals.slowest = totals.slowest.max(clock.elapsed().as_secs_f64());
        if let StepStatus::Unsolved(unsolved) = status {
            totals.unsolved += 1;
            println!("lost: {}", unsolved.at(state.t));
            break;
        }
        let o = stepper.outcome();
        totals.contacts += o.active.len();
        totals.most_contacts = totals.most_contacts.max(o.active.len());
        totals.worst = totals.worst.max(o.certificate.worst);
        let gaps = o.candidates.iter().filter_map(|c| c.gap);
        totals.deepest = gaps.fold(totals.deepest, |m, g| m.max(-g));
        let now = world.energy(&state.q, &state.u, state.t).total();
        totals.rise = totals.rise.max(now - energy);
        energy = now;
    }
    report(&options, &totals, &laps, (steps, begin.elapsed().as_secs_f64()), &state);
    if totals.unsolved == 0 { Ok(()) } else { Err("the run was lost".into()) }
}

fn report(o: &Options, t: &Totals, laps: &Laps, (steps, wall): (usize, f64), end: &State) {
    let shape = if o.boxes { "boxes" } else { "spheres" };
    println!("{} {shape}, tolerance {:.0e}, {}, dt {}", o.bodies, o.tolerance, o.integrator, o.dt);
    println!(
        "reached t = {:.3}, {steps} steps, {:.3} ms a step, slowest {:.1} ms",
        end.t,
        1e3 * wall / steps as f64,
        1e3 * t.slowest
    );
    println!(
        "contacts: {:.0} a step, at most {}",
        t.contacts as f64 / steps as f64,
        t.most_contacts
    );
    println!(
        "worst certificate {:.1e}, deepest {:.1e} m, largest rise of energy in a step {:.1e} J",
        t.worst, t.deepest, t.rise
    );
    for (stage, time) in Stage::ALL.into_iter().zip(laps.times) {
        if time > 0.0 {
            println!("  {:<8} {:5.1} %", stage.name(), 100.0 * time / wall);
        }
    }
}

/// Bodies in layers above a container without a lid, each shifted a little so that no two columns are the same.
fn build(o: &Options) -> Result<(World, State), stickslip::Error> {
    let mut world = World::new(DVec3::NEG_Z * 9.81)?;
    let material = world.materials().add(Law::disc(0.5))?;
    let side = ((o.bodies as f64).cbrt() * 1.2).ceil().max(2.0);
    let (size, pitch) = (0.1, 0.13);
    let half = 0.5 * side * pitch + 0.02;
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
    let mut poses = Vec::new();
    let side = side as usize;
    for i in 0..o.bodies {
        let (properties, geometry) = if o.boxes {
            let edges = DVec3::splat(size);
            (MassProperties::cuboid(1.0, edges)?, Geometry::Box { half_lengths: 0.5 * edges })
        } else {
            (MassProperties::sphere(1.0, 0.5 * size)?, Geometry::Sphere { radius: 0.5 * size })
        };
        let body = world.body(properties);
        world.collider(body, material, &Collider::new(0, geometry))?;
        // Multiples of irrational numbers are spread evenly.
        let share = |k: f64| (i as f64 * k).fract() - 0.5;
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        let middle = 0.5 * (side as f64 - 1.0);
        let shift = 0.01 * DVec3::new(share(0.618_034), share(0.754_878), 0.0);
        let position = DVec3::new(x as f64 - middle, y as f64 - middle, z as f64 + 0.6) * pitch;
        let turn = 0.2 * DVec3::new(share(0.569_84), share(0.4142), share(0.7321));
        let rotation = if o.boxes { DQuat::from_scaled_axis(turn) } else { DQuat::IDENTITY };
        poses.push((Pose { position: position + shift, rotation }, Twist::default()));
    }
    let state = world.state(&poses)?;
    Ok((world, state))
}

fn read(mut args: lexopt::Parser) -> Result<Option<Options>, Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut o = Options {
        boxes: false,
        bodies: 125,
        tolerance: 1e-6,
        integrator: Integrator::GapLevel,
        dt: 5e-3,
        t_end: 1.0,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("shape") => match args.value()?.string()?.as_str() {
                "spheres" => o.boxes = false,
                "boxes" => o.boxes = true,
                other => return Err(format!("no shape {other}; take spheres or boxes").into()),
            },
            Long("bodies") => o.bodies = args.value()?.parse()?,
            Long("tolerance") => o.tolerance = args.value()?.parse()?,
            Long("integrator") => o.integrator = args.value()?.string()?.parse()?,
            Long("dt") => o.dt = args.value()?.parse()?,
            Long("t-end") => o.t_end = args.value()?.parse()?,
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(o))
}
