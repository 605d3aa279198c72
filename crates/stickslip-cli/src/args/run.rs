//! What `stickslip run` can be told.

use super::{SettingArgs, choice, number};
use std::path::PathBuf;
use std::time::Duration;
use stickslip_scene::recording::Format;

/// Simulate a scene; write tables, plots and a summary.
///
/// Into DIR go trajectory.csv (every sample), events.csv, summary.json, and the plots coordinates,
/// velocities, phase, gaps, forces, modes and energy, as SVG and PNG. While the run goes on the tables grow as
/// trajectory.csv.partial and so on. After Ctrl-C they are complete up to that time, and checkpoint.bin is left: the run
/// goes on with --resume, also after a crash, and ends with the same numbers as if it had not been interrupted.
#[derive(Debug, Default, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip run woodpecker
  stickslip run woodpecker --open
  stickslip run woodpecker --t-end 3 --dt 1e-5 --set mu=0.35 --set eps_N1=0.4
  stickslip run my-scene.toml --integrator moreau_jean --out results --json
  stickslip run my-scene.toml --format arrow --checkpoint-every 10 --out results
  stickslip run --resume results

Exit codes: 0 finished or ended by [stop], 1 a step had no certified answer or a file could not be written,
  2 misuse, 130 interrupted"
)]
pub(crate) struct RunArgs {
    /// A scene file, or a name that `stickslip gallery` lists.
    #[arg(required_unless_present = "resume")]
    pub(crate) scene: Option<String>,
    /// Go on with the run whose checkpoint is in DIR: the same scene, settings and version of the program.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "scene", "out", "format", "t_end", "sample_dt", "set", "dt", "integrator", "formulation", "solver", "impact",
            "tol", "accept", "threads", "theta", "correction", "sleep", "directions", "rho", "relaxation", "minimum_norm",
        ]
    )]
    pub(crate) resume: Option<PathBuf>,
    /// Where the files go [default: out/ and the name of the scene].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The format of the tables: csv, arrow (streams of Apache Arrow, trajectory.arrows and so on) or both.
    #[arg(long, value_name = "FORMAT", default_value = "csv",
          value_parser = choice::<Format>(Format::ALL.map(Format::name)))]
    pub(crate) format: Format,
    /// Seconds of wall-clock time between checkpoints, from which a run that was killed can be resumed [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) checkpoint_every: Option<Duration>,
    /// The end time [default: the scene's].
    #[arg(long, value_name = "SECONDS", value_parser = number, help_heading = "Settings")]
    pub(crate) t_end: Option<f64>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Between samples at least this much time passes; 0 for every step [default: the time of the run over `samples` of the scene].
    #[arg(long, value_name = "SECONDS", value_parser = number, help_heading = "Settings")]
    pub(crate) sample_dt: Option<f64>,
    /// Threads that share the solving of many contacts; the answer is the same to the last bit [default: 1].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Write report.html too, one page with a replay and plots, and open it in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Print the content of summary.json, with `directory` and `files`, instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors (and what --json asks for).
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value = number(text)?;
    Duration::try_from_secs_f64(value).map_err(|_| format!("`{text}` is no length of time"))
}
