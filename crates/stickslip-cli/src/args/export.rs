//! What `stickslip export` can be given.

use super::{SettingArgs, number};
use std::path::PathBuf;

/// Write the problem of one step as JSON that `stickslip solve` reads.
///
/// The scene runs to the time --at, and the contact problem of the step from there is written: as it is
/// (--as contact), or as the complementarity problem that a formulation makes of it (--as lcp, --as mlcp), with
/// `names` of the unknowns. An event-driven scene takes a step of moreau_midpoint with its dt there.
/// Where friction depends on slip, mu is the number that it is in the answer of the step.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip export woodpecker --at 0.13 --as contact
  stickslip export woodpecker --at 0.13 --as lcp --out problem.json
  stickslip export woodpecker --at 0.13 --as lcp --formulation stewart_trinkle
  stickslip export woodpecker --at 0.13 --as mlcp --formulation phantom_inertia
  stickslip export pushed_particle --as lcp --formulation stewart_trinkle --over-time runs/slack

What is written:
  lcp   glocker_studer    eq. (33) of Glocker and Studer: impulse_n, impulse_r, slip_l   [default]
        stewart_trinkle   with a slip slack: impulse_n, beta_1, beta_2, slip
        phantom_inertia   friction eliminated: impulse_n, kappa+, kappa-
  mlcp  phantom_inertia   friction as free unknowns [default]
        stewart_trinkle   the slip slack; connections are free unknowns

Exit codes: 0 written, 1 the step has no certified answer, 2 misuse"
)]
pub(crate) struct ExportArgs {
    /// A scene file, or a name that `stickslip gallery` lists.
    pub(crate) scene: String,
    /// The time at which the step begins [default: the start of the scene].
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) at: Option<f64>,
    /// What is written.
    #[arg(long = "as", value_name = "KIND", value_parser = ["lcp", "mlcp", "contact"])]
    pub(crate) kind: String,
    /// The file [default: the standard output].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Instead of one problem: solve those of all steps, and write every unknown and its complement over time to this
    /// directory, as unknowns.csv and a plot.
    #[arg(long, value_name = "DIR")]
    pub(crate) over_time: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}
