//! The numerical policy: what is judged by a number, and why by this one.
//!
//! No status rests on these: an answer is judged by its [`Certificate`](crate::Certificate), whose numbers are its own, and a proof in exact
//! arithmetic. Parameters of one method that judge nothing (step lengths, limits) stay with it.

/// Velocities below this share of the largest entry of b count as none where redundant impulses are counted: two digits above the
/// tolerance of an answer, so that what sticks is not taken to slip by its error.
pub(crate) const NO_VELOCITY: f64 = 1e-8;

/// Shares of the sizes at hand below which a velocity, an impulse or a distance from the limit of friction is zero where one asks for
/// derivatives: as above.
pub(crate) const NO_CHANGE: f64 = 1e-8;

/// Impulses with a worse certificate have no derivatives: their modes would be guessed.
pub(crate) const CERTIFIED: f64 = 1e-6;

/// Part of the terms of a difference below which it is rounding, in the solver of one contact.
pub(crate) const LOCAL_ROUNDING: f64 = 1e-14;

/// Velocities that differ by less than this share of the largest are the same, where solutions are listed.
pub(crate) const SAME_VELOCITY: f64 = 1e-7;

/// A continuum whose velocities agree to this share of the largest with all that a sector may hold is not told from it.
pub(crate) const NOT_TOLD_APART: f64 = 1e-4;

/// Rows that are off by less than this share of their terms count as met where polyhedra of solutions are compared.
pub(crate) const ROW_MET: f64 = 1e-8;

/// Eigenvalues of W_BB, scaled to a diagonal of ones, below this share of the largest count as zero.
pub(crate) const BILATERAL_RANK: f64 = 1e-10;

/// A push along a line of W_BB, or an entry of W along it, below this share of its terms is rounding.
pub(crate) const BILATERAL_ROUNDING: f64 = 1e-9;

/// Forces outside of the cone by less than this, with normal forces that sum to one, are not cut off.
pub(crate) const CONE_MET: f64 = 1e-12;

/// What counts as zero beside forces that sum to one.
pub(crate) const NO_FORCE: f64 = 1e-12;

/// A value of the program of theorem 1 below this share of |b| |c| (scaled) is zero to rounding.
pub(crate) const VALUE_ROUNDING: f64 = 1e-9;

/// What counts as zero, relative to the terms it is made of, where the faces of a polyhedron are found.
pub(crate) const FACE_ROUNDING: f64 = 1e-12;
