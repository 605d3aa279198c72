//! What of a tree goes down to the contact problem: loops, friction in joints, limits, contacts of links.
//!
//! # Notation
//! `rows` holds the columns of H, one after the other, `responses` those of M⁻¹ H; each has one number per velocity.

use super::closure::dot;
use super::motion::{accelerate, displace, step, theta_velocity};
use super::placement::Placement;
use super::spatial::{Motion, Wrench};
use super::tree::{Link, Tree, move_links};
use super::{closure, motion};
use crate::bodies::Twist;
use crate::bodies::contact_pair::directions;
use crate::bodies::proximity::Proximity;
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::model::{Accelerations, Candidate, FrictionLimit, Model, ThetaStep, check_sizes};
use crate::system::Energy;
use glam::{DQuat, DVec3};

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Closure(usize),
    Friction(usize),
    /// Friction by the load of a joint.
    LoadFriction(usize),
    /// A coordinate, and its sign: 1 at the lower bound.
    Limit(usize, f64),
    ContactPair(usize, Proximity),
}

/// Candidates of the last `detect`, and those collected.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    q: Vec<f64>,
    t: f64,
    sources: Vec<Source>,
    /// Of the candidates of the last `detect`.
    laws: Vec<Law>,
    collected: Vec<Source>,
    rows: Vec<f64>,
    responses: Vec<f64>,
    drive: Vec<f64>,
    /// The links at the end of a step.
    ahead: Placement,
    mean: Vec<f64>,
    rate: Vec<f64>,
    change: Vec<f64>,
    off: Vec<f64>,
    momentum: Vec<f64>,
    /// Candidates in `accelerations`, which goes by the sources alone.
    pub(super) seen: Vec<Candidate>,
}

impl Contacts {
    /// Where a candidate of the last `detect` comes from.
    pub(super) fn source(&self, candidate: usize) -> Source {
        self.sources[candidate]
    }
}

impl Tree {
    /// Candidates in the order loops, friction in joints, friction by loads, limits, contacts; identities are places in that order.
    fn candidates(&mut self, q: &[f64], out: &mut Vec<Candidate>) {
        let load_frictions: Vec<_> =
            (0..self.load_frictions.len()).map(|i| self.rub_set(i)).collect();
        let Contacts { sources, laws, .. } = &mut self.contacts;
        sources.clear();
        laws.clear();
        let mut identity = 0;
        let mut add = |source, gap, law: Law| {
            sources.push(source);
            laws.push(law);
            out.push(Candidate { identity, gap });
            identity += 1;
        };
        for (i, closing) in self.closures.iter().enumerate() {
            let law = Law::bilateral(closing.closure.rows()).with_restitution(1.0, 1.0);
            add(Source::Closure(i), None, law);
        }
        for (i, dry) in self.frictions.iter().enumerate() {
            add(Source::Friction(i), None, dry.law.clone());
        }
        for (i, set) in load_frictions.into_iter().enumerate() {
            add(Source::LoadFriction(i), None, Law::dry(0.0, set));
        }
        for (i, limit) in self.limits.iter().enumerate() {
            for (bound, sign) in limit.bounds.into_iter().zip([1.0, -1.0]) {
                if bound.is_finite() {
                    let gap = sign * (q[limit.q] - bound);
                    add(Source::Limit(i, sign), Some(gap), limit.law.clone());
                }
            }
        }
        for (i, pair) in self.contact_pairs.iter().enumerate() {
            let [a, b] = [pair.first, pair.second].map(|l| self.place.pose(l));
            let (close, seen) = pair.detect(0, &a, &b);
            add(Source::ContactPair(i, close), seen.gap, pair.law.clone());
        }
    }

    /// Appends the columns of H of a candidate.
    pub(super) fn append(&self, source: Source, rows: &mut Vec<f64>) {
        let n = self.velocities();
        let mut unit = |u: usize, value: f64| {
            let start = rows.len();
            rows.resize(start + n, 0.0);
            rows[start + u] = value;
        };
        match source {
            Source::Friction(i) => self.frictions[i].u.clone().for_each(|u| unit(u, 1.0)),
            Source::LoadFriction(i) => {
                self.links[self.load_frictions[i].link].u.clone().for_each(|u| unit(u, 1.0))
            }
            Source::Limit(i, sign) => unit(self.limits[i].u, sign),
            Source::Closure(i) => self.closures[i].rows(&self.links, &self.place, rows),
            Source::ContactPair(i, close) => self.contact_rows(i, &close, rows),
        }
    }

    /// What prescribed links and the targets of motors add to the relative velocities of a candidate.
    pub(super) fn drive_of(&self, source: Source, out: &mut [f64]) {
        let (pair, close) = match source {
            Source::ContactPair(pair, close) => (pair, close),
            Source::Friction(i) => {
                out.iter_mut().for_each(|x| *x -= self.frictions[i].target);
                return;
            }
            _ => return,
        };
        for (body, sign, point) in self.contact_pairs[pair].sides(&close) {
            let moved = body.checked_sub(1).and_then(|l| self.links[l].moved.as_ref());
            let Some((pose, twist)) = moved.map(|m| m.now) else { continue };
            for (x, d) in out.iter_mut().zip(directions(&close)) {
                let (force, moment) = d.wrench(sign, point - pose.position);
                *x += force.dot(twist.linear) + moment.dot(twist.angular);
            }
        }
    }

    fn contact_rows(&self, pair: usize, close: &Proximity, rows: &mut Vec<f64>) {
        let pair = &self.contact_pairs[pair];
        for d in directions(close).into_iter().take(pair.law.components()) {
            let start = rows.len();
            rows.resize(start + self.velocities(), 0.0);
            for (body, sign, point) in pair.sides(close) {
                let Some(link) = body.checked_sub(1) else { continue };
                let (force, torque) = d.wrench(sign, point - self.place.poses[link].position);
                let wrench = Wrench { torque, force };
                self.place.add_wrench(&self.links, link, wrench, &mut rows[start..]);
            }
        }
    }
}

impl Model for Tree {
    fn kind(&self) -> &'static str {
        "an articulated tree"
    }

    fn has_theta(&self) -> bool {
        true
    }

    fn redundancy(&self) -> usize {
        self.redundancy
    }

    fn free_theta(
        &mut self,
        step: &ThetaStep<'_>,
        end: &[f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let contacts = std::mem::take(&mut self.contacts);
        let done = theta_velocity(self, step, end, (&contacts.q, contacts.t), out);
        self.contacts = contacts;
        done
    }

    fn coordinates(&self) -> usize {
        self.links.last().map_or(0, |l| l.q.end)
    }

    fn velocities(&self) -> usize {
        self.links.last().map_or(0, |l| l.u.end)
    }

    fn validate(&self, q: &[f64], u: &[f64]) -> Result<(), Error> {
        check_sizes(self, q, u)?;
        for (i, link) in self.links.iter().enumerate() {
            let Some(at) = link.joint.quaternion() else { continue };
            let length = quaternion_length(link, q, at);
            let place = || format!("the length of the quaternion of link {}", i + 1);
            check(place, length, (length - 1.0).abs() < 1e-6, "1; normalise it")?;
        }
        Ok(())
    }

    fn detect(&mut self, q: &[f64], t: f64, out: &mut Vec<Candidate>) -> Result<(), Error> {
        self.set_time(t);
        self.check_moved(t)?;
        self.place.place(&self.links, q, t)?;
        self.contacts.q.clear();
        self.contacts.q.extend_from_slice(q);
        self.contacts.t = t;
        self.candidates(q, out);
        Ok(())
    }

    fn law(&self, candidate: usize) -> &Law {
        &self.contacts.laws[candidate]
    }

    fn free(
        &mut self,
        q: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        out: &mut [f64],
    ) -> Result<(), Error> {
        step(self, q, u, t, dt, out)
    }

    fn collect(&mut self, active: &[usize]) {
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts.rows.clear();
        contacts.responses.clear();
        contacts.drive.clear();
        contacts.collected.clear();
        self.set_time(contacts.t);
        // It was factorised there before, and is again without error.
        if self.place.place(&self.links, &contacts.q, contacts.t).is_ok() {
            let n = self.velocities().max(1);
            for &i in active {
                contacts.collected.push(contacts.sources[i]);
                self.append(contacts.sources[i], &mut contacts.rows);
                let start = contacts.drive.len();
                contacts.drive.resize(contacts.rows.len() / n, 0.0);
                self.drive_of(contacts.sources[i], &mut contacts.drive[start..]);
            }
            contacts.responses.resize(contacts.rows.len(), 0.0);
            let both = contacts.rows.chunks_exact(n).zip(contacts.responses.chunks_exact_mut(n));
            both.for_each(|(h, y)| self.place.solve(&self.links, None, h, &mut self.sweep, y));
        }
        self.contacts = contacts;
    }

    fn relative_velocity(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        let rows = self.contacts.rows.chunks_exact(u.len().max(1)).zip(&self.contacts.drive);
        gamma.extend(rows.map(|(h, drive)| dot(h, u) + drive));
    }

    fn relative_velocity_ahead(
        &mut self,
        (q, u, t): (&[f64], &[f64], f64),
        dt: f64,
        end: &[f64],
        there: &mut [f64],
        gamma: &mut Vec<f64>,
    ) {
        self.advance(q, u, end, dt, there);
        let (q, u, t) = (&*there, end, t + dt);
        self.relative_velocity(u, gamma);
        let contact_pairs = |s: &Source| matches!(s, Source::ContactPair(..));
        if !self.contacts.collected.iter().any(contact_pairs) {
            return;
        }
        let Self { contacts, links, moving, contact_pairs, .. } = self;
        move_links(links, t);
        contacts.ahead.locate(links, q);
        moving.velocities(links, &contacts.ahead, u);
        let motion = |number: usize| {
            let v = number.checked_sub(1).map_or_else(Motion::default, |link| moving.v[link]);
            let twist = Twist { linear: v.linear, angular: v.angular };
            (contacts.ahead.pose(number), twist)
        };
        let mut row = 0;
        for source in &contacts.collected {
            row += match source {
                Source::ContactPair(i, then) => {
                    let (pair, out) = (&contact_pairs[*i], &mut gamma[row..]);
                    pair.velocity_at(motion(pair.first), motion(pair.second), then, out);
                    pair.law.components()
                }
                Source::Closure(i) => self.closures[*i].closure.rows(),
                Source::Friction(i) => self.frictions[*i].u.len(),
                Source::LoadFriction(i) => links[self.load_frictions[*i].link].u.len(),
                Source::Limit(..) => 1,
            };
        }
        // The tree stays placed where it was collected.
        move_links(links, contacts.t);
    }

    /// The mean velocity of the step is then that with the impulses.
    fn correct_free(
        &mut self,
        _: &[f64],
        u: &[f64],
        t: f64,
        dt: f64,
        end: &[f64],
        free: &mut [f64],
    ) -> Result<f64, Error> {
        let mut contacts = std::mem::take(&mut self.contacts);
        self.set_time(contacts.t);
        let placed = self.place.place(&self.links, &contacts.q, contacts.t);
        contacts.mean.clear();
        contacts.mean.extend(u.iter().zip(end).map(|(a, b)| 0.5 * (a + b)));
        contacts.rate.clear();
        contacts.rate.resize(u.len(), 0.0);
        if placed.is_ok() {
            accelerate(self, &contacts.q, &contacts.mean, t + 0.5 * dt, &mut contacts.rate);
        }
        let (mut change, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for ((free, u), a) in free.iter_mut().zip(u).zip(&contacts.rate) {
            let next = u + dt * a;
            change = change.max((next - *free).abs());
            size = size.max(next.abs());
            *free = next;
        }
        self.contacts = contacts;
        placed.map(|()| change / size)
    }

    fn drive(&self) -> &[f64] {
        &self.contacts.drive
    }

    fn pose(
        &mut self,
        bias: &[f64],
        laws: &[Law],
        problem: &mut ContactProblem,
    ) -> Result<(), Error> {
        let (n, c) = (self.velocities(), &self.contacts);
        Ok(problem.refill(bias, laws, |w| {
            let w = w.dense_mut(bias.len());
            for i in 0..bias.len() {
                for j in 0..=i {
                    let value = dot(&c.rows[i * n..][..n], &c.responses[j * n..][..n]);
                    w.row_mut(i)[j] = value;
                    w.row_mut(j)[i] = value;
                }
            }
            Ok(())
        })?)
    }

    fn friction_limits(
        &mut self,
        impulse: &[f64],
        end: &[f64],
        limits: &mut Vec<Option<FrictionLimit>>,
    ) {
        let collected = std::mem::take(&mut self.contacts.collected);
        self.rub_limits(&collected, impulse, end, limits);
        self.contacts.collected = collected;
    }

    fn apply(&self, impulse: &[f64], u: &mut [f64]) {
        let n = u.len().max(1);
        for (y, lam) in self.contacts.responses.chunks_exact(n).zip(impulse) {
            u.iter_mut().zip(y).for_each(|(u, y)| *u += lam * y);
        }
    }

    /// Both parts are measured by the energies of the impulses that they are: the same unit for every joint.
    fn momentum_error(&mut self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let n = free.len();
        let mut contacts = std::mem::take(&mut self.contacts);
        let Contacts { change, off, momentum, rows, responses, .. } = &mut contacts;
        change.clear();
        change.extend(after.iter().zip(free).map(|(a, b)| a - b));
        for store in [&mut *off, &mut *momentum] {
            store.clear();
            store.resize(n, 0.0);
        }
        self.place.inverse(&self.links, None, change, &mut self.sweep, off);
        self.place.inverse(&self.links, None, after, &mut self.sweep, momentum);
        let mut size = dot(after, momentum).max(0.0).sqrt() + dot(change, off).max(0.0).sqrt();
        let columns = rows.chunks_exact(n.max(1)).zip(responses.chunks_exact(n.max(1)));
        for ((h, y), lam) in columns.zip(impulse) {
            off.iter_mut().zip(h).for_each(|(o, h)| *o -= lam * h);
            size += lam.abs() * dot(h, y).max(0.0).sqrt();
        }
        self.place.solve(&self.links, None, off, &mut self.sweep, momentum);
        let error = dot(off, momentum).max(0.0).sqrt();
        self.contacts = contacts;
        if size > 0.0 { error / size } else { error }
    }

    fn advance(&self, q: &[f64], before: &[f64], after: &[f64], dt: f64, out: &mut [f64]) {
        out.copy_from_slice(q);
        displace(&self.links, out, before, 0.5 * dt);
        displace(&self.links, out, after, 0.5 * dt);
    }

    fn stabilise(&mut self, q: &mut [f64], u: &mut [f64], t: f64) -> Result<f64, Error> {
        closure::project(self, q, u, t)
    }

    fn energy(&mut self, q: &[f64], u: &[f64], t: f64) -> Energy {
        self.set_time(t);
        self.place.locate(&self.links, q);
        self.moving.velocities(&self.links, &self.place, u);
        motion::energy(self, t)
    }

    fn accelerations(
        &mut self,
        at: (&[f64], &[f64], f64),
        candidates: &[usize],
        out: &mut Accelerations,
    ) -> Result<(), Error> {
        self.equations(at, candidates, out)
    }

    fn is_curved(&self) -> bool {
        self.rotations().next().is_some()
    }

    fn displace(&self, q: &[f64], xi: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
        displace(&self.links, out, xi, 1.0);
    }

    fn chart_rate(&self, xi: &[f64], u: &[f64], out: &mut [f64]) {
        self.turn_rates(xi, u, out);
    }

    fn turn(&self, xi: &[f64]) -> f64 {
        let turns = self.rotations().map(|at| DVec3::from_slice(&xi[at..]).length());
        turns.fold(0.0, f64::max)
    }

    fn sizes(&self, q: &[f64], out: &mut [f64]) {
        self.coordinate_sizes(q, out);
    }

    fn pool(&self, sizes: &mut [f64]) {
        self.pool_vectors(sizes);
    }
}

fn quaternion_length(link: &Link, q: &[f64], at: usize) -> f64 {
    let r = &q[link.q.start + at..];
    DQuat::from_xyzw(r[1], r[2], r[3], r[0]).length()
}
