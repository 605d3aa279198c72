//! Cylinders and cones against convex shapes and triangles.
//!
//! Flat caps and faces, sides of cylinders against vertices and edges, and everything against balls are exact. Where a rim or the side of a cone
//! meets an edge, and where round shapes meet other than flat on flat or side on side, the normal is found by a search over an angle and is good
//! to about 1e-8; the gap is good to its square.

use super::curved_features::{Cap, FACING, Spot, overlap};
use super::{Convex, EDGE, FACE, Moved, Sink, VERTEX, clip, nearest, rounds};
use crate::feature::Features;
use crate::polytope::PolyRef;
use crate::pose::Relative;
use crate::shape::{Round, Shape};
use crate::surface::{Surface, Triangle};
use crate::tolerance::{FLAT, ON_SIDE, PARALLEL, PREFERENCE};
use glam::DVec3;
use std::f64::consts::TAU;

/// A polytope, segment or triangle and a round shape in common axes. Normals point from the round shape to the polytope.
pub(crate) struct Setting<'a> {
    pub(crate) poly: PolyRef<'a>,
    /// The polytope in its own axes.
    pub(crate) own: PolyRef<'a>,
    /// The radius about it.
    pub(crate) margin: f64,
    pub(crate) round: Round,
    /// The round shape in its own axes.
    pub(crate) round_own: &'a Round,
    /// From the axes of the one shape to the common ones, which are those of the other.
    pub(crate) relative: &'a Relative,
    /// Whether the round shape is the one.
    pub(crate) round_first: bool,
    pub(crate) surface: Option<(&'a Surface, &'a Triangle)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Face(usize),
    Cap(u32),
    /// The side against an edge.
    Edge(usize),
    /// The side against a vertex.
    Vertex(usize),
    /// A vertex against whatever it is nearest to.
    Point(usize),
    /// An edge against a rim.
    Arc(usize),
}

#[derive(Clone, Copy, Debug)]
struct Axis {
    separation: f64,
    normal: DVec3,
    kind: Kind,
}

pub(crate) fn meet(
    shape: &Shape,
    round: &Round,
    relative: &Relative,
    moved: &mut Moved,
    sink: &mut Sink<'_>,
) {
    match shape {
        Shape::Ball { centre, radius } => {
            rounds::ball((*centre, *radius), round, relative, sink);
        }
        Shape::Round(one) => rounds::meet(one, round, relative, sink),
        _ => {
            let convex = Convex::of(shape);
            let Some(own) = convex.view() else { return };
            let setting = Setting {
                poly: moved.fill(&own, relative),
                own,
                margin: convex.radius,
                round: *round,
                round_own: round,
                relative,
                round_first: false,
                surface: None,
            };
            setting.meet(sink);
        }
    }
}

pub(crate) fn triangle(
    round: &Round,
    surface: &Surface,
    triangle: &Triangle,
    relative: &Relative,
    sink: &mut Sink<'_>,
) {
    let setting = Setting {
        poly: triangle.view(),
        own: triangle.view(),
        margin: 0.0,
        round: round.moved(relative),
        round_own: round,
        relative,
        round_first: true,
        surface: Some((surface, triangle)),
    };
    setting.meet(sink);
}

impl Setting<'_> {
    fn meet(&self, sink: &mut Sink<'_>) {
        let slack = PREFERENCE * self.size();
        let limit = sink.reach + self.margin;
        let Some(best) = self.best(slack) else { return };
        if best.separation > limit || self.is_behind() {
            return;
        }
        let mark = sink.found.len();
        let nearest = self.add(&best, sink);
        let over = self.surface.is_some() && best.kind == Kind::Face(0) && nearest.is_finite();
        // Some point is as near as the axis allows: then it is the nearest.
        let attained = nearest <= best.separation + slack;
        if over || (attained && best.separation > -1e-3 * slack) {
            return;
        }
        // Neither a face nor a side is nearest for certain: vertices against all of the round shape, and edges against its rims.
        let enough = if attained { best.separation + slack } else { best.separation - slack };
        // An edge or vertex in the direction of the face belongs to a triangle beside, over which the round shape is.
        let beside = |f: &Axis| {
            self.surface
                .is_some_and(|(_, t)| t.normal().cross(f.normal).length() < 10.0 * PREFERENCE)
        };
        if let Some(axis) = self.search().filter(|f| f.separation > enough && !beside(f)) {
            sink.found.truncate(mark);
            if axis.separation <= limit {
                self.add_free(&axis, sink);
            }
        } else if self.surface.is_some() {
            // Nearest to something that the surface does not admit: a neighbour has the contact.
            sink.found.truncate(mark);
        } else if !attained {
            self.add_support(&best, sink);
        }
    }

    /// The vertex that is deepest along an axis, against the tangent plane of the round shape there.
    fn add_support(&self, axis: &Axis, sink: &mut Sink<'_>) {
        let heights = self.poly.vertices.iter().map(|v| v.dot(axis.normal));
        let lowest = heights.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((v, _)) = lowest else { return };
        let features = Features::BallPlane {
            centre: self.own.vertices[v],
            radius: self.margin,
            origin: self.round_point(self.round.farthest(axis.normal)),
            normal: self.round_vector(axis.normal),
        };
        let codes = [FACE | 1 << 28, self.poly_code(VERTEX, v)];
        self.push(codes, features, false, axis.separation - self.margin, sink);
    }

    /// The best axis of vertices, and of edges whose normals lie between those of their faces.
    fn search(&self) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        let mut offer = |normal: DVec3, kind: Kind| {
            let separation = self.separation(normal);
            if best.is_none_or(|b| separation > b.separation) && self.admits(normal) {
                best = Some(Axis { separation, normal, kind });
            }
        };
        for (k, v) in self.poly.vertices.iter().enumerate() {
            offer(rounds::outward(*v, &self.round), Kind::Point(k));
        }
        let count = if self.surface.is_some() { 3 } else { self.poly.edges.len() };
        for k in 0..count {
            let [a, b] = self.poly.ends(k);
            let [c, d] = self.poly.edges[k].normals;
            let along = (b - a).normalize();
            let segment = self.poly.faces.is_empty();
            let x = if segment { along.any_orthonormal_vector() } else { -c };
            let y = if segment { along.cross(x) } else { (x.dot(d) * x - d).normalize_or_zero() };
            let normal = |angle: f64| angle.cos() * x + angle.sin() * y;
            let (to, samples) = if segment {
                (TAU, rounds::TURN)
            } else {
                ((-d).dot(x).clamp(-1.0, 1.0).acos(), rounds::TURN / 2)
            };
            let angle = rounds::maximise(|angle| self.separation(normal(angle)), 0.0, to, samples);
            offer(normal(angle), Kind::Arc(k));
        }
        best
    }

    fn size(&self) -> f64 {
        self.round.size().min(self.poly.size)
    }

    fn is_behind(&self) -> bool {
        self.surface.is_some_and(|(_, t)| {
            let nearest = self.round.farthest(t.normal());
            (nearest - t.corners[0]).dot(t.normal()) < 0.0
        })
    }

    /// The distance along a normal from the round shape to the polytope.
    fn separation(&self, normal: DVec3) -> f64 {
        self.poly.lowest(normal) - self.round.farthest(normal).dot(normal)
    }

    fn admits(&self, normal: DVec3) -> bool {
        let Some((surface, triangle)) = self.surface else { return true };
        let heights = triangle.corners.map(|c| c.dot(normal));
        let lowest = heights[0].min(heights[1]).min(heights[2]);
        let slack = PREFERENCE * self.size();
        triangle.normal().dot(normal) < PREFERENCE
            && (0..3).all(|k| {
                heights[k] > lowest + slack || surface.admits_vertex(triangle.vertices[k], -normal)
            })
    }

    /// The best of the axes that are known without iteration.
    fn best(&self, slack: f64) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        let mut offer = |normal: DVec3, kind: Kind| {
            let separation = self.separation(normal);
            if best.is_none_or(|b| separation > b.separation + slack) && self.admits(normal) {
                best = Some(Axis { separation, normal, kind });
            }
        };
        for (k, face) in self.poly.faces.iter().enumerate() {
            if self.surface.is_none() || k == 0 {
                offer(-face.normal, Kind::Face(k));
            }
        }
        for cap in self.round.caps() {
            offer(cap.normal, Kind::Cap(cap.end));
        }
        let [sine, cosine] = self.round.slope();
        for (k, v) in self.poly.vertices.iter().enumerate() {
            let out = self.round.cylindrical(*v).2;
            offer(cosine * out + sine * self.round.axis(), Kind::Vertex(k));
        }
        if !self.round.cone {
            let count = if self.surface.is_some() { 3 } else { self.poly.edges.len() };
            for k in 0..count {
                let [a, b] = self.poly.ends(k);
                let cross = self.round.axis().cross(b - a);
                if cross.length() > PARALLEL * (b - a).length() {
                    // Only an edge that is lowest along the normal touches along it.
                    let unit = cross.normalize();
                    let lowest = |n: &DVec3| a.dot(*n) <= self.poly.lowest(*n) + slack;
                    for normal in [unit, -unit].into_iter().filter(lowest) {
                        offer(normal, Kind::Edge(k));
                    }
                }
            }
        }
        best
    }

    fn add(&self, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
        match axis.kind {
            Kind::Face(k) => self.add_face(k, sink),
            Kind::Cap(end) => self.add_cap(end, axis, sink),
            Kind::Edge(k) => self.add_edge(k, axis, sink),
            Kind::Vertex(_) => self.add_vertices(axis, sink),
            Kind::Point(_) | Kind::Arc(_) => f64::INFINITY,
        }
    }

    fn poly_code(&self, kind: u32, k: usize) -> u32 {
        kind | match self.surface {
            None => k as u32,
            Some((_, t)) => match kind {
                VERTEX => t.vertices[k],
                EDGE => t.edge_numbers[k % 3],
                _ => t.plane,
            },
        }
    }

    fn push(
        &self,
        [round, poly]: [u32; 2],
        features: Features,
        round_named_first: bool,
        gap: f64,
        sink: &mut Sink<'_>,
    ) {
        if self.round_first {
            sink.push([round, poly], features, !round_named_first, gap);
        } else {
            sink.push([poly, round], features, round_named_first, gap);
        }
    }

    fn poly_point(&self, p: DVec3) -> DVec3 {
        if self.round_first { p } else { self.relative.back(p) }
    }

    fn round_point(&self, p: DVec3) -> DVec3 {
        if self.round_first { self.relative.back(p) } else { p }
    }

    fn round_vector(&self, v: DVec3) -> DVec3 {
        if self.round_first { self.relative.rotation.transpose() * v } else { v }
    }

    /// Points of the round shape over a face: its apex, the lowest points of its rims, or a whole cap.
    fn add_face(&self, face: usize, sink: &mut Sink<'_>) -> f64 {
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
            let down = cap.normal * cap.normal.dot(normal) - normal;
            let tilt = down.length();
            let first = if tilt > FLAT { self.round.outward(-normal) } else { x };
            lowest[cap.end as usize] = cap.centre + self.round.radius * first;
            let ways = if tilt > FLAT {
                let second = self.round.axis().cross(first);
                [first, second, -first, -second]
            } else {
                [x, y, -x, -y]
            };
            for (k, way) in ways.into_iter().enumerate() {
                let p = cap.centre + self.round.radius * way;
                if within(p) {
                    let rim = (k == 0 && tilt > FLAT).then_some(&cap);
                    add(true, VERTEX | (4 * cap.end + k as u32), p, rim, sink);
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
    fn add_cap(&self, end: u32, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
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
    fn add_edge(&self, k: usize, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
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
    fn add_vertices(&self, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
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

    /// What is nearest along an axis that was searched for.
    fn add_free(&self, axis: &Axis, sink: &mut Sink<'_>) {
        match axis.kind {
            Kind::Point(v) => {
                let own = (self.own.vertices[v], self.margin);
                let (features, gap) =
                    rounds::point(own, self.poly.vertices[v], &self.round, self.round_own);
                let codes = [FACE | 1 << 29, self.poly_code(VERTEX, v)];
                if gap > axis.separation - self.margin + PREFERENCE * self.size() {
                    return self.add_support(axis, sink);
                }
                self.push(codes, features, false, gap, sink);
            }
            Kind::Arc(k) => {
                let height = self.poly.ends(k)[0].dot(axis.normal);
                if height > self.poly.lowest(axis.normal) + PREFERENCE * self.size() {
                    return self.add_support(axis, sink);
                }
                self.add_rim_edge(k, axis, sink);
            }
            _ => {}
        }
    }

    /// A rim and an edge: the tangent of the rim stands for it, which is right to first order.
    fn add_rim_edge(&self, k: usize, axis: &Axis, sink: &mut Sink<'_>) {
        let gap = axis.separation - self.margin;
        let codes = [EDGE | 1 << 28, self.poly_code(EDGE, k)];
        let on_round = self.round.farthest(axis.normal);
        let [a, b] = self.poly.ends(k);
        let along = (b - a).normalize();
        let tangent = self.round.axis().cross(axis.normal).normalize_or_zero();
        if along.cross(tangent).length() > RIM_PARALLEL {
            let forward = along.cross(tangent).dot(axis.normal) > 0.0;
            let [p, q] = self.own.ends(k);
            let own = (q - p).normalize();
            let features = Features::Lines {
                origins: [p, self.round_point(on_round)],
                directions: [if forward { own } else { -own }, self.round_vector(tangent)],
                radii: [self.margin, 0.0],
            };
            return self.push(codes, features, false, gap, sink);
        }
        let foot = a + (on_round - a).dot(along) * along;
        let features = Features::BallPlane {
            centre: self.poly_point(foot),
            radius: self.margin,
            origin: self.round_point(on_round),
            normal: self.round_vector(axis.normal),
        };
        self.push(codes, features, false, gap, sink);
    }
}

/// A rim whose tangent has a smaller sine with an edge runs along it: their product gives no normal.
const RIM_PARALLEL: f64 = 1e-3;
