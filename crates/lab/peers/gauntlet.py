"""Takes a world of the gauntlet through time with another program.

Usage: gauntlet.py PROGRAM, with PROGRAM one of mujoco, drake, dart, bullet, and a JSON object on its input as
`lab peers` writes it: `world`, `dt`, `steps`. Output: a JSON object with `q`, seven numbers per body (position,
quaternion w x y z), and `u`, six (velocity of the centre, angular velocity, world axes); or with `refused`, why the
program cannot be asked. `gauntlet.py PROGRAM version` prints its version.

Settings are the program's own, but for the step, and for what is physics rather than method: damping of bodies and
sleeping are off, and friction of two parts is the smaller of their coefficients whatever the program's rule.
"""

import json
import math
import sys
from importlib.metadata import version


class Refused(Exception):
    pass


def parts_of(geometry, position=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0)):
    """The simple shapes of a geometry: name, numbers, position and quaternion x y z w."""
    if geometry == "half_space":
        return [("half_space", {}, position, rotation)]
    ((name, of),) = geometry.items()
    if name != "compound":
        return [(name, of, position, rotation)]
    # Compounds are one deep, and stand in body axes.
    return [x for pose, part in of["parts"] for x in parts_of(part, pose["position"], pose["rotation"])]


def diagonal(part):
    return [part["inertia"][0], part["inertia"][4], part["inertia"][8]]


def wxyz(rotation):
    return [rotation[3], *rotation[:3]]


def turned(rotation, v, inverse=False):
    """A vector turned by a quaternion x y z w."""
    x, y, z, w = rotation
    if inverse:
        x, y, z = -x, -y, -z
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [
        v[0] + w * t[0] + y * t[2] - z * t[1],
        v[1] + w * t[1] + z * t[0] - x * t[2],
        v[2] + w * t[2] + x * t[1] - y * t[0],
    ]


def moves(part):
    return any(part["linear"])


def largest_restitution(world):
    return max(part["eps"] for part in world["bodies"])


# What moves with a constant velocity is a body of this mass on a slide.
HEAVY = 1e5
# What has no end, where a program needs one.
WIDE = 50.0


def mujoco(world, dt, steps):
    import mujoco as mj

    if largest_restitution(world) > 0:
        raise Refused("no coefficient of restitution")
    numbers = lambda values: " ".join(repr(float(v)) for v in values)
    meshes, bodies = [], []
    levels = sorted({p["mu"] for p in world["fixed"] + world["bodies"]}, reverse=True)

    def geoms(part, moving):
        text = ""
        for name, of, position, rotation in parts_of(part["geometry"]):
            at = f'pos="{numbers(position)}" quat="{numbers(wxyz(rotation))}"'
            # Of two geometries the one with the higher priority decides.
            law = f'friction="{part["mu"]!r} 0.005 0.0001" priority="{levels.index(part["mu"])}"'
            if name == "half_space" and not moving:
                kind = 'type="plane" size="0 0 1"'
            elif name == "half_space":
                kind = f'type="box" size="{WIDE} {WIDE} 1"'
                at = 'pos="0 0 -1"'
            elif name == "sphere":
                kind = f'type="sphere" size="{of["radius"]!r}"'
            elif name == "box":
                kind = f'type="box" size="{numbers(of["half_lengths"])}"'
            elif name == "capsule":
                kind = f'type="capsule" size="{of["radius"]!r} {of["half_length"]!r}"'
            elif name == "cylinder":
                kind = f'type="cylinder" size="{of["radius"]!r} {of["half_height"]!r}"'
            elif name == "hull":
                flat = [x for p in of["points"] for x in p]
                meshes.append(f'<mesh name="m{len(meshes)}" vertex="{numbers(flat)}"/>')
                kind = f'type="mesh" mesh="m{len(meshes) - 1}"'
            else:
                raise Refused(f"no {name}")
            text += f"<geom {kind} {at} {law}/>"
        return text

    def pose(part):
        p = part["pose"]
        return f'pos="{numbers(p["position"])}" quat="{numbers(wxyz(p["rotation"]))}"'

    speeds = []
    for part in world["fixed"]:
        if moves(part):
            speed = math.hypot(*part["linear"])
            axis = numbers(x / speed for x in part["linear"])
            inertial = f'<inertial pos="0 0 0" mass="{HEAVY}" diaginertia="{HEAVY} {HEAVY} {HEAVY}"/>'
            joint = f'<joint type="slide" axis="{axis}"/>'
            bodies.append(f'<body gravcomp="1" {pose(part)}>{joint}{inertial}{geoms(part, True)}</body>')
            speeds.append(speed)
        else:
            bodies.append(f"<body {pose(part)}>{geoms(part, False)}</body>")
    for part in world["bodies"]:
        inertial = (
            f'<inertial pos="0 0 0" mass="{part["mass"]!r}" diaginertia="{numbers(diagonal(part))}"/>'
        )
        bodies.append(f"<body {pose(part)}><freejoint/>{inertial}{geoms(part, False)}</body>")
    xml = (
        f'<mujoco><compiler boundmass="0" boundinertia="0"/><option timestep="{dt!r}" '
        f'gravity="{numbers(world["gravity"])}"/>'
        f'<asset>{"".join(meshes)}</asset><worldbody>{"".join(bodies)}</worldbody></mujoco>'
    )
    model = mj.MjModel.from_xml_string(xml)
    data = mj.MjData(model)
    data.qvel[: len(speeds)] = speeds
    for i, part in enumerate(world["bodies"]):
        at = len(speeds) + 6 * i
        data.qvel[at : at + 3] = part["linear"]
        data.qvel[at + 3 : at + 6] = turned(part["pose"]["rotation"], part["angular"], inverse=True)
    first = 1 + len(world["fixed"])
    for number, force in world["forces"]:
        data.xfrc_applied[first + number, :3] = force
    for _ in range(steps):
        mj.mj_step(model, data)
    q, u = [], []
    for i in range(len(world["bodies"])):
        at = len(speeds) + 7 * i
        here = data.qpos[at : at + 7].tolist()
        q += here
        w, x, y, z = here[3:]
        at = len(speeds) + 6 * i
        v = data.qvel[at : at + 6].tolist()
        u += v[:3] + turned((x, y, z, w), v[3:])
    return q, u


def friction_by_product(world):
    """Coefficients of the fixed parts and of the bodies whose products are the smaller ones."""
    body = world["bodies"][0]["mu"]
    root = math.sqrt(body)
    return [min(p["mu"], body) / root if body else 0.0 for p in world["fixed"]], root


def bullet(world, dt, steps):
    import pybullet as pb

    pb.connect(pb.DIRECT)
    pb.setGravity(*world["gravity"])
    pb.setPhysicsEngineParameter(fixedTimeStep=dt)

    def collision(part):
        shapes = parts_of(part["geometry"])
        if len(shapes) > 1:
            raise Refused("no compound")
        ((name, of, _, _),) = shapes
        if name == "half_space":
            return pb.createCollisionShape(pb.GEOM_PLANE, planeNormal=[0, 0, 1])
        if name == "sphere":
            return pb.createCollisionShape(pb.GEOM_SPHERE, radius=of["radius"])
        if name == "box":
            return pb.createCollisionShape(pb.GEOM_BOX, halfExtents=of["half_lengths"])
        if name == "capsule":
            length = 2 * of["half_length"]
            return pb.createCollisionShape(pb.GEOM_CAPSULE, radius=of["radius"], height=length)
        if name == "cylinder":
            length = 2 * of["half_height"]
            return pb.createCollisionShape(pb.GEOM_CYLINDER, radius=of["radius"], height=length)
        if name == "hull":
            return pb.createCollisionShape(pb.GEOM_MESH, vertices=of["points"])
        raise Refused(f"no {name}")

    fixed, root = friction_by_product(world)

    def add(part, mass, mu):
        pose = part["pose"]
        body = pb.createMultiBody(mass, collision(part), -1, pose["position"], pose["rotation"])
        pb.changeDynamics(
            body, -1, lateralFriction=mu, restitution=math.sqrt(part["eps"]),
            linearDamping=0, angularDamping=0,
        )
        return body

    for part, mu in zip(world["fixed"], fixed):
        if moves(part):
            raise Refused("no half-space that moves")
        add(part, 0, mu)
    bodies = []
    for part in world["bodies"]:
        body = add(part, part["mass"], root)
        pb.changeDynamics(body, -1, localInertiaDiagonal=diagonal(part))
        pb.resetBaseVelocity(body, part["linear"], part["angular"])
        bodies.append(body)
    for _ in range(steps):
        for number, force in world["forces"]:
            at = pb.getBasePositionAndOrientation(bodies[number])[0]
            pb.applyExternalForce(bodies[number], -1, force, at, pb.WORLD_FRAME)
        pb.stepSimulation()
    q, u = [], []
    for body in bodies:
        position, rotation = pb.getBasePositionAndOrientation(body)
        q += [*position, *wxyz(rotation)]
        linear, angular = pb.getBaseVelocity(body)
        u += [*linear, *angular]
    return q, u


def drake(world, dt, steps):
    import numpy as np
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.geometry import (
        AddContactMaterial, Box, Capsule, Convex, Cylinder, HalfSpace, ProximityProperties, Sphere,
    )
    from pydrake.math import RigidTransform
    from pydrake.multibody.math import SpatialForce, SpatialVelocity
    from pydrake.multibody.plant import (
        AddMultibodyPlantSceneGraph, CoulombFriction, ExternallyAppliedSpatialForce,
    )
    from pydrake.multibody.tree import PrismaticJoint, SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    if largest_restitution(world) > 0:
        raise Refused("no coefficient of restitution")
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, time_step=dt)
    plant.mutable_gravity_field().set_gravity_vector(world["gravity"])
    def transform(position, rotation):
        q = np.array(wxyz(rotation))
        return RigidTransform(Quaternion(q / np.linalg.norm(q)), position)

    body_mu = world["bodies"][0]["mu"]

    def friction(part, free):
        # Its rule is 2 a b / (a + b).
        wanted = min(part["mu"], body_mu)
        if free or wanted == 0.0:
            return wanted
        return wanted * body_mu / (2 * body_mu - wanted)

    def register(body, part, free, base=RigidTransform()):
        mu = friction(part, free)
        for i, (name, of, position, rotation) in enumerate(parts_of(part["geometry"])):
            at = base.multiply(transform(position, rotation))
            if name == "half_space":
                shape = HalfSpace()
            elif name == "sphere":
                shape = Sphere(of["radius"])
            elif name == "box":
                shape = Box(*(2 * x for x in of["half_lengths"]))
            elif name == "capsule":
                shape = Capsule(of["radius"], 2 * of["half_length"])
            elif name == "cylinder":
                shape = Cylinder(of["radius"], 2 * of["half_height"])
            elif name == "hull":
                shape = Convex(np.array(of["points"]).T, "hull")
            else:
                raise Refused(f"no {name}")
            properties = ProximityProperties()
            AddContactMaterial(friction=CoulombFriction(mu, mu), properties=properties)
            count = len(plant.GetCollisionGeometriesForBody(body))
            plant.RegisterCollisionGeometry(body, at, shape, f"{body.name()}_{count}", properties)

    def inertia(mass, moments):
        return SpatialInertia(mass, np.zeros(3), UnitInertia(*(m / mass for m in moments)))

    slides = []
    for i, part in enumerate(world["fixed"]):
        base = transform(part["pose"]["position"], part["pose"]["rotation"])
        if not moves(part):
            register(plant.world_body(), part, False, base)
            continue
        speed = math.hypot(*part["linear"])
        body = plant.AddRigidBody(f"slide{i}", inertia(HEAVY, [HEAVY] * 3))
        joint = plant.AddJoint(PrismaticJoint(
            f"slide{i}", plant.world_body().body_frame(), body.body_frame(),
            [x / speed for x in part["linear"]]))
        register(body, part, False)
        slides.append((joint, speed))
    bodies = []
    for i, part in enumerate(world["bodies"]):
        body = plant.AddRigidBody(f"b{i}", inertia(part["mass"], diagonal(part)))
        register(body, part, True)
        bodies.append(body)
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for joint, speed in slides:
        joint.set_translation_rate(context, speed)
    for body, part in zip(bodies, world["bodies"]):
        pose = part["pose"]
        plant.SetFreeBodyPose(context, body, transform(pose["position"], pose["rotation"]))
        plant.SetFreeBodySpatialVelocity(
            context, body, SpatialVelocity(w=part["angular"], v=part["linear"]))
    loads = []
    for number, force in world["forces"]:
        load = ExternallyAppliedSpatialForce()
        load.body_index = bodies[number].index()
        load.F_Bq_W = SpatialForce(tau=np.zeros(3), f=force)
        loads.append(load)
    if loads:
        plant.get_applied_spatial_force_input_port().FixValue(context, loads)
    simulator.Initialize()
    simulator.AdvanceTo(steps * dt)
    q, u = [], []
    for body in bodies:
        pose = plant.EvalBodyPoseInWorld(context, body)
        q += [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()]
        velocity = plant.EvalBodySpatialVelocityInWorld(context, body)
        u += [*velocity.translational(), *velocity.rotational()]
    return q, u


def dart(world, dt, steps):
    import dartpy as dp
    import numpy as np

    dynamics = getattr(dp, "dynamics", dp)
    simulation = getattr(dp, "simulation", dp)
    scene = simulation.World("world")
    scene.setTimeStep(dt)
    scene.setGravity(world["gravity"])

    def isometry(position, rotation):
        at = getattr(dp, "math", dp).Isometry3()
        at.set_rotation(np.array([turned(rotation, e) for e in np.eye(3)]).T)
        at.set_translation(position)
        return at

    def add(part, name, free):
        skeleton = dynamics.Skeleton(name)
        if free:
            joint, body = skeleton.createFreeJointAndBodyNodePair()
            moment = np.diag(diagonal(part))
            body.setInertia(dynamics.Inertia(part["mass"], np.zeros(3), moment))
        else:
            joint, body = skeleton.createWeldJointAndBodyNodePair()
        pose = part["pose"]
        base = isometry(pose["position"], pose["rotation"])
        for kind, of, position, rotation in parts_of(part["geometry"]):
            if kind == "half_space":
                shape = dynamics.PlaneShape(np.array([0.0, 0.0, 1.0]), 0.0)
            elif kind == "sphere":
                shape = dynamics.SphereShape(of["radius"])
            elif kind == "box":
                shape = dynamics.BoxShape([2 * x for x in of["half_lengths"]])
            elif kind == "cylinder":
                shape = dynamics.CylinderShape(of["radius"], 2 * of["half_height"])
            else:
                raise Refused(f"no {kind}")
            node = body.createShapeNode(shape)
            node.createCollisionAspect()
            node.createDynamicsAspect()
            aspect = node.getDynamicsAspect()
            aspect.setFrictionCoeff(part["mu"])
            aspect.setRestitutionCoeff(math.sqrt(part["eps"]))
            node.setRelativeTransform(isometry(position, rotation))
        if free:
            spatial = [*turned(pose["rotation"], part["angular"], True),
                       *turned(pose["rotation"], part["linear"], True)]
            joint.setTransform(base)
            joint.setVelocities(spatial)
        else:
            joint.setTransformFromParentBodyNode(base)
        scene.addSkeleton(skeleton)
        return body

    for i, part in enumerate(world["fixed"]):
        if moves(part):
            raise Refused("no half-space that moves")
        add(part, f"fixed{i}", False)
    bodies = [add(part, f"b{i}", True) for i, part in enumerate(world["bodies"])]
    for _ in range(steps):
        for number, force in world["forces"]:
            bodies[number].addExtForce(force)
        scene.step()
    q, u = [], []
    for body in bodies:
        at = body.getWorldTransform()
        q += [*at.translation(), *quaternion(np.array(at.rotation()))]
        u += [*body.getCOMLinearVelocity(), *body.getAngularVelocity()]
    return q, u


def quaternion(r):
    """w x y z of a rotation matrix, by its largest component."""
    squares = [1 + r[0][0] + r[1][1] + r[2][2], 1 + r[0][0] - r[1][1] - r[2][2],
               1 - r[0][0] + r[1][1] - r[2][2], 1 - r[0][0] - r[1][1] + r[2][2]]
    k = squares.index(max(squares))
    s = 0.5 / math.sqrt(squares[k])
    a, b, c = r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]
    d, e, f = r[1][0] + r[0][1], r[0][2] + r[2][0], r[2][1] + r[1][2]
    half = s * squares[k]
    return [[half, a * s, b * s, c * s], [a * s, half, d * s, e * s],
            [b * s, d * s, half, f * s], [c * s, e * s, f * s, half]][k]


PROGRAMS = {
    "mujoco": (mujoco, "mujoco"),
    "drake": (drake, "drake"),
    "dart": (dart, "dartpy"),
    "bullet": (bullet, "pybullet"),
}


def main():
    program, package = PROGRAMS[sys.argv[1]]
    if sys.argv[2:] == ["version"]:
        print(version(package))
        return
    asked = json.load(sys.stdin)
    try:
        q, u = program(asked["world"], asked["dt"], asked["steps"])
    except Refused as why:
        print(json.dumps({"refused": str(why)}))
        return
    print(json.dumps({"q": [float(x) for x in q], "u": [float(x) for x in u]}))


if __name__ == "__main__":
    main()
