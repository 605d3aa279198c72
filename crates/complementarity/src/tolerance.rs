//! The numerical policy: what is judged by a number, and why by this one.
//!
//! No status rests on these alone: a solution is judged by its [`Residual`](crate::Residual), a proof in
//! exact arithmetic.

/// A vector that misses the conditions of Farkas by more than this part of the terms is not worth exact
/// arithmetic; what is smaller than this beside other terms is left out of a first try.
pub(crate) const FARKAS_NEAR: f64 = 1e-9;

/// A sum that rounding leaves near zero is brought to this part of its terms on the right side: well
/// above the rounding of a sum of a thousand terms, well below what a conclusion rests on.
pub(crate) const FARKAS_STRICT: f64 = 1e-11;

/// Sums that depend on others up to this can't be moved apart from them.
pub(crate) const FARKAS_PIVOT: f64 = 1e-10;

/// Operations on words of 64 bits that exact arithmetic may spend on one proof, about a second.
pub(crate) const EXACT_WORK: u64 = 500_000_000;

/// A linear program in floating point calls a system infeasible if the sums of its Farkas vector have the
/// wrong sign by no more than this part of their terms.
pub(crate) const FARKAS_ROUNDING: f64 = 1e-12;

/// And if the value that must be negative is so by this part of its terms.
pub(crate) const FARKAS_MARGIN: f64 = 1e-9;

/// Operations on words of 64 bits that exact arithmetic may spend on one question about a case.
pub(crate) const ENUMERATE_WORK: u64 = 50_000_000;
