//! The motion in a fixed mode: accelerations and contact forces from the index-1 equations.
//!
//! Closed contacts keep γ̇_N = 0, sticking ones γ̇_T = 0 as well, and sliding ones have
//! Λ_T = (μ Λ_N + a) f with f = −γ_T / |γ_T|. In the plane f is a sign that the mode fixes; in space it follows the velocity.
//! Skimming ones have Λ_N = 0 and Λ_T = r f, with the r that keeps γ̇_N = 0 (see `skim`).
//!
//! # Notation
//! | letter | meaning | size |
//! |---|---|---|
//! | k, n | closed contacts, and the components of all of them | |
//! | w, b | γ̇ = W Λ + b | n × n, n |
//! | lam | forces Λ, the components of each closed contact in turn | n |
//! | gamma | γ | n |
//! | a, y, unit | the equations of the mode, their unknowns, and 1/√W_rr: A y = r in units where W has a unit diagonal | |

use super::linear::{Small, Solved};
use super::slip::Closed;
use super::tolerance::{FORCE_NOISE, UNANSWERED};
use crate::contact::{Certificate, ContactProblem, Kind, Law, Mode, Slip};
use crate::dynamics::dot;
use crate::error::{Error, check_coefficient};
use crate::model::{Accelerations, Model};
use complementarity::Matrix;

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
    /// The laws of all contacts.
    pub(super) laws: Vec<Law>,
    /// The number of connections, which act inside of the model.
    pub(super) connections: usize,
    /// The closed contacts, and their numbers alone.
    pub(super) closed: Vec<Closed>,
    numbers: Vec<usize>,
    /// What the model said at the last evaluation.
    pub(super) at: Accelerations,
    pub(super) lam: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    pub(super) evaluations: usize,
    pub(super) contact_evaluations: usize,
    /// The largest parts of which each acceleration was the sum, at the states kept in this mode: its rounding
    /// error is a share of this.
    pub(super) parts: Vec<f64>,
    /// The same at the last evaluation.
    parts_now: Vec<f64>,
    /// What reactions inside of the model took away of each acceleration there: it is rounded with this, but not as accurate as a share of
    /// it.
    pub(super) held: Vec<f64>,
    /// The largest force at the states kept so far, over all contacts, times √W_rr: a measure that all contacts
    /// share; and the same at the last evaluation.
    pub(super) load: f64,
    load_now: f64,
    /// 1/√W_rr of the components at the last evaluation.
    pub(super) unit: Vec<f64>,
    pub(super) w: Matrix,
    b: Vec<f64>,
    /// The size of the terms that the bias was summed from.
    terms: f64,
    /// Components that are unknowns and equations at once, each with its closed contact: N, and T where the contact sticks.
    pub(super) rows: Vec<(usize, usize)>,
    pub(super) a: Matrix,
    pub(super) y: Vec<f64>,
    pub(super) right: Vec<f64>,
    pub(super) shared: Vec<f64>,
    /// Motions that carry the directions of slips in space along.
    pub(super) carriers: Vec<f64>,
    scaled: Matrix,
    /// Whether accelerations are put on the equations of the mode once more: the rounding of the forces moves closed contacts otherwise.
    pub(super) refine: bool,
    /// Where forces are redundant: those that the mode takes as near to as it can, in units.
    pub(super) reference: Option<Vec<f64>>,
    pub(super) small: Small,
    /// For certificates.
    problem: ContactProblem,
    posed: Vec<Law>,
    xi: Vec<f64>,
}

impl Motion {
    pub(super) fn new(laws: Vec<Law>, dof: usize) -> Self {
        let bilateral = |law: &&Law| matches!(law.kind, Kind::Bilateral(_));
        Self {
            connections: laws.iter().filter(bilateral).count(),
            laws,
            closed: Vec::new(),
            numbers: Vec::new(),
            at: Accelerations::default(),
            lam: Vec::new(),
            gamma: Vec::new(),
            evaluations: 0,
            contact_evaluations: 0,
            parts: vec![0.0; dof],
            parts_now: vec![0.0; dof],
            held: vec![0.0; dof],
            load: 0.0,
            load_now: 0.0,
            unit: Vec::new(),
            w: Matrix::zeros(0, 0),
            b: Vec::new(),
            terms: 0.0,
            rows: Vec::new(),
            a: Matrix::zeros(0, 0),
            y: Vec::new(),
            right: Vec::new(),
            shared: Vec::new(),
            carriers: Vec::new(),
            scaled: Matrix::zeros(0, 0),
            refine: false,
            reference: None,
            small: Small::default(),
            problem: ContactProblem::default(),
            posed: Vec::new(),
            xi: Vec::new(),
        }
    }

    /// Takes the closed contacts from the modes of all contacts, the directions in which they slide and the noise of their slips.
    pub(super) fn set_modes(
        &mut self,
        all: &[Mode],
        skims: &[bool],
        slips: &[[f64; 3]],
        noise: &[f64],
    ) {
        self.closed.clear();
        self.carriers.clear();
        self.numbers.clear();
        self.rows.clear();
        let mut start = 0;
        for (contact, &mode) in all.iter().enumerate() {
            if matches!(mode, Mode::Open | Mode::Fixed) {
                continue;
            }
            let (i, rows) = (self.closed.len(), self.laws[contact].components());
            self.rows.push((start, i));
            if mode == Mode::Stick {
                self.rows.extend((start + 1..start + rows).map(|r| (r, i)));
            }
            let along = match mode {
                Mode::Slide(slip) => slip.velocity(),
                Mode::Slip => slips[contact],
                _ => [0.0; 3],
            };
            let (noise, friction, steered) = (noise[contact], along.map(|x| -x), None);
            self.closed.push(Closed {
                contact,
                mode,
                start,
                rows,
                along,
                now: along,
                noise,
                friction,
                mu: self.laws[contact].mu,
                skims: skims[contact],
                share: 0.0,
                steered,
            });
            self.numbers.push(contact);
            start += rows;
        }
        self.lam.clear();
        self.lam.resize(start, 0.0);
        self.parts.fill(0.0);
        self.refine = false;
        self.reference = None;
    }

    /// The number of components of all closed contacts.
    pub(super) fn components(&self) -> usize {
        self.lam.len()
    }

    /// u̇ at a state; the forces stay in `lam`, γ in `gamma`, the rest in `at`.
    pub(super) fn evaluate<M: Model>(
        &mut self,
        (model, place): (&M, &mut M::Place),
        q: &[f64],
        u: &[f64],
        t: f64,
        acc: &mut [f64],
    ) -> Result<(), Trouble> {
        self.evaluations += 1;
        model.accelerations(place, (q, u, t), &self.numbers, &mut self.at)?;
        acc.copy_from_slice(&self.at.free);
        self.load_now = 0.0;
        if self.closed.is_empty() {
            self.gamma.clear();
            self.at.parts(&[], &mut self.parts_now, &mut self.held);
            return Ok(());
        }
        self.contact_evaluations += 1;
        self.forces(u, t)?;
        self.at.apply(&self.lam, acc);
        self.at.parts(&self.lam, &mut self.parts_now, &mut self.held);
        if self.refine {
            self.hold_contacts(acc);
        }
        Ok(())
    }

    fn forces(&mut self, u: &[f64], t: f64) -> Result<(), Trouble> {
        self.at.relative_velocity(u, &mut self.gamma);
        self.terms = accelerations(&self.at, &self.at.free, &mut self.b);
        let finite = self.b.iter().chain(&self.gamma).all(|v| v.is_finite());
        if !finite {
            return Err(Error::NotFinite { what: "a contact's direction or drive", t }.into());
        }
        let n = self.b.len();
        self.w.reshape(n, n);
        self.at.delassus(self.w.as_mut_slice());
        self.carry_slips();
        for c in &mut self.closed {
            c.find_friction(&self.gamma);
            c.find_coefficient(&self.laws[c.contact], &self.gamma);
        }
        self.solve_mode()
    }

    /// A y = r: the equations of the mode, with the friction of sliding contacts eliminated.
    fn solve_mode(&mut self) -> Result<(), Trouble> {
        let n = self.rows.len();
        let (w, b, rows) = (&self.w, &self.b, &self.rows);
        units(w, &mut self.unit);
        let unit = |r: usize| self.unit[r];
        self.a.reshape(n, n);
        self.y.clear();
        for (i, &(r, _)) in rows.iter().enumerate() {
            let line = w.row(r);
            let mut right = b[r];
            for (j, &(c, of)) in rows.iter().enumerate() {
                let mut entry = line[c];
                let contact = &self.closed[of];
                if contact.skims {
                    let along = contact.friction.iter().zip(contact.tangents());
                    entry = along.map(|(f, t)| f * line[t]).sum();
                } else if matches!(contact.mode, Mode::Slide(_) | Mode::Slip) {
                    let law = &self.laws[contact.contact];
                    for (f, t) in contact.friction.iter().zip(contact.tangents()) {
                        entry += f * contact.mu * line[t];
                        right += f * law.radius * line[t];
                    }
                }
                self.a[(i, j)] = unit(r) * entry * self.unknown_unit((c, of));
            }
            self.y.push(-unit(r) * right);
        }
        self.right.clone_from(&self.y);
        let solved = match &self.reference {
            Some(known) => self.small.solve_near(&self.a, &mut self.y, known),
            None => self.small.solve(&self.a, &mut self.y),
        };
        if solved == Solved::No {
            return Err(Trouble::Singular);
        }
        for i in 0..n {
            let row = self.rows[i];
            self.lam[row.0] = self.unknown_unit(row) * self.y[i];
        }
        if solved == Solved::Shortest && self.reference.is_none() && !self.skims() {
            self.share_out();
        }
        for c in self.closed.iter_mut().filter(|c| matches!(c.mode, Mode::Slide(_) | Mode::Slip)) {
            let mut limit = c.limit(&self.laws[c.contact], self.lam[c.start]);
            if c.skims {
                limit = std::mem::take(&mut self.lam[c.start]);
                c.share = limit;
            }
            for (f, t) in c.friction.iter().zip(c.tangents()) {
                self.lam[t] = f * limit;
            }
        }
        for (r, lam) in self.lam.iter().enumerate() {
            let size = (lam.abs() / self.unit[r]).max(self.b[r].abs() * self.unit[r]);
            self.load_now = self.load_now.max(size);
        }
        Ok(())
    }

    /// The unit of the unknown that belongs to a row: a normal force or, of a contact that skims, friction.
    pub(super) fn unknown_unit(&self, (r, of): (usize, usize)) -> f64 {
        self.unit[if self.closed[of].skims { r + 1 } else { r }]
    }

    /// Whether a contact skims.
    pub(super) fn skims(&self) -> bool {
        self.closed.iter().any(|c| c.skims)
    }

    /// Friction that is not unique is shared out in proportion to what each contact can hold: the shortest
    /// solution in units of the square roots of the limits.
    fn share_out(&mut self) {
        let (closed, laws, w, lam) = (&self.closed, &self.laws, &self.w, &self.lam);
        let share = |(r, of): (usize, usize)| {
            let c = &closed[of];
            if r == c.start {
                return 1.0;
            }
            let limit = laws[c.contact].limit(lam[c.start]).max(0.0);
            (limit * w.row(r)[r].sqrt()).sqrt()
        };
        self.scaled.reshape(self.a.rows(), self.a.cols());
        self.scaled.as_mut_slice().copy_from_slice(self.a.as_slice());
        for (j, &c) in self.rows.iter().enumerate() {
            (0..self.rows.len()).for_each(|i| self.scaled[(i, j)] *= share(c));
        }
        self.y.clone_from(&self.right);
        if self.small.solve(&self.scaled, &mut self.y) == Solved::No {
            return;
        }
        for (&row, y) in self.rows.iter().zip(&self.y) {
            self.shared.push(share(row) * self.unit[row.0] * y);
        }
        for (&(r, _), lam) in self.rows.iter().zip(self.shared.drain(..)) {
            self.lam[r] = lam;
        }
    }

    /// The certificate of the forces of the last evaluation. `peak` are the largest parts of which accelerations were sums in the step: where
    /// a contact is released its force and the acceleration that it holds back vanish together, and what is left of them is rounding of
    /// these.
    pub(super) fn certificate(&mut self, peak: &[f64]) -> Result<Certificate, Error> {
        let size = |r: usize| -> f64 {
            self.at.direction(r).iter().zip(peak).map(|(w, a)| (w * a).abs()).sum()
        };
        let terms = (0..self.b.len()).map(size).fold(self.terms, f64::max);
        self.posed.clear();
        for c in &self.closed {
            let sliding = match c.mode {
                Mode::Slide(slip) => Some(slip.velocity()),
                Mode::Slip => Some(c.friction.map(|f| -f)),
                _ => None,
            };
            let law = self.laws[c.contact].clone();
            if law.curve().is_some() {
                check_coefficient(c.contact, c.slip(&self.gamma).abs(), c.mu)?;
            }
            // The law of a contact that skims leaves the size of its friction open; that it lies between 0 and a is an event.
            let (mu, radius) = if c.skims { (0.0, c.share.max(0.0)) } else { (c.mu, law.radius) };
            self.posed.push(Law { sliding, radius, ..law.at_coefficient(mu) });
        }
        pose(self.w.as_slice(), &self.b, &self.posed, &mut self.problem)?;
        let found = Certificate::with_terms(&self.problem, &self.lam, terms, &mut self.xi);
        Ok(found.numbered(&self.numbers))
    }

    /// Counts the last evaluation among the states kept.
    pub(super) fn keep_sizes<M: Model>(&mut self, model: &M) {
        self.load = self.load.max(self.load_now);
        for (part, a) in self.parts.iter_mut().zip(&self.parts_now) {
            *part = part.max(a.abs());
        }
        model.pool(&mut self.parts);
    }

    /// The parts of which each acceleration of the last evaluation was the sum, by size.
    pub(super) fn parts_now(&self) -> &[f64] {
        &self.parts_now
    }

    /// The largest force seen, over all contacts, times √W_rr.
    pub(super) fn load(&self) -> f64 {
        self.load.max(self.load_now)
    }

    /// What rounding makes of a force that is zero.
    pub(super) fn force_noise(&self, r: usize) -> f64 {
        FORCE_NOISE * self.load() * self.unit[r]
    }

    /// The closed contact with this number.
    pub(super) fn find(&self, contact: usize) -> Option<&Closed> {
        self.closed.iter().find(|c| c.contact == contact)
    }
}

/// γ̇ = Hᵀ u̇ + convective terms; returns the size of the largest term.
pub(super) fn accelerations(at: &Accelerations, rate: &[f64], out: &mut Vec<f64>) -> f64 {
    out.clear();
    let mut terms = 0.0_f64;
    for (r, v) in at.convective.iter().enumerate() {
        let part = dot(at.direction(r), rate);
        out.push(part + v);
        terms = terms.max(part.abs()).max(v.abs());
    }
    terms
}

/// Poses a contact problem from W by rows.
pub(super) fn pose(
    w: &[f64],
    bias: &[f64],
    laws: &[Law],
    problem: &mut ContactProblem,
) -> Result<(), Error> {
    let n = bias.len();
    if laws.iter().all(|l| l.kind == crate::contact::Kind::Planar) {
        let (to, b, all) = problem.planar_parts_mut();
        to.reshape(n, n);
        to.as_mut_slice().copy_from_slice(w);
        b.clear();
        b.extend_from_slice(bias);
        all.clear();
        all.extend(laws.iter().cloned());
        return Ok(());
    }
    Ok(problem.refill(bias, laws, |to| {
        to.dense_mut(n).as_mut_slice().copy_from_slice(w);
        Ok(())
    })?)
}

/// 1/√W_rr. A direction that no motion answers to, but for rounding, cannot be scaled: its equation reads 0 = r.
pub(super) fn units(w: &Matrix, out: &mut Vec<f64>) {
    let largest = (0..w.rows()).fold(0.0_f64, |m, r| m.max(w.row(r)[r]));
    let scale = |d: f64| if d > UNANSWERED * largest { 1.0 / d.sqrt() } else { 1.0 };
    out.clear();
    out.extend((0..w.rows()).map(|r| scale(w.row(r)[r])));
}

/// The mode of a closed contact with this law and direction of slip.
pub(super) fn closed_mode(law: &Law, slip: Option<[f64; 3]>) -> Mode {
    match (law.tangents(), slip) {
        (0, _) => Mode::Closed,
        (_, None) => Mode::Stick,
        (1, Some(along)) => Slip::of(along[0]).map_or(Mode::Stick, Mode::Slide),
        (_, Some(_)) => Mode::Slip,
    }
}
