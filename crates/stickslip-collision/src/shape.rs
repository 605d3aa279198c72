//! Geometries as the detector keeps them: simple shapes in the axes of their bodies.

use crate::error::Error;
use crate::geometry::Geometry;
use crate::outline::{Outline, Segment};
use crate::polytope::Polytope;
use crate::pose::{Pose, matrix};
use crate::surface::Surface;
use glam::{DMat3, DVec2, DVec3};

/// A cylinder or a cone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) centre: DVec3,
    /// Its axes x, y and z.
    pub(crate) axes: DMat3,
    pub(crate) half_height: f64,
    pub(crate) radius: f64,
    pub(crate) cone: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Ball { centre: DVec3, radius: f64 },
    Capsule { ends: [DVec3; 2], radius: f64 },
    Polytope(Polytope),
    Round(Round),
    HalfSpace { origin: DVec3, normal: DVec3 },
    Surface(Surface),
    Outline(Outline),
    Segment(Segment),
}

/// A simple shape of a collider, with the middle and half lengths of its bounding box in body axes.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) shape: Shape,
    pub(crate) middle: DVec3,
    pub(crate) half: DVec3,
    /// Half of its least width.
    pub(crate) thickness: f64,
    pub(crate) collider: usize,
    /// Its number in a compound.
    pub(crate) number: u32,
}

/// Appends the simple shapes of a geometry that has been validated.
pub(crate) fn build(
    geometry: &Geometry,
    pose: &Pose,
    collider: usize,
    parts: &mut Vec<Part>,
) -> Result<(), Error> {
    if let Geometry::Compound { parts: inner } = geometry {
        return inner
            .iter()
            .try_for_each(|(at, geometry)| build(geometry, &pose.then(at), collider, parts));
    }
    let mut number = parts.iter().rev().take_while(|p| p.collider == collider).count() as u32;
    let mut add = |shape: Shape| {
        let (middle, half) = bounds(&shape);
        let thickness = thickness(&shape);
        parts.push(Part { shape, middle, half, thickness, collider, number });
        number += 1;
    };
    match geometry {
        Geometry::Chain { points } => {
            Segment::chain(points, pose).into_iter().map(Shape::Segment).for_each(add);
        }
        _ => add(simple(geometry, pose)?),
    }
    Ok(())
}

fn simple(geometry: &Geometry, pose: &Pose) -> Result<Shape, Error> {
    let axes = matrix(pose.rotation);
    let round = |half_height, radius, cone| {
        Shape::Round(Round { centre: pose.position, axes, half_height, radius, cone })
    };
    Ok(match geometry {
        Geometry::Sphere { radius } => Shape::Ball { centre: pose.position, radius: *radius },
        Geometry::Box { half_lengths } => Shape::Polytope(Polytope::cuboid(*half_lengths, pose)),
        Geometry::Capsule { half_length, radius } => {
            let half = *half_length * axes.z_axis;
            let ends = [pose.position - half, pose.position + half];
            Shape::Capsule { ends, radius: *radius }
        }
        Geometry::Cylinder { half_height, radius } => round(*half_height, *radius, false),
        Geometry::Cone { half_height, radius } => round(*half_height, *radius, true),
        Geometry::Hull { points } => {
            Shape::Polytope(Polytope::hull(points, pose, geometry.name())?)
        }
        Geometry::Mesh { .. } | Geometry::HeightField { .. } => {
            let (vertices, triangles) = geometry.triangles().unwrap_or_default();
            Shape::Surface(Surface::new(&vertices, &triangles, pose))
        }
        Geometry::Polygon { points, radius } => Shape::Outline(Outline::new(points, *radius, pose)),
        // Chains and compounds have been taken apart.
        Geometry::HalfSpace | Geometry::Chain { .. } | Geometry::Compound { .. } => {
            Shape::HalfSpace { origin: pose.position, normal: axes.z_axis }
        }
    })
}

/// Middle and half lengths of the bounding box in body axes.
fn bounds(shape: &Shape) -> (DVec3, DVec3) {
    let of = |points: &[DVec3], margin: f64| {
        let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let most = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        (0.5 * (least + most), 0.5 * (most - least) + DVec3::splat(margin))
    };
    match shape {
        Shape::Ball { centre, radius } => (*centre, DVec3::splat(*radius)),
        Shape::Capsule { ends, radius } => of(ends, *radius),
        Shape::Polytope(polytope) => of(&polytope.vertices, 0.0),
        Shape::Round(round) => {
            let flat = DVec3::new(round.radius, round.radius, round.half_height);
            let a = &round.axes;
            (
                round.centre,
                a.x_axis.abs() * flat.x + a.y_axis.abs() * flat.y + a.z_axis.abs() * flat.z,
            )
        }
        Shape::HalfSpace { origin, .. } => (*origin, DVec3::INFINITY),
        Shape::Surface(surface) => of(&surface.vertices, 0.0),
        Shape::Outline(outline) => {
            let points: Vec<DVec3> = outline.vertices.iter().map(|v| v.extend(0.0)).collect();
            of(&points, outline.radius)
        }
        Shape::Segment(segment) => of(&segment.ends.map(|v| v.extend(0.0)), 0.0),
    }
}

/// The radius of a ball inside of a shape: the largest one, or that about the middle of the vertices of a hull.
fn thickness(shape: &Shape) -> f64 {
    match shape {
        Shape::Ball { radius, .. } | Shape::Capsule { radius, .. } => *radius,
        Shape::Polytope(Polytope { cuboid: Some(cuboid), .. }) => cuboid.half.min_element(),
        Shape::Polytope(hull) => {
            let middle = hull.vertices.iter().sum::<DVec3>() / hull.vertices.len() as f64;
            let depths = hull.faces.iter().map(|face| face.offset - face.normal.dot(middle));
            depths.fold(f64::INFINITY, f64::min)
        }
        Shape::Round(Round { half_height, radius, cone: false, .. }) => half_height.min(*radius),
        Shape::Round(Round { half_height, radius, .. }) => {
            let height = 2.0 * half_height;
            radius * height / (radius + radius.hypot(height))
        }
        Shape::HalfSpace { .. } => f64::INFINITY,
        Shape::Outline(outline) => {
            let middle = outline.vertices.iter().sum::<DVec2>() / outline.vertices.len() as f64;
            let edges = outline.vertices.iter().zip(&outline.normals);
            let depths = edges.map(|(v, normal)| normal.dot(*v - middle));
            outline.radius + depths.reduce(f64::min).unwrap_or(0.0)
        }
        Shape::Surface(_) | Shape::Segment(_) => 0.0,
    }
}

impl Part {
    /// How far it reaches from the origin of its body at most.
    pub(crate) fn extent(&self) -> f64 {
        match self.shape {
            Shape::HalfSpace { .. } => 0.0,
            _ => (self.middle.abs() + self.half).length(),
        }
    }

    /// How fast points of its surface move at most, but for motions of the surface in itself, where its body turns with this angular
    /// velocity, in body axes.
    pub(crate) fn turning(&self, angular: DVec3) -> f64 {
        match &self.shape {
            Shape::Ball { centre, .. } => angular.cross(*centre).length(),
            Shape::Capsule { ends, .. } => {
                angular.cross(ends[0]).length().max(angular.cross(ends[1]).length())
            }
            Shape::Round(round) => {
                let about = angular.dot(round.axes.z_axis) * round.axes.z_axis;
                let across = (angular - about).length() * self.extent();
                about.cross(round.centre).length() + across
            }
            _ => angular.length() * self.extent(),
        }
    }
}

impl Shape {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Ball { .. } => "a sphere",
            Self::Capsule { .. } => "a capsule",
            Self::Polytope(_) => "a box or hull",
            Self::Round(round) if round.cone => "a cone",
            Self::Round(_) => "a cylinder",
            Self::HalfSpace { .. } => "a half-space",
            Self::Surface(_) => "a mesh or height field",
            Self::Outline(_) => "a polygon of the plane",
            Self::Segment(_) => "a chain of the plane",
        }
    }
}
