//! Time-stepping schemes and the alternating iteration, which paper 3 names, beside what the package takes.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- schemes
//! cargo run --release -p stickslip-lab -- schemes --write book/src/measurements/schemes.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip::contact::solve::SolverChoice;
use stickslip::step::Integrator;
use stickslip_lab::schemes::{Family, Motion, NoNumber, SCHEMES, error, order, tally};
use stickslip_lab::{JEAN, Tables};
use stickslip_studies::plot::{Lines, LogLog};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
The scheme of Paoli and Schatzman beside other integrators, and the alternating iteration beside other solvers.

Usage: lab schemes [options]

  --sizes COUNT       step sizes, each half of the one before     [7]
  --problems COUNT    problems per family and coefficient         [40]
  --write FILE        put the tables between the markers <!-- schemes:begin --> and <!-- schemes:end -->, and
                      the plots beside the file, as schemes.svg and alternating.svg

Example: lab schemes --sizes 4 --problems 10
";

/// Steps of the largest size.
const FEWEST: usize = 200;

/// The coefficients of friction.
const COEFFICIENTS: [f64; 12] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5];

/// What the alternating iteration is held against.
const SOLVERS: [SolverChoice; 5] = [
    SolverChoice::Alternating,
    SolverChoice::Auto,
    SolverChoice::Nsgs,
    SolverChoice::InteriorPoint,
    SolverChoice::Admm,
];

type Curves = Vec<(String, Vec<(f64, f64)>)>;

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut sizes, mut problems, mut write) = (7, 40, None::<PathBuf>);
    while let Some(arg) = args.next()? {
        match arg {
            Long("sizes") => sizes = args.value()?.parse::<u32>()?.clamp(2, 12),
            Long("problems") => problems = args.value()?.parse::<u64>()?.clamp(1, 10_000),
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut tables = Tables::default();
    let errors = errors(&mut tables, sizes)?;
    depths(&mut tables)?;
    let rounds = alternation(&mut tables, problems)?;
    if let Some(path) = &write {
        write_between_markers(path, "schemes", tables.text())?;
        std::fs::write(path.with_file_name("schemes.svg"), error_plot(errors).to_svg())?;
        std::fs::write(path.with_file_name("alternating.svg"), round_plot(rounds).to_svg())?;
        println!("wrote {}, schemes.svg and alternating.svg", path.display());
    }
    Ok(())
}

/// One table per motion; the curves of the bouncing ball and of two woodpeckers.
fn errors(tables: &mut Tables, sizes: u32) -> Result<Curves, NoNumber> {
    let (mut curves, mut refusals) = (Vec::new(), Vec::new());
    for motion in Motion::ALL {
        let exact = motion.exact()?;
        tables.add(&format!("**{}**\n", motion.name()));
        tables.add("| integrator | error at Δt = | | | order |");
        tables.add("|---|---:|---:|---:|---:|");
        let steps = |k: u32| FEWEST << k;
        let shown = [0, sizes / 2, sizes - 1];
        let lengths = shown.map(|k| format!("{:.1e} s", motion.time() / steps(k) as f64));
        tables.add(&format!("| | {} | |", lengths.join(" | ")));
        for scheme in SCHEMES {
            let found: Result<Vec<_>, _> =
                (0..sizes).map(|k| error(motion, scheme, steps(k), exact)).collect();
            match found {
                Ok(points) => {
                    let errors = shown.map(|k| format!("{:.1e}", points[k as usize].1));
                    let order = if motion.splits_impacts(scheme) {
                        "does not converge".to_owned()
                    } else {
                        format!("{:.2}", order(&points))
                    };
                    tables.add(&format!("| `{scheme}` | {} | {order} |", errors.join(" | ")));
                    let name = match motion {
                        Motion::Ball => "ball",
                        Motion::Woodpecker => "woodpecker",
                        Motion::SlipperyWoodpecker => "woodpecker, μ 0.01",
                        _ => continue,
                    };
                    // Moreau and Jean's errors are those of the midpoint rule, to the eye.
                    let short = match scheme {
                        JEAN => continue,
                        Integrator::MoreauMidpoint => "midpoint",
                        _ => "Paoli",
                    };
                    curves.push((format!("{name}: {short}"), points));
                }
                Err(why) => {
                    tables.add(&format!("| `{scheme}` | refused | | | |"));
                    let why = format!("- {why}.");
                    if !refusals.contains(&why) {
                        refusals.push(why);
                    }
                }
            }
        }
        tables.add("");
    }
    tables.add("Why some are refused:\n");
    refusals.iter().for_each(|line| tables.add(line));
    tables.add("");
    Ok(curves)
}

fn depths(tables: &mut Tables) -> Result<(), NoNumber> {
    tables.add("The deepest penetration of the bouncing ball, as a multiple of the way that it falls in the step before its first impact:\n");
    tables.add("| integrator | Δt = 1e-2 s | Δt = 1e-3 s | Δt = 1e-4 s |");
    tables.add("|---|---:|---:|---:|");
    for scheme in SCHEMES {
        let found: Result<Vec<_>, _> =
            [100, 1000, 10_000].map(|n| Motion::depth_of_ball(scheme, n)).into_iter().collect();
        if let Ok(found) = found {
            let texts: Vec<_> = found.iter().map(|d| format!("{d:.2}")).collect();
            tables.add(&format!("| `{scheme}` | {} |", texts.join(" | ")));
        }
    }
    tables.add("");
    Ok(())
}

/// One table per family; the curves of the rounds.
fn alternation(tables: &mut Tables, problems: u64) -> Result<Curves, Box<dyn Error>> {
    let mut curves = Vec::new();
    for family in Family::ALL {
        let name = family.name();
        tables.add(&format!("**{name}**: share solved, median of the iterations on these\n"));
        let names = SOLVERS.map(|s| format!("`{s}`"));
        tables.add(&format!("| μ | {} |", names.join(" | ")));
        tables.add(&format!("|---:|{}", "---:|".repeat(SOLVERS.len())));
        let mut points = Vec::new();
        for mu in COEFFICIENTS {
            let mut texts = Vec::new();
            for solver in SOLVERS {
                let t = tally(family, solver, mu, problems)?;
                texts.push(if t.solved > 0.0 {
                    format!("{:.0} %, {}", 100.0 * t.solved, t.iterations)
                } else {
                    "0 %".to_owned()
                });
                if solver == SolverChoice::Alternating && t.solved > 0.0 {
                    points.push((mu, t.iterations));
                }
            }
            tables.add(&format!("| {mu} | {} |", texts.join(" | ")));
        }
        tables.add("");
        let short = match family {
            Family::Contact => "one contact",
            Family::Box(height) if height < 1.0 => "flat box",
            Family::Box(_) => "tall box",
            Family::Anywhere => "contacts anywhere",
        };
        curves.push((short.to_owned(), points));
    }
    Ok(curves)
}

fn error_plot(curves: Curves) -> LogLog {
    LogLog {
        title: "Schemes on motions with impacts".to_owned(),
        x: "Δt, s".to_owned(),
        y: "error (m, rad)".to_owned(),
        curves,
        slopes: vec![("order 1".to_owned(), 1.0, (1e-4, 1e-3))],
        ..LogLog::default()
    }
}

fn round_plot(curves: Curves) -> Lines {
    Lines {
        title: "Rounds of the alternating iteration".to_owned(),
        x: "coefficient of friction μ".to_owned(),
        y: "rounds, median of the problems that it solves".to_owned(),
        marks: curves.clone(),
        curves,
    }
}
