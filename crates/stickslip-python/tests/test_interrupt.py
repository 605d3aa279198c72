"""Ctrl-C ends all work that can take long, at once, and what was asked goes on afterwards."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import stickslip
from stickslip import RunMap, Simulation, System

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")

#: Seconds after which a person would press again.
AT_ONCE = 1.0


def interrupt(work):
    """Presses Ctrl-C while this works."""
    sent = []

    def press():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    # What is started in the background ignores Ctrl-C unless it asks for it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, press)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.perf_counter() - sent[0] < AT_ONCE
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def bird(**settings):
    return Simulation("woodpecker", **settings)


def test_a_time_stepping_run_ends_and_the_simulation_goes_on():
    sim = bird(dt=1e-6)
    interrupt(lambda: sim.run(1e4))
    at = sim.t
    assert at > 0.0 and sim.step() > at


def test_an_event_driven_run_with_few_samples_ends_and_the_simulation_goes_on():
    sim = bird(integrator="event_driven")
    interrupt(lambda: sim.run(1e5, sample_dt=1e5))
    assert 0.0 < sim.t < 1e5 and sim.run(sim.t + 0.1).summary["end"]["status"] == "finished"


def test_an_event_driven_step_ends():
    sim = bird(integrator="event_driven")
    sim.dt = 1e5
    interrupt(sim.step)
    assert 0.0 < sim.t < 1e5


def test_a_run_map_ends():
    runs = RunMap("woodpecker", 1e5, integrator="event_driven")
    start = np.concatenate([runs.start.q, runs.start.u])
    interrupt(lambda: runs(start))


@pytest.mark.parametrize("settings", [{"dt": 1e-6}, {"integrator": "event_driven"}])
def test_derivatives_of_a_run_end_and_the_simulation_stays_where_it_is(settings):
    sim = bird(**settings)
    interrupt(lambda: sim.run_jacobian(1e3, ["mu"], state=False))
    assert sim.t == 0.0 and sim.step() > 0.0


def test_a_search_for_a_cycle_ends_and_calls_no_function_any_more():
    calls = [0]

    def forces(q, u, t):
        calls[0] += 1
        return [-q[0] - 0.01 * u[0] + np.cos(2.0 * t)]

    sim = Simulation(System(["x"], mass=[[1.0]], forces=forces, q=[1.0]), dt=1e-3)
    interrupt(lambda: sim.cycle(period=2 * np.pi, settle=10**9))
    time.sleep(0.2)
    seen = calls[0]
    time.sleep(0.2)
    assert calls[0] == seen and sim.step() == 1e-3


def test_a_search_for_the_cycle_of_a_scene_ends_and_works_no_more():
    sim = bird()
    interrupt(lambda: sim.cycle(period=1e5))
    time.sleep(0.1)
    used = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - used < 0.1


@pytest.mark.parametrize("measure, arguments", [("run", {"t_end": 1e4}), ("cycle", {"period": 1e5})])
def test_a_sweep_ends_with_all_its_threads(measure, arguments):
    before = threading.active_count()
    vary = {"mu": [0.3, 0.31, 0.32]}
    work = lambda: stickslip.sweep("woodpecker", vary, measure=measure, arguments=arguments, workers=2, progress=False, dt=1e-6)  # noqa: E731
    interrupt(work)
    end = time.perf_counter() + AT_ONCE
    # The thread that pressed is one more.
    while threading.active_count() > before and time.perf_counter() < end:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_a_large_problem_ends():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(1500, 1500))
    interrupt(lambda: stickslip.solve_lcp(a @ a.T / 1500 + 1e-3 * np.eye(1500), rng.normal(size=1500), solver="lemke"))
