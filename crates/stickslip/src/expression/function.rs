//! Functions of the state.

use super::arena::{Arena, Id};
use super::derive::Direction;
use super::tape::Tape;

/// A function of q, u and t with its gradient, made by [`Definition::function`](super::Definition::function).
#[derive(Clone, Debug)]
pub struct Function {
    value: Tape,
    gradient: Tape,
}

impl Function {
    pub(super) fn new(arena: &mut Arena, id: Id) -> Self {
        let dof = arena.dof();
        let coordinates = (0..dof).map(Direction::Coordinate);
        let directions: Vec<Direction> =
            coordinates.chain((0..dof).map(Direction::Velocity)).chain([Direction::Time]).collect();
        let slopes: Vec<Id> = directions.into_iter().map(|d| arena.derivative(id, d)).collect();
        Self { value: Tape::new(arena, &[id]), gradient: Tape::new(arena, &slopes) }
    }

    /// Its value. Slices have one entry per coordinate.
    ///
    /// # Panics
    /// If a slice is too short.
    #[must_use]
    pub fn value(&self, q: &[f64], u: &[f64], t: f64) -> f64 {
        let mut value = 0.0;
        self.value.evaluate((q, u, t), [&mut value]);
        value
    }

    /// Its derivatives, with respect to the coordinates, then the velocities, then time: `out` has
    /// twice as many entries as there are coordinates, and one.
    ///
    /// # Panics
    /// If a length does not fit.
    pub fn gradient(&self, q: &[f64], u: &[f64], t: f64, out: &mut [f64]) {
        assert_eq!(out.len(), self.gradient.outputs(), "the length of a gradient");
        self.gradient.evaluate((q, u, t), out);
    }
}
