//! `stickslip export`: the problem of one step as JSON, or the solved problems of all steps over time.

mod over_time;

use crate::args::ExportArgs;
use crate::error::{CliError, Outcome};
use crate::scene::{self, Loaded};
use complementarity::{Mlcp, Problem};
use serde_json::Value;
use std::io::Write;
use stickslip::State;
use stickslip::contact::solve::{
    ContactSolver, Formulation, Settings, UnknownKind, eliminate_free,
};
use stickslip::contact::{ContactProblem, Kind, Law};
use stickslip::model::Model;
use stickslip::run::{End, StepEnd, step_to};
use stickslip::step::{self, Integrator, Stepper};
use stickslip_scene::Visitor;

pub(crate) fn run(args: &ExportArgs) -> Result<Outcome, CliError> {
    let loaded = scene::load(&args.scene, &args.settings)?;
    scene::note_idle(&loaded);
    if args.at.is_some() {
        scene::note_stop(&loaded.scene);
    }
    if let Some(dir) = &args.over_time {
        return over_time::write(args, &loaded, dir);
    }
    let (problem, names) = loaded.scene.model().visit(Step { loaded: &loaded, at: args.at })?;
    let value = match args.kind.as_str() {
        "contact" if args.settings.formulation.is_some() => {
            return Err(CliError::misuse(
                "--formulation does nothing with --as contact, which is written as it is; leave it out",
            ));
        }
        "contact" => contact(&problem, &names)?,
        _ => {
            let (problem, names) = posed(args, &loaded, &problem, &names)?;
            let mut value = serde_json::to_value(problem).map_err(std::io::Error::from)?;
            value["names"] = names.into();
            value
        }
    };
    write(args, &value)?;
    Ok(Outcome::Good)
}

/// The complementarity problem that was asked for, with the names of its unknowns.
fn posed(
    args: &ExportArgs,
    loaded: &Loaded,
    problem: &ContactProblem,
    names: &[String],
) -> Result<(Problem, Vec<String>), CliError> {
    let settings = loaded.settings.step.solve.clone().unwrap_or_default();
    let planar = problem.laws().iter().all(|law| law.kind == Kind::Planar);
    let plain = args.kind == "lcp";
    let usual = match (plain, planar) {
        (true, true) => Formulation::GlockerStuder,
        (true, false) => Formulation::StewartTrinkle,
        (false, _) => Formulation::PhantomInertia,
    };
    let formulation = args.settings.formulation.unwrap_or(usual);
    let settings = Settings { formulation, ..settings };
    let (problem, unknowns) =
        if plain { lcp(problem, settings)? } else { mlcp(problem, settings)? };
    let name = |(i, unknown): (usize, UnknownKind)| format!("{}.{unknown}", names[i]);
    Ok((problem, unknowns.into_iter().map(name).collect()))
}

/// The problem of the step that begins at a time, by any model.
struct Step<'a> {
    loaded: &'a Loaded,
    at: Option<f64>,
}

impl Visitor for Step<'_> {
    type Output = Result<(ContactProblem, Vec<String>), CliError>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        let (stepper, state) = reached(model, self.loaded, self.at)?;
        step(model, self.loaded, stepper, state)
    }
}

/// The state of the scene at a time, and what makes the next step: contacts that have been closed before take part in it where rounding
/// has lifted them.
fn reached<M: Model>(
    model: &M,
    loaded: &Loaded,
    at: Option<f64>,
) -> Result<(Stepper<M>, State), CliError> {
    let mut stepper = stepper(model, loaded)?;
    let mut state = loaded.start.clone();
    let (begin, dt) = (state.t, loaded.settings.dt);
    let t = at.unwrap_or(begin);
    if t < begin {
        return Err(CliError::misuse(format!(
            "--at is {t}, before the start of the scene at t = {begin}; choose a later time"
        )));
    }
    if loaded.settings.step.integrator == Integrator::EventDriven && t > begin {
        return Ok((stepper, reached_by_events(model, loaded, t)?));
    }
    let mut before = state.clone();
    for k in 1_u64.. {
        // A last step that would be a sliver of rounding is none.
        let next = begin + k as f64 * dt;
        let next = if next > t - 1e-6 * dt { t } else { next };
        let times = (&mut state, &mut before);
        match step_to(&mut stepper, model, times, next, &mut (), |_, _, _| Ok(()))? {
            StepEnd::Failed(reason) => return Err(ends_early(t, state.t, &reason)),
            StepEnd::Done { .. } if next == t => break,
            StepEnd::Done { .. } => {}
        }
    }
    Ok((stepper, state))
}

fn reached_by_events<M: Model>(model: &M, loaded: &Loaded, t: f64) -> Result<State, CliError> {
    let mut settings = loaded.settings.clone();
    (settings.t_end, settings.sample_dt) = (t, settings.sample_dt.min(t - loaded.start.t));
    let report = stickslip::run::run(model, &loaded.start, &settings, &mut (), &mut ())?;
    match report.end {
        End::Failed(reason) => Err(ends_early(t, report.state.t, &reason)),
        _ => Ok(report.state),
    }
}

fn ends_early(t: f64, end: f64, reason: &str) -> CliError {
    CliError::misuse(format!(
        "the run to t = {t} ends at t = {end}: {reason}; choose a time before it"
    ))
}

/// The contact problem of a step, with numbers for friction, and the names of its contacts.
fn step<M: Model>(
    model: &M,
    loaded: &Loaded,
    mut stepper: Stepper<M>,
    mut state: State,
) -> Result<(ContactProblem, Vec<String>), CliError> {
    let (t, dt) = (state.t, loaded.settings.dt);
    let (problem, names) = made(model, &mut stepper, loaded, &mut state)?.ok_or_else(|| {
        CliError::misuse(format!(
            "no contact takes part in the step of {dt} s from t = {t}, so that there is no problem; choose another time"
        ))
    })?;
    note_numbers(stepper.problem(), &problem, &names);
    Ok((problem, names))
}

/// What makes the steps of a scene; an event-driven one takes those of Moreau's midpoint rule.
fn stepper<M: Model>(model: &M, loaded: &Loaded) -> Result<Stepper<M>, CliError> {
    let mut settings = step::Settings { sleep: None, ..loaded.settings.step.clone() };
    if settings.integrator == Integrator::EventDriven {
        settings.integrator = Integrator::MoreauMidpoint;
    }
    Ok(Stepper::new(model, settings)?)
}

/// Makes a step; the problem that it solved, none if no contact takes part.
fn made<M: Model>(
    model: &M,
    stepper: &mut Stepper<M>,
    loaded: &Loaded,
    state: &mut State,
) -> Result<Option<(ContactProblem, Vec<String>)>, CliError> {
    let t = state.t;
    stepper
        .step(model, state, loaded.settings.dt, &mut ())?
        .done()
        .map_err(|unsolved| CliError::NoAnswer(unsolved.at(t)))?;
    let outcome = stepper.outcome();
    if outcome.active.is_empty() {
        return Ok(None);
    }
    let contacts = &loaded.scene.info().contacts;
    let name = |&i: &usize| contacts.get(i).map_or_else(|| i.to_string(), |c| c.name.clone());
    let names = outcome.active.iter().map(name).collect();
    Ok(Some((numbered(stepper.problem(), &outcome.impulse)?, names)))
}

/// Says which coefficients of friction depend on slip in the scene, and are written as numbers.
fn note_numbers(posed: &ContactProblem, written: &ContactProblem, names: &[String]) {
    for ((law, number), name) in posed.laws().iter().zip(written.laws()).zip(names) {
        if law.varies() {
            eprintln!(
                "stickslip: mu of `{name}` depends on slip; it is written as {}, which it is at the end of this step",
                number.mu
            );
        }
    }
}

/// The same problem with the coefficients of friction at the slips of an answer.
fn numbered(problem: &ContactProblem, impulse: &[f64]) -> Result<ContactProblem, CliError> {
    let mut xi = vec![0.0; impulse.len()];
    problem.velocity_into(impulse, &mut xi);
    let number = |(i, law): (usize, &Law)| {
        let rows = problem.rows(i);
        let (lam, slips) = (&impulse[rows.clone()], &xi[rows.start + law.kind.normals()..rows.end]);
        if law.curve().is_some() {
            return law.clone().at_coefficient(law.coefficient(Law::slip_speed(slips)));
        }
        // A contact that holds more than its kinetic friction is held by the static one.
        match (law.distinct_static(), lam) {
            (Some(mu), [normal, friction]) if friction.abs() > law.limit(*normal) => {
                law.clone().at_coefficient(mu)
            }
            (Some(_), _) => law.clone().at_coefficient(law.mu),
            _ => law.clone(),
        }
    };
    let laws = problem.laws().iter().enumerate().map(number).collect();
    let other = ContactProblem::new(problem.delassus().clone(), problem.bias().to_vec(), laws);
    Ok(other?)
}

fn contact(problem: &ContactProblem, names: &[String]) -> Result<Value, CliError> {
    let mut value = serde_json::to_value(problem).map_err(std::io::Error::from)?;
    if let Some(contacts) = value.get_mut("contacts").and_then(Value::as_array_mut) {
        for (contact, name) in contacts.iter_mut().zip(names) {
            contact["name"] = name.clone().into();
        }
    }
    Ok(value)
}

/// A problem, and of every unknown its contact and what it stands for.
type Posed = (Problem, Vec<(usize, UnknownKind)>);

fn lcp(problem: &ContactProblem, settings: Settings) -> Result<Posed, CliError> {
    let formulation = settings.formulation;
    if Formulation::PLANAR.contains(&formulation) {
        let lcp = ContactSolver::encode(problem, formulation)?;
        let unknowns = ContactSolver::unknowns(problem, formulation)?;
        return Ok((Problem::Lcp(lcp), unknowns));
    }
    let (mixed, unknowns) = encoded(problem, settings)?;
    let plain = eliminate_free(&mixed)?;
    let Some(plain) = plain else {
        return Err(CliError::misuse(
            "the contacts of this step are redundant, so that friction cannot be eliminated; write it with --as mlcp",
        ));
    };
    let kept = plain.kept().iter().map(|&i| unknowns[i]).collect();
    Ok((Problem::Lcp(plain.lcp), kept))
}

fn mlcp(problem: &ContactProblem, settings: Settings) -> Result<Posed, CliError> {
    let (mixed, unknowns) = encoded(problem, settings)?;
    Ok((Problem::Mlcp(mixed), unknowns))
}

/// The mixed problem of a polyhedral formulation, with what its unknowns stand for.
fn encoded(
    problem: &ContactProblem,
    settings: Settings,
) -> Result<(Mlcp, Vec<(usize, UnknownKind)>), CliError> {
    let solver = ContactSolver::new(settings)?;
    let (encoding, model) = solver.encoding(problem)?;
    let mixed = encoding.mixed(model.as_ref().unwrap_or(problem))?;
    Ok((mixed, encoding.unknowns().collect()))
}

fn write(args: &ExportArgs, value: &Value) -> Result<(), CliError> {
    let Some(path) = &args.out else { return crate::output::print(&format!("{value}\n")) };
    let failed = |e: std::io::Error| CliError::File {
        path: path.clone(),
        reason: format!("cannot be written: {e}"),
    };
    let mut file = std::fs::File::create(path).map_err(failed)?;
    writeln!(file, "{value}").map_err(failed)
}
