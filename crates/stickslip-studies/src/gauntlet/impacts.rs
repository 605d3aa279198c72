//! Newton's cradle and a row of dominoes: row H.

use super::build::{G, Yard};
use super::{Case, Goal, Measure, Span, velocity};
use glam::{DQuat, DVec3};
use stickslip::bodies::{Pose, Twist};
use stickslip::contact::Law;
use stickslip::{Error, State};

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    let mut all = cradles();
    all.extend(dominoes());
    all
}

/// Balls of a cradle.
const BALLS: usize = 5;
/// Their radius; a power of two, so that balls side by side touch to the last bit.
const RADIUS: f64 = 0.0625;
/// How far those are apart that do not touch, in m: the way of some steps, so that they hit each other one after the other.
const GAP: f64 = 5e-3;

/// Equal balls in a row that hit each other one after the other with ε 1 exchange their velocities, so that the last one leaves with that of the
/// first. Balls that touch are hit all at once: Newton's law asks that γ⁺ = v for the first pair and γ⁺ = 0 for the others, which is met by
/// impulses Λ_k = 2v (n − k)/n, so that the first ball leaves with −v (n − 2)/n and the others with 2v/n.
fn cradles() -> Vec<Case> {
    let case = |name: &str, gap: f64, exact: fn(usize) -> f64| Case {
        quantity: "largest error of velocity, m/s",
        bounces: true,
        span: Span { t_end: 0.05, dt: 1e-3 },
        measure: Measure::ends(move |_, b| {
            let off = |i: usize| (velocity(b, i) - DVec3::X * exact(i)).length();
            (0..BALLS).map(off).fold(0.0, f64::max)
        }),
        ..Case::still('H', name, move || cradle(gap))
    };
    let one_by_one = |i: usize| if i + 1 == BALLS { 1.0 } else { 0.0 };
    let at_once = |i: usize| (2.0 - if i == 0 { BALLS as f64 } else { 0.0 }) / BALLS as f64;
    vec![
        case("Newton's cradle, 5 balls 5 mm apart, 1 m/s, ε 1", GAP, one_by_one),
        case("Newton's cradle, 4 balls that touch and one at 1 m/s, ε 1", 0.0, at_once),
    ]
}

/// Balls in a row without gravity, the first of which comes with 1 m/s.
fn cradle(gap: f64) -> Result<Yard, Error> {
    let law = Law::disc(0.3).with_restitution(1.0, 0.0);
    let mut yard = Yard::without_ground(DVec3::ZERO, law)?;
    for i in 0..BALLS {
        let before = if i == 0 { -GAP } else { (i - 1) as f64 * gap };
        let linear = if i == 0 { DVec3::X } else { DVec3::ZERO };
        let pose = Pose::at(DVec3::X * (2.0 * RADIUS * i as f64 + before));
        yard.ball(1.0, RADIUS, (pose, Twist { linear, ..Twist::default() }))?;
    }
    Ok(yard)
}

/// Dominoes in the row.
const DOMINOES: usize = 10;
/// Thickness, width and height of a domino, in m.
const DOMINO: DVec3 = DVec3::new(7.5e-3, 24e-3, 48e-3);
/// The distance of neighbours, in m.
const PITCH: f64 = 30e-3;
/// How far the first domino is from its critical speed, as a share.
const SHARE: f64 = 0.01;
const DT: f64 = 5e-4;

/// All dominoes fall if the first has enough energy to lift its centre above its edge, and none if it has not.
fn dominoes() -> [Case; 2] {
    let case = |name: String, share: f64, count: f64| Case {
        quantity: "dominoes that have fallen",
        goal: Goal::Near(count, 0.0),
        span: Span { t_end: 2.0, dt: DT },
        measure: Measure::ends(|_, b| (0..DOMINOES).filter(|&i| fallen(b, i)).count() as f64),
        ..Case::still('H', name, move || row(critical_spin() * share))
    };
    let name = format!("{DOMINOES} dominoes, critical spin {:.4} rad/s", critical_spin());
    [
        case(format!("{name}: 1 % more"), 1.0 + SHARE, DOMINOES as f64),
        case(format!("{name}: 1 % less"), 1.0 - SHARE, 0.0),
    ]
}

/// The angular velocity about its edge with which a domino just falls: ½ J ω² is the work m g (d − h)/2 that lifts its centre above the edge, with
/// the diagonal d and J = m d²/3. A displacement by the velocity at the end of each step has an error of the velocity of half a step,
/// ½ Δt · 3 g b / (2 d²) of ω, which is 0.4 % with the thickness b.
fn critical_spin() -> f64 {
    let diagonal = DOMINO.x.hypot(DOMINO.z);
    (3.0 * G * (diagonal - DOMINO.z)).sqrt() / diagonal
}

/// Dominoes at rest, but for the first, which turns about its edge.
fn row(spin: f64) -> Result<Yard, Error> {
    let mut yard = Yard::new(Law::disc(0.5))?;
    let angular = DVec3::Y * spin;
    let lever = 0.5 * DVec3::new(-DOMINO.x, 0.0, DOMINO.z);
    let push = Twist { linear: angular.cross(lever), angular };
    for i in 0..DOMINOES {
        let pose = Pose::at(DVec3::new(PITCH * i as f64, 0.0, 0.5 * DOMINO.z));
        yard.cuboid(0.01, DOMINO, (pose, if i == 0 { push } else { Twist::default() }))?;
    }
    Ok(yard)
}

/// Whether the centre of a domino is beyond its edge.
fn fallen(state: &State, body: usize) -> bool {
    let q = &state.q[7 * body + 3..7 * body + 7];
    let up = DQuat::from_xyzw(q[1], q[2], q[3], q[0]) * DVec3::Z;
    up.z < DOMINO.z / DOMINO.x.hypot(DOMINO.z)
}
