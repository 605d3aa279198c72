//! Joints between rigid bodies: closed forms, both ways to the reactions, redundancy, limits, drives, misuse.

use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use stickslip::Error;
use stickslip::bodies::world::WorldPlace;
use stickslip::bodies::{
    Body, Joint, JointKind, MassProperties, Pose, Reaction, SpinUpdate, Twist, World,
};
use stickslip::model::Model;
use stickslip::run::{Settings, run};
use stickslip::step::{self, Stepper};
use stickslip::system::State;

const G: f64 = 9.81;

/// Turns the joint's axis z into y.
fn about_y() -> DQuat {
    DQuat::from_rotation_x(-FRAC_PI_2)
}

fn frame(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: DVec3::new(x, y, z), rotation: about_y() }
}

fn revolute(on_first: Pose, on_second: Pose) -> Joint {
    Joint { kind: JointKind::Revolute, on_first, on_second }
}

fn rod(length: f64) -> MassProperties {
    MassProperties::cuboid(1.0, DVec3::new(length, 0.1, 0.1)).unwrap()
}

fn march(world: &World, state: &mut State, steps: usize, dt: f64) -> f64 {
    let mut stepper = Stepper::new(world, step::Settings::default()).unwrap();
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        stepper.step(world, state, dt, &mut ()).unwrap().done().unwrap();
        worst = worst.max(stepper.outcome().certificate.worst);
    }
    worst
}

/// A chain of rods that hangs from the origin along x, each turning about y.
fn chain(links: usize, length: f64, reaction: Reaction) -> (World, State) {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap().with_reactions(reaction);
    let mut last = World::GROUND;
    let mut motion = Vec::new();
    for i in 0..links {
        let body = world.body(rod(length));
        let on_last = if i == 0 { frame(0.0, 0.0, 0.0) } else { frame(0.5 * length, 0.0, 0.0) };
        world.joint(last, body, revolute(on_last, frame(-0.5 * length, 0.0, 0.0))).unwrap();
        let x = (i as f64 + 0.5) * length;
        motion.push((Pose::at(DVec3::new(x, 0.0, 0.0)), Twist::default()));
        last = body;
    }
    let state = world.state(&motion).unwrap();
    (world, state)
}

/// The complete elliptic integral of the first kind, by the mean of Gauss.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    PI / (2.0 * a)
}

#[test]
fn a_rod_that_falls_from_the_horizontal_is_back_after_the_period_of_the_compound_pendulum() {
    let mut errors = Vec::new();
    for steps in [200, 400] {
        let (world, mut state) = chain(1, 1.0, Reaction::Inside);
        let inertia = rod(1.0).inertia().y_axis.y + 0.25;
        let period = 4.0 * (inertia / (G * 0.5)).sqrt() * elliptic_k((0.5 * FRAC_PI_2).sin());
        // A quarter: straight down, at the largest speed.
        march(&world, &mut state, steps, 0.25 * period / steps as f64);
        let off = (world.joint_coordinate(0, &state) - FRAC_PI_2).abs();
        let speed = (2.0 * G * 0.5 / inertia).sqrt();
        assert!((state.u[4].abs() - speed).abs() < 1e-3 * speed, "{:?} {speed}", state.u);
        errors.push(off);
    }
    let order = (errors[0] / errors[1]).log2();
    assert!(order > 1.8 && errors[1] < 1e-4, "{errors:?} {order}");
}

#[test]
fn reactions_inside_and_in_the_problem_move_a_chain_alike() {
    let (a, mut one) = chain(4, 0.5, Reaction::Inside);
    let (b, mut two) = chain(4, 0.5, Reaction::InProblem);
    march(&a, &mut one, 200, 2e-3);
    let worst = march(&b, &mut two, 200, 2e-3);
    assert!(worst < 1e-9, "{worst}");
    let off = one.q.iter().zip(&two.q).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
    assert!(off < 1e-8, "{off}");
}

#[test]
fn a_long_chain_keeps_its_energy_and_its_joints() {
    let (world, mut state) = chain(20, 0.2, Reaction::Inside);
    let start = world.energy(&state.q, &state.u, 0.0).total();
    let scale = 20.0 * G * 4.0;
    march(&world, &mut state, 2000, 5e-4);
    let off = (world.energy(&state.q, &state.u, 0.0).total() - start).abs() / scale;
    assert!(off < 1e-3, "{off}");
    let mut place = WorldPlace::default();
    let drift = world.stabilise(&mut place, &mut state.q, &mut state.u, state.t).unwrap();
    assert!(drift < 1e-13, "{drift}");
}

/// The change of energy of a straight chain that is let go at half a radian from hanging, over 20 s: mean sizes in the first and the second
/// half, and the largest, as shares of the energy that moves.
fn energy_of_a_swing(links: usize, update: SpinUpdate, dt: f64) -> [f64; 3] {
    const LENGTH: f64 = 0.1;
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap().with_update(update);
    let (turn, mut last) = (DQuat::from_rotation_y(FRAC_PI_2 - 0.5), World::GROUND);
    let mut motion = Vec::new();
    for i in 0..links {
        let body = world.body(rod(LENGTH));
        let ball = i % 3 == 2;
        let kind = if ball { JointKind::Spherical } else { JointKind::Revolute };
        let on_first = if i == 0 { frame(0.0, 0.0, 0.0) } else { frame(0.5 * LENGTH, 0.0, 0.0) };
        let on_second = frame(-0.5 * LENGTH, 0.0, 0.0);
        world.joint(last, body, Joint { kind, on_first, on_second }).unwrap();
        let along = turn * DVec3::X;
        let position = (i as f64 + 0.5) * LENGTH * along;
        motion.push((Pose { position, rotation: turn }, Twist::default()));
        last = body;
    }
    // The last link has a velocity out of the plane.
    motion[links - 1].1.angular = turn * DVec3::new(0.0, 0.0, 2.0);
    let mut state = world.state(&motion).unwrap();
    world.assemble(&mut state).unwrap();
    let start = world.energy(&state.q, &state.u, 0.0).total();
    let scale = G * LENGTH * (links * links) as f64 * 0.5 * (1.0 - 0.5_f64.cos());
    let mut stepper = Stepper::new(&world, step::Settings::default()).unwrap();
    let steps = (20.0 / dt).round() as usize;
    let mut found = [0.0_f64; 3];
    for k in 0..steps {
        stepper.step(&world, &mut state, dt, &mut ()).unwrap().done().unwrap();
        assert_eq!(stepper.place().parts(), 1);
        assert!(stepper.outcome().drift < 1e-14, "{}", stepper.outcome().drift);
        let off = (world.energy(&state.q, &state.u, 0.0).total() - start).abs() / scale;
        found[usize::from(2 * k >= steps)] += 2.0 * off / steps as f64;
        found[2] = found[2].max(off);
    }
    found
}

#[test]
fn the_energy_error_of_a_swinging_chain_is_of_second_order_and_does_not_drift() {
    for update in [SpinUpdate::ImplicitMidpoint, SpinUpdate::Variational] {
        let [coarse, fine] = [2e-3, 1e-3].map(|dt| energy_of_a_swing(12, update, dt));
        assert!(coarse[2] < 5e-5 && fine[2] < 0.5 * coarse[2], "{coarse:?} {fine:?}");
        let order = ((coarse[0] + coarse[1]) / (fine[0] + fine[1])).log2();
        assert!((order - 2.0).abs() < 0.1, "{update}: {order}");
        assert!(fine[1] < 1.5 * fine[0], "{fine:?}");
    }
}

#[test]
fn a_chain_that_whips_is_moved_in_parts_and_keeps_its_energy() {
    let (world, mut state) = chain(10, 0.1, Reaction::Inside);
    let start = world.energy(&state.q, &state.u, 0.0).total();
    let mut stepper = Stepper::new(&world, step::Settings::default()).unwrap();
    let mut parts = 1;
    for _ in 0..2500 {
        stepper.step(&world, &mut state, 4e-3, &mut ()).unwrap().done().unwrap();
        parts = parts.max(stepper.place().parts());
        let off = (world.energy(&state.q, &state.u, 0.0).total() - start).abs() / (10.0 * G);
        assert!(off < 1e-2, "{off} at {}", state.t);
    }
    assert!(parts > 1);
}

/// A parallelogram of three rods about y: crank, coupler, rocker, with a fixed base of length 2.
fn four_bar() -> (World, State) {
    let mut world = World::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let upright = DQuat::from_rotation_y(-FRAC_PI_2);
    let (crank, coupler, rocker) =
        (world.body(rod(1.0)), world.body(rod(2.0)), world.body(rod(1.0)));
    let base = World::GROUND;
    let pairs: [(Body, Pose, Body, Pose); 4] = [
        (base, frame(0.0, 0.0, 0.0), crank, frame(-0.5, 0.0, 0.0)),
        (crank, frame(0.5, 0.0, 0.0), coupler, frame(-1.0, 0.0, 0.0)),
        (coupler, frame(1.0, 0.0, 0.0), rocker, frame(0.5, 0.0, 0.0)),
        (rocker, frame(-0.5, 0.0, 0.0), base, frame(2.0, 0.0, 0.0)),
    ];
    for (first, on_first, second, on_second) in pairs {
        world.joint(first, second, revolute(on_first, on_second)).unwrap();
    }
    let up = |x: f64| Pose { position: DVec3::new(x, 0.0, 0.5), rotation: upright };
    // The crank turns to the right at 1 rad/s, and so does the rocker; the coupler moves in a circle.
    let turn = DVec3::new(0.0, 1.0, 0.0);
    let arm = |v: f64, w: DVec3| Twist { linear: DVec3::new(v, 0.0, 0.0), angular: w };
    let motion = [
        (up(0.0), arm(0.5, turn)),
        (Pose::at(DVec3::new(1.0, 0.0, 1.0)), arm(1.0, DVec3::ZERO)),
        (up(2.0), arm(0.5, turn)),
    ];
    let state = world.state(&motion).unwrap();
    (world, state)
}

#[test]
fn a_four_bar_with_parallel_axes_is_redundant_by_three_and_moves_as_a_parallelogram() {
    let (world, mut state) = four_bar();
    let mut place = WorldPlace::default();
    let drift = world.stabilise(&mut place, &mut state.q, &mut state.u, 0.0).unwrap();
    assert!(drift < 1e-14, "{drift}");
    let energy = world.energy(&state.q, &state.u, 0.0).total();
    march(&world, &mut state, 1000, 5e-4);
    // Upright the linkage is at a dead point of nothing: 20 rows, 18 motions, one of them left.
    world.stabilise(&mut place, &mut state.q.clone(), &mut state.u.clone(), state.t).unwrap();
    assert_eq!(world.redundancy(&place), 3);
    // The coupler stays level.
    assert!(state.q[7 + 4].abs() + state.q[7 + 5].abs() + state.q[7 + 6].abs() < 1e-10);
    let off = (world.energy(&state.q, &state.u, 0.0).total() - energy).abs() / energy;
    assert!(off < 1e-5, "{off}");
    // One degree of freedom: both arms about their pivots and the coupler on a circle fall from upright, where θ̇ = 1.
    let inertia = 2.0 * (rod(1.0).inertia().y_axis.y + 0.25) + 1.0;
    let lean = state.q[0].atan2(state.q[2]);
    let rate = (1.0 + 2.0 * G * 2.0 * (1.0 - lean.cos()) / inertia).sqrt();
    assert!(lean > 0.3 && (state.u[4] - rate).abs() < 1e-5 * rate, "{lean} {rate} {:?}", state.u);
}

#[test]
fn every_kind_of_joint_leaves_the_motions_that_it_says() {
    let kinds = [
        (JointKind::Fixed, 0),
        (JointKind::Revolute, 1),
        (JointKind::Prismatic, 1),
        (JointKind::Cylindrical, 2),
        (JointKind::Universal, 2),
        (JointKind::Spherical, 3),
        (JointKind::Planar, 3),
        (JointKind::Distance(1.0), 5),
        (JointKind::Gear(2.0), 5),
    ];
    for (kind, left) in kinds {
        let mut world = World::new(DVec3::new(0.3, 0.2, -G)).unwrap();
        let body = world.body(MassProperties::cuboid(2.0, DVec3::new(1.0, 2.0, 3.0)).unwrap());
        let on_second = Pose::at(DVec3::new(0.4, -0.2, 0.1));
        let joint = Joint { kind, on_first: Pose::at(DVec3::new(0.2, 0.1, 0.0)), on_second };
        world.joint(World::GROUND, body, joint).unwrap();
        assert_eq!(kind.rows(), 6 - left);
        let start = Pose::at(DVec3::new(-0.2, 0.3, -0.1));
        let twist =
            Twist { linear: DVec3::new(0.3, -0.2, 0.5), angular: DVec3::new(0.7, 0.2, -0.4) };
        let mut state = world.state(&[(start, twist)]).unwrap();
        world.assemble(&mut state).unwrap();
        let mut place = WorldPlace::default();
        world.stabilise(&mut place, &mut state.q.clone(), &mut state.u.clone(), 0.0).unwrap();
        assert_eq!(world.redundancy(&place), 0, "{kind:?}");
        // One velocity per motion that is left, by the rank of the projected unit velocities.
        let mut columns = Vec::new();
        for i in 0..6 {
            let mut u = vec![0.0; 6];
            u[i] = 1.0;
            let mut q = state.q.clone();
            world.stabilise(&mut place, &mut q, &mut u, 0.0).unwrap();
            columns.extend(u);
        }
        let rank = nalgebra::DMatrix::from_vec(6, 6, columns).rank(1e-9);
        assert_eq!(rank, left, "{kind:?}");
        let before = world.energy(&state.q, &state.u, 0.0).total();
        march(&world, &mut state, 400, 1e-3);
        let change = world.energy(&state.q, &state.u, 0.0).total() - before;
        assert!(change.abs() < 1e-3 * (1.0 + before.abs()), "{kind:?}: {change} of {before}");
        let drift = world.stabilise(&mut place, &mut state.q, &mut state.u, 0.0).unwrap();
        assert!(drift < 1e-12, "{kind:?}: {drift}");
    }
}

/// A wheel about y without gravity, at an angular velocity.
fn wheel(omega: f64) -> (World, State, f64) {
    let mut world = World::new(DVec3::ZERO).unwrap();
    let body = MassProperties::cuboid(1.0, DVec3::new(1.0, 0.2, 1.0)).unwrap();
    let inertia = body.inertia().y_axis.y;
    let body = world.body(body);
    world.joint(World::GROUND, body, revolute(frame(0.0, 0.0, 0.0), frame(0.0, 0.0, 0.0))).unwrap();
    let twist = Twist { linear: DVec3::ZERO, angular: DVec3::new(0.0, omega, 0.0) };
    let state = world.state(&[(Pose::default(), twist)]).unwrap();
    (world, state, inertia)
}

#[test]
fn dry_friction_stops_a_wheel_in_its_time_and_a_motor_brings_it_to_its_speed() {
    let (mut world, mut state, inertia) = wheel(2.0);
    world.motor(0, 0.0, 0.5).unwrap();
    let stop = 2.0 * inertia / 0.5;
    march(&world, &mut state, 500, 0.5 * stop / 500.0);
    assert!((state.u[4] - 1.0).abs() < 1e-9, "{:?}", state.u);
    march(&world, &mut state, 600, 0.5 * stop / 500.0);
    assert!(state.u[4].abs() < 1e-12, "{:?}", state.u);

    let (mut world, mut state, inertia) = wheel(0.0);
    world.motor(0, 3.0, 0.7).unwrap();
    let time = 3.0 * inertia / 0.7;
    march(&world, &mut state, 500, 0.5 * time / 500.0);
    assert!((state.u[4] - 1.5).abs() < 1e-9, "{:?}", state.u);
    march(&world, &mut state, 700, 0.5 * time / 500.0);
    assert!((state.u[4] - 3.0).abs() < 1e-9, "{:?}", state.u);
}

#[test]
fn a_limit_holds_a_rod_at_its_angle() {
    let (mut world, mut state) = chain(1, 1.0, Reaction::Inside);
    world.limit(0, -0.4, 0.4).unwrap();
    march(&world, &mut state, 4000, 5e-4);
    let angle = world.joint_coordinate(0, &state).abs();
    assert!((angle - 0.4).abs() < 1e-3 && state.u[4].abs() < 1e-9, "{angle} {:?}", state.u);
}

#[test]
fn misuse_is_refused_by_name() {
    let mut world = World::new(DVec3::ZERO).unwrap();
    let body = world.body(rod(1.0));
    let plain = frame(0.0, 0.0, 0.0);
    let error = world.joint(body, body, revolute(plain, plain)).unwrap_err().to_string();
    assert!(error.contains("second body of joint 0"), "{error}");
    let long = Joint { kind: JointKind::Distance(-1.0), on_first: plain, on_second: plain };
    let error = world.joint(World::GROUND, body, long).unwrap_err().to_string();
    assert!(error.contains("distance of joint 0 is -1"), "{error}");
    let ball = Joint { kind: JointKind::Spherical, on_first: plain, on_second: plain };
    world.joint(World::GROUND, body, ball).unwrap();
    assert!(matches!(world.limit(0, 0.0, 1.0), Err(Error::Combination { .. })));
    assert!(world.motor(3, 0.0, 1.0).unwrap_err().to_string().contains("number of a joint is 3"));

    // Two points of the ground 3 apart cannot be joined by a rod of length 1.
    let mut world = World::new(DVec3::ZERO).unwrap();
    let body = world.body(rod(1.0));
    for (x, end) in [(0.0, -0.5), (3.0, 0.5)] {
        let on_first = Pose::at(DVec3::new(x, 0.0, 0.0));
        let on_second = Pose::at(DVec3::new(end, 0.0, 0.0));
        let joint = Joint { kind: JointKind::Spherical, on_first, on_second };
        world.joint(World::GROUND, body, joint).unwrap();
    }
    let mut state = world.state(&[(Pose::default(), Twist::default())]).unwrap();
    let error = world.assemble(&mut state).unwrap_err().to_string();
    assert!(error.contains("joints cannot be closed"), "{error}");
}

#[test]
fn limits_beyond_half_a_turn_hold_and_those_a_turn_apart_are_refused() {
    let (mut world, mut state, _) = wheel(2.0);
    world.limit(0, -1.0, 4.0).unwrap();
    march(&world, &mut state, 2500, 1e-3);
    // 4 is read as 4 - 2π.
    let angle = world.joint_coordinate(0, &state) + std::f64::consts::TAU;
    assert!((angle - 4.0).abs() < 3e-3, "{angle}");
    let error = world.limit(0, -4.0, 4.0).unwrap_err().to_string();
    assert!(error.contains("the angle between the limits of joint 0 is 8"), "{error}");
}

#[test]
fn a_start_off_its_joints_is_refused_and_goes_once_it_is_assembled() {
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        let (world, mut state) = chain(2, 0.5, reaction);
        state.q[2] += 0.3;
        let mut stepper = Stepper::new(&world, step::Settings::default()).unwrap();
        let before = state.clone();
        let error = stepper.step(&world, &mut state, 1e-3, &mut ()).unwrap_err().to_string();
        assert!(error.contains("error of joints") && error.contains("assemble"), "{error}");
        assert_eq!(state, before);
        world.assemble(&mut state).unwrap();
        march(&world, &mut state, 10, 1e-3);
        assert!(state.u.iter().all(|v| v.abs() < 1.0), "{:?}", state.u);
    }
}

#[test]
fn messages_tell_the_number_that_is_not_finite() {
    let mut world = World::new(DVec3::ZERO).unwrap();
    let body = world.body(rod(1.0));
    let plain = frame(0.0, 0.0, 0.0);
    let joint = revolute(frame(1.0, f64::NAN, 0.0), plain);
    let error = world.joint(World::GROUND, body, joint).unwrap_err().to_string();
    assert!(error.contains("a coordinate of joint 0 is NaN"), "{error}");
    let error = World::new(DVec3::new(0.0, f64::NEG_INFINITY, 0.0)).unwrap_err().to_string();
    assert!(error.contains("gravity is -inf"), "{error}");
}

#[test]
fn the_report_of_a_run_tells_the_redundancy_of_joints() {
    let settings = Settings { t_end: 0.01, ..Settings::default() };
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        let (world, state) = four_bar();
        let world = world.with_reactions(reaction);
        let report = run(&world, &state, &settings, &mut (), &mut ()).unwrap();
        assert_eq!(report.redundancy, 3, "{reaction:?}");
    }
    let (world, state) = chain(3, 0.5, Reaction::Inside);
    let report = run(&world, &state, &settings, &mut (), &mut ()).unwrap();
    assert_eq!(report.redundancy, 0);
}

#[test]
fn a_motor_that_presses_a_joint_against_its_limit_holds_it_there_in_both_ways() {
    let axis = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let at = |position| Pose { position, rotation: axis };
    let mut ends = Vec::new();
    for reaction in [Reaction::Inside, Reaction::InProblem] {
        for most in [5.0, 50.0, 1e4] {
            let mut world =
                World::new(DVec3::new(0.0, 0.0, -9.81)).unwrap().with_reactions(reaction);
            let rod = world.body(MassProperties::cuboid(1.0, DVec3::new(0.5, 0.05, 0.05)).unwrap());
            let (on_first, on_second) = (at(DVec3::ZERO), at(DVec3::new(-0.25, 0.0, 0.0)));
            let hinge = Joint { kind: JointKind::Revolute, on_first, on_second };
            let hinge = world.joint(World::GROUND, rod, hinge).unwrap();
            world.limit(hinge, -0.5, 0.5).unwrap();
            world.motor(hinge, 2.0, most).unwrap();
            let start = (Pose::at(DVec3::new(0.25, 0.0, 0.0)), Twist::default());
            let mut state = world.state(&[start]).unwrap();
            let mut stepper = Stepper::new(&world, step::Settings::default()).unwrap();
            for step in 0..600 {
                let done = stepper.step(&world, &mut state, 1e-3, &mut ()).unwrap();
                assert!(done.done().is_ok(), "{reaction:?} {most} step {step}: {done:?}");
            }
            ends.push(world.joint_coordinate(hinge, &state));
        }
    }
    // The stop lies at one of both ends, the drive presses towards it.
    assert!(ends.iter().all(|angle| (angle.abs() - 0.5).abs() < 2.1e-3), "{ends:?}");
    assert!(ends.iter().all(|angle| (angle - ends[0]).abs() < 2.1e-3), "{ends:?}");
}
