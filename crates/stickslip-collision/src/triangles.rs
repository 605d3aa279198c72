//! Surfaces of triangles, for those who draw geometries.

use crate::geometry::Geometry;
use crate::polytope::Polytope;
use crate::pose::Pose;
use glam::DVec3;

impl Geometry {
    /// Vertices and triangles, counter-clockwise seen from outside, of hulls, meshes and height fields; none for other geometries, and for
    /// those that [`validate`](Self::validate) refuses.
    #[must_use]
    pub fn surface(&self) -> Option<(Vec<DVec3>, Vec<[usize; 3]>)> {
        match self {
            Self::Hull { points } => {
                let hull = Polytope::hull(points, &Pose::default(), "the hull").ok()?;
                let faces = hull.faces.iter().flat_map(|f| {
                    let l = &hull.loops[f.start as usize..(f.start + f.count) as usize];
                    (1..l.len() - 1).map(|k| [l[0], l[k], l[k + 1]].map(|v| v as usize))
                });
                let triangles = faces.collect();
                Some((hull.vertices, triangles))
            }
            other => other.triangles(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the enclosed volume, positive if triangles are counter-clockwise seen from outside.
    fn volume(vertices: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
        let of = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|v| vertices[v]);
            a.dot(b.cross(c))
        };
        triangles.iter().map(of).sum::<f64>() / 6.0
    }

    #[test]
    fn the_triangles_of_a_hull_enclose_its_volume() {
        let points = (0..8).map(|i| {
            let bit = |b: usize| if i >> b & 1 == 1 { 1.0 } else { -1.0 };
            DVec3::new(bit(0), 2.0 * bit(1), 3.0 * bit(2))
        });
        let (vertices, triangles) = Geometry::Hull { points: points.collect() }.surface().unwrap();
        assert_eq!(triangles.len(), 12);
        assert!((volume(&vertices, &triangles) - 48.0).abs() < 1e-12);
    }

    #[test]
    fn a_height_field_faces_up_and_is_about_the_origin() {
        let field =
            Geometry::HeightField { columns: 3, heights: vec![0.0; 6], spacing: [0.5, 2.0] };
        let (vertices, triangles) = field.surface().unwrap();
        assert_eq!((vertices.len(), triangles.len()), (6, 4));
        assert_eq!(vertices[0], DVec3::new(-0.5, -1.0, 0.0));
        for t in triangles {
            let [a, b, c] = t.map(|v| vertices[v]);
            assert!((b - a).cross(c - a).z > 0.0);
        }
        assert!(Geometry::Sphere { radius: 1.0 }.surface().is_none());
    }
}
