//! A model is not changed by what is asked of it: what a step leaves behind lies with its stepper.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::bodies::articulated::TreeJoint;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Tree, Twist, World,
};
use stickslip::model::{Generalised, Model};
use stickslip::models::{Linear, Woodpecker};
use stickslip::step::{self, Integrator, Stepper};
use stickslip::system::State;

const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const STEPS: usize = 40;

fn rod() -> MassProperties {
    MassProperties::cuboid(1.0, DVec3::new(1.0, 0.1, 0.2)).unwrap()
}

fn on(x: f64) -> Pose {
    Pose { position: DVec3::X * x, rotation: DQuat::from_rotation_x(-FRAC_PI_2) }
}

/// Two rods in a row, on a pin at the first or at the second; a ball between them.
fn rods(pinned: usize, reaction: Reaction) -> (World, State) {
    let mut world = World::new(G).unwrap().with_reactions(reaction);
    let bodies = [world.body(rod()), world.body(rod())];
    let pin = Joint { kind: JointKind::Revolute, on_first: on(pinned as f64), on_second: on(-0.5) };
    world.joint(World::GROUND, bodies[pinned], pin).unwrap();
    let ball = Joint { kind: JointKind::Spherical, on_first: on(0.5), on_second: on(-0.5) };
    world.joint(bodies[0], bodies[1], ball).unwrap();
    let state = world.state(&[0.5, 1.5].map(|x| (Pose::at(DVec3::X * x), Twist::default())));
    (world, state.unwrap())
}

/// The same with bodies of point masses.
fn masses(pinned: usize) -> (PointMassWorld, State) {
    let mut world = PointMassWorld::new(G).unwrap();
    let bodies = [world.body(rod()).unwrap(), world.body(rod()).unwrap()];
    let pin = Joint { kind: JointKind::Revolute, on_first: on(pinned as f64), on_second: on(-0.5) };
    world.joint(PointMassWorld::GROUND, bodies[pinned], pin).unwrap();
    let ball = Joint { kind: JointKind::Spherical, on_first: on(0.5), on_second: on(-0.5) };
    world.joint(bodies[0], bodies[1], ball).unwrap();
    let state = world.state(&[0.5, 1.5].map(|x| (Pose::at(DVec3::X * x), Twist::default())));
    (world, state.unwrap())
}

/// Two rods that hang on each other, the second this far out.
fn tree(out: f64) -> (Tree, State) {
    let mut tree = Tree::new(G).unwrap();
    let first = tree.link(Tree::GROUND, TreeJoint::Revolute, on(0.0), on(-0.5), rod()).unwrap();
    tree.link(first, TreeJoint::Spherical, on(out), on(-0.5), rod()).unwrap();
    let state = tree.rest();
    (tree, state)
}

/// Two masses that fall, the second this heavy, on a spring.
fn pair(mass: f64) -> (Generalised<Linear>, State) {
    let spring = complementarity::Matrix::from_fn(2, 2, |i, j| if i == j { 5.0 } else { -5.0 });
    let none = complementarity::Matrix::zeros(2, 2);
    let system = Linear::diagonal(&[1.0, mass], &[-1.0, -2.0], Vec::new()).unwrap();
    let model = Generalised::new(system.with_springs(spring, none).unwrap()).unwrap();
    (model, State::new(vec![0.0, 0.3], vec![0.0, 0.1]))
}

fn stepper<M: Model>(model: &M, integrator: Integrator) -> Stepper<M> {
    Stepper::new(model, step::Settings { integrator, ..step::Settings::default() }).unwrap()
}

fn go<M: Model>(stepper: &mut Stepper<M>, model: &M, state: &mut State) {
    stepper.step(model, state, 5e-3, &mut ()).unwrap().done().unwrap();
}

/// By every integrator: two motions of the first model in turn, and a stepper of the first that goes over to the second.
fn check<M: Model>((first, start): &(M, State), (second, other): &(M, State)) {
    for integrator in Integrator::STEPPING {
        let alone = |model: &M, start: &State| {
            let (mut stepper, mut state) = (stepper(model, integrator), start.clone());
            (0..STEPS).for_each(|_| go(&mut stepper, model, &mut state));
            state
        };
        let expected = alone(first, start);
        assert_ne!(expected.q, start.q, "it moves");
        let (mut a, mut b) = (stepper(first, integrator), stepper(first, integrator));
        let (mut state, mut ahead) = (start.clone(), start.clone());
        (0..7).for_each(|_| go(&mut b, first, &mut ahead));
        for _ in 0..STEPS {
            go(&mut a, first, &mut state);
            go(&mut b, first, &mut ahead);
        }
        assert_eq!(state, expected, "{} by {integrator}", first.kind());
        let mut state = other.clone();
        (0..STEPS).for_each(|_| go(&mut a, second, &mut state));
        // But for rounding: contact problems start at the impulses of the stepper's last one.
        let exact = alone(second, other);
        let off = state.q.iter().zip(&exact.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-12, "{} by {integrator}, then: {off}", first.kind());
    }
}

#[test]
fn steppers_that_share_a_model_do_not_see_each_other_and_no_place_outlives_its_model() {
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        check(&rods(0, reaction), &rods(1, reaction));
    }
    check(&masses(0), &masses(1));
    check(&tree(0.5), &tree(0.7));
    check(&pair(1.0), &pair(3.0));
}

#[test]
fn models_are_shared_between_threads() {
    fn shared<M: Model + Sync>(_: &M) {}
    shared(&rods(0, Reaction::Inside).0);
    shared(&masses(0).0);
    shared(&tree(0.5).0);
    shared(&Generalised::new(Woodpecker::default().system()).unwrap());
}
