//! One file per command.

pub(crate) mod analyze;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod cycle;
pub(crate) mod export;
pub(crate) mod gallery;
pub(crate) mod gauntlet;
mod keeper;
pub(crate) mod live;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod solve;
pub(crate) mod study;
pub(crate) mod sweep;
