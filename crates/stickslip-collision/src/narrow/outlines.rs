//! Rounded convex outlines of the plane against each other: a vertex over an edge, or two vertices.
//!
//! Every point is a pair of features of its own. Two edges side by side have two points, at the ends of the stretch that both have:
//! vertices of the one or the other, each over an edge.

use super::{EDGE, Sink, VERTEX};
use crate::feature::Features;
use crate::outline::Outline;
use crate::pose::Relative;
use crate::tolerance::{ON_SIDE, PREFERENCE};
use glam::{DVec2, DVec3};

/// Two outlines in the axes of the body of the second.
struct Pair<'a> {
    /// The one, moved, and in its own axes.
    one: &'a Outline,
    own: &'a Outline,
    other: &'a Outline,
}

/// An edge of the one or the other outline.
#[derive(Clone, Copy)]
struct Reference {
    of_other: bool,
    edge: usize,
}

pub(crate) fn meet(
    own: &Outline,
    other: &Outline,
    relative: &Relative,
    moved: &mut Outline,
    sink: &mut Sink<'_>,
) {
    moved.fill(own, relative);
    let pair = Pair { one: moved, own, other };
    let widest = |of: &Outline, against: &Outline| {
        let all = (0..of.normals.len()).map(|edge| (of.separation(edge, against), edge));
        all.fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best })
    };
    let (over_other, over_one) = (widest(other, pair.one), widest(pair.one, other));
    let separation = over_other.0.max(over_one.0);
    if separation - pair.radius() > sink.reach {
        return;
    }
    // Cores that are apart, or of which both are points, are nearest at vertices or edges; others are taken apart by the widest edge.
    if separation > 0.0 || separation == f64::NEG_INFINITY {
        return pair.nearest(separation, sink);
    }
    let of_other = over_other.0 >= over_one.0 - pair.slack(PREFERENCE);
    let edge = if of_other { over_other.1 } else { over_one.1 };
    pair.side_by_side(Reference { of_other, edge }, sink);
}

impl Pair<'_> {
    fn radius(&self) -> f64 {
        self.own.radius + self.other.radius
    }

    fn slack(&self, share: f64) -> f64 {
        share * self.own.size.min(self.other.size)
    }

    /// Cores apart: an edge with a vertex over it, or two vertices where none is as near. An edge that separates the outlines less than
    /// another is none of the nearest, though a vertex may be at its end.
    fn nearest(&self, separation: f64, sink: &mut Sink<'_>) {
        let mut vertices = (f64::INFINITY, [0, 0]);
        for (i, v) in self.one.vertices.iter().enumerate() {
            for (j, w) in self.other.vertices.iter().enumerate() {
                let distance = (*v - *w).length();
                if distance < vertices.0 {
                    vertices = (distance, [i, j]);
                }
            }
        }
        let (slack, preference) = (self.slack(ON_SIDE), self.slack(PREFERENCE));
        let over = |of: &Outline, against: &Outline| {
            let mut best = (f64::INFINITY, 0);
            for edge in 0..of.normals.len() {
                if of.separation(edge, against) < separation - preference {
                    continue;
                }
                for p in &against.vertices {
                    let height = (*p - of.vertices[edge]).dot(of.normals[edge]);
                    if height < best.0 && is_over(*p, of, edge, slack) {
                        best = (height, edge);
                    }
                }
            }
            best
        };
        let (on_other, on_one) = (over(self.other, self.one), over(self.one, self.other));
        let of_other = on_other.0 <= on_one.0 + preference;
        let (distance, edge) = if of_other { on_other } else { on_one };
        if vertices.0 < distance - preference {
            return self.two_vertices(vertices.1, sink);
        }
        self.side_by_side(Reference { of_other, edge }, sink);
    }

    /// The ends of the stretch that an edge has in common with the edge of the other outline that faces it.
    fn side_by_side(&self, reference: Reference, sink: &mut Sink<'_>) {
        let Reference { of_other, edge } = reference;
        let (base, facing) = if of_other { (self.other, self.one) } else { (self.one, self.other) };
        let ([start, end], normal) = (base.ends(edge), base.normals[edge]);
        let length = (end - start).length();
        let lowest = lowest(facing, normal);
        let Some(second) = facing_edge(facing, lowest, normal) else {
            return self.vertex_over(!of_other, lowest, edge, sink);
        };
        let count = facing.vertices.len();
        let ends = [second, (second + 1) % count];
        // The facing edge goes the other way round.
        let [high, low] = ends.map(|v| (along(facing.vertices[v] - start, normal).0, v));
        let slack = self.slack(ON_SIDE);
        if high.0 < -slack || low.0 > length + slack {
            return self.vertex_over(!of_other, lowest, edge, sink);
        }
        let corners = [edge, (edge + 1) % base.vertices.len()];
        for (corner, vertex, inside) in
            [(corners[0], low.1, low.0 >= -slack), (corners[1], high.1, high.0 <= length + slack)]
        {
            if inside {
                self.vertex_over(!of_other, vertex, edge, sink);
            } else if is_over(base.vertices[corner], facing, second, slack) {
                self.vertex_over(of_other, corner, second, sink);
            }
        }
    }

    /// A vertex of one of the outlines over an edge of the other one.
    fn vertex_over(&self, of_other: bool, vertex: usize, edge: usize, sink: &mut Sink<'_>) {
        let (from, to) = if of_other { (self.other, self.one) } else { (self.one, self.other) };
        let gap = (from.vertices[vertex] - to.vertices[edge]).dot(to.normals[edge]) - self.radius();
        // Features are in the axes of their own bodies.
        let (from, to) = if of_other { (self.other, self.own) } else { (self.own, self.other) };
        let normal = to.normals[edge];
        let features = Features::BallPlane {
            centre: from.vertices[vertex].extend(0.0),
            radius: from.radius,
            origin: (to.vertices[edge] + to.radius * normal).extend(0.0),
            normal: normal.extend(0.0),
        };
        let (vertex, edge) = (VERTEX | vertex as u32, EDGE | edge as u32);
        let codes = if of_other { [edge, vertex] } else { [vertex, edge] };
        sink.push(codes, features, of_other, gap);
    }

    fn two_vertices(&self, [i, j]: [usize; 2], sink: &mut Sink<'_>) {
        let distance = (self.one.vertices[i] - self.other.vertices[j]).length();
        let centres = [self.own.vertices[i], self.other.vertices[j]].map(|v| v.extend(0.0));
        let radii = [self.own.radius, self.other.radius];
        let codes = [VERTEX | i as u32, VERTEX | j as u32];
        let features = if distance > 0.0 {
            Features::Balls { centres, radii }
        } else {
            // Centres that coincide have no direction of their own.
            let origin = centres[1] + radii[1] * DVec3::Y;
            Features::BallPlane { centre: centres[0], radius: radii[0], origin, normal: DVec3::Y }
        };
        sink.push(codes, features, false, distance - self.radius());
    }
}

/// How far a point is along an edge from its start, and how far it is out of it.
pub(super) fn along(from_start: DVec2, normal: DVec2) -> (f64, f64) {
    (from_start.dot(normal.perp()), from_start.dot(normal))
}

/// Whether a point is over an edge, before or behind it.
fn is_over(p: DVec2, outline: &Outline, edge: usize, slack: f64) -> bool {
    let [start, end] = outline.ends(edge);
    let x = along(p - start, outline.normals[edge]).0;
    x >= -slack && x <= (end - start).length() + slack
}

/// The vertex that lies farthest against a direction.
fn lowest(outline: &Outline, up: DVec2) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (k, v) in outline.vertices.iter().enumerate() {
        if v.dot(up) < best.0 {
            best = (v.dot(up), k);
        }
    }
    best.1
}

/// The edge at a vertex that faces a direction most; none of a point.
fn facing_edge(outline: &Outline, vertex: usize, up: DVec2) -> Option<usize> {
    let count = outline.vertices.len();
    let before = (vertex + count - 1) % count;
    let facing = |edge: usize| outline.normals.get(edge).map(|n| n.dot(up));
    let (a, b) = (facing(before)?, facing(vertex)?);
    Some(if a < b { before } else { vertex })
}
