"""Scenes that move."""

import threading
import time

import numpy as np
import pytest

import stickslip
from stickslip import Simulation

BALL = """
[parameters]
g = 9.81
[coordinates]
y = { velocity = "v", start = 1.0, unit = "m" }
[energy]
kinetic = "v^2/2"
potential = "g*y"
[[contact]]
name = "floor"
gap = "y"
eps_n = 0.5
[run]
t_end = 1.0
dt = 1e-3
integrator = "moreau_midpoint"
"""


def test_a_scene_comes_from_the_gallery_a_file_or_a_text(tmp_path):
    assert "woodpecker" in stickslip.gallery()
    bird = Simulation("woodpecker")
    assert bird.parameters["mu"] == 0.3 and "phi_S" in bird.coordinates
    path = tmp_path / "ball.toml"
    path.write_text(BALL)
    runs = [Simulation(scene).run().columns for scene in (BALL, path, str(path))]
    for name in runs[0]:
        np.testing.assert_array_equal(runs[0][name], runs[1][name])
        np.testing.assert_array_equal(runs[0][name], runs[2][name])


def test_parameters_and_settings_are_keywords():
    moon = Simulation(BALL, g=1.62, dt=1e-2)
    assert moon.parameters["g"] == 1.62 and moon.dt == 1e-2
    assert moon.settings["dt"] == 1e-2 and moon.settings["integrator"] == "moreau_midpoint"
    named = BALL.replace("g = 9.81", "theta = 9.81").replace("g*y", "theta*y")
    assert Simulation(named, parameters={"theta": 2.0}).parameters["theta"] == 2.0


@pytest.mark.parametrize(
    "scene, keywords, words",
    [
        ("woodpeker", {}, "did you mean `woodpecker`"),
        ("nowhere.toml", {}, "cannot be read"),
        (BALL.replace('"y"\neps', '"z"\neps'), {}, "unknown name `z`"),
        (BALL, {"h": 3.0}, "`h`"),
        (BALL, {"g": "heavy"}, "g is 'heavy'"),
        (BALL, {"integrator": "euler"}, "euler"),
        (BALL, {"theta": 0.6}, "theta does nothing with the integrator moreau_midpoint"),
        (BALL, {"dt": -1.0}, "dt is -1"),
        (BALL, {"dt": float("nan")}, "dt is NaN"),
        (BALL, {"dt": "x"}, "dt is 'x'; it must be a number"),
        (BALL, {"g": 10**400}, "g is too large"),
        (BALL, {"directions": -1}, "directions is negative"),
        (BALL, {"threads": 1.5}, "threads is 1.5; it must be a whole number"),
        (BALL, {"integrator": 3}, "integrator is 3; it must be a name"),
        (BALL, {"rho": ["a"]}, "rho has entries"),
        (3, {}, "the scene is a value of type int"),
    ],
)
def test_what_cannot_run_is_refused_with_the_words_of_the_command(scene, keywords, words):
    with pytest.raises(stickslip.Error, match=words):
        Simulation(scene, **keywords)


def test_steps_are_those_of_a_run_to_the_last_bit():
    dt, n = 1e-4, 2500
    by_steps, by_run = Simulation("woodpecker", dt=dt), Simulation("woodpecker", dt=dt)
    for _ in range(n):
        t = by_steps.step()
    run = by_run.run(n * dt, sample_dt=0.0)
    assert t == by_steps.t == by_run.t == run.t[-1] == 0.25
    np.testing.assert_array_equal(by_steps.q, by_run.q)
    np.testing.assert_array_equal(by_steps.u, by_run.u)
    assert run.summary["counts"]["impacts"] > 0


def test_iteration_goes_step_by_step_to_the_end_time():
    sim = Simulation(BALL)
    heights = [s["y"] for s in sim.steps(0.5)]
    assert len(heights) == 500 and sim.t == 0.5
    assert min(heights) > -1e-2 and max(heights) < 1.0
    endless = iter(Simulation(BALL))
    assert next(endless).t == 1e-3 and next(endless).t == 2e-3


def test_the_ball_falls_as_galilei_says_and_loses_a_quarter_of_its_speed_twice():
    sim = Simulation(BALL, integrator="event_driven")
    run = sim.run(0.6)
    impacts = [t for t, kind in zip(run.events["t"], run.events["event"]) if kind == "impact"]
    assert impacts[0] == pytest.approx(np.sqrt(2 / 9.81), rel=1e-9)
    v = np.sqrt(2 * 9.81)
    i = run.events["event"].index("impact")
    assert run.events["impulse_n"][i] == pytest.approx(1.5 * v, rel=1e-9)
    assert run.events["energy"][i] == pytest.approx(-0.5 * 0.75 * v**2, rel=1e-9)
    assert run.energy[0] == pytest.approx(9.81) and run.energy[-1] == pytest.approx(0.25 * 9.81, rel=1e-9)


def test_the_state_can_be_read_set_saved_and_restored():
    sim = Simulation(BALL)
    sim.q, sim.u = [2.0], np.array([1], dtype=np.int32)
    sim["v"] = 3.0
    assert sim["y"] == 2.0 and sim.u[0] == 3.0
    with pytest.raises(ValueError, match="read-only"):
        sim.q[0] = 99.0
    assert sim["y"] == 2.0
    for _ in range(900):
        sim.step()
    saved = sim.save()
    assert isinstance(saved, bytes)
    ahead = [(sim.step(), sim.q[0], sim.u[0]) for _ in range(400)]
    sim.restore(saved)
    assert [(sim.step(), sim.q[0], sim.u[0]) for _ in range(400)] == ahead
    with pytest.raises(stickslip.Error, match="memory"):
        sim.restore(b"nonsense")
    with pytest.raises(stickslip.Error, match="memory|entries"):
        Simulation("woodpecker").restore(saved)
    events = Simulation(BALL, integrator="event_driven")
    kept = events.save()
    events.step()
    events.restore(kept)
    assert events.t == 0.0 and events["y"] == 1.0
    with pytest.raises(stickslip.Error, match="dt is -1"):
        events.dt = -1.0
    sim.reset()
    assert sim.t == 0.0 and sim["y"] == 1.0


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda s: setattr(s, "q", [1.0, 2.0]), "1"),
        (lambda s: setattr(s, "u", [np.nan]), r"u\[0\] is nan"),
        (lambda s: setattr(s, "t", float("inf")), "time"),
        (lambda s: setattr(s, "dt", 0.0), "dt is 0"),
        (lambda s: setattr(s, "dt", "x"), "dt is 'x'; it must be a number"),
        (lambda s: s.__setitem__("y", "x"), "y is 'x'; it must be a number"),
        (lambda s: s.cycle(settle=-1), "settle is negative"),
        (lambda s: s.run("late"), "t_end is 'late'"),
        (lambda s: setattr(s, "q", np.ma.masked_array([1.0], [True])), "q has masked entries"),
        (lambda s: s.__setitem__("w", 1.0), "these are y, v"),
        (lambda s: s["w"], "neither a coordinate nor a velocity"),
        (lambda s: setattr(s, "force", [1.0, 2.0]), "force has 2 entries"),
    ],
)
def test_a_state_that_cannot_be_is_refused_and_the_old_one_stays(change, words):
    sim = Simulation(BALL)
    with pytest.raises(stickslip.Error, match=words):
        change(sim)
    assert sim.t == 0.0 and sim["y"] == 1.0 and sim.dt == 1e-3


def test_contacts_have_gaps_modes_and_forces():
    sim = Simulation(BALL, parameters={"g": 10.0})
    assert [c.name for c in sim.contacts] == ["floor"]
    start = sim.contacts[0]
    assert start.gap == 1.0 and start.mode is None and start.impulse is None and start.force is None
    sim.step()
    assert sim.contacts[0].mode == "open" and sim.contacts[0].force.tolist() == [0.0, 0.0][: sim.contacts[0].force.size]
    sim.q, sim.u = [0.0], [0.0]
    for _ in range(50):
        sim.step()
    floor = sim.contacts[0]
    assert floor.mode != "open" and floor.gap == pytest.approx(0.0, abs=1e-6)
    assert floor.force[0] == pytest.approx(10.0, rel=1e-9)
    assert floor.impulse[0] == pytest.approx(10.0 * sim.dt, rel=1e-9)
    assert "floor" in repr(floor)
    # The force is that of the step that was made, whatever the next one will be.
    sim.dt = 1e-2
    assert sim.contacts[0].force[0] == pytest.approx(10.0, rel=1e-9)
    sim.restore(sim.save())
    assert sim.contacts[0].force is None


@pytest.mark.parametrize("integrator", ["moreau_midpoint", "event_driven"])
def test_contacts_after_a_run_are_those_of_its_end(integrator):
    sim = Simulation(BALL, parameters={"g": 10.0}, integrator=integrator)
    sim.q = [0.0]
    sim.run(0.05)
    floor = sim.contacts[0]
    assert floor.mode != "open" and floor.force[0] == pytest.approx(10.0, rel=1e-6)
    sim.step()
    assert sim.contacts[0].mode != "open" and sim.contacts[0].force[0] == pytest.approx(10.0, rel=1e-6)
    assert sim.contacts[0].impulse[0] == pytest.approx(10.0 * sim.dt, rel=1e-6)


def test_contacts_that_a_model_finds_are_there_after_a_run():
    sim = Simulation("plane_stack")
    sim.run(0.2)
    ground = [c for c in sim.contacts if c.force[0] > 0.0]
    by_run = sum(c.force[0] for c in ground)
    sim.step()
    by_step = sum(c.force[0] for c in sim.contacts)
    assert ground and by_run == pytest.approx(by_step, rel=1e-3)
    assert all(c.mode != "open" for c in ground)


def test_a_force_that_is_set_acts_until_it_is_changed():
    sim = Simulation(BALL)
    sim.force = [9.81]
    for _ in range(100):
        sim.step()
    assert sim["y"] == pytest.approx(1.0, abs=1e-12)
    sim.force = [0.0]
    sim.step()
    assert sim["v"] == pytest.approx(-9.81e-3)
    with pytest.raises(stickslip.Error, match=r"force\[0\] is nan"):
        sim.force = [np.nan]


def test_feedback_control_holds_the_ball_and_accounts_for_its_work():
    sim = Simulation(BALL)
    times = []

    def hold(t, q, u):
        times.append(t)
        return 9.81 - 200.0 * (q - 0.5) - 30.0 * u

    run = sim.run(2.0, control=hold)
    assert sim["y"] == pytest.approx(0.5, abs=1e-6) and len(times) == 2001
    energy = run.summary["energy"]
    assert energy["change"] == pytest.approx(energy["force_work"], abs=1e-2)
    # The force of the controller ends with the run.
    assert sim.force[0] == 0.0


def test_a_controller_that_fails_ends_the_run_with_its_own_exception():
    class Broken(Exception):
        pass

    def broken(t, q, u):
        if t > 0.1:
            raise Broken("valve")
        return [0.0]

    sim = Simulation(BALL)
    with pytest.raises(Broken, match="valve"):
        sim.run(control=broken)
    assert sim.t == pytest.approx(0.101)
    with pytest.raises(stickslip.Error, match="returned 2 forces"):
        sim.run(control=lambda t, q, u: [1.0, 2.0])
    with pytest.raises(stickslip.Error, match="must be finite"):
        sim.run(control=lambda t, q, u: [np.nan])
    with pytest.raises(stickslip.Error, match="real numbers"):
        sim.run(control=lambda t, q, u: [1.0 + 2.0j])
    for ask in (lambda: sim.t, lambda: setattr(sim, "t", 0.0)):
        with pytest.raises(stickslip.Error, match="the simulation is running"):
            sim.run(control=lambda t, q, u: ask())
    with pytest.raises(stickslip.Error, match="event_driven has none"):
        Simulation(BALL, integrator="event_driven").run(control=lambda t, q, u: [0.0])


def test_a_callback_sees_every_step_and_can_end_the_run():
    seen = []
    run = Simulation(BALL).run(callback=lambda t, q, u: seen.append(t) if t < 0.2 else False)
    assert run.summary["end"]["status"] == "stopped"
    assert run.t[-1] == pytest.approx(0.2) and len(seen) == 200


@pytest.mark.parametrize("scene", ["corner_box", "leg", "point_mass_box", "plane_stack", "newtons_cradle"])
def test_bodies_of_every_model_step_run_and_have_contacts(scene):
    sim = Simulation(scene)
    for _ in range(5):
        sim.step()
    assert sim.t > 0.0 and np.isfinite(sim.q).all()
    for contact in sim.contacts:
        assert contact.name and contact.force.shape == contact.impulse.shape
    run = sim.run(sim.t + 20 * sim.dt, sample_dt=sim.dt)
    assert run.summary["end"]["status"] in ("finished", "condition")
    assert all(np.isfinite(run[name]).all() for name in run.coordinates)


@pytest.mark.parametrize("scene", ["corner_box", "leg", "plane_stack", "newtons_cradle"])
def test_a_force_that_is_set_later_goes_on_from_the_same_step(scene):
    plain, set_to_none = Simulation(scene), Simulation(scene)
    for sim in (plain, set_to_none):
        for _ in range(5):
            sim.step()
    set_to_none.force = np.zeros(len(plain.u))
    for sim in (plain, set_to_none):
        for _ in range(5):
            sim.step()
    np.testing.assert_allclose(set_to_none.q, plain.q, atol=1e-12)
    set_to_none.reset()
    assert set_to_none.t == 0.0 and not set_to_none.force.any()


def test_a_force_on_a_body_moves_it_as_newton_says_and_its_work_is_counted():
    world = stickslip.World(gravity=[0, 0, -9.81])
    world.body("box", mass=2.0, shape=stickslip.Box([0.4, 0.2, 0.1]), position=[0, 0, 1.0])
    sim = Simulation(world, dt=1e-3)
    sim.force = [3.0, 0.0, 2.0 * 9.81, 0.0, 0.0, 0.05]
    run = sim.run(1.0)
    assert run["box.x"][-1] == pytest.approx(0.5 * 1.5, rel=1e-9)
    assert run["box.z"][-1] == pytest.approx(1.0, rel=1e-12)
    spin = 0.05 / (2.0 / 12.0 * (0.4**2 + 0.2**2))
    assert sim.u[5] == pytest.approx(spin, rel=1e-9)
    energy = run.summary["energy"]
    gained = 0.5 * 2.0 * 1.5**2 + 0.5 * 0.05 * spin + 2.0 * 9.81 * 0.0
    assert run.energy[-1] - run.energy[0] == pytest.approx(gained, rel=1e-9)
    assert energy["force_work"] == pytest.approx(gained, rel=1e-6)


@pytest.mark.parametrize("model", ["articulated", "rigid"])
def test_feedback_holds_an_arm_that_would_fall(model):
    world = stickslip.World(gravity=[0, 0, -9.81], model=model)
    arm = world.body("arm", mass=2.0, shape=stickslip.Box([0.5, 0.02, 0.02]), position=[0.25, 0, 0])
    world.joint("shoulder", "revolute", world.ground, arm, at=[0, 0, 0], axis=[0, 1, 0])
    sim = Simulation(world, dt=1e-3)
    weight = 2.0 * 9.81 * 0.25

    def hold(t, q, u):
        if model == "articulated":
            return [-weight]
        return [0.0, 0.0, 0.0, 0.0, -weight, 0.0]

    assert abs(sim.run(0.1, control=hold).energy[-1]) < 1e-12
    assert np.abs(sim.u).max() < 1e-12
    sim.run(0.2)
    assert np.abs(sim.u).max() > 0.1


def test_no_force_can_be_set_for_point_masses():
    sim = Simulation("point_mass_box")
    assert not sim.controllable
    with pytest.raises(stickslip.Error, match="not for point masses"):
        sim.force = np.zeros(len(sim.velocities))


def test_contacts_that_a_model_finds_carry_the_weight_of_the_stack():
    sim = Simulation("plane_stack")
    run = sim.run(0.2, sample_dt=sim.dt)
    found = run.found
    assert found["position"].shape == (found["gap"].size, 3) and found["impulse"].shape[1] == 4
    last = found["sample"] == len(run) - 1
    ground = last & ((found["first"] == 0) | (found["second"] == 0))
    assert ground.any()
    # At rest the ground carries all bodies, whose weight is in the scene's units.
    on_ground = found["impulse"][ground, 0].sum() / (run.t[-1] - run.t[-2])
    others = found["impulse"][last & ~ground, 0] / (run.t[-1] - run.t[-2])
    assert on_ground > others.max() > 0.0


def test_the_limit_cycle_of_the_woodpecker():
    cycle = Simulation("woodpecker").cycle()
    assert cycle.period == pytest.approx(0.1465, rel=1e-2)
    assert cycle.stable and np.abs(cycle.multipliers).max() < 1.0
    assert cycle.residual < 1e-9 and cycle.events and cycle.modes
    assert "period" in repr(cycle)
    balance = cycle.energy
    assert abs(balance["relative"]) < 1e-6
    with pytest.raises(stickslip.Error, match="section"):
        Simulation(BALL).cycle()
    with pytest.raises(stickslip.Error, match="longest is for sections"):
        Simulation(BALL).cycle(period=0.1, longest=1.0)


def test_a_state_is_analysed_and_a_paradox_is_proved():
    analysis = Simulation("painleve_rod").analyze()
    assert "no solution, which is proved" in analysis.verdict
    acceleration = analysis.levels[0]
    assert acceleration.level == "acceleration" and acceleration.count == "0"
    assert acceleration.because is not None and acceleration.proof is not None


def test_threads_of_python_go_on_during_a_run():
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    Simulation("woodpecker", dt=1e-5).run(2.0)
    done.set()
    thread.join()
    assert counted[0] > 20


@pytest.mark.parametrize("stop", [False, np.bool_(False)])
def test_a_callback_ends_the_run_by_any_false_and_by_nothing_else(stop):
    sim = Simulation(BALL)
    sim.run(1.0, callback=lambda t, q, u: stop if t > 0.1 else None)
    assert sim.t == pytest.approx(0.101, abs=2e-3)
    for answer in (None, True, np.bool_(True), 0, 0.0, "", []):
        sim.reset()
        sim.run(0.2, callback=lambda t, q, u: answer)
        assert sim.t == pytest.approx(0.2)


def test_a_run_with_too_many_samples_is_refused_before_it_begins():
    sim = Simulation(BALL, dt=1e-9)
    with pytest.raises(stickslip.Error, match="dt is .* at most 10000000"):
        sim.run(1.0, sample_dt=0.0)
    exact = Simulation(BALL, integrator="event_driven")
    with pytest.raises(stickslip.Error, match="sample_dt is .* at most 10000000"):
        exact.run(1.0, sample_dt=1e-9)
    assert sim.t == exact.t == 0.0
    # No more samples are kept than there are steps.
    assert Simulation(BALL).run(0.1, sample_dt=1e-12).t.size < 1000


def test_what_is_no_attribute_of_a_simulation_cannot_be_set():
    sim = Simulation(BALL)
    with pytest.raises(AttributeError, match=r"Simulation\(scene, g=0.5\)"):
        sim.g = 0.5
    with pytest.raises(AttributeError, match="no attribute `position`"):
        sim.position = 0.5
    sim.t, sim.dt, sim.q = 0.5, 1e-2, [2.0]
    assert (sim.t, sim.dt, sim["y"]) == (0.5, 1e-2, 2.0)

    class Own(Simulation):
        pass

    own = Own(BALL)
    own.note = "mine"
    with pytest.raises(AttributeError, match="cannot be set"):
        own.g = 0.5
    assert own.note == "mine"


@pytest.mark.parametrize("key", ["correction", "sleep", "minimum_norm"])
def test_a_switch_is_true_or_false(key):
    with pytest.raises(stickslip.Error, match=f"{key} is 'no'; it must be True or False"):
        Simulation(BALL, **{key: "no"})
    with pytest.raises(stickslip.Error, match="state is 1; it must be True or False"):
        Simulation(BALL).run_jacobian(0.1, state=1)


def test_steps_to_no_time_are_refused_when_they_are_asked_for():
    with pytest.raises(stickslip.Error, match="t_end is nan"):
        Simulation(BALL).steps(np.nan)
    with pytest.raises(stickslip.Error, match="t_end is 'soon'"):
        Simulation(BALL).steps("soon")


def test_copies_of_the_state_and_of_forces_cannot_be_changed():
    sim = Simulation(BALL)
    for array in (sim.q, sim.u, sim.force):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    sim.q = sim.q + 1.0
    assert sim["y"] == 2.0


def test_one_name_stands_for_a_list_of_one():
    sim = Simulation("bouncing_ball", integrator="moreau_midpoint", dt=1e-3)
    assert list(sim.step_jacobian("g").parameters) == ["g"]
    assert list(sim.run_jacobian(0.01, "g").parameters) == ["g"]
    assert stickslip.RunMap("bouncing_ball", 0.1, "e").names == ["e"]
    assert [slope["of"] for slope in sim.analyze(sensitivity="g").levels[0].sensitivity] == ["g"]
    with pytest.raises(stickslip.Error, match="no coordinate x; there are y"):
        sim.cycle(lambda q, u, t: q[0], cyclic="x")
    with pytest.raises(stickslip.Error, match=r"cyclic\[0\] is 3; it must be a name"):
        sim.cycle(cyclic=[3])


def test_an_unknown_integrator_is_named_with_its_article():
    with pytest.raises(stickslip.Error, match="`euler` is not an integrator"):
        Simulation(BALL, integrator="euler")
    with pytest.raises(stickslip.Error, match="`magic` is not a "):
        Simulation(BALL, solver="magic")
