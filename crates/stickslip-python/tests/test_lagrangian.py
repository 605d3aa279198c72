"""Systems from a Lagrangian."""

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Simulation, lagrangian

ENGINES = ["sympy", "jax"]


def mathematics(engine):
    pytest.importorskip(engine)
    if engine == "sympy":
        return pytest.importorskip("sympy")
    return pytest.importorskip("jax.numpy")


def woodpecker(engine, **keywords):
    """The woodpecker of Glocker and Studer 2005 by its energies, gaps and slips."""
    start = Simulation("woodpecker")
    p = start.parameters

    def L(q, u, t):
        bird = u[0] + p["l_M"] * u[1] + p["l_G"] * u[2]
        kinetic = p["m_M"] * u[0] ** 2 + p["J_M"] * u[1] ** 2 + p["J_S"] * u[2] ** 2 + p["m_S"] * bird**2
        height = p["m_M"] * q[0] + p["m_S"] * (q[0] + p["l_M"] * q[1] + p["l_G"] * q[2])
        return kinetic / 2 - p["g"] * height - p["c_phi"] * (q[1] - q[2]) ** 2 / 2

    return lagrangian(
        ["y", "phi_M", "phi_S"],
        L,
        contacts={"beak": Contact(p["mu"], eps_n=p["eps_N1"]), "lower": Contact(p["mu"]), "upper": Contact(p["mu"])},
        gaps=lambda q, t: [
            p["l_M"] + p["l_G"] - p["l_S"] - p["r_O"] - p["h_S"] * q[2],
            p["r_M"] - p["r_O"] + p["h_M"] * q[1],
            p["r_M"] - p["r_O"] - p["h_M"] * q[1],
        ],
        slips=lambda q, u, t: [
            u[0] + p["l_M"] * u[1] + (p["l_G"] - p["l_S"]) * u[2],
            u[0] + p["r_M"] * u[1],
            u[0] + p["r_M"] * u[1],
        ],
        velocities=["v", "omega_M", "omega_S"],
        q=start.q,
        u=start.u,
        engine=engine,
        **keywords,
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_the_woodpecker_of_a_lagrangian_agrees_with_the_compiled_one(engine):
    mathematics(engine)
    compiled = Simulation("woodpecker", dt=1e-3).run(0.3, sample_dt=0.0)
    found = Simulation(woodpecker(engine), dt=1e-3).run(0.3, sample_dt=0.0)
    assert compiled.summary["counts"]["impacts"] == found.summary["counts"]["impacts"] > 0
    for name in ("y", "phi_M", "phi_S", "omega_S", "beak.gap"):
        size = np.abs(compiled[name]).max()
        np.testing.assert_allclose(found[name], compiled[name], atol=1e-9 * size, rtol=0.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_terms_of_position_velocity_and_time(engine):
    """A bead on a hoop that turns and grows: the equation of motion is known."""
    m = mathematics(engine)
    w, a, c = 3.0, 0.25, 0.1

    def L(q, u, t):
        r = 1.0 + a * t
        return (r**2 * u[0] ** 2 + a**2 + (w * r * m.sin(q[0])) ** 2) / 2 + 9.81 * r * m.cos(q[0])

    system = lagrangian(["phi"], L, forces=lambda q, u, t: [-c * u[0]], q=[0.7], u=[0.4], engine=engine)
    run = Simulation(system, integrator="event_driven").run(0.5, sample_dt=0.05)

    def rate(x, t):
        r = 1.0 + a * t
        turning = w**2 * np.sin(x[0]) * np.cos(x[0]) - 9.81 / r * np.sin(x[0]) - 2.0 * a / r * x[1]
        return np.array([x[1], turning - c * x[1] / r**2])

    x, h = np.array([0.7, 0.4]), 1e-3
    for k in range(500):
        t = k * h
        k1 = rate(x, t)
        k2 = rate(x + h / 2 * k1, t + h / 2)
        k3 = rate(x + h / 2 * k2, t + h / 2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3, t + h))
    np.testing.assert_allclose([run["phi"][-1], run["phi_dot"][-1]], x, atol=1e-8)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_floor_that_rises_and_a_belt_that_moves_drive_what_lies_on_them(engine):
    mathematics(engine)
    system = lagrangian(
        ["x", "y"],
        lambda q, u, t: (u[0] ** 2 + u[1] ** 2) / 2 - 9.81 * q[1],
        contacts={"belt": Contact(0.5)},
        gaps=lambda q, t: [q[1] - 0.2 * t],
        slips=lambda q, u, t: [u[0] - 0.3],
        engine=engine,
    )
    run = Simulation(system, dt=1e-3).run(1.0)
    assert run["y_dot"][-1] == pytest.approx(0.2, abs=1e-12)
    assert run["x_dot"][-1] == pytest.approx(0.3, abs=1e-12)


def test_what_cannot_be_used_is_refused_by_name():
    sympy = mathematics("sympy")
    natural = lambda q, u, t: u[0] ** 2 / 2  # noqa: E731
    with pytest.raises(stickslip.Error, match="'sympy' or 'jax'"):
        lagrangian(["x"], natural, engine="theano")
    with pytest.raises(stickslip.Error, match="needs the function gaps"):
        lagrangian(["x"], natural, contacts={"floor": 0.3})
    with pytest.raises(stickslip.Error, match="depends on u"):
        lagrangian(["x"], lambda q, u, t: u[0] ** 4, engine="sympy")
    with pytest.raises(stickslip.Error, match="symbol m"):
        lagrangian(["x"], lambda q, u, t: sympy.Symbol("m") * u[0] ** 2, engine="sympy")
    with pytest.raises(stickslip.Error, match="not linear"):
        lagrangian(
            ["x"], natural, contacts={"a": 0.1}, gaps=lambda q, t: [q[0]], slips=lambda q, u, t: [u[0] ** 2], engine="sympy"
        )
    with pytest.raises(stickslip.Error, match="returns 2 numbers; it must be 1"):
        lagrangian(["x"], natural, forces=lambda q, u, t: [0.0, 1.0], engine="sympy")


def test_the_cycle_of_functions_is_that_of_the_scene():
    mathematics("sympy")
    scene = Simulation("woodpecker").cycle("phi_S")
    system = Simulation(woodpecker("sympy"))
    system.q = [scene.state["coordinates"][name] for name in system.coordinates]
    system.u = [scene.state["velocities"][name] for name in system.velocities]
    rough = {"tol": 1e-7, "motion_tol": 1e-9, "settle": 1}
    found = system.cycle(lambda q, u, t: q[2], cyclic=["y"], **rough)
    assert found.stable and found.period == pytest.approx(scene.period, rel=1e-6)
    assert found.drop["y"] == pytest.approx(scene.drop["y"], rel=1e-6)
    # The same section as a function of the scene's state.
    assert Simulation("woodpecker").cycle(lambda q, u, t: q[2]).period == pytest.approx(scene.period, rel=1e-12)
    with pytest.raises(stickslip.Error, match="needs a section"):
        system.cycle()
    with pytest.raises(stickslip.Error, match="no coordinate z; there are y"):
        system.cycle(lambda q, u, t: q[2], cyclic=["z"])
    with pytest.raises(ZeroDivisionError):
        system.cycle(lambda q, u, t: 1 / 0)


def test_the_analysis_of_functions_is_that_of_the_scene():
    mathematics("sympy")
    touching = {"y": 0.0, "phi_M": 0.1, "phi_S": 0.12}
    scene, system = Simulation("woodpecker"), Simulation(woodpecker("sympy"))
    for sim in (scene, system):
        gap = scene.parameters["r_O"] - scene.parameters["r_M"]
        sim.q = [0.0, gap / scene.parameters["h_M"], touching["phi_S"]]
        sim.u = [0.0, 0.0, 0.0]
    expected, found = scene.analyze(), system.analyze()
    assert found.verdict == expected.verdict and len(found.levels) == len(expected.levels) >= 2
    for a, b in zip(found.levels, expected.levels):
        assert a.count == b.count
        np.testing.assert_allclose(a.solutions[0].impulse, b.solutions[0].impulse, rtol=1e-6)
    with pytest.raises(stickslip.Error, match="sensitivity is for scenes"):
        system.analyze(sensitivity=["mu"])


@pytest.mark.parametrize("engine", ENGINES)
def test_both_engines_refuse_the_same(engine):
    mathematics(engine)
    natural = lambda q, u, t: u[0] ** 2 / 2  # noqa: E731
    touching = {"contacts": {"a": 0.1}, "gaps": lambda q, t: [q[0]], "engine": engine}
    with pytest.raises(stickslip.Error, match="L is not quadratic in u: its mass matrix depends on u"):
        lagrangian(["x"], lambda q, u, t: u[0] ** 2 / 2 + u[0] ** 4, engine=engine)
    with pytest.raises(stickslip.Error, match="slips are not linear in u"):
        lagrangian(["x"], natural, slips=lambda q, u, t: [u[0] ** 2], **touching)
    with pytest.raises(stickslip.Error, match="contact `a` has friction, and there are no slips"):
        lagrangian(["x"], natural, **touching)
    with pytest.raises(stickslip.Error, match="returns 2 numbers; it must be 1"):
        lagrangian(["x"], natural, forces=lambda q, u, t: [0.0, 1.0], engine=engine)
    with pytest.raises(stickslip.Error, match="returns 2 numbers; it must be 1"):
        lagrangian(["x"], natural, slips=lambda q, u, t: [u[0], u[0]], **touching)
    smooth = {**touching, "contacts": {"a": Contact(eps_n=0.5)}}
    assert Simulation(lagrangian(["x"], natural, **smooth), dt=1e-3).step() == 1e-3
