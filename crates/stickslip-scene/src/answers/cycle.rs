//! A limit cycle and what happens in it.

use super::AnswerError;
use crate::recording::{EnergyText, StateText};
use crate::scene::Scene;
use crate::section::{Kind, Section};
use crate::view::Visitor;
use serde::Serialize;
use std::collections::BTreeMap;
use stickslip::analysis::{self, Search, Surface, find_cycle};
use stickslip::model::Model;
use stickslip::run::{Event, Settings};
use stickslip::{State, SystemInfo};

/// How a limit cycle is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleQuestion {
    /// An expression of the state that is zero on the section and rises there; none for that of the scene.
    pub section: Option<String>,
    /// Instead of a section: compare the state after every such time, a number or an expression in parameters.
    pub period: Option<String>,
    /// A return that takes longer than this is none; by default the scene's end time.
    pub longest: Option<f64>,
    /// How well the motion must come back, relative to its size.
    pub tol: f64,
    /// The tolerance of the motion between events.
    pub motion_tol: f64,
    /// Returns to wait for the motion to settle.
    pub settle: usize,
}

impl Default for CycleQuestion {
    fn default() -> Self {
        let settings = analysis::cycle::Settings::default();
        Self {
            section: None,
            period: None,
            longest: None,
            tol: settings.tolerance,
            motion_tol: 1e-12,
            settle: settings.settle,
        }
    }
}

/// What a search came to. Keys that a lost search does not have are left out.
#[derive(Debug, Serialize)]
pub struct CycleAnswer {
    /// `found` or `lost`.
    pub status: &'static str,
    /// Why it was lost; else null.
    pub reason: Option<String>,
    /// The cycle, if there is one.
    #[serde(flatten)]
    pub found: Option<Found>,
    /// On the section: of the cycle, or where the search ended.
    pub state: StateText,
    /// Returns in one period, or made in vain.
    pub returns: usize,
    /// Where states are compared.
    pub section: String,
}

/// A limit cycle.
#[derive(Debug, Serialize)]
pub struct Found {
    /// The time after which the motion repeats.
    pub period: f64,
    /// Whether nearby motions come back to it.
    pub stable: bool,
    /// Of the return map: by what deviations grow in one period.
    pub multipliers: Vec<Multiplier>,
    /// By how much coordinates change in one period that need not come back.
    pub drop: BTreeMap<String, f64>,
    /// Where its energy goes.
    pub energy: Balance,
    /// What the contacts do, phase by phase.
    pub modes: Vec<PhaseText>,
    /// What happens at the contacts.
    pub events: Vec<EventText>,
    /// How far the state is from where it comes back, relative to its size.
    pub residual: f64,
    /// Returns that were waited for.
    pub settling: usize,
}

/// A complex number.
#[derive(Debug, Serialize)]
pub struct Multiplier {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
    /// Its size.
    pub abs: f64,
}

/// The energy of one period.
#[derive(Debug, Serialize)]
pub struct Balance {
    /// What the motion gains.
    pub change: EnergyText,
    /// By contact, what friction adds between impacts.
    pub friction: BTreeMap<String, f64>,
    /// By contact, what impacts add.
    pub impacts: BTreeMap<String, f64>,
    /// By contact, what moving walls add.
    pub drive: BTreeMap<String, f64>,
    /// What forces without a potential add.
    pub forces: f64,
    /// What of the change these do not explain.
    pub rest: f64,
    /// The same relative to the largest of them.
    pub relative: f64,
}

/// What the contacts do from a time on.
#[derive(Debug, Serialize)]
pub struct PhaseText {
    /// From when.
    pub t: f64,
    /// By contact.
    pub modes: BTreeMap<String, &'static str>,
}

/// An event at a contact.
#[derive(Debug, Serialize)]
pub struct EventText {
    /// When.
    pub t: f64,
    /// Where.
    pub contact: String,
    /// What.
    pub event: &'static str,
    /// The normal impulse of an impact.
    pub impulse_n: f64,
    /// The tangential impulse.
    pub impulse_t: f64,
    /// What an impact added to the energy.
    pub energy: f64,
}

/// Looks for a limit cycle of a scene from a start, with the impact law and the solver of these settings.
///
/// # Errors
/// If the question cannot be understood, or the scene cannot be run event by event.
pub fn find(
    scene: &Scene,
    start: &State,
    settings: &Settings,
    question: &CycleQuestion,
) -> Result<CycleAnswer, AnswerError> {
    let posed = question.pose(scene, start, settings)?;
    let section = posed.name.clone();
    let found = scene.model().visit(Find { start, posed }).map_err(|e| scene.refused(e))?;
    let local: Vec<String> = scene.local().iter().map(|c| c.name.clone()).collect();
    Ok(CycleAnswer::new(scene.info(), &local, section, found, |state| scene.observe(state)))
}

/// A function of q, u and t.
type Function = Box<dyn FnMut(&[f64], &[f64], f64) -> f64 + Send>;

/// Where states are compared.
pub enum Returns {
    /// Where a function of q, u and t rises through zero; a return that takes longer than the number is none.
    Rising(Function, f64),
    /// After every such time.
    Every(f64),
}

/// A question to a model.
pub struct PosedQuestion {
    /// What the section is called.
    pub name: String,
    /// Where states are compared.
    pub returns: Returns,
    /// Local coordinates that need not come back.
    pub cyclic: Vec<usize>,
    /// How it is looked for.
    pub settings: analysis::cycle::Settings,
}

impl PosedQuestion {
    /// The search from a start.
    ///
    /// # Errors
    /// If the model cannot be run event by event.
    pub fn search<M: Model>(
        mut self,
        model: &M,
        start: &State,
    ) -> Result<Search, stickslip::Error> {
        let surface = match &mut self.returns {
            Returns::Rising(sigma, longest) => Surface::Section(sigma, *longest),
            Returns::Every(period) => Surface::Period(*period),
        };
        find_cycle(model, start, surface, &self.cyclic, &self.settings)
    }
}

impl CycleQuestion {
    /// How a search goes on whose motion has the impact law and the solver of these settings.
    #[must_use]
    pub fn settings(&self, run: &Settings) -> analysis::cycle::Settings {
        let mut motion = run.event_driven();
        (motion.tolerance, motion.sample_every) = (self.motion_tol, 0.0);
        analysis::cycle::Settings {
            motion,
            settle: self.settle,
            tolerance: self.tol,
            ..analysis::cycle::Settings::default()
        }
    }

    /// The question in the terms of a scene's model.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn pose(
        &self,
        scene: &Scene,
        start: &State,
        run: &Settings,
    ) -> Result<PosedQuestion, AnswerError> {
        let given = self.section.is_some() || self.period.is_some();
        if !given && scene.cycle.is_none() {
            let reason = " is missing: the scene has no [cycle]; give an expression of the state, or a period";
            return Err(AnswerError::option("section", reason));
        }
        let section = Section::parse(self.section.as_deref(), self.period.as_deref(), scene)?;
        let longest = self.longest.or(scene.run.t_end).unwrap_or(1.0);
        let returns = match section.kind {
            Kind::Surface(mut surface) => {
                Returns::Rising(Box::new(move |q, u, t| surface.value(q, u, t)), longest)
            }
            Kind::Period(_) if self.longest.is_some() => {
                let reason = " is for sections; after a period the motion always returns";
                return Err(AnswerError::option("longest", reason));
            }
            Kind::Period(period) => Returns::Every(period),
            Kind::Event(..) => {
                let reason = " of a cycle is an expression, not a contact";
                return Err(AnswerError::option("section", reason));
            }
        };
        let (cyclic, settings) = (scene.cyclic(start), self.settings(run));
        Ok(PosedQuestion { name: section.name, returns, cyclic, settings })
    }
}

/// The search itself.
struct Find<'a> {
    start: &'a State,
    posed: PosedQuestion,
}

impl Visitor for Find<'_> {
    type Output = Result<Search, stickslip::Error>;

    fn visit<M: Model>(self, model: &M) -> Self::Output {
        self.posed.search(model, self.start)
    }
}

impl CycleAnswer {
    /// What a search came to, in the names of a system and of its local coordinates, and by states as they are shown.
    #[must_use]
    pub fn new(
        info: &SystemInfo,
        local: &[String],
        section: String,
        search: Search,
        shown: impl Fn(&State) -> State,
    ) -> Self {
        let at = |state: &State| StateText::new(info, &shown(state));
        match search {
            Search::Found(cycle) => Self {
                status: "found",
                reason: None,
                state: at(&cycle.state),
                returns: cycle.returns,
                found: Some(Found::new(info, local, &cycle)),
                section,
            },
            Search::Lost(lost) => Self {
                status: "lost",
                reason: Some(lost.reason),
                state: at(&lost.state),
                returns: lost.returns,
                found: None,
                section,
            },
        }
    }
}

impl Found {
    fn new(info: &SystemInfo, local: &[String], cycle: &analysis::Cycle) -> Self {
        let names = || info.contacts.iter().map(|c| c.name.clone());
        let by_name = |values: &[f64]| names().zip(values.iter().copied()).collect();
        let e = &cycle.energy;
        let event = |e: &Event| EventText {
            t: e.t,
            contact: info.contacts.get(e.contact).map(|c| c.name.clone()).unwrap_or_default(),
            event: e.kind.name(),
            impulse_n: e.impulse[0],
            impulse_t: e.impulse[1],
            energy: e.energy,
        };
        let phase = |p: &stickslip::events::Phase| PhaseText {
            t: p.t,
            modes: names().zip(p.modes.iter().map(|m| m.name())).collect(),
        };
        let drop = |&(i, change): &(usize, f64)| Some((local.get(i)?.clone(), change));
        Self {
            period: cycle.period,
            stable: cycle.stable,
            multipliers: cycle
                .multipliers
                .iter()
                .map(|m| Multiplier { re: m.re, im: m.im, abs: m.re.hypot(m.im) })
                .collect(),
            drop: cycle.drop.iter().filter_map(drop).collect(),
            energy: Balance {
                change: e.change.into(),
                friction: by_name(&e.friction),
                impacts: by_name(&e.impacts),
                drive: by_name(&e.drive),
                forces: e.forces,
                rest: e.rest,
                relative: e.relative,
            },
            modes: cycle.phases.iter().map(phase).collect(),
            events: cycle.events.iter().map(event).collect(),
            residual: cycle.residual,
            settling: cycle.settling,
        }
    }
}
