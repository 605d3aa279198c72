//! A disc that slides and spins until it stops, on ellipsoids and on the mixed set.

use super::Page;
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;
use stickslip_lab::limit_surfaces::{Disc, Ellipsoidal, Outcome, mixed_stops, slope};
use stickslip_lab::plot::{Lines, LogLog};

const MU: f64 = 0.3;
const START: (f64, f64) = (1.0, 2.0);
/// The accuracy of the integration at the level of accelerations.
const H: f64 = 0.01;
/// Steps per time in which a particle stops.
const STEPS: [i32; 5] = [64, 256, 1024, 4096, 16384];
/// J in kg m² and e_r in m, for a mass of 1 kg.
const CASES: [(f64, f64); 6] =
    [(0.5, 1.0), (0.2, 0.5), (0.25, 0.5), (0.5, 2.0 / 3.0), (0.5, 0.5), (0.32, 0.4)];

pub(crate) fn ellipsoids(page: &mut Page) -> Outcome<()> {
    page.tables.add("### A disc that slides and spins: ellipsoids\n");
    page.tables.add(
        "| J, kg m² | e_r, m | p | p, accelerations | p, steps | both end, s | error, accelerations | error, steps | order of the steps | last step that moves: v, ω |",
    );
    page.tables.add("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut path = LogLog {
        title: "Sliding is a power of spinning".to_owned(),
        x: "ω / ω at the start".to_owned(),
        y: "v / v at the start".to_owned(),
        ..LogLog::default()
    };
    let mut order = LogLog {
        title: "When both end: steps against the closed form".to_owned(),
        x: "dt, s".to_owned(),
        y: "error of the time, s".to_owned(),
        ..LogLog::default()
    };
    for (inertia, spin) in CASES {
        let exact = Ellipsoidal { mass: 1.0, inertia, mu: MU, slide: 1.0, spin };
        let (p, stop) = (exact.exponent(), exact.stop(START.0, START.1));
        let disc = disc(inertia, ConvexSet::Ellipsoid(vec![1.0, 1.0, spin]), START.1);
        let motion = disc.slide(&mut page.rig, H)?;
        let (mut points, mut last) = (Vec::new(), None);
        for n in STEPS {
            let dt = disc.scale() / f64::from(n);
            let steps = disc.step(&mut page.rig, dt)?;
            points.push((dt, (steps.stops[0] - stop).abs()));
            last = Some(steps);
        }
        let Some(steps) = last else { continue };
        let before = &steps.samples[steps.samples.len() - 2];
        page.tables.add(&format!(
            "| {inertia} | {spin:.3} | {p:.6} | {:.6} | {:.6} | {stop:.6} | {:.0e} | {:.0e} | {} | {:.0e}, {:.0e} |",
            motion.exponent(0.0),
            steps.exponent(0.1),
            (motion.stops[0] - stop).abs(),
            (steps.stops[0] - stop).abs(),
            order_of(&points),
            before.v,
            before.omega,
        ));
        let name = format!("p = {p:.3} (J = {inertia})");
        let seen = motion.samples.iter().filter(|s| s.omega > 1e-4 * START.1 && s.v > 1e-6);
        let seen: Vec<_> = seen.map(|s| (s.omega / START.1, s.v / START.0)).collect();
        path.curves.push((name.clone(), thin(&seen, 24)));
        if !exact_in_steps(&points) {
            order.curves.push((name, points));
        }
    }
    page.tables.add("");
    order.slopes.push(("order 1".to_owned(), 1.0, (1e-4, 2e-5)));
    page.plots.push(("powers", path.to_svg()));
    page.plots.push(("order", order.to_svg()));
    Ok(())
}

/// Whether the errors are rounding: with p = 1 friction keeps its direction, and steps make no error.
fn exact_in_steps(points: &[(f64, f64)]) -> bool {
    points.iter().all(|p| p.1 < 1e-11)
}

fn order_of(points: &[(f64, f64)]) -> String {
    if exact_in_steps(points) {
        return "exact".to_owned();
    }
    format!("{:.2}", slope(points.iter().copied()))
}

pub(crate) fn mixed(page: &mut Page) -> Outcome<()> {
    let (inertia, spin) = (0.5, 0.5);
    let exact = Ellipsoidal { mass: 1.0, inertia, mu: MU, slide: 1.0, spin };
    page.tables.add("### The mixed set\n");
    page.tables.add(
        "| ω at the start, rad/s | sliding ends, s | spinning ends, s | errors, accelerations | errors, steps | the ellipsoid ends both, s |",
    );
    page.tables.add("|---:|---:|---:|---:|---:|---:|");
    let set = || ConvexSet::Mixed { ellipse: [1.0; 2], spin };
    for omega in [0.5, 1.0, 2.0, 4.0] {
        let times = mixed_stops(&exact, START.0, omega);
        let disc = disc(inertia, set(), omega);
        let events = disc.slide_by_events(&mut page.rig)?;
        let steps = disc.step(&mut page.rig, 1e-3)?;
        let errors = |found: [f64; 2]| {
            let off: [f64; 2] = std::array::from_fn(|i| (found[i] - times[i]).abs());
            format!("{:.0e}, {:.0e}", off[0], off[1])
        };
        page.tables.add(&format!(
            "| {omega} | {:.6} | {:.6} | {} | {} | {:.6} |",
            times[0],
            times[1],
            errors(events.stops),
            errors(steps.stops),
            exact.stop(START.0, omega),
        ));
    }
    page.tables.add("");
    let mut plot = Lines {
        title: "Sliding and spinning to rest".to_owned(),
        x: "t, s".to_owned(),
        y: "v, m/s, and e_r ω, m/s".to_owned(),
        ..Lines::default()
    };
    let ellipsoid = ConvexSet::Ellipsoid(vec![1.0, 1.0, spin]);
    for (name, set) in [("mixed", set()), ("ellipsoid", ellipsoid)] {
        let steps = disc(inertia, set, START.1).step(&mut page.rig, 2e-3)?;
        let curve = |f: &dyn Fn(f64, f64) -> f64| {
            steps.samples.iter().map(|s| (s.t, f(s.v, s.omega))).collect()
        };
        plot.curves.push((format!("v, {name}"), curve(&|v, _| v)));
        plot.curves.push((format!("e_r ω, {name}"), curve(&|_, omega| spin * omega)));
    }
    page.plots.push(("mixed", plot.to_svg()));
    Ok(())
}

pub(crate) fn disc(inertia: f64, set: ConvexSet, omega: f64) -> Disc {
    Disc { mass: 1.0, inertia, law: Law::with_set(MU, set), v: START.0, omega }
}

/// About this many of the points, the first and the last among them.
pub(crate) fn thin(points: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let last = points.len().saturating_sub(1);
    let every = last.div_ceil(count).max(1);
    points
        .iter()
        .enumerate()
        .filter(|(i, _)| i % every == 0 || *i == last)
        .map(|(_, p)| *p)
        .collect()
}
