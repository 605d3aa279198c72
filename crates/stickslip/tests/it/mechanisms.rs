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
use stickslip::model::Model;
use stickslip::step::{self, StepStatus, Stepper};
use stickslip::system::State;

/// A body model with free bodies; those of a tree are floating.
#[derive(Debug)]
pub(crate) enum AnyModel {
    World(Box<World>),
    Masses(Box<PointMassWorld>),
    Tree(Box<Tree>),
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

    pub(crate) fn state(&mut self, motions: &[(Pose, Twist)]) -> State {
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
    pub(crate) fn motion(&mut self, n: usize, state: &State) -> (Pose, Twist) {
        match self {
            Self::World(m) => m.motion(m.bodies().nth(n + 1).unwrap(), state),
            Self::Masses(m) => m.motion(m.bodies().nth(n + 1).unwrap(), state),
            Self::Tree(m) => m.motion(m.links().nth(n).unwrap(), state).unwrap(),
        }
    }

    pub(crate) fn mechanism(&mut self) -> &mut dyn Model {
        match self {
            Self::World(m) => &mut **m,
            Self::Masses(m) => &mut **m,
            Self::Tree(m) => &mut **m,
        }
    }

    pub(crate) fn march(
        &mut self,
        state: &mut State,
        steps: usize,
        dt: f64,
        settings: step::Settings,
    ) {
        let name = format!("{} {}", self.name(), settings.integrator);
        let mechanism = self.mechanism();
        let mut stepper = Stepper::new(mechanism, settings).unwrap();
        for _ in 0..steps {
            let done = stepper.step(mechanism, state, dt, &mut ()).unwrap();
            assert!(done == StepStatus::Done, "{name} at {}: {done:?}", state.t);
        }
    }

    pub(crate) fn energy(&mut self, state: &State) -> f64 {
        self.mechanism().energy(&state.q, &state.u, state.t).total()
    }
}

/// The order of errors at steps that are halved.
pub(crate) fn order(errors: &[f64]) -> f64 {
    (errors[0] / errors[1]).log2()
}
