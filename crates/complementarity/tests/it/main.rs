//! The integration tests of this crate, in one executable.

mod allocations;
mod iterative;
mod mixed;
mod pivoting;
mod sceptic;
