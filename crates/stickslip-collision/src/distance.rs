//! The distance between two geometries, by the algorithm of Gilbert, Johnson and Keerthi (1988) on their convex parts.
//!
//! An answer of it is two points, whose distance is never too small. Along the line through them the two bodies are apart by what their
//! farthest points say, which is never too large: where the two numbers differ, there is no answer.

use crate::error::Error;
use crate::geometry::Geometry;
use crate::pose::Pose;
use crate::tolerance::DISTANCE;
use glam::{DVec2, DVec3};
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;

/// A convex geometry: all points within a radius of a core.
struct Convex<'g> {
    core: Core<'g>,
    radius: f64,
    pose: Pose,
}

enum Core<'g> {
    Point,
    /// Half of its length, along z.
    Segment(f64),
    Box(DVec3),
    /// Half height and radius, about z.
    Cylinder(f64, f64),
    /// The same.
    Cone(f64, f64),
    Points(&'g [DVec3]),
    /// Points of the plane z = 0.
    Flat(&'g [DVec2]),
    Triangle([DVec3; 3]),
}

/// What a geometry consists of.
enum Piece<'g> {
    HalfSpace(Pose),
    Convex(Convex<'g>),
    /// A surface, with its pose.
    Triangles(Vec<DVec3>, Vec<[usize; 3]>, Pose),
}

/// The most pairs of triangles of two surfaces.
const MOST_PAIRS: usize = 1_000_000;

impl Geometry {
    /// The distance between this geometry and another at these poses; 0 where they overlap. Meshes and height fields are surfaces: what is
    /// inside of one is as far from it as it is from its triangles, all of which are looked at.
    ///
    /// # Errors
    /// If one of the two is a half-space and the other is no bounded geometry, two surfaces have too many triangles, or rounding leaves
    /// the answer open.
    pub fn distance(&self, at: &Pose, other: &Self, there: &Pose) -> Result<f64, Error> {
        // Far from the origin, differences have more digits than places.
        let origin = Pose { position: DVec3::ZERO, ..*at };
        let there = Pose { position: there.position - at.position, ..*there };
        let (mut first, mut second) = (Vec::new(), Vec::new());
        pieces(self, &origin, &mut first);
        pieces(other, &there, &mut second);
        let refuse = |problem, cure| Error::Degenerate {
            place: format!("the distance between {} and {}", self.name(), other.name()),
            problem,
            cure,
        };
        let mut least = f64::INFINITY;
        for a in &first {
            for b in &second {
                let found = between(a, b).map_err(|(problem, cure)| refuse(problem, cure))?;
                least = least.min(found);
            }
        }
        Ok(least.max(0.0))
    }
}

type Refusal = (&'static str, &'static str);

fn between(a: &Piece<'_>, b: &Piece<'_>) -> Result<f64, Refusal> {
    match (a, b) {
        (Piece::HalfSpace(_), Piece::HalfSpace(_)) => {
            Err(("is that of two half-spaces", "give one of the bodies a shape with an end"))
        }
        (Piece::HalfSpace(pose), Piece::Convex(convex))
        | (Piece::Convex(convex), Piece::HalfSpace(pose)) => {
            let normal = pose.rotation * DVec3::Z;
            Ok(normal.dot(convex.support(-normal) - pose.position) - convex.radius)
        }
        (Piece::HalfSpace(pose), Piece::Triangles(vertices, _, at))
        | (Piece::Triangles(vertices, _, at), Piece::HalfSpace(pose)) => {
            let normal = pose.rotation * DVec3::Z;
            let heights = vertices.iter().map(|v| normal.dot(at.point(*v) - pose.position));
            Ok(heights.fold(f64::INFINITY, f64::min))
        }
        (Piece::Convex(a), Piece::Convex(b)) => convex(a, b),
        (Piece::Triangles(vertices, triangles, pose), Piece::Convex(other))
        | (Piece::Convex(other), Piece::Triangles(vertices, triangles, pose)) => {
            let each = triangles.iter().map(|t| convex(&triangle(vertices, t, pose), other));
            least(each)
        }
        (Piece::Triangles(v, s, at), Piece::Triangles(w, t, there)) => {
            if s.len().saturating_mul(t.len()) > MOST_PAIRS {
                return Err((
                    "is that of two surfaces with more than a million pairs of triangles",
                    "make one of them a hull",
                ));
            }
            let pairs = s.iter().flat_map(|s| t.iter().map(move |t| (s, t)));
            least(pairs.map(|(s, t)| convex(&triangle(v, s, at), &triangle(w, t, there))))
        }
    }
}

fn least(mut each: impl Iterator<Item = Result<f64, Refusal>>) -> Result<f64, Refusal> {
    each.try_fold(f64::INFINITY, |least, x| Ok(least.min(x?)))
}

fn triangle<'g>(vertices: &[DVec3], triangle: &[usize; 3], pose: &Pose) -> Convex<'g> {
    Convex { core: Core::Triangle(triangle.map(|v| vertices[v])), radius: 0.0, pose: *pose }
}

/// The distance of two convex geometries; negative where the radii of two points overlap.
fn convex(a: &Convex<'_>, b: &Convex<'_>) -> Result<f64, Refusal> {
    let radii = a.radius + b.radius;
    if let (Core::Point, Core::Point) = (&a.core, &b.core) {
        return Ok((b.pose.position - a.pose.position).length() - radii);
    }
    let here = parry3d_f64::math::Pose::IDENTITY;
    let towards = (b.pose.position - a.pose.position).normalize_or(DVec3::X);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&here, a, b, towards));
    match closest_points(&here, a, b, f64::MAX, true, &mut simplex) {
        GJKResult::Intersection => Ok(-radii),
        GJKResult::ClosestPoints(p, q, _) => {
            let far = (q - p).length();
            let normal = (q - p).normalize_or_zero();
            let near = normal.dot(b.support(-normal) - a.support(normal));
            let size = far + a.support(normal).length() + b.support(-normal).length();
            if far - near <= DISTANCE * size { Ok(far - radii) } else { Err(OPEN) }
        }
        _ => Err(OPEN),
    }
}

const OPEN: Refusal =
    ("was not found: rounding leaves it open", "give shapes that are less thin or less far apart");

impl Convex<'_> {
    /// The point of the core that is farthest in a direction.
    fn support(&self, direction: DVec3) -> DVec3 {
        let d = self.pose.rotation.conjugate() * direction;
        let disc = |radius: f64| {
            let across = DVec3::new(d.x, d.y, 0.0);
            radius * across.normalize_or_zero()
        };
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let farthest = |points: &[DVec3]| {
            let first = points.first().copied().unwrap_or_default();
            let better = |best: DVec3, p: &DVec3| if p.dot(d) > best.dot(d) { *p } else { best };
            points.iter().fold(first, better)
        };
        let local = match &self.core {
            Core::Point => DVec3::ZERO,
            Core::Segment(half) => DVec3::new(0.0, 0.0, sign(d.z) * half),
            Core::Box(half) => DVec3::new(sign(d.x), sign(d.y), sign(d.z)) * *half,
            Core::Cylinder(half, radius) => disc(*radius) + sign(d.z) * half * DVec3::Z,
            Core::Cone(half, radius) => {
                let (apex, base) = (*half * DVec3::Z, disc(*radius) - *half * DVec3::Z);
                if apex.dot(d) > base.dot(d) { apex } else { base }
            }
            Core::Points(points) => farthest(points),
            Core::Flat(points) => {
                let first = points.first().copied().unwrap_or_default();
                let ahead = |best: DVec2, p: &DVec2| {
                    if p.dot(d.truncate()) > best.dot(d.truncate()) { *p } else { best }
                };
                points.iter().fold(first, ahead).extend(0.0)
            }
            Core::Triangle(points) => farthest(points),
        };
        self.pose.point(local)
    }
}

impl SupportMap for Convex<'_> {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        self.support(direction)
    }
}

fn pieces<'g>(geometry: &'g Geometry, pose: &Pose, out: &mut Vec<Piece<'g>>) {
    let (core, radius) = match geometry {
        Geometry::Sphere { radius } => (Core::Point, *radius),
        Geometry::Capsule { half_length, radius } => (Core::Segment(*half_length), *radius),
        Geometry::Box { half_lengths } => (Core::Box(*half_lengths), 0.0),
        Geometry::Cylinder { half_height, radius } => (Core::Cylinder(*half_height, *radius), 0.0),
        Geometry::Cone { half_height, radius } => (Core::Cone(*half_height, *radius), 0.0),
        Geometry::Hull { points } => (Core::Points(points), 0.0),
        Geometry::Polygon { points, radius } => (Core::Flat(points), *radius),
        Geometry::Chain { points } => {
            let segment = |ends| Convex { core: Core::Flat(ends), radius: 0.0, pose: *pose };
            return out.extend(points.windows(2).map(segment).map(Piece::Convex));
        }
        Geometry::HalfSpace => return out.push(Piece::HalfSpace(*pose)),
        Geometry::Mesh { .. } | Geometry::HeightField { .. } => {
            let surface = geometry.triangles();
            out.extend(surface.map(|(v, t)| Piece::Triangles(v, t, *pose)));
            return;
        }
        Geometry::Compound { parts } => {
            parts.iter().for_each(|(at, part)| pieces(part, &pose.then(at), out));
            return;
        }
    };
    out.push(Piece::Convex(Convex { core, radius, pose: *pose }));
}
