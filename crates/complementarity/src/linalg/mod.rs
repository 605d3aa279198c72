//! Factorisations that the solvers share.

mod equilibrate;
mod lu;

pub(crate) use equilibrate::Equilibration;
pub(crate) use lu::Lu;
