//! A scene: a system, its start, and how to run it.

use crate::bodies;
use crate::check::check_start;
use crate::document::{Places, Problem, Table, places};
use crate::error::SceneError;
use crate::gallery::{gallery, gallery_entry};
use crate::read::{Draft, draft};
use crate::spec::{CycleSpec, MOST_STEPS, PlotSpec, RunSpec};
use crate::view::{SceneModel, StateFunction};
use std::path::Path;
use std::sync::Arc;
use stickslip::contact::solve::Rho;
use stickslip::expression::{
    Coordinate, Definition, DefinitionError, ExpressionSystem, Scalar, nearest,
};
use stickslip::model::Generalised;
use stickslip::system::{State, System, SystemInfo};
use toml::de::DeTable;

/// The largest scene file, in bytes.
const LARGEST: usize = 1 << 20;

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
    /// Phase portraits beside those that every run draws.
    pub plots: Vec<PlotSpec>,
    /// The units of the coordinates, where they are given.
    pub units: Vec<Option<String>>,
    /// All parameters with their values, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    model: SceneModel,
    info: SystemInfo,
    own: SystemInfo,
    start: State,
    draft: Draft,
    text: String,
    places: Places,
}

impl Scene {
    /// Reads a scene. `name` stands in errors where a file's name would.
    pub fn from_str(text: &str, name: &str) -> Result<Self, SceneError> {
        if text.len() > LARGEST {
            let reason = format!("the file has {} bytes; {LARGEST} is the most", text.len());
            return Err(SceneError::unplaced(name, reason));
        }
        let root = DeTable::parse(text).map_err(|error| syntax_error(text, name, &error))?;
        let table = Table::root(&root);
        let places = places(text, &table);
        let place = |problem: Problem| placed(problem, name, text, &places);
        let draft = draft(&table).map_err(place)?;
        let parts = evaluate(&draft).map_err(place)?;
        Ok(Self::assemble(draft, parts, name, text, places))
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
        Self::from_str(&text, &name)
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
        let mut draft = self.draft.clone();
        for (name, value) in values {
            draft.definition.set(name, *value).map_err(|error| {
                let mut unplaced = SceneError::unplaced(&self.name, error.reason);
                unplaced.cure = error.cure;
                unplaced
            })?;
        }
        let parts = evaluate(&draft).map_err(|problem| {
            let list: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            let reason = format!("{} (with {})", problem.reason, list.join(", "));
            placed(Problem { reason, ..problem }, &self.name, &self.text, &self.places)
        })?;
        Ok(Self::assemble(draft, parts, &self.name, &self.text, self.places.clone()))
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
        &self.text
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

    /// Looks at the scene again: energies, mass matrix, forces and contacts at the start. Reading a
    /// scene does this by itself.
    pub fn check(&self) -> Result<(), SceneError> {
        let checked = evaluate(&self.draft);
        checked.map(drop).map_err(|p| placed(p, &self.name, &self.text, &self.places))
    }

    fn assemble(draft: Draft, parts: Parts, name: &str, text: &str, places: Places) -> Self {
        Self {
            name: name.into(),
            title: draft.title.clone().unwrap_or_else(|| name.into()),
            description: draft.description.clone(),
            run: parts.run,
            cycle: parts.cycle,
            plots: draft.plots.clone(),
            units: parts.units,
            parameters: parts.parameters,
            model: parts.model,
            info: parts.info,
            own: parts.own,
            start: parts.start,
            draft,
            text: text.into(),
            places,
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

fn syntax_error(text: &str, name: &str, error: &toml::de::Error) -> SceneError {
    let span = error.span().unwrap_or(0..0);
    let before = text.get(..span.start).unwrap_or("").trim_end_matches([' ', '\t']);
    let after = text.get(span.start..).unwrap_or("").trim_start_matches([' ', '\t']);
    if before.ends_with('=') && (after.is_empty() || after.starts_with(['\n', '\r', '#'])) {
        return SceneError::placed(name, text, span, "this key has no value".into());
    }
    let reason = format!("this is not TOML: {}", error.message().trim_end().replace('\n', ", "));
    SceneError::placed(name, text, span, reason)
}

fn placed(problem: Problem, name: &str, text: &str, places: &Places) -> SceneError {
    let mut error = match places.bytes(&problem.mark) {
        Some(bytes) => SceneError::placed(name, text, bytes, problem.reason),
        None => SceneError::unplaced(name, problem.reason),
    };
    error.cure = problem.cure;
    error
}

/// What follows from a draft.
struct Parts {
    model: SceneModel,
    info: SystemInfo,
    own: SystemInfo,
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
    let bodies::Built { model, start, info, own, units } = built;
    let (run, cycle) = (run(draft)?, cycle(draft)?);
    check_functions(draft, &model, &start)?;
    let parameters = definition.parameter_values()?;
    Ok(Parts { model, info, own, units, start, run, cycle, parameters })
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
    let own = info.clone();
    Ok(bodies::Built { model, start, info, own, units: draft.units.clone() })
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

fn cycle(draft: &Draft) -> Result<Option<CycleSpec>, Problem> {
    let period = number(draft, ("cycle", "period"), &draft.period, |x| x > 0.0, "above 0")?;
    Ok(draft.cycle.clone().map(|cycle| CycleSpec { period, ..cycle }))
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

/// The section and the axes of plots have values at the start.
fn check_functions(draft: &Draft, model: &SceneModel, start: &State) -> Result<(), Problem> {
    let sections = draft.cycle.iter().filter_map(|c| c.section.as_deref());
    let section = sections.map(|text| ("cycle.section".to_owned(), text));
    let axes = draft.plots.iter().enumerate().flat_map(|(i, plot)| {
        [(format!("plot[{i}].x"), plot.x.as_str()), (format!("plot[{i}].y"), plot.y.as_str())]
    });
    for (path, text) in section.chain(axes) {
        let function = StateFunction::new(draft.definition.function(&path, text)?, model);
        let value = function.value(&start.q, &start.u, start.t);
        if !value.is_finite() {
            return Err(Problem::of(path, format!("this is {value} at the start")));
        }
    }
    Ok(())
}
