//! What the time-stepping methods share: storage, the contact problem of a step, its outcome.

use super::correction::Correction;
use super::{JeanSettings, moreau_jean, moreau_midpoint};
use crate::contact::solve::{self, ContactSolver};
use crate::contact::{Certificate, ContactProblem, Law, Mode};
use crate::dynamics::{Assembly, add_scaled, copy};
use crate::error::Error;
use crate::impact::{Impact, ImpactLaw};
use crate::run::{Stage, Stopwatch};
use crate::system::{State, System, SystemInfo};
use complementarity::{Matrix, Status};

/// A contact that pushed and came to rest stays closed while its gap is less than this share of the way that the
/// velocities of its problem cover in a step: that much is rounding.
const ROUNDING: f64 = 1e-9;

/// What the last step did at the contacts that took part.
#[derive(Clone, Debug, Default)]
pub struct StepOutcome {
    /// The contacts that took part.
    pub active: Vec<usize>,
    /// Λ, N and T of each of them in turn.
    pub impulse: Vec<f64>,
    /// γ at the beginning of the step.
    pub before: Vec<f64>,
    /// γ at its end.
    pub after: Vec<f64>,
    /// What each contact does.
    pub modes: Vec<Mode>,
    /// How far the step is from the laws.
    pub certificate: Certificate,
    /// Pivots or iterations of the solver.
    pub iterations: usize,
}

/// A step without an answer that meets the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsolved {
    /// How the solve ended.
    pub status: Status,
    /// The worst measure of the certificate that the best answer reached.
    pub worst: f64,
}

/// A time-stepping method with its storage, for one system.
#[derive(Debug)]
pub struct Stepper {
    pub(super) assembly: Assembly,
    pub(super) solver: ContactSolver,
    pub(super) problem: ContactProblem,
    pub(super) impact_law: ImpactLaw,
    pub(super) gaps: Vec<f64>,
    /// For each contact the gap up to which it counts as closed.
    closed: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) end: Vec<f64>,
    pub(super) forces: Vec<f64>,
    bias: Vec<f64>,
    pub(super) jean: Option<moreau_jean::Workspace>,
    impact: Impact,
    /// An impact of Poisson's law came before the step.
    impacted: bool,
    correction: Option<Correction>,
    pub(super) outcome: StepOutcome,
}

impl Stepper {
    /// Moreau's midpoint rule.
    ///
    /// # Errors
    /// If a setting is out of range or does not fit the system.
    pub fn midpoint(
        info: &SystemInfo,
        solve: solve::Settings,
        impact: ImpactLaw,
    ) -> Result<Self, Error> {
        info.validate()?;
        impact.validate(info, solve.formulation)?;
        let f = info.dof();
        Ok(Self {
            assembly: Assembly::new(info),
            solver: ContactSolver::new(solve)?,
            problem: ContactProblem::default(),
            impact_law: impact,
            gaps: vec![0.0; info.contacts.len()],
            closed: vec![0.0; info.contacts.len()],
            q: vec![0.0; f],
            free: vec![0.0; f],
            u: vec![0.0; f],
            end: vec![0.0; f],
            forces: vec![0.0; f],
            bias: Vec::new(),
            jean: None,
            impact: Impact::default(),
            impacted: false,
            correction: None,
            outcome: StepOutcome::default(),
        })
    }

    /// Moreau and Jean's θ-method.
    ///
    /// # Errors
    /// If a setting is out of range or does not fit the system.
    pub fn jean(
        info: &SystemInfo,
        jean: JeanSettings,
        solve: solve::Settings,
        impact: ImpactLaw,
    ) -> Result<Self, Error> {
        jean.validate()?;
        let workspace = moreau_jean::Workspace::new(info.dof(), jean);
        Ok(Self { jean: Some(workspace), ..Self::midpoint(info, solve, impact)? })
    }

    /// The same method, which also moves the configuration out of every contact at the end of a step.
    #[must_use]
    pub fn with_correction(mut self, info: &SystemInfo) -> Self {
        self.correction = Some(Correction::new(info));
        self
    }

    /// What the last step did.
    #[must_use]
    pub fn outcome(&self) -> &StepOutcome {
        &self.outcome
    }

    /// ŵ of the contacts that took part in the last step: walls that move, belts that run.
    #[must_use]
    pub fn drive(&self) -> &[f64] {
        self.assembly.drive()
    }

    /// The contact problem of the last step.
    #[must_use]
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// One step of length `dt`. If there is no answer, the state is unchanged.
    ///
    /// # Errors
    /// If the model returns a number that is not finite or a mass matrix that is not positive definite.
    pub fn step<S: System + ?Sized, W: Stopwatch>(
        &mut self,
        system: &mut S,
        state: &mut State,
        dt: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        let done = if self.jean.is_some() {
            moreau_jean::step(self, system, state, dt, watch)?
        } else {
            moreau_midpoint::step(self, system, state, dt, watch)?
        };
        if done.is_ok() {
            if let Some(correction) = &mut self.correction {
                correction.apply(system, state)?;
            }
            watch.lap(Stage::Advance);
        }
        Ok(done)
    }

    /// Contacts whose gap at (q, t) is not positive, but for rounding, take part, \[3\] section 5, step 3 (b).
    pub(super) fn detect<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
    ) -> Result<(), Error> {
        system.gaps(&self.q, t, &mut self.gaps);
        self.outcome.active.clear();
        self.outcome.impulse.clear();
        for (i, g) in self.gaps.iter().enumerate() {
            if !g.is_finite() {
                return Err(Error::NotFinite { what: "a gap", t });
            }
            if *g <= self.closed[i] {
                self.outcome.active.push(i);
            }
            self.closed[i] = 0.0;
        }
        Ok(())
    }

    /// Collects the active contacts at (q, t), and resolves an impact beforehand where the law needs it:
    /// Poisson's law is one of impulses in no time. `u` is the velocity at the beginning of the step.
    pub(super) fn collect<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
    ) -> Result<(), Unsolved> {
        let o = &mut self.outcome;
        self.assembly.collect(system, &o.active, &self.q, t);
        self.assembly.relative_velocity(&self.u, &mut o.before);
        o.iterations = 0;
        let approaching = o.before.iter().step_by(2).any(|g| *g < 0.0);
        self.impacted = self.impact_law == ImpactLaw::Poisson && approaching;
        if self.impacted {
            let (info, law) = (system.info(), ImpactLaw::Poisson);
            let solver = &mut self.solver;
            if !self.impact.resolve(info, &self.assembly, law, solver, &mut self.u) {
                let (status, worst) = (self.impact.status, self.impact.certificate.worst);
                return Err(Unsolved { status, worst });
            }
            o.iterations = self.impact.iterations;
        }
        Ok(())
    }

    /// Poses and solves the contact problem for the velocity `free`; `end` is then the velocity at the end of the
    /// step, \[3\] eqs. (18) to (33).
    pub(super) fn contact<W: Stopwatch>(
        &mut self,
        info: &SystemInfo,
        dt: f64,
        t: f64,
        watch: &mut W,
    ) -> Result<Result<(), Unsolved>, Error> {
        let o = &mut self.outcome;
        let newton = self.impact_law == ImpactLaw::Newton;
        self.assembly.relative_velocity(&self.free, &mut o.after);
        self.bias.resize(o.after.len(), 0.0);
        for (i, &c) in o.active.iter().enumerate() {
            let law = &info.contacts[c].law;
            let (eps_n, eps_t) = if newton { (law.eps_n, law.eps_t) } else { (0.0, 0.0) };
            let (n, t) = (2 * i, 2 * i + 1);
            self.bias[n] = o.after[n] + eps_n * o.before[n];
            self.bias[t] = o.after[t] + eps_t * o.before[t];
        }
        let law = |l: &Law| Law { radius: l.radius * dt, ..l.clone() };
        self.assembly.pose(info, &self.bias, law, &mut self.problem);
        check_finite("W", self.problem.planar_delassus(), t)?;
        if !self.problem.bias().iter().all(|b| b.is_finite()) {
            return Err(Error::NotFinite { what: "a relative velocity", t });
        }
        watch.lap(Stage::Pose);
        let answer = self.solver.solve(&self.problem);
        o.iterations += answer.iterations;
        watch.lap(Stage::Solve);
        if !answer.is_solved() {
            let (status, worst) = (answer.status, answer.certificate.worst);
            return Ok(Err(Unsolved { status, worst }));
        }
        copy(&mut self.end, &self.free);
        self.assembly.apply(&answer.impulse, &mut self.end);
        let momentum = self.assembly.momentum_error(&self.free, &self.end, &answer.impulse);
        o.certificate = answer.certificate;
        o.certificate.set_momentum(momentum);
        o.impulse.clear();
        o.impulse.extend_from_slice(&answer.impulse);
        if self.impacted {
            o.certificate = worse(o.certificate, self.impact.certificate);
            add_scaled(&mut o.impulse, 1.0, &self.impact.impulse);
        }
        o.modes.clear();
        o.modes.extend((0..self.problem.contacts()).map(|i| answer.mode(&self.problem, i)));
        self.assembly.relative_velocity(&self.end, &mut o.after);
        let v_ref = self.problem.bias().iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        for (i, &c) in o.active.iter().enumerate() {
            let rests = answer.impulse[2 * i] > 0.0 && o.after[2 * i].abs() <= ROUNDING * v_ref;
            self.closed[c] = if rests { ROUNDING * v_ref * dt } else { 0.0 };
        }
        watch.lap(Stage::Certify);
        Ok(Ok(()))
    }

    /// The outcome of a step in which no contact took part.
    pub(super) fn no_contact(&mut self) {
        let o = &mut self.outcome;
        o.impulse.clear();
        o.before.clear();
        o.after.clear();
        o.modes.clear();
        o.certificate = Certificate::default();
        o.iterations = 0;
        copy(&mut self.end, &self.free);
    }

    /// Row i of H Λ of the step itself, without an impact before it.
    pub(super) fn reaction(&self, i: usize) -> f64 {
        let before = |r: usize| if self.impacted { self.impact.impulse[r] } else { 0.0 };
        let rows = self.outcome.impulse.iter().enumerate();
        rows.map(|(r, lam)| (lam - before(r)) * self.assembly.direction(r)[i]).sum()
    }

    pub(super) fn has_active(&self) -> bool {
        !self.outcome.active.is_empty()
    }
}

fn worse(a: Certificate, b: Certificate) -> Certificate {
    if a.worst >= b.worst { a } else { b }
}

fn check_finite(what: &'static str, m: &Matrix, t: f64) -> Result<(), Error> {
    let finite = m.as_slice().iter().all(|v| v.is_finite());
    if finite { Ok(()) } else { Err(Error::NotFinite { what, t }) }
}

/// Refuses forces that are not finite.
pub(super) fn check_forces(h: &[f64], t: f64) -> Result<(), Error> {
    let finite = h.iter().all(|v| v.is_finite());
    if finite { Ok(()) } else { Err(Error::NotFinite { what: "a force", t }) }
}
