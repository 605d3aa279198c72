//! Analysis of one contact problem: all of its solutions, the theorem on existence and uniqueness, derivatives.

pub mod report;
pub mod sensitivity;
pub mod solutions;
pub mod theorem;

pub use theorem::Theorem;
