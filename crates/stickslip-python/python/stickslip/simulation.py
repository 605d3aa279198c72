"""Scenes that move: step by step, as runs, and as limit cycles."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import Vector, count, fixed, listed, matrix, name, names, optional, real, switch, vector
from ._record import Record, Table, number
from .contact import Analysis
from .jacobian import MotionJacobian
from .run import Run
from .system import System
from .world import World

#: Keywords that are settings, and how each is read; all others are parameters of the scene.
SETTINGS: Dict[str, Callable[[Any, str], Any]] = {
    "dt": real,
    "integrator": name,
    "formulation": name,
    "solver": name,
    "impact": name,
    "tol": real,
    "accept": real,
    "theta": real,
    "correction": switch,
    "sleep": switch,
    "directions": count,
    "rho": listed,
    "relaxation": real,
    "minimum_norm": switch,
    "threads": count,
}

#: Those that are not None where they are not given.
UNSET: Dict[str, Any] = {"correction": False, "sleep": False, "rho": [], "minimum_norm": False}

#: What a simulation can be of.
Scene = Union[str, "os.PathLike[str]", System, World]

Callback = Callable[[float, Vector, Vector], Any]


@dataclass(frozen=True, eq=False, repr=False)
class ContactState(Record):
    """A contact at the state of a simulation, and what it did in the last step.

    After a run, and with integrator="event_driven", "the last step" is the time since the last sample before the end. Before
    the first step, and after the state was set or restored, there is no last step: mode, impulse and force are None.
    """

    name: str
    #: The gap at the state; None for joints.
    gap: Optional[float]
    #: What it did in the last step.
    mode: Optional[str]
    #: Its impulse over the last step: N, T, O, R, as far as it has them.
    impulse: Optional[Vector]
    #: The mean force over the last step; not a number where an impact acted in no time.
    force: Optional[Vector]
    #: The bodies that touch, if the model knows them.
    bodies: Optional[Sequence[Optional[str]]]
    #: Where they touch, and the normal there, from the second body to the first.
    position: Optional[Vector]
    normal: Optional[Vector]


@dataclass(frozen=True, eq=False, repr=False)
class Cycle(Record):
    """A limit cycle, and what happens in it."""

    #: The name of the scene or system, and the values of its parameters.
    scene: str
    parameters: Dict[str, float]
    period: float
    stable: bool
    #: Complex numbers: by what deviations grow in one period.
    multipliers: Any
    #: By how much coordinates change in one period that need not come back.
    drop: Dict[str, float]
    #: Where its energy goes: change, friction, impacts, drive, forces, rest, relative.
    energy: Dict[str, Any]
    #: What the contacts do, phase by phase: t, and the mode of each contact.
    modes: List[Dict[str, Any]]
    #: What happens at the contacts: t, contact, event, impulse_n, impulse_t, energy.
    events: List[Dict[str, Any]]
    #: How far the state is from where it comes back, relative to its size.
    residual: float
    #: Returns that were waited for.
    settling: int
    #: On the section: t, coordinates, velocities.
    state: Dict[str, Any]
    #: Returns to the section in one period.
    returns: int
    section: str
    seconds: float


class Simulation(_native.NativeSimulation, Table):
    """A scene and where its motion is.

    `scene` is a name of the gallery, the path of a scene file (or of a robot, `.urdf` or `.xml`), the text of a scene, a `World` of
    bodies, or a `System` of Python functions.
    Keywords are parameters of the scene, and settings: dt, integrator ("moreau_midpoint", "moreau_jean", "gap_level",
    "paoli_schatzman", "event_driven"), formulation, solver, impact ("newton", "poisson"), tol, accept, theta, correction,
    sleep, directions, rho, relaxation, minimum_norm, threads. A parameter that is named like a setting is given in `parameters`.

    >>> sim = Simulation("woodpecker", mu=0.31)
    >>> run = sim.run(0.5)
    >>> run["phi_S"].shape == run.t.shape
    True
    """

    def __new__(
        cls,
        scene: Scene,
        *,
        parameters: Optional[Mapping[str, float]] = None,
        **keywords: Any,
    ) -> Simulation:
        system, text = (scene, scene.name) if isinstance(scene, System) else (None, scene_text(scene))
        is_text = "\n" in text
        chosen = {key: optional(read, keywords.pop(key, None), key) for key, read in SETTINGS.items()}
        chosen.update({key: unset for key, unset in UNSET.items() if chosen[key] is None})
        values = {**keywords, **(parameters or {})}
        pairs = [(key, real(value, key)) for key, value in values.items()]
        if system is not None and pairs:
            raise _native.Error(f"`{pairs[0][0]}` is not a setting; a System has no parameters")
        description = None if system is None else system._description()
        made = super().__new__(cls, "scene" if is_text else text, text if is_text else None, pairs, chosen, description)
        assert isinstance(made, cls)
        return made

    # Type checkers know the attributes, and would take this for a sign that there are others.
    if not TYPE_CHECKING:

        def __setattr__(self, key: str, value: Any) -> None:
            own = hasattr(type(self), key)
            if not own and key in self.parameters:
                cure = f"parameters are given when it is made: Simulation(scene, {key}={value!r})"
                raise AttributeError(f"`{key}` of a Simulation cannot be set; {cure}")
            if not own and type(self) is Simulation:
                cure = "settings and parameters are given when it is made, and coordinates are set by sim[name] = value"
                raise AttributeError(f"a Simulation has no attribute `{key}`; {cure}")
            super().__setattr__(key, value)

    @property
    def q(self) -> Vector:
        """Coordinates of the model, a copy that cannot be changed; assign an array to change them."""
        return fixed(super().q)

    @q.setter
    def q(self, values: npt.ArrayLike) -> None:
        self.set_q_native(vector(values, "q"))

    @property
    def u(self) -> Vector:
        """Velocities of the model, a copy that cannot be changed; assign an array to change them."""
        return fixed(super().u)

    @u.setter
    def u(self, values: npt.ArrayLike) -> None:
        self.set_u_native(vector(values, "u"))

    @property
    def force(self) -> Vector:
        """A force for every velocity that acts beside those of the scene until it is changed, a copy that cannot be changed;
        assign an array to change it. Of rigid bodies, a force and a torque about the centre of mass, in world axes; of joints,
        their forces and torques. Bodies of point masses have none."""
        return fixed(super().force)

    @force.setter
    def force(self, values: npt.ArrayLike) -> None:
        self.set_force_native(vector(values, "force"))

    @property
    def contacts(self) -> List[ContactState]:
        """The contacts: gaps at the state, forces and modes of the last step."""
        return [ContactState.of(one) for one in self.contacts_native()]

    def steps(self, t_end: Optional[float] = None) -> Iterator[Simulation]:
        """Steps until a time is reached, the last one whole; for ever without one. After each step the simulation itself is
        given, to be looked at or changed:

        >>> sim = Simulation("bouncing_ball", integrator="moreau_midpoint", dt=1e-3)
        >>> max(sim.energy()[0] for sim in sim.steps(0.1)) > 0.0
        True
        """
        end = np.inf if t_end is None else real(t_end, "t_end")
        if np.isnan(end):
            raise _native.Error("t_end is nan; it must be a number")
        return self._steps(end)

    def _steps(self, end: float) -> Iterator[Simulation]:
        # A share of 1e-9 of a step is rounding.
        while self.t < end - 1e-9 * self.dt:
            self.step()
            yield self

    def __iter__(self) -> Iterator[Simulation]:
        return self.steps()

    def run(
        self,
        t_end: Optional[float] = None,
        dt: Optional[float] = None,
        *,
        sample_dt: Optional[float] = None,
        control: Optional[Callback] = None,
        callback: Optional[Callback] = None,
    ) -> Run:
        """Runs from the state to an end time, that of the scene by default, and leaves the simulation at the end of the run.

        Samples are taken `sample_dt` apart (0 for every step), at most 10,000,000, and before and after impacts.
        `control(t, q, u)` is called at the start and after every step, or part of a step where one is made in parts, and returns
        the forces of the coordinates that are held until it is called again. `callback(t, q, u)` is called there too, and ends
        the run where it returns False; None and all other values let it go on. The simulation itself can be neither asked nor
        changed from either while it runs. Ctrl-C ends the run with KeyboardInterrupt, and a function that raises ends it with
        its exception; the simulation is then where the run was. A run that ends early for another reason says so in
        `run.summary["end"]`; it raises nothing, since what came before its end is good.
        """
        if dt is not None:
            self.dt = dt
        times = optional(real, t_end, "t_end"), optional(real, sample_dt, "sample_dt")
        return Run.from_answer(self.run_native(*times, control, callback))

    def step_jacobian(self, parameters: Union[str, Iterable[str]] = (), *, side: str = "both") -> MotionJacobian:
        """Derivatives of the state after the next step, with respect to the state, to these parameters and, but for point
        masses, to `force`. The simulation stays where it is.

        Where a contact is at a change of mode (about to slip, to stick, to open) and derivatives differ to either side, they are
        refused unless a side is asked for: "up" for numbers that grow, "down" for those that fall. Where the step jumps, as
        restitution does between a hit and a miss, there are none on that side. The error names the contact.
        """
        wanted = names(parameters, "parameters")
        force = self.force.reshape(1, -1) if self.controllable else None
        answer = self.jacobian_native(None, (wanted, True), force, name(side, "side"))
        found = MotionJacobian.from_answer(answer, self.point_names_native, wanted, None if force is None else 1)
        if found.controls is None:
            return found
        return MotionJacobian.of({**found.to_dict(), "controls": found.controls[:, 0, :]})

    def run_jacobian(
        self,
        t_end: float,
        parameters: Union[str, Iterable[str]] = (),
        *,
        controls: Any = None,
        state: bool = True,
        side: str = "both",
    ) -> MotionJacobian:
        """Derivatives of the state that a run from here to `t_end` ends in, with respect to the state here, to parameters, and to
        `controls`: an array whose rows are forces of all velocities, held over parts of the run of equal length, one after the
        other. The simulation stays where it is, and a condition that ends runs of the scene is not looked at. With state=False it
        is not differentiated by the state here, which a contact may forbid that just touches.

        With time stepping they are those of the numbers that the steps compute, the product of the derivatives of all steps: an
        impact stays in its step, and does not come earlier or later. As the step gets smaller they do not become those of the
        motion itself where the time of an impact matters. Those of integrator="event_driven" do: they contain the motion of
        impacts in time. `side` is that of `step_jacobian`.

        >>> ball = Simulation("bouncing_ball")
        >>> found = ball.run_jacobian(0.6, ["e"])
        >>> bool(abs(found.parameters["e"][1] - (2 * 9.81) ** 0.5) < 1e-8)  # v+ = e sqrt(2 g h)
        True
        """
        wanted = names(parameters, "parameters")
        forces = None if controls is None else matrix(controls, "controls")
        if isinstance(forces, tuple):
            raise _native.Error("controls is a sparse matrix; it must be an array")
        by = wanted, switch(state, "state")
        answer = self.jacobian_native(real(t_end, "t_end"), by, forces, name(side, "side"))
        return MotionJacobian.from_answer(answer, self.point_names_native, wanted, None if forces is None else len(forces))

    def cycle(
        self,
        section: Union[None, str, Callable[[Vector, Vector, float], float]] = None,
        *,
        period: Union[None, float, str] = None,
        longest: Optional[float] = None,
        cyclic: Union[None, str, Iterable[str]] = None,
        tol: float = 1e-11,
        motion_tol: float = 1e-12,
        settle: int = 400,
    ) -> Cycle:
        """Looks for a limit cycle from the state, event by event; the simulation stays where it is.

        `section` is an expression of the state, or a function of q, u and t, that is zero on the section and rises there, by
        default the scene's; with `period`, a number or an expression in parameters, states are compared after every such time
        instead. `cyclic` names the coordinates that need not come back; for scenes they are found out.
        """
        start = time.perf_counter()
        every = None if period is None else str(period)
        question = {"section": section, "period": every, "longest": optional(real, longest, "longest")}
        limits = {"tol": real(tol, "tol"), "motion_tol": real(motion_tol, "motion_tol"), "settle": count(settle, "settle")}
        answer = self.cycle_native({**question, **limits, "cyclic": optional(names, cyclic, "cyclic")})
        if answer["status"] != "found":
            raise _native.Error(f"no cycle: {answer['reason']}")
        multipliers = np.array([complex(m["re"], m["im"]) for m in answer["multipliers"]])
        own = {"scene": self.name, "parameters": self.parameters, "multipliers": multipliers}
        return Cycle.of({**answer, **own, "seconds": time.perf_counter() - start})

    def analyze(
        self,
        *,
        sensitivity: Union[str, Iterable[str]] = (),
        gap: Optional[float] = None,
        speed: Optional[float] = None,
        max_contacts: Optional[int] = None,
        max_nodes: Optional[int] = None,
        tol: Optional[float] = None,
    ) -> Analysis:
        """All solutions of the state: of forces and accelerations, of a step, and of the impact if a contact approaches.

        `sensitivity` names parameters, coordinates and velocities to differentiate by. A contact touches if its gap is at
        most `gap`, and rests if that changes no faster than `speed`.
        """
        sizes = {"gap": gap, "speed": speed, "tol": tol}
        counts = {"max_contacts": max_contacts, "max_nodes": max_nodes}
        limits = {
            **{key: optional(real, value, key) for key, value in sizes.items()},
            **{key: optional(count, value, key) for key, value in counts.items()},
        }
        return Analysis.from_answer(self.analyze_native(names(sensitivity, "sensitivity"), limits))

    def _rows(self) -> List[Tuple[str, str]]:
        settings = self.settings
        state = [*zip(self.coordinates, self.q), *zip(self.velocities, self.u)]
        shown = [f"{entry} = {number(value)}" for entry, value in state[:12]] + ["…"] * (len(state) > 12)
        return [
            ("scene", self.title),
            ("t", number(self.t)),
            ("state", ", ".join(shown)),
            ("parameters", ", ".join(f"{key} = {number(value)}" for key, value in self.parameters.items())),
            ("integrator", f"{settings['integrator']}, dt = {number(self.dt)}"),
        ]

    def __repr__(self) -> str:
        return f"Simulation({self.name!r}, t={self.t:.6g}, {len(self.coordinates)} coordinates)"


def scene_text(scene: Any) -> str:
    """The name, path or text of a scene; only a text has more than one line."""
    if isinstance(scene, World):
        return scene.text
    try:
        return str(os.fspath(scene))
    except TypeError:
        kind = type(scene).__name__
        wanted = "a name of the gallery, a path, a text, a World or a System"
        raise _native.Error(f"the scene is a value of type {kind}; it must be {wanted}") from None


def gallery() -> Dict[str, str]:
    """The scenes that come with the library: titles by name."""
    return dict(_native.gallery())


def analyze(problem: Any, **options: Any) -> Analysis:
    """All solutions of a contact problem, or of the state of a simulation: the same as its method `analyze`."""
    if not hasattr(problem, "analyze"):
        kind = type(problem).__name__
        raise _native.Error(f"analyze takes a ContactProblem or a Simulation, not a {kind}")
    analysis = problem.analyze(**options)
    assert isinstance(analysis, Analysis)
    return analysis
