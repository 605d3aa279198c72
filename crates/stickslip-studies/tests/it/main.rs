//! The integration tests of this crate, in one executable.

mod limit_surfaces;
mod phantom_inertia;
mod tumble;
