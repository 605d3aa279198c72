//! Methods for contact problems with the exact law, for any friction set. Each is one file or folder with its settings, owns
//! the storage it reuses, and has its answer judged by the [`Certificate`].
//!
//! | method | for | work |
//! |---|---|---|
//! | [`Cascade`] | anything: goes through the others by its table | the sum of what it tried |
//! | [`Nsgs`] | any law; many contacts that pass little load on; a good guess | sweeps × blocks of W |
//! | [`Sweeps`] | many contacts between bodies, with W by bodies; Coulomb friction on discs | sweeps × contacts |
//! | [`ConeInteriorPoint`] | round sets; redundancy, mass ratios, tall stacks | 10 to 40 factorisations |
//! | [`SplitInteriorPoint`] | any law but sliding; the same, for sets that are not round and a constant radius | 15 to 60 factorisations |
//! | [`ConeNewton`] | any law; a good guess, the last digits | some factorisations |
//! | [`Admm`] | any law but sliding; redundancy | few factorisations, many solves with them |
//! | [`Alternating`] | any law but sliding, with little friction: for comparison | rounds of two problems each |

pub mod admm;
pub mod alternating;
pub mod anderson;
mod body_matrix;
pub mod cascade;
mod clusters;
mod form;
pub mod interior_point;
mod islands;
mod jordan;
pub(crate) mod local;
mod meter;
pub mod newton;
pub mod nsgs;
mod reduced;
mod rest;
pub mod split_point;
pub mod sweeps;
mod table;
mod team;
#[cfg(test)]
mod tests;

pub use admm::Admm;
pub use alternating::Alternating;
pub use cascade::Cascade;
pub(crate) use form::{BlockForm, FormBuffer};
pub use interior_point::ConeInteriorPoint;
pub use newton::ConeNewton;
pub use nsgs::Nsgs;
pub use split_point::SplitInteriorPoint;
pub use sweeps::Sweeps;
pub(crate) use team::check_threads;

use crate::error::{check_finite, check_len, check_setting};
use crate::solve::ContactSolution;
use crate::{Certificate, ContactProblem, Error};
use complementarity::{Failure, Status};

/// The most rows that a contact may have.
pub(crate) const MAX_ROWS: usize = 6;
/// The most tangential rows that a contact may have.
pub(crate) const MAX_TANGENTS: usize = 3;

/// A method for contact problems.
///
/// The solution is borrowed from the method, which keeps its storage for the next solve; clone it to keep it longer.
pub trait Method {
    /// The name of the method, as in reports.
    fn name(&self) -> &'static str;

    /// Solves the problem from Λ = 0.
    fn solve(&mut self, problem: &ContactProblem) -> &ContactSolution;

    /// Solves the problem, starting at the impulses `guess`, say those of the last time step.
    ///
    /// # Errors
    /// If the guess has the wrong size or a number that is not finite.
    fn solve_from(
        &mut self,
        problem: &ContactProblem,
        guess: &[f64],
    ) -> Result<&ContactSolution, Error>;
}

impl ContactSolution {
    /// Starts a solve on the storage that is there, at the guess or at zero.
    fn reset(&mut self, n: usize, guess: Option<&[f64]>) {
        self.impulse.clear();
        match guess {
            Some(guess) => self.impulse.extend_from_slice(guess),
            None => self.impulse.resize(n, 0.0),
        }
        self.velocity.clear();
        self.velocity.resize(n, 0.0);
        self.status = Status::Failed(Failure::Stalled);
        self.certificate = Certificate::INFINITE;
        (self.model, self.proof) = (None, None);
        (self.iterations, self.factorisations) = (0, 0);
    }

    /// Becomes a copy of another one, on the storage that it has.
    fn assign(&mut self, other: &Self) {
        self.impulse.clone_from(&other.impulse);
        self.velocity.clone_from(&other.velocity);
        (self.status, self.certificate) = (other.status, other.certificate);
        (self.iterations, self.factorisations) = (other.iterations, other.factorisations);
    }

    /// Has the impulses judged, and sets the status: solved if the tolerance is met, else failed for `reason`. This alone decides
    /// what is solved.
    fn certify(&mut self, problem: &BlockForm, tolerance: f64, reason: Failure) -> bool {
        if self.impulse.iter().any(|x| !x.is_finite()) {
            self.impulse.fill(0.0);
        }
        self.certificate = Certificate::judge(problem.problem(), &self.impulse, &mut self.velocity);
        let solved = self.certificate.worst <= tolerance;
        self.status = if solved { Status::Solved } else { Status::Failed(reason) };
        solved
    }
}

/// Refuses a tolerance that no method takes.
fn check_tolerance(method: &'static str, tolerance: f64) -> Result<(), Error> {
    let wanted = "greater than 0 and at most 0.1";
    check_setting(method, "tolerance", tolerance, (0.0, 0.1), wanted)
}

fn check_guess(problem: &ContactProblem, guess: &[f64]) -> Result<(), Error> {
    check_len("the guess", problem.bias().len(), guess)?;
    check_finite("guess", guess)
}

/// Implements [`Method`] by a method `run(&mut self, &BlockForm, Option<&[f64]>)` and the fields `buffer` and `solution`.
macro_rules! method {
    ($solver:ty, $name:literal) => {
        impl $crate::solvers::Method for $solver {
            fn name(&self) -> &'static str {
                $name
            }

            fn solve(&mut self, problem: &$crate::ContactProblem) -> &ContactSolution {
                let mut buffer = std::mem::take(&mut self.buffer);
                self.run(&buffer.form(problem), None);
                self.buffer = buffer;
                self.solution.method = $name;
                &self.solution
            }

            fn solve_from(
                &mut self,
                problem: &$crate::ContactProblem,
                guess: &[f64],
            ) -> Result<&ContactSolution, $crate::Error> {
                $crate::solvers::check_guess(problem, guess)?;
                let mut buffer = std::mem::take(&mut self.buffer);
                self.run(&buffer.form(problem), Some(guess));
                self.buffer = buffer;
                self.solution.method = $name;
                Ok(&self.solution)
            }
        }
    };
}
pub(crate) use method;
