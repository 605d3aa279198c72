//! A box on one patch of contact, pulled and twisted: where it begins to slip, and how it leaves.

use super::Page;
use crate::limit_surfaces::{Patch, Rig, onset, sliding_acceleration};
use crate::plot::Lines;
use crate::{Error, slope};
use serde_json::json;
use std::sync::Arc;
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::UniformDisc;
use stickslip::level::Level;

/// Of the page: e_t, e_o, e_r.
const AXES: [f64; 3] = [1.0, 0.7, 0.2];
const MU: f64 = 0.4;
/// A pull that lifts, so that the load on the patch is not the weight.
const LIFT: f64 = 10.0;
/// Directions of the load between a pull and a twist.
const SWEEP: usize = 10;
/// The length of the step that is held against the level of accelerations.
const DT: f64 = 1e-3;

fn patch(set: ConvexSet) -> Patch {
    Patch { mass: 5.0, inertia: 0.3, middle: [0.08, -0.05], law: Law::with_set(MU, set) }
}

pub(super) fn section(page: &mut Page<'_, '_>) -> Result<(), Error> {
    let axes = page.study.axes.unwrap_or(AXES);
    let patch = patch(ConvexSet::Ellipsoid(axes.to_vec()));
    let limit = MU * patch.normal_force([0.0, 0.0, LIFT]);
    page.report.line("### A box, pulled and twisted\n")?;
    page.report.line(
        "| twist, ° | pull t, N | pull o, N | twist r, N m | error, accelerations | error, steps | acceleration at 1.5 times it: t, o (m/s²), r (rad/s²) | its error |",
    )?;
    page.report.line("|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    for i in 0..SWEEP {
        let angle = 90.0 * i as f64 / (SWEEP - 1) as f64;
        let (sin, cos) = angle.to_radians().sin_cos();
        let load = [cos * axes[0] * 0.8, cos * axes[1] * 0.6, sin * axes[2]];
        let exact = onset(axes, limit, load);
        let mut error = |level| -> Result<f64, Error> {
            let found = page.rig.onset(&patch, load, LIFT, 3.0 * exact, level)?;
            Ok((found / exact - 1.0).abs())
        };
        let errors = [error(Level::Acceleration(0.0))?, error(Level::Step(DT))?];
        let (leaves, off) =
            leave(&mut page.rig, &patch, axes, load.map(|l| 1.5 * exact * l), limit)?;
        let [t, o, r] = load.map(|l| exact * l);
        page.report.row(
            "onset",
            json!({
                "twist_degrees": angle, "load": [t, o, r], "error_accelerations": errors[0],
                "error_steps": errors[1], "acceleration": leaves, "acceleration_error": off,
            }),
        );
        page.report.line(&format!(
            "| {angle:.0} | {t:.4} | {o:.4} | {r:.4} | {:.0e} | {:.0e} | {:.4}, {:.4}, {:.4} | {off:.0e} |",
            errors[0], errors[1], leaves[0], leaves[1], leaves[2]
        ))?;
    }
    page.report.line("")?;
    steps_against_accelerations(page, &patch)?;
    surfaces(page)
}

/// The acceleration with which the box leaves rest, and how far it is from the closed form.
fn leave(
    rig: &mut Rig,
    patch: &Patch,
    axes: [f64; 3],
    load: [f64; 3],
    limit: f64,
) -> Result<([f64; 3], f64), Error> {
    let body = patch.snapshot([load[0], load[1], LIFT], load[2], [0.0; 4])?;
    let (problem, answer) = rig.solve(&body, &patch.law, Level::Acceleration(0.0))?;
    let w = problem.delassus().to_dense();
    let w = std::array::from_fn(|i| std::array::from_fn(|j| w.row(1 + i)[1 + j]));
    let b = std::array::from_fn(|i| problem.bias()[1 + i]);
    let exact = sliding_acceleration(w, b, axes, limit);
    let found: [f64; 3] = std::array::from_fn(|i| answer.velocity[1 + i]);
    let size = exact.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
    let off = found.iter().zip(exact).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    Ok((found, off / size))
}

/// A box that slides and spins: the friction of shrinking steps, over their length, against that of accelerations.
fn steps_against_accelerations(page: &mut Page<'_, '_>, patch: &Patch) -> Result<(), Error> {
    let body = patch.snapshot([4.0, -3.0, LIFT], 0.5, [0.0, 0.3, -0.1, 1.5])?;
    let (_, exact) = page.rig.solve(&body, &patch.law, Level::Acceleration(0.0))?;
    page.report.line("A box that slides and spins, friction of a step over its length:\n")?;
    page.report.line("| dt, s | against the level of accelerations, as a share of the limit |")?;
    page.report.line("|---:|---:|")?;
    let mut points = Vec::new();
    for dt in [1e-2, 1e-3, 1e-4, 1e-5] {
        let (_, step) = page.rig.solve(&body, &patch.law, Level::Step(dt))?;
        let off: Vec<f64> = (1..4)
            .map(|i| (step.impulse[i] / dt - exact.impulse[i]) / (MU * exact.impulse[0]))
            .collect();
        let off = patch.law.kind.set().map_or(0.0, |f| f.gauge(&off));
        page.report.row("step_friction", json!({"dt": dt, "off": off}));
        page.report.line(&format!("| {dt:.0e} | {off:.1e} |"))?;
        points.push((dt, off));
    }
    page.report.line(&format!("| order | **{:.2}** |\n", slope(points.into_iter())))?;
    Ok(())
}

/// Where the box begins to slip, on three limit surfaces with the same ends.
fn surfaces(page: &mut Page<'_, '_>) -> Result<(), Error> {
    let (e_r, radius) = (0.2, 0.3);
    let uniform = ConvexSet::Custom(Arc::new(UniformDisc::new(radius)?));
    let mut plot = Lines {
        title: "Where a box begins to slip".to_owned(),
        x: "pull / (μ N)".to_owned(),
        y: "twist / (μ N), m".to_owned(),
        ..Lines::default()
    };
    for (name, set) in [
        ("ellipsoid", ConvexSet::Ellipsoid(vec![1.0, 1.0, e_r])),
        ("uniform pressure", uniform),
        ("mixed", ConvexSet::Mixed { ellipse: [1.0; 2], spin: e_r }),
    ] {
        let at = |angle: f64| {
            let (sin, cos) = angle.to_radians().sin_cos();
            [cos, 0.0, e_r * sin]
        };
        let mut curve = Vec::new();
        for k in 0..=90 {
            let load = at(f64::from(k));
            let reach = 1.0 / set.gauge(&load);
            curve.push((reach * load[0], reach * load[2]));
        }
        let patch = patch(set);
        let limit = MU * patch.normal_force([0.0; 3]);
        let mut marks = Vec::new();
        for k in 0..=9 {
            let load = at(f64::from(10 * k));
            let level = Level::Acceleration(0.0);
            let found = page.rig.onset(&patch, load, 0.0, 3.0 * limit, level)? / limit;
            marks.push((found * load[0], found * load[2]));
        }
        plot.curves.push((name.to_owned(), curve));
        plot.marks.push((name.to_owned(), marks));
    }
    page.report.picture("limit_onset.svg", plot.to_svg());
    Ok(())
}
