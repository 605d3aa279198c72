//! Questions to the state of a simulation: a limit cycle from it, all solutions at it.

use super::Simulation;
use super::callables::number;
use crate::error::{Raise, misuse};
use crate::patience::{Failure, patiently_with};
use crate::value::python;
use pyo3::prelude::*;
use stickslip::analysis::state::Settings as StateSettings;
use stickslip_scene::answers::AnswerError;
use stickslip_scene::answers::analysis::{Facts, levels};
use stickslip_scene::answers::cycle::{CycleAnswer, CycleQuestion, PosedQuestion, Returns};
use stickslip_scene::answers::slopes;

/// A section as Python gives it: an expression, or a function of q, u and t.
#[derive(FromPyObject)]
pub(crate) enum GivenSection {
    Text(String),
    Function(Py<PyAny>),
}

/// How a limit cycle is looked for: the section, the period, the longest return, the cyclic coordinates, and the limits of the search.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenQuestion {
    section: Option<GivenSection>,
    period: Option<String>,
    longest: Option<f64>,
    cyclic: Option<Vec<String>>,
    tol: f64,
    motion_tol: f64,
    settle: usize,
}

/// Limits of an analysis: gap and speed of a contact that touches, contacts, nodes and the tolerance of a search.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AnalysisLimits {
    gap: Option<f64>,
    speed: Option<f64>,
    max_contacts: Option<usize>,
    max_nodes: Option<usize>,
    tol: Option<f64>,
}

impl Simulation {
    pub(super) fn find_cycle<'py>(
        &self,
        py: Python<'py>,
        question: GivenQuestion,
    ) -> PyResult<Bound<'py, PyAny>> {
        let posed = self.pose(question, &self.failure)?;
        let (section, probe) = (posed.name.clone(), self.checked(self.motion.probe())?);
        let found = patiently_with(py, &self.failure, move || probe.cycle(posed))?;
        let found = found.map_err(|e| self.source.refused(e)).raise()?;
        let (info, local) = (self.source.info(), self.source.local());
        let shown = |state: &stickslip::State| self.source.observe(state);
        python(py, &CycleAnswer::new(info, &local, section, found, shown))
    }

    /// The question in the terms of the model.
    fn pose(&self, given: GivenQuestion, failure: &Failure) -> PyResult<PosedQuestion> {
        let GivenQuestion { section, period, longest, cyclic, tol, motion_tol, settle } = given;
        let (section, function) = match section {
            Some(GivenSection::Text(text)) => (Some(text), None),
            Some(GivenSection::Function(function)) => (None, Some(function)),
            None => (None, None),
        };
        let question = CycleQuestion { section, period, longest, tol, motion_tol, settle };
        let start = self.motion.state();
        let mut posed = match (self.source.as_scene(), function) {
            (_, Some(_)) if question.period.is_some() => {
                return Err(misuse("a cycle has a section or a period, not both"));
            }
            (scene, Some(function)) => PosedQuestion {
                name: "section(q, u, t) = 0, rising".to_owned(),
                returns: {
                    let end = scene.and_then(|scene| scene.run.t_end);
                    rising(function, longest.or(end).unwrap_or(1.0), failure.clone())
                },
                cyclic: scene.map(|scene| scene.cyclic(start)).unwrap_or_default(),
                settings: question.settings(&self.settings),
            },
            (Some(scene), None) => question.pose(scene, start, &self.settings).raise()?,
            (None, None) => PosedQuestion {
                name: "every period".to_owned(),
                returns: Returns::Every(every(&question)?),
                cyclic: Vec::new(),
                settings: question.settings(&self.settings),
            },
        };
        if let Some(names) = cyclic {
            posed.cyclic = numbers_of(&names, &self.source.local())?;
        }
        Ok(posed)
    }

    pub(super) fn analyze_state<'py>(
        &self,
        py: Python<'py>,
        sensitivity: Vec<String>,
        limits: &AnalysisLimits,
    ) -> PyResult<Bound<'py, PyAny>> {
        let default = StateSettings::default();
        let mut settings = StateSettings {
            gap: limits.gap.unwrap_or(default.gap),
            speed: limits.speed.unwrap_or(default.speed),
            dt: self.motion.dt(),
            ..default
        };
        let s = &mut settings.report.solutions;
        s.max_contacts = limits.max_contacts.unwrap_or(s.max_contacts);
        s.max_nodes = limits.max_nodes.unwrap_or(s.max_nodes);
        s.tolerance = limits.tol.unwrap_or(s.tolerance);
        let scene = match sensitivity.is_empty() {
            true => None,
            false => Some(self.source.scene("sensitivity")?.clone()),
        };
        let (name, info) = (self.title().to_owned(), self.source.info().clone());
        let probe = self.checked(self.motion.probe())?;
        let facts = patiently_with(py, &self.failure, move || {
            let analysis = probe.analyse(&settings)?;
            let mut facts = Facts::of_state(&name, &info, &analysis);
            let Some(scene) = scene else { return Ok(facts) };
            for (level, posed) in facts.levels.iter_mut().zip(levels(&analysis)) {
                level.sensitivity = slopes::of_scene(&scene, probe.state(), posed, &sensitivity)?;
            }
            Ok::<_, AnswerError>(facts)
        })?;
        python(py, &facts.raise()?)
    }
}

/// A function of Python as a section.
fn rising(function: Py<PyAny>, longest: f64, failure: Failure) -> Returns {
    Returns::Rising(Box::new(move |q, u, t| number(&failure, &function, (&[q, u], t))), longest)
}

/// The period of a system of functions, which has no parameters that it could depend on.
fn every(question: &CycleQuestion) -> PyResult<f64> {
    let wanted = "a system of Python functions needs a section, which is a function of q, u and t, or a period, which is a number";
    let text = match (&question.section, &question.period) {
        (None, Some(text)) => text,
        _ => return Err(misuse(wanted)),
    };
    if question.longest.is_some() {
        return Err(misuse("longest is for sections; after a period the motion always returns"));
    }
    text.parse().ok().filter(|period| *period > 0.0).ok_or_else(|| misuse(wanted))
}

/// The numbers of local coordinates.
fn numbers_of(names: &[String], local: &[String]) -> PyResult<Vec<usize>> {
    let number = |name: &String| {
        local.iter().position(|known| known == name).ok_or_else(|| {
            misuse(format!("there is no coordinate {name}; there are {}", local.join(", ")))
        })
    };
    names.iter().map(number).collect()
}
