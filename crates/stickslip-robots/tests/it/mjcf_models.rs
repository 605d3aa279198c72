//! What is read from the MJCF models, beside values worked out by hand.

use crate::shared::{near, near_vector, read};
use glam::DVec3;
use std::f64::consts::PI;
use stickslip_robots::{
    ActuatorDynamics, ActuatorKind, EqualityKind, GeometryRole, ModelJointKind, ModelShape,
    RobotModel, SensorTarget, SiteOrBody, ThreeFrictions,
};

fn inertia(model: &RobotModel, body: &str) -> stickslip_robots::Inertia {
    model.bodies[model.body(body).unwrap()].inertia.unwrap()
}

fn capsule_volume(radius: f64, length: f64) -> f64 {
    PI * radius * radius * length + 4.0 / 3.0 * PI * radius.powi(3)
}

#[test]
fn furuta_has_masses_of_capsules_and_points_on_rods() {
    let model = read("furuta.xml");
    near(inertia(&model, "arm").mass, 2700.0 * capsule_volume(0.008, 0.2), 1e-15);
    let pendulum = inertia(&model, "pendulum");
    let center: f64 = -(0.03 * 0.15 + 0.05 * 0.3) / 0.08;
    near_vector(pendulum.center, DVec3::new(0.0, 0.0, center), 1e-16);
    let rod =
        0.03 * (3.0 * 0.004_f64.powi(2) + 0.3_f64.powi(2)) / 12.0 + 0.03 * (center + 0.15).powi(2);
    let bob = 0.4 * 0.05 * 0.015_f64.powi(2) + 0.05 * (center + 0.3).powi(2);
    near(pendulum.tensor.diagonal().x, rod + bob, 1e-17);
    let axis = &model.joints[0];
    assert_eq!((axis.damping, axis.friction, axis.armature), (0.0005, 0.001, 0.00002));
    assert_eq!(model.options.gravity, DVec3::new(0.0, 0.0, -9.80665));
    assert_eq!(model.actuators[0].control_range, Some([-0.2, 0.2]));
    assert_eq!(model.sensors[1].noise, 0.01);
}

#[test]
fn cart_pole_has_references_springs_and_a_state() {
    let model = read("cart_pole.xml");
    let (slider, hinge) = (&model.joints[0], &model.joints[1]);
    assert_eq!(
        (slider.kind, slider.axis, slider.reference),
        (ModelJointKind::Slide, DVec3::X, 0.2)
    );
    near(hinge.reference, PI / 36.0, 1e-16);
    near(hinge.spring_reference, PI / 18.0, 1e-16);
    near(hinge.limits.unwrap().upper, 17.0 * PI / 18.0, 1e-15);
    assert_eq!(hinge.anchor, DVec3::new(0.0, 0.0, 0.01));
    near(inertia(&model, "cart").mass, 1000.0 * 0.2 * 0.12 * 0.08, 1e-14);
    // `inertial` stands above the capsule.
    assert_eq!(inertia(&model, "pole").mass, 0.5);
    let tilt = model.bodies[2].pose.rotation * DVec3::Z;
    near_vector(tilt, DVec3::new((PI / 18.0).sin(), 0.0, (PI / 18.0).cos()), 1e-15);
    let belt = &model.actuators[0];
    assert_eq!(
        (belt.kind, belt.law.gain[0], belt.law.bias[2]),
        (ActuatorKind::Velocity, 25.0, -25.0)
    );
    assert_eq!(model.keyframes[0].positions, [0.2, 0.1]);
    assert_eq!((model.excluded[0].first, model.excluded[0].second), (0, 1));
}

#[test]
fn four_bar_closes() {
    let model = read("four_bar.xml");
    let poses = model.world_poses();
    let ends = [0, 1].map(|k| poses[model.sites[k].body].then(&model.sites[k].pose).position);
    near_vector(ends[0], ends[1], 1e-15);
    near_vector(ends[0], DVec3::new(0.5, 0.0, 0.4), 1e-15);
    let EqualityKind::Connect { first, second, anchor } = model.equalities[0].kind else {
        panic!()
    };
    let bodies = (SiteOrBody::Body(2), SiteOrBody::Body(3));
    assert_eq!((first, second, anchor), (bodies.0, bodies.1, DVec3::new(0.5, 0.0, 0.2)));
    let EqualityKind::Weld { second, relative, .. } = model.equalities[2].kind else { panic!() };
    assert_eq!((second, relative), (SiteOrBody::Body(0), Some(Default::default())));
    let EqualityKind::Joint { polynomial, .. } = model.equalities[3].kind else { panic!() };
    assert_eq!(polynomial, [0.0, -0.5, 0.0, 0.0, 0.0]);
    assert_eq!(
        model.equalities.iter().map(|e| e.active).collect::<Vec<_>>(),
        [true, false, false, false]
    );
    let length = (0.5_f64 * 0.5 + 0.2 * 0.2).sqrt();
    near(inertia(&model, "coupler").mass, 1200.0 * capsule_volume(0.015, length), 1e-15);
    assert!(model.geometries.iter().all(|g| g.role == GeometryRole::Visual));
}

#[test]
fn gripper_inherits_parts_of_friction_and_ranges() {
    let model = read("gripper.xml");
    let pad = &model.geometries[model.geometry("left_pad").unwrap()];
    assert_eq!(
        pad.friction,
        Some(ThreeFrictions { sliding: 1.2, torsional: 0.02, rolling: 0.001 })
    );
    assert_eq!((pad.contact_dimension, pad.pose.position.z), (4, 0.03));
    near(inertia(&model, "left").mass, 2700.0 * 0.02 * 0.01 * 0.06, 1e-15);
    let joint = &model.joints[0];
    assert_eq!((joint.effort_range, joint.effort), (Some([-50.0, 40.0]), Some(50.0)));
    let close = &model.actuators[0];
    assert_eq!((close.law.gain[0], close.law.bias), (500.0, [0.0, -500.0, -20.0]));
    assert_eq!(close.control_range, Some([0.0, 0.04]));
    assert_eq!(model.actuators[1].law.dynamics, ActuatorDynamics::Integrator);
    assert_eq!(model.pairs[0].friction, Some([1.0, 1.0, 0.01, 0.001, 0.001]));
    assert_eq!(model.geometries[model.pairs[0].second].priority, 1);
    // Upside down, and the right finger turned about the vertical, slides run against each other.
    let poses = model.world_poses();
    let directions = [0, 1].map(|k| poses[model.joints[k].body].rotation * model.joints[k].axis);
    near_vector(directions[0], -DVec3::Y, 1e-15);
    near_vector(directions[1], DVec3::Y, 1e-15);
}

#[test]
fn quadruped_has_classes_inside_of_classes_and_lists_what_is_left_out() {
    let model = read("quadruped.xml");
    let joint = |name: &str| &model.joints[model.joint(name).unwrap()];
    assert_eq!((joint("fl_abduction").axis, joint("fl_hip").axis), (DVec3::X, DVec3::Y));
    near(joint("fl_knee").limits.unwrap().lower, -155.0 * PI / 180.0, 1e-15);
    assert_eq!((joint("fr_knee").damping, joint("fr_knee").friction), (0.2, 0.1));
    let foot = &model.geometries[model.geometry("fr_foot").unwrap()];
    assert_eq!(foot.shape, ModelShape::Sphere { radius: 0.022 });
    assert_eq!(
        foot.friction,
        Some(ThreeFrictions { sliding: 1.5, torsional: 0.01, rolling: 0.0005 })
    );
    near(inertia(&model, "fl_shank").mass, 0.05 + 800.0 * capsule_volume(0.015, 0.2), 1e-15);
    assert_eq!(model.keyframes[0].positions.len(), model.coordinates());
    assert_eq!((model.actuators[0].gear[0], model.actuators[1].gear[0]), (20.0, 25.0));
    assert_eq!(model.actuators[2].control_range, Some([-2.0, 2.0]));
    let cable = SensorTarget::Other { kind: "tendon".to_owned(), name: "cable".to_owned() };
    assert_eq!(model.sensors[3].targets, [cable]);
    let warnings: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "quadruped.xml:27:5: <light> in <worldbody> is not supported and is left out",
            "quadruped.xml:73:5: <fixed> `cable` in <tendon> is not supported and is left out, with the 2 elements inside of it",
        ]
    );
}

#[test]
fn hopper_has_masses_of_meshes() {
    let model = read("hopper.xml");
    near(inertia(&model, "torso").mass, 500.0 * (0.14 * 0.05 - 0.0005) * 0.08, 1e-7);
    let thigh = inertia(&model, "thigh");
    near(thigh.mass, 1000.0 * 0.1 * 0.06 * 0.3 / 6.0, 1e-7);
    let geometry = &model.geometries[model.geometry("thigh_mesh").unwrap()];
    let mirrored = DVec3::new(-0.11, 0.07, -0.3) / 4.0;
    near_vector(thigh.center, geometry.pose.apply(mirrored), 1e-8);
    near(inertia(&model, "foot").mass, 0.3 + 1000.0 * 0.03 * 0.02 * 0.01 / 6.0, 1e-15);
    assert_eq!(
        model.geometries[model.geometry("torso_shell").unwrap()].colour,
        Some([0.9, 0.1, 0.1, 1.0])
    );
    assert_eq!(model.meshes[0].file.as_deref(), Some("meshes/prism.stl"));
}

#[test]
fn biped_weighs_what_it_is_told_in_the_proportions_of_its_shapes() {
    let model = read("biped.xml");
    near(model.total_mass(), 70.0, 1e-12);
    let ratio = inertia(&model, "head").mass / inertia(&model, "forearm_r").mass;
    near(ratio, 4.0 / 3.0 * PI * 1e-3 / capsule_volume(0.035, 0.24), 1e-13);
    let shoulder = &model.joints[model.joint("shoulder_r").unwrap()];
    assert_eq!(shoulder.kind, ModelJointKind::Ball);
    near(shoulder.limits.unwrap().upper, 2.0 * PI / 3.0, 1e-15);
    assert_eq!(model.joints[model.joint("hip_l").unwrap()].limits, None);
    let roll = &model.joints[model.joint("ankle_roll_r").unwrap()];
    near_vector(roll.axis, DVec3::new(2.0, 0.0, 1.0) / 5.0_f64.sqrt(), 1e-16);
    assert_eq!(model.bodies[model.body("foot_r").unwrap()].joints.len(), 2);
}

#[test]
fn rover_is_put_together_from_its_files() {
    let model = read("rover.xml");
    let wheel = &model.bodies[model.body("wheel_a").unwrap()];
    near_vector(wheel.pose.position, DVec3::new(0.3, 0.3, -0.05), 1e-16);
    assert_eq!(wheel.place.to_string(), "parts/rover_axle.xml:2:3");
    let tyre = &model.geometries[model.geometry("tyre_b").unwrap()];
    assert_eq!(tyre.shape, ModelShape::Cylinder { radius: 0.14, half_length: 0.04 });
    assert_eq!(
        tyre.friction,
        Some(ThreeFrictions { sliding: 1.1, torsional: 0.02, rolling: 0.0001 })
    );
    near(inertia(&model, "wheel_b").mass, 600.0 * PI * 0.14 * 0.14 * 0.08, 1e-13);
    let field = &model.height_fields[0];
    assert_eq!((field.rows, field.columns, field.base), (3, 4, 0.1));
    // The last row of the file is at the least y, and 4 is 0.3 m.
    assert_eq!(field.heights[..4], [0.0, 0.0, 0.075, 0.3]);
    let drive = &model.actuators[0];
    assert_eq!((drive.law.gain[0], drive.law.bias[2]), (3.0, -0.4));
    assert_eq!(drive.law.dynamics, ActuatorDynamics::Filter(0.05));
    assert_eq!(model.actuators[1].control_range, None);
    assert_eq!(model.actuators[2].law.gain, [0.0, 0.0, -2.0]);
    assert!(model.bodies[model.body("target").unwrap()].prescribed);
}

#[test]
fn frames_turn_axes_to_where_they_are_written() {
    let model = read("frames.xml");
    let body = |name: &str| &model.bodies[model.body(name).unwrap()];
    near_vector(body("by_z").pose.rotation * DVec3::Z, DVec3::new(1.0, -1.0, 0.5) / 1.5, 1e-15);
    near_vector(
        body("by_axes").pose.rotation * DVec3::X,
        DVec3::new(1.0, 1.0, 0.0) / 2.0_f64.sqrt(),
        1e-15,
    );
    let axis = DVec3::new(1.0, 2.0, 3.0);
    near_vector(body("by_axis").pose.rotation * axis, axis, 1e-15);
    // The third letter of the sequence is x, so that the outer frame is turned about x, which leaves x where it is.
    let nested = body("nested").pose.position;
    near_vector(nested, DVec3::new(1.5, 2.0, 0.0), 1e-15);
    let inside = &model.joints[model.joint("inside").unwrap()];
    // With the sequence zYx the second angle turns about the fixed y axis: x becomes −z.
    near_vector(inside.axis, -DVec3::Z, 1e-15);
    near_vector(inside.anchor, DVec3::new(0.3, 0.5, -0.1), 1e-15);
    // Joints and shapes stand in the order of their bodies.
    assert_eq!(model.joint("first").map(|k| k + 1), model.joint("second"));
    assert_eq!(model.geometry("first_geom").map(|k| k + 1), model.geometry("second_geom"));
    let full = inertia(&model, "full");
    assert_eq!(full.tensor.col(0), DVec3::new(0.05, 0.004, -0.005));
    assert_eq!(full.tensor.col(1).z, 0.006);
    assert_eq!(model.joints[2].name, "joint_2");
}

#[test]
fn masses_follow_bounds_balance_and_groups() {
    let model = read("masses.xml");
    let light = inertia(&model, "light");
    near(light.mass, 0.05, 0.0);
    near_vector(light.tensor.diagonal(), DVec3::splat(0.001), 1e-18);
    near_vector(inertia(&model, "unbalanced").tensor.diagonal(), DVec3::splat(0.04), 1e-17);
    let ball = 1000.0 * 4.0 / 3.0 * PI * 1e-3;
    near(inertia(&model, "grouped").mass, 8.0 + ball, 1e-13);
    near(inertia(&model, "grouped").center.z, 0.2 * ball / (8.0 + ball), 1e-15);
    let names: Vec<&str> = model.geometries.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["geometry_0", "counts", "ignored", "load"]);
    assert_eq!(model.bodies[model.body("cargo").unwrap()].geometries, [3]);
}
