//! Do rigid, articulated and point-mass models of the same mechanism agree to the order of the method?
//!
//! ```text
//! cargo run --release -p stickslip-lab -- model_agreement
//! cargo run --release -p stickslip-lab -- model_agreement --only pendulum --halvings 3
//! cargo run --release -p stickslip-lab -- model_agreement --write book/src/measurements/model_agreement.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::Tables;
use stickslip_lab::models::{Agreement, Plan, QUANTITIES, Row, agreement, plans};
use stickslip_studies::plot::LogLog;
use stickslip_studies::write_between_markers;

const HELP: &str = "usage: model_agreement [--only TEXT] [--halvings N] [--write PAGE]\n\
    \n\
    --only TEXT   mechanisms whose names contain this\n\
    --halvings N  how often steps are halved, 1 to 8; default 4\n\
    --write PAGE  put the tables between the markers of this page, and the plot beside it\n";

pub(crate) fn run(args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    let Some((only, halvings, write)) = options(args)? else {
        print!("{HELP}");
        return Ok(());
    };
    let mut tables = Tables::default();
    let mut plot = LogLog {
        title: "Place: the two models that differ most".to_owned(),
        x: "dt, s".to_owned(),
        y: "difference, m".to_owned(),
        ..LogLog::default()
    };
    for plan in plans()?.iter().filter(|p| p.name.contains(&only)) {
        let agreement = agreement(plan, halvings)?;
        table(plan, &agreement, &mut tables);
        let places = agreement.between.differences.iter().map(|d| d[0].unwrap_or(0.0));
        let points: Vec<(f64, f64)> = agreement.sizes.iter().copied().zip(places).collect();
        plot.curves.push((plan.name.to_owned(), points));
    }
    plot.slopes.push(("order 2".to_owned(), 2.0, (1e-2, 2e-3)));
    plot.slopes.push(("order 1".to_owned(), 1.0, (1e-2, 2e-3)));
    if let Some(path) = &write {
        write_between_markers(path, "model_agreement", tables.text())?;
        let picture = path.with_file_name("model_agreement.svg");
        std::fs::write(&picture, plot.to_svg())?;
        println!("wrote {}", picture.display());
    }
    Ok(())
}

fn options(
    mut args: lexopt::Parser,
) -> Result<Option<(String, u32, Option<PathBuf>)>, lexopt::Error> {
    use lexopt::prelude::*;
    let (mut only, mut halvings, mut write) = (String::new(), 4, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("only") => only = args.value()?.string()?,
            Long("halvings") => halvings = args.value()?.parse::<u32>()?.clamp(1, 8),
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some((only, halvings, write)))
}

fn table(plan: &Plan, agreement: &Agreement, tables: &mut Tables) {
    let (first, last) = (agreement.sizes.first(), agreement.sizes.last());
    let (Some(coarse), Some(fine)) = (first, last) else { return };
    tables.add(&format!("### {}\n", plan.name));
    let grids = if plan.shifts == 1 {
        String::new()
    } else {
        format!(", roots of the mean squares over {} shifted grids", plan.shifts)
    };
    tables.add(&format!(
        "{} s, dt from {coarse:.1e} to {fine:.1e} s{grids}. Order of the method: {}. Worst certificate of any step: {:.1e}.\n",
        plan.t_end, plan.order, agreement.worst,
    ));
    let names: Vec<String> =
        QUANTITIES.iter().map(|(_, name)| format!("{name} | order |")).collect();
    tables.add(&format!("| difference at the smallest dt | {}", names.join(" ")));
    tables.add(&format!("|---|{}", "---:|---:|".repeat(QUANTITIES.len())));
    for row in agreement.to_reference.iter().chain([&agreement.between]) {
        tables.add(&format!("| {} | {}", row.name, cells(row, &agreement.sizes)));
    }
    tables.add("");
}

fn cells(row: &Row, sizes: &[f64]) -> String {
    let cell = |q: usize| {
        let last = row.differences.last().and_then(|d| d[q]);
        let Some(last) = last else { return "– | – |".to_owned() };
        let order = row.order(sizes, q).map_or("rounding".to_owned(), |o| format!("{o:.2}"));
        format!("{last:.1e} | {order} |")
    };
    (0..QUANTITIES.len()).map(cell).collect::<Vec<_>>().join(" ")
}
