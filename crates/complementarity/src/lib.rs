//! Solvers for linear complementarity problems that check their own answers.
//!
//! Given a square matrix M and a vector q, find z with 0 ≤ w = M z + q ⊥ z ≥ 0: no z_i and no w_i is
//! negative, and of each pair one is zero. Contact with friction, convex quadratic programs and
//! games are of this form. A mixed problem has bounds l ≤ z ≤ u instead of z ≥ 0.
//!
//! ```
//! use complementarity::{Lcp, Matrix, solve};
//!
//! let m = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
//! let problem = Lcp::new(m, vec![-5.0, -6.0])?;
//! let solution = solve(&problem);
//! assert!(solution.is_solved());
//! assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-12);
//! // The judge is independent of the solver, and you can ask it yourself.
//! assert!(problem.residual(&solution.z).scaled < 1e-10);
//! # Ok::<(), complementarity::Error>(())
//! ```
//!
//! # What is where
//!
//! | you have | you want | take |
//! |---|---|---|
//! | [`Lcp`], [`Mlcp`] | a solution | [`solve`], [`solve_mixed`] |
//! | many of them, one after the other | storage that is kept, warm starts, the way that was taken | [`Auto`] or another solver, kept |
//! | [`SparseLcp`] | a solution | [`Pgs::solve_sparse`] |
//! | a small [`Lcp`] | all solutions, or a proof that there is none | [`enumerate()`](enumerate::enumerate) |
//! | a [`Matrix`] | what holds for every q | [`classify`](classes::classify) |
//! | JSON text | a problem | [`Problem::from_json`] |
//!
//! # Which solver when
//!
//! | solver | for | then it | work |
//! |---|---|---|---|
//! | [`Auto`] | anything | tries the others in turn until one answer is certified | the sum of what it tried |
//! | [`Lemke`] | anything; copositive matrices, friction among them | solves, or on a copositive-plus matrix proves that there is no solution | pivots × n² |
//! | [`PrincipalPivoting`] | P-matrices, positive semidefinite ones | takes few rounds | rounds × (active)³, or pivots × n² |
//! | [`Pgs`] | many unknowns, sparse, dominant diagonal or symmetric definite; a good guess | converges linearly | sweeps × entries |
//! | [`Newton`] | P₀-matrices; a good guess | converges fast near a solution | steps × n³ |
//! | [`InteriorPoint`] | monotone problems: positive semidefinite matrices, convex programs | takes 5 to 20 steps whatever the degeneracy, or proves that there is no solution | steps × n³ |
//!
//! All of them implement [`Solver`], and all but [`PrincipalPivoting`] implement [`MixedSolver`]. The
//! settings of each are in the module of its name: [`auto`], [`lemke`], [`principal_pivoting`],
//! [`pgs`], [`newton`], [`interior_point`].
//!
//! # What is guaranteed
//!
//! - **Solved means checked.** [`Status::Solved`] is given only where the scaled [`Residual`], computed
//!   from M, q and z alone, meets the tolerance (10⁻¹⁰ by default). It does not depend on units.
//! - **No solution means proved.** [`Status::NoSolution`] comes with a [`Proof`] that
//!   [`Proof::check`] verifies in [`exact`] arithmetic with the problem's own data.
//! - **Anything else is a failure that says why** ([`Failure`]), with the best vector that was found.
//! - **An [`Error`] is misuse**: sizes that do not fit, NaN, a setting out of range. It names the cure.
//! - Every loop is bounded, finite input never panics, and the same input gives the same bits.
//! - A solver keeps its storage: a second solve of the same size that ends in a solution does not
//!   allocate with [`Lemke`], [`PrincipalPivoting`] and [`Pgs`], but for badly scaled problems.
//!
//! The crate does no input or output, starts no threads and has no `unsafe` code.
#![warn(clippy::must_use_candidate)]

pub mod classes;

#[cfg(feature = "nalgebra")]
mod conversions;
pub mod enumerate;
mod error;
pub mod exact;
mod linalg;
pub mod linear;
mod matrix;
mod problem;
mod proof;
mod residual;
mod solution;
mod solvers;
mod tolerance;

pub use error::Error;
pub use matrix::{Matrix, SparseMatrix};
#[cfg(feature = "serde")]
pub use problem::Problem;
pub use problem::{Lcp, Mlcp, SparseLcp};
pub use proof::{LcpCases, Proof, ProofError};
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
#[doc = include_str!("../README.md")]
struct Readme;
