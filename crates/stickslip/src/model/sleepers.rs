//! What sleeping asks of a model.

use std::ops::Range;

/// The bodies of a model that can be put to sleep: see [`Sleep`](crate::step::Sleep). Bodies are numbered with those that do not move
/// freely, of which the first is the ground.
pub trait Sleepers<P> {
    /// How many bodies there are.
    fn bodies(&self) -> usize;

    /// The coordinates and the velocities of a body; none of one that does not move freely.
    fn ranges(&self, body: usize) -> Option<[Range<usize>; 2]>;

    /// The bodies that a candidate of the place acts between.
    fn ends(&self, place: &P, candidate: usize) -> [usize; 2];

    /// The bodies that joints connect.
    fn joined(&self) -> Vec<[usize; 2]>;

    /// The speed of the fastest point of a body that moves freely, or a bound of it, in m/s.
    fn speed(&self, body: usize, u: &[f64]) -> f64;

    /// What a body is subject to at a state and time: the force and the torque on one that moves freely, and the pose and the twist of
    /// one that does not. A body sleeps while these stay the same to the last bit.
    /// The place serves as storage; where it is stays the same.
    fn surroundings(&self, place: &mut P, at: (&[f64], &[f64], f64), out: &mut Vec<Surroundings>);
}

/// What a body is subject to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// The force and the torque on a body that moves freely.
    pub load: [f64; 6],
    /// The pose of one that does not.
    pub pose: [f64; 7],
    /// Its twist.
    pub twist: [f64; 6],
}

impl Surroundings {
    /// Whether a body that does not move freely moves.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.twist.iter().any(|v| *v != 0.0)
    }
}
