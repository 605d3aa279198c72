//! One step of Gauss collocation in a fixed mode, with everything that happens inside of it.
//!
//! Why this method: it keeps quadratic energies in balance with the work of the forces at its stages,
//! whatever the length of the step; the integrals of forces and powers are as accurate as the motion; its
//! polynomial is the dense output; and with accelerations as unknowns an iteration gains two orders.
//!
//! Coordinates are local ones ξ about those of the start, in which ξ̇ = u + ρ(ξ, u); ρ = 0 but for models that are curved, where
//! rotations do not add up.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q0, u0, q1, u1 | state at the start and at the end | coordinates, f |
//! | acc | accelerations at the stages | f × S |
//! | rho | ρ at the stages of a curved model | S × f |
//! | rates | of each closed contact at the stages: Λ, Λᵀγ, −Λᵀŵ; of each reaction inside: λ, −λŵ; the power of forces | S × (n + 2k + 2c + 1) |
//! | a_s, u_s, x_s, r_s | Legendre series of u̇, u, ξ (q where it is q0 + ξ) and of the integrals of the rates, one row per component | |

use super::gauss::{Gauss, STAGES, integrate, legendre};
use super::motion::{Motion, Trouble};
use super::slip::Closed;
use super::slip_newton::SlipNewton;
use super::tolerance::{CONVERGED, HIDDEN, ROUNDING, UNSEEN};
use crate::contact::Mode;
use crate::dynamics::dot;
use crate::model::{Model, is_curved};
use complementarity::Matrix;

/// Sweeps over the stages before a step counts as too long.
const SWEEPS: usize = 40;

/// A step of length zero or more, and what was computed in it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) gauss: Gauss,
    pub(super) t: f64,
    pub(super) h: f64,
    pub(super) q0: Vec<f64>,
    pub(super) u0: Vec<f64>,
    pub(super) q1: Vec<f64>,
    pub(super) u1: Vec<f64>,
    pub(super) curved: bool,
    acc: Vec<[f64; STAGES]>,
    rho: Matrix,
    /// States at the stages.
    pub(super) stage_q: Matrix,
    pub(super) stage_u: Matrix,
    rates: Matrix,
    /// The slips of the closed contacts at the stages, and the friction of those that skim.
    stage_slip: Matrix,
    stage_share: Matrix,
    a_s: Matrix,
    u_s: Matrix,
    x_s: Matrix,
    r_s: Matrix,
    /// The sizes of the velocities so far, and of the coordinates at the start.
    pub(super) size_u: Vec<f64>,
    size_q: Vec<f64>,
    /// How far each coordinate was from zero at the start of the run, and the length of its path since.
    pub(super) reach: Vec<f64>,
    /// How far the step moves closed contacts, as a share of what their coordinates have covered; infinite where that is nothing.
    pub(super) unheld: f64,
    /// Sweeps that the last attempt took.
    pub(super) sweeps: usize,
    fresh: Vec<f64>,
    /// ξ and ξ̇ at a stage.
    xi: Vec<f64>,
    xi_rate: Vec<f64>,
    /// Of each acceleration in the last sweep: the largest change, and the largest parts of which it was the sum. Where these cancel, as
    /// those of a contact that sticks, what is left is their rounding.
    change: Vec<f64>,
    pub(super) peak: Vec<f64>,
    /// What reactions inside of the model took away, at most: of that there is rounding as well.
    held: Vec<f64>,
    /// The largest change of each ρ.
    bend: Vec<f64>,
    slips: SlipNewton,
}

impl Step {
    pub(super) fn new<M: Model>(model: &M) -> Self {
        let (coordinates, dof) = (model.coordinates(), model.velocities());
        let curved = is_curved(model);
        Self {
            gauss: Gauss::new(),
            t: 0.0,
            h: 0.0,
            q0: vec![0.0; coordinates],
            u0: vec![0.0; dof],
            q1: vec![0.0; coordinates],
            u1: vec![0.0; dof],
            curved,
            acc: vec![[0.0; STAGES]; dof],
            rho: Matrix::zeros(STAGES, if curved { dof } else { 0 }),
            stage_q: Matrix::zeros(STAGES, coordinates),
            stage_u: Matrix::zeros(STAGES, dof),
            rates: Matrix::zeros(STAGES, 0),
            stage_slip: Matrix::zeros(STAGES, 0),
            stage_share: Matrix::zeros(STAGES, 0),
            a_s: Matrix::zeros(dof, STAGES),
            u_s: Matrix::zeros(dof, STAGES + 1),
            x_s: Matrix::zeros(dof, STAGES + 2),
            r_s: Matrix::zeros(0, STAGES + 1),
            size_u: vec![0.0; dof],
            size_q: vec![0.0; dof],
            reach: vec![0.0; dof],
            unheld: 0.0,
            sweeps: 0,
            fresh: vec![0.0; dof],
            xi: vec![0.0; dof],
            xi_rate: vec![0.0; dof],
            change: vec![0.0; dof],
            peak: vec![0.0; dof],
            held: vec![0.0; dof],
            bend: vec![0.0; dof],
            slips: SlipNewton::default(),
        }
    }

    /// Begins at a state, with accelerations that are the same in the whole step as a first guess.
    pub(super) fn restart<M: Model>(
        &mut self,
        model: &M,
        (q, u, t): (&[f64], &[f64], f64),
        acc: &[f64],
    ) {
        (self.t, self.h) = (t, 0.0);
        self.q0.copy_from_slice(q);
        self.u0.copy_from_slice(u);
        self.grow(model);
        self.a_s.as_mut_slice().fill(0.0);
        for (i, a) in acc.iter().enumerate() {
            self.a_s[(i, 0)] = *a;
        }
    }

    /// Begins where the last step ended; its accelerations, continued, are the first guess.
    pub(super) fn follow<M: Model>(&mut self, model: &M) {
        self.t += self.h;
        self.q0.copy_from_slice(&self.q1);
        self.u0.copy_from_slice(&self.u1);
        self.grow(model);
    }

    fn grow<M: Model>(&mut self, model: &M) {
        for (size, u) in self.size_u.iter_mut().zip(&self.u0) {
            *size = size.max(u.abs());
        }
        model.pool(&mut self.size_u);
        model.sizes(&self.q0, &mut self.size_q);
    }

    /// Forgets the motion before a state at which a run begins.
    pub(super) fn begin_run<M: Model>(&mut self, model: &M, q: &[f64]) {
        model.sizes(q, &mut self.reach);
    }

    /// Adds the step to the paths of the coordinates, where it is more than rounding of the parts of which accelerations are sums.
    pub(super) fn cover(&mut self, parts: &[f64]) {
        let h = self.h;
        for (i, reach) in self.reach.iter_mut().enumerate() {
            let fastest = self.u0[i].abs().max(self.u1[i].abs());
            if fastest > ROUNDING * h * parts[i] {
                *reach += h * fastest;
            }
        }
    }

    /// Solves a step of length `h` from `(t, q0, u0)`. The guess is the series of accelerations at hand, which
    /// belongs to `[from, from + length]` in time relative to the start. Returns whether it converged.
    pub(super) fn attempt<M: Model>(
        &mut self,
        (model, place): (&M, &mut M::Place),
        motion: &mut Motion,
        h: f64,
        guess: (f64, f64),
    ) -> Result<bool, Trouble> {
        self.h = h;
        let channels = motion.components() + 2 * motion.closed.len() + 2 * motion.connections + 1;
        self.rates.reshape(STAGES, channels);
        self.stage_slip.reshape(STAGES, motion.closed.len());
        self.stage_share.reshape(STAGES, motion.closed.len());
        self.predict(guess);
        self.slips.start(motion);
        let mut before = f64::INFINITY;
        for sweep in 1..=SWEEPS {
            self.sweeps = sweep;
            let swept = self.sweep((model, &mut *place), motion);
            motion.steer(None);
            let (change, visible) = swept?;
            // What no longer shrinks is rounding, if it is small enough for that.
            let rounding = sweep > 3 && change > 0.9 * before && visible <= CONVERGED;
            if change <= 4.0 * f64::EPSILON || rounding {
                self.finish_step(model);
                return Ok(true);
            }
            if !change.is_finite() || (sweep > 6 && change > 4.0 * before) {
                return Ok(false);
            }
            before = change;
        }
        Ok(false)
    }

    fn predict(&mut self, (from, length): (f64, f64)) {
        for j in 0..STAGES {
            // Beyond two lengths a continued polynomial is worse than a constant.
            let x = if length > 0.0 {
                2.0 * (self.gauss.c[j] * self.h - from) / length - 1.0
            } else {
                0.0
            };
            let p = legendre(x.clamp(-2.0, 2.0));
            for i in 0..self.u0.len() {
                self.acc[i][j] = dot(self.a_s.row(i), &p);
            }
        }
        self.rho.as_mut_slice().fill(0.0);
    }

    /// Evaluates the accelerations at all stages, with the newest of the others. Returns the largest change of
    /// a velocity relative to its size, and the same for changes that rounding of q does not hide.
    fn sweep<M: Model>(
        &mut self,
        (model, place): (&M, &mut M::Place),
        motion: &mut Motion,
    ) -> Result<(f64, f64), Trouble> {
        let h = self.h;
        self.change.fill(0.0);
        self.bend.fill(0.0);
        self.unheld = 0.0;
        self.peak.copy_from_slice(&motion.parts);
        self.held.fill(0.0);
        let newton = !self.slips.is_empty();
        self.slips.begin();
        for j in 0..STAGES {
            self.stage(model, j);
            let t = self.t + self.gauss.c[j] * h;
            let (q, u) = (self.stage_q.row(j), self.stage_u.row(j));
            if newton {
                motion.steer(Some(self.slips.at(j)));
            }
            motion.evaluate((model, &mut *place), q, u, t, &mut self.fresh)?;
            self.peak.iter_mut().zip(motion.parts_now()).for_each(|(p, a)| *p = p.max(*a));
            self.held.iter_mut().zip(&motion.held).for_each(|(p, a)| *p = p.max(*a));
            if newton {
                self.slips.take(motion, self.fresh.iter().zip(&self.acc).map(|(a, b)| a - b[j]));
            } else if !self.renew(j) {
                return Ok((f64::INFINITY, f64::INFINITY));
            }
            self.record(motion, j);
            let power = model.power(self.stage_q.row(j), self.stage_u.row(j), t);
            let last = self.power_channel();
            self.rates.row_mut(j)[last] = power;
        }
        if newton {
            self.slips.solve(&self.gauss, self.u0.len(), h);
            for j in 0..STAGES {
                let change = self.slips.change(j, self.u0.len());
                for ((fresh, acc), change) in self.fresh.iter_mut().zip(&self.acc).zip(change) {
                    *fresh = acc[j] + change;
                }
                if !self.renew(j) {
                    return Ok((f64::INFINITY, f64::INFINITY));
                }
            }
        }
        Ok(self.largest_change())
    }

    /// Takes the accelerations just found at a stage; false if one is not a number.
    fn renew(&mut self, j: usize) -> bool {
        let mut number = true;
        for ((acc, fresh), most) in self.acc.iter_mut().zip(&self.fresh).zip(&mut self.change) {
            let change = (fresh - acc[j]).abs();
            number &= !change.is_nan();
            *most = most.max(change);
            acc[j] = *fresh;
        }
        number
    }

    fn largest_change(&self) -> (f64, f64) {
        let h = self.h;
        let (mut worst, mut visible) = (0.0_f64, 0.0_f64);
        for i in (0..self.u0.len()).filter(|&i| self.change[i] > 0.0) {
            let size = self.size_u[i].max(h * self.peak[i].max(self.held[i]));
            // What is zero now, after a guess that was not, has changed by all of itself.
            worst = worst.max(if size > 0.0 { h * self.change[i] / size } else { 1.0 });
            visible = visible.max(h * self.change[i] / size.max(self.size_q[i] / h));
        }
        for i in (0..self.u0.len()).filter(|&i| self.bend[i] > 0.0) {
            let size = self.size_u[i].max(h * self.peak[i]).max(self.size_q[i] / h);
            worst = worst.max(self.bend[i] / size);
            visible = visible.max(self.bend[i] / size);
        }
        (worst, visible)
    }

    /// The state at stage `j`.
    fn stage<M: Model>(&mut self, model: &M, j: usize) {
        let (g, h) = (&self.gauss, self.h);
        let (a, a2) = (&g.a[j], &g.a2[j]);
        let to = self.stage_u.row_mut(j).iter_mut().zip(&mut self.xi);
        for ((u, x), (acc, u0)) in to.zip(self.acc.iter().zip(&self.u0)) {
            let (mut once, mut twice) = (0.0, 0.0);
            for l in 0..STAGES {
                once += a[l] * acc[l];
                twice += a2[l] * acc[l];
            }
            *u = u0 + h * once;
            *x = h * (g.c[j] * u0 + h * twice);
        }
        if !self.curved {
            let q = self.stage_q.row_mut(j);
            q.iter_mut().zip(&self.q0).zip(&self.xi).for_each(|((q, q0), x)| *q = q0 + x);
            return;
        }
        for i in 0..self.u0.len() {
            self.xi[i] += h * (0..STAGES).map(|l| g.a[j][l] * self.rho[(l, i)]).sum::<f64>();
        }
        model.displace(&self.q0, &self.xi, self.stage_q.row_mut(j));
        model.chart_rate(&self.xi, self.stage_u.row(j), &mut self.xi_rate);
        for i in 0..self.u0.len() {
            let rho = self.xi_rate[i] - self.stage_u[(j, i)];
            self.bend[i] = self.bend[i].max((rho - self.rho[(j, i)]).abs());
            self.rho[(j, i)] = rho;
        }
    }

    fn record(&mut self, motion: &Motion, j: usize) {
        let u = self.stage_u.row(j);
        for (i, c) in motion.closed.iter().enumerate() {
            let (mut work, mut drive) = (0.0, 0.0);
            let start = channel(c, i);
            self.stage_slip[(j, i)] = c.slip(&motion.gamma);
            self.stage_share[(j, i)] = c.share;
            let held = c.start..c.start + if c.mode == Mode::Stick { c.rows } else { 1 };
            for r in held.filter(|&r| motion.gamma[r] != 0.0) {
                let terms = motion.at.direction(r).iter().zip(&self.reach);
                let covered: f64 = terms.map(|(w, reach)| w.abs() * reach).sum();
                self.unheld = self.unheld.max(self.h * motion.gamma[r].abs() / covered);
            }
            for r in c.start..c.start + c.rows {
                let (lam, gamma) = (motion.lam[r], motion.gamma[r]);
                // γ_N is zero but for rounding, which a large force still turns into work.
                work += lam * gamma;
                drive += lam * (dot(motion.at.direction(r), u) - gamma);
                self.rates.row_mut(j)[start + r - c.start] = lam;
            }
            self.rates.row_mut(j)[start + c.rows] = work;
            self.rates.row_mut(j)[start + c.rows + 1] = drive;
        }
        let (first, inside) = (self.reaction_channel(motion), &motion.at.inside);
        for (i, (_, lam)) in inside.of(&motion.lam, true).enumerate() {
            self.rates.row_mut(j)[first + 2 * i] = lam;
            // wᵀu = −ŵ on the constraint.
            self.rates.row_mut(j)[first + 2 * i + 1] = -lam * inside.drive[i];
        }
    }

    /// The end of the step and the series, from the accelerations.
    fn finish_step<M: Model>(&mut self, model: &M) {
        let (g, h) = (&self.gauss, self.h);
        for i in 0..self.u0.len() {
            let (mut once, mut twice) = (0.0, 0.0);
            for l in 0..STAGES {
                once += g.b[l] * self.acc[i][l];
                twice += g.b2[l] * self.acc[i][l];
            }
            self.u1[i] = self.u0[i] + h * once;
            self.xi[i] = h * (self.u0[i] + h * twice);
            for k in 0..STAGES {
                self.a_s[(i, k)] = g.coefficient(k, |j| self.acc[i][j]);
            }
            integrate(self.a_s.row(i), 0.5 * h, self.u_s.row_mut(i));
            self.u_s[(i, 0)] += self.u0[i];
            integrate(self.u_s.row(i), 0.5 * h, self.x_s.row_mut(i));
        }
        if self.curved {
            self.bend_end();
            model.displace(&self.q0, &self.xi, &mut self.q1);
        } else {
            for i in 0..self.q0.len() {
                self.q1[i] = self.q0[i] + self.xi[i];
                self.x_s[(i, 0)] += self.q0[i];
            }
        }
        let channels = self.rates.cols();
        self.r_s.reshape(channels, STAGES + 1);
        let mut series = [0.0; STAGES];
        for c in 0..channels {
            for (k, s) in series.iter_mut().enumerate() {
                *s = self.gauss.coefficient(k, |j| self.rates[(j, c)]);
            }
            integrate(&series, 0.5 * h, self.r_s.row_mut(c));
        }
    }

    /// Adds the integral of ρ to the local coordinates of the end and to their series.
    fn bend_end(&mut self) {
        let (g, h) = (&self.gauss, self.h);
        let (mut series, mut integral) = ([0.0; STAGES], [0.0; STAGES + 1]);
        for i in 0..self.u0.len() {
            self.xi[i] += h * (0..STAGES).map(|l| g.b[l] * self.rho[(l, i)]).sum::<f64>();
            for (k, s) in series.iter_mut().enumerate() {
                *s = g.coefficient(k, |j| self.rho[(j, i)]);
            }
            integrate(&series, 0.5 * h, &mut integral);
            let row = self.x_s.row_mut(i);
            row.iter_mut().zip(&integral).for_each(|(x, y)| *x += y);
        }
    }

    /// The error inside of the step relative to the sizes of the velocities, from the last coefficients of
    /// the velocity series; and that of the forces, from theirs.
    pub(super) fn error(&self, motion: &Motion) -> (f64, f64) {
        let mut velocity = 0.0_f64;
        for i in 0..self.u0.len() {
            let series = self.u_s.row(i);
            let mut tail = series[STAGES].abs().max(0.1 * series[STAGES - 1].abs());
            if self.curved {
                tail = tail.max(0.1 * self.gauss.tail(|j| self.rho[(j, i)]));
            }
            // What rounding of q hides is no error of the step, nor is that of what reactions took away.
            if tail * self.h > UNSEEN * self.size_q[i] && tail > ROUNDING * self.h * self.held[i] {
                velocity = velocity.max(tail / self.size_u[i].max(self.h * self.peak[i]));
            }
        }
        let mut forces = 0.0_f64;
        for (i, c) in motion.closed.iter().enumerate() {
            let lam = |j: usize, r: usize| self.rates.row(j)[channel(c, i) + r];
            // In space the frame of the tangents may jump, but not the size of friction.
            let alone = if c.rows > 2 { 1 } else { c.rows };
            for r in 0..alone {
                let tail = self.gauss.tail(|j| lam(j, r));
                if tail > 0.0 {
                    forces = forces.max(tail / (motion.load() * motion.unit[c.start + r]));
                }
            }
            if c.rows > 2 {
                let square = |j: usize| (1..c.rows).map(|r| lam(j, r) * lam(j, r)).sum();
                let tail = self.gauss.tail(square);
                let unit = motion.load() * motion.unit[c.start + 1];
                if tail > 0.0 {
                    forces = forces.max(tail / (unit * unit));
                }
            }
        }
        (velocity, (forces - self.hidden(motion)).max(0.0))
    }

    /// What rounding makes of forces, as a share of them: the direction of a slow slip in space is that of a small difference.
    fn hidden(&self, motion: &Motion) -> f64 {
        let slips = motion.closed.iter().enumerate().filter(|(_, c)| c.mode == Mode::Slip);
        slips.fold(0.0, |most, (i, c)| {
            let fastest = (0..STAGES).fold(c.noise, |m, j| m.max(self.stage_slip(j, i).abs()));
            if fastest > 0.0 { most.max((c.noise / fastest).min(HIDDEN)) } else { most }
        })
    }

    /// The state at the share τ of the step.
    pub(super) fn at<M: Model>(
        &self,
        model: &M,
        tau: f64,
        (q, u): (&mut [f64], &mut [f64]),
        xi: &mut [f64],
    ) -> f64 {
        let p = legendre(2.0 * tau - 1.0);
        for i in 0..u.len() {
            xi[i] = dot(self.x_s.row(i), &p);
            u[i] = dot(self.u_s.row(i), &p);
        }
        if self.curved {
            model.displace(&self.q0, xi, q);
        } else {
            q.copy_from_slice(xi);
        }
        self.t + tau * self.h
    }

    /// The integral of a channel from the start to the share τ of the step.
    pub(super) fn integral(&self, channel: usize, tau: f64) -> f64 {
        dot(self.r_s.row(channel), &legendre(2.0 * tau - 1.0))
    }

    /// The force of a closed contact, given with its number among them, at stage `j`.
    pub(super) fn stage_force(&self, j: usize, (i, c): (usize, &Closed)) -> &[f64] {
        &self.rates.row(j)[channel(c, i)..][..c.rows]
    }

    /// The slip of the i-th closed contact along its direction at the start, at stage `j`.
    pub(super) fn stage_slip(&self, j: usize, i: usize) -> f64 {
        self.stage_slip[(j, i)]
    }

    /// The friction of the i-th closed contact, if it skims, at stage `j`.
    pub(super) fn stage_share(&self, j: usize, i: usize) -> f64 {
        self.stage_share[(j, i)]
    }

    /// The first channel of reactions inside of the model, each with its work, after those of the contacts.
    pub(super) fn reaction_channel(&self, motion: &Motion) -> usize {
        motion.components() + 2 * motion.closed.len()
    }

    /// The channel of the work of forces without a potential, which is the last.
    pub(super) fn power_channel(&self) -> usize {
        self.rates.cols() - 1
    }

    /// Takes the start as the end of a step of no length.
    pub(super) fn stay(&mut self) {
        self.h = 0.0;
        self.q1.copy_from_slice(&self.q0);
        self.u1.copy_from_slice(&self.u0);
    }
}

/// The first channel of the i-th closed contact: its components, then the work of friction and of the drive.
pub(super) fn channel(c: &Closed, i: usize) -> usize {
    c.start + 2 * i
}
