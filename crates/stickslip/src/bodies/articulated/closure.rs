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
use crate::bodies::Pose;
use crate::bodies::pose::logarithm;
use crate::error::Error;
use glam::DVec3;
use nalgebra::{DMatrix, DVector, Dyn, SymmetricEigen};

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
    pub(super) links: [Option<usize>; 2],
    pub(super) frames: [Pose; 2],
}

/// Corrections at most.
const ITERATIONS: usize = 50;
/// A loop is closed if its ends are nearer than this share of the longest link, or turned by less.
const CLOSED: f64 = 1e-10;
/// Entries of rows below this share of the terms that they are summed of are rounding.
const ZERO: f64 = 1e-12;
/// Eigenvalues of the scaled W below this share of the largest are redundant equations.
const RANK: f64 = 1e-10;

impl Closing {
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

    /// Appends the rows of Hᵀ: the rates of the gaps where these are zero. Entries that are rounding are 0, so that a motion
    /// which the joints exclude by themselves, as those out of the plane of a planar loop, is not excluded a second time by noise.
    pub(super) fn rows(&self, links: &[Link], place: &Placement, out: &mut Vec<f64>) {
        let ends = self.ends(place);
        let n = place.s.len();
        for r in 0..self.closure.rows() {
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
        if self.closures.is_empty() {
            return Ok(0.0);
        }
        let work = &mut place.work;
        let mut drift = None;
        for _ in 0..ITERATIONS {
            work.at.place(&self.links, q, t)?;
            let (gaps, worst) = self.loop_gaps(&work.at);
            let off = worst.map_or(0.0, |(_, off)| off);
            drift.get_or_insert(off);
            if off <= 1e-3 * CLOSED {
                break;
            }
            let correction = Reaction::new(self, work).least(&gaps);
            displace(&self.links, q, &correction, -1.0);
        }
        work.at.place(&self.links, q, t)?;
        if let (_, Some((number, gap))) = self.loop_gaps(&work.at)
            && !(gap <= CLOSED)
        {
            return Err(Error::Loop { number, gap, t, iterations: ITERATIONS });
        }
        let reaction = Reaction::new(self, work);
        let correction = reaction.least(&reaction.rates(u));
        u.iter_mut().zip(&correction).for_each(|(u, c)| *u -= c);
        place.redundancy = reaction.redundancy().unwrap_or(place.redundancy);
        Ok(drift.unwrap_or(0.0))
    }

    /// All gaps, and the worst loop with its gap, lengths as a share of the longest link.
    fn loop_gaps(&self, at: &Placement) -> (Vec<f64>, Option<(usize, f64)>) {
        let longest = (0..self.links.len()).map(|i| at.reach(i).length()).fold(0.0, f64::max);
        let length = if longest > 0.0 { longest } else { 1.0 };
        let (mut all, mut worst) = (Vec::new(), None::<(usize, f64)>);
        for (i, closing) in self.closures.iter().enumerate() {
            let gap = closing.gap(at);
            all.extend_from_slice(&gap[..closing.closure.rows()]);
            let off = gap.iter().enumerate().fold(0.0_f64, |m, (r, g)| {
                let g = if r < 3 { g.abs() / length } else { g.abs() };
                if g.is_nan() { f64::INFINITY } else { m.max(g) }
            });
            if worst.is_none_or(|(_, w)| off > w) {
                worst = Some((i, off));
            }
        }
        (all, worst)
    }
}

/// What holds the loops of a tree together where its links are: H, M⁻¹ H, and W = Hᵀ M⁻¹ H by its eigenvectors.
pub(super) struct Reaction {
    /// Velocities.
    n: usize,
    rows: Vec<f64>,
    responses: Vec<f64>,
    /// 1 / √W_ii, by which W is scaled.
    scale: Vec<f64>,
    /// Of the scaled W; none if they were not found.
    eigen: Option<SymmetricEigen<f64, Dyn>>,
}

impl Reaction {
    /// Cost: one product with M⁻¹ per row, and an eigenvalue problem with the rows.
    pub(super) fn new(tree: &Tree, work: &mut Work) -> Self {
        let n = work.at.s.len();
        let mut rows = Vec::new();
        for closing in &tree.closures {
            closing.rows(&tree.links, &work.at, &mut rows);
        }
        let mut responses = vec![0.0; rows.len()];
        for (h, y) in rows.chunks_exact(n.max(1)).zip(responses.chunks_exact_mut(n.max(1))) {
            work.solve(&tree.links, h, y);
        }
        let k = tree.closures.iter().map(|c| c.closure.rows()).sum();
        let entry = |i: usize, j: usize| dot(&rows[i * n..][..n], &responses[j * n..][..n]);
        let inverse = |w: f64| if w > 0.0 { 1.0 / w.sqrt() } else { 0.0 };
        let scale: Vec<f64> = (0..k).map(|i| inverse(entry(i, i))).collect();
        let w = DMatrix::from_fn(k, k, |i, j| entry(i, j) * scale[i] * scale[j]);
        let eigen = SymmetricEigen::try_new(w, f64::EPSILON, 100 * k + 100);
        Self { n, rows, responses, scale, eigen }
    }

    /// Equations less their rank, if the eigenvectors were found.
    pub(super) fn redundancy(&self) -> Option<usize> {
        let values = &self.eigen.as_ref()?.eigenvalues;
        let independent = RANK * values.amax();
        Some(values.len() - values.iter().filter(|v| **v > independent).count())
    }

    /// Hᵀ u.
    pub(super) fn rates(&self, u: &[f64]) -> Vec<f64> {
        self.rows.chunks_exact(self.n.max(1)).map(|h| dot(h, u)).collect()
    }

    /// The least change of velocity, in the metric of M, with these rates of the gaps: M⁻¹ H W⁺ rates, with redundant
    /// equations left out.
    pub(super) fn least(&self, rates: &[f64]) -> Vec<f64> {
        let (n, k) = (self.n, rates.len());
        let mut out = vec![0.0; n];
        let Some(eigen) = &self.eigen else { return out };
        let scaled = DVector::from_fn(k, |i, _| rates[i] * self.scale[i]);
        let largest = eigen.eigenvalues.amax();
        let mut impulse = DVector::zeros(k);
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > RANK * largest {
                impulse += vector * (vector.dot(&scaled) / value);
            }
        }
        for (i, y) in self.responses.chunks_exact(n.max(1)).enumerate() {
            let lam = impulse[i] * self.scale[i];
            out.iter_mut().zip(y).for_each(|(o, y)| *o += lam * y);
        }
        out
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
