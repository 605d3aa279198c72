//! Joints between bodies of point masses: the motion of rigid bodies, redundancy, limits, drives, misuse.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stickslip::Error;
use stickslip::bodies::point_masses::{DistanceStep, PointMassPlace};
use stickslip::bodies::{
    Body, Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Twist, World,
};
use stickslip::model::Model;
use stickslip::step::{self, Stepper};
use stickslip::system::State;

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const KINDS: [JointKind; 9] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Prismatic,
    JointKind::Cylindrical,
    JointKind::Universal,
    JointKind::Spherical,
    JointKind::Planar,
    JointKind::Distance(0.4),
    JointKind::Gear(-0.7),
];

fn block() -> MassProperties {
    MassProperties::cuboid(1.3, DVec3::new(0.3, 0.2, 0.4)).unwrap()
}

fn frame(position: DVec3, turn: DVec3) -> Pose {
    Pose { position, rotation: DQuat::from_scaled_axis(turn) }
}

/// Two bodies: the first hangs on the ground by a ball, the second on the first by a joint of this kind.
fn joints(kind: JointKind) -> [Joint; 2] {
    let ball = Joint {
        kind: JointKind::Spherical,
        on_first: Pose::default(),
        on_second: frame(DVec3::new(0.0, 0.0, 0.3), DVec3::ZERO),
    };
    let turn = DVec3::new(0.3, -0.5, 0.2);
    let on_first = frame(DVec3::new(0.1, 0.05, -0.25), turn);
    // The second frame turned, where the joint asks for it: z of the first is perpendicular to x of the second.
    let on_second = frame(DVec3::new(-0.05, 0.1, 0.25), DVec3::new(0.1, 0.2, -0.3));
    [ball, Joint { kind, on_first, on_second }]
}

fn start() -> [(Pose, Twist); 2] {
    let spin = DVec3::new(1.0, -2.0, 0.7);
    let first = Pose::at(DVec3::new(0.0, 0.0, -0.3));
    let second = frame(DVec3::new(0.1, 0.0, -0.8), DVec3::new(0.2, -0.6, 0.5));
    let still = Twist { linear: DVec3::ZERO, angular: spin };
    [(first, still), (second, Twist { linear: DVec3::new(0.2, 0.1, 0.0), angular: -0.5 * spin })]
}

fn rigid(kind: JointKind) -> (World, [Body; 2], State) {
    let mut world = World::new(GRAVITY).unwrap();
    let bodies = [world.body(block()), world.body(block())];
    let [a, b] = joints(kind);
    world.joint(World::GROUND, bodies[0], a).unwrap();
    world.joint(bodies[0], bodies[1], b).unwrap();
    let mut state = world.state(&start()).unwrap();
    world.assemble(&mut state).unwrap();
    (world, bodies, state)
}

fn points(
    kind: JointKind,
    reaction: Reaction,
    motion: &[(Pose, Twist)],
) -> (PointMassWorld, [Body; 2], State) {
    let mut world = PointMassWorld::new(GRAVITY).unwrap().with_reactions(reaction);
    let bodies = [world.body(block()).unwrap(), world.body(block()).unwrap()];
    let [a, b] = joints(kind);
    world.joint(PointMassWorld::GROUND, bodies[0], a).unwrap();
    world.joint(bodies[0], bodies[1], b).unwrap();
    let mut state = world.state(motion).unwrap();
    world.assemble(&mut state).unwrap();
    (world, bodies, state)
}

fn march<M: Model>(world: &M, state: &mut State, steps: usize, dt: f64) {
    let mut stepper = Stepper::new(world, step::Settings::default()).unwrap();
    for _ in 0..steps {
        stepper.step(world, state, dt, &mut ()).unwrap().done().unwrap();
        assert!(stepper.outcome().certificate.worst < 1e-8);
    }
}

/// Places, turns, velocities and spins, the worst of both bodies.
fn apart(a: &[(Pose, Twist); 2], b: &[(Pose, Twist); 2]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, ((p, v), (q, w))| {
        let turn = p.rotation.angle_between(q.rotation);
        let place = (p.position - q.position).length();
        let (shift, spin) = ((v.linear - w.linear).length(), (v.angular - w.angular).length());
        m.max(turn).max(place).max(shift).max(spin)
    })
}

#[test]
fn every_joint_moves_point_masses_as_rigid_bodies_with_second_order() {
    for kind in KINDS {
        let mut off = [0.0, 0.0];
        for (k, steps) in [50, 100].into_iter().enumerate() {
            let dt = 0.25 / steps as f64;
            let (world, bodies, mut state) = rigid(kind);
            let motion = bodies.map(|b| world.motion(b, &state));
            march(&world, &mut state, steps, dt);
            let expected = bodies.map(|b| world.motion(b, &state));
            assert!(apart(&expected, &motion) > 0.1, "{kind:?} does not move");
            let ways = [Reaction::Inside, Reaction::InProblem].map(|reaction| {
                let (world, bodies, mut state) = points(kind, reaction, &motion);
                march(&world, &mut state, steps, dt);
                bodies.map(|b| world.motion(b, &state))
            });
            let both = apart(&ways[0], &ways[1]);
            assert!(both < 20.0 * dt * dt, "{kind:?}: {both}");
            off[k] = apart(&ways[0], &expected);
        }
        let order = (off[0] / off[1]).log2();
        assert!(off[1] < 1e-3 && order > 1.7, "{kind:?}: {off:?}, order {order}");
    }
}

#[test]
fn every_step_of_the_bars_keeps_its_order_between_joints() {
    let kind = JointKind::Revolute;
    let (world, bodies, state) = rigid(kind);
    let motion = bodies.map(|b| world.motion(b, &state));
    let run = |step, steps: usize| {
        let (world, bodies, mut state) = points(kind, Reaction::Inside, &motion);
        let world = world.with_step(step);
        march(&world, &mut state, steps, 0.25 / steps as f64);
        bodies.map(|b| world.motion(b, &state))
    };
    let fine = run(DistanceStep::Shake, 1600);
    for (step, least) in
        [(DistanceStep::AsPrinted, 0.8), (DistanceStep::Half, 1.8), (DistanceStep::Shake, 1.8)]
    {
        let [a, b] = [50, 100].map(|steps| apart(&run(step, steps), &fine));
        assert!((a / b).log2() > least && b < 0.05, "{step}: {a} {b}");
    }
}

/// Turns the joint's axis z into y.
fn about_y(x: f64) -> Pose {
    frame(DVec3::new(x, 0.0, 0.0), DVec3::new(-FRAC_PI_2, 0.0, 0.0))
}

fn revolute(on_first: Pose, on_second: Pose) -> Joint {
    Joint { kind: JointKind::Revolute, on_first, on_second }
}

fn rod(length: f64) -> MassProperties {
    MassProperties::cuboid(1.0, DVec3::new(length, 0.1, 0.1)).unwrap()
}

#[test]
fn a_four_bar_is_redundant_by_three_and_keeps_its_energy_and_its_joints() {
    let mut world = PointMassWorld::new(GRAVITY).unwrap();
    let [crank, coupler, rocker] = [1.0, 2.0, 1.0].map(|l| world.body(rod(l)).unwrap());
    let base = PointMassWorld::GROUND;
    for (first, x, second, y) in [
        (base, 0.0, crank, -0.5),
        (crank, 0.5, coupler, -1.0),
        (coupler, 1.0, rocker, 0.5),
        (rocker, -0.5, base, 2.0),
    ] {
        world.joint(first, second, revolute(about_y(x), about_y(y))).unwrap();
    }
    let upright = DVec3::new(0.0, -FRAC_PI_2, 0.0);
    let arm = |v: f64, w: f64| Twist {
        linear: DVec3::new(v, 0.0, 0.0),
        angular: DVec3::new(0.0, w, 0.0),
    };
    let motion = [
        (frame(DVec3::new(0.0, 0.0, 0.5), upright), arm(0.5, 1.0)),
        (Pose::at(DVec3::new(1.0, 0.0, 1.0)), arm(1.0, 0.0)),
        (frame(DVec3::new(2.0, 0.0, 0.5), upright), arm(0.5, 1.0)),
    ];
    let mut state = world.state(&motion).unwrap();
    let mut place = PointMassPlace::default();
    let drift = world.stabilise(&mut place, &mut state.q, &mut state.u, 0.0).unwrap();
    assert!(drift < 1e-14, "{drift}");
    let energy = world.energy(&state.q, &state.u, 0.0).total();
    march(&world, &mut state, 1000, 5e-4);
    let off = (world.energy(&state.q, &state.u, 0.0).total() - energy).abs() / energy;
    assert!(off < 1e-5, "{off}");
    // One degree of freedom: both arms about their pivots and the coupler on a circle fall from upright, where θ̇ = 1.
    let (pose, twist) = world.motion(crank, &state);
    let inertia = 2.0 * (rod(1.0).inertia().y_axis.y + 0.25) + 1.0;
    let lean = pose.position.x.atan2(pose.position.z);
    let rate = (1.0 + 4.0 * 9.81 * (1.0 - lean.cos()) / inertia).sqrt();
    assert!(lean > 0.3 && (twist.angular.y - rate).abs() < 1e-5 * rate, "{lean} {rate}");
    let drift = world.stabilise(&mut place, &mut state.q, &mut state.u, 0.0).unwrap();
    assert!(drift < 1e-13, "{drift}");
    assert_eq!(world.redundancy(&place), 3);
}

#[test]
fn a_limit_holds_a_rod_and_a_motor_brings_a_wheel_to_its_speed() {
    let rod_about_y = |gravity| {
        let mut world = PointMassWorld::new(gravity).unwrap();
        let body = world.body(rod(1.0)).unwrap();
        let joint = revolute(about_y(0.0), about_y(-0.5));
        world.joint(PointMassWorld::GROUND, body, joint).unwrap();
        let pose = Pose::at(DVec3::new(0.5, 0.0, 0.0));
        let state = world.state(&[(pose, Twist::default())]).unwrap();
        (world, body, state)
    };
    let (mut world, body, mut state) = rod_about_y(GRAVITY);
    world.limit(0, -0.4, 0.4).unwrap();
    march(&world, &mut state, 4000, 5e-4);
    let angle = world.joint_coordinate(0, &state).abs();
    let spin = world.motion(body, &state).1.angular.length();
    assert!((angle - 0.4).abs() < 1e-3 && spin < 1e-9, "{angle} {spin}");

    let (mut world, body, mut state) = rod_about_y(DVec3::ZERO);
    world.motor(0, 3.0, 0.7).unwrap();
    let time = 3.0 * (rod(1.0).inertia().y_axis.y + 0.25) / 0.7;
    march(&world, &mut state, 500, 0.5 * time / 500.0);
    let spin = world.motion(body, &state).1.angular;
    assert!((spin.length() - 1.5).abs() < 1e-6, "{spin}");
    march(&world, &mut state, 700, 0.5 * time / 500.0);
    let spin = world.motion(body, &state).1.angular;
    assert!((spin.length() - 3.0).abs() < 1e-9, "{spin}");
}

#[test]
fn misuse_is_refused_by_name() {
    let mut world = PointMassWorld::new(DVec3::ZERO).unwrap();
    let body = world.body(rod(1.0)).unwrap();
    let plain = Pose::default();
    let error = world.joint(body, body, revolute(plain, plain)).unwrap_err().to_string();
    assert!(error.contains("second body of joint 0"), "{error}");
    let long = Joint { kind: JointKind::Distance(-1.0), on_first: plain, on_second: plain };
    let error = world.joint(PointMassWorld::GROUND, body, long).unwrap_err().to_string();
    assert!(error.contains("distance of joint 0 is -1"), "{error}");
    for (x, end) in [(0.0, -0.5), (3.0, 0.5)] {
        let [on_first, on_second] = [x, end].map(|x| Pose::at(DVec3::new(x, 0.0, 0.0)));
        let joint = Joint { kind: JointKind::Spherical, on_first, on_second };
        world.joint(PointMassWorld::GROUND, body, joint).unwrap();
    }
    assert!(matches!(world.limit(0, 0.0, 1.0), Err(Error::Combination { .. })));
    assert!(world.motor(3, 0.0, 1.0).unwrap_err().to_string().contains("number of a joint is 3"));
    // Two points of the ground 3 apart cannot be joined by a rod of length 1.
    let mut state = world.state(&[(Pose::default(), Twist::default())]).unwrap();
    assert!(matches!(world.assemble(&mut state), Err(Error::Open { .. })));
}
