"""Sweeps on clusters, where those are installed: a worker is lost, and every row is there once."""

import os
import signal
import sys

import numpy as np
import pytest

import stickslip

GRID = {"g": np.linspace(5.0, 12.0, 24)}


def deadly(marker):
    """A measure that kills its worker at one point, the first time it comes there."""

    def measure(sim):
        if sim.parameters["g"] > 8.0 and not os.path.exists(marker):
            with open(marker, "w") as file:
                file.write(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        run = sim.run(2.0)
        return {"impacts": run.summary["counts"]["impacts"], "y": float(run["y"][-1])}

    return measure


def check(engine, tmp_path):
    marker = tmp_path / "killed"
    survived = stickslip.sweep(
        "bouncing_ball", GRID, measure=deadly(str(marker)), engine=engine, workers=2, progress=False
    )
    assert marker.exists() and int(marker.read_text()) != os.getpid()
    # The marker is there, so that nothing kills this process.
    alone = stickslip.sweep("bouncing_ball", GRID, measure=deadly(str(marker)), workers=1, progress=False)
    assert len(survived) == len(alone) == 24
    for name in alone.columns:
        np.testing.assert_array_equal(survived[name], alone[name])


@pytest.mark.filterwarnings("default")
def test_dask_survives_the_loss_of_a_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with pytest.raises(stickslip.Error, match="no Dask cluster"):
        stickslip.sweep("bouncing_ball", GRID, engine="dask", progress=False)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            check("dask", tmp_path)


@pytest.mark.filterwarnings("default")
def test_ray_survives_the_loss_of_a_worker(tmp_path):
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with pytest.raises(stickslip.Error, match="no Ray cluster"):
        stickslip.sweep("bouncing_ball", GRID, engine="ray", progress=False)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        check("ray", tmp_path)
    finally:
        ray.shutdown()
