//! The judge's own projections, against the inequality that defines them.

use super::norm;
use super::set::FrictionSet;
use crate::set::samples::{self, Numbers};
use crate::set::{ConvexSet, UserSet};
use std::sync::Arc;

/// A point of the coordinates of the law in those of the judge, or back.
fn scaled(x: &[f64], stretch: &[f64; 3], back: bool) -> [f64; 3] {
    let mut out = [0.0; 3];
    for ((o, x), s) in out.iter_mut().zip(x).zip(stretch) {
        *o = if back { x * s } else { x / s };
    }
    out
}

#[test]
fn projections_are_the_nearest_points_of_every_set() {
    for (name, set, exact) in samples::all() {
        let own = FrictionSet::new(set);
        let d = set.dimension();
        let mut numbers = Numbers(7);
        for _ in 0..500 {
            let radius = 10.0_f64.powf(2.0 * numbers.next());
            let x = scaled(&numbers.point(d), &own.stretch, false);
            let (p, fault) = own.project(radius, &x);
            assert_eq!(fault, 0.0, "{name}: {x:?} {radius}");
            let gauge = set.gauge(&scaled(&p, &own.stretch, true)[..d]);
            let size = norm(&x) + radius * own.largest();
            assert!(gauge <= radius * (1.0 + 10.0 * exact) + 1e-13 * size, "{name}: {x:?} {gauge}");
            // (x − p)ᵀ(p' − p) ≤ 0 for every p' of the set.
            let left = [x[0] - p[0], x[1] - p[1], x[2] - p[2]];
            let most = radius * set.support(&scaled(&left, &own.stretch, false)[..d]);
            let here: f64 = left.iter().zip(&p).map(|(l, p)| l * p).sum();
            assert!(most - here <= 10.0 * exact * norm(&left) * size, "{name}: {x:?} {p:?}");
            assert!(
                (own.support(&left) * radius - most).abs() <= 1e-13 * size * norm(&left),
                "{name}"
            );
        }
    }
}

#[test]
fn not_a_number_is_not_a_point() {
    for (name, set, _) in samples::all() {
        let (p, fault) = FrictionSet::new(set).project(1.0, &[f64::NAN; 3]);
        assert!(p[0].is_nan() || !(fault == 0.0), "{name}");
    }
}

/// The unit disc, with a projection that is not the nearest point.
#[derive(Debug)]
struct Wrong(fn(f64) -> [f64; 2]);

impl UserSet for Wrong {
    fn dimension(&self) -> usize {
        2
    }
    fn project(&self, radius: f64, x: &[f64], out: &mut [f64]) {
        let length = norm(x);
        let [cos, sin] = (self.0)(if length > radius { radius / length } else { 1.0 });
        out.copy_from_slice(&[cos * x[0] - sin * x[1], sin * x[0] + cos * x[1]]);
    }
    fn support(&self, x: &[f64]) -> f64 {
        norm(x)
    }
    fn gauge(&self, x: &[f64]) -> f64 {
        norm(x)
    }
}

#[test]
fn a_users_projection_that_is_not_the_nearest_point_counts_as_an_error() {
    let fault = |set: Wrong, x: [f64; 3]| {
        let set = ConvexSet::Custom(Arc::new(set));
        FrictionSet::new(&set).project(0.5, &x).1
    };
    let outside = [2.0, 1.0, 0.0];
    assert_eq!(fault(Wrong(|s| [s, 0.0]), outside), 0.0);
    // Turned, beyond the set, short of it, and the projection of a point that needs none.
    assert!(fault(Wrong(|s| [s * 0.99, s * 0.1]), outside) > 0.01);
    assert!(fault(Wrong(|s| [1.001 * s, 0.0]), outside) > 1e-4);
    assert!(fault(Wrong(|s| [0.999 * s, 0.0]), outside) > 1e-4);
    assert!(fault(Wrong(|s| [0.5 * s, 0.0]), [0.2, 0.1, 0.0]) > 0.01);
    assert!(!(fault(Wrong(|_| [f64::NAN; 2]), outside) < 1.0));
}
