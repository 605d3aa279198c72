//! Separating axes of polytopes: faces of either, and the common perpendiculars of edges.

use super::polytopes::Pair;
use crate::polytope::Cuboid;
use crate::pose::Relative;
use crate::tolerance::PARALLEL;
use glam::{DMat3, DVec3};

/// What an axis belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A face of the other shape.
    Other(usize),
    /// A face of the one shape.
    One(usize),
    /// Edges of the one and of the other.
    Edges(usize, usize),
}

/// An axis: a unit vector from the other to the one, and the distance of the shapes along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) separation: f64,
    pub(crate) normal: DVec3,
    pub(crate) kind: Kind,
}

/// The best axis of each kind that the surface admits, and the best of all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub(crate) other: Option<Axis>,
    pub(crate) one: Option<Axis>,
    pub(crate) edges: Option<Axis>,
    /// The best of all, also those that the surface does not admit: positive if the shapes are apart.
    pub(crate) best: Option<Axis>,
    /// Whether the one shape is behind a triangle by more than this.
    pub(crate) behind: f64,
}

impl Axes {
    fn none() -> Self {
        Self { other: None, one: None, edges: None, best: None, behind: f64::NEG_INFINITY }
    }

    /// Takes an axis into account. The first of several that are equal up to `slack` is kept, so that rounding does not choose.
    fn offer(&mut self, axis: Axis, admitted: bool, slack: f64) {
        let better =
            |old: Option<Axis>| old.is_none_or(|old| axis.separation > old.separation + slack);
        if better(self.best) {
            self.best = Some(axis);
        }
        let place = match axis.kind {
            Kind::Other(_) => &mut self.other,
            Kind::One(_) => &mut self.one,
            Kind::Edges(..) => &mut self.edges,
        };
        if admitted && better(*place) {
            *place = Some(axis);
        }
    }
}

/// The axes of two polytopes; none are looked for any more once one of faces is longer than `limit`.
pub(crate) fn polytopes(pair: &Pair<'_>, limit: f64) -> Axes {
    let slack = pair.slack();
    let mut axes = Axes::none();
    for (k, face) in pair.other.faces.iter().enumerate() {
        let separation = pair.one.lowest(face.normal) - face.offset;
        let axis = Axis { separation, normal: face.normal, kind: Kind::Other(k) };
        let back = pair.surface.is_some() && k == 1;
        if back {
            axes.behind = separation;
        }
        axes.offer(axis, !back, slack);
    }
    for (k, face) in pair.one.faces.iter().enumerate() {
        let separation = pair.other.lowest(face.normal) - face.offset;
        let axis = Axis { separation, normal: -face.normal, kind: Kind::One(k) };
        axes.offer(axis, pair.admits_face(-face.normal), slack);
    }
    if axes.best.is_none_or(|best| best.separation <= limit) {
        edges(pair, &mut axes, slack);
    }
    axes
}

fn edges(pair: &Pair<'_>, axes: &mut Axes, slack: f64) {
    let segment = pair.one.faces.is_empty();
    for (j, f) in pair.other.edges.iter().enumerate() {
        let [q, q_end] = pair.other.ends(j);
        let (v, [c, d]) = (q_end - q, f.normals);
        for (i, e) in pair.one.edges.iter().enumerate() {
            let [p, p_end] = pair.one.ends(i);
            let (u, [a, b]) = (p_end - p, e.normals);
            // The arcs of outward normals, those of the other negated, must cross on the unit sphere.
            if c.dot(u) * d.dot(u) >= 0.0 || (!segment && a.dot(v) * b.dot(v) >= 0.0) {
                continue;
            }
            let cross = u.cross(v);
            let length = cross.length();
            if length < PARALLEL * u.length() * v.length() {
                continue;
            }
            let normal = if cross.dot(c + d) < 0.0 { -cross / length } else { cross / length };
            if !segment && normal.dot(a + b) >= 0.0 {
                continue;
            }
            let axis = Axis { separation: normal.dot(p - q), normal, kind: Kind::Edges(i, j) };
            axes.offer(axis, pair.admits_edge(j, normal), slack);
        }
    }
}

/// The axes of two boxes: 15 of them.
pub(crate) fn cuboids(a: &Cuboid, b: &Cuboid, relative: &Relative, slack: f64) -> Axes {
    let axes_a: DMat3 = relative.rotation * a.axes;
    let between = relative.point(a.centre) - b.centre;
    let cosines = b.axes.transpose() * axes_a;
    let absolute =
        DMat3::from_cols(cosines.x_axis.abs(), cosines.y_axis.abs(), cosines.z_axis.abs());
    let mut axes = Axes::none();
    let face = |sign: f64, axis: usize| 2 * axis + usize::from(sign < 0.0);
    let reach_b = absolute * a.half;
    for j in 0..3 {
        let along = between.dot(b.axes.col(j));
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        let separation = along.abs() - b.half[j] - reach_b[j];
        let normal = sign * b.axes.col(j);
        axes.offer(Axis { separation, normal, kind: Kind::Other(face(sign, j)) }, true, slack);
    }
    let reach_a = absolute.transpose() * b.half;
    for i in 0..3 {
        let along = between.dot(axes_a.col(i));
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        let separation = along.abs() - a.half[i] - reach_a[i];
        let normal = sign * axes_a.col(i);
        axes.offer(Axis { separation, normal, kind: Kind::One(face(-sign, i)) }, true, slack);
    }
    for i in 0..3 {
        for j in 0..3 {
            let cross = axes_a.col(i).cross(b.axes.col(j));
            let length = cross.length();
            if length < PARALLEL {
                continue;
            }
            let along = between.dot(cross);
            let normal = if along < 0.0 { -cross / length } else { cross / length };
            let span = |axes: &DMat3, half: DVec3| half.dot((axes.transpose() * normal).abs());
            let separation = along.abs() / length - span(&axes_a, a.half) - span(&b.axes, b.half);
            let edge = |axes: &DMat3, k: usize, towards: DVec3| {
                let sign = |k: usize| axes.col(k % 3).dot(towards);
                Cuboid::edge(k, [sign(k + 1), sign(k + 2)])
            };
            let kind = Kind::Edges(edge(&axes_a, i, -normal), edge(&b.axes, j, normal));
            axes.offer(Axis { separation, normal, kind }, true, slack);
        }
    }
    axes
}
