//! What a friction set must be, as errors that name the place and the cure.

use thiserror::Error;

/// Why a set was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SetError {
    /// The set has no dimension, or more than a contact has.
    #[error(
        "a friction set of dimension {found}; a contact has 1 (planar), 2 (point) or 3 (with spin)"
    )]
    Dimension {
        /// The dimension that was given.
        found: usize,
    },

    /// A semi-axis is not a number in the range.
    #[error(
        "semi-axis {index} is {value}, but must lie between 1e-100 and 1e100; choose other units"
    )]
    Axis {
        /// Index of the semi-axis.
        index: usize,
        /// Its value.
        value: f64,
    },

    /// A polyhedron has too few or too many facets.
    #[error("{found} facets in dimension {dimension}, but {requirement}")]
    Facets {
        /// The number that was given.
        found: usize,
        /// The dimension of the set.
        dimension: usize,
        /// What is allowed.
        requirement: &'static str,
    },

    /// Two rows of a polyhedron differ in length.
    #[error("row {row} of the polyhedron has {found} entries but row 0 has {expected}")]
    Ragged {
        /// The offending row.
        row: usize,
        /// The length of row 0.
        expected: usize,
        /// The length of the offending row.
        found: usize,
    },

    /// A normal or a vertex is zero, not finite, or out of range.
    #[error(
        "row {row} of the polyhedron has length {length}; it must lie between 1e-100 and 1e100"
    )]
    Row {
        /// Index of the row.
        row: usize,
        /// Its Euclidean length.
        length: f64,
    },

    /// A half-space does not contain the origin in its interior.
    #[error(
        "half-space {row} has offset {offset}: the origin is not in the interior; every offset must be finite and positive"
    )]
    Offset {
        /// Index of the half-space.
        row: usize,
        /// Its offset.
        offset: f64,
    },

    /// A polyhedron reaches to infinity, or as good as.
    #[error(
        "the polyhedron is unbounded (facet {facet} extends beyond 1e8 times the distance of the nearest facet); add half-spaces until it is closed"
    )]
    Unbounded {
        /// Index of a facet that is not closed.
        facet: usize,
    },

    /// The origin is not in the interior of the hull of the vertices.
    #[error(
        "the origin is not in the interior of the hull (or by less than 1e-8 of its size); shift the vertices or add some"
    )]
    OriginOutside,

    /// A coefficient of friction or a radius is not a number ≥ 0.
    #[error("{what} is {value}; it must be finite and not negative")]
    Coefficient {
        /// `mu` or `radius`.
        what: &'static str,
        /// Its value.
        value: f64,
    },

    /// A user's set gives a support that no set around the origin has.
    #[error(
        "support in direction {direction} is {value}; around the origin it is positive and finite"
    )]
    Support {
        /// Index of the axis, counted 0, 1, 2 for + and 3, 4, 5 for −.
        direction: usize,
        /// What the set returned.
        value: f64,
    },
}
