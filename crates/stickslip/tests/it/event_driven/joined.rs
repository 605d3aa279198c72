//! Bodies that joints hold, by the event-driven integrator: closed forms, and the same motion from every model.

use super::space::{G, balances};
use super::systems::Log;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use stickslip::bodies::articulated::{Tree, TreeJoint};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Body, Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Shape, Twist, World,
};
use stickslip::contact::Law;
use stickslip::events::{Settings, run_event_driven};
use stickslip::model::Model;
use stickslip::run::{self, End, EventKind, Report, run};
use stickslip::system::State;

pub(crate) const WAYS: [Reaction; 2] = [Reaction::Inside, Reaction::InProblem];

/// What models with bodies and joints beside each other have in common.
pub(crate) trait Joined: Model {
    fn empty(gravity: DVec3, way: Reaction) -> Self;
    fn add(&mut self, mass: MassProperties) -> Body;
    fn connect(&mut self, first: Body, second: Body, joint: Joint) -> usize;
    fn touch(&mut self, body: Body, shapes: [Shape; 2], law: Law) -> usize;
    fn place(&self, motions: &[(Pose, Twist)]) -> State;
    /// Poses and twists of all bodies after the ground.
    fn motions(&self, state: &State) -> Vec<f64>;
}

/// Both have the same calls, but for errors.
macro_rules! joined {
    ($model:ty, $body:ident => $added:expr) => {
        impl Joined for $model {
            fn empty(gravity: DVec3, way: Reaction) -> Self {
                Self::new(gravity).unwrap().with_reactions(way)
            }

            fn add(&mut self, mass: MassProperties) -> Body {
                let $body = self.body(mass);
                $added
            }

            fn connect(&mut self, first: Body, second: Body, joint: Joint) -> usize {
                self.joint(first, second, joint).unwrap()
            }

            fn touch(&mut self, body: Body, [own, ground]: [Shape; 2], law: Law) -> usize {
                self.contact(body, Self::GROUND, pair(own, ground).unwrap(), law).unwrap()
            }

            fn place(&self, motions: &[(Pose, Twist)]) -> State {
                self.state(motions).unwrap()
            }

            fn motions(&self, state: &State) -> Vec<f64> {
                let mut all = Vec::new();
                self.bodies().skip(1).for_each(|b| push(&mut all, self.motion(b, state)));
                all
            }
        }
    };
}

joined!(World, body => body);
joined!(PointMassWorld, body => body.unwrap());

/// A test of one model, by all of them.
macro_rules! in_every_model {
    ($test:ident) => {
        for way in WAYS {
            $test::<World>(way);
            $test::<PointMassWorld>(way);
        }
    };
}
pub(crate) use in_every_model;

/// A run whose joints hold: steps leave them within their tolerance, and what shows is put right.
pub(super) fn go<M: Model>(model: &M, start: &State, t_end: f64) -> (Report, Log) {
    let mut log = Log::default();
    let settings = Settings { t_end, ..Settings::default() };
    let report = run_event_driven(model, start, &settings, &mut log).unwrap();
    assert_eq!(report.end, End::Finished, "{report:?}");
    assert!(report.constraint_drift < 1e-13, "{}", report.constraint_drift);
    let mut end = report.state.clone();
    let off = model.stabilise(&mut M::Place::default(), &mut end.q, &mut end.u, end.t).unwrap();
    assert!(off < 1e-13, "{off}");
    let excluded =
        end.u.iter().zip(&report.state.u).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(excluded < 1e-13, "{excluded}");
    (report, log)
}

pub(super) fn about_y(position: DVec3) -> Pose {
    Pose { position, rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y) }
}

/// A rod of length 1 that hangs along −z at angle 0.
pub(super) fn rod() -> MassProperties {
    MassProperties::cuboid(2.0, DVec3::new(0.05, 0.05, 1.0)).unwrap()
}

pub(super) fn at_rest(angle: f64, pivot: DVec3) -> (Pose, Twist) {
    let rotation = DQuat::from_rotation_y(angle);
    (Pose { position: pivot + rotation * (-0.5 * DVec3::Z), rotation }, Twist::default())
}

pub(crate) fn hinge<M: Joined>(
    model: &mut M,
    first: Body,
    on_first: DVec3,
    second: Body,
    on_second: DVec3,
) {
    let (on_first, on_second) = (about_y(on_first), about_y(on_second));
    model.connect(first, second, Joint { kind: JointKind::Revolute, on_first, on_second });
}

/// A rod on a pin, let go at an angle.
fn pendulum<M: Joined>(angle: f64, way: Reaction) -> (M, Body, State) {
    let mut model = M::empty(-G * DVec3::Z, way);
    let body = model.add(rod());
    hinge(&mut model, World::GROUND, DVec3::ZERO, body, 0.5 * DVec3::Z);
    let start = model.place(&[at_rest(angle, DVec3::ZERO)]);
    (model, body, start)
}

/// The period of a swing with the amplitude `angle`: 2π / (ω₀ agm(1, cos(angle/2))).
pub(super) fn period(natural: f64, angle: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * angle).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    TAU / (natural * a)
}

/// ω₀ of the rod on its pin.
fn natural() -> f64 {
    (2.0 * G * 0.5 / (rod().inertia().y_axis.y + 2.0 * 0.25)).sqrt()
}

pub(super) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
}

fn push(all: &mut Vec<f64>, (pose, twist): (Pose, Twist)) {
    all.extend(pose.position.to_array());
    // Two axes, since a rotation has two quaternions.
    all.extend((pose.rotation * DVec3::X).to_array());
    all.extend((pose.rotation * DVec3::Y).to_array());
    all.extend(twist.linear.to_array());
    all.extend(twist.angular.to_array());
}

pub(super) fn links(tree: &Tree, state: &State) -> Vec<f64> {
    let mut all = Vec::new();
    tree.links().for_each(|link| push(&mut all, tree.motion(link, state).unwrap()));
    all
}

fn swings<M: Joined>(way: Reaction) {
    let angle = 2.5;
    let (model, _, start) = pendulum::<M>(angle, way);
    let (report, _) = go(&model, &start, 10.0 * period(natural(), angle));
    balances(&report);
    let off = largest_difference(&model.motions(&report.state), &model.motions(&start));
    assert!(off < 1e-11, "{}, {way:?}: {off}", model.kind());
}

#[test]
fn a_rod_on_a_pin_is_back_after_whole_periods_of_the_compound_pendulum() {
    in_every_model!(swings);
}

fn bounces<M: Joined>(way: Reaction) {
    let (eps, angle, r) = (0.8, 1.1_f64, 0.05);
    let (mut model, body, start) = pendulum::<M>(angle, way);
    // The rod swings to +x where its angle is below 0; the wall is at the angle 0.
    let wall = Shape::Plane(r * DVec3::X, -DVec3::X);
    let law = Law::frictionless().with_restitution(eps, 0.0);
    let contact = model.touch(body, [Shape::Sphere(-0.5 * DVec3::Z, r), wall], law);
    let (report, log) = go(&model, &start, 3.0);
    balances(&report);
    let impacts = log.times(contact, EventKind::Impact);
    let (mut t, mut theta) = (0.25 * period(natural(), angle), angle);
    assert!(impacts.len() > 3, "{impacts:?}");
    for impact in impacts {
        assert!((impact - t).abs() < 1e-11, "{}, {way:?}: {impact} {t}", model.kind());
        theta = (1.0 - eps * eps * (1.0 - theta.cos())).acos();
        t += 0.5 * period(natural(), theta);
    }
}

#[test]
fn a_rod_on_a_pin_that_strikes_a_wall_bounces_at_the_times_of_its_closed_form() {
    in_every_model!(bounces);
}

/// Rods that hang on each other by joints in turn, let go along x, the last one with a spin.
fn chain<M: Joined>(way: Reaction) {
    let mut model = M::empty(-G * DVec3::Z, way);
    let kinds = [JointKind::Spherical, JointKind::Revolute, JointKind::Universal];
    let mass = MassProperties::cuboid(0.5, DVec3::new(0.4, 0.1, 0.1)).unwrap();
    let (mut last, mut places) = (World::GROUND, Vec::new());
    for i in 0..6 {
        let body = model.add(mass);
        let end = |x: f64| about_y(x * DVec3::X);
        let kind = kinds[i % 3];
        // The axes z of the first and x of the second frame of a universal joint are perpendicular.
        let on_first = if i == 0 { end(0.0) } else { end(0.2) };
        model.connect(last, body, Joint { kind, on_first, on_second: end(-0.2) });
        places.push((Pose::at((0.4 * i as f64 + 0.2) * DVec3::X), Twist::default()));
        last = body;
    }
    places[5].1.angular = 3.0 * DVec3::X;
    let mut start = model.place(&places);
    model.stabilise(&mut M::Place::default(), &mut start.q, &mut start.u, 0.0).unwrap();
    let (report, _) = go(&model, &start, 3.0);
    let change = report.energy_end.total() - report.energy_start.total();
    assert!(
        change.abs() < 1e-12 * report.energy_end.kinetic,
        "{}, {way:?}: {change}",
        model.kind()
    );
    assert!(report.start_moved.is_none(), "{:?}", report.start_moved);
}

#[test]
fn a_chain_of_six_rods_keeps_its_energy_and_its_joints() {
    in_every_model!(chain);
}

#[test]
fn a_rod_rests_on_the_stop_of_its_joint() {
    let (mut world, _, start) = pendulum::<World>(1.0, Reaction::Inside);
    world.limit(0, 0.4, 3.0).unwrap();
    let (report, log) = go(&world, &start, 2.0);
    balances(&report);
    assert_eq!(log.times(0, EventKind::Closes).len(), 1, "{:?}", log.events);
    let angle = world.joint_coordinate(0, &report.state);
    assert!((angle - 0.4).abs() < 1e-14, "{angle}");
    assert!(report.state.u.iter().all(|u| u.abs() < 1e-13), "{:?}", report.state.u);
    // The stop bears the moment of the weight.
    let fell = log.times(0, EventKind::Closes)[0];
    let moment = 2.0 * G * 0.5 * 0.4_f64.sin();
    let pressed = log.impulses[0] - moment * (2.0 - fell);
    let inertia = rod().inertia().y_axis.y + 2.0 * 0.25;
    let speed = (2.0 * 2.0 * G * 0.5 * (0.4_f64.cos() - 1.0_f64.cos()) / inertia).sqrt();
    assert!((pressed - inertia * speed).abs() < 1e-11, "{pressed}");
}

#[test]
fn a_ball_on_a_string_goes_round_its_cone() {
    // tan(angle) = Ω² r / g for a ball that is held at its centre and does not turn.
    let (length, angle) = (0.8_f64, 0.6_f64);
    let (s, c) = angle.sin_cos();
    let round = (G / (length * c)).sqrt();
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::sphere(0.7, 0.1).unwrap());
    let (on_first, on_second) = (Pose::default(), Pose::default());
    let kind = JointKind::Distance(length);
    world.joint(World::GROUND, body, Joint { kind, on_first, on_second }).unwrap();
    let arm = length * DVec3::new(s, 0.0, -c);
    let twist = Twist { linear: round * DVec3::Z.cross(arm), angular: DVec3::ZERO };
    let start = world.state(&[(Pose::at(arm), twist)]).unwrap();
    let t = 7.3;
    let (report, _) = go(&world, &start, t);
    balances(&report);
    let exact = DQuat::from_rotation_z(round * t) * arm;
    let off = (DVec3::from_slice(&report.state.q) - exact).length();
    assert!(off < 1e-12, "{off}");
}

#[test]
fn a_heavy_top_on_a_ball_joint_precesses_steadily() {
    // Ω sin θ (J₃ s − J₁ Ω cos θ) = m g l sin θ with the spin s about the axis.
    let (m, l) = (0.5, 0.15);
    let (across, axial) = (0.002, 0.0015);
    let inertia = glam::DMat3::from_diagonal(DVec3::new(across, across, axial));
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(MassProperties::new(m, inertia).unwrap());
    let kind = JointKind::Spherical;
    let (on_first, on_second) = (Pose::default(), Pose::at(-l * DVec3::Z));
    world.joint(World::GROUND, body, Joint { kind, on_first, on_second }).unwrap();
    let (theta, round) = (0.5_f64, 4.0);
    let (s, c) = theta.sin_cos();
    let pivot = across + m * l * l;
    let spin = (m * G * l / round + pivot * round * c) / axial;
    let axis = DVec3::new(s, 0.0, c);
    let angular = round * DVec3::Z + (spin - round * c) * axis;
    let rotation = DQuat::from_rotation_arc(DVec3::Z, axis);
    let twist = Twist { linear: angular.cross(l * axis), angular };
    let start = world.state(&[(Pose { position: l * axis, rotation }, twist)]).unwrap();
    let t = 1.3;
    let (report, _) = go(&world, &start, t);
    balances(&report);
    let exact = l * (DQuat::from_rotation_z(round * t) * axis);
    let off = (DVec3::from_slice(&report.state.q) - exact).length();
    assert!(off < 1e-11, "{off}");
}

fn swings_double<M: Joined>(way: Reaction) {
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let (upper, lower) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    let first =
        tree.link(Tree::GROUND, TreeJoint::Revolute, about_y(DVec3::ZERO), upper, rod()).unwrap();
    tree.link(first, TreeJoint::Revolute, lower, upper, rod()).unwrap();
    let start = tree.state(&[1.2, 0.4], &[0.0, 0.0]).unwrap();
    let (exact, _) = go(&tree, &start, 3.0);
    let places: Vec<_> = tree.links().map(|l| tree.motion(l, &start).unwrap()).collect();
    let mut model = M::empty(-G * DVec3::Z, way);
    let (a, b) = (model.add(rod()), model.add(rod()));
    hinge(&mut model, World::GROUND, DVec3::ZERO, a, 0.5 * DVec3::Z);
    hinge(&mut model, a, -0.5 * DVec3::Z, b, 0.5 * DVec3::Z);
    let (report, _) = go(&model, &model.place(&places), 3.0);
    balances(&report);
    let off = largest_difference(&model.motions(&report.state), &links(&tree, &exact.state));
    assert!(off < 1e-10, "{}, {way:?}: {off}", model.kind());
}

#[test]
fn a_double_pendulum_of_bodies_is_that_of_a_tree() {
    in_every_model!(swings_double);
}

#[test]
fn a_rod_on_a_pin_that_is_shaken_moves_as_its_differential_equation() {
    // θ̈ = −(m l / J) (g sin θ + ẍ cos θ) for a pivot at x(t), by Runge and Kutta's method.
    let (size, rate) = (0.2, 7.0);
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(rod());
    let shaken = world.prescribed(move |t: f64| {
        let (s, c) = (rate * t).sin_cos();
        let twist = Twist { linear: size * rate * c * DVec3::X, angular: DVec3::ZERO };
        (Pose::at(size * s * DVec3::X), twist)
    });
    hinge(&mut world, shaken, DVec3::ZERO, body, 0.5 * DVec3::Z);
    let (pose, _) = at_rest(0.4, DVec3::ZERO);
    let twist = Twist { linear: size * rate * DVec3::X, angular: DVec3::ZERO };
    let start = world.state(&[(pose, twist)]).unwrap();
    let (report, _) = go(&world, &start, 2.0);
    let share = 2.0 * 0.5 / (rod().inertia().y_axis.y + 2.0 * 0.25);
    // The rod hangs down at 0, and leans to −x at positive angles.
    let f = |t: f64, [a, w]: [f64; 2]| {
        let shakes = -size * rate * rate * (rate * t).sin();
        [w, share * (-G * a.sin() + shakes * a.cos())]
    };
    let (n, mut x) = (40_000, [0.4, 0.0]);
    let h = 2.0 / n as f64;
    for i in 0..n {
        let t = i as f64 * h;
        let to = |k: [f64; 2], s: f64| [x[0] + s * k[0], x[1] + s * k[1]];
        let a = f(t, x);
        let b = f(t + 0.5 * h, to(a, 0.5 * h));
        let c = f(t + 0.5 * h, to(b, 0.5 * h));
        let d = f(t + h, to(c, h));
        x = [0, 1].map(|j| x[j] + h / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + d[j]));
    }
    let angle = world.joint_coordinate(0, &report.state);
    let off = (angle - x[0]).abs().max((report.state.u[4] - x[1]).abs());
    assert!(off < 1e-10, "{angle} {x:?} {:?}", report.state.u);
}

#[test]
fn time_stepping_comes_to_the_motion_of_every_kind_of_joint_as_its_steps_shrink() {
    let kinds = [
        JointKind::Fixed,
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Universal,
        JointKind::Spherical,
        JointKind::Planar,
        JointKind::Distance(0.5),
        JointKind::Gear(1.5),
    ];
    for kind in kinds {
        // The first body turns about a ball joint on the ground, the second hangs on it by the joint in question.
        let mut world = World::new(-G * DVec3::Z).unwrap();
        let mass = |m| MassProperties::cuboid(m, DVec3::new(0.3, 0.5, 0.4)).unwrap();
        let (a, b) = (world.body(mass(1.5)), world.body(mass(1.0)));
        let ball = JointKind::Spherical;
        let top = Pose::at(0.4 * DVec3::Z);
        let on_ground = Joint { kind: ball, on_first: Pose::default(), on_second: top };
        world.joint(World::GROUND, a, on_ground).unwrap();
        let on_first = Pose { position: -0.3 * DVec3::Z, ..about_y(DVec3::ZERO) };
        let apart = if let JointKind::Distance(d) = kind { d * DVec3::X } else { DVec3::ZERO };
        let on_second = Pose { position: 0.2 * DVec3::X, ..about_y(DVec3::ZERO) };
        // Perpendicular axes for the universal joint.
        let turned = if kind == JointKind::Universal {
            Pose { rotation: on_second.rotation * DQuat::from_rotation_z(0.3), ..on_second }
        } else {
            on_second
        };
        world.joint(a, b, Joint { kind, on_first, on_second: turned }).unwrap();
        let still = Twist { linear: DVec3::ZERO, angular: DVec3::new(0.5, -0.3, 0.8) };
        let first = Pose::at(-0.4 * DVec3::Z);
        let second = Pose::at(-0.7 * DVec3::Z - 0.2 * DVec3::X + apart);
        let mut start = world.state(&[(first, still), (second, Twist::default())]).unwrap();
        world.assemble(&mut start).unwrap();
        let t_end = 0.25;
        let (exact, _) = go(&world, &start, t_end);
        balances(&exact);
        let errors = [2e-3, 1e-3].map(|dt| {
            let settings = run::Settings { t_end, dt, ..run::Settings::default() };
            let state = run(&world, &start, &settings, &mut (), &mut ()).unwrap().state;
            largest_difference(&world.motions(&state), &world.motions(&exact.state))
        });
        let order = (errors[0] / errors[1]).log2();
        assert!(errors[1] < 1e-4 && (1.9..2.1).contains(&order), "{kind:?}: {errors:?}");
    }
}

#[test]
fn a_start_off_its_joints_is_put_on_them_if_rounding_explains_it_and_refused_else() {
    let (world, _, start) = pendulum::<World>(0.7, Reaction::Inside);
    let mut near = start.clone();
    near.q[0] += 1e-5;
    let (report, _) = go(&world, &near, 0.1);
    let moved = report.start_moved.unwrap();
    assert!(moved.coordinate > 1e-6 && moved.coordinate < 1e-4, "{moved:?}");
    let mut far = start;
    far.q[0] += 0.1;
    let error = run_event_driven(&world, &far, &Settings::default(), &mut ()).unwrap_err();
    assert!(error.to_string().contains("assemble"), "{error}");
}

/// A box with spheres at its corners that is thrown onto the ground.
fn thrown<M: Joined>() -> (M, State) {
    let edges = DVec3::new(0.5, 0.4, 0.3);
    let mut model = M::empty(-G * DVec3::Z, Reaction::Inside);
    let body = model.add(MassProperties::cuboid(1.0, edges).unwrap());
    for i in 0..8 {
        let side = |bit: usize| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        let corner = edges * DVec3::new(side(0), side(1), side(2));
        let law = Law::disc(0.3);
        let ground = Shape::Plane(DVec3::ZERO, DVec3::Z);
        model.touch(body, [Shape::Sphere(corner, 0.02), ground], law);
    }
    let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.2, 0.1));
    let pose = Pose { position: 0.5 * DVec3::Z, rotation };
    let twist = Twist { linear: DVec3::new(1.0, 0.3, 0.0), angular: DVec3::new(0.5, 1.0, -0.3) };
    let start = model.place(&[(pose, twist)]);
    (model, start)
}

#[test]
fn a_thrown_box_of_point_masses_moves_as_a_rigid_one() {
    let (world, start) = thrown::<World>();
    // Before its corners chatter.
    let (exact, log) = go(&world, &start, 0.3205);
    assert!(log.events.iter().filter(|e| e.kind == EventKind::Impact).count() > 1);
    let (masses, start) = thrown::<PointMassWorld>();
    let (report, other) = go(&masses, &start, 0.3205);
    balances(&report);
    assert_eq!(log.events.len(), other.events.len());
    for (a, b) in log.events.iter().zip(&other.events) {
        assert_eq!((a.contact, a.kind), (b.contact, b.kind));
        assert!((a.t - b.t).abs() < 1e-11, "{a:?} {b:?}");
    }
    let off = largest_difference(&world.motions(&exact.state), &masses.motions(&report.state));
    assert!(off < 1e-9, "{off}");
}
