//! Systems described by expressions: derivatives, equations of motion, messages.

mod derivatives;
mod language;
mod mechanics;
mod messages;
mod tree;
mod woodpecker;

use stickslip::expression::{Coordinate, Definition, Parameter};

/// A definition with these coordinates, velocities and parameters.
fn definition(coordinates: &[(&str, &str)], parameters: &[(&str, f64)]) -> Definition {
    let coordinate = |&(name, velocity): &(&str, &str)| Coordinate {
        name: name.into(),
        velocity: velocity.into(),
    };
    let parameter =
        |&(name, value): &(&str, f64)| Parameter { name: name.into(), value: value.into() };
    Definition {
        coordinates: coordinates.iter().map(coordinate).collect(),
        parameters: parameters.iter().map(parameter).collect(),
        ..Definition::default()
    }
}

/// Equal up to `tolerance` times the larger of one and the numbers.
#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = 1.0_f64.max(found.abs()).max(expected.abs());
    assert!((found - expected).abs() <= tolerance * scale, "{found} is not {expected}");
}
