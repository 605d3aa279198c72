//! Solving a contact problem: a formulation, a solver, and the certificate that judges the answer.
//!
//! ```
//! use complementarity::Matrix;
//! use stickslip::contact::{ContactProblem, Law};
//! use stickslip::solve::ContactSolver;
//!
//! // A problem on which Lemke's method ends on a ray in the form of \[3\] eq. (33).
//! let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]])?;
//! let problem = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)])?;
//! let mut solver = ContactSolver::default();
//! let answer = solver.solve(&problem);
//! assert!(answer.is_solved());
//! assert!((answer.impulse[0] - 3.0).abs() < 1e-12 && (answer.impulse[1] + 4.0).abs() < 1e-12);
//! # Ok::<(), stickslip::Error>(())
//! ```

mod choice;
mod formulation;
mod single;

pub use choice::SolverChoice;
pub(crate) use choice::choose;
pub use formulation::Formulation;

use crate::contact::{Certificate, ContactProblem, Mode, Slip};
use crate::error::{Error, check};
use choice::Engine;
use complementarity::{Failure, Lcp, Matrix, Proof, Status};
use formulation::Layout;

/// A slip below this share of the largest entry of b counts as none, where modes are named.
const SLIP: f64 = 1e-9;

/// Settings of a [`ContactSolver`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The formulation that is tried first. Default `glocker_studer`.
    pub formulation: Formulation,
    /// The solver of the complementarity problem. Default `auto`.
    pub solver: SolverChoice,
    /// The worst measure of the certificate that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// Whether an answer that \[3\] eq. (33) does not give is sought by the slip-slack form, which has the same
    /// solutions and a copositive matrix. Default true.
    pub fall_back: bool,
    /// Whether `auto` goes through the cases of a single contact (open, stick, slip) before it makes a complementarity
    /// problem of it: several times as fast. Default true.
    pub cases: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let (formulation, solver) = (Formulation::default(), SolverChoice::default());
        Self { formulation, solver, tolerance: 1e-10, fall_back: true, cases: true }
    }
}

impl Settings {
    /// Refuses a tolerance that is not in (0, 0.01].
    pub fn validate(&self) -> Result<(), Error> {
        let t = self.tolerance;
        let inside = t > 0.0 && t <= 1e-2;
        check(|| "tolerance".into(), t, inside, "greater than 0 and at most 0.01")
    }
}

/// The answer to a contact problem.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSolution {
    /// Λ, N and T of each contact in turn.
    pub impulse: Vec<f64>,
    /// ξ = W Λ + b.
    pub velocity: Vec<f64>,
    /// How the solve ended. Solved means that the certificate meets the tolerance.
    pub status: Status,
    /// How far the impulses are from the laws.
    pub certificate: Certificate,
    /// The formulation that gave the answer; the one of the settings where `method` is `cases`, which needs none.
    pub formulation: Formulation,
    /// The method that gave the answer.
    pub method: &'static str,
    /// Pivots or iterations, of all attempts.
    pub iterations: usize,
    /// Why there is no solution, for the complementarity problem of `formulation`; present if and only if the
    /// status is `NoSolution`.
    pub proof: Option<Proof>,
}

impl Default for ContactSolution {
    fn default() -> Self {
        Self {
            impulse: Vec::new(),
            velocity: Vec::new(),
            status: Status::Failed(Failure::Stalled),
            certificate: Certificate::default(),
            formulation: Formulation::default(),
            method: "",
            iterations: 0,
            proof: None,
        }
    }
}

impl ContactSolution {
    /// Whether the laws are met to the tolerance.
    pub fn is_solved(&self) -> bool {
        self.status.is_solved()
    }

    /// What a contact does, by the signs of its impulse and slip.
    pub fn mode(&self, problem: &ContactProblem, contact: usize) -> Mode {
        let (n, t) = (2 * contact, 2 * contact + 1);
        if !(self.impulse[n] > 0.0) {
            return Mode::Open;
        }
        if let Some(slip) = problem.laws()[contact].sliding {
            return Mode::Slide(slip);
        }
        let v_ref = problem.bias().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        match Slip::of(self.velocity[t]) {
            Some(slip) if self.velocity[t].abs() > SLIP * v_ref => Mode::Slide(slip),
            _ => Mode::Stick,
        }
    }
}

/// Solves contact problems, one after the other, on storage that it keeps.
#[derive(Clone, Debug, Default)]
pub struct ContactSolver {
    settings: Settings,
    engine: Engine,
    layout: Layout,
    lcp: Option<Lcp>,
    solution: ContactSolution,
}

impl ContactSolver {
    /// A solver with these settings.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        let engine = Engine::new(settings.solver, settings.tolerance)?;
        Ok(Self { settings, engine, ..Self::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The last answer.
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// Solves a problem.
    pub fn solve(&mut self, problem: &ContactProblem) -> &ContactSolution {
        let first = self.settings.formulation;
        self.solution.iterations = 0;
        let cases = self.settings.cases && self.settings.solver == SolverChoice::Auto;
        if cases && self.by_cases(problem) {
            return &self.solution;
        }
        self.attempt(problem, first);
        let settled = self.solution.is_solved() || self.solution.status == Status::NoSolution;
        // DESIGN: where Lemke fails on (33), the slip-slack matrix has the same solutions.
        if !settled && self.settings.fall_back && first == Formulation::GlockerStuder {
            self.attempt(problem, Formulation::StewartTrinkle);
        }
        &self.solution
    }

    /// The complementarity problem of a formulation, to look at or to save.
    pub fn encode(problem: &ContactProblem, formulation: Formulation) -> Result<Lcp, Error> {
        let (mut m, mut q) = (Matrix::zeros(0, 0), Vec::new());
        formulation.encode(problem, &mut Layout::default(), &mut m, &mut q);
        Ok(Lcp::new(m, q)?)
    }

    /// The impulses that unknowns of a formulation stand for.
    ///
    /// # Panics
    /// If `z` has fewer entries than the formulation has unknowns.
    pub fn decode(problem: &ContactProblem, formulation: Formulation, z: &[f64]) -> Vec<f64> {
        let mut layout = Layout::default();
        layout.of(problem.laws(), formulation);
        let mut impulse = vec![0.0; problem.bias().len()];
        formulation.decode(&layout, z, &mut impulse);
        impulse
    }

    /// Tries the cases of a single contact; true if the certificate is met.
    fn by_cases(&mut self, problem: &ContactProblem) -> bool {
        let Some((impulse, cases)) = single::solve(problem) else { return false };
        let s = &mut self.solution;
        s.formulation = self.settings.formulation;
        s.impulse.clear();
        s.impulse.extend_from_slice(&impulse);
        s.velocity.resize(2, 0.0);
        (s.status, s.method, s.iterations) = (Status::Failed(Failure::Stalled), "cases", cases);
        s.proof = None;
        judge(problem, self.settings.tolerance, s);
        s.is_solved()
    }

    fn attempt(&mut self, problem: &ContactProblem, formulation: Formulation) {
        let (mut m, mut q) = match self.lcp.take() {
            Some(lcp) => lcp.into_parts(),
            None => (Matrix::zeros(0, 0), Vec::new()),
        };
        formulation.encode(problem, &mut self.layout, &mut m, &mut q);
        let s = &mut self.solution;
        s.formulation = formulation;
        s.impulse.resize(problem.bias().len(), 0.0);
        s.velocity.resize(problem.bias().len(), 0.0);
        s.proof = None;
        let Ok(lcp) = Lcp::new(m, q) else {
            // μ times an entry of W overflowed.
            s.impulse.fill(0.0);
            (s.status, s.method) = (Status::Failed(Failure::Numerical), "encoding");
            return judge(problem, f64::NEG_INFINITY, s);
        };
        let quadratic = is_quadratic_program(problem);
        let (method, answer) = self.engine.solve(&lcp, quadratic);
        s.method = method;
        s.status = answer.status;
        s.iterations += answer.statistics.iterations;
        s.proof.clone_from(&answer.proof);
        formulation.decode(&self.layout, &answer.z, &mut s.impulse);
        self.lcp = Some(lcp);
        judge(problem, self.settings.tolerance, s);
    }
}

/// Only the certificate makes an answer a solution.
fn judge(problem: &ContactProblem, tolerance: f64, s: &mut ContactSolution) {
    problem.velocity_into(&s.impulse, &mut s.velocity);
    s.certificate = Certificate::of(problem, &s.impulse);
    if s.status == Status::NoSolution {
        return;
    }
    let met = s.certificate.worst <= tolerance;
    s.status = match s.status {
        _ if met => Status::Solved,
        Status::Solved => Status::Failed(Failure::Stalled),
        failed => failed,
    };
}

/// Friction that does not depend on the load makes the problem that of a convex program, \[3\] section 6.
fn is_quadratic_program(problem: &ContactProblem) -> bool {
    problem.laws().iter().all(|l| l.mu == 0.0)
}
