//! Links at given coordinates: poses, motion subspaces, articulated inertias, and the products that need them.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | r | from the parent's centre of mass to the link's | 3 |
//! | S | motion subspace: the motion of the link per velocity of its joint | 6 × k |
//! | I | articulated inertia: of the link with all that hangs on it, joints free | 6 × 6 |
//! | D, L | Sᵀ I S = L Lᵀ | k × k |
//! | Y | I S L⁻ᵀ | 6 × k |
//!
//! Featherstone, *Rigid Body Dynamics Algorithms*, 2008, section 7.3, with D factorised once, so that further products with
//! M⁻¹ are two sweeps over the links.

use super::spatial::{Inertia, Motion, Wrench};
use super::tree::Link;
use crate::bodies::spin::in_world;
use crate::bodies::{Pose, Twist};
use crate::error::Error;
use glam::{DMat3, DQuat, DVec3};

/// The most velocities of a joint.
const MOST: usize = 6;

#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    /// The coordinates and the time that the rest belongs to, if it is factorised.
    q: Vec<f64>,
    t: f64,
    factorised: bool,
    pub(super) poses: Vec<Pose>,
    /// Of links that are prescribed; 0 for others.
    pub(super) twists: Vec<Twist>,
    /// The rotation of the joint's frame in the parent.
    pub(super) frames: Vec<DQuat>,
    /// From the parent's centre to the joint, and from there to the link's centre.
    pub(super) levers: Vec<[DVec3; 2]>,
    /// S, by velocity.
    pub(super) s: Vec<Motion>,
    pub(super) moments: Vec<DMat3>,
    /// I, by link.
    articulated: Vec<Inertia>,
    /// Y, by velocity.
    y: Vec<Wrench>,
    /// L by rows, k² entries per link.
    l: Vec<f64>,
    /// Where L of each link begins.
    starts: Vec<usize>,
}

/// Storage of the sweeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    forces: Vec<Wrench>,
    motions: Vec<Motion>,
}

/// What motion adds to the equations: the bias c of each link's acceleration, and the force p that it takes to hold it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bias<'a> {
    pub(super) c: &'a [Motion],
    pub(super) p: &'a [Wrench],
    /// The acceleration of the ground: gravity upside down.
    pub(super) ground: DVec3,
}

impl Placement {
    /// Takes other coordinates, and factorises, unless that is done. Cost: proportional to the links.
    pub(super) fn place(&mut self, links: &[Link], q: &[f64], t: f64) -> Result<(), Error> {
        if self.factorised && self.t == t && self.q == q {
            return Ok(());
        }
        self.locate(links, q, t);
        self.factorise(links, q, t)
    }

    /// The coordinates where it was factorised last.
    pub(super) fn coordinates(&self) -> &[f64] {
        &self.q
    }

    /// The pose of a link by its number in the tree, where 0 is the ground.
    pub(super) fn pose(&self, number: usize) -> Pose {
        number.checked_sub(1).map_or_else(Pose::default, |link| self.poses[link])
    }

    /// Poses and S alone.
    pub(super) fn locate(&mut self, links: &[Link], q: &[f64], t: f64) {
        self.factorised = false;
        self.poses.clear();
        self.twists.clear();
        self.frames.clear();
        self.levers.clear();
        self.s.clear();
        self.moments.clear();
        for link in links {
            let parent = link.parent.map_or(Pose::default(), |p| self.poses[p]);
            let own = &q[link.q.clone()];
            let (turn, shift) = link.joint.placement(own);
            let frame = parent.rotation * link.on_parent.rotation;
            let joint = parent.rotation * link.on_parent.position + frame * shift;
            let rotation = frame * turn * link.on_link.rotation.inverse();
            let outer = -(rotation * link.on_link.position);
            for j in 0..link.u.len() {
                let column = link.joint.column(own, j);
                let angular = frame * column.turn;
                let linear = frame * column.shift + angular.cross(outer);
                self.s.push(Motion { angular, linear });
            }
            let position = parent.position + joint + outer;
            let (pose, twist) = match &link.moved {
                Some(moved) => moved.at(t),
                None => (Pose { position, rotation }, Twist::default()),
            };
            self.poses.push(pose);
            self.twists.push(twist);
            self.frames.push(frame);
            self.levers.push([joint, outer]);
            self.moments.push(in_world(link.mass.inertia(), pose.rotation));
        }
    }

    /// The articulated inertias where the links were located.
    pub(super) fn factorise(&mut self, links: &[Link], q: &[f64], t: f64) -> Result<(), Error> {
        self.articulated.clear();
        self.starts.clear();
        let mut end = 0;
        for (link, j) in links.iter().zip(&self.moments) {
            self.articulated.push(Inertia::rigid(link.mass.mass(), *j));
            self.starts.push(end);
            end += link.u.len() * link.u.len();
        }
        self.l.clear();
        self.l.resize(end, 0.0);
        self.y.clear();
        self.y.resize(self.s.len(), Wrench::default());
        for (i, link) in links.iter().enumerate().rev() {
            let mut inertia = self.articulated[i];
            let k = link.u.len();
            let (s, y) = (&self.s[link.u.clone()], &mut self.y[link.u.clone()]);
            y.iter_mut().zip(s).for_each(|(y, s)| *y = inertia.times(*s));
            let l = &mut self.l[self.starts[i]..][..k * k];
            cholesky(s, y, link.armature, l).map_err(|(j, pivot)| {
                let coordinate = format!("velocity {j} of link {}", i + 1);
                Error::Mass { t, coordinate, pivot }
            })?;
            for r in 0..k {
                for c in 0..r {
                    let before = y[c];
                    y[r].add_scaled(-l[r * k + c], before);
                }
                let scale = 1.0 / l[r * (k + 1)];
                y[r] = Wrench { torque: scale * y[r].torque, force: scale * y[r].force };
                inertia.reduce(y[r]);
            }
            if let Some(parent) = link.parent {
                let inertia = inertia.inward(self.reach(i));
                self.articulated[parent] += inertia;
            }
        }
        self.q.clear();
        self.q.extend_from_slice(q);
        (self.t, self.factorised) = (t, true);
        Ok(())
    }

    /// r.
    pub(super) fn reach(&self, link: usize) -> DVec3 {
        let [a, b] = self.levers[link];
        a + b
    }

    /// `out` = M⁻¹ (`tau` − h): accelerations with a bias, M⁻¹ `tau` without. `out` and `tau` have one number per
    /// velocity. Cost: proportional to the links.
    pub(super) fn solve(
        &self,
        links: &[Link],
        bias: Option<Bias<'_>>,
        tau: &[f64],
        sweep: &mut Sweep,
        out: &mut [f64],
    ) {
        sweep.forces.clear();
        match &bias {
            Some(b) => sweep.forces.extend_from_slice(b.p),
            None => sweep.forces.resize(links.len(), Wrench::default()),
        }
        for (i, link) in links.iter().enumerate().rev() {
            let mut p = sweep.forces[i];
            if let Some(b) = &bias {
                p += self.articulated[i].times(b.c[i]);
            }
            let k = link.u.len();
            let l = &self.l[self.starts[i]..][..k * k];
            for r in 0..k {
                let at = link.u.start + r;
                let mut x = tau[at] - self.s[at].dot(p);
                for c in 0..r {
                    x -= l[r * k + c] * out[link.u.start + c];
                }
                out[at] = x / l[r * (k + 1)];
            }
            if let Some(parent) = link.parent {
                for (y, x) in self.y[link.u.clone()].iter().zip(&out[link.u.clone()]) {
                    p.add_scaled(*x, *y);
                }
                sweep.forces[parent] += p.inward(self.reach(i));
            }
        }
        self.outward(links, bias, &mut sweep.motions, out);
    }

    /// The second sweep: accelerations of the links, and those of the joints from what the first has left in `out`.
    fn outward(
        &self,
        links: &[Link],
        bias: Option<Bias<'_>>,
        motions: &mut Vec<Motion>,
        out: &mut [f64],
    ) {
        let linear = bias.map_or(DVec3::ZERO, |b| b.ground);
        let ground = Motion { angular: DVec3::ZERO, linear };
        motions.clear();
        for (i, link) in links.iter().enumerate() {
            let from = link.parent.map_or(ground, |p| motions[p]);
            let mut a = from.outward(self.reach(i));
            let k = link.u.len();
            let l = &self.l[self.starts[i]..][..k * k];
            let x = &mut out[link.u.clone()];
            x.iter_mut().zip(&self.y[link.u.clone()]).for_each(|(x, y)| *x -= a.dot(*y));
            for r in (0..k).rev() {
                for c in r + 1..k {
                    x[r] -= l[c * k + r] * x[c];
                }
                x[r] /= l[r * (k + 1)];
            }
            if let Some(b) = &bias {
                a = a + b.c[i];
            }
            self.s[link.u.clone()].iter().zip(&*x).for_each(|(s, x)| a.add_scaled(*x, *s));
            motions.push(a);
        }
    }

    /// The forces that give the accelerations `x`, by recursive Newton-Euler: M x + h with a bias, M x without.
    pub(super) fn inverse(
        &self,
        links: &[Link],
        bias: Option<Bias<'_>>,
        x: &[f64],
        sweep: &mut Sweep,
        out: &mut [f64],
    ) {
        let linear = bias.map_or(DVec3::ZERO, |b| b.ground);
        let ground = Motion { angular: DVec3::ZERO, linear };
        let Sweep { motions, forces } = sweep;
        motions.clear();
        forces.clear();
        for (i, link) in links.iter().enumerate() {
            let from = link.parent.map_or(ground, |p| motions[p]);
            let mut a = from.outward(self.reach(i));
            self.s[link.u.clone()]
                .iter()
                .zip(&x[link.u.clone()])
                .for_each(|(s, x)| a.add_scaled(*x, *s));
            if let Some(b) = &bias {
                a = a + b.c[i];
            }
            let mut f = Inertia::rigid(link.mass.mass(), self.moments[i]).times(a);
            if let Some(b) = &bias {
                f += b.p[i];
            }
            motions.push(a);
            forces.push(f);
        }
        for (i, link) in links.iter().enumerate().rev() {
            for at in link.u.clone() {
                out[at] = self.s[at].dot(forces[i]) + link.armature * x[at];
            }
            if let Some(parent) = link.parent {
                let f = forces[i].inward(self.reach(i));
                forces[parent] += f;
            }
        }
    }

    /// Adds to `row`, one number per velocity, the generalised force of a wrench on a link. Cost: proportional to the
    /// depth of the link.
    pub(super) fn add_wrench(&self, links: &[Link], at: usize, wrench: Wrench, row: &mut [f64]) {
        let (mut i, mut f) = (at, wrench);
        // A parent has a smaller number than its child.
        loop {
            for j in links[i].u.clone() {
                row[j] += self.s[j].dot(f);
            }
            let Some(parent) = links[i].parent else { return };
            f = f.inward(self.reach(i));
            i = parent;
        }
    }

    /// Adds to `row` the sizes of the terms that [`add_wrench`](Self::add_wrench) sums for a wrench whose torque and force are
    /// made of terms of these sizes: what rounding is measured by.
    pub(super) fn add_sizes(
        &self,
        links: &[Link],
        at: usize,
        (mut torque, force): (f64, f64),
        row: &mut [f64],
    ) {
        let mut i = at;
        loop {
            for j in links[i].u.clone() {
                row[j] += self.s[j].angular.length() * torque + self.s[j].linear.length() * force;
            }
            let Some(parent) = links[i].parent else { return };
            torque += self.reach(i).length() * force;
            i = parent;
        }
    }

    /// M by rows, by composite rigid bodies. Cost: velocities times depth.
    pub(super) fn mass_matrix(&self, links: &[Link]) -> Vec<f64> {
        let n = self.s.len();
        let mut m = vec![0.0; n * n];
        let rigid = |(link, j): (&Link, &DMat3)| Inertia::rigid(link.mass.mass(), *j);
        let mut composite: Vec<Inertia> = links.iter().zip(&self.moments).map(rigid).collect();
        for (i, link) in links.iter().enumerate().rev() {
            for j in link.u.clone() {
                let f = composite[i].times(self.s[j]);
                let mut row = vec![0.0; n];
                self.add_wrench(links, i, f, &mut row);
                for (c, x) in row.into_iter().enumerate().filter(|(_, x)| *x != 0.0) {
                    (m[j * n + c], m[c * n + j]) = (x, x);
                }
                m[j * (n + 1)] += link.armature;
            }
            if let Some(parent) = link.parent {
                let inertia = composite[i].inward(self.reach(i));
                composite[parent] += inertia;
            }
        }
        m
    }
}

/// L of D = Sᵀ (I S) + armature; the number and the pivot of a velocity that has no inertia.
fn cholesky(s: &[Motion], is: &[Wrench], armature: f64, l: &mut [f64]) -> Result<(), (usize, f64)> {
    let k = s.len().min(MOST);
    for r in 0..k {
        for c in 0..=r {
            let mut d = s[r].dot(is[c]);
            for j in 0..c {
                d -= l[r * k + j] * l[c * k + j];
            }
            if r == c {
                d += armature;
                if !(d > 0.0 && d.is_finite()) {
                    return Err((r, d));
                }
                l[r * k + r] = d.sqrt();
            } else {
                l[r * k + c] = d / l[c * k + c];
            }
        }
    }
    Ok(())
}
