//! Factorisations that the solvers share.

mod equilibrate;
mod linprog;
mod lu;

pub(crate) use equilibrate::Scaling;
pub(crate) use linprog::{Dictionary, Feasibility, LinearProgram, Maximum};
pub(crate) use lu::Lu;
