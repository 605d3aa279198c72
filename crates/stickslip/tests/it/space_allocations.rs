//! Steps of bodies in space allocate nothing once they have met as many contacts before.
//!
//! The usual path is meant: the cone, `auto`, laws with a disc or without friction. What may allocate: methods to which `auto` goes over where
//! Newton's method does not end within its first steps; more than 16 patterns of contacts in turn, each of which has an order of
//! elimination of its own; friction sets that own lists (ellipsoids, polyhedra), which are copied with their laws; loops of
//! articulated trees; friction in joints by their load.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::bodies::articulated::{self, Tree};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Shape, Twist, World,
};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::step::{self, Stepper};
use stickslip::system::State;

const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Allocations, and how many steps had contacts, in a motion that was made once before.
fn count<M: Model>(model: &M, start: &State, steps: usize, dt: f64) -> (u64, usize) {
    let mut stepper = Stepper::new(model, step::Settings::default()).unwrap();
    let (mut first, mut second, mut touched) = (start.clone(), start.clone(), 0);
    let mut go = |state: &mut State, steps: usize| {
        touched = 0;
        for _ in 0..steps {
            stepper.step(model, state, dt, &mut ()).unwrap().done().unwrap();
            touched += usize::from(!stepper.outcome().active.is_empty());
        }
    };
    go(&mut first, steps);
    // The first step again starts at the impulses of the last one.
    go(&mut second, 1);
    let made = allocation_counter::measure(|| go(&mut second, steps - 1));
    (made.count_total, touched)
}

fn ground() -> Shape {
    Shape::Plane(DVec3::ZERO, DVec3::Z)
}

fn corners(world: &mut World, law: &Law) {
    let body = world.body(MassProperties::cuboid(1.0, DVec3::new(0.4, 0.3, 0.2)).unwrap());
    for (x, y) in [(-0.2, -0.15), (0.2, -0.15), (0.2, 0.15), (-0.2, 0.15)] {
        let corner = Shape::Point(DVec3::new(x, y, -0.1));
        world.contact(body, World::GROUND, pair(corner, ground()).unwrap(), law.clone()).unwrap();
    }
}

/// Rods on hinges about y along x, from the origin or free, with a touching point at every end if there is a law.
fn chain(links: usize, height: f64, reaction: Reaction, law: Option<&Law>) -> (World, State) {
    let mut world = World::new(G).unwrap().with_reactions(reaction);
    let at = |x: f64| {
        let rotation = DQuat::from_rotation_x(-FRAC_PI_2);
        Pose { position: DVec3::new(x, 0.0, 0.0), rotation }
    };
    let (mut last, mut motion) = (None, Vec::new());
    for i in 0..links {
        let body = world.body(MassProperties::cuboid(0.1, DVec3::new(0.2, 0.02, 0.02)).unwrap());
        let on_first =
            if i == 0 { Pose { position: height * DVec3::Z, ..at(0.0) } } else { at(0.1) };
        let joint = Joint { kind: JointKind::Revolute, on_first, on_second: at(-0.1) };
        match (last, law) {
            (Some(last), _) => drop(world.joint(last, body, joint).unwrap()),
            (None, None) => drop(world.joint(World::GROUND, body, joint).unwrap()),
            (None, Some(_)) => {}
        }
        if let Some(law) = law {
            let end = Shape::Sphere(DVec3::new(0.1, 0.0, 0.0), 0.01);
            let touching = pair(end, ground()).unwrap();
            world.contact(body, World::GROUND, touching, law.clone()).unwrap();
        }
        let position = DVec3::new(0.2 * i as f64 + 0.1, 0.0, height);
        motion.push((Pose { position, rotation: DQuat::IDENTITY }, Twist::default()));
        last = Some(body);
    }
    let state = world.state(&motion).unwrap();
    (world, state)
}

#[test]
fn the_counter_counts() {
    let made = allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0; 100])));
    assert_eq!(made.count_total, 1);
}

#[test]
fn free_flight_of_rigid_bodies_and_of_point_masses() {
    let body = MassProperties::cuboid(1.0, DVec3::new(0.4, 0.3, 0.2)).unwrap();
    let twist = Twist { linear: DVec3::X, angular: DVec3::new(1.0, 2.0, 3.0) };
    let mut world = World::new(G).unwrap();
    world.body(body);
    let state = world.state(&[(Pose::default(), twist)]).unwrap();
    assert_eq!(count(&world, &state, 200, 1e-3), (0, 0));
    let mut masses = PointMassWorld::new(G).unwrap();
    masses.body(body).unwrap();
    let state = masses.state(&[(Pose::default(), twist)]).unwrap();
    assert_eq!(count(&masses, &state, 200, 1e-3), (0, 0));
}

#[test]
fn joints_inside_and_in_the_problem() {
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        let (world, state) = chain(6, 0.0, reaction, None);
        let (made, _) = count(&world, &state, 200, 1e-3);
        assert_eq!(made, 0, "{reaction:?}");
    }
}

#[test]
fn a_box_that_slides_and_then_stands_on_four_corners() {
    for law in [Law::disc(0.3), Law::frictionless()] {
        let mut world = World::new(G).unwrap();
        corners(&mut world, &law);
        let start = Pose::at(DVec3::new(0.0, 0.0, 0.1));
        let twist = Twist { linear: DVec3::new(1.0, 0.5, 0.0), angular: DVec3::Z };
        let state = world.state(&[(start, twist)]).unwrap();
        let (made, touched) = count(&world, &state, 600, 1e-3);
        assert!(touched > 590, "{touched}");
        assert_eq!(made, 0, "{law:?}");
    }
}

#[test]
fn a_box_of_point_masses_that_slides_and_then_stands() {
    let mut masses = PointMassWorld::new(G).unwrap();
    let body =
        masses.body(MassProperties::cuboid(1.0, DVec3::new(0.4, 0.3, 0.2)).unwrap()).unwrap();
    for (x, y) in [(-0.2, -0.15), (0.2, -0.15), (0.2, 0.15), (-0.2, 0.15)] {
        let corner = Shape::Point(DVec3::new(x, y, -0.1));
        let pair = pair(corner, ground()).unwrap();
        masses.contact(body, PointMassWorld::GROUND, pair, Law::disc(0.3)).unwrap();
    }
    let twist = Twist { linear: DVec3::new(1.0, 0.5, 0.0), angular: DVec3::Z };
    let state = masses.state(&[(Pose::at(DVec3::new(0.0, 0.0, 0.1)), twist)]).unwrap();
    let (made, touched) = count(&masses, &state, 600, 1e-3);
    assert!(touched > 300, "{touched}");
    assert_eq!(made, 0);
}

#[test]
fn a_box_that_bounces_on_its_corners() {
    let mut world = World::new(G).unwrap();
    corners(&mut world, &Law::disc(0.3).with_restitution(0.5, 0.0));
    let tilt = DQuat::from_scaled_axis(DVec3::new(0.05, 0.08, 0.0));
    let start = Pose { position: DVec3::new(0.0, 0.0, 0.3), rotation: tilt };
    let state = world.state(&[(start, Twist::default())]).unwrap();
    let (made, touched) = count(&world, &state, 600, 1e-3);
    assert!(touched > 50, "{touched}");
    assert_eq!(made, 0);
}

#[test]
fn a_chain_that_lies_down_on_the_ground() {
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        let (world, state) = chain(4, 0.02, reaction, Some(&Law::disc(0.5)));
        let (made, touched) = count(&world, &state, 300, 1e-3);
        assert!(touched > 100, "{touched}");
        assert_eq!(made, 0, "{reaction:?}");
    }
}

#[test]
fn an_articulated_tree_that_stands_on_the_ground() {
    let mut tree = Tree::new(G).unwrap();
    let rod = MassProperties::cuboid(0.2, DVec3::new(0.2, 0.05, 0.05)).unwrap();
    let base = tree
        .link(Tree::GROUND, articulated::TreeJoint::Free, Pose::default(), Pose::default(), rod)
        .unwrap();
    for side in [-1.0, 1.0] {
        let at = Pose {
            position: DVec3::new(0.1 * side, 0.0, 0.0),
            rotation: DQuat::from_rotation_x(FRAC_PI_2),
        };
        let own = Pose { position: DVec3::new(-0.1 * side, 0.0, 0.0), ..at };
        let arm = tree.link(base, articulated::TreeJoint::Revolute, at, own, rod).unwrap();
        let foot = Shape::Sphere(DVec3::new(0.1 * side, 0.0, 0.0), 0.03);
        tree.contact(arm, Tree::GROUND, pair(foot, ground()).unwrap(), Law::disc(0.6)).unwrap();
    }
    let foot = Shape::Sphere(DVec3::ZERO, 0.03);
    tree.contact(base, Tree::GROUND, pair(foot, ground()).unwrap(), Law::disc(0.6)).unwrap();
    let mut q = vec![0.0; tree.coordinates()];
    q[2] = 0.05;
    q[3] = 1.0;
    let u = vec![0.0; tree.velocities()];
    let state = tree.state(&q, &u).unwrap();
    let (made, touched) = count(&tree, &state, 300, 1e-3);
    assert!(touched > 200, "{touched}");
    assert_eq!(made, 0);
}
