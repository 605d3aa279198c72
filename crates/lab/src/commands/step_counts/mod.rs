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
//!
//! `--check` counts the cases that have a bound, and fails if one is above it. It is for those who change a step, before they
//! merge: other compilers and processors have other counts.

mod space;

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use stickslip::models::WoodpeckerSystem;
use stickslip::run::Stage;
use stickslip::step::Integrator;
use stickslip_lab::{CYCLE, JEAN, March};

const HELP: &str = "\
Counts instructions per step of the woodpecker, and of bodies at rest in space, with valgrind.

Usage: lab step_counts                     a table over methods and parts of the motion, and one of bodies
       lab step_counts --case METHOD PART  one case of the woodpecker, to be run under valgrind by hand
       lab step_counts --bodies NAME       one case of bodies
       lab step_counts --times             processor time of a step of bodies at rest, Δt = 5 ms, with the stages' shares
       lab step_counts --check             fails if a step costs more than its bound

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

/// The most instructions that a step over a whole cycle may take: for the explicit rule 15 % more than the step had with planar
/// contacts alone, before constraints and friction by places.
const MOST_PLANAR: [(Integrator, u64); 2] = [(Integrator::MoreauMidpoint, 2528), (JEAN, 7508)];

pub(crate) fn run(mut args: lexopt::Parser) -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;
    match args.next()? {
        None => {
            table()?;
            bodies_table()
        }
        Some(Long("check")) => check(),
        Some(Long("times")) => space::times(),
        Some(Long("bodies")) => {
            let name = args.value()?.string()?;
            let case = space::CASES.iter().find(|c| c.0 == name).ok_or("no such case of bodies")?;
            space::one(case)
        }
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
            let (count, contacts) = valgrind(&["--case", method.name(), part])?;
            let (share, per) = (100.0 * contacts as f64 / steps as f64, count / steps as u64);
            println!("| `{method}` | {part} | {share:.0} % | {per} |");
        }
    }
    Ok(())
}

/// Counts what has a bound, and refuses what is above it.
fn check() -> Result<(), Box<dyn Error>> {
    let mut above = Vec::new();
    let mut compare = |name: String, per: u64, most: u64| {
        println!("{name}: {per} instructions per step, at most {most}");
        if per > most {
            above.push(name);
        }
    };
    let (part, _, steps) = PARTS[3];
    for (method, most) in MOST_PLANAR {
        let (count, _) = valgrind(&["--case", method.name(), part])?;
        compare(format!("{method}, {part}"), count / steps as u64, most);
    }
    for (name, most) in space::MOST {
        let (count, _) = valgrind(&["--bodies", name])?;
        compare(name.to_owned(), count / space::STEPS as u64, most);
    }
    if above.is_empty() { Ok(()) } else { Err(format!("above the bound: {above:?}").into()) }
}

/// Steps with contacts at rest and warm starts, by the midpoint rule with default settings.
fn bodies_table() -> Result<(), Box<dyn Error>> {
    let stages = Stage::ALL.map(|s| s.name()).join(" | ");
    println!(
        "\n| bodies | contacts | instructions per step, in thousands | % of the time in {stages} |"
    );
    println!("|---|---:|---:|{}", "---:|".repeat(Stage::ALL.len()));
    for (name, ..) in space::CASES {
        let (count, contacts) = valgrind(&["--bodies", name])?;
        // Shares of time without valgrind, which slows some instructions more than others.
        let plain = Command::new(std::env::current_exe()?)
            .args(["step_counts", "--bodies", name])
            .output()?;
        let text = String::from_utf8_lossy(&plain.stdout).into_owned();
        let shares =
            text.lines().find_map(|l| l.strip_prefix("shares: ")).ok_or("a step failed")?;
        let per = count / space::STEPS as u64 / 1000;
        println!("| {name} | {contacts} | {per} | {} |", shares.replace(' ', " | "));
    }
    Ok(())
}

/// Runs this program under valgrind: instructions, and contacts (or steps with contact).
fn valgrind(case: &[&str]) -> Result<(u64, u64), Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted_steps*"])
        .arg("--callgrind-out-file=/dev/null")
        .arg(std::env::current_exe()?)
        .arg("step_counts")
        .args(case)
        .output()
        .map_err(|e| format!("valgrind cannot be started: {e}"))?;
    let (text, log) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let number = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.contains(name))?;
        line.rsplit(' ').next()?.parse::<u64>().ok()
    };
    let contacts = number(&text, "contacts:").ok_or("a step failed")?;
    let count = number(&log, "Collected :").ok_or("valgrind's output has no count")?;
    Ok((count, contacts))
}
