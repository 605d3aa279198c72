//! `<geom>`: shapes with their contact parameters.

use super::{Reader, bodies::Context, label, masses::Weight, orientation::from_to, register};
use crate::error::{Error, Problem};
use crate::model::{
    ContactFilter, GeometryRole, ModelGeometry, ModelPose, ModelShape, ThreeFrictions,
    principal_axes,
};
use crate::xml::Element;
use glam::{DMat3, DQuat, DVec3};

/// The types of geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    Plane,
    HeightField,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    Sdf,
}

const TYPES: [(&str, Type); 9] = [
    ("plane", Type::Plane),
    ("hfield", Type::HeightField),
    ("sphere", Type::Sphere),
    ("capsule", Type::Capsule),
    ("ellipsoid", Type::Ellipsoid),
    ("cylinder", Type::Cylinder),
    ("box", Type::Box),
    ("mesh", Type::Mesh),
    ("sdf", Type::Sdf),
];

/// Sliding, torsional and rolling friction where a file says nothing.
pub(super) const FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];

/// The size of a site where a file says nothing.
const SITE: f64 = 0.005;

impl Reader<'_> {
    pub(super) fn read_geom(
        &mut self,
        element: &Element,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let full = self.defaults.apply(element, context.class, "geom")?;
        let index = self.model.geometries.len();
        let name = register(&mut self.geoms, element, index)?;
        let (shape, own) = self.geom_shape(&full)?;
        let filter =
            ContactFilter { kind: bits(&full, "contype")?, with: bits(&full, "conaffinity")? };
        let touches = filter.kind != 0 || filter.with != 0;
        let narrow = i64::from(i32::MIN)..=i64::from(i32::MAX);
        let group = full.integer("group", narrow.clone())?.unwrap_or(0);
        self.weights.push(Weight::read(&full, group)?);
        let geometry = ModelGeometry {
            name,
            place: element.place.clone(),
            body: context.body,
            shape,
            pose: context.frame.then(&own),
            role: if touches { GeometryRole::Both } else { GeometryRole::Visual },
            filter,
            friction: Some(frictions(&full)?),
            contact_dimension: dimension(&full)?.unwrap_or(3),
            priority: full.integer("priority", narrow)?.unwrap_or(0) as i32,
            margin: full.non_negative("margin")?.unwrap_or(0.0),
            gap: full.non_negative("gap")?.unwrap_or(0.0),
            group: group as i32,
            colour: self.colour(&full)?,
        };
        self.model.geometries.push(geometry);
        self.model.bodies[context.body].geometries.push(index);
        Ok(())
    }

    /// The colour of a geom or site: its own, or that of its material.
    pub(super) fn colour(&self, full: &Element) -> Result<Option<[f64; 4]>, Error> {
        if let Some(rgba) = full.numbers("rgba", 4..=4)? {
            return Ok(Some([rgba[0], rgba[1], rgba[2], rgba[3]]));
        }
        match full.attribute("material") {
            Some(material) => Ok(self.colours[self.materials.find(material)?]),
            None => Ok(None),
        }
    }

    /// The shape of a site, a small ball where the file says nothing.
    pub(super) fn site_shape(&self, full: &Element) -> Result<(ModelShape, ModelPose), Error> {
        let kind = full.word("type", &TYPES[2..7])?.unwrap_or(Type::Sphere);
        let along = from_to(full)?;
        let half = along.as_ref().map(|(_, half)| *half);
        let pose = along.map_or_else(|| self.compiler.pose(full), |(pose, _)| Ok(pose))?;
        let mut size = [SITE; 3];
        if let Some(given) = full.numbers("size", 1..=3)? {
            size[..given.len()].copy_from_slice(&given);
        }
        let used = match (kind, half) {
            (Type::Sphere, _) | (_, Some(_)) => 1,
            (Type::Capsule | Type::Cylinder, None) => 2,
            _ => 3,
        };
        if size[..used].iter().any(|x| !(*x > 0.0)) {
            return Err(full.out_of_range("size", "positive lengths"));
        }
        Ok((solid(kind, &size, half), pose))
    }

    /// The shape of a geom and its frame in that of the body or frame around it.
    fn geom_shape(&mut self, full: &Element) -> Result<(ModelShape, ModelPose), Error> {
        let kind = full.word("type", &TYPES)?.unwrap_or(Type::Sphere);
        let pose = self.compiler.pose(full)?;
        let mesh = full.attribute("mesh").map(|mesh| self.meshes.find(mesh)).transpose()?;
        match (kind, mesh) {
            (Type::Mesh, Some(mesh)) => return Ok((ModelShape::Mesh { mesh }, pose)),
            (Type::Mesh, None) => {
                full.required("mesh")?;
            }
            (Type::HeightField, _) => {
                let field = self.fields.find(full.required("hfield")?)?;
                return Ok((ModelShape::HeightField { field }, pose));
            }
            (Type::Plane, _) => return Ok((plane(full)?, pose)),
            (Type::Sdf, _) => {
                return Err(full.place_of("type").error(Problem::Unsupported {
                    what: "a geom of type `sdf`".to_owned(),
                    cure: "use a mesh or primitive shapes",
                }));
            }
            (_, Some(mesh)) => return self.fit(full, kind, mesh, &pose),
            _ => {}
        }
        match from_to(full)? {
            Some((pose, half)) => Ok((primitive(full, kind, Some(half))?, pose)),
            None => Ok((primitive(full, kind, None)?, pose)),
        }
    }

    /// A primitive shape with the inertia of a mesh, at its centre and along its principal axes.
    fn fit(
        &mut self,
        full: &Element,
        kind: Type,
        mesh: usize,
        pose: &ModelPose,
    ) -> Result<(ModelShape, ModelPose), Error> {
        if self.compiler.fit_box {
            return Err(full.error(Problem::Unsupported {
                what: "fitaabb=\"true\", a primitive shape in the bounding box of a mesh,"
                    .to_owned(),
                cure: "give the size of the shape and leave out `mesh`",
            }));
        }
        let mass = self.mesh_mass(mesh, &full.place)?;
        let (moments, axes) = principal_axes(mass.tensor);
        // The longest axis, which has the smallest moment, is z.
        let axes = DMat3::from_quat(axes);
        let frame = DMat3::from_cols(axes.col(2), axes.col(1), -axes.col(0));
        let local =
            ModelPose { position: mass.center, rotation: DQuat::from_mat3(&frame).normalize() };
        let moments = DVec3::new(moments.z, moments.y, moments.x);
        let sum = moments.x + moments.y + moments.z;
        let half = DVec3::from_array(
            moments.to_array().map(|m| (6.0 * (sum - 2.0 * m) / mass.volume).max(0.0).sqrt() * 0.5),
        ) * full.positive("fitscale")?.unwrap_or(1.0);
        let radius = (half.x + half.y) * 0.5;
        let shape = match kind {
            Type::Sphere => ModelShape::Sphere { radius: (half.x + half.y + half.z) / 3.0 },
            Type::Capsule => {
                ModelShape::Capsule { radius, half_length: (half.z - radius * 0.5).max(0.0) }
            }
            Type::Cylinder => ModelShape::Cylinder { radius, half_length: half.z },
            Type::Ellipsoid => ModelShape::Ellipsoid { half_axes: half },
            _ => ModelShape::Box { half },
        };
        Ok((shape, pose.then(&local)))
    }
}

/// A bit mask, 1 where the file says nothing.
fn bits(full: &Element, name: &str) -> Result<u32, Error> {
    let value = full.integer(name, i64::from(i32::MIN)..=i64::from(u32::MAX))?.unwrap_or(1);
    Ok(value as u32)
}

pub(super) fn dimension(full: &Element) -> Result<Option<u8>, Error> {
    match full.integer("condim", 1..=6)? {
        Some(2 | 5) => Err(full.out_of_range("condim", "1, 3, 4 or 6")),
        other => Ok(other.map(|n| n as u8)),
    }
}

fn frictions(full: &Element) -> Result<ThreeFrictions, Error> {
    let mut values = FRICTION;
    if let Some(given) = full.numbers("friction", 1..=3)? {
        if given.iter().any(|mu| *mu < 0.0) {
            return Err(full.out_of_range("friction", "zero or positive"));
        }
        values[..given.len()].copy_from_slice(&given);
    }
    let [sliding, torsional, rolling] = values;
    Ok(ThreeFrictions { sliding, torsional, rolling })
}

/// Sizes of a plane: zero means without end.
fn plane(full: &Element) -> Result<ModelShape, Error> {
    let size = full.required("size")?.numbers(3..=3)?;
    if size[0] < 0.0 || size[1] < 0.0 || !(size[2] > 0.0) {
        return Err(
            full.out_of_range("size", "two lengths, zero for no end, and a positive grid spacing")
        );
    }
    let drawn = |x: f64| Some(x).filter(|x| *x > 0.0);
    Ok(ModelShape::Plane { half_x: drawn(size[0]), half_y: drawn(size[1]) })
}

/// A primitive shape by its sizes, of which `fromto` gives one.
fn primitive(full: &Element, kind: Type, along: Option<f64>) -> Result<ModelShape, Error> {
    if along.is_some() && kind == Type::Sphere {
        return Err(full.place_of("fromto").error(Problem::Unsupported {
            what: format!("`fromto` of the sphere `{}`", label(full)),
            cure: "give `pos`",
        }));
    }
    let needed = match (kind, along) {
        (Type::Sphere, _) | (Type::Capsule | Type::Cylinder, Some(_)) => 1,
        (Type::Capsule | Type::Cylinder, None) => 2,
        (_, Some(_)) => 1,
        _ => 3,
    };
    let size = full.required("size")?.numbers(needed..=3)?;
    if size[..needed].iter().any(|x| !(*x > 0.0)) {
        return Err(full.out_of_range("size", "positive lengths"));
    }
    let at = |k: usize| size.get(k).copied().unwrap_or(0.0);
    Ok(solid(kind, &[size[0], at(1), at(2)], along))
}

/// A primitive shape from its sizes; `along` is half of the length between two ends.
fn solid(kind: Type, size: &[f64; 3], along: Option<f64>) -> ModelShape {
    let half_axes =
        along.map_or(DVec3::from_array(*size), |half| DVec3::new(size[0], size[0], half));
    let (radius, half_length) = (size[0], along.unwrap_or(size[1]));
    match kind {
        Type::Sphere => ModelShape::Sphere { radius },
        Type::Capsule => ModelShape::Capsule { radius, half_length },
        Type::Cylinder => ModelShape::Cylinder { radius, half_length },
        Type::Ellipsoid => ModelShape::Ellipsoid { half_axes },
        _ => ModelShape::Box { half: half_axes },
    }
}
