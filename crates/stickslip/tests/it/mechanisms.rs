//! What all body models share: forces, integrators, prescribed bodies, runs. The same scene in each of them.

mod forces;
mod friction;
mod joined;
mod methods;
mod prescribed;
mod refusals;
mod run;

use glam::DVec3;
use std::sync::Arc;
use stickslip::Error;
use stickslip::bodies::articulated::{Tree, TreeJoint};
use stickslip::bodies::forces::{BodyIndex, Force};
use stickslip::bodies::{MassProperties, Pair, PointMassWorld, Pose, Twist, World};
use stickslip::contact::Law;
use stickslip::contact::solve::Formulation;
use stickslip::model::{Candidate, Model, Span};
use stickslip::run::{Observer, Report};
use stickslip::step::{self, StepOutcome, StepStatus, Stepper};
use stickslip::system::State;

/// A body model with free bodies; those of a tree are floating.
#[derive(Debug)]
pub(crate) enum AnyModel {
    World(Box<World>),
    Masses(Box<PointMassWorld>),
    Tree(Box<Tree>),
}

/// The same for whatever model it is.
macro_rules! on_each {
    ($model:expr, $m:ident => $what:expr) => {
        match $model {
            AnyModel::World(m) => {
                let $m = &**m;
                $what
            }
            AnyModel::Masses(m) => {
                let $m = &**m;
                $what
            }
            AnyModel::Tree(m) => {
                let $m = &**m;
                $what
            }
        }
    };
}

impl AnyModel {
    /// One of each, without bodies.
    pub(crate) fn all(gravity: DVec3) -> [Self; 3] {
        [
            Self::World(Box::new(World::new(gravity).unwrap())),
            Self::Masses(Box::new(PointMassWorld::new(gravity).unwrap())),
            Self::Tree(Box::new(Tree::new(gravity).unwrap())),
        ]
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::World(_) => "world",
            Self::Masses(_) => "point masses",
            Self::Tree(_) => "tree",
        }
    }

    /// The n-th free body is the part n.
    pub(crate) fn body(&mut self, mass: MassProperties) -> BodyIndex {
        let still = Pose::default();
        match self {
            Self::World(m) => m.body(mass).into(),
            Self::Masses(m) => m.body(mass).unwrap().into(),
            Self::Tree(m) => {
                m.link(Tree::GROUND, TreeJoint::Free, still, still, mass).unwrap().into()
            }
        }
    }

    pub(crate) fn force(&mut self, force: Arc<dyn Force>) -> Result<(), Error> {
        match self {
            Self::World(m) => m.force(force),
            Self::Masses(m) => m.force(force),
            Self::Tree(m) => m.force(force),
        }
    }

    /// A body that is moved: the part after those that are there.
    pub(crate) fn prescribed(&mut self, motion: fn(f64) -> (Pose, Twist)) {
        match self {
            Self::World(m) => drop(m.prescribed(motion)),
            Self::Masses(m) => drop(m.prescribed(motion)),
            Self::Tree(m) => drop(m.prescribed(motion).unwrap()),
        }
    }

    /// The n-th part after the ground, from 0.
    pub(crate) fn part(&self, n: usize) -> BodyIndex {
        match self {
            Self::World(m) => m.bodies().nth(n + 1).unwrap().into(),
            Self::Masses(m) => m.bodies().nth(n + 1).unwrap().into(),
            Self::Tree(m) => m.links().nth(n).unwrap().into(),
        }
    }

    /// A contact of the first body with the ground, or with the one that is moved.
    pub(crate) fn contact(&mut self, pair: Arc<dyn Pair>, law: Law) {
        match self {
            Self::World(m) => {
                let body = m.bodies().nth(1).unwrap();
                let other = m.bodies().nth(2).unwrap_or(World::GROUND);
                m.contact(body, other, pair, law).map(drop)
            }
            Self::Masses(m) => {
                let body = m.bodies().nth(1).unwrap();
                let other = m.bodies().nth(2).unwrap_or(PointMassWorld::GROUND);
                m.contact(body, other, pair, law).map(drop)
            }
            Self::Tree(m) => {
                let link = m.links().next().unwrap();
                let other = m.links().nth(1).unwrap_or(Tree::GROUND);
                m.contact(link, other, pair, law).map(drop)
            }
        }
        .unwrap();
    }

    pub(crate) fn state(&self, motions: &[(Pose, Twist)]) -> State {
        match self {
            Self::World(m) => m.state(motions).unwrap(),
            Self::Masses(m) => m.state(motions).unwrap(),
            Self::Tree(m) => {
                let (mut q, mut u) = (Vec::new(), Vec::new());
                for (pose, twist) in motions {
                    q.extend(pose.position.to_array());
                    let r = pose.rotation;
                    q.extend([r.w, r.x, r.y, r.z]);
                    u.extend(twist.linear.to_array());
                    u.extend(twist.angular.to_array());
                }
                m.state(&q, &u).unwrap()
            }
        }
    }

    /// The motion of the n-th body that was added, from 0.
    pub(crate) fn motion(&self, n: usize, state: &State) -> (Pose, Twist) {
        match self {
            Self::World(m) => m.motion(m.bodies().nth(n + 1).unwrap(), state),
            Self::Masses(m) => m.motion(m.bodies().nth(n + 1).unwrap(), state),
            Self::Tree(m) => m.motion(m.links().nth(n).unwrap(), state).unwrap(),
        }
    }

    pub(crate) fn stepper(&self, settings: step::Settings) -> Result<AnyStepper, Error> {
        Ok(match self {
            Self::World(m) => AnyStepper::World(Box::new(Stepper::new(&**m, settings)?)),
            Self::Masses(m) => AnyStepper::Masses(Box::new(Stepper::new(&**m, settings)?)),
            Self::Tree(m) => AnyStepper::Tree(Box::new(Stepper::new(&**m, settings)?)),
        })
    }

    pub(crate) fn march(&self, state: &mut State, steps: usize, dt: f64, settings: step::Settings) {
        let name = format!("{} {}", self.name(), settings.integrator);
        let mut stepper = self.stepper(settings).unwrap();
        for _ in 0..steps {
            let done = stepper.step(self, state, dt).unwrap();
            assert!(done == StepStatus::Done, "{name} at {}: {done:?}", state.t);
        }
    }

    pub(crate) fn run<O: Observer>(
        &self,
        start: &State,
        settings: &stickslip::run::Settings,
        observer: &mut O,
    ) -> Result<Report, Error> {
        on_each!(self, m => stickslip::run::run(m, start, settings, observer, &mut ()))
    }

    pub(crate) fn coordinates(&self) -> usize {
        on_each!(self, m => m.coordinates())
    }

    pub(crate) fn velocities(&self) -> usize {
        on_each!(self, m => m.velocities())
    }

    /// The candidates at a state.
    pub(crate) fn candidates(&self, state: &State) -> Vec<Candidate> {
        let mut seen = Vec::new();
        on_each!(self, m => m.detect(&mut Default::default(), &Span::still(state), &mut seen))
            .unwrap();
        seen
    }

    pub(crate) fn formulation(&self, settings: &step::Settings) -> Formulation {
        on_each!(self, m => settings.solve_for(m)).formulation
    }

    pub(crate) fn energy(&self, state: &State) -> f64 {
        on_each!(self, m => m.energy(&state.q, &state.u, state.t)).total()
    }
}

/// What moves such a model.
pub(crate) enum AnyStepper {
    World(Box<Stepper<World>>),
    Masses(Box<Stepper<PointMassWorld>>),
    Tree(Box<Stepper<Tree>>),
}

impl AnyStepper {
    /// A step of the model that it was made for.
    pub(crate) fn step(
        &mut self,
        model: &AnyModel,
        state: &mut State,
        dt: f64,
    ) -> Result<StepStatus, Error> {
        match (self, model) {
            (Self::World(s), AnyModel::World(m)) => s.step(m, state, dt, &mut ()),
            (Self::Masses(s), AnyModel::Masses(m)) => s.step(m, state, dt, &mut ()),
            (Self::Tree(s), AnyModel::Tree(m)) => s.step(m, state, dt, &mut ()),
            _ => panic!("a stepper of another model"),
        }
    }

    pub(crate) fn outcome(&self) -> &StepOutcome {
        match self {
            Self::World(s) => s.outcome(),
            Self::Masses(s) => s.outcome(),
            Self::Tree(s) => s.outcome(),
        }
    }
}

/// The order of errors at steps that are halved.
pub(crate) fn order(errors: &[f64]) -> f64 {
    (errors[0] / errors[1]).log2()
}
