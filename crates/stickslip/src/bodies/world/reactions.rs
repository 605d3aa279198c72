//! The reactions of joints inside the model: J M⁻¹ Jᵀ, factorised once per configuration.

use super::place::{Bodies, WorldPlace};
use super::rows::{Linkage, Rows, Source};
use super::{Reaction, World};
use crate::bodies::Pose;
use crate::bodies::joint::JointRow;
use crate::bodies::pose::Coordinates;
use crate::bodies::pose::exponential;
use crate::bodies::psd::Psd;
use crate::bodies::tolerance::{JOINT_OPEN, JOINT_STEPS};
use crate::error::Error;
use glam::DVec3;

/// J M⁻¹ Jᵀ of joints, with its factors.
#[derive(Debug, Default)]
pub(super) struct Reactions {
    pub(super) rows: Rows,
    /// Pairs of rows of joints that share a body, and the joints that they belong to.
    places: Vec<(usize, usize)>,
    joints: Vec<(usize, usize)>,
    values: Vec<f64>,
    pairs: Vec<[f64; 2]>,
    /// The pattern of the rows, and its factorisation.
    pattern: Vec<Linkage>,
    psd: Option<Psd>,
    /// Rows less their rank, at the last factorisation.
    pub(super) redundancy: usize,
    pub(super) lam: Vec<f64>,
    other: Vec<f64>,
    /// J̇ u, for accelerations.
    pub(super) convective: Vec<f64>,
    scratch: Vec<JointRow>,
}

impl Reactions {
    /// Takes the rows of these joints of a world.
    pub(super) fn set_rows(
        &mut self,
        world: &World,
        at: &Bodies,
        joints: impl Iterator<Item = usize>,
    ) {
        self.rows.clear();
        joints.for_each(|i| self.rows.push(world, at, Source::Joint(i)));
        if self.psd.is_none() || self.pattern != self.rows.links {
            self.lay_out(world.free);
        }
    }

    /// Takes the rows of these joints of a world, and factorises J M⁻¹ Jᵀ.
    pub(super) fn refresh(
        &mut self,
        world: &World,
        at: &Bodies,
        joints: impl Iterator<Item = usize>,
    ) {
        self.set_rows(world, at, joints);
        self.values.clear();
        for (&(a, b), &(i, j)) in self.places.iter().zip(&self.joints) {
            let (first, second) = (self.rows.links[i], self.rows.links[j]);
            self.values.push(self.rows.product((&first, a), &self.rows.response, (&second, b)));
        }
        if let Some(psd) = &mut self.psd {
            self.redundancy = self.rows.values.len() - psd.factorize(&self.values);
        }
    }

    fn lay_out(&mut self, bodies: usize) {
        self.pattern.clone_from(&self.rows.links);
        let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for (i, link) in self.rows.links.iter().enumerate() {
            link.bodies.iter().flatten().for_each(|&b| at_body[b].push(i));
        }
        let mut pairs: Vec<(usize, usize)> = (0..self.rows.links.len()).map(|i| (i, i)).collect();
        for list in &at_body {
            for (n, &i) in list.iter().enumerate() {
                pairs.extend(list[..n].iter().map(|&j| (i.max(j), i.min(j))));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        self.places.clear();
        self.joints.clear();
        for (i, j) in pairs {
            let (a, b) = (self.rows.links[i], self.rows.links[j]);
            for r in a.start..a.start + a.rows {
                for s in (b.start..b.start + b.rows).filter(|&s| i != j || s <= r) {
                    self.places.push((r, s));
                    self.joints.push((i, j));
                }
            }
        }
        let links = self.rows.links.iter().enumerate();
        let group: Vec<usize> = links.flat_map(|(i, l)| std::iter::repeat_n(i, l.rows)).collect();
        self.psd = Some(Psd::new(self.rows.values.len(), &self.places, &group));
    }

    /// λ becomes (J M⁻¹ Jᵀ)⁻¹ λ.
    fn solve(&mut self) {
        if let Some(psd) = &mut self.psd {
            psd.solve(&mut self.lam);
        }
    }

    /// Factorises J times these responses to rows that link the same bodies.
    pub(super) fn factorize_against(&mut self, response: &[[[f64; 6]; 2]]) {
        self.pairs.clear();
        for (&(a, b), &(i, j)) in self.places.iter().zip(&self.joints) {
            let (first, second) = (self.rows.links[i], self.rows.links[j]);
            let one = self.rows.product((&first, a), response, (&second, b));
            let other = self.rows.product((&second, b), response, (&first, a));
            self.pairs.push([one, other]);
        }
        if let Some(psd) = &mut self.psd {
            psd.factorize_general(&self.pairs);
        }
    }

    /// λ becomes −A⁻¹ λ for the A of `factorize_against`.
    pub(super) fn solve_against(&mut self) {
        self.lam.iter_mut().for_each(|x| *x = -*x);
        if let Some(psd) = &mut self.psd {
            psd.solve_general(&mut self.lam);
        }
    }

    /// u += M⁻¹ Jᵀ λ such that J u = 0: without the motion of prescribed bodies, a product with a matrix.
    pub(super) fn project(&mut self, u: &mut [f64]) {
        self.rows.velocities(u, &mut self.lam);
        self.lam.iter_mut().zip(&self.rows.drive).for_each(|(x, d)| *x = d - *x);
        self.solve();
        self.rows.add_response(&self.lam, u);
    }

    /// u += M⁻¹ Jᵀ λ such that joints allow u.
    pub(super) fn hold(&mut self, u: &mut [f64]) {
        self.rows.velocities(u, &mut self.lam);
        self.lam.iter_mut().for_each(|x| *x = -*x);
        self.solve();
        self.rows.add_response(&self.lam, u);
    }

    /// u̇ += M⁻¹ Jᵀ λ such that J u̇ + J̇ u = 0.
    pub(super) fn hold_rates(&mut self, rate: &mut [f64]) {
        self.rows.velocities(rate, &mut self.lam);
        let known = self.rows.drive.iter().zip(&self.convective);
        self.lam.iter_mut().zip(known).for_each(|(x, (d, c))| *x = d - *x - c);
        self.solve();
        self.rows.add_response(&self.lam, rate);
    }

    /// What joints see of a change of velocities.
    pub(super) fn rates(&self, change: &[f64], rates: &mut Vec<f64>) {
        self.rows.velocities(change, rates);
        // Without the motion of prescribed bodies: this is a product with a matrix.
        rates.iter_mut().zip(&self.rows.drive).for_each(|(x, d)| *x -= d);
    }

    /// Rates of joints become the impulses that make them.
    pub(super) fn solve_rates(&mut self, rates: &mut [f64]) {
        if let Some(psd) = &mut self.psd {
            psd.solve(rates);
        }
    }

    /// Leaves the errors of all joints in the storage of λ; returns the largest, and the size of the mechanism to compare it with.
    pub(super) fn errors(&mut self, world: &World, at: &Bodies) -> (f64, f64) {
        self.lam.clear();
        let mut size = 1.0_f64;
        for i in 0..world.joints.len() {
            self.scratch.clear();
            world.joint_rows(at, i, &mut self.scratch);
            self.lam.extend(self.scratch.iter().map(|row| row.phi));
            for body in world.joint_bodies(i) {
                size = size.max(at.poses[body].0.position.length());
            }
        }
        let worse = |m: f64, x: &f64| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) };
        (self.lam.iter().fold(0.0, worse), size)
    }
}

impl World {
    /// Whether contacts see the reactions of joints.
    pub(super) fn is_held(&self) -> bool {
        self.reaction == Reaction::Inside && !self.joints.is_empty()
    }

    /// Factorises J M⁻¹ Jᵀ where the bodies are.
    pub(super) fn refresh_reactions(&self, place: &mut WorldPlace) {
        place.reactions.refresh(self, &place.bodies, 0..self.joints.len());
        place.redundancy = place.reactions.redundancy;
        place.fresh = true;
    }

    /// The same unless that is done.
    pub(super) fn refresh_if_stale(&self, place: &mut WorldPlace) {
        if !place.fresh {
            self.refresh_reactions(place);
        }
    }

    /// u += M⁻¹ Jᵀ λ such that joints allow the sum of u and a share of the velocity before.
    pub(super) fn hold_share(
        &self,
        place: &mut WorldPlace,
        before: &[f64],
        share: f64,
        u: &mut [f64],
    ) {
        self.refresh_if_stale(place);
        let r = &mut place.reactions;
        r.rows.velocities(u, &mut r.lam);
        r.rows.velocities(before, &mut r.other);
        r.lam.iter_mut().zip(&r.other).for_each(|(a, b)| *a = -(*a + share * b));
        r.solve();
        r.rows.add_response(&r.lam, u);
    }

    /// M⁻¹ times the collected rows, as the joints let the bodies answer.
    pub(super) fn hold_rows(&self, place: &mut WorldPlace) {
        place.held.clear();
        if !self.is_held() {
            return;
        }
        self.refresh_if_stale(place);
        let (n, f) = (place.rows.values.len(), 6 * self.free);
        place.held.resize(n * f, 0.0);
        for (k, u) in place.held.chunks_exact_mut(f).enumerate() {
            place.rows.response_of(k, u);
            place.reactions.project(u);
        }
    }

    /// Moves q onto the joints; returns how far they were off. Leaves the factors of the last configuration.
    pub(super) fn close_joints(
        &self,
        place: &mut WorldPlace,
        q: &mut [f64],
        t: f64,
    ) -> Result<f64, Error> {
        let (mut first, mut last) = (None, f64::INFINITY);
        for _ in 0..JOINT_STEPS {
            self.locate(q, t, &mut place.bodies);
            self.refresh_reactions(place);
            let (off, size) = place.reactions.errors(self, &place.bodies);
            first.get_or_insert(off);
            if !off.is_finite() {
                return Err(Error::NotFinite { what: "the error of a joint", t });
            }
            // Rounding, or no more progress.
            if off <= 4.0 * f64::EPSILON * size || (off >= 0.5 * last && off <= JOINT_OPEN * size) {
                return Ok(first.unwrap_or(0.0));
            }
            last = off;
            self.move_towards_joints(&mut place.reactions, q);
        }
        Err(Error::Open { t, off: last })
    }

    fn move_towards_joints(&self, r: &mut Reactions, q: &mut [f64]) {
        r.lam.iter_mut().for_each(|x| *x = -*x);
        r.solve();
        r.other.clear();
        r.other.resize(6 * self.free, 0.0);
        r.rows.add_response(&r.lam, &mut r.other);
        for i in 0..self.free {
            let d = &r.other[6 * i..6 * i + 6];
            let pose = Pose::read(&q[7 * i..]);
            let position = pose.position + DVec3::new(d[0], d[1], d[2]);
            let turn = exponential(DVec3::new(d[3], d[4], d[5]));
            let rotation = (turn * pose.rotation).normalize();
            Pose { position, rotation }.write(&mut q[7 * i..]);
        }
    }
}
