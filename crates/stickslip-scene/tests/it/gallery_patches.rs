//! The examples of paper 2: contacts over areas, held against closed forms.

use crate::gallery::near;
use crate::gallery_space::{event_driven, go};
use stickslip::run::EventKind;

/// The time at which a velocity vanishes, from its samples while it is above a share of the first: they are on a straight line.
fn stops(all: &[(f64, f64)]) -> f64 {
    let moves: Vec<_> = all.iter().filter(|(_, v)| *v > 0.1 * all[0].1).collect();
    let (first, last) = (moves[moves.len() / 2], moves[moves.len() - 1]);
    last.0 + last.1 * (last.0 - first.0) / (first.1 - last.1)
}

#[test]
fn on_the_mixed_set_sliding_and_spinning_end_each_at_its_time() {
    let found = go(("mixed_disc", ""), &[], |s| (s.dt, s.sample_dt) = (4e-3, 4e-3));
    let of = |name: &str| -> Vec<(f64, f64)> {
        found.over_time([name]).into_iter().map(|(t, [x])| (t, x)).collect()
    };
    near(stops(&of("disc.vx")), 1.0 / (0.3 * 9.81), 1e-9);
    near(stops(&of("disc.wz")), 0.005 * 20.0 / (0.3 * 9.81 * 0.05), 1e-9);
    near(found.end("disc.vx").hypot(found.end("disc.wz")), 0.0, 1e-9);
}

#[test]
fn on_the_octahedron_the_disc_ends_at_the_ratio_of_its_half_axes() {
    let mu_g = 0.3 * 9.81;
    for w_0 in [10.0, 60.0] {
        let found = go(("polyhedron_disc", ""), &[("w_0", w_0)], |s| {
            (s.dt, s.sample_dt, s.t_end) = (2e-3, 2e-3, 2.5);
        });
        // A force alone, or a moment alone, until e_t v = e_r ω; then both keep that ratio.
        let (v_1, begins) = if 0.05 * w_0 < 1.0 {
            (0.05 * w_0, (1.0 - 0.05 * w_0) / mu_g)
        } else {
            (1.0, (w_0 - 20.0) * 0.005 / (mu_g * 0.05))
        };
        let ends = begins + 3.0 * v_1 / mu_g;
        for (t, [v, w]) in found.over_time(["disc.vx", "disc.wz"]) {
            if t > begins + 4e-3 {
                near(v, 0.05 * w, 1e-8);
                near(v, (mu_g / 3.0 * (ends - t)).max(0.0), 6e-3);
            }
        }
        near(found.end("disc.wz"), 0.0, 1e-9);
    }
}

#[test]
fn the_part_turns_as_quasi_static_pushing_says() {
    let (x, y, c, v) = (0.02_f64, -0.05, 0.05, 0.01);
    let r = x.hypot(y);
    let k = v * r / (c * c + r * r);
    let psi = std::f64::consts::FRAC_PI_2 - y.atan2(x);
    let turned = |t: f64| psi - 2.0 * ((0.5 * psi).tan() * (-k * t).exp()).atan();
    near(turned(10.0), 0.581768, 5e-7);
    let off = |slow: f64, dt: f64| {
        let found = go(("pushed_part", ""), &[("v", v / slow)], |s| {
            (s.dt, s.t_end) = (slow * dt, slow * 10.0);
        });
        let angle = 2.0 * found.end("part.qz").atan2(found.end("part.qw"));
        angle - turned(found.report.state.t / slow)
    };
    near(off(1.0, 1e-2), 0.0, 1e-3);
    // What is left with small steps is inertia, which goes with the square of the speed.
    for (slow, left) in [(1.0, -1.56e-4), (10.0, -1.5e-6)] {
        let (coarse, fine) = (off(slow, 1e-2), off(slow, 5e-3));
        near(2.0 * fine - coarse, left, 1e-5 / slow);
    }
}

#[test]
fn the_follower_moves_with_the_cam_and_leaves_it_above_the_speed() {
    let (e, g) = (0.1, 9.81);
    let found = go(("cam_follower", ""), &[], |_| ());
    for ((t, q), impulses) in
        found.over_time(["follower.z"]).iter().zip(&found.record.impulses).skip(3)
    {
        near(q[0], 0.2 - e * (8.0 * t).cos(), 2e-6);
        let force = impulses[0] / found.sample_dt;
        near(force, g + e * 64.0 * (8.0 * (t - 0.5 * found.sample_dt)).cos(), 1e-3);
        near(impulses[1].hypot(impulses[2]) / found.sample_dt, 0.2 * force, 1e-9);
    }
    let leaves = (-g / (e * 144.0)).acos() / 12.0;
    near(leaves, 0.193355, 5e-7);
    let found = go(("cam_follower", ""), &[("w", 12.0)], |s| {
        event_driven(s);
        s.t_end = 0.4;
    });
    let opens = found.record.events.iter().find(|e| e.kind == EventKind::Opens).unwrap();
    near(opens.t, leaves, 1e-9);
    // However long the steps before: the guide takes up the moment of the contact, of which rounding is all that is left.
    let long = go(("cam_follower", ""), &[("w", 12.0)], event_driven);
    let opens = long.record.events.iter().find(|e| e.kind == EventKind::Opens).unwrap();
    near(opens.t, leaves, 1e-9);
    // Then it is thrown up.
    let (z, v) = (0.2 - e * (12.0 * leaves).cos(), e * 12.0 * (12.0 * leaves).sin());
    let t = 0.4 - leaves;
    near(found.end("follower.z"), z + v * t - 0.5 * g * t * t, 1e-9);
}

#[test]
fn four_patches_brake_the_spin_of_a_box_with_force_and_moment() {
    let torque = 0.3 * 9.81 * (0.15_f64.powi(2) + 0.1_f64.powi(2) + 0.05_f64.powi(2)).sqrt();
    let wanted = 10.0 * (0.09 + 0.04) / 12.0 / torque;
    near(wanted, 0.196760, 5e-7);
    let found = go(("patch_box", ""), &[], |s| (s.dt, s.sample_dt) = (2e-3, 2e-3));
    let spin: Vec<_> = found.over_time(["box.wz"]).into_iter().map(|(t, [w])| (t, w)).collect();
    near(stops(&spin), wanted, 1e-5);
    near(found.end("box.wz"), 0.0, 1e-9);
    // Without spin it slides as a block.
    let found = go(("patch_box", ""), &[("w_0", 0.0), ("v_0", 0.5)], |s| {
        (s.dt, s.sample_dt) = (2e-3, 2e-3)
    });
    let slide: Vec<_> = found.over_time(["box.vx"]).into_iter().map(|(t, [v])| (t, v)).collect();
    near(stops(&slide), 0.5 / (0.3 * 9.81), 1e-9);
}

#[test]
fn a_patch_slips_where_its_load_reaches_the_limit_surface() {
    let limit = 0.3 * 9.81;
    let [p_t, p_o, p_r] = [2.0_f64 / 1.0, 1.0 / 0.7, 0.08 / 0.05];
    let octahedron = format!(
        "friction = {{ polyhedron = [{}] }}",
        [1.0, -1.0]
            .iter()
            .flat_map(|a| [1.0, -1.0].map(|b| [1.0, -1.0]
                .map(|c| format!("[{a}, {}, {}]", b / 0.7, c / 0.05))
                .join(", ")))
            .collect::<Vec<_>>()
            .join(", ")
    );
    for (friction, size, shown) in [
        ("", (p_t * p_t + p_o * p_o + p_r * p_r).sqrt(), 1.003507),
        (
            "friction = { mixed = { ellipse = [\"e_t\", \"e_o\"], spin = \"e_r\" } }",
            p_t.hypot(p_o).max(p_r),
            1.197409,
        ),
        (&octahedron, p_t + p_o + p_r, 0.585256),
    ] {
        let wanted = limit / size;
        near(wanted, shown, 5e-7);
        let found = go(("patch_onset", friction), &[], |_| ());
        let all = found.over_time(["part.vx", "part.vy", "part.wz"]);
        let moves = all.iter().find(|(_, v)| v.iter().any(|x| x.abs() > 1e-9)).unwrap();
        assert!((wanted..wanted + 2.1e-3).contains(&moves.0), "{friction}: {} {wanted}", moves.0);
    }
}
