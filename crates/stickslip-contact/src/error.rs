//! Misuse, as errors that name the place and the cure.

use crate::set::SetError;

/// What was wrong with an input. A solve that does not converge is not an error but a status.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A size does not fit.
    #[error("{what} has {found} entries where {expected} are needed")]
    Size {
        /// What has the wrong size.
        what: &'static str,
        /// The size it should have.
        expected: usize,
        /// The size it has.
        found: usize,
    },
    /// A number is out of range, or not a number.
    #[error("{place} is {value}; it must be {requirement}")]
    Range {
        /// Where the number stands, e.g. `mu of contact 2`.
        place: String,
        /// The number.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
    /// An index points outside of the matrix.
    #[error("entry ({row}, {col}) lies outside of a {size} x {size} matrix")]
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// Rows and columns of the matrix.
        size: usize,
    },
    /// W is not symmetric, where it has to be.
    #[error(
        "{what} needs a symmetric matrix; entries and their mirror images differ by {asymmetry:.1e} of their size"
    )]
    NotSymmetric {
        /// What needs it.
        what: &'static str,
        /// The largest difference of an entry and its mirror image, see
        /// [`Delassus::asymmetry`](crate::Delassus::asymmetry).
        asymmetry: f64,
    },
    /// Numbers that are finite lead to one that is not.
    #[error("{what} overflows; choose units in which its entries are nearer to 1")]
    Overflow {
        /// What was computed.
        what: &'static str,
    },
    /// A solution that cannot be differentiated.
    #[error(
        "contact {contact} has no derivative that is known: {why}; move the state off it, or leave the contact out"
    )]
    NoDerivative {
        /// The contact.
        contact: usize,
        /// Why.
        why: crate::analysis::sensitivity::Unknown,
    },
    /// A part that cannot be used with another.
    #[error("{part} cannot be used with {other}: {reason}")]
    Combination {
        /// The one part.
        part: &'static str,
        /// The other.
        other: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A name that is not in a list of choices.
    #[error("`{found}` is not {} {what}; choose one of {choices}", article(what))]
    Choice {
        /// What was to be chosen.
        what: &'static str,
        /// What was given.
        found: String,
        /// The choices.
        choices: String,
    },
    /// A file's text that cannot be read as a problem.
    #[error("not a contact problem: {0}")]
    Json(String),
    /// A convex set is not what a friction set must be.
    #[error(transparent)]
    Set(#[from] SetError),
    /// Passed on from the solvers of linear complementarity problems.
    #[error(transparent)]
    Complementarity(#[from] complementarity::Error),
}

/// The indefinite article of a noun.
fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Refuses a number outside of a range; NaN is outside of every range.
pub(crate) fn check(
    place: impl FnOnce() -> String,
    value: f64,
    inside: bool,
    requirement: &'static str,
) -> Result<(), Error> {
    if inside && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Range { place: place(), value, requirement })
    }
}

/// Refuses a setting of a method that is not within (low, high].
pub(crate) fn check_setting(
    method: &'static str,
    setting: &'static str,
    value: f64,
    (low, high): (f64, f64),
    requirement: &'static str,
) -> Result<(), Error> {
    let inside = value > low && value <= high;
    check(|| format!("setting `{setting}` of {method}"), value, inside, requirement)
}

/// Refuses a slice of another length.
pub(crate) fn check_len(what: &'static str, expected: usize, v: &[f64]) -> Result<(), Error> {
    let found = v.len();
    if found == expected { Ok(()) } else { Err(Error::Size { what, expected, found }) }
}

/// Refuses numbers that are not finite, by their place.
pub(crate) fn check_finite(what: &'static str, v: &[f64]) -> Result<(), Error> {
    match v.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => check(|| format!("{what}[{i}]"), v[i], false, "a finite number"),
    }
}
