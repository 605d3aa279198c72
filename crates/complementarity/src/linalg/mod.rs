//! Factorisations that the solvers share.

mod linprog;
mod lu;

pub(crate) use linprog::{Dictionary, Feasibility, LinearProgram, Maximum};
pub(crate) use lu::Lu;
