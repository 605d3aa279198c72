//! Loops: two frames of two links that are held together.
//!
//! in the contact problem a loop is a connection with ε = 1: Hᵀ (u + u⁺) = 0 with H of the middle of the step. So the mean velocity,
//! which moves the coordinates, keeps the loop closed, and the reactions do no work: with the projection after the step
//! the method stays of second order. Hᵀ u⁺ = 0 would lose energy, and an order.

use super::motion::displace;
use super::place::{TreePlace, Work};
use super::placement::Placement;
use super::spatial::Wrench;
use super::tree::{Link, Tree};
use crate::bodies::joint_rate;
use crate::bodies::pose::logarithm;
use crate::bodies::{JointKind, Pose};
use crate::error::Error;
use crate::model::DenseReactions;
use glam::DVec3;

/// What the two frames of a loop have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// The origin: a ball joint.
    Point,
    /// The origin and the axis z: a hinge.
    Hinge,
    /// All: a weld.
    Weld,
}

impl Closure {
    /// The number of equations.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Point => 3,
            Self::Hinge => 5,
            Self::Weld => 6,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Closing {
    pub(super) closure: Closure,
    /// Whether the links move in the plane z = 0 alone.
    pub(super) planar: bool,
    pub(super) links: [Option<usize>; 2],
    pub(super) frames: [Pose; 2],
}

/// Corrections at most.
const ITERATIONS: usize = 50;
/// A loop is closed if its ends are nearer than this share of the longest link, or turned by less.
const CLOSED: f64 = 1e-10;
/// Entries of rows below this share of the terms that they are summed of are rounding.
const ZERO: f64 = 1e-12;

impl Closing {
    /// Which of the shifts along and the turns about x, y and z of the first frame it excludes: in the plane those that there are.
    pub(super) fn equations(&self) -> &'static [usize] {
        match (self.planar, self.closure) {
            (true, Closure::Point | Closure::Hinge) => &[0, 1],
            (true, Closure::Weld) => &[0, 1, 5],
            (false, closure) => &[0, 1, 2, 3, 4, 5][..closure.rows()],
        }
    }

    /// The two frames in the world.
    fn ends(&self, place: &Placement) -> [Pose; 2] {
        [0, 1].map(|i| {
            let link = self.links[i].map_or(Pose::default(), |l| place.poses[l]);
            let frame = &self.frames[i];
            Pose { position: link.point(frame.position), rotation: link.rotation * frame.rotation }
        })
    }

    /// How far the second frame is off the first, in axes of the first: shifts, then turns.
    pub(super) fn gap(&self, place: &Placement) -> [f64; 6] {
        let [a, b] = self.ends(place);
        let shift = a.rotation.inverse() * (b.position - a.position);
        let turn = match self.closure {
            Closure::Point => DVec3::ZERO,
            Closure::Hinge => axis_turn(a.rotation.inverse() * (b.rotation * DVec3::Z)),
            Closure::Weld => logarithm(a.rotation.inverse() * b.rotation),
        };
        [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
    }

    /// The axes of the first frame, along which its forces act.
    pub(super) fn axes(&self, place: &Placement) -> [DVec3; 3] {
        let first = self.ends(place)[0];
        DVec3::AXES.map(|axis| first.rotation * axis)
    }

    /// Appends Ḣᵀ u: what is left of the rates of these rates where no velocity changes. A loop is the joint with the same rows, from its
    /// second frame to its first.
    pub(super) fn rates(&self, tree: &Tree, work: &Work, t: f64, out: &mut Vec<f64>) {
        let kind = match self.closure {
            Closure::Point => JointKind::Spherical,
            Closure::Hinge => JointKind::Revolute,
            Closure::Weld => JointKind::Fixed,
        };
        let moving = |l: Option<usize>| tree.moving_body(work, l.map_or(0, |l| l + 1), t);
        let [a, b] = self.links.map(moving);
        let start = out.len();
        joint_rate::rates(kind, (&a, &self.frames[0]), (&b, &self.frames[1]), out);
        let equations = self.equations();
        for (k, &equation) in equations.iter().enumerate() {
            out[start + k] = -out[start + equation];
        }
        out.truncate(start + equations.len());
    }

    /// Appends the rows of Hᵀ: the rates of the gaps where these are zero. Entries that are rounding are 0, so that a motion
    /// which the joints exclude by themselves, as those out of the plane of a planar loop, is not excluded a second time by noise.
    pub(super) fn rows(&self, links: &[Link], place: &Placement, out: &mut Vec<f64>) {
        let ends = self.ends(place);
        let n = place.s.len();
        for &r in self.equations() {
            let axis = ends[0].rotation * DVec3::AXES[r % 3];
            let start = out.len();
            out.resize(start + 2 * n, 0.0);
            let (row, sizes) = out[start..].split_at_mut(n);
            for (i, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(link) = self.links[i] else { continue };
                // Both links are taken at the same point, so that a turn of both together moves nothing.
                let lever = ends[1].position - place.poses[link].position;
                let wrench = if r < 3 {
                    Wrench { torque: sign * lever.cross(axis), force: sign * axis }
                } else {
                    Wrench { torque: sign * axis, force: DVec3::ZERO }
                };
                place.add_wrench(links, link, wrench, row);
                let size = if r < 3 { (lever.length(), 1.0) } else { (1.0, 0.0) };
                place.add_sizes(links, link, size, sizes);
            }
            for (x, size) in row.iter_mut().zip(sizes) {
                if x.abs() <= ZERO * *size {
                    *x = 0.0;
                }
            }
            out.truncate(start + n);
        }
    }
}

/// The turn, without a part about z, that brings z to a unit vector.
fn axis_turn(z: DVec3) -> DVec3 {
    let across = DVec3::Z.cross(z);
    let (s, c) = (across.length(), z.z);
    if s > 0.0 {
        return across * (s.atan2(c) / s);
    }
    if c < 0.0 { std::f64::consts::PI * DVec3::X } else { DVec3::ZERO }
}

impl Tree {
    /// Brings coordinates and velocities onto the loops by the shortest way in the metric of M (Newton's method on the gaps,
    /// then one projection); returns how far the coordinates were off, as a share of the longest link or as an angle.
    pub(super) fn close_loops(
        &self,
        place: &mut TreePlace,
        q: &mut [f64],
        u: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        if self.connections() == 0 {
            return Ok(0.0);
        }
        let TreePlace { work, loops, redundancy, .. } = place;
        let all = || 0..self.connections();
        let (mut drift, mut last) = (None, f64::INFINITY);
        for _ in 0..ITERATIONS {
            work.at.place(&self.links, q, t)?;
            let off = loops.take_gaps(self, &work.at).map_or(0.0, |(_, off)| off);
            drift.get_or_insert(off);
            // Rounding, or no more progress.
            if off <= 4.0 * f64::EPSILON || (off >= 0.5 * last && off <= CLOSED) {
                break;
            }
            last = off;
            loops.refresh(self, work, all());
            displace(&self.links, q, loops.correction(), 1.0);
        }
        work.at.place(&self.links, q, t)?;
        if let Some((number, gap)) = loops.take_gaps(self, &work.at)
            && !(gap <= CLOSED)
        {
            return Err(Error::Loop { number, gap, t, iterations: ITERATIONS });
        }
        loops.refresh(self, work, all());
        loops.hold(u);
        *redundancy = loops.redundancy;
        Ok(drift.unwrap_or(0.0))
    }
}

impl DenseReactions {
    /// Takes the rows of these loops and couplings where the links are, and factorises.
    pub(super) fn refresh(
        &mut self,
        tree: &Tree,
        work: &mut Work,
        loops: impl Iterator<Item = usize>,
    ) {
        self.begin(work.at.s.len());
        for i in loops {
            tree.connection_rows(i, &work.at, &mut self.rows);
        }
        self.factorize(|h, y| work.solve(&tree.links, h, y));
    }

    /// Takes the gaps of all loops and couplings; returns the worst with its gap, lengths as a share of the longest link.
    fn take_gaps(&mut self, tree: &Tree, at: &Placement) -> Option<(usize, f64)> {
        let longest = (0..tree.links.len()).map(|i| at.reach(i).length()).fold(0.0, f64::max);
        let length = if longest > 0.0 { longest } else { 1.0 };
        let mut worst = None::<(usize, f64)>;
        self.lam.clear();
        for (i, closing) in tree.closures.iter().enumerate() {
            let gap = closing.gap(at);
            self.lam.extend(closing.equations().iter().map(|&e| gap[e]));
            let off = gap.iter().enumerate().fold(0.0_f64, |m, (r, g)| {
                let g = if r < 3 { g.abs() / length } else { g.abs() };
                if g.is_nan() { f64::INFINITY } else { m.max(g) }
            });
            if worst.is_none_or(|(_, w)| off > w) {
                worst = Some((i, off));
            }
        }
        for (i, coupled) in tree.couplings.iter().enumerate() {
            let (gap, is_length) = coupled.gap(at.coordinates());
            self.lam.push(gap);
            let off = if is_length { gap.abs() / length } else { gap.abs() };
            let off = if off.is_nan() { f64::INFINITY } else { off };
            if worst.is_none_or(|(_, w)| off > w) {
                worst = Some((tree.closures.len() + i, off));
            }
        }
        worst
    }
}
