//! What `stickslip report` can be told.

use super::number;
use std::path::PathBuf;

/// Write the report of a run as one page that opens offline, and animations for other programs.
///
/// DIR is what `stickslip run` wrote. Into it goes report.html: a replay in three dimensions, or of the mechanism that the
/// scene draws, with contact forces, plots, events and parameters, in one file that needs no network.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stickslip report out/woodpecker
  stickslip report out/woodpecker --open
  stickslip report out/dominoes --strip strip.svg --frames 6
  stickslip report out/my-pile --gltf pile.gltf --mp4 pile.mp4 --speed 0.5

Exit codes: 0 written, 1 a file could not be written, 2 there is no such run, or no ffmpeg")]
pub(crate) struct ReportArgs {
    /// The directory of a run.
    pub(crate) dir: PathBuf,
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Also write a glTF animation of the bodies, which Blender and others open: .gltf, or .glb.
    #[arg(long, value_name = "FILE")]
    pub(crate) gltf: Option<PathBuf>,
    /// Also write frames side by side as one SVG, for papers.
    #[arg(long, value_name = "FILE")]
    pub(crate) strip: Option<PathBuf>,
    /// How many frames the strip has.
    #[arg(long, value_name = "COUNT", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) frames: u16,
    /// Also write a film; needs the program ffmpeg.
    #[arg(long, value_name = "FILE")]
    pub(crate) mp4: Option<PathBuf>,
    /// Also write an animated GIF; needs the program ffmpeg.
    #[arg(long, value_name = "FILE")]
    pub(crate) gif: Option<PathBuf>,
    /// Seconds of the run in a second of the film, or of the glTF animation [default: 1].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) speed: Option<f64>,
}
