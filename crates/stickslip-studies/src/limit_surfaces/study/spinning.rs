//! A disc that slides and spins until it stops, on ellipsoids and on the mixed set.

use super::{LimitSurfaceStudy, Page};
use crate::limit_surfaces::{Disc, Ellipsoidal, mixed_stops};
use crate::plot::{Lines, LogLog};
use crate::{Error, slope};
use serde_json::json;
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;

/// The accuracy of the integration at the level of accelerations.
const H: f64 = 0.01;

pub(super) fn ellipsoids(page: &mut Page<'_, '_>) -> Result<(), Error> {
    page.report.line("### A disc that slides and spins: ellipsoids\n")?;
    page.report.line(
        "| J, kg m² | e_r, m | p | p, accelerations | p, steps | both end, s | error, accelerations | error, steps | order of the steps | last step that moves: v, ω |",
    )?;
    page.report.line("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
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
    let [v, omega] = page.study.start;
    for &[inertia, spin] in &page.study.discs {
        let exact = Ellipsoidal { mass: 1.0, inertia, mu: page.study.mu, slide: 1.0, spin };
        let (p, stop) = (exact.exponent(), exact.stop(v, omega));
        let disc = page.study.disc(inertia, ConvexSet::Ellipsoid(vec![1.0, 1.0, spin]), omega);
        let motion = disc.slide(&mut page.rig, H)?;
        let (mut points, mut last) = (Vec::new(), None);
        for &n in &page.study.steps {
            let dt = disc.scale() / n as f64;
            let steps = disc.step(&mut page.rig, dt)?;
            points.push((dt, (steps.stops[0] - stop).abs()));
            last = Some(steps);
        }
        let Some(steps) = last else { continue };
        let before = &steps.samples[steps.samples.len() - 2];
        page.report.row(
            "ellipsoids",
            json!({
                "inertia": inertia, "spin": spin, "power": p,
                "power_accelerations": motion.exponent(0.0), "power_steps": steps.exponent(0.1),
                "stop": stop, "stop_accelerations": motion.stops[0], "stop_steps": steps.stops[0],
                "order": (!exact_in_steps(&points)).then(|| slope(points.iter().copied())),
            }),
        );
        page.report.line(&format!(
            "| {inertia} | {spin:.3} | {p:.6} | {:.6} | {:.6} | {stop:.6} | {:.0e} | {:.0e} | {} | {:.0e}, {:.0e} |",
            motion.exponent(0.0),
            steps.exponent(0.1),
            (motion.stops[0] - stop).abs(),
            (steps.stops[0] - stop).abs(),
            order_of(&points),
            before.v,
            before.omega,
        ))?;
        let name = format!("p = {p:.3} (J = {inertia})");
        let seen = motion.samples.iter().filter(|s| s.omega > 1e-4 * omega && s.v > 1e-6 * v);
        let seen: Vec<_> = seen.map(|s| (s.omega / omega, s.v / v)).collect();
        path.curves.push((name.clone(), thin(&seen, 24)));
        if !exact_in_steps(&points) {
            order.curves.push((name, points));
        }
    }
    page.report.line("")?;
    order.slopes.push(("order 1".to_owned(), 1.0, (1e-4, 2e-5)));
    page.report.picture("limit_powers.svg", path.to_svg());
    page.report.picture("limit_order.svg", order.to_svg());
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

pub(super) fn mixed(page: &mut Page<'_, '_>) -> Result<(), Error> {
    let (inertia, spin) = (0.5, 0.5);
    let exact = Ellipsoidal { mass: 1.0, inertia, mu: page.study.mu, slide: 1.0, spin };
    let [v, first] = page.study.start;
    page.report.line("### The mixed set\n")?;
    page.report.line(
        "| ω at the start, rad/s | sliding ends, s | spinning ends, s | errors, accelerations | errors, steps | the ellipsoid ends both, s |",
    )?;
    page.report.line("|---:|---:|---:|---:|---:|---:|")?;
    let set = || ConvexSet::Mixed { ellipse: [1.0; 2], spin };
    for omega in [0.5, 1.0, 2.0, 4.0] {
        let times = mixed_stops(&exact, v, omega);
        let disc = page.study.disc(inertia, set(), omega);
        let events = disc.slide_by_events(&mut page.rig)?;
        let steps = disc.step(&mut page.rig, 1e-3)?;
        page.report.row(
            "mixed",
            json!({
                "omega": omega, "stops": times, "stops_accelerations": events.stops,
                "stops_steps": steps.stops, "ellipsoid_stop": exact.stop(v, omega),
            }),
        );
        let errors = |found: [f64; 2]| {
            let off: [f64; 2] = std::array::from_fn(|i| (found[i] - times[i]).abs());
            format!("{:.0e}, {:.0e}", off[0], off[1])
        };
        page.report.line(&format!(
            "| {omega} | {:.6} | {:.6} | {} | {} | {:.6} |",
            times[0],
            times[1],
            errors(events.stops),
            errors(steps.stops),
            exact.stop(v, omega),
        ))?;
    }
    page.report.line("")?;
    let mut plot = Lines {
        title: "Sliding and spinning to rest".to_owned(),
        x: "t, s".to_owned(),
        y: "v, m/s, and e_r ω, m/s".to_owned(),
        ..Lines::default()
    };
    let ellipsoid = ConvexSet::Ellipsoid(vec![1.0, 1.0, spin]);
    for (name, set) in [("mixed", set()), ("ellipsoid", ellipsoid)] {
        let steps = page.study.disc(inertia, set, first).step(&mut page.rig, 2e-3)?;
        let curve = |f: &dyn Fn(f64, f64) -> f64| {
            steps.samples.iter().map(|s| (s.t, f(s.v, s.omega))).collect()
        };
        plot.curves.push((format!("v, {name}"), curve(&|v, _| v)));
        plot.curves.push((format!("e_r ω, {name}"), curve(&|_, omega| spin * omega)));
    }
    page.report.picture("limit_mixed.svg", plot.to_svg());
    Ok(())
}

impl LimitSurfaceStudy {
    /// A disc of 1 kg that starts with the v of the study.
    pub(super) fn disc(&self, inertia: f64, set: ConvexSet, omega: f64) -> Disc {
        let law = Law::with_set(self.mu, set);
        Disc { mass: 1.0, inertia, law, v: self.start[0], omega }
    }
}

/// About this many of the points, the first and the last among them.
pub(super) fn thin(points: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let last = points.len().saturating_sub(1);
    let every = last.div_ceil(count).max(1);
    points
        .iter()
        .enumerate()
        .filter(|(i, _)| i % every == 0 || *i == last)
        .map(|(_, p)| *p)
        .collect()
}
