"""DART with the collision detection of ODE, as robot simulators use it: with its own a box sinks into a plane. All else is
as it is by default."""

import math

from shared import Refused, diagonal, moves, parts_of, turned


def version():
    from importlib.metadata import version

    return version("dartpy")


def prepare(world, dt, tight):
    import dartpy as dp
    import numpy as np

    if world["links"]:
        raise Refused("no link of a given length")
    if any(moves(part) for part in world["fixed"]):
        raise Refused("no plane that moves")
    dynamics = dp.dynamics
    scene = dp.simulation.World("world")
    scene.setTimeStep(dt)
    scene.setGravity(world["gravity"])
    scene.getConstraintSolver().setCollisionDetector(dp.collision.OdeCollisionDetector())
    scene.getConstraintSolver().getCollisionOption().maxNumContacts = 100_000
    guides = dict(world["guides"])

    def isometry(position, rotation):
        at = dp.math.Isometry3()
        at.set_rotation(np.array([turned(rotation, e) for e in np.eye(3)]).T)
        at.set_translation(position)
        return at

    def shape(kind, of):
        if kind == "half_space":
            return dynamics.PlaneShape(np.array([0.0, 0.0, 1.0]), 0.0)
        if kind == "sphere":
            return dynamics.SphereShape(of["radius"])
        if kind == "box":
            return dynamics.BoxShape([2 * x for x in of["half_lengths"]])
        if kind == "capsule":
            return dynamics.CapsuleShape(of["radius"], 2 * of["half_length"])
        if kind == "cylinder":
            return dynamics.CylinderShape(of["radius"], 2 * of["half_height"])
        raise Refused(f"no {kind}")

    def add(part, name, along=None, free=True):
        skeleton = dynamics.Skeleton(name)
        pose = part["pose"]
        base = isometry(pose["position"], pose["rotation"])
        if not free:
            joint, body = skeleton.createWeldJointAndBodyNodePair()
        elif along is None:
            joint, body = skeleton.createFreeJointAndBodyNodePair()
        else:
            joint, body = skeleton.createPrismaticJointAndBodyNodePair()
            joint.setAxis(along)
        if free:
            body.setInertia(dynamics.Inertia(part["mass"], np.zeros(3), np.diag(diagonal(part))))
        for kind, of, position, rotation in parts_of(part["geometry"]):
            node = body.createShapeNode(shape(kind, of))
            node.createCollisionAspect()
            node.createDynamicsAspect()
            aspect = node.getDynamicsAspect()
            aspect.setFrictionCoeff(part["mu"])
            aspect.setRestitutionCoeff(math.sqrt(part["eps"]))
            node.setRelativeTransform(isometry(position, rotation))
        if free and along is None:
            joint.setTransform(base)
            joint.setVelocities([*turned(pose["rotation"], part["angular"], True),
                                 *turned(pose["rotation"], part["linear"], True)])
        else:
            joint.setTransformFromParentBodyNode(base)
        scene.addSkeleton(skeleton)
        return body

    for i, part in enumerate(world["fixed"]):
        add(part, f"fixed{i}", free=False)
    bodies = [add(part, f"b{i}", guides.get(i)) for i, part in enumerate(world["bodies"])]

    def step(_):
        for number, force in world["forces"]:
            bodies[number].addExtForce(force)
        scene.step()

    def state():
        q, u = [], []
        for body in bodies:
            at = body.getWorldTransform()
            q += [*at.translation(), *quaternion(np.array(at.rotation()))]
            u += [*body.getCOMLinearVelocity(), *body.getAngularVelocity()]
        return q, u

    return step, state


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
