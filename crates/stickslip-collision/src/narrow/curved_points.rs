//! The contact points of cylinders and cones over faces, caps, edges and vertices.

use super::curved::{Axis, Setting};
use super::curved_features::{Cap, FACING, RimPoint, Spot, overlap};
use super::{EDGE, FACE, Sink, VERTEX, clip, nearest};
use crate::feature::Features;
use crate::tolerance::{FLAT, ON_SIDE, PREFERENCE};
use glam::DVec3;

impl Setting<'_> {
    /// Points of the round shape over a face: its apex, the lowest points of its rims, or a whole cap.
    pub(super) fn add_face(&self, face: usize, sink: &mut Sink<'_>) -> f64 {
        let (vertices, edges) = self.poly.face_loop(face);
        let normal = self.poly.faces[face].normal;
        let origin = self.poly.vertices[vertices[0] as usize];
        let own_normal = self.own.faces[face].normal;
        let own_origin = self.own.vertices[vertices[0] as usize];
        let slack = ON_SIDE * self.size();
        let within = |p: DVec3| {
            (0..vertices.len()).all(|k| {
                let a = self.poly.vertices[vertices[k] as usize];
                let b = self.poly.vertices[vertices[(k + 1) % vertices.len()] as usize];
                (p - a).dot((b - a).cross(normal).normalize()) <= slack
            })
        };
        let mut least = f64::INFINITY;
        let code = self.poly_code(FACE, face);
        // The first argument says whether the point is one of the surface as a whole, and not of the seams of its triangles.
        let mut add =
            |kept: bool, round_code: u32, point: DVec3, rim: Option<&Cap>, sink: &mut Sink<'_>| {
                let gap = (point - origin).dot(normal);
                least = least.min(gap);
                if !kept {
                    return;
                }
                let features = match rim {
                    Some(cap) => Features::RimPlane {
                        centre: self.round_point(cap.centre),
                        axis: self.round_own.axis(),
                        radius: self.round.radius,
                        origin: own_origin,
                        normal: own_normal,
                    },
                    None => Features::BallPlane {
                        centre: self.round_point(point),
                        radius: 0.0,
                        origin: own_origin,
                        normal: own_normal,
                    },
                };
                self.push([round_code, code], features, true, gap, sink);
            };
        let (x, y) = (self.round.axes.x_axis, self.round.axes.y_axis);
        let mut lowest = [DVec3::ZERO; 2];
        for cap in self.round.caps() {
            let tilt = (cap.normal * cap.normal.dot(normal) - normal).length();
            let first = if tilt > FLAT { self.round.outward(-normal) } else { x };
            lowest[cap.end as usize] = cap.centre + self.round.radius * first;
            let reach = sink.reach;
            for RimPoint { code, way, rolls } in
                self.round.rim_points(cap.end, -normal, tilt, reach)
            {
                let p = cap.centre + self.round.radius * way;
                if within(p) {
                    add(true, code, p, rolls.then_some(&cap), sink);
                }
            }
            if cap.normal.dot(normal) < FACING {
                // Corners of the face below the cap, and sides that cross its rim.
                let polygon = |k: usize| self.poly.vertices[vertices[k] as usize];
                let disc = (cap.centre, cap.normal, self.round.radius);
                overlap(disc, [x, y], polygon, vertices.len(), slack, |spot, p| match spot {
                    Spot::Vertex(k) => {
                        let code = FACE | cap.end | (vertices[k] << 2);
                        add(!self.is_flat_vertex(vertices[k]), code, p, None, sink);
                    }
                    Spot::Crossing(k, which) => {
                        let code = EDGE | (edges[k] << 2 | which << 1 | cap.end);
                        add(!self.is_flat_edge(edges[k]), code, p, None, sink);
                    }
                    Spot::Rim(_) => {}
                });
            }
        }
        if self.round.cone {
            lowest[1] = self.round.apex();
            if within(lowest[1]) {
                add(true, VERTEX | 8, lowest[1], None, sink);
            }
        }
        // The line of the side that is lowest, where it leaves the face.
        let (from, way) = (lowest[0], lowest[1] - lowest[0]);
        for k in 0..vertices.len() {
            let a = self.poly.vertices[vertices[k] as usize];
            let b = self.poly.vertices[vertices[(k + 1) % vertices.len()] as usize];
            let outward = (b - a).cross(normal).normalize();
            let (d, e) = ((from - a).dot(outward), (from + way - a).dot(outward));
            let crosses = (d < -slack && e > slack) || (d > slack && e < -slack);
            let p = from + d / (d - e) * way;
            if crosses && within(p) {
                let code = EDGE | (edges[k] << 2 | 3 << 20);
                add(!self.is_flat_edge(edges[k]), code, p, None, sink);
            }
        }
        least
    }

    fn is_flat_vertex(&self, v: u32) -> bool {
        self.surface.is_some_and(|(s, t)| s.flat_vertices[t.vertices[v as usize] as usize])
    }

    fn is_flat_edge(&self, e: u32) -> bool {
        self.surface.is_some_and(|(_, t)| t.flat[e as usize % 3])
    }

    /// Points of the polytope over a cap.
    pub(super) fn add_cap(&self, end: u32, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
        let (Some(cap), Some(cap_own)) =
            (self.round.caps().nth(end as usize), self.round_own.caps().nth(end as usize))
        else {
            return f64::INFINITY;
        };
        let slack = ON_SIDE * self.size();
        let face = clip::incident(&self.poly, axis.normal, false, PREFERENCE * self.size());
        let all = [0, 1];
        let (vertices, edges): (&[u32], &[u32]) = if self.poly.faces.is_empty() {
            (&all[..self.poly.vertices.len()], &[0, 0])
        } else {
            self.poly.face_loop(face)
        };
        let at = |k: usize| self.poly.vertices[vertices[k] as usize];
        let disc = (cap.centre, cap.normal, self.round.radius);
        let axes = [self.round.axes.x_axis, self.round.axes.y_axis];
        let mut least = f64::INFINITY;
        let facing = self.poly.faces.get(face).is_some_and(|f| f.normal.dot(cap.normal) < FACING);
        overlap(disc, axes, at, vertices.len(), slack, |spot, flat| {
            if matches!(spot, Spot::Rim(_)) && !facing {
                return;
            }
            // From the plane of the cap up to the polytope.
            let p = match spot {
                Spot::Vertex(k) => at(k),
                Spot::Crossing(k, _) => {
                    let (a, b) = (at(k), at((k + 1) % vertices.len()));
                    let foot = |p: DVec3| p - (p - flat).dot(cap.normal) * cap.normal;
                    let t = (flat - foot(a)).length() / (foot(b) - foot(a)).length();
                    a + t * (b - a)
                }
                Spot::Rim(_) => {
                    let f = &self.poly.faces[face];
                    flat + (f.offset - f.normal.dot(flat)) / f.normal.dot(cap.normal) * cap.normal
                }
            };
            let distance = (p - cap.centre).dot(cap.normal);
            least = least.min(distance);
            let codes = match spot {
                Spot::Vertex(k) => [FACE | end, self.poly_code(VERTEX, vertices[k] as usize)],
                Spot::Crossing(k, w) => {
                    [EDGE | (w << 1 | end), self.poly_code(EDGE, edges[k] as usize)]
                }
                Spot::Rim(k) => [VERTEX | (4 * end + k), self.poly_code(FACE, face)],
            };
            let features = Features::BallPlane {
                centre: match spot {
                    Spot::Vertex(k) => self.own.vertices[vertices[k] as usize],
                    _ => self.poly_point(p),
                },
                radius: self.margin,
                origin: cap_own.centre,
                normal: cap_own.normal,
            };
            self.push(codes, features, false, distance - self.margin, sink);
        });
        least
    }

    /// The side of a cylinder across an edge.
    pub(super) fn add_edge(&self, k: usize, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
        let [a, b] = self.poly.ends(k);
        let (length, along) = ((b - a).length(), (b - a).normalize());
        let (s, t) = nearest::feet(self.round.centre, self.round.axis(), a, along);
        let slack = PREFERENCE * self.size();
        if s.abs() > self.round.half_height + slack || t < -slack || t > length + slack {
            return f64::INFINITY;
        }
        let [p, q] = self.own.ends(k);
        let own = (q - p).normalize();
        // The normal of lines is along the product of their directions: from the second named to the first.
        let forward = along.cross(self.round.axis()).dot(axis.normal) > 0.0;
        let features = Features::Lines {
            origins: [p, self.round_own.centre],
            directions: [if forward { own } else { -own }, self.round_own.axis()],
            radii: [self.margin, self.round.radius],
        };
        let codes = [EDGE | 1 << 29, self.poly_code(EDGE, k)];
        self.push(codes, features, false, axis.separation - self.margin, sink);
        axis.separation
    }

    /// The side against vertices that are equally near, and against edges along it where they leave it.
    pub(super) fn add_vertices(&self, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
        let slack = PREFERENCE * self.size();
        let h = self.round.half_height;
        let mut least = f64::INFINITY;
        let mut add = |p: DVec3, own: DVec3, codes: [u32; 2], sink: &mut Sink<'_>| {
            let Some((distance, features)) = self.side(p, own) else { return };
            if distance <= axis.separation + slack {
                least = least.min(distance);
                self.push(codes, features, false, distance - self.margin, sink);
            }
        };
        for (k, &v) in self.poly.vertices.iter().enumerate() {
            let codes = [EDGE | 1 << 29, self.poly_code(VERTEX, k)];
            add(v, self.own.vertices[k], codes, sink);
        }
        let count = if self.surface.is_some() { 3 } else { self.poly.edges.len() };
        for k in 0..count {
            let [a, b] = self.poly.ends(k);
            let (za, zb) = (self.round.cylindrical(a).0, self.round.cylindrical(b).0);
            for (end, z) in [(0, -h), (1, h)] {
                let t = (z - za) / (zb - za);
                if t > 0.0 && t < 1.0 && !self.round.cone {
                    let p = a + t * (b - a);
                    let codes = [EDGE | 1 << 29 | 1 << (1 + end), self.poly_code(EDGE, k)];
                    add(p, self.poly_point(p), codes, sink);
                }
            }
        }
        least
    }

    /// A point of the polytope against the side, if it is beside it.
    fn side(&self, p: DVec3, own: DVec3) -> Option<(f64, Features)> {
        let slack = ON_SIDE * self.size();
        let round = self.round_own;
        let (z, rho, _) = self.round.cylindrical(p);
        let [sine, cosine] = self.round.slope();
        let h = self.round.half_height;
        if !self.round.cone {
            let features = Features::BallLine {
                centre: own,
                radius: self.margin,
                origin: round.centre,
                direction: round.axis(),
                line_radius: round.radius,
            };
            return (z.abs() <= h + slack).then_some((rho - self.round.radius, features));
        }
        let along = rho * sine - (z - h) * cosine;
        let on = along >= -slack && along <= self.round.radius.hypot(2.0 * h) + slack;
        let features = Features::BallCone {
            centre: own,
            radius: self.margin,
            apex: round.apex(),
            axis: round.axis(),
            slope: [sine, cosine],
        };
        on.then_some((rho * cosine + (z - h) * sine, features))
    }
}
