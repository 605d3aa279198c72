//! Other programs behind a pipe: one process for each motion.

use serde_json::{Value, json};
use std::error::Error;
use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;
use stickslip::State;
use stickslip_studies::gauntlet::{Description, Span};

const SCRIPT: &str = include_str!("../../../peers/gauntlet.py");
/// Where this crate is; what is built for it goes to the target folder of the workspace.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A program that is at hand.
pub(crate) struct Program {
    /// The head of its column.
    pub(crate) name: String,
    executable: PathBuf,
    arguments: Vec<String>,
}

/// Why there is no end of a motion.
pub(crate) enum NoEnd {
    /// The program cannot be asked.
    Refused,
    /// It did not answer in time.
    Late,
    /// It ended without an answer, or with one that is not finite.
    Lost,
}

impl fmt::Display for NoEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "–",
            Self::Late => "late",
            Self::Lost => "lost",
        })
    }
}

/// Those at hand; says which are not.
pub(crate) fn find(python: &Path, notice: &mut dyn FnMut(&str)) -> Vec<Program> {
    let mut all = Vec::new();
    let mut add = |name: &str, version: String, executable: &Path, arguments: &[&str]| {
        let arguments = arguments.iter().map(|a| (*a).to_owned()).collect();
        let name = format!("{name} {version}");
        all.push(Program { name, executable: executable.to_owned(), arguments });
    };
    for (name, key) in
        [("MuJoCo", "mujoco"), ("Drake", "drake"), ("DART", "dart"), ("Bullet", "bullet")]
    {
        match version(python, key) {
            Ok(version) => add(name, version, python, &["-c", SCRIPT, key]),
            Err(e) => notice(&format!("{name} is not at hand ({e}): it is left out.\n")),
        }
    }
    match build_rapier() {
        Ok((version, executable)) => add("Rapier", version, &executable, &[]),
        Err(e) => notice(&format!("Rapier is not at hand ({e}): it is left out.\n")),
    }
    all
}

fn version(python: &Path, key: &str) -> Result<String, Box<dyn Error>> {
    let output = Command::new(python).args(["-c", SCRIPT, key, "version"]).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(text.lines().last().unwrap_or("no answer").to_owned().into())
}

/// Builds the program for Rapier, and gives its version and path.
fn build_rapier() -> Result<(String, PathBuf), Box<dyn Error>> {
    let (folder, target) =
        (Path::new(HERE).join("peers/rapier"), Path::new(HERE).join("../../target/peers"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &target)
        .output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().next().unwrap_or("cargo failed").to_owned().into());
    }
    let lock = std::fs::read_to_string(folder.join("Cargo.lock"))?;
    let mut lines = lock.lines().skip_while(|l| *l != "name = \"rapier3d-f64\"").skip(1);
    let version = lines.next().unwrap_or_default();
    let version = version.trim_start_matches("version = ").trim_matches('"').to_owned();
    Ok((version, target.join("release/rapier_gauntlet")))
}

impl Program {
    /// Takes a world through time.
    pub(crate) fn run(
        &self,
        world: &Description,
        span: Span,
        limit: Duration,
    ) -> Result<Result<State, NoEnd>, Box<dyn Error>> {
        let steps = (span.t_end / span.dt).round();
        let asked = json!({ "world": world, "dt": span.dt, "steps": steps as u64 });
        let Some(text) = self.answer(&asked.to_string(), limit)? else {
            return Ok(Err(NoEnd::Late));
        };
        // Programs print messages of their own on the same stream.
        let Some(answer) = text.lines().rev().find_map(|l| serde_json::from_str::<Value>(l).ok())
        else {
            return Ok(Err(NoEnd::Lost));
        };
        if !answer["refused"].is_null() {
            return Ok(Err(NoEnd::Refused));
        }
        let numbers = |key: &str| -> Option<Vec<f64>> {
            answer[key].as_array()?.iter().map(Value::as_f64).collect()
        };
        let bodies = world.bodies.len();
        Ok(match (numbers("q"), numbers("u")) {
            (Some(q), Some(u)) if q.len() == 7 * bodies && u.len() == 6 * bodies => {
                Ok(State { t: steps * span.dt, ..State::new(q, u) })
            }
            _ => Err(NoEnd::Lost),
        })
    }

    /// What the process prints; none if it takes too long.
    fn answer(&self, asked: &str, limit: Duration) -> Result<Option<String>, Box<dyn Error>> {
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments);
        for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(threads, "1");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (mut input, output) = (child.stdin.take(), child.stdout.take());
        if let Some(input) = &mut input {
            input.write_all(asked.as_bytes())?;
        }
        drop(input);
        let (send, receive) = channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            let read = output.map(|mut output| output.read_to_string(&mut text));
            let _ = send.send(read.is_some().then_some(text));
        });
        let text = receive.recv_timeout(limit).ok().flatten();
        if text.is_none() {
            child.kill()?;
        }
        child.wait()?;
        Ok(text)
    }
}
