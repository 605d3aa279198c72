//! The command as its users see it.

mod analyze;
mod command;
mod common;
mod cycle;
mod export;
mod huge;
mod idle;
mod language;
mod reference;
mod report;
mod resume;
mod robots;
mod solve;
mod space;
mod study;
mod sweep;
mod tutorial;
