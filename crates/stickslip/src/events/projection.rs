//! Putting closed contacts back on g = 0 and γ = 0, by the smallest change in the norm of the mass matrix.

use super::flow::EventDriven;
use super::linear::{Small, Solved};
use super::motion::units;
use super::tolerance::{ROUNDING, SHOWS, START_DEPTH};
use super::transition::{ClosedContact, spans};
use super::watch::read_gaps;
use crate::contact::Mode;
use crate::error::Error;
use crate::model::Model;
use crate::run::{Drift, StartMoved};
use crate::system::State;
use complementarity::Matrix;

/// The state on the constraints that the model keeps itself, the sizes of its coordinates there, and those of its velocities.
pub(super) struct Constraints {
    state: State,
    sizes: Vec<f64>,
    speeds: Vec<f64>,
}

impl Constraints {
    pub(super) fn new(coordinates: usize, velocities: usize) -> Self {
        let state = State::new(vec![0.0; coordinates], vec![0.0; velocities]);
        Self { state, sizes: vec![0.0; velocities], speeds: vec![0.0; velocities] }
    }
}

impl<M: Model> EventDriven<'_, M> {
    /// Puts g = 0 by the smallest change of q in the norm of the mass matrix, on the constraints that the model keeps itself; two steps
    /// of Newton. M⁻¹ H leaves these constraints alone but for terms of second order, so that both are met together.
    pub(super) fn project_position(&mut self, closed: &[ClosedContact]) -> Result<(), Error> {
        for round in 0..3 {
            self.hold_constraints(SHOWS)?;
            self.take_gaps()?;
            let depth: Vec<f64> = closed.iter().map(|c| -self.gaps[c.contact]).collect();
            let deepest = depth.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            let Some((worst, size)) = deepest.map(|(i, d)| (closed[i].contact, d.abs())) else {
                return Ok(());
            };
            if round == 0 && size > self.counts.drift.depth {
                let (contact, t) = (Some(worst), self.state.t);
                self.counts.drift = Drift { depth: size, contact, bodies: None, t };
            }
            if size <= 0.125 * self.watch.gap_noise[worst] {
                return Ok(());
            }
            self.collect(closed)?;
            let rows: Vec<usize> = spans(closed).map(|span| span.start).collect();
            let noise: Vec<f64> = closed.iter().map(|c| self.watch.gap_noise[c.contact]).collect();
            if self.step.curved {
                let mut xi = vec![0.0; self.state.u.len()];
                self.shift(&rows, &depth, &noise, &mut xi);
                let from = self.state.q.clone();
                self.model.displace(&from, &xi, &mut self.state.q);
            } else {
                let mut q = std::mem::take(&mut self.state.q);
                self.shift(&rows, &depth, &noise, &mut q);
                self.state.q = q;
            }
        }
        Ok(())
    }

    /// Takes the state onto the constraints that the model keeps itself (joints, loops, bars) if it is off them by more than a share of the
    /// sizes of coordinates and velocities; says whether it was.
    pub(super) fn hold_constraints(&mut self, share: f64) -> Result<bool, Error> {
        let Constraints { state: State { q, u, .. }, sizes, speeds } = &mut self.constraints;
        q.copy_from_slice(&self.state.q);
        u.copy_from_slice(&self.state.u);
        let off = self.model.stabilise(&mut self.place, q, u, self.state.t)?;
        self.counts.constraint_drift = self.counts.constraint_drift.max(off);
        self.counts.redundancy = self.counts.redundancy.max(self.model.redundancy(&self.place));
        self.model.sizes(q, sizes);
        let size = sizes.iter().fold(0.0_f64, |m, s| m.max(*s));
        speeds.iter_mut().zip(&self.state.u).for_each(|(speed, u)| *speed = u.abs());
        self.model.pool(speeds);
        let moved = |(a, b): (&f64, &f64)| (a - b).abs() > share * size;
        let changed = |(i, (a, b)): (usize, (&f64, &f64))| {
            let speed = self.step.size_u[i].max(speeds[i]) + self.step.h * self.motion.parts[i];
            (a - b).abs() > share * speed
        };
        let shows = q.iter().zip(&self.state.q).any(moved)
            || u.iter().zip(&self.state.u).enumerate().any(changed);
        if shows {
            self.state.q.copy_from_slice(q);
            self.state.u.copy_from_slice(u);
        }
        Ok(shows)
    }

    /// Refuses a start that was farther off these constraints than [`START_DEPTH`].
    pub(super) fn check_start_on_constraints(&mut self, start: &State) -> Result<(), Error> {
        let size = self.constraints.sizes.iter().fold(0.0_f64, |m, s| m.max(*s));
        let moved = StartMoved::between(start, &self.state).map_or(0.0, |m| m.coordinate);
        if size > 0.0 && moved > START_DEPTH * size {
            return Err(Error::StartOff { moved, share: START_DEPTH });
        }
        self.counts.constraint_drift = 0.0;
        Ok(())
    }

    /// Refuses a start inside one of these contacts by more than [`START_DEPTH`].
    pub(super) fn check_start(&self, closed: &[ClosedContact]) -> Result<(), Error> {
        for &ClosedContact { contact, .. } in closed {
            let (depth, rounding) = (-self.gaps[contact], self.watch.gap_noise[contact]);
            if rounding > 0.0 && depth > START_DEPTH / ROUNDING * rounding {
                return Err(Error::StartInside { contact, depth, share: START_DEPTH });
            }
        }
        Ok(())
    }

    /// Adds what the first transition, without an impact, moved the start by.
    pub(super) fn note_start(&mut self, before: &State) {
        if let Some(more) = StartMoved::between(before, &self.state) {
            let moved = self.counts.start_moved.get_or_insert_default();
            moved.coordinate += more.coordinate;
            moved.velocity += more.velocity;
        }
    }

    /// The gaps at the state.
    pub(super) fn take_gaps(&mut self) -> Result<(), Error> {
        let at = (&self.state.q[..], self.state.t);
        read_gaps((self.model, &mut self.place), at, &mut self.seen, &mut self.gaps)
    }

    /// x += M⁻¹ H Λ such that the components `rows` of Hᵀ x change by `by`, which are rounded by `noise`; nothing if they
    /// contradict each other by more.
    fn shift(&mut self, rows: &[usize], by: &[f64], noise: &[f64], x: &mut [f64]) -> Vec<f64> {
        let n = self.local.rows();
        let mut w = Matrix::zeros(n, n);
        self.local.delassus(w.as_mut_slice());
        let mut all = Vec::new();
        units(&w, &mut all);
        let unit = |r: usize| all[r];
        let a = Matrix::from_fn(rows.len(), rows.len(), |i, j| {
            unit(rows[i]) * w[(rows[i], rows[j])] * unit(rows[j])
        });
        let mut y: Vec<f64> = rows.iter().zip(by).map(|(&r, b)| unit(r) * b).collect();
        let mut lam = vec![0.0; n];
        let rounding = rows.iter().zip(noise).fold(0.0_f64, |m, (&r, b)| m.max(unit(r) * b));
        if Small::default().solve_within(&a, &mut y, rounding) != Solved::No {
            for (&r, y) in rows.iter().zip(&y) {
                lam[r] = unit(r) * y;
            }
            self.local.apply(&lam, x);
        }
        lam
    }

    /// Puts γ_N = 0 at contacts that stay closed and γ_T = 0 at those that do not slide.
    pub(super) fn project_velocity(&mut self, closed: &[ClosedContact]) -> Result<(), Error> {
        let (mut rows, mut noise) = (Vec::new(), Vec::new());
        for (span, c) in spans(closed).zip(closed).filter(|(_, c)| !c.leaves) {
            rows.push(span.start);
            if c.slip.is_none() && self.motion.laws[c.contact].has_free_friction() {
                rows.extend(span.start + 1..span.end);
            }
            noise.resize(rows.len(), self.watch.slip_noise[c.contact]);
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.collect(closed)?;
        let mut gamma = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut gamma);
        let by: Vec<f64> = rows.iter().map(|&r| -gamma[r]).collect();
        let mut u = std::mem::take(&mut self.state.u);
        let lam = self.shift(&rows, &by, &noise, &mut u);
        self.state.u = u;
        let mut after = Vec::new();
        self.local.relative_velocity(&self.state.u, &mut after);
        // What a series of bounces had left is lost here.
        for (span, c) in spans(closed).zip(closed) {
            let part = |r: usize| 0.5 * lam[r] * (gamma[r] + after[r]);
            self.totals.impacts[c.contact] += span.map(part).sum::<f64>();
        }
        Ok(())
    }

    /// Removes what rounding and the order of the method have left of γ at closed contacts, of g, and of the constraints that the
    /// model keeps itself, once it shows; says whether it did.
    pub(super) fn correct_drift(&mut self) -> Result<bool, Error> {
        let at = &self.motion.at;
        let shows = self.motion.closed.iter().any(|c| {
            let rows = if c.mode == Mode::Stick { c.rows } else { 1 };
            (c.start..c.start + rows).any(|r| {
                let speed = |i: usize| self.step.size_u[i] + self.step.h * self.motion.parts[i];
                let terms = at.direction(r).iter().enumerate();
                let largest: f64 = terms.map(|(i, w)| w.abs() * speed(i)).sum();
                self.motion.gamma[r].abs() > SHOWS * largest
            })
        });
        let shows = shows || self.motion.refine;
        let moved = self.hold_constraints(SHOWS)?;
        if shows || (moved && !self.motion.closed.is_empty()) {
            self.put_back()?;
        }
        Ok(shows || moved)
    }

    /// Closed contacts on g = 0 and γ = 0, for a start in given modes.
    pub(super) fn enter_modes(&mut self) -> Result<(), Error> {
        self.put_back()?;
        self.totals.impacts.fill(0.0);
        self.counts.drift = Drift::default();
        self.counts.constraint_drift = 0.0;
        Ok(())
    }

    fn put_back(&mut self) -> Result<(), Error> {
        self.measure_noise()?;
        self.watch.fired.clear();
        let closed = self.closed()?;
        self.project_position(&closed)?;
        self.project_velocity(&closed)
    }
}
