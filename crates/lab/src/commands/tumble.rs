//! Free rotation and a falling box, with rigid bodies and with four point masses per body (paper 5).
//!
//! ```text
//! cargo run --release -p stickslip-lab -- tumble
//! cargo run --release -p stickslip-lab -- tumble --sizes 5 --shifts 4
//! cargo run --release -p stickslip-lab -- tumble --write book/src/mechanics/tumble.md
//! ```
//!
//! Free rotation is held against elliptic functions, which a Taylor series of order 24 confirms. The box that falls has
//! impacts, so that its error is the root of the mean square over shifted grids, against the finest run.

use glam::{DQuat, DVec3};
use std::error::Error;
use std::path::PathBuf;
use stickslip::bodies::point_masses::DistanceStep;
use stickslip::bodies::{Pose, SpinUpdate};
use stickslip_lab::Tables;
use stickslip_lab::plot::LogLog;
use stickslip_lab::tumble::{
    Errors, FreeRotor, Landed, Variant, drop_box, fitted_order, nanoseconds_per_step, run_free,
    taylor,
};
use stickslip_lab::write_between_markers;

const HELP: &str = "\
Free rotation and a falling box: rigid updates against four point masses per body.

Usage: lab tumble [options]

  --sizes COUNT       step sizes, each half of the one before      [8]
  --shifts COUNT      shifted grids for the falling box            [8]
  --write FILE        put the tables between the markers <!-- tumble:begin --> and <!-- tumble:end -->,
                      and the plots beside the file

Example: lab tumble --sizes 5 --shifts 4
";

/// Principal moments over the mass of a box with edges 0.4, 0.25, 0.1 m.
const MOMENTS: DVec3 =
    DVec3::new((0.0625 + 0.01) / 12.0, (0.16 + 0.01) / 12.0, (0.16 + 0.0625) / 12.0);
/// Names, angular velocities in body axes, and how long.
const MOTIONS: [(&str, &str, DVec3, f64); 2] = [
    ("flip", "Flip about the middle axis", DVec3::new(0.01, 6.0, 0.01), 4.0),
    ("general", "General tumble", DVec3::new(3.0, 2.0, 4.0), 4.0),
];
const COARSEST: usize = 256;
/// For the table of cost: the angle that a run may be off, rad.
const WANTED: f64 = 1e-3;
/// Both models of the box that falls, and the coarsest step.
const FALLING: [Variant; 2] =
    [Variant::Rigid(SpinUpdate::ImplicitMidpoint), Variant::Masses(DistanceStep::Shake, true)];
const FALLS: [Fall; 3] = [
    Fall { file: "fall", name: "frictionless, for 0.8 s", mu: 0.0, t_end: 0.8 },
    Fall {
        file: "fall_corner",
        name: "μ = 0.3, for 0.2 s: on its first corner",
        mu: 0.3,
        t_end: 0.2,
    },
    Fall { file: "fall_rest", name: "μ = 0.3, for 0.8 s: until it rests", mu: 0.3, t_end: 0.8 },
];
const FALL_DT: f64 = 4e-3;

#[derive(Clone, Copy)]
struct Fall {
    file: &'static str,
    name: &'static str,
    mu: f64,
    t_end: f64,
}

struct Options {
    sizes: usize,
    shifts: usize,
    write: Option<PathBuf>,
}

/// The errors of one model over step sizes; sizes that it refuses are left out.
type Series = Vec<(f64, Errors)>;

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some(options) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut tables = Tables::default();
    let mut pictures = Vec::new();
    for motion in MOTIONS {
        let series = free_rotation(motion, options.sizes, &mut tables)?;
        pictures.push((format!("tumble_{}.svg", motion.0), plot(motion.1, &series)));
    }
    for fall in FALLS {
        let picture = falling(fall, &options, &mut tables)?;
        pictures.push((format!("tumble_{}.svg", fall.file), picture));
    }
    if let Some(path) = &options.write {
        write_between_markers(path, "tumble", tables.text())?;
        for (name, picture) in &pictures {
            std::fs::write(path.with_file_name(name), picture.to_svg())?;
        }
        println!("wrote {} and {} pictures beside it", path.display(), pictures.len());
    }
    Ok(())
}

fn options(mut args: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut o = Options { sizes: 8, shifts: 8, write: None };
    while let Some(arg) = args.next()? {
        match arg {
            Long("sizes") => o.sizes = args.value()?.parse::<usize>()?.clamp(2, 14),
            Long("shifts") => o.shifts = args.value()?.parse::<usize>()?.clamp(1, 1000),
            Long("write") => o.write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(o))
}

fn free_rotation(
    (_, title, velocity, t_end): (&str, &str, DVec3, f64),
    sizes: usize,
    tables: &mut Tables,
) -> Result<Vec<Series>, Box<dyn Error>> {
    let exact = FreeRotor::new(MOMENTS, DQuat::IDENTITY, velocity);
    let (rotation, last) = taylor(MOMENTS, DQuat::IDENTITY, velocity, t_end);
    let between = angle(rotation, exact.rotation(t_end));
    let slower = (last - exact.velocity(t_end)).length();
    tables.add(&format!(
        "### {title}\n\nΩ = ({}, {}, {}) rad/s in body axes, over {t_end} s. The two references differ by \
         {between:.1e} rad and {slower:.1e} rad/s at the end.\n",
        velocity.x, velocity.y, velocity.z
    ));
    let mut all = Vec::new();
    for model in Variant::ALL {
        let mut series = Series::new();
        for k in 0..sizes {
            let steps = COARSEST << k;
            if let Some(errors) = run_free(model, MOMENTS, velocity, t_end, steps)? {
                series.push((t_end / steps as f64, errors));
            }
        }
        all.push(series);
    }
    tables.add(
        "| model | angle at the coarsest step, rad | at the finest | order | energy at the finest | order | \
         momentum at the finest | order |",
    );
    tables.add("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (model, series) in Variant::ALL.into_iter().zip(&all) {
        let (Some(first), Some(last)) = (series.first(), series.last()) else { continue };
        let order = |pick: &dyn Fn(&Errors) -> f64| order_text(series, pick);
        tables.add(&format!(
            "| {} | {:.1e} | {:.1e} | {} | {:.1e} | {} | {:.1e} | {} |",
            model.name(),
            first.1.rotation,
            last.1.rotation,
            order(&|e| e.rotation),
            last.1.energy,
            order(&|e| e.energy),
            last.1.momentum,
            order(&|e| e.momentum),
        ));
    }
    let finest = t_end / (COARSEST << (sizes - 1)) as f64;
    tables.add(&format!("\nSteps from {:.1e} s to {finest:.1e} s.\n", t_end / COARSEST as f64));
    cost(velocity, &all, tables)?;
    Ok(all)
}

/// The order of the finer half, or a word if the error is rounding all along.
fn order_text(series: &Series, pick: &dyn Fn(&Errors) -> f64) -> String {
    let finer = &series[series.len() / 2..];
    if finer.iter().all(|(_, e)| pick(e) < 1e-10) {
        return "rounding".to_owned();
    }
    // Below this, rounding bends the line.
    let clean = finer.iter().filter(|(_, e)| pick(e) > 1e-11);
    format!("**{:.2}**", fitted_order(clean.map(|(dt, e)| (*dt, pick(e)))))
}

fn cost(velocity: DVec3, all: &[Series], tables: &mut Tables) -> Result<(), Box<dyn Error>> {
    tables.add(&format!(
        "| model | ns per step | angle × that of `rigid, semi_implicit` at the same step | step for an angle of {WANTED:e}, s | \
         µs of computing per second of motion at that step |"
    ));
    tables.add("|---|---:|---:|---:|---:|");
    let base = &all[0];
    for (model, series) in Variant::ALL.into_iter().zip(all) {
        let time = nanoseconds_per_step(model, MOMENTS, velocity, 2e-3)?;
        let (Some((dt, error)), Some((_, other))) = (series.last(), base.last()) else { continue };
        let step = step_for(series, WANTED).unwrap_or_else(|| {
            // Beyond the finest: along the fitted line.
            let order = fitted_order(series.iter().rev().take(3).map(|(dt, e)| (*dt, e.rotation)));
            dt * (WANTED / error.rotation).powf(1.0 / order)
        });
        tables.add(&format!(
            "| {} | {time:.0} | {:.2e} | {step:.1e} | {:.0} |",
            model.name(),
            error.rotation / other.rotation,
            1e-3 * time / step,
        ));
    }
    tables.add("");
    Ok(())
}

/// The largest step from which on the angle stays within a bound, between two sizes by their logarithms.
fn step_for(series: &Series, bound: f64) -> Option<f64> {
    let first = series.iter().position(|(_, e)| e.rotation <= bound)?;
    let (dt, e) = series[first];
    let Some((before, larger)) = first.checked_sub(1).map(|i| series[i]) else { return Some(dt) };
    let share = (bound / e.rotation).ln() / (larger.rotation / e.rotation).ln();
    Some(dt * (before / dt).powf(share))
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    let off = a.conjugate() * b;
    2.0 * DVec3::new(off.x, off.y, off.z).length().atan2(off.w.abs())
}

fn plot(title: &str, all: &[Series]) -> LogLog {
    // Two curves that lie on each other are drawn as one.
    let (same, with) = (Variant::Masses(DistanceStep::Shake, true), SpinUpdate::Variational);
    let name = |model: Variant| match model {
        Variant::Rigid(update) if update == with => format!("{}; {}", model.name(), same.name()),
        _ => model.name(),
    };
    let drawn = Variant::ALL.into_iter().zip(all).filter(|(model, _)| *model != same);
    let curves: Vec<(String, Vec<(f64, f64)>)> = drawn
        .map(|(model, s)| (name(model), s.iter().map(|(dt, e)| (*dt, e.rotation)).collect()))
        .collect();
    let middle = all[0].get(all[0].len() / 2).map_or(1e-3, |x| x.0);
    LogLog {
        title: format!("{title}: angle to the exact rotation"),
        x: "dt, s".to_owned(),
        y: "largest angle, rad".to_owned(),
        curves,
        slopes: vec![
            ("order 1".to_owned(), 1.0, (middle, 0.3)),
            ("order 2".to_owned(), 2.0, (middle, 1e-6)),
        ],
        ..LogLog::default()
    }
}

/// Both models of the falling box against the finest run, and against each other.
fn falling(fall: Fall, options: &Options, tables: &mut Tables) -> Result<LogLog, Box<dyn Error>> {
    let sizes = options.sizes.min(7);
    let finest = FALL_DT / f64::from(1_u32 << (sizes + 2));
    let reference = drop_box(FALLING[0], fall.mu, fall.t_end, finest, 1.0)?;
    tables.add(&format!("### A box falls on a plane, {}\n", fall.name));
    tables.add(
        "| dt, s | rigid: place, m | rotation, rad | spin, rad/s | masses: place, m | rotation, rad | spin, rad/s | \
         masses − rigid: place, m | rotation, rad |",
    );
    tables.add("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut columns: [Vec<(f64, f64)>; COLUMNS.len()] = Default::default();
    let mut worst = [0.0_f64; 3];
    for k in 0..sizes {
        let dt = FALL_DT / f64::from(1_u32 << k);
        let means = over_shifts(fall, dt, options.shifts, &reference, &mut worst)?;
        for (column, mean) in columns.iter_mut().zip(means) {
            column.push((dt, mean));
        }
        let cells = means.map(|x| format!("{x:.1e}")).join(" | ");
        tables.add(&format!("| {dt:.2e} | {cells} |"));
    }
    let orders = columns.each_ref().map(|c| {
        if c.iter().all(|x| x.1 < 1e-9) {
            return "rounding".to_owned();
        }
        format!("**{:.2}**", fitted_order(c.iter().copied()))
    });
    tables.add(&format!("| order | {} |\n", orders.join(" | ")));
    tables.add(&format!(
        "Finest run, dt = {finest:.1e} s: ω_z = {:.6} rad/s at the end; L_z/J_zz of the beginning is {:.6} rad/s. \
         Worst certificate of any step: {:.1e}.\n",
        reference.twist.angular.z, reference.expected_spin, worst[0],
    ));
    if fall.mu == 0.0 {
        tables.add(&format!(
            "Largest difference of ω_z to L_z/J_zz at the finest of these steps, as a share: {:.1e} rigid, {:.1e} masses.\n",
            worst[1], worst[2],
        ));
    }
    let curves = COLUMNS.iter().zip(columns).filter(|(name, _)| !name.is_empty());
    Ok(LogLog {
        title: format!("A box falls on a plane, {}", fall.name),
        x: "dt, s".to_owned(),
        y: "root of the mean square difference".to_owned(),
        curves: curves.map(|(name, c)| ((*name).to_owned(), c)).collect(),
        slopes: vec![("order 1".to_owned(), 1.0, (1e-3, 3e-2))],
        ..LogLog::default()
    })
}

/// What is drawn of the columns of the table.
const COLUMNS: [&str; 8] = [
    "rigid: place, m",
    "rigid: rotation, rad",
    "",
    "masses: place, m",
    "masses: rotation, rad",
    "",
    "masses − rigid: place, m",
    "masses − rigid: rotation, rad",
];

/// Roots of the mean squares over shifted grids, and the worst of: certificates, spin of either model at the last size.
fn over_shifts(
    fall: Fall,
    dt: f64,
    shifts: usize,
    reference: &Landed,
    worst: &mut [f64; 3],
) -> Result<[f64; COLUMNS.len()], String> {
    let mut squares = [0.0; COLUMNS.len()];
    (worst[1], worst[2]) = (0.0, 0.0);
    for shift in 0..shifts {
        let share = (shift + 1) as f64 / shifts as f64;
        let [a, b] = FALLING.map(|model| drop_box(model, fall.mu, fall.t_end, dt, share));
        let (a, b) = (a?, b?);
        let parts = [off(&a, reference), off(&b, reference), off(&a, &b)].concat();
        for (square, x) in squares.iter_mut().zip(parts) {
            *square += x * x / shifts as f64;
        }
        for (i, x) in [a, b].into_iter().enumerate() {
            worst[0] = worst[0].max(x.worst);
            let lost = (x.twist.angular.z / x.expected_spin - 1.0).abs();
            worst[i + 1] = worst[i + 1].max(lost);
        }
    }
    Ok(squares.map(f64::sqrt))
}

/// Differences of place, rotation and spin; the first two alone where models are compared.
fn off(a: &Landed, b: &Landed) -> Vec<f64> {
    let place = |p: &Pose| p.position;
    vec![
        (place(&a.pose) - place(&b.pose)).length(),
        angle(a.pose.rotation, b.pose.rotation),
        (a.twist.angular.z - b.twist.angular.z).abs(),
    ]
}
