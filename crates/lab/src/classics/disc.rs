//! A thin disc that rolls on its edge.
//!
//! # Notation
//! | letter | meaning |
//! |---|---|
//! | θ | angle between the disc's axis and the vertical; upright is π/2 |
//! | Ω, n | rates about the vertical, and of the whole angular velocity about the axis |
//! | ρ | radius of the circle of the centre |
//! | d | unit vector from the centre to the contact |
//!
//! Momenta about the centre with A = m a²/4, C = m a²/2 and v = −a n y: (C + m a²) n Ω sin θ − A Ω² sin θ cos θ + m a g cos θ = 0,
//! and with ρ = −a n / Ω: Ω² = 4 g cos θ / (sin θ (6 ρ + a cos θ)).

use super::{G, Measure, Outcome, Ride};
use glam::{DQuat, DVec3};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::step;

pub(super) const RADIUS: f64 = 0.3;
pub(super) const MASS: f64 = 1.0;

/// A steady motion of the disc on a circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolling {
    /// Angle between axis and vertical, rad.
    pub lean: f64,
    /// Radius of the circle of the centre, m.
    pub circle: f64,
}

impl Rolling {
    /// Ω, rad/s.
    pub fn rate(&self) -> f64 {
        let (s, c) = self.lean.sin_cos();
        (4.0 * G * c / (s * (6.0 * self.circle + RADIUS * c))).sqrt()
    }

    /// On its way, with a law between edge and ground.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn ride(&self, law: Law) -> Result<Ride, stickslip::Error> {
        let (s, c) = self.lean.sin_cos();
        let down = DVec3::new(c, 0.0, -s);
        let rotation = DQuat::from_rotation_y(self.lean);
        let axis = rotation * DVec3::Z;
        let n = -self.circle * self.rate() / RADIUS;
        let angular = n * axis - self.rate() * s * down;
        let linear = -RADIUS * angular.cross(down);
        let position = DVec3::new(self.circle, 0.0, RADIUS * s);
        ride(Pose { position, rotation }, Twist { linear, angular }, law)
    }
}

fn ride(pose: Pose, twist: Twist, law: Law) -> Result<Ride, stickslip::Error> {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?;
    let body = world.body(MassProperties::cylinder(MASS, RADIUS, 0.0)?);
    let edge = Shape::Disc(DVec3::ZERO, DVec3::Z, RADIUS);
    let shapes = pair(edge, Shape::Plane(DVec3::ZERO, DVec3::Z))?;
    world.contact(body, World::GROUND, shapes, law)?;
    let state = world.state(&[(pose, twist)])?;
    Ride::new(world, state, MASS * G * RADIUS)
}

/// The disc's axis.
pub(super) fn axis(ride: &Ride) -> DVec3 {
    let q = &ride.state.q;
    DQuat::from_xyzw(q[4], q[5], q[6], q[3]) * DVec3::Z
}

/// How far the lowest point is from the ground.
pub(super) fn gap(ride: &Ride) -> f64 {
    let z = axis(ride).z;
    ride.state.q[2] - RADIUS * (1.0 - z * z).max(0.0).sqrt()
}

/// One round of a steady motion: rate, circle, lean, and how deep it gets.
///
/// # Errors
/// If a step has no answer.
pub fn rolling(
    motion: &Rolling,
    settings: &step::Settings,
    sizes: &[f64],
) -> Outcome<Vec<Measure>> {
    const CASE: &str = "disc on a circle";
    let rate = motion.rate();
    let round = std::f64::consts::TAU / rate;
    let mut turning = Measure::new(CASE, "rate, rad/s", rate);
    let mut place = Measure::new(CASE, "gap of the orbit after a round, m", 0.0);
    let mut lean = Measure::new(CASE, "lean after a round, rad", motion.lean);
    let mut depth = Measure::new(CASE, "farthest from the ground, m", 0.0);
    for &dt in sizes {
        let mut ride = motion.ride(Law::disc(10.0))?.with(settings)?;
        let start = ride.state.q.clone();
        let (mut turned, mut last, mut deep) = (0.0, 0.0_f64, 0.0_f64);
        ride.go(round, dt, |ride| {
            let axis = axis(ride);
            let now = axis.y.atan2(axis.x);
            turned += (now - last).sin().asin();
            last = now;
            deep = deep.max(gap(ride).abs());
        })?;
        turning.add(dt, turned / ride.state.t, &ride);
        let off = (0..2).map(|i| ride.state.q[i] - start[i]).fold(0.0, f64::hypot);
        place.add(dt, off, &ride);
        lean.add(dt, axis(&ride).z.acos(), &ride);
        depth.add(dt, deep, &ride);
    }
    Ok(vec![turning, place, lean, depth])
}

/// The square of the frequency with which an upright disc wobbles that rolls straight, 12/5 ω² − 4/5 g/a, at half and
/// at twice ω² = g / (3 a), and the least ω² for which it stays up, by the line through both.
///
/// # Errors
/// If a step has no answer.
pub fn wobble(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "disc rolling straight";
    let least = G / (3.0 * RADIUS);
    let square = |w2: f64| 2.4 * (w2 - least);
    let mut fast = Measure::new(CASE, "k² at twice the least ω², 1/s²", square(2.0 * least));
    let mut slow = Measure::new(CASE, "k² at half the least ω², 1/s²", square(0.5 * least));
    let mut edge = Measure::new(CASE, "least ω² of stability, rad²/s²", least);
    for &dt in sizes {
        let (ride, up) = wobble_square(2.0 * least, dt)?;
        fast.add(dt, up, &ride);
        let (ride, down) = wobble_square(0.5 * least, dt)?;
        slow.add(dt, down, &ride);
        let zero = least * (0.5 - 1.5 * down / (up - down));
        edge.add(dt, zero, &ride);
    }
    Ok(vec![fast, slow, edge])
}

/// k² from the lean at t and 2 t: sin 2 k t = 2 sin k t cos k t, and the same with hyperbolic functions.
fn wobble_square(w2: f64, dt: f64) -> Outcome<(Ride, f64)> {
    // So small that the square of the lean is below the errors that are looked at.
    const PUSH: f64 = 1e-5;
    let w = w2.sqrt();
    // Rolls along y about −x; the push tilts it about y.
    let rotation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let angular = DVec3::new(-w, PUSH, 0.0);
    let position = DVec3::new(0.0, 0.0, RADIUS);
    let linear = angular.cross(position);
    let law = Law::disc(10.0);
    let mut ride = ride(Pose { position, rotation }, Twist { linear, angular }, law)?;
    let time = 0.2;
    let mut lean = [0.0; 2];
    for lean in &mut lean {
        ride.go(time, dt, |_| {})?;
        *lean = axis(&ride).z;
    }
    let half = 0.5 * lean[1] / lean[0];
    let angle = if half <= 1.0 { half.acos() } else { half.acosh() };
    let k = angle / time;
    Ok((ride, if half <= 1.0 { k * k } else { -k * k }))
}
