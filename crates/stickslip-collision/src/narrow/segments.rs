//! Rounded convex outlines of the plane against a segment of a chain, which is touched from its left.
//!
//! A vertex at which two segments meet belongs to the one that begins there, so that its points are found once.

use super::outlines::along;
use super::{EDGE, Sink, VERTEX};
use crate::feature::Features;
use crate::outline::{Outline, Segment};
use crate::pose::Relative;
use crate::tolerance::{ON_SIDE, PREFERENCE};
use glam::DVec2;

/// The sine of the angle beyond which an edge goes down from a vertex rather than lying on a segment.
const STEEP: f64 = 0.3;

/// An outline, moved to the axes of the segment's body and in its own, with what lengths are judged by.
struct Pair<'a> {
    one: &'a Outline,
    own: &'a Outline,
    segment: &'a Segment,
    slack: f64,
}

pub(crate) fn meet(
    own: &Outline,
    segment: &Segment,
    relative: &Relative,
    moved: &mut Outline,
    sink: &mut Sink<'_>,
) {
    moved.fill(own, relative);
    let [start, end] = segment.ends;
    let length = (end - start).length();
    let heights = moved.vertices.iter().map(|v| (*v - start).dot(segment.normal));
    // What is behind the segment as a whole has passed it, or never was on its left.
    if heights.fold(f64::NEG_INFINITY, f64::max) <= -own.radius {
        return;
    }
    let pair = Pair { one: moved, own, segment, slack: ON_SIDE * own.size.min(0.5 * length) };
    pair.vertices_over(length, sink);
    let last = segment.beside[1].is_none();
    for end in 0..if last { 2 } else { 1 } {
        pair.end_of_segment(end, sink);
    }
}

impl Pair<'_> {
    /// Vertices of the outline over the segment.
    fn vertices_over(&self, length: f64, sink: &mut Sink<'_>) {
        let Segment { ends: [start, _], normal, .. } = *self.segment;
        for (k, v) in self.one.vertices.iter().enumerate() {
            let (x, height) = along(*v - start, -normal);
            let height = -height;
            let inside = x > self.slack && x < length - self.slack;
            let at_end = !inside && x >= -self.slack && x <= length + self.slack;
            if !(inside || (at_end && self.stands_on(k)))
                || (height < 0.0 && self.is_nearer_beside(*v, height))
            {
                continue;
            }
            let features = Features::BallPlane {
                centre: self.own.vertices[k].extend(0.0),
                radius: self.own.radius,
                origin: start.extend(0.0),
                normal: normal.extend(0.0),
            };
            sink.push([VERTEX | k as u32, EDGE], features, false, height - self.own.radius);
        }
    }

    /// Whether the outline does not go down at once beside a vertex: at an end of the segment one that does touches the chain beyond.
    fn stands_on(&self, vertex: usize) -> bool {
        let (all, count) = (&self.one.vertices, self.one.vertices.len());
        [vertex + 1, vertex + count - 1].into_iter().all(|k| {
            let way = all[k % count] - all[vertex];
            way.dot(self.segment.normal) >= -STEEP * way.length()
        })
    }

    /// Whether a point behind the segment is less deep behind a segment beside it, where the chain bends away.
    fn is_nearer_beside(&self, v: DVec2, height: f64) -> bool {
        (0..2).any(|end| {
            self.segment.beside[end].is_some_and(|_| {
                let [first, second] = self.segment.cone(end);
                let other = if end == 0 { first } else { second };
                let bends_away = first.perp_dot(second) < 0.0;
                bends_away && (v - self.segment.ends[end]).dot(other) > height + self.slack
            })
        })
    }

    /// An end of the segment, where it stands out: under an edge of the outline, or nearest to a vertex of it.
    fn end_of_segment(&self, end: usize, sink: &mut Sink<'_>) {
        let cone = self.segment.cone(end);
        if cone[0].perp_dot(cone[1]) >= 0.0 {
            return;
        }
        let (p, code) = (self.segment.ends[end], VERTEX | end as u32);
        let radius = self.own.radius;
        if let Some((edge, distance)) = self.edge_over(p, cone) {
            let normal = self.own.normals[edge];
            let features = Features::BallPlane {
                centre: p.extend(0.0),
                radius: 0.0,
                origin: (self.own.vertices[edge] + radius * normal).extend(0.0),
                normal: normal.extend(0.0),
            };
            sink.push([EDGE | edge as u32, code], features, true, distance - radius);
            return;
        }
        for (k, v) in self.one.vertices.iter().enumerate() {
            let way = *v - p;
            let distance = way.length();
            if distance > 0.0 && is_within(cone, way / distance, -PREFERENCE) && self.faces(k, -way)
            {
                let centres = [self.own.vertices[k], p].map(|v| v.extend(0.0));
                let features = Features::Balls { centres, radii: [radius, 0.0] };
                sink.push([VERTEX | k as u32, code], features, false, distance - radius);
            }
        }
    }

    /// The edge of the outline that a point is under, with normals that the chain has there, and how far it is out of it. Of a point
    /// inside of the outline it is the nearest of these edges.
    fn edge_over(&self, p: DVec2, cone: [DVec2; 2]) -> Option<(usize, f64)> {
        let (mut best, mut out) = (None::<(usize, f64)>, f64::NEG_INFINITY);
        for (edge, normal) in self.one.normals.iter().enumerate() {
            let [start, end] = self.one.ends(edge);
            let (x, distance) = along(p - start, *normal);
            out = out.max(distance);
            let inside = x > self.slack && x < (end - start).length() - self.slack;
            let better = best.is_none_or(|(_, least)| distance > least);
            if inside && better && is_within(cone, -*normal, PREFERENCE) {
                best = Some((edge, distance));
            }
        }
        // Behind one edge and before another it is not inside.
        best.filter(|(_, distance)| *distance >= 0.0 || out <= self.slack)
    }

    /// Whether a way leads from a vertex of the outline into the open between its two edges.
    fn faces(&self, vertex: usize, way: DVec2) -> bool {
        let count = self.one.vertices.len();
        let side = |edge: usize| {
            let [start, end] = self.one.ends(edge);
            way.dot(end - start)
        };
        count == 1 || (side(vertex) <= 0.0 && side((vertex + count - 1) % count) >= 0.0)
    }
}

/// Whether a direction is between two, which go round with the hands of a clock, up to an angle.
fn is_within([first, last]: [DVec2; 2], way: DVec2, angle: f64) -> bool {
    first.perp_dot(way) <= angle && way.perp_dot(last) <= angle && way.dot(first + last) > 0.0
}
