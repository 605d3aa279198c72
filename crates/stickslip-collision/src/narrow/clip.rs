//! The overlap of two faces, with points that know their origin.

use crate::polytope::PolyRef;
use crate::tolerance::ON_SIDE;
use glam::DVec3;

/// What a point of an overlap is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tag {
    /// A vertex of the incident shape.
    Vertex(u32),
    /// An incident edge over an edge of the reference face.
    Crossing(u32, u32),
    /// A vertex of the reference face.
    Corner(u32),
    /// Two sides of the reference face that are not neighbours.
    Sides(u32, u32),
}

/// What runs from a point to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Boundary {
    Incident(u32),
    Side(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) at: DVec3,
    pub(crate) tag: Tag,
    next: Boundary,
}

/// The face of the incident shape that faces the reference face most, among those that reach nearest to it; none of a
/// segment or point, for which the number does not matter. `flip` says that the normal points from the incident shape to the other.
pub(crate) fn incident(shape: &PolyRef<'_>, normal: DVec3, flip: bool, slack: f64) -> usize {
    // Towards the reference face the incident shape goes against this.
    let up = if flip { -normal } else { normal };
    let lowest = shape.lowest(up);
    let mut best = (f64::INFINITY, 0);
    for (k, face) in shape.faces.iter().enumerate() {
        let facing = face.normal.dot(up);
        if facing < best.0 - 1e-9 {
            let reaches = |v: &u32| shape.vertices[*v as usize].dot(up) <= lowest + slack;
            if shape.face_loop(k).0.iter().any(reaches) {
                best = (facing, k);
            }
        }
    }
    best.1
}

/// Leaves in `polygons[0]` what of the incident face is over the reference face (Sutherland and Hodgman 1974). A point on a side,
/// up to a tolerance, is over the face and is not replaced by a crossing that would coincide with it.
pub(crate) fn overlap(
    reference: &PolyRef<'_>,
    incident: &PolyRef<'_>,
    face: usize,
    incident_face: usize,
    polygons: &mut [Vec<Corner>; 2],
) {
    let [polygon, next] = polygons;
    polygon.clear();
    let corner = |v: u32, e: u32| Corner {
        at: incident.vertices[v as usize],
        tag: Tag::Vertex(v),
        next: Boundary::Incident(e),
    };
    if incident.faces.is_empty() {
        polygon.extend((0..incident.vertices.len()).map(|v| corner(v as u32, 0)));
    } else {
        let (vertices, edges) = incident.face_loop(incident_face);
        polygon.extend(vertices.iter().zip(edges).map(|(&v, &e)| corner(v, e)));
    }
    let slack = ON_SIDE * reference.size.min(incident.size);
    let (vertices, edges) = reference.face_loop(face);
    let normal = reference.faces[face].normal;
    for k in 0..vertices.len() {
        let a = reference.vertices[vertices[k] as usize];
        let b = reference.vertices[vertices[(k + 1) % vertices.len()] as usize];
        let outward = (b - a).cross(normal).normalize();
        next.clear();
        let count = polygon.len();
        let beyond = |c: &Corner| (c.at - a).dot(outward);
        for m in 0..count {
            let (p, q) = (&polygon[m], &polygon[(m + 1) % count]);
            let (d, e) = (beyond(p), beyond(q));
            if d <= slack {
                // What follows along the side is the side itself.
                let leaves = d >= -slack && e > slack;
                let boundary = if leaves { Boundary::Side(edges[k]) } else { p.next };
                next.push(Corner { next: boundary, ..*p });
            }
            if (d < -slack && e > slack) || (d > slack && e < -slack) {
                let at = p.at + (d / (d - e)) * (q.at - p.at);
                let boundary = if d < 0.0 { Boundary::Side(edges[k]) } else { p.next };
                let tag = tag(reference, p.next, edges[k]);
                next.push(Corner { at, tag, next: boundary });
            }
        }
        std::mem::swap(polygon, next);
        if polygon.is_empty() {
            return;
        }
    }
}

/// What it is where a boundary crosses a side.
fn tag(reference: &PolyRef<'_>, boundary: Boundary, side: u32) -> Tag {
    match boundary {
        Boundary::Incident(e) => Tag::Crossing(e, side),
        Boundary::Side(s) => {
            let [a, b] = [s, side].map(|e| reference.edges[e as usize].ends);
            match a.into_iter().find(|v| b.contains(v)) {
                Some(v) => Tag::Corner(v),
                None => Tag::Sides(s.min(side), s.max(side)),
            }
        }
    }
}
