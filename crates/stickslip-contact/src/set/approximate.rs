//! Polyhedra inside and outside of a set, and how good they are.

use std::f64::consts::{PI, TAU};

use super::vector::Vector;
use super::{ConvexSet, MAX_FACETS, Polyhedron, SetError};
use crate::Error;

/// Between which multiples of a set F a polyhedron P lies: inner · F ⊆ P ⊆ outer · F, neither of
/// which can be tightened.
///
/// P is inside of F if outer ≤ 1 and outside if inner ≥ 1. The friction of P is too weak by up to
/// 1 − inner and too strong by up to outer − 1, depending on the heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sandwich {
    /// The largest multiple of F that P contains.
    pub inner: f64,
    /// The smallest multiple of F that contains P.
    pub outer: f64,
}

impl ConvexSet {
    /// A polyhedron with at most `facets` facets whose corners lie on the surface of the set.
    ///
    /// In the plane it has exactly `facets` corners, the first in direction (1, 0): for a disc or an
    /// ellipse it contains cos(π/facets) times the set. In space the corners are spread evenly and
    /// symmetric to the origin, and it contains all but about 10/facets of the size
    /// ([`sandwich`](ConvexSet::sandwich) gives the number). A polyhedron is its own approximation,
    /// whatever the number; a mixed set has two facets for spin and the others around its ellipse.
    ///
    /// An error for fewer than 2, 3 or 8 facets in dimension 1, 2 or 3 (5 for a mixed set), or more than
    /// [`MAX_FACETS`].
    pub fn polyhedron_inside(&self, facets: usize) -> Result<Polyhedron, Error> {
        self.validate()?;
        match self {
            ConvexSet::Polyhedron(polyhedron) => Ok(polyhedron.clone()),
            ConvexSet::Mixed { ellipse, spin } => {
                enough(facets, 3, 5)?;
                let flat = ConvexSet::Ellipsoid(ellipse.to_vec());
                prism(&flat.polyhedron_inside(facets - 2)?, *spin)
            }
            _ => {
                let d = self.dimension();
                enough(facets, d, [2, 3, 8][d - 1])?;
                // N points in space have a hull of up to 2 N − 4 facets.
                let points = if d == 3 { 2 * ((facets + 4) / 4) } else { facets };
                let corners: Vec<Vec<f64>> = self
                    .directions(points)
                    .iter()
                    .map(|n| {
                        let mut f = vec![0.0; d];
                        self.support_point(&n[..d], &mut f);
                        f
                    })
                    .collect();
                Polyhedron::hull(&corners)
            }
        }
    }

    /// A polyhedron with at most `facets` facets, each of which touches the set from outside.
    ///
    /// In the plane it has exactly `facets`, the first with normal (1, 0): for a disc or an ellipse it
    /// lies in the set times 1/cos(π/facets). In space normals are spread evenly and
    /// symmetric to the origin, and it exceeds the set by about 5/facets of the size
    /// ([`sandwich`](ConvexSet::sandwich) gives the number). A polyhedron is its own approximation, whatever the
    /// number; a mixed set has two facets for spin and the others around its ellipse.
    ///
    /// An error for fewer than 2, 3 or 6 facets in dimension 1, 2 or 3 (5 for a mixed set), or more than
    /// [`MAX_FACETS`].
    pub fn polyhedron_outside(&self, facets: usize) -> Result<Polyhedron, Error> {
        self.validate()?;
        match self {
            ConvexSet::Polyhedron(polyhedron) => Ok(polyhedron.clone()),
            ConvexSet::Mixed { ellipse, spin } => {
                enough(facets, 3, 5)?;
                let flat = ConvexSet::Ellipsoid(ellipse.to_vec());
                prism(&flat.polyhedron_outside(facets - 2)?, *spin)
            }
            _ => {
                let d = self.dimension();
                enough(facets, d, [2, 3, 6][d - 1])?;
                let count = if d == 3 { 2 * (facets / 2) } else { facets };
                let normals: Vec<Vec<f64>> = self
                    .directions(count)
                    .iter()
                    .map(|n| {
                        let h = self.support(&n[..d]);
                        n[..d].iter().map(|c| c / h).collect()
                    })
                    .collect();
                Polyhedron::new(&normals)
            }
        }
    }

    /// Between which multiples of this set a polyhedron lies, from its normals and corners.
    ///
    /// Of two sets of different dimension no multiple fits: both numbers are NaN.
    #[must_use]
    pub fn sandwich(&self, polyhedron: &Polyhedron) -> Sandwich {
        if self.dimension() != polyhedron.dimension() {
            return Sandwich { inner: f64::NAN, outer: f64::NAN };
        }
        // s F ⊆ P iff s h(a_j) ≤ 1 for every facet; P ⊆ s F iff every corner is in s F.
        let widest = polyhedron.normals().fold(0.0_f64, |m, a| m.max(self.support(a)));
        let outer = polyhedron.vertices().fold(0.0_f64, |m, v| m.max(self.gauge(v)));
        Sandwich { inner: 1.0 / widest, outer }
    }

    /// Normals whose touching points are spread evenly over a set of the same proportions as this one.
    fn directions(&self, count: usize) -> Vec<Vector> {
        let d = self.dimension();
        let mut size = [1.0; 3];
        for (axis, size) in size.iter_mut().enumerate().take(d) {
            let mut e = [0.0; 3];
            e[axis] = 1.0;
            let forth = self.support(&e[..d]);
            e[axis] = -1.0;
            *size = 0.5 * (forth + self.support(&e[..d]));
        }
        let around = match d {
            1 => vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
            2 => circle(count),
            _ => sphere(count),
        };
        around.iter().map(|u| [u[0] / size[0], u[1] / size[1], u[2] / size[2]]).collect()
    }
}

fn enough(facets: usize, dimension: usize, least: usize) -> Result<(), SetError> {
    let requirement = match least {
        2 => "an interval has 2 (up to 4096 are accepted)",
        3 => "a polygon has between 3 and 4096",
        5 => "a prism has between 5 and 4096",
        6 => "an approximation from outside takes between 6 and 4096",
        _ => "an approximation from inside takes between 8 and 4096",
    };
    if (least..=MAX_FACETS).contains(&facets) {
        Ok(())
    } else {
        Err(SetError::Facets { found: facets, dimension, requirement })
    }
}

/// The polygon times [−spin, spin].
fn prism(polygon: &Polyhedron, spin: f64) -> Result<Polyhedron, Error> {
    let mut rows: Vec<Vec<f64>> = polygon.normals().map(|a| vec![a[0], a[1], 0.0]).collect();
    rows.push(vec![0.0, 0.0, 1.0 / spin]);
    rows.push(vec![0.0, 0.0, -1.0 / spin]);
    Polyhedron::new(&rows)
}

fn circle(count: usize) -> Vec<Vector> {
    (0..count)
        .map(|k| {
            let angle = TAU * k as f64 / count as f64;
            [angle.cos(), angle.sin(), 0.0]
        })
        .collect()
}

/// An even number of points, half of them on a spiral over the upper half, the others opposite; six are the axes.
fn sphere(count: usize) -> Vec<Vector> {
    let half = count / 2;
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let mut points: Vec<Vector> = if half == 3 {
        vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    } else {
        (0..half)
            .map(|k| {
                let height = (k as f64 + 0.5) / half as f64;
                let width = ((1.0 - height) * (1.0 + height)).sqrt();
                let (sin, cos) = (golden * k as f64).sin_cos();
                [width * cos, width * sin, height]
            })
            .collect()
    };
    for k in 0..half {
        points.push(points[k].map(|c| -c));
    }
    points
}
