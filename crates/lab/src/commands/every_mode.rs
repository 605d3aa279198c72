//! All solutions of random planar problems: the search beside every mode tried one by one.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- every_mode
//! cargo run --release -p stickslip-lab -- every_mode --write book/src/measurements/every_mode.md
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::Tables;
use stickslip_lab::every_mode::{Family, compare};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
All solutions of random planar problems, beside every mode tried one by one.

Usage: lab every_mode [options]

  --count COUNT  problems per family and number of contacts    [1000]
  --first SEED   the first seed                                [1000]
  --write FILE   put the table between the markers <!-- every_mode:begin --> and
                 <!-- every_mode:end -->

Example: lab every_mode --count 100
";

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut count, mut first, mut write): (u64, u64, Option<PathBuf>) = (1000, 1000, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("count") => count = args.value()?.parse()?,
            Long("first") => first = args.value()?.parse()?,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut tables = Tables::default();
    tables.add(
        "| contacts | friction | problems | none | 1 | 2 | 3 | more | disagree | not complete |",
    );
    tables.add("|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let (mut wrong, mut all) = (0, 0);
    for contacts in 1..=6 {
        for family in Family::ALL {
            let mut counts = [0_usize; 5];
            let (mut disagree, mut open) = (0, 0);
            for seed in first..first + count {
                let verdict = compare(&family.problem(contacts, seed));
                counts[verdict.solutions.min(4)] += 1;
                disagree += usize::from(!verdict.agree);
                open += usize::from(!verdict.complete);
                if !verdict.agree || !verdict.complete {
                    eprintln!(
                        "{} with {contacts} contacts, seed {seed}: {verdict:?}",
                        family.name()
                    );
                }
            }
            let [none, one, two, three, more] = counts;
            tables.add(&format!(
                "| {contacts} | {} | {count} | {none} | {one} | {two} | {three} | {more} | {disagree} | {open} |",
                family.name()
            ));
            wrong += disagree;
            all += count;
        }
    }
    tables.add(&format!("\n{all} problems, {wrong} on which the two disagree."));
    if let Some(path) = &write {
        write_between_markers(path, "every_mode", tables.text())?;
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} disagreements").into()) }
}
