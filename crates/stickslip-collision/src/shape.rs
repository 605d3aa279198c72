//! Geometries as the detector keeps them: simple shapes in the axes of their bodies.

use crate::error::Error;
use crate::geometry::Geometry;
use crate::polytope::Polytope;
use crate::pose::{Pose, matrix};
use crate::surface::Surface;
use glam::{DMat3, DVec3};

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
}

/// A simple shape of a collider, with the middle and half lengths of its bounding box in body axes.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) shape: Shape,
    pub(crate) middle: DVec3,
    pub(crate) half: DVec3,
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
    let number = parts.iter().rev().take_while(|p| p.collider == collider).count() as u32;
    let shape = simple(geometry, pose)?;
    let (middle, half) = bounds(&shape);
    parts.push(Part { shape, middle, half, collider, number });
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
        Geometry::HalfSpace | Geometry::Compound { .. } => {
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
        }
    }
}
