//! Geometries of the plane z = 0 as the detector keeps them: rounded convex outlines, and the segments of chains.
//!
//! Notation: edge k goes from vertex k to the next, counter-clockwise, and has its normal on the right: outwards.

use crate::error::{Error, check};
use crate::mass::Moments;
use crate::pose::{Pose, Relative};
use crate::tolerance::{COPLANAR, FLAT_TRIANGLE};
use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::TAU;

/// All points of a plane within the radius of a point, a segment or a convex polygon.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// Counter-clockwise.
    pub(crate) vertices: Vec<DVec2>,
    /// One for each edge; a segment has two edges, a point none.
    pub(crate) normals: Vec<DVec2>,
    pub(crate) radius: f64,
    /// Half of the extent that decides by what lengths are judged.
    pub(crate) size: f64,
}

/// A segment of a chain, touched from its left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) ends: [DVec2; 2],
    /// To the left.
    pub(crate) normal: DVec2,
    /// The normals of the segments before and after it; none at the ends of a chain.
    pub(crate) beside: [Option<DVec2>; 2],
}

impl Outline {
    /// The outline of points that [`corners`] takes, at a pose in the plane.
    pub(crate) fn new(points: &[DVec2], radius: f64, pose: &Pose) -> Self {
        let vertices: Vec<DVec2> =
            corners(points).into_iter().map(|p| pose.point(p.extend(0.0)).truncate()).collect();
        let count = vertices.len();
        let normal = |k: usize| -(vertices[(k + 1) % count] - vertices[k]).perp().normalize();
        let normals = if count > 1 { (0..count).map(normal).collect() } else { Vec::new() };
        let farthest = |p: DVec2| vertices.iter().map(|q| (p - *q).length()).fold(0.0, f64::max);
        let size = radius + 0.5 * vertices.iter().map(|p| farthest(*p)).fold(0.0, f64::max);
        Self { vertices, normals, radius, size }
    }

    /// Takes another outline in the axes of another body.
    pub(crate) fn fill(&mut self, own: &Self, relative: &Relative) {
        self.vertices.clear();
        let points = own.vertices.iter().map(|v| relative.point(v.extend(0.0)).truncate());
        self.vertices.extend(points);
        self.normals.clear();
        let normals = own.normals.iter().map(|n| relative.vector(n.extend(0.0)).truncate());
        self.normals.extend(normals);
        (self.radius, self.size) = (own.radius, own.size);
    }

    /// The ends of an edge.
    pub(crate) fn ends(&self, edge: usize) -> [DVec2; 2] {
        [self.vertices[edge], self.vertices[(edge + 1) % self.vertices.len()]]
    }

    /// How far the vertices of another outline are out of an edge, at least.
    pub(crate) fn separation(&self, edge: usize, other: &Self) -> f64 {
        let (start, normal) = (self.vertices[edge], self.normals[edge]);
        other.vertices.iter().map(|v| (*v - start).dot(normal)).fold(f64::INFINITY, f64::min)
    }
}

impl Segment {
    /// The segments of a chain, those along one line made one; a chain whose ends coincide is closed.
    pub(crate) fn chain(points: &[DVec2], pose: &Pose) -> Vec<Self> {
        let points: Vec<DVec2> =
            points.iter().map(|p| pose.point(p.extend(0.0)).truncate()).collect();
        let direction = |a: DVec2, b: DVec2| (b - a).normalize();
        let mut kept = vec![points[0]];
        for k in 1..points.len() {
            let last = kept[kept.len() - 1];
            let straight = points.get(k + 1).is_some_and(|next| {
                let (u, v) = (direction(last, points[k]), direction(points[k], *next));
                u.dot(v) > 0.0 && u.perp_dot(v).abs() < COPLANAR
            });
            if !straight {
                kept.push(points[k]);
            }
        }
        let count = kept.len() - 1;
        let closed = count > 2 && kept[0] == kept[count];
        let normals: Vec<DVec2> = kept.windows(2).map(|w| direction(w[0], w[1]).perp()).collect();
        let beside = |k: usize| match (closed, k) {
            (true, _) => [Some(normals[(k + count - 1) % count]), Some(normals[(k + 1) % count])],
            _ => [k.checked_sub(1).map(|k| normals[k]), normals.get(k + 1).copied()],
        };
        let one =
            |k: usize| Self { ends: [kept[k], kept[k + 1]], normal: normals[k], beside: beside(k) };
        (0..count).map(one).collect()
    }

    /// Along the segment.
    pub(crate) fn direction(&self) -> DVec2 {
        -self.normal.perp()
    }

    /// The outermost normals at an end: those of the two segments that meet there, or at the end of a chain that of the segment and the
    /// direction in which it ends. They go round with the hands of a clock.
    pub(crate) fn cone(&self, end: usize) -> [DVec2; 2] {
        match end {
            0 => [self.beside[0].unwrap_or(-self.direction()), self.normal],
            _ => [self.normal, self.beside[1].unwrap_or(self.direction())],
        }
    }
}

/// Refuses points and a radius that are no convex outline.
pub(crate) fn validate_polygon(points: &[DVec2], radius: f64, place: &str) -> Result<(), Error> {
    finite(points, place)?;
    let degenerate =
        |problem, cure| Err(Error::Degenerate { place: place.to_owned(), problem, cure });
    check(|| format!("the radius of {place}"), radius, radius >= 0.0, "a finite number >= 0")?;
    if points.is_empty() {
        return degenerate("has no points", "give at least one");
    }
    if points.len() < 3 && radius == 0.0 {
        return degenerate(
            "has no area",
            "give a radius > 0, or at least three points that are not on one line",
        );
    }
    if points.len() == 2 && points[0] == points[1] {
        return degenerate("has two points at one place", "leave one of them out");
    }
    if points.len() < 3 {
        return Ok(());
    }
    let (area, longest) = (signed_area(points), longest(points));
    if !(area.abs() > FLAT_TRIANGLE * longest * longest) {
        return degenerate("has no area", "give points that are not on one line, in order");
    }
    let kept = corners(points);
    let side = |k: usize| kept[(k + 1) % kept.len()] - kept[k];
    let turn = |k: usize| {
        let (u, v) = (side(k), side((k + 1) % kept.len()));
        u.perp_dot(v).atan2(u.dot(v))
    };
    let (mut least, mut sum) = (f64::INFINITY, 0.0);
    for k in 0..kept.len() {
        least = least.min(turn(k));
        sum += turn(k);
    }
    if !(least > 0.0 && sum < 1.5 * TAU) {
        return degenerate(
            "is not convex",
            "list the points in their order around a convex polygon, or make a compound of convex ones",
        );
    }
    Ok(())
}

/// Refuses points that are no chain.
pub(crate) fn validate_chain(points: &[DVec2], place: &str) -> Result<(), Error> {
    finite(points, place)?;
    let degenerate = |place: String, problem, cure| Err(Error::Degenerate { place, problem, cure });
    if points.len() < 2 {
        return degenerate(place.to_owned(), "has fewer than two points", "give two or more");
    }
    let longest = longest(points);
    for (k, w) in points.windows(2).enumerate() {
        if !((w[1] - w[0]).length() > FLAT_TRIANGLE * longest) {
            let place = format!("segment {k} of {place}");
            return degenerate(place, "has no length", "leave one of its ends out");
        }
    }
    for (k, w) in points.windows(3).enumerate() {
        let (u, v) = ((w[1] - w[0]).normalize(), (w[2] - w[1]).normalize());
        if u.dot(v) < 0.0 && u.perp_dot(v).abs() < COPLANAR {
            let place = format!("segment {} of {place}", k + 1);
            return degenerate(place, "goes back along the one before", "leave it out");
        }
    }
    Ok(())
}

fn finite(points: &[DVec2], place: &str) -> Result<(), Error> {
    for (k, p) in points.iter().enumerate() {
        let wrong = p.to_array().into_iter().find(|x| !x.is_finite());
        let at = || format!("a coordinate of point {k} of {place}");
        check(at, wrong.unwrap_or(0.0), wrong.is_none(), "a finite number")?;
    }
    Ok(())
}

fn longest(points: &[DVec2]) -> f64 {
    let far = |p: &DVec2| (*p - points[0]).length();
    points.iter().map(far).fold(0.0, f64::max)
}

fn signed_area(points: &[DVec2]) -> f64 {
    let about = points[0];
    let pairs = points.windows(2).map(|w| (w[0] - about).perp_dot(w[1] - about));
    0.5 * pairs.sum::<f64>()
}

/// The corners of a polygon counter-clockwise, without points along its sides and without repeated ones.
fn corners(points: &[DVec2]) -> Vec<DVec2> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut ordered: Vec<DVec2> = points.to_vec();
    if signed_area(points) < 0.0 {
        ordered.reverse();
    }
    ordered.dedup();
    if ordered.first() == ordered.last() {
        ordered.pop();
    }
    let count = ordered.len();
    let bends = |k: &usize| {
        let [a, b, c] = [k + count - 1, *k, k + 1].map(|i| ordered[i % count]);
        let (u, v) = ((b - a).normalize_or_zero(), (c - b).normalize_or_zero());
        !(u.dot(v) > 0.0 && u.perp_dot(v).abs() < COPLANAR)
    };
    (0..count).filter(bends).map(|k| ordered[k]).collect()
}

/// Area, and first and second moments about the origin, of an outline.
pub(crate) fn moments(outline: &Outline) -> Moments {
    let Outline { vertices, normals, radius, .. } = outline;
    let mut sum = Moments::NONE;
    for w in vertices.windows(2).skip(1) {
        sum = sum.plus(&triangle([vertices[0], w[0], w[1]]));
    }
    for (edge, normal) in normals.iter().enumerate() {
        let ([a, b], out) = (outline.ends(edge), *radius * *normal);
        sum = sum.plus(&triangle([a, a + out, b + out])).plus(&triangle([a, b + out, b]));
    }
    let count = vertices.len();
    for (k, vertex) in vertices.iter().enumerate() {
        let [from, turn] = match normals.get((k + count - 1) % count) {
            None => [0.0, TAU],
            Some(before) => [before.to_angle(), before.angle_to(normals[k]).rem_euclid(TAU)],
        };
        let about = Pose::at(vertex.extend(0.0));
        sum = sum.plus(&sector(*radius, from, turn).placed(&about));
    }
    sum
}

fn triangle([a, b, c]: [DVec2; 3]) -> Moments {
    let (u, v) = (b - a, c - a);
    let (volume, total) = (0.5 * u.perp_dot(v), u + v);
    let square = |p: DVec2| flat([p.x * p.x, p.x * p.y, p.y * p.y]);
    // ∫ x xᵀ over a triangle with one corner at the origin.
    let second = volume / 12.0 * (square(u) + square(v) + square(total));
    let first = (volume / 3.0 * total).extend(0.0);
    Moments { volume, first, second }.placed(&Pose::at(a.extend(0.0)))
}

/// A sector about the origin.
fn sector(r: f64, from: f64, turn: f64) -> Moments {
    let (to, square) = (from + turn, r * r);
    let first = square * r / 3.0 * DVec3::new(to.sin() - from.sin(), from.cos() - to.cos(), 0.0);
    let double = 0.5 * ((2.0 * to).sin() - (2.0 * from).sin());
    let cross = to.sin().powi(2) - from.sin().powi(2);
    let second = square * square / 8.0 * flat([turn + double, cross, turn - double]);
    Moments { volume: 0.5 * square * turn, first, second }
}

/// A symmetric matrix of the plane: xx, xy, yy.
fn flat([xx, xy, yy]: [f64; 3]) -> DMat3 {
    DMat3::from_cols_array(&[xx, xy, 0.0, xy, yy, 0.0, 0.0, 0.0, 0.0])
}
