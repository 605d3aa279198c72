//! A state of a model, analysed at every level that it has: accelerations, a step, an impact.

use crate::contact::analysis::report::{self, Analysis};
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::level::{Equations, Level};
use crate::model::{Candidate, Model, Span};
use crate::system::State;

/// What counts as touching, resting and still.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// A contact touches if its gap is at most this. Default 1e-6.
    pub gap: f64,
    /// A contact that touches rests if its gap changes no faster than this. Default 1e-6.
    pub speed: f64,
    /// A contact slides on the level of accelerations if its slip is faster than this. Default 1e-9.
    pub still: f64,
    /// The length of the step. Default 1e-4.
    pub dt: f64,
    /// Limits of each analysis.
    pub report: report::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self { gap: 1e-6, speed: 1e-6, still: 1e-9, dt: 1e-4, report: report::Settings::default() }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    ///
    /// # Errors
    /// [`Error::Range`], which names the field.
    pub fn validate(&self) -> Result<(), Error> {
        for (name, value) in [("gap", self.gap), ("speed", self.speed), ("still", self.still)] {
            check(|| name.into(), value, value >= 0.0, "a finite number >= 0")?;
        }
        check(|| "dt".into(), self.dt, self.dt > 0.0, "a finite number > 0")?;
        Ok(self.report.solutions.validate()?)
    }
}

/// A contact that touches at the state, or a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchingContact {
    /// Which candidate of the model, by index.
    pub contact: usize,
    /// Its identity, which stays the same while the model moves.
    pub identity: u64,
    /// Its gap; connections have none.
    pub gap: Option<f64>,
    /// γ, one number per component of its law: how fast the gap opens, and the slip.
    pub velocity: Vec<f64>,
}

impl TouchingContact {
    /// How fast the gap opens; connections have none.
    #[must_use]
    pub fn opening(&self) -> Option<f64> {
        self.gap.and(self.velocity.first().copied())
    }
}

/// One level of a state.
#[derive(Clone, Debug)]
pub struct LevelAnalysis {
    /// The level.
    pub level: Level,
    /// The candidates that take part, by index.
    pub contacts: Vec<usize>,
    /// γ of these candidates at the state.
    pub before: Vec<f64>,
    /// The problem.
    pub problem: ContactProblem,
    /// What is known of it.
    pub analysis: Analysis,
    /// Of each solution: u̇ on the level of accelerations, else the change of u.
    pub motions: Vec<Vec<f64>>,
    /// Of each solution on the level of impacts: what it adds to the kinetic energy; else empty.
    pub energy: Vec<f64>,
}

/// A state at all its levels.
#[derive(Clone, Debug)]
pub struct StateAnalysis {
    /// The state.
    pub state: State,
    /// The contacts that touch, and all connections.
    pub touching: Vec<TouchingContact>,
    /// Forces and accelerations of the contacts that rest and of the connections; `None` while a contact approaches, when an impact comes first.
    pub accelerations: Option<LevelAnalysis>,
    /// Impulses over a step of all contacts that touch and of the connections.
    pub step: LevelAnalysis,
    /// The impact, if a contact approaches.
    pub impact: Option<LevelAnalysis>,
    /// If accelerations have no solution (proved): the largest change of a velocity by impulses in no time, an impact without a
    /// collision; 0 if no impulses change anything.
    pub jump: Option<f64>,
}

/// Changes of relative velocities below this share of them are rounding.
const UNCHANGED: f64 = 1e-9;

impl StateAnalysis {
    /// Analyses a state of a model. A [`System`](crate::System) is a model as [`Generalised`](crate::model::Generalised).
    ///
    /// # Errors
    /// If the state does not fit the model, a setting is out of range, the model has no equations on the level of accelerations
    /// ([`Model::accelerations`]), or returns numbers that cannot be used.
    pub fn of<M: Model>(model: &M, state: &State, settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        let touching = touching(model, state, settings.gap)?;
        let approaches =
            touching.iter().any(|t| t.opening().is_some_and(|speed| speed < -settings.speed));
        let contacts: Vec<usize> = touching.iter().map(|t| t.contact).collect();
        let rests =
            |t: &&TouchingContact| t.opening().is_none_or(|speed| speed.abs() <= settings.speed);
        let resting: Vec<usize> = touching.iter().filter(rests).map(|t| t.contact).collect();
        let accelerations = match approaches {
            true => None,
            false => {
                let level = Level::Acceleration(settings.still);
                Some(LevelAnalysis::of(model, state, &resting, level, settings)?)
            }
        };
        let step = LevelAnalysis::of(model, state, &contacts, Level::Step(settings.dt), settings)?;
        let impact = match approaches {
            true => Some(LevelAnalysis::of(model, state, &contacts, Level::Impact, settings)?),
            false => None,
        };
        let none = accelerations.as_ref().is_some_and(|p| p.analysis.solutions.proof.is_some());
        let jump = match none {
            true => {
                Some(LevelAnalysis::of(model, state, &contacts, Level::Impact, settings)?.jump())
            }
            false => None,
        };
        Ok(Self { state: state.clone(), touching, accelerations, step, impact, jump })
    }

    /// Whether accelerations have no solution (proved), and impulses in no time change the velocities instead: an impact without
    /// a collision.
    #[must_use]
    pub fn jams(&self) -> bool {
        self.jump.is_some_and(|jump| jump > 0.0)
    }
}

impl LevelAnalysis {
    /// One level of a state, for these candidates of the model.
    ///
    /// # Errors
    /// As [`StateAnalysis::of`].
    pub fn of<M: Model>(
        model: &M,
        state: &State,
        contacts: &[usize],
        level: Level,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let equations = Equations::of(model, state, contacts)?;
        let problem = equations.pose(level)?;
        let analysis = Analysis::of(&problem, &settings.report)?;
        let mut motions = Vec::new();
        let mut energy = Vec::new();
        for solution in &analysis.solutions.solutions {
            motions.push(equations.change(&solution.impulse, level.dt())?);
            if level == Level::Impact {
                energy.push(solution.energy_change(&problem, &equations.gamma)?);
            }
        }
        let (contacts, before) = (contacts.to_vec(), equations.gamma);
        Ok(Self { level, contacts, before, problem, analysis, motions, energy })
    }

    /// The largest change of u over all solutions that change γ.
    fn jump(&self) -> f64 {
        let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let least = UNCHANGED * size(&self.before);
        let solutions = self.analysis.solutions.solutions.iter().zip(&self.motions);
        let changes = solutions.filter(|(s, _)| {
            let change = s.velocity.iter().zip(self.problem.bias()).map(|(xi, b)| xi - b);
            size(&change.collect::<Vec<_>>()) > least
        });
        changes.fold(0.0, |m, (_, motion)| m.max(size(motion)))
    }
}

/// The contacts of a model whose gaps are at most `gap`, and all its connections.
///
/// # Errors
/// As [`StateAnalysis::of`].
pub fn touching<M: Model>(
    model: &M,
    state: &State,
    gap: f64,
) -> Result<Vec<TouchingContact>, Error> {
    model.validate(&state.q, &state.u)?;
    let mut seen = Vec::new();
    model.detect(&mut M::Place::default(), &Span::still(state), &mut seen)?;
    let gaps = || seen.iter().filter_map(|c| c.gap);
    if gaps().any(|g| !g.is_finite()) {
        return Err(Error::NotFinite { what: "a gap", t: state.t });
    }
    let touches = |c: &usize| seen[*c].gap.is_none_or(|g| g <= gap);
    let contacts: Vec<usize> = (0..seen.len()).filter(touches).collect();
    let equations = Equations::of(model, state, &contacts)?;
    let mut gamma = equations.gamma.iter().copied();
    let both = contacts.into_iter().zip(&equations.laws);
    let touch = |(contact, law): (usize, &Law)| {
        let Candidate { identity, gap } = seen[contact];
        let velocity = gamma.by_ref().take(law.components()).collect();
        TouchingContact { contact, identity, gap, velocity }
    };
    Ok(both.map(touch).collect())
}
