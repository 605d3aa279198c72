//! Polyhedral sets approach the ellipsoid as their facets grow.

use super::Page;
use crate::limit_surfaces::{Facets, Side, facets};
use crate::plot::LogLog;
use crate::{Error, slope};
use serde_json::json;

/// Of the page: e_t, e_o, e_r.
const AXES: [f64; 3] = [1.0, 1.0, 0.4];
const DIRECTIONS: usize = 200;

pub(super) fn section(page: &mut Page<'_, '_>) -> Result<(), Error> {
    let axes = page.study.axes.unwrap_or(AXES);
    page.report.line("### Polyhedra\n")?;
    let mut plot = LogLog {
        title: "Polyhedra against the ellipsoid".to_owned(),
        x: "facets".to_owned(),
        y: "error, as a share".to_owned(),
        ..LogLog::default()
    };
    for (side, word) in [(Side::Inside, "inside"), (Side::Outside, "outside")] {
        page.report.line(&format!(
            "Corners or facets on the ellipsoid: {}.\n",
            if side == Side::Inside { "corners (too weak)" } else { "facets (too strong)" }
        ))?;
        page.report.line("| facets | between these multiples of the ellipsoid | power | friction | velocity after a step |")?;
        page.report.line("|---:|---:|---:|---:|---:|")?;
        let mut rows = Vec::new();
        let mut count = 8;
        while count <= page.study.facets {
            let row = facets(&mut page.rig, axes, side, count, DIRECTIONS)?;
            page.report.line(&format!(
                "| {} | {:.4} to {:.4} | {:.1e} | {:.1e} | {:.1e} |",
                row.count,
                row.sandwich.inner,
                row.sandwich.outer,
                row.power,
                row.friction,
                row.step
            ))?;
            page.report.row(
                "polyhedra",
                json!({
                    "side": word, "facets": row.count, "inner": row.sandwich.inner,
                    "outer": row.sandwich.outer, "power": row.power, "friction": row.friction,
                    "step": row.step,
                }),
            );
            rows.push(row);
            count *= 2;
        }
        // The first polyhedra are too rough to have an order.
        let order =
            |f: fn(&Facets) -> f64| slope(rows.iter().skip(2).map(|r| (r.count as f64, f(r))));
        let orders = [order(|r| r.power), order(|r| r.friction), order(|r| r.step)];
        page.report.row(
            "polyhedra_slopes",
            json!({"side": word, "power": orders[0], "friction": orders[1], "step": orders[2]}),
        );
        page.report.line(&format!(
            "| slope, from 32 | | **{:.2}** | **{:.2}** | **{:.2}** |\n",
            orders[0], orders[1], orders[2]
        ))?;
        for (what, f, slope) in [
            ("power", (|r| r.power) as fn(&Facets) -> f64, orders[0]),
            ("friction", |r| r.friction, orders[1]),
            ("step", |r| r.step, orders[2]),
        ] {
            let points = rows.iter().map(|r| (r.count as f64, f(r))).collect();
            let slope = format!("{slope:.2}").replace('-', "−");
            plot.curves.push((format!("{what}, {word} ({slope})"), points));
        }
    }
    // Beside the curves, not on them.
    plot.slopes.push(("slope −1".to_owned(), -1.0, (16.0, 0.05)));
    plot.slopes.push(("slope −1/2".to_owned(), -0.5, (16.0, 0.9)));
    page.report.picture("limit_facets.svg", plot.to_svg());
    Ok(())
}
