//! Volume, centre and second moments of a closed mesh, by the divergence theorem: a sum over the tetrahedra between a point and the
//! triangles, with signs.

use super::TriangleMesh;
use crate::error::{Error, MeshProblem, Place};
use crate::model::{Inertia, ModelPose, principal_axes};
use glam::{DMat3, DVec3};
use std::collections::HashMap;

/// How small a volume may be beside the tetrahedra that it is the sum of: less is rounding.
const ROUNDING: f64 = 1e-12;

/// Mass properties of the inside of a mesh at density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshMass {
    /// The volume in m³.
    pub volume: f64,
    /// The centre of the volume in m.
    pub center: DVec3,
    /// The tensor of inertia about the centre at density 1, in m⁵.
    pub tensor: DMat3,
}

impl MeshMass {
    /// The body of a density, in kg/m³.
    #[must_use]
    pub fn with_density(&self, density: f64) -> Inertia {
        let tensor = self.tensor * density;
        Inertia { mass: self.volume * density, center: self.center, tensor }
    }

    /// The frame at the centre along the principal axes, moments ascending.
    #[must_use]
    pub fn principal_pose(&self) -> ModelPose {
        ModelPose { position: self.center, rotation: principal_axes(self.tensor).1 }
    }
}

impl TriangleMesh {
    /// The number of edges at which the surface is not closed: of the triangles at an edge, as many must go along it as against it.
    /// Vertices at the same place count as one, and triangles without area do not count.
    #[must_use]
    pub fn open_edges(&self) -> usize {
        let welded = self.welded();
        let mut balance: HashMap<(u32, u32), i64> = HashMap::with_capacity(self.triangles.len());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| welded[i as usize]);
            if a == b || b == c || c == a {
                continue;
            }
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let along = if from < to { 1 } else { -1 };
                *balance.entry((from.min(to), from.max(to))).or_default() += along;
            }
        }
        let open: u64 = balance.values().map(|n| n.unsigned_abs()).sum();
        usize::try_from(open).unwrap_or(usize::MAX)
    }

    /// Volume, centre and inertia of what the mesh encloses.
    ///
    /// # Errors
    ///
    /// If it is not closed, or encloses no volume, or is turned inside out.
    pub fn mass(&self, place: &Place) -> Result<MeshMass, Error> {
        let open = self.open_edges();
        if open > 0 {
            return Err(place.mesh(MeshProblem::Open { open }));
        }
        // Sums relative to a point of the mesh lose fewest digits.
        let origin = self.vertices[self.triangles[0][0] as usize];
        let (mut six, mut size, mut first, mut second) = (0.0, 0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in &self.triangles {
            let [a, b, c] = self.corners(*triangle).map(|v| v - origin);
            let det = a.dot(b.cross(c));
            let sum = a + b + c;
            six += det;
            size += det.abs();
            first += sum * det;
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * det;
        }
        let volume = six / 6.0;
        if !(size.is_finite() && first.is_finite() && second.is_finite()) {
            return Err(place.mesh(MeshProblem::TooLarge));
        }
        if !(six > ROUNDING * size) {
            return Err(place.mesh(MeshProblem::Volume { volume }));
        }
        let center = first / (24.0 * volume);
        // ∫ x xᵀ about the centre; the tensor of inertia is its trace minus itself.
        let moments = second * (1.0 / 120.0) - outer(center) * volume;
        let trace = moments.col(0).x + moments.col(1).y + moments.col(2).z;
        let tensor = DMat3::from_diagonal(DVec3::splat(trace)) - moments;
        Ok(MeshMass { volume, center: center + origin, tensor })
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tetrahedron of the origin and the unit vectors, stretched.
    fn corner(a: f64, b: f64, c: f64) -> TriangleMesh {
        let vertices = vec![DVec3::ZERO, DVec3::X * a, DVec3::Y * b, DVec3::Z * c];
        TriangleMesh { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
    }

    #[test]
    fn mass_of_a_tetrahedron_is_that_of_the_textbook() {
        let (a, b, c) = (2.0, 3.0, 5.0);
        let mass = corner(a, b, c).mass(&Place::whole("t")).unwrap();
        assert!((mass.volume - a * b * c / 6.0).abs() < 1e-14);
        assert!((mass.center - DVec3::new(a, b, c) / 4.0).length() < 1e-14);
        // ∫x² = V a²/10 about the origin, so V a² (1/10 − 1/16) = V a² 3/80 about the centre, and ∫xy = V ab (1/20 − 1/16).
        let v = mass.volume;
        let expected = v * 3.0 / 80.0 * (b * b + c * c);
        assert!((mass.tensor.col(0).x - expected).abs() < 1e-13);
        let product = -v * a * b * (1.0 / 20.0 - 1.0 / 16.0);
        assert!((mass.tensor.col(0).y - product).abs() < 1e-13);
    }

    #[test]
    fn a_mirror_image_has_the_same_volume_and_its_centre_mirrored() {
        let there = corner(1.0, 2.0, 3.0);
        let back = there.clone().scaled(DVec3::new(-1.0, 1.0, 1.0));
        let place = Place::whole("t");
        let (a, b) = (there.mass(&place).unwrap(), back.mass(&place).unwrap());
        assert_eq!(a.volume, b.volume);
        assert_eq!(a.center * DVec3::new(-1.0, 1.0, 1.0), b.center);
        assert_eq!(a.tensor.col(0).y, -b.tensor.col(0).y);
    }

    #[test]
    fn open_and_inverted_meshes_are_refused() {
        let place = Place::whole("t");
        let mut open = corner(1.0, 1.0, 1.0);
        open.triangles.pop();
        let error = open.mass(&place).unwrap_err();
        assert_eq!(*error.problem, crate::Problem::Mesh(MeshProblem::Open { open: 3 }));
        let mut inverted = corner(1.0, 1.0, 1.0);
        inverted.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let error = inverted.mass(&place).unwrap_err();
        assert!(matches!(*error.problem, crate::Problem::Mesh(MeshProblem::Volume { .. })));
    }
}
