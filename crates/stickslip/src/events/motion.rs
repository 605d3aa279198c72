//! The motion in a fixed mode: accelerations and contact forces from the index-1 equations.
//!
//! Closed contacts keep γ̇_N = 0, sticking ones γ̇_T = 0 as well, and sliding ones have
//! Λ_T = −s (μ Λ_N + a) with s the sign of the slip.
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | k | closed contacts | |
//! | w, b | γ̇ = W Λ + b | 2k × 2k, 2k |
//! | lam | forces Λ, N and T of each closed contact | 2k |
//! | gamma | γ | 2k |
//! | a, y, d | the equations of the mode, their unknowns, and 1/√W_rr: A y = r in units where W has a unit diagonal | |

use super::linear::{Small, Solved};
use crate::contact::{ContactProblem, Mode, Slip};
use crate::dynamics::{Assembly, dot};
use crate::error::Error;
use crate::system::System;
use complementarity::Matrix;

/// A force below this share of the largest counts as zero.
const FORCE_NOISE: f64 = 1e-12;

/// Why accelerations could not be had.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// The model is at fault.
    Model(Error),
    /// The forces of this mode are not determined: a Painlevé singularity.
    Singular,
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}

/// The equations of motion in a mode.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub(super) assembly: Assembly,
    /// The closed contacts.
    pub(super) closed: Vec<usize>,
    /// Their modes.
    pub(super) modes: Vec<Mode>,
    /// W and b of the last evaluation, with the laws of the mode.
    pub(super) problem: ContactProblem,
    /// The size of the terms that the bias of the problem was summed from.
    pub(super) terms: f64,
    /// ξ at the end of a step, for its certificate.
    pub(super) xi: Vec<f64>,
    pub(super) lam: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    /// Whether the forces of the last evaluation are only one choice of many.
    pub(super) redundant: bool,
    pub(super) evaluations: usize,
    pub(super) contact_evaluations: usize,
    /// The largest parts of which each acceleration was the sum, at the states kept in this mode: its rounding
    /// error is a share of this.
    pub(super) parts: Vec<f64>,
    /// The same at the last evaluation.
    parts_now: Vec<f64>,
    /// The largest force at the states kept so far, over all contacts, times √W_rr: a measure that all contacts
    /// share; and the same at the last evaluation.
    load: f64,
    load_now: f64,
    /// 1/√W_rr of the components at the last evaluation.
    pub(super) unit: Vec<f64>,
    b: Vec<f64>,
    /// Components that are unknowns and equations at once: N, and T where the contact sticks.
    rows: Vec<usize>,
    a: Matrix,
    y: Vec<f64>,
    right: Vec<f64>,
    shared: Vec<f64>,
    small: Small,
}

impl Motion {
    pub(super) fn new(assembly: Assembly, dof: usize) -> Self {
        Self {
            assembly,
            closed: Vec::new(),
            modes: Vec::new(),
            problem: ContactProblem::default(),
            terms: 0.0,
            xi: Vec::new(),
            lam: Vec::new(),
            gamma: Vec::new(),
            redundant: false,
            evaluations: 0,
            contact_evaluations: 0,
            parts: vec![0.0; dof],
            parts_now: vec![0.0; dof],
            load: 0.0,
            load_now: 0.0,
            unit: Vec::new(),
            b: Vec::new(),
            rows: Vec::new(),
            a: Matrix::zeros(0, 0),
            y: Vec::new(),
            right: Vec::new(),
            shared: Vec::new(),
            small: Small::default(),
        }
    }

    /// Takes the closed contacts from a list with the mode of every contact.
    pub(super) fn set_modes(&mut self, all: &[Mode]) {
        self.closed.clear();
        self.modes.clear();
        self.rows.clear();
        for (contact, &mode) in all.iter().enumerate() {
            if mode == Mode::Open {
                continue;
            }
            let i = self.closed.len();
            self.rows.push(2 * i);
            if mode == Mode::Stick {
                self.rows.push(2 * i + 1);
            }
            self.closed.push(contact);
            self.modes.push(mode);
        }
        self.lam.clear();
        self.lam.resize(2 * self.closed.len(), 0.0);
        self.parts.fill(0.0);
    }

    /// u̇ at a state; the forces stay in `lam`, W and b in `problem`, γ in `gamma`.
    pub(super) fn evaluate<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        q: &[f64],
        u: &[f64],
        t: f64,
        acc: &mut [f64],
    ) -> Result<(), Trouble> {
        self.evaluations += 1;
        self.free(system, q, u, t, acc)?;
        for (part, a) in self.parts_now.iter_mut().zip(&*acc) {
            *part = a.abs();
        }
        self.load_now = 0.0;
        if self.closed.is_empty() {
            self.gamma.clear();
            return Ok(());
        }
        self.contact_evaluations += 1;
        self.forces(system, q, u, t, acc)?;
        self.assembly.apply(&self.lam, acc);
        for (r, lam) in self.lam.iter().enumerate() {
            for (part, y) in self.parts_now.iter_mut().zip(self.assembly.response(r)) {
                *part += (lam * y).abs();
            }
        }
        Ok(())
    }

    /// M⁻¹ h.
    pub(super) fn free<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        q: &[f64],
        u: &[f64],
        t: f64,
        acc: &mut [f64],
    ) -> Result<(), Error> {
        self.assembly.factorize(system, q, t)?;
        system.forces(q, u, t, acc);
        if !acc.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { what: "the force vector h", t });
        }
        self.assembly.solve_mass(acc);
        Ok(())
    }

    fn forces<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        q: &[f64],
        u: &[f64],
        t: f64,
        free: &[f64],
    ) -> Result<(), Trouble> {
        self.assembly.collect(system, &self.closed, q, t);
        self.assembly.relative_velocity(u, &mut self.gamma);
        self.b.clear();
        self.terms = 0.0;
        for (i, &contact) in self.closed.iter().enumerate() {
            let convective = system.convective(contact, q, u, t);
            for (c, v) in convective.iter().enumerate() {
                let part = dot(self.assembly.direction(2 * i + c), free);
                self.b.push(part + v);
                self.terms = self.terms.max(part.abs()).max(v.abs());
            }
        }
        let finite = self.b.iter().chain(&self.gamma).all(|v| v.is_finite());
        if !finite {
            return Err(Error::NotFinite { what: "a contact's direction or drive", t }.into());
        }
        let info = system.info();
        self.assembly.pose(&self.b, self.assembly.laws(info), &mut self.problem);
        self.solve_mode()
    }

    /// A y = r: the equations of the mode, with the friction of sliding contacts eliminated.
    fn solve_mode(&mut self) -> Result<(), Trouble> {
        let n = self.rows.len();
        let (modes, rows) = (&self.modes, &self.rows);
        let (w, b, laws) = self.problem.planar_parts_mut();
        for (law, mode) in laws.iter_mut().zip(modes) {
            law.sliding = if let Mode::Slide(slip) = mode { Some(slip.velocity()) } else { None };
        }
        // A direction that no motion answers to cannot be scaled; its equation reads 0 = r.
        let scale = |d: f64| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 };
        self.unit.clear();
        self.unit.extend((0..b.len()).map(|r| scale(w.row(r)[r])));
        let unit = |r: usize| self.unit[r];
        self.a.reshape(n, n);
        self.y.clear();
        for (i, &r) in rows.iter().enumerate() {
            let line = w.row(r);
            let mut right = b[r];
            for (j, &c) in rows.iter().enumerate() {
                let mut entry = line[c];
                if let (0, Some(slip)) = (c % 2, laws[c / 2].slip()) {
                    entry -= slip.sign() * laws[c / 2].mu * line[c + 1];
                    right -= slip.sign() * laws[c / 2].radius * line[c + 1];
                }
                self.a[(i, j)] = unit(r) * entry * unit(c);
            }
            self.y.push(-unit(r) * right);
        }
        self.right.clone_from(&self.y);
        let solved = self.small.solve(&self.a, &mut self.y);
        self.redundant = solved == Solved::Shortest;
        if solved == Solved::No {
            return Err(Trouble::Singular);
        }
        for (&r, y) in rows.iter().zip(&self.y) {
            self.lam[r] = unit(r) * y;
        }
        if self.redundant {
            self.share_out();
        }
        let (_, b, laws) = self.problem.planar_parts_mut();
        for (i, law) in laws.iter().enumerate() {
            if let Some(slip) = law.slip() {
                self.lam[2 * i + 1] = -slip.sign() * law.limit(self.lam[2 * i]);
            }
        }
        for (r, lam) in self.lam.iter().enumerate() {
            let size = (lam.abs() / self.unit[r]).max(b[r].abs() * self.unit[r]);
            self.load_now = self.load_now.max(size);
        }
        Ok(())
    }

    /// Friction that is not unique is shared out in proportion to what each contact can hold: the shortest
    /// solution in units of the square roots of the limits.
    fn share_out(&mut self) {
        let (problem, lam) = (&self.problem, &self.lam);
        let share = |r: usize| match r % 2 {
            0 => 1.0,
            _ => {
                let limit = problem.laws()[r / 2].limit(lam[r - 1]).max(0.0);
                (limit * problem.planar_delassus().row(r)[r].sqrt()).sqrt()
            }
        };
        for (j, &c) in self.rows.iter().enumerate() {
            (0..self.rows.len()).for_each(|i| self.a[(i, j)] *= share(c));
        }
        self.y.clone_from(&self.right);
        if self.small.solve(&self.a, &mut self.y) == Solved::No {
            return;
        }
        for (&r, y) in self.rows.iter().zip(&self.y) {
            self.shared.push(share(r) * self.unit[r] * y);
        }
        for (&r, lam) in self.rows.iter().zip(self.shared.drain(..)) {
            self.lam[r] = lam;
        }
    }

    /// Counts the last evaluation among the states kept.
    pub(super) fn keep_sizes(&mut self) {
        self.load = self.load.max(self.load_now);
        for (part, a) in self.parts.iter_mut().zip(&self.parts_now) {
            *part = part.max(a.abs());
        }
    }

    /// The largest force seen, over all contacts, times √W_rr.
    pub(super) fn load(&self) -> f64 {
        self.load.max(self.load_now)
    }

    /// What rounding makes of a force that is zero.
    pub(super) fn force_noise(&self, r: usize) -> f64 {
        FORCE_NOISE * self.load() * self.unit[r]
    }

    /// Where a contact stands in the list of closed ones.
    pub(super) fn position(&self, contact: usize) -> Option<usize> {
        self.closed.iter().position(|&c| c == contact)
    }
}

/// The mode of a closed contact with this slip.
pub(super) fn closed_mode(slip: Option<Slip>) -> Mode {
    slip.map_or(Mode::Stick, Mode::Slide)
}
