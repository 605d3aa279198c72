//! Free rotation: what each update keeps, and its order.

use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use stickslip::bodies::{MassProperties, Pose, SpinUpdate, Twist, World};
use stickslip::model::Model;
use stickslip::step::{Integrator, Settings, Stepper};

fn body() -> MassProperties {
    MassProperties::new(1.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5))).unwrap()
}

/// Rotation and angular velocity after `steps` steps.
fn spin(
    update: SpinUpdate,
    body: &MassProperties,
    torque: DVec3,
    start: (DQuat, DVec3),
    t: f64,
    steps: usize,
) -> (DQuat, DVec3) {
    let (mut r, mut w) = start;
    let dt = t / steps as f64;
    for _ in 0..steps {
        let after = update.free(body, r, w, torque, dt).unwrap();
        r = update.turn(body, r, w, after, dt);
        w = after;
    }
    (r, w)
}

fn momentum(body: &MassProperties, r: DQuat, w: DVec3) -> DVec3 {
    r * (body.inertia() * (r.conjugate() * w))
}

#[test]
fn energy_and_momentum_of_free_rotation_are_kept_to_rounding_over_many_steps() {
    let start = (DQuat::from_scaled_axis(DVec3::new(0.2, 0.1, 0.5)), DVec3::new(0.1, 3.0, 0.2));
    let l = momentum(&body(), start.0, start.1);
    let energy = 0.5 * start.1.dot(l);
    for update in [SpinUpdate::ImplicitMidpoint, SpinUpdate::Variational] {
        // A drift of ε per step would be 1.4e-11.
        let (r, w) = spin(update, &body(), DVec3::ZERO, start, 64.0, 64_000);
        let now = momentum(&body(), r, w);
        let lost = (0.5 * w.dot(now) / energy - 1.0).abs();
        assert!(lost < 5e-13, "{update}: {lost}");
        assert!((now.length() / l.length() - 1.0).abs() < 5e-13, "{update}");
        if update == SpinUpdate::Variational {
            let turned = (now - l).length() / l.length();
            assert!(turned < 5e-13, "{turned}");
        }
    }
}

#[test]
fn the_order_is_one_or_two_with_and_without_torque() {
    let start = (DQuat::IDENTITY, DVec3::new(1.0, 2.0, -1.5));
    for torque in [DVec3::ZERO, DVec3::new(0.5, -0.3, 0.8)] {
        let (exact, _) = spin(SpinUpdate::Variational, &body(), torque, start, 1.0, 1 << 16);
        for update in SpinUpdate::ALL {
            let error = |steps| {
                let (r, _) = spin(update, &body(), torque, start, 1.0, steps);
                let off = exact.conjugate() * r;
                DVec3::new(off.x, off.y, off.z).length()
            };
            let order = (error(256) / error(512)).log2();
            let expected = if update == SpinUpdate::SemiImplicit { 1.0 } else { 2.0 };
            assert!((order - expected).abs() < 0.05, "{update}: {order}");
        }
    }
}

#[test]
fn a_body_that_turns_by_a_radian_in_a_step_keeps_momentum_and_energy() {
    let start = (DQuat::IDENTITY, DVec3::new(0.3, 0.95, 0.1));
    let (r, w) = spin(SpinUpdate::ImplicitMidpoint, &body(), DVec3::ZERO, start, 10_000.0, 10_000);
    let (a, b) = (momentum(&body(), start.0, start.1), momentum(&body(), r, w));
    assert!((a - b).length() < 1e-11 * a.length(), "{a} {b}");
    let energy = |r: DQuat, w: DVec3| w.dot(momentum(&body(), r, w));
    assert!((energy(r, w) / energy(start.0, start.1) - 1.0).abs() < 1e-11);
}

/// The same in a world, which the θ-method and the one of gaps turn by themselves.
#[test]
fn every_integrator_keeps_the_momentum_and_energy_of_a_body_that_turns_by_a_radian_in_a_step() {
    for integrator in Integrator::STEPPING {
        let mut world = World::new(DVec3::ZERO).unwrap();
        world.body(body());
        let (linear, angular) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.95, 0.1));
        let mut state = world.state(&[(Pose::default(), Twist { linear, angular })]).unwrap();
        let energy = |q: &[f64], u: &[f64]| world.energy(q, u, 0.0).total();
        let before = (world.momentum(&state), energy(&state.q, &state.u));
        let settings = Settings { integrator, ..Settings::default() };
        let mut stepper = Stepper::new(&world, settings).unwrap();
        for _ in 0..10_000 {
            stepper.step(&world, &mut state, 1.0, &mut ()).unwrap().done().unwrap();
        }
        let after = (world.momentum(&state), energy(&state.q, &state.u));
        let (l, turned) = (before.0.1, after.0.1 - before.0.1);
        assert!(turned.length() < 1e-11 * l.length(), "{integrator}: {l} changes by {turned}");
        assert!((after.1 / before.1 - 1.0).abs() < 1e-11, "{integrator}: {before:?} {after:?}");
    }
}

#[test]
fn a_torque_about_a_principal_axis_turns_as_on_paper() {
    // ω = ω₀ + τ t / I and the angle ω₀ t + τ t² / 2 I, both exact for constant torque.
    let start = (DQuat::IDENTITY, DVec3::new(0.0, 0.0, 0.7));
    let torque = DVec3::new(0.0, 0.0, 0.5);
    for update in [SpinUpdate::ImplicitMidpoint, SpinUpdate::Variational] {
        let (r, w) = spin(update, &body(), torque, start, 1.0, 1000);
        assert!((w - DVec3::new(0.0, 0.0, 0.9)).length() < 1e-12, "{update}: {w}");
        let angle = 2.0 * r.z.atan2(r.w);
        assert!((angle - 0.8).abs() < 1e-6, "{update}: {angle}");
    }
}

#[test]
fn a_step_that_turns_too_far_is_refused_not_guessed() {
    let w = DVec3::new(1.0, 3.0, 2.0);
    let free = |dt| SpinUpdate::Variational.free(&body(), DQuat::IDENTITY, w, DVec3::ZERO, dt);
    assert!(free(0.05).is_some());
    assert!(free(50.0).is_none());
    for update in SpinUpdate::ALL {
        assert!(
            update.free(&body(), DQuat::IDENTITY, w * f64::NAN, DVec3::ZERO, 0.1).is_none()
                || update == SpinUpdate::SemiImplicit
        );
        let r = update.turn(&body(), DQuat::IDENTITY, w, -w, 50.0);
        assert!((r.length() - 1.0).abs() < 1e-14, "{update}");
    }
}

proptest! {
    /// The way from velocities to the turn is the way of the free step: `free` and `turn` speak of the same rotation.
    #[test]
    fn turns_keep_the_momentum_of_any_free_step(
        w in prop::array::uniform3(-3.0..3.0_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
        dt in 1e-4..0.05_f64,
    ) {
        let (r, w) = (DQuat::from_scaled_axis(DVec3::from(turn)), DVec3::from(w));
        for update in [SpinUpdate::ImplicitMidpoint, SpinUpdate::Variational] {
            let after = update.free(&body(), r, w, DVec3::ZERO, dt).unwrap();
            let turned = update.turn(&body(), r, w, after, dt);
            let (a, b) = (momentum(&body(), r, w), momentum(&body(), turned, after));
            prop_assert!((a - b).length() <= 1e-14 * (1.0 + a.length()), "{}", update);
        }
    }

    /// With a constant torque the momentum grows by its impulse.
    #[test]
    fn torques_give_their_impulse_in_world_axes(
        w in prop::array::uniform3(-3.0..3.0_f64),
        torque in prop::array::uniform3(-3.0..3.0_f64),
        dt in 1e-4..0.05_f64,
    ) {
        let (r, w, torque) = (DQuat::IDENTITY, DVec3::from(w), DVec3::from(torque));
        for update in [SpinUpdate::ImplicitMidpoint, SpinUpdate::Variational] {
            let after = update.free(&body(), r, w, torque, dt).unwrap();
            let turned = update.turn(&body(), r, w, after, dt);
            let grown = momentum(&body(), turned, after) - momentum(&body(), r, w);
            prop_assert!((grown - dt * torque).length() <= 1e-13, "{}", update);
        }
    }

    /// Going back in time from the end leads to the beginning.
    #[test]
    fn second_order_updates_are_symmetric_in_time(
        w in prop::array::uniform3(-3.0..3.0_f64),
        dt in 1e-3..0.05_f64,
    ) {
        let (r, w) = (DQuat::IDENTITY, DVec3::from(w));
        for update in [SpinUpdate::ImplicitMidpoint, SpinUpdate::Variational] {
            let after = update.free(&body(), r, w, DVec3::ZERO, dt).unwrap();
            let there = update.turn(&body(), r, w, after, dt);
            let back = update.free(&body(), there, after, DVec3::ZERO, -dt).unwrap();
            let home = update.turn(&body(), there, after, back, -dt);
            prop_assert!((back - w).length() < 1e-13 * (1.0 + w.length()), "{}", update);
            prop_assert!(1.0 - home.dot(r).abs() < 1e-14);
        }
    }
}
