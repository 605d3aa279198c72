//! Every model by every integrator with every impact law and formulation.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- matrix
//! cargo run --release -p stickslip-lab -- matrix --write book/src/measurements/matrix.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::matrix::{cells, table};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
A body that falls, bounces, slides and comes to rest, by every model, integrator, impact law and formulation.

Usage: lab matrix [options]

  --write FILE  put the table between the markers <!-- matrix:begin --> and <!-- matrix:end -->

Example: lab matrix
";

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut write: Option<PathBuf> = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let cells = cells();
    let text = table(&cells);
    println!("{text}");
    if let Some(path) = &write {
        write_between_markers(path, "matrix", &text)?;
    }
    let wrong: Vec<_> = cells.iter().flat_map(|cell| cell.wrong()).collect();
    wrong.iter().for_each(|line| eprintln!("{line}"));
    match wrong.len() {
        0 => Ok(()),
        n => {
            Err(format!("{n} motions neither agree with their closed form nor are refused").into())
        }
    }
}
