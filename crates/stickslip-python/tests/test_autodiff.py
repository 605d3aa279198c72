"""Runs as functions of JAX and PyTorch: their gradients are those of differences."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import stickslip
from stickslip import RunMap

START, RESTITUTION = np.array([1.0, 0.0]), np.array([0.5])
CONTROLS = np.array([[0.2], [0.1], [-0.1]])
WEIGHT = np.array([0.7, -1.3])


def ball(integrator="moreau_midpoint"):
    return ("bouncing_ball", 0.9, ["e"]), {"integrator": integrator}


def gradients(f, h=1e-6):
    """Central differences of WEIGHT · f with respect to each argument."""

    def by(k):
        arguments = [START, RESTITUTION, CONTROLS]
        out = np.zeros_like(arguments[k])
        for i in np.ndindex(out.shape):
            ends = []
            for sign in (1.0, -1.0):
                moved = [a.copy() for a in arguments]
                moved[k][i] += sign * h
                ends.append(WEIGHT @ f(*moved))
            out[i] = (ends[0] - ends[1]) / (2 * h)
        return out

    return [by(0), by(1), by(2)]


@pytest.mark.parametrize("integrator", ["moreau_midpoint", "event_driven"])
def test_a_run_map_has_the_derivatives_of_its_differences(integrator):
    scene, keywords = ball(integrator)
    f = RunMap(*scene, **keywords)
    found = f.linearise(START, RESTITUTION, CONTROLS)
    assert found.end == pytest.approx(f(START, RESTITUTION, CONTROLS), abs=1e-10)
    for rates, expected in zip(found[1:], gradients(f)):
        assert WEIGHT @ rates == pytest.approx(expected.reshape(-1), rel=1e-6, abs=1e-8)
    assert f.linearise(START, RESTITUTION).controls is None


def test_a_force_is_held_over_its_steps_though_one_is_made_in_parts(monkeypatch):
    rows = []

    def run(self, t_end, control):
        # As a run calls it where the first and the fourth step are made in two parts.
        rows.extend(control(t, self.q, self.u)[0] for t in (0.0, 0.05, 0.1, 0.2, 0.1 + 0.2, 0.35, 0.4))
        self.t = t_end

    monkeypatch.setattr(stickslip.Simulation, "run", run)
    RunMap("bouncing_ball", 0.4, integrator="moreau_midpoint", dt=0.1)(START, controls=[[1.0], [2.0]])
    assert rows == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]


def test_a_run_map_refuses_what_does_not_fit():
    scene, keywords = ball()
    f = RunMap(*scene, **keywords)
    for arguments, words in [
        (([1.0], [0.5]), "there are 2 coordinates and velocities"),
        ((START, []), "parameters has 0 entries; there are 1: e"),
        ((START, [0.5], [[1.0, 2.0]]), "rows of 1 forces"),
    ]:
        with pytest.raises(stickslip.Error, match=words):
            f(*arguments)
    with pytest.raises(stickslip.Error, match="as many coordinates as velocities"):
        RunMap("corner_box", 0.1)


def check_jax():
    import jax

    import stickslip.jax

    jax.config.update("jax_enable_x64", True)
    scene, keywords = ball()
    f = stickslip.jax.run(*scene, **keywords)
    expected = gradients(RunMap(*scene, **keywords))
    loss = lambda x, p, c: WEIGHT @ f(x, p, c)  # noqa: E731
    for found, difference in zip(jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(START, RESTITUTION, CONTROLS), expected):
        assert np.asarray(found) == pytest.approx(difference, rel=1e-6, abs=1e-8)
    assert jax.grad(lambda p: f(START, p)[1])(RESTITUTION).shape == (1,)
    many = np.array([[0.4], [0.5]])
    ends = jax.vmap(lambda p: f(jax.numpy.asarray(START), p))(many)
    assert np.asarray(ends) == pytest.approx(np.array([f(START, p) for p in many]), rel=1e-12)


def test_gradients_of_jax():
    if importlib.util.find_spec("jax") is None:
        pytest.skip("needs JAX")
    # In a process of its own: JAX has threads, and other tests start processes.
    script = f"import runpy; runpy.run_path({__file__!r})['check_jax']()"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_gradients_of_torch():
    torch = pytest.importorskip("torch")
    import stickslip.torch

    scene, keywords = ball()
    f = stickslip.torch.run(*scene, **keywords)
    arguments = [torch.tensor(x, requires_grad=True) for x in (START, RESTITUTION, CONTROLS)]
    end = f(*arguments)
    (torch.tensor(WEIGHT) @ end).backward()
    for argument, difference in zip(arguments, gradients(RunMap(*scene, **keywords))):
        assert argument.grad.numpy() == pytest.approx(difference, rel=1e-6, abs=1e-8)
    assert not f(START, RESTITUTION).requires_grad


@pytest.mark.parametrize("name, library", [("jax", "JAX"), ("torch", "PyTorch")])
def test_a_library_that_is_not_installed_is_named(name, library):
    script = f"import sys; sys.modules[{name!r}] = None; import stickslip.{name}"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode != 0 and f"needs {library}" in ended.stderr
