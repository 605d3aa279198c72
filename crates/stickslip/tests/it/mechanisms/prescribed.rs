//! Bodies on tables that move: closed forms in every model and by every method.

use super::AnyModel;
use glam::DVec3;
use std::sync::Arc;
use stickslip::bodies::articulated::{Closure, Tree, TreeJoint};
use stickslip::bodies::forces::{Anchor, Spring};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist};
use stickslip::contact::Law;
use stickslip::step::{self, Integrator};
use stickslip::system::State;

const G: f64 = 9.81;
const MU: f64 = 0.4;
const DT: f64 = 1e-3;

/// A box on three feet on a table that moves.
fn on_table(model: &mut AnyModel, motion: fn(f64) -> (Pose, Twist), start: Twist) -> State {
    model.body(MassProperties::cuboid(2.0, DVec3::new(0.4, 0.3, 0.2)).unwrap());
    model.prescribed(motion);
    for (x, y) in [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.0)] {
        let shapes = (Shape::Point(DVec3::new(x, y, -0.1)), Shape::Plane(DVec3::ZERO, DVec3::Z));
        model.contact(pair(shapes.0, shapes.1).unwrap(), Law::disc(MU));
    }
    model.state(&[(Pose::at(DVec3::Z * 0.1), start)])
}

fn settings(method: Integrator) -> step::Settings {
    step::Settings { integrator: method, ..step::Settings::default() }
}

fn along_x(x: f64, v: f64) -> (Pose, Twist) {
    (Pose::at(DVec3::X * x), Twist { linear: DVec3::X * v, angular: DVec3::ZERO })
}

fn along_z(z: f64, v: f64) -> (Pose, Twist) {
    (Pose::at(DVec3::Z * z), Twist { linear: DVec3::Z * v, angular: DVec3::ZERO })
}

/// By how much a method's tables may be behind: those of the beginning of a step, or of its middle.
fn lag(name: &str) -> f64 {
    let beginning = name.contains("gap_level") || name.contains("paoli_schatzman");
    if beginning { 1.01 * DT } else { 0.51 * DT }
}

/// Every model and method, after a second or less, from rest.
fn every(motion: fn(f64) -> (Pose, Twist), t_end: f64, check: impl Fn(&str, f64, &(Pose, Twist))) {
    from(Twist::default(), motion, t_end, check);
}

fn from(
    start: Twist,
    motion: fn(f64) -> (Pose, Twist),
    t_end: f64,
    check: impl Fn(&str, f64, &(Pose, Twist)),
) {
    for method in Integrator::STEPPING {
        for mut model in AnyModel::all(DVec3::new(0.0, 0.0, -G)) {
            let mut state = on_table(&mut model, motion, start);
            model.march(&mut state, (t_end / DT).round() as usize, DT, settings(method));
            let name = format!("{} {method}", model.name());
            check(&name, state.t, &model.motion(0, &state));
        }
    }
}

#[test]
fn a_box_sticks_to_a_table_that_accelerates_by_less_than_mu_g() {
    const A: f64 = 0.9 * MU * G;
    every(
        |t| along_x(0.5 * A * t * t, A * t),
        0.5,
        |name, t, (pose, twist)| {
            assert!((twist.linear.x - A * t).abs() < A * lag(name), "{name}: {twist:?}");
            let off = (pose.position.x - 0.5 * A * t * t).abs();
            assert!(off < A * t * lag(name), "{name}: {off}");
        },
    );
}

#[test]
fn a_box_slips_on_a_table_that_accelerates_by_more_than_mu_g() {
    const A: f64 = 1.1 * MU * G;
    every(
        |t| along_x(0.5 * A * t * t, A * t),
        0.5,
        |name, t, (pose, twist)| {
            let v = MU * G * t;
            // In the first step the table has not moved, or for half of it.
            let off = (twist.linear.x - v).abs();
            assert!(off < MU * G * lag(name), "{name}: {} {v}", twist.linear.x);
            assert!((pose.position.x - 0.5 * v * t).abs() < v * lag(name), "{name}: {pose:?}");
        },
    );
}

#[test]
fn a_box_put_on_a_conveyor_is_carried_along_after_its_time() {
    const V: f64 = 1.0;
    let until = V / (MU * G);
    every(
        |t| along_x(V * t, V),
        0.2,
        |name, t, (_, twist)| {
            assert!((twist.linear.x - MU * G * t).abs() < 1e-6, "{name} while it slips: {twist:?}");
        },
    );
    every(
        |t| along_x(V * t, V),
        0.4,
        |name, t, (pose, twist)| {
            assert!((twist.linear.x - V).abs() < 1e-6, "{name}: {twist:?}");
            let x = V * (t - 0.5 * until);
            assert!((pose.position.x - x).abs() < V * DT, "{name}: {} {x}", pose.position.x);
        },
    );
}

#[test]
fn a_box_leaves_a_table_that_shakes_by_more_than_g_and_no_other() {
    const W: f64 = 30.0;
    const LESS: f64 = 0.9 * G / (W * W);
    const MORE: f64 = 1.3 * G / (W * W);
    // At the upper turn of the table, a quarter of its period in.
    let turn = 0.5 * std::f64::consts::PI / W;
    let shakes = |t: f64| along_z(LESS * (W * t).sin(), LESS * W * (W * t).cos());
    from(shakes(0.0).1, shakes, 1.5 * turn, |name, t, (pose, _)| {
        let off = pose.position.z - 0.1 - LESS * (W * t).sin();
        // The velocity lags by the acceleration, so the place by the change of the velocity.
        assert!(off.abs() < 2.0 * LESS * W * lag(name), "{name}: {off}");
    });
    let throws = |t: f64| along_z(MORE * (W * t).sin(), MORE * W * (W * t).cos());
    from(throws(0.0).1, throws, 1.5 * turn, |name, t, (pose, _)| {
        // It flies from where the table falls faster: sin ω t₀ = g / (A ω²).
        let away = (1.0_f64 / 1.3).asin() / W;
        let (z, v) = (MORE * (W * away).sin(), MORE * W * (W * away).cos());
        let flight = t - away;
        let expected = 0.1 + z + v * flight - 0.5 * G * flight * flight;
        let bound = 2.0 * MORE * W * lag(name);
        let table = MORE * (W * t).sin();
        assert!(expected > 0.1 + table + bound, "{name}: {expected} is not off the table {table}");
        assert!((pose.position.z - expected).abs() < bound, "{name}: {pose:?} {expected}");
    });
}

#[test]
fn a_spring_on_a_body_that_moves_pulls_from_where_it_is() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let part = model.body(MassProperties::sphere(1.0, 0.1).unwrap());
        model.prescribed(|t| along_x(2.0 + t, 1.0));
        let other = model.part(1);
        let (from, to) = (Anchor::on(part, DVec3::ZERO), Anchor::on(other, DVec3::ZERO));
        model.force(Arc::new(Spring { from, to, stiffness: 4.0, length: 2.0 })).unwrap();
        let mut state = model.state(&[(Pose::default(), Twist::default())]);
        model.march(&mut state, 1000, 1e-3, step::Settings::default());
        // In axes that move along: x = −sin(2 t) / 2.
        let (x, exact) = (model.motion(0, &state).0.position.x, 1.0 - 0.5 * 2.0_f64.sin());
        assert!((x - exact).abs() < 1e-6, "{}: {x} {exact}", model.name());
    }
}

#[test]
fn prescribed_bodies_of_a_tree_carry_no_links_and_close_no_loops() {
    let mut tree = Tree::new(DVec3::ZERO).unwrap();
    let table = tree.prescribed(|t| along_x(t, 1.0)).unwrap();
    let (still, mass) = (Pose::default(), MassProperties::sphere(1.0, 0.1).unwrap());
    let error = tree.link(table, TreeJoint::Revolute, still, still, mass).unwrap_err().to_string();
    assert!(error.contains("the parent of link 2") && error.contains("not prescribed"), "{error}");
    let link = tree.link(Tree::GROUND, TreeJoint::Free, still, still, mass).unwrap();
    let error = tree.close(Closure::Point, (link, still), (table, still)).unwrap_err();
    assert!(error.to_string().contains("a link of loop 0"), "{error}");
}
