//! The geometries, as plain data.

use crate::error::{Error, check};
use crate::outline::{validate_chain, validate_polygon};
use crate::polytope::Polytope;
use crate::pose::Pose;
use glam::{DVec2, DVec3};

/// A geometry in its own axes. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Geometry {
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box about the origin.
    Box {
        /// Half of its lengths along x, y and z.
        half_lengths: DVec3,
    },
    /// All points within the radius of a segment of the z axis.
    Capsule {
        /// Half of the length of the segment.
        half_length: f64,
        /// The radius.
        radius: f64,
    },
    /// A circular cylinder about the z axis.
    Cylinder {
        /// Half of its height.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// A circular cone about the z axis, with the apex at z = `half_height` and the base at z = −`half_height`.
    Cone {
        /// Half of its height.
        half_height: f64,
        /// The radius of the base.
        radius: f64,
    },
    /// All points with z ≤ 0: its surface has the normal +z.
    HalfSpace,
    /// The convex hull of points.
    Hull {
        /// The points; those inside of the hull do not matter.
        points: Vec<DVec3>,
    },
    /// A surface of triangles that are counter-clockwise seen from outside. It is touched from outside alone.
    Mesh {
        /// The vertices.
        vertices: Vec<DVec3>,
        /// Three vertices each.
        triangles: Vec<[usize; 3]>,
    },
    /// A surface z = h(x, y) on a regular grid about the origin, touched from above. Each cell is cut into two triangles along the
    /// diagonal from its lowest to its highest x and y.
    HeightField {
        /// How many points there are along x; the heights are listed with x running first.
        columns: usize,
        /// The heights.
        heights: Vec<f64>,
        /// The distances of neighbouring points along x and y.
        spacing: [f64; 2],
    },
    /// In the plane z = 0: all points within the radius of a convex polygon. One point makes a disc, two a capsule.
    Polygon {
        /// The points, in their order around the polygon.
        points: Vec<DVec2>,
        /// The radius of its corners, which may be 0 where there are three points or more.
        radius: f64,
    },
    /// In the plane z = 0: a line from point to point that is touched from its left alone: a ground profile has its points from left to
    /// right. A chain whose last point is its first is closed.
    Chain {
        /// The points.
        points: Vec<DVec2>,
    },
    /// Several geometries that move as one.
    Compound {
        /// The parts, each with its pose in the axes of the compound.
        parts: Vec<(Pose, Geometry)>,
    },
}

impl Geometry {
    /// What it is called in messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "a sphere",
            Self::Box { .. } => "a box",
            Self::Capsule { .. } => "a capsule",
            Self::Cylinder { .. } => "a cylinder",
            Self::Cone { .. } => "a cone",
            Self::HalfSpace => "a half-space",
            Self::Hull { .. } => "a hull",
            Self::Mesh { .. } => "a mesh",
            Self::HeightField { .. } => "a height field",
            Self::Polygon { points, .. } => match points.len() {
                1 => "a disc",
                2 => "a planar capsule",
                _ => "a polygon",
            },
            Self::Chain { .. } => "a chain",
            Self::Compound { .. } => "a compound",
        }
    }

    /// A disc of the plane about the origin.
    #[must_use]
    pub fn disc(radius: f64) -> Self {
        Self::Polygon { points: vec![DVec2::ZERO], radius }
    }

    /// A rectangle of the plane about the origin, of these lengths along x and y.
    #[must_use]
    pub fn rectangle(lengths: DVec2) -> Self {
        let DVec2 { x, y } = 0.5 * lengths;
        let points = [(-x, -y), (x, -y), (x, y), (-x, y)].map(DVec2::from).to_vec();
        Self::Polygon { points, radius: 0.0 }
    }

    /// Whether it is one of the plane z = 0; a half-space is none by itself, as its surface is that plane.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        match self {
            Self::Polygon { .. } | Self::Chain { .. } => true,
            Self::Compound { parts } => parts.iter().all(|(_, part)| part.is_planar()),
            _ => false,
        }
    }

    /// Checks that it is a geometry: finite numbers, positive sizes, a hull with volume, indices in range.
    ///
    /// # Errors
    /// That name the number, what it must be, and the part of a compound in which it stands.
    pub fn validate(&self) -> Result<(), Error> {
        self.validate_at(self.name())
    }

    fn validate_at(&self, place: &str) -> Result<(), Error> {
        let positive = |what: &str, x: f64| {
            check(|| format!("the {what} of {place}"), x, x > 0.0, "a finite number > 0")
        };
        match self {
            Self::Sphere { radius } => positive("radius", *radius),
            Self::Box { half_lengths } => {
                half_lengths.to_array().into_iter().try_for_each(|x| positive("half length", x))
            }
            Self::Capsule { half_length, radius } => {
                positive("half length", *half_length)?;
                positive("radius", *radius)
            }
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => {
                positive("half height", *half_height)?;
                positive("radius", *radius)
            }
            Self::HalfSpace => Ok(()),
            Self::Hull { points } => {
                finite(points, place)?;
                Polytope::hull(points, &Pose::default(), place).map(|_| ())
            }
            Self::Mesh { vertices, triangles } => validate_mesh(vertices, triangles, place),
            Self::HeightField { columns, heights, spacing } => {
                positive("spacing along x", spacing[0])?;
                positive("spacing along y", spacing[1])?;
                validate_heights(*columns, heights, place)
            }
            Self::Polygon { points, radius } => validate_polygon(points, *radius, place),
            Self::Chain { points } => validate_chain(points, place),
            Self::Compound { parts } => validate_parts(parts, place),
        }
    }

    /// The vertices and triangles of a mesh or a height field.
    pub(crate) fn triangles(&self) -> Option<(Vec<DVec3>, Vec<[usize; 3]>)> {
        match self {
            Self::Mesh { vertices, triangles } => Some((vertices.clone(), triangles.clone())),
            Self::HeightField { columns, heights, spacing } => {
                Some(grid(*columns, heights, *spacing))
            }
            _ => None,
        }
    }
}

fn finite(points: &[DVec3], place: &str) -> Result<(), Error> {
    for (k, p) in points.iter().enumerate() {
        let wrong = p.to_array().into_iter().find(|x| !x.is_finite());
        let at = || format!("a coordinate of point {k} of {place}");
        check(at, wrong.unwrap_or(0.0), wrong.is_none(), "a finite number")?;
    }
    Ok(())
}

fn validate_mesh(vertices: &[DVec3], triangles: &[[usize; 3]], place: &str) -> Result<(), Error> {
    finite(vertices, place)?;
    let degenerate = |place: String, problem, cure| Err(Error::Degenerate { place, problem, cure });
    if triangles.is_empty() {
        return degenerate(place.to_owned(), "has no triangles", "give at least one");
    }
    for (k, triangle) in triangles.iter().enumerate() {
        if let Some(&index) = triangle.iter().find(|&&v| v >= vertices.len()) {
            let place = format!("a vertex of triangle {k} of {place}");
            return Err(Error::Index { place, index, count: vertices.len() });
        }
        let [a, b, c] = triangle.map(|v| vertices[v]);
        let (u, v, w) = (b - a, c - b, a - c);
        let longest = u.length_squared().max(v.length_squared()).max(w.length_squared());
        if !(u.cross(v).length() > crate::tolerance::FLAT_TRIANGLE * longest) {
            let place = format!("triangle {k} of {place}");
            return degenerate(place, "has no area", "leave it out, or move a vertex");
        }
    }
    Ok(())
}

fn validate_heights(columns: usize, heights: &[f64], place: &str) -> Result<(), Error> {
    if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
        return Err(Error::Degenerate {
            place: place.to_owned(),
            problem: "is not a grid of at least 2 by 2 heights",
            cure: "give columns ≥ 2 and a whole number ≥ 2 of rows of as many heights",
        });
    }
    for (k, &h) in heights.iter().enumerate() {
        check(|| format!("height {k} of {place}"), h, true, "a finite number")?;
    }
    Ok(())
}

fn validate_parts(parts: &[(Pose, Geometry)], place: &str) -> Result<(), Error> {
    if parts.is_empty() {
        return Err(Error::Degenerate {
            place: place.to_owned(),
            problem: "has no parts",
            cure: "give at least one",
        });
    }
    for (k, (pose, geometry)) in parts.iter().enumerate() {
        check_pose(pose, || format!("part {k} of {place}"))?;
        if matches!(geometry, Geometry::HalfSpace) {
            return Err(Error::Degenerate {
                place: format!("part {k} of {place}"),
                problem: "is a half-space",
                cure: "make it a collider of its own",
            });
        }
        geometry.validate_at(&format!("{}, part {k} of {place}", geometry.name()))?;
    }
    Ok(())
}

/// Refuses a pose that is not finite or whose quaternion is not of length 1.
pub(crate) fn check_pose(pose: &Pose, place: impl Fn() -> String) -> Result<(), Error> {
    let [x, y, z] = pose.position.to_array();
    let wrong = [x, y, z].into_iter().find(|x| !x.is_finite());
    let position = || format!("the position of {}", place());
    check(position, wrong.unwrap_or(0.0), wrong.is_none(), "a finite number")?;
    let length = pose.rotation.length();
    let unit = (length - 1.0).abs() < crate::tolerance::UNIT;
    check(
        || format!("the length of the quaternion of {}", place()),
        length,
        unit,
        "1; normalise it",
    )
}

fn grid(columns: usize, heights: &[f64], spacing: [f64; 2]) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let rows = heights.len() / columns;
    let middle = [0.5 * (columns - 1) as f64, 0.5 * (rows - 1) as f64];
    let place = |k: usize| {
        let (i, j) = ((k % columns) as f64, (k / columns) as f64);
        DVec3::new((i - middle[0]) * spacing[0], (j - middle[1]) * spacing[1], heights[k])
    };
    let vertices = (0..heights.len()).map(place).collect();
    let mut triangles = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let k = j * columns + i;
            triangles.push([k, k + 1, k + columns + 1]);
            triangles.push([k, k + columns + 1, k + columns]);
        }
    }
    (vertices, triangles)
}
