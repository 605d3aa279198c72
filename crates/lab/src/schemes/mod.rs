//! Time-stepping schemes side by side on motions with impacts, and the alternating iteration beside other solvers.

mod alternation;
mod motions;

pub use alternation::{Family, Tally, tally};
pub use motions::Motion;

use crate::JEAN;
use std::fmt;
use stickslip::step::Integrator;

/// The schemes that are compared.
pub const SCHEMES: [Integrator; 4] =
    [Integrator::MoreauMidpoint, JEAN, Integrator::GapLevel, Integrator::PaoliSchatzman];

/// Numbers of steps next to each other over which errors are averaged: an impact falls anywhere into a step, and where it falls decides
/// the error of a single run.
const NEIGHBOURS: usize = 8;

/// Why there is no number.
#[derive(Clone, Debug, PartialEq)]
pub struct NoNumber(String);

impl fmt::Display for NoNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoNumber {}

impl From<stickslip::Error> for NoNumber {
    fn from(error: stickslip::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<crate::Stopped> for NoNumber {
    fn from(stopped: crate::Stopped) -> Self {
        let text = stopped.to_string();
        Self(text.trim_start_matches("no step from here: ").to_owned())
    }
}

/// The error of a motion by a scheme with about `steps` steps: the root of the mean square over `NEIGHBOURS` numbers of steps, and the mean
/// length of these.
///
/// # Errors
/// If the scheme refuses the motion, or a step has no answer.
pub fn error(
    motion: Motion,
    scheme: Integrator,
    steps: usize,
    exact: f64,
) -> Result<(f64, f64), NoNumber> {
    let (mut square, mut dt) = (0.0, 0.0);
    for n in steps..steps + NEIGHBOURS {
        let off = motion.end(scheme, n)? - exact;
        square += off * off / NEIGHBOURS as f64;
        dt += motion.time() / n as f64 / NEIGHBOURS as f64;
    }
    Ok((dt, square.sqrt()))
}

/// The slope of errors over step lengths between the first and the last.
#[must_use]
pub fn order(points: &[(f64, f64)]) -> f64 {
    match points {
        [first, .., last] => (first.1 / last.1).ln() / (first.0 / last.0).ln(),
        _ => f64::NAN,
    }
}
