//! Moreau's midpoint rule, \[3\] section 5, step by step.

use super::stepping::{Stepper, Unsolved, check_forces};
use crate::dynamics::{copy, set_sum};
use crate::error::Error;
use crate::run::{Stage, Stopwatch};
use crate::system::{State, System};

pub(super) fn step<S: System + ?Sized, W: Stopwatch>(
    s: &mut Stepper,
    system: &mut S,
    state: &mut State,
    dt: f64,
    watch: &mut W,
) -> Result<Result<(), Unsolved>, Error> {
    // 1, 2: the midpoint.
    let t_mid = state.t + 0.5 * dt;
    set_sum(&mut s.q, &state.q, 0.5 * dt, &state.u);
    copy(&mut s.u, &state.u);

    // 3 (b): the contacts that take part.
    s.detect(system, t_mid)?;
    watch.lap(Stage::Detect);

    // 3 (a): mass matrix and forces at the midpoint.
    s.assembly.factorize(system, &s.q, t_mid)?;
    if s.has_active()
        && let Err(unsolved) = s.collect(system, t_mid)
    {
        return Ok(Err(unsolved));
    }
    system.forces(&s.q, &s.u, t_mid, &mut s.forces);
    check_forces(&s.forces, t_mid)?;
    s.assembly.solve_mass(&mut s.forces);
    set_sum(&mut s.free, &s.u, dt, &s.forces);
    watch.lap(Stage::Free);

    // 4: the velocity at the end, eq. (17).
    if s.has_active() {
        if let Err(unsolved) = s.contact(system.info(), dt, t_mid, watch)? {
            return Ok(Err(unsolved));
        }
    } else {
        s.no_contact();
    }

    // 5: the configuration at the end.
    set_sum(&mut state.q, &s.q, 0.5 * dt, &s.end);
    copy(&mut state.u, &s.end);
    state.t += dt;
    Ok(Ok(()))
}
