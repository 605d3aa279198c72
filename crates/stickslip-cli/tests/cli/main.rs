//! The command as its users see it.

mod command;
mod common;
mod cycle;
mod solve;
mod sweep;
