//! Factorisations that the solvers share.

mod full_pivot;
mod lu;
mod scaling;

pub(crate) use full_pivot::FullPivot;
pub(crate) use lu::Lu;
pub(crate) use scaling::{Scaling, power_of_two};
