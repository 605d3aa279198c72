//! Euler's disc: a disc that spins down on its edge while its centre stays.
//!
//! The steady motion is the one of [`Rolling`] with a circle of radius 0, Ω² = 4 g / (a sin α). Its energy is 3/2 m g a sin α, so that a
//! loss of power P lowers the disc by d(sin α)/dt = −P / (3/2 m g a) as long as it goes through steady motions.

use super::disc::{self, MASS, RADIUS, Rolling};
use super::{G, Measure, Outcome};
use glam::DVec3;
use stickslip::bodies::forces::Custom;
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;

/// Steady spinning at a tilt: rate, and how far the tilt and the energy wander over ten turns of the contact.
///
/// # Errors
/// If a step has no answer.
pub fn spinning(tilt: f64, sizes: &[f64]) -> Outcome<Vec<Measure>> {
    const CASE: &str = "Euler's disc, no loss";
    let motion = Rolling { lean: tilt, circle: 0.0 };
    let time = 10.0 * std::f64::consts::TAU / motion.rate();
    let mut turning = Measure::new(CASE, "rate, rad/s", motion.rate());
    let mut lean = Measure::new(CASE, "tilt after ten turns, rad", tilt);
    let mut energy = Measure::new(CASE, "energy / m g a sin α", 1.5);
    for &dt in sizes {
        let mut ride = motion.ride(Law::disc(10.0))?;
        let (mut turned, mut last) = (0.0, 0.0_f64);
        ride.go(time, dt, |ride| {
            let axis = disc::axis(ride);
            let now = axis.y.atan2(axis.x);
            turned += (now - last).sin().asin();
            last = now;
        })?;
        turning.add(dt, turned / ride.state.t, &ride);
        lean.add(dt, disc::axis(&ride).z.acos(), &ride);
        let share = ride.energy() / (MASS * G * RADIUS * tilt.sin());
        energy.add(dt, share, &ride);
    }
    Ok(vec![turning, lean, energy])
}

/// How a disc that loses energy goes down.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EulerDisc {
    /// Time, tilt, rate of the contact point, energy over m g a, distance from the ground.
    pub samples: Vec<[f64; 5]>,
    /// The worst certificate.
    pub worst: f64,
    /// The largest rise of the energy over m g a.
    pub rise: f64,
    /// Why it ended before its time.
    pub stopped: Option<String>,
}

/// What takes the energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Friction against spinning at the contact, with this lever, m.
    Drilling(f64),
    /// A torque of this size against the angular velocity, N m.
    Rolling(f64),
}

/// A disc from a tilt of `tilt`, for a time, or until a step has no answer.
///
/// # Errors
/// If a number is out of range.
pub fn falling(tilt: f64, loss: Loss, time: f64, dt: f64) -> Outcome<EulerDisc> {
    let motion = Rolling { lean: tilt, circle: 0.0 };
    let mut ride = match loss {
        Loss::Drilling(lever) => {
            // Friction 10 along the ground, and a torque of lever · N.
            let set = ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.1 * lever]);
            motion.ride(Law::with_set(10.0, set))?
        }
        Loss::Rolling(torque) => {
            let mut ride = motion.ride(Law::disc(10.0))?;
            ride.world.force(Custom::new(move |bodies, _, loads| {
                for ((_, twist), load) in bodies.iter().zip(loads) {
                    load.torque -= torque * twist.angular.normalize_or_zero();
                }
            }))?;
            ride
        }
    };
    let mut found = EulerDisc::default();
    let steps = (time / dt).round() as usize;
    let mut last = 0.0_f64;
    for _ in 0..steps {
        if let Err(error) = ride.step(dt) {
            found.stopped = Some(error.to_string());
            break;
        }
        let axis: DVec3 = disc::axis(&ride);
        let now = axis.y.atan2(axis.x);
        let rate = (now - last).sin().asin() / dt;
        last = now;
        let tilt = axis.truncate().length().atan2(axis.z);
        let energy = ride.energy() / (MASS * G * RADIUS);
        found.samples.push([ride.state.t, tilt, rate, energy, disc::gap(&ride)]);
    }
    (found.worst, found.rise) = (ride.worst, ride.rise());
    Ok(found)
}

/// sin α of quasi-steady motion under a torque M against the angular velocity: (3/2) m g a ṡ = −2 M √(g s / a).
pub fn quasi_steady(tilt: f64, torque: f64, t: f64) -> f64 {
    let rate = 2.0 * torque / (3.0 * MASS * G * RADIUS) * (G / RADIUS).sqrt();
    (tilt.sin().sqrt() - rate * t).max(0.0).powi(2)
}
