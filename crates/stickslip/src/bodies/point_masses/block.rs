//! The rows of contacts and joints over the masses of their bodies, on storage that is kept.

use super::place::Bodies;
use super::rows::{PointRow, about, pull_back};
use super::tetrahedron::{centre, unit_momentum};
use super::world::{PointMassWorld, read, write};
use crate::bodies::Twist;
use crate::bodies::joint::{self, JointRow};
use crate::bodies::seen_contact::{Direction, SeenContact};
use crate::contact::Law;
use crate::contact::block::BlockList;
use glam::DVec3;

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
}

/// Which rows belong to a candidate, and to which free bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linkage {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) bodies: [Option<usize>; 2],
}

/// The rows of several candidates, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct PointRows {
    pub(super) links: Vec<Linkage>,
    /// Per row those of the first and of the second body; zero for a body that is prescribed.
    pub(super) values: Vec<[PointRow; 2]>,
    /// M⁻¹ times them with the reactions of the bars, without those of joints.
    response: Vec<[PointRow; 2]>,
    /// ŵ.
    pub(super) drive: Vec<f64>,
    scratch: Vec<JointRow>,
}

impl PointRows {
    pub(super) fn clear(&mut self) {
        self.links.clear();
        self.values.clear();
        self.response.clear();
        self.drive.clear();
    }

    /// Appends the rows of a candidate, with the bodies here.
    pub(super) fn push(&mut self, world: &PointMassWorld, at: &Bodies, source: Source) {
        let start = self.values.len();
        let bodies = match source {
            Source::Contact(contact) => {
                self.contact(world, at, &contact);
                contact.bodies
            }
            Source::Joint(i) => {
                self.scratch.clear();
                world.joint_rows(at, i, &mut self.scratch);
                let bodies = world.joints[i].bodies;
                for k in 0..self.scratch.len() {
                    let row = &self.scratch[k];
                    self.rigid(world, at, bodies, ([row.first, row.second], 0.0));
                }
                bodies
            }
            Source::Stop(i, sign) => {
                let row = world.joint_motion(at, i).1.map(|side| side.map(|x| sign * x));
                self.rigid(world, at, world.joints[i].bodies, (row, 0.0));
                world.joints[i].bodies
            }
            Source::Drive(i, target) => {
                let row = world.joint_motion(at, i).1;
                self.rigid(world, at, world.joints[i].bodies, (row, target));
                world.joints[i].bodies
            }
        };
        let bodies = bodies.map(|body| world.roles[body].free());
        for row in &self.values[start..] {
            let side = |k: usize| bodies[k].map_or(row[k], |free| world.respond(at, free, &row[k]));
            self.response.push([side(0), side(1)]);
        }
        self.links.push(Linkage { start, end: self.values.len(), bodies });
    }

    fn contact(&mut self, world: &PointMassWorld, at: &Bodies, contact: &SeenContact) {
        for d in contact.directions() {
            let (mut row, mut drive) = ([PointRow::default(); 2], 0.0);
            for (k, (body, sign, point)) in contact.sides().into_iter().enumerate() {
                if let Some(free) = world.roles[body].free() {
                    let q = &at.masses[free];
                    let along = match d {
                        Direction::Shift(d) => world.rows.along(q, point, d),
                        Direction::Turn(d) => about(q, d),
                    };
                    row[k] = along.map(|x| sign * x);
                } else {
                    let (pose, twist) = &at.poses[body];
                    drive += sign
                        * match d {
                            Direction::Shift(d) => d.dot(twist.at(point - pose.position)),
                            Direction::Turn(d) => d.dot(twist.angular),
                        };
                }
            }
            self.values.push(row);
            self.drive.push(drive);
        }
    }

    /// A row of rigid bodies, and the velocity that it is measured from.
    fn rigid(
        &mut self,
        world: &PointMassWorld,
        at: &Bodies,
        bodies: [usize; 2],
        (rows, target): ([[f64; 6]; 2], f64),
    ) {
        let (mut row, mut drive) = ([PointRow::default(); 2], -target);
        for (k, body) in bodies.into_iter().enumerate() {
            if let Some(free) = world.roles[body].free() {
                row[k] = pull_back(&at.masses[free], &rows[k]);
            } else {
                drive += power(&rows[k], &at.poses[body].1);
            }
        }
        self.values.push(row);
        self.drive.push(drive);
    }

    /// γ = Hᵀ u + ŵ.
    pub(super) fn velocities(&self, u: &[f64], gamma: &mut Vec<f64>) {
        gamma.clear();
        gamma.extend_from_slice(&self.drive);
        for link in &self.links {
            for (side, body) in link.bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let v = read(&u[12 * body..]);
                for r in link.start..link.end {
                    gamma[r] += dot(&self.values[r][side], &v);
                }
            }
        }
    }

    /// to += H λ.
    pub(super) fn add_forces(&self, lam: &[f64], to: &mut [f64]) {
        self.links.iter().for_each(|link| add(link, &self.values, lam, to));
    }

    /// to += M⁻¹ H λ, without the reactions of joints.
    pub(super) fn add_response(&self, lam: &[f64], to: &mut [f64]) {
        self.links.iter().for_each(|link| add(link, &self.response, lam, to));
    }

    /// The rows of one candidate, with one number for every velocity.
    pub(super) fn append_rows(&self, link: &Linkage, velocities: usize, to: &mut Vec<f64>) {
        append(link, &self.values, velocities, to);
    }

    /// M⁻¹ times the rows of one candidate, velocities of all free bodies one after the other.
    pub(super) fn append_responses(&self, link: &Linkage, velocities: usize, to: &mut Vec<f64>) {
        append(link, &self.response, velocities, to);
    }

    /// Row r of a candidate against M⁻¹ times row s of another, for the bodies that both have.
    pub(super) fn product(&self, (a, r): (&Linkage, usize), (b, s): (&Linkage, usize)) -> f64 {
        let mut sum = 0.0;
        for (x, body) in a.bodies.iter().enumerate().filter(|(_, body)| body.is_some()) {
            for (y, _) in b.bodies.iter().enumerate().filter(|(_, other)| body == *other) {
                sum += dot(&self.values[r][x], &self.response[s][y]);
            }
        }
        sum
    }

    /// The blocks of Hᵀ M⁻¹ H without the reactions of joints.
    pub(super) fn list_blocks(&self, bodies: usize, laws: &[Law], posing: &mut Posing) {
        let Posing { sizes, at_body, list, .. } = posing;
        sizes.clear();
        sizes.extend(laws.iter().map(Law::components));
        at_body.resize(bodies, Vec::new());
        at_body.iter_mut().for_each(Vec::clear);
        for (i, link) in self.links.iter().enumerate() {
            for (side, body) in link.bodies.iter().enumerate() {
                if let Some(body) = body {
                    at_body[*body].push((i, side));
                }
            }
        }
        list.clear();
        for near in at_body {
            for (n, &(i, x)) in near.iter().enumerate() {
                for &(j, y) in &near[..=n] {
                    let (a, b) = (&self.links[i], &self.links[j]);
                    let entries = (a.start..a.end).flat_map(|r| {
                        let row = &self.values[r][x];
                        (b.start..b.end).map(move |s| dot(row, &self.response[s][y]))
                    });
                    list.push(i, j, entries);
                }
            }
        }
    }
}

/// Storage of the contact problem.
#[derive(Debug, Default)]
pub(super) struct Posing {
    pub(super) sizes: Vec<usize>,
    /// The candidates collected at each free body, with their sides.
    at_body: Vec<Vec<(usize, usize)>>,
    pub(super) list: BlockList,
    pub(super) gamma: Vec<f64>,
    pub(super) reaction: Vec<f64>,
}

fn append(link: &Linkage, rows: &[[PointRow; 2]], velocities: usize, to: &mut Vec<f64>) {
    for row in &rows[link.start..link.end] {
        let start = to.len();
        to.resize(start + velocities, 0.0);
        for (side, body) in link.bodies.iter().enumerate() {
            if let Some(b) = body {
                write(&row[side], &mut to[start + 12 * b..start + 12 * b + 12]);
            }
        }
    }
}

fn add(link: &Linkage, rows: &[[PointRow; 2]], lam: &[f64], to: &mut [f64]) {
    for (side, body) in link.bodies.iter().enumerate() {
        let Some(body) = body else { continue };
        let mut v = read(&to[12 * body..]);
        for r in link.start..link.end {
            v.iter_mut().zip(&rows[r][side]).for_each(|(v, x)| *v += lam[r] * *x);
        }
        write(&v, &mut to[12 * body..12 * body + 12]);
    }
}

pub(super) fn dot(a: &PointRow, b: &PointRow) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// What a row of a rigid body makes of its motion.
pub(super) fn power(row: &[f64; 6], twist: &Twist) -> f64 {
    DVec3::from_slice(&row[..3]).dot(twist.linear) + DVec3::from_slice(&row[3..]).dot(twist.angular)
}

impl PointMassWorld {
    /// M⁻¹ of one body, with the reactions of its bars, times a row: the answer of a rigid body to the row's force and moment, which is more
    /// exact than the equations of the bars where these are long and nearly parallel.
    fn respond(&self, at: &Bodies, free: usize, row: &PointRow) -> PointRow {
        let x = &at.masses[free];
        self.bodies[free].acceleration(x, (4.0 * centre(row), unit_momentum(x, row)))
    }

    fn joint_rows(&self, at: &Bodies, i: usize, out: &mut Vec<JointRow>) {
        let link = &self.joints[i];
        let [a, b] = link.bodies.map(|body| &at.poses[body].0);
        joint::rows(link.joint.kind, (a, &link.joint.on_first), (b, &link.joint.on_second), out);
    }

    /// The errors of a joint's rows, appended.
    pub(super) fn joint_errors(
        &self,
        at: &Bodies,
        i: usize,
        (scratch, out): (&mut Vec<JointRow>, &mut Vec<f64>),
    ) {
        scratch.clear();
        self.joint_rows(at, i, scratch);
        out.extend(scratch.iter().map(|row| row.phi));
    }

    /// The coordinate of a joint and its row, of the second body against the first.
    pub(super) fn joint_motion(&self, at: &Bodies, i: usize) -> (f64, [[f64; 6]; 2]) {
        let link = &self.joints[i];
        let [a, b] = link.bodies.map(|body| &at.poses[body].0);
        joint::motion(link.joint.kind, (a, &link.joint.on_first), (b, &link.joint.on_second))
    }
}
