"""Linear complementarity problems: one solution, all of them, and the classes of their matrices.

A plain problem asks for z >= 0 with w = M z + q >= 0, and one of z_i, w_i zero for each i. A mixed problem has bounds
lower <= z <= upper instead: w_i >= 0 where z_i is at its lower bound, w_i <= 0 at its upper one, w_i = 0 between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import AnyMatrix, Vector, bounds, count, matrix, name, real, vector
from ._record import Record
from .contact import ContactProblem, Level


@dataclass(frozen=True, eq=False, repr=False)
class LcpSolution(Record):
    """A solution of a linear complementarity problem, judged by code that no solver shares."""

    #: "solved", "no_solution" (which is proved) or "failed".
    status: str
    #: The status as a sentence.
    reason: str
    #: "lcp" or "mlcp".
    kind: str
    z: Vector
    #: w = M z + q.
    w: Vector
    #: The residual without units: worst, index (where it is worst), feasibility, complementarity, natural.
    certificate: Dict[str, float]
    #: Why there is no solution, as data that a program can check; None where that is not proved.
    proof: Optional[Dict[str, Any]]
    #: The method that found the answer.
    solver: str
    iterations: int
    seconds: float

    @property
    def solved(self) -> bool:
        """Whether the certificate meets the tolerance."""
        return self.status == "solved"


@dataclass(frozen=True, eq=False, repr=False)
class Face(Record):
    """A solution, or a polyhedron of solutions: all sums of a mean of the vertices and non-negative multiples of the rays."""

    #: A point of it: the solution itself if it is isolated.
    z: Vector
    vertices: Vector
    rays: Vector
    #: Whether it is a single point.
    isolated: bool


@dataclass(frozen=True, eq=False, repr=False)
class Enumeration(Record):
    """All solutions of a linear complementarity problem, as a sequence; `complete` says whether they are all."""

    #: "0", "1", …, "at least 2", "infinite".
    count: str
    #: Whether the list has all of them.
    complete: bool
    #: Which limit ended the search, if one did.
    incomplete: Optional[str]
    solutions: List[Face]
    #: Why there is none, if that is so.
    proof: Optional[Dict[str, Any]]

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Face]:
        return iter(self.solutions)

    def __getitem__(self, index: int) -> Face:
        """A solution by its number."""
        return self.solutions[index]


@dataclass(frozen=True, eq=False, repr=False)
class Classes(Record):
    """The classes of a matrix, and what follows from them for every q."""

    #: By the name of the class: verdict ("yes", "no" or "undecided"), text, and by (what a yes rests on).
    classes: Dict[str, Dict[str, Optional[str]]]
    #: Statements with their sources.
    consequences: List[str]

    def __getitem__(self, name: str) -> bool:
        """Whether the matrix is in a class, such as "P" or "copositive"; an undecided class is refused."""
        if name not in self.classes:
            raise _native.Error(f"`{name}` is not a class; there are {', '.join(self.classes)}")
        verdict = self.classes[name]["verdict"]
        if verdict == "undecided":
            raise _native.Error(f"{name}: {self.classes[name]['text']}")
        return verdict == "yes"

    def _rows(self) -> List[Tuple[str, str]]:
        verdicts = [(name, str(verdict["text"])) for name, verdict in self.classes.items()]
        return verdicts + [("for every q", line) for line in self.consequences]


def solve_lcp(M: AnyMatrix, q: npt.ArrayLike, *, solver: str = "auto", tol: float = 1e-10) -> LcpSolution:
    """Solves a linear complementarity problem.

    M is a matrix of NumPy or SciPy (sparse ones stay sparse for the solver "pgs"), q a vector. The solver is "auto", which
    tries one method after the other until an answer is certified, or one of "lemke", "principal_pivoting", "pgs",
    "newton", "interior_point". The result says how the solve ended: look at `status` or `solved`.

    >>> solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]).z
    array([1.33333333, 2.33333333])
    """
    return LcpSolution.of(_native.solve_lcp(matrix(M, "M"), vector(q, "q"), name(solver, "solver"), real(tol, "tol")))


def solve_mlcp(
    M: AnyMatrix,
    q: npt.ArrayLike,
    lower: Optional[npt.ArrayLike] = 0.0,
    upper: Optional[npt.ArrayLike] = None,
    *,
    solver: str = "auto",
    tol: float = 1e-10,
) -> LcpSolution:
    """Solves a mixed linear complementarity problem with bounds lower <= z <= upper.

    Bounds are vectors or single numbers, and may be infinite: a free unknown has both infinite. By default they are 0
    and infinite, as in a plain problem.
    """
    given = vector(q, "q")
    limits = (bounds(lower, "lower", given.size, -np.inf), bounds(upper, "upper", given.size, np.inf))
    return LcpSolution.of(_native.solve_mlcp(matrix(M, "M"), given, limits, name(solver, "solver"), real(tol, "tol")))


@overload
def enumerate_solutions(
    M: ContactProblem, *, max_contacts: Optional[int] = ..., max_nodes: Optional[int] = ..., tol: Optional[float] = ...
) -> Level: ...
@overload
def enumerate_solutions(
    M: AnyMatrix, q: npt.ArrayLike, *, max_unknowns: Optional[int] = ..., max_nodes: Optional[int] = ..., tol: Optional[float] = ...
) -> Enumeration: ...
def enumerate_solutions(
    M: Any,
    q: Any = None,
    *,
    max_unknowns: Optional[int] = None,
    max_contacts: Optional[int] = None,
    max_nodes: Optional[int] = None,
    tol: Optional[float] = None,
) -> Union[Enumeration, Level]:
    """All solutions of a linear complementarity problem (M, q), or of a contact problem.

    The work can double with each unknown; problems with more than `max_unknowns` (20 if it is not given, at most 30) are
    refused. The result is a sequence of solutions whose `complete` says whether they are all, and `incomplete` which limit ended
    the search. Of a contact problem, whose search is limited by `max_contacts`, it is the `Level` of `problem.analyze()`.

    >>> found = enumerate_solutions(ContactProblem([[-1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], [0.1]))
    >>> len(found), found.complete
    (2, True)
    """
    if isinstance(M, ContactProblem):
        if q is not None:
            raise _native.Error("q is for linear complementarity problems; a contact problem has its b")
        if max_unknowns is not None:
            raise _native.Error("max_unknowns is for linear complementarity problems; a contact problem has max_contacts")
        return M.analyze(max_contacts=max_contacts, max_nodes=max_nodes, tol=tol).levels[0]
    if max_contacts is not None:
        raise _native.Error("max_contacts is for contact problems; a linear complementarity problem has max_unknowns")
    if q is None:
        raise _native.Error("q is missing: a linear complementarity problem has a matrix and a vector")
    unknowns, nodes = 20 if max_unknowns is None else max_unknowns, 2_000_000 if max_nodes is None else max_nodes
    limits = count(unknowns, "max_unknowns"), count(nodes, "max_nodes")
    answer = _native.enumerate_lcp(matrix(M, "M"), vector(q, "q"), *limits, real(1e-10 if tol is None else tol, "tol"))
    answer["solutions"] = [Face.of(face) for face in answer["solutions"]]
    return Enumeration.of(answer)


def classify(
    M: AnyMatrix, *, max_unknowns: int = 20, max_work: int = 10_000_000, rounding: float = 1e-12
) -> Classes:
    """Finds the classes of a square matrix: symmetric, P, copositive, R0, sufficient and others.

    A "no" is proved by a witness, a "yes" says what it rests on. Searches of exponential cost are tried up to
    `max_unknowns` and `max_work` scalar operations each.
    """
    limits = count(max_unknowns, "max_unknowns"), count(max_work, "max_work")
    return Classes.of(_native.classify(matrix(M, "M"), *limits, real(rounding, "rounding")))
