//! Cylinders and cones against convex shapes and triangles.

use super::{Moved, Sink};
use crate::pose::Relative;
use crate::shape::{Round, Shape};
use crate::surface::{Surface, Triangle};
use parry3d_f64::query::epa::EPA;

pub(crate) fn meet(
    _shape: &Shape,
    _round: &Round,
    _relative: &Relative,
    (_moved, _epa): (&mut Moved, &mut EPA),
    _sink: &mut Sink<'_>,
) {
}

pub(crate) fn triangle(
    _round: &Round,
    _surface: &Surface,
    _triangle: &Triangle,
    _relative: &Relative,
    _epa: &mut EPA,
    _sink: &mut Sink<'_>,
) {
}
