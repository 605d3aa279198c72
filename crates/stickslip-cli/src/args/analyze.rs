//! What `stickslip analyze` can be given.

use super::{Vary, assignment, number};
use std::path::PathBuf;

/// Does a solution exist, is it unique, and what are all of them?
///
/// For a scene: its state at the start, or at a time, on the level of accelerations, of a step, and (if a contact approaches) of
/// the impact. For a problem (JSON of kind "contact", or an HDF5 file of FCLib): the problem as it is.
/// Told are the modes, forces and certificate of every solution, or a proof that there is none; what is not
/// unique and by how many dimensions; matrix classes with witnesses; how far friction is from the bounds of
/// theorem 1 (Pang and Trinkle) and what its convex program says.
#[derive(Debug, Default, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip analyze painleve_rod
  stickslip analyze woodpecker --at 0.13 --sensitivity mu,m_S
  stickslip analyze box_on_four_corners.json --json
  stickslip analyze painleve_rod --map theta_0=0.01:1.56:400 --map mu=0.01:4:400
        --boundary 'mu - (4 + tan(theta_0)^2)/(3*tan(theta_0))'

With --map the number of solutions is drawn over two parameters, coordinates or velocities: map.csv,
map.svg, map.png and map.json go into DIR.

With --json one object is printed. Its keys: kind (scene or contact), scene, t, state, touching, verdict, and levels, a
list with level, contacts, count, complete, solutions (modes, impulse, velocity, motion, energy,
certificate, dimension, vertices, rays, basis), proof, because, rank, redundancy, matrix, theorem (bounds with
common, factor and holds; self_stress; text), sensitivity, left_out.

Exit codes: 0 analysed, 1 only in part (limits, rounding), 2 misuse, 130 interrupted"
)]
pub(crate) struct AnalyzeArgs {
    /// A scene file, a name that `stickslip gallery` lists, or a problem file; - for a problem from the standard input.
    #[arg(value_name = "SCENE|PROBLEM")]
    pub(crate) input: String,
    /// Analyse the state that the scene reaches at this time [default: its start].
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) at: Option<f64>,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, f64)>,
    /// Give a coordinate or velocity another value in the state that is analysed; may be repeated.
    #[arg(long = "state", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) state: Vec<(String, f64)>,
    /// Derivatives of the solutions with respect to parameters, coordinates or velocities of the scene, or to `mu` and
    /// `bias` entries of a problem (mu[0], bias[3]).
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) sensitivity: Vec<String>,
    /// Draw the number of solutions over two of these; give it twice.
    #[arg(long, value_name = "NAME=FROM:TO:COUNT", allow_hyphen_values = true)]
    pub(crate) map: Vec<Vary>,
    /// The level of the map: acceleration, step or impact.
    #[arg(long, value_name = "LEVEL", default_value = "acceleration", requires = "map",
          value_parser = ["acceleration", "step", "impact"])]
    pub(crate) level: String,
    /// Draw where this expression in the names of the scene is zero over the map.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, requires = "map")]
    pub(crate) boundary: Option<String>,
    /// Where the files of a map go [default: out/ and the name of the scene and -map].
    #[arg(long, value_name = "DIR", requires = "map")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors (and what --json asks for).
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What counts as touching, and how far the search goes.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// A contact touches if its gap is at most this [default: 1e-6].
    #[arg(long, value_name = "METRES", value_parser = number)]
    pub(crate) gap: Option<f64>,
    /// A contact that touches rests if its gap changes no faster than this [default: 1e-6].
    #[arg(long, value_name = "SPEED", value_parser = number)]
    pub(crate) speed: Option<f64>,
    /// The length of the step on the level of steps [default: the scene's dt].
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) dt: Option<f64>,
    /// Contacts beyond which not all solutions are looked for, at most 20 [default: 12].
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_contacts: Option<usize>,
    /// Cases after which the search ends with what it has [default: 200000].
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_nodes: Option<usize>,
    /// The certificate that a solution must meet [default: 1e-9].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) tol: Option<f64>,
}
