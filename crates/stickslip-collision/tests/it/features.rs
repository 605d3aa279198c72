//! Features at other poses: gaps follow the motion, and rates are the derivatives.

use crate::support::*;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use stickslip_collision::{Geometry, Pose};

fn advanced(pose: &Pose, linear: DVec3, angular: DVec3, t: f64) -> Pose {
    Pose {
        position: pose.position + t * linear,
        rotation: DQuat::from_scaled_axis(t * angular) * pose.rotation,
    }
}

fn shapes() -> Vec<Geometry> {
    vec![
        Geometry::Sphere { radius: 0.4 },
        Geometry::Capsule { half_length: 0.5, radius: 0.3 },
        slab(0.5, 0.3, 0.6),
        Geometry::Cylinder { half_height: 0.4, radius: 0.5 },
        Geometry::Cone { half_height: 0.4, radius: 0.5 },
        Geometry::HalfSpace,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rates_are_the_derivatives_of_the_same_features(
        i in 0..5_usize, j in 0..6_usize, first in pose(1.0), second in pose(1.0),
        velocities in proptest::collection::vec(unit(), 4)
    ) {
        let all = shapes();
        let [v, w, s, t] = [velocities[0], velocities[1], velocities[2], velocities[3]];
        for (contact, p) in contacts([&all[i], &all[j]], [first, second], 0.4) {
            // Near coinciding points the normal turns too fast for differences.
            if p.gap.abs() < 0.02 {
                continue;
            }
            let rate = contact.feature.rate((&first, v, w), (&second, s, t));
            let h = 1e-5;
            let at = |h: f64| {
                contact.feature.proximity(&advanced(&first, v, w, h), &advanced(&second, s, t, h))
            };
            let (after, before) = (at(h), at(-h));
            let tolerance = 1e-4 * (1.0 + rate.normal.length_squared());
            prop_assert!(((after.gap - before.gap) / (2.0 * h) - rate.gap).abs() < tolerance);
            for (a, b, r) in [
                (after.on_first, before.on_first, rate.on_first),
                (after.on_second, before.on_second, rate.on_second),
                (after.normal, before.normal, rate.normal),
            ] {
                let scale = 1.0 + r.length();
                prop_assert!(((a - b) / (2.0 * h) - r).length() < tolerance * scale * scale, "{:?}", contact.feature);
            }
        }
    }

    #[test]
    fn a_shift_along_the_normal_is_the_change_of_the_gap(
        i in 0..5_usize, j in 0..6_usize, first in pose(1.0), second in pose(1.0), by in 0.0..0.1_f64
    ) {
        let all = shapes();
        for (contact, p) in contacts([&all[i], &all[j]], [first, second], 0.4) {
            let next = contact.feature.proximity(&shifted(&first, by * p.normal), &second);
            prop_assert!((next.gap - p.gap - by).abs() < 1e-14);
            prop_assert!((next.normal - p.normal).length() < 1e-13 / p.gap.abs().min(1.0));
        }
    }
}
