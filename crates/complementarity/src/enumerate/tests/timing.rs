//! What a search takes, by family and size: `cargo test --release -p complementarity timing --
//! --ignored --nocapture`.

use super::{all, families};
use crate::enumerate::Enumeration;
use std::time::Instant;

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
            let worst = results.iter().flat_map(|r| &r.solutions).map(|f| f.residual);
            let vertices = |r: &Enumeration| {
                let each = r.solutions.iter().map(|f| f.vertices.len() + f.rays.len());
                each.max().unwrap_or(0)
            };
            println!(
                "{n:3} {name:28} {time:8.4} s  faces {:6}  largest {:4}  nodes {:7}  programs {:7}  pivots {:8}  {:?} {:?} residual {:.1e}",
                mean(&|r| r.solutions.len()),
                results.iter().map(vertices).max().unwrap_or(0),
                mean(&|r| r.statistics.nodes),
                mean(&|r| r.statistics.programs),
                mean(&|r| r.statistics.pivots),
                results.iter().map(|r| r.solutions.len()).max(),
                results[0].incomplete,
                worst.fold(0.0, f64::max),
            );
        }
    }
}
