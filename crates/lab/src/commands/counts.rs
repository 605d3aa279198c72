//! Instructions per solve, counted by valgrind: the steadiest measure on a busy machine.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- counts
//! cargo run --release -p stickslip-lab -- counts --solver lemke
//! ```
//!
//! The program runs itself under `valgrind --tool=callgrind --toggle-collect=*counted_solves*`, once
//! per case, and prints a table. To look into one case by hand:
//!
//! ```text
//! valgrind --tool=callgrind '--toggle-collect=*counted_solves*' \
//!     target/release/lab counts --case lemke pd_symmetric 30
//! callgrind_annotate callgrind.out.*
//! ```

use complementarity::{Lcp, Solver};
use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use stickslip_lab::{Expected, plain_family, plain_solver, plain_solvers};

const SIZES: [usize; 6] = [3, 6, 8, 30, 100, 300];
const FAMILIES: [&str; 3] = ["pd_symmetric", "planar_glocker_studer", "planar_stewart_trinkle"];

/// At tiny sizes, where counts differ most, the mean of so many instances; beyond, one.
const INSTANCES: usize = 100;
const TINY: usize = 8;

/// Where to stop looking for problems with a solution.
const MOST_SEEDS: usize = 1000;

const HELP: &str = "\
Counts instructions per solve with valgrind.

Usage: lab counts [--solver TEXT]            a table over solvers, families and sizes
       lab counts --sizes LIST               some sizes only, separated by commas
       lab counts --case SOLVER FAMILY SIZE  one case, to be run under valgrind by hand
";

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut filter = String::new();
    let mut sizes = SIZES.to_vec();
    while let Some(arg) = args.next()? {
        match arg {
            Long("solver") => filter = args.value()?.string()?,
            Long("sizes") => {
                let list = args.value()?.string()?;
                sizes = list.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Long("case") => {
                let (solver, family) = (args.value()?.string()?, args.value()?.string()?);
                return one(&solver, &family, args.value()?.parse()?);
            }
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    table(&filter, &sizes)
}

fn one(solver: &str, family: &str, n: usize) -> Result<(), Box<dyn Error>> {
    let family = plain_family(family).ok_or("no such family")?;
    let mut solver = plain_solver(solver).ok_or("no such solver")?;
    // As in `compare`: restitution on a singular W can leave a contact problem without a solution.
    let instances = (1..).map(|seed| family.instance(n, seed)).take(MOST_SEEDS);
    let instances = instances.filter(|i| i.expected == Expected::Solvable);
    let count = if n <= TINY { INSTANCES } else { 1 };
    let problems: Vec<Lcp> = instances.take(count).map(|i| i.problem).collect();
    let solved = problems.iter().all(|p| solver.solve(p).is_solved());
    counted_solves(solver.as_mut(), &problems);
    println!("solved: {solved}");
    println!("solves: {}", problems.len());
    Ok(())
}

/// What valgrind counts: solves with storage in place.
#[inline(never)]
fn counted_solves(solver: &mut dyn Solver, problems: &[Lcp]) {
    for problem in problems {
        black_box(solver.solve(black_box(problem)));
    }
}

fn table(filter: &str, sizes: &[usize]) -> Result<(), Box<dyn Error>> {
    println!("| solver | family | n | instructions per solve |");
    println!("|---|---|---:|---:|");
    for solver in plain_solvers().iter().filter(|s| s.name().contains(filter)) {
        for family in FAMILIES {
            for &n in sizes {
                match count(solver.name(), family, n)? {
                    Some(count) => println!("| `{}` | `{family}` | {n} | {count} |", solver.name()),
                    None => println!("| `{}` | `{family}` | {n} | not solved |", solver.name()),
                }
            }
        }
    }
    Ok(())
}

/// Runs this program under valgrind; `None` if the solver fails on the case.
fn count(solver: &str, family: &str, n: usize) -> Result<Option<u64>, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted_solves*"])
        .arg("--callgrind-out-file=/dev/null")
        .arg(std::env::current_exe()?)
        .args(["counts", "--case", solver, family, &n.to_string()])
        .output()
        .map_err(|e| format!("valgrind cannot be started: {e}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !printed.contains("solved: true") {
        return Ok(None);
    }
    let solves = printed.lines().find_map(|l| l.strip_prefix("solves: ")?.parse::<u64>().ok());
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = log.lines().find(|l| l.contains("Collected :"));
    let total = line.and_then(|l| l.rsplit(' ').next()?.parse::<u64>().ok());
    Ok(total.zip(solves).and_then(|(total, solves)| total.checked_div(solves)))
}
