//! A scene: a system, its start, and how to run it.

use crate::bodies;
use crate::check::check_start;
use crate::document::{Places, Problem, Table, places};
use crate::error::SceneError;
use crate::gallery::{gallery, gallery_entry};
use crate::include::Document;
use crate::read::{Draft, draft, numbers};
use crate::repeat::expand;
use crate::spec::{CycleSpec, MOST_STEPS, OutputSpec, PlotSpec, RunSpec};
use crate::view::{LocalCoordinate, SampleFunction, SceneModel, StateFunction, results};
use std::path::Path;
use std::sync::Arc;
use stickslip::contact::solve::Rho;
use stickslip::expression::{
    Coordinate, Definition, DefinitionError, Dimension, ExpressionSystem, OutputText, Scalar,
    nearest,
};
use stickslip::model::Generalised;
use stickslip::run::StartMoved;
use stickslip::system::{State, System, SystemInfo};

/// A scene that has been read and found in order.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The file, or the name under which it was given.
    pub name: String,
    /// The title; the name, if the file has none.
    pub title: String,
    /// What it shows.
    pub description: String,
    /// How to run it.
    pub run: RunSpec,
    /// Where to look for a limit cycle, if the scene says so.
    pub cycle: Option<CycleSpec>,
    /// The condition that ends a run before its end time, if there is one.
    pub stop: Option<String>,
    /// Columns of the trajectory beside those that every run has.
    pub outputs: Vec<OutputSpec>,
    /// Phase portraits and plots over time beside those that every run draws.
    pub plots: Vec<PlotSpec>,
    /// The units of the coordinates, where they are given.
    pub units: Vec<Option<String>>,
    /// All parameters with their values, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    model: SceneModel,
    info: SystemInfo,
    own: SystemInfo,
    local: Vec<LocalCoordinate>,
    gaps: Vec<String>,
    joined: Option<StartMoved>,
    start: State,
    draft: Draft,
    document: Arc<Document>,
    overrides: Vec<(String, f64)>,
}

impl Scene {
    /// Reads a scene. `name` stands in errors where a file's name would. It can neither include files nor have tables from them.
    pub fn from_str(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::build(Arc::new(Document::read(text, name, None)?), Vec::new())
    }

    /// Reads a scene whose files are looked up in a folder.
    pub fn from_str_in(text: &str, name: &str, folder: &Path) -> Result<Self, SceneError> {
        Self::build(Arc::new(Document::read(text, name, Some(folder))?), Vec::new())
    }

    /// Writes out repetitions, reads the tables and evaluates what is in them, with other values of some parameters.
    fn build(document: Arc<Document>, overrides: Vec<(String, f64)>) -> Result<Self, SceneError> {
        let unplaced = |problem: Problem, places: &Places| {
            let site = places.bytes(&problem.mark);
            document.error(problem, site)
        };
        let raw = Table::root(&document.root);
        let numbers = numbers(&document.root, &overrides);
        let fields = expand(&document.root, &numbers).map_err(|p| unplaced(p, &places(&raw)))?;
        let root = Table::root(&fields);
        let places = places(&root);
        let mut draft = draft(&root, &document).map_err(|p| unplaced(p, &places))?;
        for (name, value) in &overrides {
            draft.definition.set(name, *value).map_err(|error| {
                let mut refused =
                    SceneError::unplaced(&document.files[0].name, error.reason.clone());
                refused.cure = error.cure;
                refused
            })?;
        }
        let parts = evaluate(&draft).map_err(|problem| {
            let list: Vec<String> = overrides.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            let reason = match list.is_empty() {
                true => problem.reason.clone(),
                false => format!("{} (with {})", problem.reason, list.join(", ")),
            };
            unplaced(Problem { reason, ..problem }, &places)
        })?;
        Ok(Self::assemble(draft, parts, document, overrides))
    }

    /// Reads a scene from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let name = path.as_ref().display().to_string();
        let text = std::fs::read(&path)
            .map_err(|e| SceneError::unplaced(&name, format!("the scene cannot be read: {e}")))?;
        let text = String::from_utf8(text).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            SceneError::unplaced(&name, format!("byte {at} of the file is not UTF-8"))
                .cure("save it as UTF-8 text")
        })?;
        let folder = path.as_ref().parent().filter(|folder| !folder.as_os_str().is_empty());
        Self::from_str_in(&text, &name, folder.unwrap_or(Path::new(".")))
    }

    /// A scene of the [gallery].
    pub fn from_gallery(name: &str) -> Result<Self, SceneError> {
        match gallery_entry(name) {
            Some(entry) => Self::from_str(entry.text, name),
            None => {
                let error = SceneError::unplaced(name, "there is no such scene in the gallery");
                let names = || gallery().iter().map(|entry| entry.name);
                Err(match nearest(name, names()) {
                    Some(near) => error.cure(format!("did you mean `{near}`?")),
                    None => {
                        error.cure(format!("there are {}", names().collect::<Vec<_>>().join(", ")))
                    }
                })
            }
        }
    }

    /// The scene with other values of some parameters. What is computed from them follows; a value
    /// that puts the scene out of order is refused.
    pub fn with_overrides(&self, values: &[(&str, f64)]) -> Result<Self, SceneError> {
        let mut overrides = self.overrides.clone();
        for (name, value) in values {
            overrides.retain(|(known, _)| known != name);
            overrides.push(((*name).to_owned(), *value));
        }
        Self::build(self.document.clone(), overrides)
    }

    /// The model, ready to run.
    #[must_use]
    pub fn model(&self) -> &SceneModel {
        &self.model
    }

    /// The system by expressions, if the scene is one in generalised coordinates. A copy; costs a few allocations.
    #[must_use]
    pub fn system(&self) -> Option<ExpressionSystem> {
        match &self.model {
            SceneModel::Generalised(model) => Some(model.inner().clone()),
            _ => None,
        }
    }

    /// Names, contacts and laws. With bodies these are the coordinates and velocities of [`observe`](Self::observe), and beside
    /// the contacts what joints have of stops, motors, friction and loops, in the order of the model's candidates.
    #[must_use]
    pub fn info(&self) -> &SystemInfo {
        &self.info
    }

    /// The same with the names of the model's own coordinates and velocities, which differ from those of bodies in the models of
    /// joints and of point masses.
    #[must_use]
    pub fn own_info(&self) -> &SystemInfo {
        &self.own
    }

    /// The coordinates as limit cycles number them, one for every velocity of the model.
    #[must_use]
    pub fn local(&self) -> &[LocalCoordinate] {
        &self.local
    }

    /// The units of gaps: metres, and radians for the stops of hinges.
    #[must_use]
    pub fn gap_units(&self) -> &[String] {
        &self.gaps
    }

    /// By how much bodies and their velocities differ from what the file gives, so that joints fit; none if they do not.
    #[must_use]
    pub fn joined(&self) -> Option<StartMoved> {
        self.joined
    }

    /// A state of the model by the names of [`info`](Self::info): the same in generalised coordinates, and with bodies of any
    /// model their positions, quaternions, velocities and angular velocities.
    #[must_use]
    pub fn observe(&self, state: &State) -> State {
        self.model.observe(state)
    }

    /// The state at t = 0.
    #[must_use]
    pub fn start(&self) -> State {
        self.start.clone()
    }

    /// The system as names and texts, with all overrides.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.draft.definition
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.document.files[0].text
    }

    /// The function whose zero is the Poincaré section, if the scene has one.
    #[must_use]
    pub fn section(&self) -> Option<StateFunction> {
        let text = self.cycle.as_ref()?.section.as_deref()?;
        let function = self.draft.definition.function("cycle.section", text).ok()?;
        Some(StateFunction::new(function, &self.model))
    }

    /// A function of the state in the names of the scene, such as the axis of a plot.
    pub fn function(&self, text: &str) -> Result<StateFunction, SceneError> {
        let function = self.draft.definition.function("expression", text);
        let function = function.map_err(|e| in_expression(text, e))?;
        Ok(StateFunction::new(function, &self.model))
    }

    /// The value of an expression in the parameters of the scene, such as a period.
    pub fn constant(&self, text: &str) -> Result<f64, SceneError> {
        let value = Scalar::Expression(text.into());
        self.draft.definition.constant("expression", &value).map_err(|e| in_expression(text, e))
    }

    /// A function that is positive where the condition that ends a run holds, and passes zero where this changes; none if the scene
    /// has no such condition.
    #[must_use]
    pub fn stop_margin(&self) -> Option<StateFunction> {
        let margin = self.draft.definition.margin("stop.when", self.stop.as_deref()?).ok()?;
        Some(StateFunction::new(margin, &self.model))
    }

    /// A function of what a run shows, such as the axis of a plot: the names of the scene, energies, gaps and contact forces.
    pub fn output(&self, text: &str) -> Result<SampleFunction, SceneError> {
        let (definition, texts) = (&self.draft.definition, [("expression".to_owned(), text, None)]);
        let made = match &self.draft.space {
            Some(_) => definition.outputs_of(&results(&self.info), &texts),
            None => definition.outputs(&texts),
        };
        let mut made = made.map_err(|e| in_expression(text, e))?;
        let output = made.pop();
        let output =
            output.ok_or_else(|| SceneError::unplaced(&self.name, "there is no output"))?;
        Ok(SampleFunction::new(output, &self.model, &self.info))
    }

    /// Whether expressions are checked for their dimensions: where parameters have units.
    #[must_use]
    pub fn checks_units(&self) -> bool {
        !self.draft.definition.units.is_empty()
    }

    /// Parameters and coordinates without a unit, whose terms are not checked for dimensions.
    #[must_use]
    pub fn without_unit(&self) -> Vec<&str> {
        let Definition { coordinates, parameters, units, .. } = &self.draft.definition;
        let numbers = parameters.iter().filter(|p| matches!(p.value, Scalar::Number(_)));
        let names = coordinates.iter().map(|c| &c.name).chain(numbers.map(|p| &p.name));
        names.filter(|name| !units.contains_key(*name)).map(String::as_str).collect()
    }

    /// Looks at the scene again: energies, mass matrix, forces and contacts at the start. Reading a
    /// scene does this by itself.
    pub fn check(&self) -> Result<(), SceneError> {
        Self::build(self.document.clone(), self.overrides.clone()).map(drop)
    }

    fn assemble(
        draft: Draft,
        parts: Parts,
        document: Arc<Document>,
        overrides: Vec<(String, f64)>,
    ) -> Self {
        let name = document.files[0].name.clone();
        Self {
            title: draft.title.clone().unwrap_or_else(|| name.clone()),
            name,
            description: draft.description.clone(),
            run: parts.run,
            cycle: parts.cycle,
            stop: draft.stop.clone(),
            outputs: draft.outputs.clone(),
            plots: draft.plots.clone(),
            units: parts.units,
            parameters: parts.parameters,
            model: parts.model,
            info: parts.info,
            own: parts.own,
            local: parts.local,
            gaps: parts.gaps,
            joined: parts.joined,
            start: parts.start,
            draft,
            document,
            overrides,
        }
    }
}

/// An error in an expression that does not stand in the file.
fn in_expression(text: &str, error: DefinitionError) -> SceneError {
    let span = error.span.unwrap_or(0..text.len());
    let mut placed = SceneError::placed("expression", text, span, error.reason);
    placed.cure = error.cure;
    placed
}

/// What follows from a draft.
struct Parts {
    model: SceneModel,
    info: SystemInfo,
    own: SystemInfo,
    local: Vec<LocalCoordinate>,
    gaps: Vec<String>,
    joined: Option<StartMoved>,
    units: Vec<Option<String>>,
    start: State,
    run: RunSpec,
    cycle: Option<CycleSpec>,
    parameters: Vec<(String, f64)>,
}

fn evaluate(draft: &Draft) -> Result<Parts, Problem> {
    let definition = &draft.definition;
    let built = match &draft.space {
        Some(space) => bodies::build(&bodies::plan(space, definition)?)?,
        None => generalised(draft)?,
    };
    let bodies::Built { model, start, info, own, units, gaps, local, joined } = built;
    let (run, cycle) = (run(draft)?, cycle(draft, &local)?);
    check_functions(draft, (&model, &info), &start)?;
    let parameters = definition.parameter_values()?;
    Ok(Parts { model, info, own, local, gaps, joined, units, start, run, cycle, parameters })
}

/// A system by expressions, with its start.
fn generalised(draft: &Draft) -> Result<bodies::Built, Problem> {
    let definition = &draft.definition;
    let system = ExpressionSystem::new(definition)?;
    let pairs = || definition.coordinates.iter().zip(&draft.start);
    let place = |c: &Coordinate, key: &str| format!("coordinates.{}.{key}", c.name);
    let q = definition.constants(pairs().map(|(c, s)| (place(c, "start"), &s[0])))?;
    let u = definition.constants(pairs().map(|(c, s)| (place(c, "start_velocity"), &s[1])))?;
    let start = State::new(q, u);
    check_start(definition, &system, &start)?;
    let info = system.info().clone();
    let model = Generalised::new(system).map_err(|e| Problem::of("energy", e.to_string()))?;
    let model = SceneModel::Generalised(Arc::new(model));
    let (own, units) = (info.clone(), draft.units.clone());
    let local = LocalCoordinate::of(0, &own.coordinates, &own.velocities);
    let gaps = vec!["m".to_owned(); own.contacts.len()];
    Ok(bodies::Built { model, start, info, own, units, gaps, local, joined: None })
}

/// A number of a table, which may be an expression in parameters.
fn number(
    draft: &Draft,
    (table, key): (&str, &str),
    value: &Option<Scalar>,
    inside: fn(f64) -> bool,
    range: &str,
) -> Result<Option<f64>, Problem> {
    let Some(value) = value else { return Ok(None) };
    let path = format!("{table}.{key}");
    let x = draft.definition.constant(&path, value)?;
    if inside(x) {
        Ok(Some(x))
    } else {
        Err(Problem::of(path, format!("{key} is {x}; it must be {range}")))
    }
}

fn cycle(draft: &Draft, local: &[LocalCoordinate]) -> Result<Option<CycleSpec>, Problem> {
    let mut cyclic = vec![];
    for (name, site) in &draft.cyclic {
        match local.iter().position(|c| c.name == *name) {
            Some(i) if cyclic.contains(&i) => {
                return Err(Problem::at(site.clone(), format!("`{name}` is named twice"))
                    .cure("name it once"));
            }
            Some(i) => cyclic.push(i),
            None => {
                let names = || local.iter().map(|c| c.name.as_str());
                let cure = match nearest(name, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
                };
                let reason = format!("there is no coordinate `{name}`");
                return Err(Problem::at(site.clone(), reason).cure(cure));
            }
        }
    }
    let period = number(draft, ("cycle", "period"), &draft.period, |x| x > 0.0, "above 0")?;
    Ok(draft.cycle.clone().map(|cycle| CycleSpec { period, cyclic, ..cycle }))
}

fn run(draft: &Draft) -> Result<RunSpec, Problem> {
    let positive = |key: &str, value| number(draft, ("run", key), value, |x| x > 0.0, "above 0");
    let (t_end, dt) = (positive("t_end", &draft.t_end)?, positive("dt", &draft.dt)?);
    let inside = |x| (0.5..=1.0).contains(&x);
    let theta = number(draft, ("run", "theta"), &draft.theta, inside, "between 0.5 and 1")?;
    let rho = positive("rho", &draft.rho)?.map(Rho::Uniform);
    let share = |x| (0.0..=1.0).contains(&x);
    let relaxation = &draft.relaxation;
    let relaxation = number(draft, ("run", "relaxation"), relaxation, share, "between 0 and 1")?;
    if let (Some(t_end), Some(dt)) = (t_end, dt) {
        if dt > t_end {
            return Err(Problem::of(
                "run.dt",
                format!("dt = {dt} is longer than the run, {t_end}"),
            ));
        }
        let steps = t_end / dt;
        if !(steps <= MOST_STEPS) {
            let reason = format!("t_end/dt is {steps:e} steps; {MOST_STEPS:e} is the most");
            return Err(Problem::of("run.t_end", reason).cure("end sooner, or take longer steps"));
        }
    }
    Ok(RunSpec { t_end, dt, theta, rho, relaxation, ..draft.run.clone() })
}

/// The section, outputs and the axes of plots have values at the start, and no condition ends the run there.
fn check_functions(
    draft: &Draft,
    (model, info): (&SceneModel, &SystemInfo),
    start: &State,
) -> Result<(), Problem> {
    let definition = &draft.definition;
    let (q, u, t) = (&start.q, &start.u, start.t);
    for text in draft.cycle.iter().filter_map(|c| c.section.as_deref()) {
        let function = StateFunction::new(definition.function("cycle.section", text)?, model);
        refuse_no_value("cycle.section", function.value(q, u, t))?;
    }
    if let Some(text) = draft.stop.as_deref() {
        let margin = StateFunction::new(definition.margin("stop.when", text)?, model);
        let value = margin.value(q, u, t);
        refuse_no_value("stop.when", value)?;
        if value >= 0.0 {
            let problem = match value > 0.0 {
                true => {
                    Problem::of("stop.when", "this holds at the start, where the run would end")
                }
                false => Problem::of("stop.when", "at the start both sides are equal"),
            };
            return Err(problem.cure(
                "write a condition that becomes true later, e.g. `v > 1e-6` instead of `v > 0`",
            ));
        }
    }
    let texts = output_texts(draft)?;
    if draft.space.is_some() {
        // Energies and forces of bodies are not known before the run.
        return definition.outputs_of(&results(info), &texts).map(drop).map_err(Problem::from);
    }
    let forces = vec![0.0; 2 * definition.contacts.len()];
    for (output, (path, ..)) in definition.outputs(&texts)?.iter().zip(&texts) {
        refuse_no_value(path, output.value(q, u, t, &forces))?;
    }
    Ok(())
}

fn refuse_no_value(path: &str, value: f64) -> Result<(), Problem> {
    match value.is_finite() {
        true => Ok(()),
        false => Err(Problem::of(path, format!("this is {value} at the start"))),
    }
}

/// Outputs and the axes of plots.
fn output_texts(draft: &Draft) -> Result<Vec<OutputText<'_>>, Problem> {
    let mut texts = vec![];
    for (i, output) in draft.outputs.iter().enumerate() {
        let unit = output.unit.as_deref().map(Dimension::of_unit).transpose();
        let path = format!("output[{i}].value");
        let unit = unit.map_err(|error| Problem::of(path.clone(), error.reason))?;
        texts.push((path, output.value.as_str(), unit));
    }
    for (i, plot) in draft.plots.iter().enumerate() {
        texts.push((format!("plot[{i}].x"), plot.x.as_str(), None));
        texts.push((format!("plot[{i}].y"), plot.y.as_str(), None));
    }
    Ok(texts)
}
