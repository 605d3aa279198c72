//! Every model by every integrator with every impact law and formulation: a motion that has a closed form, or a refusal with a reason.
//!
//! A new model is one entry of [`Kind`]; integrators, impact laws and formulations are those of the library.

mod motion;
mod particle;
mod table;

pub use motion::{Friction, Motion, Place};
pub use particle::Kind;
pub use table::table;

use crate::boxes::alone;
use crate::models::Bodies;
use motion::{G, SPEED};
use std::fmt;
use stickslip::Error;
use stickslip::contact::solve::{self, Formulation};
use stickslip::impact::ImpactLaw;
use stickslip::run::{self, End, Event, Flow, Observer, Sample};
use stickslip::step::{self, Integrator};
use stickslip::system::State;

/// The step of the integrators that have one, in seconds.
pub const DT: f64 = 5e-4;

/// Corners or facets in place of a round friction set. Motions run along one of them, so that friction is exact.
const DIRECTIONS: usize = 8;

/// How many steps late impacts and the end of slip may be together.
pub const STEPS: f64 = 2.0;

/// The same where the body hops.
pub const STEPS_OF_HOPS: f64 = 8.0;

/// The same where an impact takes two steps, with the forces of their beginnings.
pub const STEPS_OF_MEANS: f64 = 3.0;

/// The error that is allowed by events. A series of bounces ends when its heights are 10⁻¹² of the first, where the body still has
/// 10⁻⁶ of the first velocity: friction errs by μ times that.
pub const BY_EVENTS: f64 = 1e-6;

/// A place in the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The model.
    pub model: Kind,
    /// The integrator.
    pub integrator: Integrator,
    /// The impact law.
    pub impact: ImpactLaw,
    /// The formulation.
    pub formulation: Formulation,
}

/// What a motion gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The largest error: of positions relative to the way to rest, of velocities relative to that at the start.
    Finished(f64),
    /// It was refused.
    Refused(Error),
    /// It ended before its time.
    Failed(String),
}

/// What the motions gave at a place in the matrix.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The place.
    pub choice: Choice,
    /// Every motion.
    pub outcomes: Vec<(Motion, Outcome)>,
}

/// The whole matrix, in the order of its rows.
#[must_use]
pub fn cells() -> Vec<Cell> {
    let cell = |choice: Choice| {
        let outcomes = Motion::ALL.map(|motion| (motion, choice.outcome(motion, DT))).to_vec();
        Cell { choice, outcomes }
    };
    Choice::all().into_iter().map(cell).collect()
}

impl Cell {
    /// One line for each motion that was neither refused nor as its closed form.
    #[must_use]
    pub fn wrong(&self) -> Vec<String> {
        let (choice, bound) = (&self.choice, self.choice.bound(DT));
        let mut lines = Vec::new();
        for (motion, outcome) in &self.outcomes {
            let why = match outcome {
                Outcome::Refused(_) => continue,
                Outcome::Finished(error) if *error <= bound => continue,
                Outcome::Finished(error) => {
                    format!("an error of {error:.1e} where {bound:.0e} is allowed")
                }
                Outcome::Failed(why) => why.clone(),
            };
            lines.push(format!("{choice}, {}: {why}", motion.name()));
        }
        lines
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, integrator, impact, formulation } = self;
        write!(f, "{}, {integrator}, {impact}, {formulation}", model.name())
    }
}

impl Choice {
    /// All places of the matrix, in the order of its rows.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for model in Kind::ALL {
            for integrator in Integrator::ALL {
                for impact in ImpactLaw::ALL {
                    for formulation in Formulation::ALL {
                        all.push(Self { model, integrator, impact, formulation });
                    }
                }
            }
        }
        all
    }

    /// The law that the formulation stands for. Without De Saxcé's correction contacts hop where they slide; on the level of positions
    /// they float at Δt μ |γ_T| instead, which is zero in the limit.
    #[must_use]
    pub fn friction(&self) -> Friction {
        let hops = self.formulation == Formulation::ConvexifiedCone
            && !matches!(self.integrator, Integrator::GapLevel | Integrator::PaoliSchatzman);
        if hops { Friction::Convexified } else { Friction::Coulomb }
    }

    /// The error that is allowed with steps of `dt`: the velocity that gravity gives in [`STEPS`] steps relative to that at the start; for a
    /// body that hops [`STEPS_OF_HOPS`], since each landing adds its own; where impacts take two [`STEPS_OF_MEANS`]; by events [`BY_EVENTS`].
    #[must_use]
    pub fn bound(&self, dt: f64) -> f64 {
        if self.integrator == Integrator::EventDriven {
            return BY_EVENTS;
        }
        let hops = self.friction() == Friction::Convexified;
        let steps = match self.integrator {
            _ if hops => STEPS_OF_HOPS,
            Integrator::PaoliSchatzman => STEPS_OF_MEANS,
            _ => STEPS,
        };
        steps * G * dt / SPEED
    }

    /// Runs a motion with steps of `dt` and compares it with its closed form.
    #[must_use]
    pub fn outcome(&self, motion: Motion, dt: f64) -> Outcome {
        match self.run(motion, dt) {
            Ok(outcome) => outcome,
            Err(error) => Outcome::Refused(error),
        }
    }

    fn run(&self, motion: Motion, dt: f64) -> Result<Outcome, Error> {
        let (model, start) = self.model.build(motion)?;
        let mut seen = Instants::default();
        let settings = self.settings(dt);
        let report = model.run(&start, &settings, &mut seen)?;
        if report.end != End::Finished || seen.0.len() != Motion::INSTANTS.len() {
            return Ok(Outcome::Failed(format!("{:?} at {} s", report.end, report.state.t)));
        }
        self.error(motion, &*model, &seen.0).map(Outcome::Finished)
    }

    /// The formulation alone: no other one steps in, and no cases are tried before it.
    fn settings(&self, dt: f64) -> run::Settings {
        let solve = solve::Settings { cases: false, ..alone(self.formulation, DIRECTIONS) };
        let step = step::Settings {
            integrator: self.integrator,
            solve: Some(solve),
            impact: self.impact,
            ..step::Settings::default()
        };
        let [.., t_end] = Motion::INSTANTS;
        run::Settings { t_end, dt, sample_dt: SAMPLE_DT, step }
    }

    fn error(&self, motion: Motion, model: &dyn Bodies, states: &[State]) -> Result<f64, Error> {
        let [.., t_end] = Motion::INSTANTS;
        let way = Motion::Lands.exact(Friction::Coulomb, self.impact, t_end).position.x;
        let mut worst: f64 = 0.0;
        for state in states {
            let exact = motion.exact(self.friction(), self.impact, state.t);
            for (pose, twist) in model.motions(state)? {
                let off = |found: glam::DVec3, exact: glam::DVec2, size: f64| {
                    (found - glam::DVec3::new(exact.x, 0.0, exact.y)).length() / size
                };
                worst = worst
                    .max(off(pose.position, exact.position, way))
                    .max(off(twist.linear, exact.velocity, SPEED))
                    .max(twist.angular.length() * way / SPEED);
            }
        }
        Ok(worst)
    }
}

/// Between samples, in seconds: the instants at which states are compared are among them.
const SAMPLE_DT: f64 = 0.01;

/// The states at the instants at which they are compared.
#[derive(Debug, Default)]
struct Instants(Vec<State>);

impl Observer for Instants {
    fn sample(&mut self, sample: &Sample<'_>) -> Flow {
        let wanted = Motion::INSTANTS.get(self.0.len());
        if wanted.is_some_and(|t| (sample.t - t).abs() < 1e-9) {
            self.0.push(State { t: sample.t, q: sample.q.to_vec(), u: sample.u.to_vec() });
        }
        Flow::Continue
    }

    fn event(&mut self, _: &Event) {}
}
