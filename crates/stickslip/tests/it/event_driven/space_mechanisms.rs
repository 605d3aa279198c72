//! Trees of links, refusals, and the limit of time stepping.

use super::space::{G, balances, on_ground, place};
use super::systems::Log;
use glam::{DQuat, DVec3};
use stickslip::Error;
use stickslip::bodies::articulated::{Tree, TreeJoint};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{self, JointKind, MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::Law;
use stickslip::contact::set::ConvexSet;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Model;
use stickslip::run::{self, End, EventKind, Report, run};
use stickslip::step::{self, Integrator};
use stickslip::system::State;

fn go<M: Model>(model: &M, start: &State, t_end: f64) -> (Report, Log) {
    let mut log = Log::default();
    let settings = Settings { t_end, ..Settings::default() };
    let report = run_event_driven(model, start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished, "{report:?}");
    (report, log)
}

/// A rod of length 1 that swings about the y-axis of the ground.
fn rod() -> MassProperties {
    MassProperties::cuboid(2.0, DVec3::new(0.05, 0.05, 1.0)).unwrap()
}

fn about_y(position: DVec3) -> Pose {
    Pose { position, rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y) }
}

#[test]
fn a_pendulum_that_strikes_a_stop_swings_to_the_heights_of_its_restitution() {
    let (eps, angle) = (0.8, 1.1_f64);
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let link = tree
        .link(
            Tree::GROUND,
            TreeJoint::Revolute,
            about_y(DVec3::ZERO),
            about_y(0.5 * DVec3::Z),
            rod(),
        )
        .unwrap();
    tree.limit(link, 0, [0.0, f64::INFINITY], eps).unwrap();
    let start = tree.state(&[angle], &[0.0]).unwrap();
    let (report, log) = go(&tree, &start, 3.0);
    balances(&report);
    let moment = rod().inertia().y_axis.y + 2.0 * 0.25;
    let natural = (2.0 * G * 0.5 / moment).sqrt();
    // The period of a swing is 2π / (ω₀ agm(1, cos(θ/2))).
    let period = |angle: f64| {
        let (mut a, mut b) = (1.0, (0.5 * angle).cos());
        for _ in 0..8 {
            (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
        }
        std::f64::consts::TAU / (natural * a)
    };
    let impacts = log.times(0, EventKind::Impact);
    let (mut t, mut theta) = (0.25 * period(angle), angle);
    assert!(impacts.len() > 3, "{impacts:?}");
    for impact in impacts {
        assert!((impact - t).abs() < 1e-12, "{impact} {t}");
        theta = (1.0 - eps * eps * (1.0 - theta.cos())).acos();
        t += 0.5 * period(theta);
    }
}

/// Two rods that hang on each other, the lower one between stops.
fn double(stops: bool) -> (Tree, State) {
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let (upper, lower) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    let first =
        tree.link(Tree::GROUND, TreeJoint::Revolute, about_y(DVec3::ZERO), upper, rod()).unwrap();
    let second = tree.link(first, TreeJoint::Revolute, lower, upper, rod()).unwrap();
    if stops {
        tree.limit(second, 0, [-0.6, 0.6], 0.5).unwrap();
    }
    let start = tree.state(&[1.2, 0.4], &[0.0, 0.0]).unwrap();
    (tree, start)
}

#[test]
fn a_double_pendulum_between_stops_keeps_its_energy_but_for_impacts() {
    let (free, start) = double(false);
    let (report, _) = go(&free, &start, 5.0);
    balances(&report);
    let (tree, start) = double(true);
    let (report, log) = go(&tree, &start, 10.0);
    balances(&report);
    assert!(log.times(0, EventKind::Impact).len() + log.times(1, EventKind::Impact).len() > 4);
    assert!(log.samples.iter().all(|s| s.1[1].abs() < 0.6 + 1e-12));
}

/// A top on a spherical joint at its tip, as a tree.
#[test]
fn a_heavy_top_precesses_steadily() {
    // Ω sin θ (J₃ s − J₁ Ω cos θ) = m g l sin θ with the spin s about the axis.
    let (m, l) = (0.5, 0.15);
    let (across, axial) = (0.002, 0.0015);
    let inertia = glam::DMat3::from_diagonal(DVec3::new(across, across, axial));
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let mass = MassProperties::new(m, inertia).unwrap();
    tree.link(Tree::GROUND, TreeJoint::Spherical, Pose::default(), Pose::at(-l * DVec3::Z), mass)
        .unwrap();
    let (theta, round) = (0.5_f64, 4.0);
    let (s, c) = theta.sin_cos();
    let pivot = across + m * l * l;
    let spin = (m * G * l / round + pivot * round * c) / axial;
    let axis = DVec3::new(s, 0.0, c);
    let angular = round * DVec3::Z + (spin - round * c) * axis;
    let turned = DQuat::from_rotation_arc(DVec3::Z, axis);
    let q = [turned.w, turned.x, turned.y, turned.z];
    let start = tree.state(&q, &angular.to_array()).unwrap();
    let t = 1.3;
    let (report, _) = go(&tree, &start, t);
    let q = &report.state.q;
    let now = DQuat::from_xyzw(q[1], q[2], q[3], q[0]) * DVec3::Z;
    let exact = DQuat::from_rotation_z(round * t) * axis;
    assert!((now - exact).length() < 1e-11, "{now} {exact}");
    balances(&report);
}

#[test]
fn a_ball_is_the_same_as_a_link_on_a_free_joint_and_as_a_body() {
    let (r, law) = (0.25, Law::disc(0.25).with_restitution(0.4, 0.0));
    let mass = MassProperties::cuboid(1.0, DVec3::new(0.2, 0.3, 0.4)).unwrap();
    let shape = Shape::Sphere(DVec3::new(0.02, -0.01, 0.03), r);
    let world = on_ground(mass, &[shape], &law);
    let (x, v, w) = (0.4 * DVec3::Z, DVec3::new(1.0, 0.5, 0.0), DVec3::new(2.0, -1.0, 3.0));
    let start = place(&world, x, v, w);
    let (body, _) = go(&world, &start, 0.8);
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let link =
        tree.link(Tree::GROUND, TreeJoint::Free, Pose::default(), Pose::default(), mass).unwrap();
    let touching = pair(shape, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
    tree.contact(link, Tree::GROUND, touching, law).unwrap();
    let (report, log) = go(&tree, &start, 0.8);
    balances(&report);
    assert!(!log.times(0, EventKind::Impact).is_empty());
    let all = body.state.q.iter().chain(&body.state.u);
    let off = all.zip(report.state.q.iter().chain(&report.state.u));
    let worst = off.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(worst < 1e-11, "{worst}");
}

#[test]
fn time_stepping_comes_to_the_same_motion_as_its_steps_shrink() {
    // A box falls on an edge, slides and turns.
    let edges = DVec3::new(0.5, 0.4, 0.3);
    let mass = MassProperties::cuboid(1.0, edges).unwrap();
    let mut corners = Vec::new();
    for i in 0..8 {
        let side = |bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        corners.push(Shape::Point(edges * DVec3::new(side(0), side(1), side(2))));
    }
    let mut world = on_ground(mass, &corners, &Law::disc(0.3));
    let pose = Pose {
        position: 0.45 * DVec3::Z,
        rotation: DQuat::from_scaled_axis(DVec3::new(0.3, 0.2, 0.1)),
    };
    let twist = Twist { linear: DVec3::new(1.0, 0.3, 0.0), angular: DVec3::new(0.5, 1.0, -0.3) };
    let start = world.state(&[(pose, twist)]).unwrap();
    let t_end = 0.3;
    let (exact, log) = go(&world, &start, t_end);
    balances(&exact);
    assert!(log.events.iter().any(|e| e.kind == EventKind::Impact), "{:?}", log.events);
    let error = |world: &World, dt: f64| {
        let settings = run::Settings { t_end, dt, ..run::Settings::default() };
        let state = run(world, &start, &settings, &mut (), &mut ()).unwrap().state;
        let off = state.q.iter().zip(&exact.state.q);
        off.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
    };
    // Impacts fall anywhere in a step: the error is a multiple of its length that varies.
    for dt in [1e-3, 1e-4, 1e-5] {
        let off = error(&mut world, dt);
        assert!(off < 3.0 * dt, "{dt} {off}");
    }
}

fn refused<M: Model>(model: &M, start: &State, word: &str) {
    let step = step::Settings { integrator: Integrator::EventDriven, ..step::Settings::default() };
    let settings = run::Settings { step, ..run::Settings::default() };
    let error = run(model, start, &settings, &mut (), &mut ()).unwrap_err();
    assert!(matches!(error, Error::Combination { .. }), "{error}");
    assert!(error.to_string().contains(word), "{error}");
}

#[test]
fn what_events_are_not_known_for_is_refused_with_its_cure() {
    let mass = MassProperties::sphere(1.0, 0.1).unwrap();
    let sphere = [Shape::Sphere(DVec3::ZERO, 0.1)];
    let sets = [
        Law::with_set(0.3, ConvexSet::Ellipsoid([1.0, 0.5].to_vec())),
        Law::disc(0.3).with_static(0.4),
    ];
    for (law, word) in sets.into_iter().zip(["choose a disc", "mu_static"]) {
        let world = on_ground(mass, &sphere, &law);
        let start = place(&world, DVec3::Z, DVec3::ZERO, DVec3::ZERO);
        refused(&world, &start, word);
    }
    let mut world = on_ground(mass, &[], &Law::disc(0.3));
    let body = world.bodies().nth(1).unwrap();
    let frame = Pose::default();
    let joint = bodies::Joint { kind: JointKind::Revolute, on_first: frame, on_second: frame };
    let joint = world.joint(body, World::GROUND, joint).unwrap();
    world.motor(joint, 1.0, 2.0).unwrap();
    let start = place(&world, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    refused(&world, &start, "motor");

    let (mut tree, start) = double(false);
    let last = tree.links().last().unwrap();
    tree.motor(last, 1.0, 2.0).unwrap();
    refused(&tree, &start, "motor");
}
