//! Free rotation against closed forms, and a box that falls in two body models.

use glam::{DQuat, DVec3};
use stickslip::bodies::SpinUpdate;
use stickslip::bodies::point_masses::DistanceStep;
use stickslip_studies::slope;
use stickslip_studies::tumble::{FreeRotor, Variant, drop_box, edges, jacobi, run_free, taylor};

const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 2.6);

#[test]
fn elliptic_functions_and_taylor_series_agree_on_every_kind_of_free_rotation() {
    let start = DQuat::from_scaled_axis(DVec3::new(0.3, 0.9, -0.4));
    let orders = [MOMENTS, DVec3::new(2.6, 1.0, 2.0), DVec3::new(2.0, 1.0, 2.6)];
    for moments in orders {
        for w in [
            DVec3::new(1.0, 2.0, 3.0),
            DVec3::new(-3.0, 0.5, 0.4),
            DVec3::new(0.2, -0.3, -4.0),
            DVec3::new(0.01, 3.0, -0.01),
            DVec3::new(2.0, -0.01, 0.01),
        ] {
            let rotor = FreeRotor::new(moments, start, w);
            for t in [0.0, 0.7, 5.0] {
                let (r, v) = taylor(moments, start, w, t);
                let off = (rotor.velocity(t) - v).length();
                assert!(off < 2e-12, "{moments} {w} {t}: {off}");
                let turned = rotor.rotation(t).conjugate() * r;
                let off = DVec3::new(turned.x, turned.y, turned.z).length();
                assert!(off < 2e-12, "{moments} {w} {t}: {off}");
            }
        }
    }
}

#[test]
fn jacobi_functions_have_their_known_values() {
    // sn(u, 0) = sin u, sn(u, 1) = tanh u, and sn(K/2) = 1/√(1 + k') at k² = ½.
    for u in [0.1, 0.9, 2.5] {
        let [sn, cn, dn] = jacobi(u, 0.0, 1.0);
        assert!((sn - u.sin()).abs() < 1e-15 && (cn - u.cos()).abs() < 1e-15 && dn == 1.0);
        let [sn, ..] = jacobi(u, 1.0 - 1e-15, 1e-15);
        assert!((sn - u.tanh()).abs() < 1e-12, "{sn}");
    }
    let quarter = 1.854_074_677_301_371_9;
    let [sn, ..] = jacobi(0.5 * quarter, 0.5, 0.5);
    assert!((sn - (1.0 + 0.5_f64.sqrt()).sqrt().recip()).abs() < 1e-15, "{sn}");
}

#[test]
fn every_model_has_its_order_in_free_rotation() {
    for model in Variant::ALL {
        let errors = |steps| {
            run_free(model, MOMENTS, DVec3::new(1.0, 2.0, 1.5), 1.0, steps).unwrap().unwrap()
        };
        let sizes = [512, 1024, 2048];
        let order = slope(sizes.map(|n| (1.0 / n as f64, errors(n).rotation)).into_iter());
        let first = matches!(
            model,
            Variant::Rigid(SpinUpdate::SemiImplicit) | Variant::Masses(DistanceStep::AsPrinted, _)
        );
        let expected = if first { 1.0 } else { 2.0 };
        assert!((order - expected).abs() < 0.15, "{}: {order}", model.name());
    }
}

#[test]
fn the_printed_step_is_worse_than_newton_euler_and_the_others_are_far_better() {
    // The general tumble of the book, at one of its steps.
    let e = edges() * edges() / 12.0;
    let moments = DVec3::new(e.y + e.z, e.x + e.z, e.x + e.y);
    let error = |model| {
        run_free(model, moments, DVec3::new(3.0, 2.0, 4.0), 4.0, 8192).unwrap().unwrap().rotation
    };
    let base = error(Variant::Rigid(SpinUpdate::SemiImplicit));
    assert!(error(Variant::Masses(DistanceStep::AsPrinted, false)) > 5.0 * base);
    for step in [DistanceStep::Half, DistanceStep::Shake] {
        assert!(error(Variant::Masses(step, true)) < 0.01 * base, "{step}");
    }
}

/// Both models of the falling box.
const BOTH: [Variant; 2] =
    [Variant::Rigid(SpinUpdate::ImplicitMidpoint), Variant::Masses(DistanceStep::Shake, true)];

#[test]
fn a_frictionless_box_ends_flat_with_the_spin_of_its_momentum_in_both_models() {
    // v² ≤ 2 E W of a corner: 2.1 J/kg above the box at rest, and m W = 1 + 0.125²/0.00604 + 0.2²/0.01417.
    let speed = (2.0 * 2.1 * 6.4_f64).sqrt();
    for model in BOTH {
        let lost = [1e-3, 5e-4, 2.5e-4].map(|dt| {
            let end = drop_box(model, 0.0, 0.8, dt, 1.0).unwrap();
            assert!(end.worst < 1e-9);
            // It lies as flat as the overlaps allow that impacts leave, and these are at most a step at their speed.
            let up = end.pose.rotation * DVec3::Z;
            let tilt = up.x.hypot(up.y);
            assert!(tilt * edges().y <= 2.0 * end.overlap, "{tilt} {}", end.overlap);
            assert!(end.overlap < speed * dt, "{}", end.overlap);
            (dt, (end.twist.angular.z / end.expected_spin - 1.0).abs())
        });
        assert!(lost[2].1 < 5e-4, "{lost:?}");
        assert!(slope(lost.into_iter()) > 0.9, "{lost:?}");
    }
}

#[test]
fn both_models_of_a_box_on_its_corner_have_the_same_limit_with_order_one() {
    for mu in [0.0, 0.3] {
        let end = |model, dt, shift| drop_box(model, mu, 0.2, dt, shift).unwrap();
        let exact = end(BOTH[0], 1e-5, 1.0).pose.position;
        for model in BOTH {
            // Where the impact falls into a step decides the error of a single run.
            let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(|dt| {
                let off = |k: i32| {
                    (end(model, dt, f64::from(k) / 6.0).pose.position - exact).length_squared()
                };
                (dt, ((1..=6).map(off).sum::<f64>() / 6.0).sqrt())
            });
            let order = slope(errors.into_iter());
            assert!((order - 1.0).abs() < 0.25, "μ = {mu}, {}: {order} {errors:?}", model.name());
        }
    }
}
