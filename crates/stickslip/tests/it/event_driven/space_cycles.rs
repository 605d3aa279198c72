//! Limit cycles of mechanisms in space, whose rotations are angles, quaternions or places of point masses.

use glam::{DMat3, DQuat, DVec3};
use stickslip::analysis::{Cycle, Search, Surface, cycle, find_cycle};
use stickslip::bodies::articulated::{Tree, TreeJoint};
use stickslip::bodies::forces::{Custom, Load};
use stickslip::bodies::pose::logarithm;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, PointMassWorld, Pose, Shape, Twist, World,
};
use stickslip::contact::Law;
use stickslip::model::Model;
use stickslip::system::State;

const G: f64 = 9.81;

/// A wheel without a rim on a slope, with eight spokes of length 1 and mass 1 that is held upright.
fn wheel(slope: f64, inertia: f64) -> Tree {
    let gravity = G * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let mut tree = Tree::new(gravity).unwrap();
    let mass = MassProperties::new(1.0, DMat3::from_diagonal(DVec3::splat(inertia))).unwrap();
    // Shifts along x and z of the world, and a turn about −y.
    let upright = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
    };
    let hub = tree.link(Tree::GROUND, TreeJoint::Planar, upright, upright, mass).unwrap();
    for k in 0..8 {
        let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
        let tip = Shape::Point(DVec3::new(angle.sin(), 0.0, -angle.cos()));
        let touching = pair(tip, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
        tree.contact(hub, Tree::GROUND, touching, Law::disc(1.0)).unwrap();
    }
    tree
}

/// The speed on the cycle where a spoke is upright, and the multiplier.
fn exact(slope: f64, inertia: f64) -> (f64, f64) {
    let half = std::f64::consts::PI / 8.0;
    let pivot = inertia + 1.0;
    let kept = (inertia + (2.0 * half).cos()) / pivot;
    // ω⁺ = η ω⁻ at an impact, and a step gives 2 m g l sin α sin γ.
    let gain = 4.0 * G * half.sin() * slope.sin() / pivot;
    let before = (gain / (1.0 - kept * kept)).sqrt();
    // From upright to the next impact the hub falls by cos γ − cos(γ + α).
    let fallen = 2.0 * G * (slope.cos() - (slope + half).cos()) / pivot;
    ((before * before - fallen).sqrt(), kept * kept)
}

fn found<'a, M: Model>(
    model: &'a M,
    start: &State,
    surface: Surface<'a>,
    cyclic: &[usize],
) -> Box<Cycle> {
    let search = find_cycle(model, start, surface, cyclic, &cycle::Settings::default()).unwrap();
    let Search::Found(cycle) = search else { panic!("{}: {search:?}", model.kind()) };
    assert!(cycle.stable && cycle.returns == 1, "{cycle:?}");
    cycle
}

/// Whether the wheel rolls so; its speed is that of the velocity `u`.
fn rolls(cycle: &Cycle, (slope, inertia): (f64, f64), u: usize) {
    let (speed, multiplier) = exact(slope, inertia);
    assert!((cycle.state.u[u].abs() - speed).abs() < 1e-11, "{} {speed}", cycle.state.u[u]);
    assert!((cycle.multipliers[0].re - multiplier).abs() < 1e-7, "{:?}", cycle.multipliers);
    let others = cycle.multipliers.iter().skip(1).fold(0.0_f64, |m, x| m.max(x.norm()));
    assert!(others < 1e-7, "{cycle:?}");
    assert!(cycle.energy.relative < 1e-11, "{:?}", cycle.energy);
    // A step turns the wheel by an eighth, and moves it by the distance of two tips.
    let [(_, along), (_, turned)] = cycle.drop[..] else { panic!("{:?}", cycle.drop) };
    let eighth = std::f64::consts::FRAC_PI_4;
    assert!((turned.abs() - eighth).abs() < 1e-11, "{turned}");
    assert!((along - 2.0 * (0.5 * eighth).sin()).abs() < 1e-11, "{along}");
}

#[test]
fn a_rimless_wheel_rolls_down_a_slope_at_the_speed_at_which_impacts_take_what_gravity_gives() {
    let wheel_of = (0.08, 0.25);
    let tree = wheel(wheel_of.0, wheel_of.1);
    // A little too fast, with a spoke that stands upright on the slope.
    let speed = 1.3;
    let start = tree.state(&[0.0, 1.0, 0.0], &[speed, 0.0, -speed]).unwrap();
    let mut upright = |q: &[f64], _: &[f64], _: f64| -(8.0 * q[2]).sin();
    let cycle = found(&tree, &start, Surface::Section(&mut upright, 5.0), &[0, 2]);
    rolls(&cycle, wheel_of, 2);
}

#[test]
fn the_same_wheel_rolls_alike_as_a_body_that_a_joint_holds_upright() {
    let wheel_of = (0.08_f64, 0.25);
    let gravity = G * DVec3::new(wheel_of.0.sin(), 0.0, -wheel_of.0.cos());
    let mut world = World::new(gravity).unwrap();
    let inertia = DMat3::from_diagonal(DVec3::splat(wheel_of.1));
    let hub = world.body(MassProperties::new(1.0, inertia).unwrap());
    let upright =
        Pose { rotation: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), ..Pose::default() };
    let joint = Joint { kind: JointKind::Planar, on_first: upright, on_second: upright };
    world.joint(World::GROUND, hub, joint).unwrap();
    for k in 0..8 {
        let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
        let tip = Shape::Point(DVec3::new(angle.sin(), 0.0, -angle.cos()));
        let touching = pair(tip, Shape::Plane(DVec3::ZERO, DVec3::Z)).unwrap();
        world.contact(hub, World::GROUND, touching, Law::disc(1.0)).unwrap();
    }
    let speed = 1.3;
    let twist = Twist { linear: speed * DVec3::X, angular: speed * DVec3::Y };
    let start = world.state(&[(Pose::at(DVec3::Z), twist)]).unwrap();
    // Eight times the angle about y, from a quaternion with either sign.
    let mut section = |q: &[f64], _: &[f64], _: f64| (16.0 * q[5].atan2(q[3])).sin();
    let cycle = found(&world, &start, Surface::Section(&mut section, 5.0), &[0, 4]);
    rolls(&cycle, wheel_of, 4);
}

/// A block on a ball joint that a torque drives to and fro about two axes, with a spring and a damper.
fn driven(bodies: &[(Pose, Twist)], t: f64, loads: &mut [Load]) {
    let (pose, twist) = &bodies[1];
    let (c, s) = ((DRIVE * t).cos(), (DRIVE * t + 0.7).sin());
    let spring = -3.0 * logarithm(pose.rotation) - 0.4 * twist.angular;
    loads[1].torque += spring + DVec3::new(1.5 * c, 2.0 * s, 0.0);
}

const DRIVE: f64 = 4.0;

#[test]
fn a_driven_block_on_a_ball_joint_has_one_cycle_in_every_model() {
    let mass = MassProperties::cuboid(1.0, DVec3::new(0.3, 0.4, 0.6)).unwrap();
    let (pivot, gravity) = (Pose::at(DVec3::new(0.05, 0.0, 0.3)), -G * DVec3::Z);
    let joint = Joint { kind: JointKind::Spherical, on_first: Pose::default(), on_second: pivot };
    let hangs = (Pose::at(-pivot.position), Twist::default());
    let period = || Surface::Period(std::f64::consts::TAU / DRIVE);

    let mut tree = Tree::new(gravity).unwrap();
    let link = tree.link(Tree::GROUND, TreeJoint::Spherical, Pose::default(), pivot, mass).unwrap();
    tree.force(Custom::new(driven)).unwrap();
    let of_tree = found(&tree, &tree.rest(), period(), &[]);
    let wanted = tree.motion(link, &of_tree.state).unwrap();

    let mut world = World::new(gravity).unwrap();
    let body = world.body(mass);
    world.joint(World::GROUND, body, joint).unwrap();
    world.force(Custom::new(driven)).unwrap();
    let of_world = found(&world, &world.state(&[hangs]).unwrap(), period(), &[]);

    let mut masses = PointMassWorld::new(gravity).unwrap();
    let same = masses.body(mass).unwrap();
    masses.joint(World::GROUND, same, joint).unwrap();
    masses.force(Custom::new(driven)).unwrap();
    let of_masses = found(&masses, &masses.state(&[hangs]).unwrap(), period(), &[]);

    assert!(wanted.1.angular.length() > 0.3, "{wanted:?}");
    let motions = [world.motion(body, &of_world.state), masses.motion(same, &of_masses.state)];
    for ((pose, twist), cycle) in motions.into_iter().zip([&of_world, &of_masses]) {
        let turned = logarithm(pose.rotation * wanted.0.rotation.conjugate()).length();
        let off = turned.max((twist.angular - wanted.1.angular).length());
        assert!(off < 1e-9, "{off}");
        // The six multipliers of the block; joints and bars add zeros.
        for (i, m) in cycle.multipliers.iter().enumerate() {
            let exact = of_tree.multipliers.get(i).map_or(0.0, |m| m.norm());
            assert!((m.norm() - exact).abs() < 1e-6, "{i}: {m} {exact}");
        }
    }
}
