//! Siconos behind a pipe: a small C program is compiled where Siconos is installed.

use complementarity::Lcp;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SOURCE: &str = include_str!("siconos.c");

/// A running process that holds the problems.
pub(crate) struct Siconos {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
}

/// One solve.
pub(crate) struct Answer {
    /// Siconos' own flag: 0 means solved.
    pub(crate) info: i64,
    /// The vector.
    pub(crate) z: Vec<f64>,
}

impl Siconos {
    /// Compiles the program and hands it the problems; an error if Siconos is not installed.
    pub(crate) fn start(problems: &[&Lcp]) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("compare-siconos-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let program = compile(&folder)?;
        let file = folder.join("problems.bin");
        std::fs::write(&file, binary(problems))?;
        let mut child = Command::new(program)
            .arg(&file)
            // One thread, as ours.
            .env("OPENBLAS_NUM_THREADS", "1")
            .env("OMP_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("the output is piped"));
        Ok(Self { child, input, output, folder })
    }

    /// Solves problem `i` once.
    pub(crate) fn solve(&mut self, i: usize) -> io::Result<Answer> {
        let line = self.ask(&format!("solve {i}"))?;
        let mut words = line.split_whitespace();
        let info = words.next().and_then(|w| w.parse().ok());
        let z = words.map(|w| w.parse().unwrap_or(f64::NAN)).collect();
        match info {
            Some(info) => Ok(Answer { info, z }),
            None => Err(io::Error::other(format!("no answer to solve {i}"))),
        }
    }

    /// Nanoseconds per solve, looping over these problems for about `seconds`.
    pub(crate) fn time(&mut self, seconds: f64, list: &[usize]) -> io::Result<f64> {
        let list: Vec<String> = list.iter().map(usize::to_string).collect();
        let line = self.ask(&format!("time {seconds} {}", list.join(" ")))?;
        line.trim().parse().map_err(io::Error::other)
    }

    fn ask(&mut self, command: &str) -> io::Result<String> {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{command}")?;
        input.flush()?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::Error::other("the Siconos process ended"));
            }
            // Siconos prints messages of its own on the same stream.
            if line.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
                return Ok(line);
            }
        }
    }
}

impl Drop for Siconos {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn compile(folder: &Path) -> io::Result<PathBuf> {
    let (source, program) = (folder.join("siconos.c"), folder.join("siconos"));
    std::fs::write(&source, SOURCE)?;
    let include = ["-I/usr/include/siconos/numerics", "-I/usr/include/siconos"];
    let output = Command::new("gcc")
        .args(["-O2", "-o"])
        .arg(&program)
        .arg(&source)
        .args(include)
        .args(["-lsiconos_numerics", "-lm"])
        .output()?;
    if output.status.success() {
        Ok(program)
    } else {
        let text = String::from_utf8_lossy(&output.stderr);
        let first = text.lines().find(|l| l.contains("error")).unwrap_or("gcc failed");
        Err(io::Error::other(first.to_owned()))
    }
}

/// The format that siconos.c reads.
fn binary(problems: &[&Lcp]) -> Vec<u8> {
    let size = |n: usize| i32::try_from(n).expect("sizes are small").to_ne_bytes();
    let mut out = size(problems.len()).to_vec();
    for p in problems {
        out.extend(size(p.len()));
        for j in 0..p.len() {
            for i in 0..p.len() {
                out.extend(p.m()[(i, j)].to_ne_bytes());
            }
        }
        for q in p.q() {
            out.extend(q.to_ne_bytes());
        }
    }
    out
}
