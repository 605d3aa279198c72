"""Plots with matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._native import Error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .run import Run
    from .sweep import Sweep

#: Colours that people with colour-blindness can tell apart (Okabe and Ito 2008).
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#999999",
)

#: The colour of each mode.
MODE_COLOURS: Dict[str, str] = {
    "open": "#F2F2F2",
    "stick": BLUE,
    "slip+": ORANGE,
    "slip-": RED,
    "slip": ORANGE,
    "closed": GREEN,
    "fixed": GREY,
}

#: The width of a figure and the height of one panel, in inches.
WIDTH, PANEL = 7.5, 1.7

#: Impacts that are marked: more would be a grey area.
MOST_MARKS = 200


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error("plots need matplotlib; `pip install matplotlib` installs it") from None
    return pyplot


def label(name: str, unit: str) -> str:
    """The text of an axis."""
    return f"{name} [{unit}]" if unit else name


def _tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def _axes(ax: Optional[Axes], size: Tuple[float, float]) -> Axes:
    if ax is None:
        _, made = _pyplot().subplots(figsize=size, layout="constrained")
        ax = made
    assert ax is not None
    _tidy(ax)
    return ax


def _panels(count: int, title: str) -> Tuple[Figure, List[Axes]]:
    size = (WIDTH, max(PANEL * count, 2.4) + 0.5)
    figure, axes = _pyplot().subplots(count, 1, sharex=True, squeeze=False, figsize=size, layout="constrained")
    figure.suptitle(title, fontsize="medium", x=0.01, ha="left")
    panels = [row[0] for row in axes]
    for ax in panels:
        _tidy(ax)
    figure.align_ylabels(panels)
    return figure, panels


def _impacts(run: Run, contact: Optional[str] = None) -> np.ndarray[Any, Any]:
    """The times of impacts, of one contact or of all."""
    kinds, contacts = run.events["event"], run.events["contact"]
    struck = [kind == "impact" and contact in (None, own) for kind, own in zip(kinds, contacts)]
    times: np.ndarray[Any, Any] = np.asarray(run.events["t"])[np.array(struck, dtype=bool)]
    return times


def _mark_impacts(run: Run, axes: Sequence[Axes]) -> None:
    times = _impacts(run)
    if 0 < times.size <= MOST_MARKS:
        for ax in axes:
            ax.vlines(times, 0, 1, transform=ax.get_xaxis_transform(), color="0.8", linewidth=0.7, zorder=0)


def over_time(run: Run, names: Sequence[str], show_events: bool) -> Figure:
    """Columns over time, one panel each."""
    figure, axes = _panels(len(names), str(run.summary["scene"]))
    for ax, name in zip(axes, names):
        ax.plot(run.t, run[name], color=BLUE, linewidth=1.2)
        ax.set_ylabel(label(name, run.units.get(name, "")))
    axes[-1].set_xlabel(label("t", run.units["t"]))
    axes[-1].set_xlim(run.t[0], run.t[-1])
    if show_events:
        _mark_impacts(run, axes)
    return figure


def phase(run: Run, coordinate: str, velocity: Optional[str], ax: Optional[Axes]) -> Axes:
    """A phase portrait."""
    if velocity is None:
        if coordinate not in run.coordinates:
            names = ", ".join(run.coordinates)
            raise Error(f"`{coordinate}` is not a coordinate of the run; there are {names}. Give two columns otherwise")
        velocities = [name for name in run.columns if name in set(run.velocities)]
        coordinates = [name for name in run.columns if name in set(run.coordinates)]
        if len(velocities) != len(coordinates):
            raise Error("coordinates and velocities of bodies do not go in pairs; give the velocity as well")
        velocity = velocities[coordinates.index(coordinate)]
    ax = _axes(ax, (5.0, 4.2))
    ax.plot(run[coordinate], run[velocity], color=BLUE, linewidth=0.9)
    ax.plot(run[coordinate][0], run[velocity][0], "o", color=GREEN, markersize=5, label="start")
    ax.plot(run[coordinate][-1], run[velocity][-1], "s", color=RED, markersize=5, label="end")
    ax.set_xlabel(label(coordinate, run.units.get(coordinate, "")))
    ax.set_ylabel(label(velocity, run.units.get(velocity, "")))
    ax.set_title(f"{run.summary['scene']}: phase portrait", fontsize="medium", loc="left")
    ax.legend(frameon=False, fontsize="small")
    return ax


def _pairs(run: Run) -> Dict[str, Any]:
    """The contacts that were found, by their two bodies: of each pair the numbers of its contacts in `run.found`."""
    found = run.found
    if found is None:
        return {}
    names, pairs = found["bodies"], np.column_stack([found["first"], found["second"]])
    # The names are those of their events.
    return {f"{names[a]}-{names[b]}": np.flatnonzero((pairs == (a, b)).all(axis=1)) for a, b in np.unique(pairs, axis=0)}


def _pair_modes(run: Run) -> Dict[str, np.ndarray[Any, Any]]:
    """What each pair of bodies does at each sample: that of its contact with the largest normal impulse."""
    modes = {}
    for pair, own in _pairs(run).items():
        assert run.found is not None
        own = own[np.argsort(run.found["impulse"][own, 0], kind="stable")]
        modes[pair] = np.full(len(run), run.mode_names.index("open"), dtype=np.uint8)
        modes[pair][run.found["sample"][own]] = run.found["mode"][own]
    return modes


def _pair_forces(run: Run) -> Dict[str, np.ndarray[Any, Any]]:
    """The mean normal force between the bodies of each pair since the sample before; not a number where no time passed."""
    passed, forces = np.diff(run.t, prepend=np.nan), {}
    passed[passed == 0.0] = np.nan
    for pair, own in _pairs(run).items():
        assert run.found is not None
        sums = np.bincount(run.found["sample"][own], run.found["impulse"][own, 0], len(run))
        forces[f"{pair}.N"] = sums / passed
    return forces


def mode_strip(run: Run, ax: Optional[Axes]) -> Axes:
    """What each contact does over time, and each pair of bodies whose contacts were found."""
    strips = {**run.modes, **_pair_modes(run)}
    if not strips:
        raise Error("the run has no contacts")
    ax = _axes(ax, (WIDTH, 0.45 * len(strips) + 1.4))
    pyplot, names = _pyplot(), run.mode_names
    # A sample holds until the next one.
    edges = np.append(run.t, run.t[-1])
    seen = set()
    for row, (contact, modes) in enumerate(strips.items()):
        times = _impacts(run, contact)
        if times.size <= MOST_MARKS:
            ax.vlines(times, row - 0.48, row + 0.48, color="black", linewidth=0.8, zorder=3)
        starts = np.flatnonzero(np.diff(modes.astype(int), prepend=-1))
        ends = np.append(starts[1:], modes.size)
        for mode in np.unique(modes):
            own = modes[starts] == mode
            spans = np.column_stack([edges[starts[own]], edges[ends[own]] - edges[starts[own]]])
            name = names[int(mode)]
            seen.add(name)
            ax.broken_barh([(a, w) for a, w in spans], (row - 0.38, 0.76), facecolors=MODE_COLOURS[name])
    ax.set_yticks(range(len(strips)), list(strips))
    ax.set_ylim(len(strips) - 0.5, -0.5)
    ax.set_xlim(run.t[0], run.t[-1])
    ax.grid(False)
    ax.set_xlabel(label("t", run.units["t"]))
    ax.set_title(f"{run.summary['scene']}: contacts", fontsize="medium", loc="left")
    patches = [
        pyplot.Rectangle((0, 0), 1, 1, facecolor=MODE_COLOURS[name], edgecolor="0.7", linewidth=0.5, label=name)
        for name in names
        if name in seen
    ]
    ax.legend(handles=patches, frameon=False, fontsize="small", ncols=len(patches), loc="lower right", bbox_to_anchor=(1, 1))
    return ax


def forces(run: Run, contacts: Sequence[str]) -> Figure:
    """Mean contact forces between samples, and the normal ones of pairs of bodies whose contacts were found."""
    shown = {**run.forces, **_pair_forces(run)}
    names = list(dict.fromkeys(key.rsplit(".", 1)[0] for key in shown))
    own = {name: [key for key in shown if key.rsplit(".", 1)[0] == name] for name in contacts or names}
    for name, keys in own.items():
        if not keys:
            raise Error(f"`{name}` is not a contact of the run; there are {', '.join(names)}")
    if not own:
        raise Error("the run has no contacts")
    figure, axes = _panels(len(own), f"{run.summary['scene']}: contact forces, means between samples")
    for ax, (name, keys) in zip(axes, own.items()):
        for key, colour in zip(keys, (BLUE, ORANGE, GREEN, PURPLE)):
            ax.plot(run.t, shown[key], color=colour, linewidth=1.1, label=key.rsplit(".", 1)[1])
        ax.set_ylabel(label(name, run.units.get(keys[0], "")))
        ax.legend(frameon=False, fontsize="small", ncols=4, loc="lower right", bbox_to_anchor=(1, 0.97))
    axes[-1].set_xlabel(label("t", run.units["t"]))
    axes[-1].set_xlim(run.t[0], run.t[-1])
    _mark_impacts(run, axes)
    return figure


def energy(run: Run, ax: Optional[Axes]) -> Axes:
    """Energies over time."""
    ax = _axes(ax, (WIDTH, 3.2))
    series = (("kinetic", run.kinetic, BLUE), ("potential", run.potential, ORANGE), ("total", run.energy, "black"))
    for name, values, colour in series:
        ax.plot(run.t, values, color=colour, linewidth=1.2, label=name)
    ax.set_xlim(run.t[0], run.t[-1])
    ax.set_xlabel(label("t", run.units["t"]))
    ax.set_ylabel(label("energy", "J"))
    ax.set_title(f"{run.summary['scene']}: energy", fontsize="medium", loc="left")
    ax.legend(frameon=False, fontsize="small")
    return ax


def bifurcation(sweep: Sweep, parameter: str, column: str, ax: Optional[Axes]) -> Axes:
    """A column of a sweep over a parameter."""
    ax = _axes(ax, (WIDTH, 4.0))
    x, y = np.asarray(sweep[parameter], dtype=float), np.asarray(sweep[column], dtype=float)
    good = np.array([status not in ("failed", "lost", "refused") for status in sweep["status"]])
    ax.plot(x[good], y[good], "o", color=BLUE, markersize=3.5)
    lost = int((~good | ~np.isfinite(y)).sum())
    ax.set_xlabel(parameter)
    ax.set_ylabel(column)
    note = f", {lost} of {x.size} points without a value" if lost else ""
    ax.set_title(f"{sweep.scene}: {column} over {parameter}{note}", fontsize="medium", loc="left")
    return ax
