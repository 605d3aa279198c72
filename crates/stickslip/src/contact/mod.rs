//! The waist: a contact problem as data, its laws, and the certificate of an answer.
//!
//! Everything above (systems, integrators) makes a [`ContactProblem`]; everything below
//! (formulations, solvers) consumes it.

mod certificate;
mod delassus;
mod json;
mod law;
mod problem;

pub use certificate::{Certificate, Measure};
pub use delassus::Delassus;
pub use law::{Kind, Law, Mode, Slip};
pub use problem::ContactProblem;
