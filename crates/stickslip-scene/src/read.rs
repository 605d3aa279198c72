//! From a document to the parts of a scene, as they are written.

use crate::bodies::{self, SpaceDraft};
use crate::document::{Entry, Problem, Table};
use crate::drawing::{self, DrawingSpec};
use crate::idle::conditional;
use crate::include::Document;
use crate::keys::{DIRECTIONS, MOST_SAMPLES, known, known_without};
use crate::points::table_function;
use crate::repeat::is_repeated;
use crate::spec::{Crossing, CycleSpec, OutputSpec, PlotSpec, RunSpec};
use crate::tree::Site;
use crate::tree::{Field, Value};
use stickslip::contact::solve::{Formulation, SolverChoice};
use stickslip::expression::{
    Constraint, Contact, Coordinate, Definition, Dimension, ForceExpression, Helper, OwnFunction,
    Parameter, Scalar,
};
use stickslip::impact::ImpactLaw;
use stickslip::step::Integrator;

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
    /// The condition that ends a run.
    pub(crate) stop: Option<String>,
    pub(crate) rho: Option<Scalar>,
    pub(crate) relaxation: Option<Scalar>,
    pub(crate) still_for: Option<Scalar>,
    pub(crate) slower_than: Option<Scalar>,
    /// Settings that only some integrators and formulations read, with their places.
    pub(crate) conditional: Vec<(&'static str, Site)>,
    /// Without its period, which may be an expression, and the numbers of coordinates, which the model gives them.
    pub(crate) cycle: Option<CycleSpec>,
    pub(crate) cyclic: Vec<(String, Site)>,
    pub(crate) period: Option<Scalar>,
    pub(crate) outputs: Vec<OutputSpec>,
    pub(crate) plots: Vec<PlotSpec>,
    pub(crate) drawing: Vec<DrawingSpec>,
}

/// Reads the whole document, whose repetitions have been written out.
pub(crate) fn draft(root: &Table<'_>, document: &Document) -> Result<Draft, Problem> {
    root.refuse_others(&known(""))?;
    let mut draft = Draft {
        title: optional(root, "title", |e| e.text("a string"))?.map(String::from),
        description: optional(root, "description", |e| e.text("a string"))?.unwrap_or("").into(),
        ..Draft::default()
    };
    if let Some(entry) = root.get("parameters") {
        parameters(&entry.table("[parameters]")?, &mut draft.definition)?;
    }
    if let Some(entry) = root.get("definitions") {
        definitions(&entry.table("[definitions]")?, &mut draft.definition)?;
    }
    if let Some(entry) = root.get("functions") {
        draft.definition.functions = functions(&entry.table("[functions]")?)?;
    }
    if let Some(entry) = root.get("tables") {
        for entry in &entry.table("[tables.torque]")?.entries {
            draft.definition.tables.push(table_function(entry, document)?);
        }
    }
    match bodies::space(root, document)? {
        Some(space) => in_space(space, &mut draft),
        None => generalised(root, &mut draft)?,
    }
    if let Some(entry) = root.get("run") {
        run(&entry.table("[run]")?, &mut draft)?;
    }
    draft.conditional = conditional(root)?;
    if let Some(entry) = root.get("stop") {
        let table = entry.table("[stop]")?;
        table.refuse_others(&known("stop"))?;
        let when = table.need("when", "when = \"y < -1\"")?;
        draft.stop = Some(expression_text(when, "a condition in quotes, e.g. \"y < -1\"")?);
    }
    if let Some(entry) = root.get("cycle") {
        let table = entry.table("[cycle]")?;
        draft.period = optional(&table, "period", Entry::scalar)?;
        let cyclic = optional(&table, "cyclic", Entry::texts)?.unwrap_or_default();
        draft.cyclic = cyclic.into_iter().map(|(name, site)| (name.to_owned(), site)).collect();
        draft.cycle = Some(cycle(&table)?);
    }
    for table in root.get("output").map_or(Ok(vec![]), Entry::tables)? {
        let output = output(&table, &draft)?;
        draft.outputs.push(output);
    }
    for table in root.get("plot").map_or(Ok(vec![]), Entry::tables)? {
        draft.plots.push(plot(&table)?);
    }
    draft.drawing = drawing::read(root, draft.space.is_some())?;
    drop_units_without_parameters(&mut draft.definition);
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
    for table in root.get("constraint").map_or(Ok(vec![]), Entry::tables)? {
        draft.definition.constraints.push(constraint(&table)?);
    }
    refuse_size(root, &draft.definition)
}

/// The most coordinates: matrices of their number squared are kept.
const MOST_COORDINATES: usize = 4000;

/// The most entries of all directions of contacts.
const MOST_DIRECTIONS: usize = 10_000_000;

/// Refuses what would not fit into memory.
fn refuse_size(root: &Table<'_>, definition: &Definition) -> Result<(), Problem> {
    let dof = definition.coordinates.len();
    let contacts = definition.contacts.len() + definition.constraints.len();
    let site = root.need("coordinates", "[coordinates]")?.key_span();
    if dof > MOST_COORDINATES {
        let reason = format!("the scene has {dof} coordinates; {MOST_COORDINATES} is the most");
        return Err(Problem::at(site, reason));
    }
    if dof * contacts > MOST_DIRECTIONS {
        let reason = format!(
            "the scene has {dof} coordinates and {contacts} contacts and constraints; the most of their product is {MOST_DIRECTIONS}"
        );
        return Err(Problem::at(site, reason));
    }
    Ok(())
}

/// Dimensions are checked where parameters have units: with those of coordinates alone, masses and lengths that are written as plain numbers
/// would be mistakes.
fn drop_units_without_parameters(definition: &mut Definition) {
    let Definition { parameters, definitions, units, .. } = definition;
    let names = parameters.iter().map(|p| &p.name).chain(definitions.iter().map(|d| &d.name));
    if !names.into_iter().any(|name| units.contains_key(name)) {
        units.clear();
    }
}

/// The parameters that the ranges of repetitions can use: those that are not repeated themselves, with the values of `overrides`.
pub(crate) fn numbers(root: &[Field], overrides: &[(String, f64)]) -> Definition {
    let mut numbers = Definition::default();
    let fields = |name: &str| {
        let table = root.iter().find(|field| field.key == name);
        table.and_then(|table| table.node.fields()).unwrap_or_default()
    };
    for field in fields("parameters").iter().filter(|field| !is_repeated(&field.node)) {
        let node = field.node.get("value").map_or(&field.node, |value| &value.node);
        let value = match &node.value {
            Value::Text(text) => Scalar::Expression(text.expression().to_owned()),
            Value::Number(Some(x)) => Scalar::Number(*x),
            _ => continue,
        };
        numbers.parameters.push(Parameter { name: field.key.clone(), value });
    }
    for field in fields("functions") {
        if let (Value::Text(text), Some((name, arguments))) =
            (&field.node.value, declaration(&field.key))
        {
            let (expression, declared) = (text.expression().to_owned(), field.key.clone());
            numbers.functions.push(OwnFunction { name, arguments, expression, declared });
        }
    }
    for (name, value) in overrides {
        // One that is not there is refused later, with its message.
        let _ = numbers.set(name, *value);
    }
    numbers
}

/// Bodies, whose names expressions may use.
fn in_space(space: SpaceDraft, draft: &mut Draft) {
    let introduce = match space.ambient {
        bodies::Ambient::Space => bodies::introduce,
        bodies::Ambient::Plane => bodies::introduce_in_plane,
    };
    for body in space.bodies.iter().filter(|body| body.moves_freely()) {
        introduce(&body.name, &mut draft.definition);
    }
    for name in space.robots.iter().flat_map(|robot| robot.moving()) {
        bodies::introduce(name, &mut draft.definition);
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

/// What a name stands for: its value, or the entry `value` of a table; and the unit that stands beside it.
fn value_of<'a>(entry: &Entry<'a>, table: &str) -> Result<(Entry<'a>, Option<Dimension>), Problem> {
    if !entry.is_table() {
        return Ok((entry.clone(), None));
    }
    let inner = entry.table("")?;
    inner.refuse_others(&known(table))?;
    let value = inner.need("value", "value = 1.0")?.clone();
    Ok((value, optional(&inner, "unit", unit)?))
}

/// A unit, checked.
fn unit(entry: &Entry<'_>) -> Result<Dimension, Problem> {
    let text = entry.text("a unit in quotes, e.g. \"m/s\"")?;
    Dimension::of_unit(text)
        .map_err(|error| Problem { cure: error.cure, ..Problem::at(entry.span(), error.reason) })
}

/// The text of an expression that no number can be.
fn expression_text(entry: &Entry<'_>, what: &str) -> Result<String, Problem> {
    entry.text(what)?;
    expression(entry)
}

fn parameters(table: &Table<'_>, definition: &mut Definition) -> Result<(), Problem> {
    for entry in &table.entries {
        let (value, unit) = value_of(entry, "parameters")?;
        definition.units.extend(unit.map(|unit| (entry.key.to_owned(), unit)));
        definition.parameters.push(Parameter { name: entry.key.into(), value: value.scalar()? });
    }
    Ok(())
}

fn definitions(table: &Table<'_>, definition: &mut Definition) -> Result<(), Problem> {
    for entry in &table.entries {
        let (value, unit) = value_of(entry, "definitions")?;
        definition.units.extend(unit.map(|unit| (entry.key.to_owned(), unit)));
        let expression = expression(&value)?;
        definition.definitions.push(Helper { name: entry.key.into(), expression });
    }
    Ok(())
}

fn functions(table: &Table<'_>) -> Result<Vec<OwnFunction>, Problem> {
    let function = |entry: &Entry<'_>| {
        let Some((name, arguments)) = declaration(entry.key) else {
            let reason = format!("`{}` is not a function with arguments", entry.key);
            let cure = "write e.g. \"smooth(x, a)\" = \"x/sqrt(x^2 + a^2)\"";
            return Err(Problem::at(entry.key_span(), reason).cure(cure));
        };
        let expression = expression(&value_of(entry, "functions")?.0)?;
        Ok(OwnFunction { name, arguments, expression, declared: entry.key.to_owned() })
    };
    table.entries.iter().map(function).collect()
}

/// The name and the arguments of a declaration such as `smooth(x, a)`.
fn declaration(key: &str) -> Option<(String, Vec<String>)> {
    let (name, rest) = key.split_once('(')?;
    let arguments = rest.trim_end().strip_suffix(')')?;
    let arguments: Vec<String> = arguments.split(',').map(|a| a.trim().to_owned()).collect();
    let some = !name.trim().is_empty() && arguments.iter().all(|a| !a.is_empty());
    some.then(|| (name.trim().to_owned(), arguments))
}

fn forces(table: &Table<'_>) -> Result<Vec<ForceExpression>, Problem> {
    let force = |entry: &Entry<'_>| {
        let expression = expression(&value_of(entry, "forces")?.0)?;
        Ok(ForceExpression { coordinate: entry.key.into(), expression })
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
        table.refuse_others(&known("coordinates"))?;
        let velocity = table.need("velocity", "velocity = \"v\"")?.text("a name in quotes")?;
        let coordinate = Coordinate { name: entry.key.into(), velocity: velocity.into() };
        draft.definition.coordinates.push(coordinate);
        draft.start.push([
            optional(&table, "start", Entry::scalar)?.unwrap_or_default(),
            optional(&table, "start_velocity", Entry::scalar)?.unwrap_or_default(),
        ]);
        let unit = optional(&table, "unit", unit)?;
        draft.definition.units.extend(unit.map(|unit| (entry.key.to_owned(), unit)));
        draft.units.push(optional(&table, "unit", |e| e.text("a string"))?.map(String::from));
    }
    Ok(())
}

fn energy(root: &Table<'_>, definition: &mut Definition) -> Result<(), Problem> {
    let table = root.need("energy", "[energy]")?.table("[energy]")?;
    table.refuse_others(&known("energy"))?;
    definition.kinetic = expression(table.need("kinetic", "kinetic = \"m/2*v^2\"")?)?;
    definition.potential = optional(&table, "potential", expression)?;
    Ok(())
}

/// A name that stands in tables, terminals and pictures.
fn shown_name<'a>(table: &Table<'a>, of: &str, example: &str) -> Result<&'a str, Problem> {
    let name = table.need("name", example)?;
    checked_name(name, of)
}

/// The name of a contact in files and reports.
pub(crate) fn contact_name(name: &Entry<'_>) -> Result<String, Problem> {
    checked_name(name, "a contact").map(String::from)
}

fn checked_name<'a>(name: &Entry<'a>, of: &str) -> Result<&'a str, Problem> {
    let text = name.text("a string")?;
    if text.trim().is_empty() {
        return Err(Problem::at(name.span(), format!("the name of {of} is empty")));
    }
    if let Some(bad) = text.chars().find(|c| c.is_control()) {
        let reason = format!("the name of {of} has the control character {bad:?} in it");
        return Err(
            Problem::at(name.span(), reason).cure("write it with letters, digits and signs")
        );
    }
    Ok(text)
}

fn contact(table: &Table<'_>) -> Result<Contact, Problem> {
    table.refuse_others(&known_without("contact", &["between", "friction"]))?;
    Ok(Contact {
        name: shown_name(table, "a contact", "name = \"floor\"")?.into(),
        gap: expression(table.need("gap", "gap = \"y\"")?)?,
        slip: optional(table, "slip", expression)?,
        mu: optional(table, "mu", Entry::scalar)?,
        mu_static: optional(table, "mu_static", Entry::scalar)?,
        radius: optional(table, "radius", Entry::scalar)?,
        eps_n: optional(table, "eps_n", Entry::scalar)?,
        eps_t: optional(table, "eps_t", Entry::scalar)?,
        rho: optional(table, "rho", Entry::scalar)?,
    })
}

fn constraint(table: &Table<'_>) -> Result<Constraint, Problem> {
    table.refuse_others(&known("constraint"))?;
    Ok(Constraint {
        name: shown_name(table, "a constraint", "name = \"rod\"")?.into(),
        zero: expression(table.need("zero", "zero = \"x^2 + y^2 - l^2\"")?)?,
    })
}

fn run(table: &Table<'_>, draft: &mut Draft) -> Result<(), Problem> {
    table.refuse_others(&known("run"))?;
    draft.t_end = optional(table, "t_end", Entry::scalar)?;
    draft.dt = optional(table, "dt", Entry::scalar)?;
    draft.theta = optional(table, "theta", Entry::scalar)?;
    draft.rho = optional(table, "rho", Entry::scalar)?;
    draft.relaxation = optional(table, "relaxation", Entry::scalar)?;
    draft.still_for = optional(table, "still_for", Entry::scalar)?;
    draft.slower_than = optional(table, "slower_than", Entry::scalar)?;
    draft.run = RunSpec {
        integrator: named(table, "integrator", &Integrator::ALL, Integrator::name)?,
        formulation: named(table, "formulation", &Formulation::ALL, Formulation::name)?,
        solver: named(table, "solver", &SolverChoice::ALL, SolverChoice::name)?,
        impact: named(table, "impact", &ImpactLaw::ALL, ImpactLaw::name)?,
        correction: optional(table, "correction", Entry::truth)?,
        sleep: optional(table, "sleep", Entry::truth)?,
        directions: optional(table, "directions", |e| e.count(3..1001))?,
        minimum_norm: optional(table, "minimum_norm", Entry::truth)?,
        samples: optional(table, "samples", |e| e.count(2..MOST_SAMPLES + 1))?,
        ..RunSpec::default()
    };
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

fn cycle(table: &Table<'_>) -> Result<CycleSpec, Problem> {
    table.refuse_others(&known("cycle"))?;
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
    let direction = optional(table, "direction", |e| e.choice(DIRECTIONS))?;
    let falling = direction == Some("falling");
    let direction = if falling { Crossing::Falling } else { Crossing::Rising };
    Ok(CycleSpec { section, period: None, direction, cyclic: Vec::new() })
}

fn output(table: &Table<'_>, draft: &Draft) -> Result<OutputSpec, Problem> {
    table.refuse_others(&known("output"))?;
    let name = shown_name(table, "an output", "name = \"spring\"")?;
    let coordinates = draft.definition.coordinates.iter();
    let columns = coordinates.flat_map(|c| [c.name.as_str(), c.velocity.as_str()]).chain(["t"]);
    let others = draft.outputs.iter().map(|output| output.name.as_str());
    if columns.chain(others).any(|column| column == name) {
        let problem = Problem::at(
            table.need("name", "")?.span(),
            format!("there is a column `{name}` already"),
        );
        return Err(problem.cure("choose another name"));
    }
    optional(table, "unit", unit)?;
    Ok(OutputSpec {
        name: name.into(),
        value: expression(table.need("value", "value = \"k/2*x^2\"")?)?,
        unit: optional(table, "unit", |e| e.text("a string"))?.map(String::from),
    })
}

fn plot(table: &Table<'_>) -> Result<PlotSpec, Problem> {
    table.refuse_others(&known("plot"))?;
    Ok(PlotSpec {
        title: optional(table, "title", |e| e.text("a string"))?.map(String::from),
        x: optional(table, "x", expression)?.unwrap_or_else(|| "t".to_owned()),
        y: expression(table.need("y", "y = \"v\"")?)?,
    })
}
