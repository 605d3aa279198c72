//! A peg in a hole with a clearance of 0.1 mm that slides under its weight: row I.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | α | angle of the hole from the vertical |
//! | k | walls that the peg lies on: one, or two at a right angle |

use super::build::{G, at};
use super::limits::both;
use super::{Case, Goal, Measure, Span, Yard};
use glam::DVec3;
use std::f64::consts::FRAC_PI_4;
use stickslip::Error;
use stickslip::bodies::{Geometry, MassProperties, Pose};
use stickslip::contact::Law;

/// The width of the peg or its diameter, and its length, in m.
const WIDTH: f64 = 0.02;
const LENGTH: f64 = 0.1;
/// By how much the hole is wider, in m.
const CLEARANCE: f64 = 1e-4;
/// How deep the hole is, and how far the centre of the peg is inside at the start, in m.
const DEPTH: f64 = 0.25;
const INSIDE: f64 = 0.01;
const MU: f64 = 0.3;

/// The peg.
#[derive(Clone, Copy, PartialEq)]
enum Peg {
    Square,
    Round,
}

/// All of them. With the force m g sin α across the hole, each of k walls has N = m g sin α/√k, so that along the hole a peg has the acceleration
/// g (cos α − √k μ sin α), and stays if that is not positive: from μ = cot α/√k on. The height of the resultant of N balances the moment of friction, and lies
/// inside of the hole.
pub(super) fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = [
        ("square peg in a vertical hole", Peg::Square, 0.0, 0),
        ("square peg on a wall of a hole at 30°, μ 0.3", Peg::Square, 30.0, 1),
        ("square peg on two walls of a hole at 30°, μ 0.3", Peg::Square, 30.0, 2),
        ("round peg on two walls of a square hole at 30°, μ 0.3", Peg::Round, 30.0, 2),
    ]
    .map(|(name, peg, degrees, walls)| slides(name, peg, f64::to_radians(degrees), walls))
    .into();
    let alpha = f64::to_radians(60.0);
    let critical = alpha.tan().recip() / 2f64.sqrt();
    let name = format!("square peg on two walls of a hole at 60°, critical μ {critical:.6}");
    let [stands, falls] =
        both('I', &name, move |share| hole(Peg::Square, alpha, 2, critical * share));
    // Later it would have left the hole.
    let span = Span { t_end: 2.0, dt: 1e-3 };
    all.extend([stands, Case { span, ..falls }]);
    all
}

fn slides(name: &str, peg: Peg, alpha: f64, walls: usize) -> Case {
    let (sin, cos) = alpha.sin_cos();
    let acceleration = G * (cos - (walls as f64).sqrt() * MU * sin);
    let span = Span { t_end: 0.15, dt: 1e-3 };
    Case {
        quantity: "way in 0.15 s, m",
        goal: Goal::Near(0.5 * acceleration * span.t_end.powi(2), 1e-9),
        late: 0.5 * acceleration * span.t_end * span.dt,
        span,
        measure: Measure::ends(|a, b| a.q[2] - b.q[2]),
        ..Case::still('I', name, move || hole(peg, alpha, walls, MU))
    }
}

/// A square hole along z in the ground, between four walls, and a peg in it that touches as many of them as asked for. Gravity is inclined.
fn hole(peg: Peg, alpha: f64, walls: usize, mu: f64) -> Result<Yard, Error> {
    let (sin, cos) = alpha.sin_cos();
    let across = if walls == 2 { FRAC_PI_4 } else { 0.0 };
    let gravity = G * DVec3::new(sin * across.cos(), sin * across.sin(), -cos);
    let mut yard = Yard::without_ground(gravity, Law::disc(mu))?;
    let far = 0.5 * (WIDTH + CLEARANCE);
    let half_lengths = DVec3::new(0.5 * WIDTH, 2.0 * WIDTH, 0.5 * DEPTH);
    for side in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        let half_lengths = if side.x == 0.0 {
            DVec3::new(half_lengths.y, half_lengths.x, half_lengths.z)
        } else {
            half_lengths
        };
        let place = side * (far + 0.5 * WIDTH) - DVec3::Z * 0.5 * DEPTH;
        yard.fix(Geometry::Box { half_lengths }, Pose::at(place))?;
    }
    let aside = 0.5 * CLEARANCE;
    let touching = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y][walls];
    let start = at(aside * touching - DVec3::Z * INSIDE);
    match peg {
        Peg::Square => yard.cuboid(0.3, DVec3::new(WIDTH, WIDTH, LENGTH), start)?,
        Peg::Round => {
            let (radius, half_height) = (0.5 * WIDTH, 0.5 * LENGTH);
            let properties = MassProperties::cylinder(0.3, radius, LENGTH)?;
            yard.add(properties, Geometry::Cylinder { half_height, radius }, start)?
        }
    };
    Ok(yard)
}
