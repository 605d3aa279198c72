//! Putting closed contacts back on g = 0 and γ = 0, by the smallest change in the norm of the mass matrix.

use super::flow::EventDriven;
use super::linear::{Small, Solved};
use super::transition::Touch;
use crate::contact::{ContactProblem, Mode};
use crate::error::Error;
use crate::run::Drift;
use crate::system::System;
use complementarity::Matrix;

impl<S: System + ?Sized> EventDriven<'_, S> {
    /// Puts g = 0 by the smallest change of q in the norm of the mass matrix; two steps of Newton.
    pub(super) fn project_position(&mut self, touch: &[Touch]) -> Result<(), Error> {
        for round in 0..3 {
            self.system.gaps(&self.state.q, self.state.t, &mut self.gaps);
            let depth: Vec<f64> = touch.iter().map(|c| -self.gaps[c.contact]).collect();
            let deepest = depth.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            let Some((worst, size)) = deepest.map(|(i, d)| (touch[i].contact, d.abs())) else {
                return Ok(());
            };
            if round == 0 && size > self.counts.drift.depth {
                let (contact, t) = (Some(worst), self.state.t);
                self.counts.drift = Drift { depth: size, contact, t };
            }
            if size <= 0.125 * self.watch.gap_noise[worst] {
                return Ok(());
            }
            self.collect(touch)?;
            let rows: Vec<usize> = (0..touch.len()).map(|i| 2 * i).collect();
            let mut q = std::mem::take(&mut self.state.q);
            self.shift(&rows, &depth, &mut q);
            self.state.q = q;
        }
        Ok(())
    }

    /// x += M⁻¹ H Λ such that the components `rows` of Hᵀ x change by `by`; nothing if they contradict.
    fn shift(&mut self, rows: &[usize], by: &[f64], x: &mut [f64]) -> Vec<f64> {
        let assembly = &self.motion.assembly;
        let mut problem = ContactProblem::default();
        let n = 2 * assembly.contacts().len();
        assembly.pose(&vec![0.0; n], assembly.laws(&self.info), &mut problem);
        let w = problem.planar_delassus();
        let unit = |r: usize| if w[(r, r)] > 0.0 { 1.0 / w[(r, r)].sqrt() } else { 1.0 };
        let a = Matrix::from_fn(rows.len(), rows.len(), |i, j| {
            unit(rows[i]) * w[(rows[i], rows[j])] * unit(rows[j])
        });
        let mut y: Vec<f64> = rows.iter().zip(by).map(|(&r, b)| unit(r) * b).collect();
        let mut lam = vec![0.0; n];
        if Small::default().solve(&a, &mut y) != Solved::No {
            for (&r, y) in rows.iter().zip(&y) {
                lam[r] = unit(r) * y;
            }
            assembly.apply(&lam, x);
        }
        lam
    }

    /// Puts γ_N = 0 at contacts that stay closed and γ_T = 0 at those that do not slide.
    pub(super) fn project_velocity(&mut self, touch: &[Touch]) -> Result<(), Error> {
        let mut rows = Vec::new();
        for (i, c) in touch.iter().enumerate().filter(|(_, c)| !c.leaves) {
            rows.push(2 * i);
            if c.slip.is_none() && self.info.contacts[c.contact].law.has_free_friction() {
                rows.push(2 * i + 1);
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.collect(touch)?;
        let mut gamma = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut gamma);
        let by: Vec<f64> = rows.iter().map(|&r| -gamma[r]).collect();
        let mut u = std::mem::take(&mut self.state.u);
        let lam = self.shift(&rows, &by, &mut u);
        self.state.u = u;
        let mut after = Vec::new();
        self.motion.assembly.relative_velocity(&self.state.u, &mut after);
        // What a series of bounces had left is lost here.
        for (i, c) in touch.iter().enumerate() {
            let part = |r: usize| 0.5 * lam[r] * (gamma[r] + after[r]);
            self.totals.impacts[c.contact] += part(2 * i) + part(2 * i + 1);
        }
        Ok(())
    }

    /// Removes what rounding and the order of the method have left of γ at closed contacts, and of g, once it
    /// shows; says whether it did.
    pub(super) fn correct_drift(&mut self) -> Result<bool, Error> {
        let assembly = &self.motion.assembly;
        let shows = self.motion.modes.iter().enumerate().any(|(i, mode)| {
            let rows = if *mode == Mode::Stick { 2 } else { 1 };
            (2 * i..2 * i + rows).any(|r| {
                let speed = |i: usize| self.step.size_u[i] + self.step.h * self.motion.parts[i];
                let terms = assembly.direction(r).iter().enumerate();
                let largest: f64 = terms.map(|(i, w)| w.abs() * speed(i)).sum();
                self.motion.gamma[r].abs() > 16.0 * f64::EPSILON * largest
            })
        });
        if shows {
            self.measure_noise()?;
            self.watch.fired.clear();
            let touch = self.closed();
            self.project_position(&touch)?;
            self.project_velocity(&touch)?;
        }
        Ok(shows)
    }

    /// Closed contacts on g = 0 and γ = 0, for a start in given modes.
    pub(super) fn enter_modes(&mut self) -> Result<(), Error> {
        self.measure_noise()?;
        self.watch.fired.clear();
        let touch = self.closed();
        self.project_position(&touch)?;
        self.project_velocity(&touch)?;
        self.totals.impacts.fill(0.0);
        self.counts.drift = Drift::default();
        Ok(())
    }
}
