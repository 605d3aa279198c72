//! Trees in joint coordinates: the fast algorithms against plain ones, closed forms, loops, limits, friction, contacts.

mod armature;

use glam::{DMat3, DQuat, DVec3};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use stickslip::bodies::articulated::{Closure, LinkId, Tree, TreeJoint, TreePlace};
use stickslip::bodies::forces::Custom;
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape, Twist, World};
use stickslip::contact::set::ConvexSet;
use stickslip::contact::{Law, Mode};
use stickslip::expression::{Coordinate, Definition, ExpressionSystem};
use stickslip::model::Model;
use stickslip::step::{self, Stepper};
use stickslip::system::{State, System};

const G: f64 = 9.81;
const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

fn go(tree: &Tree, state: &mut State, t_end: f64, dt: f64) -> f64 {
    let mut stepper = Stepper::new(tree, step::Settings::default()).unwrap();
    let mut worst = 0.0_f64;
    for _ in 0..(t_end / dt).round() as usize {
        stepper.step(tree, state, dt, &mut ()).unwrap().done().unwrap();
        worst = worst.max(stepper.outcome().certificate.worst);
    }
    worst
}

/// A thin rod along −y from its joint.
fn rod(tree: &mut Tree, parent: LinkId, at: DVec3, length: f64) -> LinkId {
    let mass = MassProperties::cuboid(1.5, DVec3::new(0.02, length, 0.02)).unwrap();
    let top = Pose::at(DVec3::new(0.0, 0.5 * length, 0.0));
    tree.link(parent, TreeJoint::Revolute, Pose::at(at), top, mass).unwrap()
}

/// Its moment of inertia about the joint.
fn rod_moment(length: f64) -> f64 {
    1.5 / 12.0 * (length * length + 4e-4) + 1.5 * 0.25 * length * length
}

fn chain(links: usize) -> Tree {
    let mut tree = Tree::new(DOWN).unwrap();
    let mut parent = Tree::GROUND;
    for i in 0..links {
        let at = if i == 0 { DVec3::ZERO } else { DVec3::new(0.0, -0.5, 0.0) };
        parent = rod(&mut tree, parent, at, 1.0);
    }
    tree
}

/// Numbers between −1 and 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn rotation(&mut self) -> DQuat {
        let v = self.vector();
        DQuat::from_xyzw(v.x, v.y, v.z, 1.2 + self.next()).normalize()
    }

    fn pose(&mut self) -> Pose {
        Pose { position: self.vector(), rotation: self.rotation() }
    }

    fn mass(&mut self) -> MassProperties {
        let r = DMat3::from_quat(self.rotation());
        let moments = DVec3::splat(2.0) + 0.5 * self.vector();
        let mass = 1.5 + self.next();
        MassProperties::new(mass, r * DMat3::from_diagonal(moments) * r.transpose()).unwrap()
    }

    /// A tree with every kind of joint, in random places, and a state.
    fn tree(&mut self, links: usize) -> (Tree, State, Vec<MassProperties>) {
        let mut tree = Tree::new(DVec3::new(1.0, -2.0, -9.0)).unwrap();
        let (mut all, mut masses) = (vec![Tree::GROUND], Vec::new());
        for i in 0..links {
            let joint = TreeJoint::ALL[(i + (self.next() * 50.0).abs() as usize) % 8];
            let parent = all[((self.next() + 1.0) * 0.5 * all.len() as f64) as usize];
            let (a, b, mass) = (self.pose(), self.pose(), self.mass());
            all.push(tree.link(parent, joint, a, b, mass).unwrap());
            masses.push(mass);
        }
        let mut rest = tree.rest();
        let turn: Vec<f64> = (0..tree.velocities()).map(|_| self.next()).collect();
        let q = rest.q.clone();
        tree.advance(&q, &turn, &turn, 1.0, &mut rest.q);
        let u: Vec<f64> = (0..tree.velocities()).map(|_| self.next()).collect();
        let state = tree.state(&rest.q, &u).unwrap();
        (tree, state, masses)
    }
}

fn dense(tree: &Tree, q: &[f64]) -> DMatrix<f64> {
    let n = tree.velocities();
    DMatrix::from_row_slice(n, n, &tree.mass_matrix(q).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn accelerations_are_those_of_the_mass_matrix_and_newton_euler(seed in 0_u64.., links in 1_usize..15) {
        let mut numbers = Numbers(seed);
        let (mut tree, state, _) = numbers.tree(links);
        let n = tree.velocities();
        let tau: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let given = tau.clone();
        tree.joint_force(move |_, _, _, out| out.iter_mut().zip(&given).for_each(|(o, g)| *o += g));
        let pull = Custom::new(|bodies, _, out| {
            out.iter_mut().zip(bodies).for_each(|(o, b)| o.force -= b.0.position);
        });
        tree.force(pull).unwrap();
        let h = tree.inverse_dynamics(&state, &vec![0.0; n]).unwrap();
        let m = dense(&tree, &state.q);
        prop_assert!((&m - m.transpose()).amax() <= 1e-13 * (1.0 + m.amax()));
        let right = DVector::from_vec(tau.clone()) - DVector::from_vec(h);
        let expected = m.clone().cholesky().unwrap().solve(&right);
        let a = tree.acceleration(&state).unwrap();
        let scale = 1.0 + expected.amax();
        for (a, e) in a.iter().zip(expected.iter()) {
            prop_assert!((a - e).abs() < 1e-9 * scale, "{a} {e}");
        }
        let back = tree.inverse_dynamics(&state, &a).unwrap();
        for (b, t) in back.iter().zip(&tau) {
            prop_assert!((b - t).abs() < 1e-9 * (1.0 + m.amax() * scale), "{b} {t}");
        }
        let x: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let y = tree.inverse_mass_times(&state.q, &x).unwrap();
        let off = &m * DVector::from_vec(y.clone()) - DVector::from_vec(x);
        prop_assert!(off.amax() < 1e-11 * (1.0 + m.amax() * DVector::from_vec(y).amax()));
    }

    /// The forces on the links, from twists differentiated along the motion, do no work but that of the joints.
    #[test]
    fn newton_euler_is_virtual_power_of_the_motion_itself(seed in 0_u64.., links in 1_usize..8) {
        let mut numbers = Numbers(seed);
        let (mut tree, state, masses) = numbers.tree(links);
        let n = tree.velocities();
        let a: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let step = 1e-4;
        let [before, after] = [-step, step].map(|e| {
            let u: Vec<f64> = state.u.iter().zip(&a).map(|(u, a)| u + e * a).collect();
            let mut q = state.q.clone();
            tree.advance(&state.q, &state.u, &u, e, &mut q);
            State { t: 0.0, q, u }
        });
        let tau = tree.inverse_dynamics(&state, &a).unwrap();
        // Twists at a unit velocity of each joint are the virtual motions. Momenta J ω come in world axes.
        let mut expected = vec![0.0; n];
        for (id, mass) in tree.links().zip(masses) {
            let momentum = |tree: &Tree, s: &State| {
                let (p, v) = tree.motion(id, s).unwrap();
                let r = DMat3::from_quat(p.rotation);
                (mass.mass() * v.linear, r * mass.inertia() * r.transpose() * v.angular)
            };
            let (f1, l1) = momentum(&mut tree, &after);
            let (f0, l0) = momentum(&mut tree, &before);
            let weight = mass.mass() * DVec3::new(1.0, -2.0, -9.0);
            let (force, torque) = ((f1 - f0) / (2.0 * step) - weight, (l1 - l0) / (2.0 * step));
            for (j, e) in expected.iter_mut().enumerate() {
                let mut unit = vec![0.0; n];
                unit[j] = 1.0;
                let virtual_motion = State { t: 0.0, q: state.q.clone(), u: unit };
                let (_, v) = tree.motion(id, &virtual_motion).unwrap();
                *e += v.linear.dot(force) + v.angular.dot(torque);
            }
        }
        let scale = 1.0 + expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (t, e) in tau.iter().zip(&expected) {
            prop_assert!((t - e).abs() < 1e-5 * scale, "{t} {e}");
        }
    }
}

#[test]
fn a_double_pendulum_has_the_accelerations_of_its_lagrangian() {
    let tree = chain(2);
    let moment = 1.5 / 12.0 * (1.0 + 4e-4);
    // Angles from the vertical; the second joint's coordinate is relative.
    let kinetic = format!(
        "1.5/2*(rate(sin(a)/2)^2 + rate(-cos(a)/2)^2 + rate(sin(a)+sin(a+b)/2)^2 + rate(-cos(a)-cos(a+b)/2)^2) \
         + {moment}/2*(rate(a)^2 + rate(a+b)^2)"
    );
    let coordinate = |name: &str| Coordinate { name: name.into(), velocity: format!("d{name}") };
    let definition = Definition {
        coordinates: vec![coordinate("a"), coordinate("b")],
        kinetic,
        potential: Some("1.5*9.81*(-cos(a)/2 - cos(a) - cos(a+b)/2)".into()),
        ..Definition::default()
    };
    let system = ExpressionSystem::new(&definition).unwrap();
    let mut numbers = Numbers(3);
    for _ in 0..20 {
        let q = [3.0 * numbers.next(), 3.0 * numbers.next()];
        let u = [5.0 * numbers.next(), 5.0 * numbers.next()];
        let mut m = complementarity::Matrix::zeros(2, 2);
        let mut h = [0.0; 2];
        system.mass(&q, 0.0, &mut m);
        system.forces(&q, &u, 0.0, &mut h);
        let m = DMatrix::from_row_slice(2, 2, m.as_slice());
        let expected = m.lu().solve(&DVector::from_column_slice(&h)).unwrap();
        let state = tree.state(&q, &u).unwrap();
        let a = tree.acceleration(&state).unwrap();
        for (a, e) in a.iter().zip(expected.iter()) {
            assert!((a - e).abs() < 1e-11 * (1.0 + expected.amax()), "{a} {e}");
        }
        let (own, theirs) = (tree.energy(&q, &u, 0.0), system.energy(&q, &u, 0.0));
        assert!((own.total() - theirs.total()).abs() < 1e-12 * (1.0 + theirs.kinetic));
    }
}

#[test]
fn a_pendulum_swings_with_the_period_of_the_elliptic_integral() {
    let amplitude = 2.0_f64;
    // T = 2 π √(J/mgs) / agm(1, cos(a/2)).
    let (mut x, mut y) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..20 {
        (x, y) = (0.5 * (x + y), f64::sqrt(x * y));
    }
    let period = std::f64::consts::TAU * (rod_moment(1.0) / (1.5 * G * 0.5)).sqrt() / x;
    let mut errors = Vec::new();
    for steps in [1000, 2000] {
        let tree = chain(1);
        let mut state = tree.state(&[amplitude], &[0.0]).unwrap();
        let energy = tree.energy(&state.q, &state.u, 0.0).total();
        go(&tree, &mut state, 10.0 * period, period / f64::from(steps));
        errors.push(state.u[0].abs());
        let off = tree.energy(&state.q, &state.u, 0.0).total() - energy;
        assert!(off.abs() < 1e-4 * energy.abs().max(1.0), "{off}");
    }
    let order = (errors[0] / errors[1]).log2();
    assert!((order - 2.0).abs() < 0.1, "{errors:?}");
}

#[test]
fn a_free_link_tumbles_as_a_free_body_does() {
    let mass = MassProperties::new(2.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5))).unwrap();
    let twist = Twist { linear: DVec3::new(1.0, 0.0, 0.5), angular: DVec3::new(0.1, 3.0, 0.2) };
    let mut world = World::new(DOWN).unwrap();
    world.body(mass);
    let mut body = world.state(&[(Pose::default(), twist)]).unwrap();
    let mut stepper = Stepper::new(&world, step::Settings::default()).unwrap();
    for _ in 0..20000 {
        stepper.step(&world, &mut body, 1e-4, &mut ()).unwrap().done().unwrap();
    }
    let mut errors = Vec::new();
    for dt in [2e-3, 1e-3] {
        let mut tree = Tree::new(DOWN).unwrap();
        tree.link(Tree::GROUND, TreeJoint::Free, Pose::default(), Pose::default(), mass).unwrap();
        let mut state = tree.rest();
        state.u = vec![1.0, 0.0, 0.5, 0.1, 3.0, 0.2];
        go(&tree, &mut state, 2.0, dt);
        let off =
            |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        errors.push(off(&state.u, &body.u).max(off(&state.q, &body.q)));
    }
    assert!(errors[1] < 1e-4, "{errors:?}");
    assert!((errors[0] / errors[1]).log2() > 1.8, "{errors:?}");
}

#[test]
fn a_chain_of_a_hundred_links_keeps_its_energy() {
    let tree = chain(100);
    let mut q = vec![0.0; 100];
    q[0] = 0.5;
    let mut state = tree.state(&q, &[0.0; 100]).unwrap();
    let energy = tree.energy(&state.q, &state.u, 0.0).total();
    let moved = 1.5 * G * 100.0 * 50.0 * (1.0 - 0.5_f64.cos());
    go(&tree, &mut state, 5.0, 2e-3);
    let off = (tree.energy(&state.q, &state.u, 0.0).total() - energy).abs() / moved;
    assert!(off < 1e-4, "{off}");
    assert!(tree.energy(&state.q, &state.u, 0.0).kinetic > 0.01 * moved);
}

#[test]
fn joints_with_springs_and_dampers_decay_as_they_should() {
    // A mass on a slide, with spring k and damper c below the critical one.
    let (m, k, c) = (2.0_f64, 50.0, 1.0_f64);
    let (d, w) = (c / (2.0 * m), (k / m - (c / (2.0 * m)).powi(2)).sqrt());
    let exact = 0.3 * (-d * 3.0).exp() * ((w * 3.0).cos() + d / w * (w * 3.0).sin());
    let errors = [2e-3, 1e-3].map(|dt| {
        let mut tree = Tree::new(DVec3::ZERO).unwrap();
        let block = MassProperties::sphere(m, 0.1).unwrap();
        let pose = Pose::default();
        tree.link(Tree::GROUND, TreeJoint::Prismatic, pose, pose, block).unwrap();
        tree.joint_force(move |q, u, _, out| out[0] -= k * q[0] + c * u[0]);
        let mut state = tree.state(&[0.3], &[0.0]).unwrap();
        go(&tree, &mut state, 3.0, dt);
        (state.q[0] - exact).abs()
    });
    assert!(errors[1] < 1e-5, "{errors:?}");
    assert!(((errors[0] / errors[1]).log2() - 2.0).abs() < 0.05, "{errors:?}");
}

/// A parallelogram: two cranks of length 1, two apart, with a coupler of length 2 closed by a hinge.
fn four_bar() -> (Tree, LinkId) {
    let mut tree = Tree::new(DOWN).unwrap();
    let first = rod(&mut tree, Tree::GROUND, DVec3::ZERO, 1.0);
    let coupler = MassProperties::cuboid(3.0, DVec3::new(2.0, 0.02, 0.02)).unwrap();
    let end = Pose::at(DVec3::new(-1.0, 0.0, 0.0));
    let tip = Pose::at(DVec3::new(0.0, -0.5, 0.0));
    let coupler = tree.link(first, TreeJoint::Revolute, tip, end, coupler).unwrap();
    let second = rod(&mut tree, Tree::GROUND, DVec3::new(2.0, 0.0, 0.0), 1.0);
    let far = Pose::at(DVec3::new(1.0, 0.0, 0.0));
    tree.close(Closure::Hinge, (coupler, far), (second, tip)).unwrap();
    (tree, coupler)
}

#[test]
fn a_four_bar_as_a_tree_with_one_loop_swings_as_its_pendulum() {
    let (tree, coupler) = four_bar();
    let mut state = tree.state(&[0.6, -0.6, 0.6], &[0.0; 3]).unwrap();
    // Five equations of the hinge, of which three hold by the other hinges.
    let mut place = TreePlace::default();
    tree.stabilise(&mut place, &mut state.q.clone(), &mut state.u.clone(), 0.0).unwrap();
    assert_eq!(tree.redundancy(&place), 3);
    // J θ̈ = −(2 · m g / 2 + M g) sin θ with J = 2 J_rod + M: a pendulum of one link.
    let (j, k) = (2.0 * rod_moment(1.0) + 3.0, 1.5 * G + 3.0 * G);
    let (mut x, mut y) = (1.0, 0.3_f64.cos());
    for _ in 0..20 {
        (x, y) = (0.5 * (x + y), f64::sqrt(x * y));
    }
    let period = std::f64::consts::TAU * (j / k).sqrt() / x;
    let worst = go(&tree, &mut state, period, period / 2000.0);
    assert!(worst < 1e-9, "{worst}");
    for (q, e) in state.q.iter().zip([0.6, -0.6, 0.6]) {
        assert!((q - e).abs() < 1e-5, "{:?}", state.q);
    }
    let (pose, twist) = tree.motion(coupler, &state).unwrap();
    assert!(pose.rotation.angle_between(DQuat::IDENTITY) < 1e-9 && twist.angular.length() < 1e-9);
}

#[test]
fn a_loop_that_cannot_close_is_an_error_and_one_that_nearly_does_is_closed() {
    let (tree, _) = four_bar();
    let state = tree.state(&[0.6, -0.5, 0.7], &[1.0, 0.0, 0.0]).unwrap();
    // The three angles of the parallelogram, and their rates.
    assert!((state.q[0] + state.q[1]).abs() < 1e-9 && (state.q[0] - state.q[2]).abs() < 1e-9);
    assert!((state.u[0] + state.u[1]).abs() < 1e-9 && (state.u[0] - state.u[2]).abs() < 1e-9);
    let mut tree = chain(2);
    let ids: Vec<LinkId> = tree.links().collect();
    let far = Pose::at(DVec3::new(5.0, 0.0, 0.0));
    let end = Pose::at(DVec3::new(0.0, -0.5, 0.0));
    tree.close(Closure::Point, (ids[1], end), (Tree::GROUND, far)).unwrap();
    let error = tree.state(&[0.5, 0.1], &[0.0; 2]).unwrap_err().to_string();
    assert!(error.contains("loop 0 cannot close") && error.contains("lengths"), "{error}");
}

#[test]
fn a_limit_throws_the_joint_back_with_its_restitution() {
    let mut tree = Tree::new(DVec3::ZERO).unwrap();
    let link = rod(&mut tree, Tree::GROUND, DVec3::ZERO, 1.0);
    tree.limit(link, 0, [f64::NEG_INFINITY, 0.5], 0.6).unwrap();
    let mut state = tree.state(&[0.0], &[2.0]).unwrap();
    go(&tree, &mut state, 0.5, 1e-3);
    assert!((state.u[0] + 1.2).abs() < 1e-12, "{}", state.u[0]);
    assert!((state.q[0] - (0.5 - 1.2 * 0.25)).abs() < 5e-3, "{}", state.q[0]);
}

#[test]
fn a_brake_stops_the_joint_after_its_time_and_holds_it() {
    let mut tree = Tree::new(DVec3::ZERO).unwrap();
    let link = rod(&mut tree, Tree::GROUND, DVec3::ZERO, 1.0);
    tree.friction(link, Law::dry(0.2, ConvexSet::Interval)).unwrap();
    let mut state = tree.state(&[0.0], &[3.0]).unwrap();
    let stop = 3.0 * rod_moment(1.0) / 0.2;
    go(&tree, &mut state, 0.5 * stop, stop / 1000.0);
    assert!((state.u[0] - 1.5).abs() < 1e-9, "{}", state.u[0]);
    go(&tree, &mut state, 0.6 * stop, stop / 1000.0);
    assert!(state.u[0].abs() < 1e-12, "{}", state.u[0]);
    assert!((state.q[0] - 1.5 * stop).abs() < 1e-6 * stop, "{}", state.q[0]);
    // In gravity it holds a rod up to the angle at which the weight is stronger.
    for (angle, mode) in
        [(0.05, Mode::Stick), (0.5, Mode::Slide(stickslip::contact::Slip::Negative))]
    {
        let mut tree = chain(1);
        tree.friction(link, Law::dry(1.5, ConvexSet::Interval)).unwrap();
        let mut state = tree.state(&[angle], &[0.0]).unwrap();
        let mut stepper = Stepper::new(&tree, step::Settings::default()).unwrap();
        for _ in 0..10 {
            stepper.step(&tree, &mut state, 1e-3, &mut ()).unwrap().done().unwrap();
        }
        assert_eq!(stepper.outcome().modes, [mode], "{angle}");
    }
}

#[test]
fn a_motor_speeds_up_at_its_torque_keeps_its_speed_and_can_be_overpowered() {
    let mut tree = Tree::new(DVec3::ZERO).unwrap();
    let link = rod(&mut tree, Tree::GROUND, DVec3::ZERO, 1.0);
    tree.motor(link, 2.0, 0.5).unwrap();
    let mut state = tree.state(&[0.0], &[0.0]).unwrap();
    let there = 2.0 * rod_moment(1.0) / 0.5;
    go(&tree, &mut state, 0.5 * there, there / 1000.0);
    assert!((state.u[0] - 1.0).abs() < 1e-9, "{}", state.u[0]);
    go(&tree, &mut state, there, there / 1000.0);
    assert!((state.u[0] - 2.0).abs() < 1e-9, "{}", state.u[0]);
    // A limit stops it, and it goes on pressing.
    tree.limit(link, 0, [f64::NEG_INFINITY, state.q[0] + 0.1], 0.0).unwrap();
    go(&tree, &mut state, 0.2, 1e-3);
    assert!(state.u[0].abs() < 1e-9, "{}", state.u[0]);
    for (velocity, most) in [(f64::NAN, 1.0), (1.0, -1.0), (1.0, f64::INFINITY)] {
        assert!(tree.motor(link, velocity, most).is_err(), "{velocity} {most}");
    }
}

#[test]
fn a_ball_joint_with_dry_friction_loses_spin_at_a_constant_rate() {
    let mut tree = Tree::new(DVec3::ZERO).unwrap();
    let ball = MassProperties::sphere(2.0, 0.5).unwrap();
    let pose = Pose::default();
    let link = tree.link(Tree::GROUND, TreeJoint::Spherical, pose, pose, ball).unwrap();
    tree.friction(link, Law::dry(0.1, ConvexSet::Ellipsoid(vec![1.0; 3]))).unwrap();
    let mut state = tree.rest();
    let spin = DVec3::new(1.0, -2.0, 2.0);
    state.u.copy_from_slice(&spin.to_array());
    go(&tree, &mut state, 1.0, 1e-2);
    let left = spin * (1.0 - 0.1 / 0.2 / 3.0);
    for (u, e) in state.u.iter().zip(left.to_array()) {
        assert!((u - e).abs() < 1e-9, "{:?} {left}", state.u);
    }
}

#[test]
fn a_free_ball_slides_and_rolls_and_an_arm_rests_on_the_ground() {
    let (mu, radius, v0) = (0.2, 0.5, 3.0);
    let mut tree = Tree::new(DVec3::new(0.0, 0.0, -G)).unwrap();
    let ball = MassProperties::sphere(2.0, radius).unwrap();
    let pose = Pose::default();
    let ball = tree.link(Tree::GROUND, TreeJoint::Free, pose, pose, ball).unwrap();
    let ground = Shape::Plane(DVec3::ZERO, DVec3::Z);
    let touching = pair(Shape::Sphere(DVec3::ZERO, radius), ground).unwrap();
    tree.contact(ball, Tree::GROUND, touching, Law::disc(mu)).unwrap();
    let mut state = tree.rest();
    (state.q[2], state.u[0]) = (radius, v0);
    let slide = 2.0 * v0 / (7.0 * mu * G);
    let worst = go(&tree, &mut state, 1.5 * slide, slide / 500.0);
    assert!(worst < 1e-9, "{worst}");
    assert!((state.u[0] - 5.0 / 7.0 * v0).abs() < 1e-9, "{:?}", state.u);
    assert!((state.u[4] - 5.0 / 7.0 * v0 / radius).abs() < 1e-9);

    let mut arm = chain(3);
    let ids: Vec<LinkId> = arm.links().collect();
    let floor = Shape::Plane(DVec3::new(0.0, -1.2, 0.0), DVec3::Y);
    for id in &ids {
        let tip = pair(Shape::Point(DVec3::new(0.0, -0.5, 0.0)), floor).unwrap();
        arm.contact(*id, Tree::GROUND, tip, Law::disc(0.5)).unwrap();
    }
    let mut state = arm.state(&[1.0, 0.4, -0.2], &[0.0; 3]).unwrap();
    let worst = go(&arm, &mut state, 5.0, 2e-3);
    assert!(worst < 1e-9, "{worst}");
    let kinetic = arm.energy(&state.q, &state.u, 0.0).kinetic;
    assert!(kinetic < 1e-6, "{kinetic}");
}

#[test]
fn bad_trees_are_refused_by_name() {
    let mass = MassProperties::sphere(1.0, 1.0).unwrap();
    let pose = Pose::default();
    let mut tree = Tree::new(DOWN).unwrap();
    let stranger = chain(3).links().last().unwrap();
    let bent = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1), ..pose };
    let far = Pose::at(DVec3::new(f64::NAN, 0.0, 0.0));
    let mut messages = vec![
        tree.link(stranger, TreeJoint::Revolute, pose, pose, mass).unwrap_err(),
        tree.link(Tree::GROUND, TreeJoint::Revolute, bent, pose, mass).unwrap_err(),
        tree.link(Tree::GROUND, TreeJoint::Revolute, pose, far, mass).unwrap_err(),
    ];
    let ball = tree.link(Tree::GROUND, TreeJoint::Spherical, pose, pose, mass).unwrap();
    messages.extend([
        tree.limit(ball, 0, [0.0, 1.0], 0.0).unwrap_err(),
        tree.limit(Tree::GROUND, 0, [0.0, 1.0], 0.0).unwrap_err(),
        tree.friction(ball, Law::dry(1.0, ConvexSet::Interval)).unwrap_err(),
        tree.close(Closure::Point, (ball, pose), (ball, pose)).unwrap_err(),
        tree.state(&[1.1, 0.0, 0.0, 0.0], &[0.0; 3]).unwrap_err(),
        tree.state(&[1.0], &[0.0; 3]).unwrap_err(),
    ]);
    let expected = [
        "the parent of link 1 is 3; it must be a link of this tree",
        "the quaternion of the frame in the parent of link 1 is 1.1",
        "a coordinate of the frame in link 1 is NaN",
        "an angle or a length",
        "the ground has no joint",
        "friction of link 1 is 1",
        "the second link of loop 0",
        "the quaternion of link 1 is 1.1",
        "the coordinates q has 1 entries where 4 are needed",
    ];
    for (m, e) in messages.iter().zip(expected) {
        assert!(m.to_string().contains(e), "{m}: {e}");
    }
}

#[test]
fn a_step_without_contacts_allocates_nothing_after_the_first() {
    let tree = chain(20);
    let mut state = tree.state(&[0.1; 20], &[0.0; 20]).unwrap();
    let mut stepper = Stepper::new(&tree, step::Settings::default()).unwrap();
    let mut step = || stepper.step(&tree, &mut state, 1e-3, &mut ()).unwrap().done().unwrap();
    step();
    let count = allocation_counter::measure(|| (0..10).for_each(|_| step()));
    assert_eq!(count.count_total, 0);
}

/// A crank of 0.5, a coupler of 2 and a rocker of 1.2, 1.8 apart: one loop whose motion is no pendulum's.
fn crank_and_rocker() -> Tree {
    let mut tree = Tree::new(DOWN).unwrap();
    let crank = rod(&mut tree, Tree::GROUND, DVec3::ZERO, 0.5);
    let rocker = rod(&mut tree, Tree::GROUND, DVec3::new(1.8, 0.0, 0.0), 1.2);
    couple(tree, crank, rocker)
}

fn couple(mut tree: Tree, crank: LinkId, rocker: LinkId) -> Tree {
    let coupler = rod(&mut tree, crank, DVec3::new(0.0, -0.25, 0.0), 2.0);
    let ends = [-1.0, -0.6].map(|y| Pose::at(DVec3::new(0.0, y, 0.0)));
    tree.close(Closure::Hinge, (coupler, ends[0]), (rocker, ends[1])).unwrap();
    tree
}

#[test]
fn a_loop_converges_with_the_order_of_the_step() {
    let end = |dt: f64| {
        let tree = crank_and_rocker();
        let mut state = tree.state(&[0.3, 0.1, 1.0], &[6.0, 0.0, 0.0]).unwrap();
        let energy = tree.energy(&state.q, &state.u, 0.0).total();
        go(&tree, &mut state, 1.0, dt);
        let lost = tree.energy(&state.q, &state.u, 0.0).total() - energy;
        (state.q[0], lost)
    };
    let exact = end(6.25e-5).0;
    let runs = [2e-3, 1e-3, 5e-4].map(end);
    let errors = runs.map(|r| (r.0 - exact).abs());
    assert!(errors[0] < 1e-3, "{errors:?}");
    assert!((errors[1] / errors[2]).log2() > 1.9, "{errors:?}");
    // The kinetic energy is about 25 J.
    assert!(runs[2].1.abs() < 1e-3 && (runs[0].1 / runs[1].1).log2() > 1.8, "{runs:?}");
}

#[test]
fn a_planar_loop_moves_the_same_in_any_plane() {
    let flat = crank_and_rocker();
    let mut expected = flat.state(&[0.3, 0.1, 1.0], &[6.0, 0.0, 0.0]).unwrap();
    go(&flat, &mut expected, 0.5, 1e-3);
    assert!((expected.q[0] - 0.3).abs() > 1.0, "{:?}", expected.q);
    for turn in [DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.3, -1.1, 0.7)] {
        let rotation = DQuat::from_scaled_axis(turn);
        let mut tree = Tree::new(rotation * DOWN).unwrap();
        let [crank, rocker] = [(0.0, 0.5), (1.8, 1.2)].map(|(x, length)| {
            let on_ground = Pose { position: rotation * DVec3::new(x, 0.0, 0.0), rotation };
            let mass = MassProperties::cuboid(1.5, DVec3::new(0.02, length, 0.02)).unwrap();
            let top = Pose::at(DVec3::new(0.0, 0.5 * length, 0.0));
            tree.link(Tree::GROUND, TreeJoint::Revolute, on_ground, top, mass).unwrap()
        });
        let tree = couple(tree, crank, rocker);
        let mut state = tree.state(&[0.3, 0.1, 1.0], &[6.0, 0.0, 0.0]).unwrap();
        go(&tree, &mut state, 0.5, 1e-3);
        for (a, b) in state.q.iter().zip(&expected.q) {
            assert!((a - b).abs() < 1e-7, "{:?} {:?}", state.q, expected.q);
        }
    }
}
