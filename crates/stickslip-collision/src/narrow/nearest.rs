//! The nearest points of two polytopes that are apart, where neither is over a face of the other: vertices and edges.

use super::axes::Axis;
use super::polytopes::Pair;
use super::{EDGE, Sink, VERTEX};
use crate::feature::Features;
use crate::tolerance::PARALLEL;
use glam::DVec3;

/// A vertex or an edge of the one against one of the other.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Vertices(usize, usize),
    VertexEdge(usize, usize),
    EdgeVertex(usize, usize),
    Edges(usize, usize),
}

/// Adds the nearest pairs of vertices and edges, several if they are equally near, and gives their distance; none if the
/// nearest is beyond the limit or the surface does not admit it.
pub(crate) fn meet(pair: &Pair<'_>, axis: &Axis, limit: f64, sink: &mut Sink<'_>) -> Option<f64> {
    let mut least = f64::INFINITY;
    // What is deeper than this along the axis is beyond the limit.
    let depth = limit - axis.separation + pair.slack();
    candidates(pair, axis.normal, depth, &mut |_, way| {
        least = least.min(way.length());
    });
    if !(least <= limit) {
        return None;
    }
    let before = sink.found.len();
    candidates(pair, axis.normal, depth, &mut |candidate, way| {
        let distance = way.length();
        if distance <= least + pair.slack() {
            add(pair, axis, candidate, way, sink);
        }
    });
    (sink.found.len() > before).then_some(least)
}

/// The parameters of the feet of the common perpendicular of two lines with unit directions.
pub(crate) fn feet(p: DVec3, u: DVec3, q: DVec3, v: DVec3) -> (f64, f64) {
    let (c, between) = (u.dot(v), p - q);
    let (a, b) = (between.dot(u), between.dot(v));
    let square = 1.0 - c * c;
    ((c * b - a) / square, (b - c * a) / square)
}

/// Which of the first 128 vertices count; all others do.
fn mask(vertices: &[DVec3], counts: impl Fn(DVec3) -> bool) -> u128 {
    let bits = vertices.iter().take(128).enumerate();
    bits.fold(0, |mask, (k, v)| mask | u128::from(counts(*v)) << k)
}

fn candidates(
    pair: &Pair<'_>,
    normal: DVec3,
    depth: f64,
    found: &mut impl FnMut(Candidate, DVec3),
) {
    let (one, other) = (&pair.one, &pair.other);
    // Only three of the edges of a triangle differ.
    let count = if pair.surface.is_some() { 3 } else { other.edges.len() };
    let low = one.lowest(normal) + depth;
    let high = -other.lowest(-normal) - depth;
    let ones = mask(one.vertices, |v| v.dot(normal) <= low);
    let others = mask(other.vertices, |v| v.dot(normal) >= high);
    let near = |mask: u128, v: usize| v >= 128 || mask >> v & 1 == 1;
    let near_edge = |mask: u128, ends: [u32; 2]| ends.into_iter().any(|v| near(mask, v as usize));
    for (i, &p) in one.vertices.iter().enumerate().filter(|(i, _)| near(ones, *i)) {
        for j in 0..count {
            if !near_edge(others, other.edges[j].ends) {
                continue;
            }
            let [q, q_end] = other.ends(j);
            let along = q_end - q;
            let t = (p - q).dot(along) / along.length_squared();
            let [first, last] = other.edges[j].ends.map(|v| v as usize);
            if t <= 0.0 {
                found(Candidate::Vertices(i, first), p - q);
            } else if t >= 1.0 {
                found(Candidate::Vertices(i, last), p - q_end);
            } else {
                found(Candidate::VertexEdge(i, j), p - (q + t * along));
            }
        }
    }
    for i in 0..one.edges.len() {
        if !near_edge(ones, one.edges[i].ends) {
            continue;
        }
        let [p, p_end] = one.ends(i);
        let along = p_end - p;
        for (j, &q) in other.vertices.iter().enumerate().filter(|(j, _)| near(others, *j)) {
            let s = (q - p).dot(along) / along.length_squared();
            if s > 0.0 && s < 1.0 {
                found(Candidate::EdgeVertex(i, j), p + s * along - q);
            }
        }
        let length = along.length();
        let u = along / length;
        for j in 0..count {
            if !near_edge(others, other.edges[j].ends) {
                continue;
            }
            let [q, q_end] = other.ends(j);
            let span = (q_end - q).length();
            let v = (q_end - q) / span;
            if u.cross(v).length() < PARALLEL {
                continue;
            }
            let (s, t) = feet(p, u, q, v);
            if s > 0.0 && s < length && t > 0.0 && t < span {
                found(Candidate::Edges(i, j), p + s * u - (q + t * v));
            }
        }
    }
}

fn add(pair: &Pair<'_>, axis: &Axis, candidate: Candidate, way: DVec3, sink: &mut Sink<'_>) {
    let distance = way.length();
    let gap = distance - pair.radius;
    let touching = !(distance > 1e-6 * pair.slack());
    let normal = if touching { axis.normal } else { way / distance };
    if !admits(pair, candidate, normal) {
        return;
    }
    let own_line = |i: usize| {
        let [a, b] = pair.own.ends(i);
        (a, (b - a).normalize())
    };
    let other_line = |j: usize| {
        let [a, b] = pair.other.ends(j);
        (a, (b - a).normalize())
    };
    let radius = pair.radius;
    let (codes, features, flip) = match candidate {
        Candidate::Vertices(i, j) => {
            let centres = [pair.own.vertices[i], pair.other.vertices[j]];
            let features = Features::Balls { centres, radii: [radius, 0.0] };
            ([VERTEX | i as u32, pair.code(VERTEX, j)], features, false)
        }
        Candidate::VertexEdge(i, j) => {
            let (origin, direction) = other_line(j);
            let centre = pair.own.vertices[i];
            let features =
                Features::BallLine { centre, radius, origin, direction, line_radius: 0.0 };
            ([VERTEX | i as u32, pair.code(EDGE, j)], features, false)
        }
        Candidate::EdgeVertex(i, j) => {
            let (origin, direction) = own_line(i);
            let centre = pair.other.vertices[j];
            let features =
                Features::BallLine { centre, radius: 0.0, origin, direction, line_radius: radius };
            ([EDGE | i as u32, pair.code(VERTEX, j)], features, true)
        }
        Candidate::Edges(i, j) => {
            let ((p, u), (q, v)) = (own_line(i), other_line(j));
            let forward = pair.relative.vector(u).cross(v).dot(normal) > 0.0;
            let directions = [if forward { u } else { -u }, v];
            let features = Features::Lines { origins: [p, q], directions, radii: [radius, 0.0] };
            ([EDGE | i as u32, pair.code(EDGE, j)], features, false)
        }
    };
    if touching && !matches!(candidate, Candidate::Edges(..)) {
        // Points that coincide have no direction of their own: that of the separating axis.
        let (centre, origin) = coincident(pair, candidate);
        let features = Features::BallPlane { centre, radius, origin, normal };
        return sink.push(codes, features, false, gap);
    }
    sink.push(codes, features, flip, gap);
}

/// The point of each where the vertex is.
fn coincident(pair: &Pair<'_>, candidate: Candidate) -> (DVec3, DVec3) {
    match candidate {
        Candidate::Vertices(i, j) => (pair.own.vertices[i], pair.other.vertices[j]),
        Candidate::VertexEdge(i, _) | Candidate::Edges(i, _) => {
            (pair.own.vertices[i], pair.one.vertices[i])
        }
        Candidate::EdgeVertex(_, j) => {
            let q = pair.other.vertices[j];
            (pair.relative.back(q), q)
        }
    }
}

fn admits(pair: &Pair<'_>, candidate: Candidate, normal: DVec3) -> bool {
    let Some((surface, triangle)) = pair.surface else { return true };
    if normal.dot(triangle.normal()) < -crate::tolerance::PREFERENCE {
        return false;
    }
    match candidate {
        Candidate::Vertices(_, j) | Candidate::EdgeVertex(_, j) => {
            surface.admits_vertex(triangle.vertices[j], normal)
        }
        Candidate::VertexEdge(_, j) | Candidate::Edges(_, j) => {
            surface.admits_edge(triangle, j, normal)
        }
    }
}
