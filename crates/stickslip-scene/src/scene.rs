//! A scene: a system, its start, and how to run it.

use crate::bodies;
use crate::document::{Mark, Places, Problem, Table, places};
use crate::drawing::{self, DrawingSpec, DrawnNumber};
use crate::error::SceneError;
use crate::evaluate::{Parts, evaluate};
use crate::gallery::{gallery, gallery_entry};
use crate::include::Document;
use crate::looks::{self, BodyLook};
use crate::read::{Draft, draft, numbers};
use crate::repeat::expand;
use crate::sensors::{SensorBank, Sensors};
use crate::spec::{CycleSpec, OutputSpec, PlotSpec, RunSpec};
use crate::tree::Site;
use crate::view::{LocalCoordinate, SampleFunction, SceneModel, StateFunction, results};
use std::path::Path;
use std::sync::Arc;
use stickslip::bodies::{Pose, Twist};
use stickslip::expression::{Definition, DefinitionError, ExpressionSystem, Scalar, nearest};
use stickslip::run::StartMoved;
use stickslip::system::{State, SystemInfo};

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
    warnings: Vec<String>,
    sensors: Arc<Sensors>,
    start: State,
    draft: Draft,
    document: Arc<Document>,
    overrides: Overrides,
}

/// What is set from outside of the file.
#[derive(Clone, Debug, Default)]
struct Overrides {
    parameters: Vec<(String, f64)>,
    /// ρ of all contacts, or of each table `[[contact]]`; none if it is empty.
    rho: Vec<f64>,
}

impl Scene {
    /// Reads a scene. `name` stands in errors where a file's name would. It can neither include files nor have tables from them.
    pub fn from_str(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::build(Arc::new(Document::read(text, name, None)?), Overrides::default())
    }

    /// Reads a scene whose files are looked up in a folder.
    pub fn from_str_in(text: &str, name: &str, folder: &Path) -> Result<Self, SceneError> {
        Self::build(Arc::new(Document::read(text, name, Some(folder))?), Overrides::default())
    }

    /// Writes out repetitions, reads the tables and evaluates what is in them, with other values of some parameters.
    fn build(document: Arc<Document>, overrides: Overrides) -> Result<Self, SceneError> {
        let set = &overrides.parameters;
        let unplaced = |problem: Problem, places: &Places| {
            let site = places.bytes(&problem.mark);
            document.error(problem, site)
        };
        let raw = Table::root(&document.root);
        let numbers = numbers(&document.root, set);
        let fields = expand(&document.root, &numbers).map_err(|p| unplaced(p, &places(&raw)))?;
        let root = Table::root(&fields);
        let places = places(&root);
        let mut draft = draft(&root, &document).map_err(|p| unplaced(p, &places))?;
        for (name, value) in set {
            draft.definition.set(name, *value).map_err(|error| {
                let mut refused =
                    SceneError::unplaced(&document.files[0].name, error.reason.clone());
                refused.cure = error.cure;
                refused
            })?;
        }
        draft.set_rho(&overrides.rho).map_err(|p| unplaced(p, &places))?;
        let parts = evaluate(&draft).map_err(|problem| {
            let list: Vec<String> = set.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            let reason = match list.is_empty() {
                true => problem.reason.clone(),
                false => format!("{} (with {})", problem.reason, list.join(", ")),
            };
            unplaced(Problem { reason, ..problem }, &places)
        })?;
        Ok(Self::assemble(draft, parts, document, overrides))
    }

    /// Reads a scene from a file. A robot, `.urdf` or `.xml`, is the scene with one table `[[robot]]`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let name = path.as_ref().display().to_string();
        let folder = path.as_ref().parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if let (Some(file), true) = (path.as_ref().file_name(), bodies::is_robot(&name)) {
            let file = serde_json::Value::from(file.to_string_lossy());
            return Self::from_str_in(&format!("[[robot]]\nfile = {file}\n"), &name, folder);
        }
        let text = std::fs::read(&path)
            .map_err(|e| SceneError::unplaced(&name, format!("the scene cannot be read: {e}")))?;
        let text = String::from_utf8(text).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            SceneError::unplaced(&name, format!("byte {at} of the file is not UTF-8"))
                .cure("save it as UTF-8 text")
        })?;
        Self::from_str_in(&text, &name, folder)
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
            overrides.parameters.retain(|(known, _)| known != name);
            overrides.parameters.push(((*name).to_owned(), *value));
        }
        Self::build(self.document.clone(), overrides)
    }

    /// The scene with another phantom inertia ρ: one number for all contacts, or one for each table `[[contact]]`. For the formulation
    /// that has it; others do not look at it.
    ///
    /// # Errors
    /// If there are neither one nor as many as tables, or one is negative.
    pub fn with_rho(&self, rho: &[f64]) -> Result<Self, SceneError> {
        let overrides = Overrides { rho: rho.to_vec(), ..self.overrides.clone() };
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

    /// The units of gaps, and of what joints move by where they have stops, motors and friction: metres, or radians of hinges. Of constraints
    /// their own, where it is known. A force has the unit of energy over this.
    #[must_use]
    pub fn gap_units(&self) -> &[String] {
        &self.gaps
    }

    /// By how much coordinates and velocities differ from what the file gives, so that joints and constraints fit; none if they do not.
    #[must_use]
    pub fn joined(&self) -> Option<StartMoved> {
        self.joined
    }

    /// What of the files of robots has no place in the scene, or another form, each with its file, line and column.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The sensors, for a run; none if the scene has none.
    #[must_use]
    pub fn sensors(&self) -> Option<SensorBank> {
        (!self.sensors.is_empty()).then(|| SensorBank::new(self.sensors.clone()))
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

    /// All that was read for the scene, with names: the texts of its files, the points of tables and shapes from other files, and the files of robots.
    #[must_use]
    pub fn sources(&self) -> Vec<(String, String)> {
        let files = self.document.files.iter().map(|file| (file.name.clone(), file.text.clone()));
        let tables = self.draft.definition.tables.iter();
        let tables =
            tables.map(|table| (format!("the table {}", table.name), format!("{table:?}")));
        let space = self.draft.space.iter();
        let robots = space.clone().flat_map(|space| &space.robots).flat_map(|r| r.texts().to_vec());
        let solids = space.flat_map(|space| &space.bodies).filter_map(|body| {
            let solid = body.shape.as_ref()?.solid.as_ref()?;
            Some((format!("the shape of {}", body.name), format!("{solid:?}")))
        });
        files.chain(tables).chain(robots).chain(solids).collect()
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
        let (definition, place) = (&self.draft.definition, ("cycle.section", text));
        StateFunction::of(definition, place, &self.model, &self.sensors).ok()
    }

    /// A function of the state in the names of the scene, such as the axis of a plot.
    pub fn function(&self, text: &str) -> Result<StateFunction, SceneError> {
        let (definition, place) = (&self.draft.definition, ("expression", text));
        let function = StateFunction::of(definition, place, &self.model, &self.sensors);
        function.map_err(|e| in_expression(text, e))
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
        let (definition, place) = (&self.draft.definition, ("stop.when", self.stop.as_deref()?));
        StateFunction::margin(definition, place, &self.model, &self.sensors).ok()
    }

    /// A function of what a run shows, such as the axis of a plot: the names of the scene, energies, gaps, contact forces and sensors.
    pub fn output(&self, text: &str) -> Result<SampleFunction, SceneError> {
        let (definition, texts) = (&self.draft.definition, [("expression".to_owned(), text, None)]);
        let made = match &self.draft.space {
            Some(_) => {
                let names = results(&self.info).into_iter().chain(self.sensors.names());
                definition.outputs_of(&names.collect::<Vec<_>>(), &texts)
            }
            None => definition.outputs(&texts),
        };
        let mut made = made.map_err(|e| in_expression(text, e))?;
        let output = made.pop();
        let output =
            output.ok_or_else(|| SceneError::unplaced(&self.name, "there is no output"))?;
        Ok(SampleFunction::new(output, &self.model, &self.info))
    }

    /// How the mechanism looks, part by part, each with its numbers ready to be evaluated; empty for scenes with bodies.
    #[must_use]
    pub fn drawing(&self) -> Vec<(DrawingSpec, Vec<DrawnNumber>)> {
        let definition = &self.draft.definition;
        let part = |spec: &DrawingSpec| {
            // They were found in order when the scene was read.
            let numbers = drawing::functions(definition, spec).ok()?;
            Some((spec.clone(), numbers))
        };
        self.draft.drawing.iter().filter_map(part).collect()
    }

    /// Its bodies with their shapes, the ground first, in the order of the model; empty without bodies.
    #[must_use]
    pub fn looks(&self) -> Vec<BodyLook> {
        let space = self.draft.space.as_ref();
        space.map_or_else(Vec::new, |space| looks::of(space, &self.draft.definition))
    }

    /// Where these bodies are in a state of the model; none without bodies, or if the state is not one of the model.
    #[must_use]
    pub fn body_motions(&self, state: &State) -> Option<Vec<(Pose, Twist)>> {
        self.sensors.motions(state)
    }

    /// The number among these bodies of one by the number that the model gives it, as contact points have it.
    #[must_use]
    pub fn body_of_model(&self, number: usize) -> Option<usize> {
        self.sensors.body_of_model(number)
    }

    /// Whether its bodies are in the plane.
    #[must_use]
    pub fn is_in_plane(&self) -> bool {
        self.model.ambient().is_plane()
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

    /// The steps that files of robots ask for, with the files.
    pub(crate) fn robot_steps(&self) -> impl Iterator<Item = (f64, &str)> {
        let robots = self.draft.space.iter().flat_map(|space| &space.robots);
        robots.filter_map(|robot| robot.timestep())
    }

    /// Settings of the file that only some integrators and formulations read, with their places.
    pub(crate) fn conditional(&self) -> &[(&'static str, Site)] {
        &self.draft.conditional
    }

    /// A problem with the line of the file that it is about.
    pub(crate) fn shown(&self, problem: Problem) -> SceneError {
        let site = match &problem.mark {
            Mark::Bytes(site) => Some(site.clone()),
            _ => None,
        };
        self.document.error(problem, site)
    }

    fn assemble(draft: Draft, parts: Parts, document: Arc<Document>, overrides: Overrides) -> Self {
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
            warnings: parts.warnings,
            sensors: parts.sensors,
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
