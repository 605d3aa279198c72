//! Random contact problems against a reference in extended precision.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- campaign
//! cargo run --release -p stickslip-lab -- campaign --problems 10000 --first 7000000 --most 200
//! ```

use std::error::Error;
use std::path::PathBuf;
use stickslip_lab::campaign::{Tally, campaign};
use stickslip_studies::write_between_markers;

const HELP: &str = "\
Solves random contact problems of every law and judges each answer, proof and refusal against a reference.

Usage: lab campaign [options]

  --problems COUNT  how many                                    [1000000]
  --first SEED      the first seed                              [0]
  --most CONTACTS   the most contacts of a problem              [20]
  --threads COUNT   threads that share the seeds; the table does not depend on it  [2]
  --write FILE      put the table between the markers <!-- campaign:begin --> and <!-- campaign:end -->

Example: lab campaign --problems 10000
";

/// Seeds that a thread takes at a time.
const CHUNK: u64 = 500;

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    let (mut problems, mut first, mut most, mut threads) = (1_000_000_u64, 0_u64, 20_usize, 2_u64);
    let mut write: Option<PathBuf> = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("problems") => problems = args.value()?.parse()?,
            Long("first") => first = args.value()?.parse()?,
            Long("most") => most = args.value()?.parse()?,
            Long("threads") => threads = args.value()?.parse()?,
            Long("write") => write = Some(args.value()?.into()),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if most == 0 || threads == 0 {
        return Err("--most and --threads must be at least 1".into());
    }
    let share = |thread: u64| {
        let mut tally = Tally::default();
        for chunk in (thread..problems.div_ceil(CHUNK)).step_by(threads as usize) {
            let start = first + chunk * CHUNK;
            tally.merge(campaign(start..(start + CHUNK).min(first + problems), most));
        }
        tally
    };
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|t| scope.spawn(move || share(t))).collect();
        for worker in workers {
            if let Ok(found) = worker.join() {
                tally.merge(found);
            }
        }
    });
    let text = table(&tally, first, most);
    println!("{text}");
    if let Some(file) = write {
        write_between_markers(&file, "campaign", &text)?;
    }
    if tally.is_honest() { Ok(()) } else { Err("an answer, a proof or a refusal was false".into()) }
}

fn table(tally: &Tally, first: u64, most: usize) -> String {
    let mut text = format!(
        "Seeds from {first}, up to {most} contacts:\n\n\
         | kind | problems | solved | proved | not solved |\n|---|---|---|---|---|\n"
    );
    for (kind, n) in &tally.problems {
        let of =
            |m: &std::collections::BTreeMap<&'static str, u64>| m.get(kind).copied().unwrap_or(0);
        let (solved, proved) = (of(&tally.solved), of(&tally.proved));
        let rest = n - solved - proved;
        text.push_str(&format!("| {kind} | {n} | {solved} | {proved} | {rest} |\n"));
    }
    text.push_str(&format!(
        "\nFalse \"solved\": {}; false \"proved\": {}; right answers refused: {}. Not solved although a solution is known: {}. \
         Longest solve: {:.2} s.\n",
        tally.false_solved.len(),
        tally.false_proved.len(),
        tally.refused.len(),
        tally.unsolved.len(),
        tally.longest.0,
    ));
    if !tally.rounded.is_empty() {
        text.push_str(&format!(
            "Contradictions that are rounding beside the impulses of the answer, which meets the laws of the contacts concerned to 1e-12: {}.\n",
            tally.rounded.len()
        ));
    }
    if !tally.not_solved.is_empty() {
        text.push_str("\n| kind | why not solved | problems |\n|---|---|---|\n");
        for ((kind, reason), n) in &tally.not_solved {
            text.push_str(&format!("| {kind} | {reason} | {n} |\n"));
        }
    }
    for (what, seeds) in [
        ("false \"solved\"", &tally.false_solved),
        ("contradictions that are rounding", &tally.rounded),
        ("false \"proved\"", &tally.false_proved),
        ("refused", &tally.refused),
        ("not solved", &tally.unsolved),
    ] {
        if !seeds.is_empty() {
            let some: Vec<String> = seeds.iter().take(12).map(u64::to_string).collect();
            text.push_str(&format!("\nSeeds of {what}: {}.\n", some.join(", ")));
        }
    }
    text
}
