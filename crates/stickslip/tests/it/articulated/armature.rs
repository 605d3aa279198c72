//! Rotors on joints, and links without mass.

use super::*;
use std::f64::consts::PI;

/// A pendulum whose hinge carries a rotor: I + a takes the place of I.
#[test]
fn an_armature_adds_to_the_inertia_of_its_joint_and_to_nothing_else() {
    let mut tree = chain(1);
    let link = tree.links().next().unwrap();
    tree.armature(link, 0.3).unwrap();
    let state = State::new(vec![0.7], vec![2.0]);
    let moment = rod_moment(1.0) + 0.3;
    assert!((tree.mass_matrix(&state.q).unwrap()[0] - moment).abs() < 1e-14);
    let expected = -1.5 * G * 0.5 * 0.7_f64.sin() / moment;
    assert!((tree.acceleration(&state).unwrap()[0] - expected).abs() < 1e-13);
    assert!((tree.energy(&state.q, &state.u, 0.0).kinetic - 0.5 * moment * 4.0).abs() < 1e-13);
    let held = tree.inverse_dynamics(&state, &[expected]).unwrap()[0];
    assert!(held.abs() < 1e-13, "{held}");
    assert!(tree.armature(link, -1.0).is_err());
}

#[test]
fn hinges_by_a_link_without_mass_are_a_universal_joint() {
    let mass = MassProperties::cuboid(1.5, DVec3::new(0.2, 1.0, 0.1)).unwrap();
    let (top, about_y) = (DVec3::new(0.1, 0.5, 0.2), DQuat::from_rotation_x(-0.5 * PI));
    let about_x = DQuat::from_rotation_y(0.5 * PI);
    let mut one = Tree::new(DOWN).unwrap();
    one.link(Tree::GROUND, TreeJoint::Universal, Pose::default(), Pose::at(top), mass).unwrap();
    let mut two = Tree::new(DOWN).unwrap();
    let at = |position, rotation| Pose { position, rotation };
    let x = at(DVec3::ZERO, about_x);
    let carrier = two.carrier(Tree::GROUND, TreeJoint::Revolute, x, x).unwrap();
    let y = at(DVec3::ZERO, about_y);
    two.link(carrier, TreeJoint::Revolute, y, at(top, about_y), mass).unwrap();
    let state = State::new(vec![0.4, -0.9], vec![1.3, 2.1]);
    let [a, b] = [&one, &two].map(|tree| tree.acceleration(&state).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    let [a, b] = [&one, &two].map(|tree| tree.energy(&state.q, &state.u, 0.0));
    assert!((a.kinetic - b.kinetic).abs() < 1e-13 && (a.potential - b.potential).abs() < 1e-13);
}
