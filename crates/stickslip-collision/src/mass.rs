//! Volume, centre and inertia of geometries of uniform density.
//!
//! Notation: C = ∫ x xᵀ dV the second moments, from which the inertia is (tr C) 1 − C.

use crate::error::{Error, check};
use crate::geometry::Geometry;
use crate::outline::Outline;
use crate::polytope::Polytope;
use crate::pose::{Pose, matrix};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// What a geometry filled with a material weighs and how its mass is distributed. Of a polygon in the plane the volume is its area, the
/// density is in kg/m², and the inertia is that of a thin plate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeProperties {
    /// The volume.
    pub volume: f64,
    /// Volume times density.
    pub mass: f64,
    /// The centre of mass in the axes of the geometry.
    pub centre: DVec3,
    /// The inertia about the centre of mass, in the axes of the geometry.
    pub inertia: DMat3,
}

/// Moments of order 0, 1 and 2 about the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub(crate) volume: f64,
    pub(crate) first: DVec3,
    pub(crate) second: DMat3,
}

impl Geometry {
    /// Volume, mass, centre and inertia for a density in kg/m³. Closed forms; hulls and closed meshes by the divergence theorem. Parts of
    /// a compound are added up: where they overlap, the material counts twice.
    ///
    /// # Errors
    /// If the geometry is not valid, the density is not positive, or it has no volume: half-spaces, open meshes, height fields.
    pub fn mass_properties(&self, density: f64) -> Result<VolumeProperties, Error> {
        self.validate()?;
        check(|| "the density".into(), density, density > 0.0, "a finite number > 0")?;
        let moments = moments(self, self.name())?;
        let centre = moments.first / moments.volume;
        let second = moments.second - moments.volume * outer(centre, centre);
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        Ok(VolumeProperties {
            volume: moments.volume,
            mass: density * moments.volume,
            centre,
            inertia: density * (DMat3::from_diagonal(DVec3::splat(trace)) - second),
        })
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn moments(geometry: &Geometry, place: &str) -> Result<Moments, Error> {
    // About the centre, along the axes.
    let centred = |volume: f64, squares: DVec3| Moments {
        volume,
        first: DVec3::ZERO,
        second: DMat3::from_diagonal(volume * squares),
    };
    let refuse = |problem, cure| Err(Error::NoVolume { place: place.to_owned(), problem, cure });
    Ok(match geometry {
        Geometry::Sphere { radius: r } => {
            centred(4.0 / 3.0 * PI * r.powi(3), DVec3::splat(r * r / 5.0))
        }
        Geometry::Box { half_lengths: h } => centred(8.0 * h.element_product(), *h * *h / 3.0),
        Geometry::Capsule { half_length: h, radius: r } => capsule(*h, *r),
        Geometry::Cylinder { half_height: h, radius: r } => {
            centred(2.0 * PI * r * r * h, DVec3::new(r * r / 4.0, r * r / 4.0, h * h / 3.0))
        }
        Geometry::Cone { half_height: h, radius: r } => {
            // About the centroid, a quarter of the height 2h above the base.
            let side = 3.0 / 20.0 * r * r;
            let about = centred(2.0 / 3.0 * PI * r * r * h, DVec3::new(side, side, 0.15 * h * h));
            about.placed(&Pose::at(DVec3::new(0.0, 0.0, -0.5 * h)))
        }
        Geometry::HalfSpace => return refuse("has no end", "give the mass by itself"),
        Geometry::Hull { points } => {
            let hull = Polytope::hull(points, &Pose::default(), place)?;
            let triangles = hull.faces.iter().flat_map(|f| {
                let l = &hull.loops[f.start as usize..(f.start + f.count) as usize];
                let at = |k: usize| hull.vertices[l[k] as usize];
                (1..l.len() - 1).map(move |k| [at(0), at(k), at(k + 1)])
            });
            enclosed(hull.vertices[0], triangles)
        }
        Geometry::Mesh { vertices, triangles } => {
            if !closed(triangles) {
                return refuse(
                    "is an open mesh",
                    "close it so that each edge has one triangle on either side, or give the mass by itself",
                );
            }
            let moments = enclosed(vertices[0], triangles.iter().map(|t| t.map(|v| vertices[v])));
            if !(moments.volume > 0.0) {
                return refuse(
                    "encloses no positive volume",
                    "list the vertices of triangles counter-clockwise seen from outside",
                );
            }
            moments
        }
        Geometry::Polygon { points, radius } => {
            crate::outline::moments(&Outline::new(points, *radius, &Pose::default()))
        }
        Geometry::HeightField { .. } | Geometry::Chain { .. } => {
            return refuse("is an open surface", "give the mass by itself");
        }
        Geometry::Compound { parts } => {
            let mut sum = Moments::NONE;
            for (k, (pose, part)) in parts.iter().enumerate() {
                let place = format!("{}, part {k} of {place}", part.name());
                sum = sum.plus(&moments(part, &place)?.placed(pose));
            }
            sum
        }
    })
}

fn capsule(h: f64, r: f64) -> Moments {
    let (cylinder, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r.powi(3));
    let side = cylinder * r * r / 4.0 + ball * r * r / 5.0;
    // Half balls at ±h: their centroids are 3r/8 further out.
    let along = cylinder * h * h / 3.0 + ball * (r * r / 5.0 + h * h + 0.75 * h * r);
    let second = DMat3::from_diagonal(DVec3::new(side, side, along));
    Moments { volume: cylinder + ball, first: DVec3::ZERO, second }
}

/// Whether each edge has one triangle on either side.
fn closed(triangles: &[[usize; 3]]) -> bool {
    let directed = |t: &[usize; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let mut edges: Vec<(usize, usize)> = triangles.iter().flat_map(directed).collect();
    edges.sort_unstable();
    let single = edges.windows(2).all(|w| w[0] != w[1]);
    single && edges.iter().all(|&(a, b)| edges.binary_search(&(b, a)).is_ok())
}

/// What triangles enclose, as a sum of tetrahedra about one of their vertices.
fn enclosed(apex: DVec3, triangles: impl Iterator<Item = [DVec3; 3]>) -> Moments {
    let mut sum = Moments::NONE;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| v - apex);
        let volume = a.dot(b.cross(c)) / 6.0;
        let total = a + b + c;
        // ∫ x xᵀ over a tetrahedron with one corner at the origin.
        let second = outer(a, a) + outer(b, b) + outer(c, c) + outer(total, total);
        sum.volume += volume;
        sum.first += volume / 4.0 * total;
        sum.second += volume / 20.0 * second;
    }
    sum.placed(&Pose::at(apex))
}

impl Moments {
    pub(crate) const NONE: Self = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    pub(crate) fn plus(&self, o: &Self) -> Self {
        Self {
            volume: self.volume + o.volume,
            first: self.first + o.first,
            second: self.second + o.second,
        }
    }

    /// The moments after rotation and shift.
    pub(crate) fn placed(&self, pose: &Pose) -> Self {
        let (r, s) = (matrix(pose.rotation), pose.position);
        let first = r * self.first;
        let second = r * self.second * r.transpose()
            + outer(first, s)
            + outer(s, first)
            + self.volume * outer(s, s);
        Self { volume: self.volume, first: first + self.volume * s, second }
    }
}
