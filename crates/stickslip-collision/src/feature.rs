//! What touches: pairs of features in body axes, with gap, points and normal as smooth functions of the poses.
//!
//! Notation: p a point or centre, u a unit direction, n the unit normal from the second body to the first, r a radius.

use crate::dual::{Scalar, Vector};
use crate::pose::Pose;
use glam::{DMat3, DVec3};

/// The features of two bodies that touch or may touch, each in the axes of its body: that of one body, and that of the other.
///
/// Directions and normals are unit vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Features {
    /// Ball against ball; a radius may be 0, which is a vertex.
    Balls {
        /// The centres.
        centres: [DVec3; 2],
        /// The radii.
        radii: [f64; 2],
    },
    /// Ball (or vertex) of the one against a plane of the other.
    BallPlane {
        /// The centre.
        centre: DVec3,
        /// Its radius, ≥ 0.
        radius: f64,
        /// A point of the plane.
        origin: DVec3,
        /// Out of the other body.
        normal: DVec3,
    },
    /// Ball (or vertex) of the one against a line of the other: an edge, or with a radius the axis of a cylinder or capsule.
    BallLine {
        /// The centre.
        centre: DVec3,
        /// Its radius, ≥ 0.
        radius: f64,
        /// A point of the line.
        origin: DVec3,
        /// Along the line.
        direction: DVec3,
        /// The radius about the line, ≥ 0.
        line_radius: f64,
    },
    /// Line against line: edges, or with radii the axes of cylinders or capsules. The normal is along the cross product of the
    /// directions in this order, so that the gap goes smoothly through zero.
    Lines {
        /// A point of each.
        origins: [DVec3; 2],
        /// Along each.
        directions: [DVec3; 2],
        /// The radius about each, ≥ 0.
        radii: [f64; 2],
    },
    /// Ball (or vertex) of the one against the side of a cone of the other.
    BallCone {
        /// The centre.
        centre: DVec3,
        /// Its radius, ≥ 0.
        radius: f64,
        /// The apex of the cone.
        apex: DVec3,
        /// From the base to the apex.
        axis: DVec3,
        /// The sine and cosine of the angle between the axis and the side.
        slope: [f64; 2],
    },
    /// The nearest point of a circle of the one against a plane of the other: a rim that rolls, or the side of a cylinder.
    RimPlane {
        /// The centre.
        centre: DVec3,
        /// Perpendicular to the plane of the circle.
        axis: DVec3,
        /// Its radius.
        radius: f64,
        /// A point of the plane.
        origin: DVec3,
        /// Out of the other body.
        normal: DVec3,
    },
    /// Ball (or vertex) of the one against a circle of the other: the rim of a cylinder or cone from outside.
    BallRim {
        /// The centre of the ball.
        centre: DVec3,
        /// Its radius, ≥ 0.
        radius: f64,
        /// The centre of the circle.
        middle: DVec3,
        /// Perpendicular to the plane of the circle.
        axis: DVec3,
        /// The radius of the circle.
        rim_radius: f64,
    },
}

/// The features of a contact, and which of them belongs to the first body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeaturePair {
    /// The features.
    pub features: Features,
    /// Whether the feature named first belongs to the second body.
    pub swapped: bool,
}

/// How close two bodies are at a contact, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proximity {
    /// Distance; negative where they overlap.
    pub gap: f64,
    /// The nearest point of the first body.
    pub on_first: DVec3,
    /// The nearest point of the second body.
    pub on_second: DVec3,
    /// The unit normal from the second to the first.
    pub normal: DVec3,
}

/// The rates of a [`Proximity`] while its bodies move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProximityRate {
    /// Of the gap.
    pub gap: f64,
    /// Of the nearest point of the first body: of the place, not of the material point there.
    pub on_first: DVec3,
    /// Of the nearest point of the second body.
    pub on_second: DVec3,
    /// Of the normal.
    pub normal: DVec3,
}

impl FeaturePair {
    /// Gap, nearest points and normal at these poses, which may be others than those of the detection. About 30 ns.
    #[must_use]
    pub fn proximity(&self, first: &Pose, second: &Pose) -> Proximity {
        let still = |pose| (pose, DVec3::ZERO, DVec3::ZERO);
        self.both(still(first), still(second)).0
    }

    /// The rates while the bodies move: of each its pose, the velocity of its origin (its centre of mass) and its angular
    /// velocity, in world axes. Exact, by the derivatives of the same formulae.
    #[must_use]
    pub fn rate(
        &self,
        first: (&Pose, DVec3, DVec3),
        second: (&Pose, DVec3, DVec3),
    ) -> ProximityRate {
        self.both(first, second).1
    }

    /// The same contact with the bodies exchanged.
    #[must_use]
    pub fn exchanged(&self) -> Self {
        Self { swapped: !self.swapped, ..*self }
    }

    fn both(
        &self,
        first: (&Pose, DVec3, DVec3),
        second: (&Pose, DVec3, DVec3),
    ) -> (Proximity, ProximityRate) {
        let [one, other] = if self.swapped { [second, first] } else { [first, second] };
        // Positions are taken relative to the other body before anything is added to them.
        let shift = Vector { value: one.0.position - other.0.position, rate: one.1 - other.1 };
        let frames = [
            Frame { rotation: crate::pose::matrix(one.0.rotation), spin: one.2, shift },
            Frame {
                rotation: crate::pose::matrix(other.0.rotation),
                spin: other.2,
                shift: Vector::default(),
            },
        ];
        let found = evaluate(&self.features, &frames);
        let [a, b] = [found.on_one, found.on_other];
        let (origin, drift) = (other.0.position, other.1);
        let sign = if self.swapped { -1.0 } else { 1.0 };
        let [p, q] = if self.swapped { [b, a] } else { [a, b] };
        let proximity = Proximity {
            gap: found.gap.value,
            on_first: origin + p.value,
            on_second: origin + q.value,
            normal: sign * found.normal.value,
        };
        let rate = ProximityRate {
            gap: found.gap.rate,
            on_first: drift + p.rate,
            on_second: drift + q.rate,
            normal: sign * found.normal.rate,
        };
        (proximity, rate)
    }
}

/// World axes with the origin at the other body.
struct Frame {
    rotation: DMat3,
    spin: DVec3,
    shift: Vector,
}

impl Frame {
    fn vector(&self, local: DVec3) -> Vector {
        let value = self.rotation * local;
        Vector { value, rate: self.spin.cross(value) }
    }

    fn point(&self, local: DVec3) -> Vector {
        self.shift + self.vector(local)
    }
}

struct Found {
    gap: Scalar,
    on_one: Vector,
    on_other: Vector,
    normal: Vector,
}

fn evaluate(features: &Features, [one, other]: &[Frame; 2]) -> Found {
    match *features {
        Features::Balls { centres, radii } => {
            balls(one.point(centres[0]), radii[0], other.point(centres[1]), radii[1], DVec3::Z)
        }
        Features::BallPlane { centre, radius, origin, normal } => {
            plane(one.point(centre), radius, other.point(origin), other.vector(normal))
        }
        Features::BallLine { centre, radius, origin, direction, line_radius } => {
            let (p, o, u) = (one.point(centre), other.point(origin), other.vector(direction));
            let foot = o + u * (p - o).dot(u);
            balls(p, radius, foot, line_radius, u.value.any_orthonormal_vector())
        }
        Features::Lines { origins, directions, radii } => {
            let (p, u) = (one.point(origins[0]), one.vector(directions[0]));
            let (q, v) = (other.point(origins[1]), other.vector(directions[1]));
            lines((p, u, radii[0]), (q, v, radii[1]))
        }
        Features::BallCone { centre, radius, apex, axis, slope: [sine, cosine] } => {
            let (p, o, u) = (one.point(centre), other.point(apex), other.vector(axis));
            let outward = (p - o).across(u).polar(u.value.any_orthonormal_vector()).1;
            plane(p, radius, o, outward * cosine + u * sine)
        }
        Features::RimPlane { centre, axis, radius, origin, normal } => {
            let (c, u) = (one.point(centre), one.vector(axis));
            let n = other.vector(normal);
            let down = (-n).across(u).polar(u.value.any_orthonormal_vector()).1;
            plane(c + down * radius, 0.0, other.point(origin), n)
        }
        Features::BallRim { centre, radius, middle, axis, rim_radius } => {
            let (p, c, u) = (one.point(centre), other.point(middle), other.vector(axis));
            let outward = (p - c).across(u).polar(u.value.any_orthonormal_vector()).1;
            balls(p, radius, c + outward * rim_radius, 0.0, outward.value)
        }
    }
}

fn balls(p: Vector, r: f64, q: Vector, s: f64, fallback: DVec3) -> Found {
    let (distance, normal) = (p - q).polar(fallback);
    let gap = distance - Scalar::constant(r + s);
    Found { gap, on_one: p - normal * r, on_other: q + normal * s, normal }
}

fn plane(p: Vector, r: f64, origin: Vector, normal: Vector) -> Found {
    let gap = (p - origin).dot(normal) - Scalar::constant(r);
    let on_one = p - normal * r;
    Found { gap, on_one, on_other: on_one - normal * gap, normal }
}

fn lines((p, u, r): (Vector, Vector, f64), (q, v, s): (Vector, Vector, f64)) -> Found {
    let normal = u.cross(v).polar(u.value.any_orthonormal_vector()).1;
    let between = p - q;
    let gap = between.dot(normal) - Scalar::constant(r + s);
    // The feet: p + s u and q + t v with the difference across both directions.
    let c = u.dot(v);
    let (a, b) = (between.dot(u), between.dot(v));
    let square = Scalar::constant(1.0) - c * c;
    let scale = if square.value > 0.0 { square.inverse() } else { Scalar::default() };
    let (along_u, along_v) = ((c * b - a) * scale, (b - c * a) * scale);
    let (on_one, on_other) = (p + u * along_u, q + v * along_v);
    Found { gap, on_one: on_one - normal * r, on_other: on_other + normal * s, normal }
}
