//! How strong the friction of a polygon is, over the heading: by solving for a particle.

use super::{solver, systems};
use std::f64::consts::{PI, TAU};
use stickslip::Error;
use stickslip::contact::Mode;
use stickslip::contact::solve::{Formulation, Rho};

const MU: f64 = 0.5;
/// The normal impulse that stops the particle's fall, and a slip that friction hardly turns.
const PRESS: f64 = 1.0;
const FAST: f64 = 100.0;
/// Halvings of the interval in which a particle begins to slip.
const HALVINGS: usize = 30;

/// Friction at a heading, over that of the disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// The direction of the slip, or of the push, in radians.
    pub heading: f64,
    /// The part of the friction against it, over μ Λ_N.
    pub against: f64,
    /// The angle between the friction and the opposite of the slip, in radians; 0 where nothing slips.
    pub aside: f64,
}

/// A particle slides: the part of its friction that opposes the slip, for so many headings; those without a certified
/// answer are left out.
///
/// # Errors
/// If the formulation is refused.
pub fn sliding(
    formulation: Formulation,
    lines: usize,
    headings: usize,
) -> Result<Vec<Strength>, Error> {
    let mut solver = solver(formulation, lines, Rho::Chosen)?;
    let mut out = Vec::with_capacity(headings);
    for i in 0..headings {
        let (s, c) = (TAU * i as f64 / headings as f64).sin_cos();
        let problem = systems::particle(1.0, MU, PRESS, [FAST * c, FAST * s]);
        let answer = solver.solve(&problem);
        let (lam, xi) = (&answer.impulse, &answer.velocity);
        let speed = xi[1].hypot(xi[2]);
        if !answer.is_solved() || speed == 0.0 {
            continue;
        }
        let limit = MU * lam[0];
        let against = -(xi[1] * lam[1] + xi[2] * lam[2]) / (speed * limit);
        let across = (xi[1] * lam[2] - xi[2] * lam[1]) / (speed * limit);
        let heading = xi[2].atan2(xi[1]);
        out.push(Strength { heading, against, aside: across.atan2(against).abs() });
    }
    Ok(out)
}

/// A particle is pushed: the largest push that friction holds, for so many headings, by bisection.
///
/// # Errors
/// If the formulation is refused.
pub fn breakaway(
    formulation: Formulation,
    lines: usize,
    headings: usize,
) -> Result<Vec<Strength>, Error> {
    let mut solver = solver(formulation, lines, Rho::Chosen)?;
    let mut out = Vec::with_capacity(headings);
    for i in 0..headings {
        let heading = TAU * i as f64 / headings as f64;
        let (s, c) = heading.sin_cos();
        let (mut holds, mut slips) = (0.5, 2.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (holds + slips);
            let push = middle * MU * PRESS;
            let problem = systems::particle(1.0, MU, PRESS, [push * c, push * s]);
            let answer = solver.solve(&problem);
            let sticks = answer.is_solved() && answer.mode(&problem, 0) == Mode::Stick;
            *(if sticks { &mut holds } else { &mut slips }) = middle;
        }
        out.push(Strength { heading, against: holds, aside: 0.0 });
    }
    Ok(out)
}

/// The support function of the polygon with 2 k corners, over that of the disc: what a particle that slides must
/// feel. Inscribed corners and circumscribed normals stand at multiples of π/k.
pub fn support_formula(formulation: Formulation, lines: usize, heading: f64) -> f64 {
    let step = PI / lines as f64;
    let nearest = |shift: f64| {
        let turned = (heading - shift) / step;
        (step * (turned - turned.round())).cos()
    };
    match formulation {
        Formulation::PhantomInertia => nearest(0.5 * step) / (0.5 * step).cos(),
        _ => nearest(0.0),
    }
}
