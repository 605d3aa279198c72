//! Limit surfaces as contact problems, against what is known of them on paper: the fast part of `limit_surfaces`.

use std::sync::Arc;
use stickslip::contact::set::ConvexSet;
use stickslip::contact::set::UniformDisc;
use stickslip::contact::{Law, Mode};
use stickslip::level::Level;
use stickslip_studies::limit_surfaces::{
    Disc, Ellipsoidal, Patch, Rig, Side, facets, final_ratio, mixed_stops, onset,
    sliding_acceleration,
};
use stickslip_studies::slope;

const AXES: [f64; 3] = [1.0, 0.7, 0.25];

fn crate_box() -> Patch {
    let law = Law::with_set(0.4, ConvexSet::Ellipsoid(AXES.to_vec()));
    Patch { mass: 5.0, inertia: 0.3, middle: [0.1, -0.05], law }
}

/// Loads in every direction of pull and twist.
fn loads() -> impl Iterator<Item = [f64; 3]> {
    (0..7).flat_map(|i| {
        let (twist, pull) = (f64::from(i) * 0.26).sin_cos();
        (0..4).map(move |j| {
            let (y, x) = (f64::from(j) * 1.7).sin_cos();
            [pull * x, pull * y, 0.25 * twist]
        })
    })
}

fn disc(inertia: f64, set: ConvexSet, omega: f64) -> Disc {
    Disc { mass: 1.0, inertia, law: Law::with_set(0.3, set), v: 1.0, omega }
}

fn ellipsoid(spin: f64) -> ConvexSet {
    ConvexSet::Ellipsoid(vec![1.0, 1.0, spin])
}

fn uniform() -> ConvexSet {
    ConvexSet::Custom(Arc::new(UniformDisc::new(1.0).unwrap()))
}

#[test]
fn a_pulled_and_twisted_box_begins_to_slip_on_the_ellipsoid_at_both_levels() {
    let (patch, mut rig) = (crate_box(), Rig::default());
    for load in loads() {
        let exact = onset(AXES, 0.4 * patch.normal_force([0.0, 0.0, 7.0]), load);
        for level in [Level::Acceleration(0.0), Level::Step(1e-3)] {
            let found = rig.onset(&patch, load, 7.0, 3.0 * exact, level).unwrap();
            assert!((found / exact - 1.0).abs() < 1e-7, "{load:?}: {found} for {exact}");
        }
    }
}

#[test]
fn a_box_that_leaves_rest_accelerates_by_the_closed_form() {
    let (patch, mut rig) = (crate_box(), Rig::default());
    for load in loads() {
        let limit = 0.4 * patch.normal_force([0.0; 3]);
        let [t, o, r] = load.map(|l| 1.6 * onset(AXES, limit, load) * l);
        let body = patch.snapshot([t, o, 0.0], r, [0.0; 4]).unwrap();
        let (problem, answer) = rig.solve(&body, &patch.law, Level::Acceleration(0.0)).unwrap();
        assert_eq!(answer.mode(&problem, 0), Mode::Slip);
        let w = problem.delassus().to_dense();
        let w = std::array::from_fn(|i| std::array::from_fn(|j| w.row(1 + i)[1 + j]));
        let b: [f64; 3] = std::array::from_fn(|i| problem.bias()[1 + i]);
        let exact = sliding_acceleration(w, b, AXES, limit);
        let size = exact.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        for i in 0..3 {
            assert!((answer.velocity[1 + i] - exact[i]).abs() < 1e-8 * size, "{load:?}");
        }
    }
}

#[test]
fn sliding_is_a_power_of_spinning_and_both_end_at_once_on_an_ellipsoid() {
    let mut rig = Rig::default();
    for (inertia, spin) in [(0.5, 0.5), (0.5, 1.0), (0.2, 2.0_f64 / 3.0)] {
        let exact = Ellipsoidal { mass: 1.0, inertia, mu: 0.3, slide: 1.0, spin };
        let disc = disc(inertia, ellipsoid(spin), 1.5);
        let motion = disc.slide(&mut rig, 0.02).unwrap();
        let (p, stop) = (exact.exponent(), exact.stop(1.0, 1.5));
        assert!((motion.exponent(0.0) / p - 1.0).abs() < 1e-7, "{} for {p}", motion.exponent(0.0));
        assert!((motion.stops[0] / stop - 1.0).abs() < 1e-7);
        // Neither has ended before the other: at the last sample, which is the end to rounding, both still move.
        let last = motion.samples.last().unwrap();
        assert!(last.v > 0.0 && last.omega > 0.0);
        let stepped = disc.step(&mut rig, 1e-3 * disc.scale()).unwrap();
        // A step divides v by 1 + a and ω by 1 + a/p, whatever a: in the last that moves both are still positive.
        let [moving @ .., after] = &stepped.samples[..] else { panic!("a start at least") };
        for pair in moving.windows(2) {
            let (a, b) = (pair[0].v / pair[1].v - 1.0, pair[0].omega / pair[1].omega - 1.0);
            assert!(a > 0.0 && b > 0.0 && (a / (p * b) - 1.0).abs() < 1e-5, "{pair:?}");
        }
        assert!(after.v < 1e-11 && after.omega.abs() < 1e-11, "{after:?}");
        assert!((stepped.stops[0] / stop - 1.0).abs() < 1e-2, "{} for {stop}", stepped.stops[0]);
        assert!((stepped.exponent(0.1) / p - 1.0).abs() < 1e-2);
    }
}

#[test]
fn sliding_and_spinning_end_at_their_own_times_on_the_mixed_set() {
    let mut rig = Rig::default();
    for omega in [0.5, 1.0, 4.0] {
        let exact = Ellipsoidal { mass: 1.0, inertia: 0.5, mu: 0.3, slide: 1.0, spin: 0.6 };
        let times = mixed_stops(&exact, 1.0, omega);
        let disc = disc(0.5, ConvexSet::Mixed { ellipse: [1.0; 2], spin: 0.6 }, omega);
        let dt = 1e-2 * disc.scale();
        let (steps, events) =
            (disc.step(&mut rig, dt).unwrap(), disc.slide_by_events(&mut rig).unwrap());
        for i in 0..2 {
            assert!((events.stops[i] / times[i] - 1.0).abs() < 1e-9);
            // Both slow down evenly, so that the place within the last step is exact.
            assert!((steps.stops[i] / times[i] - 1.0).abs() < 1e-6, "{steps:?} {times:?}");
        }
    }
}

#[test]
fn where_the_mixed_set_spins_without_sliding_only_steps_know_the_friction() {
    // Spinning, at rest otherwise, under a pull below the limit.
    let law = Law::with_set(0.5, ConvexSet::Mixed { ellipse: [1.0; 2], spin: 0.6 });
    let patch = Patch { mass: 1.0, inertia: 0.5, middle: [0.0; 2], law };
    let body = patch.snapshot([2.0, 0.0, 0.0], 0.0, [0.0, 0.0, 0.0, 3.0]).unwrap();
    let mut rig = Rig::default();
    let (_, step) = rig.solve(&body, &patch.law, Level::Step(1e-3)).unwrap();
    assert!((step.impulse[1] / 1e-3 + 2.0).abs() < 1e-6 && step.velocity[1].abs() < 1e-9);
    // [2] (iv) admits every sideways friction here, and the problem takes none.
    let (_, force) = rig.solve(&body, &patch.law, Level::Acceleration(0.0)).unwrap();
    assert!(force.impulse[1] == 0.0 && (force.velocity[1] - 2.0).abs() < 1e-9);
}

#[test]
fn polyhedra_approach_the_ellipsoid_with_one_over_their_facets() {
    let mut rig = Rig::default();
    for side in [Side::Inside, Side::Outside] {
        let rows: Vec<_> = [32, 128, 512]
            .map(|n| facets(&mut rig, [1.0, 1.0, 0.4], side, n, 40).unwrap())
            .into_iter()
            .collect();
        let order = |f: fn(&_) -> f64| slope(rows.iter().map(|r| (r.count as f64, f(r))));
        let (power, friction) = (order(|r| r.power), order(|r| r.friction));
        assert!((power + 1.0).abs() < 0.2, "{side:?}: {power}");
        assert!((friction + 0.5).abs() < 0.2, "{side:?}: {friction}");
    }
}

#[test]
fn a_disc_under_uniform_pressure_ends_at_its_universal_ratio_and_on_an_ellipsoid_does_not() {
    let (mut rig, exact) = (Rig::default(), final_ratio(0.5));
    for ratio in [0.2, 1.0, 3.0] {
        let motion = disc(0.5, uniform(), 1.0 / ratio).slide(&mut rig, 0.05).unwrap();
        let found = motion.ratio_at(1e-12).unwrap();
        assert!((found - exact).abs() < 1e-4, "{ratio}: {found} for {exact}");
        let motion = disc(0.5, ellipsoid(2.0 / 3.0), 1.0 / ratio).slide(&mut rig, 0.05).unwrap();
        let left = motion.ratio_at(1e-12).unwrap();
        assert!((left / (ratio * 1e-12_f64.powf(0.125)) - 1.0).abs() < 1e-5, "{ratio}: {left}");
    }
}
