//! `stickslip check`, `stickslip new` and `stickslip schema`: scenes before they run.

use crate::args::{CheckArgs, NewArgs, SettingArgs};
use crate::error::{CliError, Outcome};
use crate::{output, scene, table};
use std::io::Write;
use std::path::PathBuf;
use stickslip_scene::Scene;

/// What a new scene begins with.
const TEMPLATE: &str = include_str!("new.toml");

/// Reads a scene, and says what is in it.
pub(crate) fn run(args: &CheckArgs) -> Result<Outcome, CliError> {
    let typed = SettingArgs { set: args.set.clone(), ..SettingArgs::default() };
    let loaded = scene::load(&args.scene, &typed)?;
    scene::validate(&loaded)?;
    if args.quiet {
        return Ok(Outcome::Good);
    }
    scene::note_idle(&loaded);
    let info = loaded.scene.info();
    let list = |names: &[String]| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    let mut contacts: Vec<String> = info.contacts.iter().map(|c| c.name.clone()).collect();
    if loaded.scene.model().finds_contacts() {
        contacts.push("those that collision detection finds".to_owned());
    }
    let parameters: Vec<String> =
        loaded.scene.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let operations = match loaded.scene.system() {
        Some(system) => {
            let all: usize = system.operations().iter().sum();
            format!("{all} for mass, forces, gaps and directions")
        }
        None => "those of the library's bodies".to_owned(),
    };
    let mut rows = vec![
        ("scene", format!("{}: in order", loaded.scene.title)),
        ("coordinates", list(&info.coordinates)),
        ("velocities", list(&info.velocities)),
        ("contacts", list(&contacts)),
        ("parameters", list(&parameters)),
        ("units", units(&loaded.scene)),
        ("integrator", loaded.settings.step.integrator.to_string()),
        ("operations", operations),
    ];
    if let Some(moved) = loaded.scene.joined() {
        rows.push(("START CHANGED", table::joined(moved.coordinate, moved.velocity)));
    }
    output::print(&table::lines(&rows))?;
    Ok(Outcome::Good)
}

/// How far dimensions are checked.
fn units(scene: &Scene) -> String {
    match (scene.checks_units(), scene.without_unit()[..].join(", ")) {
        (false, _) => "not checked: no parameter has a unit".to_owned(),
        (true, none) if none.is_empty() => "checked in every expression".to_owned(),
        (true, names) => format!("checked, but for terms with {names}, which have no unit"),
    }
}

/// Prints the JSON schema of scene files.
pub(crate) fn schema() -> Result<Outcome, CliError> {
    output::print_json(&stickslip_scene::schema())?;
    Ok(Outcome::Good)
}

/// Writes a scene to begin with.
pub(crate) fn create(args: &NewArgs) -> Result<Outcome, CliError> {
    let mut path = PathBuf::from(&args.name);
    if path.extension().is_none() {
        path.set_extension("toml");
    }
    let failed = |e: std::io::Error| {
        let reason = match e.kind() {
            std::io::ErrorKind::AlreadyExists => "exists already; choose another name".to_owned(),
            _ => format!("cannot be written: {e}"),
        };
        CliError::File { path: path.clone(), reason }
    };
    let mut file = std::fs::File::create_new(&path).map_err(failed)?;
    file.write_all(TEMPLATE.as_bytes()).map_err(failed)?;
    let shown = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    let word = if shown.chars().all(plain) { shown.clone() } else { format!("{shown:?}") };
    output::print(&format!(
        "{shown} is written; try\n  stickslip check {word}\n  stickslip run {word}\n"
    ))?;
    Ok(Outcome::Good)
}
