//! Derivatives of the solutions, by name.

use super::{entry, load, unknown};
use crate::args::AnalyzeArgs;
use crate::error::CliError;
use serde::Serialize;
use stickslip::analysis::report::Analysis;
use stickslip::analysis::sensitivity::{Derivative, Sensitivity, Variation};
use stickslip::analysis::state::Posed;
use stickslip::level::pose;
use stickslip::{ContactProblem, State};

/// Differences of the model are taken over this share of a value, or of 1.
const STEP: f64 = 1e-3;

#[derive(Debug, Serialize)]
pub(super) struct SlopeFacts {
    /// The parameter.
    pub(super) of: String,
    /// Which solution, counted from 1.
    pub(super) solution: usize,
    /// `both`, or the side of the parameter to which it holds: `up` or `down`.
    pub(super) side: &'static str,
    pub(super) impulse: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    /// Whether the derivative of the impulses is the only one.
    pub(super) impulses_unique: bool,
    /// Why there is none or more than one.
    pub(super) none: Option<String>,
}

pub(super) fn of_problem(
    problem: &ContactProblem,
    analysis: &Analysis,
    names: &[String],
) -> Result<Vec<SlopeFacts>, CliError> {
    let mut out = Vec::new();
    for name in names {
        let mut variation = Variation::none(problem);
        let place = indexed(name, "mu").map(|i| variation.mu.get_mut(i));
        let place = match place {
            Some(place) => place,
            None => indexed(name, "bias").and_then(|i| variation.bias.get_mut(i)),
        };
        let (contacts, rows) = (problem.contacts(), problem.bias().len());
        *place.ok_or_else(|| {
            CliError::misuse(format!(
                "`{name}` is no entry of the problem; there are mu[0] to mu[{}] and bias[0] to bias[{}]",
                contacts.saturating_sub(1),
                rows.saturating_sub(1)
            ))
        })? = 1.0;
        out.extend(slopes(problem, analysis, name, &variation));
    }
    Ok(out)
}

/// `mu[3]` is 3 for `mu`.
fn indexed(text: &str, name: &str) -> Option<usize> {
    text.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

pub(super) fn of_scene(
    args: &AnalyzeArgs,
    at: &State,
    posed: &Posed,
) -> Result<Vec<SlopeFacts>, CliError> {
    let mut out = Vec::new();
    for name in &args.sensitivity {
        let variation = vary(args, at, posed, name)?;
        out.extend(slopes(&posed.problem, &posed.analysis, name, &variation));
    }
    Ok(out)
}

/// How the problem of a level changes with a parameter, coordinate or velocity, the others fixed.
fn vary(args: &AnalyzeArgs, at: &State, posed: &Posed, name: &str) -> Result<Variation, CliError> {
    let base = load(args, &[])?;
    let parameter = base.scene.parameters.iter().find(|(n, _)| n == name).map(|p| p.1);
    let mut start = at.clone();
    let value = match parameter {
        Some(value) => value,
        None => *entry(&base, &mut start, name).ok_or_else(|| {
            let names: Vec<&str> = base.scene.parameters.iter().map(|p| p.0.as_str()).collect();
            CliError::misuse(format!(
                "{}, and no parameter: {}",
                unknown(&base, name),
                names.join(", ")
            ))
        })?,
    };
    let step = STEP * if value == 0.0 { 1.0 } else { value.abs() };
    let mut failed = None;
    let posed_at = |v: f64| -> Result<ContactProblem, stickslip::Error> {
        let mut moved = at.clone();
        let over = [(name.to_owned(), v)];
        let loaded = load(args, if parameter.is_some() { &over } else { &[] });
        let mut loaded = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                failed = Some(error);
                return Err(stickslip::Error::NotFinite { what: "the scene", t: at.t });
            }
        };
        if parameter.is_none()
            && let Some(entry) = entry(&loaded, &mut moved, name)
        {
            *entry = v;
        }
        pose(&mut loaded.system, &moved, &posed.contacts, posed.level)
    };
    let found = Variation::by_differences(value, step, posed_at);
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(found?.0)
}

fn slopes(
    problem: &ContactProblem,
    analysis: &Analysis,
    name: &str,
    variation: &Variation,
) -> Vec<SlopeFacts> {
    let mut out = Vec::new();
    for (i, solution) in analysis.solutions.solutions.iter().enumerate() {
        let facts = |side, derivative: Option<&Derivative>, none: Option<String>| SlopeFacts {
            of: name.to_owned(),
            solution: i + 1,
            side,
            impulse: derivative.map_or_else(Vec::new, |d| d.impulse.clone()),
            velocity: derivative.map_or_else(Vec::new, |d| d.velocity.clone()),
            impulses_unique: derivative.is_some_and(|d| d.impulses_unique),
            none,
        };
        let sensitivity = match Sensitivity::of(problem, &solution.impulse) {
            Ok(sensitivity) => sensitivity,
            Err(error) => {
                out.push(facts("both", None, Some(error.to_string())));
                continue;
            }
        };
        let regular = sensitivity.at_change().is_empty();
        let sides: &[(&str, f64)] =
            if regular { &[("both", 1.0)] } else { &[("up", 1.0), ("down", -1.0)] };
        for &(side, sign) in sides {
            let along = if sign > 0.0 { variation.clone() } else { variation.reversed() };
            match sensitivity.along(&along) {
                Ok(slope) => match slope.unique() {
                    Some(d) => {
                        let turned = |v: &[f64]| v.iter().map(|x| sign * x).collect();
                        let (impulse, velocity) = (turned(&d.impulse), turned(&d.velocity));
                        let d = Derivative { impulse, velocity, ..d.clone() };
                        out.push(facts(side, Some(&d), None));
                    }
                    None => {
                        let n = slope.derivatives.len();
                        let why = match (n, slope.complete) {
                            (_, false) => "not decided: the solution is not regular".to_owned(),
                            (0, true) => "the solution ends here".to_owned(),
                            _ => format!("{n} derivatives: the solution branches here"),
                        };
                        out.push(facts(side, None, Some(why)));
                    }
                },
                Err(error) => out.push(facts(side, None, Some(error.to_string()))),
            }
        }
    }
    out
}
