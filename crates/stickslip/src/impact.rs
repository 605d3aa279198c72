//! Impacts: what happens in no time, \[3\] eq. (33) with Δt = 0.
//!
//! Newton's law prescribes velocities: ξ = γ⁺ + ε γ⁻. Poisson's prescribes impulses, in two phases:
//! compression without restitution, then expansion with at least ε_N times the normal impulse of the first.
//! With friction and several contacts Newton's law can have no solution and can create energy;
//! both are reported.

use crate::contact::solve::{ContactSolver, Formulation, choose};
use crate::contact::{Certificate, ContactProblem, Kind, Law, Mode};
use crate::error::Error;
use complementarity::Status;
use std::fmt;
use std::str::FromStr;

/// The law of impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactLaw {
    /// Kinematic restitution in both directions, \[3\] eq. (11).
    #[default]
    Newton,
    /// Restitution of impulses in two phases. Has no tangential restitution.
    Poisson,
}

impl ImpactLaw {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Newton, Self::Poisson];

    /// The name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Newton => "newton",
            Self::Poisson => "poisson",
        }
    }

    /// Refuses the law of a contact that asks too much of it, or a formulation that excludes it.
    pub fn takes(self, formulation: Formulation, law: &Law) -> Result<(), Error> {
        let bounces = law.eps_n > 0.0 || law.eps_t > 0.0;
        if self == Self::Newton && formulation == Formulation::AnitescuPotra && bounces {
            return Err(Error::Combination {
                part: "formulation anitescu_potra",
                other: "impact law newton",
                reason: "it takes impacts in two phases; choose the impact law poisson, or stewart_trinkle",
            });
        }
        if self == Self::Poisson && law.eps_t > 0.0 {
            return Err(Error::Combination {
                part: "impact law poisson",
                other: "eps_t > 0",
                reason: "its two phases have no tangential restitution; set eps_t = 0 or take newton",
            });
        }
        if self == Self::Poisson && law.distinct_static().is_some() {
            return Err(Error::Combination {
                part: "impact law poisson",
                other: "mu_static > mu",
                reason: "friction of its second phase is bounded by the impulses of both with one coefficient; \
                         leave mu_static out or take newton",
            });
        }
        if self == Self::Poisson && law.curve().is_some() {
            return Err(Error::Combination {
                part: "impact law poisson",
                other: "a coefficient of friction that depends on the slip speed",
                reason: "the slip speed between its two phases is not that of the end; give mu as a number or take newton",
            });
        }
        Ok(())
    }
}

impl fmt::Display for ImpactLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ImpactLaw {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        Ok(choose("impact law", s, &Self::ALL, Self::name)?)
    }
}

/// The last impact: impulses, velocities, energies of the contacts that took part.
#[derive(Clone, Debug)]
pub struct Impact {
    /// How the solve ended; of Poisson's two phases the one that failed.
    pub status: Status,
    /// The worse certificate of the phases.
    pub certificate: Certificate,
    /// Λ, the components of each contact in turn.
    pub impulse: Vec<f64>,
    /// γ⁻.
    pub before: Vec<f64>,
    /// γ⁺.
    pub after: Vec<f64>,
    /// What each contact does at the end of the impact.
    pub modes: Vec<Mode>,
    /// The energy that each contact added, ½ Λᵀ(γ⁺ + γ⁻).
    pub energy: Vec<f64>,
    /// Pivots or iterations.
    pub iterations: usize,
    problem: ContactProblem,
    laws: Vec<Law>,
}

impl Default for Impact {
    fn default() -> Self {
        Self {
            status: Status::Solved,
            certificate: Certificate::default(),
            impulse: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            modes: Vec::new(),
            energy: Vec::new(),
            iterations: 0,
            problem: ContactProblem::default(),
            laws: Vec::new(),
        }
    }
}

impl Impact {
    /// Applies the impact law to contacts with the velocities γ⁻ before it and these laws, whose problem `pose` poses: its W, with
    /// the bias and the laws that it is given. True if it is solved: `impulse` is then what the contacts transmit; else `status`
    /// says why not.
    ///
    /// # Errors
    /// What `pose` returns.
    pub fn resolve(
        &mut self,
        law: ImpactLaw,
        before: &[f64],
        laws: impl Iterator<Item = Law>,
        solver: &mut ContactSolver,
        pose: impl FnOnce(&[f64], &[Law], &mut ContactProblem) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        self.before.clear();
        self.before.extend_from_slice(before);
        self.impulse.clear();
        self.impulse.resize(before.len(), 0.0);
        self.laws.clear();
        // A force of finite size has no impulse in no time.
        self.laws.extend(laws.map(|law| Law { radius: 0.0, ..law }));
        self.certificate = Certificate::default();
        self.iterations = 0;
        self.after.clear();
        self.after.extend_from_slice(before);
        if law == ImpactLaw::Newton {
            self.restore();
        }
        pose(&self.after, &self.laws, &mut self.problem)?;
        let mut solved = self.phase(solver);
        if solved && law == ImpactLaw::Poisson {
            solved = self.expand(solver)?;
        }
        if solved {
            self.problem.delassus().multiply_add(&self.impulse, &self.before, &mut self.after);
            self.add_energies();
        }
        Ok(solved)
    }

    /// The energy that the impact added; negative if it was lost.
    #[must_use]
    pub fn energy_change(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// γ⁻ becomes (1 + ε) γ⁻, \[3\] eq. (11).
    fn restore(&mut self) {
        let mut row = 0;
        for law in &self.laws {
            let normals = row + law.kind.normals();
            for r in row..row + law.components() {
                self.after[r] *= 1.0 + if r < normals { law.eps_n } else { law.eps_t };
            }
            row += law.components();
        }
    }

    /// Expansion: Λ_N = ε_N Λ_NC + P with 0 ≤ P ⊥ γ_N ≥ 0, and friction within μ Λ_N.
    fn expand(&mut self, solver: &mut ContactSolver) -> Result<bool, Error> {
        let (mut row, mut any) = (0, false);
        for law in &mut self.laws {
            // Connections have no phases.
            let fixed = matches!(law.kind, Kind::Bilateral(_));
            let normals = if fixed { 0 } else { law.kind.normals() };
            for r in row..row + normals {
                let back = law.eps_n * self.impulse[r];
                law.radius = law.mu * back;
                self.impulse[r] += back;
                any |= back > 0.0;
            }
            row += law.components();
        }
        if !any {
            return Ok(true);
        }
        self.problem.delassus().multiply_add(&self.impulse, &self.before, &mut self.after);
        self.problem.refill(&self.after, &self.laws, |_| Ok(()))?;
        Ok(self.phase(solver))
    }

    /// Solves the problem as posed and adds its impulses.
    fn phase(&mut self, solver: &mut ContactSolver) -> bool {
        let answer = solver.solve(&self.problem);
        self.status = answer.status;
        self.iterations += answer.iterations;
        if answer.certificate.worst > self.certificate.worst {
            self.certificate = answer.certificate;
        }
        if !answer.is_solved() {
            return false;
        }
        for (to, from) in self.impulse.iter_mut().zip(&answer.impulse) {
            *to += from;
        }
        answer.modes(&self.problem, &mut self.modes);
        true
    }

    fn add_energies(&mut self) {
        self.energy.clear();
        for contact in 0..self.problem.contacts() {
            let part = |r: usize| 0.5 * self.impulse[r] * (self.before[r] + self.after[r]);
            self.energy.push(self.problem.rows(contact).map(part).sum());
        }
    }
}
