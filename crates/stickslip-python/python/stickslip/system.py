"""Systems of Python functions: M du = h dt + contact impulses, in generalised coordinates with planar contacts."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._arrays import Vector, names, numbers, vector
from ._record import Table
from .contact import Contact, laws_text

#: A mass matrix may differ from its transpose by this share of its entries, which is rounding.
SYMMETRIC = 1e-9

#: The columns that a run has of each contact.
COLUMNS = ("gap", "impulse_n", "impulse_t", "mode", "N", "T")

Law = Union[Contact, Mapping[str, Any], float]


class System(Table):
    """A mechanical system M(q, t) du = h(q, u, t) dt + dR with q' = u, whose parts are functions of Python.

    `mass` is a function of (q, t) that returns a symmetric positive definite matrix, or such a matrix if it is constant;
    `forces(q, u, t)` returns all forces but those of contacts, gyroscopic terms included. `contacts` maps names to their laws.
    `gaps(q, t)` returns the gap of every contact, and `directions(q, t)` the rows w_N and w_T of all contacts, two arrays with a
    row for each, so that the gap opens with w_N u and slips with w_T u; walls that move add two vectors, the velocities that do
    not come from u. `potential(q, t)` is for energies alone. Coordinates and velocities have names of their own, which are
    neither "t" nor the name of a column that a run has of a contact.

    Functions are called some times per step, and may use whatever Python has; an exception in one of them ends the step or
    run with it. Derivatives that event-driven and implicit integrators need are taken by differences.

    >>> ball = System(["y"], mass=[[1.0]], forces=lambda q, u, t: [-9.81], contacts={"floor": Contact(eps_n=0.5)},
    ...               gaps=lambda q, t: q, directions=lambda q, t: ([[1.0]], [[0.0]]), q=[1.0])
    >>> from stickslip import Simulation
    >>> Simulation(ball, dt=1e-3).run(1.0).summary["counts"]["impacts"] > 0
    True
    """

    def __init__(
        self,
        coordinates: Sequence[str],
        mass: Union[Any, Callable[[Vector, float], Any]],
        forces: Callable[[Vector, Vector, float], Any],
        *,
        contacts: Optional[Mapping[str, Law]] = None,
        gaps: Optional[Callable[[Vector, float], Any]] = None,
        directions: Optional[Callable[[Vector, float], Any]] = None,
        potential: Optional[Callable[[Vector, float], float]] = None,
        q: Any = None,
        u: Any = None,
        velocities: Optional[Sequence[str]] = None,
        units: Optional[Sequence[str]] = None,
        name: str = "system",
    ) -> None:
        self.name = name
        self.coordinates = names(coordinates, "coordinates")
        given = [f"{c}_dot" for c in self.coordinates] if velocities is None else velocities
        self.velocities = names(given, "velocities")
        self.units = list(units) if units is not None else []
        self.contacts: Dict[str, Law] = dict(contacts or {})
        _check_names(self.coordinates, self.velocities, names(self.contacts, "contacts"))
        n, k = len(self.coordinates), len(self.contacts)
        if k > 0 and (gaps is None or directions is None):
            raise _native.Error("a system with contacts needs the functions gaps and directions")
        self.q = np.zeros(n) if q is None else vector(q, "q")
        self.u = np.zeros(n) if u is None else vector(u, "u")
        self.constant_mass = not callable(mass)
        matrix = None if callable(mass) else _mass(mass, n)
        self._functions = {
            "mass": (lambda q, t: matrix) if matrix is not None else lambda q, t: _mass(mass(q, t), n),
            "forces": lambda q, u, t: _shaped(forces(q, u, t), (n,), "forces"),
            "gaps": (lambda q, t: np.empty(0)) if gaps is None else lambda q, t: _shaped(gaps(q, t), (k,), "gaps"),
            "directions": lambda q, t: np.empty(0) if directions is None else _directions(directions(q, t), k, n),
            "potential": lambda q, t: _shaped(0.0 if potential is None else potential(q, t), (), "potential"),
        }

    def _description(self) -> Dict[str, Any]:
        return {
            "coordinates": self.coordinates,
            "velocities": self.velocities,
            "units": self.units,
            "contact_names": list(self.contacts),
            "contacts": laws_text(self.contacts.values()),
            "constant_mass": self.constant_mass,
            "functions": self._functions,
            "q": self.q,
            "u": self.u,
        }

    def _rows(self) -> List[Tuple[str, str]]:
        lists = [("coordinates", self.coordinates), ("velocities", self.velocities), ("contacts", list(self.contacts))]
        return [("name", self.name), *((what, ", ".join(names)) for what, names in lists)]

    def __repr__(self) -> str:
        return f"System({self.name!r}, {len(self.coordinates)} coordinates, {len(self.contacts)} contacts)"


def _check_names(coordinates: List[str], velocities: List[str], contacts: List[str]) -> None:
    """Refuses names by which a column of a run would not be found."""
    taken = {"t": "the time"}
    for contact in contacts:
        if not contact:
            raise _native.Error("a contact has an empty name; give it another")
        taken.update({f"{contact}.{column}": f"a column of the contact `{contact}`" for column in COLUMNS})
    for kind, own in (("coordinates", coordinates), ("velocities", velocities)):
        for i, name in enumerate(own):
            place = f"{kind}[{i}]"
            if not name:
                raise _native.Error(f"{place} is empty; give it a name")
            if name in taken:
                raise _native.Error(f"{place} is `{name}`, which is also the name of {taken[name]}; give it another")
            taken[name] = place


def _shaped(values: Any, shape: Tuple[int, ...], what: str) -> Vector:
    """The numbers in a row, if they have this shape."""
    array = numbers(values, what)
    if array.shape != shape and not (shape == () and array.size == 1):
        raise _native.Error(f"{what} has the shape {array.shape}; it must be {shape}")
    return array.reshape(-1)


def _mass(values: Any, n: int) -> Vector:
    """A symmetric matrix in a row."""
    array = _shaped(values, (n, n), "mass")
    square = array.reshape(n, n)
    if (square != square.T).any():
        apart = np.abs(square - square.T)
        if apart.max() > SYMMETRIC * np.abs(square).max():
            i, j = (int(k) for k in np.unravel_index(apart.argmax(), apart.shape))
            raise _native.Error(f"mass[{i}, {j}] is {square[i, j]} and mass[{j}, {i}] is {square[j, i]}; it must be symmetric")
    return array


def _directions(values: Any, k: int, n: int) -> Vector:
    """w_N, w_T and the two drives of each contact, one contact after the other."""
    if not isinstance(values, (tuple, list)) or len(values) not in (2, 4):
        raise _native.Error("directions must return the rows w_N and w_T of all contacts, and perhaps both drives")
    normal, tangent = (_shaped(part, (k, n), "directions").reshape(k, n) for part in values[:2])
    drives = [_shaped(part, (k,), "a drive of directions") for part in values[2:]] or [np.zeros(k), np.zeros(k)]
    return np.ascontiguousarray(np.column_stack([normal, tangent, *drives])).reshape(-1)
