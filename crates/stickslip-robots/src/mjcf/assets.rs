//! `<asset>`: meshes, height fields and the colours of materials.

use super::{Reader, orientation::quaternion};
use crate::error::{Error, Place, Problem};
use crate::mesh::{MeshMass, TriangleMesh};
use crate::model::{HeightField, ModelMesh, ModelPose};
use crate::xml::Element;
use glam::DVec3;

/// How the mass of a mesh is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MeshRule {
    /// The volume inside, exactly.
    Exact,
    /// MuJoCo's older sum, which counts volume of non-convex meshes too often.
    Legacy,
    /// The convex hull.
    Convex,
    /// The surface.
    Shell,
}

/// The most points of a height field.
const MOST_POINTS: u64 = 10_000_000;

impl Reader<'_> {
    pub(super) fn read_assets(&mut self, root: &Element) -> Result<(), Error> {
        for asset in root.children_named("asset") {
            for element in &asset.children {
                match element.name.as_str() {
                    "mesh" => self.read_asset_mesh(element)?,
                    "hfield" => self.read_field(element)?,
                    _ => self.read_material(element)?,
                }
            }
        }
        Ok(())
    }

    fn read_material(&mut self, element: &Element) -> Result<(), Error> {
        let full = self.defaults.apply(element, None, "material")?;
        let name = element.required("name")?;
        self.materials.insert(&name.value, self.colours.len(), &name.place)?;
        let rgba = full.numbers("rgba", 4..=4)?;
        self.colours.push(rgba.map(|c| [c[0], c[1], c[2], c[3]]));
        Ok(())
    }

    fn read_asset_mesh(&mut self, element: &Element) -> Result<(), Error> {
        let full = self.defaults.apply(element, None, "mesh")?;
        if let Some(builtin) = full.attribute("builtin").filter(|b| b.value != "none") {
            return Err(builtin.place.error(Problem::Unsupported {
                what: format!("the built-in mesh `{}`", builtin.value),
                cure: "save it as a file and name that",
            }));
        }
        let file = full.attribute("file").map(|file| self.compiler.path(&file.value));
        let place = full.place_of("file").clone();
        let name = match (element.attribute("name"), &file) {
            (Some(name), _) => name.value.clone(),
            (None, Some(file)) => stem(file).to_owned(),
            (None, None) => element.required("name")?.value.clone(),
        };
        self.meshes.insert(&name, self.model.meshes.len(), element.place_of("name"))?;
        let mesh = match &file {
            Some(file) => crate::mesh::load(file, &place, self.files)?,
            None => inline(&full)?,
        };
        let mesh = place_mesh(mesh, &full)?;
        let words = [
            ("exact", MeshRule::Exact),
            ("legacy", MeshRule::Legacy),
            ("convex", MeshRule::Convex),
            ("shell", MeshRule::Shell),
        ];
        self.mesh_rules.push(full.word("inertia", &words)?.unwrap_or(MeshRule::Legacy));
        self.mesh_masses.push(None);
        self.model.meshes.push(ModelMesh { name, place: element.place.clone(), file, mesh });
        Ok(())
    }

    /// Mass properties of a mesh at density 1, worked out once.
    pub(super) fn mesh_mass(&mut self, index: usize, place: &Place) -> Result<MeshMass, Error> {
        if let Some(mass) = self.mesh_masses[index] {
            return Ok(mass);
        }
        let mass = self.model.meshes[index].mesh.mass(place)?;
        let name = self.model.meshes[index].name.clone();
        let rule = self.mesh_rules[index];
        if rule == MeshRule::Shell {
            let what = format!("inertia=\"shell\" of the mesh `{name}`");
            let cure = "give the mass in <inertial>";
            return Err(place.error(Problem::Unsupported { what, cure }));
        }
        if rule != MeshRule::Exact && !is_convex(&self.model.meshes[index].mesh) {
            if rule == MeshRule::Convex {
                let what = format!("inertia=\"convex\" of the mesh `{name}`, which is not convex,");
                let cure = "say inertia=\"exact\", or give the mass in <inertial>";
                return Err(place.error(Problem::Unsupported { what, cure }));
            }
            let text = format!(
                "the mesh `{name}` is not convex; its mass is that of the enclosed volume (inertia=\"exact\"), where the format's \
                 default counts some of it twice"
            );
            let place = self.model.meshes[index].place.clone();
            self.note(&place, text);
        }
        self.mesh_masses[index] = Some(mass);
        Ok(mass)
    }

    fn read_field(&mut self, element: &Element) -> Result<(), Error> {
        let name = element.required("name")?;
        self.fields.insert(&name.value, self.model.height_fields.len(), &name.place)?;
        let size = element.required("size")?.numbers(4..=4)?;
        if size.iter().any(|x| !(*x > 0.0)) {
            return Err(element.out_of_range("size", "four positive lengths"));
        }
        if let Some(file) = element.attribute("file") {
            return Err(file.place.error(Problem::Unsupported {
                what: format!("the height field in the file `{}`", file.value),
                cure: "write its heights as `elevation`",
            }));
        }
        let count = |key: &str| -> Result<u64, Error> {
            element.required(key)?;
            Ok(element.integer(key, 2..=100_000)?.unwrap_or_default() as u64)
        };
        let (rows, columns) = (count("nrow")?, count("ncol")?);
        if rows * columns > MOST_POINTS {
            let expected = format!("such that nrow × ncol is at most {MOST_POINTS}");
            return Err(element.out_of_range("nrow", &expected));
        }
        let points = (rows * columns) as usize;
        let given = element.numbers("elevation", points..=points)?;
        let heights = given
            .map_or_else(|| vec![0.0; points], |given| heights(&given, columns as usize, size[2]));
        self.model.height_fields.push(HeightField {
            name: name.value.clone(),
            place: element.place.clone(),
            half_x: size[0],
            half_y: size[1],
            base: size[3],
            rows: rows as usize,
            columns: columns as usize,
            heights,
        });
        Ok(())
    }
}

/// Heights stretched to the range from zero to the largest; the file begins with the row at the greatest y.
fn heights(given: &[f64], columns: usize, largest: f64) -> Vec<f64> {
    let low = given.iter().copied().fold(f64::INFINITY, f64::min);
    let high = given.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let factor = if high > low { largest / (high - low) } else { 0.0 };
    let rows = given.chunks_exact(columns).rev();
    rows.flatten().map(|x| (x - low) * factor).collect()
}

fn inline(full: &Element) -> Result<TriangleMesh, Error> {
    let vertices = full.required("vertex")?;
    let place = &vertices.place;
    let Some(faces) = full.attribute("face") else {
        return Err(place.error(Problem::Unsupported {
            what: "a mesh of vertices without faces".to_owned(),
            cure: "give `face`",
        }));
    };
    let (points, indices) = (vertices.numbers(9..=usize::MAX)?, faces.numbers(3..=usize::MAX)?);
    for (attribute, list) in [(vertices, &points), (faces, &indices)] {
        if list.len() % 3 != 0 {
            return Err(attribute.place.error(Problem::WrongCount {
                attribute: attribute.name.clone(),
                expected: "three numbers each".to_owned(),
                found: format!("{} numbers", list.len()),
            }));
        }
    }
    TriangleMesh::from_lists(&points, &indices, &faces.place)
}

/// Relative to the reference frame of the asset, and scaled.
fn place_mesh(mesh: TriangleMesh, full: &Element) -> Result<TriangleMesh, Error> {
    let scale = full.vector("scale")?.unwrap_or(DVec3::ONE);
    if scale.x * scale.y * scale.z == 0.0 {
        return Err(full.out_of_range("scale", "three numbers other than zero"));
    }
    let position = full.vector("refpos")?.unwrap_or_default();
    let rotation = quaternion(full, "refquat")?.unwrap_or_default();
    let reference = ModelPose { position, rotation };
    let mesh =
        if reference == ModelPose::default() { mesh } else { mesh.moved(&reference.inverse()) };
    let mesh = mesh.scaled(scale);
    match mesh.vertices.iter().all(|v| v.is_finite()) {
        true => Ok(mesh),
        false => Err(full.out_of_range("scale", "of a size that leaves coordinates finite")),
    }
}

/// Whether all vertices lie behind all triangles, up to rounding of the file's digits.
fn is_convex(mesh: &TriangleMesh) -> bool {
    /// Beside the size of the mesh.
    const FLATNESS: f64 = 1e-5;
    let size = mesh.vertices.iter().fold(0.0_f64, |m, v| m.max((*v - mesh.vertices[0]).length()));
    // The directed planes of a closed mesh: locally convex at every edge is convex as a whole, so that neighbours suffice.
    let welded = mesh.welded();
    let mut edges = std::collections::HashMap::new();
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|i| welded[i as usize]);
        for (from, to, tip) in [(a, b, c), (b, c, a), (c, a, b)] {
            if edges.insert((from, to), (index, tip)).is_some() {
                return false;
            }
        }
    }
    edges.iter().all(|((from, to), (index, _))| {
        let Some((_, tip)) = edges.get(&(*to, *from)) else { return false };
        let [a, b, c] = mesh.corners(mesh.triangles[*index]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return true };
        (mesh.vertices[*tip as usize] - a).dot(normal) <= FLATNESS * size
    })
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> &str {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem)
}
