//! What is read from the URDF models, beside values worked out by hand.

use crate::shared::{near, near_vector, read, try_read};
use glam::DVec3;
use stickslip_robots::{
    ActuatorTarget, GeometryRole, JointLimits, ModelJointKind, ModelShape, Place, Position,
    UrdfBase,
};

#[test]
fn double_pendulum_has_turned_inertia_unit_axes_and_colours() {
    let model = read("double_pendulum.urdf");
    assert_eq!(model.bodies.len(), 3);
    assert_eq!(model.bodies[0].name, "world");
    let lower = &model.bodies[model.body("lower").unwrap()];
    let inertia = lower.inertia.unwrap();
    // The small moment is about local y, which a quarter turn about x makes z.
    near_vector(inertia.tensor.diagonal(), DVec3::new(0.0833333, 0.0833333, 0.0001), 1e-16);
    near_vector(inertia.center, DVec3::new(0.0, 0.0, -0.5), 0.0);
    let shoulder = &model.joints[model.joint("shoulder").unwrap()];
    assert_eq!((shoulder.kind, shoulder.axis), (ModelJointKind::Hinge, DVec3::Y));
    assert_eq!((shoulder.damping, shoulder.friction, shoulder.limits), (0.01, 0.002, None));
    near_vector(model.world_poses()[lower.parent.unwrap() + 1].position, DVec3::Z, 1e-15);
    assert_eq!(model.geometries[0].colour, Some([0.6, 0.6, 0.65, 1.0]));
    assert_eq!(model.geometries[0].role, GeometryRole::Visual);
    assert_eq!(model.warnings, []);
}

#[test]
fn scara_has_limits_a_transmission_and_its_warnings() {
    let model = read("scara.urdf");
    let j3 = &model.joints[model.joint("j3").unwrap()];
    assert_eq!((j3.kind, j3.axis), (ModelJointKind::Slide, -DVec3::Z));
    assert_eq!(j3.limits, Some(JointLimits { lower: 0.0, upper: 0.15 }));
    assert_eq!((j3.effort, j3.speed), (Some(200.0), Some(1.1)));
    let tool = model.world_poses()[model.body("tool").unwrap()];
    near_vector(tool.position, DVec3::new(0.45, 0.0, 0.26), 1e-15);
    near_vector(tool.rotation * DVec3::Z, -DVec3::Z, 1e-15);
    let motor = &model.actuators[0];
    assert_eq!(motor.target, ActuatorTarget::Joint(model.joint("j1").unwrap()));
    assert_eq!((motor.name.as_str(), motor.gear[0]), ("m1", 50.0));
    let [least, most] = motor.force_range.unwrap();
    near(most, 1.2, 1e-15);
    near(least, -1.2, 1e-15);
    // 2.5 kg in a box of 0.25 × 0.08 × 0.06 m: m (b² + c²) / 12.
    let arm = model.bodies[model.body("inner_arm").unwrap()].inertia.unwrap();
    near(arm.tensor.diagonal().z, 2.5 / 12.0 * (0.25 * 0.25 + 0.08 * 0.08), 1e-10);
    let warnings: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "scara.urdf:63:5: <safety_controller> in <joint> is not supported and is left out",
            "scara.urdf:82:3: <gazebo> in <robot> is not supported and is left out, with the element inside of it",
        ]
    );
}

#[test]
fn six_axis_arm_composes_turned_frames() {
    let model = read("six_axis_arm.urdf");
    let flange = model.world_poses()[model.body("flange").unwrap()];
    // 0.1 + 0.2 + 0.4 m up, then 0.3 + 0.06 + 0.05 m forwards, with z of the flange forwards.
    near_vector(flange.position, DVec3::new(0.41, 0.0, 0.7), 1e-15);
    near_vector(flange.rotation * DVec3::Z, DVec3::X, 1e-15);
    assert_eq!((model.freedoms(), model.coordinates()), (6, 6));
    near(model.total_mass(), 16.0, 1e-14);
    let arm = model.bodies[model.body("upper_arm").unwrap()].inertia.unwrap();
    let d = arm.tensor.diagonal();
    near(d.x + d.y + d.z, 0.172, 1e-16);
    let shape =
        model.geometries[model.bodies[model.body("upper_arm").unwrap()].geometries[0]].shape;
    assert_eq!(shape, ModelShape::Capsule { radius: 0.05, half_length: 0.2 });
    assert_eq!(model.joints[model.joint("a6").unwrap()].effort, Some(20.0));
}

#[test]
fn gripper_mimics_and_has_meshes_in_all_formats() {
    let model = read("gripper.urdf");
    let right = &model.joints[model.joint("right").unwrap()];
    let mimic = right.mimic.unwrap();
    assert_eq!(
        (mimic.joint, mimic.multiplier, mimic.offset),
        (model.joint("left").unwrap(), 1.0, 0.001)
    );
    let place = Place { file: "t".into(), position: Position::Whole };
    let [wedge, mirrored, hook] = [0, 1, 2].map(|k| model.meshes[k].mesh.mass(&place).unwrap());
    // A profile of 0.14 × 0.05 m less a corner of 0.05 × 0.02 / 2, 0.08 m deep, at half size.
    let (area, corner) = (0.14 * 0.05, 0.05 * 0.02 / 2.0);
    near(wedge.volume, (area - corner) * 0.08 / 8.0, 1e-11);
    let x = (area * 0.01 - corner * 0.19 / 3.0) / (area - corner);
    let z = (area * 0.005 - corner * 0.07 / 3.0) / (area - corner);
    // The nodes lift it by 0.01 and turn z to −y.
    near_vector(wedge.center, DVec3::new(x, -(z + 0.01), 0.0) * 0.5, 1e-8);
    near(mirrored.volume, wedge.volume, 1e-11);
    near_vector(mirrored.center, wedge.center * DVec3::new(-1.0, 1.0, 1.0), 1e-8);
    near(hook.volume, 0.1 * 0.06 * 0.3 / 6.0, 1e-18);
    near_vector(hook.center, DVec3::new(0.11, 0.07, -0.3) / 4.0, 1e-17);
}

#[test]
fn quadruped_stands_on_a_free_root_if_asked_to() {
    let model = try_read("quadruped.urdf", UrdfBase::Free).unwrap();
    assert_eq!((model.coordinates(), model.freedoms()), (19, 18));
    assert_eq!(model.joints[0].kind, ModelJointKind::Free);
    near(model.total_mass(), 6.0 + 4.0 * 1.5, 1e-14);
    let foot = model.world_poses()[model.body("rl_shank").unwrap()];
    near_vector(foot.position, DVec3::new(-0.18, 0.13, -0.2), 1e-15);
    let fixed = read("quadruped.urdf");
    assert_eq!((fixed.coordinates(), fixed.bodies.len()), (12, 14));
}
