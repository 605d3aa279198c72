//! A chain of rods that swings, or falls from the horizontal and whips.

use super::linkage::{hinge, revolute, rod};
use super::{G, Outcome, Ride};
use glam::{DQuat, DVec3};
use stickslip::bodies::{Pose, Reaction, Twist, World};

/// Links of the long chain.
pub const LINKS: usize = 100;

/// How a straight chain starts: its angle below the horizontal, in rad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start(pub f64);

impl Start {
    /// From the horizontal: it whips.
    pub const FALL: Self = Self(0.0);
    /// A tenth of a radian from hanging.
    pub const SWING: Self = Self(std::f64::consts::FRAC_PI_2 - 0.1);
}

/// What a chain did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// Time and change of energy, as a share of the fall of the whole chain by its length.
    pub samples: Vec<[f64; 2]>,
    /// The largest change.
    pub largest: f64,
    /// The mean sizes of the changes in the first and in the second half of the time.
    pub halves: [f64; 2],
    /// The farthest that joints were off at the end of a step, m.
    pub drift: f64,
    /// The share of steps that were made in parts.
    pub parted: f64,
    /// The worst certificate.
    pub worst: f64,
    /// Why it ended before its time.
    pub stopped: Option<String>,
}

/// Links of 0.1 m and 0.1 kg from a start, for a time or until a step has no answer.
///
/// # Errors
/// If a number is out of range.
pub fn chain(
    links: usize,
    Start(below): Start,
    reaction: Reaction,
    time: f64,
    dt: f64,
) -> Outcome<Chain> {
    const LENGTH: f64 = 0.1;
    let mut world = World::new(DVec3::new(0.0, 0.0, -G))?.with_reactions(reaction);
    let mut last = World::GROUND;
    let mut motion = Vec::new();
    for i in 0..links {
        let body = world.body(rod(0.1, LENGTH)?);
        let on_last = if i == 0 { hinge(0.0, 0.0) } else { hinge(0.5 * LENGTH, 0.0) };
        world.joint(last, body, revolute(on_last, hinge(-0.5 * LENGTH, 0.0)))?;
        let rotation = DQuat::from_rotation_y(below);
        let position = (i as f64 + 0.5) * LENGTH * (rotation * DVec3::X);
        motion.push((Pose { position, rotation }, Twist::default()));
        last = body;
    }
    let state = world.state(&motion)?;
    let n = links as f64;
    let mut ride = Ride::new(world, state, n * 0.1 * G * n * LENGTH)?;
    let start = ride.energy();
    let mut found = Chain::default();
    let steps = (time / dt).round() as usize;
    for k in 0..steps {
        if let Err(error) = ride.step(dt) {
            found.stopped = Some(format!("at {:.2} s: {error}", ride.state.t));
            break;
        }
        let change = (ride.energy() - start) / ride.scale;
        let share = 1.0 / steps as f64;
        found.halves[usize::from(2 * k >= steps)] += 2.0 * share * change.abs();
        found.parted += if ride.parts() > 1 { share } else { 0.0 };
        found.largest = found.largest.max(change.abs());
        found.drift = found.drift.max(ride.outcome().drift);
        found.samples.push([ride.state.t, change]);
    }
    found.worst = ride.worst;
    Ok(found)
}
