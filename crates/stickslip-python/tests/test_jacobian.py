"""Derivatives of steps and runs: against closed forms and differences of whole motions; one-sided and refused by name."""

import numpy as np
import pytest

import stickslip
from stickslip import Contact, Simulation, System

BLOCK = """
title = "A block"
[parameters]
mu = 0.5
pull = 0.0
speed = 0.0
[coordinates]
x = { velocity = "v", start_velocity = "speed" }
y = { velocity = "w" }
[energy]
kinetic = "(v^2 + w^2)/2"
potential = "10*y"
[forces]
x = "pull"
[[contact]]
name = "floor"
gap = "y"
slip = "v"
mu = "mu"
[run]
t_end = 1.0
dt = 1e-2
"""


def state_of(sim):
    return np.concatenate([sim.q, sim.u])


def whole_run(make, x, t_end, force=None):
    sim = make()
    n = len(sim.q)
    sim.q, sim.u = x[:n], x[n:]
    if force is not None:
        sim.force = force
    sim.run(t_end)
    return state_of(sim)


def close(found, expected, rel):
    """Each column by its own size."""
    size = np.abs(expected).max(axis=0)
    assert (np.abs(found - expected).max(axis=0) <= rel * size).all()


def step_differences(sim, h):
    """Central differences of the velocities after one step, with respect to each force."""
    saved, columns = sim.save(), []
    for way in h * np.eye(len(sim.u)):
        ends = []
        for force in (way, -way):
            sim.restore(saved)
            sim.force = force
            sim.step()
            ends.append(sim.u)
        columns.append((ends[0] - ends[1]) / (2 * h))
    sim.restore(saved)
    sim.force = np.zeros(len(sim.u))
    return np.array(columns).T


@pytest.mark.parametrize(
    "name, t_end, h, rel",
    # Differences of the woodpecker are so short that their rounding is 1e-6.
    [("bouncing_ball", 0.9, 1e-6, 1e-6), ("woodpecker", 0.3, 1e-8, 2e-5)],
)
def test_a_run_with_impacts_has_the_derivatives_of_its_differences(name, t_end, h, rel):
    def make(**parameters):
        return Simulation(name, integrator="moreau_midpoint", dt=1e-4, **parameters)

    sim = make()
    assert sim.run(t_end).summary["counts"]["impacts"] > 0
    sim.reset()
    start, parameter = state_of(sim), {"bouncing_ball": "e", "woodpecker": "mu"}[name]
    found = sim.run_jacobian(t_end, [parameter])
    assert sim.t == 0.0 and np.array_equal(state_of(sim), start)
    columns = [whole_run(make, start + h * e, t_end) - whole_run(make, start - h * e, t_end) for e in np.eye(start.size)]
    close(found.state, np.array(columns).T / (2 * h), rel)
    value = sim.parameters[parameter]
    up, down = (whole_run(lambda v=v: make(**{parameter: v}), start, t_end) for v in (value + h, value - h))
    close(found.parameters[parameter], (up - down) / (2 * h), rel)
    end = whole_run(make, start, t_end)
    close(np.concatenate([found.q, found.u]), end, 1e-9)


def test_an_event_driven_run_has_the_derivatives_of_the_motion_and_time_stepping_those_of_its_steps():
    g, h, e, t = 9.81, 1.0, 0.5, 0.6
    found = Simulation("bouncing_ball").run_jacobian(t, ["e", "g"])
    # v = e sqrt(2 g h) - g (t - t1), t1 = sqrt(2 h / g), y = e sqrt(2 g h) (t - t1) - g (t - t1)^2 / 2
    t1, v1 = np.sqrt(2 * h / g), np.sqrt(2 * g * h)
    late, dt1, dv1 = t - t1, t1 / (2 * h), v1 / (2 * h)
    by_h = [e * dv1 * late - e * v1 * dt1 + g * late * dt1, e * dv1 + g * dt1]
    assert found.state[:, 0] == pytest.approx(by_h, rel=1e-8)
    assert found.parameters["e"] == pytest.approx([v1 * late, v1], rel=1e-8)
    steps = Simulation("bouncing_ball", integrator="moreau_midpoint", dt=1e-4).run_jacobian(t)
    # In its steps the impact comes when it came: a higher start is a higher end, at the same velocity.
    assert steps.state[:, 0] == pytest.approx([1.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("integrator", ["moreau_midpoint", "moreau_jean", "event_driven"])
def test_forces_over_parts_of_a_run(integrator):
    ball = Simulation("bouncing_ball", integrator=integrator)
    ball.dt = 1e-2
    m = ball.parameters["m"]
    found = ball.run_jacobian(0.4, controls=[[0.3], [0.1]])
    assert found.controls.shape == (2, 2, 1)
    # Of free flight: v = sum of F dt / m; y has 0.3 s and 0.1 s to follow.
    assert found.controls[1, :, 0] == pytest.approx([0.2 / m, 0.2 / m], rel=1e-8)
    assert found.controls[0, :, 0] == pytest.approx([0.2 * 0.3 / m, 0.2 * 0.1 / m], rel=1e-8)
    assert ball.force[0] == 0.0
    step = ball.step_jacobian()
    assert step.controls == pytest.approx(np.array([[0.5e-4 / m], [1e-2 / m]]), rel=1e-8)


def test_a_step_of_sliding_and_of_sticking():
    sim = Simulation(BLOCK, speed=1.0)
    sim.step()
    slides = sim.step_jacobian(["mu", "pull"])
    assert slides.names == ["x", "y", "v", "w"]
    assert slides.parameters["mu"][2] == pytest.approx(-10 * 1e-2, rel=1e-9)
    assert slides.parameters["pull"][2] == pytest.approx(1e-2, rel=1e-9)
    assert slides.one_sided == []
    sim = Simulation(BLOCK)
    sim.step()
    sticks = sim.step_jacobian(["mu", "pull"])
    assert np.abs(sticks.parameters["mu"]).max() == 0.0 and np.abs(sticks.parameters["pull"]).max() < 1e-12


def test_a_block_about_to_slip_has_a_derivative_to_either_side():
    sim = Simulation(BLOCK, pull=5.0)
    sim.step()
    with pytest.raises(stickslip.Error, match=r"`v` .*mode of contact `floor` changes.*side=\"up\""):
        sim.step_jacobian(["pull"], side="both")
    up, down = (sim.step_jacobian(["pull"], side=side).parameters["pull"] for side in ("up", "down"))
    assert up[2] == pytest.approx(1e-2, rel=1e-6) and down[2] == pytest.approx(0.0, abs=1e-9)
    assert sim.step_jacobian(["pull"], side="up").one_sided == ["floor"]


def test_between_a_hit_and_a_miss_the_step_jumps_and_there_is_no_derivative():
    ball = Simulation("bouncing_ball", integrator="moreau_midpoint", dt=1e-2)
    # The midpoint of the step is at the floor.
    ball.q, ball.u = [5e-3], [-1.0]
    for side in ("both", "up"):
        with pytest.raises(stickslip.Error, match=r"`y` .*contact `floor` changes.*the motion jumps just above"):
            ball.step_jacobian(side=side)
    hit = ball.step_jacobian(side="down")
    assert hit.state[1, 1] == pytest.approx(-ball.parameters["e"], rel=1e-9)


def test_bodies_and_systems_of_python_functions():
    sim = Simulation("leg")
    sim.step()
    found = sim.step_jacobian()
    assert found.state.shape == (len(found.names),) * 2
    # The foot sticks: small torques move nothing.
    assert np.isfinite(found.state).all() and np.abs(found.controls).max() < 1e-6
    # In the air they move all of it.
    sim = Simulation("leg")
    sim.q = [0.0, 0.2]
    assert sim.contacts[0].gap > 0.01
    close(sim.step_jacobian().controls[-2:], step_differences(sim, 1e-3), 1e-6)
    world = stickslip.World(gravity=[0, 0, -9.81])
    box = stickslip.Box([0.4, 0.2, 0.1])
    world.body("box", mass=2.0, shape=box, position=[0, 0, 1.0], velocity=[0.3, 0, 0], angular_velocity=[1.0, 2.0, 3.0])
    sim = Simulation(world, dt=1e-3)
    close(sim.step_jacobian().controls[-6:], step_differences(sim, 1e-2), 1e-6)
    ball = System(
        ["y"], mass=[[2.0]], forces=lambda q, u, t: [-10.0 - 3.0 * q[0]], contacts={"floor": Contact(eps_n=0.5)},
        gaps=lambda q, t: q, directions=lambda q, t: ([[1.0]], [[0.0]]), q=[1.0],
    )  # fmt: skip
    sim = Simulation(ball, dt=1e-3)
    assert sim.run_jacobian(0.01).state[1, 0] == pytest.approx(-3.0 / 2.0 * 0.01, rel=1e-3)
    with pytest.raises(stickslip.Error, match="`g` is no parameter"):
        sim.run_jacobian(0.01, ["g"])


def test_a_leg_at_rest_stays_at_rest_when_it_is_moved_a_little():
    sim = Simulation("leg")
    sim.step()
    found = sim.run_jacobian(sim.t + 10 * sim.dt)
    # The foot sticks to the floor, and the two angles with it.
    assert np.abs(found.state[2:]).max() < 1e-6


def test_what_a_contact_forbids_is_left_out_and_the_rest_is_there():
    sim = Simulation(BLOCK, speed=1.0)
    with pytest.raises(stickslip.Error, match="`y` .*the motion jumps"):
        sim.run_jacobian(0.05)
    found = sim.run_jacobian(0.05, ["mu"], controls=[[0.0, 0.0]], state=False)
    assert found.state.shape == (4, 0)
    assert found.parameters["mu"][2] == pytest.approx(-10 * 0.05, rel=1e-8)
    assert found.controls[2, 0] == pytest.approx([0.05, 0.5 * 0.05], rel=1e-8)


def test_a_block_that_comes_to_rest_stays_there_whatever_its_friction():
    sim = Simulation(BLOCK, speed=0.12)
    found = sim.run_jacobian(0.1, ["mu"], state=False)
    # It slides for v / (mu g) = 0.024 s, and not at all in the steps after.
    assert found.u == pytest.approx([0.0, 0.0], abs=1e-12)
    assert found.parameters["mu"][2] == pytest.approx(0.0, abs=1e-12) and found.parameters["mu"][0] < 0.0


def test_misuse_is_refused():
    ball = Simulation("bouncing_ball", integrator="moreau_midpoint")
    for call, words in [
        (lambda: ball.run_jacobian(-1.0), "must be after t = 0"),
        (lambda: ball.run_jacobian(1e300), "at most 1e10 steps"),
        (lambda: ball.run_jacobian(0.1, side="left"), "side is `left`"),
        (lambda: ball.run_jacobian(0.1, controls=[[1.0, 2.0]]), "a force of all 1 velocities"),
        (lambda: ball.run_jacobian(0.1, ["mas"]), "parameters are e, g, h, m"),
        (lambda: ball.run_jacobian(0.002, controls=np.zeros((3, 1))), "there are 2 steps"),
        (lambda: Simulation("leg").run_jacobian(0.1, controls=[[0.0]]), "each row has a force"),
    ]:
        with pytest.raises(stickslip.Error, match=words):
            call()
