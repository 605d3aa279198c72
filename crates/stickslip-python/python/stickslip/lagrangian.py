"""Systems from a Lagrangian: M, h and the directions of contacts are its derivatives, taken by SymPy or by JAX."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._arrays import Vector, names, vector
from ._native import Error
from .contact import Contact
from .system import Law, System

#: Derivatives that must not depend on u may differ by this share of their size, which is rounding.
SAME = 1e-9

#: Derivatives that are smaller are compared with this size, so that rounding about zero is not taken for more.
SMALL = 1e-6

#: Where programs are tried that cannot be looked into: so far from the start, and so fast.
TRIALS = (0.0, 0.37, -1.21)

NOT_QUADRATIC = "L is not quadratic in u: its mass matrix depends on u"
NOT_LINEAR = "slips are not linear in u"

OfPlace = Callable[[Any, Any], Any]
OfMotion = Callable[[Any, Any, Any], Any]


def lagrangian(
    coordinates: Sequence[str],
    L: OfMotion,
    *,
    forces: Optional[OfMotion] = None,
    contacts: Optional[Mapping[str, Law]] = None,
    gaps: Optional[OfPlace] = None,
    slips: Optional[OfMotion] = None,
    engine: Optional[str] = None,
    **keywords: Any,
) -> System:
    """The system with the Lagrangian L(q, u, t) = T - V.

    All functions are written once, with the mathematics of the engine: `sympy.cos` for `engine="sympy"`, which works out formulas
    and compiles them to NumPy, `jax.numpy.cos` for `engine="jax"`, which differentiates programs. Without an engine it is SymPy if
    that is installed, else JAX.

    `forces(q, u, t)` are generalised forces that L does not have, such as friction in bearings. `gaps(q, t)` are the gaps of the
    contacts, in their order, and `slips(q, u, t)` the velocities of sliding, which must be linear in u; without them the contacts
    must be without friction. JAX finds out whether they are linear, and L quadratic in u, at a few states near the start. The
    energy shown is that of V(q, t) = -L(q, 0, t). Other arguments are those of `System`.

    >>> import sympy
    >>> pendulum = lagrangian(["phi"], lambda q, u, t: u[0]**2 / 2 + 9.81 * sympy.cos(q[0]), q=[1.0], engine="sympy")
    >>> from stickslip import Simulation
    >>> energy = Simulation(pendulum, dt=1e-4).run(0.1).energy
    >>> bool(abs(energy[-1] - energy[0]) < 1e-7)
    True
    """
    known, laws = names(coordinates, "coordinates"), dict(contacts or {})
    n = len(known)
    if laws and gaps is None:
        raise Error("a system with contacts needs the function gaps")
    rough = [contact for contact, law in laws.items() if _has_friction(law)]
    if rough and slips is None:
        raise Error(f"contact `{rough[0]}` has friction, and there are no slips; give the function slips(q, u, t), or mu = 0")
    maker = _engine(engine)
    start = np.zeros(n) if keywords.get("q") is None else vector(keywords["q"], "q")
    functions = maker(start, L, forces, gaps if laws else None, slips if laws else None)
    return System(known, contacts=laws, **functions, **keywords)


def _has_friction(law: Law) -> bool:
    """Whether a law has a coefficient of friction or a radius that is not zero."""
    entries = law.to_dict() if isinstance(law, Contact) else law if isinstance(law, Mapping) else {"mu": law}
    return any(np.any(np.asarray(entries.get(key, 0.0)) != 0.0) for key in ("mu", "mu_static", "radius"))


def _engine(name: Optional[str]) -> Callable[..., Mapping[str, Any]]:
    """What takes the derivatives."""
    known = {"sympy": _by_sympy, "jax": _by_jax}
    if name is not None and name not in known:
        raise Error(f"engine is {name!r}; it must be 'sympy' or 'jax'")
    for candidate in [name] if name is not None else list(known):
        try:
            import_module(candidate)
        except ImportError:
            continue
        return known[candidate]
    wanted = name or "sympy"
    raise ImportError(f"a Lagrangian needs {name or 'sympy or jax'}; `pip install {wanted}` installs it")


def _by_sympy(
    start: Vector, L: OfMotion, forces: Optional[OfMotion], gaps: Optional[OfPlace], slips: Optional[OfMotion]
) -> Mapping[str, Any]:
    sympy: Any = import_module("sympy")
    n = len(start)
    q, u = (list(sympy.symbols(f"{letter}:{n}", real=True)) for letter in "qu")
    t = sympy.Symbol("t", real=True)
    rest = dict.fromkeys(u, 0)

    def compiled(what: str, expressions: Any, with_u: bool) -> Callable[..., Any]:
        stray = expressions.free_symbols - {*q, *u, t}
        if stray:
            raise Error(f"{what} has the symbol {sorted(map(str, stray))[0]}; give it a number")
        made: Callable[..., Any] = sympy.lambdify((q, u, t) if with_u else (q, t), expressions, modules="numpy", cse=True)
        return made

    energy = sympy.sympify(L(q, u, t))
    momenta = sympy.Matrix([energy.diff(rate) for rate in u])
    mass = momenta.jacobian(u)
    if mass.has(*u):
        raise Error(NOT_QUADRATIC)
    # d/dt (∂L/∂u) = ∂L/∂q + forces, with the terms of u' taken to the left.
    side = sympy.Matrix([energy.diff(place) for place in q]) - momenta.jacobian(q) * sympy.Matrix(u) - momenta.diff(t)
    if forces is not None:
        side += sympy.Matrix([sympy.sympify(f) for f in _listed(forces(q, u, t), n, "forces")])
    matrix = compiled("L", mass, False)
    load = compiled("L or forces", side, True)
    level = compiled("L", -energy.subs(rest), False)
    made: dict[str, Any] = {
        "mass": lambda q, t: matrix(q, t),
        "forces": lambda q, u, t: load(q, u, t).reshape(n),
        "potential": lambda q, t: float(level(q, t)),
    }
    if not mass.has(*q, t):
        made["mass"] = np.array(mass.tolist(), dtype=float)
    if gaps is None:
        return made
    distances = sympy.Matrix([sympy.sympify(gap) for gap in _listed(gaps(q, t), None, "gaps")])
    k = len(distances)
    sliding = sympy.zeros(k, 1)
    if slips is not None:
        sliding = sympy.Matrix([sympy.sympify(slip) for slip in _listed(slips(q, u, t), k, "slips")])
    across = sliding.jacobian(u)
    if across.has(*u):
        raise Error(NOT_LINEAR)
    parts = (distances.jacobian(q), across, distances.diff(t), sliding.subs(rest))
    gap, rows = compiled("gaps", distances, False), [compiled("gaps or slips", part, False) for part in parts]

    def directions(q: Vector, t: float) -> Tuple[Any, ...]:
        normal, tangent, opening, driven = (row(q, t) for row in rows)
        return normal, tangent, opening.reshape(k), driven.reshape(k)

    return {**made, "gaps": lambda q, t: gap(q, t).reshape(k), "directions": directions}


def _by_jax(
    start: Vector, L: OfMotion, forces: Optional[OfMotion], gaps: Optional[OfPlace], slips: Optional[OfMotion]
) -> Mapping[str, Any]:
    jax: Any = import_module("jax")
    n = len(start)
    # Its name from version 0.8 on, and before.
    doubles: Any = (jax if hasattr(jax, "enable_x64") else import_module("jax.experimental")).enable_x64
    array = jax.numpy.stack

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        fast = jax.jit(function)

        def call(*arguments: Any) -> Any:
            # Singles would leave 1e-7 in every force, whatever the program around this one has set.
            with doubles(True):
                found = fast(*arguments)
                return tuple(np.asarray(part) for part in found) if isinstance(found, tuple) else np.asarray(found)

        return call

    def load(q: Any, u: Any, t: Any) -> Any:
        momenta = jax.grad(L, 1)
        turning = jax.jvp(lambda place, time: momenta(place, u, time), (q, t), (u, jax.numpy.ones_like(t)))[1]
        side = jax.grad(L, 0)(q, u, t) - turning
        return side if forces is None else side + array(_listed(forces(q, u, t), n, "forces"))

    def still(q: Any) -> Any:
        return jax.numpy.zeros_like(q)

    made: dict[str, Any] = {
        "mass": compiled(lambda q, t: jax.hessian(L, 1)(q, still(q), t)),
        "forces": compiled(load),
        "potential": compiled(lambda q, t: -L(q, still(q), t)),
    }
    _try_at_rest_and_moving(compiled(lambda q, u, t: jax.hessian(L, 1)(q, u, t)), start, NOT_QUADRATIC)
    # Forces of another number than that of the coordinates are refused here.
    made["forces"](start, np.zeros(n), 0.0)
    if gaps is None:
        return made

    def distances(q: Any, t: Any) -> Any:
        return array(_listed(gaps(q, t), None, "gaps"))

    def sliding(q: Any, u: Any, t: Any) -> Any:
        away = distances(q, t)
        return jax.numpy.zeros_like(away) if slips is None else array(_listed(slips(q, u, t), len(away), "slips"))

    def directions(q: Any, t: Any) -> Tuple[Any, ...]:
        normal, opening = jax.jacobian(distances, (0, 1))(q, t)
        tangent = jax.jacobian(sliding, 1)(q, still(q), t)
        return normal, tangent, opening, sliding(q, still(q), t)

    _try_at_rest_and_moving(compiled(lambda q, u, t: jax.jacobian(sliding, 1)(q, u, t)), start, NOT_LINEAR)
    return {**made, "gaps": compiled(distances), "directions": compiled(directions)}


def _try_at_rest_and_moving(derivative: OfMotion, start: Vector, refusal: str) -> None:
    """Refuses a derivative that depends on u at a state near the start. States at which it is not finite say nothing."""
    rates = np.cos(1.0 + np.arange(len(start)))
    for far in TRIALS:
        q = start + far * np.sin(1.0 + np.arange(len(start)))
        still = derivative(q, np.zeros_like(q), 0.0)
        for speed in TRIALS[1:]:
            moving = derivative(q, speed * rates, 0.0)
            if not (np.isfinite(still).all() and np.isfinite(moving).all()):
                continue
            if np.abs(moving - still).max(initial=0.0) > SAME * np.abs(still).max(initial=SMALL):
                raise Error(refusal)


def _listed(values: Any, expected: Optional[int], what: str) -> Sequence[Any]:
    """Components one by one, as many as they must be."""
    parts = list(values) if hasattr(values, "__iter__") or hasattr(values, "__len__") else [values]
    if expected is not None and len(parts) != expected:
        raise Error(f"{what} returns {len(parts)} numbers; it must be {expected}")
    return parts
