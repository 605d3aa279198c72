//! Factorisations that the solvers share.

mod lu;

pub(crate) use lu::Lu;
