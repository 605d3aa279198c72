#![doc = include_str!("../README.md")]
//!
//! Numbers in square brackets are the papers: \[2\] Pang and Trinkle on distributed contacts, \[3\] Glocker and Studer
//! 2005, \[4\] notes on the slip-slack friction problem.
#![warn(clippy::must_use_candidate)]

pub mod analysis;
pub mod bodies;
pub mod dynamics;
mod error;
pub mod events;
pub mod expression;
pub mod impact;
pub mod level;
pub mod memory;
pub mod model;
pub mod models;
pub mod run;
pub mod step;
pub mod system;

pub use error::Error;
pub use glam;
pub use stickslip_contact as contact;
pub use system::{State, System, SystemInfo};
