"""Bullet: its own settings but for damping of bodies, which is off.

Coefficients of two parts are multiplied: each has a factor whose products are the coefficients asked for. Tight: as
many iterations as help, and no threshold at which they end.
"""

import math

from shared import Refused, diagonal, factors, moves, parts_of, wxyz


def version():
    from importlib.metadata import version

    return version("pybullet")


def one(pb, name, of):
    if name == "half_space":
        return dict(shapeType=pb.GEOM_PLANE, planeNormal=[0, 0, 1])
    if name == "sphere":
        return dict(shapeType=pb.GEOM_SPHERE, radius=of["radius"])
    if name == "box":
        return dict(shapeType=pb.GEOM_BOX, halfExtents=of["half_lengths"])
    if name == "capsule":
        return dict(shapeType=pb.GEOM_CAPSULE, radius=of["radius"], height=2 * of["half_length"])
    if name == "cylinder":
        return dict(shapeType=pb.GEOM_CYLINDER, radius=of["radius"], height=2 * of["half_height"])
    return dict(shapeType=pb.GEOM_MESH, vertices=of["points"])


def collision(pb, part):
    shapes = parts_of(part["geometry"])
    if len(shapes) == 1:
        return pb.createCollisionShape(**one(pb, *shapes[0][:2]))
    lists = dict(shapeTypes=[], radii=[], lengths=[], halfExtents=[])
    for name, of, _, _ in shapes:
        numbers = one(pb, name, of)
        lists["shapeTypes"].append(numbers["shapeType"])
        lists["radii"].append(numbers.get("radius", 0.0))
        lists["lengths"].append(numbers.get("height", 0.0))
        lists["halfExtents"].append(numbers.get("halfExtents", [0.0] * 3))
    places = [list(s[2]) for s in shapes]
    turns = [list(s[3]) for s in shapes]
    return pb.createCollisionShapeArray(
        **lists, collisionFramePositions=places, collisionFrameOrientations=turns
    )


def prepare(world, dt, tight):
    import pybullet as pb

    if world["links"]:
        raise Refused("no link of a given length")
    if any(moves(part) for part in world["fixed"]):
        raise Refused("no plane that moves")
    pb.connect(pb.DIRECT)
    pb.setGravity(*world["gravity"])
    pb.setPhysicsEngineParameter(fixedTimeStep=dt)
    if tight:
        pb.setPhysicsEngineParameter(numSolverIterations=1000, solverResidualThreshold=0)
    fixed, root = factors(world)
    guides = dict(world["guides"])

    def settle(body, link, part, mu):
        pb.changeDynamics(
            body, link, lateralFriction=mu, restitution=math.sqrt(part["eps"]),
            linearDamping=0, angularDamping=0, jointDamping=0,
        )

    def free(part, mass):
        pose = part["pose"]
        return pb.createMultiBody(mass, collision(pb, part), -1, pose["position"], pose["rotation"])

    def guided(part, along):
        """A link that shifts on a base that is fixed."""
        pose = part["pose"]
        body = pb.createMultiBody(
            0, -1, -1, pose["position"], pose["rotation"],
            linkMasses=[part["mass"]], linkCollisionShapeIndices=[collision(pb, part)],
            linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
            linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
            linkParentIndices=[0], linkJointTypes=[pb.JOINT_PRISMATIC], linkJointAxis=[along],
        )
        # Joints come with a motor that holds them.
        pb.setJointMotorControl2(body, 0, pb.VELOCITY_CONTROL, force=0)
        return body

    for part, mu in zip(world["fixed"], fixed):
        settle(free(part, 0), -1, part, mu)
    bodies = []
    for i, part in enumerate(world["bodies"]):
        link = 0 if i in guides else -1
        body = guided(part, guides[i]) if i in guides else free(part, part["mass"])
        settle(body, link, part, root)
        pb.changeDynamics(body, link, localInertiaDiagonal=diagonal(part))
        if link < 0:
            pb.resetBaseVelocity(body, part["linear"], part["angular"])
        bodies.append((body, link))

    def place(body, link):
        if link < 0:
            return (*pb.getBasePositionAndOrientation(body), *pb.getBaseVelocity(body))
        found = pb.getLinkState(body, link, computeLinkVelocity=1, computeForwardKinematics=1)
        return found[0], found[1], found[6], found[7]

    def step(_):
        for number, force in world["forces"]:
            body, link = bodies[number]
            pb.applyExternalForce(body, link, force, place(body, link)[0], pb.WORLD_FRAME)
        pb.stepSimulation()

    def state():
        q, u = [], []
        for body in bodies:
            position, rotation, linear, angular = place(*body)
            q += [*position, *wxyz(rotation)]
            u += [*linear, *angular]
        return q, u

    return step, state
