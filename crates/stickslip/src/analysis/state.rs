//! A state of a system, analysed at every level that it has: accelerations, a step, an impact.

use crate::contact::ContactProblem;
use crate::contact::analysis::report::{self, Analysis};
use crate::error::{Error, check};
use crate::level::{Level, change, pose, rel_velocity};
use crate::system::{State, System};

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

/// A contact at the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which contact of the system.
    pub contact: usize,
    /// Its gap.
    pub gap: f64,
    /// γ: how fast the gap opens, and the slip.
    pub velocity: [f64; 2],
}

/// One level of a state.
#[derive(Clone, Debug)]
pub struct Posed {
    /// The level.
    pub level: Level,
    /// The contacts that take part.
    pub contacts: Vec<usize>,
    /// γ of these contacts at the state.
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
    /// The contacts that touch.
    pub touching: Vec<Touch>,
    /// Forces and accelerations of the contacts that rest; `None` while a contact approaches, when an impact comes first.
    pub accelerations: Option<Posed>,
    /// Impulses over a step of all contacts that touch.
    pub step: Posed,
    /// The impact, if a contact approaches.
    pub impact: Option<Posed>,
    /// If accelerations have no solution (proved): the largest change of a velocity by impulses in no time, an impact without a
    /// collision; 0 if no impulses change anything.
    pub jump: Option<f64>,
}

/// Changes of relative velocities below this share of them are rounding.
const UNCHANGED: f64 = 1e-9;

impl StateAnalysis {
    /// Analyses a state.
    ///
    /// # Errors
    /// If the state does not fit the system, a setting is out of range, or the model returns numbers that cannot be used.
    pub fn of<S: System + ?Sized>(
        system: &mut S,
        state: &State,
        settings: &Settings,
    ) -> Result<Self, Error> {
        settings.validate()?;
        let touching = touching(system, state, settings.gap)?;
        let approaches = touching.iter().any(|t| t.velocity[0] < -settings.speed);
        let contacts: Vec<usize> = touching.iter().map(|t| t.contact).collect();
        let rests = |t: &&Touch| t.velocity[0].abs() <= settings.speed;
        let resting: Vec<usize> = touching.iter().filter(rests).map(|t| t.contact).collect();
        let accelerations = match approaches {
            true => None,
            false => {
                let level = Level::Acceleration(settings.still);
                Some(Posed::of(system, state, &resting, level, settings)?)
            }
        };
        let step = Posed::of(system, state, &contacts, Level::Step(settings.dt), settings)?;
        let impact = match approaches {
            true => Some(Posed::of(system, state, &contacts, Level::Impact, settings)?),
            false => None,
        };
        let none = accelerations.as_ref().is_some_and(|p| p.analysis.solutions.proof.is_some());
        let jump = match none {
            true => Some(Posed::of(system, state, &contacts, Level::Impact, settings)?.jump()),
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

impl Posed {
    /// The time that forces act over: that of a step, none in an impact, 1 for accelerations.
    #[must_use]
    pub fn dt(&self) -> f64 {
        dt_of(self.level)
    }

    /// One level of a state, for these contacts.
    ///
    /// # Errors
    /// As [`StateAnalysis::of`].
    pub fn of<S: System + ?Sized>(
        system: &mut S,
        state: &State,
        contacts: &[usize],
        level: Level,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let problem = pose(system, state, contacts, level)?;
        let analysis = Analysis::of(&problem, &settings.report)?;
        let before = rel_velocity(system, state, contacts)?;
        let dt = dt_of(level);
        let mut motions = Vec::new();
        let mut energy = Vec::new();
        for solution in &analysis.solutions.solutions {
            motions.push(change(system, state, contacts, &solution.impulse, dt)?);
            if level == Level::Impact {
                energy.push(solution.energy_change(&problem, &before)?);
            }
        }
        Ok(Self { level, contacts: contacts.to_vec(), before, problem, analysis, motions, energy })
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

/// What forces act over at a level; with 1 s they give accelerations.
fn dt_of(level: Level) -> f64 {
    match level {
        Level::Step(dt) => dt,
        Level::Impact => 0.0,
        Level::Acceleration(_) => 1.0,
    }
}

fn touching<S: System + ?Sized>(
    system: &mut S,
    state: &State,
    gap: f64,
) -> Result<Vec<Touch>, Error> {
    state.validate(system.info())?;
    let mut gaps = vec![0.0; system.info().contacts.len()];
    system.gaps(&state.q, state.t, &mut gaps);
    if gaps.iter().any(|g| !g.is_finite()) {
        return Err(Error::NotFinite { what: "a gap", t: state.t });
    }
    let contacts: Vec<usize> = (0..gaps.len()).filter(|&c| gaps[c] <= gap).collect();
    let gamma = rel_velocity(system, state, &contacts)?;
    let touches = contacts.iter().zip(gamma.chunks_exact(2));
    Ok(touches
        .map(|(&contact, g)| Touch { contact, gap: gaps[contact], velocity: [g[0], g[1]] })
        .collect())
}
