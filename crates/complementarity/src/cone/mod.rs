//! Cone complementarity: contact with friction in the exact law, for any convex friction set.

mod matrix;
mod problem;
pub(crate) mod residual;
mod set;
mod solvers;
mod sparse;

pub use matrix::{BlockEntry, BlockMatrix};
pub use problem::{ConeProblem, Law, MAX_BLOCK, MAX_TANGENTS};
pub use residual::{ConeResidual, Part};
pub use set::ConvexSet;
pub use solvers::interior_point::{self, InteriorPoint};
pub use solvers::newton::{self, Newton};
pub use solvers::nsgs::{self, Nsgs};
pub use solvers::{ConeSolution, ConeSolver};
