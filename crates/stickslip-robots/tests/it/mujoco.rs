//! What is read from the MJCF models beside the numbers that MuJoCo computed for them. `compare/record.py` writes these.

use crate::shared::read;
use glam::{DMat3, DQuat, DVec3};
use serde_json::Value;
use std::collections::BTreeMap;
use stickslip_robots::{Format, ModelGeometry, ModelJointKind, ModelPose, ModelShape, RobotModel};

const RECORDED: &str = include_str!("../../compare/mujoco.json");

/// Numbers in double precision, with a rounding of a few operations.
const DOUBLE: f64 = 1e-12;

/// Numbers that MuJoCo derives from meshes and height fields, whose vertices it keeps in single precision.
const SINGLE: f64 = 1e-7;

/// A body whose mass is the lower bound alone. We put it at the origin of the body; MuJoCo puts it where the numbers of the body's
/// position in the parent lead in the frame of the body.
const BOUND_ALONE: [&str; 1] = ["carrier"];

/// The largest differences by what they are of.
#[derive(Default)]
struct Worst(BTreeMap<&'static str, (f64, String)>);

impl Worst {
    fn see(&mut self, what: &'static str, place: &str, ours: f64, theirs: f64, scale: f64) {
        let difference = (ours - theirs).abs() / scale;
        let slot = self.0.entry(what).or_default();
        if !(difference <= slot.0) {
            *slot = (difference, format!("{place}: {ours} beside {theirs}"));
        }
    }

    fn vector(&mut self, what: &'static str, place: &str, ours: DVec3, theirs: DVec3, scale: f64) {
        for (a, b) in ours.to_array().into_iter().zip(theirs.to_array()) {
            self.see(what, place, a, b, scale);
        }
    }

    /// Rotations as matrices, in which a quaternion and its negative are one.
    fn rotation(&mut self, what: &'static str, place: &str, ours: DQuat, theirs: DQuat) {
        let columns = |q: DQuat| DMat3::from_quat(q).to_cols_array();
        for (a, b) in columns(ours).into_iter().zip(columns(theirs)) {
            self.see(what, place, a, b, 1.0);
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn vector(value: &Value) -> DVec3 {
    let v = numbers(value);
    DVec3::new(v[0], v[1], v[2])
}

fn quaternion(value: &Value) -> DQuat {
    let v = numbers(value);
    DQuat::from_xyzw(v[1], v[2], v[3], v[0])
}

fn uses_mesh(model: &RobotModel, body: usize) -> bool {
    let geometries = &model.bodies[body].geometries;
    geometries.iter().any(|&g| matches!(model.geometries[g].shape, ModelShape::Mesh { .. }))
}

fn bodies(name: &str, model: &RobotModel, theirs: &Value, worst: &mut Worst) {
    let names = theirs["body_name"].as_array().unwrap();
    assert_eq!(names.len(), model.bodies.len(), "{name}");
    for (k, body) in model.bodies.iter().enumerate().skip(1) {
        let place = format!("{name}: {}", body.name);
        if names[k] != "" {
            assert_eq!(names[k], body.name.as_str());
        }
        assert_eq!(theirs["body_parent"][k], body.parent.unwrap());
        worst.vector(
            "body position",
            &place,
            body.pose.position,
            vector(&theirs["body_pos"][k]),
            1.0,
        );
        worst.rotation(
            "body rotation",
            &place,
            body.pose.rotation,
            quaternion(&theirs["body_quat"][k]),
        );
        let mass = theirs["body_mass"][k].as_f64().unwrap();
        let Some(inertia) = body.inertia else {
            assert_eq!(mass, 0.0, "{place}");
            continue;
        };
        let meshed = uses_mesh(model, k);
        let [what_mass, what_center, what_tensor] = match meshed {
            true => ["mass of meshes", "centre of meshes", "inertia of meshes"],
            false => ["mass", "centre of mass", "inertia"],
        };
        worst.see(what_mass, &place, inertia.mass, mass, mass);
        let center = vector(&theirs["body_ipos"][k]);
        if BOUND_ALONE.contains(&body.name.as_str()) {
            assert_eq!((inertia.center, center), (DVec3::ZERO, body.pose.position));
        } else {
            worst.vector(what_center, &place, inertia.center, center, 1.0);
        }
        let turn = DMat3::from_quat(quaternion(&theirs["body_iquat"][k]));
        let moments = vector(&theirs["body_inertia"][k]);
        let tensor = turn * DMat3::from_diagonal(moments) * turn.transpose();
        for (a, b) in inertia.tensor.to_cols_array().into_iter().zip(tensor.to_cols_array()) {
            worst.see(what_tensor, &place, a, b, moments.max_element());
        }
    }
}

fn joints(name: &str, model: &RobotModel, theirs: &Value, worst: &mut Worst) {
    let (mut freedom, mut coordinate) = (0, 0);
    // MuJoCo has no joint where nothing moves.
    let moving: Vec<_> = model.joints.iter().filter(|j| j.kind != ModelJointKind::Fixed).collect();
    assert_eq!(theirs["jnt_name"].as_array().unwrap().len(), moving.len());
    for (k, joint) in moving.into_iter().enumerate() {
        let place = format!("{name}: {}", joint.name);
        let kinds = [
            ModelJointKind::Free,
            ModelJointKind::Ball,
            ModelJointKind::Slide,
            ModelJointKind::Hinge,
        ];
        assert_eq!(kinds[theirs["jnt_type"][k].as_u64().unwrap() as usize], joint.kind, "{place}");
        assert_eq!(theirs["jnt_body"][k], joint.body);
        assert_eq!(theirs["jnt_limited"][k] == 1, joint.limits.is_some(), "{place}");
        if joint.kind != ModelJointKind::Free {
            worst.vector("joint anchor", &place, joint.anchor, vector(&theirs["jnt_pos"][k]), 1.0);
        }
        if joint.kind.freedoms() == 1 {
            worst.vector("joint axis", &place, joint.axis, vector(&theirs["jnt_axis"][k]), 1.0);
            let qpos0 = theirs["qpos0"][coordinate].as_f64().unwrap();
            worst.see("joint reference", &place, joint.reference, qpos0, 1.0);
            let spring = theirs["jnt_spring"][k].as_f64().unwrap();
            worst.see("spring reference", &place, joint.spring_reference, spring, 1.0);
        }
        if let Some(limits) = joint.limits {
            let range = numbers(&theirs["jnt_range"][k]);
            worst.see("joint range", &place, limits.lower, range[0], 1.0);
            worst.see("joint range", &place, limits.upper, range[1], 1.0);
        }
        worst.see(
            "stiffness",
            &place,
            joint.stiffness,
            theirs["jnt_stiffness"][k].as_f64().unwrap(),
            1.0,
        );
        let fields = [
            ("dof_damping", joint.damping),
            ("dof_friction", joint.friction),
            ("dof_armature", joint.armature),
        ];
        for (field, ours) in fields {
            worst.see("joint forces", &place, ours, theirs[field][freedom].as_f64().unwrap(), 1.0);
        }
        freedom += joint.kind.freedoms();
        coordinate += joint.kind.coordinates();
    }
}

/// MuJoCo's number of a type, and its sizes.
fn type_and_size(shape: &ModelShape) -> (u64, Option<DVec3>) {
    match *shape {
        ModelShape::Plane { .. } => (0, None),
        ModelShape::HeightField { .. } => (1, None),
        ModelShape::Sphere { radius } => (2, Some(DVec3::new(radius, 0.0, 0.0))),
        ModelShape::Capsule { radius, half_length } => {
            (3, Some(DVec3::new(radius, half_length, 0.0)))
        }
        ModelShape::Ellipsoid { half_axes } => (4, Some(half_axes)),
        ModelShape::Cylinder { radius, half_length } => {
            (5, Some(DVec3::new(radius, half_length, 0.0)))
        }
        ModelShape::Box { half } => (6, Some(half)),
        ModelShape::Mesh { .. } => (7, None),
    }
}

fn geometries(name: &str, model: &RobotModel, theirs: &Value, worst: &mut Worst) {
    let names = theirs["geom_name"].as_array().unwrap();
    assert_eq!(names.len(), model.geometries.len(), "{name}");
    // MuJoCo orders geoms by body.
    let ordered =
        model.bodies.iter().flat_map(|body| &body.geometries).map(|&g| &model.geometries[g]);
    for (k, geometry) in ordered.enumerate() {
        let place = format!("{name}: {}", geometry.name);
        if names[k] != "" {
            assert_eq!(names[k], geometry.name.as_str());
        }
        let (kind, size) = type_and_size(&geometry.shape);
        assert_eq!(theirs["geom_type"][k], kind, "{place}");
        assert_eq!(theirs["geom_body"][k], geometry.body);
        let filter = [
            i64::from(geometry.filter.kind),
            i64::from(geometry.filter.with),
            i64::from(geometry.contact_dimension),
        ];
        assert_eq!(theirs["geom_filter"][k], serde_json::json!(filter), "{place}");
        let friction = geometry.friction.map(|f| DVec3::new(f.sliding, f.torsional, f.rolling));
        // URDF says nothing about friction.
        assert_eq!(friction.is_none(), model.format == Format::Urdf);
        if let Some(friction) = friction {
            worst.vector("friction", &place, friction, vector(&theirs["geom_friction"][k]), 1.0);
        }
        let fitted = geometry.name.ends_with("_fit");
        if let Some(size) = size {
            let what = if fitted { "fitted size" } else { "geom size" };
            worst.vector(what, &place, size, vector(&theirs["geom_size"][k]), 1.0);
        }
        let pose = ModelPose {
            position: vector(&theirs["geom_pos"][k]),
            rotation: quaternion(&theirs["geom_quat"][k]),
        };
        let ModelShape::Mesh { mesh } = geometry.shape else {
            let what = if fitted { "fitted position" } else { "geom position" };
            worst.vector(what, &place, geometry.pose.position, pose.position, 1.0);
            if fitted {
                // The same box may be turned by half a turn.
                let entries = |q| DMat3::from_quat(q).to_cols_array().map(f64::abs);
                for (a, b) in
                    entries(geometry.pose.rotation).into_iter().zip(entries(pose.rotation))
                {
                    worst.see("fitted rotation", &place, a, b, 1.0);
                }
            } else {
                worst.rotation("geom rotation", &place, geometry.pose.rotation, pose.rotation);
            }
            continue;
        };
        mesh_frames(&place, model, geometry, mesh, (&theirs["mesh"][mesh], pose), worst);
    }
}

/// MuJoCo moves the mesh to its principal axes and the geom along with it.
fn mesh_frames(
    place: &str,
    model: &RobotModel,
    geometry: &ModelGeometry,
    mesh: usize,
    (theirs, pose): (&Value, ModelPose),
    worst: &mut Worst,
) {
    let moved =
        ModelPose { position: vector(&theirs["pos"]), rotation: quaternion(&theirs["quat"]) };
    let original = pose.then(&moved.inverse());
    worst.vector("mesh position", place, geometry.pose.position, original.position, 1.0);
    worst.rotation("mesh rotation", place, geometry.pose.rotation, original.rotation);
    let principal = model.meshes[mesh].mesh.mass(&geometry.place).unwrap().principal_pose();
    worst.vector("mesh centre", place, principal.position, moved.position, 1.0);
}

fn others(name: &str, model: &RobotModel, theirs: &Value, worst: &mut Worst) {
    assert_eq!(vector(&theirs["gravity"]), model.options.gravity);
    if model.format == Format::Mjcf {
        // Theirs where the file gives none.
        assert_eq!(theirs["timestep"].as_f64(), model.options.timestep.or(Some(0.002)));
    }
    for (k, site) in model.sites.iter().enumerate() {
        worst.vector(
            "site position",
            name,
            site.pose.position,
            vector(&theirs["site_pos"][k]),
            1.0,
        );
        worst.rotation(
            "site rotation",
            name,
            site.pose.rotation,
            quaternion(&theirs["site_quat"][k]),
        );
    }
    let recorded = numbers(&theirs["hfield"]);
    let ours = model.height_fields.iter().flat_map(|field| &field.heights);
    let largest =
        model.height_fields.iter().flat_map(|f| &f.heights).fold(0.0_f64, |m, h| m.max(*h));
    for (a, b) in ours.zip(&recorded) {
        worst.see("height field", name, a / largest, *b, 1.0);
    }
    // MuJoCo does not read the transmissions of URDF.
    let actuators = model.actuators.iter().filter(|_| model.format == Format::Mjcf);
    for (k, actuator) in actuators.enumerate() {
        let place = format!("{name}: {}", actuator.name);
        let rows = [
            (&actuator.law.gain[..], "act_gain"),
            (&actuator.law.bias, "act_bias"),
            (&actuator.gear, "act_gear"),
        ];
        for (ours, field) in rows {
            for (a, b) in ours.iter().zip(numbers(&theirs[field][k])) {
                worst.see("actuators", &place, *a, b, 1.0);
            }
        }
        for (ours, field) in
            [(actuator.control_range, "act_ctrl"), (actuator.force_range, "act_force")]
        {
            let range = numbers(&theirs[field][k]);
            assert_eq!(ours.is_some(), range[0] == 1.0, "{place}");
            for (a, b) in ours.into_iter().flatten().zip(&range[1..]) {
                worst.see("actuators", &place, a, *b, 1.0);
            }
        }
    }
}

#[test]
fn models_have_the_numbers_that_mujoco_computes() {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap();
    let mut worst = Worst::default();
    for (name, theirs) in recorded.as_object().unwrap() {
        let model = read(name);
        bodies(name, &model, theirs, &mut worst);
        joints(name, &model, theirs, &mut worst);
        geometries(name, &model, theirs, &mut worst);
        others(name, &model, theirs, &mut worst);
    }
    let single = ["mesh", "fitted", "height field"];
    for (what, (difference, place)) in &worst.0 {
        println!("{what:<20} {difference:.2e}  {place}");
    }
    for (what, (difference, place)) in &worst.0 {
        let bound = if single.iter().any(|word| what.contains(word)) { SINGLE } else { DOUBLE };
        assert!(*difference <= bound, "{what}: {difference:.2e}, {place}");
    }
}
