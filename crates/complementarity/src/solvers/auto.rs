//! The default: picks a method, checks its answer, goes on to another where one fails, and tells
//! the way it took.
//!
//! The order for a plain problem: block exchanges if it has at most 8 unknowns; Lemke's method; Lemke's method on the centred form, if there are bounded variables; both in balanced units, with
//! four covers, unless they met their limit on pivots; all cases, up to 10 unknowns; the
//! interior point and Newton's method, in this order if the matrix is monotone, else in the other;
//! a search for a Farkas vector; principal pivoting; all cases, up to [`Settings::enumerate_up_to`];
//! and where Lemke's method met its limit, a longer path. For a mixed problem: Lemke's method, also in
//! balanced units, the two iterative methods likewise, projected Gauss-Seidel, a search for a Farkas
//! vector, the plain form of a small problem, a longer path.
//!
//! A failed answer that is near a solution is polished before the next method is tried. Each is
//! certified by the independent residual, and the first that meets the tolerance, or has a proof
//! that there is no solution, ends the search. Else the best vector found is returned, as a failure.
//! A solution whose terms dwarf q is doubted: a Farkas vector against it counts for more.
//!
//! ```
//! use complementarity::{Auto, Lcp, Matrix, Solver};
//!
//! // Dry friction on which Lemke's method ends on a ray although there is a solution.
//! let m = Matrix::from_rows(&[[-0.5, 1.0, 0.0], [-0.5, 0.75, 1.0], [8.0, -2.0, 0.0]])?;
//! let problem = Lcp::new(m, vec![-0.5, 0.0, 0.0])?;
//! let mut auto = Auto::default();
//! let solution = auto.solve(&problem);
//! assert!(solution.is_solved());
//! assert!((solution.z[0] - 3.0).abs() < 1e-12);
//! let path: Vec<_> = auto.attempts().iter().map(|a| a.method).collect();
//! assert_eq!(path.last(), Some(&"lemke, centred"));
//! # Ok::<(), complementarity::Error>(())
//! ```

use super::bound_pairs::Centred;
use super::polish::Polisher;
use super::principal_pivoting::small;
use super::reduction::Reduction;
use super::view::View;
use super::{MixedSolver, Solver, certify, check_guess, check_setting, farkas};
use crate::enumerate::{self, enumerate};
use crate::lemke::{self, CoveringVector, Units};
use crate::linalg::is_semidefinite;
use crate::residual::Scratch;
use crate::tolerance::{POLISH_NEAR, REMOTE, SOLVED};
use crate::{
    Error, Failure, InteriorPoint, Lcp, Lemke, Mlcp, Newton, Pgs, PrincipalPivoting, Solution,
    Statistics, Status,
};
use crate::{interior_point, newton};

/// Settings of [`Auto`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The scaled residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// All cases are tried, as a last resort that also proves, up to this many unknowns. Default 16,
    /// at most 20.
    pub enumerate_up_to: usize,
    /// A Farkas vector is searched for up to this many unknowns; 0 for never. Default 500.
    pub prove_up_to: usize,
    /// Operations that all methods together may take, roughly nanoseconds; once they are spent the
    /// search ends with [`Failure::WorkLimit`]. `None`, the default, for 10⁹ + 4000 n³.
    pub work: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: SOLVED, enumerate_up_to: 16, prove_up_to: 500, work: None }
    }
}

impl Settings {
    /// Refuses settings outside of their ranges.
    pub fn validate(&self) -> Result<(), Error> {
        let wanted = "greater than 0 and at most 0.01";
        check_setting("auto", "tolerance", self.tolerance, (0.0, 1e-2), wanted)?;
        let up_to = self.enumerate_up_to as f64;
        check_setting("auto", "enumerate_up_to", up_to, (-1.0, 20.0), "at most 20")?;
        let work = self.work.unwrap_or(1.0);
        check_setting("auto", "work", work, (0.0, 1e18), "greater than 0 and at most 1e18")
    }

    fn work_for(&self, n: usize) -> f64 {
        self.work.unwrap_or(1e9 + 4e3 * (n as f64).powi(3))
    }
}

/// One step on the way to an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The method that was tried.
    pub method: &'static str,
    /// How it ended.
    pub status: Status,
    /// The scaled residual that it reached.
    pub residual: f64,
    /// Its pivots, sweeps or steps.
    pub iterations: usize,
}

impl Attempt {
    fn of(method: &'static str, s: &Solution) -> Self {
        let iterations = s.statistics.iterations;
        Self { method, status: s.status, residual: s.residual.scaled, iterations }
    }
}

/// The default solver; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Auto {
    settings: Settings,
    lemke: Lemke,
    polisher: Polisher,
    scratch: Scratch,
    candidate: Solution,
    solution: Solution,
    attempts: Vec<Attempt>,
    /// Operations left.
    work: f64,
}

impl Auto {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.validate()?;
        let lemke = lemke::Settings { tolerance: settings.tolerance, ..Default::default() };
        Ok(Self { settings, lemke: Lemke::new(lemke)?, ..Self::default() })
    }

    /// The way to the last answer: every method that was tried, in order.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The solution of the last solve.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    fn run(&mut self, problem: &Lcp, guess: Option<&[f64]>) -> &Solution {
        self.attempts.clear();
        if !self.quick(problem, guess) {
            let view = problem.into();
            self.start(view);
            let _ = self.pivot(view, guess)
                || self.centred(problem)
                || self.balanced(view)
                || self.all_cases(problem, FEW)
                || self.is_spent()
                || self.iterate(view)
                || self.is_spent()
                || self.no_solution(view)
                || self.is_spent()
                || self.principal(problem)
                || self.all_cases(problem, self.settings.enumerate_up_to)
                || self.is_spent()
                || self.long_path(view);
        }
        &self.solution
    }

    fn run_mixed(&mut self, problem: &Mlcp, guess: Option<&[f64]>) -> &Solution {
        let view: View<'_> = problem.into();
        if let Some(plain) = problem.to_lcp() {
            self.run(&plain, guess);
            self.solution.residual = view.residual(&self.solution.z, &mut self.scratch);
            self.solution.w.copy_from_slice(&self.scratch.w);
            return &self.solution;
        }
        self.attempts.clear();
        self.start(view);
        let _ = self.pivot(view, guess)
            || self.balanced(view)
            || self.is_spent()
            || self.iterate(view)
            || self.is_spent()
            || self.method(view, "pgs", &mut Pgs::default())
            || self.no_solution(view)
            || self.is_spent()
            || self.plain_form(problem)
            || self.long_path(view);
        &self.solution
    }

    /// The iterative methods, the one that the matrix class suggests first: for a monotone problem the
    /// interior point also finds out if there is no solution.
    fn iterate(&mut self, view: View<'_>) -> bool {
        let Settings { tolerance, prove_up_to, .. } = self.settings;
        // A search that fails costs two solves of twice the size, and `no_solution` follows.
        let prove_up_to = prove_up_to.min(200);
        let settings = newton::Settings { tolerance, prove_up_to, ..Default::default() };
        let newton = Newton::new(settings);
        let settings = interior_point::Settings { tolerance, prove_up_to, ..Default::default() };
        let (Ok(mut newton), Ok(mut interior)) = (newton, InteriorPoint::new(settings)) else {
            return false;
        };
        let monotone = is_semidefinite(view.m());
        (monotone && self.method(view, "interior_point", &mut interior))
            || self.method(view, "newton", &mut newton)
            || (!monotone && self.method(view, "interior_point", &mut interior))
    }

    /// A small mixed problem written as a plain one, which can be tried case by case.
    fn plain_form(&mut self, problem: &Mlcp) -> bool {
        let mut reduction = Reduction::default();
        if reduction.reduce(problem).is_err() {
            return false;
        }
        let Some(plain) = reduction.to_plain(self.settings.enumerate_up_to) else { return false };
        let inner = solve(&plain);
        self.candidate.reset(problem.len());
        reduction.expand(&inner.z[..reduction.q.len()], problem, &mut self.candidate.z);
        self.candidate.statistics = inner.statistics;
        let view: View<'_> = problem.into();
        let Self { candidate, scratch, settings, .. } = self;
        view.certify(settings.tolerance, Failure::Stalled, candidate, scratch);
        self.consider("plain form", view)
    }

    fn start(&mut self, view: View<'_>) {
        self.solution.reset(view.len());
        self.solution.z.fill(0.0);
        self.work = self.settings.work_for(view.len());
    }

    /// Whether the limit on work is reached, which ends the search.
    fn is_spent(&mut self) -> bool {
        if self.work > 0.0 {
            return false;
        }
        self.solution.status = Status::Failed(Failure::WorkLimit);
        self.attempts.push(Attempt::of("limit on work", &self.solution));
        true
    }

    /// Block exchanges on the stack.
    fn quick(&mut self, problem: &Lcp, guess: Option<&[f64]>) -> bool {
        let n = problem.len();
        if n > small::CAPACITY {
            return false;
        }
        let Self { solution, scratch, settings, attempts, .. } = self;
        if solution.z.len() != n {
            solution.reset(n);
        }
        let Some(outcome) = small::follow(problem, guess, solution) else {
            return false;
        };
        let small::Outcome { iterations, found, clean } = outcome;
        solution.statistics = Statistics { iterations, ..Statistics::default() };
        solution.ray = None;
        solution.proof = None;
        let mut status = Status::Failed(Failure::Stalled);
        if clean && solution.residual.scaled <= settings.tolerance {
            status = Status::Solved;
            solution.status = status;
        } else if found {
            certify(problem, settings.tolerance, Failure::Numerical, solution, scratch);
            // A solution whose own terms dwarf q is left to those who look for a proof against it.
            status = if scratch.growth <= REMOTE { solution.status } else { status };
        }
        let residual = if found { solution.residual.scaled } else { f64::INFINITY };
        attempts.push(Attempt { method: small::EXCHANGES, status, residual, iterations });
        !matches!(status, Status::Failed(_))
    }

    fn pivot(&mut self, view: View<'_>, guess: Option<&[f64]>) -> bool {
        by_lemke(&mut self.lemke, view, guess);
        if self.lemke.solution().is_solved() && self.lemke.growth() <= REMOTE {
            std::mem::swap(&mut self.solution, self.lemke.solution_mut());
            self.attempts.push(Attempt::of(LEMKE, &self.solution));
            return true;
        }
        std::mem::swap(&mut self.candidate, self.lemke.solution_mut());
        self.consider(LEMKE, view)
    }

    /// Lemke's method on the centred form, as it is and then in balanced units. Where the given form may
    /// have rays in any units, those of the centred form of dry friction are rounding, in units that
    /// leave its numbers far apart.
    fn centred(&mut self, problem: &Lcp) -> bool {
        let Some(centred) = Centred::find(problem) else {
            return false;
        };
        let given = self.for_lemke();
        self.follow_centred(problem, &centred, CENTRED, given)
            || COVERS.iter().any(|&cover| {
                let other = lemke::Settings { cover, units: Units::Balanced, ..self.for_lemke() };
                !self.met_the_limit(CENTRED)
                    && self.follow_centred(problem, &centred, "lemke, centred, balanced", other)
            })
    }

    fn follow_centred(
        &mut self,
        problem: &Lcp,
        centred: &Centred,
        method: &'static str,
        settings: lemke::Settings,
    ) -> bool {
        let Ok(mut lemke) = Lemke::new(settings) else { return false };
        let inner = lemke.solve(&centred.problem);
        self.candidate.reset(problem.len());
        centred.expand(problem, &inner.z, &mut self.candidate.z);
        self.candidate.statistics = inner.statistics;
        let reason = match inner.status {
            Status::Failed(reason) => reason,
            _ => Failure::Numerical,
        };
        let Self { candidate, scratch, settings, .. } = self;
        certify(problem, settings.tolerance, reason, candidate, scratch);
        self.consider(method, problem.into())
    }

    /// Lemke's method in balanced units, with several covers.
    fn balanced(&mut self, view: View<'_>) -> bool {
        if self.met_the_limit(LEMKE) {
            return false;
        }
        COVERS.iter().any(|&cover| {
            let other = lemke::Settings { cover, units: Units::Balanced, ..self.for_lemke() };
            self.lemke_with(view, "lemke, balanced", other)
        })
    }

    /// Lemke's method with as many pivots as there is work left for: on copositive matrices, where finding a
    /// solution is as hard as for a game of two persons, paths can be very long.
    fn long_path(&mut self, view: View<'_>) -> bool {
        if !self.met_the_limit(LEMKE) {
            return false;
        }
        let n = view.len().max(1) as f64;
        let max_pivots = Some((self.work / (PIVOT_WORK * n * n)) as usize);
        let longer = lemke::Settings { max_pivots, ..self.for_lemke() };
        self.lemke_with(view, "lemke, long path", longer) || self.is_spent()
    }

    fn lemke_with(
        &mut self,
        view: View<'_>,
        method: &'static str,
        settings: lemke::Settings,
    ) -> bool {
        let Ok(mut lemke) = Lemke::new(settings) else { return false };
        by_lemke(&mut lemke, view, None);
        std::mem::swap(&mut self.candidate, lemke.solution_mut());
        self.consider(method, view)
    }

    fn for_lemke(&self) -> lemke::Settings {
        lemke::Settings { tolerance: self.settings.tolerance, ..Default::default() }
    }

    /// Whether this form of Lemke's method ran out of pivots: another cover would, too.
    fn met_the_limit(&self, method: &str) -> bool {
        let limited = Status::Failed(Failure::IterationLimit);
        self.attempts.iter().any(|a| a.method == method && a.status == limited)
    }

    fn method<S: Solver + MixedSolver>(
        &mut self,
        view: View<'_>,
        name: &'static str,
        solver: &mut S,
    ) -> bool {
        self.candidate.clone_from(match view {
            View::Plain(p) => solver.solve(p),
            View::Mixed(p) => solver.solve_mixed(p),
        });
        self.consider(name, view)
    }

    fn principal(&mut self, problem: &Lcp) -> bool {
        let mut solver = PrincipalPivoting::default();
        self.candidate.clone_from(solver.solve(problem));
        self.consider(solver.name(), problem.into())
    }

    /// All solutions, of which the first will do; none is a proof.
    fn all_cases(&mut self, problem: &Lcp, up_to: usize) -> bool {
        const NAME: &str = "enumerate";
        if problem.len() > up_to.min(self.settings.enumerate_up_to)
            || self.attempts.iter().any(|a| a.method == NAME)
        {
            return false;
        }
        let limits =
            enumerate::Settings { max_solutions: 1, max_nodes: 50_000, ..Default::default() };
        let Ok(all) = enumerate(problem, &limits) else {
            return false;
        };
        self.candidate.reset(problem.len());
        self.candidate.z.fill(0.0);
        if let Some(vertex) = all.solutions.first().and_then(|face| face.vertices.first()) {
            self.candidate.z.copy_from_slice(vertex);
        }
        let Self { candidate, scratch, settings, .. } = self;
        certify(problem, settings.tolerance, Failure::Stalled, candidate, scratch);
        if !candidate.is_solved() && all.proof.as_ref().is_some_and(|p| p.check(problem).is_ok()) {
            candidate.status = Status::NoSolution;
            candidate.proof = all.proof;
        }
        self.consider(NAME, problem.into())
    }

    fn no_solution(&mut self, view: View<'_>) -> bool {
        if view.len() > self.settings.prove_up_to {
            return false;
        }
        self.work -= FARKAS_WORK * (view.len() as f64).powi(3);
        let Some(proof) = farkas::prove_infeasible(view) else {
            return false;
        };
        self.solution.status = Status::NoSolution;
        self.solution.proof = Some(proof);
        self.attempts.push(Attempt::of("farkas", &self.solution));
        true
    }

    /// Polishes the candidate if that is needed, keeps it if it is the best so far, and tells
    /// whether the search is over.
    fn consider(&mut self, method: &'static str, view: View<'_>) -> bool {
        let Statistics { iterations, factorizations, .. } = self.candidate.statistics;
        let n = view.len() as f64;
        self.work -= n * n * (PIVOT_WORK * iterations as f64 + n * factorizations as f64);
        if matches!(self.candidate.status, Status::Failed(_)) {
            self.polish(view);
        }
        if self.candidate.is_solved() {
            self.doubt(view);
        }
        let candidate = &self.candidate;
        let over = !matches!(candidate.status, Status::Failed(_));
        let first = self.attempts.iter().all(|a| a.method == small::EXCHANGES);
        self.attempts.push(Attempt::of(method, candidate));
        if over || first || candidate.residual.scaled < self.solution.residual.scaled {
            std::mem::swap(&mut self.solution, &mut self.candidate);
        }
        over
    }

    /// Certifies with the tolerance of these settings. Where the terms of a solution dwarf q, it may
    /// owe its residual to that: then a proof against it counts for more.
    fn doubt(&mut self, view: View<'_>) {
        let Self { candidate, scratch, settings, .. } = self;
        view.certify(settings.tolerance, Failure::Numerical, candidate, scratch);
        let doubtful = candidate.is_solved() && scratch.growth > REMOTE;
        if doubtful && view.len() <= settings.prove_up_to {
            candidate.proof = farkas::prove_infeasible(view);
            if candidate.proof.is_some() {
                candidate.status = Status::NoSolution;
            }
        }
    }

    fn polish(&mut self, view: View<'_>) {
        let Self { candidate, polisher, scratch, settings, .. } = self;
        let Status::Failed(reason) = candidate.status else {
            return;
        };
        if candidate.residual.scaled.is_finite() && candidate.residual.scaled <= POLISH_NEAR {
            polisher.polish(view, &mut candidate.z);
            candidate.statistics.refinements += 1;
            view.certify(settings.tolerance, reason, candidate, scratch);
        }
    }
}

/// Solves with Lemke's method; a guess was checked by the caller.
fn by_lemke(lemke: &mut Lemke, view: View<'_>, guess: Option<&[f64]>) {
    match (view, guess) {
        (View::Plain(p), None) => drop(lemke.solve(p)),
        (View::Plain(p), Some(guess)) => drop(lemke.solve_from(p, guess)),
        (View::Mixed(p), None) => drop(lemke.solve_mixed(p)),
        (View::Mixed(p), Some(guess)) => drop(lemke.solve_mixed_from(p, guess)),
    }
}

/// Operations of a pivot or a step apart from factorisations, over n².
const PIVOT_WORK: f64 = 10.0;

/// Operations of a search for a Farkas vector, over n³: four solves of twice the size, of 20 steps each.
const FARKAS_WORK: f64 = 640.0;

const LEMKE: &str = "lemke";

const CENTRED: &str = "lemke, centred";

/// The covers that are tried when the first try fails, in balanced units.
const COVERS: [CoveringVector; 4] = [
    CoveringVector::Ones,
    CoveringVector::Spread(1),
    CoveringVector::Spread(2),
    CoveringVector::Spread(3),
];

/// So few unknowns that trying all cases is quicker than another method.
const FEW: usize = 10;

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Lcp) -> &Solution {
        self.run(problem, None)
    }

    fn solve_from(&mut self, problem: &Lcp, guess: &[f64]) -> Result<&Solution, Error> {
        check_guess(problem.len(), guess)?;
        Ok(self.run(problem, Some(guess)))
    }
}

impl MixedSolver for Auto {
    fn solve_mixed(&mut self, problem: &Mlcp) -> &Solution {
        self.run_mixed(problem, None)
    }

    fn solve_mixed_from(&mut self, problem: &Mlcp, guess: &[f64]) -> Result<&Solution, Error> {
        check_guess(problem.len(), guess)?;
        Ok(self.run_mixed(problem, Some(guess)))
    }
}

/// Solves a plain problem with the default method.
///
/// ```
/// use complementarity::{Lcp, Matrix, solve};
///
/// let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
/// let solution = solve(&Lcp::new(m, vec![-5.0, -6.0])?);
/// assert!(solution.is_solved());
/// # Ok::<(), complementarity::Error>(())
/// ```
#[must_use]
pub fn solve(problem: &Lcp) -> Solution {
    let mut auto = Auto::default();
    auto.solve(problem);
    auto.solution
}

/// Solves a mixed problem with the default method.
///
/// ```
/// use complementarity::{Matrix, Mlcp, solve_mixed};
///
/// // A free unknown and one between 0 and 1, which ends at its upper bound.
/// let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
/// let inf = f64::INFINITY;
/// let problem = Mlcp::new(m, vec![1.0, -5.0], vec![-inf, 0.0], vec![inf, 1.0])?;
/// assert_eq!(solve_mixed(&problem).z, [-1.0, 1.0]);
/// # Ok::<(), complementarity::Error>(())
/// ```
#[must_use]
pub fn solve_mixed(problem: &Mlcp) -> Solution {
    let mut auto = Auto::default();
    auto.solve_mixed(problem);
    auto.solution
}
