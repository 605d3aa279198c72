//! Solvers for linear complementarity problems that check their own answers.

pub mod classes;
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
pub use proof::{Cases, PROOF_MARGIN, PROOF_ROUNDING, Proof, ProofError};
pub use residual::Residual;
pub use solution::{Failure, Ray, Solution, Statistics, Status};
pub use solvers::{MixedSolver, Solver};
