//! Integrators of bodies: names, closed forms and orders in every model, every combination of a small scene.

use super::{AnyModel, order};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use stickslip::Error;
use stickslip::bodies::forces::{Anchor, Constant, Damper, Spring};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, Pose, Reaction, Shape, Twist, World, articulated,
};
use stickslip::contact::Law;
use stickslip::contact::solve::{self, Formulation};
use stickslip::step::{self, Integrator, StepStatus};
use stickslip::system::State;

const G: f64 = 9.81;

fn settings(method: Integrator) -> step::Settings {
    step::Settings { integrator: method, ..step::Settings::default() }
}

fn cuboid() -> MassProperties {
    MassProperties::cuboid(2.0, DVec3::new(0.4, 0.3, 0.2)).unwrap()
}

const JEAN: Integrator = Integrator::MoreauJean { theta: 0.5 };

#[test]
fn methods_parse_from_their_names_and_print_as_them() {
    for method in Integrator::ALL {
        assert_eq!(method.to_string().parse::<Integrator>().unwrap(), method);
    }
    let error = "euler".parse::<Integrator>().unwrap_err();
    let choice = matches!(&error, Error::Contact(stickslip::contact::Error::Choice { .. }));
    assert!(choice, "{error}");
    assert!(error.to_string().contains("gap_level"), "{error}");
}

#[test]
fn an_integrator_without_steps_and_theta_out_of_range_are_refused_by_the_stepper() {
    for model in AnyModel::all(DVec3::ZERO) {
        let step = settings(Integrator::EventDriven);
        let error = model.stepper(step).err().unwrap();
        assert!(error.to_string().contains("steps of a given size"), "{error}");
    }
    for theta in [0.4, 1.1, f64::NAN] {
        let model = AnyModel::all(DVec3::ZERO).into_iter().next().unwrap();
        let wrong = settings(Integrator::MoreauJean { theta });
        let error = model.stepper(wrong).err().unwrap();
        assert!(error.to_string().starts_with("theta is"), "{error}");
    }
}

/// A tumbling body on a spring and a damper under gravity, by one model and method.
fn tumble(model: &mut AnyModel, method: Integrator, steps: usize) -> (Pose, Twist, f64) {
    let part = model.body(cuboid());
    let (from, to) = (Anchor::world(DVec3::Z), Anchor::on(part, DVec3::new(0.2, 0.1, 0.0)));
    model.force(Arc::new(Spring { from, to, stiffness: 60.0, length: 0.3 })).unwrap();
    model.force(Arc::new(Damper { from, to, damping: 0.8 })).unwrap();
    let twist = Twist { linear: DVec3::X, angular: DVec3::new(1.0, 2.0, -0.5) };
    let mut state = model.state(&[(Pose::default(), twist)]);
    model.march(&mut state, steps, 0.5 / steps as f64, settings(method));
    let (pose, twist) = model.motion(0, &state);
    (pose, twist, model.energy(&state))
}

#[test]
fn every_method_converges_to_one_motion_at_its_order_in_every_model() {
    let gravity = DVec3::new(0.0, 0.0, -G);
    let [mut world, ..] = AnyModel::all(gravity);
    let (exact, ..) = tumble(&mut world, Integrator::MoreauMidpoint, 20_000);
    let implicit = Integrator::MoreauJean { theta: 1.0 };
    for (method, expected) in [
        (Integrator::MoreauMidpoint, 2.0),
        (JEAN, 2.0),
        (implicit, 1.0),
        (Integrator::GapLevel, 1.0),
        (Integrator::PaoliSchatzman, 1.0),
    ] {
        for which in 0..3 {
            let errors = [400, 800].map(|steps| {
                let mut model = AnyModel::all(gravity).into_iter().nth(which).unwrap();
                let (pose, ..) = tumble(&mut model, method, steps);
                let turn = 1.0 - pose.rotation.dot(exact.rotation).abs();
                (pose.position - exact.position).length() + (2.0 * turn.abs()).sqrt()
            });
            let name = AnyModel::all(gravity)[which].name();
            let found = order(&errors);
            assert!((found - expected).abs() < 0.25, "{name} {method}: {errors:?} {found}");
            // It turns back and forth at 12 / s: a method that damps loses 12² Δt / 2 per second.
            let bound = if expected > 1.5 { 1e-3 } else { 0.1 };
            assert!(errors[1] < bound, "{name} {method}: {errors:?}");
        }
    }
}

/// A rod on a pin, from the horizontal, as joint inside, in the contact problem and as a tree: its angle after a time.
fn pendulum(which: usize, method: Integrator, steps: usize) -> (f64, f64) {
    let rod = MassProperties::cuboid(1.0, DVec3::new(1.0, 0.1, 0.1)).unwrap();
    let rotation = DQuat::from_rotation_x(-FRAC_PI_2);
    let on = |x: f64| Pose { position: DVec3::new(x, 0.0, 0.0), rotation };
    let gravity = DVec3::new(0.0, 0.0, -G);
    let dt = 0.4 / steps as f64;
    let run = |m: &AnyModel, state: &mut State| {
        let mut stepper = m.stepper(settings(method)).unwrap();
        let mut drift = 0.0_f64;
        for _ in 0..steps {
            stepper.step(m, state, dt).unwrap().done().unwrap();
            drift = drift.max(stepper.outcome().drift);
        }
        drift
    };
    if which == 2 {
        let mut tree = articulated::Tree::new(gravity).unwrap();
        let joint = articulated::TreeJoint::Revolute;
        tree.link(articulated::Tree::GROUND, joint, on(0.0), on(-0.5), rod).unwrap();
        let mut state = tree.state(&[0.0], &[0.0]).unwrap();
        let drift = run(&AnyModel::Tree(Box::new(tree)), &mut state);
        return (state.q[0], drift);
    }
    let reaction = [Reaction::Inside, Reaction::InProblem][which];
    let mut world = World::new(gravity).unwrap().with_reactions(reaction);
    let body = world.body(rod);
    let joint = Joint { kind: JointKind::Revolute, on_first: on(0.0), on_second: on(-0.5) };
    world.joint(World::GROUND, body, joint).unwrap();
    let mut state =
        world.state(&[(Pose::at(DVec3::new(0.5, 0.0, 0.0)), Twist::default())]).unwrap();
    let model = AnyModel::World(Box::new(world));
    let drift = run(&model, &mut state);
    let AnyModel::World(world) = &model else { unreachable!() };
    (world.joint_coordinate(0, &state), drift)
}

#[test]
fn joints_hold_at_the_order_of_each_method_inside_in_the_problem_and_in_a_tree() {
    let exact = pendulum(2, Integrator::MoreauMidpoint, 20_000).0;
    let implicit = Integrator::MoreauJean { theta: 1.0 };
    let gaps = Integrator::GapLevel;
    for (method, expected) in
        [(JEAN, 2.0), (implicit, 1.0), (gaps, 1.0), (Integrator::PaoliSchatzman, 1.0)]
    {
        let mut found = Vec::new();
        for which in 0..3 {
            let ends = [200, 400].map(|steps| pendulum(which, method, steps));
            let errors = ends.map(|(angle, _)| (angle - exact).abs());
            let order = order(&errors);
            assert!((order - expected).abs() < 0.2, "{which} {method}: {errors:?} {order}");
            assert!(errors[1] < 1e-2 && ends[1].1 < 1e-2, "{which} {method}: {ends:?}");
            found.push(ends[1].0);
        }
        assert!(
            (found[0] - found[1]).abs() < 1e-8,
            "{method}: inside and in the problem {found:?}"
        );
    }
}

#[test]
fn theta_above_a_half_damps_and_a_half_keeps_the_energy_to_its_order() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let part = model.body(cuboid());
        let (from, to) = (Anchor::world(DVec3::ZERO), Anchor::on(part, DVec3::ZERO));
        model.force(Arc::new(Spring { from, to, stiffness: 200.0, length: 0.0 })).unwrap();
        let start = model.state(&[(Pose::at(DVec3::X), Twist::default())]);
        let before = model.energy(&start);
        let kept = |theta: f64| {
            let mut state = start.clone();
            model.march(&mut state, 500, 5e-3, settings(Integrator::MoreauJean { theta }));
            model.energy(&state) / before
        };
        // θ = ½ of a linear system is the trapezoidal rule, which keeps the energy to rounding.
        let (half, one) = (kept(0.5), kept(1.0));
        assert!((half - 1.0).abs() < 1e-9, "{half}");
        // 1 / (1 + ω² Δt²) per step.
        let expected = (1.0 + 100.0 * 25e-6_f64).powi(-500);
        assert!((one - expected).abs() < 1e-9, "{one} {expected}");
    }
}

fn ball(model: &mut AnyModel, height: f64, law: Law) -> State {
    model.body(MassProperties::sphere(1.0, 0.1).unwrap());
    let shapes = (Shape::Sphere(DVec3::ZERO, 0.1), Shape::Plane(DVec3::ZERO, DVec3::Z));
    model.contact(pair(shapes.0, shapes.1).unwrap(), law);
    model.state(&[(Pose::at(DVec3::new(0.0, 0.0, height)), Twist::default())])
}

#[test]
fn positions_of_stewart_and_trinkle_do_not_overlap_and_their_contacts_rest() {
    for mut model in AnyModel::all(DVec3::new(0.0, 0.0, -G)) {
        let mut state = ball(&mut model, 0.5, Law::disc(0.4));
        let mut stepper = model.stepper(settings(Integrator::GapLevel)).unwrap();
        let mut deepest = 0.0_f64;
        for _ in 0..100 {
            stepper.step(&model, &mut state, 1e-2).unwrap().done().unwrap();
            // The height of the first mass or of the centre is not the same, but the gap is.
            deepest = deepest.max(-model.candidates(&state)[0].gap.unwrap());
        }
        assert!(deepest < 1e-12, "{deepest}");
        let (pose, twist) = model.motion(0, &state);
        assert!((pose.position.z - 0.1).abs() < 1e-12, "{pose:?}");
        assert!(twist.linear.length() < 1e-10, "{twist:?}");
    }
}

#[test]
fn stewart_and_trinkle_refuse_restitution_by_name() {
    for mut model in AnyModel::all(DVec3::new(0.0, 0.0, -G)) {
        let mut state = ball(&mut model, 0.5, Law::disc(0.4).with_restitution(0.5, 0.0));
        let before = state.clone();
        let mut stepper = model.stepper(settings(Integrator::GapLevel)).unwrap();
        let error = stepper.step(&model, &mut state, 1e-2).unwrap_err();
        assert!(matches!(error, Error::Combination { part: "gap_level", .. }), "{error}");
        assert_eq!(state, before);
    }
}

#[test]
fn a_ball_of_the_theta_method_bounces_with_its_restitution() {
    for mut model in AnyModel::all(DVec3::ZERO) {
        let mut state = ball(&mut model, 0.15, Law::disc(0.0).with_restitution(0.5, 0.0));
        let twist = Twist { linear: DVec3::new(0.0, 0.0, -1.0), angular: DVec3::ZERO };
        state.u = model.state(&[(Pose::default(), twist)]).u;
        model.march(&mut state, 100, 1e-3, settings(JEAN));
        let up = model.motion(0, &state).1.linear.z;
        assert!((up - 0.5).abs() < 1e-9, "{}: {up}", model.name());
    }
}

/// A box on a plane that is pushed along x, and stands on its four corners.
fn pushed(model: &mut AnyModel, push: f64) -> State {
    let part = model.body(cuboid());
    for (x, y) in [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)] {
        let corner = Shape::Point(DVec3::new(x, y, -0.1));
        model.contact(pair(corner, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap(), Law::disc(0.5));
    }
    let (at, force) = (Anchor::on(part, DVec3::ZERO), DVec3::X * push);
    model.force(Arc::new(Constant { at, force, torque: DVec3::ZERO, turns: false })).unwrap();
    model.state(&[(Pose::at(DVec3::Z * 0.1), Twist::default())])
}

#[test]
fn every_model_method_and_formulation_agree_or_are_refused_at_construction() {
    let (mut agreed, mut refused) = (0, 0);
    for which in 0..3 {
        for method in Integrator::STEPPING {
            for formulation in Formulation::ALL {
                let solve = solve::Settings { formulation, tolerance: 1e-9, ..Default::default() };
                let settings = step::Settings { solve: Some(solve), ..settings(method) };
                match combination(which, &settings) {
                    Ok(count) => agreed += count,
                    Err(error) => {
                        let typed = matches!(error, Error::Combination { .. });
                        assert!(typed && formulation == Formulation::GlockerStuder, "{error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    // Of five formulations one is planar, and one lifts what slides.
    assert_eq!(refused, 12);
    assert!(agreed >= 12 * (4 + 2), "{agreed}");
}

/// A box that friction holds, and one that slides at the excess of its push: how many of them are as they should be.
fn combination(which: usize, settings: &step::Settings) -> Result<usize, Error> {
    let (weight, mut count) = (2.0 * G, 0);
    for (push, speed) in [(0.4 * weight, 0.0), (0.75 * weight, 0.25 * G * 0.08)] {
        let mut model = AnyModel::all(DVec3::new(0.0, 0.0, -G)).into_iter().nth(which).unwrap();
        let formulation = model.formulation(settings);
        let name = format!("{} {} {formulation}", model.name(), settings.integrator);
        let mut state = pushed(&mut model, push);
        let mut stepper = model.stepper(settings.clone())?;
        let slides = speed > 0.0;
        // The convexified cone is another law for what slides. The problem of the phantom inertia is degenerate for corners that
        // slide alike: its solvers may stop short of the tolerance, and say so.
        if slides && formulation == Formulation::ConvexifiedCone {
            continue;
        }
        let may_fail = slides && formulation == Formulation::PhantomInertia;
        let done = (0..40).all(|_| {
            let step = stepper.step(&model, &mut state, 2e-3).unwrap();
            assert!(step == StepStatus::Done || may_fail, "{name}: {step:?}");
            step == StepStatus::Done
        });
        if !done {
            continue;
        }
        let (pose, twist) = model.motion(0, &state);
        let off = (twist.linear - DVec3::X * speed).length();
        assert!(off < 1e-6, "{name}: {:?} for {speed}", twist.linear);
        assert!((pose.position.z - 0.1).abs() < 1e-6, "{name}: {pose:?}");
        assert!(twist.angular.length() < 1e-5, "{name}: {twist:?}");
        count += 1;
    }
    Ok(count)
}
