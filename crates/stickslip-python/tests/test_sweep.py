"""Sweeps over parameters."""

import sys
import types

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import stickslip  # noqa: E402
from stickslip.sweep import ENGINES, Progress, chunk_of_points, points  # noqa: E402


def test_the_grid_has_all_combinations_in_order():
    grid = points({"a": [1, 2], "b": np.linspace(0.0, 1.0, 3)})
    assert [(p["a"], p["b"]) for p in grid] == [(1, 0), (1, 0.5), (1, 1), (2, 0), (2, 0.5), (2, 1)]


def test_rows_do_not_depend_on_the_number_of_workers():
    vary = {"mu": np.linspace(0.28, 0.34, 5)}
    one = stickslip.sweep("woodpecker", vary, workers=1, progress=False, dt=1e-4)
    three = stickslip.sweep("woodpecker", vary, workers=3, progress=False, dt=1e-4)
    assert one["mu"].tolist() == vary["mu"].tolist() and len(one) == 5
    for name in one.columns:
        np.testing.assert_array_equal(one[name], three[name])
    alone = stickslip.Simulation("woodpecker", mu=vary["mu"][3], dt=1e-4).run()
    assert one["phi_S"][3] == alone["phi_S"][-1]


def test_a_sweep_of_cycles_has_periods_and_a_picture():
    found = stickslip.sweep("woodpecker", {"mu": [0.29, 0.3]}, measure="cycle", progress=False)
    assert found["status"].tolist() == ["found", "found"]
    assert found["period"][1] == stickslip.Simulation("woodpecker", mu=0.3).cycle().period
    ax = found.bifurcation("mu", "period")
    assert ax.get_xlabel() == "mu" and ax.lines[0].get_xdata().tolist() == [0.29, 0.3]
    matplotlib.pyplot.close("all")


def test_a_measure_is_a_function_of_a_simulation():
    def height(sim):
        return {"highest": float(sim.run(0.1)["y"].max())}

    found = stickslip.sweep("bouncing_ball", {"g": [1.0, 2.0]}, measure=height, progress=False)
    assert set(found.columns) == {"g", "highest", "status"}
    with pytest.raises(ZeroDivisionError):
        stickslip.sweep("bouncing_ball", {"g": [1.0]}, measure=lambda sim: 1 / 0, progress=False)


def test_points_that_the_scene_refuses_are_rows_with_the_reason():
    found = stickslip.sweep("woodpecker", {"mu": [0.3, -1.0]}, progress=False, dt=1e-3)
    assert found["status"].tolist()[1] == "refused" and "mu" in found["reason"][1]
    assert np.isnan(found["phi_S"][1])


def test_a_run_that_is_refused_is_a_row_with_the_reason():
    found = stickslip.sweep("bouncing_ball", {"g": [1.0, 2.0]}, arguments={"t_end": -1.0}, progress=False)
    assert found["status"].tolist() == ["refused", "refused"] and "t_end is -1" in found["reason"][1]


def test_arguments_are_those_of_the_measure():
    found = stickslip.sweep("bouncing_ball", {"g": [1.0, 2.0]}, arguments={"t_end": 0.25}, progress=False)
    assert found["t"].tolist() == [0.25, 0.25]
    function = lambda sim, factor: {"twice": factor * sim.parameters["g"]}  # noqa: E731
    found = stickslip.sweep("bouncing_ball", {"g": [1.0]}, measure=function, arguments={"factor": 2}, progress=False)
    assert found["twice"].tolist() == [2.0]


def test_a_world_is_swept_and_a_system_has_nothing_to_vary():
    world = stickslip.World(gravity=[0, 0, "-g"], parameters={"g": 9.81})
    world.body("ball", mass=1.0, shape=stickslip.Sphere(0.1), position=[0, 0, 1.0])
    found = stickslip.sweep(world, {"g": [1.0, 2.0]}, arguments={"t_end": 0.1}, progress=False)
    assert found["ball.vz"].tolist() == pytest.approx([-0.1, -0.2])
    system = stickslip.System(["x"], mass=[[1.0]], forces=lambda q, u, t: [0.0])
    with pytest.raises(stickslip.Error, match="no parameters to vary"):
        stickslip.sweep(system, {"g": [1.0]}, progress=False)


def test_workers_in_other_folders_read_the_same_file(tmp_path, monkeypatch):
    path = tmp_path / "fall.toml"
    coordinates = 'y = { velocity = "v" }'
    path.write_text(f'[parameters]\ng = 9.81\n[coordinates]\n{coordinates}\n[energy]\nkinetic = "v^2/2"\npotential = "g*y"\n')
    monkeypatch.chdir(tmp_path)
    sent = []

    def engine(scene, grid, options, measure, workers):
        sent.append(scene)
        yield 0, {"status": "sent"}

    monkeypatch.setitem(ENGINES, "threads", engine)
    stickslip.sweep("fall.toml", {"g": [1.0]}, progress=False)
    assert sent == [str(path)]
    with pytest.raises(stickslip.Error, match="cannot be read by a worker"):
        chunk_of_points(str(tmp_path / "gone.toml"), [{"g": 1.0}], {}, "run")


def test_misuse_is_found_before_any_work_is_done():
    for arguments, words in [
        (dict(vary={}), "nothing to vary"),
        (dict(vary={"mue": [1.0]}), "mue"),
        (dict(vary={"mu": []}), "mu has no values"),
        (dict(vary={"mu": [0.3]}, measure="speed"), "is not a measure"),
        (dict(vary={"mu": [0.3]}, engine="spark"), "is not an engine"),
        (dict(vary={"mu": [0.3]}, workers=0), "at least one"),
        (dict(vary={"mu": [0.3]}, workers=-1), "workers is negative"),
        (dict(vary={"mu": ["high"]}), "mu has entries"),
    ]:
        with pytest.raises(stickslip.Error, match=words):
            stickslip.sweep("woodpecker", progress=False, **arguments)


def test_the_table_is_that_of_the_library_that_is_installed(monkeypatch):
    found = stickslip.sweep("bouncing_ball", {"g": [1.0, 2.0]}, progress=False)
    assert list(found.table) == list(found.columns)
    polars = types.SimpleNamespace(DataFrame=lambda columns: ("polars", columns))
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", polars)
    assert found.table == ("polars", found.columns)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert found.table == found.columns
    assert "2 points" in repr(found) and "<table>" in found._repr_html_()


def test_the_progress_bar_ends_full(capsys):
    bar = Progress(3, True)
    for _ in range(3):
        bar.step()
    bar.close()
    shown = capsys.readouterr().err
    assert "3 of 3" in shown and shown.endswith("\n")


def test_a_first_point_that_the_scene_refuses_is_a_row_like_the_others():
    found = stickslip.sweep("woodpecker", {"mu": [-1.0, 0.3]}, progress=False, dt=1e-3)
    assert found["status"].tolist()[0] == "refused" and "mu" in found["reason"][0]
    assert np.isfinite(found["phi_S"][1])
    with pytest.raises(stickslip.Error, match="integrator"):
        stickslip.sweep("woodpecker", {"mu": [-1.0]}, progress=False, integrator="euler")


def test_a_measure_cannot_return_what_is_varied():
    with pytest.raises(stickslip.Error, match="the measure returns `g`"):
        stickslip.sweep("bouncing_ball", {"g": [1.0]}, measure=lambda sim: {"g": 2.0}, progress=False)
