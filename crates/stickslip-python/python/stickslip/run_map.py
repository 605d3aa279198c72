"""A run as a function with derivatives: from the state at its start, parameters and forces to the state at its end."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _native
from ._arrays import Vector, names, numbers, real, vector
from .simulation import Scene, Simulation


#: This share of a step is rounding.
ROUNDING = 1e-9


class Linearised(NamedTuple):
    """The end of a run, and its derivatives with respect to state, parameters and forces, one column each."""

    end: Vector
    state: Vector
    parameters: Vector
    controls: Optional[Vector]


class RunMap:
    """The function end = f(state, parameters, controls) of runs of a scene to a time.

    States are coordinates, then velocities; `parameters` names those that are arguments, and `controls` has a row of forces for
    each of the parts of equal length that a run is divided in. Other keywords are those of `Simulation`. For models with as many coordinates
    as velocities. `stickslip.jax` and `stickslip.torch` make functions of these libraries from it.

    >>> drop = RunMap("bouncing_ball", 0.6, ["e"])
    >>> drop([1.0, 0.0], [0.5]).round(6).tolist()
    [0.220702, 0.75817]
    >>> drop.linearise([1.0, 0.0], [0.5]).parameters.shape
    (2, 1)
    """

    def __init__(
        self,
        scene: Scene,
        t_end: float,
        parameters: Union[str, Sequence[str]] = (),
        **keywords: Any,
    ) -> None:
        self.scene, self.t_end, self.keywords = scene, real(t_end, "t_end"), keywords
        self.names = names(parameters, "parameters")
        self.start = Simulation(scene, **keywords)
        self.size = len(self.start.coordinates) + len(self.start.velocities)
        if len(self.start.coordinates) != len(self.start.velocities):
            raise _native.Error("a run map is for models with as many coordinates as velocities; bodies in space have more")

    def __call__(self, state: Any, parameters: Any = (), controls: Any = None) -> Vector:
        """The state at the end."""
        sim, forces = self._at(state, parameters), self._forces(controls)
        if forces is None:
            sim.run(self.t_end, sample_dt=self.t_end - sim.t)
        elif sim.settings["integrator"] == "event_driven":
            for end, force in zip(np.linspace(sim.t, self.t_end, len(forces) + 1)[1:], forces):
                sim.force = force
                sim.run(float(end))
        else:
            # As many steps as run_jacobian makes; a force is held over a step, whether that is made whole or in parts.
            start, dt = sim.t, sim.dt
            steps = max(1, int(np.ceil((self.t_end - start) / dt - ROUNDING)))

            def control(t: float, q: Vector, u: Vector) -> Vector:
                step = min(int((t - start) / dt + ROUNDING), steps - 1)
                row: Vector = forces[step * len(forces) // steps]
                return row

            sim.run(self.t_end, control=control)
        if sim.t < self.t_end - ROUNDING * sim.dt:
            raise _native.StepError(f"the run ended at t = {sim.t}, before {self.t_end}")
        return np.concatenate([sim.q, sim.u])

    def linearise(
        self, state: Any, parameters: Any = (), controls: Any = None, *, by_state: bool = True, side: str = "both"
    ) -> Linearised:
        """The state at the end, and its derivatives; those with respect to the start only `by_state`."""
        sim, forces = self._at(state, parameters), self._forces(controls)
        found = sim.run_jacobian(self.t_end, self.names, controls=forces, state=by_state, side=side)
        columns = [found.parameters[name] for name in self.names]
        by_parameters = np.array(columns).reshape(len(columns), self.size).T
        by_controls = None if found.controls is None else found.controls.reshape(self.size, -1)
        return Linearised(np.concatenate([found.q, found.u]), found.state, by_parameters, by_controls)

    def _at(self, state: Any, parameters: Any) -> Simulation:
        values, x = vector(parameters, "parameters"), vector(state, "state")
        if x.size != self.size:
            raise _native.Error(f"state has {x.size} entries; there are {self.size} coordinates and velocities")
        if values.size != len(self.names):
            raise _native.Error(f"parameters has {values.size} entries; there are {len(self.names)}: {', '.join(self.names)}")
        fixed = {**(self.keywords.get("parameters") or {}), **dict(zip(self.names, values))}
        # One of its own, since calls may come from several threads.
        sim = Simulation(self.scene, **{**self.keywords, "parameters": fixed})
        sim.q, sim.u = x[: self.size // 2], x[self.size // 2 :]
        return sim

    def _forces(self, controls: Any) -> Optional[Vector]:
        if controls is None:
            return None
        forces = numbers(controls, "controls")
        if forces.ndim != 2 or forces.shape[1] != self.size // 2 or len(forces) == 0:
            raise _native.Error(f"controls has the shape {forces.shape}; it must have rows of {self.size // 2} forces")
        return forces
