//! What passes through a joint, by the balance of momentum of the bodies beyond it.
//!
//! Over a step the momentum of these bodies changes by the impulses of gravity, forces and contacts on them, and by what the joint
//! transmits: its reaction, and its own motor, spring, damper, stops and friction. This holds in every body model and needs nothing
//! of how it works reactions out; but for joints of loops it tells only what all of them transmit together.
//!
//! Notation: X the point of the moments, fixed during a step; r, v the centre of a body and its velocity; L = I ω its spin.

use super::bodies::NumberedBodies;
use crate::bodies::plan::{Plan, Role};
use glam::DVec3;
use std::fmt;
use std::sync::Arc;
use stickslip::bodies::forces::{Force, Load};
use stickslip::bodies::{JointKind, MassProperties, Pose, Twist};
use stickslip::model::ContactImpulse;

/// A reason and a cure.
type Refusal = (String, &'static str);

/// The bodies beyond a joint, and what acts on them.
pub(super) struct Cut {
    /// Their numbers in the plan and their masses.
    beyond: Vec<(usize, MassProperties)>,
    /// 1 if they hang on the second body of the joint, −1 if on the first.
    sign: f64,
    /// The second body of the joint, with the joint's point on it.
    at: (usize, DVec3),
    gravity: DVec3,
    forces: Vec<Arc<dyn Force>>,
    bodies: NumberedBodies,
}

impl fmt::Debug for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beyond: Vec<usize> = self.beyond.iter().map(|(body, _)| *body).collect();
        f.debug_struct("Cut").field("beyond", &beyond).finish_non_exhaustive()
    }
}

/// A force with its moment about a point, or their impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wrench {
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
}

impl Wrench {
    fn add(&mut self, lever: DVec3, force: DVec3) {
        self.force += force;
        self.torque += lever.cross(force);
    }

    /// The same with its moment about a point that is this far from the present one.
    pub(super) fn about(self, shift: DVec3) -> Self {
        Self { torque: self.torque - shift.cross(self.force), ..self }
    }
}

impl Cut {
    /// Cuts a joint of a plan.
    pub(super) fn new(plan: &Plan, joint: usize, bodies: &NumberedBodies) -> Result<Self, Refusal> {
        let cut = &plan.joints[joint];
        let sides = [1, 0].map(|side| (side, reach(plan, joint, cut.bodies[side])));
        let alone = |(side, found): &(usize, Vec<bool>)| {
            let other = cut.bodies[1 - side];
            !found[0] && !found[root(plan, other)]
        };
        let Some((side, found)) = sides.into_iter().find(alone) else {
            let reason = format!(
                "the joint `{}` is part of a loop: the motion of bodies does not tell its share of what the joints of the loop transmit",
                cut.name
            );
            return Err((reason, "choose a joint that leads to bodies which nothing else holds"));
        };
        let masses = plan.bodies.iter().enumerate().filter(|(i, _)| found[i + 1]);
        let beyond = masses.filter_map(|(i, body)| match &body.role {
            Role::Free(mass) => Some((i + 1, *mass)),
            _ => None,
        });
        let second = cut.bodies[1];
        let numbers = bodies.numbers();
        Ok(Self {
            beyond: beyond.collect(),
            sign: if side == 1 { 1.0 } else { -1.0 },
            at: (second, cut.on(1, &plan.pose(second)).position),
            gravity: plan.gravity,
            forces: plan.forces.iter().flat_map(|force| force.forces(&numbers)).collect(),
            bodies: bodies.clone(),
        })
    }

    /// The joint's point where the bodies are.
    pub(super) fn point(&self, motions: &[(Pose, Twist)]) -> DVec3 {
        motions[self.at.0].0.point(self.at.1)
    }

    /// The impulse that passed to the second body between two instants, about the middle of the joint's points there.
    pub(super) fn transmitted(
        &self,
        [from, to]: [&[(Pose, Twist)]; 2],
        [t, end]: [f64; 2],
        contacts: impl Iterator<Item = ([usize; 2], ContactImpulse)>,
    ) -> Wrench {
        let x = 0.5 * (self.point(from) + self.point(to));
        let dt = end - t;
        let mut sum = Wrench::default();
        for (body, mass) in &self.beyond {
            for ((pose, twist), sign) in [(&to[*body], 1.0), (&from[*body], -1.0)] {
                sum.add(pose.position - x, sign * mass.mass() * twist.linear);
                let spin = pose.rotation.conjugate() * twist.angular;
                sum.torque += sign * (pose.rotation * (mass.inertia() * spin));
            }
            let middle = 0.5 * (from[*body].0.position + to[*body].0.position);
            sum.add(middle - x, -dt * mass.mass() * self.gravity);
        }
        self.take_forces(&middle(from, to), (0.5 * (t + end), dt), x, &mut sum);
        for (bodies, ContactImpulse { point, impulse }) in contacts {
            for (body, sign) in bodies.into_iter().zip([1.0, -1.0]) {
                if self.beyond.iter().any(|(b, _)| *b == body) {
                    let lever = DVec3::from_array(point.position) - x;
                    sum.add(lever, -sign * DVec3::from_array(point.vector(&impulse)));
                    sum.torque -= sign * impulse[3] * DVec3::from_array(point.normal);
                }
            }
        }
        Wrench { force: self.sign * sum.force, torque: self.sign * sum.torque }
    }

    /// Takes the impulses of forces in the middle of a step away.
    fn take_forces(
        &self,
        motions: &[(Pose, Twist)],
        (t, dt): (f64, f64),
        x: DVec3,
        sum: &mut Wrench,
    ) {
        if self.forces.is_empty() {
            return;
        }
        let (all, numbers) = (self.bodies.by_model(motions), self.bodies.numbers());
        let mut loads = vec![Load::default(); all.len()];
        self.forces.iter().for_each(|force| force.act(&all, t, &mut loads));
        for (body, _) in &self.beyond {
            let load = loads[numbers[*body].index()];
            sum.add(motions[*body].0.position - x, -dt * load.force);
            sum.torque -= dt * load.torque;
        }
    }
}

/// All bodies half-way between two instants, with their mean velocities.
fn middle(from: &[(Pose, Twist)], to: &[(Pose, Twist)]) -> Vec<(Pose, Twist)> {
    let half = |((a, v), (b, w)): (&(Pose, Twist), &(Pose, Twist))| {
        let pose = Pose {
            position: 0.5 * (a.position + b.position),
            rotation: a.rotation.slerp(b.rotation, 0.5).normalize(),
        };
        let (linear, angular) = (0.5 * (v.linear + w.linear), 0.5 * (v.angular + w.angular));
        (pose, Twist { linear, angular })
    };
    from.iter().zip(to).map(half).collect()
}

/// What stands for a body: the ground for all that nothing moves, or that moves by itself.
fn root(plan: &Plan, body: usize) -> usize {
    if body.checked_sub(1).is_some_and(|i| plan.bodies[i].moves()) { body } else { 0 }
}

/// The bodies that joints other than this one connect with a body.
fn reach(plan: &Plan, without: usize, body: usize) -> Vec<bool> {
    let mut found = vec![false; plan.bodies.len() + 1];
    let mut open = vec![root(plan, body)];
    while let Some(body) = open.pop() {
        if std::mem::replace(&mut found[body], true) || body == 0 {
            continue;
        }
        for (j, joint) in plan.joints.iter().enumerate() {
            let ends = joint.bodies.map(|b| root(plan, b));
            if j == without || !ends.contains(&body) {
                continue;
            }
            open.extend(ends);
            // A gear turns its bodies against the ground.
            open.extend(matches!(joint.kind, JointKind::Gear(_)).then_some(0));
        }
    }
    found
}
