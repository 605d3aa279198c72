//! Everything against a half-space: all vertices within reach, and the lowest points of rims.

use super::curved_features::RimPoint;
use super::{FACE, Sink, VERTEX};
use crate::feature::Features;
use crate::pose::Relative;
use crate::shape::{Round, Shape};
use glam::DVec3;

pub(crate) fn meet(shape: &Shape, relative: &Relative, plane: (DVec3, DVec3), sink: &mut Sink<'_>) {
    match shape {
        Shape::Ball { centre, radius } => ball(VERTEX, *centre, *radius, relative, plane, sink),
        Shape::Capsule { ends, radius } => {
            for k in 0..2 {
                ball(VERTEX | k as u32, ends[k], *radius, relative, plane, sink);
            }
        }
        Shape::Polytope(polytope) => vertices(&polytope.vertices, relative, plane, sink),
        Shape::Surface(surface) => vertices(&surface.vertices, relative, plane, sink),
        Shape::Round(round) => rims(round, relative, plane, sink),
        Shape::Outline(outline) => {
            for (k, v) in outline.vertices.iter().enumerate() {
                ball(VERTEX | k as u32, v.extend(0.0), outline.radius, relative, plane, sink);
            }
        }
        Shape::Segment(segment) => {
            // The other end is the start of the next segment.
            let last = segment.beside[1].is_none();
            for (k, v) in segment.ends.iter().take(if last { 2 } else { 1 }).enumerate() {
                ball(VERTEX | k as u32, v.extend(0.0), 0.0, relative, plane, sink);
            }
        }
        // A half-space has no boundary that another one could lie on.
        Shape::HalfSpace { .. } => {}
    }
}

fn vertices(points: &[DVec3], relative: &Relative, plane: (DVec3, DVec3), sink: &mut Sink<'_>) {
    for (k, p) in points.iter().enumerate() {
        ball(VERTEX | k as u32, *p, 0.0, relative, plane, sink);
    }
}

fn ball(
    code: u32,
    centre: DVec3,
    radius: f64,
    relative: &Relative,
    (origin, normal): (DVec3, DVec3),
    sink: &mut Sink<'_>,
) {
    let gap = (relative.point(centre) - origin).dot(normal) - radius;
    let features = Features::BallPlane { centre, radius, origin, normal };
    sink.push([code, FACE], features, false, gap);
}

/// The rims of a cylinder, or the rim and apex of a cone.
pub(crate) fn rims(round: &Round, relative: &Relative, plane: (DVec3, DVec3), sink: &mut Sink<'_>) {
    let axis = round.axes.z_axis;
    rim(round, -1.0, relative, plane, sink);
    if round.cone {
        let apex = round.centre + round.half_height * axis;
        ball(VERTEX | 8, apex, 0.0, relative, plane, sink);
    } else {
        rim(round, 1.0, relative, plane, sink);
    }
}

/// Points of a rim, see [`RimPoint`].
fn rim(
    round: &Round,
    end: f64,
    relative: &Relative,
    (origin, normal): (DVec3, DVec3),
    sink: &mut Sink<'_>,
) {
    let axis = round.axes.z_axis;
    let centre = round.centre + end * round.half_height * axis;
    let local = relative.rotation.transpose() * -normal;
    let tilt = (local - axis * axis.dot(local)).length();
    let number = u32::from(end > 0.0);
    for RimPoint { code, way, rolls } in round.rim_points(number, local, tilt, sink.reach) {
        let point = centre + round.radius * way;
        let gap = (relative.point(point) - origin).dot(normal);
        let features = if rolls {
            Features::RimPlane { centre, axis, radius: round.radius, origin, normal }
        } else {
            Features::BallPlane { centre: point, radius: 0.0, origin, normal }
        };
        sink.push([code, FACE], features, false, gap);
    }
}
