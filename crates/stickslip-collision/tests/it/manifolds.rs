//! Manifolds are complete and do not flicker: the same points with the same identities whatever the last digits of poses are.

use crate::support::*;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use stickslip_collision::{Contact, Geometry, Pose, Proximity};

pub(crate) fn identities(found: &[(Contact, Proximity)]) -> Vec<u64> {
    let mut all: Vec<u64> = found.iter().map(|c| c.0.identity).collect();
    all.sort_unstable();
    assert!(all.windows(2).all(|w| w[0] != w[1]), "identities differ within a manifold");
    all
}

/// Poses changed by `size` in all digits that a solver might change.
pub(crate) fn noise() -> impl Strategy<Value = Vec<f64>> {
    let one = (-16.0..-9.0_f64, -1.0..1.0_f64).prop_map(|(e, x)| x * 10.0_f64.powf(e));
    proptest::collection::vec(one, 12)
}

pub(crate) fn perturbed(poses: [Pose; 2], noise: &[f64]) -> [Pose; 2] {
    std::array::from_fn(|k| {
        let n = &noise[6 * k..6 * k + 6];
        let turn = DQuat::from_scaled_axis(DVec3::new(n[3], n[4], n[5]));
        Pose {
            position: poses[k].position + DVec3::new(n[0], n[1], n[2]),
            rotation: turn * poses[k].rotation,
        }
    })
}

/// Name, geometries, poses, count of points, normal.
type Stack = (&'static str, [Geometry; 2], [Pose; 2], usize, DVec3);

/// Bodies at rest on each other, how many points they have, and the axis of the normal from the second to the first.
fn stacks() -> Vec<Stack> {
    let up = |z: f64| [Pose::at(DVec3::Z * z), Pose::default()];
    let turned = |z: f64, angle: f64, x: f64| {
        let rotation = DQuat::from_rotation_z(angle);
        [Pose { position: DVec3::new(x, 0.0, z), rotation }, Pose::default()]
    };
    let hull = |half: f64| {
        let sign = |bit: usize| if bit == 1 { half } else { -half };
        let points =
            (0..8).map(|k| DVec3::new(sign(k & 1), sign(k >> 1 & 1), sign(k >> 2))).collect();
        Geometry::Hull { points }
    };
    let capsule = Geometry::Capsule { half_length: 0.5, radius: 0.25 };
    let lying = |z: f64| {
        let rotation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        [Pose { position: DVec3::Z * z, rotation }, Pose::default()]
    };
    let beside = [
        Pose { position: DVec3::Z * 0.5, rotation: lying(0.0)[0].rotation },
        Pose { position: DVec3::ZERO, rotation: lying(0.0)[0].rotation },
    ];
    let z = DVec3::Z;
    vec![
        ("box on plane", [cube(0.5), Geometry::HalfSpace], up(0.5), 4, z),
        ("equal cubes", [cube(0.5), cube(0.5)], up(1.0), 4, z),
        ("equal hulls", [hull(0.5), hull(0.5)], up(1.0), 4, z),
        ("hull on box", [hull(0.5), cube(0.5)], up(1.0), 4, z),
        ("small on large", [cube(0.25), cube(0.5)], up(0.75), 4, z),
        ("large on small", [cube(0.5), cube(0.25)], up(0.75), 4, z),
        (
            "turned by 45 degrees",
            [cube(0.5), cube(0.5)],
            turned(1.0, std::f64::consts::FRAC_PI_4, 0.0),
            8,
            z,
        ),
        ("turned by 0.1", [cube(0.5), cube(0.5)], turned(1.0, 0.1, 0.0), 8, z),
        ("overhanging", [cube(0.5), cube(0.5)], turned(1.0, 0.0, 0.3), 4, z),
        ("capsule on plane", [capsule.clone(), Geometry::HalfSpace], lying(0.25), 2, z),
        ("capsule on box", [capsule.clone(), cube(0.75)], lying(1.0), 2, z),
        ("capsule across a narrow box", [capsule.clone(), cube(0.25)], lying(0.5), 2, z),
        ("parallel capsules", [capsule.clone(), capsule.clone()], beside, 2, z),
        ("sphere on box", [Geometry::Sphere { radius: 0.5 }, cube(0.5)], up(1.0), 1, z),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn stacked_bodies_keep_their_points(noise in noise()) {
        for (name, [a, b], poses, count, normal) in stacks() {
            let expected = identities(&contacts([&a, &b], poses, 1e-3));
            let found = contacts([&a, &b], perturbed(poses, &noise), 1e-3);
            prop_assert_eq!(identities(&found), expected, "{}", name);
            prop_assert_eq!(found.len(), count, "{}", name);
            for (_, p) in found {
                prop_assert!(p.gap.abs() < 1e-8 && (p.normal - normal).length() < 1e-8, "{}", name);
            }
        }
    }

    #[test]
    fn stacked_bodies_keep_their_points_wherever_they_are(motion in pose(10.0), noise in noise()) {
        for (name, [a, b], poses, count, _) in stacks() {
            let poses = perturbed(poses.map(|p| moved(&motion, &p)), &noise);
            prop_assert_eq!(contacts([&a, &b], poses, 1e-3).len(), count, "{}", name);
        }
    }
}

#[test]
fn points_are_the_corners_of_the_overlap() {
    let poses = [Pose::at(DVec3::new(0.25, 0.125, 1.0)), Pose::default()];
    let found = contacts([&cube(0.5), &cube(0.5)], poses, 1e-6);
    let mut places: Vec<[f64; 3]> = found.iter().map(|c| c.1.on_second.to_array()).collect();
    places.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let expected = [[-0.25, -0.375, 0.5], [-0.25, 0.5, 0.5], [0.5, -0.375, 0.5], [0.5, 0.5, 0.5]];
    assert_eq!(places, expected);
    assert!(found.iter().all(|c| c.1.gap == 0.0 && c.1.normal == DVec3::Z));
}

#[test]
fn a_tilted_box_keeps_the_corners_within_reach() {
    // One edge is down, the other edge of the bottom is 1e-4 higher and within reach.
    let tilt = DQuat::from_rotation_y(1e-4);
    let poses = [Pose { position: DVec3::Z * 1.000_05, rotation: tilt }, Pose::default()];
    for ground in [cube(0.5), cube(2.0)] {
        let top = if ground == cube(2.0) { 1.5 } else { 0.0 };
        let poses = [shifted(&poses[0], DVec3::Z * top), poses[1]];
        assert_eq!(contacts([&cube(0.5), &ground], poses, 1e-3).len(), 4);
    }
}

#[test]
fn crossed_edges_touch_in_one_point() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let length = 0.5 * 2.0_f64.sqrt();
    let poses = [
        Pose {
            position: DVec3::Z * (2.0 * length + 0.01),
            rotation: DQuat::from_rotation_x(quarter),
        },
        Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_y(quarter) },
    ];
    let found = contacts([&cube(0.5), &cube(0.5)], poses, 0.1);
    assert_eq!(found.len(), 1);
    assert!((found[0].1.gap - 0.01).abs() < 1e-15);
    assert!((found[0].1.normal - DVec3::Z).length() < 1e-15);
}
