//! A limit cycle of a mechanism in space.

use glam::{DMat3, DQuat, DVec3};
use stickslip::analysis::{Search, Surface, cycle, find_cycle};
use stickslip::bodies::articulated::{Tree, TreeJoint};
use stickslip::bodies::proximity::pair;
use stickslip::bodies::{MassProperties, Pose, Shape};
use stickslip::contact::Law;

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

#[test]
fn a_rimless_wheel_rolls_down_a_slope_at_the_speed_at_which_impacts_take_what_gravity_gives() {
    let (slope, inertia) = (0.08_f64, 0.25);
    let half = std::f64::consts::PI / 8.0;
    let pivot = inertia + 1.0;
    let kept = (inertia + (2.0 * half).cos()) / pivot;
    // ω⁺ = η ω⁻ at an impact, and a step gives 2 m g l sin α sin γ.
    let gain = 4.0 * G * half.sin() * slope.sin() / pivot;
    let before = (gain / (1.0 - kept * kept)).sqrt();
    let tree = wheel(slope, inertia);
    // A little too fast, with a spoke that stands upright on the slope.
    let speed = 1.3;
    let start = tree.state(&[0.0, 1.0, 0.0], &[speed, 0.0, -speed]).unwrap();
    let mut upright = |q: &[f64], _: &[f64], _: f64| -(8.0 * q[2]).sin();
    let surface = Surface::Section(&mut upright, 5.0);
    let settings = cycle::Settings::default();
    let found = find_cycle(&tree, &start, surface, &[0, 2], &settings).unwrap();
    let Search::Found(cycle) = found else { panic!("{found:?}") };
    // From upright to the next impact the hub falls by cos γ − cos(γ + α).
    let fallen = 2.0 * G * (slope.cos() - (slope + half).cos()) / pivot;
    let exact = (before * before - fallen).sqrt();
    assert!((cycle.state.u[2] + exact).abs() < 1e-11, "{} {exact}", cycle.state.u[2]);
    assert!((cycle.multipliers[0].re - kept * kept).abs() < 1e-7, "{:?}", cycle.multipliers);
    let others = cycle.multipliers.iter().skip(1).fold(0.0_f64, |m, x| m.max(x.norm()));
    assert!(cycle.stable && cycle.returns == 1 && others < 1e-7, "{cycle:?}");
    assert!(cycle.energy.relative < 1e-11, "{:?}", cycle.energy);
}
