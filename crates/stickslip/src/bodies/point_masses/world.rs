//! Bodies of four point masses with contacts, forces and prescribed bodies.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q, u | per body places and velocities of its four masses, world axes | 12 |
//! | rows | the rows of Hᵀ of one candidate for one body | components × 4 × 3 |
//! | response | M⁻¹ times the rows with the reactions of the bars | the same |

mod loads;

use super::super::forces::{Force, Forces};
use super::super::touch::tangents;
use super::super::touch::{Closeness, Pair};
use super::super::world::{Body, Motion};
use super::super::{MassProperties, Pose, Twist};
use super::rows::{PointRow, about};
use super::step::momenta;
use super::tetrahedron::{Bars, Quad, Tetrahedron, centre, largest, unit_momentum};
use super::{ContactRows, DistanceStep};
use crate::contact::{ContactProblem, Kind, Law};
use crate::error::{Error, check};
use crate::mechanism::{Candidate, Mechanism, Weighted};
use crate::system::{Energy, State};
use complementarity::cone::BlockMatrix;
use glam::DVec3;
use std::fmt;
use std::sync::Arc;

/// N, T, O, R.
const MOST_COMPONENTS: usize = 4;
/// How far distances may be off in a state that is accepted, as a share of the longest.
const OFF: f64 = 1e-6;

enum Role {
    Free(usize),
    Prescribed(Motion),
}

struct Touch {
    first: usize,
    second: usize,
    pair: Arc<dyn Pair>,
    law: Law,
}

/// One body's part in one collected candidate; without components if the body is prescribed.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    free: usize,
    components: usize,
    rows: [PointRow; MOST_COMPONENTS],
    response: [PointRow; MOST_COMPONENTS],
}

/// Bodies of four point masses; the same calls as those of [`World`](super::super::World).
pub struct PointMassWorld {
    roles: Vec<Role>,
    bodies: Vec<Tetrahedron>,
    touches: Vec<Touch>,
    gravity: DVec3,
    forces: Forces,
    step: DistanceStep,
    rows: ContactRows,
    // Storage, of the last `detect` unless it says otherwise.
    /// Of all bodies, with the twists of those that are prescribed.
    poses: Vec<(Pose, Twist)>,
    masses: Vec<Quad>,
    bars: Vec<Bars>,
    seen: Vec<Closeness>,
    /// Of the last `collect`.
    sides: Vec<[Side; 2]>,
    components: Vec<usize>,
    drive: Vec<f64>,
    /// Of the last `free`.
    loads: Vec<(DVec3, DVec3)>,
    end: Vec<f64>,
    last: Vec<f64>,
    rates: Vec<Quad>,
}

impl fmt::Debug for PointMassWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bodies, touches) = (self.bodies.len(), self.touches.len());
        f.debug_struct("PointMassWorld")
            .field("bodies", &bodies)
            .field("touches", &touches)
            .finish()
    }
}

impl PointMassWorld {
    /// What does not move.
    pub const GROUND: Body = Body(0);

    /// An empty world with this gravity.
    ///
    /// # Errors
    /// If the gravity is not finite.
    pub fn new(gravity: DVec3) -> Result<Self, Error> {
        let size = gravity.abs().max_element();
        check(|| "gravity".into(), size, gravity.is_finite(), "a finite number")?;
        let still: Motion = Arc::new(|_| (Pose::default(), Twist::default()));
        Ok(Self {
            roles: vec![Role::Prescribed(still)],
            bodies: Vec::new(),
            touches: Vec::new(),
            gravity,
            forces: Forces::default(),
            step: DistanceStep::default(),
            rows: ContactRows::default(),
            poses: Vec::new(),
            masses: Vec::new(),
            bars: Vec::new(),
            seen: Vec::new(),
            sides: Vec::new(),
            components: Vec::new(),
            drive: Vec::new(),
            loads: Vec::new(),
            end: Vec::new(),
            last: Vec::new(),
            rates: Vec::new(),
        })
    }

    /// The same world with another step of the bars.
    pub fn with_step(mut self, step: DistanceStep) -> Self {
        self.step = step;
        self
    }

    /// The same world with other contact rows.
    pub fn with_rows(mut self, rows: ContactRows) -> Self {
        self.rows = rows;
        self
    }

    /// Adds a body that moves freely.
    ///
    /// # Errors
    /// If it is flat, see [`Tetrahedron::new`].
    pub fn body(&mut self, properties: MassProperties) -> Result<Body, Error> {
        self.bodies.push(Tetrahedron::new(properties)?);
        self.roles.push(Role::Free(self.bodies.len() - 1));
        Ok(Body(self.roles.len() - 1))
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
    /// If a body is not of this world, both are the same, or the law is out of range, bilateral or planar.
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
        let spatial = !matches!(law.kind, Kind::Bilateral(_) | Kind::Planar);
        let components = law.components();
        check(
            || format!("the number of components of contact {index}"),
            components as f64,
            spatial && components <= MOST_COMPONENTS,
            "that of a contact in space: none, disc or a friction set of 2 or 3 dimensions",
        )?;
        self.touches.push(Touch { first: first.0, second: second.0, pair, law });
        Ok(index)
    }

    /// Adds a force; see [`forces`](super::super::forces).
    ///
    /// # Errors
    /// If it names a body that is not of this world, or a number is out of range.
    pub fn force(&mut self, force: impl Force + 'static) -> Result<(), Error> {
        self.forces.add(self.roles.len(), force)
    }

    /// All bodies, in the order in which they were added, the ground first.
    pub fn bodies(&self) -> impl Iterator<Item = Body> + use<> {
        (0..self.roles.len()).map(Body)
    }

    /// A state from the motions of rigid bodies, in the order in which the free bodies were added.
    ///
    /// # Errors
    /// If there is not one for each free body, or a number is refused by [`Mechanism::validate`].
    pub fn state(&self, motion: &[(Pose, Twist)]) -> Result<State, Error> {
        let (expected, found) = (self.bodies.len(), motion.len());
        if expected != found {
            return Err(Error::Size { what: "the list of poses", expected, found });
        }
        let (mut q, mut u) = (vec![0.0; 12 * expected], vec![0.0; 12 * expected]);
        for (i, (body, (pose, twist))) in self.bodies.iter().zip(motion).enumerate() {
            let length = pose.rotation.length();
            let place = || format!("the length of the quaternion of body {}", i + 1);
            check(place, length, (length - 1.0).abs() < OFF, "1; normalise it")?;
            let unit = Pose { rotation: pose.rotation.normalize(), ..*pose };
            let (x, v) = body.masses(&unit, twist);
            write(&x, &mut q[12 * i..]);
            write(&v, &mut u[12 * i..]);
        }
        self.validate(&q, &u)?;
        Ok(State::new(q, u))
    }

    /// The motion of a body as a rigid one.
    ///
    /// # Panics
    /// If the state does not belong to this world.
    pub fn motion(&self, body: Body, state: &State) -> (Pose, Twist) {
        match &self.roles[body.0] {
            Role::Free(i) => {
                self.bodies[*i].motion(&read(&state.q[12 * i..]), &read(&state.u[12 * i..]))
            }
            Role::Prescribed(motion) => motion(state.t),
        }
    }

    /// Momentum and angular momentum about the origin of all free bodies.
    pub fn momentum(&self, state: &State) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for (i, body) in self.bodies.iter().enumerate() {
            let each = 0.25 * body.properties().mass();
            let (linear, angular) = momenta(&read(&state.q[12 * i..]), &read(&state.u[12 * i..]));
            sum.0 += each * linear;
            sum.1 += each * angular;
        }
        sum
    }

    /// The directions N, T, O of a candidate.
    fn directions(close: &Closeness) -> [DVec3; 3] {
        let (t, o) = tangents(close.normal, close.tangent);
        [close.normal, t, o]
    }

    /// One body's part in a candidate.
    fn side(&self, touch: &Touch, close: &Closeness, second: bool) -> Side {
        let sign = if second { -1.0 } else { 1.0 };
        let (body, point) =
            if second { (touch.second, close.on_second) } else { (touch.first, close.on_first) };
        let Role::Free(free) = self.roles[body] else { return Side::default() };
        let (q, bars) = (&self.masses[free], &self.bars[free]);
        let each = 0.25 * self.bodies[free].properties().mass();
        let components = touch.law.components();
        let mut side = Side { free, components, ..Side::default() };
        let directions = Self::directions(close);
        for k in 0..components {
            let row = match directions.get(k) {
                Some(d) => self.rows.along(q, point, *d),
                None => about(q, close.normal),
            };
            side.rows[k] = row.map(|x| sign * x);
            side.response[k] = side.rows[k].map(|x| x / each);
            bars.hold(&mut side.response[k], [0.0; 6]);
        }
        side
    }

    /// What a prescribed body adds to the relative velocity of a candidate.
    fn prescribed_part(&self, touch: &Touch, close: &Closeness, second: bool, out: &mut [f64]) {
        let sign = if second { -1.0 } else { 1.0 };
        let (body, point) =
            if second { (touch.second, close.on_second) } else { (touch.first, close.on_first) };
        let (pose, twist) = &self.poses[body];
        if matches!(self.roles[body], Role::Free(_)) || *twist == Twist::default() {
            return;
        }
        let velocity = twist.at(point - pose.position);
        let directions = Self::directions(close);
        for (k, out) in out.iter_mut().enumerate() {
            *out += sign
                * match directions.get(k) {
                    Some(d) => d.dot(velocity),
                    None => close.normal.dot(twist.angular),
                };
        }
    }
}

pub(crate) fn read(q: &[f64]) -> Quad {
    std::array::from_fn(|i| DVec3::new(q[3 * i], q[3 * i + 1], q[3 * i + 2]))
}

pub(crate) fn write(x: &Quad, q: &mut [f64]) {
    for (out, x) in q.chunks_exact_mut(3).zip(x) {
        out.copy_from_slice(&x.to_array());
    }
}

fn dot(a: &PointRow, b: &PointRow) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

impl Mechanism for PointMassWorld {
    fn kind(&self) -> &'static str {
        "bodies of point masses"
    }

    fn has_weighted(&self) -> bool {
        true
    }

    fn weighted(&mut self, step: &Weighted<'_>, end: &[f64], out: &mut [f64]) -> Result<(), Error> {
        self.weigh(step, end, out)
    }

    fn coordinates(&self) -> usize {
        12 * self.bodies.len()
    }

    fn velocities(&self) -> usize {
        12 * self.bodies.len()
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        let expected = 12 * self.bodies.len();
        for (what, x) in [("the coordinates q", q), ("the velocities u", u)] {
            if x.len() != expected {
                return Err(Error::Size { what, expected, found: x.len() });
            }
            if !x.iter().all(|v| v.is_finite()) {
                return Err(Error::NotFinite { what, t: 0.0 });
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let x = read(&q[12 * i..]);
            let off = largest(&body.excess(&x)) / body.longest();
            let place = || format!("the distances of the masses of body {}, less theirs", i + 1);
            check(place, off, off < OFF, "0; make states with PointMassWorld::state")?;
            let side = super::tetrahedron::corner_map(&x).determinant();
            let place = || format!("the volume of the masses of body {}", i + 1);
            check(place, side, side > 0.0, "> 0: the masses are mirrored")?;
        }
        Ok(())
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.poses.clear();
        self.masses.clear();
        self.bars.clear();
        for role in &self.roles {
            self.poses.push(match role {
                Role::Free(i) => {
                    let x = read(&q[12 * i..]);
                    let bars = Bars::new(&x)
                        .ok_or(Error::NotFinite { what: "a place of a point mass", t })?;
                    self.bars.push(bars);
                    self.masses.push(x);
                    (self.bodies[*i].pose(&x), Twist::default())
                }
                Role::Prescribed(motion) => motion(t),
            });
        }
        self.seen.clear();
        for (index, touch) in self.touches.iter().enumerate() {
            let (a, b) = (&self.poses[touch.first].0, &self.poses[touch.second].0);
            let close = touch.pair.closeness(a, b);
            self.seen.push(close);
            let (identity, gap) = (index as u64, Some(close.gap));
            out.push(Candidate { identity, gap, law: touch.law.clone() });
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
        self.loaded((q, u), t, dt, u, out)?;
        self.find_mean((q, u), t, dt, out)
    }

    fn settle(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        self.follow((q, u), t, dt, end, free)
    }

    fn collect(&mut self, active: &[usize]) {
        self.sides.clear();
        self.components.clear();
        self.drive.clear();
        for &i in active {
            let (touch, close) = (&self.touches[i], &self.seen[i]);
            let (start, components) = (self.drive.len(), touch.law.components());
            self.components.push(components);
            let mut drive = [0.0; MOST_COMPONENTS];
            for second in [false, true] {
                self.prescribed_part(touch, close, second, &mut drive[..components]);
            }
            let sides = [false, true].map(|second| self.side(touch, close, second));
            self.sides.push(sides);
            self.drive.resize(start + components, 0.0);
            self.drive[start..].copy_from_slice(&drive[..components]);
        }
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend_from_slice(&self.drive);
        let mut first = 0;
        for (sides, components) in self.sides.iter().zip(&self.components) {
            for side in sides.iter().filter(|s| s.components > 0) {
                let v = read(&u[12 * side.free..]);
                for (g, row) in gamma[first..first + components].iter_mut().zip(&side.rows) {
                    *g += dot(row, &v);
                }
            }
            first += components;
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
        let mut at_body: Vec<Vec<(usize, &Side)>> = vec![Vec::new(); self.bodies.len()];
        for (i, sides) in self.sides.iter().enumerate() {
            for side in sides.iter().filter(|s| s.components > 0) {
                at_body[side.free].push((i, side));
            }
        }
        let mut blocks = Vec::new();
        for list in &at_body {
            for (n, &(i, a)) in list.iter().enumerate() {
                for &(j, b) in &list[..=n] {
                    let rows = a.rows[..a.components].iter();
                    let entries = rows.flat_map(|row| {
                        b.response[..b.components].iter().map(move |response| dot(row, response))
                    });
                    blocks.push((i, j, entries.collect()));
                }
            }
        }
        let w = BlockMatrix::from_blocks(&self.components, blocks)?;
        *problem = ContactProblem::new(w, bias.to_vec(), laws.to_vec())?;
        Ok(())
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        let mut first = 0;
        for (sides, components) in self.sides.iter().zip(&self.components) {
            for side in sides.iter().filter(|s| s.components > 0) {
                let mut v = read(&u[12 * side.free..]);
                for (response, lam) in side.response.iter().zip(&impulse[first..first + components])
                {
                    v.iter_mut().zip(response).for_each(|(v, r)| *v += *lam * *r);
                }
                write(&v, &mut u[12 * side.free..12 * side.free + 12]);
            }
            first += components;
        }
    }

    fn momentum_error(&self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let mut reaction = vec![[DVec3::ZERO; 4]; self.bodies.len()];
        let mut first = 0;
        for (sides, components) in self.sides.iter().zip(&self.components) {
            for side in sides.iter().filter(|s| s.components > 0) {
                for (row, lam) in side.rows.iter().zip(&impulse[first..first + components]) {
                    let to = &mut reaction[side.free];
                    to.iter_mut().zip(row).for_each(|(t, r)| *t += *lam * *r);
                }
            }
            first += components;
        }
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, (body, r)) in self.bodies.iter().zip(&reaction).enumerate() {
            let (a, b) = (read(&after[12 * i..]), read(&free[12 * i..]));
            let (q, mass) = (&self.masses[i], body.properties().mass());
            let inertia = body.properties().inertia();
            let turn = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z).sqrt();
            // The bars have neither force nor moment: what is left is that of a rigid body.
            let change: Quad = std::array::from_fn(|k| 0.25 * mass * (a[k] - b[k]) - r[k]);
            let (push, twist) = (4.0 * centre(&change), unit_momentum(q, &change));
            worst = worst.max(push.length() / mass.sqrt()).max(twist.length() / turn);
            let momentum = a.map(|v| 0.25 * mass * v);
            for p in [&momentum, r] {
                let size = (4.0 * centre(p)).length() / mass.sqrt();
                largest = largest.max(size).max(unit_momentum(q, p).length() / turn);
            }
        }
        if largest > 0.0 { worst / largest } else { worst }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let (x, a, b) =
                (read(&q[at.clone()]), read(&before[at.clone()]), read(&after[at.clone()]));
            write(&self.step.advance(body, &x, &a, &b, dt), &mut out[at]);
        }
    }

    fn stabilise(&mut self, q: &mut [f64], u: &mut [f64], t: f64) -> Result<f64, Error> {
        let mut drift = 0.0_f64;
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let (mut x, mut v) = (read(&q[at.clone()]), read(&u[at.clone()]));
            drift = drift.max(largest(&body.excess(&x)));
            let bars = body.restore(&mut x).and_then(|()| Bars::new(&x));
            let Some(bars) = bars else {
                let what = "the distances of point masses, put back,";
                return Err(Error::NotFinite { what, t });
            };
            bars.hold(&mut v, [0.0; 6]);
            write(&x, &mut q[at.clone()]);
            write(&v, &mut u[at]);
        }
        Ok(drift)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], t: f64) -> Energy {
        let mut energy = Energy { potential: self.potential(q, u, t), ..Energy::default() };
        for (i, body) in self.bodies.iter().enumerate() {
            let (x, v) = (read(&q[12 * i..]), read(&u[12 * i..]));
            let mass = body.properties().mass();
            energy.kinetic += 0.125 * mass * v.iter().map(|v| v.length_squared()).sum::<f64>();
            energy.potential -= mass * self.gravity.dot(centre(&x));
        }
        energy
    }
}
