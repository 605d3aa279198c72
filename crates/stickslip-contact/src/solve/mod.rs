//! Solving a contact problem: a formulation, a solver, and the certificate that judges the answer.
//!
//! ```
//! use complementarity::Matrix;
//! use stickslip_contact::{ContactProblem, Law};
//! use stickslip_contact::solve::ContactSolver;
//!
//! // A problem on which Lemke's method ends on a ray in the form of \[3\] eq. (33).
//! let w = Matrix::from_rows(&[[1.5, 1.0], [1.0, 0.75]])?;
//! let problem = ContactProblem::new(w, vec![-0.5, 0.0], vec![Law::coulomb(2.0)])?;
//! let mut solver = ContactSolver::default();
//! let answer = solver.solve(&problem);
//! assert!(answer.is_solved());
//! assert!((answer.impulse[0] - 3.0).abs() < 1e-12 && (answer.impulse[1] + 4.0).abs() < 1e-12);
//! # Ok::<(), stickslip_contact::Error>(())
//! ```

mod choice;
mod conic;
mod formulation;
mod general;
mod phantom;
mod planar;
mod polyhedral;
pub use crate::redundancy::Redundancy;
mod varying;

pub use choice::{Effort, SolverChoice, choose};
pub use formulation::Formulation;
pub use phantom::{Eliminated, Rho, default_rho, eliminate_free};
pub use polyhedral::{Encoding, UnknownKind};

use crate::error::{Error, check};
use crate::planar::cases;
use crate::proof::{self, Proof, Ray, Search};
use crate::set::ConvexSet;
use crate::solvers::check_threads;
use crate::{Certificate, ContactProblem, Delassus, Kind, Law, Mode, Slip};
use choice::Engine;
use complementarity::{Failure, Lcp, Matrix, Status};
use conic::ConeEngine;
use planar::Layout;
use std::borrow::Cow;
use varying::Rounds;

/// A slip below this share of the largest entry of b counts as none, where modes are named.
const SLIP: f64 = 1e-9;
/// A slip above this share of it is one, whatever friction does; below, rounding may let a contact between very different masses creep.
const SURE_SLIP: f64 = 1e-6;
/// Friction below this share of its limit is not that of slip. Polygons inside of a disc reach 0.7 of it.
const SLIDING: f64 = 0.5;

/// Settings of a [`ContactSolver`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The formulation that is tried first. Default `glocker_studer`.
    pub formulation: Formulation,
    /// The solver of the complementarity or cone problem. Default `auto`.
    pub solver: SolverChoice,
    /// The worst measure of the certificate that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// Whether an answer that \[3\] eq. (33) does not give is sought by another formulation: for planar contacts the
    /// slip-slack form, which has the same solutions and a copositive matrix; for contacts in space, which (33) does not
    /// have, the cone (or the slip-slack form, if the solver takes no cones); where `auto` finds no answer by cones, and
    /// all friction sets are polyhedra, the slip-slack form; and where no form gives one for planar contacts, their cases in
    /// exact arithmetic. Default true.
    pub fall_back: bool,
    /// Whether `auto` goes through the cases of one or two planar contacts (open, stick, slip) before it makes a complementarity
    /// problem of them: several times as fast. Default true.
    pub cases: bool,
    /// Corners (`stewart_trinkle`, `anitescu_potra`) or facets (`phantom_inertia`, an even number) of the polygon that
    /// stands for a round friction set. Default 8.
    pub directions: usize,
    /// The phantom inertia ρ, which does not change the set of solutions. Default [`Rho::Chosen`].
    pub rho: Rho,
    /// Compliance added to W, as a share of each diagonal entry: makes forces of redundant contacts unique, and the model
    /// another one, whose error the answer tells. Default 0.
    pub relaxation: f64,
    /// Whether of all impulses that give the velocities of the answer and obey the laws the least are taken, in the
    /// norm of [`redundancy`](crate::redundancy): unique where contacts are redundant. Costs an eigenvalue problem with the rows of W per
    /// solve; an answer for which they are not found to the tolerance counts as failed. Default false.
    pub minimum_norm: bool,
    /// How many threads share the islands of `auto`, and its sweeps over many contacts, with the feature `parallel`. The answer is the same
    /// to the last bit for any number of them. Default 1.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        let (formulation, solver) = (Formulation::default(), SolverChoice::default());
        let (directions, rho, relaxation) = (8, Rho::Chosen, 0.0);
        let (fall_back, cases, tolerance, minimum_norm) = (true, true, 1e-10, false);
        Self {
            formulation,
            solver,
            tolerance,
            fall_back,
            cases,
            directions,
            rho,
            relaxation,
            minimum_norm,
            threads: 1,
        }
    }
}

impl Settings {
    /// Refuses numbers outside of their ranges, and a solver that cannot take what the formulation makes.
    pub fn validate(&self) -> Result<(), Error> {
        let t = self.tolerance;
        let inside = t > 0.0 && t <= 1e-2;
        check(|| "tolerance".into(), t, inside, "greater than 0 and at most 0.01")?;
        let m = self.directions;
        let even = m.is_multiple_of(2) || self.formulation != Formulation::PhantomInertia;
        let inside = (3..=1000).contains(&m) && even;
        let wanted = "from 3 to 1000, and even for phantom_inertia";
        check(|| "directions".into(), m as f64, inside, wanted)?;
        self.rho.validate()?;
        let r = self.relaxation;
        check(|| "relaxation".into(), r, (0.0..=1.0).contains(&r), "between 0 and 1")?;
        check_threads("auto", self.threads)?;
        self.formulation.takes_solver(self.solver)
    }
}

/// The answer to a contact problem.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSolution {
    /// Λ, the components of each contact in turn.
    pub impulse: Vec<f64>,
    /// ξ = W Λ + b.
    pub velocity: Vec<f64>,
    /// How the solve ended. Solved means that the certificate meets the tolerance.
    pub status: Status,
    /// How far the impulses are from the laws that the formulation stands for: the error of the solver.
    pub certificate: Certificate,
    /// How far they are from the laws of the problem, where the formulation stands for others (a polygon for a round
    /// friction set, the convexified cone, a relaxed W): the error of the model.
    pub model: Option<Certificate>,
    /// The formulation that gave the answer; the one of the settings where `method` is `cases`, which needs none.
    pub formulation: Formulation,
    /// The method that gave the answer.
    pub method: &'static str,
    /// Pivots or iterations, of all attempts.
    pub iterations: usize,
    /// Factorisations of sparse matrices, of all attempts.
    pub factorisations: usize,
    /// Why there is no solution: a proof about W, b and the laws themselves. Present if and only if the status is
    /// `NoSolution`; it passes [`Proof::check`].
    pub proof: Option<Proof>,
}

impl Default for ContactSolution {
    fn default() -> Self {
        Self {
            impulse: Vec::new(),
            velocity: Vec::new(),
            status: Status::Failed(Failure::Stalled),
            certificate: Certificate::default(),
            model: None,
            formulation: Formulation::default(),
            method: "",
            iterations: 0,
            factorisations: 0,
            proof: None,
        }
    }
}

impl ContactSolution {
    /// Whether the laws are met to the tolerance.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.status.is_solved()
    }

    /// What a contact does, by the signs of its impulse and slip.
    #[must_use]
    pub fn mode(&self, problem: &ContactProblem, contact: usize) -> Mode {
        self.mode_beside(problem, contact, largest(problem.bias()))
    }

    /// What all contacts do.
    pub fn modes(&self, problem: &ContactProblem, out: &mut Vec<Mode>) {
        let bias = largest(problem.bias());
        out.clear();
        out.extend((0..problem.contacts()).map(|i| self.mode_beside(problem, i, bias)));
    }

    /// The same with the largest entry of b.
    #[inline]
    fn mode_beside(&self, problem: &ContactProblem, contact: usize, bias: f64) -> Mode {
        let law = &problem.laws()[contact];
        if let Kind::Bilateral(_) = law.kind {
            return Mode::Fixed;
        }
        let rows = problem.rows(contact);
        let (n, xi) = (rows.start, &self.velocity[rows]);
        if let Kind::Dry(set) = &law.kind {
            return self.dry_mode(bias, law, set, xi);
        }
        if !(self.impulse[n] > 0.0) {
            return Mode::Open;
        }
        let v_ref = if bias > 0.0 { bias } else { self.largest_response(problem) };
        if !matches!(law.kind, Kind::Planar) {
            let slides = |set: &ConvexSet| {
                let friction = || set.gauge(&self.impulse[n + 1..n + xi.len()]);
                law.sliding.is_some()
                    || self.slips((law, n), set.support(&xi[1..]) / v_ref, friction)
            };
            return match law.kind.set() {
                None => Mode::Closed,
                Some(set) if slides(set) => Mode::Slip,
                Some(_) => Mode::Stick,
            };
        }
        if let Some(slip) = law.slip() {
            return Mode::Slide(slip);
        }
        match Slip::of(xi[1]) {
            Some(slip)
                if self.slips((law, n), xi[1].abs() / v_ref, || self.impulse[n + 1].abs()) =>
            {
                Mode::Slide(slip)
            }
            _ => Mode::Stick,
        }
    }

    /// Whether a contact with its normal in row n slips, at this share of the largest velocity. Limits that depend on the slip are not asked.
    #[inline(always)]
    fn slips(&self, (law, n): (&Law, usize), share: f64, friction: impl Fn() -> f64) -> bool {
        let at_limit = || friction() >= SLIDING * law.limit(self.impulse[n]) || law.varies();
        share > SURE_SLIP || share > SLIP && at_limit()
    }

    /// What velocities are compared with where b is zero: the terms of W Λ, of which rounding is left.
    fn largest_response(&self, problem: &ContactProblem) -> f64 {
        let terms = problem.delassus().diagonal().into_iter().zip(&self.impulse);
        terms.fold(0.0, |m, (w, l)| m.max((w * l).abs()))
    }

    /// Friction without a normal: none, stick, or slip in a direction.
    fn dry_mode(&self, bias: f64, law: &Law, set: &ConvexSet, xi: &[f64]) -> Mode {
        let v_ref = bias.max(largest(&self.velocity));
        let slides = law.sliding.is_some() || set.support(xi) > SLIP * v_ref;
        let direction = law.slip().or_else(|| Slip::of(xi[0]));
        match (slides, direction) {
            _ if law.radius == 0.0 => Mode::Open,
            (false, _) => Mode::Stick,
            (true, Some(slip)) if set.dimension() == 1 => Mode::Slide(slip),
            (true, _) => Mode::Slip,
        }
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Solves contact problems, one after the other, on storage that it keeps.
#[derive(Clone, Debug, Default)]
pub struct ContactSolver {
    pub(crate) settings: Settings,
    engine: Engine,
    cone: Option<Box<ConeEngine>>,
    layout: Layout,
    lcp: Option<Lcp>,
    ray: Ray,
    effort: Effort,
    rounds: Option<Box<Rounds>>,
    pub(crate) solution: ContactSolution,
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

    /// A solver of clusters, which are not taken apart into clusters again, and for which it does not search long: there are others.
    pub(crate) fn of_clusters(tolerance: f64) -> Result<Self, Error> {
        let mut solver = Self::new(Settings { tolerance, ..Settings::default() })?;
        solver.cone = Some(Box::new(ConeEngine::of_clusters(tolerance)?));
        solver.effort = Effort::Brief;
        Ok(solver)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The last answer.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }

    /// Has `auto` search so long for answers by cones from now on. Returns how long it did before.
    pub fn set_effort(&mut self, effort: Effort) -> Effort {
        std::mem::replace(&mut self.effort, effort)
    }

    /// Solves a problem. Where the formulation cannot take it and may not be exchanged for another, the status says so;
    /// [`Formulation::takes_laws`] tells beforehand.
    pub fn solve(&mut self, problem: &ContactProblem) -> &ContactSolution {
        if problem.has_varying_friction() {
            self.solve_varying(problem, None);
            return &self.solution;
        }
        let s = &mut self.solution;
        (s.iterations, s.model) = (0, None);
        if s.proof.is_some() {
            s.proof = None;
        }
        let plain = Formulation::PLANAR.contains(&self.settings.formulation)
            && self.settings.relaxation == 0.0
            && !self.takes_blocks(problem, self.settings.formulation);
        let dense = match problem.delassus() {
            _ if !(plain && problem.is_planar()) => None,
            Delassus::Dense(w) => Some(Cow::Borrowed(w)),
            w => (problem.contacts() <= 2).then(|| Cow::Owned(w.to_dense())),
        };
        let Some(w) = dense else {
            self.solve_general(problem, None);
            return &self.solution;
        };
        self.solve_planar(problem, &w);
        if self.settings.minimum_norm {
            self.reduce(problem, problem);
        }
        &self.solution
    }

    /// Solves a problem whose contacts have these identities, each once: those that the last such solve had start at the
    /// impulses that they had then, where the method is one that can use it.
    ///
    /// # Errors
    /// If there is not one identity per contact.
    pub fn solve_identified(
        &mut self,
        problem: &ContactProblem,
        identities: &[u64],
    ) -> Result<&ContactSolution, Error> {
        let (expected, found) = (problem.contacts(), identities.len());
        if expected != found {
            return Err(Error::Size { what: "the list of identities", expected, found });
        }
        if problem.has_varying_friction() {
            self.solve_varying(problem, Some(identities));
            return Ok(&self.solution);
        }
        if !self.conic_for(problem) {
            return Ok(self.solve(problem));
        }
        let s = &mut self.solution;
        (s.iterations, s.model, s.proof) = (0, None, None);
        self.solve_general(problem, Some(identities));
        Ok(&self.solution)
    }

    /// By cases where there are one or two contacts, then as a complementarity problem in two forms that have the same
    /// solutions, then in exact arithmetic.
    fn solve_planar(&mut self, problem: &ContactProblem, w: &Matrix) {
        let first = self.settings.formulation;
        let auto = self.settings.solver == SolverChoice::Auto;
        if auto && self.settings.cases && self.by_cases(problem) {
            return;
        }
        self.attempt(problem, w, first);
        let mut claimed = self.solution.status == Status::NoSolution;
        let other = first == Formulation::GlockerStuder && self.settings.fall_back;
        // Where Lemke's method fails on (33), the slip-slack matrix has the same solutions.
        if !self.solution.is_solved() && !claimed && other {
            self.attempt(problem, w, Formulation::StewartTrinkle);
            claimed = self.solution.status == Status::NoSolution;
        }
        if !self.solution.is_solved() && auto && self.settings.fall_back && problem.contacts() > 2 {
            self.by_blocks_instead(problem);
        }
        if !self.solution.is_solved() && (auto || claimed) {
            self.by_exact_cases(problem, auto && self.settings.fall_back);
        }
    }

    /// Tries the cases of one or two contacts; true if the certificate is met.
    fn by_cases(&mut self, problem: &ContactProblem) -> bool {
        let s = &mut self.solution;
        let Some(cases) = cases::solve(problem, &mut s.impulse) else { return false };
        s.formulation = self.settings.formulation;
        s.velocity.resize(s.impulse.len(), 0.0);
        (s.status, s.method, s.iterations) = (Status::Failed(Failure::Stalled), "cases", cases);
        judge(problem, self.settings.tolerance, s);
        s.is_solved()
    }

    /// Decides in exact arithmetic: a solution, which is taken if `solve` says so, or a proof that there is none. What a
    /// complementarity problem says of its own existence of solutions does not count: its matrix is rounded.
    fn by_exact_cases(&mut self, problem: &ContactProblem, solve: bool) {
        let tolerance = self.settings.tolerance;
        let s = &mut self.solution;
        if s.status == Status::NoSolution {
            s.status = Status::Failed(Failure::Numerical);
        }
        let mut trial = s.clone();
        (trial.method, trial.formulation) = ("exact cases", self.settings.formulation);
        // A solution but for rounding counts for more than what other methods left.
        let mut best: Option<f64> = None;
        let found = proof::decide(problem, &mut |impulse| {
            trial.impulse.copy_from_slice(impulse);
            trial.status = Status::Failed(Failure::Precision);
            judge(problem, tolerance, &mut trial);
            let worst = trial.certificate.worst;
            if solve && best.is_none_or(|best| worst < best) {
                best = Some(worst);
                s.clone_from(&trial);
            }
            trial.is_solved()
        });
        if let Search::Proved(proof) = found {
            (s.status, s.proof, s.method) = (Status::NoSolution, Some(proof), "exact cases");
        }
    }

    fn attempt(&mut self, problem: &ContactProblem, w: &Matrix, formulation: Formulation) {
        let (mut m, mut q) = match self.lcp.take() {
            Some(lcp) => lcp.into_parts(),
            None => (Matrix::zeros(0, 0), Vec::new()),
        };
        planar::encode(formulation, problem, w, &mut self.layout, &mut m, &mut q);
        let s = &mut self.solution;
        s.formulation = formulation;
        s.impulse.resize(problem.bias().len(), 0.0);
        s.velocity.resize(problem.bias().len(), 0.0);
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
        planar::decode(formulation, &self.layout, &answer.z, &mut s.impulse);
        self.lcp = Some(lcp);
        judge(problem, self.settings.tolerance, s);
    }
}

/// Only the certificate makes an answer a solution.
fn judge(problem: &ContactProblem, tolerance: f64, s: &mut ContactSolution) {
    s.certificate = Certificate::judge(problem, &s.impulse, &mut s.velocity);
    conclude(s, tolerance);
}

#[inline(always)]
fn conclude(s: &mut ContactSolution, tolerance: f64) {
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
