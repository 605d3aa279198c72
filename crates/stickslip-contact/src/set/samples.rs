//! Sets, points and user's sets that the harnesses share.

use std::sync::{Arc, OnceLock};

use super::vector::{Vector, add_scaled, dot, load, norm, store, sub};
use super::*;

/// A disc that is not centred at the origin: h(x) ≠ h(−x). Only what a user must give.
#[derive(Debug)]
struct Shifted {
    centre: [f64; 2],
}

impl UserSet for Shifted {
    fn dimension(&self) -> usize {
        2
    }
    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        let centre = load(&[radius * self.centre[0], radius * self.centre[1]]);
        let from_centre = sub(&load(x), &centre);
        if norm(&from_centre) <= radius {
            out.copy_from_slice(x);
        } else {
            let p = super::ellipsoid::project_ball(radius, &from_centre);
            store(&add_scaled(&p, 1.0, &centre), out);
        }
    }
    fn support(&self, x: &[f64]) -> f64 {
        norm(&load(x)) + self.centre[0] * x[0] + self.centre[1] * x[1]
    }
}

/// An ellipsoid with a ball around each of its points: the projection has no closed form.
#[derive(Debug)]
struct Rounded {
    axes: [f64; 3],
    ball: f64,
}

impl UserSet for Rounded {
    fn dimension(&self) -> usize {
        3
    }
    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        project_by_support_point(|y, out| self.support_point(y, out), radius, x, out);
    }
    fn support(&self, x: &[f64]) -> f64 {
        let x = load(x);
        norm(&super::ellipsoid::stretched(&self.axes, &x)) + self.ball * norm(&x)
    }
    fn gauge(&self, x: &[f64]) -> f64 {
        gauge_by_support_point(|y, out| self.support_point(y, out), x)
    }
    fn support_point(&self, x: &[f64], out: &mut [f64]) {
        let x = load(x);
        let p = super::ellipsoid::support_point(&self.axes, &x);
        store(&add_scaled(&p, self.ball, &super::vector::unit(&x)), out);
    }
}

/// A name, a set, and how exact its projection is, relative to the larger of point and set.
pub(crate) type Sample = (&'static str, ConvexSet, f64);

/// Every kind of set.
pub(crate) fn all() -> &'static [Sample] {
    static ALL: OnceLock<Vec<Sample>> = OnceLock::new();
    ALL.get_or_init(make)
}

/// The set of this name.
pub(crate) fn sample(name: &str) -> &'static Sample {
    all().iter().find(|(known, ..)| *known == name).unwrap()
}

fn make() -> Vec<Sample> {
    let polyhedron = |p: Result<Polyhedron, crate::Error>| ConvexSet::Polyhedron(p.unwrap());
    let ball = ConvexSet::Ellipsoid(vec![1.0, 1.0, 1.0]);
    vec![
        ("interval", ConvexSet::Interval, 1e-15),
        ("disc", ConvexSet::Disc, 1e-14),
        ("ellipsoid in 1-D", ConvexSet::Ellipsoid(vec![2.0]), 1e-14),
        ("ellipse", ConvexSet::Ellipsoid(vec![1.0, 0.3]), 1e-14),
        ("limit surface", ConvexSet::Ellipsoid(vec![1.0, 1.0, 0.3]), 1e-14),
        ("needle", ConvexSet::Ellipsoid(vec![1e3, 1.0, 1e-3]), 1e-14),
        ("interval by rows", polyhedron(Polyhedron::new(&[[0.5], [-2.0]])), 1e-14),
        ("square", polyhedron(Polyhedron::symmetric(&[[1.0, 0.0], [0.0, 1.0]])), 1e-14),
        (
            "crooked polygon",
            polyhedron(Polyhedron::hull(&[
                [1.0, 0.1],
                [0.3, 2.0],
                [-0.5, 0.4],
                [-0.2, -0.7],
                [0.6, -0.6],
                [0.1, 0.1],
            ])),
            1e-13,
        ),
        (
            "cube",
            polyhedron(Polyhedron::symmetric(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
            1e-14,
        ),
        (
            "octahedron",
            polyhedron(Polyhedron::hull(&[
                [1.0, 0.0, 0.0],
                [-1.0, 0.0, 0.0],
                [0.0, 2.0, 0.0],
                [0.0, -1.0, 0.0],
                [0.0, 0.0, 0.5],
                [0.0, 0.0, -0.5],
            ])),
            1e-13,
        ),
        ("around a ball", polyhedron(ball.polyhedron_outside(60)), 1e-13),
        ("in a ball", polyhedron(ball.polyhedron_inside(200)), 1e-13),
        ("mixed", ConvexSet::Mixed { ellipse: [1.0, 0.5], spin: 0.2 }, 1e-14),
        ("uniform disc", ConvexSet::Custom(Arc::new(UniformDisc::new(0.4).unwrap())), 1e-13),
        ("shifted disc", ConvexSet::Custom(Arc::new(Shifted { centre: [0.3, -0.4] })), 1e-14),
        (
            "rounded",
            ConvexSet::Custom(Arc::new(Rounded { axes: [1.0, 0.4, 0.2], ball: 0.1 })),
            1e-12,
        ),
    ]
}

/// Numbers that are the same on every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// In [−1, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A point of any direction, with a size between 10⁻² and 10², and now and then on an axis.
    pub(crate) fn point(&mut self, dimension: usize) -> Vec<f64> {
        let size = 10.0_f64.powf(2.0 * self.next());
        let mut x: Vec<f64> = (0..dimension).map(|_| size * self.next()).collect();
        if self.next() > 0.8 {
            let axis = (dimension as f64 * 0.5 * (1.0 + self.next())) as usize;
            for (i, c) in x.iter_mut().enumerate() {
                *c = if i == axis { size } else { 0.0 };
            }
        }
        x
    }
}

/// A random point of the set: a mean of farthest points, shrunk.
pub(crate) fn member(set: &ConvexSet, numbers: &mut Numbers) -> Vec<f64> {
    let d = set.dimension();
    let (mut a, mut b) = (vec![0.0; d], vec![0.0; d]);
    set.support_point(&numbers.point(d), &mut a);
    set.support_point(&numbers.point(d), &mut b);
    let t = 0.5 * (1.0 + numbers.next());
    let s = numbers.next().abs().powf(0.2);
    a.iter().zip(&b).map(|(a, b)| s * (t * a + (1.0 - t) * b)).collect()
}

pub(crate) fn product(a: &[f64], b: &[f64]) -> f64 {
    dot(&load(a), &load(b))
}

pub(crate) fn length(a: &[f64]) -> f64 {
    norm(&load(a))
}

pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vector {
    sub(&load(a), &load(b))
}
