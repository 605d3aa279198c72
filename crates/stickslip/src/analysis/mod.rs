//! Analysis of motions: limit cycles, their multipliers and what happens in them.

pub mod cycle;
mod eigen;
mod returns;

pub use cycle::{Cycle, Lost, Search, find_cycle};
pub use eigen::Complex;
pub use returns::{Return, ReturnMap, Surface, cyclic_coordinates};
