//! Against independent brute force: exact rational arithmetic for integers, all supports else.

mod exact;
mod families;

use super::*;
use crate::Matrix;
use families::Random;
use std::time::Instant;

fn all(problem: &Lcp) -> Enumeration {
    enumerate(problem, &Settings::default()).unwrap()
}

#[test]
#[ignore = "timing, for release builds"]
fn timing_at_twenty_unknowns() {
    for n in [12, 16, 20] {
        for (name, problems) in families::timed(n) {
            let start = Instant::now();
            let results: Vec<Enumeration> = problems.iter().map(all).collect();
            let time = start.elapsed().as_secs_f64() / results.len() as f64;
            let mean = |f: &dyn Fn(&Enumeration) -> usize| {
                results.iter().map(f).sum::<usize>() / results.len()
            };
            let worst = results
                .iter()
                .flat_map(|r| &r.solutions)
                .map(|f| f.residual);
            println!(
                "{n:3} {name:28} {time:8.4} s  faces {:6}  nodes {:7}  programs {:7}  pivots {:8}  {:?} {:?} residual {:.1e}",
                mean(&|r| r.solutions.len()),
                mean(&|r| r.statistics.nodes),
                mean(&|r| r.statistics.programs),
                mean(&|r| r.statistics.pivots),
                results[0].count(),
                results[0].incomplete,
                worst.fold(0.0, f64::max),
            );
        }
    }
}
