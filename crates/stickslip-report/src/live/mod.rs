//! `stickslip live`: the page of a simulation that goes on in this process.
//!
//! ```text
//!  browser  <- page, frames, state -  server  <- broadcast -  simulation
//!           -  commands by socket ->          -  commands ->
//! ```
//!
//! The server listens on the loopback address alone. A page of a stranger, open in the same browser, must neither see nor drive the
//! simulation: every request is checked, and what is not wanted is refused with its reason.

mod drag;
mod guard;
mod protocol;
mod server;
mod simulation;
mod watch;

pub use server::{LiveSettings, serve};
