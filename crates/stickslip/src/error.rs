//! Misuse, as errors that name the place and the cure.

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
    /// The mass matrix cannot be factorised.
    #[error(
        "the mass matrix is not positive definite at t = {t}: the pivot of coordinate `{coordinate}` is {pivot}; \
         give that coordinate a positive mass or inertia"
    )]
    Mass {
        /// The time.
        t: f64,
        /// The coordinate at which the factorisation stopped.
        coordinate: String,
        /// The pivot.
        pivot: f64,
    },
    /// The matrix of an implicit step cannot be factorised.
    #[error(
        "the matrix of the implicit step, M - dt theta dh/du - (dt theta)^2 dh/dq, is not positive definite at t = {t}: \
         the pivot of coordinate `{coordinate}` is {pivot}; take a smaller dt"
    )]
    ImplicitStep {
        /// The time.
        t: f64,
        /// The coordinate at which the factorisation stopped.
        coordinate: String,
        /// The pivot.
        pivot: f64,
    },
    /// The model returned a number that is not finite.
    #[error("{what} is not finite at t = {t}; check the model and the step size there")]
    NotFinite {
        /// What was evaluated.
        what: &'static str,
        /// The time.
        t: f64,
    },
    /// A body that spins so fast that its rotation over a step cannot be found.
    #[error(
        "a body turns too far in the step from t = {t} for the update of its rotation; take a smaller dt"
    )]
    Turn {
        /// The time.
        t: f64,
    },
    /// Joints that no configuration near the given one fits.
    #[error(
        "joints cannot be closed at t = {t}: they are off by {off}; check their frames and the start"
    )]
    Open {
        /// The time.
        t: f64,
        /// The largest error that is left.
        off: f64,
    },
    /// A loop of links whose ends do not meet.
    #[error(
        "loop {number} cannot close at t = {t}: after {iterations} corrections its ends are still off by {gap} (a share of \
         the longest link, or an angle); start nearer to a closed configuration, or check the lengths and frames of its links"
    )]
    Loop {
        /// Which, in the order in which they were added.
        number: usize,
        /// How far its ends are apart, as a share of the longest link, or turned.
        gap: f64,
        /// The time.
        t: f64,
        /// Corrections that were made.
        iterations: usize,
    },
    /// A constraint between coordinates that no configuration near the given one meets.
    #[error(
        "the constraint `{name}` cannot be met at t = {t}: after {corrections} corrections it is {value:.3e} and not 0; its derivatives vanish \
         there, or constraints contradict each other"
    )]
    Constraint {
        /// Its name.
        name: String,
        /// What is left of it.
        value: f64,
        /// The time.
        t: f64,
        /// Corrections that were made.
        corrections: usize,
    },
    /// A start too far inside a contact to be moved onto it.
    #[error(
        "contact {contact} has a gap of -{depth:?} at the start, more than {share} of the size of the coordinates that it depends on; \
         event-driven motion begins outside of contacts or on them: give it a start with a gap of 0 or more, or take a time-stepping \
         integrator"
    )]
    StartInside {
        /// The contact, in the order of the model.
        contact: usize,
        /// How deep.
        depth: f64,
        /// The share that rounding may make up.
        share: f64,
    },
    /// A start too far off joints, loops or bars to be moved onto them.
    #[error(
        "the start has to be moved by {moved} to fit its joints and constraints, more than {share} of the size of its coordinates; \
         event-driven motion begins where they fit: assemble the state first, check the frames of joints, or take a time-stepping integrator"
    )]
    StartOff {
        /// The largest change of a coordinate.
        moved: f64,
        /// The share that rounding may make up.
        share: f64,
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
    /// Bytes that are not those of a motion that was saved.
    #[error(transparent)]
    Memory(#[from] crate::memory::Unreadable),
    /// Passed on from collision detection.
    #[error(transparent)]
    Collision(#[from] stickslip_collision::Error),
    /// Passed on from the contact problem.
    #[error(transparent)]
    Contact(#[from] stickslip_contact::Error),
    /// Passed on from the solvers.
    #[error(transparent)]
    Complementarity(#[from] complementarity::Error),
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

/// Refuses a coefficient of friction that is negative or not a number.
pub(crate) fn check_coefficient(contact: usize, speed: f64, mu: f64) -> Result<(), Error> {
    let place = || format!("mu of contact {contact} at the slip speed {speed:.4e}");
    check(place, mu, mu >= 0.0, "at least 0 at every slip speed; write max(0, ...)")
}
