//! Misuse, as typed errors that name the place and the cure.
//!
//! A solver that does not converge is not an error: see [`Status`](crate::Status).

use thiserror::Error;

/// What was wrong with an input.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A matrix that must be square is not.
    #[error("the matrix is {rows} x {cols}; a complementarity problem needs a square one")]
    NotSquare {
        /// Number of rows found.
        rows: usize,
        /// Number of columns found.
        cols: usize,
    },

    /// Two sizes that must agree do not.
    #[error("{what} has {found} entries but {expected} are needed")]
    SizeMismatch {
        /// The array that has the wrong size.
        what: &'static str,
        /// The size that would be right.
        expected: usize,
        /// The size that was found.
        found: usize,
    },

    /// A row of a matrix is longer or shorter than the first one.
    #[error("row {row} of the matrix has {found} entries but row 0 has {expected}")]
    RaggedRows {
        /// The offending row.
        row: usize,
        /// The length of row 0.
        expected: usize,
        /// The length of the offending row.
        found: usize,
    },

    /// A number is NaN or infinite.
    #[error("{what}[{index}] is {value}; every entry must be a finite number")]
    NotFinite {
        /// The array that holds the number.
        what: &'static str,
        /// Its position, row-major for a matrix.
        index: usize,
        /// The number.
        value: f64,
    },

    /// A matrix entry is NaN or infinite.
    #[error("m[{row}][{col}] is {value}; every entry must be a finite number")]
    EntryNotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// The number.
        value: f64,
    },

    /// An index points outside of the matrix.
    #[error("entry ({row}, {col}) lies outside of a {rows} x {cols} matrix")]
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        cols: usize,
    },

    /// A matrix that must be symmetric is not.
    #[error("the matrix is not symmetric: entry ({row}, {col}) and its mirror differ")]
    NotSymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
    },

    /// A bound is NaN, or a lower bound is +∞, or an upper bound is −∞.
    #[error("{what}[{index}] is {value}; use {cure}")]
    BadBound {
        /// `lower` or `upper`.
        what: &'static str,
        /// Index of the variable.
        index: usize,
        /// The number.
        value: f64,
        /// What is allowed in this place.
        cure: &'static str,
    },

    /// A lower bound lies above its upper bound.
    #[error(
        "variable {index} has lower bound {lower} above its upper bound {upper}; swap them or widen the interval"
    )]
    BoundsCrossed {
        /// Index of the variable.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },

    /// A setting of a method lies outside of its range.
    #[error("{method}: setting `{setting}` is {value}, but must be {requirement}")]
    BadSetting {
        /// The method that the settings belong to.
        method: &'static str,
        /// Name of the field.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        requirement: &'static str,
    },

    /// A problem is larger than the method accepts.
    #[error("{method} takes at most {limit} unknowns and this problem has {found}; {cure}")]
    TooLarge {
        /// The method that refused.
        method: &'static str,
        /// The most it takes.
        limit: usize,
        /// What it was given.
        found: usize,
        /// What to do instead.
        cure: &'static str,
    },

    /// A text is not a problem in the JSON format of this crate.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// Line of the mistake, from 1 (0 if the text as a whole is meant).
        line: usize,
        /// Column of the mistake, from 1 (0 if the text as a whole is meant).
        column: usize,
        /// What is wrong there.
        reason: String,
    },
}
