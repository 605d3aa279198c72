//! Mass, centre and inertia of a body, checked.

use crate::error::{Error, check};
use glam::{DMat3, DVec3};

/// How far the triangle inequality of principal moments may be missed by rounding.
const ROUNDING: f64 = 1e-9;

/// Mass and inertia about the centre of mass, in the body's own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    mass: f64,
    inertia: DMat3,
    inverse: DMat3,
}

impl MassProperties {
    /// From a mass and a tensor of inertia.
    ///
    /// # Errors
    /// If the mass is not positive, or the tensor is not symmetric, not positive definite, or one that no
    /// distribution of mass has: each principal moment is at most the sum of the other two.
    pub fn new(mass: f64, inertia: DMat3) -> Result<Self, Error> {
        check(|| "mass".into(), mass, mass > 0.0, "a finite number > 0")?;
        let columns = inertia.to_cols_array();
        for (i, x) in columns.into_iter().enumerate() {
            check(|| format!("inertia[{}][{}]", i % 3, i / 3), x, true, "a finite number")?;
        }
        let size = columns.into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let skew = (inertia - inertia.transpose()).to_cols_array();
        let skew = skew.into_iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let symmetric = skew <= ROUNDING * size;
        check(
            || "the asymmetry of the inertia".into(),
            skew,
            symmetric,
            "0: inertia is symmetric",
        )?;
        let inertia = 0.5 * (inertia + inertia.transpose());
        // Scaled by a power of two, which rounds nothing: products of entries leave the range of numbers long before these do.
        let unit = 2.0_f64.powi(size.log2().clamp(-1000.0, 1000.0) as i32);
        let scaled = DMat3::from_cols_array(&inertia.to_cols_array().map(|x| x / unit));
        let mut moments = principal_moments(scaled).map(|m| m * unit);
        moments.sort_by(f64::total_cmp);
        let [low, middle, high] = moments;
        let definite = low > 1e-14 * high;
        check(|| "the least principal moment of inertia".into(), low, definite, "> 0")?;
        let excess = high - low - middle;
        let place = || "the largest principal moment of inertia less the other two".to_owned();
        let wanted = "at most 0: no distribution of mass violates the triangle inequality";
        check(place, excess, excess <= ROUNDING * high, wanted)?;
        let inverse = DMat3::from_cols_array(&scaled.inverse().to_cols_array().map(|x| x / unit));
        let largest = inverse.to_cols_array().into_iter().fold(1.0 / mass, |m, x| m.max(x.abs()));
        let place = || "the largest inverse of mass and inertia".to_owned();
        check(place, largest, inverse.is_finite(), "a finite number; take other units")?;
        Ok(Self { mass, inertia, inverse })
    }

    /// No mass at all: of a link that only carries others.
    pub(super) fn none() -> Self {
        Self { mass: 0.0, inertia: DMat3::ZERO, inverse: DMat3::ZERO }
    }

    /// A solid box with these edges, of which one may be 0.
    ///
    /// # Errors
    /// If an edge is negative, or as [`new`](Self::new).
    pub fn cuboid(mass: f64, edges: DVec3) -> Result<Self, Error> {
        for (axis, edge) in ["x", "y", "z"].into_iter().zip(edges.to_array()) {
            at_least_zero(|| format!("the edge of a box along {axis}"), edge)?;
        }
        let s = edges * edges / 12.0;
        Self::new(mass, DMat3::from_diagonal(mass * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y)))
    }

    /// A solid sphere.
    ///
    /// # Errors
    /// If the radius is negative, or as [`new`](Self::new).
    pub fn sphere(mass: f64, radius: f64) -> Result<Self, Error> {
        at_least_zero(|| "the radius of a sphere".into(), radius)?;
        Self::new(mass, DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius)))
    }

    /// A solid cylinder about the z-axis; a height of 0 makes it a thin disc.
    ///
    /// # Errors
    /// If the radius or the height is negative, or as [`new`](Self::new).
    pub fn cylinder(mass: f64, radius: f64, height: f64) -> Result<Self, Error> {
        at_least_zero(|| "the radius of a cylinder".into(), radius)?;
        at_least_zero(|| "the height of a cylinder".into(), height)?;
        let axial = 0.5 * mass * radius * radius;
        let across = 0.5 * axial + mass * height * height / 12.0;
        Self::new(mass, DMat3::from_diagonal(DVec3::new(across, across, axial)))
    }

    /// The mass.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// The tensor of inertia about the centre of mass, in body axes.
    #[must_use]
    pub fn inertia(&self) -> DMat3 {
        self.inertia
    }

    /// Its inverse.
    #[must_use]
    pub fn inverse_inertia(&self) -> DMat3 {
        self.inverse
    }
}

fn at_least_zero(place: impl FnOnce() -> String, x: f64) -> Result<(), Error> {
    check(place, x, x >= 0.0, "a finite number >= 0")
}

/// Eigenvalues of a symmetric 3 × 3 matrix, in any order.
pub(crate) fn principal_moments(m: DMat3) -> [f64; 3] {
    let m = nalgebra::Matrix3::from_column_slice(&m.to_cols_array());
    let e = m.symmetric_eigenvalues();
    [e[0], e[1], e[2]]
}
