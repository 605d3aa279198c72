//! Corners and faces of { c : a_j·c ≤ 1 }: each facet's plane, clipped by all other half-spaces.
//!
//! Notation: a normal of the facet, o = a/|a|² the foot of the origin in its plane, e₀ and e₁ a frame
//! of the plane, y plane coordinates; a half-space cuts the plane to n·y ≤ b.

use super::SetError;
use super::vector::{Vector, add_scaled, cross, dot, norm, scale, sub, unit};
use crate::tolerance::FACE_ROUNDING;

/// How far a set may reach, over the distance of its nearest facet, before it counts as unbounded.
const REACH: f64 = 1e8;
/// Corners nearer than this, relative to their size, are one.
const MERGE: f64 = 1e-10;

/// A facet with an interior of its own.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    /// Row of the normal.
    pub(crate) normal: usize,
    /// The corners, in order around the outline.
    pub(crate) corners: Vec<usize>,
    /// The foot of the origin.
    pub(crate) origin: Vector,
    /// An orthonormal frame of the plane (in three dimensions).
    pub(crate) frame: [Vector; 2],
    /// The corners in the frame, counter-clockwise (in three dimensions).
    pub(crate) outline: Vec<[f64; 2]>,
}

/// All corners and faces; an error if the polyhedron is unbounded.
pub(crate) fn faces(
    dimension: usize,
    normals: &[Vector],
) -> Result<(Vec<Vector>, Vec<Face>), SetError> {
    let steepest = normals.iter().fold(0.0_f64, |m, a| m.max(norm(a)));
    let reach = REACH / steepest;
    let mut vertices = Vec::new();
    let mut faces: Vec<Face> = Vec::new();
    for normal in 0..normals.len() {
        let plane = Plane::new(dimension, &normals[normal]);
        if norm(&plane.origin) > reach {
            continue;
        }
        let Some(outline) = plane.clip(normal, normals, reach)? else { continue };
        let mut corners: Vec<usize> = Vec::with_capacity(outline.len());
        for y in &outline {
            let corner = merged(&mut vertices, plane.point(y));
            if !corners.contains(&corner) {
                corners.push(corner);
            }
        }
        if corners.len() < dimension || is_repeated(&faces, &corners) {
            continue;
        }
        let outline = corners.iter().map(|&c| plane.coordinates(&vertices[c])).collect();
        faces.push(Face { normal, corners, origin: plane.origin, frame: plane.frame, outline });
    }
    closed(dimension, &faces)?;
    Ok((vertices, faces))
}

/// The number of the point in the list, which it joins if it is new.
fn merged(vertices: &mut Vec<Vector>, point: Vector) -> usize {
    let near = |v: &Vector| norm(&sub(v, &point)) <= MERGE * norm(&point);
    if let Some(index) = vertices.iter().position(near) {
        return index;
    }
    vertices.push(point);
    vertices.len() - 1
}

/// Whether a face has the same corners: its row was given twice.
fn is_repeated(faces: &[Face], corners: &[usize]) -> bool {
    faces
        .iter()
        .any(|f| f.corners.len() == corners.len() && corners.iter().all(|c| f.corners.contains(c)))
}

/// An error where no face is left: all were too far out or cut away by rounding.
fn closed(dimension: usize, faces: &[Face]) -> Result<(), SetError> {
    if faces.len() <= dimension { Err(SetError::Unbounded { facet: 0 }) } else { Ok(()) }
}

/// The plane of a facet; a line in two dimensions, a point in one.
struct Plane {
    dimension: usize,
    origin: Vector,
    frame: [Vector; 2],
}

impl Plane {
    fn new(dimension: usize, normal: &Vector) -> Plane {
        let along = unit(normal);
        let origin = scale(1.0 / norm(normal), &along);
        let frame = match dimension {
            3 => {
                // The axis that is least along the normal gives the best frame.
                let least =
                    (0..3).fold(0, |m, i| if along[i].abs() < along[m].abs() { i } else { m });
                let mut axis = [0.0; 3];
                axis[least] = 1.0;
                let first = unit(&cross(&along, &axis));
                [first, cross(&along, &first)]
            }
            2 => [[-along[1], along[0], 0.0], [0.0; 3]],
            _ => [[0.0; 3]; 2],
        };
        Plane { dimension, origin, frame }
    }

    fn point(&self, y: &[f64; 2]) -> Vector {
        add_scaled(&add_scaled(&self.origin, y[0], &self.frame[0]), y[1], &self.frame[1])
    }

    fn coordinates(&self, point: &Vector) -> [f64; 2] {
        let v = sub(point, &self.origin);
        [dot(&self.frame[0], &v), dot(&self.frame[1], &v)]
    }

    /// The outline of the facet in plane coordinates; nothing if the facet is redundant.
    fn clip(
        &self,
        facet: usize,
        normals: &[Vector],
        reach: f64,
    ) -> Result<Option<Vec<[f64; 2]>>, SetError> {
        let mut outline = Outline::new(self.dimension, reach);
        for (k, a) in normals.iter().enumerate() {
            if k == facet {
                continue;
            }
            let n = [dot(a, &self.frame[0]), dot(a, &self.frame[1])];
            let b = 1.0 - dot(a, &self.origin);
            // In units of the facet's own distance both sides are of order one.
            let slack = FACE_ROUNDING * (1.0 + norm(a) * norm(&self.origin));
            if n[0].hypot(n[1]) <= FACE_ROUNDING * norm(a) {
                if b < -slack {
                    return Ok(None);
                }
                continue;
            }
            outline.cut(Line { n, b }, slack);
            if outline.is_empty() {
                return Ok(None);
            }
        }
        if outline.touches_reach() {
            return Err(SetError::Unbounded { facet });
        }
        Ok(Some(outline.points()))
    }
}

/// n·y ≤ b.
#[derive(Clone, Copy)]
struct Line {
    n: [f64; 2],
    b: f64,
}

/// A convex polygon as the lines of its edges, counter-clockwise, each with the corner where it begins; an
/// interval on the first coordinate for a planar facet; a point for a facet on a line.
struct Outline {
    dimension: usize,
    lines: Vec<Line>,
    /// Edges: the line, whether it is of the initial square, and where the edge begins.
    edges: Vec<(usize, [f64; 2])>,
    low: f64,
    high: f64,
    reach: f64,
}

impl Outline {
    fn new(dimension: usize, reach: f64) -> Outline {
        let square = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];
        let corners = [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]];
        Outline {
            dimension,
            lines: square.iter().map(|&n| Line { n, b: reach }).collect(),
            edges: corners.into_iter().enumerate().collect(),
            low: -reach,
            high: reach,
            reach,
        }
    }

    fn is_empty(&self) -> bool {
        match self.dimension {
            3 => self.edges.len() < 3,
            2 => !(self.high - self.low > MERGE * self.high.abs().max(self.low.abs())),
            _ => false,
        }
    }

    /// Whether an edge of the initial square is left.
    fn touches_reach(&self) -> bool {
        match self.dimension {
            3 => self.edges.iter().any(|&(line, _)| line < 4),
            2 => self.high >= self.reach || self.low <= -self.reach,
            _ => false,
        }
    }

    fn points(&self) -> Vec<[f64; 2]> {
        match self.dimension {
            3 => self.edges.iter().map(|&(_, y)| y).collect(),
            2 => vec![[self.low, 0.0], [self.high, 0.0]],
            _ => vec![[0.0, 0.0]],
        }
    }

    fn cut(&mut self, line: Line, slack: f64) {
        if self.dimension == 2 {
            let t = line.b / line.n[0];
            if line.n[0] > 0.0 {
                self.high = self.high.min(t);
            } else {
                self.low = self.low.max(t);
            }
        } else if self.dimension == 3 {
            self.cut_polygon(line, slack);
        }
    }

    /// Sutherland and Hodgman's step; a new corner is the crossing of two lines, not a point between
    /// two old corners, which may be far away.
    fn cut_polygon(&mut self, line: Line, slack: f64) {
        let length = line.n[0].hypot(line.n[1]);
        let outside = |y: &[f64; 2]| {
            let value = line.n[0] * y[0] + line.n[1] * y[1] - line.b;
            value > slack + FACE_ROUNDING * length * y[0].hypot(y[1])
        };
        if !self.edges.iter().any(|(_, y)| outside(y)) {
            return;
        }
        let new = self.lines.len();
        self.lines.push(line);
        let mut kept = Vec::with_capacity(self.edges.len() + 1);
        for (i, &(edge, start)) in self.edges.iter().enumerate() {
            let end = self.edges[(i + 1) % self.edges.len()].1;
            match (outside(&start), outside(&end)) {
                (false, false) => kept.push((edge, start)),
                (false, true) => {
                    kept.push((edge, start));
                    kept.push((new, crossing(&self.lines[edge], &line, &start)));
                }
                (true, false) => kept.push((edge, crossing(&self.lines[edge], &line, &end))),
                (true, true) => {}
            }
        }
        self.edges = kept;
    }
}

/// Where two lines cross; the given point, which lies on both to rounding, if they are parallel.
fn crossing(p: &Line, q: &Line, fallback: &[f64; 2]) -> [f64; 2] {
    let det = p.n[0] * q.n[1] - p.n[1] * q.n[0];
    let y = [(p.b * q.n[1] - p.n[1] * q.b) / det, (p.n[0] * q.b - p.b * q.n[0]) / det];
    if y[0].is_finite() && y[1].is_finite() { y } else { *fallback }
}
