//! Time and iterations of each solver for cone problems, on stacks, pyramids and piles.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- cone_table
//! cargo run --release -p stickslip-lab -- cone_table --solver newton --tolerance 1e-6
//! ```

use std::error::Error;
use std::time::Instant;
use stickslip_contact::ContactProblem;
use stickslip_contact::solvers::{
    Admm, Cascade, ConeInteriorPoint, ConeNewton, Method, Nsgs, SplitInteriorPoint, admm, cascade,
    interior_point, newton, nsgs, split_point,
};
use stickslip_lab::cone::{Mix, box_pyramid, box_stack, sphere_pile};

const HELP: &str = "\
Times the solvers for cone problems.

Usage: lab cone_table [options]

  --solver TEXT     solvers whose name contains this         [all]
  --problem TEXT    problems whose name contains this        [all]
  --tolerance X     the scaled residual to be reached        [1e-8]
  --survey          small problems of all kinds: the share solved

Example: lab cone_table --solver newton --problem stack
";

type Entry = (&'static str, fn() -> ContactProblem);

type Shape = fn(Mix) -> ContactProblem;

/// The problems of the table, by name.
const PROBLEMS: &[Entry] = &[
    ("stack 80", || box_stack(20, Mix::default())),
    ("stack 80, moving", || box_stack(20, Mix { motion: 0.3, ..Mix::default() })),
    ("stack 80, masses 1e6", || {
        box_stack(20, Mix { mass_ratio: 1e6, motion: 0.1, ..Mix::default() })
    }),
    ("pyramid 400", || box_pyramid(10, Mix::default())),
    ("pyramid 400, moving", || box_pyramid(10, Mix { motion: 0.3, ..Mix::default() })),
    ("pyramid 400, masses 1e6", || {
        box_pyramid(10, Mix { mass_ratio: 1e6, motion: 0.1, ..Mix::default() })
    }),
    ("pile of 100", || sphere_pile(100, Mix::default())),
    ("pile of 1000", || sphere_pile(1000, Mix::default())),
    ("pile of 1000, moving, mu 1", || {
        sphere_pile(1000, Mix { motion: 0.3, mu: 1.0, ..Mix::default() })
    }),
    ("pile of 4000", || sphere_pile(4000, Mix::default())),
    ("pile of 1000, masses 1e4", || sphere_pile(1000, Mix { mass_ratio: 1e4, ..Mix::default() })),
];

fn solvers(tolerance: f64) -> Result<Vec<Box<dyn Method>>, Box<dyn Error>> {
    Ok(vec![
        Box::new(Cascade::new(cascade::Settings { tolerance, ..Default::default() })?),
        Box::new(Nsgs::new(nsgs::Settings { tolerance, ..Default::default() })?),
        Box::new(ConeInteriorPoint::new(interior_point::Settings {
            tolerance,
            ..Default::default()
        })?),
        Box::new(SplitInteriorPoint::new(split_point::Settings {
            tolerance,
            ..Default::default()
        })?),
        Box::new(ConeNewton::new(newton::Settings { tolerance, ..Default::default() })?),
        Box::new(Admm::new(admm::Settings { tolerance, ..Default::default() })?),
    ])
}

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut solver, mut problem, mut tolerance) = (String::new(), String::new(), 1e-8);
    let mut all_kinds = false;
    while let Some(arg) = args.next()? {
        match arg {
            Long("solver") => solver = args.value()?.string()?,
            Long("problem") => problem = args.value()?.string()?,
            Long("survey") => all_kinds = true,
            Long("tolerance") => tolerance = args.value()?.parse()?,
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if all_kinds { survey(&solver, tolerance) } else { table(&solver, &problem, tolerance) }
}

/// Small problems over coefficients, mass ratios, motions and seeds.
fn survey(solver: &str, tolerance: f64) -> Result<(), Box<dyn Error>> {
    let shapes: [(&str, Shape); 4] = [
        ("stack 8", |mix| box_stack(2, mix)),
        ("stack 40", |mix| box_stack(10, mix)),
        ("pyramid 60", |mix| box_pyramid(4, mix)),
        ("pile of 40", |mix| sphere_pile(40, mix)),
    ];
    println!("| problems | solver | solved | of | seconds |");
    println!("|---|---|---:|---:|---:|");
    for (name, make) in shapes {
        let mut mixes = Vec::new();
        for mu in [0.0, 0.1, 0.5, 1.0, 2.0] {
            for mass_ratio in [1.0, 1e3, 1e6] {
                for motion in [0.0, 0.1, 1.0] {
                    mixes.extend((1..=3).map(|seed| Mix { mu, mass_ratio, motion, seed }));
                }
            }
        }
        for s in solvers(tolerance)?.iter_mut().filter(|s| s.name().contains(solver)) {
            let (mut solved, mut time) = (0, 0.0);
            for &mix in &mixes {
                let problem = make(mix);
                let start = Instant::now();
                let solution = s.solve(&problem).clone();
                time += start.elapsed().as_secs_f64();
                if solution.is_solved() {
                    solved += 1;
                } else if !solver.is_empty() {
                    let (status, residual) = (solution.status, solution.certificate.worst);
                    eprintln!("{name} {mix:?}: {status}, {residual:.1e}");
                }
            }
            println!("| {name} | `{}` | {solved} | {} | {time:.3} |", s.name(), mixes.len());
        }
    }
    Ok(())
}

fn table(solver: &str, problem: &str, tolerance: f64) -> Result<(), Box<dyn Error>> {
    println!("| problem | contacts | blocks | solver | status | iterations | residual | time |");
    println!("|---|---:|---:|---|---|---:|---:|---:|");
    for (name, make) in PROBLEMS.iter().filter(|p| p.0.contains(problem)) {
        let made = make();
        let (contacts, blocks) =
            (made.contacts(), made.delassus().to_blocks(made.laws()).stored_blocks());
        for s in solvers(tolerance)?.iter_mut().filter(|s| s.name().contains(solver)) {
            let start = Instant::now();
            let solution = s.solve(&made);
            let time = start.elapsed().as_secs_f64();
            let (status, residual) = (solution.status, solution.certificate.worst);
            let iterations = solution.iterations;
            let method = s.name();
            println!(
                "| {name} | {contacts} | {blocks} | `{method}` | {status} | {iterations} | {residual:.1e} | {time:.4} s |"
            );
        }
    }
    Ok(())
}
