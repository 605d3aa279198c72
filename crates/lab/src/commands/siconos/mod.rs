//! The woodpecker beside Siconos: the same scheme by an independent program, and how long a step takes.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- siconos
//! cargo run --release -p stickslip-lab -- siconos --rounds 15
//! cargo run --release -p stickslip-lab -- siconos --write book/src/measurements/siconos.md
//! ```
//!
//! Both run the θ-method with θ = ½ from the start of Table I; the model is handed to Siconos as the numbers that
//! ours reports. Rounds of timing alternate between the programs, so that a busy machine disturbs both
//! alike. Where Siconos is not installed, ours is timed alone.

mod process;

use process::{Process, Program, Threads, describe};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::System;
use stickslip::models::Woodpecker;
use stickslip::step::Integrator;
use stickslip_lab::{JEAN, March, Tables, median, spread};
use stickslip_scene::Scene;
use stickslip_studies::write_between_markers;

const HELP: &str = "\
The woodpecker by our time stepping and by Siconos: differences and time per step.

Usage: lab siconos [options]

  --dt SECONDS     step                              [2e-5]
  --t-end SECONDS  end of the motion compared        [0.3]
  --rounds COUNT   rounds of timing                  [9]
  --write FILE     put the tables between the markers <!-- siconos:begin --> and <!-- siconos:end -->

Example: lab siconos --rounds 15 --dt 1e-5
";

/// How often ours runs the motion in a round.
const REPEATS: usize = 25;

struct Options {
    dt: f64,
    t_end: f64,
    rounds: usize,
    write: Option<PathBuf>,
}

impl Options {
    fn steps(&self) -> usize {
        (self.t_end / self.dt).round() as usize
    }
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let (system, start) = (Woodpecker::default().system(), Woodpecker::start());
    let described = describe(&system, &start)?;
    let mut tables = Tables::default();
    let program = match Program::compile() {
        Ok(program) => Some(program),
        Err(e) => {
            tables.add(&format!("Siconos is not at hand ({e}): ours alone.\n"));
            None
        }
    };
    let mut theirs = Vec::new();
    if let Some(program) = &program {
        for threads in [Threads::One, Threads::AsInstalled] {
            theirs.push((threads, program.start(&described, threads)?));
        }
        differences(&options, &mut theirs[0].1, &mut tables)?;
    }
    times(&options, &mut theirs, &mut tables)?;
    if let Some(path) = &options.write {
        write_between_markers(path, "siconos", tables.text())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options { dt: 2e-5, t_end: 0.3, rounds: 9, write: None };
    while let Some(arg) = args.next()? {
        match arg {
            Long("dt") => o.dt = args.value()?.parse()?,
            Long("t-end") => o.t_end = args.value()?.parse()?,
            Long("rounds") => o.rounds = args.value()?.parse::<usize>()?.max(1),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    if o.dt > 0.0 && o.t_end >= o.dt && o.t_end / o.dt < 1e8 {
        Ok(Some(o))
    } else {
        Err("dt and t-end must be positive, with 1 to 1e8 steps".into())
    }
}

/// q and u after each step of ours.
fn our_motion(o: &Options) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let mut march = March::woodpecker(JEAN)?;
    let mut rows = Vec::with_capacity(o.steps());
    for _ in 0..o.steps() {
        march.step(o.dt)?;
        rows.push([march.state.q.as_slice(), &march.state.u].concat());
    }
    Ok(rows)
}

fn differences(
    o: &Options,
    siconos: &mut Process,
    tables: &mut Tables,
) -> Result<(), Box<dyn Error>> {
    let info = Woodpecker::default().system();
    let names = info.info().coordinates.iter().chain(&info.info().velocities);
    let ours = our_motion(o)?;
    let lemke = siconos.run("lemke", o.dt, o.steps())?;
    let nsgs = siconos.run("nsgs", o.dt, o.steps())?;
    tables.add(&format!("`moreau_jean`, θ = ½, dt = {:e} s, {} steps.\n", o.dt, o.steps()));
    let title = ["ours and Siconos (NSGS)", "at t", "ours and Siconos (Lemke)", "NSGS and Lemke"];
    tables.add(&format!("| | largest value | {} |", title.join(" | ")));
    tables.add("|---|---:|---:|---:|---:|---:|");
    for (i, name) in names.enumerate() {
        let size = ours.iter().fold(0.0_f64, |m, r| m.max(r[i].abs()));
        let (a, step) = largest(&ours, &nsgs, i);
        let ((b, _), (c, _)) = (largest(&ours, &lemke, i), largest(&nsgs, &lemke, i));
        let t = step as f64 * o.dt;
        tables.add(&format!("| `{name}` | {size:.3e} | {a:.1e} | {t:.3} s | {b:.1e} | {c:.1e} |"));
    }
    tables.add("");
    Ok(())
}

/// The largest difference in a column, and after which step.
fn largest(a: &[Vec<f64>], b: &[Vec<f64>], column: usize) -> (f64, usize) {
    let differences = a.iter().zip(b).map(|(a, b)| match (a.get(column), b.get(column)) {
        (Some(a), Some(b)) => (a - b).abs(),
        _ => f64::INFINITY,
    });
    let mut worst = (0.0, 0);
    for (i, d) in differences.enumerate() {
        if d > worst.0 || d.is_nan() {
            worst = (if d.is_nan() { f64::INFINITY } else { d }, i + 1);
        }
    }
    worst
}

/// Seconds per step over the motion, repeated from its start until it has taken as long as Siconos does: a short
/// run on a busy machine would be disturbed less than a long one.
fn our_time<S: System>(o: &Options, mut march: March<S>) -> Result<f64, Box<dyn Error>> {
    let start = march.state.clone();
    let begin = Instant::now();
    for _ in 0..REPEATS {
        march.state.clone_from(&start);
        march.steps(o.steps(), o.dt)?;
    }
    Ok(begin.elapsed().as_secs_f64() / (REPEATS * o.steps()) as f64)
}

fn times(
    o: &Options,
    theirs: &mut [(Threads, Process)],
    tables: &mut Tables,
) -> Result<(), Box<dyn Error>> {
    let ours = [Integrator::MoreauMidpoint, JEAN];
    let scene = Scene::from_gallery("woodpecker")?;
    let mut our_times = [const { Vec::new() }; 2];
    let mut scene_times = Vec::new();
    let mut their_times = [const { Vec::new() }; 2];
    for _ in 0..o.rounds {
        for (times, integrator) in our_times.iter_mut().zip(ours) {
            times.push(our_time(o, March::woodpecker(integrator)?)?);
        }
        let system = scene.system().ok_or("the woodpecker has coordinates of its own")?;
        scene_times.push(our_time(o, March::new(system, scene.start(), ours[0])?)?);
        for (times, (_, process)) in their_times.iter_mut().zip(theirs.iter_mut()) {
            times.push(process.time("lemke", o.dt, o.steps())? / o.steps() as f64);
        }
    }
    tables.add("| program | time per step | steps per second | its time over that of `moreau_midpoint` | of `moreau_jean` |");
    tables.add("|---|---:|---:|---:|---:|");
    for (integrator, times) in ours.iter().zip(&our_times) {
        tables.add(&format!("| ours, `{integrator}` | {} | | |", speed(times)));
    }
    let slower: Vec<f64> = scene_times.iter().zip(&our_times[0]).map(|(s, o)| s / o).collect();
    let (time, ratio) = (speed(&scene_times), spread(&slower, 2));
    tables.add(&format!("| ours, `{}`, from the scene file | {time} | {ratio} | |", ours[0]));
    for ((threads, _), times) in theirs.iter().zip(&their_times) {
        let name = match threads {
            Threads::One => "Siconos, one thread",
            Threads::AsInstalled => "Siconos, threads as installed",
        };
        let ratios = our_times.each_ref().map(|ours| {
            let ratios: Vec<f64> = times.iter().zip(ours).map(|(t, o)| t / o).collect();
            spread(&ratios, 0)
        });
        tables.add(&format!("| {name} | {} | {} | {} |", speed(times), ratios[0], ratios[1]));
    }
    Ok(())
}

/// Time per step, and steps per second.
fn speed(times: &[f64]) -> String {
    let nanoseconds: Vec<f64> = times.iter().map(|t| 1e9 * t).collect();
    format!("{} ns | {:.2e}", spread(&nanoseconds, 0), 1.0 / median(times))
}
