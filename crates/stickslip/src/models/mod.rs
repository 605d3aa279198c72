//! Models written in Rust: fast, and the peers of the scene files of the same name.

mod woodpecker;

pub use woodpecker::Woodpecker;
