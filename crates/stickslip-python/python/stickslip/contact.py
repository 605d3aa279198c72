"""Contact problems: W, b and the laws of the contacts in, impulses and a certificate out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import AnyMatrix, Vector, count, listed, matrix, name, names, optional, real, spread, switch, vector
from ._record import Record, Table

Friction = Union[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Contact:
    """The law of a contact.

    `friction` is "none" (components N), "planar" (N, T), "disc" (N, T, O), or a mapping with one key: "ellipsoid" (semi-axes),
    "polygon" (corners), "polyhedron" (rows a of a.c <= 1), "mixed" (ellipse and spin), "uniform_disc" (radius),
    "bilateral" (components) or "dry" (one of the above; friction of the size `radius`, no normal). By default it is
    "planar" in problems of the plane and "disc" in space. `mu` is a number or a mapping "stribeck" or "table".

    Restitution acts through b: a simulation adds eps_n and eps_t times the velocity of approach to the b of each step. A
    `ContactProblem` of your own is solved with the b that it is given, whatever eps_n and eps_t are.
    """

    mu: Union[float, Mapping[str, Any]] = 0.0
    friction: Optional[Friction] = None
    #: The coefficient of friction where the contact does not slip; by default `mu`.
    mu_static: Optional[float] = None
    #: Friction that does not depend on the normal impulse.
    radius: float = 0.0
    #: Restitution, normal and tangential.
    eps_n: float = 0.0
    eps_t: float = 0.0
    #: On the level of accelerations: the velocity with which it slides.
    sliding: Union[None, float, Sequence[float]] = None
    #: The phantom inertia of the formulation of that name.
    rho: Optional[float] = None

    def to_dict(self) -> Dict[str, Any]:
        """The entry of a problem file."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return {name: value for name, value in given.items() if name == "mu" or value != 0.0}


@dataclass(frozen=True, eq=False, repr=False)
class ContactSolution(Record):
    """Impulses of a contact problem, judged by code that no solver shares."""

    #: "solved", "no_solution" (which is proved) or "failed".
    status: str
    #: The status as a sentence.
    reason: str
    kind: str
    #: The names of the components of each contact: N, T, O, R.
    components: List[List[str]]
    #: What each contact does: "open", "stick", "slip+", "slip-", "slip", "closed" or "fixed".
    modes: List[str]
    #: The impulses, the components of each contact in turn.
    impulse: Vector
    #: The velocities of the contacts, W impulse + b.
    velocity: Vector
    #: The error of the solver: worst, momentum, and each measure with its value and contact.
    certificate: Dict[str, Any]
    #: The error of the model, where the formulation stands for other laws than those of the problem.
    model: Optional[Dict[str, Any]]
    #: The number of contradictions of the proof that there is no solution.
    contradictions: Optional[int]
    #: Why there is no solution, as data that a program can check.
    proof: Optional[Dict[str, Any]]
    #: How far W is from symmetric, relative to its entries; 0 if by no more than rounding.
    asymmetry: float
    #: The method that found the answer.
    solver: str
    formulation: str
    iterations: int
    seconds: float

    @property
    def solved(self) -> bool:
        """Whether the certificate meets the tolerance."""
        return self.status == "solved"

    @cached_property
    def redundancy(self) -> Optional[Dict[str, Any]]:
        """How far the impulses are not unique: rank, rows, dimension, decided. None where the problem is not solved or has more
        than 300 rows. It is worked out when it is first asked for, which takes many times longer than the solve."""
        found: Optional[Dict[str, Any]] = vars(self)["_ask"]() if self.solved else None
        return found

    def to_dict(self) -> Dict[str, Any]:
        """The fields by name, and the redundancy."""
        return {**super().to_dict(), "redundancy": self.redundancy}

    def __getstate__(self) -> Dict[str, Any]:
        # The problem, which is asked for the redundancy, stays where it is.
        known = {**vars(self), "redundancy": self.redundancy}
        known.pop("_ask", None)
        return known


@dataclass(frozen=True, eq=False, repr=False)
class Derivative(Record):
    """The derivative of a solution as the problem changes."""

    impulse: Vector
    velocity: Vector
    #: Whether it holds for the opposite change as well, with the opposite sign; if not, a contact is at a change of mode.
    both_sides: bool
    #: Whether it is the only derivative of the impulses; if not, it is the least of them.
    impulses_unique: bool
    #: The contacts that are at a change of mode.
    at_change: List[int]


@dataclass(frozen=True, eq=False, repr=False)
class Jacobian(Record):
    """All derivatives of a solution: a row for each component, a column for each number that it is differentiated by."""

    impulse_b: Vector
    velocity_b: Vector
    #: By the coefficient of friction of each contact.
    impulse_mu: Vector
    velocity_mu: Vector
    #: By the part of friction of each contact that does not depend on the normal impulse.
    impulse_radius: Vector
    velocity_radius: Vector


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Record):
    """One of all solutions of a contact problem, or one of a continuum of them."""

    modes: List[str]
    #: Impulses or forces, the components of each contact in turn.
    impulse: Vector
    #: Velocities or accelerations of the contacts.
    velocity: Vector
    certificate: float
    #: The dimension of the continuum; 0 for an isolated solution.
    dimension: int
    #: Whether all solutions of the continuum have the same velocity.
    velocity_unique: bool
    #: Whether exact arithmetic confirms it.
    proved: bool
    redundancy: Optional[Dict[str, Any]] = None
    #: Accelerations, or changes of velocities, by the names of the scene.
    motion: Optional[Dict[str, float]] = None
    #: What an impact adds to the kinetic energy.
    energy: Optional[float] = None
    vertices: Optional[List[Vector]] = None
    rays: Optional[List[Vector]] = None
    basis: Optional[List[Vector]] = None


@dataclass(frozen=True, eq=False, repr=False)
class Level(Record):
    """All that is known of one contact problem: a problem by itself, or the forces, the step or the impact of a state.

    It is also the sequence of its solutions; `complete` says whether they are all.
    """

    #: "acceleration", "step", "impact" or "problem".
    level: str
    contacts: List[str]
    components: List[List[str]]
    #: "0", "1", …, "at least 2", "infinite".
    count: str
    complete: bool
    incomplete: Optional[str]
    solutions: List[Solution]
    proof: Optional[Dict[str, Any]]
    contradictions: Optional[int]
    #: The proof as a sentence, where it is one sum of normal rows.
    because: Optional[str]
    rows: int
    rank: Optional[int]
    #: Name, classes and consequences of the matrix of its complementarity problem.
    matrix: Optional[Dict[str, Any]]
    #: Bounds for existence and uniqueness of theorem 1 (Pang and Trinkle).
    theorem: Optional[Dict[str, Any]]
    #: Derivatives that were asked for; one-sided at changes of mode, with the reason where there is none.
    sensitivity: List[Dict[str, Any]]
    left_out: List[str]

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __getitem__(self, index: int) -> Solution:
        """A solution by its number."""
        return self.solutions[index]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Record):
    """Does a solution exist, is it unique, and what are all of them?"""

    kind: str
    scene: str
    #: The whole in a sentence or two.
    verdict: str
    levels: List[Level]
    t: Optional[float] = None
    state: Optional[Dict[str, float]] = None
    touching: Optional[List[Dict[str, Any]]] = None

    @classmethod
    def from_answer(cls, answer: Dict[str, Any]) -> Analysis:
        """With classes in the place of dictionaries."""
        levels = []
        for level in answer["levels"]:
            solutions = [Solution.of(_with_arrays(solution)) for solution in level["solutions"]]
            levels.append(Level.of({**level, "solutions": solutions}))
        return cls.of({**answer, "levels": levels})


def _with_arrays(solution: Dict[str, Any]) -> Dict[str, Any]:
    # A list without entries has no type of its own.
    arrays = {name: np.asarray(solution[name], dtype=np.float64) for name in ("impulse", "velocity")}
    return {**solution, **arrays}


class ContactProblem(Table):
    """The contact problem: velocity = W impulse + b, and for each contact a law between the two.

    W is a symmetric matrix of NumPy or SciPy with one row per component of each contact, b a vector. A contact is a
    `Contact`, a mapping with its fields, or a number: its coefficient of friction. With dimension=2 contacts are planar where
    their `friction` does not say otherwise, with two components, N and T; with dimension=3 they have three, N, T and O.

    >>> problem = ContactProblem([[1.5, 1.0], [1.0, 0.75]], [-0.5, 0.0], [Contact(mu=2.0)])
    >>> problem.solve().impulse
    array([ 3., -4.])
    """

    def __init__(
        self,
        W: AnyMatrix,
        b: npt.ArrayLike,
        contacts: Iterable[Union[Contact, Mapping[str, Any], float]],
        *,
        dimension: int = 2,
    ) -> None:
        laws = laws_text(contacts)
        self._native = _native.NativeContactProblem(matrix(W, "W"), vector(b, "b"), laws, count(dimension, "dimension"))

    @classmethod
    def from_json(cls, text: str) -> ContactProblem:
        """Reads the text of a problem file."""
        problem = cls.__new__(cls)
        problem._native = _native.NativeContactProblem.from_json(text)
        return problem

    def to_json(self) -> str:
        """The text of a problem file, from which the same bits can be read."""
        return self._native.to_json()

    @property
    def contacts(self) -> int:
        """The number of contacts."""
        return self._native.contacts

    @property
    def b(self) -> Vector:
        """The velocities without impulses; a copy."""
        return self._native.b

    @property
    def components(self) -> List[List[str]]:
        """The names of the components of each contact: N, T, O, R."""
        return self._native.components

    def solve(
        self,
        *,
        formulation: Optional[str] = None,
        solver: str = "auto",
        tol: float = 1e-10,
        directions: Optional[int] = None,
        rho: Union[None, float, Sequence[float]] = None,
        relaxation: Optional[float] = None,
        minimum_norm: bool = False,
    ) -> ContactSolution:
        """Solves the problem; the result says how that ended.

        Formulations are "glocker_studer", "stewart_trinkle", "anitescu_potra", "phantom_inertia", "cone" and
        "convexified_cone"; without one the exact laws are solved by whichever gives a certified answer. `directions` are
        the corners of the polygon that stands for a round friction set, `rho` the phantom inertia, `relaxation` a
        compliance as a share of each diagonal entry of W; with `minimum_norm` the least of all impulses is taken that give
        the same velocities.
        """
        choices = (
            optional(count, directions, "directions"),
            listed(rho, "rho"),
            optional(real, relaxation, "relaxation"),
            switch(minimum_norm, "minimum_norm"),
        )
        chosen = name(solver, "solver"), optional(name, formulation, "formulation"), real(tol, "tol")
        answer = self._native.solve_native(*chosen, choices)
        solution = ContactSolution.of({**answer, "components": self.components})
        vars(solution)["_ask"] = lambda: self._native.solved_redundancy_native(*chosen, choices)
        return solution

    def certificate(self, impulse: npt.ArrayLike) -> Dict[str, Any]:
        """How far impulses of your own are from the laws: worst, momentum, and each measure with its contact."""
        return self._native.certificate_native(vector(impulse, "impulse"))

    def derivative(
        self,
        *,
        W: Optional[AnyMatrix] = None,
        b: Optional[npt.ArrayLike] = None,
        mu: Optional[npt.ArrayLike] = None,
        radius: Optional[npt.ArrayLike] = None,
        impulse: Optional[npt.ArrayLike] = None,
    ) -> Derivative:
        """The derivative of the solution as W, b, mu and radius change at these rates; what is left out does not change.

        At a change of mode (a contact about to open, to slip or to stick) it is one-sided: for the change as it is given. Where
        the solution ends or branches there is none, which raises an error that says so. `impulse` is the solution to be
        differentiated, by default that of `solve`.
        """
        n, k = self.b.size, self.contacts
        rates = (
            None if W is None else matrix(W, "W"),
            np.zeros(n) if b is None else vector(b, "b"),
            spread(0.0 if mu is None else mu, "mu", k),
            spread(0.0 if radius is None else radius, "radius", k),
        )
        return Derivative.of(self._native.derivative_native(self._solution(impulse), rates))

    def jacobian(self, impulse: Optional[npt.ArrayLike] = None) -> Jacobian:
        """The derivatives of the solution by every entry of b and by mu and radius of every contact.

        At a change of mode they do not exist, which raises an error that names the contact: ask for `derivative` there.
        """
        return Jacobian.of(self._native.jacobian_native(self._solution(impulse)))

    def _solution(self, impulse: Optional[npt.ArrayLike]) -> Vector:
        if impulse is not None:
            return vector(impulse, "impulse")
        solution = self.solve()
        if not solution.solved:
            raise _native.Error(f"there is no solution to be differentiated: {solution.reason}")
        return solution.impulse

    def redundancy(self) -> Dict[str, Any]:
        """How far the impulses of the solution are not unique: rank, rows, dimension, decided."""
        return self._native.redundancy_native()

    def analyze(
        self,
        *,
        sensitivity: Union[str, Iterable[str]] = (),
        max_contacts: Optional[int] = None,
        max_nodes: Optional[int] = None,
        tol: Optional[float] = None,
    ) -> Analysis:
        """All solutions or a proof that there is none, matrix classes, bounds of theorem 1.

        `sensitivity` names entries to differentiate by: "mu[0]", "bias[3]".
        """
        limits = optional(count, max_contacts, "max_contacts"), optional(count, max_nodes, "max_nodes")
        answer = self._native.analyze_native(names(sensitivity, "sensitivity"), *limits, optional(real, tol, "tol"))
        return Analysis.from_answer(answer)

    def _rows(self) -> List[Tuple[str, str]]:
        components = [f"{i}: {', '.join(own)}" for i, own in enumerate(self.components)]
        return [("contacts", str(self.contacts)), ("components", "; ".join(components[:6] + ["…"] * (len(components) > 6)))]

    def __repr__(self) -> str:
        return f"ContactProblem({self.contacts} contacts, {len(self.b)} components)"


def laws_text(contacts: Iterable[Union[Contact, Mapping[str, Any], float]]) -> str:
    """Laws as the list of a problem file. Many contacts often have one law, which is written down once."""
    given, known = list(contacts), {}
    try:
        for i, contact in enumerate(given):
            if id(contact) not in known:
                known[id(contact)] = json.dumps(_law(i, contact), allow_nan=False, default=_plain)
    except _native.Error:
        raise
    except ValueError:
        raise _native.Error("a number of the contacts is not finite") from None
    return "[" + ",".join(known[id(contact)] for contact in given) + "]"


def _plain(value: Any) -> Any:
    """Arrays and numbers of NumPy as lists and numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise _native.Error(f"a contact has an entry of type {type(value).__name__}; it must be numbers, lists or text")


def _law(i: int, contact: Union[Contact, Mapping[str, Any], float]) -> Dict[str, Any]:
    if isinstance(contact, Contact):
        return contact.to_dict()
    if isinstance(contact, Mapping):
        return dict(contact)
    try:
        return {"mu": float(contact)}
    except (TypeError, ValueError, OverflowError):
        kind = type(contact).__name__
        raise _native.Error(
            f"contacts[{i}] is a {kind}; it must be a Contact, a mapping with its fields, or a coefficient of friction"
        ) from None
