"""Records how MuJoCo moves the models in motions/: python record_motions.py, with the package `mujoco`. The numbers go to motions.json.

Half a second from the keyframe `start` by the method of Runge and Kutta of order 4 with steps of 0.1 ms."""

import json
import pathlib

import mujoco

HERE = pathlib.Path(__file__).parent
END, STEP = 0.5, 1e-4


def record(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "start"))
    for _ in range(round(END / STEP)):
        mujoco.mj_step(model, data)
    # Poses at the end, not those of the last stage of the last step.
    mujoco.mj_forward(model, data)
    name = lambda kind, k: mujoco.mj_id2name(model, kind, k)
    joints, bodies = {}, {}
    for k in range(model.njnt):
        if int(model.jnt_type[k]) in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)):
            joints[name(mujoco.mjtObj.mjOBJ_JOINT, k)] = float(data.qpos[model.jnt_qposadr[k]])
    for k in range(1, model.nbody):
        position, rotation = data.xpos[k], data.xquat[k]
        bodies[name(mujoco.mjtObj.mjOBJ_BODY, k)] = [float(x) for x in (*position, *rotation)]
    return {"joints": joints, "bodies": bodies}


def main():
    recorded = {path.name: record(path) for path in sorted((HERE / "motions").glob("*.xml"))}
    lines = [f"{json.dumps(name)}: {json.dumps(fields)}" for name, fields in recorded.items()]
    (HERE / "motions.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(mujoco.__version__, len(recorded), "models")


main()
