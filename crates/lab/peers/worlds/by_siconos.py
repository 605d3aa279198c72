"""Siconos: Moreau's time stepping with contacts that Bullet finds, and projected Gauss-Seidel with its own tolerance.

Tight: a tolerance of 1e-8 and as many iterations as it takes.
"""

from shared import WIDE, Refused, diagonal, moves, parts_of, turned, wxyz


def version():
    import subprocess

    import siconos.kernel  # noqa: F401  (that it is there is what is asked)

    told = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"], capture_output=True, text=True)
    return told.stdout.split("+")[0] or "of the system"


def prepare(world, dt, tight):
    import siconos.kernel as sk
    import siconos.numerics as sn
    from siconos.mechanics.collision.base import (
        RigidBodyDS, SiconosBox, SiconosContactor, SiconosContactorSet, SiconosSphere,
    )
    from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions

    if world["links"] or world["guides"] or world["forces"] or any(moves(p) for p in world["fixed"]):
        raise Refused("piles alone are handed over")

    def shape(part):
        ((name, of, _, _),) = parts_of(part["geometry"])
        if name == "half_space":
            return SiconosBox(WIDE, WIDE, 2.0)
        if name == "sphere":
            return SiconosSphere(of["radius"])
        if name == "box":
            return SiconosBox(*(2 * x for x in of["half_lengths"]))
        raise Refused(f"no {name}")

    def contactors(part):
        all_of = SiconosContactorSet()
        form = shape(part)
        # Round edges inside of a shape: their usual radius of 0.1 is more than these bodies have.
        form.setInsideMargin(1e-3)
        all_of.append(SiconosContactor(form))
        return all_of

    def place(part):
        """Of a half-space that of a box whose upper face is its plane: spheres pass through planes that stand upright."""
        pose = part["pose"]
        down = turned(pose["rotation"], [0.0, 0.0, -1.0 if part["geometry"] == "half_space" else 0.0])
        return [*(a + b for a, b in zip(pose["position"], down)), *wxyz(pose["rotation"])]

    system = sk.NonSmoothDynamicalSystem(0.0, 1e9)
    scheme = sk.MoreauJeanOSI(0.5)
    options = SiconosBulletOptions()
    manager = SiconosBulletCollisionManager(options)
    bodies = []
    for part in world["bodies"]:
        twist = [*part["linear"], *turned(part["pose"]["rotation"], part["angular"], True)]
        body = RigidBodyDS(place(part), twist, part["mass"], [
            [diagonal(part)[0], 0, 0], [0, diagonal(part)[1], 0], [0, 0, diagonal(part)[2]]])
        body.setFExtPtr([part["mass"] * g for g in world["gravity"]])
        body.setContactors(contactors(part))
        system.insertDynamicalSystem(body)
        bodies.append(body)
    for part in world["fixed"]:
        manager.insertStaticContactorSet(contactors(part), place(part))
    mu = min(part["mu"] for part in world["fixed"] + world["bodies"])
    manager.insertNonSmoothLaw(sk.NewtonImpactFrictionNSL(0.0, 0.0, mu, 3), 0, 0)
    problem = sk.FrictionContact(3, sn.SICONOS_FRICTION_3D_NSGS)
    problem.setMStorageType(sn.NM_SPARSE_BLOCK)
    problem.setMaxSize(100_000)
    if tight:
        problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-8
        problem.numericsSolverOptions().iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1_000_000
    simulation = sk.TimeStepping(system, sk.TimeDiscretisation(0.0, dt))
    simulation.insertIntegrator(scheme)
    simulation.insertNonSmoothProblem(problem)
    simulation.insertInteractionManager(manager)
    simulation.setNewtonOptions(sk.SICONOS_TS_LINEAR)

    def step(_):
        simulation.computeOneStep()
        simulation.nextStep()

    def state():
        q, u = [], []
        for body in bodies:
            here = [float(x) for x in body.q()]
            v = [float(x) for x in body.twist()]
            q += here
            w, x, y, z = here[3:]
            u += v[:3] + turned((x, y, z, w), v[3:])
        return q, u

    return step, state
