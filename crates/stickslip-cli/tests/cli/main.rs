//! The command as its users see it.

mod command;
mod common;
mod solve;
mod sweep;
