//! One harness for the cones over all sets.

use super::*;
use crate::set::samples::{Numbers, all, sample};
use proptest::prelude::*;

const MUS: [f64; 6] = [0.0, 1e-3, 0.3, 1.0, 2.0, 50.0];
const RADII: [f64; 3] = [0.0, 1e-3, 0.7];

fn projected(cone: &FrictionCone, x: &[f64]) -> Vec<f64> {
    let mut p = vec![0.0; x.len()];
    cone.project(x, &mut p);
    p
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn dot_all(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// p is the projection of x iff it is in the cone, q = x − p satisfies q_n + μ h(q_t) ≤ 0, and q·p = a h(q_t): then q·y ≤ q·p for
/// every y of the cone.
fn assert_projection(name: &str, cone: &FrictionCone, x: &[f64], p: &[f64], accuracy: f64) {
    let place = format!("{name} mu {} a {} x {x:?} p {p:?}", cone.mu, cone.radius);
    let q: Vec<f64> = x.iter().zip(p).map(|(x, p)| x - p).collect();
    let h = cone.set.support(&q[1..]);
    let (big, left) = (size(x).max(cone.radius), size(&q));
    // How much h and the gauge grow with an error of the point.
    let d = p.len() - 1;
    let (mut wide, mut thin) = (0.0_f64, 0.0_f64);
    for i in 0..2 * d {
        let mut e = vec![0.0; d];
        e[i % d] = if i < d { 1.0 } else { -1.0 };
        wide = wide.max(cone.set.support(&e));
        thin = thin.max(cone.set.gauge(&e));
    }
    let error = accuracy * big;
    assert!(p[0] >= 0.0, "{place}");
    assert!(
        cone.excess(p) <= 4.0 * error * (thin + cone.mu),
        "{place}: outside by {}",
        cone.excess(p)
    );
    assert!(
        q[0] + cone.mu * h <= 4.0 * error * (1.0 + cone.mu * wide),
        "{place}: {} not polar",
        q[0] + cone.mu * h
    );
    let gap = dot_all(&q, p) - cone.radius * h;
    let slack = 4.0 * error * (left + big + cone.radius * wide);
    assert!(gap.abs() <= slack, "{place}: gap {gap} > {slack}");
}

#[test]
fn projection_onto_the_cone_is_the_nearest_point() {
    for (name, set, accuracy) in all() {
        let mut numbers = Numbers(31);
        for mu in MUS {
            for radius in RADII {
                let cone = FrictionCone { set, mu, radius };
                cone.validate().unwrap();
                for _ in 0..40 {
                    let x = numbers.point(1 + set.dimension());
                    let p = projected(&cone, &x);
                    assert_projection(name, &cone, &x, &p, *accuracy);
                    let again = projected(&cone, &p);
                    let moved: Vec<f64> = again.iter().zip(&p).map(|(a, b)| a - b).collect();
                    assert!(
                        size(&moved) <= 4.0 * accuracy * size(&x).max(radius),
                        "{name} {mu} {radius} {x:?}: {p:?} {again:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn moreau_splits_a_point_into_cone_and_polar() {
    for (name, set, accuracy) in all() {
        let mut numbers = Numbers(8);
        let cone = FrictionCone { set, mu: 0.6, radius: 0.0 };
        for _ in 0..50 {
            let x = numbers.point(1 + set.dimension());
            let p = projected(&cone, &x);
            let mut q = vec![0.0; x.len()];
            cone.project_polar(&x, &mut q);
            for i in 0..x.len() {
                assert!((p[i] + q[i] - x[i]).abs() <= 4.0 * f64::EPSILON * size(&x), "{name}");
            }
            // A point of the polar cone has nothing of the cone.
            let apex = projected(&cone, &q);
            assert!(size(&apex) <= 100.0 * accuracy * size(&x), "{name}: {q:?} -> {apex:?}");
        }
    }
    let mut out = [0.0; 3];
    FrictionCone { set: &ConvexSet::Disc, mu: 0.6, radius: 1.0 }
        .project_polar(&[1.0, 2.0, 3.0], &mut out);
    assert!(out.iter().all(|c| c.is_nan()), "a truncated cone has no polar");
}

/// Closed forms and the scalar equation are different code.
#[test]
fn closed_forms_agree_with_the_scalar_equation() {
    for name in ["interval", "disc", "ellipse", "limit surface", "needle"] {
        let (_, set, _) = sample(name);
        let mut numbers = Numbers(3);
        for mu in MUS {
            for radius in RADII {
                for _ in 0..50 {
                    let x = numbers.point(1 + set.dimension());
                    let slice = Slice { set, mu, radius, dimension: set.dimension() };
                    let v = load(&x[1..]);
                    let (n, p) = slice.project(x[0], &v);
                    let (m, q) = slice.project_any(x[0], &v);
                    let big = size(&x).max(radius);
                    // The scalar equation multiplies the rounding of p by μ and the largest axis.
                    let wide = if *name == *"needle" { 1e3 } else { 1.0 };
                    let rounding = 4.0 * f64::EPSILON * (1.0 + mu * wide);
                    assert!(
                        (n - m).abs() <= (1e-13 + rounding) * big,
                        "{name} {mu} {radius} {x:?}: {n} {m}"
                    );
                    assert!(
                        norm(&sub(&p, &q)) <= (1e-13 + rounding) * big,
                        "{name} {mu} {radius} {x:?}: {p:?} {q:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn known_projections_come_out() {
    let p =
        |set: &ConvexSet, mu, radius, x: &[f64]| projected(&FrictionCone { set, mu, radius }, x);
    assert_eq!(p(&ConvexSet::Interval, 1.0, 0.0, &[0.0, 2.0]), [1.0, 1.0]);
    assert_eq!(p(&ConvexSet::Interval, 1.0, 0.0, &[-1.0, 0.5]), [0.0, 0.0]);
    assert_eq!(p(&ConvexSet::Disc, 0.5, 0.0, &[2.0, 0.6, 0.8]), [2.0, 0.6, 0.8]);
    assert_eq!(p(&ConvexSet::Disc, 0.0, 1.0, &[-3.0, 6.0, 8.0]), [0.0, 0.6, 0.8]);
    assert_eq!(p(&ConvexSet::Disc, 2.0, 1.0, &[-3.0, 0.0, 0.5]), [0.0, 0.0, 0.5]);
    // A ball is a disc in more dimensions.
    let ball = ConvexSet::Ellipsoid(vec![1.0; 3]);
    let q = p(&ball, 1.0, 0.0, &[0.0, 0.0, 0.0, 2.0]);
    assert!((q[0] - 1.0).abs() < 1e-15 && (q[3] - 1.0).abs() < 1e-15, "{q:?}");
}

#[test]
fn derivative_is_that_of_the_projection() {
    for (name, set, _) in all() {
        let size_x = 1 + set.dimension();
        let mut numbers = Numbers(2024);
        let mut kinks = 0;
        for round in 0..600 {
            let (mu, radius) = (MUS[round % 6], RADII[round % 3]);
            let cone = FrictionCone { set, mu, radius };
            let x: Vec<f64> = (0..size_x).map(|_| numbers.next()).collect();
            let mut j = vec![0.0; size_x * size_x];
            assert!(cone.jacobian(&x, &mut j), "{name} {mu} {radius} {x:?}");
            for column in 0..size_x {
                let step = 1e-6;
                let moved = |s: f64| {
                    let mut y = x.clone();
                    y[column] += s;
                    projected(&cone, &y)
                };
                let (back, here, forth) = (moved(-step), projected(&cone, &x), moved(step));
                for row in 0..size_x {
                    let d = (forth[row] - back[row]) / (2.0 * step);
                    let one_sided = (forth[row] - here[row]) / step;
                    // Near a kink the two differ and neither is a derivative.
                    if (d - one_sided).abs() > 1e-4 {
                        kinks += 1;
                        continue;
                    }
                    let found = j[row * size_x + column];
                    assert!(
                        (d - found).abs() < 2e-4,
                        "{name} {mu} {radius} {x:?} [{row}][{column}]: {found} {d}"
                    );
                    assert!(
                        (found - j[column * size_x + row]).abs() < 1e-10,
                        "{name}: not symmetric {j:?}"
                    );
                }
            }
        }
        assert!(kinks < 60, "{name}: {kinks} of 600 points on kinks");
    }
}

/// At the apex and on the axis, where the projection has a kink, an element of the generalised derivative is
/// still symmetric with eigenvalues in [0, 1]: 0 ≤ y·J y ≤ y·y.
#[test]
fn derivative_is_a_contraction_everywhere() {
    for name in ["interval", "disc", "limit surface"] {
        let (_, set, _) = sample(name);
        let n = 1 + set.dimension();
        let mut numbers = Numbers(11);
        for (mu, radius) in [(0.5, 0.0), (0.5, 0.2), (0.0, 0.2), (0.0, 0.0)] {
            let cone = FrictionCone { set, mu, radius };
            for special in [
                vec![0.0; n],
                [&[1.0][..], &vec![0.0; n - 1]].concat(),
                [&[-1.0][..], &vec![0.0; n - 1]].concat(),
                [&[0.0, 1.0][..], &vec![0.0; n - 2]].concat(),
            ] {
                let mut j = vec![0.0; n * n];
                assert!(cone.jacobian(&special, &mut j), "{name} {special:?}");
                for _ in 0..20 {
                    let y: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
                    let form: f64 =
                        (0..n).map(|r| y[r] * dot_all(&j[r * n..(r + 1) * n], &y)).sum();
                    assert!(
                        form >= -1e-12 && form <= dot_all(&y, &y) + 1e-12,
                        "{name} {mu} {radius} {special:?}: {form}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_bad_coefficient_is_refused_and_gives_nan() {
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        for (mu, radius) in [(bad, 0.0), (0.5, bad)] {
            let cone = FrictionCone { set: &ConvexSet::Disc, mu, radius };
            assert!(matches!(cone.validate(), Err(Error::Set(SetError::Coefficient { .. }))));
            assert!(projected(&cone, &[1.0, 2.0, 3.0]).iter().all(|c| c.is_nan()));
            assert!(!cone.jacobian(&[1.0, 2.0, 3.0], &mut [0.0; 9]));
        }
    }
    let cone = FrictionCone { set: &ConvexSet::Disc, mu: 0.5, radius: 0.0 };
    assert!(projected(&cone, &[1.0, f64::NAN, 3.0]).iter().all(|c| c.is_nan()));
}

proptest! {
    #[test]
    fn any_finite_point_is_projected(
        x in prop::array::uniform4(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO),
        mu in prop_oneof![0.0..3.0_f64, Just(1e30), Just(1e-30), prop::num::f64::POSITIVE],
        radius in prop_oneof![Just(0.0), prop::num::f64::POSITIVE | prop::num::f64::SUBNORMAL],
    ) {
        prop_assume!(mu.is_finite());
        for (name, set, _) in all() {
            let n = 1 + set.dimension();
            let cone = FrictionCone { set, mu, radius: radius.abs() };
            let p = projected(&cone, &x[..n]);
            prop_assert!(p.iter().all(|c| c.is_finite()) && p[0] >= 0.0, "{} mu {} a {} {:?}: {:?}", name, mu, radius, &x[..n], p);
            let mut j = [0.0; 16];
            let _ = (cone.jacobian(&x[..n], &mut j), cone.excess(&x[..n]));
        }
    }
}
