//! The elements and attributes of MJCF, and which of them the neutral model has a place for.

use super::schema_sensors::SENSORS;
use crate::xml::schema::Known;

const fn known(name: &'static str, read: &'static str, unsupported: &'static str) -> Known {
    Known { name, read, unsupported, children: &[], left_out: "" }
}

const fn section(name: &'static str, left_out: &'static str) -> Known {
    Known { name, read: "", unsupported: "", children: &[], left_out }
}

static COMPILER: Known = Known {
    name: "compiler",
    read: "angle assetdir autolimits balanceinertia boundinertia boundmass coordinate discardvisual eulerseq fitaabb \
           inertiafromgeom inertiagrouprange meshdir settotalmass strippath",
    unsupported: "alignfree conflict convexhull exactmeshinertia fusestatic passthrough savecanonical savecompiled \
                  saveinertial texturedir usethread",
    children: &[],
    left_out: "lengthrange",
};
static FLAG: Known = known(
    "flag",
    "gravity filterparent",
    "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp frictionloss fwdinv \
     invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe sensor sensornoise sleep \
     speculative spring warmstart",
);
static OPTION: Known = Known {
    name: "option",
    read: "gravity timestep",
    unsupported: "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density impratio integrator \
                  iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance \
                  noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints \
                  sdf_iterations sleep_tolerance solver tolerance viscosity wind",
    children: &[&FLAG],
    left_out: "",
};
static SIZE: Known = known(
    "size",
    "",
    "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor \
     nuser_site nuser_tendon nuserdata",
);
static STATISTIC: Known = known("statistic", "", "center extent meaninertia meanmass meansize");
static VISUAL: Known = section("visual", "global quality headlight map scale rgba");
static EXTENSION: Known = section("extension", "plugin");
static CUSTOM: Known = section("custom", "numeric text tuple");
static DEFORMABLE: Known = section("deformable", "flex skin");
static TENDON: Known = section("tendon", "spatial fixed");

static MESH: Known = Known {
    name: "mesh",
    read: "class face file inertia name refpos refquat scale vertex builtin",
    unsupported: "content_type material maxhullvert normal params smoothnormal texcoord",
    children: &[],
    left_out: "plugin",
};
static HFIELD: Known = known("hfield", "elevation file name ncol nrow size", "content_type");
static MATERIAL: Known = Known {
    name: "material",
    read: "class name rgba",
    unsupported: "emission metallic reflectance roughness shininess specular texrepeat texture texuniform",
    children: &[],
    left_out: "layer",
};
static ASSET: Known = Known {
    name: "asset",
    read: "",
    unsupported: "",
    children: &[&MESH, &HFIELD, &MATERIAL],
    left_out: "texture skin model",
};

static JOINT: Known = known(
    "joint",
    "actuatorfrclimited actuatorfrcrange armature axis class damping frictionloss limited name pos range ref \
     springdamper springref stiffness type",
    "actuatorgravcomp group margin solimpfriction solimplimit solreffriction solreflimit springyield user",
);
static FREEJOINT: Known = known("freejoint", "name", "align group");
static GEOM: Known = Known {
    name: "geom",
    read: "axisangle class conaffinity condim contype density euler fitscale friction fromto gap group hfield margin \
           mass material mesh name pos priority quat rgba shellinertia size type xyaxes zaxis",
    unsupported: "adhesion castshadow fluidcoef fluidshape solimp solmix solref surfacevel user",
    children: &[],
    left_out: "plugin",
};
static SITE: Known = known(
    "site",
    "axisangle class euler fromto material name pos quat rgba size type xyaxes zaxis",
    "group mesh user",
);
static INERTIAL: Known =
    known("inertial", "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis", "");
const LEFT_OUT: &str = "attach camera composite flexcomp light plugin replicate";
static FRAME: Known = Known {
    name: "frame",
    read: "axisangle childclass euler name pos quat xyaxes zaxis",
    unsupported: "",
    children: &[&JOINT, &FREEJOINT, &GEOM, &SITE, &FRAME, &BODY],
    left_out: LEFT_OUT,
};
static BODY: Known = Known {
    name: "body",
    read: "axisangle childclass euler gravcomp mocap name pos quat xyaxes zaxis",
    unsupported: "fuse simple sleep user",
    children: &[&INERTIAL, &JOINT, &FREEJOINT, &GEOM, &SITE, &FRAME, &BODY],
    left_out: LEFT_OUT,
};
static WORLDBODY: Known = Known {
    name: "worldbody",
    read: "childclass",
    unsupported: "",
    children: &[&GEOM, &SITE, &FRAME, &BODY],
    left_out: LEFT_OUT,
};

static PAIR: Known = known(
    "pair",
    "class condim friction gap geom1 geom2 margin name",
    "adhesion solimp solref solreffriction",
);
static EXCLUDE: Known = known("exclude", "body1 body2 name", "");
static CONTACT: Known = Known {
    name: "contact",
    read: "",
    unsupported: "",
    children: &[&PAIR, &EXCLUDE],
    left_out: "",
};

static CONNECT: Known =
    known("connect", "active anchor body1 body2 class name site1 site2", "solimp solref");
static WELD: Known = known(
    "weld",
    "active anchor body1 body2 class name relpose site1 site2 torquescale",
    "solimp solref",
);
static COUPLED: Known = known("joint", "active class joint1 joint2 name polycoef", "solimp solref");
static EQUALITY: Known = Known {
    name: "equality",
    read: "",
    unsupported: "",
    children: &[&CONNECT, &WELD, &COUPLED],
    left_out: "tendon flex flexstrain flexvert distance",
};

/// What all actuators have. Those that are not supported as a whole list it too, so that misspellings are found in them as well.
macro_rules! actuator {
    ($name:literal, $own:literal, $unsupported:literal) => {
        known(
            $name,
            concat!(
                "body class cranklength cranksite ctrllimited ctrlrange forcelimited forcerange gear joint \
                 jointinparent name refsite site slidersite tendon ",
                $own
            ),
            concat!("armature damping delay group interp lengthrange nsample user ", $unsupported),
        )
    };
}
static GENERAL: Known = actuator!(
    "general",
    "actlimited actrange biasprm biastype dynprm dyntype gainprm gaintype inheritrange",
    "actdim actearly ffrange input velrange"
);
static MOTOR: Known = actuator!("motor", "", "");
static POSITION: Known = actuator!("position", "dampratio inheritrange kp kv timeconst", "");
static VELOCITY: Known = actuator!("velocity", "kv", "");
static INTVELOCITY: Known =
    actuator!("intvelocity", "actlimited actrange dampratio inheritrange kp kv", "");
static DAMPER: Known = actuator!("damper", "kv", "");
static CYLINDER: Known = actuator!("cylinder", "area bias diameter timeconst", "");
static MUSCLE: Known =
    actuator!("muscle", "force fpmax fvmax lmax lmin range scale tausmooth timeconst vmax", "");
static ADHESION: Known = actuator!("adhesion", "gain", "");
static ORIENTATION: Known = actuator!("orientation", "dampratio input kp kv", "");
static PID: Known = actuator!(
    "pid",
    "dampratio ffrange imax inheritrange input ki kp kv posrange slewmax velrange",
    ""
);
static DCMOTOR: Known = actuator!(
    "dcmotor",
    "cogging controller inductance input lugre motorconst nominal resistance saturation thermal",
    ""
);
static PLUGIN: Known = Known {
    name: "plugin",
    read: "actdim actearly actlimited actrange armature class cranklength cranksite ctrllimited ctrlrange damping delay \
           dynprm dyntype forcelimited forcerange gear group instance interp joint jointinparent lengthrange name \
           nsample plugin site slidersite tendon user",
    unsupported: "",
    children: &[],
    left_out: "config",
};
static ACTUATOR: Known = Known {
    name: "actuator",
    read: "",
    unsupported: "",
    children: &[
        &GENERAL,
        &MOTOR,
        &POSITION,
        &VELOCITY,
        &INTVELOCITY,
        &DAMPER,
        &CYLINDER,
        &MUSCLE,
        &ADHESION,
        &ORIENTATION,
        &PID,
        &DCMOTOR,
        &PLUGIN,
    ],
    left_out: "",
};
static SENSOR: Known = Known {
    name: "sensor",
    read: "",
    unsupported: "",
    children: &SENSORS,
    left_out: "user plugin",
};

static KEY: Known = known("key", "ctrl name qpos qvel time", "act mpos mquat plastic");
static KEYFRAME: Known =
    Known { name: "keyframe", read: "", unsupported: "", children: &[&KEY], left_out: "" };

static DEFAULT_EQUALITY: Known = known("equality", "active", "solimp solref");
static DEFAULT: Known = Known {
    name: "default",
    read: "class",
    unsupported: "",
    children: &[
        &MESH,
        &MATERIAL,
        &JOINT,
        &GEOM,
        &SITE,
        &PAIR,
        &DEFAULT_EQUALITY,
        &GENERAL,
        &MOTOR,
        &POSITION,
        &VELOCITY,
        &INTVELOCITY,
        &DAMPER,
        &CYLINDER,
        &DEFAULT,
    ],
    left_out: "adhesion camera dcmotor light muscle orientation pid tendon texture",
};

/// The outermost element.
pub(super) static MUJOCO: Known = Known {
    name: "mujoco",
    read: "model",
    unsupported: "",
    children: &[
        &COMPILER,
        &OPTION,
        &SIZE,
        &STATISTIC,
        &VISUAL,
        &EXTENSION,
        &CUSTOM,
        &DEFORMABLE,
        &TENDON,
        &ASSET,
        &WORLDBODY,
        &CONTACT,
        &EQUALITY,
        &ACTUATOR,
        &SENSOR,
        &KEYFRAME,
        &DEFAULT,
    ],
    left_out: "",
};
