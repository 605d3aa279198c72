//! Polygons and polyhedra around the origin, { c : a_j·c ≤ 1 }.

use std::sync::Arc;

use super::SetError;
use super::ellipsoid::{LARGEST, SMALLEST};
use super::faces::{Face, faces};
use super::vector::{Vector, add_scaled, dot, load, max_abs, norm, scale, sub, unit};
use crate::Error;

/// The most facets a polyhedron may have.
pub const MAX_FACETS: usize = 4096;

/// A bounded polyhedron { c : a_j·c ≤ 1 } in one, two or three dimensions.
///
/// Its corners and faces are worked out when it is made (about m² work for m facets); copies share them.
///
/// ```
/// use stickslip_contact::set::Polyhedron;
///
/// let square = Polyhedron::new(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])?;
/// assert_eq!(square.vertices().count(), 4);
/// // The same square by its corners.
/// let hull = Polyhedron::hull(&[[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])?;
/// assert_eq!(hull.normals().count(), 4);
/// # Ok::<(), stickslip_contact::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polyhedron {
    data: Arc<Data>,
}

#[derive(Debug)]
struct Data {
    dimension: usize,
    normals: Vec<Vector>,
    vertices: Vec<Vector>,
    faces: Vec<Face>,
}

/// Where a projection lies, with an orthonormal frame of the directions it can move in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Landing {
    Inside,
    /// In a facet of three dimensions.
    Facet([Vector; 2]),
    /// On an edge, which is a facet in two dimensions.
    Edge(Vector),
    Corner,
}

impl Polyhedron {
    /// { c : a_j·c ≤ 1 } for the rows a_j.
    ///
    /// Redundant rows are allowed. An error if there are none, if rows differ in length, if one is
    /// zero or not finite, or if the polyhedron is unbounded, or reaches farther than 10⁸ times the distance of
    /// its nearest facet, which cannot be told from it.
    pub fn new<R: AsRef<[f64]>>(normals: &[R]) -> Result<Polyhedron, Error> {
        let (dimension, normals) = rows(normals)?;
        let (vertices, faces) = faces(dimension, &normals)?;
        Ok(Polyhedron { data: Arc::new(Data { dimension, normals, vertices, faces }) })
    }

    /// { c : a_j·c ≤ b_j }, where every b_j is positive: the origin is in the interior.
    pub fn half_spaces<R: AsRef<[f64]>>(
        normals: &[R],
        offsets: &[f64],
    ) -> Result<Polyhedron, Error> {
        if offsets.len() != normals.len() {
            return Err(Error::Size {
                what: "offsets",
                expected: normals.len(),
                found: offsets.len(),
            });
        }
        for (row, &offset) in offsets.iter().enumerate() {
            if !(offset > 0.0 && offset.is_finite()) {
                return Err(SetError::Offset { row, offset }.into());
            }
        }
        let scaled: Vec<Vec<f64>> = normals
            .iter()
            .zip(offsets)
            .map(|(a, b)| a.as_ref().iter().map(|c| c / b).collect())
            .collect();
        Polyhedron::new(&scaled)
    }

    /// { c : |e_j·c| ≤ 1 }: the polygon of paper 1, with two facets per direction.
    pub fn symmetric<R: AsRef<[f64]>>(directions: &[R]) -> Result<Polyhedron, Error> {
        let both: Vec<Vec<f64>> = directions
            .iter()
            .map(|e| e.as_ref().to_vec())
            .chain(directions.iter().map(|e| e.as_ref().iter().map(|c| -c).collect()))
            .collect();
        Polyhedron::new(&both)
    }

    /// The convex hull of points around the origin.
    ///
    /// Its facets are the corners of the polar set { y : v_i·y ≤ 1 }. Points that are not corners
    /// are allowed. An error if the origin is not in the interior.
    pub fn hull<R: AsRef<[f64]>>(points: &[R]) -> Result<Polyhedron, Error> {
        let polar = Polyhedron::new(points).map_err(|error| match error {
            Error::Set(SetError::Unbounded { .. }) => SetError::OriginOutside.into(),
            other => other,
        })?;
        let d = polar.dimension();
        let normals: Vec<&[f64]> = polar.data.vertices.iter().map(|v| &v[..d]).collect();
        Polyhedron::new(&normals)
    }

    /// The dimension: 1, 2 or 3.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.data.dimension
    }

    /// The rows a_j as they were given, redundant ones included.
    #[must_use]
    pub fn normals(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.data.normals.iter().map(|a| &a[..self.data.dimension])
    }

    /// The corners, each once, in the order of the first facet they lie on.
    #[must_use]
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.data.vertices.iter().map(|v| &v[..self.data.dimension])
    }

    /// The polyhedron times a factor > 0 (an error for any other, or if the size leaves the range).
    pub fn scaled(&self, factor: f64) -> Result<Polyhedron, Error> {
        let offsets = vec![factor; self.data.normals.len()];
        let rows: Vec<&[f64]> = self.normals().collect();
        Polyhedron::half_spaces(&rows, &offsets)
    }

    /// max_j a_j·x, which is the gauge where it is positive.
    pub(crate) fn gauge(&self, x: &Vector) -> f64 {
        self.data.normals.iter().fold(0.0, |m, a| larger(m, dot(a, x)))
    }

    pub(crate) fn support(&self, x: &Vector) -> f64 {
        self.data.vertices.iter().fold(0.0, |m, v| larger(m, dot(v, x)))
    }

    pub(crate) fn support_point(&self, x: &Vector) -> Vector {
        let big = max_abs(x);
        if big == 0.0 {
            return [0.0; 3];
        }
        let x = x.map(|c| c / big);
        let mut best = ([0.0; 3], 0.0);
        for v in &self.data.vertices {
            let value = dot(v, &x);
            if value > best.1 {
                best = (*v, value);
            }
        }
        best.0
    }

    /// The nearest point of radius times the polyhedron, over the faces that x sees.
    ///
    /// x is taken in units of its largest component; points of the set in units of the radius.
    pub(crate) fn project(&self, radius: f64, x: &Vector) -> Vector {
        self.land(radius, x).0
    }

    /// The nearest point, and what kind of face it lies on.
    pub(crate) fn land(&self, radius: f64, x: &Vector) -> (Vector, Landing) {
        let big = max_abs(x);
        if !(big > 0.0) {
            return (*x, Landing::Inside);
        }
        let (u, s) = (x.map(|c| c / big), radius / big);
        if self.gauge(&u) <= s {
            return (*x, Landing::Inside);
        }
        let mut best: Option<(Vector, Landing)> = None;
        for face in &self.data.faces {
            if dot(&self.data.normals[face.normal], &u) <= s {
                continue;
            }
            if let Some(p) = foot_inside(face, &u, s) {
                return (scale(radius, &p), Landing::Facet(face.frame));
            }
            self.nearest_on_edges(face, &u, s, &mut best);
        }
        // Some face is seen by a point outside, unless rounding says otherwise: then x is on the surface.
        best.map_or((*x, Landing::Inside), |(p, landing)| (scale(radius, &p), landing))
    }

    fn nearest_on_edges(
        &self,
        face: &Face,
        u: &Vector,
        s: f64,
        best: &mut Option<(Vector, Landing)>,
    ) {
        let corners = &face.corners;
        // A polygon closes its outline; a segment has one edge, a point none.
        let edges = if corners.len() > 2 { corners.len() } else { 1 };
        for i in 0..edges {
            let from = self.data.vertices[corners[i]];
            let to = self.data.vertices[corners[(i + 1) % corners.len()]];
            let (p, landing) = nearest_on_segment(&from, &to, u, s);
            let closer = best.is_none_or(|(b, _)| {
                // |u − s p|² < |u − s b|², without squares that cancel.
                dot(&sub(u, &scale(0.5 * s, &add_scaled(&p, 1.0, &b))), &sub(&p, &b)) > 0.0
            });
            if closer {
                *best = Some((p, landing));
            }
        }
    }
}

/// The foot of the perpendicular from u/s on the face, if it lies in it.
fn foot_inside(face: &Face, u: &Vector, s: f64) -> Option<Vector> {
    let outline = &face.outline;
    if outline.len() < 3 {
        return None;
    }
    let v = sub(u, &scale(s, &face.origin));
    let y = [dot(&face.frame[0], &v), dot(&face.frame[1], &v)];
    for (i, a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        let side = (b[0] - a[0]) * (y[1] - s * a[1]) - (b[1] - a[1]) * (y[0] - s * a[0]);
        if side < 0.0 {
            return None;
        }
    }
    let p = add_scaled(&face.origin, y[0] / s, &face.frame[0]);
    let p = add_scaled(&p, y[1] / s, &face.frame[1]);
    // A radius so small that u/s is not a number leaves it to the edges.
    p.iter().all(|c| c.is_finite()).then_some(p)
}

fn nearest_on_segment(from: &Vector, to: &Vector, u: &Vector, s: f64) -> (Vector, Landing) {
    let edge = sub(to, from);
    let along = dot(&sub(u, &scale(s, from)), &edge);
    let whole = s * dot(&edge, &edge);
    if along <= 0.0 {
        (*from, Landing::Corner)
    } else if along >= whole {
        (*to, Landing::Corner)
    } else {
        (add_scaled(from, along / whole, &edge), Landing::Edge(unit(&edge)))
    }
}

/// The larger of two, or NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

/// Rows as vectors, checked.
fn rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<(usize, Vec<Vector>), SetError> {
    let dimension = rows.first().map_or(0, |row| row.as_ref().len());
    if rows.is_empty() || rows.len() > MAX_FACETS {
        let requirement = "a polyhedron has between one more than its dimension and 4096";
        return Err(SetError::Facets { found: rows.len(), dimension, requirement });
    }
    if !(1..=3).contains(&dimension) {
        return Err(SetError::Dimension { found: dimension });
    }
    let mut vectors = Vec::with_capacity(rows.len());
    for (row, entries) in rows.iter().enumerate() {
        let entries = entries.as_ref();
        if entries.len() != dimension {
            return Err(SetError::Ragged { row, expected: dimension, found: entries.len() });
        }
        let vector = load(entries);
        let length = norm(&vector);
        if !(SMALLEST..=LARGEST).contains(&length) {
            return Err(SetError::Row { row, length });
        }
        vectors.push(vector);
    }
    Ok((dimension, vectors))
}
