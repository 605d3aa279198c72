//! Impacts: what happens in no time, \[3\] eq. (33) with Δt = 0.
//!
//! Newton's law prescribes velocities: ξ = γ⁺ + ε γ⁻. Poisson's prescribes impulses, in two phases:
//! compression without restitution, then expansion with at least ε_N times the normal impulse of the first.
//! With friction and several contacts Newton's law can have no solution and can create energy;
//! both are reported.

use crate::contact::solve::{ContactSolver, Formulation, choose};
use crate::contact::{Certificate, ContactProblem, Law, Mode};
use crate::dynamics::Assembly;
use crate::error::Error;
use crate::system::SystemInfo;
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

    /// Refuses a law that the contacts of the system ask too much of, or that the formulation excludes.
    pub fn validate(self, info: &SystemInfo, formulation: Formulation) -> Result<(), Error> {
        let bounces = info.contacts.iter().any(|c| c.law.eps_n > 0.0 || c.law.eps_t > 0.0);
        if self == Self::Newton && formulation == Formulation::AnitescuPotra && bounces {
            return Err(Error::Combination {
                part: "formulation anitescu_potra",
                other: "impact law newton",
                reason: "it takes impacts in two phases; choose the impact law poisson, or stewart_trinkle",
            });
        }
        if self == Self::Poisson && info.contacts.iter().any(|c| c.law.eps_t > 0.0) {
            return Err(Error::Combination {
                part: "impact law poisson",
                other: "eps_t > 0",
                reason: "its two phases have no tangential restitution; set eps_t = 0 or take newton",
            });
        }
        let sticks = info.contacts.iter().any(|c| c.law.distinct_static().is_some());
        if self == Self::Poisson && sticks {
            return Err(Error::Combination {
                part: "impact law poisson",
                other: "mu_static > mu",
                reason: "friction of its second phase is bounded by the impulses of both with one coefficient; \
                         leave mu_static out or take newton",
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
    /// Λ, N and T of each contact in turn.
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
        }
    }
}

impl Impact {
    /// Applies the impact law to the contacts collected in `assembly`. On success `u` is the velocity after the
    /// impact; else it is unchanged and `status` says why.
    pub fn resolve(
        &mut self,
        info: &SystemInfo,
        assembly: &Assembly,
        law: ImpactLaw,
        solver: &mut ContactSolver,
        u: &mut [f64],
    ) -> bool {
        assembly.relative_velocity(u, &mut self.before);
        self.impulse.clear();
        self.impulse.resize(self.before.len(), 0.0);
        self.certificate = Certificate::default();
        self.iterations = 0;
        let solved = match law {
            ImpactLaw::Newton => self.newton(info, assembly, solver),
            ImpactLaw::Poisson => self.poisson(info, assembly, solver),
        };
        if !solved {
            return false;
        }
        assembly.apply(&self.impulse, u);
        assembly.relative_velocity(u, &mut self.after);
        self.energy.clear();
        self.energy.extend((0..self.before.len() / 2).map(|i| {
            let part = |r: usize| 0.5 * self.impulse[r] * (self.before[r] + self.after[r]);
            part(2 * i) + part(2 * i + 1)
        }));
        true
    }

    /// The energy that the impact added; negative if it was lost.
    #[must_use]
    pub fn energy_change(&self) -> f64 {
        self.energy.iter().sum()
    }

    fn newton(&mut self, info: &SystemInfo, assembly: &Assembly, s: &mut ContactSolver) -> bool {
        self.after.clone_from(&self.before);
        for (i, &c) in assembly.contacts().iter().enumerate() {
            let law = &info.contacts[c].law;
            self.after[2 * i] *= 1.0 + law.eps_n;
            self.after[2 * i + 1] *= 1.0 + law.eps_t;
        }
        assembly.pose(info, &self.after, without_force, &mut self.problem);
        self.phase(s)
    }

    fn poisson(&mut self, info: &SystemInfo, assembly: &Assembly, s: &mut ContactSolver) -> bool {
        assembly.pose(info, &self.before, without_force, &mut self.problem);
        if !self.phase(s) {
            return false;
        }
        // Expansion: Λ_N = ε_N Λ_NC + P with 0 ≤ P ⊥ γ_N ≥ 0, and friction within μ Λ_N.
        let compressed = self.impulse.clone();
        let k = assembly.contacts().len();
        for i in 0..k {
            let eps = info.contacts[assembly.contacts()[i]].law.eps_n;
            self.impulse[2 * i] += eps * compressed[2 * i];
        }
        if self.impulse == compressed {
            return true;
        }
        let mut bias = vec![0.0; 2 * k];
        self.problem.velocity_into(&self.impulse, &mut bias);
        let (_, b, laws) = self.problem.planar_parts_mut();
        b.copy_from_slice(&bias);
        for i in 0..k {
            laws[i].radius = laws[i].mu * (self.impulse[2 * i] - compressed[2 * i]);
        }
        self.phase(s)
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
        self.modes.clear();
        self.modes.extend((0..self.problem.contacts()).map(|i| answer.mode(&self.problem, i)));
        true
    }
}

/// A force of finite size has no impulse in no time.
fn without_force(law: &Law) -> Law {
    Law { radius: 0.0, ..law.clone() }
}
