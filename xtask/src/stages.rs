//! Running commands as named stages with timers.

use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The stages run so far, with the time each took.
#[derive(Default)]
pub(crate) struct Stages {
    done: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Announces the stage, runs it and keeps its time; the error names the stage.
    pub(crate) fn run(&mut self, name: &'static str, stage: impl FnOnce() -> Outcome) -> Outcome {
        eprintln!("\n=== {name}");
        let start = Instant::now();
        let outcome = stage();
        let time = start.elapsed();
        let verdict = if outcome.is_ok() { "passed" } else { "FAILED" };
        eprintln!("=== {name} {verdict} in {:.1} s", time.as_secs_f64());
        self.done.push((name, time));
        outcome.map_err(|reason| format!("stage `{name}` failed: {reason}"))
    }

    /// Prints each stage with its time, and the total.
    pub(crate) fn summarise(&self) {
        eprintln!();
        for (name, time) in &self.done {
            eprintln!("{name:<24} {:>7.1} s", time.as_secs_f64());
        }
        let total: Duration = self.done.iter().map(|(_, time)| time).sum();
        eprintln!("{:<24} {:>7.1} s", "all passed", total.as_secs_f64());
    }
}

/// Runs cargo, its output left visible. Arguments are separated by spaces.
pub(crate) fn cargo(arguments: &str) -> Outcome {
    cargo_with(&[], arguments)
}

/// As [`cargo`], with environment variables.
pub(crate) fn cargo_with(variables: &[(&str, &str)], arguments: &str) -> Outcome {
    eprintln!("$ cargo {arguments}");
    check(
        Command::new(cargo_path())
            .args(arguments.split_whitespace())
            .envs(variables.iter().copied()),
    )
}

/// The cargo that started this program, else the one on the PATH.
pub(crate) fn cargo_path() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Whether the compiler has the standard library of a target.
pub(crate) fn has_target(target: &str) -> bool {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output =
        Command::new(compiler).args(["--print", "target-libdir", "--target", target]).output();
    let folder = output.ok().filter(|o| o.status.success()).map(|o| o.stdout);
    folder.is_some_and(|path| Path::new(String::from_utf8_lossy(&path).trim()).is_dir())
}

/// Runs a command to its end and turns a bad ending into a reason. Where everything is built once, as a service for continuous integration
/// does, cargo need not prepare for building again, nor for a debugger.
pub(crate) fn check(command: &mut Command) -> Outcome {
    let program = command.get_program().to_string_lossy().into_owned();
    if std::env::var_os("CI").is_some() {
        command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "none");
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(e) => Err(format!("{program} could not be started: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn a_failed_stage_is_named_in_the_error() {
        let mut stages = Stages::default();
        assert_eq!(stages.run("fine", || Ok(())), Ok(()));
        let error = stages.run("lints", || Err("no".to_owned())).unwrap_err();
        assert_eq!(error, "stage `lints` failed: no");
    }

    #[test]
    fn a_command_that_fails_or_does_not_exist_is_an_error() {
        let mut unknown = Command::new(cargo_path());
        assert!(check(unknown.arg("no-such-command").stderr(Stdio::null())).is_err());
        assert!(check(&mut Command::new("no-such-program-here")).is_err());
    }

    #[test]
    fn the_host_is_a_target_that_is_installed_and_nonsense_is_not() {
        let host = Command::new("rustc").args(["--print", "host-tuple"]).output().unwrap();
        assert!(has_target(String::from_utf8_lossy(&host.stdout).trim()));
        assert!(!has_target("no-such-target"));
    }
}
