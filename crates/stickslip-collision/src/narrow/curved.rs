//! Cylinders and cones against convex shapes and triangles.
//!
//! Flat caps and faces, sides of cylinders against vertices and edges, and everything against balls are exact. Where a rim or the side of a cone
//! meets an edge, and where round shapes meet other than flat on flat or side on side, the normal is found by a search over an angle and is good
//! to about 1e-8; the gap is good to its square.

use super::{Convex, EDGE, FACE, Moved, Sink, VERTEX, rounds};
use crate::feature::Features;
use crate::polytope::PolyRef;
use crate::pose::Relative;
use crate::shape::{Round, Shape};
use crate::surface::{Surface, Triangle};
use crate::tolerance::{PARALLEL, PREFERENCE};
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
pub(super) enum Kind {
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
pub(super) struct Axis {
    pub(super) separation: f64,
    pub(super) normal: DVec3,
    pub(super) kind: Kind,
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
    pub(super) fn meet(&self, sink: &mut Sink<'_>) {
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
    pub(super) fn add_support(&self, axis: &Axis, sink: &mut Sink<'_>) {
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
    pub(super) fn search(&self) -> Option<Axis> {
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

    pub(super) fn size(&self) -> f64 {
        self.round.size().min(self.poly.size)
    }

    pub(super) fn is_behind(&self) -> bool {
        self.surface.is_some_and(|(_, t)| {
            let nearest = self.round.farthest(t.normal());
            (nearest - t.corners[0]).dot(t.normal()) < 0.0
        })
    }

    /// The distance along a normal from the round shape to the polytope.
    pub(super) fn separation(&self, normal: DVec3) -> f64 {
        self.poly.lowest(normal) - self.round.farthest(normal).dot(normal)
    }

    pub(super) fn admits(&self, normal: DVec3) -> bool {
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
    pub(super) fn best(&self, slack: f64) -> Option<Axis> {
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

    pub(super) fn add(&self, axis: &Axis, sink: &mut Sink<'_>) -> f64 {
        match axis.kind {
            Kind::Face(k) => self.add_face(k, sink),
            Kind::Cap(end) => self.add_cap(end, axis, sink),
            Kind::Edge(k) => self.add_edge(k, axis, sink),
            Kind::Vertex(_) => self.add_vertices(axis, sink),
            Kind::Point(_) | Kind::Arc(_) => f64::INFINITY,
        }
    }

    pub(super) fn poly_code(&self, kind: u32, k: usize) -> u32 {
        kind | match self.surface {
            None => k as u32,
            Some((_, t)) => match kind {
                VERTEX => t.vertices[k],
                EDGE => t.edge_numbers[k % 3],
                _ => t.plane,
            },
        }
    }

    pub(super) fn push(
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

    pub(super) fn poly_point(&self, p: DVec3) -> DVec3 {
        if self.round_first { p } else { self.relative.back(p) }
    }

    pub(super) fn round_point(&self, p: DVec3) -> DVec3 {
        if self.round_first { self.relative.back(p) } else { p }
    }

    pub(super) fn round_vector(&self, v: DVec3) -> DVec3 {
        if self.round_first { self.relative.rotation.transpose() * v } else { v }
    }

    /// What is nearest along an axis that was searched for.
    pub(super) fn add_free(&self, axis: &Axis, sink: &mut Sink<'_>) {
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
    pub(super) fn add_rim_edge(&self, k: usize, axis: &Axis, sink: &mut Sink<'_>) {
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
