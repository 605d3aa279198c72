//! The examples of paper 1: friction polygons, redundant contacts and joint coordinates, held against closed forms.

use crate::gallery::near;
use crate::gallery_slack::problems;
use crate::gallery_space::{ARTICULATED, RIGID, Run, event_driven, go, runge_kutta};
use complementarity::{Status, solve_mixed};
use stickslip::contact::solve::{ContactSolver, Formulation, Rho, Settings};
use stickslip::step::Integrator;

#[test]
fn each_direction_of_the_polygon_begins_to_slide_by_itself_and_rho_shows_in_one_saturation_alone() {
    let (dt, f, limit) = (5e-3, 4.0, 0.3 * 9.81);
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let all = problems("polygon_push");
    assert_eq!(all.len(), 400);
    for rho in [0.0, 0.5, 20.0] {
        let (formulation, rho_setting) = (Formulation::PhantomInertia, Rho::Uniform(rho));
        let settings =
            Settings { formulation, directions: 4, rho: rho_setting, ..Settings::default() };
        let solver = ContactSolver::new(settings).unwrap();
        for (t, problem) in all.iter().step_by(3) {
            let (encoding, model) = solver.encoding(problem).unwrap();
            let mixed = encoding.mixed(model.as_ref().unwrap_or(problem)).unwrap();
            let found = solve_mixed(&mixed);
            assert_eq!(found.status, Status::Solved, "rho = {rho}, t = {t}");
            // The unknowns are Λ_N, Λ_T, κ₊ and κ₋, the rows of κ₊ are σ₋.
            for (j, share) in [cos, sin].into_iter().enumerate() {
                let begins = limit / (f * share);
                if (t - begins).abs() < 2.0 * dt {
                    continue;
                }
                let friction = dt * (f * share * (t - 0.5 * dt)).min(limit);
                let slip = 0.5 * f * share * (t - begins).max(0.0).powi(2);
                near(found.z[3 + j], slip, 1e-4);
                near(found.z[5 + j], 0.0, 1e-12);
                // [1] eq. (2) and (3).
                near(found.w[3 + j], dt * limit - friction, 1e-12);
                near(found.w[5 + j], dt * limit + friction + rho * found.z[3 + j], 1e-12);
            }
        }
    }
}

#[test]
fn a_push_that_goes_round_takes_friction_round_its_polygon() {
    let limit = 0.3 * 9.81;
    for (formulation, k) in [
        (Formulation::PhantomInertia, 2),
        (Formulation::PhantomInertia, 4),
        (Formulation::StewartTrinkle, 2),
        (Formulation::StewartTrinkle, 4),
        (Formulation::Cone, 4),
    ] {
        let found = go(("polygon_round", ""), &[], |s| {
            let solve = s.step.solve.as_mut().unwrap();
            (solve.formulation, solve.directions) = (formulation, 2 * k);
            (s.dt, s.sample_dt) = (0.02, 0.02);
        });
        let slips = found.record.samples.iter().zip(&found.record.impulses);
        let slips = slips.filter(|((_, _, u), _)| u[0].hypot(u[1]) > 1e-3);
        let forces: Vec<_> =
            slips.map(|(_, lam)| [1, 2].map(|i| lam[i] / found.sample_dt)).collect();
        assert!(forces.len() > 400, "{formulation} {k}: {}", forces.len());
        let sizes = forces.iter().map(|[t, o]| t.hypot(*o));
        let (least, most) = sizes.fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
        let half = std::f64::consts::FRAC_PI_2 / k as f64;
        match formulation {
            Formulation::PhantomInertia => {
                near(least, limit, 5e-3);
                near(most, limit / half.cos(), 1e-9);
                for [t, o] in &forces {
                    let along = |j: usize| {
                        let (sin, cos) = (2.0 * half * j as f64).sin_cos();
                        (t * cos + o * sin).abs()
                    };
                    near((0..k).map(along).fold(0.0, f64::max), limit, 1e-9);
                }
            }
            Formulation::StewartTrinkle => {
                near(least, limit * half.cos(), 5e-3);
                near(most, limit, 1e-9);
            }
            _ => near(least.max(most), least.min(most), 1e-9),
        }
    }
}

#[test]
fn between_two_directions_inscribed_polygons_go_too_far_and_circumscribed_ones_too_short() {
    let far = |run: &Run| run.end("block.x").hypot(run.end("block.y"));
    let exact = 1.0 / (2.0 * 0.3 * 9.81);
    for k in [2, 4, 8] {
        let degrees = 90.0 / f64::from(k);
        let half = degrees.to_radians();
        for (formulation, share) in [
            (Formulation::StewartTrinkle, 1.0 / half.cos()),
            (Formulation::PhantomInertia, half.cos()),
        ] {
            let found = go(("heading_block", ""), &[("degrees", degrees)], |s| {
                let solve = s.step.solve.as_mut().unwrap();
                (solve.formulation, solve.directions) = (formulation, 2 * k as usize);
                s.dt = 4e-3;
            });
            near(far(&found), share * exact, 2e-5);
            near(found.end("block.y").atan2(found.end("block.x")), half, 1e-6);
        }
    }
}

#[test]
fn the_forces_of_least_norm_and_of_relaxation_follow_the_push() {
    let wanted = |t: f64| {
        let shift = 20.0 * t * 0.1 / (2.0 * 0.3);
        [2.0 * 9.81 / 4.0 - shift, 2.0 * 9.81 / 4.0 + shift, -20.0 * t / 4.0]
    };
    for (model, relaxation, tolerance) in
        [(RIGID, 0.0, 1e-9), (ARTICULATED, 0.0, 1e-9), (RIGID, 1e-3, 1e-3)]
    {
        let found = go(("corner_box", model), &[], |s| {
            let solve = s.step.solve.as_mut().unwrap();
            (solve.relaxation, solve.minimum_norm) = (relaxation, relaxation == 0.0);
        });
        for ((t, _, _), impulses) in found.record.samples.iter().zip(&found.record.impulses).skip(5)
        {
            let [behind, before, friction] = wanted(t - 0.5 * found.sample_dt);
            for (contact, normal) in impulses.chunks(3).zip([behind, before, behind, before]) {
                near(contact[0] / found.sample_dt, normal, tolerance);
                near(contact[1] / found.sample_dt, friction, tolerance);
                near(contact[2] / found.sample_dt, 0.0, tolerance);
            }
        }
        // Relaxation lets the box sink.
        let sunk = 0.05 - found.end("box.z");
        assert!(
            if relaxation == 0.0 { sunk.abs() < 1e-12 } else { (1e-6..1e-5).contains(&sunk) },
            "{sunk}"
        );
    }
}

/// The leg whose foot slides back: angles and their rates, and time.
fn sliding_leg([p, r, dp, dr, t]: [f64; 5]) -> [f64; 5] {
    let (m, l, mu, g) = ([2.0, 1.0], [0.4, 0.5], 0.65, 9.81);
    let (a, b, c) = (
        m[0] * l[0] * l[0] / 3.0 + m[1] * l[0] * l[0],
        m[1] * l[1] * l[1] / 3.0,
        m[1] * l[0] * l[1] / 2.0,
    );
    let (cos, sin) = ((p - r).cos(), (p - r).sin());
    let q = [
        -4.0 * t - (m[0] / 2.0 + m[1]) * g * l[0] * p.sin() - c * sin * dr * dr,
        -m[1] / 2.0 * g * l[1] * r.sin() + c * sin * dp * dp,
    ];
    // What a unit of load, with its friction, adds to the equations; and the height of the foot.
    let load = [l[0] * (mu * p.cos() + p.sin()), l[1] * (mu * r.cos() + r.sin())];
    let up = [l[0] * p.sin(), l[1] * r.sin()];
    let bent = l[0] * p.cos() * dp * dp + l[1] * r.cos() * dr * dr;
    let solve = |x: [f64; 2]| {
        let det = a * b - c * c * cos * cos;
        [(b * x[0] - c * cos * x[1]) / det, (a * x[1] - c * cos * x[0]) / det]
    };
    let (free, by) = (solve(q), solve(load));
    let lambda = -(up[0] * free[0] + up[1] * free[1] + bent) / (up[0] * by[0] + up[1] * by[1]);
    [dp, dr, free[0] + lambda * by[0], free[1] + lambda * by[1], 1.0]
}

#[test]
fn the_leg_in_joint_coordinates_slips_at_its_torque_and_moves_as_its_one_equation_says() {
    let (tan, mu, g) = ((-0.8_f64).tan(), 0.65, 9.81);
    let normal = tan * g / 2.0 / (mu + tan);
    near(normal, 13.3031, 5e-5);
    let begins =
        (0.4 * normal * (mu * 0.6_f64.cos() + 0.6_f64.sin()) - 2.0 * g * 0.4 * 0.6_f64.sin()) / 4.0;
    near(begins, 0.356992, 5e-7);
    let [p, r, _, dr, _] = runge_kutta(sliding_leg, [0.6, -0.8, 0.0, 0.0, begins], 0.6 - begins);
    for (model, integrator, tolerance) in [
        (ARTICULATED, Integrator::EventDriven, 1e-7),
        (RIGID, Integrator::EventDriven, 1e-7),
        (ARTICULATED, Integrator::MoreauMidpoint, 1e-4),
    ] {
        let found = go(("leg", model), &[], |s| s.step.integrator = integrator);
        for (t, [w]) in found.over_time(["shank.wy"]) {
            assert!(t > begins || w.abs() < 1e-9, "{model}: it moves at {t}");
            assert!(t < begins + 2e-3 || w.abs() > 1e-9, "{model}: it rests at {t}");
        }
        near(found.end("shank.x"), 0.4 * p.sin() + 0.25 * r.sin(), tolerance);
        near(found.end("shank.wy"), -dr, 10.0 * tolerance);
    }
    // Before it slips, the force is that of equilibrium.
    let found = go(("leg", ""), &[], event_driven);
    let at = found.record.samples.iter().position(|(t, _, _)| *t > 0.25).unwrap();
    let t = found.record.samples[at].0 - 0.5 * found.sample_dt;
    let torque = -4.0 * t - 2.0 * g * 0.4 * 0.6_f64.sin();
    let (n, f) = (
        found.record.impulses[at][0] / found.sample_dt,
        found.record.impulses[at][1] / found.sample_dt,
    );
    near(torque + 0.4 * (f * 0.6_f64.cos() + n * 0.6_f64.sin()), 0.0, 1e-6);
    near(f, tan * (g / 2.0 - n), 1e-6);
}
