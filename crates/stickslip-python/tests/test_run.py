"""Runs as arrays and pictures."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import stickslip  # noqa: E402


@pytest.fixture(scope="module")
def run():
    return stickslip.Simulation("woodpecker", mu=0.31).run(0.5)


def test_columns_have_the_names_of_the_recording(run):
    assert list(run.columns)[0] == "t" and len(run) == run.t.size
    for name in ("phi_S", "beak.gap", "beak.impulse_n", "beak.impulse_t"):
        assert run[name].dtype == np.float64 and run[name].shape == run.t.shape
    assert (np.diff(run.t) >= 0.0).all()
    assert run.units["t"] == "s" and run.units["beak.gap"] == "m"
    with pytest.raises(stickslip.Error, match="is not a column of the run"):
        run["phi"]
    assert set(run.to_dict()) == set(run.columns)


def test_modes_forces_and_energies_go_together(run):
    assert set(run.modes) == {"beak", "lower", "upper"}
    assert set(run.forces) >= {"beak.N", "beak.T"}
    names = np.array(run.mode_names)
    for contact, modes in run.modes.items():
        assert modes.shape == run.t.shape
        # An open contact transmits nothing between two samples at which it is open and had no impact.
        is_open = names[modes] == "open"
        force = run.forces[f"{contact}.N"]
        quiet = is_open & np.isfinite(force) & np.roll(is_open, 1)
        assert quiet.any() and np.abs(force[quiet]).max() < 1e-6, contact
    assert run.summary["energy"]["start"]["total"] == pytest.approx(run.energy[0])
    assert run.summary["energy"]["end"]["total"] == pytest.approx(run.energy[-1])


def test_impulses_add_up_to_the_change_of_momentum():
    ball = stickslip.Simulation("bouncing_ball", integrator="moreau_midpoint", dt=1e-3)
    start = ball.u.copy()
    run = ball.run(1.0)
    normal = next(name for name in run.columns if name.endswith(".impulse_n"))
    mass, g = ball.parameters.get("m", 1.0), ball.parameters["g"]
    gained = mass * (ball.u[0] - start[0]) + mass * g * (run.t[-1] - run.t[0])
    assert run[normal].sum() == pytest.approx(gained, rel=1e-9)


def test_text_and_html_say_what_happened(run):
    text = repr(run)
    assert "finished at t = 0.5" in text and "worst certificate" in text
    assert "<table>" in run._repr_html_()


def test_pictures_have_axes_with_names_and_units(run, tmp_path):
    figure = run.plot()
    assert len(figure.axes) == len(run.coordinates)
    assert figure.axes[-1].get_xlabel() == "t [s]"
    figure.savefig(tmp_path / "run.png")
    ax = run.phase("phi_S")
    assert ax.get_xlabel().startswith("phi_S") and ax.get_ylabel().startswith("omega_S")
    x, y = ax.lines[0].get_data()
    np.testing.assert_array_equal(x, run["phi_S"])
    np.testing.assert_array_equal(y, run["omega_S"])
    strip = run.plot_modes()
    assert [label.get_text() for label in strip.get_yticklabels()] == list(run.modes)
    boxes = [path.get_extents() for artist in strip.collections for path in artist.get_paths() if path.get_extents().width > 0]
    for row in range(len(run.modes)):
        # The strip of a contact covers the run once.
        own = sum(box.width for box in boxes if box.y0 < row < box.y1)
        assert own == pytest.approx(0.5, rel=1e-9)
    forces = run.plot_forces("beak")
    assert len(forces.axes) == 1 and forces.axes[0].get_ylabel() == "beak [N]"
    assert len(run.plot_energy().lines) == 3
    with pytest.raises(stickslip.Error, match="is not a contact of the run"):
        run.plot_forces("tail")
    with pytest.raises(stickslip.Error, match="is not a coordinate"):
        run.phase("psi")
    matplotlib.pyplot.close("all")


def test_pairs_of_bodies_have_strips_and_forces_where_contacts_are_found():
    sim = stickslip.Simulation("plane_stack")
    run = sim.run(0.2, sample_dt=sim.dt)
    strip = run.plot_modes()
    names = [label.get_text() for label in strip.get_yticklabels()]
    assert names and len(set(names)) == len(names)
    figure = run.plot_forces()
    assert len(figure.axes) == len(names)
    # What the lowest pair carries at the end is the weight of all bodies.
    ends = {ax.get_ylabel(): ax.lines[0].get_ydata()[-1] for ax in figure.axes}
    sim.step()
    by_step = sum(c.force[0] for c in sim.contacts)
    assert sum(ends.values()) == pytest.approx(by_step, rel=1e-3)
    matplotlib.pyplot.close("all")


def test_coordinates_are_in_the_order_of_the_simulation():
    sim = stickslip.Simulation("woodpecker")
    run = sim.run(0.01)
    assert run.coordinates == sim.coordinates and run.velocities == sim.velocities
    order = stickslip.System(["z", "a"], mass=np.eye(2), forces=lambda q, u, t: [0.0, 0.0])
    assert stickslip.Simulation(order).run(0.01).coordinates == ["z", "a"]
