//! Instructions per step, counted by valgrind: the steadiest measure on a busy machine.
//!
//! ```text
//! cargo run --release -p stickslip-lab -- step_counts
//! ```
//!
//! The program runs itself under `valgrind --tool=callgrind --toggle-collect=*counted_steps*`, once per case, and
//! prints a table. To look into one case by hand:
//!
//! ```text
//! valgrind --tool=callgrind '--toggle-collect=*counted_steps*' \
//!     target/release/lab step_counts --case moreau_midpoint cycle
//! callgrind_annotate callgrind.out.*
//! ```

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use stickslip::models::WoodpeckerSystem;
use stickslip::step::Integrator;
use stickslip_lab::{CYCLE, JEAN, March};

const HELP: &str = "\
Counts instructions per step of the woodpecker with valgrind.

Usage: lab step_counts                     a table over methods and parts of the motion
       lab step_counts --case METHOD PART  one case, to be run under valgrind by hand

Example: lab step_counts --case moreau_midpoint cycle
";

const METHODS: [Integrator; 2] = [Integrator::MoreauMidpoint, JEAN];
const DT: f64 = 2e-5;

/// A part of the motion, from a time that counts from the start of Table I, and so many steps.
const PARTS: [(&str, f64, usize); 4] = [
    ("sliding", 0.005, 500),
    ("sticking", 0.03, 1000),
    ("free", 0.09, 1000),
    ("cycle", 10.0 * CYCLE, (CYCLE / DT) as usize),
];

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    match args.next()? {
        None => table(),
        Some(Long("case")) => {
            let (method, part) = (args.value()?.parse()?, args.value()?.string()?);
            let part = PARTS.iter().find(|p| p.0 == part).ok_or("no such part of the motion")?;
            one(method, part.1, part.2)
        }
        Some(Short('h') | Long("help")) => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(other.unexpected().into()),
    }
}

fn one(method: Integrator, from: f64, steps: usize) -> Result<(), Box<dyn Error>> {
    let mut march = March::woodpecker(method)?;
    march.steps((from / DT).round() as usize, DT)?;
    println!("contacts: {}", counted_steps(&mut march, steps)?);
    Ok(())
}

/// What valgrind counts: steps with storage in place. Returns in how many of them a contact took part.
#[inline(never)]
fn counted_steps(
    march: &mut March<WoodpeckerSystem>,
    steps: usize,
) -> Result<usize, Box<dyn Error>> {
    let mut contacts = 0;
    for _ in 0..steps {
        black_box(&mut *march).step(DT)?;
        contacts += usize::from(!march.stepper.outcome().active.is_empty());
    }
    Ok(contacts)
}

fn table() -> Result<(), Box<dyn Error>> {
    println!("| method | part of the motion | steps with contact | instructions per step |");
    println!("|---|---|---:|---:|");
    for method in METHODS {
        for (part, _, steps) in PARTS {
            let (count, contacts) = count(method.name(), part)?;
            let (share, per) = (100.0 * contacts as f64 / steps as f64, count / steps as u64);
            println!("| `{method}` | {part} | {share:.0} % | {per} |");
        }
    }
    Ok(())
}

/// Runs this program under valgrind: instructions, and steps with contact.
fn count(method: &str, part: &str) -> Result<(u64, u64), Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted_steps*"])
        .arg("--callgrind-out-file=/dev/null")
        .arg(std::env::current_exe()?)
        .args(["step_counts", "--case", method, part])
        .output()
        .map_err(|e| format!("valgrind cannot be started: {e}"))?;
    let (text, log) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let number = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.contains(name))?;
        line.rsplit(' ').next()?.parse::<u64>().ok()
    };
    let contacts = number(&text, "contacts:").ok_or("a step failed")?;
    Ok((number(&log, "Collected :").ok_or("valgrind's output has no count")?, contacts))
}
