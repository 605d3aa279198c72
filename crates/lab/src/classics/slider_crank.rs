//! The slider-crank, and the same with a pin that is loose in its hole.

use super::linkage::{hinge, laid, revolute, rod};
use super::{Measure, Outcome, Ride};
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;
use stickslip::bodies::proximity::Proximity;
use stickslip::bodies::{Joint, JointKind, MassProperties, Pair, Pose, Twist, World};
use stickslip::contact::Law;

const CRANK: f64 = 0.15;
const ROD: f64 = 0.4;
const SPEED: f64 = 20.0;
const PIN: f64 = 0.02;

/// A pin of the first body inside a hole of the second, both along the y-axis of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// The pin's centre on the first body.
    pub pin: DVec3,
    /// The hole's centre on the second body.
    pub hole: DVec3,
    /// Radius of the pin, m.
    pub radius: f64,
    /// Radius of the hole less that of the pin, m.
    pub clearance: f64,
}

impl Pair for Clearance {
    fn proximity(&self, first: &Pose, second: &Pose) -> Proximity {
        let (pin, hole) = (first.point(self.pin), second.point(self.hole));
        let along = second.rotation * DVec3::Y;
        let between = pin - hole;
        let across = between - along * along.dot(between);
        // A pin in the middle is equally far from everywhere.
        let out = across.try_normalize().unwrap_or(second.rotation * DVec3::X);
        let (on_first, on_second) =
            (pin + self.radius * out, hole + (self.radius + self.clearance) * out);
        let gap = self.clearance - across.length();
        Proximity { gap, on_first, on_second, normal: -out }
    }

    fn tangent(&self, _: &Pose, second: &Pose) -> Option<DVec3> {
        Some(second.rotation * DVec3::Y)
    }
}

/// Place of the slider for an angle of the crank and a length of the rod, and its velocity per angular velocity.
fn slider(angle: f64, rod: f64) -> [f64; 2] {
    let (s, c) = angle.sin_cos();
    let root = (rod * rod - CRANK * CRANK * s * s).sqrt();
    [CRANK * c + root, -CRANK * s - CRANK * CRANK * s * c / root]
}

/// The mechanism with the crank at an angle, without gravity; a clearance of None is a revolute joint.
fn ride(angle: f64, clearance: Option<(f64, Law)>, driven: bool) -> Result<Ride, stickslip::Error> {
    let mut world = World::new(DVec3::ZERO)?;
    let crank = world.body(rod(1.0, CRANK)?);
    let coupler = world.body(rod(0.5, ROD)?);
    let block = world.body(MassProperties::cuboid(0.5, DVec3::splat(0.05))?);
    let base = World::GROUND;
    let motor = world.joint(base, crank, revolute(hinge(0.0, 0.0), hinge(-0.5 * CRANK, 0.0)))?;
    world.joint(crank, coupler, revolute(hinge(0.5 * CRANK, 0.0), hinge(-0.5 * ROD, 0.0)))?;
    // Along x.
    let guide = Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_y(FRAC_PI_2) };
    let kind = JointKind::Prismatic;
    world.joint(base, block, Joint { kind, on_first: guide, on_second: guide })?;
    match clearance {
        None => {
            world.joint(coupler, block, revolute(hinge(0.5 * ROD, 0.0), hinge(0.0, 0.0)))?;
        }
        Some((clearance, law)) => {
            let pin = DVec3::new(0.5 * ROD, 0.0, 0.0);
            let pair = Clearance { pin, hole: DVec3::ZERO, radius: PIN, clearance };
            world.contact(coupler, block, Arc::new(pair), law)?;
        }
    }
    if driven {
        world.motor(motor, SPEED, 1e5)?;
    }
    let [x, per] = slider(angle, ROD);
    let (s, c) = angle.sin_cos();
    let tilt = (-CRANK * s / ROD).asin();
    let rate = -SPEED * CRANK * c / (ROD * tilt.cos());
    let block = Twist { linear: DVec3::new(SPEED * per, 0.0, 0.0), angular: DVec3::ZERO };
    let state = world.state(&[
        laid([0.0, 0.0], angle, CRANK, [0.0, 0.0], SPEED),
        laid([CRANK * c, CRANK * s], tilt, ROD, [-SPEED * CRANK * s, SPEED * CRANK * c], rate),
        (Pose::at(DVec3::new(x, 0.0, 0.0)), block),
    ])?;
    // The kinetic energy of crank and rod, about.
    Ride::new(world, state, 0.5 * (SPEED * CRANK).powi(2))
}

/// A turn and a third at a given speed of the crank: place and velocity of the slider. And a turn without a motor: energy.
///
/// # Errors
/// If a step has no answer.
pub fn slider_crank(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "slider-crank";
    let (start, time) = (0.7, 4.0 / 3.0 * TAU / SPEED);
    let [x, per] = slider(start + SPEED * time, ROD);
    let mut place = Measure::new(CASE, "place of the slider, motor, m", x);
    let mut speed = Measure::new(CASE, "velocity of the slider, motor, m/s", SPEED * per);
    let mut energy = Measure::new(CASE, "energy after a second, free, share", 1.0);
    for &dt in sizes {
        let mut driven = ride(start, None, true)?;
        driven.go(time, dt, |_| {})?;
        place.add(dt, driven.state.q[14], &driven);
        speed.add(dt, driven.state.u[12], &driven);
        let mut free = ride(start, None, false)?;
        let before = free.energy();
        free.go(1.0, dt, |_| {})?;
        let after = free.energy();
        energy.add(dt, after / before, &free);
    }
    (place.driven, speed.driven) = (true, true);
    Ok(vec![place, speed, energy])
}

/// A run with clearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knocks {
    /// Time, angle of the crank, slider's place less that of the ideal mechanism at the same angle, energy over its value
    /// at the start.
    pub samples: Vec<[f64; 4]>,
    /// Times at which the pin met the hole after it had been away from it.
    pub impacts: Vec<f64>,
    /// How far the place of the slider was outside of what the clearance allows, m.
    pub outside: f64,
    /// The largest rise of the energy, as a share.
    pub rise: f64,
    /// The worst certificate.
    pub worst: f64,
}

impl Knocks {
    /// Runs the mechanism with a loose pin, without a motor.
    ///
    /// # Errors
    /// If a step has no answer.
    pub fn run(clearance: f64, law: Law, time: f64, dt: f64) -> Outcome<Self> {
        let mut ride = ride(0.7, Some((clearance, law)), false)?;
        let (before, mut apart) = (ride.energy(), true);
        let mut found = Self::default();
        for _ in 0..(time / dt).round() as usize {
            ride.step(dt)?;
            let q = &ride.state.q;
            // The crank's centre is half-way to its pin.
            let angle = q[2].atan2(q[0]);
            let low = slider(angle, ROD - clearance)[0];
            let high = slider(angle, ROD + clearance)[0];
            found.outside = found.outside.max(low - q[14]).max(q[14] - high);
            let place = q[14] - slider(angle, ROD)[0];
            let touches = !ride.outcome().active.is_empty();
            if touches && apart {
                found.impacts.push(ride.state.t);
            }
            apart = !touches;
            let energy = ride.energy() / before;
            found.samples.push([ride.state.t, angle, place, energy]);
        }
        (found.rise, found.worst) = (ride.rise(), ride.worst);
        Ok(found)
    }
}

/// With a clearance of 1 mm and ε = 1/2, over a second: how far the slider is outside of what the pin in its hole allows, and how
/// much the energy rises.
///
/// # Errors
/// If a step has no answer.
pub fn loose_slider_crank(sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "slider-crank, loose pin";
    let mut outside = Measure::new(CASE, "slider outside of its bounds, m", 0.0);
    let mut rise = Measure::new(CASE, "rise of the energy, share", 0.0);
    for &dt in sizes {
        let run = Knocks::run(1e-3, Law::disc(0.1).with_restitution(0.5, 0.0), 1.0, dt)?;
        for (m, x) in [(&mut outside, run.outside), (&mut rise, run.rise)] {
            m.sizes.push(dt);
            m.computed.push(x);
            (m.worst, m.rise) = (m.worst.max(run.worst), m.rise.max(run.rise));
        }
    }
    Ok(vec![outside, rise])
}
