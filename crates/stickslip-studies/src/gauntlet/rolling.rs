//! Balls that roll: on a belt, on a ball, and off it. Row H.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | θ, θ₀ | angle of the ball from the vertical, and where it starts from rest |
//! | L | distance of the centres of both balls |
//! | k | acceleration of θ over sin θ |

use super::build::G;
use super::{Case, Goal, Measure, Span, Yard, velocity};
use glam::DVec3;
use stickslip::bodies::{Geometry, Pose, Twist};
use stickslip::contact::Law;
use stickslip::{Error, State};

const RADIUS: f64 = 0.1;
const DT: f64 = 1e-3;

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    let mut all = belt();
    all.push(on_a_ball());
    all.push(off_a_ball());
    all
}

/// Velocity and friction of the belt, and the velocity with which the ball rolls onto it from the side.
const BELT: f64 = 2.0;
const GRIP: f64 = 0.3;
const ACROSS: f64 = 1.0;

/// A ball rolls across a belt that runs along x. Friction f has the direction of the slip, along x, gives the ball f/m and its lowest
/// point 7/2 f/m: slip ends after t = 2/7 V/μg with 2/7 V along the belt, and the velocity across it stays.
fn belt() -> Vec<Case> {
    let exact = 2.0 / 7.0 * BELT;
    let slip = exact / (GRIP * G);
    let span = Span { t_end: 1.0, dt: DT };
    let case =
        || Case { span, ..Case::still('H', "ball that rolls onto a belt, μ 0.3", roll_onto) };
    vec![
        Case {
            quantity: "error of velocity, m/s",
            measure: Measure::ends(move |_, b| {
                (velocity(b, 0) - DVec3::new(exact, ACROSS, 0.0)).length()
            }),
            ..case()
        },
        Case {
            quantity: "way along the belt, m",
            // What is left of a slip of less than a step is as in row A.
            goal: Goal::Near(exact * (span.t_end - 0.5 * slip), GRIP * G * DT * DT / 8.0 + 1e-9),
            late: 0.5 * DT * exact,
            measure: Measure::ends(|a, b| b.q[0] - a.q[0]),
            ..case()
        },
    ]
}

fn roll_onto() -> Result<Yard, Error> {
    let mut yard = Yard::without_ground(DVec3::NEG_Z * G, Law::disc(GRIP))?;
    yard.convey(Geometry::HalfSpace, DVec3::X * BELT)?;
    let linear = DVec3::Y * ACROSS;
    let angular = DVec3::Z.cross(linear) / RADIUS;
    yard.ball(1.0, RADIUS, (Pose::at(DVec3::Z * RADIUS), Twist { linear, angular }))?;
    Ok(yard)
}

/// The radius of the ball that does not move.
const BELOW: f64 = 0.5;
/// L.
const APART: f64 = BELOW + RADIUS;
/// θ₀ in degrees.
const START: f64 = 10.0;

/// A ball of 0.1 m at rest on one of 0.5 m that does not move, at the angle θ₀.
fn ball_on_ball(mu: f64) -> Result<Yard, Error> {
    let mut yard = Yard::without_ground(DVec3::NEG_Z * G, Law::disc(mu))?;
    yard.fix(Geometry::Sphere { radius: BELOW }, Pose::default())?;
    let (sin, cos) = START.to_radians().sin_cos();
    let place = APART * DVec3::new(sin, 0.0, cos);
    yard.ball(1.0, RADIUS, (Pose::at(place), Twist::default()))?;
    Ok(yard)
}

/// A ball rolls on a ball like a pendulum upside down with 7/5 of its inertia, θ̈ = 5/7 g/L sin θ. Friction is 2/7 m g sin θ and the normal force
/// m g (17 cos θ − 10 cos θ₀) / 7, so that up to 30° it rolls with μ 0.21 or more. Methods of second order are off by Δt² times its largest acceleration.
fn on_a_ball() -> Case {
    let k = 5.0 / 7.0 * G / APART;
    let t_end = 0.5;
    let (angle, rate) = pendulum(k, t_end);
    Case {
        quantity: "angle from the vertical, rad",
        goal: Goal::Near(angle, k * angle.sin() * DT * DT),
        late: 0.5 * DT * rate,
        span: Span { t_end, dt: DT },
        measure: Measure::ends(|_, b| b.q[0].atan2(b.q[2])),
        ..Case::still('H', "ball that rolls on a ball, μ 0.8", || ball_on_ball(0.8))
    }
}

/// θ and its rate from θ₀ at rest by θ̈ = k sin θ, by the classical method of Runge and Kutta with steps so short that they do not matter.
fn pendulum(k: f64, t_end: f64) -> (f64, f64) {
    let steps = 5000;
    let dt = t_end / f64::from(steps);
    let (mut x, mut v) = (START.to_radians(), 0.0);
    for _ in 0..steps {
        let a = k * x.sin();
        let (v2, a2) = (v + 0.5 * dt * a, k * (x + 0.5 * dt * v).sin());
        let (v3, a3) = (v + 0.5 * dt * a2, k * (x + 0.5 * dt * v2).sin());
        let (v4, a4) = (v + dt * a3, k * (x + dt * v3).sin());
        x += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += dt / 6.0 * (a + 2.0 * a2 + 2.0 * a3 + a4);
    }
    (x, v)
}

/// Without friction the ball slides, and leaves where its weight is no more than what keeps it on the circle: v² = 2 g L (cos θ₀ − cos θ) and
/// m g cos θ = m v²/L, so that cos θ = 2/3 cos θ₀ and v² = g L cos θ. From there on v cos θ along x stays. The normal force goes to 0
/// there with 3 g sin θ θ̇ per mass and time, so that a step more or less on the ball changes v by up to half of that times Δt².
fn off_a_ball() -> Case {
    let cos = 2.0 / 3.0 * START.to_radians().cos();
    let speed = (G * APART * cos).sqrt();
    Case {
        quantity: "velocity along x after it left, m/s",
        goal: Goal::Near(speed * cos, 1.5 * G * speed / APART * DT * DT),
        span: Span { t_end: 1.0, dt: DT },
        measure: Measure::ends(|_: &State, b: &State| b.u[0]),
        ..Case::still('H', "ball that slides off a ball, μ 0", || ball_on_ball(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Energy is kept, and small angles grow with the hyperbolic cosine.
    #[test]
    fn the_pendulum_upside_down_keeps_its_energy() {
        let (k, start) = (7.0, START.to_radians());
        let (x, v) = pendulum(k, 0.5);
        assert!((0.5 * v * v + k * (x.cos() - start.cos())).abs() < 1e-12);
        let linear = start * (k.sqrt() * 0.1).cosh();
        assert!((pendulum(k, 0.1).0 - linear).abs() < 1e-2 * (linear - start));
    }
}
