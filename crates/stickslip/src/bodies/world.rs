//! Rigid bodies in maximal coordinates.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q | per body position and unit quaternion (w, x, y, z) | 7 |
//! | u | per body velocity of the centre and angular velocity, world axes | 6 |
//! | side | the rows of Hᵀ of one candidate for one body | components × 6 |

use super::pose::exponential;
use super::spin::in_world;
use super::touch::{Closeness, Pair};
use super::{MassProperties, Pose, SpinUpdate, Twist};
use crate::contact::{ContactProblem, Kind, Law};
use crate::error::{Error, check};
use crate::mechanism::{Candidate, Mechanism};
use crate::system::{Energy, State};
use complementarity::cone::BlockMatrix;
use glam::{DMat3, DVec3};
use std::fmt;
use std::sync::Arc;

/// A body of a [`World`], by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Body(pub(crate) usize);

/// A motion that is prescribed.
pub type Motion = Arc<dyn Fn(f64) -> (Pose, Twist) + Send + Sync>;

/// Forces on the bodies: from poses and twists of the moving bodies, and time, adds (force, torque about the centre).
pub type Force = Arc<dyn Fn(&[Pose], &[Twist], f64, &mut [(DVec3, DVec3)]) + Send + Sync>;

enum Role {
    /// Number among the bodies that move freely.
    Free(usize, MassProperties),
    Prescribed(Motion),
}

struct Touch {
    first: usize,
    second: usize,
    pair: Arc<dyn Pair>,
    law: Law,
}

/// One candidate as it was seen by the last `detect`.
#[derive(Clone, Copy)]
struct Seen {
    touch: usize,
    close: Closeness,
}

/// One body's part in one collected candidate.
#[derive(Clone, Debug, Default)]
struct Side {
    free: usize,
    rows: Vec<[f64; 6]>,
    /// M⁻¹ times the rows.
    response: Vec<[f64; 6]>,
}

/// Rigid bodies with contacts, forces and prescribed bodies.
///
/// The ground is the body [`World::GROUND`], fixed at the origin.
pub struct World {
    roles: Vec<Role>,
    free: usize,
    touches: Vec<Touch>,
    gravity: DVec3,
    forces: Vec<Force>,
    update: SpinUpdate,
    // Storage.
    /// Of all bodies, with the twists of those that are prescribed, at the last `detect`.
    poses: Vec<(Pose, Twist)>,
    /// Of the free bodies, in the middle of the last `free`.
    middle: Vec<Pose>,
    twists: Vec<Twist>,
    loads: Vec<(DVec3, DVec3)>,
    seen: Vec<Seen>,
    sides: Vec<[Side; 2]>,
    drive: Vec<f64>,
    inverse: Vec<(f64, DMat3)>,
    masses: Vec<(f64, DMat3)>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bodies, touches) = (self.free, self.touches.len());
        f.debug_struct("World").field("bodies", &bodies).field("touches", &touches).finish()
    }
}

impl Default for World {
    fn default() -> Self {
        let still: Motion = Arc::new(|_| (Pose::default(), Twist::default()));
        Self {
            roles: vec![Role::Prescribed(still)],
            free: 0,
            touches: Vec::new(),
            gravity: DVec3::ZERO,
            forces: Vec::new(),
            update: SpinUpdate::default(),
            poses: Vec::new(),
            middle: Vec::new(),
            twists: Vec::new(),
            loads: Vec::new(),
            seen: Vec::new(),
            sides: Vec::new(),
            drive: Vec::new(),
            inverse: Vec::new(),
            masses: Vec::new(),
        }
    }
}

impl World {
    /// What does not move.
    pub const GROUND: Body = Body(0);

    /// An empty world with this gravity.
    ///
    /// # Errors
    /// If the gravity is not finite.
    pub fn new(gravity: DVec3) -> Result<Self, Error> {
        let size = gravity.abs().max_element();
        check(|| "gravity".into(), size, gravity.is_finite(), "a finite number")?;
        Ok(Self { gravity, ..Self::default() })
    }

    /// The same world with another update of free rotation.
    pub fn with_update(mut self, update: SpinUpdate) -> Self {
        self.update = update;
        self
    }

    /// Adds a body that moves freely.
    pub fn body(&mut self, properties: MassProperties) -> Body {
        self.roles.push(Role::Free(self.free, properties));
        self.free += 1;
        Body(self.roles.len() - 1)
    }

    /// Adds a body whose motion is prescribed.
    pub fn prescribed(
        &mut self,
        motion: impl Fn(f64) -> (Pose, Twist) + Send + Sync + 'static,
    ) -> Body {
        self.roles.push(Role::Prescribed(Arc::new(motion)));
        Body(self.roles.len() - 1)
    }

    /// Adds a contact between two bodies.
    ///
    /// # Errors
    /// If a body is not of this world, both are the same, or the law is out of range or bilateral.
    pub fn touch(
        &mut self,
        first: Body,
        second: Body,
        pair: Arc<dyn Pair>,
        law: Law,
    ) -> Result<usize, Error> {
        let index = self.touches.len();
        law.validate(index)?;
        for body in [first, second] {
            let place = || format!("a body of contact {index}");
            check(place, body.0 as f64, body.0 < self.roles.len(), "one of this world")?;
        }
        let place = || format!("the second body of contact {index}");
        check(place, second.0 as f64, first != second, "another than the first")?;
        let components = law.components() as f64;
        let spatial = !matches!(law.kind, Kind::Bilateral(_) | Kind::Planar);
        let place = || format!("the number of components of contact {index}");
        check(
            place,
            components,
            spatial,
            "that of a contact in space: none, disc or a friction set",
        )?;
        self.touches.push(Touch { first: first.0, second: second.0, pair, law });
        Ok(index)
    }

    /// Adds a force.
    pub fn force(
        &mut self,
        force: impl Fn(&[Pose], &[Twist], f64, &mut [(DVec3, DVec3)]) + Send + Sync + 'static,
    ) {
        self.forces.push(Arc::new(force));
    }

    /// A state with these poses and twists, in the order in which the free bodies were added.
    ///
    /// # Errors
    /// If there is not one for each free body, or a number is refused by [`Mechanism::validate`].
    pub fn state(&self, motion: &[(Pose, Twist)]) -> Result<State, Error> {
        let (expected, found) = (self.free, motion.len());
        if expected != found {
            return Err(Error::Size { what: "the list of poses", expected, found });
        }
        let mut state = State::new(vec![0.0; 7 * self.free], vec![0.0; 6 * self.free]);
        for (i, (pose, twist)) in motion.iter().enumerate() {
            pose.write(&mut state.q[7 * i..]);
            twist.write(&mut state.u[6 * i..]);
        }
        self.validate(&state.q, &state.u)?;
        Ok(state)
    }

    /// The pose and twist of a body at a state.
    ///
    /// # Panics
    /// If the state does not belong to this world.
    pub fn motion(&self, body: Body, state: &State) -> (Pose, Twist) {
        match &self.roles[body.0] {
            Role::Free(i, _) => (Pose::read(&state.q[7 * i..]), Twist::read(&state.u[6 * i..])),
            Role::Prescribed(motion) => motion(state.t),
        }
    }

    /// Momentum and angular momentum about the origin of all free bodies.
    pub fn momentum(&self, state: &State) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for (i, p) in self.free_bodies() {
            let (pose, twist) = (Pose::read(&state.q[7 * i..]), Twist::read(&state.u[6 * i..]));
            let linear = p.mass() * twist.linear;
            sum.0 += linear;
            sum.1 +=
                pose.position.cross(linear) + in_world(p.inertia(), pose.rotation) * twist.angular;
        }
        sum
    }

    fn free_bodies(&self) -> impl Iterator<Item = (usize, &MassProperties)> {
        self.roles.iter().filter_map(|role| match role {
            Role::Free(i, p) => Some((*i, p)),
            Role::Prescribed(_) => None,
        })
    }

    /// The rows of one candidate for one of its bodies: sign times (d, lever × d) for N, T, O, and the axis for R.
    fn side(&self, seen: &Seen, second: bool) -> Option<Side> {
        let touch = &self.touches[seen.touch];
        let body = if second { touch.second } else { touch.first };
        let Role::Free(free, _) = &self.roles[body] else { return None };
        let rows = self.rows(seen, second);
        let (m, inverse) = self.inverse[*free];
        let response = rows
            .iter()
            .map(|r| {
                let turn = inverse * DVec3::new(r[3], r[4], r[5]);
                [m * r[0], m * r[1], m * r[2], turn.x, turn.y, turn.z]
            })
            .collect();
        Some(Side { free: *free, rows, response })
    }

    fn rows(&self, seen: &Seen, second: bool) -> Vec<[f64; 6]> {
        let sign = if second { -1.0 } else { 1.0 };
        let touch = &self.touches[seen.touch];
        let c = &seen.close;
        let (body, point) =
            if second { (touch.second, c.on_second) } else { (touch.first, c.on_first) };
        let lever = point - self.poses[body].0.position;
        let (t, o) = tangents(c.normal, c.tangent);
        let along = |d: DVec3| {
            let turn = lever.cross(d);
            [d.x, d.y, d.z, turn.x, turn.y, turn.z].map(|x| sign * x)
        };
        let spin = [0.0, 0.0, 0.0, c.normal.x, c.normal.y, c.normal.z].map(|x| sign * x);
        let all = [along(c.normal), along(t), along(o), spin];
        all[..touch.law.components()].to_vec()
    }
}

/// Two unit tangents that make a right-handed frame with the normal.
pub(crate) fn tangents(normal: DVec3, along: Option<DVec3>) -> (DVec3, DVec3) {
    let hint = along.unwrap_or(if normal.x.abs() < 0.6 { DVec3::X } else { DVec3::Y });
    let t = (hint - normal * hint.dot(normal)).normalize_or(normal.any_orthonormal_vector());
    (t, normal.cross(t))
}

impl Mechanism for World {
    fn coordinates(&self) -> usize {
        7 * self.free
    }

    fn velocities(&self) -> usize {
        6 * self.free
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        for (what, x, expected) in
            [("the coordinates q", q, 7 * self.free), ("the velocities u", u, 6 * self.free)]
        {
            if x.len() != expected {
                return Err(Error::Size { what, expected, found: x.len() });
            }
            if !x.iter().all(|v| v.is_finite()) {
                return Err(Error::NotFinite { what, t: 0.0 });
            }
        }
        for i in 0..self.free {
            let length = Pose::read(&q[7 * i..]).rotation.length();
            let place = || format!("the length of the quaternion of body {}", i + 1);
            check(place, length, (length - 1.0).abs() < 1e-6, "1; normalise it")?;
        }
        Ok(())
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.poses.clear();
        self.masses.clear();
        self.inverse.clear();
        for role in &self.roles {
            self.poses.push(match role {
                Role::Free(i, p) => {
                    let pose = Pose::read(&q[7 * i..]);
                    self.masses.push((p.mass(), in_world(p.inertia(), pose.rotation)));
                    let inverse = in_world(p.inverse_inertia(), pose.rotation);
                    self.inverse.push((1.0 / p.mass(), inverse));
                    (pose, Twist::default())
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
        self.seen.clear();
        for (touch, pair) in self.touches.iter().enumerate() {
            let (a, b) = (&self.poses[pair.first].0, &self.poses[pair.second].0);
            let close = pair.pair.closeness(a, b);
            self.seen.push(Seen { touch, close });
            let (identity, gap) = (touch as u64, Some(close.gap));
            out.push(Candidate { identity, gap, law: pair.law.clone() });
        }
        Ok(())
    }

    fn free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        self.twists.clear();
        self.middle.clear();
        for i in 0..self.free {
            // Forces at the midpoint, to keep the order of the update.
            let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
            let position = pose.position + 0.5 * dt * twist.linear;
            let rotation = exponential(0.5 * dt * twist.angular) * pose.rotation;
            self.middle.push(Pose { position, rotation });
            self.twists.push(twist);
        }
        let mut loads = std::mem::take(&mut self.loads);
        loads.clear();
        loads.extend(self.free_bodies().map(|(_, p)| (p.mass() * self.gravity, DVec3::ZERO)));
        for force in &self.forces {
            force(&self.middle, &self.twists, t + 0.5 * dt, &mut loads);
        }
        for (i, p) in self.free_bodies() {
            let (force, torque) = loads[i];
            let twist = self.twists[i];
            let rotation = Pose::read(&q[7 * i..]).rotation;
            let linear = twist.linear + dt / p.mass() * force;
            let Some(angular) = self.update.free(p, rotation, twist.angular, torque, dt) else {
                return Err(Error::NotFinite { what: "the rotation of a body in one step", t });
            };
            let end = Twist { linear, angular };
            if !(linear.is_finite() && angular.is_finite()) {
                return Err(Error::NotFinite { what: "a force", t });
            }
            end.write(&mut out[6 * i..]);
        }
        self.loads = loads;
        Ok(())
    }

    fn collect(&mut self, active: &[usize]) {
        self.sides.clear();
        self.drive.clear();
        for &i in active {
            let seen = self.seen[i];
            let touch = &self.touches[seen.touch];
            let start = self.drive.len();
            self.drive.resize(start + touch.law.components(), 0.0);
            for (body, second) in [(touch.first, false), (touch.second, true)] {
                let twist = self.poses[body].1;
                if matches!(self.roles[body], Role::Prescribed(_)) && twist != Twist::default() {
                    let mut u = [0.0; 6];
                    twist.write(&mut u);
                    let rows = self.rows(&seen, second);
                    for (d, row) in self.drive[start..].iter_mut().zip(rows) {
                        *d += row.iter().zip(u).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
            let sides = [false, true].map(|second| self.side(&seen, second));
            self.sides.push(sides.map(Option::unwrap_or_default));
        }
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend_from_slice(&self.drive);
        let mut first = 0;
        for sides in &self.sides {
            let n = sides[0].rows.len().max(sides[1].rows.len());
            for side in sides {
                let u = &u[6 * side.free..];
                for (g, row) in gamma[first..].iter_mut().zip(&side.rows) {
                    *g += row.iter().zip(u).map(|(a, b)| a * b).sum::<f64>();
                }
            }
            first += n;
        }
    }

    fn drive(&self) -> &[f64] {
        &self.drive
    }

    fn pose(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let sizes: Vec<usize> = laws.iter().map(Law::components).collect();
        let mut at_body: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.free];
        for (i, sides) in self.sides.iter().enumerate() {
            for (s, side) in sides.iter().enumerate().filter(|(_, side)| !side.rows.is_empty()) {
                at_body[side.free].push((i, s));
            }
        }
        let mut blocks = Vec::new();
        for list in &at_body {
            for (n, &(i, s)) in list.iter().enumerate() {
                for &(j, other) in &list[..=n] {
                    let (a, b) = (&self.sides[i][s].rows, &self.sides[j][other].response);
                    let entries = a.iter().flat_map(|a| {
                        b.iter().map(move |b| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>())
                    });
                    blocks.push((i, j, entries.collect()));
                }
            }
        }
        let w = BlockMatrix::from_blocks(&sizes, blocks)?;
        *problem = ContactProblem::new(w, bias.to_vec(), laws.to_vec())?;
        Ok(())
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        let mut first = 0;
        for sides in &self.sides {
            for side in sides {
                for (row, lam) in side.response.iter().zip(&impulse[first..]) {
                    let u = &mut u[6 * side.free..];
                    u.iter_mut().zip(row).for_each(|(u, r)| *u += lam * r);
                }
            }
            first += sides[0].rows.len().max(sides[1].rows.len());
        }
    }

    fn momentum_error(&self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let mut reaction = vec![0.0; free.len()];
        let mut first = 0;
        for sides in &self.sides {
            for side in sides {
                for (row, lam) in side.rows.iter().zip(&impulse[first..]) {
                    let to = &mut reaction[6 * side.free..];
                    to.iter_mut().zip(row).for_each(|(t, r)| *t += lam * r);
                }
            }
            first += sides[0].rows.len().max(sides[1].rows.len());
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, (m, inertia)) in self.masses.iter().enumerate() {
            let range = 6 * i..6 * i + 6;
            let (a, b) = (Twist::read(&after[range.clone()]), Twist::read(&free[range.clone()]));
            let r = Twist::read(&reaction[range]);
            // Over the square roots of mass and inertia, so that both kinds of momentum compare.
            let turn =
                (inertia.x_axis.length() + inertia.y_axis.length() + inertia.z_axis.length())
                    .sqrt();
            let linear = (*m * (a.linear - b.linear) - r.linear) / m.sqrt();
            let angular = (*inertia * (a.angular - b.angular) - r.angular) / turn;
            worst = worst.max(linear.length()).max(angular.length());
            largest = largest
                .max(m.sqrt() * a.linear.length() + r.linear.length() / m.sqrt())
                .max((*inertia * a.angular).length() / turn + r.angular.length() / turn);
        }
        if largest > 0.0 { worst / largest } else { worst }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        for (i, p) in self.free_bodies() {
            let pose = Pose::read(&q[7 * i..]);
            let (a, b) = (Twist::read(&before[6 * i..]), Twist::read(&after[6 * i..]));
            let position = pose.position + 0.5 * dt * (a.linear + b.linear);
            let rotation = self.update.turn(p, pose.rotation, a.angular, b.angular, dt);
            Pose { position, rotation }.write(&mut out[7 * i..]);
        }
    }

    fn stabilise(&mut self, _: &mut [f64], _: &mut [f64], _: f64) -> Result<f64, Error> {
        Ok(0.0)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], _: f64) -> Energy {
        let mut energy = Energy::default();
        for (i, p) in self.free_bodies() {
            let (pose, twist) = (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..]));
            let l = in_world(p.inertia(), pose.rotation) * twist.angular;
            energy.kinetic +=
                0.5 * (p.mass() * twist.linear.length_squared() + twist.angular.dot(l));
            energy.potential -= p.mass() * self.gravity.dot(pose.position);
        }
        energy
    }
}
