"""Runs: what is kept of them, and their plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import Vector
from ._record import Table, number, scientific

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Run(Table):
    """A run, as arrays by name: `run["phi_S"]`, `run["beak.gap"]`, `run.t`.

    The columns are those of `trajectory.csv`: t, coordinates, velocities, and of each contact its gap and its impulses since
    the sample before; then sensors and outputs of the scene.
    """

    #: All columns by name.
    columns: Mapping[str, Vector]
    #: Their units.
    units: Mapping[str, str]
    #: Of each contact what it does at each sample, as numbers of `mode_names`.
    modes: Mapping[str, npt.NDArray[np.uint8]]
    #: Mean forces between samples by contact and component, such as "beak.N"; not a number where an impact acted in no time.
    forces: Mapping[str, Vector]
    #: Kinetic and potential energy at each sample.
    kinetic: Vector
    potential: Vector
    #: t, contact, event, impulse_n, impulse_t and energy of every event.
    events: Mapping[str, Any]
    #: Contacts that the model found itself, one after the other: sample, first and second body, gap, mode, position, normal,
    #: tangent, impulse; None where it does not look for contacts.
    found: Optional[Mapping[str, Any]]
    #: What the run amounted to: end, counts, energy, certificate, drift, state, settings and more.
    summary: Mapping[str, Any]

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.columns = answer["columns"]
        self.units = answer["units"]
        self.modes = answer["modes"]
        self.forces = answer["forces"]
        self.kinetic = answer["kinetic"]
        self.potential = answer["potential"]
        self.events = answer["events"]
        self.found = answer["found"]
        self.summary = answer["summary"]

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> Run:
        """From what the native part returns."""
        return cls(answer)

    def __getitem__(self, name: str) -> Vector:
        for table in (self.columns, self.forces):
            if name in table:
                return table[name]
        names = ", ".join([*self.columns, *self.forces])
        raise _native.Error(f"`{name}` is not a column of the run; there are {names}")

    def __len__(self) -> int:
        return int(self.t.size)

    @property
    def t(self) -> Vector:
        """The times of the samples."""
        return self.columns["t"]

    @property
    def energy(self) -> Vector:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential

    @property
    def mode_names(self) -> List[str]:
        """What the numbers of `modes` stand for."""
        return _native.mode_names()

    @property
    def coordinates(self) -> List[str]:
        """The names of the coordinates."""
        return self._in_order("coordinates")

    @property
    def velocities(self) -> List[str]:
        """The names of the velocities."""
        return self._in_order("velocities")

    def _in_order(self, kind: str) -> List[str]:
        """In the order of the columns, which is that of the simulation."""
        known = self.summary["state"][kind]
        return [name for name in self.columns if name in known]

    def to_dict(self) -> Dict[str, Vector]:
        """All columns by name, for tables of pandas or polars."""
        return dict(self.columns)

    def plot(self, *names: str, show_events: bool = True) -> Figure:
        """Columns over time, one panel each; by default the coordinates."""
        from . import plots

        return plots.over_time(self, names or tuple(self.coordinates), show_events)

    def phase(self, coordinate: str, velocity: Optional[str] = None, *, ax: Optional[Axes] = None) -> Axes:
        """A coordinate and its velocity, or any two columns, against each other."""
        from . import plots

        return plots.phase(self, coordinate, velocity, ax)

    def plot_modes(self, *, ax: Optional[Axes] = None) -> Axes:
        """What each contact does over time, and each pair of bodies whose contacts were found, as a strip of colours, with a
        mark at every impact."""
        from . import plots

        return plots.mode_strip(self, ax)

    def plot_forces(self, *contacts: str) -> Figure:
        """The mean contact forces between samples, one panel for each contact, and for each pair of bodies whose
        contacts were found."""
        from . import plots

        return plots.forces(self, contacts)

    def plot_energy(self, *, ax: Optional[Axes] = None) -> Axes:
        """Kinetic, potential and total energy over time."""
        from . import plots

        return plots.energy(self, ax)

    def _rows(self) -> List[Tuple[str, str]]:
        end, counts = self.summary["end"], self.summary["counts"]
        ending = end["status"] if not end.get("reason") else f"{end['status']}: {end['reason']}"
        return [
            ("scene", str(self.summary["scene"])),
            ("end", f"{ending} at t = {number(end['t'])}"),
            ("steps", f"{counts['steps']}, {counts['contact_steps']} with contact"),
            ("samples", f"{len(self)} of {len(self.columns)} columns"),
            ("events", f"{counts['events']}, {counts['impacts']} impacts"),
            ("worst certificate", scientific(self.summary["certificate"]["worst"])),
            ("wall time", f"{self.summary['timing']['total']:.3f} s"),
        ]

    def __repr__(self) -> str:
        return "Run" + "".join(f"\n  {name:<18} {text}" for name, text in self._rows())
