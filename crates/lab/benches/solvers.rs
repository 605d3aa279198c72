//! Micro-benchmarks of every solver: `cargo bench -p stickslip-lab`.
//!
//! A filter picks some: `cargo bench -p stickslip-lab -- lemke`. For counts of
//! instructions, which a busy machine does not disturb, see the bin `counts`.

use divan::Bencher;
use std::fmt;
use stickslip_lab::{plain_family, plain_solver, plain_solvers};

const SIZES: [usize; 5] = [3, 6, 30, 100, 300];
const FAMILIES: [&str; 2] = ["pd_symmetric", "planar_stewart_trinkle"];

struct Case {
    solver: &'static str,
    family: &'static str,
    n: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.solver, self.family, self.n)
    }
}

/// Those that the solver solves: how long it takes to give up says little.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mut solver in plain_solvers() {
        for family in FAMILIES {
            for n in SIZES {
                let problem = plain_family(family).expect("it exists").instance(n, 1).problem;
                if solver.solve(&problem).is_solved() {
                    let solver = solver.name();
                    cases.push(Case { solver, family, n });
                }
            }
        }
    }
    cases
}

#[divan::bench(args = cases())]
fn solve(bencher: Bencher, case: &Case) {
    let family = plain_family(case.family).expect("it exists");
    let problem = family.instance(case.n, 1).problem;
    let mut solver = plain_solver(case.solver).expect("it is listed");
    bencher.bench_local(|| solver.solve(divan::black_box(&problem)).is_solved());
}

fn main() {
    divan::main();
}
