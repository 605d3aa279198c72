//! Shapes on bodies, meshes, height fields, and which of them may touch.

use super::ModelPose;
use crate::error::Place;
use crate::mesh::TriangleMesh;
use glam::DVec3;

/// A shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelGeometry {
    /// Its name, unique among the geometries. Without one in the file it is `geometry_` and its index.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// The body that it is on.
    pub body: usize,
    /// Its form.
    pub shape: ModelShape,
    /// Its frame in that of the body. The vertices of a mesh are in this frame.
    pub pose: ModelPose,
    /// Whether it touches, is drawn, or both.
    pub role: GeometryRole,
    /// With what it may touch.
    pub filter: ContactFilter,
    /// Friction, if the format says so. Of two geometries that touch, MJCF takes that of the higher `priority`, else the greater of
    /// each of the three.
    pub friction: Option<ThreeFrictions>,
    /// How many directions a contact has: 1 without friction, 3 with sliding, 4 with torsion, 6 with rolling friction.
    pub contact_dimension: u8,
    /// Whose friction counts.
    pub priority: i32,
    /// The distance below which a contact is made, in m.
    pub margin: f64,
    /// The part of the margin in which a contact has no force, in m.
    pub gap: f64,
    /// The group (MJCF), a number for the viewer and for `inertiagrouprange`.
    pub group: i32,
    /// Red, green, blue and opacity from 0 to 1.
    pub colour: Option<[f64; 4]>,
}

/// What a geometry is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryRole {
    /// It is drawn and does not touch.
    Visual,
    /// It touches and is not drawn (URDF collision).
    Collision,
    /// Both.
    Both,
}

/// With what a geometry may touch: with another if `kind` of one and `with` of the other share a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactFilter {
    /// MJCF `contype`.
    pub kind: u32,
    /// MJCF `conaffinity`.
    pub with: u32,
}

impl ContactFilter {
    /// Whether two geometries may touch.
    #[must_use]
    pub fn allows(self, other: Self) -> bool {
        self.kind & other.with != 0 || other.kind & self.with != 0
    }
}

/// Coefficients of friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreeFrictions {
    /// Against sliding, without unit.
    pub sliding: f64,
    /// Against spinning about the normal, in m.
    pub torsional: f64,
    /// Against rolling, in m.
    pub rolling: f64,
}

/// The form of a geometry, centred at its frame. Lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModelShape {
    /// A ball.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half of the edges.
        half: DVec3,
    },
    /// A cylinder about z with half balls at its ends.
    Capsule {
        /// The radius.
        radius: f64,
        /// Half of the length of the cylinder, without the half balls.
        half_length: f64,
    },
    /// A cylinder about z.
    Cylinder {
        /// The radius.
        radius: f64,
        /// Half of the length.
        half_length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The half-axes.
        half_axes: DVec3,
    },
    /// The half space below z = 0. It has no end; the sizes are those that are drawn.
    Plane {
        /// Half of the drawn length in x; none: no end.
        half_x: Option<f64>,
        /// Half of the drawn length in y; none: no end.
        half_y: Option<f64>,
    },
    /// A mesh.
    Mesh {
        /// Its index among the meshes of the model.
        mesh: usize,
    },
    /// A height field.
    HeightField {
        /// Its index among the height fields of the model.
        field: usize,
    },
}

/// A mesh of the model, scaled and in the frame that geometries refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMesh {
    /// Its name (MJCF), or its file with the scale.
    pub name: String,
    /// Where the model names it.
    pub place: Place,
    /// The file that it came from, if it did.
    pub file: Option<String>,
    /// Its triangles.
    pub mesh: TriangleMesh,
}

/// A height field: heights over a grid, bilinear or in triangles between them as the user of the model likes.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Its name.
    pub name: String,
    /// Where the model defines it.
    pub place: Place,
    /// Half of the length in x, in m.
    pub half_x: f64,
    /// Half of the length in y, in m.
    pub half_y: f64,
    /// How far the solid goes below height zero, in m.
    pub base: f64,
    /// The number of rows, from −y to y.
    pub rows: usize,
    /// The number of columns, from −x to x.
    pub columns: usize,
    /// The heights in m, row by row.
    pub heights: Vec<f64>,
}

/// Two bodies whose geometries never touch.
#[derive(Clone, Debug, PartialEq)]
pub struct ExcludedBodies {
    /// Where it stands in the file.
    pub place: Place,
    /// The one.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// Two geometries that touch whatever the filters say.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplicitPair {
    /// Its name.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// The one.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// Friction of this pair, in two directions of sliding, about the normal, and in two of rolling; none: that of the geometries.
    pub friction: Option<[f64; 5]>,
    /// The number of directions of the contact; none: that of the geometries.
    pub contact_dimension: Option<u8>,
    /// The margin; none: that of the geometries.
    pub margin: Option<f64>,
    /// The gap; none: that of the geometries.
    pub gap: Option<f64>,
}
