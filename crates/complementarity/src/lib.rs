//! Solvers for linear complementarity problems that check their own answers.

pub mod classes;
pub mod enumerate;
mod error;
mod linalg;
mod matrix;
mod problem;
mod proof;
mod residual;
mod solution;
mod solvers;

pub use error::Error;
pub use matrix::{Matrix, SparseMatrix};
pub use problem::{Lcp, Mlcp, Problem, SparseLcp};
pub use proof::{Cases, PROOF_MARGIN, PROOF_REACH, PROOF_ROUNDING, Proof, ProofError};
pub use residual::Residual;
pub use solution::{Failure, Ray, Solution, Statistics, Status};
pub use solvers::auto::{self, Auto, solve, solve_mixed};
pub use solvers::interior_point::{self, InteriorPoint};
pub use solvers::lemke::{self, Lemke};
pub use solvers::newton::{self, Newton};
pub use solvers::pgs::{self, Pgs};
pub use solvers::principal_pivoting::{self, PrincipalPivoting};
pub use solvers::{MixedSolver, Solver};

/// The code of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
