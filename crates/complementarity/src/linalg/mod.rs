//! Factorisations and linear programs that the solvers share.

mod balance;
mod full_pivot;
mod linprog;
mod lu;
mod scaling;
mod semidefinite;

pub(crate) use balance::{Balance, Entries};
pub(crate) use full_pivot::FullPivot;
pub(crate) use linprog::exponents::Exponents;
pub(crate) use linprog::{Dictionary, LinearProgram};
pub use linprog::{Feasibility, Maximum};
pub(crate) use lu::Lu;
pub(crate) use scaling::{Scaling, power_of_two};
pub(crate) use semidefinite::is_semidefinite;
