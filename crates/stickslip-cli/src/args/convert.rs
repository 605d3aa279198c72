//! What `stickslip convert` can be told.

use std::path::PathBuf;

/// Convert a table of a run between CSV and Apache Arrow, with the bits of every number.
///
/// The file may be one that is still written (trajectory.arrows.partial). Text has no place for units and meanings of
/// columns, nor for the settings of the run: they are lost on the way to CSV.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stickslip convert out/woodpecker/trajectory.arrows --to csv
  stickslip convert out/woodpecker/events.csv --to arrow --out events.arrows

Exit codes: 0 converted, 1 the file could not be written, 2 misuse: a file that is torn, another, or in the way")]
pub(crate) struct ConvertArgs {
    /// The table.
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// The format.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Target,
    /// The file to write [default: the name of the table with the ending of the format].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Take what is complete of a file that is torn.
    #[arg(long)]
    pub(crate) partial: bool,
    /// Replace a file that is there.
    #[arg(long)]
    pub(crate) force: bool,
}

/// What a table is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Target {
    /// Comma-separated text.
    Csv,
    /// A stream of Apache Arrow.
    Arrow,
}
