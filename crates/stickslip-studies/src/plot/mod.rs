//! The plots of the book's pages, as the text of SVG files.
//!
//! A kind of plot is one file; sizes, colours and shapes are those of `svg.rs`. (Recordings of runs are drawn by
//! `stickslip_scene`.)

mod histogram;
mod lines;
mod loglog;
mod polar;
pub mod sketch;
mod svg;

pub use histogram::Histogram;
pub use lines::Lines;
pub use loglog::LogLog;
pub use polar::{Panel, Polar};
