//! What of a tree goes down to the contact problem: loops, friction in joints, limits, contacts of links.
//!
//! # Notation
//! `rows` holds the columns of H, one after the other, `responses` those of M⁻¹ H; each has one number per velocity.

use super::closure::dot;
use super::motion::{displace, step, weigh};
use super::placement::Sweep;
use super::spatial::Wrench;
use super::tree::{Link, Tree};
use super::{closure, motion};
use crate::bodies::touch::Closeness;
use crate::bodies::touch::tangents;
use crate::contact::{ContactProblem, Law};
use crate::error::{Error, check};
use crate::mechanism::{Candidate, FrictionLimit, Mechanism, Weighted};
use crate::system::Energy;
use complementarity::Matrix;
use glam::{DQuat, DVec3};

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Closure(usize),
    Friction(usize),
    /// Friction by the load of a joint.
    Rub(usize),
    /// A coordinate, and its sign: 1 at the lower bound.
    Limit(usize, f64),
    Touch(usize, Closeness),
}

/// Candidates of the last `detect`, and those collected.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    q: Vec<f64>,
    t: f64,
    sources: Vec<Source>,
    collected: Vec<Source>,
    rows: Vec<f64>,
    responses: Vec<f64>,
    drive: Vec<f64>,
}

impl Tree {
    /// Candidates in the order loops, friction in joints, friction by loads, limits, contacts; identities are places in that order.
    fn candidates(&mut self, q: &[f64], out: &mut Vec<Candidate>) {
        let rubs: Vec<_> = (0..self.rubs.len()).map(|i| self.rub_set(i)).collect();
        let sources = &mut self.contacts.sources;
        sources.clear();
        let mut identity = 0;
        let mut add = |source, gap, law: Law| {
            sources.push(source);
            out.push(Candidate { identity, gap, law });
            identity += 1;
        };
        for (i, closing) in self.closures.iter().enumerate() {
            let law = Law::bilateral(closing.closure.rows()).with_restitution(1.0, 1.0);
            add(Source::Closure(i), None, law);
        }
        for (i, (_, law)) in self.frictions.iter().enumerate() {
            add(Source::Friction(i), None, law.clone());
        }
        for (i, set) in rubs.into_iter().enumerate() {
            add(Source::Rub(i), None, Law::dry(0.0, set));
        }
        for (i, limit) in self.limits.iter().enumerate() {
            for (bound, sign) in limit.bounds.into_iter().zip([1.0, -1.0]) {
                if bound.is_finite() {
                    let gap = sign * (q[limit.q] - bound);
                    add(Source::Limit(i, sign), Some(gap), limit.law.clone());
                }
            }
        }
        for (i, touch) in self.touches.iter().enumerate() {
            let [a, b] = touch.links.map(|l| l.map_or(Default::default(), |l| self.place.poses[l]));
            let close = touch.pair.closeness(&a, &b);
            add(Source::Touch(i, close), Some(close.gap), touch.law.clone());
        }
    }

    /// Appends the columns of H of a candidate.
    fn append(&self, source: Source, rows: &mut Vec<f64>) {
        let n = self.velocities();
        let mut unit = |u: usize, value: f64| {
            let start = rows.len();
            rows.resize(start + n, 0.0);
            rows[start + u] = value;
        };
        match source {
            Source::Friction(i) => self.frictions[i].0.clone().for_each(|u| unit(u, 1.0)),
            Source::Rub(i) => self.links[self.rubs[i].link].u.clone().for_each(|u| unit(u, 1.0)),
            Source::Limit(i, sign) => unit(self.limits[i].u, sign),
            Source::Closure(i) => self.closures[i].rows(&self.links, &self.place, rows),
            Source::Touch(i, close) => self.touch_rows(i, &close, rows),
        }
    }

    /// What prescribed links add to the relative velocities of a candidate.
    fn drive_of(&self, source: Source, out: &mut [f64]) {
        let Source::Touch(touch, close) = source else { return };
        let (t, o) = tangents(close.normal, close.tangent);
        let sides = [(close.on_first, 1.0), (close.on_second, -1.0)];
        for (link, (point, sign)) in self.touches[touch].links.iter().zip(sides) {
            let moved = link.and_then(|l| self.links[l].moved.as_ref());
            let Some((pose, twist)) = moved.map(|m| m.now) else { continue };
            let velocity = sign * twist.at(point - pose.position);
            let along = [close.normal, t, o].map(|d| d.dot(velocity));
            let all = [along[0], along[1], along[2], sign * close.normal.dot(twist.angular)];
            out.iter_mut().zip(all).for_each(|(x, y)| *x += y);
        }
    }

    fn touch_rows(&self, touch: usize, close: &Closeness, rows: &mut Vec<f64>) {
        let touch = &self.touches[touch];
        let (t, o) = tangents(close.normal, close.tangent);
        let points = [close.on_first, close.on_second];
        for r in 0..touch.law.components() {
            let start = rows.len();
            rows.resize(start + self.velocities(), 0.0);
            for (i, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(link) = touch.links[i] else { continue };
                let lever = points[i] - self.place.poses[link].position;
                let along = |d: DVec3| Wrench { torque: sign * lever.cross(d), force: sign * d };
                let wrench = match r {
                    0 => along(close.normal),
                    1 => along(t),
                    2 => along(o),
                    _ => Wrench { torque: sign * close.normal, force: DVec3::ZERO },
                };
                self.place.add_wrench(&self.links, link, wrench, &mut rows[start..]);
            }
        }
    }
}

impl Mechanism for Tree {
    fn kind(&self) -> &'static str {
        "an articulated tree"
    }

    fn has_weighted(&self) -> bool {
        true
    }

    fn weighted(&mut self, step: &Weighted<'_>, end: &[f64], out: &mut [f64]) -> Result<(), Error> {
        let contacts = std::mem::take(&mut self.contacts);
        let done = weigh(self, step, end, (&contacts.q, contacts.t), out);
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
        for (what, x, expected) in [
            ("the coordinates q", q, self.coordinates()),
            ("the velocities u", u, self.velocities()),
        ] {
            if x.len() != expected {
                return Err(Error::Size { what, expected, found: x.len() });
            }
            if !x.iter().all(|v| v.is_finite()) {
                return Err(Error::NotFinite { what, t: 0.0 });
            }
        }
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
        self.place.place(&self.links, q, t)?;
        self.contacts.q.clear();
        self.contacts.q.extend_from_slice(q);
        self.contacts.t = t;
        self.candidates(q, out);
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
        let mut w = Matrix::zeros(bias.len(), bias.len());
        for i in 0..bias.len() {
            for j in 0..=i {
                let value = dot(&c.rows[i * n..][..n], &c.responses[j * n..][..n]);
                w.row_mut(i)[j] = value;
                w.row_mut(j)[i] = value;
            }
        }
        *problem = ContactProblem::new(w, bias.to_vec(), laws.to_vec())?;
        Ok(())
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
    fn momentum_error(&self, free: &[f64], after: &[f64], impulse: &[f64]) -> f64 {
        let n = free.len();
        let change: Vec<f64> = after.iter().zip(free).map(|(a, b)| a - b).collect();
        let mut off = vec![0.0; n];
        self.place.inverse(&self.links, None, &change, &mut off);
        let mut momentum = vec![0.0; n];
        self.place.inverse(&self.links, None, after, &mut momentum);
        let mut size = dot(after, &momentum).max(0.0).sqrt() + dot(&change, &off).max(0.0).sqrt();
        let contacts = &self.contacts;
        let columns =
            contacts.rows.chunks_exact(n.max(1)).zip(contacts.responses.chunks_exact(n.max(1)));
        for ((h, y), lam) in columns.zip(impulse) {
            off.iter_mut().zip(h).for_each(|(o, h)| *o -= lam * h);
            size += lam.abs() * dot(h, y).max(0.0).sqrt();
        }
        self.place.solve(&self.links, None, &off, &mut Sweep::default(), &mut momentum);
        let error = dot(&off, &momentum).max(0.0).sqrt();
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
}

fn quaternion_length(link: &Link, q: &[f64], at: usize) -> f64 {
    let r = &q[link.q.start + at..];
    DQuat::from_xyzw(r[1], r[2], r[3], r[0]).length()
}
