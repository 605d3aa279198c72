//! Joints together with forces, methods and tables that move: what one model has, every model has.

use super::{AnyModel, order};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use stickslip::bodies::articulated::{self, Tree};
use stickslip::bodies::forces::{
    Anchor, Axis, BodyIndex, Damper, Force, Freedom, JointDamper, JointSpring, Spring,
};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Shape, Twist, World,
};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::step::{self, Integrator, Stepper};
use stickslip::system::State;

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const NAMES: [&str; 5] =
    ["world, inside", "world, in the problem", "masses, inside", "masses, in the problem", "tree"];

fn rod() -> MassProperties {
    MassProperties::cuboid(1.0, DVec3::new(1.0, 0.1, 0.2)).unwrap()
}

fn on(x: f64) -> Pose {
    Pose { position: DVec3::X * x, rotation: DQuat::from_rotation_x(-FRAC_PI_2) }
}

/// A spring and a damper from a point beside the mechanism to its end, and both in its pin.
fn forces([first, second]: [BodyIndex; 2]) -> [Arc<dyn Force>; 4] {
    let from = Anchor::world(DVec3::new(1.0, 0.7, 0.4));
    let to = Anchor::on(second, DVec3::new(0.5, 0.0, 0.0));
    let axis = Axis::new(Freedom::Turn, (BodyIndex::GROUND, on(0.0)), (first, on(-0.5)));
    [
        Arc::new(Spring { from, to, stiffness: 20.0, length: 0.2 }),
        Arc::new(Damper { from, to, damping: 1.0 }),
        Arc::new(JointSpring { axis, stiffness: 3.0, rest: -0.2 }),
        Arc::new(JointDamper { axis, damping: 0.5 }),
    ]
}

fn march<M: Model>(m: &M, state: &mut State, steps: usize, method: Integrator) {
    let settings = step::Settings { integrator: method, ..step::Settings::default() };
    let mut stepper = Stepper::new(m, settings).unwrap();
    for _ in 0..steps {
        stepper.step(m, state, 0.4 / steps as f64, &mut ()).unwrap().done().unwrap();
    }
}

/// A rod on a pin, and another on it by a ball, held out and let go: the pose of the second after a time.
fn swing(which: usize, method: Integrator, steps: usize) -> Pose {
    let pin = Joint { kind: JointKind::Revolute, on_first: on(0.0), on_second: on(-0.5) };
    let ball = Joint { kind: JointKind::Spherical, on_first: on(0.5), on_second: on(-0.5) };
    let start = [0.5, 1.5].map(|x| (Pose::at(DVec3::X * x), Twist::default()));
    let reaction = if which.is_multiple_of(2) { Reaction::Inside } else { Reaction::InProblem };
    match which {
        0 | 1 => {
            let mut world = World::new(GRAVITY).unwrap().with_reactions(reaction);
            let (a, b) = (world.body(rod()), world.body(rod()));
            world.joint(World::GROUND, a, pin).unwrap();
            world.joint(a, b, ball).unwrap();
            forces([a.into(), b.into()]).into_iter().for_each(|f| world.force(f).unwrap());
            let mut state = world.state(&start).unwrap();
            march(&world, &mut state, steps, method);
            world.motion(b, &state).0
        }
        2 | 3 => {
            let mut world = PointMassWorld::new(GRAVITY).unwrap().with_reactions(reaction);
            let (a, b) = (world.body(rod()).unwrap(), world.body(rod()).unwrap());
            world.joint(PointMassWorld::GROUND, a, pin).unwrap();
            world.joint(a, b, ball).unwrap();
            forces([a.into(), b.into()]).into_iter().for_each(|f| world.force(f).unwrap());
            let mut state = world.state(&start).unwrap();
            march(&world, &mut state, steps, method);
            world.motion(b, &state).0
        }
        _ => {
            let mut tree = Tree::new(GRAVITY).unwrap();
            let (pin, ball) = (articulated::TreeJoint::Revolute, articulated::TreeJoint::Spherical);
            let a = tree.link(Tree::GROUND, pin, on(0.0), on(-0.5), rod()).unwrap();
            let b = tree.link(a, ball, on(0.5), on(-0.5), rod()).unwrap();
            forces([a.into(), b.into()]).into_iter().for_each(|f| tree.force(f).unwrap());
            let mut state = tree.rest();
            march(&tree, &mut state, steps, method);
            tree.motion(b, &state).unwrap().0
        }
    }
}

#[test]
fn springs_and_dampers_on_jointed_bodies_give_one_motion_by_every_method_in_every_model() {
    let exact = swing(4, Integrator::MoreauMidpoint, 10_000);
    assert!(exact.position.y.abs() > 0.02, "it leaves its plane: {exact:?}");
    for (method, expected) in [
        (Integrator::MoreauMidpoint, 2.0),
        (Integrator::MoreauJean { theta: 0.5 }, 2.0),
        (Integrator::GapLevel, 1.0),
    ] {
        for (which, name) in NAMES.iter().enumerate() {
            let errors = [200, 400].map(|steps| {
                let pose = swing(which, method, steps);
                let turn = 1.0 - pose.rotation.dot(exact.rotation).abs();
                (pose.position - exact.position).length() + (2.0 * turn.abs()).sqrt()
            });
            let found = order(&errors);
            assert!((found - expected).abs() < 0.3, "{name} {method}: {errors:?} {found}");
            let bound = if expected > 1.5 { 1e-3 } else { 0.1 };
            assert!(errors[1] < bound, "{name} {method}: {errors:?}");
        }
    }
}

#[test]
fn a_box_that_sticks_to_a_table_has_its_velocity_at_the_end_of_the_step() {
    const A: f64 = 2.0;
    let motion = |t: f64| {
        let twist = Twist { linear: DVec3::X * A * t, angular: DVec3::ZERO };
        (Pose::at(DVec3::X * 0.5 * A * t * t), twist)
    };
    for method in [Integrator::MoreauMidpoint, Integrator::MoreauJean { theta: 0.5 }] {
        for mut model in AnyModel::all(GRAVITY) {
            model.body(MassProperties::cuboid(2.0, DVec3::new(0.4, 0.3, 0.2)).unwrap());
            model.prescribed(motion);
            for (x, y) in [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.0)] {
                let foot = Shape::Point(DVec3::new(x, y, -0.1));
                let table = Shape::Plane(DVec3::ZERO, DVec3::Z);
                model.contact(pair(foot, table).unwrap(), Law::disc(0.4));
            }
            let mut state = model.state(&[(Pose::at(DVec3::Z * 0.1), Twist::default())]);
            let settings =
                step::Settings { integrator: method, margin: 1e-9, ..step::Settings::default() };
            model.march(&mut state, 50, 1e-2, settings);
            let off = (model.motion(0, &state).1.linear.x - A * state.t).abs();
            assert!(off < 1e-7, "{} {method}: {off}", model.name());
        }
    }
}
