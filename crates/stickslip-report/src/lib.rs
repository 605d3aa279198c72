#![doc = include_str!("../README.md")]
#![warn(clippy::must_use_candidate)]

mod error;
mod page;

pub use error::ReportError;
pub use page::{Page, page, read_replay, write_report};
