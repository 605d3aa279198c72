//! Cone complementarity: contact with friction in the exact law, for any convex friction set.
//!
//! A [`ConeProblem`] has a symmetric matrix W, dense or sparse by blocks, a vector b and a [`Law`] per
//! block. Friction sets are in [`set`], the cones over them in [`projection`].
//!
//! | solver | for | work |
//! |---|---|---|
//! | [`Auto`] | anything | the sum of what it tried |
//! | [`Nsgs`] | any law; many contacts that pass little load on; a good guess | sweeps × blocks of W |
//! | [`InteriorPoint`] | round sets; redundancy, mass ratios, tall stacks | 10 to 40 factorisations |
//! | [`SplitPoint`] | any law but sliding; the same, for sets that are not round and a constant radius | 15 to 60 factorisations |
//! | [`Newton`] | any law; a good guess, the last digits | some factorisations |
//! | [`Admm`] | any law but sliding; redundancy | few factorisations, many solves with them |
//!
//! Every answer is judged by [`ConeResidual`], which no solver iterates on.

mod problem;

pub(crate) mod residual;

mod solvers;

#[cfg(test)]
mod tests;

use crate::block::BlockMatrix;
use crate::set::ConvexSet;
pub use problem::{ConeProblem, Law, MAX_BLOCK, MAX_TANGENTS};
pub use residual::{ConeResidual, Part};
pub use solvers::admm::{self, Admm};
pub use solvers::auto::{self, Auto};
pub use solvers::interior_point::{self, InteriorPoint};
pub use solvers::newton::{self, Newton};
pub use solvers::nsgs::{self, Nsgs};
pub use solvers::split_point::{self, SplitPoint};
pub use solvers::{ConeSolution, ConeSolver};
