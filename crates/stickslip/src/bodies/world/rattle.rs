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

use super::reactions::Reactions;
use super::rows::{Rows, Source};
use super::{Reaction, World};
use crate::bodies::joint::JointKind;
use crate::bodies::pose::logarithm;
use crate::bodies::{MassProperties, Pose, SpinUpdate, Twist};
use crate::error::{Error, check};
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

/// Both ends of a step, and what was found for it.
#[derive(Debug, Default)]
pub(super) struct Ends {
    poses: Vec<(Pose, Twist)>,
    inverse: Vec<(f64, DMat3)>,
    masses: Vec<(f64, DMat3)>,
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
    /// The coordinates and velocities at the end.
    pub(super) q: Vec<f64>,
    pub(super) u: Vec<f64>,
    /// The beginning of a part of the step.
    from: (Vec<f64>, Vec<f64>),
    /// In how many parts the last step was made, and the share of the push that one of them has.
    pub(super) parts: usize,
    share: f64,
    /// What the kicks of the last part changed of the energy, as a share of it.
    waver: f64,
    /// How far joints are off at the end.
    pub(super) off: f64,
}

impl Ends {
    /// What impulses add to the velocity of a body in this part of the step.
    fn push(&self, i: usize) -> Twist {
        let Twist { linear, angular } = Twist::read(&self.push[6 * i..]);
        Twist { linear: self.share * linear, angular: self.share * angular }
    }

    /// Exchanges the place at which a world is looked at, the midpoint, with that of the ends.
    fn exchange(&mut self, world: &mut World) {
        std::mem::swap(&mut self.poses, &mut world.poses);
        std::mem::swap(&mut self.inverse, &mut world.inverse);
        std::mem::swap(&mut self.masses, &mut world.masses);
        std::mem::swap(&mut self.reactions, &mut world.reactions);
    }
}

impl World {
    /// The end of a step from (q, u, t) with the forces of the last `free` and the push that is set.
    pub(super) fn rattle(&mut self, at: (&[f64], &[f64], f64), dt: f64) -> Result<(), Error> {
        let (mut ends, fresh) = (std::mem::take(&mut self.ends), self.fresh);
        ends.exchange(self);
        let mut found = Ok(f64::NAN);
        ends.parts = 1;
        while ends.parts <= MOST_PARTS {
            found = self.rattle_in_parts(&mut ends, at, dt);
            if found.is_ok() && (ends.waver <= WAVER || ends.parts >= ENOUGH_PARTS) {
                break;
            }
            ends.parts *= 2;
        }
        ends.exchange(self);
        (self.ends, self.fresh) = (ends, fresh);
        self.ends.off = found?;
        Ok(())
    }

    fn rattle_in_parts(
        &mut self,
        ends: &mut Ends,
        at: (&[f64], &[f64], f64),
        dt: f64,
    ) -> Result<f64, Error> {
        if ends.parts == 1 {
            return self.rattle_from(ends, at, dt, 1.0);
        }
        let (mut q, mut u) = (std::mem::take(&mut ends.from.0), std::mem::take(&mut ends.from.1));
        q.clear();
        q.extend_from_slice(at.0);
        u.clear();
        u.extend_from_slice(at.1);
        let (share, mut off) = (1.0 / ends.parts as f64, Ok(0.0));
        for k in 0..ends.parts {
            let t = at.2 + k as f64 * share * dt;
            off = self.rattle_from(ends, (&q, &u, t), dt * share, share);
            if off.is_err() || (ends.waver > WAVER && ends.parts < ENOUGH_PARTS) {
                break;
            }
            q.copy_from_slice(&ends.q);
            u.copy_from_slice(&ends.u);
        }
        ends.from = (q, u);
        off
    }

    /// A step, or a part of one, with this share of the push.
    fn rattle_from(
        &mut self,
        ends: &mut Ends,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        share: f64,
    ) -> Result<f64, Error> {
        ends.share = share;
        self.place(q, t);
        self.check_start(t)?;
        ends.rows.clear();
        (0..self.joints.len()).for_each(|i| ends.rows.push(self, Source::Joint(i)));
        ends.first.clear();
        ends.first.extend_from_slice(u);
        let (mut last, mut fresh) = (f64::INFINITY, false);
        for _ in 0..STEPS {
            self.fly(ends, (q, t), dt)?;
            self.place(&ends.q, t + dt);
            let (off, size) = self.joint_errors();
            if !off.is_finite() {
                return Err(Error::NotFinite { what: "the error of a joint", t });
            }
            let off = off.max(self.gear_errors(ends, dt));
            // Rounding, or no more progress.
            let near = off <= CLOSED * size;
            if off <= 4.0 * f64::EPSILON * size || (off >= 0.5 * last && near) {
                self.refresh_reactions();
                ends.u.clear();
                ends.u.extend_from_slice(&ends.second);
                self.hold(&mut ends.u);
                ends.waver = self.energy_of_kicks(ends, (q, u));
                return Ok(off);
            }
            if off > UNRESOLVED * last && fresh && !near {
                break;
            }
            fresh = (off > SLOW * last && !near) || last == f64::INFINITY;
            if fresh {
                self.linearise(ends, (q, t), dt)?;
            }
            last = off;
            self.reactions.solve_against();
            ends.rows.add_response(&self.reactions.lam, &mut ends.first);
        }
        Err(Error::Open { t: t + dt, off: last })
    }

    /// Refuses to begin off the joints: the kicks that close them within the step would be of the size of the error over Δt.
    fn check_start(&mut self, t: f64) -> Result<(), Error> {
        let (off, size) = self.joint_errors();
        let place = || format!("the error of joints at the beginning of the step from t = {t}");
        let wanted =
            "below 1e-6 of the size of the mechanism; put the start on the joints by `assemble`";
        check(place, off, off <= START * size, wanted)
    }

    /// What the kicks at both ends change the energy by, as a share of the kinetic energy: ½ |u' − u|² − ½ |u⁺ − u''|², in the
    /// metrics of the masses at the ends, since J u = −ŵ at the beginning and J u⁺ = −ŵ at the end.
    fn energy_of_kicks(&self, ends: &Ends, (q, u): (&[f64], &[f64])) -> f64 {
        let (mut change, mut size) = (0.0, f64::MIN_POSITIVE);
        for (i, p) in self.free_bodies() {
            let (a, b) = (Pose::read(&q[7 * i..]), Pose::read(&ends.q[7 * i..]));
            let read = |x: &[f64]| Twist::read(&x[6 * i..]);
            let (before, first) = (read(u), read(&ends.first));
            let (second, after) = (read(&ends.second), read(&ends.u));
            change += kinetic(p, &a, &between(&before, &first));
            change -= kinetic(p, &b, &between(&second, &after));
            size += kinetic(p, &a, &first).max(kinetic(p, &b, &second));
        }
        (change / size).abs()
    }

    /// Factorises ∂φ(q⁺)/∂λ at the last end: the rows there times what kicks at the beginning turn and shift bodies by.
    fn linearise(&mut self, ends: &mut Ends, (q, t): (&[f64], f64), dt: f64) -> Result<(), Error> {
        ends.turns.clear();
        for (i, p) in self.free_bodies() {
            let r = Pose::read(&q[7 * i..]).rotation;
            let back = Pose::read(&ends.q[7 * i..]).rotation.conjugate();
            let torque = self.torque(ends, i, dt);
            let w = DVec3::from_slice(&ends.first[6 * i + 3..]);
            let mut columns = [DVec3::ZERO; 3];
            for (k, column) in columns.iter_mut().enumerate() {
                let near = w + NEAR / dt * DVec3::AXES[k];
                let Some(after) = self.spin(ends, (i, p), (r, near, torque), dt) else {
                    return Err(Error::Turn { t });
                };
                let turned = self.update.turn(p, r, near, after, dt);
                *column = dt / NEAR * logarithm(turned * back);
            }
            ends.turns.push(DMat3::from_cols(columns[0], columns[1], columns[2]));
        }
        ends.moved.clear();
        for link in &ends.rows.links {
            for r in link.start..link.start + link.rows {
                let side = |k: usize| match link.bodies[k] {
                    Some(body) => shifted(&ends.rows.response[r][k], &ends.turns[body], dt),
                    None => [0.0; 6],
                };
                ends.moved.push([side(0), side(1)]);
            }
        }
        let lam = std::mem::take(&mut self.reactions.lam);
        self.refresh_rows();
        self.reactions.factorize_against(&ends.moved);
        self.reactions.lam = lam;
        Ok(())
    }

    /// The torque of forces and of the push on a body.
    fn torque(&self, ends: &Ends, i: usize, dt: f64) -> DVec3 {
        let push = ends.push(i).angular;
        let explicit = self.update == SpinUpdate::SemiImplicit;
        let share = if explicit { DVec3::ZERO } else { ends.masses[i].1 * push / dt };
        self.loads[i].1 + share
    }

    /// The angular velocity at the end of a step of a free body; an explicit update has the push added.
    fn spin(
        &self,
        ends: &Ends,
        (i, p): (usize, &MassProperties),
        (r, w, torque): (DQuat, DVec3, DVec3),
        dt: f64,
    ) -> Option<DVec3> {
        let after = self.update.free(p, r, w, torque, dt)?;
        let push = ends.push(i).angular;
        Some(if self.update == SpinUpdate::SemiImplicit { after + push } else { after })
    }

    /// From u' to u'' and q⁺ without joints.
    fn fly(&self, ends: &mut Ends, (q, t): (&[f64], f64), dt: f64) -> Result<(), Error> {
        ends.second.resize(6 * self.free, 0.0);
        ends.q.resize(7 * self.free, 0.0);
        for (i, p) in self.free_bodies() {
            let (force, pose) = (self.loads[i].0, Pose::read(&q[7 * i..]));
            let (a, push) = (Twist::read(&ends.first[6 * i..]), ends.push(i));
            let linear = a.linear + dt / p.mass() * force + push.linear;
            let start = (pose.rotation, a.angular, self.torque(ends, i, dt));
            let Some(angular) = self.spin(ends, (i, p), start, dt) else {
                return Err(Error::Turn { t });
            };
            let position = pose.position + 0.5 * dt * (a.linear + linear);
            let rotation = self.update.turn(p, pose.rotation, a.angular, angular, dt);
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t });
            }
            Pose { position, rotation }.write(&mut ends.q[7 * i..]);
            Twist { linear, angular }.write(&mut ends.second[6 * i..]);
        }
        Ok(())
    }

    /// Gears compare speeds, not angles: their error is that of the mean of the speeds at both ends.
    fn gear_errors(&mut self, ends: &mut Ends, dt: f64) -> f64 {
        let mut largest = 0.0_f64;
        for i in 0..self.joints.len() {
            if let JointKind::Gear(_) = self.joints[i].kind {
                let link = ends.rows.links[i];
                let before = ends.rows.velocity(&link, link.start, &ends.first);
                ends.gear.clear();
                ends.gear.push(self, Source::Joint(i));
                let after = ends.gear.velocity(&ends.gear.links[0], 0, &ends.second);
                let error = 0.5 * dt * (before + after);
                self.reactions.lam[link.start] = error;
                largest = largest.max(error.abs());
            }
        }
        largest
    }

    /// With the push that led from the last free velocity to `end`: the velocity that it has to be added to.
    pub(super) fn settle_held(
        &mut self,
        at: (&[f64], &[f64], f64),
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        self.ends.push.clear();
        self.ends.push.extend(end.iter().zip(&self.base).map(|(e, b)| e - b));
        self.rattle(at, dt)?;
        let (mut largest, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for (i, free) in free.iter_mut().enumerate() {
            *free = self.ends.u[i] - self.ends.push[i];
            largest = largest.max((*free - self.base[i]).abs());
            size = size.max(self.ends.u[i].abs() + at.1[i].abs() + self.ends.push[i].abs());
        }
        self.base.copy_from_slice(free);
        Ok(largest / size)
    }

    /// Sets the push of impulses on the rows collected.
    pub(super) fn set_push(&mut self, impulse: &[f64]) {
        let f = 6 * self.free;
        self.ends.push.clear();
        self.ends.push.resize(f, 0.0);
        if self.reaction == Reaction::Inside {
            for (row, lam) in self.held.chunks_exact(f.max(1)).zip(impulse) {
                self.ends.push.iter_mut().zip(row).for_each(|(p, r)| *p += lam * r);
            }
            return;
        }
        // Joints in the contact problem: those of contacts, and what joints add to them.
        let mut push = std::mem::take(&mut self.ends.push);
        for (source, link) in self.collected.iter().zip(&self.rows.links) {
            if !matches!(source, Source::Joint(_)) {
                self.rows.add_response_of(link, impulse, &mut push);
            }
        }
        self.refresh_reactions();
        self.reactions.project(&mut push);
        self.ends.push = push;
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
