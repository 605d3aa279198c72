//! Geometries of the plane: complete manifolds that do not flicker, distances by another method, areas and moments.

use crate::manifolds::{identities, noise, perturbed};
use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use stickslip_collision::{Contact, Error, Geometry, Pose, Proximity};

fn at(x: f64, y: f64, angle: f64) -> Pose {
    Pose { position: DVec3::new(x, y, 0.0), rotation: DQuat::from_rotation_z(angle) }
}

fn square(edge: f64) -> Geometry {
    Geometry::rectangle(DVec2::splat(edge))
}

fn capsule(length: f64, radius: f64) -> Geometry {
    let end = DVec2::new(0.5 * length, 0.0);
    Geometry::Polygon { points: vec![-end, end], radius }
}

fn regular(corners: u32, size: f64, radius: f64) -> Geometry {
    let corner = |k| size * DVec2::from_angle(TAU * f64::from(k) / f64::from(corners));
    Geometry::Polygon { points: (0..corners).map(corner).collect(), radius }
}

fn chain(points: &[(f64, f64)]) -> Geometry {
    Geometry::Chain { points: points.iter().copied().map(DVec2::from).collect() }
}

/// The half-space whose surface is the line y = 0.
fn half_plane() -> (Geometry, Pose) {
    (Geometry::HalfSpace, Pose { rotation: DQuat::from_rotation_x(-FRAC_PI_2), ..Pose::default() })
}

/// Name, geometries, poses, count of points.
type Stack = (&'static str, [Geometry; 2], [Pose; 2], usize);

/// Bodies at rest on each other, and how many points they have.
fn stacks() -> Vec<Stack> {
    let up = |y: f64| [at(0.0, y, 0.0), Pose::default()];
    let aside = |x: f64, y: f64| [at(x, y, 0.0), Pose::default()];
    let (ground, turned) = half_plane();
    let on_ground = |y: f64| [at(0.0, y, 0.0), turned];
    let table = chain(&[(-2.0, 0.0), (-1.0, 0.0), (0.2, 0.0), (2.0, 0.0)]);
    let plateau = chain(&[(-1.0, -1.0), (-0.25, 0.0), (0.25, 0.0), (1.0, -1.0)]);
    let valley = chain(&[(-1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]);
    let hexagon = regular(6, 0.5, 0.0);
    let flat = 0.5 * 3.0_f64.sqrt() * 0.5;
    vec![
        ("square on the ground", [square(1.0), ground.clone()], on_ground(0.5), 2),
        ("disc on the ground", [Geometry::disc(0.5), ground.clone()], on_ground(0.5), 1),
        ("capsule on the ground", [capsule(1.0, 0.2), ground], on_ground(0.2), 2),
        ("equal squares", [square(1.0), square(1.0)], up(1.0), 2),
        ("small on large", [square(0.5), square(1.0)], up(0.75), 2),
        ("large on small", [square(1.0), square(0.5)], up(0.75), 2),
        ("overhanging", [square(1.0), square(1.0)], aside(0.3, 1.0), 2),
        ("a corner over the middle", [square(1.0), square(1.0)], aside(0.5, 1.0), 2),
        ("hexagon on square", [hexagon.clone(), square(2.0)], up(1.0 + flat), 2),
        ("equal hexagons", [hexagon.clone(), hexagon], up(2.0 * flat), 2),
        ("capsule on square", [capsule(0.6, 0.2), square(1.0)], up(0.7), 2),
        ("capsule across a narrow square", [capsule(1.0, 0.2), square(0.4)], up(0.4), 2),
        ("capsules side by side", [capsule(1.0, 0.2), capsule(1.0, 0.3)], aside(0.4, 0.5), 2),
        ("disc on square", [Geometry::disc(0.5), square(1.0)], up(1.0), 1),
        ("disc on disc", [Geometry::disc(0.5), Geometry::disc(0.25)], up(0.75), 1),
        (
            "rounded squares",
            [regular(4, 0.5, 0.1), square(2.0)],
            [at(0.0, 1.1 + 0.125_f64.sqrt(), PI / 4.0), Pose::default()],
            2,
        ),
        ("square on a table of three segments", [square(1.0), table.clone()], up(0.5), 2),
        ("its corner over a joint", [square(0.4), table], aside(0.0, 0.2), 2),
        ("square on a plateau narrower than it", [square(1.0), plateau.clone()], up(0.5), 2),
        ("square on a plateau of its width", [square(0.5), plateau.clone()], up(0.25), 2),
        ("square that overhangs a plateau", [square(0.5), plateau.clone()], aside(0.2, 0.25), 2),
        ("disc on a plateau", [Geometry::disc(0.5), plateau], up(0.5), 1),
        ("disc in a valley", [Geometry::disc(0.5), valley.clone()], up(0.5_f64.sqrt()), 2),
        (
            "square in a valley",
            [square(1.0), valley],
            [at(0.0, 0.5_f64.sqrt(), PI / 4.0), Pose::default()],
            4,
        ),
    ]
}

#[test]
fn bodies_at_rest_in_the_plane_have_all_their_points_with_gap_zero() {
    for (name, [a, b], poses, count) in stacks() {
        let found = contacts([&a, &b], poses, 1e-3);
        assert_eq!(found.len(), count, "{name}: {found:#?}");
        for (_, close) in &found {
            assert!(close.gap.abs() < 1e-15 * 8.0, "{name}: {:e}", close.gap);
            assert!(close.normal.z.abs() < 1e-15 && close.on_first.z.abs() < 1e-15, "{name}");
            assert!((close.normal.length() - 1.0).abs() < 1e-14, "{name}");
        }
    }
}

proptest! {
    #[test]
    fn noise_changes_neither_count_nor_identities_in_the_plane(noise in noise()) {
        let mut flat = noise;
        for k in [2, 3, 4, 8, 9, 10] {
            flat[k] = 0.0;
        }
        for (name, [a, b], poses, _) in stacks() {
            let (still, moved) = (
                contacts([&a, &b], poses, 1e-3),
                contacts([&a, &b], perturbed(poses, &flat), 1e-3),
            );
            prop_assert_eq!(identities(&still), identities(&moved), "{}", name);
        }
    }

    #[test]
    fn distances_of_outlines_are_those_of_their_vertices_and_edges(
        (a, b) in (outline(), outline()),
        (p, q) in (planar_pose(), planar_pose()),
    ) {
        let (pair, poses) = ([&a, &b], [p, q]);
        let distance = brute_distance(pair, poses);
        let found = contacts(pair, poses, 10.0);
        let nearest = nearest(&found).unwrap();
        match distance {
            Some(distance) => prop_assert!(
                (nearest.gap - distance).abs() < 1e-6 * 1e-6,
                "{} {}", nearest.gap, distance
            ),
            None => {
                // Out by the normal of the deepest point, they touch and no more.
                let deepest = nearest;
                let clear = shifted(&p, (1e-9 - deepest.gap) * deepest.normal);
                let apart = brute_distance(pair, [clear, q]);
                prop_assert!(apart.is_some_and(|d| d < 1e-6), "{deepest:?} {apart:?}");
            }
        }
        for (contact, close) in &found {
            let flipped = contacts([&b, &a], [q, p], 10.0);
            prop_assert!(flipped.iter().any(|(_, other)| (other.gap - close.gap).abs() < 1e-9
                && (other.normal + close.normal).length() < 1e-9)
                || close.gap > nearest.gap + 1e-9, "{contact:?}");
        }
    }

    #[test]
    fn a_disc_over_a_chain_is_as_far_from_it_as_from_its_nearest_point(
        heights in proptest::collection::vec(-0.5..0.5_f64, 5),
        (x, above) in (-1.8..1.8_f64, 0.01..1.0_f64),
        radius in 0.05..0.5_f64,
    ) {
        let points: Vec<(f64, f64)> =
            heights.iter().enumerate().map(|(k, h)| (k as f64 - 2.0, *h)).collect();
        let ground = chain(&points);
        let height = |x: f64| {
            let k = ((x + 2.0).floor() as usize).min(3);
            let t = x - points[k].0;
            points[k].1 + t * (points[k + 1].1 - points[k].1)
        };
        let centre = DVec2::new(x, height(x) + above);
        let to_segment = |a: DVec2, b: DVec2| {
            let t = ((centre - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            (a + t * (b - a) - centre).length()
        };
        let distance = points
            .windows(2)
            .map(|w| to_segment(w[0].into(), w[1].into()))
            .fold(f64::INFINITY, f64::min);
        let poses = [at(centre.x, centre.y, 0.3), Pose::default()];
        let found = contacts([&Geometry::disc(radius), &ground], poses, 4.0);
        let gap = nearest(&found).unwrap().gap;
        prop_assert!((gap - (distance - radius)).abs() < 1e-12, "{gap} {}", distance - radius);
    }
}

/// A convex outline: a disc, a capsule or a polygon of corners on a circle, rounded or sharp.
fn outline() -> impl Strategy<Value = Geometry> {
    let angles = proptest::collection::vec(0.05..1.0_f64, 1..7);
    (angles, 0.0..0.3_f64, any::<bool>()).prop_map(|(steps, radius, sharp)| {
        let whole: f64 = steps.iter().sum();
        let mut angle = 0.0;
        let points = steps.iter().map(|step| {
            angle += TAU * step / whole;
            DVec2::new(angle.cos(), 0.6 * angle.sin())
        });
        let points: Vec<DVec2> = points.collect();
        let radius = if sharp && points.len() > 2 { 0.0 } else { radius + 0.01 };
        Geometry::Polygon { points, radius }
    })
}

fn planar_pose() -> impl Strategy<Value = Pose> {
    (-2.0..2.0_f64, -2.0..2.0_f64, 0.0..TAU).prop_map(|(x, y, angle)| at(x, y, angle))
}

fn placed(geometry: &Geometry, pose: Pose) -> (Vec<DVec2>, f64) {
    let Geometry::Polygon { points, radius } = geometry else { panic!("a polygon") };
    (points.iter().map(|p| pose.point(p.extend(0.0)).truncate()).collect(), *radius)
}

/// The distance of two outlines from all pairs of vertices and edges; none if their cores overlap.
fn brute_distance([a, b]: [&Geometry; 2], [p, q]: [Pose; 2]) -> Option<f64> {
    let ((a, r), (b, s)) = (placed(a, p), placed(b, q));
    let edges = |v: &[DVec2]| -> Vec<[DVec2; 2]> {
        (0..v.len()).map(|k| [v[k], v[(k + 1) % v.len()]]).collect()
    };
    let inside = |v: &[DVec2], p: DVec2| {
        v.len() > 2 && edges(v).iter().all(|[a, b]| (*b - *a).perp_dot(p - *a) > 0.0)
    };
    let crosses = |[a, b]: [DVec2; 2], [c, d]: [DVec2; 2]| {
        let side = |p: DVec2, [a, b]: [DVec2; 2]| (b - a).perp_dot(p - a);
        side(c, [a, b]) * side(d, [a, b]) < 0.0 && side(a, [c, d]) * side(b, [c, d]) < 0.0
    };
    let to_segment = |p: DVec2, [a, b]: [DVec2; 2]| {
        let square = (b - a).length_squared();
        let t = if square > 0.0 { ((p - a).dot(b - a) / square).clamp(0.0, 1.0) } else { 0.0 };
        (a + t * (b - a) - p).length()
    };
    let overlap = inside(&a, b[0])
        || inside(&b, a[0])
        || edges(&a).iter().any(|e| edges(&b).iter().any(|f| crosses(*e, *f)));
    if overlap {
        return None;
    }
    let from = |points: &[DVec2], to: &[DVec2]| {
        let each = points.iter().flat_map(|p| edges(to).into_iter().map(|e| to_segment(*p, e)));
        each.fold(f64::INFINITY, f64::min)
    };
    Some(from(&a, &b).min(from(&b, &a)) - r - s)
}

#[test]
fn a_square_slides_over_bends_of_a_chain_without_catching() {
    let ground =
        chain(&[(-2.0, 0.0), (-0.7, 0.0), (0.0, 0.0), (1.0, 0.0), (1.0, -1.0), (3.0, -1.0)]);
    // Beyond the middle of the square the cliff is behind its corner.
    for k in 0..=100 {
        let x = -1.0 + 0.015 * f64::from(k);
        let found: Vec<(Contact, Proximity)> =
            contacts([&square(1.0), &ground], [at(x, 0.5, 0.0), Pose::default()], 1e-2);
        let touching = if x < 1.5 { 2 } else { 0 };
        assert_eq!(found.len(), touching, "x = {x}: {found:#?}");
        for (_, close) in found {
            assert!(close.gap.abs() < 1e-14 && (close.normal - DVec3::Y).length() < 1e-14, "{x}");
        }
    }
}

#[test]
fn what_is_behind_a_chain_does_not_touch_it() {
    let ground = chain(&[(-2.0, 0.0), (2.0, 0.0)]);
    let below = [at(0.0, -1.0, 0.2), Pose::default()];
    assert!(contacts([&square(1.0), &ground], below, 10.0).is_empty());
}

#[test]
fn areas_and_moments_of_the_plane_are_those_of_closed_forms() {
    let of = |geometry: &Geometry| geometry.mass_properties(2.0).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-13 * b.abs().max(1.0);
    let disc = of(&Geometry::disc(0.3));
    assert!(near(disc.mass, 2.0 * PI * 0.09));
    assert!(near(disc.inertia.z_axis.z, 0.5 * disc.mass * 0.09));
    let plate = of(&Geometry::rectangle(DVec2::new(0.4, 0.2)));
    assert!(near(plate.mass, 0.16) && near(plate.inertia.z_axis.z, 0.16 * 0.2 / 12.0));
    // A rectangle and two half-discs, whose centres of mass are 4r/3π outside of its ends.
    let (l, r) = (0.5, 0.1);
    let rod = of(&capsule(l, r));
    let (middle, ends) = (2.0 * l * 2.0 * r, 2.0 * PI * r * r);
    assert!(near(rod.mass, middle + ends));
    let half_disc = 0.5 * r * r + 0.25 * l * l + l * 4.0 * r / (3.0 * PI);
    let moment = middle * (l * l + 4.0 * r * r) / 12.0 + ends * half_disc;
    assert!(near(rod.inertia.z_axis.z, moment), "{} {moment}", rod.inertia.z_axis.z);
    // An equilateral triangle of side a: m a²/12; its corners need not be about its centre.
    let corners = [(1.0, 1.0), (2.0, 1.0), (1.5, 1.0 + 0.75_f64.sqrt())].map(DVec2::from);
    let triangle = of(&Geometry::Polygon { points: corners.to_vec(), radius: 0.0 });
    let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
    assert!((triangle.centre.truncate() - centre).length() < 1e-13);
    assert!(near(triangle.inertia.z_axis.z, triangle.mass / 12.0));
    // Rounded corners of a square: as a larger square less what is missing of it.
    let (a, r) = (0.5, 0.2);
    let points = [(-a, -a), (a, -a), (a, a), (-a, a)].map(DVec2::from).to_vec();
    let rounded = of(&Geometry::Polygon { points, radius: r });
    let whole = 2.0 * (a + r);
    let corner_area = r * r * (4.0 - PI);
    assert!(near(rounded.mass, 2.0 * (whole * whole - corner_area)));
    let corner = r * r * (r * r / 6.0 + 2.0 * (a + 0.5 * r).powi(2));
    let quarter = PI * r * r / 4.0;
    let arc = quarter * (2.0 * a * a + 16.0 * a * r / (3.0 * PI) + 0.5 * r * r);
    let moment = 2.0 * (whole.powi(4) / 6.0 - 4.0 * (corner - arc));
    assert!(near(rounded.inertia.z_axis.z, moment), "{} {moment}", rounded.inertia.z_axis.z);
}

#[test]
fn outlines_that_are_none_are_refused_with_a_cure() {
    let polygon = |points: &[(f64, f64)], radius| Geometry::Polygon {
        points: points.iter().copied().map(DVec2::from).collect(),
        radius,
    };
    let star: Vec<(f64, f64)> =
        (0..5).map(|k| DVec2::from_angle(2.0 * TAU * f64::from(k) / 5.0).into()).collect();
    for (geometry, words) in [
        (polygon(&[(0.0, 0.0), (1.0, 0.0), (0.2, 0.2), (0.0, 1.0)], 0.0), "is not convex"),
        (polygon(&star, 0.0), "is not convex"),
        (polygon(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)], 0.1), "has no area"),
        (polygon(&[(0.0, 0.0), (1.0, 1.0)], 0.0), "has no area"),
        (polygon(&[], 1.0), "has no points"),
        (polygon(&[(0.0, 0.0)], -1.0), "the radius of a disc is -1"),
        (polygon(&[(f64::NAN, 0.0), (1.0, 1.0)], 0.1), "a coordinate of point 0"),
        (chain(&[(0.0, 0.0)]), "has fewer than two points"),
        (chain(&[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)]), "has no length"),
        (chain(&[(0.0, 0.0), (1.0, 0.0), (0.5, 0.0)]), "goes back"),
    ] {
        let error: Error = geometry.validate().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    // Clockwise, and with a point along a side, it is the same square.
    let turned = polygon(&[(0.5, 0.5), (0.5, -0.5), (0.0, -0.5), (-0.5, -0.5), (-0.5, 0.5)], 0.0);
    turned.validate().unwrap();
    let found = contacts([&turned, &square(1.0)], [at(0.0, 1.0, 0.0), Pose::default()], 1e-3);
    assert_eq!(found.len(), 2);
}
