//! The four-bar linkage: rocker and coupler by Freudenstein's equation.

use super::{Measure, Outcome, Ride};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::bodies::{Joint, JointKind, MassProperties, Pose, Twist, World};

/// Turns the joint's axis z into −y, about which angles in the plane of x and z count from x to z.
pub(super) fn hinge(x: f64, z: f64) -> Pose {
    Pose { position: DVec3::new(x, 0.0, z), rotation: DQuat::from_rotation_x(FRAC_PI_2) }
}

pub(super) fn revolute(on_first: Pose, on_second: Pose) -> Joint {
    Joint { kind: JointKind::Revolute, on_first, on_second }
}

pub(super) fn rod(mass: f64, length: f64) -> Result<MassProperties, stickslip::Error> {
    MassProperties::cuboid(mass, DVec3::new(length, 0.1 * length, 0.1 * length))
}

/// A rod from a point at an angle from x to z, and what it does if the point has a velocity and it turns at a rate.
pub(super) fn laid(
    from: [f64; 2],
    angle: f64,
    length: f64,
    velocity: [f64; 2],
    rate: f64,
) -> (Pose, Twist) {
    let along = 0.5 * length * DVec3::new(angle.cos(), 0.0, angle.sin());
    let angular = DVec3::new(0.0, -rate, 0.0);
    let position = DVec3::new(from[0], 0.0, from[1]) + along;
    let linear = DVec3::new(velocity[0], 0.0, velocity[1]) + angular.cross(along);
    (Pose { position, rotation: DQuat::from_rotation_y(-angle) }, Twist { linear, angular })
}

/// Lengths of crank, coupler, rocker and base.
const BARS: [f64; 4] = [0.5, 1.8, 1.2, 2.0];
const SPEED: f64 = 6.0;

/// Angles of coupler and rocker for an angle of the crank, and their rates per rate of the crank.
fn freudenstein(crank: f64) -> ([f64; 2], [f64; 2]) {
    let [a, b, c, d] = BARS;
    // K₁ cos θ₄ − K₂ cos θ₂ + K₃ = cos(θ₂ − θ₄), by the tangent of half of θ₄.
    let k = [d / a, d / c, (a * a - b * b + c * c + d * d) / (2.0 * a * c)];
    let (sin, cos) = crank.sin_cos();
    let (p, q, r) = (cos - k[0] - k[1] * cos + k[2], -2.0 * sin, k[0] - (k[1] + 1.0) * cos + k[2]);
    // The branch whose rocker lies above the base.
    let rocker = 2.0 * (-q - (q * q - 4.0 * p * r).sqrt()).atan2(2.0 * p);
    let rocker = rocker.sin().atan2(rocker.cos());
    let coupler = (c * rocker.sin() - a * sin).atan2(d + c * rocker.cos() - a * cos);
    let rates = [
        a * (rocker - crank).sin() / (b * (coupler - rocker).sin()),
        a * (crank - coupler).sin() / (c * (rocker - coupler).sin()),
    ];
    ([coupler, rocker], rates)
}

/// A four-bar whose crank a motor turns at a given speed.
fn ride() -> Result<Ride, stickslip::Error> {
    let [a, b, c, d] = BARS;
    let mut world = World::new(DVec3::new(0.0, 0.0, -super::G))?;
    let (crank, coupler, rocker) =
        (world.body(rod(1.0, a)?), world.body(rod(2.0, b)?), world.body(rod(1.5, c)?));
    let base = World::GROUND;
    let motor = world.joint(base, crank, revolute(hinge(0.0, 0.0), hinge(-0.5 * a, 0.0)))?;
    world.joint(crank, coupler, revolute(hinge(0.5 * a, 0.0), hinge(-0.5 * b, 0.0)))?;
    world.joint(coupler, rocker, revolute(hinge(0.5 * b, 0.0), hinge(0.5 * c, 0.0)))?;
    world.joint(rocker, base, revolute(hinge(-0.5 * c, 0.0), hinge(d, 0.0)))?;
    world.motor(motor, SPEED, 1e4)?;
    let start = 1.0_f64;
    let ([at_coupler, at_rocker], rates) = freudenstein(start);
    let pin = [a * start.cos(), a * start.sin()];
    let pushed = [-SPEED * pin[1], SPEED * pin[0]];
    let state = world.state(&[
        laid([0.0, 0.0], start, a, [0.0, 0.0], SPEED),
        laid(pin, at_coupler, b, pushed, SPEED * rates[0]),
        laid([d, 0.0], at_rocker, c, [0.0, 0.0], SPEED * rates[1]),
    ])?;
    Ride::new(world, state, super::G)
}

/// Angle from x to z of a body's x-axis, by its number.
fn angle(ride: &Ride, body: usize) -> f64 {
    let q = &ride.state.q[7 * body..];
    let x = DQuat::from_xyzw(q[4], q[5], q[6], q[3]) * DVec3::X;
    x.z.atan2(x.x)
}

/// Four thirds of a turn of the crank: angles and rate against Freudenstein's equation.
///
/// # Errors
/// If a step has no answer.
pub fn four_bar(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "four-bar with a motor";
    let time = 4.0 / 3.0 * std::f64::consts::TAU / SPEED;
    let ([coupler, rocker], rates) = freudenstein(1.0 + SPEED * time);
    let mut first = Measure::new(CASE, "angle of the coupler, rad", coupler);
    let mut second = Measure::new(CASE, "angle of the rocker, rad", rocker);
    let mut third = Measure::new(CASE, "rate of the rocker, rad/s", SPEED * rates[1]);
    let mut drift = Measure::new(CASE, "joints off, m", 0.0);
    for &dt in sizes {
        let mut ride = ride()?;
        let mut off = 0.0_f64;
        ride.go(time, dt, |ride| off = off.max(ride.outcome().drift))?;
        first.add(dt, angle(&ride, 1), &ride);
        second.add(dt, angle(&ride, 2), &ride);
        third.add(dt, -ride.state.u[16], &ride);
        drift.add(dt, off, &ride);
    }
    for measure in [&mut first, &mut second, &mut third, &mut drift] {
        // The motor works.
        measure.driven = true;
    }
    Ok(vec![first, second, third, drift])
}
