//! One linear complementarity problem, plain or mixed, by the solver of a name, and what is reported of a solved contact problem.

use super::AnswerError;
use complementarity::{
    Auto, InteriorPoint, Lemke, MixedSolver, Newton, Pgs, PrincipalPivoting, Problem, Residual,
    Solution, Solver, Status, auto, interior_point, lemke, newton, pgs, principal_pivoting,
};
use serde::Serialize;
use stickslip::contact::ContactProblem;
use stickslip::contact::solve::{ContactSolver, SolverChoice};

/// The certificate of a complementarity problem.
#[derive(Clone, Debug, Serialize)]
pub struct ResidualText {
    /// The scaled residual.
    pub worst: f64,
    /// Where it is attained.
    pub index: usize,
    /// By how much bounds are violated.
    pub feasibility: f64,
    /// By how much pairs are.
    pub complementarity: f64,
    /// Without scaling.
    pub natural: f64,
}

impl From<Residual> for ResidualText {
    fn from(residual: Residual) -> Self {
        let Residual { scaled, feasibility, complementarity, natural, worst } = residual;
        Self { worst: scaled, index: worst, feasibility, complementarity, natural }
    }
}

/// How far impulses are not unique is reported for problems with at most this many rows.
pub const MOST_ROWS: usize = 300;

/// How far the impulses of a solved contact problem are not unique.
#[derive(Clone, Debug, Serialize)]
pub struct SolvedRedundancy {
    /// The rank of W.
    pub rank: usize,
    /// The rows of W.
    pub rows: usize,
    /// The dimension of the impulses that give the same velocities and obey the laws.
    pub dimension: usize,
    /// Whether the dimension is certain; if not, it is a lower bound.
    pub decided: bool,
}

impl SolvedRedundancy {
    /// That of the solver's last answer, which must be to this problem; none if it is not solved or has more than [`MOST_ROWS`] rows.
    #[must_use]
    pub fn of(solver: &ContactSolver, problem: &ContactProblem) -> Option<Self> {
        if problem.bias().len() > MOST_ROWS || !solver.solution().is_solved() {
            return None;
        }
        let r = solver.redundancy(problem).ok()?;
        let (rank, rows, dimension, decided) = (r.rank, r.components, r.dimension, r.decided);
        Some(Self { rank, rows, dimension, decided })
    }
}

/// How far W of a contact problem is from symmetric, relative to its entries; 0 if by no more than rounding.
#[must_use]
pub fn asymmetry(problem: &ContactProblem) -> f64 {
    let w = problem.delassus();
    if w.is_symmetric() { 0.0 } else { w.asymmetry() }
}

/// The word for a status, and the status as a sentence.
#[must_use]
pub fn status_of(status: Status) -> (&'static str, String) {
    let word = match status {
        Status::Solved => "solved",
        Status::NoSolution => "no_solution",
        Status::Failed(_) => "failed",
    };
    (word, status.to_string())
}

/// Solves a problem, and says which method found the answer. Whatever the kind of problem, a solver is named in one list.
///
/// # Errors
/// If the solver is not one for this kind of problem, or the tolerance is out of range.
pub fn linear(
    problem: &Problem,
    solver: SolverChoice,
    tolerance: f64,
) -> Result<(&'static str, Solution), AnswerError> {
    Ok(match solver {
        SolverChoice::Auto => {
            let mut auto = Auto::new(auto::Settings { tolerance, ..Default::default() })?;
            let solution = on(problem, &mut auto);
            (auto.attempts().last().map_or("auto", |a| a.method), solution)
        }
        SolverChoice::Lemke => {
            let settings = lemke::Settings { tolerance, ..Default::default() };
            ("lemke", on(problem, &mut Lemke::new(settings)?))
        }
        SolverChoice::Pgs => {
            let settings = pgs::Settings { tolerance, ..Default::default() };
            ("pgs", on(problem, &mut Pgs::new(settings)?))
        }
        SolverChoice::Newton => {
            let settings = newton::Settings { tolerance, ..Default::default() };
            ("newton", on(problem, &mut Newton::new(settings)?))
        }
        SolverChoice::InteriorPoint => {
            let settings = interior_point::Settings { tolerance, ..Default::default() };
            ("interior_point", on(problem, &mut InteriorPoint::new(settings)?))
        }
        SolverChoice::PrincipalPivoting => {
            let Problem::Lcp(problem) = problem else {
                return Err(AnswerError::misuse(
                    "principal_pivoting is for plain problems; choose another solver for an MLCP",
                ));
            };
            let settings = principal_pivoting::Settings { tolerance, ..Default::default() };
            ("principal_pivoting", PrincipalPivoting::new(settings)?.solve(problem).clone())
        }
        other => {
            return Err(AnswerError::misuse(format!(
                "{other} is for contact problems with the formulation cone; choose another solver for an LCP or MLCP"
            )));
        }
    })
}

fn on<S: Solver + MixedSolver>(problem: &Problem, solver: &mut S) -> Solution {
    match problem {
        Problem::Lcp(p) => solver.solve(p).clone(),
        Problem::Mlcp(p) => solver.solve_mixed(p).clone(),
    }
}
