//! Links: mass, shapes, colours.

use super::{Reader, UrdfBase, origin, tree::Tree};
use crate::error::{Error, Place, Problem};
use crate::mesh::load;
use crate::model::{
    ContactFilter, GeometryRole, Inertia, ModelBody, ModelGeometry, ModelJointKind, ModelMesh,
    ModelPose, ModelShape,
};
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};

/// The name of the body that does not move.
const WORLD: &str = "world";

impl Reader<'_> {
    /// The colours that are defined once for the whole robot.
    pub(super) fn collect_materials(&mut self, root: &Element) -> Result<(), Error> {
        for material in root.children_named("material") {
            let colour = colour(material)?;
            self.add_material(&material.required("name")?.value, colour);
        }
        for link in root.children_named("link") {
            for visual in link.children_named("visual") {
                let Some(material) = visual.child("material")? else { continue };
                if let (Some(name), Some(colour)) = (material.attribute("name"), colour(material)?)
                {
                    self.add_material(&name.value, Some(colour));
                }
            }
        }
        Ok(())
    }

    /// The first colour of a name holds.
    fn add_material(&mut self, name: &str, colour: Option<[f64; 4]>) {
        let slot = self.materials.entry(name.to_owned()).or_default();
        *slot = slot.or(colour);
    }

    /// All links as bodies, with the joints above them.
    pub(super) fn add_bodies(
        &mut self,
        tree: &Tree<'_>,
        base: UrdfBase,
        place: &Place,
    ) -> Result<(), Error> {
        let root_name = &tree.order[0].0.required("name")?.value;
        let shift = usize::from(root_name != WORLD);
        if shift == 1 {
            let mut name = WORLD.to_owned();
            while self.links.get(&name).is_some() {
                name.push('_');
            }
            self.model.bodies.push(body(name, place, None));
        }
        for (index, (link, joint, parent)) in tree.order.iter().enumerate() {
            let parent = parent.map_or(shift.checked_sub(1), |parent| Some(parent + shift));
            self.add_body(link, *joint, parent, index == 0 && shift == 1, base)?;
        }
        Ok(())
    }

    fn add_body(
        &mut self,
        link: &Element,
        joint: Option<&Element>,
        parent: Option<usize>,
        on_world: bool,
        base: UrdfBase,
    ) -> Result<(), Error> {
        let name = link.required("name")?.value.clone();
        let index = self.model.bodies.len();
        let mut new = body(name.clone(), &link.place, parent);
        new.inertia = inertial(link, &name)?;
        self.model.bodies.push(new);
        if let Some(joint) = joint {
            self.model.bodies[index].pose = origin(joint)?;
            self.add_joint(joint, index)?;
        } else if on_world && base == UrdfBase::Free {
            self.add_free_base(index, &link.place);
        }
        for (element, role) in
            [("visual", GeometryRole::Visual), ("collision", GeometryRole::Collision)]
        {
            for shape in link.children_named(element) {
                self.add_geometry(shape, role, index)?;
            }
        }
        Ok(())
    }

    fn add_geometry(
        &mut self,
        element: &Element,
        role: GeometryRole,
        body: usize,
    ) -> Result<(), Error> {
        let Some(shape) = self.shape(element.required_child("geometry")?, role)? else {
            return Ok(());
        };
        let index = self.model.geometries.len();
        // Names of shapes are labels in URDF: several may be equal, and most are absent.
        let label = element.attribute("name").map(|name| name.value.clone());
        let name =
            match label.filter(|label| !label.is_empty() && self.geometries.get(label).is_none()) {
                Some(label) => {
                    self.geometries.insert(&label, index, &element.place)?;
                    label
                }
                None => self.geometries.invent("geometry", index, &element.place),
            };
        let touches = u32::from(role != GeometryRole::Visual);
        let colour = self.colour_of(element)?;
        self.model.geometries.push(ModelGeometry {
            name,
            place: element.place.clone(),
            body,
            shape,
            pose: origin(element)?,
            role,
            filter: ContactFilter { kind: touches, with: touches },
            friction: None,
            contact_dimension: 3,
            priority: 0,
            margin: 0.0,
            gap: 0.0,
            group: 0,
            colour,
        });
        self.model.bodies[body].geometries.push(index);
        Ok(())
    }

    /// The colour of a visual: its own, or that of the material that it names.
    fn colour_of(&self, visual: &Element) -> Result<Option<[f64; 4]>, Error> {
        let Some(material) = visual.child("material")? else { return Ok(None) };
        if let Some(colour) = colour(material)? {
            return Ok(Some(colour));
        }
        let name = material.required("name")?;
        if let Some(colour) = self.materials.get(&name.value) {
            return Ok(*colour);
        }
        let known = self.materials.keys().map(String::as_str);
        Err(name.place.error(Problem::UnknownName {
            kind: "material",
            name: name.value.clone(),
            nearest: crate::nearest::nearest(&name.value, known),
        }))
    }

    /// The shape; none for a visual mesh in a format that is not read, which is reported.
    fn shape(
        &mut self,
        geometry: &Element,
        role: GeometryRole,
    ) -> Result<Option<ModelShape>, Error> {
        let [shape] = &geometry.children[..] else {
            return Err(match geometry.children.get(1) {
                None => geometry.error(Problem::MissingElement {
                    element: "box> or <capsule> or <cylinder> or <mesh> or <sphere",
                    parent: "geometry".to_owned(),
                }),
                Some(second) => second.error(Problem::Conflict {
                    element: "geometry".to_owned(),
                    first: geometry.children[0].name.clone(),
                    second: second.name.clone(),
                }),
            });
        };
        Ok(Some(match shape.name.as_str() {
            "sphere" => ModelShape::Sphere { radius: shape.required_positive("radius")? },
            "box" => {
                shape.required("size")?;
                let size = shape.vector("size")?.unwrap_or_default();
                if !(size.min_element() > 0.0) {
                    return Err(shape.out_of_range("size", "three positive lengths"));
                }
                ModelShape::Box { half: size * 0.5 }
            }
            "cylinder" => ModelShape::Cylinder {
                radius: shape.required_positive("radius")?,
                half_length: shape.required_positive("length")? * 0.5,
            },
            "capsule" => ModelShape::Capsule {
                radius: shape.required_positive("radius")?,
                half_length: shape.required_positive("length")? * 0.5,
            },
            _ => return self.mesh(shape, role),
        }))
    }

    fn mesh(&mut self, element: &Element, role: GeometryRole) -> Result<Option<ModelShape>, Error> {
        let file = element.required("filename")?;
        let scale = element.vector("scale")?.unwrap_or(DVec3::ONE);
        if scale.x * scale.y * scale.z == 0.0 {
            return Err(element.out_of_range("scale", "three numbers other than zero"));
        }
        let name = format!("{} × ({}, {}, {})", file.value, scale.x, scale.y, scale.z);
        if let Some(mesh) = self.model.meshes.iter().position(|mesh| mesh.name == name) {
            return Ok(Some(ModelShape::Mesh { mesh }));
        }
        let mesh = match load(&file.value, &file.place, self.files) {
            Ok(mesh) => mesh.scaled(scale),
            Err(error) if role == GeometryRole::Visual => match *error.problem {
                Problem::MeshFormat { .. } => {
                    let problem = &error.problem;
                    self.note(&file.place, format!("a visual mesh is left out: {problem}"));
                    return Ok(None);
                }
                _ => return Err(error),
            },
            Err(error) => return Err(error),
        };
        let index = self.model.meshes.len();
        let place = element.place.clone();
        self.model.meshes.push(ModelMesh { name, place, file: Some(file.value.clone()), mesh });
        Ok(Some(ModelShape::Mesh { mesh: index }))
    }

    /// Reports links that move and have no mass of their own.
    pub(super) fn note_massless(&mut self) {
        let moves = |body: &ModelBody| {
            body.joints.iter().any(|&j| self.model.joints[j].kind != ModelJointKind::Fixed)
        };
        let massless =
            self.model.bodies.iter().filter(|body| body.inertia.is_none() && moves(body));
        let notes: Vec<(Place, String)> = massless
            .map(|body| {
                let text =
                    format!("the link `{}` moves but has no <inertial>; it has no mass", body.name);
                (body.place.clone(), text)
            })
            .collect();
        for (place, text) in notes {
            self.note(&place, text);
        }
    }
}

fn body(name: String, place: &Place, parent: Option<usize>) -> ModelBody {
    ModelBody {
        name,
        place: place.clone(),
        parent,
        pose: ModelPose::default(),
        inertia: None,
        joints: Vec::new(),
        geometries: Vec::new(),
        prescribed: false,
        gravity_compensation: 0.0,
    }
}

fn colour(material: &Element) -> Result<Option<[f64; 4]>, Error> {
    let Some(element) = material.child("color")? else { return Ok(None) };
    let values = element.required("rgba")?.numbers(4..=4)?;
    if values.iter().any(|x| !(0.0..=1.0).contains(x)) {
        return Err(element.out_of_range("rgba", "four numbers from 0 to 1"));
    }
    Ok(Some([values[0], values[1], values[2], values[3]]))
}

fn inertial(link: &Element, owner: &str) -> Result<Option<Inertia>, Error> {
    let Some(element) = link.child("inertial")? else { return Ok(None) };
    let pose = origin(element)?;
    let mass = element.required_child("mass")?;
    let tensor = element.required_child("inertia")?;
    let value = mass.required_number("value")?;
    if !(value > 0.0) {
        return Err(mass.place.error(Problem::Mass { owner: owner.to_owned(), mass: value }));
    }
    let entry = |name: &str| tensor.required_number(name);
    let (xx, yy, zz) = (entry("ixx")?, entry("iyy")?, entry("izz")?);
    let (xy, xz, yz) = (entry("ixy")?, entry("ixz")?, entry("iyz")?);
    let columns =
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    let local = Inertia { mass: value, center: DVec3::ZERO, tensor: columns };
    local.check(owner, &tensor.place)?;
    let pose = if pose.rotation == DQuat::IDENTITY {
        return Ok(Some(Inertia { center: pose.position, ..local }));
    } else {
        pose
    };
    Ok(Some(local.moved(&pose)))
}
