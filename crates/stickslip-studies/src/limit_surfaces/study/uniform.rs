//! The exact limit surface of uniform pressure, beside the ellipsoid with the same ends.

use super::Page;
use super::spinning::thin;
use crate::Error;
use crate::limit_surfaces::{Motion, final_ratio};
use crate::plot::LogLog;
use serde_json::json;
use std::sync::Arc;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::UniformDisc;

/// v/(Rω) at the start.
const RATIOS: [f64; 5] = [0.05, 0.3, 1.0, 3.0, 20.0];
/// Shares of ω at the start at which the ratio is looked at.
const SHARES: [f64; 4] = [1e-1, 1e-2, 1e-4, 1e-12];
const H: f64 = 0.02;

fn uniform() -> Result<ConvexSet, Error> {
    Ok(ConvexSet::Custom(Arc::new(UniformDisc::new(1.0)?)))
}

/// The ellipsoid that agrees with it in pure sliding and in pure spinning.
fn ellipsoid() -> ConvexSet {
    ConvexSet::Ellipsoid(vec![1.0, 1.0, 2.0 / 3.0])
}

pub(super) fn section(page: &mut Page<'_, '_>) -> Result<(), Error> {
    let exact = final_ratio(0.5);
    page.report.line("### Uniform pressure: a universal ratio\n")?;
    page.report.fact("final_ratio", exact);
    page.report
        .line(&format!("Final v/(Rω) of a homogeneous disc, by quadrature: {exact:.8}.\n"))?;
    let columns = SHARES.map(|s| format!("at ω/ω₀ = {s:.0e}")).join(" | ");
    page.report
        .line(&format!("| v/(Rω) at the start | {columns} | off at the last | {columns} |"))?;
    page.report.line("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    page.report.line("| | **uniform pressure** | | | | | **ellipsoid** | | | |")?;
    let mut plot = LogLog {
        title: "v/(Rω) on the way to rest: uniform pressure ends at 0.6530".to_owned(),
        x: "ω / ω at the start (the end is on the left)".to_owned(),
        y: "v / (R ω)".to_owned(),
        ..LogLog::default()
    };
    let v = page.study.start[0];
    for ratio in RATIOS {
        let mut motion = |set| page.study.disc(0.5, set, v / ratio).slide(&mut page.rig, H);
        let (round, fitted) = (motion(uniform()?)?, motion(ellipsoid())?);
        let text = |m: &Motion| {
            SHARES.map(|s| m.ratio_at(s).map_or("–".to_owned(), |r| format!("{r:.5}"))).join(" | ")
        };
        let off = round.ratio_at(SHARES[3]).map_or(f64::NAN, |r| (r - exact).abs());
        page.report.row(
            "uniform",
            json!({
                "start": ratio, "shares": SHARES, "uniform": SHARES.map(|s| round.ratio_at(s)),
                "ellipsoid": SHARES.map(|s| fitted.ratio_at(s)),
            }),
        );
        page.report.line(&format!(
            "| {ratio} | {} | {off:.0e} | {} |",
            text(&round),
            text(&fitted)
        ))?;
        for (name, motion) in [("uniform", round), ("ellipsoid", fitted)] {
            // Three starts tell the story; all six colours are then told apart.
            if [0.05, 1.0, 20.0].contains(&ratio) {
                let seen = motion.samples.iter().filter(|s| s.omega * ratio / v > 1e-6);
                let seen: Vec<_> = seen.map(|s| (s.omega * ratio / v, s.v / s.omega)).collect();
                plot.curves.push((format!("{name}, from {ratio}"), thin(&seen, 24)));
            }
        }
    }
    page.report.line("")?;
    page.report.picture("limit_ratio.svg", plot.to_svg());
    by_steps(page, exact)?;
    other_inertias(page)
}

/// The same by time stepping.
fn by_steps(page: &mut Page<'_, '_>, exact: f64) -> Result<(), Error> {
    page.report.line("By steps, v/(Rω) in the last step that moves:\n")?;
    page.report
        .line("| v/(Rω) at the start | dt = 1e-3 s | dt = 1e-4 s | dt = 1e-5 s | its error |")?;
    page.report.line("|---:|---:|---:|---:|---:|")?;
    for ratio in [0.3, 1.0, 3.0] {
        let mut row = Vec::new();
        for dt in [1e-3, 1e-4, 1e-5] {
            let steps = page
                .study
                .disc(0.5, uniform()?, page.study.start[0] / ratio)
                .step(&mut page.rig, dt)?;
            let last = &steps.samples[steps.samples.len() - 2];
            row.push(last.v / last.omega);
        }
        page.report.row(
            "uniform_steps",
            json!({"start": ratio, "dts": [1e-3, 1e-4, 1e-5], "ratios": row}),
        );
        let off = row.last().map_or(f64::NAN, |r| (r - exact).abs());
        let row = row.iter().map(|r| format!("{r:.5}")).collect::<Vec<_>>().join(" | ");
        page.report.line(&format!("| {ratio} | {row} | {off:.0e} |"))?;
    }
    page.report.line("")?;
    Ok(())
}

/// The ratio belongs to the distribution of mass as well: universal over starts, not over discs.
fn other_inertias(page: &mut Page<'_, '_>) -> Result<(), Error> {
    page.report.line("| J / (m R²) | final v/(Rω), by quadrature | by accelerations |")?;
    page.report.line("|---:|---:|---:|")?;
    for share in [0.4, 0.45, 0.5, 0.55] {
        let motion =
            page.study.disc(share, uniform()?, page.study.start[0]).slide(&mut page.rig, H)?;
        let found = motion.ratio_at(1e-15).unwrap_or(f64::NAN);
        let row = json!({"inertia": share, "quadrature": final_ratio(share), "found": found});
        page.report.row("uniform_inertias", row);
        page.report.line(&format!("| {share} | {:.6} | {found:.6} |", final_ratio(share)))?;
    }
    page.report.line("")?;
    Ok(())
}
