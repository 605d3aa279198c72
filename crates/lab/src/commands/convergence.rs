//! With which order time stepping converges, on the woodpecker.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- convergence
//! cargo run --release -p stickslip-lab -- convergence --steps 2000000 --sizes 6
//! cargo run --release -p stickslip-lab -- convergence --write book/src/measurements/order.md
//! ```
//!
//! Both are held against the event-driven integrator. The period of the limit cycle, as a mean over many cycles, between instants at which the bird
//! turns at its lowest (where the sleeve sticks and the motion is smooth). The error of φ_S at given
//! times is the root of the mean square over grids of time that are shifted against each other: an impact
//! falls anywhere into a step, and where it falls decides the error of a single run.

use std::error::Error;
use std::path::PathBuf;
use stickslip::State;
use stickslip::models::Woodpecker;
use stickslip::step::Integrator;
use stickslip_lab::{
    CYCLE, JEAN, March, Tables, event_driven_period, event_driven_state, start_on_contact,
};
use stickslip_studies::plot::LogLog;
use stickslip_studies::write_between_markers;

const HELP: &str = "\
The order of time stepping on the woodpecker: period of the limit cycle, and state at given times.

Usage: lab convergence [options]

  --sizes COUNT       step sizes from 2e-4 to 1e-6                [11]
  --steps COUNT       steps per size for the period, about        [15000000]
  --shifts COUNT      shifted grids for the state                 [16]
  --write FILE        put the tables between the markers <!-- order:begin --> and <!-- order:end -->, and
                      the plot beside the file, as order.svg

Example: lab convergence --steps 2000000 --sizes 6
";

const METHODS: [Integrator; 2] = [Integrator::MoreauMidpoint, JEAN];
const LARGEST: f64 = 2e-4;
const SMALLEST: f64 = 1e-6;
/// Cycles after which the event-driven motion is periodic to rounding.
const PERIODIC: usize = 160;
/// Cycles before the mean is taken, and the most that it is taken over.
const SETTLE: usize = 20;
const MOST_CYCLES: usize = 2000;
/// The coordinate φ_S, whose error is shown.
const PHI_S: usize = 2;
/// Sliding all the time; sliding, then sticking; after five impacts.
const TIMES: [f64; 3] = [0.02, 0.06, 0.14];

struct Options {
    sizes: usize,
    steps: usize,
    shifts: usize,
    write: Option<PathBuf>,
}

/// One step size with one method.
struct Row {
    dt: f64,
    cycles: usize,
    period: f64,
    drop: f64,
    /// Errors of φ_S at the times.
    states: [f64; TIMES.len()],
}

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let (period, reference) = (event_driven_period(PERIODIC)?, reference_states()?);
    let settled = event_driven_state(&Woodpecker::start(), PERIODIC as f64 * CYCLE)?;
    let mut rows = [const { Vec::new() }; METHODS.len()];
    for (rows, method) in rows.iter_mut().zip(METHODS) {
        for dt in sizes(options.sizes) {
            let cycles = ((options.steps as f64 * dt / CYCLE) as usize).clamp(10, MOST_CYCLES);
            let (period, drop) = mean_period(method, &settled, dt, cycles)?;
            let states = state_errors(method, dt, options.shifts, &reference)?;
            eprintln!("{method}, dt = {dt:.2e}: period {period:.9}");
            rows.push(Row { dt, cycles, period, drop, states });
        }
    }
    let mut tables = Tables::default();
    tables.add(&format!("Period of the event-driven motion: {period:.12} s.\n"));
    for (method, rows) in METHODS.iter().zip(&rows) {
        table(*method, rows, period, &mut tables);
    }
    if let Some(path) = &options.write {
        write_between_markers(path, "order", tables.text())?;
        let picture = path.with_file_name("order.svg");
        std::fs::write(&picture, plot(&rows, period).to_svg())?;
        println!("wrote {} and {}", path.display(), picture.display());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options { sizes: 11, steps: 15_000_000, shifts: 16, write: None };
    while let Some(arg) = args.next()? {
        match arg {
            Long("sizes") => o.sizes = args.value()?.parse::<usize>()?.clamp(2, 100),
            Long("steps") => o.steps = args.value()?.parse()?,
            Long("shifts") => o.shifts = args.value()?.parse::<usize>()?.clamp(1, 1000),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

fn sizes(count: usize) -> impl Iterator<Item = f64> {
    let ratio = SMALLEST / LARGEST;
    (0..count).map(move |i| LARGEST * ratio.powf(i as f64 / (count - 1) as f64))
}

/// Mean period and fall per cycle over `cycles` cycles, after some that are not counted; `start` lies on the cycle
/// of the exact motion.
fn mean_period(
    method: Integrator,
    start: &State,
    dt: f64,
    cycles: usize,
) -> Result<(f64, f64), Box<dyn Error>> {
    let mut march = March::woodpecker(method)?;
    march.state = start.clone();
    let most = (4.0 * (SETTLE + cycles) as f64 * CYCLE / dt) as usize;
    let (mut turns, mut first) = (0, (0.0, 0.0));
    for step in 0..most {
        let (y, omega) = (march.state.q[0], march.state.u[PHI_S]);
        march.step(dt)?;
        let (y_next, omega_next) = (march.state.q[0], march.state.u[PHI_S]);
        if omega < 0.0 && omega_next >= 0.0 {
            // A zero of ω_S, which is nearly straight over one step here.
            let share = omega / (omega - omega_next);
            let turn = ((step as f64 + share) * dt, y + share * (y_next - y));
            if turns == SETTLE {
                first = turn;
            } else if turns == SETTLE + cycles {
                let n = cycles as f64;
                return Ok(((turn.0 - first.0) / n, (first.1 - turn.1) / n));
            }
            turns += 1;
        }
    }
    Err(format!("{method}, dt = {dt:e}: only {turns} cycles in {most} steps").into())
}

/// φ_S at the times, on a grid whose first step is a share `shift` of `dt`; the steps that end at the times are
/// shortened.
fn states(method: Integrator, dt: f64, shift: f64) -> Result<[f64; TIMES.len()], Box<dyn Error>> {
    let mut out = [0.0; TIMES.len()];
    for (out, t) in out.iter_mut().zip(TIMES) {
        let mut march = March::woodpecker(method)?;
        march.state = start_on_contact();
        march.step(shift * dt)?;
        // A step below a share of 1e-6 of dt is rounding.
        let steps = ((t / dt - shift) - 1e-6).ceil() as usize;
        march.steps(steps - 1, dt)?;
        march.step(t - (shift + (steps - 1) as f64) * dt)?;
        *out = march.state.q[PHI_S];
    }
    Ok(out)
}

fn reference_states() -> Result<[f64; TIMES.len()], String> {
    let mut out = [0.0; TIMES.len()];
    for (out, t) in out.iter_mut().zip(TIMES) {
        *out = event_driven_state(&start_on_contact(), t)?.q[PHI_S];
    }
    Ok(out)
}

/// The root of the mean square over shifted grids.
fn state_errors(
    method: Integrator,
    dt: f64,
    shifts: usize,
    reference: &[f64; TIMES.len()],
) -> Result<[f64; TIMES.len()], Box<dyn Error>> {
    let mut squares = [0.0; TIMES.len()];
    for i in 0..shifts {
        let found = states(method, dt, (i + 1) as f64 / shifts as f64)?;
        for ((square, x), y) in squares.iter_mut().zip(found).zip(reference) {
            *square += (x - y) * (x - y) / shifts as f64;
        }
    }
    Ok(squares.map(f64::sqrt))
}

fn table(method: Integrator, rows: &[Row], period: f64, tables: &mut Tables) {
    tables.add(&format!("`{method}`:\n"));
    let times = TIMES.map(|t| format!("φ_S at {t} s"));
    let title =
        "| dt, s | cycles | period, s | fall per cycle, mm | error of the period, s | error / dt |";
    tables.add(&format!("{title} {} |", times.join(" | ")));
    tables.add("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for r in rows {
        let error = (r.period - period).abs();
        let states = r.states.map(|e| format!("{e:.1e}")).join(" | ");
        tables.add(&format!(
            "| {:.2e} | {} | {:.7} | {:.4} | {error:.2e} | {:.2} | {states} |",
            r.dt,
            r.cycles,
            r.period,
            1e3 * r.drop,
            error / r.dt,
        ));
    }
    let points = |f: &dyn Fn(&Row) -> f64| order(rows.iter().map(|r| (r.dt, f(r))));
    let states: Vec<String> =
        (0..TIMES.len()).map(|i| format!("**{:.2}**", points(&|r| r.states[i]))).collect();
    let of_period = points(&|r| (r.period - period).abs());
    tables.add(&format!("| order | | | | **{of_period:.2}** | | {} |\n", states.join(" | ")));
}

/// The slope of the line through the logarithms, by least squares.
fn order(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let logs: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let top: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    top / logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

fn plot(rows: &[Vec<Row>], period: f64) -> LogLog {
    let mut plot = LogLog {
        title: "Time stepping on the woodpecker".to_owned(),
        x: "dt, s".to_owned(),
        y: "error (s, rad)".to_owned(),
        ..LogLog::default()
    };
    let mut curve = |name: String, rows: &[Row], f: &dyn Fn(&Row) -> f64| {
        plot.curves.push((name, rows.iter().map(|r| (r.dt, f(r))).collect()));
    };
    for (method, rows) in METHODS.iter().zip(rows) {
        curve(format!("period, s ({})", short(*method)), rows, &|r| (r.period - period).abs());
    }
    for i in [TIMES.len() - 1, 0] {
        for (method, rows) in METHODS.iter().zip(rows) {
            let name = format!("φ_S at {} s ({})", TIMES[i], short(*method));
            curve(name, rows, &|r| r.states[i]);
        }
    }
    // Beside the curves, not on them.
    plot.slopes.push(("order 1".to_owned(), 1.0, (1e-5, 1e-4)));
    plot.slopes.push(("order 2".to_owned(), 2.0, (1e-5, 2e-10)));
    plot
}

fn short(method: Integrator) -> &'static str {
    if method == Integrator::MoreauMidpoint { "midpoint" } else { "Jean" }
}
