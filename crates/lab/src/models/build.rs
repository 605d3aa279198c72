//! The body models of a plan.

use super::{Loop, Plan};
use glam::DQuat;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use stickslip::Error;
use stickslip::bodies::articulated::{Closure, LinkId, TreeJoint};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Body, Joint, JointKind, Pair, PointMassWorld, Pose, Reaction, Tree, Twist, World,
};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::run::{self, Observer, Report};
use stickslip::step::{self, StepOutcome, StepStatus, Stepper};
use stickslip::system::State;

/// A way to build a mechanism.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name in tables.
    pub name: &'static str,
    /// Makes it, with its start.
    pub build: fn(&Plan) -> Result<Moving, Error>,
}

/// All models.
pub const MODELS: [Variant; 5] = [
    Variant { name: "rigid, reactions inside", build: |p| rigid(p, Reaction::Inside) },
    Variant {
        name: "rigid, reactions in the contact problem",
        build: |p| rigid(p, Reaction::InProblem),
    },
    Variant { name: "articulated", build: articulated },
    Variant { name: "point masses, reactions inside", build: |p| points(p, Reaction::Inside) },
    Variant {
        name: "point masses, reactions in the contact problem",
        build: |p| points(p, Reaction::InProblem),
    },
];

/// What a candidate stands for in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A contact.
    Contact(usize),
    /// A stop, by its number in the list of stops: the lower (0) or the upper (1).
    Stop(usize, usize),
    /// The joint of a link.
    Joint(usize),
}

/// A model on its way.
pub struct Moving {
    /// The model.
    pub model: Box<dyn Bodies>,
    /// Where it is.
    pub state: State,
    /// Identities of candidates, and what they stand for; others are a model's own.
    pub parts: Vec<(u64, Part)>,
}

impl std::fmt::Debug for Moving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moving").field("state", &self.state).finish_non_exhaustive()
    }
}

/// A model with the links of a plan in it.
pub trait Bodies {
    /// Runs it from a start.
    ///
    /// # Errors
    /// As [`run`](run::run).
    fn run(
        &self,
        start: &State,
        settings: &run::Settings,
        observer: &mut dyn Observer,
    ) -> Result<Report, Error>;

    /// What takes it from step to step.
    ///
    /// # Errors
    /// If a setting is refused.
    fn steps(&self, settings: step::Settings) -> Result<Box<dyn Steps + '_>, Error>;

    /// Poses and twists of all links at a state.
    ///
    /// # Errors
    /// If the state is refused.
    fn motions(&self, state: &State) -> Result<Vec<(Pose, Twist)>, Error>;
}

/// A model with its stepper, whatever it is.
pub trait Steps {
    /// One step.
    ///
    /// # Errors
    /// As [`Stepper::step`].
    fn step(&mut self, state: &mut State, dt: f64) -> Result<StepStatus, Error>;

    /// What the last step did.
    fn outcome(&self) -> &StepOutcome;

    /// The number of components of one of its candidates.
    fn components(&self, candidate: usize) -> usize;
}

impl<M: Model> Steps for (&M, Stepper<M>) {
    fn step(&mut self, state: &mut State, dt: f64) -> Result<StepStatus, Error> {
        self.1.step(self.0, state, dt, &mut ())
    }

    fn outcome(&self) -> &StepOutcome {
        self.1.outcome()
    }

    fn components(&self, candidate: usize) -> usize {
        self.0.law(self.1.place(), candidate).components()
    }
}

/// A model with a stepper of these settings.
///
/// # Errors
/// If a setting is refused.
pub fn steps<M: Model>(model: &M, settings: step::Settings) -> Result<Box<dyn Steps + '_>, Error> {
    Ok(Box::new((model, Stepper::new(model, settings)?)))
}

macro_rules! bodies {
    ($model:ty, $body:ty, $motions:expr) => {
        impl Bodies for ($model, Vec<$body>) {
            fn run(
                &self,
                start: &State,
                settings: &run::Settings,
                observer: &mut dyn Observer,
            ) -> Result<Report, Error> {
                run::run(&self.0, start, settings, observer, &mut ())
            }

            fn steps(&self, settings: step::Settings) -> Result<Box<dyn Steps + '_>, Error> {
                steps(&self.0, settings)
            }

            fn motions(&self, state: &State) -> Result<Vec<(Pose, Twist)>, Error> {
                self.1.iter().map(|body| $motions(&self.0, *body, state)).collect()
            }
        }
    };
}

bodies!(World, Body, |world: &World, body, state| Ok(world.motion(body, state)));
bodies!(PointMassWorld, Body, |world: &PointMassWorld, body, state| Ok(world.motion(body, state)));
bodies!(Tree, LinkId, Tree::motion);

fn articulated(plan: &Plan) -> Result<Moving, Error> {
    let mut tree = Tree::new(plan.gravity)?;
    let mut links: Vec<LinkId> = Vec::new();
    let at = |links: &[LinkId], l: Option<usize>| l.map_or(Tree::GROUND, |l| links[l]);
    for l in &plan.links {
        links.push(tree.link(at(&links, l.parent), l.joint, l.on_parent, l.on_link, l.mass)?);
    }
    for Loop { closure, ends } in &plan.loops {
        let [a, b] = ends.map(|(l, frame)| (at(&links, l), frame));
        tree.close(*closure, a, b)?;
    }
    for (link, bounds) in &plan.stops {
        tree.limit(links[*link], 0, *bounds, 0.0)?;
    }
    for c in &plan.contacts {
        let [a, b] = c.links.map(|l| at(&links, l));
        tree.contact(a, b, pair(c.shapes[0], c.shapes[1])?, c.law.clone())?;
    }
    let mut order = plan.loops.len() as u64..;
    let mut parts = Vec::new();
    let stops = (0..plan.stops.len()).flat_map(|i| [Part::Stop(i, 0), Part::Stop(i, 1)]);
    let contacts = (0..plan.contacts.len()).map(Part::Contact);
    parts.extend(order.by_ref().zip(stops.chain(contacts)));
    let q = plan.links.iter().flat_map(|l| l.q.clone()).collect::<Vec<_>>();
    let u = plan.links.iter().flat_map(|l| l.u.clone()).collect::<Vec<_>>();
    let state = tree.state(&q, &u)?;
    Ok(Moving { model: Box::new((tree, links)), state, parts })
}

fn rigid(plan: &Plan, reaction: Reaction) -> Result<Moving, Error> {
    let mut world = World::new(plan.gravity)?.with_reactions(reaction);
    let bodies: Vec<Body> = plan.links.iter().map(|l| world.body(l.mass)).collect();
    let parts = connect(plan, &mut world, &bodies)?;
    let mut state = world.state(&start(plan)?)?;
    world.assemble(&mut state)?;
    Ok(Moving { model: Box::new((world, bodies)), state, parts })
}

fn points(plan: &Plan, reaction: Reaction) -> Result<Moving, Error> {
    let mut world = PointMassWorld::new(plan.gravity)?.with_reactions(reaction);
    let bodies = plan.links.iter().map(|l| world.body(l.mass)).collect::<Result<Vec<_>, _>>()?;
    let parts = connect(plan, &mut world, &bodies)?;
    let mut state = world.state(&start(plan)?)?;
    world.assemble(&mut state)?;
    Ok(Moving { model: Box::new((world, bodies)), state, parts })
}

/// The motions of all links at the start, from the coordinates of their joints.
fn start(plan: &Plan) -> Result<Vec<(Pose, Twist)>, Error> {
    let tree = articulated(plan)?;
    tree.model.motions(&tree.state)
}

/// What the two models with bodies of their own coordinates have in common.
trait Maximal {
    fn join(&mut self, first: Body, second: Body, joint: Joint) -> Result<usize, Error>;
    fn stop(&mut self, joint: usize, bounds: [f64; 2]) -> Result<(), Error>;
    fn meet(&mut self, bodies: [Body; 2], pair: Arc<dyn Pair>, law: Law) -> Result<usize, Error>;
}

macro_rules! maximal {
    ($world:ty) => {
        impl Maximal for $world {
            fn join(&mut self, first: Body, second: Body, joint: Joint) -> Result<usize, Error> {
                self.joint(first, second, joint)
            }

            fn stop(&mut self, joint: usize, [low, high]: [f64; 2]) -> Result<(), Error> {
                self.limit(joint, low, high)
            }

            fn meet(
                &mut self,
                [a, b]: [Body; 2],
                pair: Arc<dyn Pair>,
                law: Law,
            ) -> Result<usize, Error> {
                self.contact(a, b, pair, law)
            }
        }
    };
}

maximal!(World);
maximal!(PointMassWorld);

/// Identities of joints in both worlds begin here, four for each: rows, lower and upper stop, drive.
const JOINTS: u64 = 1 << 40;

/// Adds joints, loops, stops and contacts.
fn connect(
    plan: &Plan,
    world: &mut impl Maximal,
    bodies: &[Body],
) -> Result<Vec<(u64, Part)>, Error> {
    let at = |l: Option<usize>| l.map_or(World::GROUND, |l| bodies[l]);
    let mut parts = Vec::new();
    let mut numbers = vec![None; bodies.len()];
    for (i, l) in plan.links.iter().enumerate() {
        let Some(joint) = joint(l.joint, l.on_parent, l.on_link) else { continue };
        let number = world.join(at(l.parent), bodies[i], joint)?;
        numbers[i] = Some(number);
        parts.push((JOINTS + 4 * number as u64, Part::Joint(i)));
    }
    for Loop { closure, ends: [(a, on_first), (b, on_second)] } in &plan.loops {
        let kind = match closure {
            Closure::Point => JointKind::Spherical,
            Closure::Hinge => JointKind::Revolute,
            Closure::Weld => JointKind::Fixed,
        };
        let joint = Joint { kind, on_first: *on_first, on_second: *on_second };
        world.join(at(*a), at(*b), joint)?;
    }
    for (i, (link, bounds)) in plan.stops.iter().enumerate() {
        let number = numbers[*link].unwrap_or(usize::MAX);
        world.stop(number, *bounds)?;
        for side in 0..2 {
            let identity = JOINTS + 4 * number as u64 + 1 + side as u64;
            parts.push((identity, Part::Stop(i, side)));
        }
    }
    for (i, c) in plan.contacts.iter().enumerate() {
        let pair = pair(c.shapes[0], c.shapes[1])?;
        world.meet(c.links.map(at), pair, c.law.clone())?;
        parts.push((i as u64, Part::Contact(i)));
    }
    Ok(parts)
}

/// A joint of a tree as one between two bodies; none if it holds nothing.
fn joint(joint: TreeJoint, on_parent: Pose, on_link: Pose) -> Option<Joint> {
    let kind = match joint {
        TreeJoint::Fixed => JointKind::Fixed,
        TreeJoint::Revolute => JointKind::Revolute,
        TreeJoint::Prismatic => JointKind::Prismatic,
        TreeJoint::Cylindrical => JointKind::Cylindrical,
        TreeJoint::Universal => JointKind::Universal,
        TreeJoint::Spherical => JointKind::Spherical,
        TreeJoint::Planar => JointKind::Planar,
        TreeJoint::Free => return None,
    };
    let turned = |frame: Pose, by: DQuat| Pose { rotation: frame.rotation * by, ..frame };
    let [on_first, on_second] = if kind == JointKind::Universal {
        // A tree turns about x of the parent's frame and y of the link's; two bodies about z of the first and x of the second.
        let (first, second) =
            (DQuat::from_rotation_y(FRAC_PI_2), DQuat::from_rotation_z(FRAC_PI_2));
        [turned(on_parent, first), turned(on_link, second)]
    } else {
        [on_parent, on_link]
    };
    Some(Joint { kind, on_first, on_second })
}
