//! Convex shapes against surfaces, triangle by triangle.

use super::clip::Corner;
use super::polytopes::{self, Pair};
use super::{Convex, Moved, Sink, curved};
use crate::pose::Relative;
use crate::shape::{Part, Shape};
use crate::surface::Surface;
use glam::DVec3;

type Storage<'a> = (&'a mut Moved, &'a mut [Vec<Corner>; 2], &'a mut Vec<u32>);

pub(crate) fn meet(
    (shape, part): (&Shape, &Part),
    surface: &Surface,
    relative: &Relative,
    (moved, polygons, leaves): Storage<'_>,
    sink: &mut Sink<'_>,
) {
    candidates(part, surface, relative, sink.reach, leaves);
    let convex = Convex::of(shape);
    if let Some(own) = convex.view() {
        let one = moved.fill(&own, relative);
        for &t in leaves.iter() {
            let triangle = &surface.triangles[t as usize];
            let pair = Pair {
                one,
                own,
                radius: convex.radius,
                other: triangle.view(),
                relative,
                surface: Some((surface, triangle)),
            };
            polytopes::meet(&pair, None, polygons, sink);
        }
    } else if let Shape::Round(round) = shape {
        for &t in leaves.iter() {
            let triangle = &surface.triangles[t as usize];
            curved::triangle(round, surface, triangle, relative, sink);
        }
    }
}

/// The triangles whose boxes overlap that of the shape, in ascending order.
fn candidates(
    part: &Part,
    surface: &Surface,
    relative: &Relative,
    reach: f64,
    leaves: &mut Vec<u32>,
) {
    let middle = relative.point(part.middle);
    let r = &relative.rotation;
    let half =
        r.x_axis.abs() * part.half.x + r.y_axis.abs() * part.half.y + r.z_axis.abs() * part.half.z;
    let half = half + DVec3::splat(reach + 1e-12 * (middle.abs() + half).max_element());
    let (least, most) = (middle - half, middle + half);
    leaves.clear();
    leaves.extend(
        surface.tree.leaves(|node| node.mins().cmple(most).all() && node.maxs().cmpge(least).all()),
    );
    leaves.sort_unstable();
}
