//! Classical toys and mechanisms of the gallery, held against closed forms and independent integration.

use crate::gallery::near;
use crate::gallery_space::{Run, event_driven, go, go_text, runge_kutta};
use glam::{DMat3, DQuat, DVec3};
use stickslip::run::EventKind;
use stickslip::system::State;
use stickslip_scene::gallery_entry;

const G: f64 = 9.81;

/// The rotation and the angular velocity of a body.
fn turning(found: &Run, state: &State, body: &str) -> (DQuat, DVec3) {
    let value = |name: &str| found.value(state, &format!("{body}.{name}"));
    let rotation = DQuat::from_array(["qx", "qy", "qz", "qw"].map(value));
    (rotation, DVec3::from_array(["wx", "wy", "wz"].map(value)))
}

/// The states at the samples.
fn states(found: &Run) -> Vec<State> {
    let state = |(t, q, u): &(f64, Vec<f64>, Vec<f64>)| State { t: *t, q: q.clone(), u: u.clone() };
    found.record.samples.iter().map(state).collect()
}

/// Cosine of the lean, and Jellett's integral L · (r_1 e_z − a_1 e_3).
fn tippe_top(found: &Run, state: &State) -> (f64, f64) {
    let (rotation, angular) = turning(found, state, "top");
    let axis = rotation * DVec3::Z;
    let momentum = 8e-7 * angular + (7e-7 - 8e-7) * angular.dot(axis) * axis;
    (axis.z, momentum.dot(0.015 * DVec3::Z - 0.003 * axis))
}

#[test]
fn the_tippe_top_turns_over_onto_its_stem() {
    let found = go(("tippe_top", ""), &[], |s| s.sample_dt = s.dt);
    let hits = found.record.events.iter().filter(|e| e.kind == EventKind::Impact);
    let stem = hits.map(|e| e.t).find(|&t| t > 0.1).unwrap();
    assert!((1.0..1.6).contains(&stem), "{stem}");
    let (states, impulses) = (states(&found), &found.record.impulses);
    let start = tippe_top(&found, &states[0]).1;
    let (mut drilled, mut last) = (0.0, 0.1_f64.cos());
    for (state, impulse) in states.iter().zip(impulses) {
        let (upright, jellett) = tippe_top(&found, state);
        if state.t < stem - 1e-9 {
            // The torque about the normal alone changes it.
            drilled += impulse[3] * (0.015 - 0.003 * 0.5 * (upright + last));
            near((jellett - start - drilled) / start, 0.0, 1e-4);
            assert!(upright > -10.0 / 13.0);
        } else if state.t < stem + 1e-9 {
            near(upright, -10.0 / 13.0, 1e-3);
        }
        if state.t > stem + 0.2 {
            assert!(upright < -0.95, "it is not on its stem at {}: {upright}", state.t);
        }
        last = upright;
    }
    near(found.end("top.z"), 0.021, 2e-4);
}

#[test]
fn the_tippe_top_keeps_jelletts_integral_with_friction_at_a_point() {
    let text = gallery_entry("tippe_top").unwrap().text;
    let text = text.replace("{ ellipsoid = [1, 1, \"e\"] }", "\"disc\"");
    for (integrate, tolerance) in [(None, 1e-5), (Some(event_driven), 1e-9)] {
        let found = go_text(("tippe_top", &text), &[("theta", 0.5), ("mu", 0.05)], |s| {
            s.t_end = 0.2;
            if let Some(change) = integrate {
                change(s);
            }
        });
        let states = states(&found);
        let start = tippe_top(&found, &states[0]).1;
        for state in &states {
            near(tippe_top(&found, state).1 / start, 1.0, tolerance);
        }
    }
}
