//! A step of bodies that joints hold, by RATTLE.
//!
//! u' = u + M⁻¹ Jᵀ λ at the beginning, a step of free bodies from u' to u'' that ends on the joints, φ(q⁺) = 0, and
//! u⁺ = u'' + M⁻¹ Jᵀ μ at the end such that J u⁺ + ŵ = 0 there. Backwards in time it is the same step, and if that of free bodies is
//! symplectic, so is the whole (Leimkuhler and Skeel 1994): the energy error stays bounded, O(Δt²), and has no drift that grows out of a
//! projection.
//!
//! Where Newton's method does not close in on λ at once, bodies turn too far in the step (the free end of a chain that whips), and it is
//! made in 2, 4, … equal parts.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | u', u'' | `first`, `second`: velocities of the free step at its ends |
//! | push | what impulses of contacts add to velocities at the midpoint, with the reactions of joints there |
//! | φ | errors of joints at the level of positions |

use super::place::{Bodies, WorldPlace};
use super::reactions::Reactions;
use super::rows::{Rows, Source};
use super::{Reaction, World};
use crate::bodies::joint::JointKind;
use crate::bodies::pose::Coordinates;
use crate::bodies::pose::logarithm;
use crate::bodies::{MassProperties, Pose, SpinUpdate, Twist};
use crate::error::{Error, check};
use crate::model::Span;
use glam::{DMat3, DQuat, DVec3};

/// Most iterations for λ.
const STEPS: usize = 100;
/// A ratio of errors above which an iteration asks for new derivatives; one above which, with new ones, the step is too long for its motion.
const SLOW: f64 = 0.1;
const UNRESOLVED: f64 = 0.25;
/// Most parts of a step.
const MOST_PARTS: usize = 256;
/// The share of the kinetic energy that kicks may change in a part, as long as there are no more parts than this.
const WAVER: f64 = 1e-3;
const ENOUGH_PARTS: usize = 64;
/// The turn, in radians, by which derivatives of rotation are differenced.
const NEAR: f64 = 1e-7;
/// Joints that are off by less than this share of the size of the mechanism may be left if there is no progress.
const CLOSED: f64 = 1e-12;
/// The same at the beginning of a step.
const START: f64 = 1e-6;

/// The end of a step, and what was found for it.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) part: Part,
    /// The beginning of a part of the step.
    from: (Vec<f64>, Vec<f64>),
    /// In how many parts the last step was made.
    pub(super) parts: usize,
    /// How far joints are off at the end.
    pub(super) off: f64,
}

/// A step, or a part of one, between its two ends.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// At the end that is being looked at.
    bodies: Bodies,
    reactions: Reactions,
    /// Of the joints at the beginning.
    rows: Rows,
    first: Vec<f64>,
    second: Vec<f64>,
    /// How an angular velocity at the beginning turns each body by the end, and what this makes of the responses of the rows.
    turns: Vec<DMat3>,
    moved: Vec<[[f64; 6]; 2]>,
    gear: Rows,
    pub(super) push: Vec<f64>,
    /// The share of the push that belongs to this part.
    share: f64,
    /// The coordinates and velocities at the end.
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    /// What its kicks changed of the energy, as a share of it.
    waver: f64,
}

impl Ends {
    /// Rows of joints less their rank, at the end.
    pub(super) fn redundancy(&self) -> usize {
        self.part.reactions.redundancy
    }
}

impl Part {
    /// What impulses add to the velocity of a body in this part of the step.
    fn push(&self, i: usize) -> Twist {
        let Twist { linear, angular } = Twist::read(&self.push[6 * i..]);
        Twist { linear: self.share * linear, angular: self.share * angular }
    }
}

/// What acts on the bodies over the step, and their masses, in its middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Middle<'a> {
    pub(super) loads: &'a [(DVec3, DVec3)],
    pub(super) masses: &'a [(f64, DMat3)],
}

impl World {
    /// The end of a step with the loads and the push in store.
    pub(super) fn rattle(&self, place: &mut WorldPlace, step: &Span<'_>) -> Result<(), Error> {
        let WorldPlace { bodies, loads, ends, .. } = place;
        let middle = Middle { loads: &loads.sums, masses: &bodies.masses };
        self.rattle_from_middle(ends, middle, step)?;
        place.redundancy = ends.redundancy();
        Ok(())
    }

    pub(super) fn rattle_from_middle(
        &self,
        ends: &mut Ends,
        middle: Middle<'_>,
        step: &Span<'_>,
    ) -> Result<(), Error> {
        let mut found = Ok(f64::NAN);
        ends.parts = 1;
        while ends.parts <= MOST_PARTS {
            found = self.rattle_in_parts(ends, middle, step);
            if found.is_ok() && (ends.part.waver <= WAVER || ends.parts >= ENOUGH_PARTS) {
                break;
            }
            ends.parts *= 2;
        }
        ends.off = found?;
        Ok(())
    }

    fn rattle_in_parts(
        &self,
        ends: &mut Ends,
        middle: Middle<'_>,
        step: &Span<'_>,
    ) -> Result<f64, Error> {
        let Ends { part, from: (q, u), parts, .. } = ends;
        if *parts == 1 {
            return self.rattle_part(part, middle, step, 1.0);
        }
        q.clear();
        q.extend_from_slice(step.q);
        u.clear();
        u.extend_from_slice(step.u);
        let (share, mut off) = (1.0 / *parts as f64, 0.0);
        for k in 0..*parts {
            let t = step.t + k as f64 * share * step.dt;
            let span = Span { q, u, t, dt: step.dt * share };
            off = self.rattle_part(part, middle, &span, share)?;
            if part.waver > WAVER && *parts < ENOUGH_PARTS {
                break;
            }
            q.copy_from_slice(&part.q);
            u.copy_from_slice(&part.u);
        }
        Ok(off)
    }

    /// A step, or a part of one, with this share of the push.
    fn rattle_part(
        &self,
        part: &mut Part,
        middle: Middle<'_>,
        step: &Span<'_>,
        share: f64,
    ) -> Result<f64, Error> {
        let Span { q, u, t, dt } = *step;
        part.share = share;
        self.locate(q, t, &mut part.bodies);
        self.check_start(part, t)?;
        part.rows.clear();
        for i in 0..self.joints.len() {
            part.rows.push(self, &part.bodies, Source::Joint(i));
        }
        part.first.clear();
        part.first.extend_from_slice(u);
        let (mut last, mut fresh) = (f64::INFINITY, false);
        for _ in 0..STEPS {
            self.fly(part, middle, step)?;
            self.locate(&part.q, t + dt, &mut part.bodies);
            let (off, size) = part.reactions.errors(self, &part.bodies);
            if !off.is_finite() {
                return Err(Error::NotFinite { what: "the error of a joint", t });
            }
            let off = off.max(self.gear_errors(part, dt));
            // Rounding, or no more progress.
            let near = off <= CLOSED * size;
            if off <= 4.0 * f64::EPSILON * size || (off >= 0.5 * last && near) {
                part.reactions.refresh(self, &part.bodies, 0..self.joints.len());
                part.u.clear();
                part.u.extend_from_slice(&part.second);
                part.reactions.hold(&mut part.u);
                part.waver = self.energy_of_kicks(part, (q, u));
                return Ok(off);
            }
            if off > UNRESOLVED * last && fresh && !near {
                break;
            }
            fresh = (off > SLOW * last && !near) || last == f64::INFINITY;
            if fresh {
                self.linearise(part, middle, step)?;
            }
            last = off;
            part.reactions.solve_against();
            part.rows.add_response(&part.reactions.lam, &mut part.first);
        }
        Err(Error::Open { t: t + dt, off: last })
    }

    /// Refuses to begin off the joints: the kicks that close them within the step would be of the size of the error over Δt.
    fn check_start(&self, part: &mut Part, t: f64) -> Result<(), Error> {
        let (off, size) = part.reactions.errors(self, &part.bodies);
        let place = || format!("the error of joints at the beginning of the step from t = {t}");
        let wanted =
            "below 1e-6 of the size of the mechanism; put the start on the joints by `assemble`";
        check(place, off, off <= START * size, wanted)
    }

    /// What the kicks at both ends change the energy by, as a share of the kinetic energy: ½ |u' − u|² − ½ |u⁺ − u''|², in the
    /// metrics of the masses at the ends, since J u = −ŵ at the beginning and J u⁺ = −ŵ at the end.
    fn energy_of_kicks(&self, part: &Part, (q, u): (&[f64], &[f64])) -> f64 {
        let (mut change, mut size) = (0.0, f64::MIN_POSITIVE);
        for (i, p) in self.free_bodies() {
            let (a, b) = (Pose::read(&q[7 * i..]), Pose::read(&part.q[7 * i..]));
            let read = |x: &[f64]| Twist::read(&x[6 * i..]);
            let (before, first) = (read(u), read(&part.first));
            let (second, after) = (read(&part.second), read(&part.u));
            change += kinetic(p, &a, &between(&before, &first));
            change -= kinetic(p, &b, &between(&second, &after));
            size += kinetic(p, &a, &first).max(kinetic(p, &b, &second));
        }
        (change / size).abs()
    }

    /// Factorises ∂φ(q⁺)/∂λ at the last end: the rows there times what kicks at the beginning turn and shift bodies by.
    fn linearise(&self, part: &mut Part, middle: Middle<'_>, step: &Span<'_>) -> Result<(), Error> {
        let Span { q, t, dt, .. } = *step;
        part.turns.clear();
        for (i, p) in self.free_bodies() {
            let r = Pose::read(&q[7 * i..]).rotation;
            let back = Pose::read(&part.q[7 * i..]).rotation.conjugate();
            let torque = self.torque(part, middle, i, dt);
            let w = DVec3::from_slice(&part.first[6 * i + 3..]);
            let mut columns = [DVec3::ZERO; 3];
            for (k, column) in columns.iter_mut().enumerate() {
                let near = w + NEAR / dt * DVec3::AXES[k];
                let Some(after) = self.spin(part, (i, p), (r, near, torque), dt) else {
                    return Err(Error::Turn { t });
                };
                let turned = self.update.turn(p, r, near, after, dt);
                *column = dt / NEAR * logarithm(turned * back);
            }
            part.turns.push(DMat3::from_cols(columns[0], columns[1], columns[2]));
        }
        part.moved.clear();
        for link in &part.rows.links {
            for r in link.start..link.start + link.rows {
                let side = |k: usize| match link.bodies[k] {
                    Some(body) => shifted(&part.rows.response[r][k], &part.turns[body], dt),
                    None => [0.0; 6],
                };
                part.moved.push([side(0), side(1)]);
            }
        }
        part.reactions.set_rows(self, &part.bodies, 0..self.joints.len());
        part.reactions.factorize_against(&part.moved);
        Ok(())
    }

    /// The torque of forces and of the push on a body.
    fn torque(&self, part: &Part, middle: Middle<'_>, i: usize, dt: f64) -> DVec3 {
        let push = part.push(i).angular;
        let explicit = self.update == SpinUpdate::SemiImplicit;
        let share = if explicit { DVec3::ZERO } else { middle.masses[i].1 * push / dt };
        middle.loads[i].1 + share
    }

    /// The angular velocity at the end of a step of a free body; an explicit update has the push added.
    fn spin(
        &self,
        part: &Part,
        (i, p): (usize, &MassProperties),
        (r, w, torque): (DQuat, DVec3, DVec3),
        dt: f64,
    ) -> Option<DVec3> {
        let after = self.update.free(p, r, w, torque, dt)?;
        let push = part.push(i).angular;
        Some(if self.update == SpinUpdate::SemiImplicit { after + push } else { after })
    }

    /// From u' to u'' and q⁺ without joints.
    fn fly(&self, part: &mut Part, middle: Middle<'_>, step: &Span<'_>) -> Result<(), Error> {
        let Span { q, t, dt, .. } = *step;
        part.second.resize(6 * self.free, 0.0);
        part.q.resize(7 * self.free, 0.0);
        for (i, p) in self.free_bodies() {
            let (force, pose) = (middle.loads[i].0, Pose::read(&q[7 * i..]));
            let (a, push) = (Twist::read(&part.first[6 * i..]), part.push(i));
            let linear = a.linear + dt / p.mass() * force + push.linear;
            let start = (pose.rotation, a.angular, self.torque(part, middle, i, dt));
            let Some(angular) = self.spin(part, (i, p), start, dt) else {
                return Err(Error::Turn { t });
            };
            let position = pose.position + 0.5 * dt * (a.linear + linear);
            let rotation = self.update.turn(p, pose.rotation, a.angular, angular, dt);
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t });
            }
            Pose { position, rotation }.write(&mut part.q[7 * i..]);
            Twist { linear, angular }.write(&mut part.second[6 * i..]);
        }
        Ok(())
    }

    /// Gears compare speeds, not angles: their error is that of the mean of the speeds at both part.
    fn gear_errors(&self, part: &mut Part, dt: f64) -> f64 {
        let mut largest = 0.0_f64;
        for i in 0..self.joints.len() {
            if let JointKind::Gear(_) = self.joints[i].kind {
                let link = part.rows.links[i];
                let before = part.rows.velocity(&link, link.start, &part.first);
                part.gear.clear();
                part.gear.push(self, &part.bodies, Source::Joint(i));
                let after = part.gear.velocity(&part.gear.links[0], 0, &part.second);
                let error = 0.5 * dt * (before + after);
                part.reactions.lam[link.start] = error;
                largest = largest.max(error.abs());
            }
        }
        largest
    }

    /// With the push that led from the last free velocity to the one that `free` is at: the velocity that it has to be added to.
    pub(super) fn settle_held(
        &self,
        place: &mut WorldPlace,
        step: &Span<'_>,
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let push = &mut place.ends.part.push;
        push.clear();
        push.extend(free.iter().zip(&place.base).map(|(e, b)| e - b));
        self.rattle(place, step)?;
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        let Part { u, push, .. } = &place.ends.part;
        for (i, free) in free.iter_mut().enumerate() {
            *free = u[i] - push[i];
            largest = largest.max((*free - place.base[i]).abs());
            size = size.max(u[i].abs() + step.u[i].abs() + push[i].abs());
        }
        place.base.copy_from_slice(free);
        Ok(largest / size)
    }

    /// Sets the push of impulses on the rows collected.
    pub(super) fn set_push(&self, place: &mut WorldPlace, impulse: &[f64]) {
        let f = 6 * self.free;
        let push = &mut place.ends.part.push;
        push.clear();
        push.resize(f, 0.0);
        if self.reaction == Reaction::Inside {
            for (row, lam) in place.held.chunks_exact(f.max(1)).zip(impulse) {
                push.iter_mut().zip(row).for_each(|(p, r)| *p += lam * r);
            }
            return;
        }
        // Joints in the contact problem: those of contacts, and what joints add to them.
        for (source, link) in place.collected.iter().zip(&place.rows.links) {
            if !matches!(source, Source::Joint(_)) {
                place.rows.add_response_of(link, impulse, push);
            }
        }
        self.refresh_reactions(place);
        place.reactions.project(&mut place.ends.part.push);
    }
}

/// A velocity as the shift and turn that it leads to.
fn shifted(velocity: &[f64; 6], turn: &DMat3, dt: f64) -> [f64; 6] {
    let (shift, turned) =
        (dt * DVec3::from_slice(velocity), *turn * DVec3::from_slice(&velocity[3..]));
    [shift.x, shift.y, shift.z, turned.x, turned.y, turned.z]
}

fn between(a: &Twist, b: &Twist) -> Twist {
    Twist { linear: b.linear - a.linear, angular: b.angular - a.angular }
}

fn kinetic(p: &MassProperties, pose: &Pose, u: &Twist) -> f64 {
    let turn = pose.rotation.conjugate() * u.angular;
    0.5 * (p.mass() * u.linear.length_squared() + turn.dot(p.inertia() * turn))
}
