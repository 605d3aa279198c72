//! Cylinders and cones: standing, lying, rolling, and at random poses.

use crate::manifolds::{identities, noise, perturbed};
use crate::support::*;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use stickslip_collision::{Geometry, Pose};

fn cylinder(half_height: f64, radius: f64) -> Geometry {
    Geometry::Cylinder { half_height, radius }
}

fn cone(half_height: f64, radius: f64) -> Geometry {
    Geometry::Cone { half_height, radius }
}

fn others() -> Vec<Geometry> {
    vec![
        Geometry::Sphere { radius: 0.4 },
        Geometry::Capsule { half_length: 0.5, radius: 0.3 },
        slab(0.5, 0.3, 0.6),
        cylinder(0.5, 0.3),
        cone(0.4, 0.5),
        cylinder(0.1, 0.6),
    ]
}

fn pair() -> impl Strategy<Value = [Geometry; 2]> {
    (3..6_usize, 0..6_usize, any::<bool>()).prop_map(|(i, j, swap)| {
        let all = others();
        let pair = [all[i].clone(), all[j].clone()];
        if swap { [pair[1].clone(), pair[0].clone()] } else { pair }
    })
}

/// What the iterative method leaves of a gap.
const ITERATED: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_nearest_contact_is_the_distance(
        [a, b] in pair(), first in pose(1.5), second in pose(1.5)
    ) {
        let poses = [first, second];
        let found = contacts([&a, &b], poses, 0.6);
        let expected = distance([&a, &b], &poses);
        if expected > 0.6 + 1e-5 {
            prop_assert!(found.is_empty());
        } else if expected < 0.6 - 1e-5 {
            let near = nearest(&found).expect("a contact within reach");
            prop_assert!((near.gap.max(0.0) - expected).abs() < 1e-4, "{} is not {expected}", near.gap);
            prop_assert!(((near.on_first - near.on_second).length() - near.gap.abs()).abs() < 1e-9);
            let along = separation([&a, &b], &poses, near.normal);
            prop_assert!((near.gap - along).abs() < ITERATED, "{} along the normal {along}", near.gap);
        }
    }

    #[test]
    fn a_gap_below_zero_leads_out(
        [a, b] in pair(), first in pose(0.5), second in pose(0.5),
        ways in proptest::collection::vec(unit(), 40)
    ) {
        let poses = [first, second];
        let Some(near) = nearest(&contacts([&a, &b], poses, 0.1)) else { return Ok(()) };
        if near.gap > -1e-3 {
            return Ok(());
        }
        let along = separation([&a, &b], &poses, near.normal);
        prop_assert!((near.gap - along).abs() < ITERATED, "{} along the normal {along}", near.gap);
        // The least way out of a deep overlap is not found exactly, but no other direction is much better.
        for way in ways {
            prop_assert!(separation([&a, &b], &poses, way) < 0.8 * near.gap);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn standing_and_lying_bodies_keep_their_points(noise in noise()) {
        let up = |z: f64| [Pose::at(DVec3::Z * z), Pose::default()];
        let quarter = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let lying = |z: f64| [Pose { position: DVec3::Z * z, rotation: quarter }, Pose::default()];
        let beside = [
            Pose { position: DVec3::Z, rotation: quarter },
            Pose { position: DVec3::ZERO, rotation: quarter },
        ];
        // A cone on its side: the side is level when the axis is turned by the half angle.
        let half_angle = (0.5_f64 / 1.0).atan();
        let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2 + half_angle);
        let height = 0.5 * half_angle.sin();
        let cases = vec![
            ("cylinder on plane", [cylinder(0.5, 0.5), Geometry::HalfSpace], up(0.5), 4),
            ("lying cylinder on plane", [cylinder(0.5, 0.5), Geometry::HalfSpace], lying(0.5), 2),
            ("cylinder on box", [cylinder(0.5, 0.25), cube(0.5)], up(1.0), 4),
            ("box on cylinder", [cube(0.25), cylinder(0.5, 0.5)], up(0.75), 4),
            ("cylinder over a narrow box", [cylinder(0.5, 1.0), cube(0.5)], up(1.0), 4),
            ("lying cylinder on box", [cylinder(0.25, 0.25), cube(0.5)], lying(0.75), 2),
            ("lying cylinder across a narrow box", [cylinder(1.0, 0.25), cube(0.5)], lying(0.75), 2),
            ("equal cylinders", [cylinder(0.5, 0.5), cylinder(0.5, 0.5)], up(1.0), 4),
            ("small on large cylinder", [cylinder(0.5, 0.25), cylinder(0.5, 0.5)], up(1.0), 4),
            ("parallel cylinders", [cylinder(0.5, 0.5), cylinder(0.5, 0.5)], beside, 2),
            ("cone on plane", [cone(0.5, 0.5), Geometry::HalfSpace], up(0.5), 4),
            ("cone on box", [cone(0.5, 0.25), cube(0.5)], up(1.0), 4),
            (
                "cone on its side on a plane",
                [cone(0.5, 0.5), Geometry::HalfSpace],
                [Pose { position: DVec3::Z * height, rotation: turn }, Pose::default()],
                2,
            ),
        ];
        for (name, [a, b], poses, count) in cases {
            let expected = identities(&contacts([&a, &b], poses, 1e-3));
            let found = contacts([&a, &b], perturbed(poses, &noise), 1e-3);
            prop_assert_eq!(identities(&found), expected, "{}", name);
            prop_assert_eq!(found.len(), count, "{}", name);
            for (_, p) in found {
                prop_assert!(p.gap.abs() < 1e-8 && (p.normal - DVec3::Z).length() < 1e-8, "{}", name);
            }
        }
    }
}

#[test]
fn a_tilted_disc_rolls_on_its_lowest_point() {
    let disc = cylinder(0.01, 0.5);
    let tilt = 0.3_f64;
    for k in 0..40 {
        let angle = 0.1 + 0.37 * f64::from(k);
        let rotation = DQuat::from_rotation_z(0.7)
            * DQuat::from_rotation_x(tilt)
            * DQuat::from_rotation_z(angle);
        let z = 0.01 * tilt.cos() + 0.5 * tilt.sin();
        let poses = [Pose { position: DVec3::Z * z, rotation }, Pose::default()];
        let found = contacts([&disc, &Geometry::HalfSpace], poses, 1e-4);
        assert_eq!(found.len(), 1);
        assert!(found[0].1.gap.abs() < 1e-15);
        // The same point of space, whatever the spin.
        let lowest = DQuat::from_rotation_z(0.7)
            * DVec3::new(0.0, -0.5 * tilt.cos() + 0.01 * tilt.sin(), 0.0);
        assert!((found[0].1.on_first - lowest).length() < 1e-14);
    }
}
