//! `stickslip gauntlet`: everyday motions beside their exact values.

use crate::args::GauntletArgs;
use crate::error::{CliError, Outcome};
use crate::output;
use serde::Serialize;
use stickslip::step::Integrator;
use stickslip_studies::gauntlet::{Case, cases, go};

/// How a case went.
#[derive(Serialize)]
struct Row {
    row: char,
    name: String,
    quantity: &'static str,
    measured: f64,
    exact: f64,
    tolerance: Option<f64>,
    pass: bool,
    /// Why it ended before its time.
    lost: Option<String>,
    depth: f64,
    certificate: f64,
}

pub(crate) fn run(args: &GauntletArgs) -> Result<Outcome, CliError> {
    let integrator = args.integrator.unwrap_or_default();
    if integrator == Integrator::EventDriven {
        return Err(CliError::misuse(
            "contacts that collision detection finds are not followed by event_driven; take a time-stepping integrator",
        ));
    }
    let asked = |case: &Case| {
        let text = args.case.as_deref().unwrap_or_default();
        format!("{} {}", case.row, case.name).contains(text) && case.takes(integrator)
    };
    let chosen: Vec<Case> = cases(args.long).into_iter().filter(asked).collect();
    if chosen.is_empty() {
        return Err(CliError::misuse("there is no such case; leave --case out to see all of them"));
    }
    let mut rows = Vec::new();
    for case in &chosen {
        let row = one(case, integrator)?;
        if !args.json {
            output::print(&line(&row))?;
        }
        rows.push(row);
    }
    let passed = rows.iter().filter(|row| row.pass).count();
    if args.json {
        output::print_json(&rows)?;
    } else {
        output::print(&format!("\n{passed} of {} passed\n", rows.len()))?;
    }
    Ok(if passed == rows.len() { Outcome::Good } else { Outcome::NoAnswer })
}

fn one(case: &Case, integrator: Integrator) -> Result<Row, CliError> {
    let went = go(case, integrator).map_err(|e| CliError::misuse(e.to_string()))?;
    let (exact, tolerance) = case.goal_of(integrator).numbers();
    Ok(Row {
        row: case.row,
        name: case.name.clone(),
        quantity: case.quantity,
        measured: went.found,
        exact,
        tolerance,
        pass: went.pass,
        lost: went.lost,
        depth: went.depth,
        certificate: went.worst,
    })
}

fn line(row: &Row) -> String {
    let Row { quantity, measured, exact, .. } = row;
    let found = match (&row.lost, row.tolerance) {
        (Some(why), _) => format!("lost: {why}"),
        (None, None) => format!("{quantity}: {measured:.1e}, falls from {exact:.0e} on"),
        (None, Some(most)) if *exact == 0.0 => {
            format!("{quantity}: {measured:.1e}, at most {most:.0e}")
        }
        (None, Some(most)) => format!("{quantity}: {measured:.9}, exact {exact:.9} ± {most:.0e}"),
    };
    let pass = if row.pass { "pass" } else { "FAIL" };
    format!("{pass}  {}  {}\n         {found}\n", row.row, row.name)
}
