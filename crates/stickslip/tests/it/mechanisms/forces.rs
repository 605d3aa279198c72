//! Springs, dampers, constant and user's forces: closed forms in every model.

use super::{AnyModel, order};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip::Error;
use stickslip::bodies::forces::{
    Anchor, Axis, BodyIndex, Constant, Custom, Damper, Force, Freedom, JointDamper, JointSpring,
    Spring,
};
use stickslip::bodies::{MassProperties, Pose, Twist};
use stickslip::step;

const ONE: BodyIndex = BodyIndex::GROUND;

fn block() -> MassProperties {
    MassProperties::cuboid(2.0, DVec3::new(0.3, 0.2, 0.1)).unwrap()
}

/// Goes to `t_end` in steps of 1/`n`-th of it, for a body that starts with `motion`; forces are made for its part.
fn single(
    forces: &dyn Fn(BodyIndex) -> Vec<Arc<dyn Force>>,
    motion: (Pose, Twist),
    t_end: f64,
    n: usize,
) -> [(Pose, Twist); 3] {
    let mut which = AnyModel::all(DVec3::ZERO).into_iter();
    std::array::from_fn(|_| {
        let mut model = which.next().unwrap();
        let part = model.body(block());
        forces(part).into_iter().for_each(|f| model.force(f).unwrap());
        let mut state = model.state(&[motion]);
        model.march(&mut state, n, t_end / n as f64, step::Settings::default());
        model.motion(0, &state)
    })
}

/// Errors of all models at two step sizes have order two and are small.
fn second_order(
    error: impl Fn(&(Pose, Twist)) -> f64,
    coarse: &[(Pose, Twist)],
    fine: &[(Pose, Twist)],
) {
    for (model, (a, b)) in coarse.iter().zip(fine).enumerate() {
        let errors = [error(a), error(b)];
        assert!(errors[1] < 1e-4, "model {model}: {errors:?}");
        assert!((order(&errors) - 2.0).abs() < 0.1, "model {model}: {errors:?}");
    }
}

#[test]
fn a_mass_on_a_spring_swings_as_its_closed_form_in_every_model() {
    let (m, k, length) = (2.0_f64, 50.0_f64, 0.4);
    let forces = |part| {
        let (from, to) = (Anchor::world(DVec3::ZERO), Anchor::on(part, DVec3::ZERO));
        vec![Arc::new(Spring { from, to, stiffness: k, length }) as Arc<dyn Force>]
    };
    let start = (Pose::at(DVec3::new(0.0, 0.6, 0.0)), Twist::default());
    let exact = length + 0.2 * ((k / m).sqrt() * 3.0).cos();
    let error = |(pose, _): &(Pose, Twist)| (pose.position.y - exact).abs();
    second_order(error, &single(&forces, start, 3.0, 1500), &single(&forces, start, 3.0, 3000));
}

#[test]
fn a_damped_oscillator_decays_as_its_closed_form_in_every_model() {
    let (m, k, c) = (2.0_f64, 50.0, 1.5);
    let (d, w) = (c / (2.0 * m), (k / m - (c / (2.0 * m)).powi(2)).sqrt());
    let exact = 0.3 * (-d * 3.0).exp() * ((w * 3.0).cos() + d / w * (w * 3.0).sin());
    let start = (Pose::at(DVec3::new(0.8, 0.0, 0.0)), Twist::default());
    let error = |(pose, _): &(Pose, Twist)| (pose.position.x - 0.5 - exact).abs();
    // Along the line of two marks, along the axis of a joint, and by a user's function.
    let marks = |part| {
        let (from, to) = (Anchor::world(DVec3::ZERO), Anchor::on(part, DVec3::ZERO));
        let spring: Arc<dyn Force> = Arc::new(Spring { from, to, stiffness: k, length: 0.5 });
        vec![spring, Arc::new(Damper { from, to, damping: c })]
    };
    let joint = |part| {
        let rotation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let frame = Pose { position: DVec3::ZERO, rotation };
        let axis = Axis::new(Freedom::Shift, (ONE, frame), (part, frame));
        let spring: Arc<dyn Force> = Arc::new(JointSpring { axis, stiffness: k, rest: 0.5 });
        vec![spring, Arc::new(JointDamper { axis, damping: c })]
    };
    let custom = |part: BodyIndex| {
        let force = Custom::new(move |bodies, _, loads| {
            let (pose, twist) = bodies[part.index()];
            loads[part.index()].force -= k * (pose.position - 0.5 * DVec3::X) + c * twist.linear;
        });
        vec![Arc::new(force) as Arc<dyn Force>]
    };
    let all: [&dyn Fn(BodyIndex) -> Vec<Arc<dyn Force>>; 3] = [&marks, &joint, &custom];
    for forces in all {
        second_order(error, &single(forces, start, 3.0, 1500), &single(forces, start, 3.0, 3000));
    }
}

#[test]
fn a_torsion_pendulum_swings_and_decays_as_its_closed_form_in_every_model() {
    let (i, k, c) = (block().inertia().z_axis.z, 0.4_f64, 0.01);
    let (d, w) = (c / (2.0 * i), (k / i - (c / (2.0 * i)).powi(2)).sqrt());
    let exact = 0.5 * (-d * 1.5).exp() * ((w * 1.5).cos() + d / w * (w * 1.5).sin());
    let forces = |part| {
        let axis = Axis::new(Freedom::Turn, (ONE, Pose::default()), (part, Pose::default()));
        let spring: Arc<dyn Force> = Arc::new(JointSpring { axis, stiffness: k, rest: 0.2 });
        vec![spring, Arc::new(JointDamper { axis, damping: c })]
    };
    let rotation = DQuat::from_rotation_z(0.7);
    let start = (Pose { position: DVec3::ZERO, rotation }, Twist::default());
    let error = |(pose, _): &(Pose, Twist)| {
        let turn = 2.0 * pose.rotation.z.atan2(pose.rotation.w);
        (turn - 0.2 - exact).abs()
    };
    second_order(error, &single(&forces, start, 1.5, 4000), &single(&forces, start, 1.5, 8000));
}

#[test]
fn a_torsion_spring_takes_the_angle_within_half_a_turn_of_its_rest() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let part = model.body(block());
        let axis = Axis::new(Freedom::Turn, (ONE, Pose::default()), (part, Pose::default()));
        model.force(Arc::new(JointSpring { axis, stiffness: 2.0, rest: 3.0 })).unwrap();
        // 3.4 is seen as 3.4 − 2π by its pose.
        let rotation = DQuat::from_rotation_z(3.4);
        let state = model.state(&[(Pose { position: DVec3::ZERO, rotation }, Twist::default())]);
        let energy = model.energy(&state);
        assert!((energy - 0.16).abs() < 1e-12, "{}: {energy}", model.name());
    }
}

#[test]
fn two_bodies_on_a_spring_and_a_damper_keep_their_momentum_to_rounding() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let (a, b) = (model.body(block()), model.body(MassProperties::sphere(0.7, 0.2).unwrap()));
        // Off the centres, so that they turn.
        let (from, to) = (Anchor::on(a, DVec3::new(0.1, 0.1, 0.0)), Anchor::on(b, DVec3::Z * 0.1));
        model.force(Arc::new(Spring { from, to, stiffness: 30.0, length: 0.5 })).unwrap();
        model.force(Arc::new(Damper { from, to, damping: 0.3 })).unwrap();
        let twist =
            Twist { linear: DVec3::new(0.3, -0.2, 0.5), angular: DVec3::new(1.0, 0.4, 2.0) };
        let start = [(Pose::default(), twist), (Pose::at(DVec3::X), Twist::default())];
        let mut state = model.state(&start);
        let momentum = |model: &mut AnyModel, state: &_| {
            let (p, q) = (model.motion(0, state).1.linear, model.motion(1, state).1.linear);
            2.0 * p + 0.7 * q
        };
        let before = momentum(&mut model, &state);
        model.march(&mut state, 1000, 2e-3, step::Settings::default());
        let off = (momentum(&mut model, &state) - before).length() / before.length();
        assert!(off < 1e-12, "{}: {off}", model.name());
        let turned = model.motion(1, &state).1.angular.length();
        assert!(turned > 0.1, "{}: nothing turned", model.name());
    }
}

#[test]
fn the_energy_of_springs_is_part_of_the_energy_and_is_kept() {
    for mut model in AnyModel::all(DVec3::new(0.0, 0.0, -9.81)) {
        let part = model.body(block());
        let (from, to) = (Anchor::world(DVec3::Z), Anchor::on(part, DVec3::new(0.1, 0.05, 0.0)));
        model.force(Arc::new(Spring { from, to, stiffness: 80.0, length: 0.3 })).unwrap();
        let axis = Axis::new(Freedom::Turn, (ONE, Pose::default()), (part, Pose::default()));
        model.force(Arc::new(JointSpring { axis, stiffness: 0.1, rest: 0.0 })).unwrap();
        let state = model.state(&[(Pose::default(), Twist::default())]);
        let stretch = (DVec3::Z - DVec3::new(0.1, 0.05, 0.0)).length() - 0.3;
        let start = model.energy(&state);
        assert!((start - 40.0 * stretch * stretch).abs() < 1e-12, "{}", model.name());
        // The torsion spring's torque is no gradient once the body tilts; without its work the energy is kept to its order.
        let errors = [2e-3, 1e-3].map(|dt| {
            let mut state = state.clone();
            let mut model = AnyModel::all(DVec3::new(0.0, 0.0, -9.81))
                .into_iter()
                .find(|m| m.name() == model.name())
                .unwrap();
            let part = model.body(block());
            let to = Anchor::on(part, DVec3::new(0.1, 0.05, 0.0));
            model.force(Arc::new(Spring { from, to, stiffness: 80.0, length: 0.3 })).unwrap();
            model.march(&mut state, (1.0 / dt) as usize, dt, step::Settings::default());
            (model.energy(&state) - start).abs()
        });
        assert!(errors[1] < 1e-3 * start && order(&errors) > 1.7, "{}: {errors:?}", model.name());
    }
}

#[test]
fn constant_forces_act_at_their_mark_in_world_or_body_axes() {
    let (t, m) = (0.5, 2.0);
    let start = (Pose::default(), Twist::default());
    for turns in [false, true] {
        // A force through the centre along the axis of the torque: no axes turn it.
        let forces = |part| {
            let at = Anchor::on(part, DVec3::Z * 0.05);
            let (force, torque) = (DVec3::Z * 3.0, DVec3::Z * 0.02);
            vec![Arc::new(Constant { at, force, torque, turns }) as Arc<dyn Force>]
        };
        let spin = 0.02 * t / block().inertia().z_axis.z;
        for (pose, twist) in single(&forces, start, t, 500) {
            assert!((twist.linear - DVec3::Z * 3.0 * t / m).length() < 1e-12, "{twist:?}");
            assert!((pose.position.z - 1.5 * t * t / m).abs() < 1e-12, "{pose:?}");
            assert!((twist.angular - DVec3::Z * spin).length() < 1e-9, "{twist:?}");
        }
    }
}

#[test]
fn a_damper_too_stiff_for_the_step_is_an_error_and_not_a_wrong_answer() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let part = model.body(block());
        let (from, to) = (Anchor::world(DVec3::ZERO), Anchor::on(part, DVec3::ZERO));
        model.force(Arc::new(Damper { from, to, damping: 1e4 })).unwrap();
        let twist = Twist { linear: DVec3::X, angular: DVec3::ZERO };
        let mut state = model.state(&[(Pose::at(DVec3::X), twist)]);
        let before = state.clone();
        let mut stepper = model.stepper(step::Settings::default()).unwrap();
        let error = stepper.step(&model, &mut state, 1e-2).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("smaller step") || text.contains("step size"), "{text}");
        assert_eq!(state, before);
    }
}

#[test]
fn forces_on_bodies_that_are_not_there_and_numbers_out_of_range_are_refused() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let part = model.body(block());
        let mark = Anchor::on(part, DVec3::ZERO);
        let world = Anchor::world(DVec3::ZERO);
        let mut refused = |force: Arc<dyn Force>, what: &str| {
            let error = model.force(force).unwrap_err();
            assert!(
                matches!(error, Error::Range { .. }) && error.to_string().contains(what),
                "{error}"
            );
        };
        let spring = Spring { from: world, to: mark, stiffness: 1.0, length: 1.0 };
        refused(Arc::new(Spring { stiffness: -1.0, ..spring }), "the stiffness of a spring");
        refused(Arc::new(Spring { length: f64::NAN, ..spring }), "the length of a spring");
        refused(Arc::new(Spring { to: world, ..spring }), "the second body of a spring");
        let other = AnyModel::all(DVec3::ZERO).map(|mut m| (0..5).map(|_| m.body(block())).last());
        let far = Anchor::on(other[0].unwrap(), DVec3::ZERO);
        refused(Arc::new(Spring { to: far, ..spring }), "the body of a spring's second mark");
        refused(Arc::new(Damper { from: world, to: mark, damping: -1.0 }), "the damping");
        let bad = Pose { position: DVec3::ZERO, rotation: DQuat::from_xyzw(1.0, 1.0, 0.0, 0.0) };
        let axis = Axis::new(Freedom::Turn, (ONE, bad), (part, Pose::default()));
        refused(Arc::new(JointDamper { axis, damping: 1.0 }), "a quaternion of a joint damper");
        let force = DVec3::new(f64::INFINITY, 0.0, 0.0);
        let constant = Constant { at: mark, force, torque: DVec3::ZERO, turns: false };
        refused(Arc::new(constant), "a constant force");
    }
}
