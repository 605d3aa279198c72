//! Every pair of convex geometries at random poses: the nearest contact is the distance, or the least penetration.

use crate::support::*;
use glam::DVec3;
use proptest::prelude::*;
use stickslip_collision::{Geometry, Pose, THROWN};

fn hull() -> Geometry {
    let points = vec![
        DVec3::new(0.5, 0.1, -0.4),
        DVec3::new(-0.4, 0.6, -0.3),
        DVec3::new(-0.3, -0.5, -0.4),
        DVec3::new(0.2, 0.1, 0.7),
        DVec3::new(0.4, -0.4, 0.2),
        DVec3::new(-0.5, 0.1, 0.3),
        DVec3::new(0.0, 0.0, 0.0),
    ];
    Geometry::Hull { points }
}

fn flat_geometries() -> Vec<Geometry> {
    vec![
        Geometry::Sphere { radius: 0.4 },
        Geometry::Capsule { half_length: 0.5, radius: 0.3 },
        slab(0.5, 0.3, 0.6),
        hull(),
        slab(1.2, 0.2, 0.2),
    ]
}

fn flat_pair() -> impl Strategy<Value = [Geometry; 2]> {
    let count = flat_geometries().len();
    (0..count, 0..count).prop_map(|(i, j)| {
        let all = flat_geometries();
        [all[i].clone(), all[j].clone()]
    })
}

/// Of axes that are equal up to this share of the size (1e-6, times the 0.6 of the largest small body here) the preferred one is taken, so that
/// rounding does not choose. The gap of a contact is exact for its features; that these are the nearest holds up to this.
const PREFERENCE: f64 = 6e-7;

/// Parry's distances are off by up to some 1e-6; they decide only whether a contact must be there.
const PEER: f64 = 1e-5;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_nearest_contact_is_the_distance(
        [a, b] in flat_pair(), first in pose(1.5), second in pose(1.5)
    ) {
        let poses = [first, second];
        let found = contacts([&a, &b], poses, 1.0);
        let expected = distance([&a, &b], &poses);
        if expected > 1.0 + PEER {
            prop_assert!(found.is_empty());
        } else if expected < 1.0 - PEER {
            let near = nearest(&found).expect("a contact within reach");
            prop_assert!((near.gap.max(0.0) - expected).abs() < PEER, "{} is not {expected}", near.gap);
            // Two points that are so far apart, and a plane between the bodies that lets them be no nearer.
            prop_assert!(((near.on_first - near.on_second).length() - near.gap.abs()).abs() < 1e-13);
            let along = separation([&a, &b], &poses, near.normal);
            prop_assert!((near.gap - along).abs() < PREFERENCE, "{} along the normal {along}", near.gap);
        }
    }

    #[test]
    fn a_gap_below_zero_is_the_least_way_out(
        [a, b] in flat_pair(), first in pose(0.5), second in pose(0.5),
        ways in proptest::collection::vec(unit(), 100)
    ) {
        let poses = [first, second];
        let Some(near) = nearest(&contacts([&a, &b], poses, 0.1)) else { return Ok(()) };
        // Moved out by the gap along the normal, the bodies touch a plane from both sides; no other direction is shorter.
        let along = separation([&a, &b], &poses, near.normal);
        prop_assert!((near.gap - along).abs() < PREFERENCE, "{} along the normal {along}", near.gap);
        for way in ways {
            prop_assert!(separation([&a, &b], &poses, way) <= near.gap + 1e-6);
        }
    }

    #[test]
    fn normals_are_unit_and_points_lie_on_the_surfaces(
        [a, b] in flat_pair(), first in pose(1.0), second in pose(1.0)
    ) {
        let found = contacts([&a, &b], [first, second], 0.3);
        prop_assert!(nearest(&found).is_none_or(|p| p.gap <= 0.3 + 1e-14));
        for (contact, p) in found {
            prop_assert!((p.normal.length() - 1.0).abs() < 1e-14);
            prop_assert!(p.gap <= THROWN * 0.3 + 1e-14);
            let way = p.on_first - p.on_second;
            prop_assert!((way - p.gap * p.normal).length() < 1e-13);
            let off = [off_surface(&a, &first, p.on_first), off_surface(&b, &second, p.on_second)];
            // The point on the plane of a face may be beside the face if the other body goes in from beside it, deeper.
            prop_assert!(off[0].min(off[1]) < 1e-7, "{off:?} {contact:?}");
        }
    }

    #[test]
    fn exchanged_bodies_have_the_same_gap_and_the_opposite_normal(
        [a, b] in flat_pair(), first in pose(0.9), second in pose(0.9)
    ) {
        let there = nearest(&contacts([&a, &b], [first, second], 0.3));
        let back = nearest(&contacts([&b, &a], [second, first], 0.3));
        prop_assert_eq!(there.is_some(), back.is_some());
        if let (Some(p), Some(q)) = (there, back) {
            prop_assert!((p.gap - q.gap).abs() < 1e-12, "{} {}", p.gap, q.gap);
            prop_assert!((p.normal + q.normal).length() < 1e-9, "{} {}", p.normal, q.normal);
        }
    }

    #[test]
    fn a_common_motion_changes_nothing(
        [a, b] in flat_pair(), first in pose(0.9), second in pose(0.9), motion in pose(3.0)
    ) {
        let here = contacts([&a, &b], [first, second], 0.3);
        let there = contacts([&a, &b], [moved(&motion, &first), moved(&motion, &second)], 0.3);
        let near = [nearest(&here), nearest(&there)];
        prop_assert_eq!(near[0].is_some(), near[1].is_some());
        if let [Some(p), Some(q)] = near {
            prop_assert!((p.gap - q.gap).abs() < 1e-13 * 10.0);
        }
    }
}

#[test]
fn concentric_bodies_have_a_unit_normal() {
    let all = flat_geometries();
    for a in &all {
        for b in &all {
            let near = nearest(&contacts([a, b], [Pose::default(); 2], 0.0)).unwrap();
            assert!((near.normal.length() - 1.0).abs() < 1e-14, "{} {}", a.name(), b.name());
            assert!(near.gap < -0.1 && near.on_first.is_finite() && near.on_second.is_finite());
        }
    }
}

#[test]
fn spheres_have_the_distance_of_their_centres() {
    let ball = Geometry::Sphere { radius: 0.25 };
    let poses = [Pose::at(DVec3::new(3.0, 4.0, 0.0)), Pose::default()];
    let found = contacts([&ball, &ball], poses, 5.0);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1.gap, 4.5);
    assert_eq!(found[0].1.normal, DVec3::new(0.6, 0.8, 0.0));
}
