"""Records what MuJoCo makes of the models: python record.py, with the package `mujoco` installed. The numbers go to mujoco.json."""

import json
import pathlib

import mujoco

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parent / "models"


def rows(array):
    return [[float(x) for x in row] for row in array]


# Fixed links stay bodies of their own, visual shapes stay, and a link without <inertial> has no mass.
URDF = '<mujoco><compiler fusestatic="false" discardvisual="false" inertiafromgeom="false"/></mujoco>'


def load(path):
    if path.suffix == ".xml":
        return mujoco.MjModel.from_xml_path(str(path))
    begin, end = path.read_text().rsplit("</robot>", 1)
    return mujoco.MjModel.from_xml_string(begin + URDF + "</robot>" + end)


def record(path):
    model = load(path)
    name = lambda kind, k: mujoco.mj_id2name(model, kind, k) or ""
    objects = mujoco.mjtObj
    meshes = []
    for k in range(model.nmesh):
        meshes.append({"pos": rows([model.mesh_pos[k]])[0], "quat": rows([model.mesh_quat[k]])[0]})
    return {
        "gravity": [float(x) for x in model.opt.gravity],
        "timestep": float(model.opt.timestep),
        "qpos0": [float(x) for x in model.qpos0],
        "body_name": [name(objects.mjOBJ_BODY, k) for k in range(model.nbody)],
        "body_parent": [int(x) for x in model.body_parentid],
        "body_pos": rows(model.body_pos),
        "body_quat": rows(model.body_quat),
        "body_mass": [float(x) for x in model.body_mass],
        "body_ipos": rows(model.body_ipos),
        "body_iquat": rows(model.body_iquat),
        "body_inertia": rows(model.body_inertia),
        "jnt_name": [name(objects.mjOBJ_JOINT, k) for k in range(model.njnt)],
        "jnt_type": [int(x) for x in model.jnt_type],
        "jnt_body": [int(x) for x in model.jnt_bodyid],
        "jnt_pos": rows(model.jnt_pos),
        "jnt_axis": rows(model.jnt_axis),
        "jnt_limited": [int(x) for x in model.jnt_limited],
        "jnt_range": rows(model.jnt_range),
        "jnt_stiffness": [float(x[0]) if hasattr(x, "__len__") else float(x) for x in model.jnt_stiffness],
        "jnt_spring": [float(model.qpos_spring[model.jnt_qposadr[k]]) for k in range(model.njnt)],
        "dof_damping": [float(x[0]) if hasattr(x, "__len__") else float(x) for x in model.dof_damping],
        "dof_friction": [float(x) for x in model.dof_frictionloss],
        "dof_armature": [float(x) for x in model.dof_armature],
        "geom_name": [name(objects.mjOBJ_GEOM, k) for k in range(model.ngeom)],
        "geom_type": [int(x) for x in model.geom_type],
        "geom_body": [int(x) for x in model.geom_bodyid],
        "geom_pos": rows(model.geom_pos),
        "geom_quat": rows(model.geom_quat),
        "geom_size": rows(model.geom_size),
        "geom_friction": rows(model.geom_friction),
        "geom_filter": [[int(a), int(b), int(c)] for a, b, c in zip(model.geom_contype, model.geom_conaffinity, model.geom_condim)],
        "mesh": meshes,
        "hfield": [float(x) for x in model.hfield_data],
        "site_pos": rows(model.site_pos),
        "site_quat": rows(model.site_quat),
        "act_gain": rows(model.actuator_gainprm[:, :3]),
        "act_bias": rows(model.actuator_biasprm[:, :3]),
        "act_gear": rows(model.actuator_gear),
        "act_ctrl": [[int(a), *map(float, r)] for a, r in zip(model.actuator_ctrllimited, model.actuator_ctrlrange)],
        "act_force": [[int(a), *map(float, r)] for a, r in zip(model.actuator_forcelimited, model.actuator_forcerange)],
    }


def main():
    # MuJoCo reads neither glTF nor text STL, which the gripper has.
    paths = [path for path in sorted(MODELS.glob("*.*")) if path.name != "gripper.urdf"]
    recorded = {path.name: record(path) for path in paths}
    lines = []
    for model, fields in recorded.items():
        inner = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())
        lines.append(f"{json.dumps(model)}: {{\n{inner}\n}}")
    (HERE / "mujoco.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(mujoco.__version__, len(recorded), "models")


main()
