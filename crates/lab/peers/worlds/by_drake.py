"""Drake: balls by points, all else by hydroelastic contact, compliant where it is free and rigid where it is fixed, with
the numbers of its own defaults, and patches finer than the bodies. A single point between two faces, which is what it finds otherwise, does not hold a box,
and a coarse patch brakes a ball that rolls.
"""

import math

from shared import HEAVY, diagonal, moves, parts_of, restitution_must_be_zero, wxyz


def version():
    from importlib.metadata import version

    return version("drake")


def prepare(world, dt, tight):
    import numpy as np
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.geometry import (
        AddCompliantHydroelasticProperties, AddContactMaterial, AddRigidHydroelasticProperties, Box, Capsule,
        Convex, Cylinder, HalfSpace, ProximityProperties, SceneGraphConfig, Sphere,
    )
    from pydrake.math import RigidTransform
    from pydrake.multibody.math import SpatialForce, SpatialVelocity
    from pydrake.multibody.plant import (
        AddMultibodyPlantSceneGraph, CoulombFriction, ExternallyAppliedSpatialForce,
    )
    from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    restitution_must_be_zero(world)
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=dt)
    plant.mutable_gravity_field().set_gravity_vector(world["gravity"])
    usual = SceneGraphConfig().default_proximity_properties

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

    def shape(name, of):
        if name == "half_space":
            return HalfSpace(), 1.0
        if name == "sphere":
            return Sphere(of["radius"]), of["radius"]
        if name == "box":
            return Box(*(2 * x for x in of["half_lengths"])), min(of["half_lengths"])
        if name == "capsule":
            return Capsule(of["radius"], 2 * of["half_length"]), of["radius"]
        if name == "cylinder":
            return Cylinder(of["radius"], 2 * of["half_height"]), of["radius"]
        return Convex(np.array(of["points"]).T, "hull"), 1.0

    def register(body, part, free, base=RigidTransform()):
        mu = friction(part, free)
        for name, of, position, rotation in parts_of(part["geometry"]):
            form, size = shape(name, of)
            properties = ProximityProperties()
            AddContactMaterial(
                friction=CoulombFriction(mu, mu), dissipation=usual.hunt_crossley_dissipation,
                point_stiffness=usual.point_stiffness, properties=properties,
            )
            hint = min(usual.resolution_hint, 0.25 * size)
            if name == "sphere":
                pass
            elif free:
                AddCompliantHydroelasticProperties(hint, usual.hydroelastic_modulus, properties)
            elif name == "half_space":
                AddRigidHydroelasticProperties(properties)
            else:
                AddRigidHydroelasticProperties(hint, properties)
            at = base.multiply(transform(position, rotation))
            count = len(plant.GetCollisionGeometriesForBody(body))
            plant.RegisterCollisionGeometry(body, at, form, f"{body.name()}_{count}", properties)

    def inertia(mass, moments):
        return SpatialInertia(mass, np.zeros(3), UnitInertia(*(m / mass for m in moments)))

    def slide(name, body, part, along):
        """A joint along a direction of the world, from where the body starts."""
        place = transform(part["pose"]["position"], part["pose"]["rotation"])
        start = plant.AddFrame(FixedOffsetFrame(f"{name}_start", plant.world_body().body_frame(), place))
        along = place.rotation().inverse().multiply(np.array(along))
        return plant.AddJoint(PrismaticJoint(name, start, body.body_frame(), along))

    slides = []
    for i, part in enumerate(world["fixed"]):
        base = transform(part["pose"]["position"], part["pose"]["rotation"])
        if not moves(part):
            register(plant.world_body(), part, False, base)
            continue
        body = plant.AddRigidBody(f"slide{i}", inertia(HEAVY, [HEAVY] * 3))
        joint = slide(f"slide{i}", body, part, part["linear"])
        register(body, part, False)
        slides.append((joint, math.hypot(*part["linear"])))
    bodies, guides = [], dict(world["guides"])
    for i, part in enumerate(world["bodies"]):
        body = plant.AddRigidBody(f"b{i}", inertia(part["mass"], diagonal(part)))
        register(body, part, True)
        bodies.append(body)
        if i in guides:
            slide(f"guide{i}", body, part, guides[i])
    for a, b, length in world["links"]:
        plant.AddDistanceConstraint(bodies[a], np.zeros(3), bodies[b], np.zeros(3), length)
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for joint, speed in slides:
        joint.set_translation_rate(context, speed)
    for i, (body, part) in enumerate(zip(bodies, world["bodies"])):
        pose = part["pose"]
        if i in guides:
            continue
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

    def step(number):
        simulator.AdvanceTo((number + 1) * dt)

    def state():
        q, u = [], []
        for body in bodies:
            pose = plant.EvalBodyPoseInWorld(context, body)
            q += [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()]
            velocity = plant.EvalBodySpatialVelocityInWorld(context, body)
            u += [*velocity.translational(), *velocity.rotational()]
        return q, u

    return step, state
