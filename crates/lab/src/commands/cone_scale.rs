//! How time, iterations and memory of the default solver for cone problems grow with the contacts.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- cone_scale
//! cargo run --release -p stickslip-lab -- cone_scale --family pile --solver nsgs
//! ```
//!
//! Each problem is solved in a process of its own, so that its peak memory is its own too.

use std::error::Error;
use std::process::Command;
use std::time::Instant;
use stickslip_contact::ContactProblem;
use stickslip_contact::solvers::{
    Admm, Cascade, ConeInteriorPoint, ConeNewton, Method, Nsgs, admm, cascade, interior_point,
    newton, nsgs,
};
use stickslip_lab::cone::{Mix, box_pyramid, box_stack, disc_pile, sphere_pile};

const HELP: &str = "\
Tells how time, iterations and memory grow with the number of contacts.

Usage: lab cone_scale [options]

  --family TEXT     families whose name contains this        [all]
  --solver NAME     auto, nsgs, interior_point, newton, admm [auto]
  --tolerance X     only this scaled residual                [1e-3, 1e-6 and 1e-8]
  --blocks          W by blocks, as it was before it could be by bodies
  --motion X        size of the bodies' random motion        [0]
  --largest N       leave out problems with more contacts    [all]

Example: lab cone_scale --family pile --motion 0.3
";

type Make = fn(usize, Mix) -> ContactProblem;

/// Families by name: how to make one, and sizes that give about 100, 300, 1000, 3000, 10 000 contacts; of spheres also 35 000.
const FAMILIES: [(&str, Make, &[usize]); 4] = [
    ("stack", box_stack, &[25, 75, 250, 750, 2500]),
    ("pyramid", box_pyramid, &[5, 9, 16, 27, 50]),
    ("pile", sphere_pile, &[40, 105, 310, 1000, 3000, 10_000]),
    ("discs", disc_pile, &[36, 100, 324, 961, 2304]),
];

struct Options {
    family: String,
    solver: String,
    tolerances: Vec<f64>,
    motion: f64,
    blocks: bool,
    largest: usize,
    /// In a child process: which size of the family to solve.
    only: Option<usize>,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut options = Options {
        family: String::new(),
        solver: "auto".into(),
        tolerances: vec![1e-3, 1e-6, 1e-8],
        blocks: false,
        motion: 0.0,
        largest: usize::MAX,
        only: None,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Long("family") => options.family = args.value()?.string()?,
            Long("solver") => options.solver = args.value()?.string()?,
            Long("tolerance") => options.tolerances = vec![args.value()?.parse()?],
            Long("motion") => options.motion = args.value()?.parse()?,
            Long("largest") => options.largest = args.value()?.parse()?,
            Long("blocks") => options.blocks = true,
            Long("only") => options.only = Some(args.value()?.parse()?),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    match options.only {
        Some(size) => child(&options, size),
        None => table(&options),
    }
}

/// Solves one problem and prints a row without the family and the tolerance.
fn child(options: &Options, size: usize) -> Result<(), Box<dyn Error>> {
    let (_, make, _) = FAMILIES
        .iter()
        .find(|f| f.0 == options.family)
        .ok_or_else(|| format!("no family {}", options.family))?;
    let tolerance = *options.tolerances.first().ok_or("a tolerance is needed")?;
    let mut problem = make(size, Mix { motion: options.motion, ..Mix::default() });
    if options.blocks {
        let (w, laws) = (problem.delassus().to_blocks(problem.laws()), problem.laws().to_vec());
        problem = ContactProblem::new(w, problem.bias().to_vec(), laws)?;
    }
    let before = peak_memory();
    let mut solver = solver(&options.solver, tolerance)?;
    let start = Instant::now();
    let solution = solver.solve(&problem);
    let time = start.elapsed().as_secs_f64();
    let (contacts, residual) = (problem.contacts(), solution.certificate.worst);
    let (iterations, factorisations) = (solution.iterations, solution.factorisations);
    let (status, solved) = (solution.status, solution.is_solved());
    let memory = match (before, peak_memory()) {
        (Some(before), Some(after)) => format!("{before:.0} | {after:.0}"),
        _ => "– | –".into(),
    };
    println!("{contacts} {time} {solved}");
    println!(
        "{contacts} | {status} | {residual:.1e} | {time:.4} s | {iterations} | {factorisations} | {memory}"
    );
    Ok(())
}

fn solver(name: &str, tolerance: f64) -> Result<Box<dyn Method>, Box<dyn Error>> {
    Ok(match name {
        "auto" => Box::new(Cascade::new(cascade::Settings { tolerance, ..Default::default() })?),
        "nsgs" => {
            let max_sweeps = 100_000;
            let settings = nsgs::Settings { tolerance, max_sweeps, ..Default::default() };
            Box::new(Nsgs::new(settings)?)
        }
        "interior_point" => {
            let settings = interior_point::Settings { tolerance, ..Default::default() };
            Box::new(ConeInteriorPoint::new(settings)?)
        }
        "newton" => {
            Box::new(ConeNewton::new(newton::Settings { tolerance, ..Default::default() })?)
        }
        "admm" => Box::new(Admm::new(admm::Settings { tolerance, ..Default::default() })?),
        other => return Err(format!("no solver {other}; see --help").into()),
    })
}

/// The most memory that this process held, in MiB; `None` where the system does not tell.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

/// All problems, each in a child process, and the growth of each family.
fn table(options: &Options) -> Result<(), Box<dyn Error>> {
    if peak_memory().is_none() {
        println!("Memory is left out: this system has no /proc/self/status.\n");
    }
    println!(
        "| family | tolerance | contacts | status | residual | time | iterations | factorisations | MiB before | MiB peak |"
    );
    println!("|---|---:|---:|---|---:|---:|---:|---:|---:|---:|");
    let mut growth = Vec::new();
    for (family, _, sizes) in FAMILIES.iter().filter(|f| f.0.contains(&options.family)) {
        for &tolerance in &options.tolerances {
            let mut points = Vec::new();
            for &size in *sizes {
                let (contacts, time, solved, row) = in_child(options, family, tolerance, size)?;
                println!("| {family} | {tolerance:.0e} | {row} |");
                if solved {
                    points.push((contacts, time));
                }
                if contacts * 3.0 > options.largest as f64 {
                    break;
                }
            }
            growth.push((family, tolerance, points));
        }
    }
    println!("\n| family | tolerance | growth of time over all sizes | from 1000 contacts on |");
    println!("|---|---:|---:|---:|");
    for (family, tolerance, points) in growth {
        let large: Vec<(f64, f64)> = points.iter().copied().filter(|p| p.0 > 900.0).collect();
        let (all, large) = (exponent(&points), exponent(&large));
        println!("| {family} | {tolerance:.0e} | n^{all:.2} | n^{large:.2} |");
    }
    Ok(())
}

type Row = (f64, f64, bool, String);

fn in_child(
    options: &Options,
    family: &str,
    tolerance: f64,
    size: usize,
) -> Result<Row, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?)
        .args(["cone_scale", "--family", family, "--solver", &options.solver])
        .args(["--tolerance", &tolerance.to_string(), "--motion", &options.motion.to_string()])
        .args(["--only", &size.to_string()])
        .args(options.blocks.then_some("--blocks"))
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut lines = text.lines();
    let numbers = lines.next().ok_or_else(|| {
        format!("{family} of {size} ended early: {}", String::from_utf8_lossy(&output.stderr))
    })?;
    let mut numbers = numbers.split(' ');
    let mut next = || numbers.next().ok_or("a child printed too little");
    let (contacts, time, solved) = (next()?.parse()?, next()?.parse()?, next()?.parse()?);
    Ok((contacts, time, solved, lines.next().unwrap_or_default().to_owned()))
}

/// The exponent p of time = c nᵖ that fits best, by least squares on the logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|p| (p.0.ln(), p.1.ln())).collect();
    let n = logs.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let across: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    across / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}
