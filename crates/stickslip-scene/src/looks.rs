//! What the bodies of a scene look like: their shapes, whether they collide or not.

use crate::bodies::draft::{BodyDraft, ShapeKind, SideDraft, SpaceDraft};
use crate::bodies::plan::{Plan, Role};
use crate::bodies::{self, Values, plane, shape_of_part};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use stickslip::bodies::{Geometry, Pose, Shape};
use stickslip::expression::Definition;

/// A body as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLook {
    /// Its name.
    pub name: String,
    /// Whether it moves, freely or as its motion says.
    pub moves: bool,
    /// Whether forces move it.
    pub free: bool,
    /// Where it is at the start.
    pub pose: Pose,
    /// Its shapes; empty for a body without one.
    pub parts: Vec<LookPart>,
}

/// A shape in the axes of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct LookPart {
    /// Where.
    pub pose: Pose,
    /// What.
    pub shape: LookShape,
}

/// A shape that is drawn; lengths in metres, axes along z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookShape {
    /// The radius.
    Sphere(f64),
    /// Half of the lengths.
    Box([f64; 3]),
    /// The half-axes.
    Ellipsoid([f64; 3]),
    /// Radius and half of the length of the segment.
    Capsule([f64; 2]),
    /// Radius and half of the height.
    Cylinder([f64; 2]),
    /// Radius of the base at z = −h and half of the height h.
    Cone([f64; 2]),
    /// z ≤ 0.
    HalfSpace,
    /// Vertices and triangles.
    Mesh {
        /// x, y and z of each.
        vertices: Vec<[f64; 3]>,
        /// Counter-clockwise seen from outside.
        triangles: Vec<[usize; 3]>,
    },
    /// In the plane: all points within the radius of a convex polygon.
    Polygon {
        /// Its corners.
        points: Vec<[f64; 2]>,
        /// The radius.
        radius: f64,
    },
    /// In the plane: a line from point to point.
    Chain(Vec<[f64; 2]>),
}

/// Half of the thickness with which a disc that has none is drawn, as a share of its radius.
const DISC_THICKNESS: f64 = 0.02;

/// The bodies of a scene, the ground first. What has no shape, or one that cannot be built, has no parts.
pub(crate) fn of(space: &SpaceDraft, definition: &Definition) -> Vec<BodyLook> {
    let values = Values::new(definition);
    // The scene was built from the same plan, so that it is in order.
    let Ok(plan) = bodies::plan(space, definition) else { return Vec::new() };
    let ground = BodyLook {
        name: "ground".into(),
        moves: false,
        free: false,
        pose: Pose::default(),
        parts: Vec::new(),
    };
    let look = |body: &bodies::plan::PlannedBody| BodyLook {
        name: body.name.clone(),
        moves: !matches!(body.role, Role::Fixed),
        free: body.moves(),
        pose: body.pose,
        parts: Vec::new(),
    };
    let mut looks: Vec<BodyLook> =
        std::iter::once(ground).chain(plan.bodies.iter().map(look)).collect();
    for collider in plan.collision.iter().flat_map(|c| &c.colliders) {
        let inner = &collider.collider;
        add(&mut looks[collider.body].parts, inner.pose, &inner.geometry);
    }
    for (i, body) in space.bodies.iter().enumerate() {
        if looks[i + 1].parts.is_empty() {
            own_shape(&values, space, body, &mut looks[i + 1].parts);
        }
    }
    if looks[0].parts.is_empty() && stands_on_ground(space, &plan) {
        looks[0].parts.push(LookPart { pose: Pose::default(), shape: LookShape::HalfSpace });
    }
    looks
}

/// The shape of a body that does not collide.
fn own_shape(values: &Values, space: &SpaceDraft, body: &BodyDraft, parts: &mut Vec<LookPart>) {
    if space.ambient.is_plane() {
        if let Ok(Some((_, geometry, pose))) = plane::geometry(values, body) {
            add(parts, pose, &geometry);
        }
        return;
    }
    let ellipsoid = body.shape.as_ref().filter(|shape| shape.kind == ShapeKind::Ellipsoid);
    if let Some(Ok([a, b, c])) = ellipsoid.map(|s| values.list(&s.numbers)).as_ref().map(|list| {
        list.as_ref().map_err(drop).and_then(|l| <[f64; 3]>::try_from(&l[..]).map_err(drop))
    }) {
        parts.push(LookPart { pose: Pose::default(), shape: LookShape::Ellipsoid([a, b, c]) });
    } else if let Ok(Some((geometry, pose))) = bodies::shape_of(values, body) {
        add(parts, pose, &geometry);
    } else {
        let shapes = body.parts.iter().filter_map(|(_, part)| shape_of_part(values, part).ok());
        shapes.for_each(|shape| add_touching(parts, shape));
    }
}

/// What a body without a shape touches with. Points have no size, and are left out.
fn add_touching(parts: &mut Vec<LookPart>, shape: Shape) {
    let turned = |position: DVec3, axis: DVec3| Pose {
        position,
        rotation: DQuat::from_rotation_arc(DVec3::Z, axis),
    };
    let (pose, shape) = match shape {
        Shape::Point(_) => return,
        Shape::Sphere(centre, radius) => (Pose::at(centre), LookShape::Sphere(radius)),
        Shape::Ellipsoid(centre, axes) => (Pose::at(centre), LookShape::Ellipsoid(axes.to_array())),
        Shape::Disc(centre, axis, radius) => {
            (turned(centre, axis), LookShape::Cylinder([radius, DISC_THICKNESS * radius]))
        }
        Shape::Plane(point, normal) => (turned(point, normal), LookShape::HalfSpace),
    };
    parts.push(LookPart { pose, shape });
}

/// Whether a contact is with the plane z = 0 by its name.
fn stands_on_ground(space: &SpaceDraft, plan: &Plan) -> bool {
    let named = |side: &SideDraft| matches!(side, SideDraft::Named(text, _) if text == "ground");
    !plan.contacts.is_empty() && space.contacts.iter().any(|c| c.sides.iter().any(named))
}

fn add(parts: &mut Vec<LookPart>, pose: Pose, geometry: &Geometry) {
    let shape = match geometry {
        Geometry::Sphere { radius } => LookShape::Sphere(*radius),
        Geometry::Box { half_lengths } => LookShape::Box(half_lengths.to_array()),
        Geometry::Capsule { half_length, radius } => LookShape::Capsule([*radius, *half_length]),
        Geometry::Cylinder { half_height, radius } => LookShape::Cylinder([*radius, *half_height]),
        Geometry::Cone { half_height, radius } => LookShape::Cone([*radius, *half_height]),
        Geometry::HalfSpace => LookShape::HalfSpace,
        Geometry::Polygon { points, radius } => {
            let points = points.iter().map(|p| p.to_array()).collect();
            LookShape::Polygon { points, radius: *radius }
        }
        Geometry::Chain { points } => {
            LookShape::Chain(points.iter().map(|p| p.to_array()).collect())
        }
        Geometry::Compound { parts: inner } => {
            inner.iter().for_each(|(at, part)| add(parts, product(&pose, at), part));
            return;
        }
        surface => {
            let Some((vertices, triangles)) = surface.surface() else { return };
            let vertices = vertices.iter().map(|v| v.to_array()).collect();
            LookShape::Mesh { vertices, triangles }
        }
    };
    parts.push(LookPart { pose, shape });
}

/// A pose in the axes of another.
fn product(outer: &Pose, inner: &Pose) -> Pose {
    Pose {
        position: outer.position + outer.rotation * inner.position,
        rotation: outer.rotation * inner.rotation,
    }
}
