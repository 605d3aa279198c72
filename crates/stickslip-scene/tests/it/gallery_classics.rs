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

/// A body that rolls on a plane with an ellipsoid, or with a disc if an axis is 0.
struct Rolling {
    mass: f64,
    inertia: DMat3,
    axes: DVec3,
    centre: DVec3,
    /// Against the angular velocity.
    torque: f64,
}

impl Rolling {
    /// Angular velocity and vertical in the axes of the body after a time, by the equations that the rattleback's scene gives.
    fn after(&self, spin: DVec3, up: DVec3, t_end: f64) -> (DVec3, DVec3) {
        let (squares, m) = (self.axes * self.axes, self.mass);
        let rate = |y: [f64; 6]| {
            let (w, e) = (DVec3::new(y[0], y[1], y[2]), DVec3::new(y[3], y[4], y[5]));
            let (down, size) = (squares * e, (self.axes * e).length());
            let (r, turns) = (self.centre - down / size, e.cross(w));
            let moves = (down * (down.dot(turns) / (size * size)) - squares * turns) / size;
            let about = DMat3::from_diagonal(DVec3::splat(r.dot(r)))
                - DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            let force = m * (G * e - w.cross(moves) - w.cross(w.cross(r)));
            let moment = r.cross(force) - w.cross(self.inertia * w) - self.torque * w.normalize();
            let change = (self.inertia + m * about).inverse() * moment;
            [change.x, change.y, change.z, turns.x, turns.y, turns.z]
        };
        let y = runge_kutta(rate, [spin.x, spin.y, spin.z, up.x, up.y, up.z], t_end);
        (DVec3::new(y[0], y[1], y[2]), DVec3::new(y[3], y[4], y[5]))
    }

    /// Compares the end of a run with the rolling equations, in the units of the angular velocity.
    fn compare(&self, found: &Run, body: &str, tolerance: f64) {
        let seen = |state: &State| {
            let (rotation, angular) = turning(found, state, body);
            (rotation.conjugate() * angular, rotation.conjugate() * DVec3::Z)
        };
        let (spin, up) = seen(&found.scene.start());
        let (wanted_spin, wanted_up) = self.after(spin, up, found.report.state.t);
        let (spin, up) = seen(&found.report.state);
        assert!((spin - wanted_spin).length() <= tolerance, "{spin} {wanted_spin}");
        assert!((up - wanted_up).length() <= tolerance, "{up} {wanted_up}");
    }
}

#[test]
fn eulers_disc_spins_steadily_without_loss_and_lies_down_with_it() {
    let (m, a, alpha, torque) = (0.4, 0.04, 0.1_f64, 2e-3);
    let rate = (4.0 * G / (a * alpha.sin())).sqrt();
    let found = go(("euler_disc", ""), &[("M", 0.0)], |s| s.t_end = 0.2);
    for state in states(&found) {
        let axis = turning(&found, &state, "disc").0 * DVec3::Z;
        let (sin, cos) = (rate * state.t).sin_cos();
        let wanted = DVec3::new(alpha.sin() * cos, alpha.sin() * sin, alpha.cos());
        assert!((axis - wanted).length() < 1e-8, "{axis} {wanted}");
    }
    near(found.report.energy_end.total(), 1.5 * m * G * a * alpha.sin(), 1e-12);
    let found = go(("euler_disc", ""), &[], |s| s.t_end = 1.0);
    let across = m * a * a / 4.0;
    let disc = Rolling {
        mass: m,
        inertia: DMat3::from_diagonal(DVec3::new(across, across, 2.0 * across)),
        axes: DVec3::new(a, a, 0.0),
        centre: DVec3::ZERO,
        torque,
    };
    disc.compare(&found, "disc", 1e-6);
    // About, through steady motions.
    for state in states(&found) {
        let axis = turning(&found, &state, "disc").0 * DVec3::Z;
        let falls = 2.0 / 3.0 * torque / (m * G * a) * (G / a).sqrt() * state.t;
        near(axis.truncate().length(), (alpha.sin().sqrt() - falls).powi(2), 4e-3);
    }
}

#[test]
fn the_rattleback_turns_back_in_one_sense() {
    let inertia = DMat3::from_cols_array(&[2e-4, -2e-5, 0.0, -2e-5, 1.6e-3, 0.0, 0.0, 0.0, 1.7e-3]);
    let stone = Rolling {
        mass: 1.0,
        inertia,
        axes: DVec3::new(0.2, 0.03, 0.02),
        centre: DVec3::new(0.0, 0.0, 0.01),
        torque: 0.0,
    };
    for (spin, tolerance) in [(-5.0, 1e-3), (5.0, 1e-5)] {
        let found = go(("rattleback", ""), &[("w", spin)], |s| s.t_end = 4.0);
        stone.compare(&found, "stone", tolerance);
        let ends = found.end("stone.wz");
        assert!(if spin < 0.0 { ends > 2.0 } else { ends > 4.5 }, "{spin} becomes {ends}");
    }
}

/// The velocities of object ball and cue ball just after the hit and at the end, along and across the line of centres.
fn shot(parameters: &[(&str, f64)], phi: f64) -> [[f64; 2]; 4] {
    let found = go(("billiards", ""), parameters, |_| ());
    let hit = found.record.events.iter().rfind(|e| e.kind == EventKind::Impact).unwrap().t;
    let states = states(&found);
    let after = states.iter().rfind(|s| (s.t - hit).abs() < 1e-12).unwrap();
    let (sin, cos) = phi.sin_cos();
    let velocity = |state: &State, body: &str| {
        let [x, y] = ["vx", "vy"].map(|name| found.value(state, &format!("{body}.{name}")));
        [cos * x + sin * y, cos * y - sin * x]
    };
    let end = &found.report.state;
    [velocity(after, "ball"), velocity(after, "cue"), velocity(end, "ball"), velocity(end, "cue")]
}

#[test]
fn billiard_balls_part_as_the_rules_of_players_say() {
    let (phi, r) = (30.0_f64.to_radians(), 0.028575);
    let v = (4.0 - 2.0 * 0.2 * G * 0.2_f64).sqrt();
    let (sin, cos) = phi.sin_cos();
    let shares = |found: [[f64; 2]; 4], wanted: [[f64; 2]; 2]| {
        for (i, wanted) in wanted.into_iter().enumerate() {
            for (k, wanted) in wanted.into_iter().enumerate() {
                near(found[i][k], wanted * v, 1e-9);
                near(found[2 + i][k], 5.0 / 7.0 * wanted * v, 1e-9);
            }
        }
    };
    // A right angle without friction between the balls; thrown by min(μ, tan φ/7) with it; gearing english throws nothing.
    shares(shot(&[("mu_b", 0.0)], phi), [[cos, 0.0], [0.0, -sin]]);
    shares(shot(&[], phi), [[cos, -0.06 * cos], [0.0, 0.06 * cos - sin]]);
    shares(shot(&[("mu_b", 0.5)], phi), [[cos, -sin / 7.0], [0.0, -6.0 / 7.0 * sin]]);
    let gearing = v * sin / r;
    shares(shot(&[("s", gearing)], phi), [[cos, 0.0], [0.0, -sin]]);
    // Draw, on the line of the shot: the cue ball stops and comes back.
    let [ball, cue, _, back] = shot(&[("phi", 0.0), ("mu_b", 0.0), ("w", 50.0)], 0.0);
    near(ball[0], v, 1e-9);
    near(cue[0], 0.0, 1e-9);
    near(back[0], -2.0 / 7.0 * r * 50.0, 1e-9);
    near(back[1], 0.0, 1e-9);
}

/// Times at which dominoes are hit, by a train of one degree of freedom (van Leeuwen 2010).
fn domino_hits(n: usize) -> Vec<f64> {
    let (m, h, d, s) = (0.01, 0.05_f64, 0.008, 0.02);
    let j = m * (h * h + d * d) / 3.0;
    // The sum of squares of the shares in the motion, and the potential energy, of k dominoes with the front one at an angle.
    let train = |front: f64, k: usize| {
        let (mut angle, mut share, mut squares, mut potential) = (front, 1.0_f64, 0.0, 0.0);
        for _ in 0..k {
            squares += share * share;
            potential += m * G / 2.0 * (h * angle.cos() + d * angle.sin());
            let lean = (((s + d) * angle.cos() - d) / h).asin();
            share *= 1.0 - (s + d) * angle.sin() / (h * lean.cos());
            angle += lean;
        }
        (squares, potential)
    };
    let (strikes, parts) = ((s / h).asin(), 200_usize);
    let (mut t, mut rate, mut hits) = (0.0, 6.0_f64, Vec::new());
    for k in 1..n {
        let (squares, potential) = train(0.0, k);
        let energy = j / 2.0 * squares * rate * rate + potential;
        let at = |angle: f64| {
            let (squares, potential) = train(angle, k);
            (2.0 * (energy - potential) / (j * squares)).sqrt()
        };
        // Simpson's rule for ∫ dθ/θ'.
        let width = strikes / parts as f64;
        for i in 0..=parts {
            let weight = if i == 0 || i == parts { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
            t += weight * width / 3.0 / at(i as f64 * width);
        }
        let squares = train(strikes, k).0;
        rate = at(strikes) * squares / (squares + 1.0);
        hits.push(t);
    }
    hits
}

#[test]
fn dominoes_fall_as_a_train_of_one_degree_of_freedom() {
    let n = 12;
    let found = go_text(("dominoes", gallery_entry("dominoes").unwrap().text), &[], |_| ());
    let wanted = domino_hits(n);
    near(wanted[0], 0.071_683_438_0, 1e-10);
    near(wanted[n - 2], 0.416_443_943_9, 1e-9);
    let events = &found.record.events;
    for (i, wanted) in wanted.iter().enumerate() {
        let first = events.iter().find(|e| e.kind == EventKind::Impact && e.contact == n + i);
        near(first.unwrap().t, *wanted, 1e-9);
    }
    let first = states(&found).into_iter().find(|s| (s.t - wanted[0]).abs() < 1e-9).unwrap();
    near(found.value(&first, "theta1"), 0.4_f64.asin(), 1e-10);
}

#[test]
fn the_slider_comes_to_its_ideal_place_as_the_clearance_goes_to_zero() {
    let (r, l, speed) = (0.05_f64, 0.12_f64, 523.598_775_598_298_9);
    let text = gallery_entry("slider_crank").unwrap().text;
    let faster = [5e-4, 5e-5].map(|clearance| {
        let found = go_text(("slider_crank", text), &[("c", clearance)], |s| s.t_end = 0.024);
        let mut off = 0.0_f64;
        for (t, [x, v]) in found.over_time(["x", "v"]) {
            let (sin, cos) = (speed * t).sin_cos();
            let with = |rod: f64| r * cos + (rod * rod - r * r * sin * sin).sqrt();
            assert!(with(l - clearance) - 1e-12 <= x && x <= with(l + clearance) + 1e-12);
            let root = with(l) - r * cos;
            off = off.max((v + speed * r * sin * (1.0 + r * cos / root)).abs());
        }
        let hits = found.record.events.iter().filter(|e| e.kind == EventKind::Impact);
        assert!(hits.count() > 5);
        off
    });
    // Of its speed, by the square root of the clearance: what an acceleration makes over that way.
    near(faster[0] / faster[1], 10.0_f64.sqrt(), 0.1);
}
