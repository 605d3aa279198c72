//! Misuse, as errors that name the place and the cure.

/// What was wrong with an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is out of range, or not a number.
    #[error("{place} is {value}; it must be {requirement}")]
    Range {
        /// Where the number stands, e.g. `the radius of collider 2`.
        place: String,
        /// The number.
        value: f64,
        /// What it must be.
        requirement: &'static str,
    },
    /// An index points at nothing.
    #[error("{place} is {index}; it must be less than {count}")]
    Index {
        /// Where the index stands.
        place: String,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A list has the wrong length.
    #[error("{what} has {found} entries where {expected} are needed")]
    Size {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that it should have.
        expected: usize,
    },
    /// A geometry that is no body or no surface.
    #[error("{place} {problem}; {cure}")]
    Degenerate {
        /// Which geometry.
        place: String,
        /// What is wrong.
        problem: &'static str,
        /// What would be right.
        cure: &'static str,
    },
    /// A geometry without mass properties.
    #[error("{place} has no mass properties: it {problem}; {cure}")]
    NoVolume {
        /// Which geometry.
        place: String,
        /// Why not.
        problem: &'static str,
        /// What to do instead.
        cure: &'static str,
    },
    /// Two bodies of which no pair of geometries is known to the detector.
    #[error("{first} of body {} cannot meet {second} of body {}: {cure}", bodies[0], bodies[1])]
    Pair {
        /// The first geometry.
        first: &'static str,
        /// The second geometry.
        second: &'static str,
        /// The bodies.
        bodies: [usize; 2],
        /// What to do instead.
        cure: &'static str,
    },
}

/// Refuses a number unless it is finite and `holds`.
pub(crate) fn check(
    place: impl FnOnce() -> String,
    value: f64,
    holds: bool,
    requirement: &'static str,
) -> Result<(), Error> {
    if value.is_finite() && holds {
        return Ok(());
    }
    Err(Error::Range { place: place(), value, requirement })
}
