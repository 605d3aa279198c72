//! From a draft to what a scene is made of: model, start, settings, each checked at the start.

use crate::bodies;
use crate::check::check_start;
use crate::document::Problem;
use crate::drawing;
use crate::read::Draft;
use crate::sensors::{NumberedBodies, Sensors};
use crate::spec::{CycleSpec, MOST_STEPS, RunSpec};
use crate::view::{LocalCoordinate, SceneModel, StateFunction, results};
use std::sync::Arc;
use stickslip::contact::solve::{Formulation, Rho};
use stickslip::expression::{
    Coordinate, Definition, Dimension, ExpressionSystem, OutputText, Scalar, nearest,
};
use stickslip::model::{Generalised, Model};
use stickslip::run::StartMoved;
use stickslip::system::{State, System, SystemInfo};

/// What follows from a draft.
pub(crate) struct Parts {
    pub(crate) model: SceneModel,
    pub(crate) info: SystemInfo,
    pub(crate) own: SystemInfo,
    pub(crate) local: Vec<LocalCoordinate>,
    pub(crate) gaps: Vec<String>,
    pub(crate) joined: Option<StartMoved>,
    pub(crate) units: Vec<Option<String>>,
    pub(crate) start: State,
    pub(crate) run: RunSpec,
    pub(crate) cycle: Option<CycleSpec>,
    pub(crate) parameters: Vec<(String, f64)>,
    pub(crate) warnings: Vec<String>,
    pub(crate) sensors: Arc<Sensors>,
}

pub(crate) fn evaluate(draft: &Draft) -> Result<Parts, Problem> {
    let definition = &draft.definition;
    let built = match &draft.space {
        Some(space) => bodies::build(&bodies::plan(space, definition)?)?,
        None => generalised(draft)?,
    };
    let bodies::Built { model, start, info, own, units, gaps, local, joined, warnings, sensors } =
        built;
    let sensors = Arc::new(sensors);
    let (run, cycle) = (run(draft)?, cycle(draft, &local)?);
    refuse_columns(draft, &sensors)?;
    check_functions(draft, (&model, &info), &sensors, &start)?;
    let parameters = definition.parameter_values()?;
    Ok(Parts {
        model,
        info,
        own,
        local,
        gaps,
        joined,
        units,
        start,
        run,
        cycle,
        parameters,
        warnings,
        sensors,
    })
}

/// A system by expressions, with its start.
fn generalised(draft: &Draft) -> Result<bodies::Built, Problem> {
    let definition = &draft.definition;
    let system = ExpressionSystem::new(definition)?;
    let pairs = || definition.coordinates.iter().zip(&draft.start);
    let place = |c: &Coordinate, key: &str| format!("coordinates.{}.{key}", c.name);
    let q = definition.constants(pairs().map(|(c, s)| (place(c, "start"), &s[0])))?;
    let u = definition.constants(pairs().map(|(c, s)| (place(c, "start_velocity"), &s[1])))?;
    let given = State::new(q, u);
    check_start(definition, &system, &given)?;
    let info = system.info().clone();
    let model = Generalised::new(system).map_err(|e| Problem::of("energy", e.to_string()))?;
    let start = on_constraints(&model, &given)?;
    let joined = bodies::moved(&given, &start);
    let model = SceneModel::Generalised(Arc::new(model));
    let (own, units, gaps) = (info.clone(), draft.units.clone(), gap_units(definition)?);
    let local = LocalCoordinate::of(0, &own.coordinates, &own.velocities);
    let (warnings, sensors) = (Vec::new(), Sensors::none(NumberedBodies::Without));
    Ok(bodies::Built { model, start, info, own, units, gaps, local, joined, warnings, sensors })
}

/// The start with its coordinates and velocities on the constraints, by the smallest change in the metric of the masses.
fn on_constraints(model: &Generalised<ExpressionSystem>, given: &State) -> Result<State, Problem> {
    let State { t, mut q, mut u } = given.clone();
    let met = model.stabilise(&mut Default::default(), &mut q, &mut u, t);
    met.map_err(|e| Problem::of("constraint", e.to_string()))?;
    Ok(State { t, q, u })
}

/// The units of gaps and constraints: metres for gaps, unless they are known to be angles, and nothing for constraints that have none.
fn gap_units(definition: &Definition) -> Result<Vec<String>, Problem> {
    let contacts = definition.contacts.len();
    let unit = |(i, dim): (usize, Option<Dimension>)| match dim {
        Some(dim) if dim.is(Dimension::NONE) => "rad".to_owned(),
        Some(dim) => dim.to_string(),
        None if i < contacts => "m".to_owned(),
        None => String::new(),
    };
    Ok(definition.gap_dimensions()?.into_iter().enumerate().map(unit).collect())
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
    let still_for = &draft.still_for;
    let still_for = number(draft, ("run", "still_for"), still_for, |x| x >= 0.0, "0 or more")?;
    let slower_than = positive("slower_than", &draft.slower_than)?;
    let planar = draft.space.is_none() && draft.definition.constraints.is_empty();
    if draft.run.formulation == Some(Formulation::GlockerStuder) && !planar {
        let reason = "glocker_studer is for planar contacts without constraints";
        return Err(Problem::of("run.formulation", reason)
            .cure("choose cone (the default here), stewart_trinkle or phantom_inertia"));
    }
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
    let run = draft.run.clone();
    Ok(RunSpec { t_end, dt, theta, rho, relaxation, still_for, slower_than, ..run })
}

/// The section, outputs and the axes of plots have values at the start, and no condition ends the run there.
fn check_functions(
    draft: &Draft,
    (model, info): (&SceneModel, &SystemInfo),
    sensors: &Arc<Sensors>,
    start: &State,
) -> Result<(), Problem> {
    let definition = &draft.definition;
    let (q, u, t) = (&start.q, &start.u, start.t);
    for text in draft.cycle.iter().filter_map(|c| c.section.as_deref()) {
        let function = StateFunction::of(definition, ("cycle.section", text), model, sensors)?;
        refuse_no_value("cycle.section", function.value(q, u, t))?;
    }
    if let Some(text) = draft.stop.as_deref() {
        let margin = StateFunction::margin(definition, ("stop.when", text), model, sensors)?;
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
        let names: Vec<String> = results(info).into_iter().chain(sensors.names()).collect();
        return definition.outputs_of(&names, &texts).map(drop).map_err(Problem::from);
    }
    let contacts: Vec<&str> = definition.contacts.iter().map(|c| c.name.as_str()).collect();
    drawing::check((definition, &contacts), &draft.drawing, (q, u, t))?;
    let forces = vec![0.0; 2 * definition.contacts.len() + definition.constraints.len()];
    for (output, (path, ..)) in definition.outputs(&texts)?.iter().zip(&texts) {
        refuse_no_value(path, output.value(q, u, t, &forces))?;
    }
    Ok(())
}

/// Refuses an output with the name of a column of a sensor.
fn refuse_columns(draft: &Draft, sensors: &Sensors) -> Result<(), Problem> {
    let taken = |name: &str| sensors.columns().any(|(column, _)| column == name);
    let mut outputs = draft.outputs.iter().enumerate();
    let Some((i, output)) = outputs.find(|(_, output)| taken(&output.name)) else { return Ok(()) };
    let reason = format!("a sensor has a column `{}` already", output.name);
    Err(Problem::of(format!("output[{i}].name"), reason).cure("choose another name"))
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
