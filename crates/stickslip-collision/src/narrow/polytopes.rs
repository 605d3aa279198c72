//! Polytopes, segments and points with a radius, against a polytope or a triangle of a surface.

use super::axes::{self, Axes, Axis, Kind};
use super::clip::{self, Corner, Tag};
use super::nearest;
use super::{EDGE, FACE, Sink, VERTEX};
use crate::feature::Features;
use crate::polytope::PolyRef;
use crate::pose::Relative;
use crate::surface::{Surface, Triangle};
use crate::tolerance::PREFERENCE;
use glam::DVec3;

/// Two shapes in the axes of the other's body.
pub(crate) struct Pair<'a> {
    pub(crate) one: PolyRef<'a>,
    /// The one shape in the axes of its own body.
    pub(crate) own: PolyRef<'a>,
    /// The radius about the one shape.
    pub(crate) radius: f64,
    pub(crate) other: PolyRef<'a>,
    pub(crate) relative: &'a Relative,
    /// If the other shape is a triangle, it and its surface.
    pub(crate) surface: Option<(&'a Surface, &'a Triangle)>,
}

impl Pair<'_> {
    /// Lengths below this do not decide.
    pub(crate) fn slack(&self) -> f64 {
        PREFERENCE * self.one.size.min(self.other.size)
    }

    pub(crate) fn code(&self, kind: u32, k: usize) -> u32 {
        kind | match self.surface {
            None => k as u32,
            Some((_, triangle)) => match kind {
                VERTEX => triangle.vertices[k],
                EDGE => triangle.edge_numbers[k % 3],
                _ => triangle.plane,
            },
        }
    }

    /// Whether the surface has this normal at the features of the triangle that are farthest along it.
    pub(crate) fn admits_face(&self, normal: DVec3) -> bool {
        let Some((surface, triangle)) = self.surface else { return true };
        let heights = triangle.corners.map(|c| c.dot(normal));
        let highest = heights[0].max(heights[1]).max(heights[2]);
        let slack = self.slack();
        triangle.normal().dot(normal) > -PREFERENCE
            && (0..3).all(|k| {
                heights[k] < highest - slack || surface.admits_vertex(triangle.vertices[k], normal)
            })
    }

    /// Whether the surface has this normal, which is one of the triangle alone, at an edge.
    pub(crate) fn admits_edge(&self, edge: usize, normal: DVec3) -> bool {
        let Some((surface, triangle)) = self.surface else { return true };
        edge < 3 && surface.admits_edge(triangle, edge, normal)
    }
}

/// Finds the contact points. Axes may be given by whoever knows them in a quicker way.
pub(crate) fn meet(
    pair: &Pair<'_>,
    known: Option<Axes>,
    polygons: &mut [Vec<Corner>; 2],
    sink: &mut Sink<'_>,
) {
    let limit = sink.reach + pair.radius;
    let axes = known.unwrap_or_else(|| axes::polytopes(pair, limit));
    let Some(best) = axes.best else { return };
    if best.separation > limit || axes.behind > pair.radius {
        return;
    }
    let apart = best.separation > 0.0;
    let slack = pair.slack();
    let admitted = [axes.other, axes.one, axes.edges];
    let most = admitted.iter().flatten().map(|a| a.separation).fold(f64::NEG_INFINITY, f64::max);
    let mark = sink.found.len();
    for axis in admitted.iter().flatten().filter(|a| a.separation >= most - slack) {
        // Along its axis the shapes are this far apart at least: if some point is no farther, it is the nearest.
        let nearest = match axis.kind {
            Kind::Edges(i, j) => edges(pair, axis, i, j, sink),
            _ => face(pair, axis, f64::NEG_INFINITY, polygons, sink),
        };
        let over = pair.surface.is_some() && axis.kind == Kind::Other(0);
        let done = !apart || nearest <= axis.separation + slack || (over && nearest.is_finite());
        if done {
            if let Kind::Edges(..) = axis.kind {
                faces(pair, &axes, axis.separation, polygons, sink);
            } else if !apart && nearest > axis.separation + slack && pair.surface.is_none() {
                deepest(pair, axis, sink);
            }
            return;
        }
        sink.found.truncate(mark);
    }
    if apart && let Some(distance) = nearest::meet(pair, &best, limit, sink) {
        faces(pair, &axes, distance, polygons, sink);
    }
}

/// Points of the better face that are no nearer than what has been found: corners that are about to land, or overlap less.
fn faces(
    pair: &Pair<'_>,
    axes: &Axes,
    least: f64,
    polygons: &mut [Vec<Corner>; 2],
    sink: &mut Sink<'_>,
) {
    let slack = pair.slack();
    let better = match (axes.other, axes.one) {
        (Some(a), Some(b)) if b.separation > a.separation + slack => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    };
    let mark = sink.found.len();
    if let Some(axis) = better.filter(|a| a.separation <= sink.reach + pair.radius) {
        face(pair, &axis, least, polygons, sink);
    }
    // A crossing of edges that is already there has the better normal.
    for k in (mark..sink.found.len()).rev() {
        let codes = sink.found[k].codes;
        if sink.found[..mark].iter().any(|f| f.codes == codes) {
            sink.found.swap_remove(k);
        }
    }
}

/// Adds the points of one shape over a face of the other, or the other way round, whose distance is at least `least`; the
/// least distance of all, radii not subtracted.
fn face(
    pair: &Pair<'_>,
    axis: &Axis,
    least: f64,
    polygons: &mut [Vec<Corner>; 2],
    sink: &mut Sink<'_>,
) -> f64 {
    let (reference, incident, flip, face) = match axis.kind {
        Kind::Other(face) => (&pair.other, &pair.one, false, face),
        Kind::One(face) => (&pair.one, &pair.other, true, face),
        Kind::Edges(..) => return f64::INFINITY,
    };
    let incident_face = clip::incident(incident, axis.normal, flip, pair.slack());
    clip::overlap(reference, incident, face, incident_face, polygons);
    let normal = reference.faces[face].normal;
    let origin = reference.vertices[reference.face_loop(face).0[0] as usize];
    let mut nearest = f64::INFINITY;
    for corner in &polygons[0] {
        let distance = (corner.at - origin).dot(normal);
        nearest = nearest.min(distance);
        let inner = !flip && is_inner(pair, corner.tag);
        if distance < least || inner {
            continue;
        }
        let codes = codes(pair, corner.tag, face, incident_face, flip);
        let features = if flip {
            let origin = pair.own.vertices[pair.own.face_loop(face).0[0] as usize];
            let normal = pair.own.faces[face].normal;
            Features::BallPlane { centre: corner.at, radius: 0.0, origin, normal }
        } else {
            let centre = match corner.tag {
                Tag::Vertex(v) => pair.own.vertices[v as usize],
                _ => pair.relative.back(corner.at),
            };
            Features::BallPlane { centre, radius: pair.radius, origin, normal }
        };
        sink.push(codes, features, flip, distance - pair.radius);
    }
    nearest
}

/// Adds the deepest vertex below a face, where it is not over the face: among faces and edges that overlap deeply, the axis of least
/// penetration may have its support beside the face.
fn deepest(pair: &Pair<'_>, axis: &Axis, sink: &mut Sink<'_>) {
    let lowest = |shape: &PolyRef<'_>, up: DVec3| {
        let heights = shape.vertices.iter().map(|v| v.dot(up)).enumerate();
        heights.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(v, _)| v)
    };
    let gap = axis.separation - pair.radius;
    match axis.kind {
        Kind::Other(face) => {
            let v = lowest(&pair.one, axis.normal);
            let features = Features::BallPlane {
                centre: pair.own.vertices[v],
                radius: pair.radius,
                origin: pair.other.vertices[pair.other.face_loop(face).0[0] as usize],
                normal: pair.other.faces[face].normal,
            };
            sink.push([VERTEX | v as u32, pair.code(FACE, face)], features, false, gap);
        }
        Kind::One(face) => {
            let v = lowest(&pair.other, -axis.normal);
            let features = Features::BallPlane {
                centre: pair.other.vertices[v],
                radius: 0.0,
                origin: pair.own.vertices[pair.own.face_loop(face).0[0] as usize],
                normal: pair.own.faces[face].normal,
            };
            sink.push([FACE | face as u32, pair.code(VERTEX, v)], features, true, gap);
        }
        Kind::Edges(..) => {}
    }
}

/// Whether a point is inside of a flat part of a surface, cut off by nothing but the boundary of a triangle.
fn is_inner(pair: &Pair<'_>, tag: Tag) -> bool {
    let Some((surface, triangle)) = pair.surface else { return false };
    match tag {
        Tag::Vertex(_) => false,
        Tag::Crossing(_, side) => triangle.flat[side as usize % 3],
        Tag::Corner(v) => surface.flat_vertices[triangle.vertices[v as usize] as usize],
        Tag::Sides(..) => true,
    }
}

fn codes(pair: &Pair<'_>, tag: Tag, face: usize, incident: usize, flip: bool) -> [u32; 2] {
    // On the incident and on the reference side.
    let [inc, reference] = match tag {
        Tag::Vertex(v) => [(VERTEX, v as usize), (FACE, face)],
        Tag::Crossing(e, side) => [(EDGE, e as usize), (EDGE, side as usize)],
        Tag::Corner(v) => [(FACE, incident), (VERTEX, v as usize)],
        Tag::Sides(s, t) => [(FACE, incident), (EDGE, (s as usize) << 12 ^ t as usize)],
    };
    let own = |(kind, k): (u32, usize)| kind | k as u32;
    if flip {
        [own(reference), pair.code(inc.0, inc.1)]
    } else {
        [own(inc), pair.code(reference.0, reference.1)]
    }
}

/// Adds the crossing of two edges and gives their distance if the feet are on both of them.
fn edges(pair: &Pair<'_>, axis: &Axis, i: usize, j: usize, sink: &mut Sink<'_>) -> f64 {
    let ([p, p_end], [q, q_end]) = (pair.one.ends(i), pair.other.ends(j));
    let (u, v) = ((p_end - p).normalize(), (q_end - q).normalize());
    // The normal is along the cross product of the directions.
    let forward = u.cross(v).dot(axis.normal) > 0.0;
    let [a, b] = pair.own.ends(i);
    let along = (b - a).normalize();
    let features = Features::Lines {
        origins: [a, q],
        directions: [if forward { along } else { -along }, v],
        radii: [pair.radius, 0.0],
    };
    sink.push(
        [EDGE | i as u32, pair.code(EDGE, j)],
        features,
        false,
        axis.separation - pair.radius,
    );
    let (s, t) = nearest::feet(p, u, q, v);
    let slack = pair.slack();
    let on = |x: f64, length: f64| x > -slack && x < length + slack;
    if on(s, (p_end - p).length()) && on(t, (q_end - q).length()) {
        return axis.separation;
    }
    f64::INFINITY
}
