//! The level of accelerations with constraints inside the model: γ̇ = Hᵀ u̇ + Ḣᵀ u against differences of γ, and the same problem from every
//! model.

use crate::event_driven::joined::{Joined, WAYS, hinge, in_every_model};
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use stickslip::Error;
use stickslip::analysis::state::{Settings, StateAnalysis};
use stickslip::bodies::articulated::{Closure, Tree, TreeJoint};
use stickslip::bodies::point_masses::ContactRows;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Shape, Twist, World,
};
use stickslip::contact::Law;
use stickslip::level::{Level, change, pose, rel_velocity};
use stickslip::model::{Accelerations, Model};
use stickslip::system::State;

const G: f64 = 9.81;

const KINDS: [JointKind; 9] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Universal,
    JointKind::Spherical,
    JointKind::Planar,
    JointKind::Distance(0.7),
    JointKind::Gear(1.7),
];

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn a_pose() -> impl Strategy<Value = Pose> {
    (vector(1.0), vector(2.0))
        .prop_map(|(position, turn)| Pose { position, rotation: DQuat::from_scaled_axis(turn) })
}

fn a_motion() -> impl Strategy<Value = (Pose, Twist)> {
    let twist = (vector(1.0), vector(2.0));
    (a_pose(), twist).prop_map(|(pose, (linear, angular))| (pose, Twist { linear, angular }))
}

/// γ̇ at u̇, against differences of γ along a motion with these accelerations.
fn check_rates<M: Model>(model: &M, state: &State, candidates: &[usize], rate: &[f64]) {
    let mut at = Accelerations::default();
    let State { t, q, u } = state;
    model.accelerations(&mut M::Place::default(), (q, u, *t), candidates, &mut at).unwrap();
    let h = 1e-4;
    let [far, after, before, back] = [2.0 * h, h, -h, -2.0 * h].map(|h| {
        let mut there = State { t: t + h, ..state.clone() };
        let shift: Vec<f64> = u.iter().zip(rate).map(|(u, a)| h * u + 0.5 * h * h * a).collect();
        model.displace(q, &shift, &mut there.q);
        there.u.iter_mut().zip(rate).for_each(|(u, a)| *u += h * a);
        rel_velocity(model, &there, candidates).unwrap()
    });
    for row in 0..at.rows() {
        let found: f64 = at.direction(row).iter().zip(rate).map(|(h, a)| h * a).sum();
        let found = found + at.convective[row];
        let wanted = (8.0 * (after[row] - before[row]) - (far[row] - back[row])) / (12.0 * h);
        let close = 1e-6 * (1.0 + wanted.abs());
        assert!((found - wanted).abs() < close, "row {row}: {found} {wanted}");
    }
}

fn box_of(mass: f64) -> MassProperties {
    MassProperties::cuboid(mass, DVec3::new(0.3, 0.4, 0.5)).unwrap()
}

/// The motion of a body that is moved.
fn shaken(t: f64) -> (Pose, Twist) {
    let position = DVec3::new(t.sin(), 0.3 * t * t, 0.0);
    let rotation = DQuat::from_rotation_z((2.0 * t).sin());
    let linear = DVec3::new(t.cos(), 0.6 * t, 0.0);
    (Pose { position, rotation }, Twist { linear, angular: 2.0 * (2.0 * t).cos() * DVec3::Z })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Loops between two links that move freely, at any state, whether it closes them or not.
    #[test]
    fn rates_of_every_loop_are_those_of_differences(
        frames in [a_pose(), a_pose(), a_pose(), a_pose()],
        motions in [a_motion(), a_motion()],
        rate in proptest::collection::vec(-3.0..3.0, 12),
    ) {
        for closure in [Closure::Point, Closure::Hinge, Closure::Weld] {
            let mut tree = Tree::new(-G * DVec3::Z).unwrap();
            let (ground, free) = (Tree::GROUND, TreeJoint::Free);
            let a = tree.link(ground, free, Pose::default(), frames[2], box_of(1.0)).unwrap();
            let b = tree.link(a, free, frames[3], Pose::default(), box_of(2.0)).unwrap();
            tree.close(closure, (a, frames[0]), (b, frames[1])).unwrap();
            tree.close(closure, (b, frames[2]), (ground, frames[3])).unwrap();
            let (mut q, mut u) = (Vec::new(), Vec::new());
            for (Pose { position, rotation }, twist) in motions {
                q.extend(position.to_array());
                q.extend([rotation.w, rotation.x, rotation.y, rotation.z]);
                u.extend(twist.linear.to_array());
                u.extend(twist.angular.to_array());
            }
            check_rates(&tree, &State::new(q, u), &[0, 1], &rate);
        }
    }

    /// Contacts, joints, stops and motors over point masses, which move with the accelerations of a rigid body.
    #[test]
    fn rates_over_point_masses_are_those_of_differences(
        frames in [a_pose(), a_pose(), a_pose()],
        motions in [a_motion(), a_motion()],
        t in 0.0..1.0,
    ) {
        for (kind, rows) in KINDS.into_iter().flat_map(|k| ContactRows::ALL.map(|r| (k, r))) {
            let mut world = PointMassWorld::new(-G * DVec3::Z)
                .unwrap()
                .with_reactions(Reaction::InProblem)
                .with_rows(rows);
            let mut boxed = |m: f64| world.body(box_of(m)).unwrap();
            let (a, b) = (boxed(1.0), boxed(2.0));
            let moved = world.prescribed(shaken);
            let ball = |x: f64| Shape::Sphere(x * DVec3::X, 0.1);
            let law = Law::frictionless;
            world.contact(a, b, pair(ball(0.3), ball(-0.2)).unwrap(), law()).unwrap();
            let plane = Shape::Plane(-3.0 * DVec3::Z, DVec3::Z);
            world.contact(b, moved, pair(ball(0.3), plane).unwrap(), law()).unwrap();
            let mut candidates = vec![0, 1];
            for (i, (first, second)) in [(a, b), (moved, a), (b, moved)].into_iter().enumerate() {
                let joint = Joint { kind, on_first: frames[i], on_second: frames[(i + 1) % 3] };
                let number = world.joint(first, second, joint).unwrap();
                if kind.has_coordinate() {
                    world.limit(number, -1.0, 1.0).unwrap();
                    world.motor(number, 0.3, 2.0).unwrap();
                }
            }
            candidates.extend(2..if kind.has_coordinate() { 14 } else { 5 });
            let state = State { t, ..world.state(&motions).unwrap() };
            // With the joints among the candidates these are the accelerations of free bodies.
            let none = vec![0.0; rel_velocity(&world, &state, &candidates).unwrap().len()];
            let rate = change(&world, &state, &candidates, &none, 1.0).unwrap();
            check_rates(&world, &state, &candidates, &rate);
        }
    }

    /// Joints, stops and motors between two bodies and between a body and one that is moved, at any state, whether it fits the joints or not.
    #[test]
    fn rates_of_every_joint_are_those_of_differences(
        frames in [a_pose(), a_pose(), a_pose()],
        motions in [a_motion(), a_motion()],
        rate in proptest::collection::vec(-3.0..3.0, 12),
        t in 0.0..1.0,
    ) {
        for kind in KINDS {
            let mut world = World::new(-G * DVec3::Z).unwrap().with_reactions(Reaction::InProblem);
            let (a, b) = (world.body(box_of(1.0)), world.body(box_of(2.0)));
            let moved = world.prescribed(shaken);
            for (i, (first, second)) in [(a, b), (moved, a), (b, moved)].into_iter().enumerate() {
                let joint = Joint { kind, on_first: frames[i], on_second: frames[(i + 1) % 3] };
                let number = world.joint(first, second, joint).unwrap();
                if kind.has_coordinate() {
                    world.limit(number, -1.0, 1.0).unwrap();
                    world.motor(number, 0.3, 2.0).unwrap();
                }
            }
            let state = State { t, ..world.state(&motions).unwrap() };
            let candidates: Vec<usize> = (0..if kind.has_coordinate() { 12 } else { 3 }).collect();
            check_rates(&world, &state, &candidates, &rate);
        }
    }
}

fn about_y(position: DVec3) -> Pose {
    Pose { position, rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::Y) }
}

fn rod() -> MassProperties {
    MassProperties::cuboid(2.0, DVec3::new(0.05, 0.05, 1.0)).unwrap()
}

/// What touches the ground at the lower end of the lower rod.
fn tip() -> std::sync::Arc<dyn stickslip::bodies::Pair> {
    let ground = Shape::Plane(-1.5 * DVec3::Z, DVec3::Z);
    pair(Shape::Sphere(-0.5 * DVec3::Z, 0.05), ground).unwrap()
}

fn law() -> Law {
    Law::disc(0.4).with_restitution(0.3, 0.0)
}

/// Two rods that hang on each other and touch the ground: as a tree, and as bodies with joints.
fn as_tree() -> (Tree, State) {
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let (upper, lower) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    let first =
        tree.link(Tree::GROUND, TreeJoint::Revolute, about_y(DVec3::ZERO), upper, rod()).unwrap();
    let second = tree.link(first, TreeJoint::Revolute, lower, upper, rod()).unwrap();
    tree.contact(second, Tree::GROUND, tip(), law()).unwrap();
    let start = tree.state(&[1.1, -0.4], &[0.7, -1.3]).unwrap();
    (tree, start)
}

fn as_world(reaction: Reaction) -> (World, State) {
    let mut world = World::new(-G * DVec3::Z).unwrap().with_reactions(reaction);
    let (a, b) = (world.body(rod()), world.body(rod()));
    let (upper, lower) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    for (first, on_first, second) in [(World::GROUND, about_y(DVec3::ZERO), a), (a, lower, b)] {
        let joint = Joint { kind: JointKind::Revolute, on_first, on_second: upper };
        world.joint(first, second, joint).unwrap();
    }
    world.contact(b, World::GROUND, tip(), law()).unwrap();
    let (tree, start) = as_tree();
    let motions: Vec<_> = tree.links().map(|l| tree.motion(l, &start).unwrap()).collect();
    let start = world.state(&motions).unwrap();
    (world, start)
}

/// The same as point masses.
fn as_masses(reaction: Reaction) -> (PointMassWorld, State) {
    let mut world = PointMassWorld::new(-G * DVec3::Z).unwrap().with_reactions(reaction);
    let mut body = || world.body(rod()).unwrap();
    let (a, b) = (body(), body());
    let (upper, lower) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    for (first, on_first, second) in [(World::GROUND, about_y(DVec3::ZERO), a), (a, lower, b)] {
        let joint = Joint { kind: JointKind::Revolute, on_first, on_second: upper };
        world.joint(first, second, joint).unwrap();
    }
    world.contact(b, World::GROUND, tip(), law()).unwrap();
    let (tree, start) = as_tree();
    let motions: Vec<_> = tree.links().map(|l| tree.motion(l, &start).unwrap()).collect();
    let start = world.state(&motions).unwrap();
    (world, start)
}

/// The same as links that move freely, with loops in place of the joints.
fn as_loops() -> (Tree, State) {
    let mut looped = Tree::new(-G * DVec3::Z).unwrap();
    let still = Pose::default();
    let mut link = || looped.link(Tree::GROUND, TreeJoint::Free, still, still, rod()).unwrap();
    let (a, b) = (link(), link());
    let (upper, lower) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    looped.close(Closure::Hinge, (Tree::GROUND, about_y(DVec3::ZERO)), (a, upper)).unwrap();
    looped.close(Closure::Hinge, (a, lower), (b, upper)).unwrap();
    looped.contact(b, Tree::GROUND, tip(), law()).unwrap();
    // A free joint has the coordinates of a body.
    let (_, start) = as_world(Reaction::Inside);
    let start = looped.state(&start.q, &start.u).unwrap();
    (looped, start)
}

const LEVELS: [Level; 3] = [Level::Step(1e-3), Level::Impact, Level::Acceleration(1e-9)];

/// W, b and γ of the contact at every level.
fn numbers<M: Model>(model: &M, state: &State, contact: usize) -> Vec<f64> {
    let mut all = rel_velocity(model, state, &[contact]).unwrap();
    for level in LEVELS {
        let posed = pose(model, state, &[contact], level).unwrap();
        all.extend_from_slice(posed.bias());
        all.extend_from_slice(posed.delassus().to_dense().as_slice());
    }
    all
}

fn same(a: &[f64], b: &[f64], size: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < size, "{a} {b}");
    }
}

#[test]
fn joined_bodies_have_the_contact_problem_of_the_tree_at_every_level() {
    let (tree, start) = as_tree();
    let wanted = numbers(&tree, &start, 0);
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        let (world, start) = as_world(reaction);
        same(&numbers(&world, &start, 0), &wanted, 1e-11);
        for rows in ContactRows::ALL {
            let (masses, start) = as_masses(reaction);
            same(&numbers(&masses.with_rows(rows), &start, 0), &wanted, 1e-10);
        }
    }
    // Links that move freely, with a loop in place of each joint.
    let (looped, start) = as_loops();
    same(&numbers(&looped, &start, 2), &wanted, 1e-11);
}

#[test]
fn a_joint_in_the_problem_has_the_reaction_that_it_has_inside() {
    // With the joints among the candidates the answer of the problem is the acceleration that they make inside.
    let (inside, start) = as_world(Reaction::Inside);
    let wanted = change(&inside, &start, &[], &[], 1.0).unwrap();
    let (world, _) = as_world(Reaction::InProblem);
    for joints in [&[1, 2][..], &[1], &[2], &[]] {
        let posed = pose(&world, &start, joints, Level::Acceleration(1e-9)).unwrap();
        let mut solver = stickslip::contact::solve::ContactSolver::default();
        let force = if joints.is_empty() {
            Vec::new()
        } else {
            let solution = solver.solve(&posed);
            assert!(solution.is_solved(), "{solution:?}");
            solution.impulse.clone()
        };
        same(&change(&world, &start, joints, &force, 1.0).unwrap(), &wanted, 1e-9);
    }
}

/// A parallelogram that leans on the ground: by virtual work the ground bears the coupler and half of each arm.
fn leaning<M: Joined>(way: Reaction) -> (M, State) {
    let mut model = M::empty(-G * DVec3::Z, way);
    let bar = MassProperties::cuboid(3.0, DVec3::new(2.0, 0.05, 0.05)).unwrap();
    let (arms, coupler) = ([model.add(rod()), model.add(rod())], model.add(bar));
    let turned = DQuat::from_rotation_y(0.5);
    let mut places = Vec::new();
    for (arm, x) in arms.into_iter().zip([-1.0, 1.0]) {
        let pivot = x * DVec3::X;
        hinge(&mut model, World::GROUND, pivot, arm, 0.5 * DVec3::Z);
        hinge(&mut model, arm, -0.5 * DVec3::Z, coupler, pivot);
        let position = pivot + turned * (-0.5 * DVec3::Z);
        places.push((Pose { position, rotation: turned }, Twist::default()));
    }
    let low = turned * -DVec3::Z;
    places.push((Pose::at(low), Twist::default()));
    let ground = Shape::Plane((low.z - 0.1) * DVec3::Z, DVec3::Z);
    model.touch(coupler, [Shape::Sphere(DVec3::ZERO, 0.1), ground], Law::frictionless());
    let start = model.place(&places);
    (model, start)
}

fn bears<M: Joined>(way: Reaction) {
    let (model, state) = leaning::<M>(way);
    let settings = Settings::default();
    let found = StateAnalysis::of(&model, &state, &settings).unwrap();
    let contact = found.touching.iter().position(|t| t.gap.is_some()).unwrap();
    for level in [found.accelerations.as_ref().unwrap(), &found.step] {
        let row = level.problem.rows(contact).start;
        let wanted = 5.0 * G * if level.level.dt() < 1.0 { settings.dt } else { 1.0 };
        let solutions = &level.analysis.solutions.solutions;
        assert!(!solutions.is_empty(), "{}, {way:?}", model.kind());
        for (solution, motion) in solutions.iter().zip(&level.motions) {
            let force = solution.impulse[row];
            assert!((force - wanted).abs() < 1e-8 * wanted, "{}, {way:?}: {force}", model.kind());
            assert!(motion.iter().all(|a| a.abs() < 1e-8), "{motion:?}");
        }
    }
}

#[test]
fn the_ground_bears_its_share_of_a_mechanism_with_redundant_joints_at_every_level() {
    in_every_model!(bears);
}

#[test]
fn the_acceleration_of_a_rod_on_a_pin_is_that_of_its_moment_of_inertia() {
    let mut world = World::new(-G * DVec3::Z).unwrap();
    let body = world.body(rod());
    let joint = Joint {
        kind: JointKind::Revolute,
        on_first: about_y(DVec3::ZERO),
        on_second: about_y(0.5 * DVec3::Z),
    };
    world.joint(World::GROUND, body, joint).unwrap();
    let (angle, omega) = (0.8_f64, 1.7);
    let turned = DQuat::from_rotation_y(angle);
    let arm = turned * (-0.5 * DVec3::Z);
    let twist = Twist { linear: omega * DVec3::Y.cross(arm), angular: omega * DVec3::Y };
    let state = world.state(&[(Pose { position: arm, rotation: turned }, twist)]).unwrap();
    let found = change(&world, &state, &[], &[], 1.0).unwrap();
    // The rod hangs down at angle 0 and turns about y.
    let moment = rod().inertia().y_axis.y + 2.0 * 0.25;
    let alpha = -2.0 * G * 0.5 * angle.sin() / moment * DVec3::Y;
    let linear = alpha.cross(arm) - omega * omega * arm;
    same(&found, &[linear.to_array(), alpha.to_array()].concat(), 1e-12);
}

#[test]
fn friction_by_loads_has_no_acceleration() {
    let (mut world, start) = as_world(Reaction::Inside);
    world.pin_friction(0, 0.2, 0.01).unwrap();
    let refused = pose(&world, &start, &[1], Level::Impact).unwrap_err();
    assert!(matches!(refused, Error::Combination { .. }), "{refused}");
    assert!(refused.to_string().contains("load-dependent friction"), "{refused}");
    pose(&world, &start, &[0], Level::Impact).unwrap();
}
