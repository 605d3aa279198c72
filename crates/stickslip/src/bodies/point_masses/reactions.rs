//! The reactions of joints inside the model: J M⁻¹ Jᵀ with M⁻¹ that of masses held by their bars, factorised once per
//! configuration.
//!
//! As between rigid bodies, joints exclude motions of the mean velocity of a step, J(q_mid) (u⁺ + u) = −2 ŵ. The bars of each body hold
//! over the step as they do without joints, and answer the reactions as they answer any impulse.

use super::block::{Linkage, PointRows, Source};
use super::place::{Bodies, PointMassPlace};
use super::tetrahedron::{Quad, centre};
use super::world::{PointMassWorld, read, write};
use crate::bodies::Reaction;
use crate::bodies::joint::JointRow;
use crate::bodies::pose::exponential;
use crate::bodies::psd::Psd;
use crate::bodies::tolerance::{JOINT_OPEN, JOINT_STEPS};
use crate::error::Error;

/// J M⁻¹ Jᵀ of joints, with its factors.
#[derive(Debug, Default)]
pub(super) struct Reactions {
    pub(super) rows: PointRows,
    /// Pairs of rows of joints that share a body, and the joints that they belong to.
    places: Vec<[(usize, usize); 2]>,
    values: Vec<f64>,
    /// The pattern of the rows, and its factorisation.
    pattern: Vec<Linkage>,
    psd: Option<Psd>,
    rank: usize,
    lam: Vec<f64>,
    other: Vec<f64>,
    /// J̇ v, for accelerations.
    pub(super) convective: Vec<f64>,
    scratch: Vec<JointRow>,
}

impl Reactions {
    pub(super) fn redundancy(&self) -> usize {
        self.rows.values.len() - self.rank
    }

    /// Takes the pattern of the rows.
    fn lay_out(&mut self, bodies: usize) {
        self.pattern.clone_from(&self.rows.links);
        let links = &self.rows.links;
        let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for (i, link) in links.iter().enumerate() {
            link.bodies.iter().flatten().for_each(|&b| at_body[b].push(i));
        }
        let mut pairs: Vec<(usize, usize)> = (0..links.len()).map(|i| (i, i)).collect();
        for list in &at_body {
            for (n, &i) in list.iter().enumerate() {
                pairs.extend(list[..n].iter().map(|&j| (i.max(j), i.min(j))));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.places.clear();
        for (i, j) in pairs {
            for r in links[i].start..links[i].end {
                let columns = links[j].start..links[j].end;
                let lower = columns.filter(|&s| i != j || s <= r);
                self.places.extend(lower.map(|s| [(i, r), (j, s)]));
            }
        }
        let group = links.iter().enumerate();
        let group: Vec<usize> =
            group.flat_map(|(i, l)| std::iter::repeat_n(i, l.end - l.start)).collect();
        let places: Vec<(usize, usize)> = self.places.iter().map(|[a, b]| (a.1, b.1)).collect();
        self.psd = Some(Psd::new(self.rows.values.len(), &places, &group));
    }

    /// Takes the rows of these joints of a world, and factorises J M⁻¹ Jᵀ.
    pub(super) fn refresh(
        &mut self,
        world: &PointMassWorld,
        at: &Bodies,
        joints: impl Iterator<Item = usize>,
    ) {
        self.rows.clear();
        joints.for_each(|i| self.rows.push(world, at, Source::Joint(i)));
        if self.psd.is_none() || self.pattern != self.rows.links {
            self.lay_out(world.bodies.len());
        }
        self.values.clear();
        let (rows, links) = (&self.rows, &self.rows.links);
        let entry =
            |&[(i, r), (j, s)]: &[(usize, usize); 2]| rows.product((&links[i], r), (&links[j], s));
        self.values.extend(self.places.iter().map(entry));
        if let Some(psd) = &mut self.psd {
            self.rank = psd.factorize(&self.values);
        }
    }

    /// J M⁻¹ Jᵀ λ = −λ of the storage.
    fn solve(&mut self) {
        self.lam.iter_mut().for_each(|x| *x = -*x);
        if let Some(psd) = &mut self.psd {
            psd.solve(&mut self.lam);
        }
    }

    /// u += M⁻¹ Jᵀ λ with that λ.
    fn answer(&mut self, u: &mut [f64]) {
        self.solve();
        self.rows.add_response(&self.lam, u);
    }

    /// The displacement that takes away the errors in the storage of λ.
    fn shift(&mut self, velocities: usize) -> &[f64] {
        self.solve();
        self.other.clear();
        self.other.resize(velocities, 0.0);
        self.rows.add_response(&self.lam, &mut self.other);
        &self.other
    }

    /// Leaves the errors of all joints in the storage of λ; returns the largest, and the size of the mechanism to compare it with.
    fn errors(&mut self, world: &PointMassWorld, at: &Bodies) -> (f64, f64) {
        self.lam.clear();
        let mut size = 1.0_f64;
        for (i, link) in world.joints.iter().enumerate() {
            world.joint_errors(at, i, (&mut self.scratch, &mut self.lam));
            for body in link.bodies {
                size = size.max(at.poses[body].0.position.length());
            }
        }
        let worse = |m: f64, x: &f64| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) };
        (self.lam.iter().fold(0.0, worse), size)
    }

    /// u becomes what joints allow of it, or, with a velocity before, of its sum with a share of that.
    pub(super) fn hold(&mut self, before: Option<(&[f64], f64)>, u: &mut [f64]) {
        self.rows.velocities(u, &mut self.lam);
        if let Some((before, share)) = before {
            self.rows.velocities(before, &mut self.other);
            self.lam.iter_mut().zip(&self.other).for_each(|(a, b)| *a += share * b);
        }
        self.answer(u);
    }

    /// v̇ becomes what joints allow of it: J v̇ + J̇ v = 0.
    pub(super) fn hold_rates(&mut self, rate: &mut [f64]) {
        self.rows.velocities(rate, &mut self.lam);
        let known = self.rows.drive.iter().zip(&self.convective);
        self.lam.iter_mut().zip(known).for_each(|(x, (d, c))| *x += c - d);
        self.answer(rate);
    }

    /// u becomes what joints of bodies at rest allow of it: a product with a matrix.
    pub(super) fn project(&mut self, u: &mut [f64]) {
        self.rows.velocities(u, &mut self.lam);
        self.lam.iter_mut().zip(&self.rows.drive).for_each(|(x, d)| *x -= d);
        self.answer(u);
    }
}

impl PointMassWorld {
    /// Whether contacts see the reactions of joints.
    pub(super) fn is_held(&self) -> bool {
        self.reaction == Reaction::Inside && !self.joints.is_empty()
    }

    /// M⁻¹ times the collected rows, as the joints let the bodies answer.
    pub(super) fn hold_rows(&self, place: &mut PointMassPlace) {
        let PointMassPlace { reactions, collected, held, .. } = place;
        held.clear();
        if !self.is_held() {
            return;
        }
        let n = 12 * self.bodies.len();
        for link in &collected.links {
            collected.append_responses(link, n, held);
        }
        held.chunks_exact_mut(n.max(1)).for_each(|u| reactions.project(u));
    }

    /// Moves q, whose bars hold, onto the joints; returns how far they were off. Leaves the factors of the last
    /// configuration.
    pub(super) fn close_joints(
        &self,
        place: &mut PointMassPlace,
        q: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        let PointMassPlace { bodies, reactions, .. } = place;
        let (mut first, mut last) = (None, f64::INFINITY);
        for _ in 0..JOINT_STEPS {
            self.locate(q, t, bodies)?;
            reactions.refresh(self, bodies, 0..self.joints.len());
            let (off, size) = reactions.errors(self, bodies);
            first.get_or_insert(off);
            if !off.is_finite() {
                return Err(Error::NotFinite { what: "the error of a joint", t });
            }
            // Rounding, or no more progress.
            if off <= 4.0 * f64::EPSILON * size || (off >= 0.5 * last && off <= JOINT_OPEN * size) {
                return Ok(first.unwrap_or(0.0));
            }
            last = off;
            self.move_towards_joints(reactions, q);
        }
        Err(Error::Open { t, off: last })
    }

    /// One step of Newton's method. Bodies move as rigid ones, so that their bars keep their lengths.
    fn move_towards_joints(&self, reactions: &mut Reactions, q: &mut [f64]) {
        let shift = reactions.shift(q.len());
        for (i, body) in self.bodies.iter().enumerate() {
            let at = 12 * i..12 * i + 12;
            let x = read(&q[at.clone()]);
            let step = body.twist(&x, &read(&shift[at.clone()]));
            let (c, turn) = (centre(&x), exponential(step.angular));
            let moved: Quad = x.map(|x| c + step.linear + turn * (x - c));
            write(&moved, &mut q[at]);
        }
    }
}
