//! Contact problems of any kind: the model that the formulation stands for, its solution, and both certificates.

use super::{ContactSolution, ContactSolver, Effort, Encoding, Formulation, SolverChoice, conic};
use crate::error::Error;
use crate::{Certificate, ContactProblem, Delassus, Proof};
use complementarity::{Failure, Solution, Status};

/// The most planar contacts that are given to dense pivoting, whose work grows with the cube of their number; from about here on
/// the methods on blocks are faster.
const MOST_PLANAR: usize = 30;

/// The most rows of W for which a cone problem without an answer is tried by pivoting.
const MOST_PIVOTED: usize = 100;

impl ContactSolver {
    /// Refuses a problem that the formulation cannot pose and may not exchange for another.
    pub fn check(&self, problem: &ContactProblem) -> Result<(), Error> {
        let Some(formulation) = self.formulation_for(problem) else {
            return self.settings.formulation.takes_laws(problem.laws());
        };
        let model = self.model(problem, formulation)?;
        if !formulation.is_conic() && formulation != Formulation::GlockerStuder {
            let own = model.as_ref().unwrap_or(problem);
            Encoding::new(formulation, own, &self.rho(formulation, own)?)?;
        }
        Ok(())
    }

    /// The layout of the polyhedral formulation of the settings, and the problem that it stands for if that is not the
    /// given one: to look at the complementarity problem, or to save it.
    ///
    /// # Errors
    /// If the formulation makes a cone problem, or cannot pose this one.
    pub fn encoding(
        &self,
        problem: &ContactProblem,
    ) -> Result<(Encoding, Option<ContactProblem>), Error> {
        let formulation = self.settings.formulation;
        if formulation.is_conic() || formulation == Formulation::GlockerStuder {
            let (part, other) = (formulation.name(), "a mixed complementarity problem");
            let reason = "only stewart_trinkle, anitescu_potra and phantom_inertia make one";
            return Err(Error::Combination { part, other, reason });
        }
        let model = self.model(problem, formulation)?;
        let own = model.as_ref().unwrap_or(problem);
        let rho = self.rho(formulation, own)?;
        Ok((Encoding::new(formulation, own, &rho)?, model))
    }

    /// The formulation that a problem is given to.
    pub(super) fn formulation_for(&self, problem: &ContactProblem) -> Option<Formulation> {
        let s = &self.settings;
        if s.formulation.takes_laws(problem.laws()).is_ok() {
            return Some(s.formulation);
        }
        let other =
            if s.solver.takes_cones() { Formulation::Cone } else { Formulation::StewartTrinkle };
        s.fall_back.then_some(other)
    }

    pub(super) fn conic_for(&self, problem: &ContactProblem) -> bool {
        self.formulation_for(problem).is_some_and(Formulation::is_conic)
    }

    pub(crate) fn model(
        &self,
        problem: &ContactProblem,
        formulation: Formulation,
    ) -> Result<Option<ContactProblem>, Error> {
        let relaxation = self.settings.relaxation;
        let relaxed = (relaxation > 0.0).then(|| problem.relaxed(relaxation));
        let own = relaxed.as_ref().unwrap_or(problem);
        Ok(formulation.model(own, self.settings.directions)?.or(relaxed))
    }

    /// The phantom inertia of each contact; none for other formulations.
    fn rho(&self, formulation: Formulation, problem: &ContactProblem) -> Result<Vec<f64>, Error> {
        if formulation != Formulation::PhantomInertia {
            return Ok(Vec::new());
        }
        self.settings.rho.of(problem)
    }

    pub(super) fn solve_general(&mut self, problem: &ContactProblem, identities: Option<&[u64]>) {
        let n = problem.bias().len();
        let s = &mut self.solution;
        s.impulse.clear();
        s.impulse.resize(n, 0.0);
        s.velocity.resize(n, 0.0);
        (s.status, s.method) = (Status::Failed(Failure::WrongClass), "none");
        let formulation = self.formulation_for(problem);
        let own = formulation.map(|f| self.model(problem, f).map(|model| (f, model)));
        let Some(Ok((formulation, model))) = own else {
            return self.judge_general(problem, problem);
        };
        self.solution.formulation = formulation;
        let own = model.as_ref().unwrap_or(problem);
        // Friction and compliance do not move what nothing moves.
        let proof = if own.is_associated() { None } else { Proof::immovable(problem) };
        if let Some(proof) = proof {
            self.solution.method = "rows of zero";
            self.judge_general(problem, own);
            (self.solution.status, self.solution.proof) = (Status::NoSolution, Some(proof));
            return;
        }
        let by_blocks = self.takes_blocks(own, formulation);
        if by_blocks {
            self.solution.formulation = Formulation::Cone;
        }
        let attempt = match formulation {
            _ if by_blocks => self.attempt_cone(own, identities),
            f if Formulation::PLANAR.contains(&f) && own.is_planar() => {
                match own.delassus() {
                    Delassus::Dense(w) => self.solve_planar(own, w),
                    w => self.solve_planar(own, &w.to_dense()),
                }
                Ok(())
            }
            f if f.is_conic() => self.attempt_cone(own, identities),
            _ => self.attempt_polyhedral(own, formulation),
        };
        if attempt.is_err() {
            self.solution.status = Status::Failed(Failure::Numerical);
        }
        // The cone's answer comes judged; of another problem than the given one, the velocities are to be those of the given one.
        let judged = attempt.is_ok() && (by_blocks || formulation.is_conic());
        if judged {
            let s = &mut self.solution;
            if model.is_some() {
                problem.velocity_into(&s.impulse, &mut s.velocity);
            }
            super::conclude(s, self.settings.tolerance);
        } else {
            self.judge_general(problem, own);
        }
        if formulation == Formulation::Cone
            && model.is_none()
            && self.effort == Effort::Full
            && !self.solution.is_solved()
        {
            self.slip_slack_instead(problem);
            let auto = self.settings.solver == SolverChoice::Auto;
            if !self.solution.is_solved() && auto && problem.bias().len() <= MOST_PIVOTED {
                self.by_exact_cases(problem, self.settings.fall_back);
            }
        }
        // A compliant model has answers of its own.
        let stiff = self.settings.relaxation == 0.0;
        if self.solution.proof.is_none() && stiff && !own.is_associated() {
            self.refute(problem);
        }
        if self.settings.minimum_norm && self.solution.is_solved() {
            self.reduce(problem, own);
        }
        if model.is_some() {
            self.solution.model = Some(Certificate::of(problem, &self.solution.impulse));
        }
    }

    /// Whether a planar problem is so large that dense pivoting takes minutes where block-sparse methods take milliseconds; they
    /// solve the same law.
    pub(super) fn takes_blocks(&self, problem: &ContactProblem, formulation: Formulation) -> bool {
        let s = &self.settings;
        problem.contacts() > MOST_PLANAR
            && formulation == Formulation::GlockerStuder
            && s.fall_back
            && s.solver == SolverChoice::Auto
            && problem.is_planar()
    }

    fn attempt_cone(
        &mut self,
        problem: &ContactProblem,
        identities: Option<&[u64]>,
    ) -> Result<(), Error> {
        self.cone_engine()?;
        if let Some(engine) = &mut self.cone {
            engine.set_effort(self.effort);
            engine.solve(problem, identities, &mut self.solution);
        }
        Ok(())
    }

    /// The method on cones, made where it is needed first.
    pub(super) fn cone_engine(&mut self) -> Result<&mut conic::ConeEngine, Error> {
        let engine = match self.cone.take() {
            Some(engine) => engine,
            None => {
                // The least impulses are as good as the answer that they are made from, and a little less.
                let share = if self.settings.minimum_norm { 0.1 } else { 1.0 };
                let tolerance = share * self.settings.tolerance;
                Box::new(conic::ConeEngine::new(
                    self.settings.solver,
                    tolerance,
                    self.settings.threads,
                )?)
            }
        };
        Ok(self.cone.insert(engine))
    }

    /// Impulses that are huge beside what b asks for may meet the certificate where contacts contradict each other: they are
    /// then the solution of a problem that differs by rounding; and where no method found an answer, contacts that contradict each other may
    /// be why. If there is a proof that the given problem has none, it counts.
    fn refute(&mut self, problem: &ContactProblem) {
        let s = &mut self.solution;
        let proof = self.ray.proof(problem, &s.impulse, &s.velocity, s.certificate.worst);
        if proof.is_some() {
            (s.status, s.proof) = (Status::NoSolution, proof);
        }
    }

    /// Where pivoting finds no answer for planar contacts: the methods on blocks, in the scales of each contact. Kept if it is
    /// better.
    pub(super) fn by_blocks_instead(&mut self, problem: &ContactProblem) {
        let first = self.solution.clone();
        let attempt = self.attempt_cone(problem, None);
        super::conclude(&mut self.solution, self.settings.tolerance);
        if attempt.is_ok() && self.solution.certificate.worst < first.certificate.worst {
            self.solution.formulation = Formulation::Cone;
        } else {
            self.solution = first;
        }
    }

    /// Where `auto` finds no answer by cones and all friction sets are polyhedra: the slip-slack form, which then is exact and
    /// whose pivoting does not mind that rows depend on each other. Kept if it is better.
    fn slip_slack_instead(&mut self, problem: &ContactProblem) {
        let s = &self.settings;
        let other = Formulation::StewartTrinkle;
        let exact = || matches!(other.model(problem, s.directions), Ok(None));
        let few = problem.bias().len() <= MOST_PIVOTED;
        if !(few && s.fall_back && s.solver == SolverChoice::Auto && exact()) {
            return;
        }
        let first = self.solution.clone();
        let attempt = self.attempt_polyhedral(problem, other);
        self.judge_general(problem, problem);
        if attempt.is_ok() && self.solution.certificate.worst < first.certificate.worst {
            self.solution.formulation = other;
        } else {
            self.solution = first;
        }
    }

    fn attempt_polyhedral(
        &mut self,
        problem: &ContactProblem,
        formulation: Formulation,
    ) -> Result<(), Error> {
        if formulation == Formulation::PhantomInertia {
            return self.attempt_phantom(problem);
        }
        let encoding = Encoding::new(formulation, problem, &[])?;
        let mixed = encoding.mixed(problem)?;
        let answer = match mixed.to_lcp() {
            Some(lcp) => Some(self.engine.solve(&lcp, false)),
            None => self.engine.solve_mixed(&mixed),
        };
        let z = take_answer(&mut self.solution, self.settings.solver, answer);
        encoding.decode(&z.unwrap_or_else(|| vec![0.0; mixed.len()]), &mut self.solution.impulse);
        Ok(())
    }

    /// Judges the impulses against the model; the velocities are those of the problem.
    fn judge_general(&mut self, problem: &ContactProblem, own: &ContactProblem) {
        let s = &mut self.solution;
        s.certificate = Certificate::judge(own, &s.impulse, &mut s.velocity);
        if !std::ptr::eq(problem, own) {
            problem.velocity_into(&s.impulse, &mut s.velocity);
        }
        super::conclude(s, self.settings.tolerance);
    }
}

/// Status, method and iterations of a complementarity problem, and its unknowns; none if the solver does not take it.
pub(super) fn take_answer(
    s: &mut ContactSolution,
    solver: SolverChoice,
    answer: Option<(&'static str, &Solution)>,
) -> Option<Vec<f64>> {
    let Some((method, answer)) = answer else {
        (s.status, s.method) = (Status::Failed(Failure::WrongClass), solver.name());
        return None;
    };
    (s.status, s.method) = (answer.status, method);
    s.iterations += answer.statistics.iterations;
    if s.status == Status::NoSolution {
        // Of the encoding, whose numbers are rounded; not of the contact problem.
        s.status = Status::Failed(Failure::Numerical);
    }
    Some(answer.z.clone())
}
