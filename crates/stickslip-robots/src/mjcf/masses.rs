//! Masses of bodies: given by `<inertial>` or from geometry, then bounded, balanced and scaled as `<compiler>` says.

use super::Reader;
use super::compiler::{Compiler, FromGeometry};
use crate::error::{Error, Place, Problem};
use crate::model::{Inertia, ModelPose, ModelShape, Sum, TRIANGLE_SLACK};
use crate::xml::Element;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// The density where a file says nothing, in kg/m³.
const DENSITY: f64 = 1000.0;

/// What a geom says about its mass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    mass: Option<f64>,
    density: f64,
    shell: bool,
    group: i64,
}

impl Weight {
    pub(super) fn read(full: &Element, group: i64) -> Result<Self, Error> {
        let mass = full.non_negative("mass")?;
        let density = full.non_negative("density")?.unwrap_or(DENSITY);
        Ok(Self { mass, density, shell: full.boolean("shellinertia")?.unwrap_or(false), group })
    }
}

/// What `<inertial>` says.
#[derive(Clone, Debug)]
pub(super) struct Given {
    place: Place,
    inertia: Inertia,
}

impl Given {
    pub(super) fn read(element: &Element, compiler: &Compiler) -> Result<Self, Error> {
        element.required("pos")?;
        let mass = element.required_number("mass")?;
        let pose = compiler.pose(element)?;
        let inertia = match (element.vector("diaginertia")?, element.numbers("fullinertia", 6..=6)?)
        {
            (Some(_), Some(_)) => return Err(conflict(element, "diaginertia", "fullinertia")),
            (Some(moments), None) => Inertia::from_principal(mass, &pose, moments),
            (None, Some(m)) => {
                if compiler.rotation(element)?.is_some() {
                    return Err(conflict(element, "fullinertia", "an orientation"));
                }
                let columns = [[m[0], m[3], m[4]], [m[3], m[1], m[5]], [m[4], m[5], m[2]]];
                let tensor = DMat3::from_cols_array_2d(&columns);
                Inertia { mass, center: pose.position, tensor }
            }
            (None, None) => {
                let (element_name, attribute) = (element.name.clone(), "diaginertia".to_owned());
                let problem = Problem::MissingAttribute { element: element_name, attribute };
                return Err(element.error(problem));
            }
        };
        Ok(Self { place: element.place.clone(), inertia })
    }
}

fn conflict(element: &Element, first: &str, second: &str) -> Error {
    element.error(Problem::Conflict {
        element: element.name.clone(),
        first: first.to_owned(),
        second: second.to_owned(),
    })
}

impl Reader<'_> {
    /// Sets the masses of all bodies but the world.
    pub(super) fn set_masses(&mut self) -> Result<(), Error> {
        for body in 1..self.model.bodies.len() {
            let rule = self.compiler.from_geometry;
            let given = self.given[body].take();
            let weightless = given.as_ref().is_some_and(|given| self.is_weightless(body, given));
            let given = given.filter(|_| !weightless);
            let (inertia, place, stated) = match given {
                Some(given) if rule != FromGeometry::Always => {
                    (Some(given.inertia), given.place, true)
                }
                _ if rule == FromGeometry::Never || weightless => {
                    (None, self.model.bodies[body].place.clone(), false)
                }
                _ => (self.geometry_mass(body)?, self.model.bodies[body].place.clone(), false),
            };
            self.model.bodies[body].inertia = self.corrected(inertia, body, &place, stated)?;
        }
        self.check_moving()?;
        if let Some(total) = self.compiler.total_mass {
            let factor = total / self.model.total_mass();
            if factor.is_finite() {
                for inertia in self.model.bodies.iter_mut().filter_map(|body| body.inertia.as_mut())
                {
                    inertia.mass *= factor;
                    inertia.tensor *= factor;
                }
            }
        }
        Ok(())
    }

    /// Whether a body that does not move against its parent is said to have no mass, which is reported. Bodies that move need one.
    fn is_weightless(&mut self, body: usize, given: &Given) -> bool {
        let fixed = self.model.bodies[body].joints.is_empty();
        let rule = self.compiler.from_geometry != FromGeometry::Always;
        let weightless =
            fixed && rule && given.inertia.mass == 0.0 && self.compiler.bound_mass == 0.0;
        if weightless {
            let name = self.model.bodies[body].name.clone();
            self.note(
                &given.place,
                format!("`{name}` is fixed and has mass zero; it is read without mass"),
            );
        }
        weightless
    }

    /// The mass of the geoms of a body. Where a body stands still, a mesh that has none is reported and does no harm.
    fn geometry_mass(&mut self, body: usize) -> Result<Option<Inertia>, Error> {
        // A given total mass counts all bodies.
        let mut still = self.compiler.total_mass.is_none();
        let mut chain = Some(body);
        while let Some(index) = chain {
            still &= self.model.bodies[index].joints.is_empty();
            chain = self.model.bodies[index].parent;
        }
        match self.sum_geoms(body) {
            Err(error) if still && matches!(*error.problem, Problem::Mesh(_)) => {
                let text =
                    format!("a body that stands still is read without mass: {}", error.problem);
                self.note(&error.place, text);
                Ok(None)
            }
            other => other,
        }
    }

    /// The sum over the geoms of a body.
    fn sum_geoms(&mut self, body: usize) -> Result<Option<Inertia>, Error> {
        let (mut sum, (first, last)) = (Sum::default(), self.compiler.groups);
        for index in self.model.bodies[body].geometries.clone() {
            let weight = self.weights[index];
            let massless = weight.mass.unwrap_or(weight.density) == 0.0;
            if massless || !(first..=last).contains(&weight.group) {
                continue;
            }
            let (shape, pose) =
                (self.model.geometries[index].shape, self.model.geometries[index].pose);
            let place = self.model.geometries[index].place.clone();
            let Some(unit) = self.unit_mass(&shape, &place)? else { continue };
            if weight.shell {
                return Err(place.error(Problem::Unsupported {
                    what: "shellinertia".to_owned(),
                    cure: "give the mass of the shell in <inertial>",
                }));
            }
            let factor = weight.mass.map_or(weight.density, |mass| mass / unit.mass);
            let part = Inertia { mass: unit.mass * factor, tensor: unit.tensor * factor, ..unit };
            sum.add(part.moved(&pose));
        }
        Ok(sum.total())
    }

    /// Mass properties of a shape at density 1; none for planes and height fields.
    fn unit_mass(&mut self, shape: &ModelShape, place: &Place) -> Result<Option<Inertia>, Error> {
        let (volume, moments) = match *shape {
            ModelShape::Sphere { radius: r } => {
                (4.0 / 3.0 * PI * r.powi(3), DVec3::splat(0.4 * r * r))
            }
            ModelShape::Box { half: h } => (8.0 * h.x * h.y * h.z, pairs(h * h) / 3.0),
            ModelShape::Ellipsoid { half_axes: a } => {
                (4.0 / 3.0 * PI * a.x * a.y * a.z, pairs(a * a) / 5.0)
            }
            ModelShape::Cylinder { radius: r, half_length: h } => {
                let side = r * r / 4.0 + h * h / 3.0;
                (2.0 * PI * r * r * h, DVec3::new(side, side, r * r / 2.0))
            }
            ModelShape::Capsule { radius, half_length } => capsule(radius, half_length),
            ModelShape::Mesh { mesh } => {
                return Ok(Some(self.mesh_mass(mesh, place)?.with_density(1.0)));
            }
            ModelShape::Plane { .. } | ModelShape::HeightField { .. } => return Ok(None),
        };
        Ok(Some(Inertia::from_principal(volume, &ModelPose::default(), moments * volume)))
    }

    /// With the lower bounds and the balance of `<compiler>`, or refused.
    fn corrected(
        &self,
        inertia: Option<Inertia>,
        body: usize,
        place: &Place,
        stated: bool,
    ) -> Result<Option<Inertia>, Error> {
        let (compiler, name) = (&self.compiler, &self.model.bodies[body].name);
        let owner = if name.is_empty() { "a body without a name" } else { name };
        let Some(mut inertia) = inertia else {
            let tensor = DMat3::from_diagonal(DVec3::splat(compiler.bound_inertia));
            let center = DVec3::ZERO;
            let bounded = Inertia { mass: compiler.bound_mass, center, tensor };
            return Ok(Some(bounded).filter(|bounded| bounded.mass > 0.0));
        };
        let (moments, axes) = inertia.principal();
        // Bounds raise what is small; what is negative is a mistake.
        if stated && (inertia.mass < 0.0 || moments.x < 0.0) {
            inertia.check(owner, place)?;
        }
        inertia.mass = inertia.mass.max(compiler.bound_mass);
        let pose = ModelPose { position: inertia.center, rotation: axes };
        let mut bounded = moments.max(DVec3::splat(compiler.bound_inertia));
        let excess = bounded.max_element() * 2.0 - (bounded.x + bounded.y + bounded.z);
        if compiler.balance && excess > TRIANGLE_SLACK * bounded.max_element() {
            bounded = DVec3::splat((bounded.x + bounded.y + bounded.z) / 3.0);
        }
        if bounded != moments {
            inertia = Inertia::from_principal(inertia.mass, &pose, bounded);
        }
        if stated {
            inertia.check(owner, place)?;
        }
        Ok(Some(inertia))
    }

    /// A body that moves must have mass, itself or in bodies that are fixed to it.
    fn check_moving(&self) -> Result<(), Error> {
        let bodies = &self.model.bodies;
        let mut heavy: Vec<bool> = bodies.iter().map(|body| body.inertia.is_some()).collect();
        for index in (1..bodies.len()).rev() {
            if let (true, true, Some(parent)) =
                (heavy[index], bodies[index].joints.is_empty(), bodies[index].parent)
            {
                heavy[parent] = true;
            }
        }
        let light = (1..bodies.len()).find(|&k| !heavy[k] && !bodies[k].joints.is_empty());
        light.map_or(Ok(()), |k| {
            let name = &bodies[k].name;
            let owner = if name.is_empty() { "the body" } else { name }.to_owned();
            Err(bodies[k].place.error(Problem::NoMass { owner }))
        })
    }
}

/// The sums of the squares of the other two axes.
fn pairs(squares: DVec3) -> DVec3 {
    DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y)
}

/// Volume and moments per mass of a cylinder with two half balls, whose centres are 3r/8 beyond its ends.
fn capsule(r: f64, h: f64) -> (f64, DVec3) {
    let (cylinder, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r.powi(3));
    let axial = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
    let side = cylinder * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * r * h);
    let volume = cylinder + ball;
    (volume, DVec3::new(side, side, axial) / volume)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capsule_without_length_is_a_ball_and_a_long_one_a_rod() {
        let (volume, moments) = capsule(2.0, 0.0);
        assert!((volume - 4.0 / 3.0 * PI * 8.0).abs() < 1e-13);
        assert!((moments - DVec3::splat(1.6)).length() < 1e-14);
        let (_, moments) = capsule(1e-6, 1.0);
        assert!((moments.x - 1.0 / 3.0).abs() < 1e-5);
    }
}
