//! Closed chains by the event-driven integrator: with redundant joints, and with loops of a tree.

use super::joined::{
    Joined, WAYS, about_y, at_rest, go, hinge, in_every_model, largest_difference, links, period,
    rod,
};
use super::space::{G, balances};
use super::systems::Log;
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::bodies::articulated::{Closure, Tree, TreeJoint};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{
    Joint, JointKind, MassProperties, PointMassWorld, Pose, Reaction, Shape, Twist, World,
};
use stickslip::contact::Law;
use stickslip::run::EventKind;
use stickslip::system::State;

/// A parallelogram of a crank and a rocker of length 1 and a coupler of length 2, hung from two pins: twenty rows, of which three are redundant.
fn parallelogram<M: Joined>(angle: f64, way: Reaction) -> (M, State) {
    let mut model = M::empty(-G * DVec3::Z, way);
    let (crank, coupler, rocker) = (model.add(rod()), model.add(bar()), model.add(rod()));
    let (top, bottom) = (0.5 * DVec3::Z, -0.5 * DVec3::Z);
    hinge(&mut model, World::GROUND, DVec3::ZERO, crank, top);
    hinge(&mut model, World::GROUND, 2.0 * DVec3::X, rocker, top);
    hinge(&mut model, crank, bottom, coupler, -DVec3::X);
    hinge(&mut model, rocker, bottom, coupler, DVec3::X);
    let low = DQuat::from_rotation_y(angle) * -DVec3::Z + DVec3::X;
    let coupler = (Pose::at(low), Twist::default());
    let arms = [DVec3::ZERO, 2.0 * DVec3::X].map(|pivot| at_rest(angle, pivot));
    let start = model.place(&[arms[0], coupler, arms[1]]);
    (model, start)
}

fn bar() -> MassProperties {
    MassProperties::cuboid(3.0, DVec3::new(2.0, 0.05, 0.05)).unwrap()
}

/// The period of its one angle: both arms about their pivots, and the coupler on a circle.
fn parallelogram_period(angle: f64) -> f64 {
    let moment = 2.0 * (rod().inertia().y_axis.y + 2.0 * 0.25) + 3.0;
    let weight = 2.0 * 2.0 * G * 0.5 + 3.0 * G;
    period((weight / moment).sqrt(), angle)
}

fn swings_parallel<M: Joined>(way: Reaction) {
    let angle = 0.9;
    let (model, start) = parallelogram::<M>(angle, way);
    let (report, _) = go(&model, &start, 5.0 * parallelogram_period(angle));
    balances(&report);
    assert_eq!(report.redundancy, 3);
    let off = largest_difference(&model.motions(&report.state), &model.motions(&start));
    assert!(off < 1e-11, "{}, {way:?}: {off}", model.kind());
}

#[test]
fn a_parallelogram_with_redundant_joints_swings_with_the_period_of_its_one_angle() {
    in_every_model!(swings_parallel);
}

#[test]
fn a_parallelogram_that_a_loop_closes_swings_with_the_same_period() {
    // Of the five equations of the loop two are of the plane.
    let angle = 0.9;
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let (top, bottom) = (about_y(0.5 * DVec3::Z), about_y(-0.5 * DVec3::Z));
    let hinge = TreeJoint::Revolute;
    let crank = tree.link(Tree::GROUND, hinge, about_y(DVec3::ZERO), top, rod()).unwrap();
    let coupler = tree.link(crank, hinge, bottom, about_y(-DVec3::X), bar()).unwrap();
    let rocker = tree.link(Tree::GROUND, hinge, about_y(2.0 * DVec3::X), top, rod()).unwrap();
    tree.close(Closure::Hinge, (rocker, bottom), (coupler, about_y(DVec3::X))).unwrap();
    let start = tree.state(&[angle, -angle, angle], &[0.0; 3]).unwrap();
    let (report, log) = go(&tree, &start, 5.0 * parallelogram_period(angle));
    balances(&report);
    assert_eq!(report.redundancy, 3);
    let off = largest_difference(&links(&tree, &report.state), &links(&tree, &start));
    assert!(off < 1e-11, "{off}");
    assert!(log.events.is_empty(), "{:?}", log.events);
}

/// Crank, rod and slider: lengths, masses, and the motion by the energy of the one angle.
mod slider {
    use super::*;

    pub(super) const CRANK: f64 = 0.3;
    pub(super) const ROD: f64 = 0.8;
    pub(super) const MASS: f64 = 1.5;

    pub(super) fn bar(length: f64) -> MassProperties {
        MassProperties::cuboid(1.0, DVec3::new(length, 0.04, 0.04)).unwrap()
    }

    pub(super) fn block() -> MassProperties {
        MassProperties::new(MASS, bar(0.2).inertia()).unwrap()
    }

    /// Of crank, rod and slider at the crank angle: places in the plane, angles, and their derivatives by the crank angle.
    pub(super) fn places(angle: f64) -> [([f64; 3], [f64; 3]); 3] {
        let (s, c) = angle.sin_cos();
        let lean = (-CRANK * s / ROD).asin();
        let rate = -CRANK * c / (ROD * lean.cos());
        let (pin, pin_rate) = ([CRANK * c, CRANK * s], [-CRANK * s, CRANK * c]);
        let (along, across) = ([lean.cos(), lean.sin()], [-lean.sin(), lean.cos()]);
        let rod = [0, 1].map(|i| pin[i] + 0.5 * ROD * along[i]);
        let rod_rate = [0, 1].map(|i| pin_rate[i] + 0.5 * ROD * rate * across[i]);
        let x = pin[0] + ROD * along[0];
        let x_rate = pin_rate[0] + ROD * rate * across[0];
        [
            ([0.5 * pin[0], 0.5 * pin[1], angle], [0.5 * pin_rate[0], 0.5 * pin_rate[1], 1.0]),
            ([rod[0], rod[1], lean], [rod_rate[0], rod_rate[1], rate]),
            ([x, 0.0, 0.0], [x_rate, 0.0, 0.0]),
        ]
    }

    /// The speed of the crank by energy, from the angle and the speed at the start.
    pub(super) fn speed(angle: f64, (from, omega): (f64, f64)) -> f64 {
        let masses = [(1.0, bar(CRANK)), (1.0, bar(ROD)), (MASS, block())];
        let inertia = |angle: f64| {
            places(angle).iter().zip(&masses).fold(0.0, |sum, ((_, d), (m, p))| {
                sum + m * (d[0] * d[0] + d[1] * d[1]) + p.inertia().z_axis.z * d[2] * d[2]
            })
        };
        let height = |angle: f64| {
            places(angle).iter().zip(&masses).fold(0.0, |sum, ((x, _), (m, _))| sum + m * G * x[1])
        };
        let energy = 0.5 * inertia(from) * omega * omega + height(from);
        (2.0 * (energy - height(angle)) / inertia(angle)).sqrt()
    }

    /// The time from one crank angle to another: ∫ dθ / θ̇, by Simpson's rule.
    pub(super) fn time(start: (f64, f64), to: f64) -> f64 {
        let (n, from) = (4000, start.0);
        let h = (to - from) / n as f64;
        let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 * (1 + i % 2) as f64 };
        let part = |i: usize| weight(i) / speed(from + i as f64 * h, start);
        (0..=n).map(part).sum::<f64>() * h / 3.0
    }
}

/// A slider-crank in the plane of x and y, with gravity along −y.
fn slider_crank<M: Joined>(angle: f64, omega: f64, way: Reaction) -> (M, State) {
    use slider::{CRANK, ROD, bar, block};
    let mut model = M::empty(-G * DVec3::Y, way);
    let bodies = [model.add(bar(CRANK)), model.add(bar(ROD)), model.add(block())];
    let end = |x: f64| Pose::at(x * DVec3::X);
    let pins = [
        (World::GROUND, end(0.0), bodies[0], end(-0.5 * CRANK)),
        (bodies[0], end(0.5 * CRANK), bodies[1], end(-0.5 * ROD)),
        (bodies[1], end(0.5 * ROD), bodies[2], end(0.0)),
    ];
    for (first, on_first, second, on_second) in pins {
        model.connect(first, second, Joint { kind: JointKind::Revolute, on_first, on_second });
    }
    let joint = Joint { kind: JointKind::Prismatic, on_first: along_x(), on_second: along_x() };
    model.connect(World::GROUND, bodies[2], joint);
    let motions = slider::places(angle).map(|(x, d)| {
        let pose =
            Pose { position: DVec3::new(x[0], x[1], 0.0), rotation: DQuat::from_rotation_z(x[2]) };
        let linear = omega * DVec3::new(d[0], d[1], 0.0);
        (pose, Twist { linear, angular: omega * d[2] * DVec3::Z })
    });
    let start = model.place(&motions);
    (model, start)
}

fn along_x() -> Pose {
    Pose { rotation: DQuat::from_rotation_y(FRAC_PI_2), ..Pose::default() }
}

/// Whether a crank that has turned from the start to this angle and speed did so in the time that its energy says.
fn turns_in_time((angle, speed): (f64, f64), start: (f64, f64), t: f64, what: &str) {
    // Whole turns take the same time each.
    let round = slider::time(start, start.0 + TAU);
    let rest = start.0 + (angle - start.0).rem_euclid(TAU);
    let wanted = (t / round).floor() * round + slider::time(start, rest);
    assert!((wanted - t).abs() < 1e-11, "{what}: {wanted} {t}");
    let exact = slider::speed(rest, start);
    assert!((speed - exact).abs() < 1e-9, "{what}: {speed} {exact}");
}

fn turns<M: Joined>(way: Reaction) {
    let (start, t) = ((0.3, 15.0), 2.5);
    let (model, at) = slider_crank::<M>(start.0, start.1, way);
    let (report, _) = go(&model, &at, t);
    balances(&report);
    assert_eq!(report.redundancy, 3);
    let crank = model.motions(&report.state);
    let (angle, speed) = (crank[1].atan2(crank[0]), crank[14]);
    turns_in_time((angle, speed), start, t, &format!("{}, {way:?}", model.kind()));
}

#[test]
fn a_slider_crank_turns_as_the_energy_of_its_crank_says() {
    in_every_model!(turns);
}

#[test]
fn a_slider_crank_that_a_loop_closes_turns_as_the_energy_of_its_crank_says() {
    use slider::{CRANK, ROD, bar, block};
    let (start, t) = ((0.3, 15.0), 2.5);
    for closure in [Closure::Hinge, Closure::Point] {
        let mut tree = Tree::new(-G * DVec3::Y).unwrap();
        let (end, hinge) = (|x: f64| Pose::at(x * DVec3::X), TreeJoint::Revolute);
        let crank = tree.link(Tree::GROUND, hinge, end(0.0), end(-0.5 * CRANK), bar(CRANK));
        let rod = tree.link(crank.unwrap(), hinge, end(0.5 * CRANK), end(-0.5 * ROD), bar(ROD));
        let guide = TreeJoint::Prismatic;
        let slider = tree.link(Tree::GROUND, guide, along_x(), along_x(), block()).unwrap();
        tree.close(closure, (rod.unwrap(), end(0.5 * ROD)), (slider, end(0.0))).unwrap();
        let [_, (rod, rod_rate), (slider, slider_rate)] = slider::places(start.0);
        let q = [start.0, rod[2] - start.0, slider[0]];
        let u = [start.1, start.1 * (rod_rate[2] - 1.0), start.1 * slider_rate[0]];
        let at = tree.state(&q, &u).unwrap();
        let (report, _) = go(&tree, &at, t);
        balances(&report);
        // Two equations are those of the plane.
        assert_eq!(report.redundancy, closure.rows() - 2);
        let end = (report.state.q[0], report.state.u[0]);
        turns_in_time(end, start, t, &format!("{closure:?}"));
    }
}

/// Bars along x of a crank-rocker that hangs from the ground at the distance 1, as a tree with a loop; the coupler may strike a slope.
fn four_bar() -> (Tree, State) {
    let mut tree = Tree::new(-G * DVec3::Z).unwrap();
    let (hinge, [a, b, c]) = (TreeJoint::Revolute, BARS);
    let end = |x: f64| about_y(x * DVec3::X);
    let crank = tree.link(Tree::GROUND, hinge, end(0.0), end(-0.5 * a), slider::bar(a)).unwrap();
    let coupler = tree.link(crank, hinge, end(0.5 * a), end(-0.5 * b), slider::bar(b)).unwrap();
    let rocker = tree.link(Tree::GROUND, hinge, end(1.0), end(-0.5 * c), slider::bar(c)).unwrap();
    tree.close(Closure::Hinge, (coupler, end(0.5 * b)), (rocker, end(0.5 * c))).unwrap();
    tree.contact(coupler, Tree::GROUND, pair(knob(), slope()).unwrap(), scrapes()).unwrap();
    let start = tree.state(&[-0.3, 1.3, 1.2], &[3.0, 0.0, 0.0]).unwrap();
    (tree, start)
}

const BARS: [f64; 3] = [0.3, 0.9, 0.6];

fn knob() -> Shape {
    Shape::Sphere(DVec3::new(0.1, 0.0, -0.1), 0.05)
}

fn slope() -> Shape {
    Shape::Plane(-0.48 * DVec3::Z, DVec3::new(0.2, 0.0, 1.0).normalize())
}

fn scrapes() -> Law {
    Law::disc(0.3).with_restitution(0.6, 0.0)
}

fn strikes<M: Joined>(way: Reaction) {
    let (tree, start) = four_bar();
    let (exact, log) = go(&tree, &start, 1.2);
    balances(&exact);
    let ([a, b, c], mut model) = (BARS, M::empty(-G * DVec3::Z, way));
    let bodies = BARS.map(|length| model.add(slider::bar(length)));
    let end = |x: f64| x * DVec3::X;
    hinge(&mut model, World::GROUND, end(0.0), bodies[0], end(-0.5 * a));
    hinge(&mut model, bodies[0], end(0.5 * a), bodies[1], end(-0.5 * b));
    hinge(&mut model, World::GROUND, end(1.0), bodies[2], end(-0.5 * c));
    hinge(&mut model, bodies[1], end(0.5 * b), bodies[2], end(0.5 * c));
    model.touch(bodies[1], [knob(), slope()], scrapes());
    let places: Vec<_> = tree.links().map(|l| tree.motion(l, &start).unwrap()).collect();
    let (report, other) = go(&model, &model.place(&places), 1.2);
    let (start, end) = (report.energy_start, report.energy_end);
    let left = (end.total() - start.total() - report.contact_work).abs();
    let left = left / (start.kinetic + end.kinetic + start.potential.abs());
    assert!(left < 1e-12, "{}, {way:?}: {left}", model.kind());
    let impacts = |log: &Log| -> Vec<f64> {
        log.events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.t).collect()
    };
    let (found, wanted) = (impacts(&other), impacts(&log));
    assert!(wanted.len() > 3, "{wanted:?}");
    assert!(largest_difference(&found, &wanted) < 1e-10, "{found:?} {wanted:?}");
    let off = largest_difference(&model.motions(&report.state), &links(&tree, &exact.state));
    assert!(off < 1e-9, "{}, {way:?}: {off}", model.kind());
}

#[test]
fn a_four_bar_that_scrapes_over_a_slope_moves_alike_in_every_model() {
    in_every_model!(strikes);
}
