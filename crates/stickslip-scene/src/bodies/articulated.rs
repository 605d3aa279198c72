//! Bodies in the coordinates of their joints: the tree that joints make, and the loops that close it.

use super::build::{forces, moved};
use super::collision;
use super::plan::{Plan, PlannedCoupling, PlannedJoint, Role};
use super::plane::Ambient;
use super::values::{refused, refused_joint};
use super::{coordinates, velocities};
use crate::document::Problem;
use crate::view::LocalCoordinate;
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;
use stickslip::bodies::articulated::{Closure, LinkId, TreeJoint};
use stickslip::bodies::forces::BodyIndex;
use stickslip::bodies::{JointKind, Pose, Tree, Twist};
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;
use stickslip::run::StartMoved;
use stickslip::system::State;

/// A tree with its start.
pub(super) struct Articulated {
    pub(super) tree: Tree,
    /// The links of the bodies that move freely, in the order of the file.
    pub(super) links: Vec<LinkId>,
    /// Those of all bodies, the ground first.
    pub(super) all: Vec<LinkId>,
    pub(super) start: State,
    /// By how much coordinates and velocities were changed so that loops close.
    pub(super) joined: Option<StartMoved>,
    /// Of its candidates.
    pub(super) names: Vec<String>,
    /// Of its links by number, the ground first.
    pub(super) bodies: Vec<String>,
    /// Of its coordinates and velocities.
    pub(super) own: [Vec<String>; 2],
    pub(super) local: Vec<LocalCoordinate>,
}

/// How a body hangs on another.
#[derive(Clone, Copy)]
struct Edge {
    joint: usize,
    /// The side of the joint that is nearer to the ground.
    near: usize,
}

/// The bodies in an order in which each comes after the one that it hangs on, and how; those that hang on nothing are free. Bodies that are
/// not free stand for the ground.
fn span(plan: &Plan) -> Vec<(usize, Option<Edge>)> {
    let mut group: Vec<usize> = (0..=plan.bodies.len()).collect();
    for (i, body) in plan.bodies.iter().enumerate() {
        if !body.moves() {
            group[i + 1] = 0;
        }
    }
    let mut chosen: Vec<usize> = Vec::new();
    let mut order: Vec<usize> = (0..plan.joints.len()).collect();
    // Joints that cannot close a loop first.
    order.sort_by_key(|&j| closes(&plan.joints[j]));
    for j in order {
        let joint = &plan.joints[j];
        let [a, b] = joint.bodies.map(|body| group[body]);
        if a != b && !matches!(joint.kind, JointKind::Distance(_) | JointKind::Gear(_)) {
            // The ground stays the group 0.
            let (keep, drop) = (a.min(b), a.max(b));
            group.iter_mut().filter(|g| **g == drop).for_each(|g| *g = keep);
            chosen.push(j);
        }
    }
    let mut placed: Vec<bool> =
        std::iter::once(true).chain(plan.bodies.iter().map(|b| !b.moves())).collect();
    let mut out = Vec::new();
    loop {
        let next = chosen.iter().find_map(|&joint| {
            let [a, b] = plan.joints[joint].bodies;
            match (placed[a], placed[b]) {
                (true, false) => Some((b, Some(Edge { joint, near: 0 }))),
                (false, true) => Some((a, Some(Edge { joint, near: 1 }))),
                _ => None,
            }
        });
        let next = next.or_else(|| placed.iter().position(|p| !p).map(|body| (body, None)));
        let Some((body, edge)) = next else { return out };
        placed[body] = true;
        out.push((body, edge));
    }
}

/// Whether a joint can close a loop of a tree.
fn closes(joint: &PlannedJoint) -> bool {
    let plain = joint.limits.is_none()
        && joint.motor.is_none()
        && joint.dry.is_none()
        && joint.load_friction.is_none();
    plain && closure(joint.kind).is_some()
}

fn closure(kind: JointKind) -> Option<Closure> {
    match kind {
        JointKind::Fixed => Some(Closure::Weld),
        JointKind::Revolute => Some(Closure::Hinge),
        JointKind::Spherical => Some(Closure::Point),
        _ => None,
    }
}

/// The motions of all bodies at the start: as the file gives them, else with the body that they hang on and the speed of the joint.
pub(super) fn twists(plan: &Plan) -> Vec<Twist> {
    let mut all = vec![Twist::default(); plan.bodies.len() + 1];
    for (i, body) in plan.bodies.iter().enumerate() {
        if let Role::Moved(motion) = &body.role {
            all[i + 1] = motion(0.0).1;
        }
    }
    for (body, edge) in span(plan) {
        let planned = &plan.bodies[body - 1];
        all[body] = match (planned.twist, edge) {
            (Some(twist), _) => twist,
            (None, None) => Twist::default(),
            (None, Some(edge)) => {
                let joint = &plan.joints[edge.joint];
                let near = joint.bodies[edge.near];
                let carried = all[near];
                let sign = if edge.near == 0 { 1.0 } else { -1.0 };
                let along = sign * joint.speed * (joint.frames[0].rotation * DVec3::Z);
                let spin = if joint.kind == JointKind::Revolute { along } else { DVec3::ZERO };
                let shift = if joint.kind == JointKind::Prismatic { along } else { DVec3::ZERO };
                let pivot = joint.frames[1].position;
                let angular = carried.angular + spin;
                let there = carried.at(pivot - plan.pose(near).position) + shift;
                Twist { linear: there + angular.cross(planned.pose.position - pivot), angular }
            }
        };
    }
    all.split_off(1)
}

/// Builds the tree, with the start that has these motions of the free bodies.
pub(super) fn build(plan: &Plan, motions: &[(Pose, Twist)]) -> Result<Articulated, Problem> {
    let tree = match plan.ambient {
        Ambient::Space => Tree::new(plan.gravity),
        Ambient::Plane => Tree::in_plane(plan.gravity.truncate()),
    };
    let mut tree = tree.map_err(refused("gravity"))?;
    let mut ids: Vec<Option<LinkId>> = vec![None; plan.bodies.len() + 1];
    ids[0] = Some(Tree::GROUND);
    for (i, body) in plan.bodies.iter().enumerate() {
        ids[i + 1] = match &body.role {
            Role::Free(_) | Role::Massless => None,
            Role::Moved(motion) => {
                let motion = motion.clone();
                Some(tree.prescribed(move |t| motion(t)).map_err(refused(&body.path))?)
            }
            Role::Fixed => {
                let pose = body.pose;
                let still = move |_| (pose, Twist::default());
                Some(tree.prescribed(still).map_err(refused(&body.path))?)
            }
        };
    }
    let mut made = Making {
        plan,
        tree,
        ids,
        q: Vec::new(),
        u: Vec::new(),
        own: Default::default(),
        local: Vec::new(),
        used: Vec::new(),
    };
    let moving = |body: usize| {
        let free = plan.bodies[..body].iter().filter(|b| b.is_free()).count();
        let is_free = body > 0 && plan.bodies[body - 1].is_free();
        let given = || body.checked_sub(1).and_then(|i| plan.bodies[i].twist).unwrap_or_default();
        if is_free { motions[free - 1] } else { (plan.pose(body), given()) }
    };
    for (body, edge) in span(plan) {
        made.link(body, edge, &moving)?;
    }
    made.finish()
}

/// A tree on its way.
struct Making<'p> {
    plan: &'p Plan,
    tree: Tree,
    ids: Vec<Option<LinkId>>,
    q: Vec<f64>,
    u: Vec<f64>,
    /// Names of these.
    own: [Vec<String>; 2],
    local: Vec<LocalCoordinate>,
    /// Joints of the tree, with the links that hang on them.
    used: Vec<(usize, LinkId)>,
}

impl Making<'_> {
    /// The link of a body; that of the ground where there is none yet, which the order excludes.
    fn id(&self, body: usize) -> LinkId {
        self.ids[body].unwrap_or(Tree::GROUND)
    }

    /// What a joint on a body is a joint on: links hang on the ground where the body is fixed.
    fn carrier(&self, body: usize) -> (LinkId, Pose) {
        match body.checked_sub(1).map(|i| &self.plan.bodies[i].role) {
            Some(Role::Fixed) | None => (Tree::GROUND, Pose::default()),
            _ => (self.id(body), self.plan.pose(body)),
        }
    }

    /// A frame in the world as one of what carries it.
    fn on(&self, body: usize, frame: &Pose) -> Pose {
        let pose = self.carrier(body).1;
        let back = pose.rotation.conjugate();
        Pose {
            position: back * (frame.position - pose.position),
            rotation: (back * frame.rotation).normalize(),
        }
    }

    fn link(
        &mut self,
        body: usize,
        edge: Option<Edge>,
        moving: &dyn Fn(usize) -> (Pose, Twist),
    ) -> Result<(), Problem> {
        let planned = &self.plan.bodies[body - 1];
        let mass = match &planned.role {
            Role::Free(mass) => Some(*mass),
            Role::Massless => None,
            Role::Fixed | Role::Moved(_) => return Ok(()),
        };
        let Some(edge) = edge else {
            let Some(mass) = mass else {
                let reason = format!("the body `{}` moves freely and has no mass", planned.name);
                return Err(Problem::of(planned.path.clone(), reason).cure("give it one"));
            };
            let ambient = self.plan.ambient;
            let free = if ambient.is_plane() { TreeJoint::Planar } else { TreeJoint::Free };
            let id = self.tree.link(Tree::GROUND, free, Pose::default(), Pose::default(), mass);
            self.ids[body] = Some(id.map_err(refused(&planned.path))?);
            let letters = |list: &[(&'static str, _)]| list.iter().map(|l| l.0).collect::<Vec<_>>();
            self.name(&planned.name, &letters(coordinates(ambient)), &letters(velocities(ambient)));
            let (pose, twist) = moving(body);
            let (p, r) = (pose.position, pose.rotation);
            if ambient.is_plane() {
                self.q.extend([p.x, p.y, planned.angle]);
                self.u.extend([twist.linear.x, twist.linear.y, twist.angular.z]);
                return Ok(());
            }
            self.q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
            self.u.extend(twist.linear.to_array().into_iter().chain(twist.angular.to_array()));
            return Ok(());
        };
        let joint = &self.plan.joints[edge.joint];
        let parent = joint.bodies[edge.near];
        let (kind, [near, far]) = frames(joint, edge.near);
        let (on_parent, on_link) = (self.on(parent, &near), self.on(body, &far));
        let carrier = self.carrier(parent).0;
        let id = match mass {
            Some(mass) => self.tree.link(carrier, kind, on_parent, on_link, mass),
            None => self.tree.carrier(carrier, kind, on_parent, on_link),
        };
        let id = id.map_err(refused_joint(&joint.path, &joint.name))?;
        self.ids[body] = Some(id);
        self.used.push((edge.joint, id));
        let (q, u) = letters(kind);
        self.name(&joint.name, q, u);
        self.start(kind, joint.start, (&near, &far), moving(parent), moving(body));
        Ok(())
    }

    fn name(&mut self, owner: &str, q: &[&str], u: &[&str]) {
        let named = |l: &&str| format!("{owner}.{l}");
        let [q, u] = [q, u].map(|letters| letters.iter().map(named).collect::<Vec<_>>());
        self.local.extend(LocalCoordinate::of(self.own[0].len(), &q, &u));
        for (all, names) in self.own.iter_mut().zip([q, u]) {
            all.extend(names);
        }
    }

    /// Coordinates and velocities of a joint whose frames are there at the start.
    fn start(
        &mut self,
        kind: TreeJoint,
        start: f64,
        (near, far): (&Pose, &Pose),
        (parent, v): (Pose, Twist),
        (link, w): (Pose, Twist),
    ) {
        let back = near.rotation.conjugate();
        let spin = back * (w.angular - v.angular);
        let there = far.position;
        let shift = back * (w.at(there - link.position) - v.at(there - parent.position));
        let (q, u): (Vec<f64>, Vec<f64>) = match kind {
            TreeJoint::Fixed => (vec![], vec![]),
            TreeJoint::Revolute => (vec![start], vec![spin.z]),
            TreeJoint::Prismatic => (vec![start], vec![shift.z]),
            TreeJoint::Cylindrical => (vec![0.0; 2], vec![spin.z, shift.z]),
            TreeJoint::Universal => (vec![0.0; 2], vec![spin.x, spin.y]),
            TreeJoint::Spherical => (vec![1.0, 0.0, 0.0, 0.0], spin.to_array().to_vec()),
            TreeJoint::Planar => (vec![0.0; 3], vec![shift.x, shift.y, spin.z]),
            TreeJoint::Free => (vec![], vec![]),
        };
        self.q.extend(q);
        self.u.extend(u);
    }

    /// Closes a loop by a joint that is not of the tree.
    fn close(&mut self, joint: &PlannedJoint) -> Result<(), stickslip::Error> {
        let Some(closure) = closure(joint.kind).filter(|_| closes(joint)) else {
            return Err(stickslip::Error::Combination {
                part: "this joint",
                other: "the model `articulated`",
                reason: "it closes a loop, or is none that leaves coordinates; loops close by joints of the kinds fixed, \
                         revolute and spherical without limits, motor or friction; use the model `rigid`",
            });
        };
        let end = |side: usize| {
            let body = joint.bodies[side];
            (self.carrier(body).0, self.on(body, &joint.frames[side]))
        };
        let (first, second) = (end(0), end(1));
        self.tree.close(closure, first, second)
    }

    /// Lets the coordinate of a joint follow another.
    fn couple(&mut self, coupled: &PlannedCoupling) -> Result<(), stickslip::Error> {
        let link = |joint: usize| {
            let used = self.used.iter().find(|(used, _)| *used == joint);
            used.map(|(_, link)| *link).ok_or(stickslip::Error::Combination {
                part: "a coupling of joints",
                other: "a joint that closes a loop",
                reason: "the coordinates of such joints are not those of the model",
            })
        };
        let (first, second) = (link(coupled.joint)?, coupled.leader.map(link).transpose()?);
        self.tree.couple(first, second, coupled.coupling)
    }

    /// Loops, couplings, drives, limits, contacts and forces; names of the candidates in the order of [`Tree`].
    fn finish(mut self) -> Result<Articulated, Problem> {
        let (mut loops, mut drives, mut frictions, mut limits) = (vec![], vec![], vec![], vec![]);
        for (j, joint) in self.plan.joints.iter().enumerate() {
            let link = self.used.iter().find(|(used, _)| *used == j).map(|(_, link)| *link);
            let at = refused_joint(&joint.path, &joint.name);
            let Some(link) = link else {
                self.close(joint).map_err(at)?;
                loops.push(joint.name.clone());
                continue;
            };
            if joint.armature > 0.0 {
                self.tree.armature(link, joint.armature).map_err(&at)?;
            }
            if let Some([speed, most]) = joint.motor {
                self.tree.motor(link, speed, most).map_err(&at)?;
                drives.push(format!("{}.motor", joint.name));
            }
            if let Some(most) = joint.dry {
                let law = Law::dry(most, ConvexSet::Interval);
                self.tree.friction(link, law).map_err(&at)?;
                drives.push(format!("{}.friction", joint.name));
            }
            if let Some((mu, radius)) = joint.load_friction {
                let added = match radius {
                    Some(radius) => self.tree.pin_friction(link, mu, radius),
                    None => self.tree.guide_friction(link, mu),
                };
                added.map_err(&at)?;
                frictions.push(format!("{}.friction", joint.name));
            }
            if let Some(bounds) = joint.limits {
                self.tree.limit(link, 0, bounds, 0.0).map_err(&at)?;
                limits.extend(["lower", "upper"].map(|side| format!("{}.{side}", joint.name)));
            }
        }
        for coupled in &self.plan.couplings {
            self.couple(coupled).map_err(refused(&coupled.path))?;
            loops.push(coupled.name.clone());
        }
        let numbers: Vec<BodyIndex> = (0..self.ids.len()).map(|b| self.id(b).into()).collect();
        for contact in &self.plan.contacts {
            let [a, b] = contact.bodies.map(|body| self.id(body));
            let added = self.tree.contact(a, b, contact.pair.clone(), contact.law.clone());
            let number = added.map_err(refused(&contact.path))?;
            if let Some(friction) = &contact.friction {
                let there = friction.of(self.plan, &numbers);
                self.tree.place_friction(number, there).map_err(refused(&friction.path))?;
            }
        }
        for (path, force) in forces(self.plan, &numbers) {
            self.tree.force(force).map_err(refused(path))?;
        }
        if let Some(planned) = &self.plan.collision {
            let ids: Vec<LinkId> = (0..self.ids.len()).map(|b| self.id(b)).collect();
            collision::add(planned, &mut self.tree, &ids)?;
        }
        let start = self.tree.state(&self.q, &self.u).map_err(refused("joint"))?;
        let given = State::new(std::mem::take(&mut self.q), std::mem::take(&mut self.u));
        let joined = moved(&given, &start);
        let contacts = self.plan.contacts.iter().map(|c| c.name.clone());
        let names = loops.into_iter().chain(drives).chain(frictions).chain(limits).chain(contacts);
        let free = (1..self.ids.len()).filter(|&b| self.plan.bodies[b - 1].is_free());
        let links = free.map(|b| self.id(b)).collect();
        let all = (0..self.ids.len()).map(|b| self.id(b)).collect();
        let mut bodies = vec!["ground".to_owned(); self.ids.len()];
        for (b, body) in self.plan.bodies.iter().enumerate() {
            bodies[self.id(b + 1).number()].clone_from(&body.name);
        }
        let (own, local) = (self.own, self.local);
        let names = names.collect();
        Ok(Articulated { names, bodies, own, local, links, all, start, joined, tree: self.tree })
    }
}

/// What coordinates and velocities of a joint are called.
fn letters(kind: TreeJoint) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        TreeJoint::Fixed | TreeJoint::Free => (&[], &[]),
        TreeJoint::Revolute => (&["angle"], &["rate"]),
        TreeJoint::Prismatic => (&["shift"], &["speed"]),
        TreeJoint::Cylindrical => (&["angle", "shift"], &["rate", "speed"]),
        TreeJoint::Universal => (&["angle", "second_angle"], &["rate", "second_rate"]),
        TreeJoint::Spherical => (&["qw", "qx", "qy", "qz"], &["wx", "wy", "wz"]),
        TreeJoint::Planar => (&["x", "y", "angle"], &["vx", "vy", "rate"]),
    }
}

/// The joint of a tree, and its frames in the world at the start: on the body nearer to the ground, and on the other.
fn frames(joint: &PlannedJoint, near: usize) -> (TreeJoint, [Pose; 2]) {
    let kind = match joint.kind {
        JointKind::Fixed => TreeJoint::Fixed,
        JointKind::Revolute => TreeJoint::Revolute,
        JointKind::Prismatic => TreeJoint::Prismatic,
        JointKind::Cylindrical => TreeJoint::Cylindrical,
        JointKind::Universal => TreeJoint::Universal,
        JointKind::Spherical => TreeJoint::Spherical,
        JointKind::Planar => TreeJoint::Planar,
        // The tree has been chosen without them.
        JointKind::Distance(_) | JointKind::Gear(_) => TreeJoint::Free,
    };
    let [first, second] = joint.frames;
    if kind == TreeJoint::Universal {
        // Two bodies turn about z of the first and x of the second; a tree about x of the parent and y of the link.
        let axes = [first.rotation * DVec3::Z, second.rotation * DVec3::X];
        let (x, y) = (axes[near], axes[1 - near]);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
        return (kind, [Pose { rotation, ..first }; 2]);
    }
    if near == 0 {
        return (kind, [first, second]);
    }
    // Turned over, so that coordinates keep their signs: those of the second body against the first.
    let over =
        |frame: Pose| Pose { rotation: frame.rotation * DQuat::from_rotation_x(PI), ..frame };
    (kind, [over(second), over(first)])
}
