//! `stickslip report`: the page of a run, and its animations.

use crate::args::ReportArgs;
use crate::error::{CliError, Outcome};
use crate::output;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stickslip_report::{write_film, write_gltf, write_strip};

pub(crate) fn run(args: &ReportArgs) -> Result<Outcome, CliError> {
    let page = stickslip_report::write_report(&args.dir)?;
    let mut written = vec![page.clone()];
    let replay = stickslip_report::read_replay(&args.dir)?;
    let speed = args.speed.unwrap_or(1.0);
    if !(speed > 0.0) {
        return Err(CliError::misuse(format!("--speed is {speed}; it must be above 0")));
    }
    if let Some(path) = &args.gltf {
        written.push(write_gltf(&replay, path, speed)?);
    }
    if let Some(path) = &args.strip {
        written.push(write_strip(&replay, path, args.frames.into())?);
    }
    for path in args.mp4.iter().chain(&args.gif) {
        written.push(write_film(&replay, path, speed)?);
    }
    let lines: String = written.iter().map(|path| format!("{}\n", path.display())).collect();
    output::print(&lines)?;
    if args.open {
        open(&page);
    }
    Ok(Outcome::Good)
}

/// How long a program that opens pages may take to fail; one that goes on longer is the browser itself.
const FAILS_WITHIN: Duration = Duration::from_secs(1);

/// Opens a page or address in the browser of the desktop; says so where that fails.
pub(crate) fn open(page: impl AsRef<Path>) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let page = page.as_ref();
    let started = Command::new(program)
        .args(first)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let reason = match started {
        Ok(mut child) => {
            let begin = Instant::now();
            while matches!(child.try_wait(), Ok(None)) && begin.elapsed() < FAILS_WITHIN {
                std::thread::sleep(Duration::from_millis(20));
            }
            match child.try_wait() {
                Ok(Some(status)) if !status.success() => format!("{program} failed ({status})"),
                _ => return,
            }
        }
        Err(e) => format!("{program} cannot be started ({e})"),
    };
    eprintln!("stickslip: {reason}; open {} yourself", page.display());
}
