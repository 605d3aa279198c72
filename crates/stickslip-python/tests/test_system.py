"""Systems of Python functions."""

import time

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Simulation, System


def woodpecker(constant_mass=True, **changes):
    """The woodpecker of Glocker and Studer 2005, written down in Python."""
    p = {**Simulation("woodpecker").parameters, **changes}
    a = np.array([1.0, p["l_M"], p["l_G"]])  # The velocity of the bird is a.u.
    mass = np.diag([p["m_M"], p["J_M"], p["J_S"]]) + p["m_S"] * np.outer(a, a)
    weight = -p["g"] * (p["m_M"] * np.array([1.0, 0.0, 0.0]) + p["m_S"] * a)
    spring = np.array([0.0, 1.0, -1.0])
    normals = np.array([[0.0, 0.0, -p["h_S"]], [0.0, p["h_M"], 0.0], [0.0, -p["h_M"], 0.0]])
    tangents = np.array([[1.0, p["l_M"], p["l_G"] - p["l_S"]], [1.0, p["r_M"], 0.0], [1.0, p["r_M"], 0.0]])
    offsets = np.array([p["l_M"] + p["l_G"] - p["l_S"] - p["r_O"]] + 2 * [p["r_M"] - p["r_O"]])
    start = Simulation("woodpecker")
    return System(
        ["y", "phi_M", "phi_S"],
        mass=mass if constant_mass else lambda q, t: mass,
        forces=lambda q, u, t: weight - p["c_phi"] * spring * (spring @ q),
        potential=lambda q, t: -weight @ q + 0.5 * p["c_phi"] * (spring @ q) ** 2,
        contacts={
            "beak": Contact(p["mu"], eps_n=p["eps_N1"]),
            "lower": Contact(p["mu"]),
            "upper": Contact(p["mu"]),
        },
        gaps=lambda q, t: offsets + normals @ q,
        directions=lambda q, t: (normals, tangents),
        velocities=["v", "omega_M", "omega_S"],
        units=["m", "rad", "rad"],
        q=start.q,
        u=start.u,
        name="woodpecker in Python",
    )


@pytest.mark.parametrize("constant_mass", [True, False])
def test_the_woodpecker_of_python_functions_agrees_with_the_compiled_one(constant_mass):
    compiled = Simulation("woodpecker", dt=1e-4).run(0.3, sample_dt=0.0)
    python = Simulation(woodpecker(constant_mass), dt=1e-4).run(0.3, sample_dt=0.0)
    assert compiled.summary["counts"]["impacts"] == python.summary["counts"]["impacts"] > 0
    assert list(python.columns) == list(compiled.columns)
    for name in ("y", "phi_M", "phi_S", "omega_S", "beak.gap"):
        size = np.abs(compiled[name]).max()
        np.testing.assert_allclose(python[name], compiled[name], atol=1e-9 * size, rtol=0.0)
    np.testing.assert_allclose(python.energy, compiled.energy, atol=1e-9)
    # Differences stand in for the derivatives that the scene has: power is theirs.
    assert abs(python.summary["energy"]["force_work"]) < 1e-8


@pytest.mark.parametrize("integrator", ["event_driven", "moreau_jean"])
def test_derivatives_by_differences_serve_the_other_integrators(integrator):
    settings = {} if integrator == "event_driven" else {"dt": 1e-4}
    compiled = Simulation("woodpecker", integrator=integrator, **settings).run(0.25)
    python = Simulation(woodpecker(), integrator=integrator, **settings).run(0.25)
    np.testing.assert_allclose(python["phi_S"][-1], compiled["phi_S"][-1], rtol=1e-5)


def test_a_wall_that_moves_pushes():
    # A wall at x = t meets a mass at rest at x = 1, without restitution: both go on together.
    cart = System(
        ["x"],
        mass=[[2.0]],
        forces=lambda q, u, t: [0.0],
        contacts={"wall": Contact()},
        gaps=lambda q, t: q - t,
        directions=lambda q, t: ([[1.0]], [[0.0]], [-1.0], [0.0]),
        q=[0.5],
    )
    sim = Simulation(cart, dt=1e-3)
    run = sim.run(1.0)
    assert sim["x_dot"] == pytest.approx(1.0, abs=1e-9) and sim["x"] == pytest.approx(1.0, abs=2e-3)
    assert run["wall.impulse_n"].sum() == pytest.approx(2.0, rel=1e-9)


def test_the_state_of_a_system_and_a_force_can_be_set():
    sim = Simulation(woodpecker())
    assert sim.coordinates == ["y", "phi_M", "phi_S"] and [c.name for c in sim.contacts] == ["beak", "lower", "upper"]
    sim.force = [1.0, 0.0, 0.0]
    before = sim["v"]
    sim.step()
    assert sim["v"] > before
    sim.reset()
    assert sim["v"] == before and sim.force.tolist() == [0.0, 0.0, 0.0]
    assert "woodpecker in Python" in repr(sim)


def test_an_exception_of_a_function_ends_the_step_with_it():
    class Broken(Exception):
        pass

    calls = [0]

    def forces(q, u, t):
        if t > 0.01:
            raise Broken("no force today")
        calls[0] += 1
        return [0.0]

    sim = Simulation(System(["x"], mass=[[1.0]], forces=forces), dt=1e-3)
    with pytest.raises(Broken, match="no force today"):
        for _ in range(100):
            sim.step()
    assert 0.0 < sim.t < 0.013 and calls[0] > 5
    sim.reset()
    with pytest.raises(Broken):
        sim.run(1.0)
    assert 0.005 < sim.t < 0.013


class Once:
    """The functions of a ball on a floor; one of them raises, once, when it is first called after a time."""

    def __init__(self, broken, error, after=0.01):
        self.broken, self.error, self.after = broken, error, after
        self.raised, self.later = False, 0

    def __call__(self, name, answer):
        def function(*arguments):
            self.later += self.raised
            if name == self.broken and arguments[-1] > self.after and not self.raised:
                self.raised = True
                raise self.error
            return answer(*arguments)

        return function

    def simulation(self, integrator):
        ball = System(
            ["x", "y"],
            mass=self("mass", lambda q, t: np.eye(2)),
            forces=self("forces", lambda q, u, t: [0.0, -9.81]),
            contacts={"floor": Contact(0.2)},
            gaps=self("gaps", lambda q, t: q[1:]),
            directions=self("directions", lambda q, t: ([[0.0, 1.0]], [[1.0, 0.0]])),
            potential=self("potential", lambda q, t: 9.81 * q[1]),
            u=[1.0, 0.0],
        )
        settings = {} if integrator == "event_driven" else {"dt": 1e-3}
        return Simulation(ball, integrator=integrator, **settings)


INTEGRATORS = ["moreau_midpoint", "moreau_jean", "gap_level", "paoli_schatzman", "event_driven"]

#: Questions of a function that may be under way when another one fails, and those at the state where the run ends.
FEW = 30


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("broken", ["mass", "forces", "gaps", "directions", "potential"])
@pytest.mark.parametrize("error", [ArithmeticError("not today"), KeyboardInterrupt()])
def test_an_exception_of_a_function_ends_a_run_at_once(integrator, broken, error):
    once = Once(broken, error)
    sim = once.simulation(integrator)
    with pytest.raises(type(error)):
        sim.run(3.0)
    assert once.raised and once.later < FEW
    if integrator != "event_driven":
        assert 0.005 < sim.t < 0.02
    # What comes later is not spoilt by it.
    at = sim.t
    assert sim.run(at + 0.05).summary["end"]["status"] == "finished" and sim.t == pytest.approx(at + 0.05)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_an_exception_of_a_function_ends_derivatives_and_steps_at_once(integrator):
    once = Once("forces", ZeroDivisionError("not today"))
    sim = once.simulation(integrator)
    with pytest.raises(ZeroDivisionError):
        sim.run_jacobian(1.0, state=False, controls=[[1.0, 0.0]])
    assert once.later < FEW and sim.t == 0.0
    once.raised, once.later = False, 0
    with pytest.raises(ZeroDivisionError):
        for _ in sim.steps(1.0):
            pass
    assert once.later < FEW and sim.t < 0.02


def test_an_exception_of_a_section_ends_the_search_for_a_cycle_at_once():
    def section(q, u, t):
        if t > 0.05:
            raise KeyboardInterrupt
        return -1.0

    start = time.perf_counter()
    sim = Simulation("woodpecker")
    with pytest.raises(KeyboardInterrupt):
        sim.cycle(section, longest=1e6)
    assert time.perf_counter() - start < 5.0 and sim.run(0.1).summary["end"]["status"] == "finished"


def test_an_exception_of_the_potential_is_that_of_the_energy():
    def potential(q, t):
        raise ZeroDivisionError("no potential today")

    sim = Simulation(System(["x"], mass=[[1.0]], forces=lambda q, u, t: [0.0], potential=potential), dt=1e-3)
    with pytest.raises(ZeroDivisionError):
        sim.energy()
    assert sim.step() == 1e-3


@pytest.mark.parametrize(
    "changes, words",
    [
        (dict(mass=[[1.0, 0.0]]), r"mass has the shape \(1, 2\)"),
        (dict(mass=[[-1.0]]), "not positive definite"),
        (dict(coordinates=["x", "y"], mass=[[1.0, 0.5], [0.0, 1.0]]), r"mass\[0, 1\] is 0.5 .* must be symmetric"),
        (dict(mass=lambda q, t: [[1.0, 0.5], [0.0, 1.0]], coordinates=["x", "y"]), "must be symmetric"),
        (dict(forces=lambda q, u, t: [1.0, 2.0]), r"forces has the shape \(2,\)"),
        (dict(forces=lambda q, u, t: [np.nan]), "finite"),
        (dict(contacts={"floor": 0.1}), "needs the functions gaps and directions"),
        (dict(contacts={"floor": 0.1}, gaps=lambda q, t: q, directions=lambda q, t: [1.0]), "directions must return"),
        (dict(contacts={"floor": -0.1}, gaps=lambda q, t: q, directions=lambda q, t: ([[1]], [[0]])), "mu of contact 0"),
        (dict(q=[1.0, 2.0]), "coordinates"),
        (dict(coordinates=[], mass=np.zeros((0, 0))), "coordinates"),
        (dict(coordinates=["x", "x"], mass=np.eye(2)), r"coordinates\[1\] is `x`, which is also the name of coordinates\[0\]"),
        (dict(velocities=["x"]), r"velocities\[0\] is `x`, which is also the name of coordinates\[0\]"),
        (dict(coordinates=[""]), r"coordinates\[0\] is empty"),
        (dict(coordinates=[3]), r"coordinates\[0\] is 3; it must be a name"),
        (dict(coordinates=["t"]), r"coordinates\[0\] is `t`, which is also the name of the time"),
        (
            dict(coordinates=["a.gap"], contacts={"a": 0.1}, gaps=lambda q, t: q, directions=lambda q, t: ([[1]], [[0]])),
            "which is also the name of a column of the contact `a`",
        ),
        (dict(contacts={"": 0.1}, gaps=lambda q, t: q, directions=lambda q, t: ([[1]], [[0]])), "empty name"),
    ],
)
def test_a_system_that_cannot_be_is_refused_with_words(changes, words):
    arguments = {"coordinates": ["x"], "mass": [[1.0]], "forces": lambda q, u, t: [0.0], **changes}
    with pytest.raises(stickslip.Error, match=words):
        Simulation(System(**arguments), dt=1e-3).step()


def test_a_system_has_no_parameters():
    with pytest.raises(stickslip.Error, match="has no parameters"):
        Simulation(woodpecker(), mu=0.3)
