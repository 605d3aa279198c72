//! A ball that slides until it rolls, and a ball on a slope.

use super::{G, Measure, Outcome, Ride};
use glam::DVec3;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;

const RADIUS: f64 = 0.5;
const MASS: f64 = 2.0;

/// A ball on a plane through the origin with this normal.
fn ball(mu: f64, normal: DVec3, linear: DVec3) -> Result<Ride, stickslip::Error> {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
    let body = world.body(MassProperties::sphere(MASS, RADIUS)?);
    let shapes = pair(Shape::Sphere(DVec3::ZERO, RADIUS), Shape::Plane(DVec3::ZERO, normal))?;
    world.contact(body, World::GROUND, shapes, Law::disc(mu))?;
    let twist = Twist { linear, angular: DVec3::ZERO };
    let state = world.state(&[(Pose::at(RADIUS * normal), twist)])?;
    Ride::new(world, state, MASS * G * RADIUS)
}

/// A ball that slides at first rolls after 2 v₀ / (7 μ g), with 5/7 of its speed: speed and place a while later.
///
/// # Errors
/// If a step has no answer.
pub fn slide_to_roll(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "ball, sliding to rolling";
    let (mu, v0) = (0.2, 3.0);
    let time = 2.0 * v0 / (7.0 * mu * G);
    // Not a multiple of the time of sliding: that falls anywhere into a step.
    let end = 2.03 * time;
    let place = 12.0 * v0 * v0 / (49.0 * mu * G) + 5.0 / 7.0 * v0 * (end - time);
    let mut speed = Measure::new(CASE, "speed when it rolls, m/s", 5.0 / 7.0 * v0);
    let mut way = Measure::new(CASE, "way a while later, m", place);
    let mut moment = Measure::new(CASE, "time at which it rolls, s", time);
    for &dt in sizes {
        let mut ride = ball(mu, DVec3::Z, DVec3::new(v0, 0.0, 0.0))?;
        let mut rolls = f64::NAN;
        ride.go(end, dt, |ride| {
            let slip = ride.state.u[0] - RADIUS * ride.state.u[4];
            if rolls.is_nan() && slip.abs() < 1e-9 {
                rolls = ride.state.t;
            }
        })?;
        speed.add(dt, ride.state.u[0], &ride);
        way.add(dt, ride.state.q[0], &ride);
        moment.add(dt, rolls, &ride);
    }
    Ok(vec![speed, way, moment])
}

/// Velocity along the slope and of slip at its end, over g, after `time`.
fn down(mu: f64, angle: f64, time: f64, dt: f64) -> Outcome<(f64, f64, Ride)> {
    let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
    let along = DVec3::new(angle.cos(), 0.0, -angle.sin());
    let mut ride = ball(mu, normal, DVec3::ZERO)?;
    ride.go(time, dt, |_| {})?;
    let u = &ride.state.u;
    let speed = DVec3::new(u[0], u[1], u[2]).dot(along);
    let slip = speed - RADIUS * u[4];
    Ok((speed, slip, ride))
}

/// A ball on a slope of 0.5 rad: 5/7 g sin θ if it rolls, g (sin θ − μ cos θ) if friction is too small for that.
///
/// # Errors
/// If a step has no answer.
pub fn slope(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "ball on a slope";
    let angle = 0.5_f64;
    let slides = G * (angle.sin() - 0.1 * angle.cos());
    let mut rolls =
        Measure::new(CASE, "acceleration with μ = 0.3, m/s²", 5.0 / 7.0 * G * angle.sin());
    let mut slips = Measure::new(CASE, "acceleration with μ = 0.1, m/s²", slides);
    let spin = 2.5 * 0.1 * G * angle.cos() / RADIUS;
    let mut turns = Measure::new(CASE, "its angular one, rad/s²", spin);
    for &dt in sizes {
        let (speed, _, ride) = down(0.3, angle, 1.0, dt)?;
        rolls.add(dt, speed, &ride);
        let (speed, _, ride) = down(0.1, angle, 1.0, dt)?;
        slips.add(dt, speed, &ride);
        turns.add(dt, ride.state.u[4], &ride);
    }
    Ok(vec![rolls, slips, turns])
}

/// The least friction with which a ball on a slope rolls, 2/7 tan θ, by bisection.
///
/// # Errors
/// If a step has no answer.
pub fn critical_friction(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    let angle = 0.5_f64;
    let exact = 2.0 / 7.0 * angle.tan();
    let mut least = Measure::new("ball on a slope", "least μ with which it rolls", exact);
    for &dt in sizes {
        let (mut low, mut high) = (0.0, 1.0);
        let mut last = None;
        for _ in 0..34 {
            let mu = 0.5 * (low + high);
            let (_, slip, ride) = down(mu, angle, 10.0 * dt, dt)?;
            *(if slip.abs() < 1e-12 { &mut high } else { &mut low }) = mu;
            last = Some(ride);
        }
        if let Some(ride) = last {
            least.add(dt, 0.5 * (low + high), &ride);
        }
    }
    Ok(vec![least])
}
