//! The solvers. Each is one file or folder with its settings, and owns the storage it reuses.

pub mod auto;
mod bound_pairs;
mod farkas;
pub mod interior_point;
pub mod lemke;
pub mod newton;
pub mod pgs;
mod polish;
pub mod principal_pivoting;
mod reduction;
mod view;

use crate::residual::{self, Scratch};
use crate::{Error, Failure, Lcp, Mlcp, Solution, SparseLcp, Status};

/// A method for plain problems.
///
/// The solution is borrowed from the solver, which keeps its storage for the next solve; clone it
/// to keep it longer.
pub trait Solver {
    /// The name of the method, as in reports.
    fn name(&self) -> &'static str;

    /// Solves the problem.
    fn solve(&mut self, problem: &Lcp) -> &Solution;

    /// Solves the problem, starting near `guess` if the method can use it.
    ///
    /// # Errors
    /// If the guess has the wrong size or a number that is not finite.
    fn solve_from(&mut self, problem: &Lcp, guess: &[f64]) -> Result<&Solution, Error>;
}

/// A method for mixed problems.
pub trait MixedSolver {
    /// Solves the mixed problem.
    fn solve_mixed(&mut self, problem: &Mlcp) -> &Solution;

    /// Solves the mixed problem, starting near `guess` if the method can use it.
    ///
    /// # Errors
    /// If the guess has the wrong size or a number that is not finite.
    fn solve_mixed_from(&mut self, problem: &Mlcp, guess: &[f64]) -> Result<&Solution, Error>;
}

/// Evaluates `solution.z` independently and sets w, the residual and the status: solved if the
/// tolerance is met, else failed with `reason`.
pub(crate) fn certify(
    problem: &Lcp,
    tolerance: f64,
    reason: Failure,
    solution: &mut Solution,
    scratch: &mut Scratch,
) {
    keep_finite(&mut solution.z, |_| 0.0);
    let r = residual::lcp_into(problem.m(), problem.q(), &solution.z, scratch);
    conclude(r, tolerance, reason, solution, scratch);
}

/// As [`certify`] if the residual is rounding, which is cheap to see; else false, with w in `scratch`.
pub(crate) fn certify_if_clean(
    problem: &Lcp,
    tolerance: f64,
    solution: &mut Solution,
    scratch: &mut Scratch,
) -> bool {
    let clean = residual::lcp_if_clean(problem.m(), problem.q(), &solution.z, scratch);
    if let Some(r) = clean {
        conclude(r, tolerance, Failure::Numerical, solution, scratch);
    }
    clean.is_some()
}

/// As [`certify`], for a mixed problem.
pub(crate) fn certify_mixed(
    problem: &Mlcp,
    tolerance: f64,
    reason: Failure,
    solution: &mut Solution,
    scratch: &mut Scratch,
) {
    let (lower, upper) = (problem.lower(), problem.upper());
    keep_finite(&mut solution.z, |i| 0.0_f64.clamp(lower[i], upper[i]));
    let r = residual::mlcp_into(problem.m(), problem.q(), lower, upper, &solution.z, scratch);
    conclude(r, tolerance, reason, solution, scratch);
}

/// As [`certify`], for a sparse problem.
pub(crate) fn certify_sparse(
    problem: &SparseLcp,
    tolerance: f64,
    reason: Failure,
    solution: &mut Solution,
    scratch: &mut Scratch,
) {
    let r = residual::sparse_lcp_into(problem.m(), problem.q(), &solution.z, scratch);
    conclude(r, tolerance, reason, solution, scratch);
}

fn conclude(
    r: crate::Residual,
    tolerance: f64,
    reason: Failure,
    solution: &mut Solution,
    scratch: &Scratch,
) {
    solution.residual = r;
    solution.w.copy_from_slice(&scratch.w);
    solution.status = if r.scaled <= tolerance { Status::Solved } else { Status::Failed(reason) };
}

/// A vector with a number that overflowed is no answer at all: the trivial one takes its place.
fn keep_finite(z: &mut [f64], trivial: impl Fn(usize) -> f64) {
    if z.iter().any(|v| !v.is_finite()) {
        for (i, z) in z.iter_mut().enumerate() {
            *z = trivial(i);
        }
    }
}

/// Refuses a guess of the wrong size or with numbers that are not finite.
pub(crate) fn check_guess(n: usize, guess: &[f64]) -> Result<(), Error> {
    crate::problem::check_len("the guess", n, guess)?;
    crate::problem::check_finite("guess", guess)
}

/// Refuses a setting that is not a number in `(low, high]`.
pub(crate) fn check_setting(
    method: &'static str,
    setting: &'static str,
    value: f64,
    (low, high): (f64, f64),
    requirement: &'static str,
) -> Result<(), Error> {
    if value > low && value <= high {
        Ok(())
    } else {
        Err(Error::BadSetting { method, setting, value, requirement })
    }
}
