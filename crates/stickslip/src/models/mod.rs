//! Models written in Rust: fast, and the peers of the scene files of the same name.

mod linear;
mod woodpecker;

pub use linear::{Linear, LinearContact};
pub use woodpecker::{Woodpecker, WoodpeckerSystem};
