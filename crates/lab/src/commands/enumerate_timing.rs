//! How long it takes to find all solutions, by kind of problem and size.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- enumerate_timing --sizes 12,16,20
//! cargo run --release -p stickslip-lab -- enumerate_timing --write book/src/concepts/enumeration.md
//! ```

use complementarity::enumerate::{Enumeration, Settings, enumerate};
use complementarity::{Lcp, Matrix};
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;
use stickslip_lab::plain_family;
use stickslip_studies::{Draw, write_between_markers};

const HELP: &str = "\
Times the enumeration of all solutions.

Usage: lab enumerate_timing [options]

  --sizes LIST   sizes, separated by commas, at most 20           [20]
  --seeds COUNT  problems of each kind and size                   [4]
  --write FILE   put the table between the markers <!-- timing:begin --> and <!-- timing:end -->

Example: lab enumerate_timing --sizes 12,16,20
";

/// What makes one problem of a kind and size.
type Make = fn(&mut Draw, usize) -> (Matrix, Vec<f64>);

/// Kinds that no family has: with many solutions, or feasible without one.
const KINDS: &[(&str, Make)] = &[
    ("random", |d, n| (normal(d, n), d.normals(n))),
    ("random, with a solution", planted),
    ("minus a definite matrix, q > 0", |d, n| {
        (minus_gram(d, n), d.normals(n).iter().map(|q| q.abs()).collect())
    }),
    ("a game of two persons", game),
    ("do some of k integers add up to a sum? (no)", knapsack),
    ("each row twice", |d, n| {
        let (g, q) = (normal(d, n), d.normals(n));
        (Matrix::from_fn(n, n, |i, j| g[(i / 2, j)]), (0..n).map(|i| q[i / 2]).collect())
    }),
    ("2^(n/2) cubes of solutions", |_, n| {
        let half = n / 2;
        let m = Matrix::from_fn(n, n, |i, j| if i == j + half { -1.0 } else { 0.0 });
        (m, (0..n).map(|i| f64::from(u8::from(i >= half))).collect())
    }),
    ("M = -I, q = 1: each corner of the cube", |_, n| {
        (Matrix::from_fn(n, n, |i, j| if i == j { -1.0 } else { 0.0 }), vec![1.0; n])
    }),
];

/// Families that are timed as well.
const FAMILIES: &[&str] = &[
    "pd_symmetric",
    "psd_symmetric",
    "planar_glocker_studer",
    "planar_stewart_trinkle",
    "spatial_phantom_inertia",
    "stack_stewart_trinkle",
];

/// The most unknowns that `enumerate` takes with its default settings.
const LARGEST: usize = 20;

/// Where to stop looking for problems that are small enough.
const MOST_SEEDS: u64 = 1000;

struct Options {
    sizes: Vec<usize>,
    seeds: usize,
    write: Option<PathBuf>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut table = String::new();
    for line in [
        "| problems | n | time | slowest | solutions or faces | nodes | complete |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ] {
        add(&mut table, line);
    }
    for &n in &options.sizes {
        for (name, make) in KINDS {
            let problem = |seed| {
                let (m, q) = make(&mut Draw::new(name, n, seed), n);
                Lcp::new(m, q).expect("the numbers are finite")
            };
            row(&mut table, name, (0..options.seeds as u64).map(problem).collect())?;
        }
        for name in FAMILIES {
            let family = plain_family(name).expect("the family exists");
            // A stack comes in whole bodies, and may be larger than asked for.
            let problems = (0..MOST_SEEDS).map(|seed| family.instance(n, seed).problem);
            let problems = problems.filter(|p| p.len() <= LARGEST).take(options.seeds);
            row(&mut table, &format!("`{name}`"), problems.collect())?;
        }
    }
    if let Some(path) = &options.write {
        write_between_markers(path, "timing", &table)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options { sizes: vec![20], seeds: 4, write: None };
    while let Some(arg) = args.next()? {
        match arg {
            Long("sizes") => {
                let list = args.value()?.string()?;
                let sizes: Result<Vec<usize>, _> = list.split(',').map(str::parse).collect();
                o.sizes = sizes.map_err(|e| format!("--sizes {list}: {e}"))?;
            }
            Long("seeds") => o.seeds = args.value()?.parse::<usize>()?.max(1),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

/// Prints a line at once and keeps it.
fn add(table: &mut String, line: &str) {
    println!("{line}");
    let _ = writeln!(table, "{line}");
}

fn row(table: &mut String, name: &str, problems: Vec<Lcp>) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    let mut found: Vec<Enumeration> = Vec::new();
    for problem in &problems {
        let start = Instant::now();
        found.push(enumerate(problem, &Settings::default())?);
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    let range = |values: Vec<usize>| {
        let (low, high) = (values.iter().min(), values.iter().max());
        match (low, high) {
            (Some(low), Some(high)) if low != high => format!("{low} to {high}"),
            (Some(low), _) => low.to_string(),
            _ => "–".to_owned(),
        }
    };
    let line = format!(
        "| {name} | {} | {:.1} ms | {:.1} ms | {} | {} | {}/{}{} |",
        range(problems.iter().map(Lcp::len).collect()),
        times.iter().sum::<f64>() / times.len() as f64,
        times.iter().copied().fold(0.0, f64::max),
        range(found.iter().map(|f| f.solutions.len()).collect()),
        range(found.iter().map(|f| f.statistics.nodes).collect()),
        found.iter().filter(|f| f.is_complete()).count(),
        found.len(),
        found.iter().find_map(|f| f.incomplete).map_or(String::new(), |why| format!(" ({why:?})")),
    );
    add(table, &line);
    Ok(())
}

fn normal(d: &mut Draw, n: usize) -> Matrix {
    Matrix::from_fn(n, n, |_, _| d.normal())
}

fn minus_gram(d: &mut Draw, n: usize) -> Matrix {
    let g = normal(d, n);
    let product = |i: usize, j: usize| g.row(i).iter().zip(g.row(j)).map(|(a, b)| a * b);
    Matrix::from_fn(n, n, |i, j| -product(i, j).sum::<f64>())
}

/// Half of the z_i, and the other half of the w_i, between 0 and 1.
fn planted(d: &mut Draw, n: usize) -> (Matrix, Vec<f64>) {
    let m = normal(d, n);
    let z: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { d.unit() } else { 0.0 }).collect();
    let w = |i: usize, d: &mut Draw| if i % 2 == 1 { d.unit() } else { 0.0 };
    let q = m.mul_vec(&z).iter().enumerate().map(|(i, mz)| w(i, d) - mz).collect();
    (m, q)
}

/// The equilibria of a game with positive random costs, n/2 moves for either player.
fn game(d: &mut Draw, n: usize) -> (Matrix, Vec<f64>) {
    let across = |i: usize, j: usize| (i < n / 2) != (j < n / 2);
    let m = Matrix::from_fn(n, n, |i, j| if across(i, j) { 1.0 + d.unit() } else { 0.0 });
    (m, vec![-1.0; n])
}

/// Whether some of k integers add up to a given sum (Chung 1989): z_i ∈ {0, a_i} and two rows for
/// the sum, here an odd one for even integers, so that there are feasible points but no solution.
fn knapsack(d: &mut Draw, n: usize) -> (Matrix, Vec<f64>) {
    let k = n.saturating_sub(2);
    let mut q: Vec<f64> = (0..k).map(|_| 2.0 * d.whole(50, 150) as f64).collect();
    let sum = 2.0 * (q.iter().sum::<f64>() / 4.0).floor() + 1.0;
    let m = Matrix::from_fn(k + 2, k + 2, |i, j| match (i < k, j < k) {
        (true, _) if i == j => -1.0,
        (false, true) if i == k => 1.0,
        (false, true) => -1.0,
        (false, false) if i == j => -(n as f64),
        _ => 0.0,
    });
    q.extend([-sum, sum]);
    (m, q)
}
