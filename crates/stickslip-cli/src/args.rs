//! What can be typed.

mod analyze;
mod contact;
mod convert;
mod export;
mod live;
mod report;
mod run;
mod study;

pub(crate) use analyze::{AnalyzeArgs, LimitArgs};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
pub(crate) use contact::ContactArgs;
pub(crate) use convert::{ConvertArgs, Target};
pub(crate) use export::ExportArgs;
pub(crate) use live::LiveArgs;
pub(crate) use report::ReportArgs;
pub(crate) use run::RunArgs;
use std::path::PathBuf;
use std::str::FromStr;
use stickslip::contact::solve::{Formulation, SolverChoice};
use stickslip::impact::ImpactLaw;
use stickslip::step::Integrator;
pub(crate) use study::{LimitSurfaceArgs, StudyArgs, StudyCommand, StudyOutputArgs, TumbleArgs};

/// Mechanical systems with contact, dry friction and impacts; every answer is checked against the law
/// that it claims to satisfy.
///
/// Without a command the woodpecker hammers down its pole, and its plots are written to out/woodpecker.
#[derive(Debug, Parser)]
#[command(name = "stickslip", version, max_term_width = 100, after_help = EXIT_CODES)]
#[command(after_long_help = concat!(
    "Examples:\n",
    "  stickslip                                   the woodpecker toy\n",
    "  stickslip gallery                           what else there is\n",
    "  stickslip new my-scene                      a scene of your own to begin with\n",
    "  stickslip check my-scene.toml               whether it is in order\n",
    "  stickslip run woodpecker --set mu=0.35      another coefficient of friction\n",
    "  stickslip run my-scene.toml --out results   a scene of your own\n",
    "  stickslip run --resume results              a run that was interrupted goes on\n",
    "  stickslip run woodpecker --open             the replay and its plots in the browser\n",
    "  stickslip live woodpecker --open            a simulation to play with\n",
    "  stickslip cycle woodpecker                  its limit cycle, to twelve digits\n",
    "  stickslip sweep woodpecker --vary mu=0.25:0.40:151\n",
    "  stickslip solve problem.json --json         one contact problem, LCP or MLCP\n",
    "  stickslip analyze painleve_rod              which solutions there are, and why\n",
    "  stickslip study --list                      ready-made numerical studies\n",
    "  stickslip gauntlet                          everyday motions compared with their exact results\n\n",
    "Exit codes:\n",
    "  0    good\n",
    "  1    no answer met the tolerance, a run ended early, or a file could not be written\n",
    "  2    misuse: an argument, a scene or a problem that is wrong; nothing was computed\n",
    "  130  interrupted by Ctrl-C; the files are complete up to that time",
))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes: 0 good, 1 no answer met the tolerance or a run ended early, 2 misuse, 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Gallery(GalleryArgs),
    New(NewArgs),
    Check(CheckArgs),
    Schema(SchemaArgs),
    Run(RunArgs),
    Report(ReportArgs),
    Live(LiveArgs),
    Convert(ConvertArgs),
    Solve(SolveArgs),
    Cycle(CycleArgs),
    Sweep(SweepArgs),
    Analyze(AnalyzeArgs),
    Export(ExportArgs),
    Study(StudyArgs),
    Gauntlet(GauntletArgs),
}

impl Command {
    /// What happens without a command.
    pub(crate) fn woodpecker() -> Self {
        Self::Run(RunArgs { scene: Some("woodpecker".to_owned()), ..RunArgs::default() })
    }
}

/// Run everyday motions of bodies whose exact ends are known, with default settings.
///
/// What stands still, slides, rolls, bounces or falls: cubes, stacks, pyramids, balls, an arch, bricks, a ladder. Contacts are found by collision
/// detection; no setting is tuned for a case.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stickslip gauntlet
  stickslip gauntlet --case stack --long
  stickslip gauntlet --json

Exit codes: 0 all passed, 1 one did not")]
pub(crate) struct GauntletArgs {
    /// Only those whose row and name contain this, e.g. `F` or `arch`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) case: Option<String>,

    /// Also those that take minutes.
    #[arg(long)]
    pub(crate) long: bool,

    /// The integrator; a time-stepping one.
    #[arg(long, value_name = "NAME", value_parser = choice::<Integrator>(Integrator::ALL.map(Integrator::name)))]
    pub(crate) integrator: Option<Integrator>,

    /// Print an array of objects with `row`, `name`, `quantity`, `measured`, `exact`, `tolerance`, `pass`, `lost`, `depth` and
    /// `certificate`; `exact` of what is to fall is the least way, and its `tolerance` is null.
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the scenes that are built in, or print the text of one.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip gallery
  stickslip gallery woodpecker > my.toml
  stickslip gallery --json"
)]
pub(crate) struct GalleryArgs {
    /// A scene whose text is printed, to be read or changed.
    pub(crate) scene: Option<String>,

    /// Print an array of objects with `name`, `title`, `description`, `coordinates`, `velocities`, `contacts` and
    /// `parameters`.
    #[arg(long, conflicts_with = "scene")]
    pub(crate) json: bool,
}

/// Write a scene file to begin with.
///
/// It has one of everything, with comments; a file that exists is left alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  stickslip new my-scene
  stickslip check my-scene.toml

Exit codes: 0 written, 2 the file exists or cannot be written")]
pub(crate) struct NewArgs {
    /// The name of the file; .toml is added if it has no ending.
    pub(crate) name: String,
}

/// Read a scene and say whether it is in order, without running it.
///
/// Mistakes are shown with their line and what would be right: unknown names and keys, a mass matrix that is not
/// positive definite, a start inside a contact, settings that do not go together.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip check my-scene.toml
  stickslip check woodpecker --set mu=0.35

Exit codes: 0 in order, 2 not"
)]
pub(crate) struct CheckArgs {
    /// A scene file, a robot (.urdf, or .xml of MJCF), or a name that `stickslip gallery` lists.
    pub(crate) scene: String,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, f64)>,
    /// Print nothing but errors.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Print the JSON schema of scene files, with which editors complete and check them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  stickslip schema > scene.schema.json")]
pub(crate) struct SchemaArgs {}

/// Settings of a run; those not given are the scene's.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SettingArgs {
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, f64)>,
    /// The step of the time-stepping integrators.
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) dt: Option<f64>,
    /// How the system is taken through time.
    #[arg(long, value_name = "NAME", value_parser = choice::<Integrator>(Integrator::ALL.map(Integrator::name)))]
    pub(crate) integrator: Option<Integrator>,
    /// How contact problems are turned into complementarity problems.
    #[arg(long, value_name = "NAME", value_parser = choice::<Formulation>(Formulation::ALL.map(Formulation::name)))]
    pub(crate) formulation: Option<Formulation>,
    /// What solves the complementarity problems.
    #[arg(long, value_name = "NAME", value_parser = choice::<SolverChoice>(SolverChoice::ALL.map(SolverChoice::name)))]
    pub(crate) solver: Option<SolverChoice>,
    /// The law of impacts.
    #[arg(long, value_name = "NAME", value_parser = choice::<ImpactLaw>(ImpactLaw::ALL.map(ImpactLaw::name)))]
    pub(crate) impact: Option<ImpactLaw>,
    /// The worst certificate that counts as solved.
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) tol: Option<f64>,
    /// The worst certificate with which a step is made where no better answer is found; 0 to end there [default: 1e-3].
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) accept: Option<f64>,
    /// θ of moreau_jean, between 0.5 and 1.
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    pub(crate) theta: Option<f64>,
    /// Move the configuration out of contacts at the end of each step.
    #[arg(long)]
    pub(crate) correction: bool,
    /// Put rigid bodies to sleep that are still, which is not exact; the scene says when, by still_for and slower_than.
    #[arg(long)]
    pub(crate) sleep: bool,
    #[command(flatten)]
    pub(crate) contact: ContactArgs,
}

/// Solve one complementarity or contact problem.
///
/// The file holds JSON of one of the kinds
///   {"kind":"lcp","m":[[2,1],[1,2]],"q":[-1,-1]}
///   {"kind":"mlcp","m":[[2]],"q":[-1],"lower":[null],"upper":[1]}
///   {"kind":"contact","delassus":[[1,0],[0,1]],"bias":[-1,0.5],"contacts":[{"mu":0.3}]}
///   {"kind":"contact","delassus":{"n":3,"rows":[0,1,2],"cols":[0,1,2],"values":[1,1,1]},
///    "bias":[-1,0.5,0],"contacts":[{"mu":0.3,"friction":"disc"}]}
/// with null for a bound at infinity, and the components of each contact in the order N, T, O, R (spin).
/// Other frictions: "none", "planar", {"ellipsoid":[1,1,0.3]}, {"polygon":[[1,0],…]}, {"polyhedron":[[a_t,…],…]},
/// {"mixed":{"ellipse":[1,1],"spin":0.3}}, {"uniform_disc":R}, {"bilateral":n}, {"dry":"planar"}.
/// Or it is an HDF5 file with a local problem of FCLib.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  stickslip solve problem.json
  stickslip solve problem.json --formulation stewart_trinkle --directions 16
  stickslip solve box_on_four_corners.json --solver admm --minimum-norm
  stickslip solve problem.hdf5 --tol 1e-8
  echo '{\"kind\":\"lcp\",\"m\":[[2]],\"q\":[-1]}' | stickslip solve - --json

With --json one object is printed. Its keys: status (solved, no_solution, failed), reason, kind, z and w
(LCP, MLCP) or components, impulse, velocity, modes and redundancy (contact: rank of W, dimension of the
impulses that do the same; null above 300 rows), certificate (worst, and each measure with its place),
proof (if there is no solution: Farkas vectors or multipliers of rows, exact, at each end of a case distinction),
model (the same against the exact law, where the formulation stands for another; else null), solver,
formulation, iterations, seconds.

Exit codes: 0 solved, 1 no answer met the tolerance (or there is none, proved), 2 misuse"
)]
pub(crate) struct SolveArgs {
    /// The file; - for the standard input.
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: PathBuf,
    /// For contact problems: what they are turned into. Only this one is then used [default: glocker_studer in the
    /// plane, cone in space and for nsgs, admm and alternating].
    #[arg(long, value_name = "NAME", value_parser = choice::<Formulation>(Formulation::ALL.map(Formulation::name)))]
    pub(crate) formulation: Option<Formulation>,
    /// The solver.
    #[arg(long, value_name = "NAME", default_value = "auto",
          value_parser = choice::<SolverChoice>(SolverChoice::ALL.map(SolverChoice::name)))]
    pub(crate) solver: SolverChoice,
    /// The worst certificate that counts as solved.
    #[arg(long, value_name = "NUMBER", default_value = "1e-10", value_parser = number)]
    pub(crate) tol: f64,
    #[command(flatten)]
    pub(crate) contact: ContactArgs,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Find a limit cycle: period, Floquet multipliers, what the contacts do, where the energy goes.
///
/// The motion is followed by the event-driven integrator from section to section until it settles; then the cycle is
/// solved for. Scenes say what their section is; --section or --period say it for those that do not.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip cycle woodpecker
  stickslip cycle woodpecker --set mu=0.35 --json
  stickslip cycle my-scene.toml --section x
  stickslip cycle table_block --period 0.5

With --json one object is printed. Its keys: status (found or lost), reason, period, stable, multipliers
(re, im, abs), state (t, coordinates, velocities), drop (change of each cyclic coordinate), energy
(change, friction, impacts, drive, forces, rest, relative), modes (t, and the mode of each contact from then on),
events, returns, residual, settling, scene, parameters, section, seconds. A search that is lost has status,
reason, state, returns, scene, parameters, section, seconds.

Exit codes: 0 found, 1 no cycle was found, 2 misuse"
)]
pub(crate) struct CycleArgs {
    /// A scene file, or a name that `stickslip gallery` lists.
    pub(crate) scene: String,
    /// Give a parameter of the scene another value; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, f64)>,
    /// An expression of the state that is zero on the section and rises there [default: the scene's section].
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(crate) section: Option<String>,
    /// For systems that are driven: look at the state after every such time, not at a section; a number or an expression in
    /// parameters.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, conflicts_with = "section")]
    pub(crate) period: Option<String>,
    /// A return that takes longer than this is none [default: the scene's end time].
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) longest: Option<f64>,
    /// How well a point must return, relative to its size.
    #[arg(long, value_name = "NUMBER", default_value = "1e-11", value_parser = number)]
    pub(crate) tol: f64,
    /// The error of the motion inside a step, relative to velocities.
    #[arg(long, value_name = "NUMBER", default_value = "1e-12", value_parser = number)]
    pub(crate) motion_tol: f64,
    /// Returns to wait for the motion to settle.
    #[arg(long, value_name = "COUNT", default_value_t = 400)]
    pub(crate) settle: usize,
    /// The law of impacts.
    #[arg(long, value_name = "NAME", value_parser = choice::<ImpactLaw>(ImpactLaw::ALL.map(ImpactLaw::name)))]
    pub(crate) impact: Option<ImpactLaw>,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Run a scene for every value of one or two parameters, on all cores: a bifurcation diagram.
///
/// Every run goes on until its returns to the section have settled, on one state or on several in turn. Into DIR go
/// sweep.csv (one line per value: settled, not settled, no return or failed; after how many returns and what time
/// the motion repeats, mean velocities, impacts, worst certificate), crossings.csv (one line per
/// state that is kept), summary.json and the plot bifurcation, as SVG and PNG. After Ctrl-C they hold the
/// values that were finished, and --resume computes the others.
#[derive(Debug, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "\
Examples:
  stickslip sweep woodpecker --vary mu=0.25:0.40:151 --integrator event_driven
  stickslip sweep woodpecker --vary eps_N1=0:0.9:91 --continue
  stickslip sweep woodpecker --vary mu=0.2:0.4:41 --vary eps_N1=0:0.8:41 --section beak:impact
  stickslip sweep my-oscillator.toml --vary w=1.5:4:251 --period '2*pi/w'

Exit codes: 0 no run failed, 1 some did (sweep.csv says which) or a file could not be written,
  2 misuse, 130 interrupted"
)]
pub(crate) struct SweepArgs {
    /// A scene file, or a name that `stickslip gallery` lists.
    pub(crate) scene: String,
    /// A parameter with its first and last value and the number of values; twice for a grid.
    #[arg(long, value_name = "NAME=FROM:TO:COUNT", required = true, allow_hyphen_values = true)]
    pub(crate) vary: Vec<Vary>,
    /// Start each run from the last state of the run before it along the first parameter, not from the scene's start.
    #[arg(long = "continue")]
    pub(crate) continued: bool,
    /// Where states are kept: an expression of the state, where it rises through zero, or events of a contact
    /// (impact, closes, opens, sticks, slips+, slips-) [default: the section of the scene's limit cycle, else
    /// impacts of the first contact].
    #[arg(long, value_name = "EXPRESSION|CONTACT[:EVENT]", allow_hyphen_values = true)]
    pub(crate) section: Option<String>,
    /// Keep states after every such time instead, for systems that are driven: an expression in parameters, e.g. '2*pi/w'.
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, conflicts_with = "section")]
    pub(crate) period: Option<String>,
    /// Returns after which a motion that has not settled is left.
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    pub(crate) returns: usize,
    /// A return that takes longer than this is none [default: the scene's end time].
    #[arg(long, value_name = "SECONDS", value_parser = number)]
    pub(crate) longest: Option<f64>,
    /// A motion has settled where its states at the section are no farther from those that they approach, as a share of
    /// their size; with time stepping, where they scatter by no more and go nowhere [default: 1e-4, with time stepping 0.05].
    #[arg(long, value_name = "SHARE", value_parser = number)]
    pub(crate) same: Option<f64>,
    /// States to keep of a motion that has not settled; of one that has, it is one cycle.
    #[arg(long, value_name = "COUNT", default_value_t = 64)]
    pub(crate) keep: usize,
    /// Leave out values that sweep.csv in DIR has already.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Threads [default: one per core].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Where the files go [default: out/ and the name of the scene and -sweep].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Print the content of summary.json, with `directory` and `files`, instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but errors (and what --json asks for).
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vary {
    pub(crate) name: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) count: usize,
}

/// The most values of one parameter.
const MOST_VALUES: usize = 1_000_000;

impl Vary {
    /// The values, the ends exactly as they were typed.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        let last = self.count - 1;
        (0..self.count).map(move |i| match i {
            0 => self.from,
            i if i == last => self.to,
            i => self.from + (self.to - self.from) * (i as f64 / last as f64),
        })
    }
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form =
            || format!("`{text}` is not of the form NAME=FROM:TO:COUNT, e.g. mu=0.25:0.40:151");
        let (name, range) = text.split_once('=').ok_or_else(form)?;
        let parts: Vec<&str> = range.split(':').collect();
        let [from, to, count] = parts[..] else { return Err(form()) };
        let (from, to) = (number(from)?, number(to)?);
        let count: usize = count.trim().parse().map_err(|_| form())?;
        if count == 0 || count > MOST_VALUES {
            return Err(format!("the count of `{text}` must be between 1 and {MOST_VALUES}"));
        }
        Ok(Self { name: name.trim().to_owned(), from, to, count })
    }
}

/// A name of a list, turned into what it names.
fn choice<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(names.into_iter().collect::<Vec<_>>()).try_map(|name| name.parse())
}

fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    if value.is_finite() { Ok(value) } else { Err(format!("`{text}` is not a finite number")) }
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not of the form NAME=VALUE, e.g. mu=0.35"))?;
    let value = number(value).map_err(|e| format!("the value of `{}`: {e}", name.trim()))?;
    Ok((name.trim().to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_consistent_and_every_one_has_an_example() {
        let command = Args::command();
        command.clone().debug_assert();
        for sub in command.get_subcommands() {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("stickslip {}", sub.get_name())), "{}", sub.get_name());
            assert!(sub.get_about().is_some(), "{}", sub.get_name());
        }
    }

    #[test]
    fn a_range_has_its_ends_exactly() {
        let vary: Vary = "mu=0.25:0.40:151".parse().unwrap();
        let values: Vec<f64> = vary.values().collect();
        assert_eq!((values.len(), values[0], values[150]), (151, 0.25, 0.40));
        assert!((values[75] - 0.325).abs() < 1e-15);
        assert_eq!("mu=0.3:0.4:1".parse::<Vary>().unwrap().values().collect::<Vec<_>>(), [0.3]);
        for bad in ["mu", "mu=1:2", "mu=1:2:0", "mu=1:2:x", "mu=a:2:3", "mu=1:nan:3", "mu=1:2:3:4"]
        {
            assert!(bad.parse::<Vary>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_assignment_needs_a_name_and_a_finite_number() {
        assert_eq!(assignment("mu=0.3"), Ok(("mu".into(), 0.3)));
        for bad in ["mu", "mu=", "mu=x", "mu=nan", "mu=inf"] {
            assert!(assignment(bad).is_err(), "{bad}");
        }
    }
}
