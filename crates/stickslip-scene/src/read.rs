//! From a document to the parts of a scene, as they are written.

use crate::bodies::{self, SpaceDraft};
use crate::document::{Entry, Problem, Table};
use crate::spec::{Crossing, CycleSpec, PlotSpec, RunSpec};
use stickslip::contact::solve::{Formulation, SolverChoice};
use stickslip::expression::{
    Contact, Coordinate, Definition, ForceExpression, Helper, Parameter, Scalar, nearest,
};
use stickslip::impact::ImpactLaw;
use stickslip::step::Integrator;

/// The most samples a run may keep.
const MOST_SAMPLES: usize = 10_000_000;

/// A scene whose expressions have not been looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) definition: Definition,
    /// Bodies in space, if it has any; `definition` then has what expressions are made of.
    pub(crate) space: Option<SpaceDraft>,
    /// Start and start velocity of every coordinate.
    pub(crate) start: Vec<[Scalar; 2]>,
    pub(crate) units: Vec<Option<String>>,
    /// Without the numbers, which may be expressions.
    pub(crate) run: RunSpec,
    pub(crate) t_end: Option<Scalar>,
    pub(crate) dt: Option<Scalar>,
    pub(crate) theta: Option<Scalar>,
    pub(crate) rho: Option<Scalar>,
    pub(crate) relaxation: Option<Scalar>,
    /// Without its period, which may be an expression.
    pub(crate) cycle: Option<CycleSpec>,
    pub(crate) period: Option<Scalar>,
    pub(crate) plots: Vec<PlotSpec>,
}

/// Reads the whole document.
pub(crate) fn draft(root: &Table<'_>) -> Result<Draft, Problem> {
    let known = [
        "title",
        "description",
        "parameters",
        "coordinates",
        "definitions",
        "energy",
        "forces",
        "contact",
        "run",
        "cycle",
        "plot",
    ];
    root.refuse_others(&[&known[..], &bodies::KEYS].concat())?;
    let mut draft = Draft {
        title: optional(root, "title", |e| e.text("a string"))?.map(String::from),
        description: optional(root, "description", |e| e.text("a string"))?.unwrap_or("").into(),
        ..Draft::default()
    };
    if let Some(entry) = root.get("parameters") {
        draft.definition.parameters = parameters(&entry.table("[parameters]")?)?;
    }
    if let Some(entry) = root.get("definitions") {
        draft.definition.definitions = helpers(&entry.table("[definitions]")?)?;
    }
    match bodies::space(root)? {
        Some(space) => in_space(space, &mut draft),
        None => generalised(root, &mut draft)?,
    }
    if let Some(entry) = root.get("run") {
        run(&entry.table("[run]")?, &mut draft)?;
    }
    if let Some(entry) = root.get("cycle") {
        let table = entry.table("[cycle]")?;
        draft.period = optional(&table, "period", Entry::scalar)?;
        draft.cycle = Some(cycle(&table, &draft.definition)?);
    }
    for table in root.get("plot").map_or(Ok(vec![]), Entry::tables)? {
        draft.plots.push(plot(&table)?);
    }
    Ok(draft)
}

/// Coordinates, energies, forces and contacts by expressions.
fn generalised(root: &Table<'_>, draft: &mut Draft) -> Result<(), Problem> {
    coordinates(root, draft)?;
    energy(root, &mut draft.definition)?;
    if let Some(entry) = root.get("forces") {
        draft.definition.forces = forces(&entry.table("[forces]")?)?;
    }
    for table in root.get("contact").map_or(Ok(vec![]), Entry::tables)? {
        draft.definition.contacts.push(contact(&table)?);
    }
    Ok(())
}

/// Bodies, whose names expressions may use.
fn in_space(space: SpaceDraft, draft: &mut Draft) {
    for body in space.bodies.iter().filter(|body| body.moves_freely()) {
        bodies::introduce(&body.name, &mut draft.definition);
    }
    draft.space = Some(space);
}

pub(crate) fn optional<'t, 'a, T>(
    table: &'t Table<'a>,
    key: &str,
    read: impl FnOnce(&'t Entry<'a>) -> Result<T, Problem>,
) -> Result<Option<T>, Problem> {
    table.get(key).map(read).transpose()
}

pub(crate) fn expression(entry: &Entry<'_>) -> Result<String, Problem> {
    match entry.scalar() {
        // A plain number is an expression too.
        Ok(Scalar::Number(x)) if x.is_finite() => Ok(format!("{x:?}")),
        Ok(Scalar::Number(x)) => {
            Err(Problem::at(entry.span(), format!("{x} is not a finite number")))
        }
        Ok(Scalar::Expression(text)) => Ok(text),
        Err(problem) => Err(problem),
    }
}

fn parameters(table: &Table<'_>) -> Result<Vec<Parameter>, Problem> {
    let parameter = |e: &Entry<'_>| Ok(Parameter { name: e.key.into(), value: e.scalar()? });
    table.entries.iter().map(parameter).collect()
}

fn helpers(table: &Table<'_>) -> Result<Vec<Helper>, Problem> {
    let helper = |e: &Entry<'_>| Ok(Helper { name: e.key.into(), expression: expression(e)? });
    table.entries.iter().map(helper).collect()
}

fn forces(table: &Table<'_>) -> Result<Vec<ForceExpression>, Problem> {
    let force = |e: &Entry<'_>| {
        Ok(ForceExpression { coordinate: e.key.into(), expression: expression(e)? })
    };
    table.entries.iter().map(force).collect()
}

fn coordinates(root: &Table<'_>, draft: &mut Draft) -> Result<(), Problem> {
    const EXAMPLE: &str = "y = { velocity = \"v\", start = 1.0 }";
    let table = root.need("coordinates", "[coordinates]")?.table("[coordinates]")?;
    if table.entries.is_empty() {
        let problem = Problem::at(table.span, "a scene needs at least one coordinate");
        return Err(problem.cure(format!("add e.g. `{EXAMPLE}`")));
    }
    for entry in &table.entries {
        let table = entry.table(&format!("`{EXAMPLE}`"))?;
        table.refuse_others(&["velocity", "start", "start_velocity", "unit"])?;
        let velocity = table.need("velocity", "velocity = \"v\"")?.text("a name in quotes")?;
        let coordinate = Coordinate { name: entry.key.into(), velocity: velocity.into() };
        draft.definition.coordinates.push(coordinate);
        draft.start.push([
            optional(&table, "start", Entry::scalar)?.unwrap_or_default(),
            optional(&table, "start_velocity", Entry::scalar)?.unwrap_or_default(),
        ]);
        draft.units.push(optional(&table, "unit", |e| e.text("a string"))?.map(String::from));
    }
    Ok(())
}

fn energy(root: &Table<'_>, definition: &mut Definition) -> Result<(), Problem> {
    let table = root.need("energy", "[energy]")?.table("[energy]")?;
    table.refuse_others(&["kinetic", "potential"])?;
    definition.kinetic = expression(table.need("kinetic", "kinetic = \"m/2*v^2\"")?)?;
    definition.potential = optional(&table, "potential", expression)?;
    Ok(())
}

fn contact(table: &Table<'_>) -> Result<Contact, Problem> {
    table.refuse_others(&["name", "gap", "slip", "mu", "mu_static", "radius", "eps_n", "eps_t"])?;
    let name = table.need("name", "name = \"floor\"")?;
    Ok(Contact {
        name: contact_name(name)?,
        gap: expression(table.need("gap", "gap = \"y\"")?)?,
        slip: optional(table, "slip", expression)?,
        mu: optional(table, "mu", Entry::scalar)?,
        mu_static: optional(table, "mu_static", Entry::scalar)?,
        radius: optional(table, "radius", Entry::scalar)?,
        eps_n: optional(table, "eps_n", Entry::scalar)?,
        eps_t: optional(table, "eps_t", Entry::scalar)?,
    })
}

/// The name of a contact in files and reports.
pub(crate) fn contact_name(name: &Entry<'_>) -> Result<String, Problem> {
    let text = name.text("a string")?;
    if text.trim().is_empty() {
        return Err(Problem::at(name.span(), "the name of a contact is empty"));
    }
    // Such names would break tables, terminals and pictures.
    if let Some(bad) = text.chars().find(|c| c.is_control()) {
        let reason = format!("the name of a contact has the control character {bad:?} in it");
        return Err(
            Problem::at(name.span(), reason).cure("write it with letters, digits and signs")
        );
    }
    Ok(text.into())
}

fn run(table: &Table<'_>, draft: &mut Draft) -> Result<(), Problem> {
    table.refuse_others(&[
        "t_end",
        "dt",
        "integrator",
        "formulation",
        "solver",
        "directions",
        "rho",
        "relaxation",
        "minimum_norm",
        "theta",
        "impact",
        "correction",
        "samples",
    ])?;
    draft.t_end = optional(table, "t_end", Entry::scalar)?;
    draft.dt = optional(table, "dt", Entry::scalar)?;
    draft.theta = optional(table, "theta", Entry::scalar)?;
    draft.rho = optional(table, "rho", Entry::scalar)?;
    draft.relaxation = optional(table, "relaxation", Entry::scalar)?;
    draft.run = RunSpec {
        integrator: named(table, "integrator", &Integrator::ALL, Integrator::name)?,
        formulation: named(table, "formulation", &Formulation::ALL, Formulation::name)?,
        solver: named(table, "solver", &SolverChoice::ALL, SolverChoice::name)?,
        impact: named(table, "impact", &ImpactLaw::ALL, ImpactLaw::name)?,
        correction: optional(table, "correction", Entry::truth)?,
        directions: optional(table, "directions", |e| e.count(3..1001))?,
        minimum_norm: optional(table, "minimum_norm", Entry::truth)?,
        samples: optional(table, "samples", |e| e.count(2..MOST_SAMPLES + 1))?,
        ..RunSpec::default()
    };
    refuse_idle(table, draft.run.formulation)
}

/// Refuses what does nothing with the formulation.
fn refuse_idle(table: &Table<'_>, formulation: Option<Formulation>) -> Result<(), Problem> {
    let phantom = [Formulation::PhantomInertia];
    let polygons =
        [Formulation::PhantomInertia, Formulation::StewartTrinkle, Formulation::AnitescuPotra];
    for (key, needed) in [("directions", &polygons[..]), ("rho", &phantom)] {
        let idle = !formulation.is_some_and(|f| needed.contains(&f));
        if let (Some(entry), true) = (table.get(key), idle) {
            let names: Vec<&str> = needed.iter().map(|f| f.name()).collect();
            let reason = format!("`{key}` does nothing without a formulation that has it");
            return Err(Problem::at(entry.span(), reason)
                .cure(format!("leave it out, or set formulation to {}", names.join(" or "))));
        }
    }
    Ok(())
}

/// One of `all`, by its name.
pub(crate) fn named<T: Copy>(
    table: &Table<'_>,
    key: &'static str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Problem> {
    let names: Vec<&'static str> = all.iter().map(|&t| name(t)).collect();
    let found = optional(table, key, |e| e.choice(&names))?;
    Ok(found.and_then(|f| all.iter().copied().find(|&t| name(t) == f)))
}

fn cycle(table: &Table<'_>, definition: &Definition) -> Result<CycleSpec, Problem> {
    table.refuse_others(&["section", "direction", "period", "cyclic"])?;
    let section = optional(table, "section", expression)?;
    match (&section, table.get("period")) {
        (Some(_), Some(period)) => {
            let problem = Problem::at(period.span(), "a cycle has a section or a period, not both");
            return Err(problem.cure("leave one of them out"));
        }
        (None, None) => drop(table.need("section", "section = \"v\"` or `period = \"2*pi/w\"")?),
        (None, Some(_)) if table.get("direction").is_some() => {
            let reason = "a direction belongs to a section, and this cycle has a period";
            return Err(
                Problem::at(table.need("direction", "")?.span(), reason).cure("leave it out")
            );
        }
        _ => {}
    }
    let direction = optional(table, "direction", |e| e.choice(&["rising", "falling"]))?;
    let names = || definition.coordinates.iter().map(|c| c.name.as_str());
    let mut cyclic = vec![];
    for (name, span) in optional(table, "cyclic", Entry::texts)?.unwrap_or_default() {
        match names().position(|n| n == name) {
            Some(i) if cyclic.contains(&i) => {
                return Err(Problem::at(span, format!("`{name}` is named twice")));
            }
            Some(i) => cyclic.push(i),
            None => {
                let problem = Problem::at(span, format!("there is no coordinate `{name}`"));
                let near = nearest(name, names()).map(|near| format!("did you mean `{near}`?"));
                return Err(Problem { cure: near, ..problem });
            }
        }
    }
    let falling = direction == Some("falling");
    let direction = if falling { Crossing::Falling } else { Crossing::Rising };
    Ok(CycleSpec { section, period: None, direction, cyclic })
}

fn plot(table: &Table<'_>) -> Result<PlotSpec, Problem> {
    table.refuse_others(&["title", "x", "y"])?;
    Ok(PlotSpec {
        title: optional(table, "title", |e| e.text("a string"))?.map(String::from),
        x: expression(table.need("x", "x = \"y\"")?)?,
        y: expression(table.need("y", "y = \"v\"")?)?,
    })
}
