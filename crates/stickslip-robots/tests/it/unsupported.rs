//! What the neutral model has no place for is listed, each with its line and column.

use crate::shared::file;
use stickslip_robots::{UrdfBase, read_mjcf, read_urdf};

const MJCF: &str = r#"<mujoco>
<compiler fusestatic="true" texturedir="t"><lengthrange mode="all"/></compiler>
<option integrator="RK4" wind="1 0 0"><flag contact="disable"/></option>
<size nconmax="5"/>
<statistic extent="1"/>
<visual><map znear="1"/></visual>
<custom><numeric name="n" data="1"/></custom>
<extension><plugin plugin="p"/></extension>
<default><geom solref="0.1 1"/><camera fovy="1"/><tendon width="1"/></default>
<asset><texture name="t" builtin="flat"/><skin/></asset>
<worldbody>
<camera/><light/><attach/><plugin/>
<composite/><flexcomp/>
<replicate count="3"><body/></replicate>
<body name="b" sleep="auto">
<joint name="j" margin="1" solreflimit="1 1" user="1"/>
<geom name="g" size="1" solimp="1 1 1" fluidshape="ellipsoid"/>
<site name="s" mesh="m"/>
</body>
</worldbody>
<deformable><flex/></deformable>
<tendon><spatial name="rope"><site site="s"/></spatial></tendon>
<equality><tendon tendon1="rope"/></equality>
<actuator>
<muscle name="m" joint="j"/>
<motor name="pull" tendon="rope"/>
<general name="odd" joint="j" gaintype="user"/>
<motor name="kept" joint="j" lengthrange="0 1"/>
</actuator>
<sensor><gyro site="s" delay="1"/><plugin/></sensor>
<keyframe><key qpos="0" ctrl="1 2 3 4"/></keyframe>
</mujoco>"#;

const URDF: &str = r#"<robot name="r">
<link name="a"><visual><geometry><mesh filename="x.dae"/></geometry></visual></link>
<link name="b"/>
<joint name="j" type="continuous">
<parent link="a"/><child link="b"/>
<calibration rising="0"/>
<limit lower="0" effort="1" velocity="1" jerk="3"/>
</joint>
<transmission name="t">
<type>DifferentialTransmission</type>
<joint name="j"><hardwareInterface>PositionJointInterface</hardwareInterface></joint>
</transmission>
<ros2_control name="c"><hardware/></ros2_control>
</robot>"#;

/// The warnings as text.
fn listed(warnings: &[stickslip_robots::Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn everything_that_mjcf_has_beyond_the_model_is_listed() {
    let model = read_mjcf(MJCF.as_bytes(), "m", &file).unwrap();
    assert_eq!(listed(&model.warnings), MJCF_LISTED);
    assert_eq!(model.actuators.len(), 1);
}

const MJCF_LISTED: [&str; 40] = [
    "m:2:11: `fusestatic` of <compiler> is not supported and has no effect",
    "m:2:29: `texturedir` of <compiler> is not supported and has no effect",
    "m:2:44: <lengthrange> in <compiler> is not supported and is left out",
    "m:3:9: `integrator` of <option> is not supported and has no effect",
    "m:3:26: `wind` of <option> is not supported and has no effect",
    "m:3:45: `contact` of <flag> is not supported and has no effect",
    "m:4:7: `nconmax` of <size> is not supported and has no effect",
    "m:5:12: `extent` of <statistic> is not supported and has no effect",
    "m:6:9: <map> in <visual> is not supported and is left out",
    "m:7:9: <numeric> `n` in <custom> is not supported and is left out",
    "m:8:12: <plugin> in <extension> is not supported and is left out",
    "m:9:16: `solref` of <geom> is not supported and has no effect",
    "m:9:32: <camera> in <default> is not supported and is left out",
    "m:9:50: <tendon> in <default> is not supported and is left out",
    "m:10:8: <texture> `t` in <asset> is not supported and is left out",
    "m:10:42: <skin> in <asset> is not supported and is left out",
    "m:12:1: <camera> in <worldbody> is not supported and is left out",
    "m:12:10: <light> in <worldbody> is not supported and is left out",
    "m:12:18: <attach> in <worldbody> is not supported and is left out",
    "m:12:27: <plugin> in <worldbody> is not supported and is left out",
    "m:13:1: <composite> in <worldbody> is not supported and is left out",
    "m:13:13: <flexcomp> in <worldbody> is not supported and is left out",
    "m:14:1: <replicate> in <worldbody> is not supported and is left out, with the element inside of it",
    "m:15:16: `sleep` of <body> is not supported and has no effect",
    "m:16:17: `margin` of <joint> is not supported and has no effect",
    "m:16:28: `solreflimit` of <joint> is not supported and has no effect",
    "m:16:46: `user` of <joint> is not supported and has no effect",
    "m:17:25: `solimp` of <geom> is not supported and has no effect",
    "m:17:40: `fluidshape` of <geom> is not supported and has no effect",
    "m:18:16: `mesh` of <site> is not supported and has no effect",
    "m:21:13: <flex> in <deformable> is not supported and is left out",
    "m:22:9: <spatial> `rope` in <tendon> is not supported and is left out, with the element inside of it",
    "m:23:11: <tendon> in <equality> is not supported and is left out",
    "m:28:30: `lengthrange` of <motor> is not supported and has no effect",
    "m:30:24: `delay` of <gyro> is not supported and has no effect",
    "m:30:35: <plugin> in <sensor> is not supported and is left out",
    "m:25:1: <muscle> `m` in <actuator> is not supported and is left out",
    "m:26:1: <motor> `pull` in <actuator> is not supported and is left out",
    "m:27:1: <general> `odd` in <actuator> is not supported and is left out",
    "m:31:11: the keyframe is left out, as some bodies are",
];

#[test]
fn everything_that_urdf_has_beyond_the_model_is_listed() {
    let model = read_urdf(URDF.as_bytes(), "u", UrdfBase::Fixed, &file).unwrap();
    let expected = [
        "u:6:1: <calibration> in <joint> is not supported and is left out",
        "u:7:42: `jerk` of <limit> is not supported and has no effect",
        "u:13:1: <ros2_control> `c` in <robot> is not supported and is left out, with the element inside of it",
        "u:2:40: a visual mesh is left out: `x.dae` is in a format that is not read; convert it to STL, OBJ or glTF",
        "u:7:8: `lower` has no effect in a joint of this type",
        "u:10:1: the transmission `DifferentialTransmission` is read as a simple one",
        "u:11:17: the interface `PositionJointInterface` says no gains; the transmission is read as a motor",
        "u:3:1: the link `b` moves but has no <inertial>; it has no mass",
    ];
    assert_eq!(listed(&model.warnings), expected);
}

#[test]
fn bodies_that_stand_still_need_no_mass_and_those_that_move_do() {
    let text = r#"<mujoco>
<asset><mesh name="open" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"/></asset>
<worldbody>
<body name="base"><inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/><geom size="1"/>
<body name="cover"><geom type="mesh" mesh="open"/></body>
</body>
</worldbody>
</mujoco>"#;
    let model = read_mjcf(text.as_bytes(), "m", &file).unwrap();
    assert!(model.bodies.iter().all(|body| body.inertia.is_none()));
    let expected = [
        "m:4:19: `base` is fixed and has mass zero; it is read without mass",
        "m:5:20: a body that stands still is read without mass: the mesh is not closed (3 open edges), so that it has no mass; close it, or give masses in <inertial>",
    ];
    assert_eq!(listed(&model.warnings), expected);
    let moving = text.replace("<body name=\"cover\">", "<body name=\"cover\"><joint/>");
    let error = read_mjcf(moving.as_bytes(), "m", &file).unwrap_err();
    assert!(error.to_string().contains("3 open edges"), "{error}");
}
