//! A box on its corners that rests, slides, spins, falls or lands on an edge, by every formulation with every friction
//! set: is a step lost, how good is its certificate, and what does the model cost?
//!
//! A box has four corners on the ground where three would carry it: W is singular, or nearly so where the box has
//! turned a little, and impulses are not unique. That is the everyday case of rigid bodies, and the hard one for
//! formulations with an inverse.

mod plane;
mod table;

pub use plane::PlanarBox;
pub use table::{Lost, attempts, by_formulation, by_rho};

use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::set::{ConvexSet, Polyhedron, UniformDisc};
use stickslip::contact::solve::{self, Formulation};
use stickslip::contact::{ContactProblem, Law};
use stickslip::model::{Generalised, Model};
use stickslip::step::{self, StepStatus, Stepper};
use stickslip::{Error, State};

/// Edges of the box in metres, and its mass in kilograms.
const EDGES: DVec3 = DVec3::new(0.4, 0.3, 0.2);
const MASS: f64 = 2.0;
/// The coefficient of friction at every corner.
const MU: f64 = 0.4;
/// The step, in seconds.
const DT: f64 = 5e-3;
/// The radius of a contact patch, in metres: the size of friction sets in their component of spin.
const PATCH: f64 = 0.02;

/// How the box starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// On the ground, without velocity.
    Rests,
    /// On the ground with 1 m/s along it.
    Slides,
    /// On the ground with 6 rad/s about the normal, and a little along the ground.
    Spins,
    /// Upright from 5 cm above the ground, with a little of both.
    Falls,
    /// Tilted about the edge that meets the ground first.
    LandsOnEdge,
}

impl Motion {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Rests, Self::Slides, Self::Spins, Self::Falls, Self::LandsOnEdge];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rests => "rests",
            Self::Slides => "slides",
            Self::Spins => "spins",
            Self::Falls => "falls",
            Self::LandsOnEdge => "lands on an edge",
        }
    }

    fn start(self) -> (Pose, Twist) {
        let upright = Pose::at(DVec3::new(0.0, 0.0, 0.5 * EDGES.z));
        let moving = |linear, angular| Twist { linear, angular };
        match self {
            Self::Rests => (upright, Twist::default()),
            Self::Slides => (upright, moving(DVec3::new(1.0, 0.3, 0.0), DVec3::ZERO)),
            Self::Spins => (upright, moving(DVec3::new(0.2, 0.0, 0.0), 6.0 * DVec3::Z)),
            Self::Falls => {
                let twist = moving(DVec3::new(0.5, 0.2, 0.0), 1.0 * DVec3::Z);
                (Pose::at(DVec3::new(0.0, 0.0, 0.5 * EDGES.z + 0.05)), twist)
            }
            Self::LandsOnEdge => {
                let rotation = DQuat::from_rotation_y(0.3);
                let corner = rotation * DVec3::new(0.5 * EDGES.x, 0.0, -0.5 * EDGES.z);
                let position = DVec3::new(0.0, 0.0, 0.02 - corner.z);
                (Pose { position, rotation }, moving(DVec3::new(0.3, 0.4, 0.0), DVec3::ZERO))
            }
        }
    }
}

/// A friction set with its name in tables.
#[derive(Clone, Debug)]
pub struct Friction {
    /// The name.
    pub name: &'static str,
    /// The law of every corner.
    pub law: Law,
}

/// Every kind of friction set that contacts of bodies have, and the planar one.
///
/// # Errors
/// None, unless the sets of this module are invalid.
pub fn frictions() -> Result<Vec<Friction>, Error> {
    let hexagon: Vec<[f64; 2]> = (0..6)
        .map(|i| (f64::from(i) * std::f64::consts::FRAC_PI_3).sin_cos())
        .map(|(y, x)| [x, 0.8 * y])
        .collect();
    let bounds = [
        [1.0, 0.0, 0.5 / PATCH],
        [0.0, 1.0, -0.5 / PATCH],
        [0.7, 0.7, 0.5 / PATCH],
        [-0.7, 0.7, 0.6 / PATCH],
    ];
    let facets: Vec<[f64; 3]> = bounds.iter().flat_map(|a| [*a, a.map(|x| -x)]).collect();
    let set = |name, set| Friction { name, law: Law::with_set(MU, set) };
    Ok(vec![
        Friction { name: "disc", law: Law::disc(MU) },
        set("ellipse", ConvexSet::Ellipsoid(vec![1.0, 0.6])),
        set("ellipsoid with spin", ConvexSet::Ellipsoid(vec![1.0, 0.8, PATCH])),
        set("polygon", ConvexSet::Polyhedron(Polyhedron::hull(&hexagon)?)),
        set("polyhedron with spin", ConvexSet::Polyhedron(Polyhedron::new(&facets)?)),
        set("mixed", ConvexSet::Mixed { ellipse: [1.0, 0.8], spin: PATCH }),
        set("uniform disc", ConvexSet::Custom(Arc::new(UniformDisc::new(PATCH)?))),
        Friction { name: "planar", law: Law::coulomb(MU) },
    ])
}

/// What became of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Steps made.
    pub steps: usize,
    /// The first step without a certified answer, with which the run ended.
    pub failed: Option<Failure>,
    /// The worst certificate of the steps made: the error of the solver.
    pub certificate: f64,
    /// The worst certificate against the exact law, where the formulation stands for another: the error of the model.
    pub model: Option<f64>,
    /// Why the run was not begun.
    pub refused: Option<String>,
}

/// A step without a certified answer.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Why.
    pub reason: String,
    /// The contact problem.
    pub problem: ContactProblem,
}

impl Outcome {
    /// Puts another run beside this one.
    pub fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.certificate = self.certificate.max(other.certificate);
        self.model = larger(self.model, other.model);
        self.failed = self.failed.take().or_else(|| other.failed.clone());
        self.refused = self.refused.take().or_else(|| other.refused.clone());
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

/// Runs the box for so many steps. A combination that cannot be posed is refused before the first.
pub fn run(motion: Motion, law: &Law, settings: &solve::Settings, steps: usize) -> Outcome {
    let made = if law == &Law::coulomb(law.mu) {
        let planar = PlanarBox::new([EDGES.x, EDGES.z], MASS, law.clone());
        Generalised::new(planar)
            .and_then(|m| march(&m, &plane_start(motion), settings, steps, &mut |_| {}))
    } else {
        world(motion, law)
            .and_then(|(world, start)| march(&world, &start, settings, steps, &mut |_| {}))
    };
    made.unwrap_or_else(|e| Outcome { refused: Some(e.to_string()), ..Outcome::default() })
}

/// The contact problems of a run in space.
///
/// # Errors
/// If the run cannot be begun.
pub fn problems(
    motion: Motion,
    law: &Law,
    settings: &solve::Settings,
    steps: usize,
) -> Result<Vec<ContactProblem>, Error> {
    let (world, start) = world(motion, law)?;
    let mut list = Vec::new();
    march(&world, &start, settings, steps, &mut |problem| list.push(problem.clone()))?;
    Ok(list)
}

fn world(motion: Motion, law: &Law) -> Result<(World, State), Error> {
    let mut world = World::new(DVec3::new(0.0, 0.0, -9.81))?;
    let cuboid = world.body(MassProperties::cuboid(MASS, EDGES)?);
    let floor = Shape::Plane(DVec3::ZERO, DVec3::Z);
    for corner in 0..8 {
        let side = |bit: usize| if corner >> bit & 1 == 1 { 0.5 } else { -0.5 };
        let at = Shape::Point(EDGES * DVec3::new(side(0), side(1), side(2)));
        world.contact(cuboid, World::GROUND, pair(at, floor)?, law.clone())?;
    }
    let start = world.state(&[motion.start()])?;
    Ok((world, start))
}

/// The start of the planar box: that in space, seen along y.
fn plane_start(motion: Motion) -> State {
    let (pose, twist) = motion.start();
    let angle = 2.0 * pose.rotation.y.atan2(pose.rotation.w);
    let spin = if motion == Motion::Spins { 1.0 } else { 0.0 };
    let q = vec![pose.position.x, pose.position.z, angle];
    State::new(q, vec![twist.linear.x, twist.linear.z, spin])
}

fn march<M: Model>(
    mechanism: &M,
    start: &State,
    solve: &solve::Settings,
    steps: usize,
    visit: &mut dyn FnMut(&ContactProblem),
) -> Result<Outcome, Error> {
    let settings = step::Settings { solve: Some(solve.clone()), ..step::Settings::default() };
    let mut stepper = Stepper::new(mechanism, settings)?;
    let (mut state, mut out) = (start.clone(), Outcome::default());
    for _ in 0..steps {
        let failed = match stepper.step(mechanism, &mut state, DT, &mut ()) {
            Ok(StepStatus::Done) => None,
            Ok(StepStatus::Unsolved(unsolved)) => {
                Some(format!("{} ({:.1e})", unsolved.status, unsolved.worst))
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = failed {
            out.failed = Some(Failure { reason, problem: stepper.problem().clone() });
            break;
        }
        out.steps += 1;
        if stepper.outcome().active.is_empty() {
            continue;
        }
        visit(stepper.problem());
        out.certificate = out.certificate.max(stepper.outcome().certificate.worst);
        out.model = larger(out.model, stepper.outcome().model.map(|m| m.worst));
    }
    Ok(out)
}

/// Settings of a formulation alone: no other one steps in.
pub fn alone(formulation: Formulation, directions: usize) -> solve::Settings {
    let tolerance = 1e-9;
    let fall_back = false;
    solve::Settings { formulation, directions, tolerance, fall_back, ..solve::Settings::default() }
}
