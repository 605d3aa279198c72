//! Studies of friction and of body models, as tables, numbers and plots.
//!
//! A study is a struct whose fields are its options; `Default` has those of the book's page. It is run into a
//! [`StudyReport`], which has what was found three times: as tables in Markdown, as JSON, and as pictures in SVG.
//! `stickslip study` is the same on the command line.
//!
//! | study | question |
//! |---|---|
//! | [`phantom::RankStudy`] | does phantom inertia give the matrix of a friction model full rank? |
//! | [`phantom::RhoStudy`] | does the motion depend on phantom inertia, and which values of it are singular? |
//! | [`phantom::PolygonStudy`] | how strong is the friction of a polygon, over the direction of slip? |
//! | [`limit_surfaces::LimitSurfaceStudy`] | what do limit surfaces do to a body that slides and spins? |
//! | [`tumble::TumbleStudy`] | what do rigid bodies and point masses make of free rotation, and of a fall? |
//! | [`WoodpeckerStudy`] | what do the model of the woodpecker toy and its set-valued laws look like? |
//!
//! ```
//! use stickslip_studies::phantom::RankStudy;
//! use stickslip_studies::{Study, StudyReport};
//!
//! let mut report = StudyReport::quiet();
//! RankStudy { lines: vec![2], ..RankStudy::default() }.run(&mut report)?;
//! assert!(report.text().contains("| particle | 3, definite | phantom inertia, Schur form | **5 of 5**, 199 |"));
//! # Ok::<(), stickslip_studies::Error>(())
//! ```

mod draw;
mod error;
pub mod gauntlet;
pub mod limit_surfaces;
mod page;
pub mod phantom;
pub mod plot;
mod report;
pub mod tumble;
mod woodpecker;

pub use draw::Draw;
pub use error::Error;
pub use page::write_between_markers;
pub use report::StudyReport;
pub use woodpecker::WoodpeckerStudy;

/// A ready-made numerical study.
pub trait Study {
    /// Computes, and reports as it goes.
    ///
    /// # Errors
    /// If an option is out of range, before anything is computed; if a problem has no certified answer; if the report cannot be
    /// shown.
    fn run(&self, report: &mut StudyReport<'_>) -> Result<(), Error>;
}

/// The slope of the line through the logarithms of points, by least squares.
pub fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let logs: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let top: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    top / logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

/// The code of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
