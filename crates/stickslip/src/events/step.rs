//! One step of Gauss collocation in a fixed mode, with everything that happens inside of it.
//!
//! Why this method: it keeps quadratic energies in balance with the work of the forces at its stages,
//! whatever the length of the step; the integrals of forces and powers are as accurate as the motion; its
//! polynomial is the dense output; and with accelerations as unknowns an iteration gains two orders.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | q0, u0, q1, u1 | state at the start and at the end | f |
//! | acc | accelerations at the stages | S × f |
//! | rates | of each closed contact at the stages: Λ_N, Λ_T, Λᵀγ, −Λᵀŵ | S × 4k |
//! | a_s, u_s, q_s, r_s | Legendre series of u̇, u, q and of the integrals of the rates, one row per component | |

use super::gauss::{Gauss, STAGES, integrate, legendre};
use super::motion::{Motion, Trouble};
use crate::dynamics::dot;
use crate::system::System;
use complementarity::Matrix;

/// Sweeps over the stages before a step counts as too long.
const SWEEPS: usize = 40;

/// Channels per closed contact: two impulses, the work of friction, the work of the drive.
pub(super) const CHANNELS: usize = 4;

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
    acc: Matrix,
    /// States at the stages.
    pub(super) stage_q: Matrix,
    pub(super) stage_u: Matrix,
    rates: Matrix,
    /// γ of the closed contacts at the stages.
    pub(super) stage_gamma: Matrix,
    a_s: Matrix,
    u_s: Matrix,
    q_s: Matrix,
    r_s: Matrix,
    /// The sizes of the velocities so far.
    pub(super) size_u: Vec<f64>,
    /// Sweeps that the last attempt took.
    pub(super) sweeps: usize,
    fresh: Vec<f64>,
    /// Of each acceleration in the last sweep: the largest change, the largest size.
    change: Vec<f64>,
    peak: Vec<f64>,
}

impl Step {
    pub(super) fn new(dof: usize) -> Self {
        Self {
            gauss: Gauss::new(),
            t: 0.0,
            h: 0.0,
            q0: vec![0.0; dof],
            u0: vec![0.0; dof],
            q1: vec![0.0; dof],
            u1: vec![0.0; dof],
            acc: Matrix::zeros(STAGES, dof),
            stage_q: Matrix::zeros(STAGES, dof),
            stage_u: Matrix::zeros(STAGES, dof),
            rates: Matrix::zeros(STAGES, 0),
            stage_gamma: Matrix::zeros(STAGES, 0),
            a_s: Matrix::zeros(dof, STAGES),
            u_s: Matrix::zeros(dof, STAGES + 1),
            q_s: Matrix::zeros(dof, STAGES + 2),
            r_s: Matrix::zeros(0, STAGES + 1),
            size_u: vec![0.0; dof],
            sweeps: 0,
            fresh: vec![0.0; dof],
            change: vec![0.0; dof],
            peak: vec![0.0; dof],
        }
    }

    /// Begins at a state, with accelerations that are the same in the whole step as a first guess.
    pub(super) fn restart(&mut self, t: f64, q: &[f64], u: &[f64], acc: &[f64]) {
        (self.t, self.h) = (t, 0.0);
        self.q0.copy_from_slice(q);
        self.u0.copy_from_slice(u);
        self.grow();
        self.a_s.as_mut_slice().fill(0.0);
        for (i, a) in acc.iter().enumerate() {
            self.a_s[(i, 0)] = *a;
        }
    }

    /// Begins where the last step ended; its accelerations, continued, are the first guess.
    pub(super) fn follow(&mut self) {
        self.t += self.h;
        self.q0.copy_from_slice(&self.q1);
        self.u0.copy_from_slice(&self.u1);
        self.grow();
    }

    fn grow(&mut self) {
        for (size, u) in self.size_u.iter_mut().zip(&self.u0) {
            *size = size.max(u.abs());
        }
    }

    /// Solves a step of length `h` from `(t, q0, u0)`. The guess is the series of accelerations at hand, which
    /// belongs to `[from, from + length]` in time relative to the start. Returns whether it converged.
    pub(super) fn attempt<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        motion: &mut Motion,
        h: f64,
        guess: (f64, f64),
    ) -> Result<bool, Trouble> {
        self.h = h;
        self.rates.reshape(STAGES, CHANNELS * motion.closed.len());
        self.stage_gamma.reshape(STAGES, 2 * motion.closed.len());
        self.predict(guess);
        let mut before = f64::INFINITY;
        for sweep in 1..=SWEEPS {
            self.sweeps = sweep;
            let (change, visible) = self.sweep(system, motion)?;
            // What no longer shrinks is rounding, if it is small enough for that.
            let rounding = sweep > 3 && change > 0.9 * before && visible <= 1e-13;
            if change <= 4.0 * f64::EPSILON || rounding {
                self.conclude();
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
            for i in 0..self.q0.len() {
                self.acc[(j, i)] = dot(self.a_s.row(i), &p);
            }
        }
    }

    /// Evaluates the accelerations at all stages, with the newest of the others. Returns the largest change of
    /// a velocity relative to its size, and the same for changes that rounding of q does not hide.
    fn sweep<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        motion: &mut Motion,
    ) -> Result<(f64, f64), Trouble> {
        let (f, h) = (self.q0.len(), self.h);
        self.change.fill(0.0);
        self.peak.copy_from_slice(&motion.parts);
        for j in 0..STAGES {
            self.stage(j);
            let t = self.t + self.gauss.c[j] * h;
            let (q, u) = (self.stage_q.row(j), self.stage_u.row(j));
            motion.evaluate(system, q, u, t, &mut self.fresh)?;
            for i in 0..f {
                let change = (self.fresh[i] - self.acc[(j, i)]).abs();
                if change.is_nan() {
                    return Ok((f64::INFINITY, f64::INFINITY));
                }
                self.change[i] = self.change[i].max(change);
                self.peak[i] = self.peak[i].max(self.fresh[i].abs());
                self.acc[(j, i)] = self.fresh[i];
            }
            self.record(motion, j);
        }
        let (mut worst, mut visible) = (0.0_f64, 0.0_f64);
        for i in (0..f).filter(|&i| self.change[i] > 0.0) {
            let size = self.size_u[i].max(h * self.peak[i]);
            worst = worst.max(h * self.change[i] / size);
            visible = visible.max(h * self.change[i] / size.max(self.q0[i].abs() / h));
        }
        Ok((worst, visible))
    }

    /// The state at stage `j`.
    fn stage(&mut self, j: usize) {
        let (g, h) = (&self.gauss, self.h);
        for i in 0..self.q0.len() {
            let (mut once, mut twice) = (0.0, 0.0);
            for l in 0..STAGES {
                let a = self.acc[(l, i)];
                once += g.a[j][l] * a;
                twice += g.a2[j][l] * a;
            }
            self.stage_u[(j, i)] = self.u0[i] + h * once;
            self.stage_q[(j, i)] = self.q0[i] + h * (g.c[j] * self.u0[i] + h * twice);
        }
    }

    fn record(&mut self, motion: &Motion, j: usize) {
        self.stage_gamma.row_mut(j).copy_from_slice(&motion.gamma);
        let u = self.stage_u.row(j);
        for i in 0..motion.closed.len() {
            let (n, t) = (2 * i, 2 * i + 1);
            let lam = [motion.lam[n], motion.lam[t]];
            let gamma = [motion.gamma[n], motion.gamma[t]];
            let moved = [n, t].map(|r| dot(motion.assembly.direction(r), u));
            let drive = lam[0] * (moved[0] - gamma[0]) + lam[1] * (moved[1] - gamma[1]);
            // γ_N is zero but for rounding, which a large force still turns into work.
            let work = lam[0] * gamma[0] + lam[1] * gamma[1];
            let rates = [lam[0], lam[1], work, drive];
            self.rates.row_mut(j)[CHANNELS * i..CHANNELS * (i + 1)].copy_from_slice(&rates);
        }
    }

    /// The end of the step and the series, from the accelerations.
    fn conclude(&mut self) {
        let (g, h) = (&self.gauss, self.h);
        for i in 0..self.q0.len() {
            let (mut once, mut twice) = (0.0, 0.0);
            for l in 0..STAGES {
                once += g.b[l] * self.acc[(l, i)];
                twice += g.b2[l] * self.acc[(l, i)];
            }
            self.u1[i] = self.u0[i] + h * once;
            self.q1[i] = self.q0[i] + h * (self.u0[i] + h * twice);
            for k in 0..STAGES {
                self.a_s[(i, k)] = g.coefficient(k, |j| self.acc[(j, i)]);
            }
            integrate(self.a_s.row(i), 0.5 * h, self.u_s.row_mut(i));
            self.u_s[(i, 0)] += self.u0[i];
            integrate(self.u_s.row(i), 0.5 * h, self.q_s.row_mut(i));
            self.q_s[(i, 0)] += self.q0[i];
        }
        let channels = self.rates.cols();
        self.r_s.reshape(channels, STAGES + 1);
        let mut series = [0.0; STAGES];
        for c in 0..channels {
            for (k, s) in series.iter_mut().enumerate() {
                *s = g.coefficient(k, |j| self.rates[(j, c)]);
            }
            integrate(&series, 0.5 * h, self.r_s.row_mut(c));
        }
    }

    /// The error inside of the step relative to the sizes of the velocities, from the last coefficients of
    /// the velocity series; and that of the forces, from theirs.
    pub(super) fn error(&self, motion: &Motion) -> (f64, f64) {
        let mut velocity = 0.0_f64;
        for i in 0..self.q0.len() {
            let series = self.u_s.row(i);
            let tail = series[STAGES].abs().max(0.1 * series[STAGES - 1].abs());
            // What rounding of q hides is no error of the step.
            if tail * self.h > 1e-15 * self.q0[i].abs() {
                velocity = velocity.max(tail / self.size_u[i].max(self.h * self.peak[i]));
            }
        }
        let mut forces = 0.0_f64;
        for r in 0..self.stage_gamma.cols() {
            let tail = self.gauss.tail(|j| self.stage_force(j, r));
            if tail > 0.0 {
                forces = forces.max(tail / (motion.load() * motion.unit[r]));
            }
        }
        (velocity, forces)
    }

    /// The state at the share τ of the step.
    pub(super) fn at(&self, tau: f64, q: &mut [f64], u: &mut [f64]) -> f64 {
        let p = legendre(2.0 * tau - 1.0);
        for i in 0..q.len() {
            q[i] = dot(self.q_s.row(i), &p);
            u[i] = dot(self.u_s.row(i), &p);
        }
        self.t + tau * self.h
    }

    /// The integral of a channel from the start to the share τ of the step.
    pub(super) fn integral(&self, channel: usize, tau: f64) -> f64 {
        dot(self.r_s.row(channel), &legendre(2.0 * tau - 1.0))
    }

    /// The force of component `r` (2 i + c) of a closed contact at stage `j`.
    pub(super) fn stage_force(&self, j: usize, r: usize) -> f64 {
        self.rates.row(j)[CHANNELS * (r / 2) + r % 2]
    }
}
