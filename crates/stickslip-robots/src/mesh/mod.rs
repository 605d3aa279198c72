//! Triangle meshes from STL, OBJ and glTF.

mod base64;
mod gltf;
mod gltf_buffers;
mod mass;
mod obj;
mod stl;

pub use mass::MeshMass;

use crate::error::{Error, MeshProblem, Place, Problem};
use crate::files::{Files, read_at};
use crate::model::ModelPose;
use glam::DVec3;
use std::collections::HashMap;

/// Triangles between vertices. Seen from outside, the vertices of a triangle go round anticlockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    /// The vertices in m.
    pub vertices: Vec<DVec3>,
    /// The triangles as indices of vertices, each less than their number.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh; the ending of the name tells the format: `stl` (text or binary), `obj`, `gltf` or `glb`. Coordinates are taken as they
/// stand in the file, without a unit and without turning the y axis of glTF upwards. Buffers beside a glTF file are asked of `files`.
///
/// # Errors
///
/// For another ending, and for files that break their format.
pub fn read_mesh(bytes: &[u8], name: &str, files: &dyn Files) -> Result<TriangleMesh, Error> {
    let place = Place::whole(name);
    let mesh = match format(name) {
        Some(Ending::Stl) => stl::read(bytes, &place)?,
        Some(Ending::Obj) => obj::read(bytes, &place)?,
        Some(Ending::Gltf) => gltf::read(bytes, &place, files)?,
        None => return Err(place.error(Problem::MeshFormat { name: name.to_owned() })),
    };
    mesh.check(&place)?;
    Ok(mesh)
}

/// The formats.
enum Ending {
    Stl,
    Obj,
    Gltf,
}

/// The format by the ending of a name.
fn format(name: &str) -> Option<Ending> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let ending = base.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match ending.as_str() {
        "stl" => Some(Ending::Stl),
        "obj" => Some(Ending::Obj),
        "gltf" | "glb" => Some(Ending::Gltf),
        _ => None,
    }
}

/// Reads a mesh that a model names; a format that is not read is reported where the model names it.
pub(crate) fn load(name: &str, place: &Place, files: &dyn Files) -> Result<TriangleMesh, Error> {
    if format(name).is_none() {
        return Err(place.error(Problem::MeshFormat { name: name.to_owned() }));
    }
    read_mesh(&read_at(files, name, place)?, name, files)
}

impl TriangleMesh {
    /// From flat lists, as MJCF writes meshes in a model.
    pub(crate) fn from_lists(
        vertices: &[f64],
        faces: &[f64],
        place: &Place,
    ) -> Result<Self, Error> {
        let points: Vec<DVec3> =
            vertices.chunks_exact(3).map(|v| DVec3::new(v[0], v[1], v[2])).collect();
        let mut triangles = Vec::with_capacity(faces.len() / 3);
        for face in faces.chunks_exact(3) {
            let mut triangle = [0; 3];
            for (slot, &index) in triangle.iter_mut().zip(face) {
                let whole = index.fract() == 0.0 && (0.0..points.len() as f64).contains(&index);
                if !whole {
                    let (index, count) = (index as i64, points.len());
                    return Err(place.mesh(MeshProblem::Index { index, count }));
                }
                *slot = index as u32;
            }
            triangles.push(triangle);
        }
        let mesh = Self { vertices: points, triangles };
        mesh.check(place)?;
        Ok(mesh)
    }

    fn check(&self, place: &Place) -> Result<(), Error> {
        if self.triangles.is_empty() {
            return Err(place.mesh(MeshProblem::Empty));
        }
        match self.vertices.iter().find(|v| !v.is_finite()) {
            Some(v) => Err(place.mesh(MeshProblem::NotFinite(v.to_string()))),
            None => Ok(()),
        }
    }

    /// The mesh stretched along the axes. A mirror image has its triangles turned round, so that outside stays outside.
    #[must_use]
    pub fn scaled(mut self, scale: DVec3) -> Self {
        for vertex in &mut self.vertices {
            *vertex *= scale;
        }
        if scale.x * scale.y * scale.z < 0.0 {
            for triangle in &mut self.triangles {
                triangle.swap(1, 2);
            }
        }
        self
    }

    /// The mesh moved.
    #[must_use]
    pub fn moved(mut self, pose: &ModelPose) -> Self {
        for vertex in &mut self.vertices {
            *vertex = pose.apply(*vertex);
        }
        self
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|i| self.vertices[i as usize])
    }

    /// For each vertex the first one at the same place.
    pub(crate) fn welded(&self) -> Vec<u32> {
        let mut first = HashMap::with_capacity(self.vertices.len());
        let indices = self.vertices.iter().zip(0_u32..);
        indices.map(|(vertex, i)| *first.entry(key(*vertex)).or_insert(i)).collect()
    }
}

/// The bits of a point, with one zero.
fn key(point: DVec3) -> [u64; 3] {
    point.to_array().map(|x| (x + 0.0).to_bits())
}

/// Collects triangles corner by corner, with equal corners as one vertex.
#[derive(Default)]
struct Builder {
    mesh: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    known: HashMap<[u64; 3], u32>,
}

impl Builder {
    fn corner(&mut self, point: DVec3) -> u32 {
        let next = u32::try_from(self.mesh.len()).unwrap_or(u32::MAX);
        let index = *self.known.entry(key(point)).or_insert(next);
        if index == next {
            self.mesh.push(point);
        }
        index
    }

    fn finish(self) -> TriangleMesh {
        TriangleMesh { vertices: self.mesh, triangles: self.triangles }
    }
}
