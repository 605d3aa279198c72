//! A chain of rods that falls from the horizontal.

use super::linkage::{hinge, revolute, rod};
use super::{G, Outcome, Ride};
use glam::DVec3;
use stickslip::bodies::{Pose, Reaction, Twist, World};

/// Links of the long chain.
pub const LINKS: usize = 100;

/// What a chain did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// Time and change of energy, as a share of the fall of the whole chain by its length.
    pub samples: Vec<[f64; 2]>,
    /// The largest change.
    pub largest: f64,
    /// The farthest that joints were off before they were put back, m.
    pub drift: f64,
    /// The worst certificate.
    pub worst: f64,
    /// Why it ended before its time.
    pub stopped: Option<String>,
}

/// Links of 0.1 m and 0.1 kg, for a time or until a step has no answer.
///
/// # Errors
/// If a number is out of range.
pub fn chain(links: usize, reaction: Reaction, time: f64, dt: f64) -> Outcome<Chain> {
    const LENGTH: f64 = 0.1;
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?.with_reactions(reaction);
    let mut last = World::GROUND;
    let mut motion = Vec::new();
    for i in 0..links {
        let body = world.body(rod(0.1, LENGTH)?);
        let on_last = if i == 0 { hinge(0.0, 0.0) } else { hinge(0.5 * LENGTH, 0.0) };
        world.joint(last, body, revolute(on_last, hinge(-0.5 * LENGTH, 0.0)))?;
        let x = (i as f64 + 0.5) * LENGTH;
        motion.push((Pose::at(DVec3::new(x, 0.0, 0.0)), Twist::default()));
        last = body;
    }
    let state = world.state(&motion)?;
    let n = links as f64;
    let mut ride = Ride::new(world, state, n * 0.1 * G * n * LENGTH)?;
    let start = ride.energy();
    let mut found = Chain::default();
    for _ in 0..(time / dt).round() as usize {
        if let Err(error) = ride.step(dt) {
            found.stopped = Some(format!("at {:.2} s: {error}", ride.state.t));
            break;
        }
        let change = (ride.energy() - start) / ride.scale;
        found.largest = found.largest.max(change.abs());
        found.drift = found.drift.max(ride.outcome().drift);
        found.samples.push([ride.state.t, change]);
    }
    found.worst = ride.worst;
    Ok(found)
}
