//! The elements and attributes of URDF.

use crate::xml::schema::Known;

const fn leaf(name: &'static str, read: &'static str) -> Known {
    Known { name, read, unsupported: "", children: &[], left_out: "" }
}

static ORIGIN: Known = leaf("origin", "xyz rpy quat_xyzw");
static MASS: Known = leaf("mass", "value");
static TENSOR: Known = leaf("inertia", "ixx ixy ixz iyy iyz izz");
static INERTIAL: Known = Known {
    name: "inertial",
    read: "",
    unsupported: "",
    children: &[&ORIGIN, &MASS, &TENSOR],
    left_out: "",
};
static BOX: Known = leaf("box", "size");
static CYLINDER: Known = leaf("cylinder", "radius length");
static CAPSULE: Known = leaf("capsule", "radius length");
static SPHERE: Known = leaf("sphere", "radius");
static MESH: Known = leaf("mesh", "filename scale");
static GEOMETRY: Known = Known {
    name: "geometry",
    read: "",
    unsupported: "",
    children: &[&BOX, &CYLINDER, &CAPSULE, &SPHERE, &MESH],
    left_out: "",
};
static COLOR: Known = leaf("color", "rgba");
static MATERIAL: Known = Known {
    name: "material",
    read: "name",
    unsupported: "",
    children: &[&COLOR],
    left_out: "texture",
};
static VISUAL: Known = Known {
    name: "visual",
    read: "name",
    unsupported: "",
    children: &[&ORIGIN, &GEOMETRY, &MATERIAL],
    left_out: "",
};
static COLLISION: Known = Known {
    name: "collision",
    read: "name",
    unsupported: "",
    children: &[&ORIGIN, &GEOMETRY],
    left_out: "verbose contact_coefficients",
};
static LINK: Known = Known {
    name: "link",
    read: "name",
    unsupported: "type",
    children: &[&INERTIAL, &VISUAL, &COLLISION],
    left_out: "contact self_collision_checking collision_checking sensor",
};
static PARENT: Known = leaf("parent", "link");
static CHILD: Known = leaf("child", "link");
static AXIS: Known = leaf("axis", "xyz");
static DYNAMICS: Known = leaf("dynamics", "damping friction");
static LIMIT: Known = Known {
    name: "limit",
    read: "lower upper effort velocity",
    unsupported: "acceleration deceleration jerk",
    children: &[],
    left_out: "",
};
static MIMIC: Known = leaf("mimic", "joint multiplier offset");
static JOINT: Known = Known {
    name: "joint",
    read: "name type",
    unsupported: "",
    children: &[&ORIGIN, &PARENT, &CHILD, &AXIS, &DYNAMICS, &LIMIT, &MIMIC],
    left_out: "calibration safety_controller",
};
static TEXT_TYPE: Known = leaf("type", "");
static HARDWARE: Known = leaf("hardwareInterface", "");
static REDUCTION: Known = leaf("mechanicalReduction", "");
static MOTOR: Known = Known {
    name: "actuator",
    read: "name",
    unsupported: "",
    children: &[&REDUCTION, &HARDWARE],
    left_out: "motorTorqueConstant role offset",
};
static DRIVEN: Known = Known {
    name: "joint",
    read: "name",
    unsupported: "",
    children: &[&HARDWARE, &REDUCTION],
    left_out: "role offset",
};
static TRANSMISSION: Known = Known {
    name: "transmission",
    read: "name",
    unsupported: "type",
    children: &[&TEXT_TYPE, &DRIVEN, &MOTOR, &REDUCTION],
    left_out: "leftActuator rightActuator flexJoint rollJoint gap_joint passive_joint use_simulated_gripper_joint",
};

/// The outermost element.
pub(super) static ROBOT: Known = Known {
    name: "robot",
    read: "name version",
    unsupported: "",
    children: &[&LINK, &JOINT, &MATERIAL, &TRANSMISSION],
    left_out: "gazebo mujoco ros2_control sensor gripper group",
};
