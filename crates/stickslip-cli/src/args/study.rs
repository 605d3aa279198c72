//! What `stickslip study` can be given.

use super::number;
use std::path::PathBuf;
use stickslip_studies::limit_surfaces::Part;

/// Answer a question about friction models or body models by computing: tables, numbers and plots.
///
/// Without options each makes the figures of its page in the book.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = false,
    args_conflicts_with_subcommands = true,
    subcommand_value_name = "STUDY",
    subcommand_help_heading = "Studies",
    disable_help_subcommand = true,
    after_help = "\
Examples:
  stickslip study --list
  stickslip study rank --k 2,4
  stickslip study limit-surfaces --part mixed --json
  stickslip study tumble --omega 0.01,6,0.01 --out results

Exit codes: 0 done, 1 a problem had no certified answer or a file could not be written, 2 misuse"
)]
pub(crate) struct StudyArgs {
    /// List the studies with what each shows, as without a study.
    #[arg(long)]
    pub(crate) list: bool,
    #[command(subcommand)]
    pub(crate) study: Option<StudyCommand>,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum StudyCommand {
    Rank(RankArgs),
    Rho(RhoArgs),
    Polygons(PolygonArgs),
    LimitSurfaces(LimitSurfaceArgs),
    Tumble(TumbleArgs),
    Woodpecker(WoodpeckerArgs),
}

/// Where the findings go.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct StudyOutputArgs {
    /// Write tables.md, findings.json and the plots, as SVG, into this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Put the tables between their markers on a Markdown page, and the plots beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
    /// Print one JSON object instead of tables: an array of objects for each of them.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors (and what --json asks for).
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Does phantom inertia give the matrix of a friction model full rank? Rank and condition, beside Stewart-Trinkle.
///
/// Each cell has the rank of the matrix, its size, and where the rank is full the condition number.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip study rank
  stickslip study rank --k 2,4,8 --rho 0.1
  stickslip study rank --problem problem.json

With --json: matrices (system, rows, definite, matrix, k, rank, size, condition; null where a form is impossible or
the rank is not full), smallest_counted and largest_neglected (singular values over the largest)."
)]
pub(crate) struct RankArgs {
    /// Numbers of lines k; the polygon has 2 k corners [default: 2,3,4,8].
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub(crate) k: Vec<usize>,
    /// The phantom inertia, in kg [default: the one that the solver chooses for each contact].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) rho: Option<f64>,
    /// A contact problem in space, as `stickslip export --as contact` writes it, instead of the systems of the book; may
    /// be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) problem: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: StudyOutputArgs,
}

/// Does the motion depend on phantom inertia, where is its matrix singular, and which solvers notice?
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip study rho --count 20
  stickslip study rho --k 4 --factors 0,1e-6,1,1e6 --count 50 --json

With --json: factors (answers with a multiple of the default rho against those with the default), singular (values of
rho, found and predicted), at_singular, methods (problems that each solver solves alone)."
)]
pub(crate) struct RhoArgs {
    /// Numbers of lines k; the polygon has 2 k corners [default: 2,3,4,8].
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub(crate) k: Vec<usize>,
    /// Random problems per number of contacts and of lines [default: 200].
    #[arg(long, value_name = "COUNT")]
    pub(crate) count: Option<usize>,
    /// The most contacts of a random problem [default: 4].
    #[arg(long, value_name = "COUNT")]
    pub(crate) contacts: Option<usize>,
    /// Multiples of the default rho to compare with [default: 0, then 1e-10 to 1e6 in steps of 100].
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = number)]
    pub(crate) factors: Vec<f64>,
    #[command(flatten)]
    pub(crate) output: StudyOutputArgs,
}

/// How strong is the friction of a polygon over the direction of slip, beside that of the disc?
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stickslip study polygons
  stickslip study polygons --k 2 --headings 360 --out results

With --json: polygons (polygon, k, certified, sliding and holding: weakest and strongest over that of the disc,
off_support_function, aside_degrees, formula).")]
pub(crate) struct PolygonArgs {
    /// Numbers of lines k; the polygon has 2 k corners [default: 2,3,4,8].
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub(crate) k: Vec<usize>,
    /// Directions of slip, evenly spaced [default: 1440].
    #[arg(long, value_name = "COUNT")]
    pub(crate) headings: Option<usize>,
    #[command(flatten)]
    pub(crate) output: StudyOutputArgs,
}

/// What do limit surfaces do to a body that slides and spins? Against closed forms.
///
/// Parts: `dragged`, a box on one patch that is pulled and twisted (where it begins to slip, how it leaves); `ellipsoid`, a disc
/// that slides and spins to rest, v as a power of ω; `mixed`, the same where sliding and spinning have friction of their own;
/// `polyhedra`, how fast they approach the ellipsoid; `uniform`, the exact limit surface of uniform pressure and its final
/// ratio of sliding and spinning.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip study limit-surfaces --part mixed
  stickslip study limit-surfaces --part ellipsoid --disc 0.5:1 --disc 0.5:0.5 --steps 64,256
  stickslip study limit-surfaces --part dragged,polyhedra --axes 1,0.5,0.1 --facets 256 --out results

With --json: onset, step_friction, ellipsoids, mixed, polyhedra, polyhedra_slopes, uniform, uniform_steps,
uniform_inertias, final_ratio (those of the parts asked for), problems, worst_certificate."
)]
pub(crate) struct LimitSurfaceArgs {
    /// What of it [default: all].
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = Part::ALL.map(Part::name))]
    pub(crate) part: Vec<String>,
    /// The shape of the patch: axes e_t, e_o and e_r (m) of its ellipsoid, in `dragged` and `polyhedra` [default: 1,0.7,0.2 and
    /// 1,1,0.4].
    #[arg(long, value_name = "E_T,E_O,E_R", value_parser = triple)]
    pub(crate) axes: Option<[f64; 3]>,
    /// The coefficient of friction of the disc [default: 0.3].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) mu: Option<f64>,
    /// How fast the disc slides at the start, m/s [default: 1].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) v: Option<f64>,
    /// How fast the disc spins at the start in `ellipsoid`, rad/s [default: 2].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) omega: Option<f64>,
    /// A disc of 1 kg in `ellipsoid`: its moment of inertia (kg m²) and e_r (m); v falls with the power J/e_r² of ω. May be
    /// repeated [default: six discs].
    #[arg(long, value_name = "J:E_R", value_parser = pair)]
    pub(crate) disc: Vec<[f64; 2]>,
    /// Steps in the time in which a particle stops, in `ellipsoid` [default: 64,256,1024,4096,16384].
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    pub(crate) steps: Vec<usize>,
    /// The most facets of a polyhedron [default: 2048].
    #[arg(long, value_name = "COUNT")]
    pub(crate) facets: Option<usize>,
    #[command(flatten)]
    pub(crate) output: StudyOutputArgs,
}

/// What do rigid bodies and point masses make of free rotation, and of a fall? Errors, orders, cost.
///
/// Free rotation is held against elliptic functions; the fall of a box (0.4, 0.25, 0.1 m) against the finest run. Compared are
/// the updates of rigid bodies and the distance steps of point masses (as_printed, half, shake).
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip study tumble --sizes 5 --shifts 4
  stickslip study tumble --omega 0.01,6,0.01 --duration 10
  stickslip study tumble --moments 1,2,2.6 --omega 1,2,3 --json
  stickslip study tumble --part fall --mu 0.5 --duration 0.3 --sizes 4
  stickslip study tumble --part scene

With --json: scene (model, energy, momentum, angle: the scene tumbling_box), rotations (motion, model, dt, angle, energy, momentum), cost (nanoseconds_per_step and the step for an
angle of 1e-3 rad), falls (root of the mean square of place, rotation, spin), fall_ends."
)]
pub(crate) struct TumbleArgs {
    /// What of it; scene is the flip of the scene tumbling_box with every model of scenes [default: all; with options rotation
    /// and fall].
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = ["scene", "rotation", "fall"])]
    pub(crate) part: Vec<String>,
    /// Principal moments of inertia over the mass, m² [default: those of the box].
    #[arg(long, value_name = "A,B,C", value_parser = triple)]
    pub(crate) moments: Option<[f64; 3]>,
    /// A free rotation: angular velocity in body axes, rad/s; may be repeated [default: a flip about the middle axis
    /// (0.01, 6, 0.01), and (3, 2, 4)].
    #[arg(long, value_name = "X,Y,Z", value_parser = triple, allow_hyphen_values = true)]
    pub(crate) omega: Vec<[f64; 3]>,
    /// One fall with this coefficient of friction [default: 0 and 0.3].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) mu: Option<f64>,
    /// How long, s [default: 4 for rotations, 0.2 and 0.8 for falls].
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) duration: Option<f64>,
    /// Steps of the coarsest rotation, a multiple of 16 [default: 256].
    #[arg(long, value_name = "COUNT")]
    pub(crate) steps: Option<usize>,
    /// Step sizes, each half of the one before; falls use at most 7 [default: 8].
    #[arg(long, value_name = "COUNT")]
    pub(crate) sizes: Option<usize>,
    /// Leave out the times of a step, so that the same options give the same bytes.
    #[arg(long)]
    pub(crate) no_cost: bool,
    /// Shifted grids over which the error of a fall is the root of the mean square [default: 8].
    #[arg(long, value_name = "COUNT")]
    pub(crate) shifts: Option<usize>,
    #[command(flatten)]
    pub(crate) output: StudyOutputArgs,
}

/// What do the model of the woodpecker toy and the set-valued laws in it look like? Figures 1 to 3 of Glocker and Studer.
///
/// The toy is drawn upright and at the angles given, with its gaps. Figures 4 to 6 are those of `stickslip run woodpecker`.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip study woodpecker --out results
  stickslip study woodpecker --phi-m 0.1034 --phi-s 0.12 --out results

With --json: gaps (phi_m, phi_s, gaps of beak, lower and upper edge in m)."
)]
pub(crate) struct WoodpeckerArgs {
    /// The angle of the sleeve, rad [default: -0.1036].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) phi_m: Option<f64>,
    /// The angle of the bird, rad [default: -0.2788].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) phi_s: Option<f64>,
    #[command(flatten)]
    pub(crate) output: StudyOutputArgs,
}

fn triple(text: &str) -> Result<[f64; 3], String> {
    list(text, ',', "three numbers with commas between them, e.g. 1,0.7,0.2")
}

fn pair(text: &str) -> Result<[f64; 2], String> {
    list(text, ':', "two numbers with a colon between them, e.g. 0.5:1")
}

fn list<const N: usize>(text: &str, mark: char, form: &str) -> Result<[f64; N], String> {
    let values: Vec<f64> = text.split(mark).map(number).collect::<Result<_, _>>()?;
    values.try_into().map_err(|_| format!("`{text}` is not {form}"))
}
