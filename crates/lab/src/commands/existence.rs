//! The bounds of theorem 1 on random systems: counter-examples (none), and how sharp they are.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- existence
//! cargo run --release -p stickslip-lab -- existence --count 50
//! cargo run --release -p stickslip-lab -- existence --write book/src/measurements/bounds.md
//! ```

use complementarity::Matrix;
use std::error::Error;
use std::path::PathBuf;
use stickslip::contact::analysis::Theorem;
use stickslip::contact::{ContactProblem, Law};
use stickslip_lab::existence::{
    BOUNDS, Count, Family, MEANINGS, Outcome, Report, self_stress, sharpness, verify,
};
use stickslip_lab::{Tables, median};
use stickslip_studies::plot::{Histogram, Lines};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
The bounds of theorem 1 on random systems.

Usage: lab existence [options]

  --count COUNT  systems per family and number of contacts     [400]
  --tries COUNT  problems below each bound of a system         [5]
  --write FILE   put the tables between the markers <!-- existence:begin --> and
                 <!-- existence:end -->, and plots beside the file

Example: lab existence --count 50
";

const MOST_CONTACTS: usize = 5;
/// Just above a bound this many b are tried.
const SEARCH: usize = 300;

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut count, mut tries, mut write): (u64, usize, Option<PathBuf>) = (400, 5, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("count") => count = args.value()?.parse()?,
            Long("tries") => tries = args.value()?.parse()?,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut tables = Tables::default();
    let reports = counter_examples(count, tries, &mut tables);
    let histogram = tightness(&reports, &mut tables);
    above(count / 4, &mut tables);
    let refuted = self_stresses(count, &mut tables);
    let rod = rod(&mut tables)?;
    if let Some(path) = &write {
        write_between_markers(path, "existence", tables.text())?;
        std::fs::write(path.with_file_name("bounds.svg"), histogram.to_svg())?;
        std::fs::write(path.with_file_name("bounds_rod.svg"), rod.to_svg())?;
        println!("wrote {} and its plots", path.display());
    }
    let wrong = refuted + reports.iter().flat_map(|(_, _, r)| r.counter_examples).sum::<usize>();
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} counter-examples").into()) }
}

type Reports = Vec<(Family, usize, Report)>;

/// Problems below each bound.
fn counter_examples(count: u64, tries: usize, tables: &mut Tables) -> Reports {
    tables.add(
        "Problems below each bound (at 0.999 of it, or at any friction where it is infinite):\n",
    );
    tables
        .add("| family | contacts | systems | bounds | problems | counter-examples | not known |");
    tables.add("|---|---:|---:|---:|---:|---:|---:|");
    let mut reports = Reports::new();
    for family in Family::ALL {
        for contacts in 1..=MOST_CONTACTS {
            let of_size = (0..count).map(|seed| verify(family, contacts, seed, tries));
            let of_size: Vec<Report> = of_size.collect();
            let sum =
                |pick: fn(&Report) -> [usize; 6]| -> usize { of_size.iter().flat_map(pick).sum() };
            let given: usize =
                of_size.iter().map(|r| r.factors.iter().filter(|f| **f > 0.0).count()).sum();
            tables.add(&format!(
                "| {} | {contacts} | {count} | {given} | {} | {} | {} |",
                family.name(),
                sum(|r| r.posed),
                sum(|r| r.counter_examples),
                sum(|r| r.unknown)
            ));
            reports.extend(of_size.into_iter().map(|r| (family, contacts, r)));
        }
    }
    reports
}

/// Bounds by forms over those by modes.
fn tightness(reports: &Reports, tables: &mut Tables) -> Histogram {
    tables.add("\nBounds by forms as a share of those by modes, where these are finite: median, and the smallest:\n");
    let head: Vec<&str> = BOUNDS[..4].to_vec();
    tables.add(&format!("| systems | contacts | {} |", head.join(" | ")));
    tables.add("|---|---:|---:|---:|---:|---:|");
    // Existence is measured by the bound for existence by modes, uniqueness by that for uniqueness.
    let ratio = |r: &Report, k: usize| {
        let modes = r.factors[if matches!(k, 0 | 3) { 5 } else { 4 }];
        (modes > 0.0 && modes.is_finite()).then(|| r.factors[k] / modes)
    };
    for family in [Family::Planar, Family::Sliding] {
        for contacts in 1..=MOST_CONTACTS {
            let cells: Vec<String> = (0..4)
                .map(|k| {
                    let of_size = reports.iter().filter(|(f, c, _)| *f == family && *c == contacts);
                    let ratios: Vec<f64> = of_size.filter_map(|(_, _, r)| ratio(r, k)).collect();
                    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                    format!("{:.3} ({least:.3})", median(&ratios))
                })
                .collect();
            tables.add(&format!("| {} | {contacts} | {} |", family.name(), cells.join(" | ")));
        }
    }
    let series = (0..4).map(|k| {
        let planar = reports.iter().filter(|(f, ..)| *f != Family::Space);
        (BOUNDS[k].to_owned(), planar.filter_map(|(_, _, r)| ratio(r, k)).collect())
    });
    Histogram {
        title: "Bounds by forms as a share of the bounds by modes".into(),
        x: "share".into(),
        y: "systems".into(),
        series: series.collect(),
    }
}

/// Just above the bounds by modes.
fn above(count: u64, tables: &mut Tables) {
    tables.add(&format!(
        "\nAt 1.02 times the bounds by modes, {SEARCH} random b: systems for which one with several solutions, or with none, was found:\n"
    ));
    tables.add("| systems | contacts | several | none |");
    tables.add("|---|---:|---:|---:|");
    for family in [Family::Planar, Family::Sliding] {
        for contacts in 1..=3 {
            let found: Vec<_> =
                (0..count).map(|seed| sharpness(family, contacts, seed, SEARCH)).collect();
            let cell = |values: Vec<bool>| {
                format!("{} of {}", values.iter().filter(|v| **v).count(), values.len())
            };
            tables.add(&format!(
                "| {} | {contacts} | {} | {} |",
                family.name(),
                cell(found.iter().filter_map(|s| s.several).collect()),
                cell(found.iter().filter_map(|s| s.none).collect())
            ));
        }
    }
}

/// Part (B) on redundant systems; returns how often it promises a solution where there is none.
fn self_stresses(count: u64, tables: &mut Tables) -> usize {
    tables.add("\nPart (B) on systems with redundant contacts that roll: what the least work of a self-stress says, and what was found:\n");
    tables.add("| systems | b | least work | problems | solved | no solution | not known |");
    tables.add("|---|---|---|---:|---:|---:|---:|");
    let mut wrong = 0;
    for family in [Family::Planar, Family::Space] {
        for (at_rest, b) in [(false, "any"), (true, "of a system at rest")] {
            let seeds = (1..=MOST_CONTACTS).flat_map(|k| (0..count).map(move |seed| (k, seed)));
            let all: Vec<Outcome> =
                seeds.map(|(k, s)| self_stress(family, k, s, at_rest)).collect();
            wrong += all.iter().filter(|o| o.is_wrong()).count();
            for (meaning, words) in MEANINGS {
                let of: Vec<&Outcome> = all.iter().filter(|o| o.meaning == meaning).collect();
                if of.is_empty() {
                    continue;
                }
                let n = |counts: &[Count]| of.iter().filter(|o| counts.contains(&o.count)).count();
                let some: &[Count] = &[Count::One, Count::Several];
                let counts = [some, &[Count::None], &[Count::Unknown]].map(|c| n(c).to_string());
                let (name, total) = (family.name(), of.len());
                tables
                    .add(&format!("| {name} | {b} | {words} | {total} | {} |", counts.join(" | ")));
            }
        }
    }
    wrong
}

/// Painlevé's rod: the bounds against the closed form.
fn rod(tables: &mut Tables) -> Result<Lines, Box<dyn Error>> {
    tables.add("\nPainlevé's rod, sliding so that it jams:\n");
    tables.add("| tan θ | closed form | some, as it slides | difference | one, any velocity |");
    tables.add("|---:|---:|---:|---:|---:|");
    let bounds = |theta: f64| -> Result<_, Box<dyn Error>> {
        let (s, c) = theta.sin_cos();
        let w = [[1.0 + 3.0 * c * c, 3.0 * s * c], [3.0 * s * c, 1.0 + 3.0 * s * s]];
        let law = Law::coulomb(1.0).sliding_with([1.0, 0.0, 0.0]);
        let p = ContactProblem::new(Matrix::from_rows(&w)?, vec![-9.81, 0.0], vec![law])?;
        let b = Theorem::of(&p)?.bounds;
        Ok((w[0][0] / w[0][1], b.existence.common, b.at_any_velocity.common))
    };
    for tangent in [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0] {
        let (closed, exists, any) = bounds(f64::atan(tangent))?;
        tables.add(&format!(
            "| {tangent} | {closed:.12} | {exists:.12} | {:.0e} | {any:.6} |",
            (exists - closed).abs()
        ));
    }
    let mut curves = vec![Vec::new(); 2];
    let mut marks = Vec::new();
    for i in 0..=60 {
        let theta = 0.35 + 1.1 * f64::from(i) / 60.0;
        let (closed, exists, any) = bounds(theta)?;
        curves[0].push((theta, closed));
        curves[1].push((theta, any));
        if i % 4 == 0 {
            marks.push((theta, exists));
        }
    }
    let names = ["closed form; dots: as it slides", "one, any velocity"];
    Ok(Lines {
        title: "Painlevé's rod: bounds on μ".into(),
        x: "θ [rad]".into(),
        y: "μ".into(),
        curves: names.iter().map(|n| (*n).to_owned()).zip(curves).collect(),
        marks: vec![(names[0].to_owned(), marks)],
    })
}
