//! Solvers for cone problems. Each is one file or folder with its settings, owns the storage it
//! reuses, and has its answer judged by the residual.

pub mod admm;
pub(crate) mod anderson;
pub(crate) mod associated;
pub mod auto;
pub mod interior_point;
mod jordan;
pub(crate) mod local;
pub mod newton;
pub mod nsgs;
pub mod split_point;

use super::residual::judge;
use super::{ConeProblem, ConeResidual};
use crate::Error;
use crate::error::check_setting;
use crate::error::{check_finite, check_len};
use complementarity::{Failure, Statistics, Status};

/// A method for cone problems.
///
/// The solution is borrowed from the solver, which keeps its storage for the next solve; clone it
/// to keep it longer.
pub trait ConeSolver {
    /// The name of the method, as in reports.
    fn name(&self) -> &'static str;

    /// Solves the problem from Λ = 0.
    fn solve(&mut self, problem: &ConeProblem) -> &ConeSolution;

    /// Solves the problem, starting at the impulses `guess`, say those of the last time step.
    ///
    /// # Errors
    /// If the guess has the wrong size or a number that is not finite.
    fn solve_from(&mut self, problem: &ConeProblem, guess: &[f64]) -> Result<&ConeSolution, Error>;
}

/// The outcome of a solve.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeSolution {
    /// The impulses Λ.
    pub impulse: Vec<f64>,
    /// ξ = W Λ + b, evaluated from the problem's own data.
    pub velocity: Vec<f64>,
    /// How the solve ended.
    pub status: Status,
    /// How far the impulses are from a solution, computed apart from the solver.
    pub residual: ConeResidual,
    /// What it took.
    pub statistics: Statistics,
}

impl Default for ConeSolution {
    fn default() -> Self {
        Self {
            impulse: Vec::new(),
            velocity: Vec::new(),
            status: Status::Failed(Failure::Stalled),
            residual: ConeResidual::INFINITE,
            statistics: Statistics::default(),
        }
    }
}

impl ConeSolution {
    /// Whether a solution was found.
    pub fn is_solved(&self) -> bool {
        self.status.is_solved()
    }

    /// Becomes a copy of another one, on the storage that it has.
    fn assign(&mut self, other: &Self) {
        self.impulse.clone_from(&other.impulse);
        self.velocity.clone_from(&other.velocity);
        (self.status, self.residual) = (other.status, other.residual);
        self.statistics = other.statistics;
    }

    /// Makes ready for a problem with `n` unknowns, starting at the guess or at 0.
    fn reset(&mut self, n: usize, guess: Option<&[f64]>) {
        self.impulse.clear();
        match guess {
            Some(guess) => self.impulse.extend_from_slice(guess),
            None => self.impulse.resize(n, 0.0),
        }
        self.velocity.clear();
        self.velocity.resize(n, 0.0);
        self.status = Status::Failed(Failure::Stalled);
        self.residual = ConeResidual::INFINITE;
        self.statistics = Statistics::default();
    }

    /// Has the impulses judged, and sets the status: solved if the tolerance is met, else failed
    /// for `reason`. This alone decides what is solved.
    fn certify(&mut self, problem: &ConeProblem, tolerance: f64, reason: Failure) -> bool {
        if self.impulse.iter().any(|x| !x.is_finite()) {
            self.impulse.fill(0.0);
        }
        self.residual = judge(problem, &self.impulse, &mut self.velocity);
        let solved = self.residual.scaled.value <= tolerance;
        self.status = if solved { Status::Solved } else { Status::Failed(reason) };
        solved
    }
}

/// Refuses a tolerance that no method takes.
fn check_tolerance(method: &'static str, tolerance: f64) -> Result<(), Error> {
    let wanted = "greater than 0 and at most 0.1";
    check_setting(method, "tolerance", tolerance, (0.0, 0.1), wanted)
}

fn check_guess(problem: &ConeProblem, guess: &[f64]) -> Result<(), Error> {
    check_len("the guess", problem.len(), guess)?;
    check_finite("guess", guess)
}

/// Implements [`ConeSolver`] by a method `run(&mut self, &ConeProblem, Option<&[f64]>)` and a field
/// `solution`.
macro_rules! cone_solver {
    ($solver:ty, $name:literal) => {
        impl $crate::cone::ConeSolver for $solver {
            fn name(&self) -> &'static str {
                $name
            }

            fn solve(&mut self, problem: &$crate::cone::ConeProblem) -> &ConeSolution {
                self.run(problem, None);
                &self.solution
            }

            fn solve_from(
                &mut self,
                problem: &$crate::cone::ConeProblem,
                guess: &[f64],
            ) -> Result<&ConeSolution, $crate::Error> {
                super::check_guess(problem, guess)?;
                self.run(problem, Some(guess));
                Ok(&self.solution)
            }
        }
    };
}
pub(crate) use cone_solver;
