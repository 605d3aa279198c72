"""What every program needs to read a world."""

import math


class Refused(Exception):
    """Why a program cannot be asked."""


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
    """The moments of inertia: every part of these worlds has its axes along the principal ones."""
    inertia = part["inertia"]
    if any(abs(inertia[i]) > 1e-9 * inertia[0] for i in (1, 2, 3, 5, 6, 7)):
        raise Refused("inertia with products")
    return [inertia[0], inertia[4], inertia[8]]


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


def times(a, b):
    """The product of two quaternions x y z w."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def moves(part):
    return any(part["linear"])


def restitution_must_be_zero(world):
    if any(part["eps"] > 0 for part in world["bodies"]):
        raise Refused("no coefficient of restitution")


def factors(world):
    """Coefficients of the fixed parts and of the bodies whose products are the smaller ones of each pair."""
    body = world["bodies"][0]["mu"]
    if any(part["mu"] != body for part in world["bodies"]):
        raise Refused("friction is a product")
    root = math.sqrt(body)
    return [min(part["mu"], body) / root if body else 0.0 for part in world["fixed"]], root


# What moves with a given velocity is a body of this mass on a slide.
HEAVY = 1e5
# What has no end, where a program needs one.
WIDE = 50.0
