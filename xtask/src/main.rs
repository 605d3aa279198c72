//! The chores of the project. `cargo xtask help` lists them.

mod book;
mod figures;
mod formulas;
mod measure;
mod python;
mod stages;
mod tidy;
mod viewer;
mod workspace;

use stages::{Stages, cargo, cargo_with};
use std::process::{Command, ExitCode};
use workspace::Workspace;

const HELP: &str = "\
The chores of the project.

Usage: cargo xtask <chore>

  test    Everything that must hold before a change is merged; what CI runs
          (format, tidy, lints, tests, examples, the Python module where there is Python,
          the viewer in a browser, wasm32 where installed, documentation)
  tidy    The checks of the tree alone: architecture page, dependency direction,
          dependency table, book, links, sources, names, wide integers
  python  The Python module alone: its wheel in a fresh virtual environment, its tests
          there and its types (needs python3 and a package index)
  viewer  The viewer alone: its bundle is the one that its sources give, and its tests in
          Chromium (needs npm; installs chromium by apt); --check for the bundle alone,
          --write to build and embed it, --screens for the pictures of the guide
  table   Run every solver over every family and rewrite book/src/measurements/table.md;
          options go to the command, e.g. `cargo xtask table --sizes 3,30 --seeds 1`
  bench   Benchmarks, the time that all solutions take, the side-by-side run with Siconos;
          rewrites the figures of book/src/concepts/enumeration.md and book/src/measurements/speed.md
  measure Every other command of the lab that writes figures of the book, or those named,
          e.g. `cargo xtask measure formulations classics`; all of them take hours
  fuzz-scenes SECONDS
          Read scenes that are changed at random, for that long; those that panic are kept
  kill-test COUNT
          Kill runs that many times at random moments and resume them: the files must be
          those of runs that were not killed
  book    Build the manual into book/build (needs mdbook)
  book-reference
          Rewrite the pages of the manual that are made from the code: commands, keys of
          scene files, scenes of the gallery (a test checks that they are current)
  book-figures
          Draw the pictures of the tutorial and of the gallery anew, or those whose files
          contain the words given, e.g. `cargo xtask book-figures woodpecker`
  formulas
          What mdbook calls to turn formulas into MathML
  help    This text

Example: cargo xtask test
";

/// The root of the workspace, from which every command runs.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What a chore says when it went wrong.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (chore, rest) = match arguments.split_first() {
        Some((chore, rest)) => (chore.as_str(), rest),
        None => ("help", &[][..]),
    };
    let with_arguments =
        ["table", "measure", "fuzz-scenes", "kill-test", "book-figures", "formulas", "viewer"];
    if !rest.is_empty() && !with_arguments.contains(&chore) {
        return misuse(&format!("`{chore}` takes no arguments"));
    }
    if let Err(e) = std::env::set_current_dir(ROOT) {
        eprintln!("xtask: {ROOT} cannot be entered: {e}");
        return ExitCode::FAILURE;
    }
    let outcome = match chore {
        "test" => Workspace::read().and_then(|workspace| test(&workspace)),
        "tidy" => Workspace::read().and_then(|workspace| tidy::run(&workspace)),
        "python" => python::test(python::prepare()),
        "viewer" => viewer::run(rest),
        "table" => measure::table(rest),
        "bench" => measure::bench(),
        "measure" => measure::measure(rest),
        "fuzz-scenes" => fuzz_scenes(rest),
        "kill-test" => kill_test(rest),
        "book" => book::build(),
        "book-reference" => book::reference(),
        "book-figures" => figures::draw(rest),
        "formulas" => formulas::preprocess(rest),
        "help" | "-h" | "--help" => {
            print!("{HELP}");
            Ok(())
        }
        other => return misuse(&format!("there is no chore `{other}`")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {chore}: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn misuse(reason: &str) -> ExitCode {
    eprint!("xtask: {reason}\n\n{HELP}");
    ExitCode::from(2)
}

fn test(workspace: &Workspace) -> Outcome {
    let mut stages = Stages::default();
    // Packages are fetched while the compiler works, which does not wait for the network.
    let python = std::thread::spawn(python::prepare);
    stages.run("format", || {
        cargo("fmt --all --check")?;
        cargo("fmt --manifest-path fuzz/Cargo.toml --check")
    })?;
    stages.run("tidy", || tidy::run(workspace))?;
    stages
        .run("lints", || cargo("clippy --workspace --all-targets --all-features -- -D warnings"))?;
    // The same cases each time, so that a red run can be repeated; `cargo test` draws others.
    stages.run("tests", || cargo_with(&[("PROPTEST_RNG_SEED", "2026")], "test --workspace"))?;
    stages.run("examples", || examples(workspace))?;
    stages.run("python", || {
        python::test(python.join().unwrap_or_else(|_| Err("the environment was not made".into())))
    })?;
    stages.run("viewer", viewer::test)?;
    stages.run("features", features)?;
    stages.run("wasm32", wasm)?;
    stages.run("documentation", || {
        stages::cargo_with(&[("RUSTDOCFLAGS", "-D warnings")], "doc --workspace --no-deps")
    })?;
    stages.summarise();
    Ok(())
}

/// Runs every example, as the tests built it: a build for its package alone would choose other features of what it depends on.
fn examples(workspace: &Workspace) -> Outcome {
    cargo("build --workspace --examples")?;
    for example in &workspace.examples {
        eprintln!("$ {example}");
        stages::check(&mut Command::new(stages::target().join("debug/examples").join(example)))?;
    }
    Ok(())
}

/// What is off by default on, and what is on by default off. Threads are on in the command, and so in the tests of all.
fn features() -> Outcome {
    cargo("test -p complementarity --features nalgebra --lib conversions")?;
    cargo("check -p stickslip --no-default-features")
}

/// The libraries without files and threads, and where they must build as well.
const ANYWHERE: &str =
    "-p complementarity -p stickslip-contact -p stickslip-collision -p stickslip";
const WASM: &str = "wasm32-unknown-unknown";

/// Builds for a machine with 32 bits and without an operating system, where its standard library is installed.
fn wasm() -> Outcome {
    if stages::has_target(WASM) {
        return cargo(&format!("check --target {WASM} {ANYWHERE}"));
    }
    eprintln!("skipped: the target is not installed; `rustup target add {WASM}` installs it");
    Ok(())
}

/// Runs the test of changed scenes for a time, from a seed that differs from run to run.
fn fuzz_scenes(arguments: &[String]) -> Outcome {
    let [seconds] = arguments else { return Err("say for how many seconds".to_owned()) };
    if !seconds.parse::<u64>().is_ok_and(|n| n > 0) {
        return Err(format!("`{seconds}` is not a number of seconds"));
    }
    let seed = seed();
    cargo_with(
        &[("STICKSLIP_FUZZ_SECONDS", seconds), ("STICKSLIP_FUZZ_SEED", &seed)],
        "test -p stickslip-scene --test it scenes_changed_at_random -- --nocapture",
    )
}

/// Runs the test of killed runs so many times, from a seed that differs from run to run.
fn kill_test(arguments: &[String]) -> Outcome {
    let [count] = arguments else { return Err("say how many runs are to be killed".to_owned()) };
    if !count.parse::<u64>().is_ok_and(|n| n > 0) {
        return Err(format!("`{count}` is not a number of runs"));
    }
    cargo_with(
        &[("STICKSLIP_KILLS", count), ("STICKSLIP_KILL_SEED", &seed())],
        "test -p stickslip-cli --test cli runs_that_are_killed -- --nocapture",
    )
}

/// A number that differs from run to run, shown so that a run can be repeated.
fn seed() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = now.map_or(1, |now| now.as_secs()).to_string();
    println!("seed {seed}");
    seed
}
