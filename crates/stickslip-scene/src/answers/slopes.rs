//! Derivatives of the solutions, by name.

use super::AnswerError;
use crate::scene::Scene;
use crate::view::Visitor;
use serde::Serialize;
use std::collections::BTreeMap;
use stickslip::State;
use stickslip::analysis::state::LevelAnalysis;
use stickslip::contact::ContactProblem;
use stickslip::contact::analysis::report::Analysis;
use stickslip::contact::analysis::sensitivity::{Derivative, Sensitivity, Slope, Variation};
use stickslip::level::{change, pose};
use stickslip::model::Model;

/// Differences of the model are taken over this share of a value, or of 1.
const STEP: f64 = 1e-3;

/// The derivative of a solution with respect to one parameter.
#[derive(Debug, Serialize)]
pub struct SlopeFacts {
    /// The parameter.
    pub of: String,
    /// Which solution, counted from 1.
    pub solution: usize,
    /// `both`, or the side of the parameter to which it holds: `up` or `down`.
    pub side: &'static str,
    /// Of the impulses.
    pub impulse: Vec<f64>,
    /// Of the velocities of the contacts.
    pub velocity: Vec<f64>,
    /// Of u̇, or of the change of u, of the scene's coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<BTreeMap<String, f64>>,
    /// Whether the derivative of the impulses is the only one.
    pub impulses_unique: bool,
    /// Why there is none or more than one.
    pub none: Option<String>,
}

/// Of the solutions of a problem, with respect to entries such as `mu[0]` and `bias[3]`.
///
/// # Errors
/// If there is no such entry.
pub fn of_problem(
    problem: &ContactProblem,
    analysis: &Analysis,
    names: &[String],
) -> Result<Vec<SlopeFacts>, AnswerError> {
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
            AnswerError::misuse(format!(
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

/// Of the solutions of a level of a state, with respect to parameters, coordinates and velocities of the scene.
///
/// # Errors
/// If there is no such name, or the scene refuses a value near the one it has.
pub fn of_scene(
    scene: &Scene,
    at: &State,
    posed: &LevelAnalysis,
    names: &[String],
) -> Result<Vec<SlopeFacts>, AnswerError> {
    let mut out = Vec::new();
    for name in names {
        let knob = Knob::new(scene, at, name)?;
        let variation = knob.variation(posed)?;
        for mut slope in slopes(&posed.problem, &posed.analysis, name, &variation) {
            if slope.none.is_none() {
                let solution = &posed.analysis.solutions.solutions[slope.solution - 1];
                slope.motion = Some(knob.motion(posed, &solution.impulse, &slope.impulse)?);
            }
            out.push(slope);
        }
    }
    Ok(out)
}

/// A parameter, coordinate or velocity that can be turned, the others fixed.
struct Knob<'a> {
    scene: &'a Scene,
    at: &'a State,
    name: &'a str,
    is_parameter: bool,
    value: f64,
    step: f64,
}

impl<'a> Knob<'a> {
    fn new(scene: &'a Scene, at: &'a State, name: &'a str) -> Result<Self, AnswerError> {
        let parameter = scene.parameters.iter().find(|(n, _)| n == name).map(|p| p.1);
        let mut start = at.clone();
        let value = match parameter {
            Some(value) => value,
            None => *scene.entry(&mut start, name).map_err(|unknown| {
                let names: Vec<&str> = scene.parameters.iter().map(|p| p.0.as_str()).collect();
                AnswerError::misuse(format!("{unknown}; parameters are {}", names.join(", ")))
            })?,
        };
        let step = STEP * if value == 0.0 { 1.0 } else { value.abs() };
        Ok(Self { scene, at, name, is_parameter: parameter.is_some(), value, step })
    }

    /// The scene and the state with it at this value.
    fn turned(&self, value: f64) -> Result<(Scene, State), AnswerError> {
        let mut moved = self.at.clone();
        if self.is_parameter {
            return Ok((self.scene.with_overrides(&[(self.name, value)])?, moved));
        }
        *self.scene.entry(&mut moved, self.name)? = value;
        Ok((self.scene.clone(), moved))
    }

    /// How the problem of a level changes with it.
    fn variation(&self, posed: &LevelAnalysis) -> Result<Variation, AnswerError> {
        let posed_at = |v: f64| -> Result<_, AnswerError> {
            let (scene, state) = self.turned(v)?;
            Ok(scene.model().visit(Pose { state: &state, posed })?)
        };
        Ok(Variation::by_differences(self.value, self.step, posed_at)?.0)
    }

    /// The derivative of u̇, or of the change of u, by velocity: what the model itself changes at fixed forces, and what the
    /// derivative of the forces does.
    fn motion(
        &self,
        posed: &LevelAnalysis,
        impulse: &[f64],
        rate: &[f64],
    ) -> Result<BTreeMap<String, f64>, AnswerError> {
        let dt = posed.level.dt();
        let at = |v: f64| -> Result<Vec<f64>, AnswerError> {
            let (scene, state) = self.turned(v)?;
            let (state, contacts) = (&state, &posed.contacts);
            Ok(scene.model().visit(MotionChange { state, contacts, impulse, dt })?)
        };
        let (scene, state) = self.turned(self.value)?;
        let (contacts, impulse, dt) = (&posed.contacts, rate, 0.0);
        let fixed = MotionChange { state: &state, contacts, impulse, dt };
        let mut out = scene.model().visit(fixed)?;
        // Central differences over a step and half of it, extrapolated.
        for (step, weight) in [(self.step, -1.0 / 3.0), (0.5 * self.step, 4.0 / 3.0)] {
            let (high, low) = (at(self.value + step)?, at(self.value - step)?);
            for (out, (h, l)) in out.iter_mut().zip(high.iter().zip(&low)) {
                *out += weight * (h - l) / (2.0 * step);
            }
        }
        Ok(scene.own_info().velocities.iter().cloned().zip(out).collect())
    }
}

/// The problem of a level at a state.
struct Pose<'a> {
    state: &'a State,
    posed: &'a LevelAnalysis,
}

impl Visitor for Pose<'_> {
    type Output = Result<ContactProblem, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        pose(model, self.state, &self.posed.contacts, self.posed.level)
    }
}

/// What impulses and forces make of the velocities of a state.
struct MotionChange<'a> {
    state: &'a State,
    contacts: &'a [usize],
    impulse: &'a [f64],
    dt: f64,
}

impl Visitor for MotionChange<'_> {
    type Output = Result<Vec<f64>, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        change(model, self.state, self.contacts, self.impulse, self.dt)
    }
}

/// Why there is no derivative, or no single one.
#[must_use]
pub fn why_none(slope: &Slope) -> String {
    let n = slope.derivatives.len();
    match (n, slope.complete) {
        (_, false) => "not decided: the solution is not regular".to_owned(),
        (0, true) => "the solution ends here".to_owned(),
        _ => format!("{n} derivatives: the solution branches here"),
    }
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
            motion: None,
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
                    None => out.push(facts(side, None, Some(why_none(&slope)))),
                },
                Err(error) => out.push(facts(side, None, Some(error.to_string()))),
            }
        }
    }
    out
}
