//! The narrow phase: the contact points of two shapes.
//!
//! All of it happens in the axes of the body of one shape, called the other; normals point from the other to the one.

mod axes;
mod clip;
mod curved;
mod curved_features;
mod curved_points;
mod half_space;
mod nearest;
mod outlines;
mod polytopes;
mod rounded;
mod rounds;
mod segments;
mod triangles;

use crate::feature::{FeaturePair, Features};
use crate::outline::Outline;
use crate::polytope::{Edge, Face, PolyRef, Polytope};
use crate::pose::Relative;
use crate::shape::{Part, Shape};
use clip::Corner;
pub(crate) use curved_features::{FACING, LOWEST};
use glam::DVec3;

/// Codes of features: what it is in the upper bits, its number below.
pub(crate) const VERTEX: u32 = 0;
pub(crate) const EDGE: u32 = 1 << 30;
pub(crate) const FACE: u32 = 2 << 30;

/// A contact point: the codes of its features, which identify it, and the features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) codes: [u32; 2],
    pub(crate) feature: FeaturePair,
    pub(crate) gap: f64,
}

/// Storage of the narrow phase.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) found: Vec<Found>,
    moved: Moved,
    outline: Outline,
    polygons: [Vec<Corner>; 2],
    leaves: Vec<u32>,
}

/// A polytope in the axes of another body.
#[derive(Debug, Default)]
struct Moved {
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
}

impl Moved {
    fn fill<'a>(&'a mut self, own: &PolyRef<'a>, relative: &Relative) -> PolyRef<'a> {
        self.vertices.clear();
        self.vertices.extend(own.vertices.iter().map(|v| relative.point(*v)));
        self.faces.clear();
        self.faces.extend(own.faces.iter().map(|f| {
            let normal = relative.vector(f.normal);
            Face { normal, offset: f.offset + normal.dot(relative.shift), ..*f }
        }));
        self.edges.clear();
        self.edges.extend(
            own.edges.iter().map(|e| Edge { normals: e.normals.map(|n| relative.vector(n)), ..*e }),
        );
        PolyRef { vertices: &self.vertices, faces: &self.faces, edges: &self.edges, ..*own }
    }
}

/// Where contact points go.
pub(crate) struct Sink<'a> {
    found: &'a mut Vec<Found>,
    /// Whether the one shape belongs to the second body.
    swapped: bool,
    reach: f64,
}

impl Sink<'_> {
    /// Adds a point if it is within reach. The codes are those of the one and of the other shape; `flip` says that the feature named
    /// first belongs to the other.
    fn push(&mut self, codes: [u32; 2], features: Features, flip: bool, gap: f64) {
        if gap > self.reach {
            return;
        }
        let codes = if self.swapped { [codes[1], codes[0]] } else { codes };
        let feature = FeaturePair { features, swapped: flip ^ self.swapped };
        self.found.push(Found { codes, feature, gap });
    }
}

/// Leaves the contact points of two parts in `scratch.found`; false if no contact of such parts is known.
pub(crate) fn narrow(
    first: &Part,
    second: &Part,
    relative: &Relative,
    reach: f64,
    scratch: &mut Scratch,
) -> bool {
    scratch.found.clear();
    let swapped = rank(&first.shape) > rank(&second.shape);
    let inverse = relative.inverse();
    let (one, other, relative) =
        if swapped { (second, first, &inverse) } else { (first, second, relative) };
    let Scratch { found, moved, outline, polygons, leaves } = scratch;
    let sink = &mut Sink { found, swapped, reach };
    match (&one.shape, &other.shape) {
        (shape, Shape::HalfSpace { origin, normal }) => {
            half_space::meet(shape, relative, (*origin, *normal), sink);
        }
        (Shape::Outline(one), Shape::Outline(other)) => {
            outlines::meet(one, other, relative, outline, sink);
        }
        (Shape::Outline(one), Shape::Segment(segment)) => {
            segments::meet(one, segment, relative, outline, sink);
        }
        (Shape::Surface(_) | Shape::Outline(_) | Shape::Segment(_), _)
        | (_, Shape::Outline(_) | Shape::Segment(_)) => {
            return false;
        }
        (shape, Shape::Surface(surface)) => {
            triangles::meet((shape, one), surface, relative, (moved, polygons, leaves), sink);
        }
        (shape, Shape::Round(round)) => {
            curved::meet(shape, round, relative, moved, sink);
        }
        (Shape::Ball { centre, radius }, Shape::Ball { centre: c, radius: r }) => {
            rounded::balls((*centre, *radius), (*c, *r), relative, sink);
        }
        (Shape::Ball { centre, radius }, Shape::Capsule { ends, radius: r }) => {
            rounded::ball_capsule((*centre, *radius), (*ends, *r), relative, sink);
        }
        (Shape::Capsule { ends, radius }, Shape::Capsule { ends: e, radius: r }) => {
            rounded::capsules((*ends, *radius), (*e, *r), relative, sink);
        }
        (shape, Shape::Polytope(other)) => {
            let convex = Convex::of(shape);
            let Some(own) = convex.view() else { return true };
            let one = moved.fill(&own, relative);
            let pair = polytopes::Pair {
                one,
                own,
                radius: convex.radius,
                other: other.view(),
                relative,
                surface: None,
            };
            let found = match shape {
                Shape::Polytope(Polytope { cuboid: Some(a), .. }) => {
                    other.cuboid.as_ref().map(|b| axes::cuboids(a, b, relative, pair.slack()))
                }
                _ => None,
            };
            polytopes::meet(&pair, found, polygons, sink);
        }
        // The ranks leave no other pair.
        _ => {}
    }
    true
}

fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Ball { .. } | Shape::Outline(_) => 0,
        Shape::Capsule { .. } => 1,
        Shape::Polytope(_) => 2,
        Shape::Round(_) => 3,
        Shape::Surface(_) | Shape::Segment(_) => 4,
        Shape::HalfSpace { .. } => 5,
    }
}

/// A point, segment or polytope with a radius about it, in body axes.
pub(crate) struct Convex<'a> {
    points: [DVec3; 2],
    count: usize,
    radius: f64,
    polytope: Option<&'a Polytope>,
}

const SEGMENT: [Edge; 1] = [Edge { ends: [0, 1], normals: [DVec3::ZERO; 2] }];

impl<'a> Convex<'a> {
    fn of(shape: &'a Shape) -> Self {
        let none = Self { points: [DVec3::ZERO; 2], count: 0, radius: 0.0, polytope: None };
        match shape {
            Shape::Ball { centre, radius } => {
                Self { points: [*centre; 2], count: 1, radius: *radius, ..none }
            }
            Shape::Capsule { ends, radius } => {
                Self { points: *ends, count: 2, radius: *radius, ..none }
            }
            Shape::Polytope(polytope) => Self { polytope: Some(polytope), ..none },
            _ => none,
        }
    }

    fn view(&self) -> Option<PolyRef<'_>> {
        if let Some(polytope) = self.polytope {
            return Some(polytope.view());
        }
        let size = self.radius + 0.5 * (self.points[1] - self.points[0]).length();
        (self.count > 0).then(|| PolyRef {
            vertices: &self.points[..self.count],
            faces: &[],
            loops: &[],
            loop_edges: &[],
            edges: &SEGMENT[..self.count - 1],
            size,
        })
    }
}
