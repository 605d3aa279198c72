//! `stickslip convert`: a table of a run in another format.

use crate::args::{ConvertArgs, Target};
use crate::error::{CliError, Outcome};
use crate::output;
use std::path::{Path, PathBuf};
use stickslip_scene::recording::{RecordError, Tail, arrow_to_csv, csv_to_arrow};

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome, CliError> {
    let (ending, convert): (_, fn(&Path, &Path, bool) -> _) = match args.to {
        Target::Csv => ("csv", arrow_to_csv),
        Target::Arrow => ("arrows", csv_to_arrow),
    };
    let out = args.out.clone().unwrap_or_else(|| beside(&args.file, ending));
    if out.exists() && !args.force {
        let reason = "exists already; choose another name with --out, or replace it with --force";
        return Err(CliError::File { path: out, reason: reason.to_owned() });
    }
    let converted = convert(&args.file, &out, args.partial).map_err(|e| match e {
        RecordError::File { .. } => CliError::Write(e),
        _ => CliError::Place(e),
    })?;
    let state = match converted.tail {
        Tail::Torn { .. } => "; the file was torn after them",
        Tail::Open if args.to == Target::Csv => "; the file may not have been complete",
        _ => "",
    };
    output::print(&format!("{}: {} lines{state}\n", out.display(), converted.lines))?;
    Ok(Outcome::Good)
}

/// The name of a table with another ending; what is added to one that is not complete is left out.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let partial = file.extension().is_some_and(|e| e == "partial");
    let whole = if partial { file.with_extension("") } else { file.to_owned() };
    whole.with_extension(ending)
}
