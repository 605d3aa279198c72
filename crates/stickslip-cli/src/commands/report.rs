//! `stickslip report`: the page of a run, and its animations.

use crate::args::ReportArgs;
use crate::error::{CliError, Outcome};
use crate::output;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) fn run(args: &ReportArgs) -> Result<Outcome, CliError> {
    let page = stickslip_report::write_report(&args.dir)?;
    let mut written = vec![page.clone()];
    let mut text = String::new();
    written.drain(..).for_each(|path| text.push_str(&format!("{}\n", path.display())));
    output::print(&text)?;
    if args.open {
        open(&page);
    }
    Ok(Outcome::Good)
}

/// Opens a page or address in the browser of the desktop; says so where there is none.
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
    if let Err(e) = started {
        eprintln!("stickslip: {program} cannot be started ({e}); open {} yourself", page.display());
    }
}
