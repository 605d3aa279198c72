//! What cylinders and cones are made of: extents, caps, and their overlaps with polygons.

use super::VERTEX;
use crate::pose::Relative;
use crate::shape::Round;
use crate::tolerance::FLAT;
use glam::DVec3;

/// Caps and faces whose normals have a larger cosine do not lie on each other.
pub(crate) const FACING: f64 = -0.7;

/// A flat cap: centre and outward normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub(crate) centre: DVec3,
    pub(crate) normal: DVec3,
    /// 0 at the base, 1 at the top.
    pub(crate) end: u32,
}

/// A point of the rim of a cap over a plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RimPoint {
    pub(crate) code: u32,
    /// From the centre of the cap.
    pub(crate) way: DVec3,
    /// Whether it is the lowest point wherever the body turns to, and not one that is fixed to the body.
    pub(crate) rolls: bool,
}

/// The code of the lowest point of a cap that lies nearly flat, less the number of the cap.
pub(crate) const LOWEST: u32 = VERTEX | 16;

impl Round {
    /// The points of the rim of a cap that lie over a plane, which is in the direction `down` and against which the cap is tilted by an angle with this sine.
    ///
    /// If the cap lies flat, its lowest point is rounding: then they are the four on the axes x and y. If points may move by as much as the
    /// rim is high over the plane, the lowest may soon be another one: then it is taken as it is now, beside those four. Otherwise
    /// it goes round as the body rolls, and three points a quarter of a turn from it are fixed to the body.
    pub(crate) fn rim_points(
        &self,
        end: u32,
        down: DVec3,
        tilt: f64,
        reach: f64,
    ) -> impl Iterator<Item = RimPoint> + use<> {
        let (x, y) = (self.axes.x_axis, self.axes.y_axis);
        let lowest = self.outward(down);
        let flat = tilt <= FLAT;
        let rolls = !flat && self.radius * tilt > reach;
        let (first, second) = if rolls { (lowest, self.axis().cross(lowest)) } else { (x, y) };
        let quarters = [first, second, -first, -second].into_iter().enumerate();
        let quarters = quarters.map(move |(k, way)| {
            let code = VERTEX | (4 * end + k as u32);
            RimPoint { code, way, rolls: rolls && k == 0 }
        });
        let nearly = RimPoint { code: LOWEST + end, way: lowest, rolls: false };
        quarters.chain((!flat && !rolls).then_some(nearly))
    }

    /// The same in the axes of another body.
    pub(crate) fn moved(&self, relative: &Relative) -> Self {
        Self { centre: relative.point(self.centre), axes: relative.rotation * self.axes, ..*self }
    }

    pub(crate) fn axis(&self) -> DVec3 {
        self.axes.z_axis
    }

    pub(crate) fn apex(&self) -> DVec3 {
        self.centre + self.half_height * self.axis()
    }

    pub(crate) fn size(&self) -> f64 {
        self.radius.min(self.half_height)
    }

    /// Sine and cosine of the angle between the axis and the side: 0 and 1 of a cylinder.
    pub(crate) fn slope(&self) -> [f64; 2] {
        if !self.cone {
            return [0.0, 1.0];
        }
        let (r, h) = (self.radius, 2.0 * self.half_height);
        let slant = r.hypot(h);
        [r / slant, h / slant]
    }

    /// The base, and of a cylinder the top.
    pub(crate) fn caps(&self) -> impl Iterator<Item = Cap> + use<> {
        let (axis, h, centre) = (self.axis(), self.half_height, self.centre);
        (0..if self.cone { 1 } else { 2 }).map(move |end| {
            let normal = if end == 0 { -axis } else { axis };
            Cap { centre: centre + h * normal, normal, end }
        })
    }

    /// The farthest point along a direction, on the x axis of the caps where the direction is along the axis.
    pub(crate) fn farthest(&self, direction: DVec3) -> DVec3 {
        let along = direction.dot(self.axis());
        let out = self.outward(direction);
        let rim = self.radius * out;
        let end = self.half_height * self.axis();
        if !self.cone {
            return self.centre + rim + if along < 0.0 { -end } else { end };
        }
        let base = rim - end;
        self.centre + if base.dot(direction) > end.dot(direction) { base } else { end }
    }

    /// Height above the middle, distance from the axis, and the direction from the axis.
    pub(crate) fn cylindrical(&self, p: DVec3) -> (f64, f64, DVec3) {
        let way = p - self.centre;
        let z = way.dot(self.axis());
        (z, (way - z * self.axis()).length(), self.outward(way))
    }

    /// The direction from the axis; x where there is none. What rounding leaves along the axis is taken off a second time, as it may be
    /// most of a vector that is nearly along the axis.
    pub(crate) fn outward(&self, way: DVec3) -> DVec3 {
        let axis = self.axis();
        let once = way - way.dot(axis) * axis;
        if !(once.length() > 1e-14 * way.length()) {
            return self.axes.x_axis;
        }
        let unit = once.normalize();
        (unit - unit.dot(axis) * axis).normalize()
    }
}

/// A point where a disc and a polygon overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spot {
    /// One of the four points of the rim on the axes of the disc.
    Rim(u32),
    /// A vertex of the polygon, by its place in the loop.
    Vertex(usize),
    /// Where the side that starts at this place in the loop crosses the rim, on the way in or out.
    Crossing(usize, u32),
}

/// Calls `found` for all corners of the overlap of a disc with a convex polygon, both seen along the normal of the disc. Points on a
/// boundary up to the tolerance are inside of it.
pub(crate) fn overlap(
    (centre, normal, radius): (DVec3, DVec3, f64),
    axes: [DVec3; 2],
    polygon: impl Fn(usize) -> DVec3,
    count: usize,
    slack: f64,
    mut found: impl FnMut(Spot, DVec3),
) {
    let flat = |p: DVec3| p - (p - centre).dot(normal) * normal;
    let at = |k: usize| flat(polygon(k % count));
    for (k, way) in [axes[0], axes[1], -axes[0], -axes[1]].into_iter().enumerate() {
        let p = centre + radius * way;
        if count > 2 && inside(p, normal, &at, count, slack) {
            found(Spot::Rim(k as u32), p);
        }
    }
    for k in 0..count {
        let (a, b) = (at(k), at(k + 1));
        let (da, db) = ((a - centre).length() - radius, (b - centre).length() - radius);
        if da <= slack {
            found(Spot::Vertex(k), a);
        }
        let along = b - a;
        let square = along.length_squared();
        if !(square > 0.0) || (count == 2 && k == 1) {
            continue;
        }
        // |a + t along − centre|² = radius²
        let (h, c) = ((a - centre).dot(along), da * (da + 2.0 * radius));
        let root = h * h - square * c;
        if root <= 0.0 {
            continue;
        }
        let root = root.sqrt();
        let length = square.sqrt();
        for (which, t) in [(-h - root) / square, (-h + root) / square].into_iter().enumerate() {
            let (from, to) = (t * length, (1.0 - t) * length);
            // An end on the rim is a vertex already.
            let fresh = da.abs() > slack || from > slack.max(root / length * 1e-6);
            let fresh_end = db.abs() > slack || to > slack;
            if from > slack && to > slack && fresh && fresh_end {
                found(Spot::Crossing(k, which as u32), a + t * along);
            }
        }
    }
}

/// Whether a point is inside of a convex polygon, seen along a normal; the polygon may run either way.
fn inside(p: DVec3, normal: DVec3, at: &impl Fn(usize) -> DVec3, count: usize, slack: f64) -> bool {
    let area: f64 =
        (1..count - 1).map(|k| (at(k) - at(0)).cross(at(k + 1) - at(0)).dot(normal)).sum();
    let turn = if area < 0.0 { -normal } else { normal };
    (0..count).all(|k| {
        let (a, b) = (at(k), at(k + 1));
        let outward = (b - a).cross(turn).normalize_or_zero();
        (p - a).dot(outward) <= slack
    })
}

#[cfg(test)]
mod tests {
    use super::{Spot, overlap};
    use glam::DVec3;

    #[test]
    fn a_disc_and_a_square_overlap_in_the_expected_corners() {
        let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let at = |k: usize| DVec3::new(square[k][0], square[k][1], 3.0);
        for (radius, expected) in [(0.5, [4, 0, 0]), (2.0, [0, 4, 0]), (1.2, [0, 0, 8])] {
            let mut counts = [0; 3];
            let disc = (DVec3::ZERO, DVec3::Z, radius);
            overlap(disc, [DVec3::X, DVec3::Y], at, 4, 1e-9, |spot, _| match spot {
                Spot::Rim(_) => counts[0] += 1,
                Spot::Vertex(_) => counts[1] += 1,
                Spot::Crossing(..) => counts[2] += 1,
            });
            assert_eq!(counts, expected, "radius {radius}");
        }
    }
}
