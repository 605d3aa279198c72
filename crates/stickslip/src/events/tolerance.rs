//! The numerical policy of events: what is judged by a number, and why by this one.
//!
//! Numbers of one method that judge nothing (attempts, sweeps, step lengths) stay with it. Sizes of velocities, coordinates and forces are
//! those of the motion so far, so that all of these are shares.

/// Rounding of a sum of terms, relative to the largest of them: a gap or a slip is a sum of some tens of products.
pub(super) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// What steps leave of constraints is put right beyond this share of the terms that it is a sum of: a few units of rounding.
pub(super) const SHOWS: f64 = 16.0 * f64::EPSILON;

/// A closed contact is held if no step moves it by more than this share of what its coordinates have covered so far: far above rounding and
/// the tolerance of steps, and less than any picture shows.
pub(super) const HELD: f64 = 1e-6;

/// Relative velocities and accelerations below this share of the largest at the event count as zero: a digit above the tolerance 1e-10 of
/// the solver of contact problems.
pub(super) const ZERO: f64 = 1e-9;

/// Approaches below this share of the largest relative velocity are rounding, whatever the sizes of velocities so far.
pub(super) const NO_APPROACH: f64 = 1e-14;

/// Accelerations that bear out an event may be off by this share of the load: forces inside a step are as accurate as [`FORCES`] times the
/// default tolerance, 1e-9, and two digits are for W.
pub(super) const RATE: f64 = 1e-7;

/// Forces inside a step may be this much less accurate than velocities: at its ends they are exact, and only events are read from them.
pub(super) const FORCES: f64 = 1e3;

/// A force below this share of the largest counts as zero: rounding, times a condition of W of some thousands.
pub(super) const FORCE_NOISE: f64 = 1e-12;

/// A diagonal entry of W below this share of the largest is the square of a rounding error of 1e-13.
pub(super) const UNANSWERED: f64 = 1e-26;

/// A pivot or singular value below this share of the largest counts as zero: half-way, in digits, between rounding and the entries that
/// lengths of bodies lead to.
pub(super) const RANK: f64 = 1e-10;

/// What is left of the equations of a singular system, relative to the right side, that still counts as solved: what values as small as
/// [`RANK`] that were taken for zero may contribute, and a digit.
pub(super) const CONSISTENT: f64 = 1e-9;

/// How deep a start may lie inside a contact, as a share of the sum of the coordinates that its gap depends on, each times its weight in
/// the gap. Starts and lengths come from papers and files with two digits or more, and mean g = 0 (the published start of the woodpecker
/// lies 1.5e-3 inside); what is deeper is no rounding but another start. Where all of these coordinates are zero there is nothing to
/// compare with, and every depth is taken.
pub(super) const START_DEPTH: f64 = 1e-2;

/// Highest coefficients of a function beyond this share of its largest value: the stages do not resolve it. A parabola through three
/// stages then still tells where it dips.
pub(super) const RESOLVED: f64 = 1e-4;

/// Zeros that are closer than this share of a step belong to one event: the polynomial of a step is as accurate as its default tolerance of
/// 1e-12, and zeros are a digit less.
pub(super) const TOGETHER: f64 = 1e-11;

/// Stages that no longer change by more than this share of what can be seen have converged to rounding, a few hundred units of it.
pub(super) const CONVERGED: f64 = 1e-13;

/// What moves a coordinate by less than this share of its size is no error of a step: a few units of rounding.
pub(super) const UNSEEN: f64 = 1e-15;

/// Rounding hides no more of the forces than this share, however slow a slip is. Chosen, not derived: with more, steps of slow slips become
/// long and wrong; with less they shrink without end.
pub(super) const HIDDEN: f64 = 1e-4;

/// The share of friction that is taken away to see what a contact does beyond its limit: more than the tolerance of the solver, and little
/// enough that nothing else changes.
pub(super) const LESS: f64 = 1e-6;

/// The approach that calls for an impact without collision, as a share of the largest relative velocity: its impulse does not depend on
/// it, and what it adds is as small as what counts as [`ZERO`].
pub(super) const CALL: f64 = 1e-9;

/// An impact without collision changes velocities by more than this share of the largest: three digits above [`CALL`].
pub(super) const JUMP: f64 = 1e-6;

/// Friction of contacts that skim together is found when it changes by less than this share of a: rounding.
pub(super) const SETTLED: f64 = 1e-14;

/// Energy that impacts add counts as created beyond this share of what they exchange: their certificates are no worse.
pub(super) const CREATED: f64 = 1e-12;

/// How much the smallest margins count before the others where redundant forces are centred, in Σ exp(−SHARPNESS m / load). Chosen, not
/// derived: margins that differ by a twentieth of the load are distinguished, and exponentials stay within rounding.
pub(super) const SHARPNESS: f64 = 20.0;

/// Derivatives of |Λ_T| are rounded off at zero by this share of the load: far below the resolution 1/[`SHARPNESS`] of the margins.
pub(super) const ROUND: f64 = 1e-3;

/// Margins above this share of the load are inside of the laws: as [`ZERO`].
pub(super) const INSIDE: f64 = 1e-9;

/// A contact that has no more than this share of its friction left when another begins to slide begins with it. Chosen, not derived:
/// contacts that share redundant friction evenly reach their limits together but for what [`ROUND`] leaves.
pub(super) const JOINS: f64 = 1e-3;
