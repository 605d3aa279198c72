//! What `stickslip live` can be told.

use super::SettingArgs;
use std::path::PathBuf;

/// Watch a scene while it is simulated, and change it: pause, step, parameters, dragged bodies.
///
/// Serves the page of a report on this machine alone, with the simulation running in the process, until Ctrl-C. The address
/// that is printed holds a token, without which nothing is answered; other machines and other pages are refused.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip live woodpecker --open
  stickslip live my-pile.toml --dt 2e-3 --port 4000

Exit codes: 0 ended by Ctrl-C, 2 misuse, or the port is taken"
)]
pub(crate) struct LiveArgs {
    /// A scene file, or a name that `stickslip gallery` lists.
    pub(crate) scene: String,
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// The port on 127.0.0.1; 0 for one that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Where recordings go [default: out/, the name of the scene and -live].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}
