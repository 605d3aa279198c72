//! Shapes of robots as shapes of collision detection.

use super::{RobotDraft, warning};
use crate::document::Problem;
use glam::DVec3;
use stickslip::bodies::Geometry;
use stickslip_robots::{HeightField, ModelShape, TriangleMesh};

/// A vertex is in front of a triangle by this share of the size of the mesh.
const FLAT: f64 = 1e-6;
/// The most products of triangles and vertices for which a mesh is looked at.
const MOST: usize = 50_000_000;

/// The geometry of a shape in its own frame; none, with a warning, if collision detection does not have it.
pub(super) fn geometry(
    draft: &RobotDraft,
    index: usize,
    moves: bool,
    warnings: &mut Vec<String>,
) -> Result<Option<Geometry>, Problem> {
    let model = &draft.source.model;
    let shape = &model.geometries[index];
    let mut say = |text: String| {
        let text = format!("the geometry `{}` {text}", shape.name);
        warnings.push(warning(&shape.place, &text));
    };
    let made = match shape.shape {
        ModelShape::Sphere { radius } => Geometry::Sphere { radius },
        ModelShape::Box { half } => Geometry::Box { half_lengths: half },
        ModelShape::Capsule { radius, half_length } => Geometry::Capsule { half_length, radius },
        ModelShape::Cylinder { radius, half_length } => {
            Geometry::Cylinder { half_height: half_length, radius }
        }
        ModelShape::Ellipsoid { half_axes } => {
            let points: Vec<DVec3> = sphere().into_iter().map(|p| p * half_axes).collect();
            say(format!(
                "is an ellipsoid; it touches as the hull of {} of its points",
                points.len()
            ));
            Geometry::Hull { points }
        }
        ModelShape::Plane { .. } => Geometry::HalfSpace,
        ModelShape::Mesh { mesh } => {
            let mesh = &model.meshes[mesh].mesh;
            if moves && !is_convex(mesh) {
                say("moves and is not known to be convex; it touches as its convex hull".into());
            }
            of_mesh(mesh, moves)
        }
        ModelShape::HeightField { .. } if moves => {
            say("is a height field that moves; it touches nothing".into());
            return Ok(None);
        }
        ModelShape::HeightField { field } => of_field(&model.height_fields[field]),
    };
    match made.validate() {
        Ok(()) => Ok(Some(made)),
        Err(error) => {
            let reason = format!("the geometry `{}` is refused: {error}", shape.name);
            Err(draft.problem(&shape.place, reason).cure("change it, or set `collides = false`"))
        }
    }
}

/// What moves touches with its hull, what stands still with its triangles.
fn of_mesh(mesh: &TriangleMesh, moves: bool) -> Geometry {
    if moves {
        return Geometry::Hull { points: mesh.vertices.clone() };
    }
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| v as usize)).collect();
    Geometry::Mesh { vertices: mesh.vertices.clone(), triangles }
}

fn of_field(field: &HeightField) -> Geometry {
    let between = |half: f64, count: usize| 2.0 * half / count.saturating_sub(1).max(1) as f64;
    Geometry::HeightField {
        columns: field.columns,
        heights: field.heights.clone(),
        spacing: [between(field.half_x, field.columns), between(field.half_y, field.rows)],
    }
}

/// Whether no vertex is in front of a triangle.
fn is_convex(mesh: &TriangleMesh) -> bool {
    if mesh.triangles.len().saturating_mul(mesh.vertices.len()) > MOST {
        return false;
    }
    let size = mesh.vertices.iter().fold(0.0, |m: f64, v| m.max(v.length()));
    mesh.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        mesh.vertices.iter().all(|v| normal.dot(*v - a) <= FLAT * size)
    })
}

/// The corners of an icosahedron and the middles of its edges, on the unit sphere: 42 points.
fn sphere() -> Vec<DVec3> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points = Vec::with_capacity(42);
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        points.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    let corners = points.clone();
    for (i, a) in corners.iter().enumerate() {
        // Edges have the length 2, the next distance is 2 golden.
        let near = corners[..i].iter().filter(|b| (*a - **b).length() < 1.0 + golden);
        points.extend(near.map(|b| 0.5 * (*a + *b)));
    }
    points.into_iter().map(DVec3::normalize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icosahedron_has_twelve_corners_and_thirty_edges() {
        let points = sphere();
        assert_eq!(points.len(), 42);
        assert!(points.iter().all(|p| (p.length() - 1.0).abs() < 1e-15));
    }
}
