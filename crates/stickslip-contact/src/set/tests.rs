//! One harness for all sets: a new set joins by a line in the list of samples.

use super::samples::{Numbers, all, length, member, minus, product};
use super::*;
use proptest::prelude::*;

fn projected(set: &ConvexSet, radius: f64, x: &[f64]) -> Vec<f64> {
    let mut p = vec![0.0; x.len()];
    set.project(radius, x, &mut p);
    p
}

fn farthest(set: &ConvexSet, x: &[f64]) -> Vec<f64> {
    let mut p = vec![0.0; x.len()];
    set.support_point(x, &mut p);
    p
}

/// The size of a set: the largest norm of its points along the axes.
fn extent(set: &ConvexSet) -> f64 {
    let d = set.dimension();
    (0..2 * d)
        .map(|i| {
            let mut e = vec![0.0; d];
            e[i % d] = if i < d { 1.0 } else { -1.0 };
            set.support(&e)
        })
        .fold(0.0, f64::max)
}

#[test]
fn every_sample_is_valid() {
    for (name, set, _) in all() {
        assert_eq!(set.validate(), Ok(()), "{name}");
    }
}

#[test]
fn projection_is_the_nearest_point() {
    for (name, set, accuracy) in all() {
        let mut numbers = Numbers(0x9e37_79b9);
        let d = set.dimension();
        for _ in 0..400 {
            let x = numbers.point(d);
            let radius = 10.0_f64.powf(numbers.next());
            let p = projected(set, radius, &x);
            let scale = length(&x).max(radius * extent(set));
            let gauge = set.gauge(&p) / radius;
            // A point of the set, and the same point if it was one already.
            assert!(gauge <= 1.0 + 1e-9, "{name}: {x:?} -> {p:?} has gauge {gauge}");
            let again = projected(set, radius, &p);
            assert!(
                length(&minus(&again, &p)) <= accuracy * scale,
                "{name}: {x:?} -> {p:?} -> {again:?}"
            );
            // (x − p)·(y − p) ≤ 0 for all y of the set, by its farthest point and by samples.
            let left = minus(&x, &p);
            let best = farthest(set, &left[..d]);
            // The coordinates of p are rounded, whatever is left of x.
            let slack = scale * (accuracy * length(&left) + 4.0 * f64::EPSILON * scale);
            let bound = radius * set.support(&left[..d]) - product(&left[..d], &p);
            assert!(bound <= slack, "{name}: {x:?} r {radius} -> {p:?}, {bound} > {slack}");
            assert!(
                radius * product(&left[..d], &best) - product(&left[..d], &p) <= slack,
                "{name}"
            );
            for _ in 0..5 {
                let y: Vec<f64> = member(set, &mut numbers).iter().map(|c| radius * c).collect();
                assert!(product(&left[..d], &minus(&y, &p)[..d]) <= slack, "{name}: {x:?}, {y:?}");
            }
        }
    }
}

#[test]
fn projection_does_not_expand() {
    for (name, set, accuracy) in all() {
        let mut numbers = Numbers(0x1234_5678);
        let d = set.dimension();
        for _ in 0..300 {
            let (x, y) = (numbers.point(d), numbers.point(d));
            let (p, q) = (projected(set, 1.0, &x), projected(set, 1.0, &y));
            let scale = length(&x).max(length(&y)).max(extent(set));
            assert!(
                length(&minus(&p, &q)) <= length(&minus(&x, &y)) + 2.0 * accuracy * scale,
                "{name}"
            );
        }
    }
}

#[test]
fn projection_does_not_depend_on_units() {
    for (name, set, accuracy) in all() {
        let mut numbers = Numbers(77);
        let d = set.dimension();
        for power in [-900, -300, -1, 1, 300, 900] {
            let unit = 2.0_f64.powi(power);
            for _ in 0..40 {
                let x = numbers.point(d);
                let p = projected(set, 0.5, &x);
                let scaled: Vec<f64> = x.iter().map(|c| unit * c).collect();
                let q: Vec<f64> =
                    projected(set, 0.5 * unit, &scaled).iter().map(|c| c / unit).collect();
                let scale = length(&x).max(extent(set));
                assert!(
                    length(&minus(&p, &q)) <= accuracy * scale,
                    "{name} 2^{power}: {x:?} {p:?} {q:?}"
                );
            }
        }
    }
}

/// A radius far below the distance leaves the direction alone to decide.
#[test]
fn projection_from_far_away_is_the_farthest_point() {
    for (name, set, _) in all() {
        let mut numbers = Numbers(5);
        let d = set.dimension();
        for _ in 0..50 {
            let x = numbers.point(d);
            let p = projected(set, 1e-300, &x);
            let reached = product(&p, &x) / 1e-300;
            let h = set.support(&x);
            assert!(reached >= h * (1.0 - 1e-9), "{name}: {x:?} -> {p:?}: {reached} < {h}");
        }
    }
}

#[test]
fn support_is_the_largest_product_and_is_attained() {
    for (name, set, _) in all() {
        let mut numbers = Numbers(42);
        let d = set.dimension();
        for _ in 0..300 {
            let x = numbers.point(d);
            let h = set.support(&x);
            let f = farthest(set, &x);
            assert!(
                (product(&x, &f) - h).abs() <= 1e-12 * h,
                "{name}: {x:?}: {f:?} gives {} not {h}",
                product(&x, &f)
            );
            assert!(set.contains(&f, 1e-9), "{name}: {f:?}");
            for _ in 0..10 {
                let y = member(set, &mut numbers);
                assert!(product(&x, &y) <= h * (1.0 + 1e-12), "{name}: {x:?} {y:?}");
            }
        }
        assert_eq!(set.support(&vec![0.0; d]), 0.0, "{name}");
        assert_eq!(farthest(set, &vec![0.0; d]), vec![0.0; d], "{name}");
    }
}

#[test]
fn gauge_and_membership_agree() {
    for (name, set, accuracy) in all() {
        let mut numbers = Numbers(4711);
        let d = set.dimension();
        assert_eq!(set.gauge(&vec![0.0; d]), 0.0, "{name}");
        for _ in 0..200 {
            let x = numbers.point(d);
            let g = set.gauge(&x);
            let surface: Vec<f64> = x.iter().map(|c| c / g).collect();
            assert!(
                (set.gauge(&surface) - 1.0).abs() < 1e-12,
                "{name}: {x:?} {}",
                set.gauge(&surface) - 1.0
            );
            assert!(set.contains(&surface, 1e-12), "{name}");
            // Just inside a point stays, just outside it moves.
            let inner: Vec<f64> = surface.iter().map(|c| c * (1.0 - 1e-6)).collect();
            let outer: Vec<f64> = surface.iter().map(|c| c * (1.0 + 1e-6)).collect();
            assert!(set.contains(&inner, 0.0) && !set.contains(&outer, 0.0), "{name}: {surface:?}");
            let (p, q) = (projected(set, 1.0, &inner), projected(set, 1.0, &outer));
            assert!(
                length(&minus(&p, &inner)) <= accuracy * length(&inner),
                "{name}: {inner:?} {p:?}"
            );
            assert!(length(&minus(&q, &outer)) > 1e-10 * length(&outer), "{name}: {outer:?} {q:?}");
        }
    }
}

/// x·f ≤ h(x) g(f): the support function is the gauge of the polar set and the other way round.
#[test]
fn polars_agree() {
    for (name, set, _) in all() {
        let mut numbers = Numbers(99);
        let d = set.dimension();
        for _ in 0..200 {
            let (x, f) = (numbers.point(d), numbers.point(d));
            assert!(product(&x, &f) <= set.support(&x) * set.gauge(&f) * (1.0 + 1e-12), "{name}");
            // Equality at the farthest point and its normal.
            let f = farthest(set, &x);
            assert!((set.gauge(&f) - 1.0).abs() < 1e-7, "{name}: {f:?} {}", set.gauge(&f) - 1.0);
        }
        let Some(polar) = polar(set) else { continue };
        for _ in 0..200 {
            let x = numbers.point(d);
            let (h, g) = (set.support(&x), polar.gauge(&x));
            assert!((h - g).abs() <= 1e-12 * h, "{name}: {h} {g}");
            let (h, g) = (polar.support(&x), set.gauge(&x));
            assert!((h - g).abs() <= 1e-9 * h, "{name}: {h} {g}");
        }
    }
}

/// The polar set where it is of a kind that is here.
fn polar(set: &ConvexSet) -> Option<ConvexSet> {
    match set {
        ConvexSet::Interval | ConvexSet::Disc => Some(set.clone()),
        ConvexSet::Ellipsoid(axes) => {
            Some(ConvexSet::Ellipsoid(axes.iter().map(|a| 1.0 / a).collect()))
        }
        ConvexSet::Polyhedron(p) => {
            let corners: Vec<&[f64]> = p.vertices().collect();
            Some(ConvexSet::Polyhedron(Polyhedron::new(&corners).unwrap()))
        }
        _ => None,
    }
}

#[test]
fn approximations_nest_and_converge() {
    for (name, set, _) in all() {
        let mut last = (0.0, f64::INFINITY);
        for facets in [8, 32, 128, 512] {
            let inside = set.polyhedron_inside(facets).unwrap();
            let outside = set.polyhedron_outside(facets).unwrap();
            if !matches!(set, ConvexSet::Polyhedron(_)) {
                assert!(
                    inside.normals().len() <= facets && outside.normals().len() <= facets,
                    "{name}"
                );
            }
            let (small, large) = (set.sandwich(&inside), set.sandwich(&outside));
            assert!(small.outer <= 1.0 + 1e-9, "{name} {facets}: {small:?}");
            assert!(large.inner >= 1.0 - 1e-9, "{name} {facets}: {large:?}");
            assert!(
                small.inner > last.0 * (1.0 - 1e-9) && large.outer < last.1 * (1.0 + 1e-9),
                "{name} {facets}: {small:?} {large:?}"
            );
            last = (small.inner, large.outer);
        }
        assert!(last.0 > 0.95 && last.1 < 1.05, "{name}: {last:?}");
    }
}

#[test]
fn polygons_of_a_disc_have_the_quality_of_the_closed_form() {
    for set in [ConvexSet::Disc, ConvexSet::Ellipsoid(vec![3.0, 0.1])] {
        for m in [3, 4, 5, 8, 17, 100] {
            let cos = (std::f64::consts::PI / m as f64).cos();
            let inside = set.sandwich(&set.polyhedron_inside(m).unwrap());
            let outside = set.sandwich(&set.polyhedron_outside(m).unwrap());
            assert!(
                (inside.inner - cos).abs() < 1e-12 && (inside.outer - 1.0).abs() < 1e-12,
                "{m} {inside:?}"
            );
            assert!(
                (outside.inner - 1.0).abs() < 1e-12 && (outside.outer - 1.0 / cos).abs() < 1e-11,
                "{m} {outside:?}"
            );
        }
    }
}

#[test]
fn corners_of_known_solids_are_found_once() {
    let count = |p: &Polyhedron| (p.normals().len(), p.vertices().len());
    let cube = Polyhedron::symmetric(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    assert_eq!(count(&cube), (6, 8));
    // A row that is redundant, one that is given twice, one that touches an edge only.
    let rows =
        [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.1, 0.0], [1.0, 0.0], [0.5, 0.5]];
    assert_eq!(count(&Polyhedron::new(&rows).unwrap()), (7, 4));
    // The corners of a cube with the middles of its edges: coplanar points make no new facets.
    let mut points = Vec::new();
    for i in 0..27 {
        let p = [f64::from(i % 3) - 1.0, f64::from(i / 3 % 3) - 1.0, f64::from(i / 9) - 1.0];
        if p != [0.0; 3] {
            points.push(p);
        }
    }
    assert_eq!(count(&Polyhedron::hull(&points).unwrap()), (6, 8));
}

#[test]
fn bad_input_is_refused() {
    let set_error = |result: Result<(), crate::Error>| match result {
        Err(crate::Error::Set(error)) => error,
        other => panic!("{other:?}"),
    };
    for axis in [-1.0, 0.0, f64::NAN, f64::INFINITY, 1e-200] {
        let error = set_error(ConvexSet::Ellipsoid(vec![1.0, axis]).validate());
        assert!(matches!(error, SetError::Axis { index: 1, .. }), "{axis}: {error}");
        let error = set_error(ConvexSet::Mixed { ellipse: [1.0, 1.0], spin: axis }.validate());
        assert!(matches!(error, SetError::Axis { index: 2, .. }), "{axis}: {error}");
        assert!(UniformDisc::new(axis).is_err());
    }
    for axes in [vec![], vec![1.0; 4]] {
        let error = set_error(ConvexSet::Ellipsoid(axes).validate());
        assert!(matches!(error, SetError::Dimension { .. }));
    }
    let none: [[f64; 2]; 0] = [];
    let new = |rows: &[Vec<f64>]| set_error(Polyhedron::new(rows).map(|_| ()));
    assert!(matches!(
        set_error(Polyhedron::new(&none).map(|_| ())),
        SetError::Facets { found: 0, .. }
    ));
    assert!(matches!(
        new(&[vec![1.0, 0.0], vec![1.0]]),
        SetError::Ragged { row: 1, expected: 2, found: 1 }
    ));
    assert!(matches!(new(&[vec![1.0, f64::NAN]]), SetError::Row { row: 0, .. }));
    assert!(matches!(new(&[vec![0.0, 0.0]]), SetError::Row { row: 0, .. }));
    assert!(matches!(new(&[vec![1.0; 4]]), SetError::Dimension { found: 4 }));
    for open in [
        vec![vec![1.0]],
        vec![vec![1.0, 0.0]],
        vec![vec![1.0, 0.0], vec![0.0, 1.0], vec![-1.0, 0.0]],
        vec![vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]],
        vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![-1.0, -1.0, 0.0]],
    ] {
        assert!(matches!(new(&open), SetError::Unbounded { .. }), "{open:?}: {}", new(&open));
    }
    let corners = [[1.0, 1.0], [2.0, 1.0], [1.0, 2.0]];
    assert_eq!(set_error(Polyhedron::hull(&corners).map(|_| ())), SetError::OriginOutside);
    let square = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
    for offset in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let result = Polyhedron::half_spaces(&square, &[1.0, 1.0, offset, 1.0]).map(|_| ());
        assert!(matches!(set_error(result), SetError::Offset { row: 2, .. }));
    }
    for facets in [0, 1, 2, MAX_FACETS + 1, usize::MAX] {
        assert!(matches!(
            set_error(ConvexSet::Disc.polyhedron_inside(facets).map(|_| ())),
            SetError::Facets { .. }
        ));
        assert!(matches!(
            set_error(ConvexSet::Disc.polyhedron_outside(facets).map(|_| ())),
            SetError::Facets { .. }
        ));
    }
    assert!(ConvexSet::Ellipsoid(vec![1.0, -1.0]).polyhedron_inside(8).is_err());
}

#[test]
fn a_users_set_without_interior_is_refused() {
    #[derive(Debug)]
    struct Point;
    impl UserSet for Point {
        fn dimension(&self) -> usize {
            2
        }
        fn project(&self, _: f64, _: &[f64], out: &mut [f64]) {
            out.fill(0.0);
        }
        fn support(&self, _: &[f64]) -> f64 {
            0.0
        }
    }
    let error = ConvexSet::Custom(Arc::new(Point)).validate().unwrap_err();
    assert_eq!(error, crate::Error::Set(SetError::Support { direction: 0, value: 0.0 }));
}

#[test]
fn an_empty_radius_and_a_nan_give_nan() {
    for (name, set, _) in all() {
        let d = set.dimension();
        assert!(projected(set, -1.0, &vec![0.5; d]).iter().all(|c| c.is_nan()), "{name}");
        assert!(projected(set, f64::NAN, &vec![0.5; d]).iter().all(|c| c.is_nan()), "{name}");
        assert_eq!(projected(set, 0.0, &vec![0.5; d]), vec![0.0; d], "{name}");
        assert!(set.support(&vec![f64::NAN; d]).is_nan(), "{name}");
        assert!(set.gauge(&vec![f64::NAN; d]).is_nan(), "{name}");
        assert!(projected(set, 1.0, &vec![f64::NAN; d]).iter().any(|c| c.is_nan()), "{name}");
    }
}

proptest! {
    /// Any finite numbers, denormal and huge ones among them: no panic, and a point of the set or a NaN never passes as one.
    #[test]
    fn any_finite_point_has_a_projection(
        x in prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO),
        radius in prop::num::f64::POSITIVE | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
    ) {
        for (name, set, _) in all() {
            let d = set.dimension();
            let radius = radius.abs();
            let p = projected(set, radius, &x[..d]);
            prop_assert!(p.iter().all(|c| c.is_finite()), "{} {:?} {}: {:?}", name, x, radius, p);
            let _ = (set.support(&x[..d]), set.gauge(&x[..d]), farthest(set, &x[..d]), set.contains(&x[..d], 0.0));
        }
    }

    /// Any rows: a polyhedron or an error.
    #[test]
    fn any_rows_are_a_polyhedron_or_an_error(
        rows in prop::collection::vec(prop::array::uniform3(prop::num::f64::ANY), 0..12),
        plane in prop::collection::vec(prop::array::uniform3(-2.0..2.0_f64), 4..12),
    ) {
        let _ = (Polyhedron::new(&rows), Polyhedron::hull(&rows));
        if let Ok(p) = Polyhedron::new(&plane) {
            let set = ConvexSet::Polyhedron(p.clone());
            for v in p.vertices() {
                // Rounding changes a·v in proportion to |a| |v|, and corners may lie 10⁸ away.
                let held = p.normals().map(|a| length(a) * length(v)).fold(1.0, f64::max);
                let bound = 1.0 + crate::tolerance::FACE_ROUNDING * held;
                prop_assert!(set.gauge(v) <= bound, "{:?} {} {}", v, set.gauge(v), bound);
            }
        }
    }
}
