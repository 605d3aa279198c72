"""The same question for many values of parameters."""

from __future__ import annotations

import html
import importlib
import itertools
import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._arrays import count, numbers
from ._record import short
from .simulation import Simulation, scene_text
from .system import System
from .world import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Dict[str, Any]
#: A measure takes a Simulation, and the `arguments` of the sweep as keywords.
Measure = Union[str, Callable[..., Mapping[str, Any]]]

#: Points that a worker of a cluster takes at a time.
CHUNK = 16

#: How often a chunk whose worker was lost is given to another.
TRIES = 5

#: Seconds between two drawings of the progress bar.
REDRAW = 0.1


def measure_run(sim: Simulation, **arguments: Any) -> Row:
    """What a run amounted to, by default one to the end time of the scene."""
    try:
        summary = sim.run(**arguments).summary
    except _native.Error as error:
        return {"status": "refused", "reason": str(error)}
    end, counts, state = summary["end"], summary["counts"], summary["state"]
    row: Row = {"status": end["status"], "reason": end["reason"], "t": end["t"]}
    row.update({name: counts[name] for name in ("steps", "contact_steps", "impacts", "events")})
    row.update({"energy": summary["energy"]["end"]["total"], "worst": summary["certificate"]["worst"]})
    row.update(state["coordinates"])
    row.update(state["velocities"])
    return row


def measure_cycle(sim: Simulation, **arguments: Any) -> Row:
    """The limit cycle: its period, whether it is stable, and the largest multiplier."""
    try:
        cycle = sim.cycle(**arguments)
    except _native.Error as error:
        row: Row = {"status": "lost", "reason": str(error), "period": np.nan, "stable": False, "returns": 0}
        return {**row, "multiplier": np.nan, "residual": np.nan}
    largest = float(np.max(np.abs(cycle.multipliers), initial=0.0))
    row = {"status": "found", "reason": None, "period": cycle.period, "stable": cycle.stable, "returns": cycle.returns}
    return {**row, "multiplier": largest, "residual": cycle.residual}


MEASURES: Dict[str, Callable[..., Row]] = {"run": measure_run, "cycle": measure_cycle}


class Sweep:
    """The table of a sweep: `sweep["period"]` is a column, `sweep.table` all of it."""

    def __init__(self, scene: str, varied: Sequence[str], rows: Sequence[Row], seconds: float) -> None:
        #: The name of the scene.
        self.scene = scene
        #: The parameters that were varied.
        self.varied = list(varied)
        #: Wall-clock seconds.
        self.seconds = seconds
        names = list(dict.fromkeys(name for row in rows for name in row))
        #: Columns by name, in the order of the grid.
        self.columns: Dict[str, Any] = {name: _column([row.get(name) for row in rows]) for name in names}
        self._rows = len(rows)

    def __getitem__(self, name: str) -> Any:
        if name not in self.columns:
            raise _native.Error(f"`{name}` is not a column of the sweep; there are {', '.join(self.columns)}")
        return self.columns[name]

    def __len__(self) -> int:
        return self._rows

    @property
    def table(self) -> Any:
        """The table of pandas if that is installed, else of polars, else the dictionary of arrays."""
        for name in ("pandas", "polars"):
            try:
                return importlib.import_module(name).DataFrame(self.columns)
            except ImportError:
                continue
        return dict(self.columns)

    def bifurcation(self, parameter: str, column: str, *, ax: Optional[Axes] = None) -> Axes:
        """A column over a parameter, as points."""
        from . import plots

        return plots.bifurcation(self, parameter, column, ax)

    def __repr__(self) -> str:
        counts: Dict[str, int] = {}
        for status in self.columns.get("status", ()):
            counts[status] = counts.get(status, 0) + 1
        ends = ", ".join(f"{n} {status}" for status, n in counts.items())
        return f"Sweep({self.scene} over {', '.join(self.varied)}: {len(self)} points, {ends}; {self.seconds:.3f} s)"

    def _repr_html_(self) -> str:
        shown = 10
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(short(column[i]))}</td>" for column in self.columns.values()) + "</tr>"
            for i in range(min(shown, len(self)))
        )
        return f"<table><caption>{html.escape(repr(self))}</caption><tr>{head}</tr>{body}</table>"


def _column(values: List[Any]) -> Any:
    """An array of numbers or truth values where all are, else of objects."""
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, (int, np.integer)) for value in values):
        return np.array(values, dtype=np.int64)
    if all(isinstance(value, (int, float, np.number)) or value is None for value in values) and any(
        value is not None for value in values
    ):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def points(vary: Mapping[str, Any]) -> List[Dict[str, float]]:
    """The grid of all combinations, the last parameter running fastest."""
    if not vary:
        raise _native.Error("there is nothing to vary; give a mapping from names of parameters to their values")
    axes = []
    for name, values in vary.items():
        axis = [float(value) for value in np.atleast_1d(numbers(values, name)).ravel()]
        if not axis:
            raise _native.Error(f"{name} has no values")
        axes.append(axis)
    return [dict(zip(vary, values)) for values in itertools.product(*axes)]


def one_point(scene: str, point: Mapping[str, float], options: Mapping[str, Any], measure: Measure) -> Row:
    """One row of a sweep. What the scene refuses at this point is a row as well, with the reason."""
    function = MEASURES[measure] if isinstance(measure, str) else measure
    try:
        simulation = Simulation(scene, parameters={**options.get("parameters", {}), **point}, **options.get("settings", {}))
    except _native.Error as error:
        return {**point, "status": "refused", "reason": str(error)}
    row = dict(function(simulation, **options.get("arguments", {})))
    taken = [name for name in point if name in row]
    if taken:
        raise _native.Error(f"the measure returns `{taken[0]}`, the name of a parameter that is varied; give it another name")
    row.setdefault("status", "measured")
    return {**point, **row}


def chunk_of_points(
    scene: str, chunk: Sequence[Mapping[str, float]], options: Mapping[str, Any], measure: Measure
) -> List[Row]:
    """The rows of a chunk, in order: what a worker of a cluster does."""
    if os.path.isabs(scene) and not os.path.isfile(scene):
        raise _native.Error(f"{scene} cannot be read by a worker; put it where all of them can, or give the text of the scene")
    return [one_point(scene, point, options, measure) for point in chunk]


def sweep(
    scene: Union[str, os.PathLike[str], World],
    vary: Mapping[str, Any],
    *,
    workers: Optional[int] = None,
    measure: Measure = "run",
    arguments: Optional[Mapping[str, Any]] = None,
    engine: str = "threads",
    progress: Optional[bool] = None,
    parameters: Optional[Mapping[str, float]] = None,
    **settings: Any,
) -> Sweep:
    """Asks the same of a scene for all combinations of the values of some parameters.

    `measure` is "run" (how a run ended, and its last state), "cycle" (period, stability and largest multiplier of the limit
    cycle), or a function that takes a Simulation and returns a mapping of values. `arguments` are keywords for the measure: of
    `Simulation.run`, of `Simulation.cycle`, or of the function. Points are shared by `workers` threads, by default one for each core; the table is in the order of the grid, and its values do
    not depend on the number of workers. With engine="ray" or "dask" chunks of points are sent to a running cluster of that
    kind instead; a chunk whose worker is lost is given to another. A progress bar is shown on a terminal and in notebooks.

    >>> sweep("bouncing_ball", {"g": [1.62, 9.81]}, progress=False)["status"].tolist()
    ['finished', 'finished']
    """
    if isinstance(scene, System):
        raise _native.Error("a System has no parameters to vary; make one for each value, or a World or scene with parameters")
    name = scene_text(scene)
    if os.path.isfile(name):
        # Workers of a cluster may be in other folders.
        name = os.path.abspath(name)
    if isinstance(measure, str) and measure not in MEASURES:
        raise _native.Error(f"`{measure}` is not a measure; there are {', '.join(MEASURES)}, and functions")
    if engine not in ENGINES:
        raise _native.Error(f"`{engine}` is not an engine; there are {', '.join(ENGINES)}")
    grid = points(vary)
    options = {"parameters": dict(parameters or {}), "settings": settings, "arguments": dict(arguments or {})}
    # Misuse is found before any work is done.
    title = _name_of_scene(name, grid[0], options)
    hands = count(workers, "workers") if workers is not None else (os.cpu_count() or 1)
    if hands < 1:
        raise _native.Error("workers is 0; there must be at least one")
    bar = Progress(len(grid), sys.stderr.isatty() or "ipykernel" in sys.modules if progress is None else progress)
    start = time.perf_counter()
    rows: List[Optional[Row]] = [None] * len(grid)
    try:
        with closing(ENGINES[engine](name, grid, options, measure, hands)) as numbered:
            for index, row in numbered:
                rows[index] = row
                bar.step()
    finally:
        bar.close()
    return Sweep(title, list(vary), [row for row in rows if row is not None], time.perf_counter() - start)


def _name_of_scene(scene: str, point: Mapping[str, float], options: Mapping[str, Any]) -> str:
    """The name of a scene that takes these settings and parameters. One that refuses the values of a point alone is not misused."""
    try:
        return Simulation(scene, parameters={**options["parameters"], **point}, **options["settings"]).name
    except _native.Error:
        base = Simulation(scene, parameters=options["parameters"], **options["settings"])
        if not set(point) <= set(base.parameters):
            raise
        return base.name


Numbered = Generator[Tuple[int, Row], None, None]


def _threads(
    scene: str, grid: Sequence[Mapping[str, float]], options: Mapping[str, Any], measure: Measure, workers: int
) -> Numbered:
    """Points on threads of this process: the interpreter is released while Rust works. Ctrl-C reaches this thread, which ends theirs."""
    cancellation = _native.Cancellation()
    pool = ThreadPoolExecutor(workers, initializer=cancellation.adopt)
    try:
        futures: Dict[Future[Row], int] = {
            pool.submit(one_point, scene, point, options, measure): i for i, point in enumerate(grid)
        }
        waiting = set(futures)
        while waiting:
            # A wait with a limit lets Ctrl-C through on every platform.
            done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                yield futures[future], future.result()
    finally:
        cancellation.cancel()
        pool.shutdown(wait=False, cancel_futures=True)


def _chunks(grid: Sequence[Mapping[str, float]], workers: int) -> List[Tuple[int, Sequence[Mapping[str, float]]]]:
    size = max(1, min(CHUNK, -(-len(grid) // (4 * workers))))
    return [(i, grid[i : i + size]) for i in range(0, len(grid), size)]


def _module(name: str) -> Any:
    """The library of a cluster, which need not be installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise _native.Error(f"this engine needs {name}; `pip install {name}` installs it") from None


def _ray(
    scene: str, grid: Sequence[Mapping[str, float]], options: Mapping[str, Any], measure: Measure, workers: int
) -> Numbered:
    """Chunks as tasks of Ray, which starts a task again if its worker dies; what it gives up is sent once more."""
    ray = _module("ray")
    if not ray.is_initialized():
        raise _native.Error("there is no Ray cluster; call ray.init() first")
    work = ray.remote(chunk_of_points).options(max_retries=TRIES)
    sent = {work.remote(scene, chunk, options, measure): (first, chunk, 1) for first, chunk in _chunks(grid, workers)}
    while sent:
        done, _ = ray.wait(list(sent), num_returns=1, timeout=0.2)
        for reference in done:
            first, chunk, tries = sent.pop(reference)
            try:
                rows = ray.get(reference)
            except ray.exceptions.RayTaskError:
                raise
            except ray.exceptions.RayError:
                if tries >= TRIES:
                    raise
                sent[work.remote(scene, chunk, options, measure)] = (first, chunk, tries + 1)
                continue
            yield from enumerate(rows, first)


def _dask(
    scene: str, grid: Sequence[Mapping[str, float]], options: Mapping[str, Any], measure: Measure, workers: int
) -> Numbered:
    """Chunks as tasks of Dask, which moves those of a lost worker to another; what it gives up is sent once more."""
    distributed = _module("distributed")
    try:
        client = distributed.get_client()
    except ValueError:
        raise _native.Error("there is no Dask cluster; make a distributed.Client first") from None

    def submit(chunk: Sequence[Mapping[str, float]]) -> Any:
        return client.submit(chunk_of_points, scene, chunk, options, measure, pure=False, retries=TRIES)

    sent = {submit(chunk): (first, chunk, 1) for first, chunk in _chunks(grid, workers)}
    collected = distributed.as_completed(list(sent))
    for future in collected:
        first, chunk, tries = sent.pop(future)
        try:
            rows = future.result()
        except distributed.KilledWorker:
            if tries >= TRIES:
                raise
            again = submit(chunk)
            sent[again] = (first, chunk, tries + 1)
            collected.add(again)
            continue
        yield from enumerate(rows, first)


ENGINES: Dict[str, Callable[..., Numbered]] = {"threads": _threads, "ray": _ray, "dask": _dask}


class Progress:
    """A bar with the rate and the time that is left."""

    def __init__(self, total: int, shown: bool) -> None:
        self.total, self.shown, self.done = total, shown, 0
        self.start = self.drawn = time.perf_counter()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        now = time.perf_counter()
        if self.shown and (now - self.drawn > REDRAW or self.done == self.total):
            self.drawn = now
            rate = self.done / max(now - self.start, 1e-9)
            filled = 30 * self.done // self.total
            left = (self.total - self.done) / rate
            bar = "█" * filled + "·" * (30 - filled)
            sys.stderr.write(f"\r{bar} {self.done} of {self.total}, {rate:.1f}/s, {left:.0f} s left ")
            sys.stderr.flush()

    def close(self) -> None:
        """Ends the line of the bar."""
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
