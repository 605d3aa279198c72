//! `stickslip study`: ready-made numerical studies.

use super::solve;
use crate::args::{Args, LimitSurfaceArgs, StudyArgs, StudyCommand, StudyOutputArgs, TumbleArgs};
use crate::error::{CliError, Outcome};
use crate::{output, table};
use clap::CommandFactory;
use glam::DVec3;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use stickslip::contact::ContactProblem;
use stickslip_scene::recording::WholeFile;
use stickslip_studies::limit_surfaces::{LimitSurfaceStudy, Part};
use stickslip_studies::phantom::{PolygonStudy, RankStudy, RhoStudy};
use stickslip_studies::tumble::{Fall, FreeMotion, TumbleStudy};
use stickslip_studies::{Error, Study, StudyReport, WoodpeckerStudy};

pub(crate) fn run(args: &StudyArgs) -> Result<Outcome, CliError> {
    let Some(command) = &args.study else { return list() };
    let (name, study, output) = built(command)?;
    let show = !output.quiet && !output.json;
    let mut report = StudyReport::new(move |line| if show { printed(line) } else { Ok(()) });
    let page = output.write.as_deref();
    if let Some(path) = page.filter(|path| !path.is_file()) {
        let reason = "is no page; --write needs a Markdown file with markers".to_owned();
        return Err(CliError::File { path: path.to_owned(), reason });
    }
    study.run(&mut report)?;
    let mut facts = Map::from_iter([("study".to_owned(), Value::from(name))]);
    facts.extend(report.facts().clone());
    if let Some(dir) = &output.out {
        write_files(dir, &facts, &report)?;
    }
    if let Some(page) = page {
        let failed = |e: io::Error| CliError::NoAnswer(e.to_string());
        report.write_page(page).map_err(failed)?;
    }
    if output.json {
        output::print_json(&facts)?;
    } else if let Some(place) = output.out.as_deref().or(page).filter(|_| show) {
        output::print(&format!("\nwrote {}\n", place.display()))?;
    }
    Ok(Outcome::Good)
}

/// A line at once; a closed pipe ends the study.
fn printed(line: &str) -> io::Result<()> {
    output::print(&format!("{line}\n")).map_err(|e| match e {
        CliError::Closed => io::ErrorKind::BrokenPipe.into(),
        other => io::Error::other(other.to_string()),
    })
}

/// The studies and what each shows.
fn list() -> Result<Outcome, CliError> {
    let command = Args::command();
    let studies = command.find_subcommand("study").into_iter().flat_map(|c| c.get_subcommands());
    let about = |c: &clap::Command| c.get_about().map(ToString::to_string).unwrap_or_default();
    let rows: Vec<_> = studies.map(|c| (c.get_name(), about(c))).collect();
    output::print(&table::lines(&rows))?;
    output::print("\nTry: stickslip study rank --help\n")?;
    Ok(Outcome::Good)
}

/// A study with its options, its name and where its findings go.
type Built<'a> = (&'static str, Box<dyn Study>, &'a StudyOutputArgs);

fn built(command: &StudyCommand) -> Result<Built<'_>, CliError> {
    Ok(match command {
        StudyCommand::Rank(args) => {
            let mut study = RankStudy { rho: args.rho, ..RankStudy::default() };
            set_list(&mut study.lines, &args.k);
            if !args.problem.is_empty() {
                study.systems =
                    args.problem.iter().map(|p| problem(p)).collect::<Result<_, _>>()?;
            }
            ("rank", Box::new(study), &args.output)
        }
        StudyCommand::Rho(args) => {
            let mut study = RhoStudy::default();
            set_list(&mut study.lines, &args.k);
            set_list(&mut study.factors, &args.factors);
            set(&mut study.count, args.count);
            set(&mut study.contacts, args.contacts);
            ("rho", Box::new(study), &args.output)
        }
        StudyCommand::Polygons(args) => {
            let mut study = PolygonStudy::default();
            set_list(&mut study.lines, &args.k);
            set(&mut study.headings, args.headings);
            ("polygons", Box::new(study), &args.output)
        }
        StudyCommand::LimitSurfaces(args) => {
            ("limit-surfaces", Box::new(limit_surfaces(args)?), &args.output)
        }
        StudyCommand::Tumble(args) => ("tumble", Box::new(tumble(args)?), &args.output),
        StudyCommand::Woodpecker(args) => {
            let mut study = WoodpeckerStudy::default();
            set(&mut study.angles[0], args.phi_m);
            set(&mut study.angles[1], args.phi_s);
            ("woodpecker", Box::new(study), &args.output)
        }
    })
}

fn limit_surfaces(args: &LimitSurfaceArgs) -> Result<LimitSurfaceStudy, CliError> {
    let disc = &["ellipsoid", "mixed", "uniform"];
    let used = [
        ("axes", args.axes.is_some(), &["dragged", "polyhedra"][..]),
        ("mu", args.mu.is_some(), disc),
        ("v", args.v.is_some(), disc),
        ("omega", args.omega.is_some(), &["ellipsoid", "mixed"]),
        ("disc", !args.disc.is_empty(), &["ellipsoid"]),
        ("steps", !args.steps.is_empty(), &["ellipsoid"]),
        ("facets", args.facets.is_some(), &["polyhedra"]),
    ];
    refuse_idle(&args.part, &used)?;
    let mut study = LimitSurfaceStudy { axes: args.axes, ..LimitSurfaceStudy::default() };
    let named = |part: &Part| args.part.iter().any(|name| name == part.name());
    set_list(&mut study.parts, &Part::ALL.into_iter().filter(named).collect::<Vec<_>>());
    set_list(&mut study.discs, &args.disc);
    set_list(&mut study.steps, &args.steps);
    set(&mut study.mu, args.mu);
    set(&mut study.start[0], args.v);
    set(&mut study.start[1], args.omega);
    set(&mut study.facets, args.facets);
    Ok(study)
}

/// Refuses options that do nothing, as the parts that use them are not asked for.
fn refuse_idle(asked: &[String], used: &[(&str, bool, &[&str])]) -> Result<(), CliError> {
    let idle =
        |parts: &[&str]| !asked.is_empty() && !asked.iter().any(|p| parts.contains(&p.as_str()));
    match used.iter().find(|(_, given, parts)| *given && idle(parts)) {
        Some((option, _, parts)) => Err(CliError::misuse(format!(
            "--{option} does nothing in the parts asked for; it is for --part {}",
            parts.join(" or ")
        ))),
        None => Ok(()),
    }
}

fn tumble(args: &TumbleArgs) -> Result<TumbleStudy, CliError> {
    let used = [
        ("moments", args.moments.is_some(), &["rotation"][..]),
        ("omega", !args.omega.is_empty(), &["rotation"]),
        ("steps", args.steps.is_some(), &["rotation"]),
        ("no-cost", args.no_cost, &["rotation"]),
        ("duration", args.duration.is_some(), &["rotation", "fall"]),
        ("sizes", args.sizes.is_some(), &["rotation", "fall"]),
        ("mu", args.mu.is_some(), &["fall"]),
        ("shifts", args.shifts.is_some(), &["fall"]),
    ];
    refuse_idle(&args.part, &used)?;
    let mut study = TumbleStudy { cost: !args.no_cost, ..TumbleStudy::default() };
    set(&mut study.moments, args.moments.map(DVec3::from_array));
    set(&mut study.steps, args.steps);
    set(&mut study.sizes, args.sizes);
    set(&mut study.shifts, args.shifts);
    let motion = |(i, omega): (usize, &[f64; 3])| FreeMotion {
        file: format!("rotation_{}", i + 1),
        title: format!("Free rotation {}", i + 1),
        velocity: DVec3::from_array(*omega),
        t_end: 4.0,
    };
    set_list(&mut study.motions, &args.omega.iter().enumerate().map(motion).collect::<Vec<_>>());
    if let Some(t_end) = args.duration {
        study.motions.iter_mut().for_each(|motion| motion.t_end = t_end);
    }
    if args.mu.is_some() || args.duration.is_some() {
        let t_end = args.duration.unwrap_or(0.8);
        let frictions = args.mu.map_or(vec![0.0, 0.3], |mu| vec![mu]);
        let fall = |(i, mu): (usize, f64)| Fall::new(&format!("fall_{}", i + 1), mu, t_end, "");
        study.falls = frictions.into_iter().enumerate().map(fall).collect();
    }
    let wanted = |part: &str| args.part.is_empty() || args.part.iter().any(|name| name == part);
    if !wanted("rotation") {
        study.motions.clear();
    }
    if !wanted("fall") {
        study.falls.clear();
    }
    // What its options change are the other parts.
    study.scene = match args.part.is_empty() {
        true => !used.iter().any(|(_, given, _)| *given),
        false => wanted("scene"),
    };
    Ok(study)
}

fn set<T>(option: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *option = given;
    }
}

fn set_list<T: Clone>(option: &mut Vec<T>, given: &[T]) {
    if !given.is_empty() {
        *option = given.to_vec();
    }
}

/// A contact problem of a file, by the name of the file.
fn problem(path: &Path) -> Result<(String, ContactProblem), CliError> {
    let wrong = |reason: &str| CliError::File { path: path.to_owned(), reason: reason.to_owned() };
    let solve::Input::Contact(problem) = solve::problem(path, solve::read(path)?)? else {
        return Err(wrong("is no contact problem; write one with stickslip export --as contact"));
    };
    let contacts = 0..problem.contacts();
    if contacts.map(|i| problem.rows(i).len()).any(|rows| rows < 3) {
        return Err(wrong("has contacts in the plane; friction has lines in space alone"));
    }
    let name = path.file_stem().map_or_else(|| "problem".into(), |name| name.to_string_lossy());
    Ok((name.into_owned(), problem))
}

fn write_files(
    dir: &Path,
    facts: &Map<String, Value>,
    report: &StudyReport<'_>,
) -> Result<Vec<PathBuf>, CliError> {
    let json = serde_json::to_string_pretty(facts).map_err(io::Error::from)? + "\n";
    let mut files = vec![
        WholeFile::of(dir, "tables.md", report.text().as_bytes()).map_err(CliError::Write)?,
        WholeFile::of(dir, "findings.json", json.as_bytes()).map_err(CliError::Write)?,
    ];
    for (name, svg) in report.pictures() {
        files.push(WholeFile::of(dir, name, svg.as_bytes()).map_err(CliError::Write)?);
    }
    files.into_iter().map(|file| file.commit().map_err(CliError::Write)).collect()
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        match error {
            Error::Option { option, reason } => Self::Misuse(format!("--{option}: {reason}")),
            Error::Model(e) => Self::Model(e),
            Error::Contact(e) => Self::Contact(e),
            Error::Problem(e) => Self::Problem(e),
            Error::Set(e) => Self::Misuse(e.to_string()),
            Error::Unsolved(text) => Self::NoAnswer(text),
            Error::Show(e) => e.into(),
        }
    }
}
