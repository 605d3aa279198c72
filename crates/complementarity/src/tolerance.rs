//! The numerical policy: what is judged by a number, and why by this one.
//!
//! No status rests on these alone: a solution is judged by its [`Residual`](crate::Residual), a proof in
//! exact arithmetic. Parameters of one method that judge nothing (step lengths, limits) stay with it.

// A solution.

/// The scaled residual that counts as solved unless the settings say otherwise: six digits above the
/// rounding of a number, and below what measured data are worth.
pub(crate) const SOLVED: f64 = 1e-10;

/// Terms count in the residual up to this times the largest of q, and of the values that the bounds force.
pub(crate) const RESIDUAL_GROWTH: f64 = 1e3;

/// In the residual, rounding is this part of the largest number of a connected part of the problem, as a
/// multiple of the tolerance: at a tolerance of 10⁻¹⁰, numbers below 10⁻¹⁴ of the largest one are rounding.
pub(crate) const RESIDUAL_FLOOR: f64 = 1e-4;

/// Below this, which of ζ and ω is smaller, and how large a row without terms is, changes no verdict.
pub(crate) const RESIDUAL_NO_FAULT: f64 = 1e-13;

/// A row whose terms exceed its q by this is evaluated again in the residual, with more care.
pub(crate) const RESIDUAL_GLANCE: f64 = 1e6;

/// A vector whose terms are this much larger than what is given may owe its small residual to that: far
/// out on the null space of M every relative residual is small.
pub(crate) const REMOTE: f64 = 1e6;

// Improving a solution.

/// Beyond this scaled residual the final basis of a path is refined.
pub(crate) const REFINE_ABOVE: f64 = 1e-13;

/// A failed candidate with a residual up to this may be one polish away from a solution.
pub(crate) const POLISH_NEAR: f64 = 1e-2;

/// A residual that is rounding: a polish has nothing left to gain.
pub(crate) const POLISH_DONE: f64 = 16.0 * f64::EPSILON;

/// A polished residual above this is worth a second attempt that allows for dependent rows.
pub(crate) const POLISH_POOR: f64 = 1e-12;

/// A distance to a bound that is smaller than this times the force, in scaled units, is put to zero before a
/// polish: an unknown of 10⁻²⁰⁰ in a row of its likes looks large to them.
pub(crate) const POLISH_TIGHT: f64 = 1e-4;

// Rounding in a vector or a sum.

/// An entry below this part of the largest of its vector is what rounding left of zero.
pub(crate) const ROUNDING: f64 = 1e-13;

/// A value that a step reduces to this part of itself is zero but for rounding.
pub(crate) const CANCELLED: f64 = 1e-13;

/// The vertices of a face of solutions whose residuals exceed this are not determined by floating point.
pub(crate) const FACE_ROUNDING: f64 = 1e-12;

/// A sum of two multiples of generators that cancels to this part is zero: each has gone through many
/// such sums.
pub(crate) const GENERATOR_CANCELLED: f64 = 1e-11;

// Pivots.

/// Perturbed ratios of Lemke's method that differ by less than this are tied.
pub(crate) const LEXICOGRAPHIC_TIE: f64 = 1e-10;

/// A remainder of a solve with an updated basis beyond this, relative to the column, calls for a new
/// factorisation.
pub(crate) const UPDATED_BASIS_REMAINDER: f64 = 1e-9;

/// A pivot below this that an updated basis found is looked for again with a fresh one.
pub(crate) const UPDATED_BASIS_PIVOT: f64 = 1e-7;

/// An entry below this part of the largest of its equilibrated row counts as zero when free unknowns are
/// eliminated.
pub(crate) const REDUCED_ENTRY: f64 = 1e-12;

/// In a symmetric matrix scaled to a diagonal of ones, a pivot below this is zero.
pub(crate) const DEFINITE_PIVOT: f64 = 1e-10;

/// Entries of the dictionary of a linear program below this are rounding: no pivot is taken there.
pub(crate) const PROGRAM_PIVOT: f64 = 1e-11;

/// A basic value of a linear program below this times the size of its terms counts as zero.
pub(crate) const PROGRAM_ZERO: f64 = 1e-11;

/// Values above this are not examined for that: no terms are so large.
pub(crate) const PROGRAM_SMALL: f64 = 1e-6;

/// A pivot below this times the largest entry means that the equations of a vertex are dependent.
pub(crate) const DEPENDENT_EQUATIONS: f64 = 1e-12;

/// What is left of a vector after the projection on others, relative to it, if it depends on them.
pub(crate) const DEPENDENT_DIRECTION: f64 = 1e-8;

// Units.

/// 2⁻³⁶: what cancellation leaves behind is below 2⁻⁵⁰ where the units are right, and units that are only
/// roughly right are right to some 2^±15.
pub(crate) const BALANCE_NEGLIGIBLE: f64 = 1.0 / (1u64 << 36) as f64;

/// The exponents of balanced units are right to this much.
pub(crate) const BALANCE_CLOSE: f64 = 1e-3;

// Matrix classes and intervals.

/// A vector is asked to dominate by a little less than it may, so that rounding does not hide it.
pub(crate) const DOMINANCE_SLACK: f64 = 1e-9;

/// Below this the error of a product may itself underflow.
pub(crate) const INTERVAL_UNDERFLOW: f64 = 1e-270;

/// An interval this narrow, relative to its numbers, leaves only rounding to a vector that is solved for.
pub(crate) const INTERVAL_NARROW: f64 = 1e-6;

// Farkas vectors.

/// A linear program in floating point calls a system infeasible if the sums of its Farkas vector have the
/// wrong sign by no more than this part of their terms. What depends on it is then decided exactly.
pub(crate) const FARKAS_ROUNDING: f64 = 1e-12;

/// And if the value that must be negative is so by this part of its terms.
pub(crate) const FARKAS_MARGIN: f64 = 1e-9;

/// A vector that misses the conditions of Farkas by more than this part of the terms is not worth exact
/// arithmetic; what is smaller than this beside other terms is left out of a first try.
pub(crate) const FARKAS_NEAR: f64 = 1e-9;

/// A sum that rounding leaves near zero is brought to this part of its terms on the right side: well
/// above the rounding of a sum of a thousand terms, well below what a conclusion rests on.
pub(crate) const FARKAS_STRICT: f64 = 1e-11;

/// Sums that depend on others up to this can't be moved apart from them.
pub(crate) const FARKAS_PIVOT: f64 = 1e-10;

/// Operations on words of 64 bits that exact arithmetic may spend on one proof, some tenths of a second.
pub(crate) const EXACT_WORK: u64 = 100_000_000;

/// Operations on words of 64 bits that exact arithmetic may spend on one question about a case.
pub(crate) const ENUMERATE_WORK: u64 = 20_000_000;
