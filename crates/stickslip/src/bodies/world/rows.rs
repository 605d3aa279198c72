//! The directions of contacts and joints, body by body, on storage that is kept.

use super::place::Bodies;
use super::{Role, World};
use crate::bodies::joint::{self, JointRow};
use crate::bodies::pose::Coordinates;
use crate::bodies::pose::{Pose, Twist};
use crate::bodies::seen_contact::SeenContact;
use crate::contact::block::BlockList;
use glam::DVec3;
use stickslip_collision::Contact;

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// A contact as it is seen.
    Contact(SeenContact),
    /// All rows of a joint.
    Joint(usize),
    /// One stop of a joint: its number, and the sign of the coordinate's velocity.
    Stop(usize, f64),
    /// The drive or friction of a joint, at this target velocity.
    Drive(usize, f64),
    /// Load-dependent friction of a joint.
    LoadFriction(usize),
}

/// Which rows belong to a candidate, and to which free bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linkage {
    pub(super) start: usize,
    pub(super) rows: usize,
    pub(super) bodies: [Option<usize>; 2],
}

/// The rows of several candidates, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) links: Vec<Linkage>,
    /// Per row the six numbers of the first and of the second body.
    pub(super) values: Vec<[[f64; 6]; 2]>,
    /// M⁻¹ times them, without the reactions of joints.
    pub(super) response: Vec<[[f64; 6]; 2]>,
    /// ŵ.
    pub(super) drive: Vec<f64>,
    scratch: Vec<JointRow>,
}

impl Rows {
    pub(super) fn clear(&mut self) {
        self.links.clear();
        self.values.clear();
        self.response.clear();
        self.drive.clear();
    }

    /// Appends the rows of a candidate, with the bodies at these poses.
    pub(super) fn push(&mut self, world: &World, at: &Bodies, source: Source) {
        let start = self.values.len();
        let (bodies, target) = match source {
            Source::Contact(contact) => {
                self.contact(at, &contact);
                (contact.bodies, 0.0)
            }
            Source::Joint(i) => {
                self.scratch.clear();
                world.joint_rows(at, i, &mut self.scratch);
                self.values.extend(self.scratch.iter().map(|r| [r.first, r.second]));
                (world.joint_bodies(i), 0.0)
            }
            Source::Stop(i, sign) => {
                let row = world.joint_motion(at, i);
                self.values.push(row.map(|side| side.map(|x| sign * x)));
                (world.joint_bodies(i), 0.0)
            }
            Source::LoadFriction(i) => {
                world.rub_rows(at, i, &mut self.values);
                (world.joint_bodies(i), 0.0)
            }
            Source::Drive(i, target) => {
                self.values.push(world.joint_motion(at, i));
                (world.joint_bodies(i), target)
            }
        };
        let rows = self.values.len() - start;
        let free = bodies.map(|body| world.roles[body].free());
        for row in &self.values[start..] {
            let mut drive = -target;
            let mut response = [[0.0; 6]; 2];
            for (side, free) in free.into_iter().enumerate() {
                match free {
                    Some(free) => response[side] = at.respond(free, &row[side]),
                    None => drive += power(&row[side], &at.poses[bodies[side]].1),
                }
            }
            self.response.push(response);
            self.drive.push(drive);
        }
        self.links.push(Linkage { start, rows, bodies: free });
    }

    fn contact(&mut self, at: &Bodies, contact: &SeenContact) {
        for d in contact.directions() {
            self.values.push(contact.sides().map(|(body, sign, point)| {
                let (force, moment) = d.wrench(sign, point - at.poses[body].0.position);
                [force.x, force.y, force.z, moment.x, moment.y, moment.z]
            }));
        }
    }

    /// γ = Hᵀ u + ŵ.
    pub(super) fn velocities(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend_from_slice(&self.drive);
        self.links.iter().for_each(|link| self.add_velocities(link, u, gamma));
    }

    /// γ += Hᵀ u of one candidate.
    pub(super) fn add_velocities(&self, link: &Linkage, u: &[f64], gamma: &mut [f64]) {
        let range = link.start..link.start + link.rows;
        let (rows, gamma) = (&self.values[range.clone()], &mut gamma[range]);
        for (side, body) in link.bodies.iter().enumerate() {
            let Some(u) = body.and_then(|b| u[6 * b..].first_chunk()) else { continue };
            gamma.iter_mut().zip(rows).for_each(|(gamma, row)| *gamma += dot6(&row[side], u));
        }
    }

    /// One of them: row r of a candidate.
    pub(super) fn velocity(&self, link: &Linkage, r: usize, u: &[f64]) -> f64 {
        let bodies = link.bodies.iter().enumerate();
        let own = bodies.filter_map(|(side, body)| {
            body.and_then(|b| u[6 * b..].first_chunk()).map(|u| dot6(&self.values[r][side], u))
        });
        self.drive[r] + own.sum::<f64>()
    }

    /// to += H λ.
    pub(super) fn add_forces(&self, lam: &[f64], to: &mut [f64]) {
        self.add(&self.values, lam, to);
    }

    /// to += M⁻¹ H λ, without the reactions of joints.
    pub(super) fn add_response(&self, lam: &[f64], to: &mut [f64]) {
        self.add(&self.response, lam, to);
    }

    /// M⁻¹ times one row, as velocities of all free bodies.
    pub(super) fn response_of(&self, row: usize, to: &mut [f64]) {
        to.fill(0.0);
        for link in self.links.iter().filter(|l| (l.start..l.start + l.rows).contains(&row)) {
            for (side, body) in link.bodies.iter().enumerate() {
                if let Some(b) = body {
                    let to = &mut to[6 * b..6 * b + 6];
                    to.iter_mut().zip(&self.response[row][side]).for_each(|(t, x)| *t += x);
                }
            }
        }
    }

    fn add(&self, rows: &[[[f64; 6]; 2]], lam: &[f64], to: &mut [f64]) {
        self.links.iter().for_each(|link| add_link(link, rows, lam, to));
    }

    /// What one candidate adds to M⁻¹ H λ.
    pub(super) fn add_response_of(&self, link: &Linkage, lam: &[f64], to: &mut [f64]) {
        add_link(link, &self.response, lam, to);
    }

    /// The block of W of two candidates, row by row, into a list: the rows of `a` against the responses to those of `b`, for the bodies
    /// that both have.
    pub(super) fn list_block(
        &self,
        (i, a): (usize, &Linkage),
        (j, b): (usize, &Linkage),
        list: &mut BlockList,
    ) {
        let rows = &self.values[a.start..a.start + a.rows];
        let responses = &self.response[b.start..b.start + b.rows];
        // Most contacts have three rows: the compiler unrolls what it knows.
        if let (Ok(rows), Ok(responses)) = (rows.try_into(), responses.try_into()) {
            let mut block = [[0.0; 3]; 3];
            for_shared(a, b, |sides| add_products::<3>(rows, responses, sides, &mut block));
            list.push(i, j, block.as_flattened().iter().copied());
            return;
        }
        let block = list.push_zeros(i, j, a.rows * b.rows);
        for_shared(a, b, |(x, y)| {
            for (row, line) in rows.iter().zip(block.chunks_exact_mut(b.rows)) {
                line.iter_mut().zip(responses).for_each(|(w, s)| *w += dot6(&row[x], &s[y]));
            }
        });
    }

    /// Row r of these against a response to row s of others, for the bodies that both have.
    pub(super) fn product(
        &self,
        (a, r): (&Linkage, usize),
        response: &[[[f64; 6]; 2]],
        (b, s): (&Linkage, usize),
    ) -> f64 {
        let mut sum = 0.0;
        for (x, body) in a.bodies.iter().enumerate().filter(|(_, body)| body.is_some()) {
            for (y, other) in b.bodies.iter().enumerate() {
                if body == other {
                    sum += dot6(&self.values[r][x], &response[s][y]);
                }
            }
        }
        sum
    }
}

impl World {
    /// The relative velocity at a contact if the bodies were at (q, t), in its frame turned with the normal.
    pub(super) fn contact_velocity_at(
        &self,
        (q, t, u): (&[f64], f64, &[f64]),
        (contact, found): (&SeenContact, &[Contact]),
        out: &mut [f64],
    ) {
        let motion = |body: usize| match &self.roles[body] {
            Role::Free(i, _) => (Pose::read(&q[7 * i..]), Twist::read(&u[6 * i..])),
            Role::Prescribed(motion) => motion(t),
        };
        let [first, second] = contact.bodies.map(motion);
        contact.velocity_at((&self.contacts, found), first, second, out);
    }

    pub(super) fn joint_bodies(&self, i: usize) -> [usize; 2] {
        [self.joints[i].first, self.joints[i].second]
    }

    /// The rows of a joint.
    pub(super) fn joint_rows(&self, at: &Bodies, i: usize, out: &mut Vec<JointRow>) {
        let j = &self.joints[i];
        let (a, b) = (&at.poses[j.first].0, &at.poses[j.second].0);
        joint::rows(j.kind, (a, &j.on_first), (b, &j.on_second), out);
    }

    /// The row of the coordinate of a joint: of the second body against the first.
    pub(super) fn joint_motion(&self, at: &Bodies, i: usize) -> [[f64; 6]; 2] {
        let j = &self.joints[i];
        let (a, b) = (&at.poses[j.first].0, &at.poses[j.second].0);
        joint::motion(j.kind, (a, &j.on_first), (b, &j.on_second)).1
    }
}

impl Bodies {
    /// u becomes M u.
    pub(super) fn times_mass(&self, u: &mut [f64]) {
        for (i, (m, inertia)) in self.masses.iter().enumerate() {
            let x = Twist::read(&u[6 * i..]);
            let momentum = Twist { linear: *m * x.linear, angular: *inertia * x.angular };
            momentum.write(&mut u[6 * i..]);
        }
    }

    /// M⁻¹ of one body times a row.
    fn respond(&self, free: usize, r: &[f64; 6]) -> [f64; 6] {
        let (m, inverse) = self.inverse[free];
        let turn = inverse * DVec3::new(r[3], r[4], r[5]);
        [m * r[0], m * r[1], m * r[2], turn.x, turn.y, turn.z]
    }
}

/// For the sides on which two candidates have the same free body.
#[inline(always)]
fn for_shared(a: &Linkage, b: &Linkage, mut each: impl FnMut((usize, usize))) {
    for x in 0..2 {
        for y in 0..2 {
            if a.bodies[x].is_some() && a.bodies[x] == b.bodies[y] {
                each((x, y));
            }
        }
    }
}

/// Adds the products of N rows with N responses, for one side of each.
fn add_products<const N: usize>(
    rows: &[[[f64; 6]; 2]; N],
    responses: &[[[f64; 6]; 2]; N],
    (x, y): (usize, usize),
    block: &mut [[f64; N]; N],
) {
    for r in 0..N {
        for c in 0..N {
            block[r][c] += dot6(&rows[r][x], &responses[c][y]);
        }
    }
}

fn add_link(link: &Linkage, rows: &[[[f64; 6]; 2]], lam: &[f64], to: &mut [f64]) {
    let range = link.start..link.start + link.rows;
    let (rows, lam) = (&rows[range.clone()], &lam[range]);
    for (side, body) in link.bodies.iter().enumerate() {
        let Some(to) = body.and_then(|b| to[6 * b..].first_chunk_mut::<6>()) else { continue };
        let mut sum = *to;
        for (row, lam) in rows.iter().zip(lam) {
            (0..6).for_each(|i| sum[i] += lam * row[side][i]);
        }
        *to = sum;
    }
}

pub(super) fn power(row: &[f64; 6], twist: &Twist) -> f64 {
    let mut u = [0.0; 6];
    twist.write(&mut u);
    dot6(row, &u)
}

#[inline(always)]
fn dot6(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
