//! The models of a plan.

use super::collision::Colliding;
use super::plan::{Plan, PlannedBody, PlannedContact, PlannedJoint, Role};
use super::robot::PlannedDrive;
use super::values::{refused, refused_joint};
use super::{BodyModel, articulated, collision, coordinates, velocities};
use crate::document::Problem;
use crate::sensors::{NumberedBodies, Sensors};
use crate::view::{LocalCoordinate, SceneModel, Visitor};
use std::sync::Arc;
use stickslip::bodies::forces::{
    Axis, BallDamper, BodyIndex, Force, Freedom, JointDamper, JointDrive, JointSpring,
};
use stickslip::bodies::world::Motion;
use stickslip::bodies::{
    Body, Joint, JointKind, MassProperties, Pair, PointMassWorld, Pose, Twist, World,
};
use stickslip::contact::{Kind, Law};
use stickslip::model::{Candidate, Model, Span};
use stickslip::run::StartMoved;
use stickslip::system::{ContactInfo, PlacedFriction, State, SystemInfo};

/// A model with its start, by the names of the scene.
pub(crate) struct Built {
    pub(crate) model: SceneModel,
    pub(crate) start: State,
    pub(crate) info: SystemInfo,
    /// With the names of the model's own coordinates.
    pub(crate) own: SystemInfo,
    pub(crate) units: Vec<Option<String>>,
    /// The units of gaps, and of what joints move by.
    pub(crate) gaps: Vec<String>,
    pub(crate) local: Vec<LocalCoordinate>,
    /// By how much bodies and their velocities were changed so that joints fit; none if they did.
    pub(crate) joined: Option<StartMoved>,
    /// What of robots has no place in the scene.
    pub(crate) warnings: Vec<String>,
    pub(crate) sensors: Sensors,
}

/// Builds the model that the plan asks for.
pub(crate) fn build(plan: &Plan) -> Result<Built, Problem> {
    // Robots and bodies in the plane are trees whose coordinates fit from the start.
    let tree = plan.ambient.is_plane() || (plan.has_robots && plan.model == BodyModel::Articulated);
    let assembled = if tree { None } else { Some(rigid(plan)?) };
    let motions: Vec<(Pose, Twist)> = match &assembled {
        Some((world, all, start, _)) => {
            free_of(plan, all).iter().map(|&b| world.motion(b, start)).collect()
        }
        None => given_motions(plan),
    };
    plan.forces.iter().try_for_each(|force| force.check_start(&motions))?;
    let mut frictions = plan.contacts.iter().filter_map(|contact| contact.friction.as_ref());
    frictions.try_for_each(|friction| friction.check_start(&motions))?;
    let all = plan.bodies.iter().map(|b| b.name.clone());
    let names = (names(plan), std::iter::once("ground".to_owned()).chain(all).collect());
    let mut joined = assembled.as_ref().and_then(|(.., joined)| *joined);
    let built = match (plan.model, assembled) {
        (BodyModel::Rigid, Some((world, all, start, _))) => {
            let info = info(plan, &world, &start, names)?;
            let own = info.clone();
            let of =
                |(i, (q, u)): (usize, (&[String], &[String]))| LocalCoordinate::of(7 * i, q, u);
            let each = own.coordinates.chunks(7).zip(own.velocities.chunks(6)).enumerate();
            let local = each.flat_map(of).collect();
            let (world, bodies) = (Arc::new(world), free_of(plan, &all));
            let numbered = NumberedBodies::Rigid(world.clone(), all);
            (SceneModel::Rigid(world, bodies), start, info, own, local, numbered)
        }
        (BodyModel::PointMasses, _) => {
            let (world, all) = point_masses(plan)?;
            let start = world.state(&motions).map_err(refused("body"))?;
            let info = info(plan, &world, &start, names)?;
            let (coordinates, velocities) = (of_masses(plan, "p"), of_masses(plan, "v"));
            let own = SystemInfo { coordinates, velocities, ..info.clone() };
            let local = LocalCoordinate::of(0, &own.coordinates, &own.velocities);
            let (world, bodies) = (Arc::new(world), free_of(plan, &all));
            let numbered = NumberedBodies::PointMasses(world.clone(), all);
            (SceneModel::PointMasses(world, bodies), start, info, own, local, numbered)
        }
        (BodyModel::Articulated | BodyModel::Rigid, _) => {
            let made = articulated::build(plan, &motions)?;
            joined = joined.or(made.joined);
            let info = info(plan, &made.tree, &made.start, (made.names, made.bodies))?;
            let [coordinates, velocities] = made.own;
            let own = SystemInfo { coordinates, velocities, ..info.clone() };
            let tree = Arc::new(made.tree);
            let numbered = NumberedBodies::Articulated(tree.clone(), made.all);
            let model = SceneModel::Articulated(tree, made.links);
            (model, made.start, info, own, made.local, numbered)
        }
    };
    let (model, start, info, own, local, numbered) = built;
    let units = plan.bodies.iter().filter(|b| b.is_free());
    let of_body = || coordinates(plan.ambient).iter().map(|(_, unit)| Some((*unit).to_owned()));
    let units = units.flat_map(|_| of_body()).collect();
    refuse_inside(plan)?;
    let gaps = info.contacts.iter().map(|c| unit_of_gap(plan, c).to_owned()).collect();
    let mut warnings = plan.warnings.clone();
    if plan.has_robots {
        warnings.extend(model.visit(Inside(&start)));
    }
    let sensors = Sensors::new(plan, numbered, &own, &mut warnings)?;
    Ok(Built { model, start, info, own, units, gaps, local, joined, warnings, sensors })
}

/// The motions of free bodies as they are given.
fn given_motions(plan: &Plan) -> Vec<(Pose, Twist)> {
    let bodies = plan.bodies.iter().zip(articulated::twists(plan));
    bodies.filter(|(b, _)| b.is_free()).map(|(b, twist)| (b.pose, twist)).collect()
}

/// The unit of a gap, or of what a joint moves by: stops, motors and friction of hinges are about angles. Connections that hold both
/// lengths and angles have none.
fn unit_of_gap(plan: &Plan, contact: &ContactInfo) -> &'static str {
    if let Kind::Bilateral(rows) = contact.law.kind
        && rows > 3
    {
        return "";
    }
    if let Some(coupled) = plan.couplings.iter().find(|c| c.name == contact.name) {
        let turns = plan.joints[coupled.joint].freedom() == Some(Freedom::Turn);
        return if turns { "rad" } else { "m" };
    }
    let of_joint = contact.name.rsplit_once('.').filter(|(_, part)| JOINT_PARTS.contains(part));
    let turns = |j: &PlannedJoint| {
        of_joint.is_some_and(|(name, _)| j.name == name) && j.freedom() == Some(Freedom::Turn)
    };
    let own = |c: &PlannedContact| c.name == contact.name;
    let turns = plan.joints.iter().any(turns) && !plan.contacts.iter().any(own);
    if turns { "rad" } else { "m" }
}

/// What of a joint is a candidate of its own, by the ends of its names.
const JOINT_PARTS: [&str; 4] = ["lower", "upper", "motor", "friction"];

/// Coordinates and velocities of the bodies, and the candidates of the model by these names.
fn info<M: Model>(
    plan: &Plan,
    model: &M,
    start: &State,
    (names, bodies): (Vec<String>, Vec<String>),
) -> Result<SystemInfo, Problem> {
    let (mut place, mut candidates) = (M::Place::default(), Vec::<Candidate>::new());
    model.validate(&start.q, &start.u).map_err(refused("body"))?;
    model.detect(&mut place, &Span::still(start), &mut candidates).map_err(refused("body"))?;
    let contact = |(i, name): (usize, String)| {
        let law = model.law(&place, i.min(candidates.len().saturating_sub(1))).clone();
        ContactInfo { name, law }
    };
    let free = || plan.bodies.iter().filter(|b| b.is_free());
    let named = |body: &PlannedBody, list: &[(&str, &str)]| {
        list.iter().map(|(name, _)| format!("{}.{name}", body.name)).collect::<Vec<_>>()
    };
    let unnamed = candidates.len().saturating_sub(names.len());
    if names.len() > candidates.len() || (unnamed > 0 && !model.finds_contacts()) {
        let (names, found) = (names.len(), candidates.len());
        let reason =
            format!("the model has {found} contacts and connections, and {names} have names");
        return Err(Problem::of("body", reason).cure("this is a mistake of the program; report it"));
    }
    Ok(SystemInfo {
        coordinates: free().flat_map(|b| named(b, coordinates(plan.ambient))).collect(),
        velocities: free().flat_map(|b| named(b, velocities(plan.ambient))).collect(),
        contacts: names.into_iter().enumerate().map(contact).collect(),
        bodies,
        constant_mass: false,
    })
}

/// The names of the coordinates of four masses per body, such as `box.p1x`.
fn of_masses(plan: &Plan, letter: &str) -> Vec<String> {
    let bodies = plan.bodies.iter().filter(|b| b.is_free());
    let of = |body: &PlannedBody| {
        let masses = (1..=4).flat_map(|k| ["x", "y", "z"].map(|axis| format!("{k}{axis}")));
        masses.map(|end| format!("{}.{letter}{end}", body.name)).collect::<Vec<_>>()
    };
    bodies.flat_map(of).collect()
}

/// The names of what a world has as candidates: contacts, then friction, stops and drives of each joint.
fn names(plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = plan.contacts.iter().map(|c| c.name.clone()).collect();
    for joint in &plan.joints {
        let parts = [
            joint.load_friction.map(|_| "friction"),
            joint.limits.map(|_| "lower"),
            joint.limits.map(|_| "upper"),
            joint.motor.map(|_| "motor"),
            joint.dry.map(|_| "friction"),
        ];
        names.extend(parts.into_iter().flatten().map(|part| format!("{}.{part}", joint.name)));
    }
    names
}

/// What the two models with coordinates of bodies have in common.
trait Bodies: Sized {
    fn free(&mut self, properties: MassProperties) -> Result<Body, stickslip::Error>;
    fn moved(&mut self, motion: Motion) -> Body;
    fn meet(
        &mut self,
        bodies: [Body; 2],
        pair: Arc<dyn Pair>,
        law: Law,
    ) -> Result<usize, stickslip::Error>;
    fn vary(
        &mut self,
        contact: usize,
        friction: Arc<dyn PlacedFriction>,
    ) -> Result<(), stickslip::Error>;
    fn join(&mut self, bodies: [Body; 2], joint: Joint) -> Result<usize, stickslip::Error>;
    fn stop(&mut self, joint: usize, limits: [f64; 2]) -> Result<(), stickslip::Error>;
    fn drive(&mut self, joint: usize, speed: f64, most: f64) -> Result<(), stickslip::Error>;
    fn rub(&mut self, joint: usize, mu: f64, radius: Option<f64>) -> Result<(), stickslip::Error>;
    fn push(&mut self, force: Arc<dyn Force>) -> Result<(), stickslip::Error>;
}

macro_rules! bodies {
    ($world:ty, |$w:ident, $p:ident| $free:expr, |$v:ident, $j:ident, $mu:ident, $r:ident| $rub:expr) => {
        impl Bodies for $world {
            fn free(&mut self, $p: MassProperties) -> Result<Body, stickslip::Error> {
                let $w = self;
                $free
            }

            fn moved(&mut self, motion: Motion) -> Body {
                self.prescribed(move |t| motion(t))
            }

            fn meet(
                &mut self,
                [a, b]: [Body; 2],
                pair: Arc<dyn Pair>,
                law: Law,
            ) -> Result<usize, stickslip::Error> {
                self.contact(a, b, pair, law)
            }

            fn vary(
                &mut self,
                contact: usize,
                friction: Arc<dyn PlacedFriction>,
            ) -> Result<(), stickslip::Error> {
                self.place_friction(contact, friction)
            }

            fn join(&mut self, [a, b]: [Body; 2], joint: Joint) -> Result<usize, stickslip::Error> {
                self.joint(a, b, joint)
            }

            fn stop(
                &mut self,
                joint: usize,
                [low, high]: [f64; 2],
            ) -> Result<(), stickslip::Error> {
                self.limit(joint, low, high)
            }

            fn drive(
                &mut self,
                joint: usize,
                speed: f64,
                most: f64,
            ) -> Result<(), stickslip::Error> {
                self.motor(joint, speed, most)
            }

            fn rub(
                &mut self,
                $j: usize,
                $mu: f64,
                $r: Option<f64>,
            ) -> Result<(), stickslip::Error> {
                let $v = self;
                $rub
            }

            fn push(&mut self, force: Arc<dyn Force>) -> Result<(), stickslip::Error> {
                self.force(force)
            }
        }
    };
}

bodies!(World, |world, p| Ok(world.body(p)), |world, joint, mu, radius| match radius {
    Some(radius) => world.pin_friction(joint, mu, radius),
    None => world.guide_friction(joint, mu),
});
bodies!(PointMassWorld, |world, p| world.body(p), |_world, _joint, _mu, _radius| {
    Err(stickslip::Error::Combination {
        part: "friction by the load of a joint",
        other: "the model `point_masses`",
        reason: "it is in the models `rigid` and `articulated`; give friction of constant size as a number",
    })
});

/// Adds everything; returns all bodies, the ground first.
fn fill(
    plan: &Plan,
    world: &mut (impl Bodies + Colliding<Id = Body>),
) -> Result<Vec<Body>, Problem> {
    let mut all = vec![World::GROUND];
    for body in &plan.bodies {
        all.push(match &body.role {
            Role::Free(properties) => world.free(*properties).map_err(refused(&body.path))?,
            Role::Moved(motion) => world.moved(motion.clone()),
            Role::Massless => {
                let reason = format!("the body `{}` moves and has no mass", body.name);
                return Err(Problem::of(body.path.clone(), reason).cure(
                    "give it one, or choose model = \"articulated\", where it may carry others",
                ));
            }
            Role::Fixed => {
                let pose = body.pose;
                world.moved(Arc::new(move |_| (pose, Twist::default())))
            }
        });
    }
    let numbers: Vec<BodyIndex> = all.iter().map(|&b| b.into()).collect();
    for contact in &plan.contacts {
        let bodies = contact.bodies.map(|b| all[b]);
        let added = world.meet(bodies, contact.pair.clone(), contact.law.clone());
        let number = added.map_err(refused(&contact.path))?;
        if let Some(friction) = &contact.friction {
            world.vary(number, friction.of(plan, &numbers)).map_err(refused(&friction.path))?;
        }
    }
    for joint in &plan.joints {
        let refused = refused_joint(&joint.path, &joint.name);
        add_joint(plan, world, joint, &all).map_err(refused)?;
    }
    for (path, force) in forces(plan, &numbers) {
        world.push(force).map_err(refused(path))?;
    }
    if let Some(collision) = &plan.collision {
        collision::add(collision, world, &all)?;
    }
    Ok(all)
}

/// All forces, those of springs and dampers in joints among them, with their places in the file.
pub(super) fn forces<'p>(plan: &'p Plan, numbers: &[BodyIndex]) -> Vec<(&'p str, Arc<dyn Force>)> {
    let mut all: Vec<(&str, Arc<dyn Force>)> = Vec::new();
    for force in &plan.forces {
        all.extend(force.forces(numbers).into_iter().map(|f| (force.path.as_str(), f)));
    }
    for joint in &plan.joints {
        let Some(freedom) = joint.freedom() else {
            if let (JointKind::Spherical, Some(damping)) = (joint.kind, joint.damping) {
                let [first, second] = joint.bodies.map(|body| numbers[body]);
                all.push((&joint.path, Arc::new(BallDamper { first, second, damping })));
            }
            continue;
        };
        let on = |side: usize| {
            let body = joint.bodies[side];
            (numbers[body], joint.on(side, &plan.pose(body)))
        };
        let axis = Axis::new(freedom, on(0), on(1));
        if let Some([stiffness, rest]) = joint.spring {
            all.push((&joint.path, Arc::new(JointSpring { axis, stiffness, rest })));
        }
        if let Some(damping) = joint.damping {
            all.push((&joint.path, Arc::new(JointDamper { axis, damping })));
        }
        for &PlannedDrive { push, stiffness, rest, damping, range } in &joint.drives {
            let drive = JointDrive { axis, push, stiffness, rest, damping, range };
            all.push((&joint.path, Arc::new(drive)));
        }
    }
    all
}

fn add_joint(
    plan: &Plan,
    world: &mut impl Bodies,
    joint: &PlannedJoint,
    all: &[Body],
) -> Result<(), stickslip::Error> {
    let [on_first, on_second] = [0, 1].map(|side| joint.on(side, &plan.pose(joint.bodies[side])));
    let made = Joint { kind: joint.kind, on_first, on_second };
    let number = world.join(joint.bodies.map(|b| all[b]), made)?;
    if let Some(limits) = joint.limits {
        world.stop(number, limits)?;
    }
    if let Some([speed, most]) = joint.motor {
        world.drive(number, speed, most)?;
    }
    if let Some(most) = joint.dry {
        world.drive(number, 0.0, most)?;
    }
    if let Some((mu, radius)) = joint.load_friction {
        world.rub(number, mu, radius)?;
    }
    Ok(())
}

/// Of all bodies, the ground first, those that are free.
fn free_of(plan: &Plan, all: &[Body]) -> Vec<Body> {
    plan.bodies.iter().zip(&all[1..]).filter(|(b, _)| b.is_free()).map(|(_, &b)| b).collect()
}

/// Rigid bodies, the ground first, with the start that all models share: velocities that joints exclude are removed from what the file gives.
fn rigid(plan: &Plan) -> Result<(World, Vec<Body>, State, Option<StartMoved>), Problem> {
    let mut world = World::new(plan.gravity).map_err(refused("gravity"))?;
    let all = fill(plan, &mut world)?;
    let mut start = world.state(&given_motions(plan)).map_err(refused("body"))?;
    let given = start.clone();
    if !plan.joints.is_empty() {
        world.assemble(&mut start).map_err(refused("joint"))?;
    }
    let joined = moved(&given, &start);
    Ok((world, all, start, joined))
}

/// How deep in m bodies of robots may start inside of others without a word: digits that files leave out.
const INSIDE: f64 = 1e-3;

/// Says how many contacts that are found at a start begin inside, and where the deepest of them is.
struct Inside<'s>(&'s State);

impl Visitor for Inside<'_> {
    type Output = Option<String>;

    fn visit<M: Model>(self, model: &M) -> Option<String> {
        let (mut place, mut candidates) = (M::Place::default(), Vec::<Candidate>::new());
        model.detect(&mut place, &Span::still(self.0), &mut candidates).ok()?;
        let point = |i: usize| model.contact_point(&place, i);
        let deep = |(i, c): (usize, &Candidate)| {
            c.gap.filter(|gap| *gap < -INSIDE).and_then(|gap| Some((gap, point(i)?.position)))
        };
        let all: Vec<_> = candidates.iter().enumerate().filter_map(deep).collect();
        let (gap, [x, y, z]) = all.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!(
            "bodies start inside of each other at {} points, by {:.3e} m at ({x:.4}, {y:.4}, {z:.4}): they stay so until they part",
            all.len(),
            -gap
        ))
    }
}

/// Changes below this share of the largest coordinate or velocity are rounding.
const SAME: f64 = 1e-12;

/// What lies between two starts; none if they are the same but for rounding.
pub(crate) fn moved(from: &State, to: &State) -> Option<StartMoved> {
    let largest = |a: &[f64], b: &[f64]| {
        let size = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let off = a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        if off > SAME * size { off } else { 0.0 }
    };
    let moved =
        StartMoved { coordinate: largest(&from.q, &to.q), velocity: largest(&from.u, &to.u) };
    (moved != StartMoved::default()).then_some(moved)
}

fn point_masses(plan: &Plan) -> Result<(PointMassWorld, Vec<Body>), Problem> {
    let mut world = PointMassWorld::new(plan.gravity).map_err(refused("gravity"))?;
    if let Some(step) = plan.variant {
        world = world.with_step(step);
    }
    let all = fill(plan, &mut world)?;
    Ok((world, all))
}

/// How deep a contact may begin inside, as a share of the levers of its points.
const DEEPEST: f64 = 0.01;

/// How deep it may begin in any case: rounding of a start value, in m.
const ROUNDING: f64 = 1e-9;

fn refuse_inside(plan: &Plan) -> Result<(), Problem> {
    for contact in &plan.contacts {
        let [a, b] = contact.bodies.map(|body| plan.pose(body));
        let close = contact.pair.proximity(&a, &b);
        let lever = |body: usize, point: glam::DVec3| match body.checked_sub(1) {
            Some(i) if plan.bodies[i].is_free() => (point - plan.bodies[i].pose.position).length(),
            _ => 0.0,
        };
        let [i, j] = contact.bodies;
        let size = lever(i, close.on_first) + lever(j, close.on_second);
        if close.gap < -ROUNDING.max(DEEPEST * size) {
            let gap = close.gap;
            let reason =
                format!("`{}` starts inside the contact: its gap is {gap:e}", contact.name);
            return Err(Problem::of(contact.path.clone(), reason)
                .cure("change the positions so that no gap is negative"));
        }
    }
    Ok(())
}
