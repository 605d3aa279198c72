//! Results on the standard output. Unlike `println!`, a full disk or a closed pipe is an error.

use crate::error::CliError;
use serde::Serialize;
use std::io::{self, Write};

/// Prints text as it is.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints one JSON object and a line end.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
    print(&format!("{text}\n"))
}
