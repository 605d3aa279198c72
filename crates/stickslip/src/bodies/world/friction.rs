//! Load-dependent dry friction: of joints, by their reactions, and of patches, by the loads of their rims.
//!
//! By the midpoint rule the reaction is what of the change of velocities neither forces nor candidates make, over the step of RATTLE
//! that the candidates' impulses lead to: the same inside the model and in the contact problem.
//!
//! By other methods it has two parts: what holds the joints while contacts and forces act, and what the projection at the
//! end of the step adds to it. Where a body goes round, the second is of the order of the step smaller than the first (for
//! Stewart and Trinkle's method it is all of the centripetal force), and friction needs it to keep the order of the method. It
//! is taken from the velocities that joints would have to stop at the end that the step leads to.

use super::place::{Bodies, WorldPlace};
use super::rattle::Middle;
use super::rows::{Source, power};
use super::{Reaction, Role, World};
use crate::bodies::joint::{self, JointRow};
use crate::bodies::pose::Coordinates;
use crate::bodies::tolerance::LEAST_LOAD;
use crate::bodies::{JointKind, Pose, Twist};
use crate::contact::set::ConvexSet;
use crate::error::{Error, check};
use crate::model::{FrictionLimit, Model, Span, ThetaStep};
use glam::DVec3;

/// The step whose reactions load friction.
#[derive(Debug, Default)]
pub(super) struct LoadFrictionWork {
    q: Vec<f64>,
    u: Vec<f64>,
    t_end: f64,
    dt: f64,
    /// θ of forces and of the displacement; none for the midpoint rule.
    weights: Option<[f64; 2]>,
    there: Vec<f64>,
    rows: Vec<JointRow>,
    /// Of all joints, row by row.
    reactions: Vec<f64>,
    held: Vec<f64>,
    change: Vec<f64>,
    /// The velocity at the end, without the reactions that hold it there.
    after: Vec<f64>,
}

/// What friction of a joint may be, at the limit 1.
pub(super) fn set(kind: JointKind) -> ConvexSet {
    if kind == JointKind::Spherical {
        ConvexSet::Ellipsoid(vec![1.0; 3])
    } else {
        ConvexSet::Interval
    }
}

impl World {
    /// Dry friction of a pin or a ball of this radius: a torque of at most μ · radius · |reaction|, where the reaction is the
    /// force across the axis of a revolute joint, or the whole force of a spherical one. Thrust along an axis and moments across
    /// it are borne without friction. The limit belongs to the reaction of the same step.
    ///
    /// Where joints are redundant, their reactions are not unique, and neither is their friction.
    ///
    /// # Errors
    /// If there is no such joint, it is neither revolute nor spherical, or a number is out of range.
    pub fn pin_friction(&mut self, joint: usize, mu: f64, radius: f64) -> Result<(), Error> {
        let place = || format!("the pin radius of joint {joint}");
        check(place, radius, radius >= 0.0, "a finite number >= 0")?;
        let kinds = [JointKind::Revolute, JointKind::Spherical];
        self.load_friction(joint, mu, radius, &kinds, "revolute and spherical joints have pins")
    }

    /// Dry friction of a guide: a force of at most μ · |reaction| along a prismatic joint, where the reaction is the force across
    /// its axis. Moments are borne without friction. The limit belongs to the reaction of the same step.
    ///
    /// # Errors
    /// If there is no such joint, it is not prismatic, or a number is out of range.
    pub fn guide_friction(&mut self, joint: usize, mu: f64) -> Result<(), Error> {
        self.load_friction(joint, mu, 1.0, &[JointKind::Prismatic], "prismatic joints have guides")
    }

    fn load_friction(
        &mut self,
        joint: usize,
        mu: f64,
        radius: f64,
        kinds: &[JointKind],
        reason: &'static str,
    ) -> Result<(), Error> {
        let known = joint < self.joints.len();
        let wanted = "that of a joint of this world";
        check(|| "the number of a joint".into(), joint as f64, known, wanted)?;
        check(|| format!("mu of joint {joint}"), mu, mu >= 0.0, "a finite number >= 0")?;
        if !kinds.contains(&self.joints[joint].kind) {
            let (part, other) = ("this friction", "this kind of joint");
            return Err(Error::Combination { part, other, reason });
        }
        self.joints[joint].load_friction = Some(mu * radius);
        Ok(())
    }

    /// The rows of the motion that friction opposes.
    pub(super) fn rub_rows(&self, at: &Bodies, joint: usize, out: &mut Vec<[[f64; 6]; 2]>) {
        if self.joints[joint].kind != JointKind::Spherical {
            out.push(self.joint_motion(at, joint));
            return;
        }
        for d in DVec3::AXES {
            let turn = |sign: f64| [0.0, 0.0, 0.0, sign * d.x, sign * d.y, sign * d.z];
            out.push([turn(-1.0), turn(1.0)]);
        }
    }

    /// μ r |reaction| of each collected candidate that is friction of a joint, and μ times the load of each that is the middle of a patch.
    pub(super) fn load_limits(
        &self,
        place: &mut WorldPlace,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        let joints = place.collected.iter().any(|s| matches!(s, Source::LoadFriction(_)));
        if !joints && place.found.patches.is_empty() {
            return;
        }
        if joints {
            self.find_reactions(place, impulse, end);
        }
        self.load_patches(place, impulse);
        for source in &place.collected {
            let (lever, load, bodies) = match *source {
                Source::LoadFriction(joint) => {
                    let lever = self.joints[joint].load_friction.unwrap_or(0.0);
                    (lever, self.load_of(place, joint), self.joint_bodies(joint))
                }
                Source::Contact(contact) => {
                    let found = contact.found_number(&self.contacts);
                    let Some((mu, load)) = found.and_then(|k| place.found.patches.loaded(k)) else {
                        limits.push(None);
                        continue;
                    };
                    (mu, load, contact.bodies)
                }
                _ => {
                    limits.push(None);
                    continue;
                }
            };
            let limit = lever * load;
            let momentum = self.momentum_of(bodies, [&place.load_friction.u, end]);
            let scale = limit.max(LEAST_LOAD * lever * momentum);
            limits.push(Some(FrictionLimit { limit, scale }));
        }
    }

    /// Adds up the normal impulses on the rims of patches.
    fn load_patches(&self, place: &mut WorldPlace, impulse: &[f64]) {
        let WorldPlace { found, collected, rows, .. } = place;
        found.patches.clear_loads();
        for (source, link) in collected.iter().zip(&rows.links) {
            let Source::Contact(contact) = source else { continue };
            if let Some(k) = contact.found_number(&self.contacts) {
                found.patches.add_load(k, impulse[link.start]);
            }
        }
    }

    /// The impulses of all joints, left in store.
    fn find_reactions(&self, place: &mut WorldPlace, impulse: &[f64], end: &[f64]) {
        self.refresh_if_stale(place);
        if place.load_friction.weights.is_none() && self.end_with(place, impulse) {
            self.holding_impulses(place, impulse, None);
            let r = &mut place.load_friction;
            std::mem::swap(&mut r.reactions, &mut r.held);
            return;
        }
        self.excluded_velocities(&mut place.load_friction, end);
        let WorldPlace { reactions, load_friction, collected, rows, .. } = &mut *place;
        let found = &mut load_friction.reactions;
        found.iter_mut().for_each(|x| *x = -*x);
        reactions.solve_rates(found);
        if self.reaction == Reaction::InProblem {
            for (source, link) in collected.iter().zip(&rows.links) {
                let Source::Joint(joint) = *source else { continue };
                let to = &mut found[reactions.rows.links[joint].start..][..link.rows];
                to.iter_mut().zip(&impulse[link.start..]).for_each(|(x, lam)| *x += lam);
            }
        } else {
            self.holding_impulses(place, impulse, Some(end));
            let LoadFrictionWork { reactions, held, .. } = &mut place.load_friction;
            reactions.iter_mut().zip(held).for_each(|(x, lam)| *x += *lam);
        }
    }

    /// Ends the step by RATTLE with the impulses of candidates; false if that has no end, which the step will say itself.
    fn end_with(&self, place: &mut WorldPlace, impulse: &[f64]) -> bool {
        self.set_push(place, impulse);
        let WorldPlace { bodies, loads, ends, load_friction, redundancy, .. } = place;
        let LoadFrictionWork { q, u, t_end, dt, .. } = load_friction;
        let step = Span { q, u, t: *t_end - *dt, dt: *dt };
        let middle = Middle { loads: &loads.sums, masses: &bodies.masses };
        let done = self.rattle_from_middle(ends, middle, &step).is_ok();
        if done {
            *redundancy = ends.redundancy();
        }
        done
    }

    /// The impulses of all joints that make what of the change of velocities to an end neither forces nor other candidates made; the
    /// end is that of the last step by RATTLE if none is given.
    fn holding_impulses(&self, place: &mut WorldPlace, impulse: &[f64], end: Option<&[f64]>) {
        let back: Vec<f64> = impulse.iter().map(|x| -x).collect();
        let mut change = std::mem::take(&mut place.load_friction.change);
        let end = end.unwrap_or(&place.ends.part.u);
        change.clear();
        change.resize(end.len(), 0.0);
        for i in 0..self.free {
            self.unexplained(place, i, end).write(&mut change[6 * i..]);
        }
        for (source, link) in place.collected.iter().zip(&place.rows.links) {
            if !matches!(source, Source::Joint(_)) {
                place.rows.add_response_of(link, &back, &mut change);
            }
        }
        let WorldPlace { reactions, load_friction, .. } = place;
        reactions.rates(&change, &mut load_friction.held);
        reactions.solve_rates(&mut load_friction.held);
        load_friction.change = change;
    }

    /// What of the change of a body's velocity over the step its forces and its spin do not make.
    fn unexplained(&self, place: &WorldPlace, i: usize, end: &[f64]) -> Twist {
        let (step, bodies) = (&place.load_friction, &place.bodies);
        let after = Twist::read(&end[6 * i..]);
        if step.weights.is_some() {
            let without = Twist::read(&place.base[6 * i..]);
            let angular = after.angular - without.angular;
            return Twist { linear: after.linear - without.linear, angular };
        }
        let (before, dt) = (Twist::read(&step.u[6 * i..]), step.dt);
        let ((force, torque), (mass, inverse)) = (place.loads.sums[i], bodies.inverse[i]);
        let spin = 0.5 * (before.angular + after.angular);
        let moment = torque - spin.cross(bodies.masses[i].1 * spin);
        Twist {
            linear: after.linear - before.linear - dt * mass * force,
            angular: after.angular - before.angular - dt * (inverse * moment),
        }
    }

    /// Takes the beginning of a step, from where the end is found that a velocity leads to.
    pub(super) fn begin(
        &self,
        place: &mut WorldPlace,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        weights: Option<[f64; 2]>,
    ) {
        let joints = self.joints.iter().any(|j| j.load_friction.is_some());
        if joints || !place.found.patches.is_empty() {
            let r = &mut place.load_friction;
            (r.t_end, r.dt, r.weights) = (t + dt, dt, weights);
            r.q.clear();
            r.q.extend_from_slice(q);
            r.u.clear();
            r.u.extend_from_slice(u);
        }
    }

    /// The velocities that joints exclude, at the end of the step: left in the store of the reactions.
    fn excluded_velocities(&self, r: &mut LoadFrictionWork, end: &[f64]) {
        let LoadFrictionWork { q, u, t_end, dt, weights, there, after, .. } = r;
        there.resize(q.len(), 0.0);
        after.clear();
        after.extend_from_slice(end);
        match *weights {
            Some([forces, motion]) => {
                let step = ThetaStep { q, u, t: *t_end - *dt, dt: *dt, forces, motion };
                if self.displace_theta(&step, after, there).is_err() {
                    // The step itself will refuse.
                    after.copy_from_slice(end);
                }
            }
            None => self.advance(q, u, end, *dt, there),
        }
        r.reactions.clear();
        for j in &self.joints {
            let motion = |body: usize| match &self.roles[body] {
                Role::Free(i, _) => (Pose::read(&r.there[7 * i..]), Twist::read(&r.after[6 * i..])),
                Role::Prescribed(motion) => motion(r.t_end),
            };
            let ((a, v), (b, w)) = (motion(j.first), motion(j.second));
            r.rows.clear();
            joint::rows(j.kind, (&a, &j.on_first), (&b, &j.on_second), &mut r.rows);
            let rates = r.rows.iter().map(|row| power(&row.first, &v) + power(&row.second, &w));
            r.reactions.extend(rates);
        }
    }

    /// The size of the force part of a joint's reaction that loads its friction.
    fn load_of(&self, place: &WorldPlace, joint: usize) -> f64 {
        let count = if self.joints[joint].kind == JointKind::Spherical { 3 } else { 2 };
        let start = place.reactions.rows.links[joint].start;
        let forces = place.load_friction.reactions.get(start..start + count);
        forces.map_or(0.0, |f| f.iter().map(|x| x * x).sum::<f64>().sqrt())
    }

    /// Momenta of two bodies, at both ends of the step.
    fn momentum_of(&self, bodies: [usize; 2], [start, end]: [&[f64]; 2]) -> f64 {
        let momentum = |body: usize| match &self.roles[body] {
            Role::Free(i, p) => {
                let speed = |u: &[f64]| Twist::read(&u[6 * i..]).linear.length();
                p.mass() * (speed(end) + speed(start))
            }
            Role::Prescribed(_) => 0.0,
        };
        bodies.map(momentum).iter().sum()
    }
}
