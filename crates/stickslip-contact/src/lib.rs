#![doc = include_str!("../README.md")]
#![warn(clippy::must_use_candidate)]

pub mod analysis;
pub mod block;
mod body_rows;
mod certificate;
mod curve;
mod delassus;
mod error;
mod islands;
#[cfg(feature = "serde")]
mod json;
mod law;
mod mode;
mod planar;
mod problem;
pub mod projection;
mod proof;
pub mod redundancy;
pub mod set;
pub mod set_valued;
pub mod solve;
pub mod solvers;
mod tolerance;

pub use body_rows::{BodyRows, Six};
pub use certificate::{Certificate, Measure};
pub use curve::{FrictionCurve, SlipDependence, Stribeck, UserCurve};
pub use delassus::Delassus;
pub use error::Error;
pub use law::{Kind, Law};
pub use mode::{Mode, Slip};
pub use problem::ContactProblem;
pub use proof::{Cases, Proof, ProofError, Source, Term};
