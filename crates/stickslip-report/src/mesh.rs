//! Shapes as triangles, for pictures and glTF.

use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};
use stickslip_scene::LookShape;

/// Vertices, and triangles counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

/// Corners around a round shape.
const AROUND: usize = 24;

/// Half of the thickness that shapes in the plane get, as a share of their reach.
const THICKNESS: f64 = 0.1;

/// The triangles of a shape; a half-space is a square with this half of its edge.
pub(crate) fn triangles(shape: &LookShape, ground: f64) -> Triangles {
    match shape {
        LookShape::Sphere(r) => lathe(&arc(*r, 0.0)),
        LookShape::Ellipsoid(axes) => {
            let mut ball = lathe(&arc(1.0, 0.0));
            ball.vertices.iter_mut().for_each(|v| *v *= DVec3::from_array(*axes));
            ball
        }
        LookShape::Capsule([r, half]) => lathe(&arc(*r, *half)),
        LookShape::Cylinder([r, h]) => lathe(&[(0.0, -h), (*r, -h), (*r, *h), (0.0, *h)]),
        LookShape::Cone([r, h]) => lathe(&[(0.0, -h), (*r, -h), (0.0, *h)]),
        LookShape::Box([a, b, c]) => {
            let mut prism = prism(&[[-a, -b], [*a, -b], [*a, *b], [-a, *b]], 1.0);
            prism.vertices.iter_mut().for_each(|v| v.z *= c);
            prism
        }
        LookShape::HalfSpace => Triangles {
            vertices: [[-ground, -ground], [ground, -ground], [ground, ground], [-ground, ground]]
                .map(|[x, y]| DVec3::new(x, y, 0.0))
                .to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        },
        LookShape::Mesh { vertices, triangles } => Triangles {
            vertices: vertices.iter().map(|v| DVec3::from_array(*v)).collect(),
            triangles: triangles.clone(),
        },
        LookShape::Polygon { points, radius } => {
            let outline = rounded(points, *radius);
            let reach = outline.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max);
            prism(&outline, THICKNESS * reach)
        }
        LookShape::Chain(points) => ribbon(points),
    }
}

/// Half of the profile of a sphere, or of a capsule whose segment is this long.
fn arc(r: f64, half: f64) -> Vec<(f64, f64)> {
    let n = AROUND / 2;
    let point = |i: usize, shift: f64| {
        let angle = PI * (i as f64 / n as f64 - 0.5);
        ((r * angle.cos()).max(0.0), r * angle.sin() + shift)
    };
    let lower = (0..=n / 2).map(|i| point(i, -half));
    let upper = (n / 2..=n).map(|i| point(i, half));
    let mut profile: Vec<_> = lower.chain(upper).collect();
    profile.dedup();
    profile
}

/// A profile (distance from the axis, height), from below to above, turned about z.
fn lathe(profile: &[(f64, f64)]) -> Triangles {
    let mut made = Triangles::default();
    for &(r, z) in profile {
        for k in 0..AROUND {
            let angle = TAU * k as f64 / AROUND as f64;
            made.vertices.push(DVec3::new(r * angle.cos(), r * angle.sin(), z));
        }
    }
    for row in 0..profile.len() - 1 {
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            let [a, b] = [row * AROUND + k, row * AROUND + next];
            let [c, d] = [a + AROUND, b + AROUND];
            // At the axis one of the two has no area.
            if profile[row].0 > 0.0 {
                made.triangles.push([a, b, d]);
            }
            if profile[row + 1].0 > 0.0 {
                made.triangles.push([a, d, c]);
            }
        }
    }
    made
}

/// A convex polygon, counter-clockwise, between −h and h.
fn prism(points: &[[f64; 2]], h: f64) -> Triangles {
    let n = points.len();
    let level = |z: f64| points.iter().map(move |[x, y]| DVec3::new(*x, *y, z));
    let vertices = level(-h).chain(level(h)).collect();
    let mut triangles = Vec::with_capacity(4 * n);
    for k in 1..n.saturating_sub(1) {
        triangles.extend([[0, k + 1, k], [n, n + k, n + k + 1]]);
    }
    for a in 0..n {
        let b = (a + 1) % n;
        triangles.extend([[a, b, n + b], [a, n + b, n + a]]);
    }
    Triangles { vertices, triangles }
}

/// A line in the plane as a band across it.
fn ribbon(points: &[[f64; 2]]) -> Triangles {
    let reach = points.iter().map(|p| p[0].abs().max(p[1].abs())).fold(0.0, f64::max);
    let h = 0.5 * THICKNESS * reach;
    let ends = |p: &[f64; 2]| [-h, h].map(|z| DVec3::new(p[0], p[1], z));
    let vertices = points.iter().flat_map(ends).collect();
    let band = |k: usize| [[2 * k, 2 * k + 2, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 1]];
    Triangles { vertices, triangles: (0..points.len().saturating_sub(1)).flat_map(band).collect() }
}

/// The outline of all points within a radius of a convex polygon.
pub(crate) fn rounded(points: &[[f64; 2]], radius: f64) -> Vec<[f64; 2]> {
    if !(radius > 0.0) {
        return points.to_vec();
    }
    let n = points.len();
    let mut outline = Vec::new();
    for (i, q) in points.iter().enumerate() {
        let leave = |u: &[f64; 2], v: &[f64; 2]| (v[1] - u[1]).atan2(v[0] - u[0]) - 0.5 * PI;
        let (from, mut to) = match n {
            1 => (0.0, TAU),
            _ => (leave(&points[(i + n - 1) % n], q), leave(q, &points[(i + 1) % n])),
        };
        while to < from - 1e-12 {
            to += TAU;
        }
        let steps = (((to - from) / 0.2).ceil() as usize).max(2);
        // Of a whole circle the last point is the first.
        for k in 0..if n == 1 { steps } else { steps + 1 } {
            let angle = from + (to - from) * k as f64 / steps as f64;
            outline.push([q[0] + radius * angle.cos(), q[1] + radius * angle.sin()]);
        }
    }
    outline
}

/// Seven numbers as position and rotation.
pub(crate) fn pose([x, y, z, w, a, b, c]: [f64; 7]) -> (DVec3, DQuat) {
    (DVec3::new(x, y, z), DQuat::from_xyzw(a, b, c, w).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &Triangles) -> f64 {
        let of = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|v| mesh.vertices[v]);
            a.dot(b.cross(c))
        };
        mesh.triangles.iter().map(of).sum::<f64>() / 6.0
    }

    #[test]
    fn surfaces_face_outwards_and_enclose_about_their_volume() {
        let cases = [
            (LookShape::Sphere(0.5), PI / 6.0),
            (LookShape::Box([0.5, 1.0, 1.5]), 6.0),
            (LookShape::Ellipsoid([1.0, 2.0, 0.5]), 4.0 / 3.0 * PI),
            (LookShape::Cylinder([1.0, 0.5]), PI),
            (LookShape::Cone([1.0, 1.5]), PI),
            (LookShape::Capsule([1.0, 1.0]), 2.0 * PI + 4.0 / 3.0 * PI),
        ];
        for (shape, exact) in cases {
            let found = volume(&triangles(&shape, 1.0));
            assert!((0.96..1.0001).contains(&(found / exact)), "{shape:?}: {found} for {exact}");
        }
    }

    #[test]
    fn shapes_of_the_plane_get_a_thickness() {
        let disc = LookShape::Polygon { points: vec![[0.0, 0.0]], radius: 1.0 };
        let found = volume(&triangles(&disc, 1.0));
        assert!((found / (2.0 * THICKNESS * PI) - 1.0).abs() < 0.01, "{found}");
    }
}
