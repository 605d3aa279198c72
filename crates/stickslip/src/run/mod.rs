//! Runs: from a start to an end time, watched by an observer.

mod observer;
mod report;

pub use observer::{Event, EventKind, Flow, Observer, Sample, Stage, Stopwatch};
pub use report::{Drift, End, Report};
