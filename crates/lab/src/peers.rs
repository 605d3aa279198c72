//! Other programs behind a pipe: one process for each motion.
//!
//! A world goes to the input of the process as JSON. Its answer is the end of the motion, or a file with the state after each step, which can be read
//! as far as it goes when the process is ended before its time.

use serde_json::{Value, json};
use std::error::Error;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;
use stickslip::State;
use stickslip_studies::gauntlet::{Description, Span};

/// Where this crate is, with the sides of the other programs; what is built for it goes to the target folder of the workspace.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A program that is at hand.
#[derive(Clone, Debug)]
pub struct Program {
    /// The head of its column.
    pub name: String,
    executable: PathBuf,
    arguments: Vec<String>,
}

/// What a program is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The world with its start.
    pub world: &'a Description,
    /// Step and end time.
    pub span: Span,
    /// With iterations and tolerances as far as they go, instead of the program's own settings.
    pub tight: bool,
    /// The time that it has.
    pub limit: Duration,
}

/// Why there is no end of a motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoEnd {
    /// The program cannot be asked, and why.
    Refused(String),
    /// It did not answer in time.
    Late,
    /// It ended without an answer, or with one that is not finite.
    Lost,
}

/// The state after a step, and the time of the processor that the step took, in s.
#[derive(Clone, Debug)]
pub struct Frame {
    /// That time.
    pub cpu: f64,
    /// That state.
    pub state: State,
}

/// Those of these names that are at hand; says which are not. Scripts need an interpreter that can import them, Siconos that of the system.
pub fn find(names: &[&str], python: &Path, notice: &mut dyn FnMut(&str)) -> Vec<Program> {
    let mut all = Vec::new();
    for &name in names {
        let found = match name {
            "Rapier" => build_rapier(),
            // A package of the system, which environments of their own do not see.
            "Siconos" => script(Path::new("/usr/bin/python3"), name),
            _ => script(python, name),
        };
        match found {
            Ok(program) => all.push(program),
            Err(e) => notice(&format!("{name} is not at hand ({e}): it is left out.\n")),
        }
    }
    all
}

/// A program that a script hands worlds to, if the interpreter can import it.
fn script(python: &Path, name: &str) -> Result<Program, Box<dyn Error>> {
    let key = name.to_lowercase();
    let folder = format!("{HERE}/peers/worlds");
    let output = Command::new(python)
        .args(["-B", &folder, &key, "version"])
        .output()
        .map_err(|e| format!("{}: {e}", python.display()))?;
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().last().unwrap_or_default();
        return Ok(Program {
            name: format!("{name} {version}"),
            executable: python.to_owned(),
            arguments: vec!["-B".to_owned(), folder, key],
        });
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(text.lines().last().unwrap_or("no answer").to_owned().into())
}

/// Builds the program for Rapier.
fn build_rapier() -> Result<Program, Box<dyn Error>> {
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
    let version = version.trim_start_matches("version = ").trim_matches('"');
    let executable = target.join("release/rapier_worlds");
    Ok(Program { name: format!("Rapier {version}"), executable, arguments: Vec::new() })
}

impl Asked<'_> {
    /// How many steps.
    pub fn steps(&self) -> usize {
        (self.span.t_end / self.span.dt).round() as usize
    }

    fn json(&self, states: Option<&Path>) -> String {
        json!({
            "world": self.world,
            "dt": self.span.dt,
            "steps": self.steps(),
            "tight": self.tight,
            "states": states,
        })
        .to_string()
    }
}

impl Program {
    /// The end of a motion.
    ///
    /// # Errors
    /// If no process can be started.
    pub fn end(&self, asked: &Asked<'_>) -> Result<Result<State, NoEnd>, Box<dyn Error>> {
        let Some(text) = self.answer(&asked.json(None), asked.limit)? else {
            return Ok(Err(NoEnd::Late));
        };
        Ok(read_end(&text, asked.world.bodies.len()).map(|end| {
            let t = asked.steps() as f64 * asked.span.dt;
            State { t, ..end }
        }))
    }

    /// The states after every step, as far as they were reached in time.
    ///
    /// # Errors
    /// If no process can be started.
    pub fn states(&self, asked: &Asked<'_>) -> Result<Result<Vec<Frame>, NoEnd>, Box<dyn Error>> {
        let path = std::env::temp_dir().join(format!("stickslip-states-{}", std::process::id()));
        let text = self.answer(&asked.json(Some(&path)), asked.limit)?;
        if let Some(Err(NoEnd::Refused(why))) = text.map(|text| read_end(&text, 0)) {
            return Ok(Err(NoEnd::Refused(why)));
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        // It is not there where the program ended before its first step.
        let _ = std::fs::remove_file(&path);
        Ok(Ok(read_frames(&bytes, asked.world.bodies.len(), asked.span.dt)))
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

/// The end of a motion with so many bodies from what a program prints, among messages of its own.
fn read_end(text: &str, bodies: usize) -> Result<State, NoEnd> {
    let answer = text.lines().rev().find_map(|l| serde_json::from_str::<Value>(l).ok());
    let answer = answer.ok_or(NoEnd::Lost)?;
    if let Some(why) = answer["refused"].as_str() {
        return Err(NoEnd::Refused(why.to_owned()));
    }
    let numbers = |key: &str| -> Option<Vec<f64>> {
        answer[key].as_array()?.iter().map(Value::as_f64).collect()
    };
    match (numbers("q"), numbers("u")) {
        (Some(q), Some(u)) if q.len() == 7 * bodies && u.len() == 6 * bodies => {
            Ok(State::new(q, u))
        }
        _ => Err(NoEnd::Lost),
    }
}

/// The states of a file, up to the last that is whole.
fn read_frames(bytes: &[u8], bodies: usize, dt: f64) -> Vec<Frame> {
    let (numbers, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let frame = |(i, row): (usize, &[f64])| {
        let (q, u) = row[1..].split_at(7 * bodies);
        let state = State { t: (i + 1) as f64 * dt, ..State::new(q.to_vec(), u.to_vec()) };
        Frame { cpu: row[0], state }
    };
    numbers.chunks_exact(1 + 13 * bodies).enumerate().map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_read_among_messages() {
        let text = "hello\n{\"q\": [0, 0, 1, 1, 0, 0, 0], \"u\": [1, 2, 3, 4, 5, 6]}\nbye\n";
        let end = read_end(text, 1).ok().unwrap();
        assert_eq!((end.q[2], end.u[5]), (1.0, 6.0));
        assert!(matches!(read_end(text, 2), Err(NoEnd::Lost)));
        assert!(matches!(read_end("killed", 1), Err(NoEnd::Lost)));
        // What is not finite is no number of JSON.
        assert!(matches!(read_end("{\"q\": [NaN], \"u\": []}", 1), Err(NoEnd::Lost)));
        let refused = read_end("{\"refused\": \"no hull\"}", 1);
        assert!(matches!(refused, Err(NoEnd::Refused(why)) if why == "no hull"));
    }

    #[test]
    fn states_are_read_up_to_the_last_whole_one() {
        let row: Vec<f64> = (0..14).map(f64::from).collect();
        let mut bytes: Vec<u8> = row.iter().chain(&row).flat_map(|x| x.to_le_bytes()).collect();
        bytes.truncate(bytes.len() - 3);
        let frames = read_frames(&bytes, 1, 0.5);
        assert_eq!(frames.len(), 1);
        assert_eq!((frames[0].cpu, frames[0].state.t), (0.0, 0.5));
        assert_eq!((frames[0].state.q[0], frames[0].state.u[0]), (1.0, 8.0));
    }
}
