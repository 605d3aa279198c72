"""MuJoCo: elliptic friction cones and several points between faces of hulls; all else as it is by default.

Tight: contacts as stiff and as hard as they may be for the step, friction a hundred times as stiff, and as many
iterations as help.
"""

import math

from shared import HEAVY, WIDE, diagonal, moves, parts_of, restitution_must_be_zero, turned, wxyz


def version():
    from importlib.metadata import version

    return version("mujoco")


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def shape(name, of, meshes):
    if name == "sphere":
        return f'type="sphere" size="{of["radius"]!r}"'
    if name == "box":
        return f'type="box" size="{numbers(of["half_lengths"])}"'
    if name == "capsule":
        return f'type="capsule" size="{of["radius"]!r} {of["half_length"]!r}"'
    if name == "cylinder":
        return f'type="cylinder" size="{of["radius"]!r} {of["half_height"]!r}"'
    flat = [x for p in of["points"] for x in p]
    meshes.append(f'<mesh name="m{len(meshes)}" vertex="{numbers(flat)}"/>')
    return f'type="mesh" mesh="m{len(meshes) - 1}"'


def geoms(part, priority, meshes):
    text = ""
    for name, of, position, rotation in parts_of(part["geometry"]):
        at = f'pos="{numbers(position)}" quat="{numbers(wxyz(rotation))}"'
        # Of two geometries the one with the higher priority decides.
        law = f'friction="{part["mu"]!r} 0.005 0.0001" priority="{priority}"'
        if name == "half_space" and not moves(part):
            kind = 'type="plane" size="0 0 1"'
        elif name == "half_space":
            # A plane belongs to a body that does not move.
            kind, at = f'type="box" size="{WIDE} {WIDE} 1"', 'pos="0 0 -1"'
        else:
            kind = shape(name, of, meshes)
        text += f"<geom {kind} {at} {law}/>"
    return text


def pose(part):
    p = part["pose"]
    return f'pos="{numbers(p["position"])}" quat="{numbers(wxyz(p["rotation"]))}"'


def inertial(mass, moments):
    return f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{numbers(moments)}"/>'


def describe(world, dt, tight):
    """The world in MuJoCo's language."""
    meshes, text = [], []
    levels = sorted({p["mu"] for p in world["fixed"] + world["bodies"]}, reverse=True)
    guides = dict(world["guides"])
    for part in world["fixed"]:
        body, held = geoms(part, levels.index(part["mu"]), meshes), ""
        if moves(part):
            held = f'<joint type="slide" axis="{numbers(part["linear"])}"/>' + inertial(HEAVY, [HEAVY] * 3)
        text.append(f'<body gravcomp="{int(moves(part))}" {pose(part)}>{held}{body}</body>')
    for i, part in enumerate(world["bodies"]):
        joint = f'<joint type="slide" axis="{numbers(guides[i])}"/>' if i in guides else "<freejoint/>"
        body = geoms(part, levels.index(part["mu"]), meshes)
        mass = inertial(part["mass"], diagonal(part))
        text.append(f'<body {pose(part)}>{joint}{mass}{body}<site name="s{i}"/></body>')
    # A link is a string that is kept at the length it has at the start, as hard as the step allows: it stands for what is rigid.
    strings = "".join(
        f'<spatial name="t{k}"><site site="s{a}"/><site site="s{b}"/></spatial>'
        for k, (a, b, _) in enumerate(world["links"])
    )
    stiff = f'solref="{2 * dt!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    kept = "".join(f'<tendon tendon1="t{k}" {stiff}/>' for k in range(len(world["links"])))
    more = 'iterations="1000" ls_iterations="200" tolerance="0" impratio="100"' if tight else ""
    hard = f"<geom {stiff}/>" if tight else ""
    return (
        f'<mujoco><compiler boundmass="0" boundinertia="0"/><default>{hard}</default>'
        f'<option timestep="{dt!r}" gravity="{numbers(world["gravity"])}" cone="elliptic" {more}>'
        f'<flag multiccd="enable"/></option><asset>{"".join(meshes)}</asset>'
        f'<worldbody>{"".join(text)}</worldbody>'
        f"<tendon>{strings}</tendon><equality>{kept}</equality></mujoco>"
    )


def prepare(world, dt, tight):
    import mujoco as mj

    restitution_must_be_zero(world)
    model = mj.MjModel.from_xml_string(describe(world, dt, tight))
    data = mj.MjData(model)
    first = 1 + len(world["fixed"])
    at = lambda body: int(model.body_dofadr[body])
    for i, part in enumerate(world["fixed"]):
        if moves(part):
            data.qvel[at(1 + i)] = math.hypot(*part["linear"])
    guides = dict(world["guides"])
    for i, part in enumerate(world["bodies"]):
        if i not in guides:
            k = at(first + i)
            data.qvel[k : k + 3] = part["linear"]
            data.qvel[k + 3 : k + 6] = turned(part["pose"]["rotation"], part["angular"], inverse=True)
    for number, force in world["forces"]:
        data.xfrc_applied[first + number, :3] = force

    def step(_):
        mj.mj_step(model, data)

    def state():
        mj.mj_kinematics(model, data)
        q, u = [], []
        for i in range(len(world["bodies"])):
            here = data.xpos[first + i].tolist() + data.xquat[first + i].tolist()
            q += here
            k = at(first + i)
            if i in guides:
                u += [x * float(data.qvel[k]) for x in guides[i]] + [0.0] * 3
                continue
            v = data.qvel[k : k + 6].tolist()
            w, x, y, z = here[3:]
            u += v[:3] + turned((x, y, z, w), v[3:])
        return q, u

    return step, state
