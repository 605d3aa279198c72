//! The exact limit surface of uniform pressure, beside the ellipsoid with the same ends.

use super::Page;
use super::spinning::{disc, thin};
use std::sync::Arc;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::UniformDisc;
use stickslip_lab::limit_surfaces::{Motion, Outcome, final_ratio};
use stickslip_lab::plot::LogLog;

/// v/(Rω) at the start.
const RATIOS: [f64; 5] = [0.05, 0.3, 1.0, 3.0, 20.0];
/// Shares of ω at the start at which the ratio is looked at.
const SHARES: [f64; 4] = [1e-1, 1e-2, 1e-4, 1e-12];
const H: f64 = 0.02;

fn uniform() -> Outcome<ConvexSet> {
    Ok(ConvexSet::Custom(Arc::new(UniformDisc::new(1.0)?)))
}

/// The ellipsoid that agrees with it in pure sliding and in pure spinning.
fn ellipsoid() -> ConvexSet {
    ConvexSet::Ellipsoid(vec![1.0, 1.0, 2.0 / 3.0])
}

pub(crate) fn section(page: &mut Page) -> Outcome<()> {
    let exact = final_ratio(0.5);
    page.tables.add("### Uniform pressure: a universal ratio\n");
    page.tables.add(&format!("Final v/(Rω) of a homogeneous disc, by quadrature: {exact:.8}.\n"));
    let columns = SHARES.map(|s| format!("at ω/ω₀ = {s:.0e}")).join(" | ");
    page.tables.add(&format!("| v/(Rω) at the start | {columns} | off at the last | {columns} |"));
    page.tables.add("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    page.tables.add("| | **uniform pressure** | | | | | **ellipsoid** | | | |");
    let mut plot = LogLog {
        title: "v/(Rω) on the way to rest: uniform pressure ends at 0.6530".to_owned(),
        x: "ω / ω at the start (the end is on the left)".to_owned(),
        y: "v / (R ω)".to_owned(),
        ..LogLog::default()
    };
    for ratio in RATIOS {
        let mut motion = |set| disc(0.5, set, 1.0 / ratio).slide(&mut page.rig, H);
        let (round, fitted) = (motion(uniform()?)?, motion(ellipsoid())?);
        let text = |m: &Motion| {
            SHARES.map(|s| m.ratio_at(s).map_or("–".to_owned(), |r| format!("{r:.5}"))).join(" | ")
        };
        let off = round.ratio_at(SHARES[3]).map_or(f64::NAN, |r| (r - exact).abs());
        page.tables.add(&format!("| {ratio} | {} | {off:.0e} | {} |", text(&round), text(&fitted)));
        for (name, motion) in [("uniform", round), ("ellipsoid", fitted)] {
            // Three starts tell the story; all six colours are then told apart.
            if [0.05, 1.0, 20.0].contains(&ratio) {
                let seen = motion.samples.iter().filter(|s| s.omega * ratio > 1e-6);
                let seen: Vec<_> = seen.map(|s| (s.omega * ratio, s.v / s.omega)).collect();
                plot.curves.push((format!("{name}, from {ratio}"), thin(&seen, 24)));
            }
        }
    }
    page.tables.add("");
    page.plots.push(("ratio", plot.to_svg()));
    by_steps(page, exact)?;
    other_inertias(page)
}

/// The same by time stepping.
fn by_steps(page: &mut Page, exact: f64) -> Outcome<()> {
    page.tables.add("By steps, v/(Rω) in the last step that moves:\n");
    page.tables
        .add("| v/(Rω) at the start | dt = 1e-3 s | dt = 1e-4 s | dt = 1e-5 s | its error |");
    page.tables.add("|---:|---:|---:|---:|---:|");
    for ratio in [0.3, 1.0, 3.0] {
        let mut row = Vec::new();
        for dt in [1e-3, 1e-4, 1e-5] {
            let steps = disc(0.5, uniform()?, 1.0 / ratio).step(&mut page.rig, dt)?;
            let last = &steps.samples[steps.samples.len() - 2];
            row.push(last.v / last.omega);
        }
        let off = row.last().map_or(f64::NAN, |r| (r - exact).abs());
        let row = row.iter().map(|r| format!("{r:.5}")).collect::<Vec<_>>().join(" | ");
        page.tables.add(&format!("| {ratio} | {row} | {off:.0e} |"));
    }
    page.tables.add("");
    Ok(())
}

/// The ratio belongs to the distribution of mass as well: universal over starts, not over discs.
fn other_inertias(page: &mut Page) -> Outcome<()> {
    page.tables.add("| J / (m R²) | final v/(Rω), by quadrature | by accelerations |");
    page.tables.add("|---:|---:|---:|");
    for share in [0.4, 0.45, 0.5, 0.55] {
        let motion = disc(share, uniform()?, 1.0).slide(&mut page.rig, H)?;
        let found = motion.ratio_at(1e-15).unwrap_or(f64::NAN);
        page.tables.add(&format!("| {share} | {:.6} | {found:.6} |", final_ratio(share)));
    }
    page.tables.add("");
    Ok(())
}
