//! Boxes on their corners by every formulation with every friction set.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- boxes
//! cargo run --release -p stickslip-lab -- boxes --steps 20 --save FOLDER
//! cargo run --release -p stickslip-lab -- boxes --write book/src/measurements/boxes.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::Tables;
use stickslip_lab::boxes::{Lost, attempts, by_formulation, by_rho};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
A box that rests, slides, spins, falls and lands on an edge, by every formulation with every friction set.

Usage: lab boxes [options]

  --steps COUNT  steps of 5 ms per run                         [100]
  --save FOLDER  write the contact problem of every failed step there, as JSON
  --write FILE   put the tables between the markers <!-- boxes:begin -->, <!-- boxes_rho:begin -->,
                 <!-- boxes_attempts:begin --> and their ends

Example: lab boxes --steps 20
";

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut steps, mut save, mut write): (usize, Option<PathBuf>, Option<PathBuf>) =
        (100, None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("steps") => steps = args.value()?.parse()?,
            Long("save") => save = Some(args.value()?.into()),
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut lost = Vec::new();
    let all: [(&str, Table); 3] =
        [("boxes", by_formulation), ("boxes_rho", by_rho), ("boxes_attempts", attempts)];
    for (name, table) in all {
        let mut tables = Tables::default();
        table(steps, &mut |line| tables.add(line), &mut lost)?;
        if let Some(path) = &write {
            write_between_markers(path, name, tables.text())?;
        }
    }
    for (i, run) in lost.iter().enumerate() {
        eprintln!("{}: {}", run.name, run.failure.reason);
        if let Some(folder) = &save {
            let text = run.failure.problem.to_json()?;
            std::fs::write(folder.join(format!("lost_{i}.json")), text)?;
        }
    }
    match lost.len() {
        0 => Ok(()),
        n => Err(format!("{n} runs ended at a step without a certified answer").into()),
    }
}

type Table = fn(usize, &mut dyn FnMut(&str), &mut Vec<Lost>) -> Result<(), stickslip::Error>;
