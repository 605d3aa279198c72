"""Derivatives of where a motion ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._arrays import Vector
from ._record import Record


@dataclass(frozen=True, eq=False, repr=False)
class MotionJacobian(Record):
    """Derivatives of the state at the end of a step or run. Rows are those of `names`: a coordinate for each velocity (for the
    orientation of a body small turns about its axes), then the velocities.

    >>> from stickslip import Simulation
    >>> ball = Simulation("bouncing_ball", integrator="moreau_midpoint", dt=1e-2)
    >>> ball.step_jacobian(parameters=["g"]).state.round(6).tolist()
    [[1.0, 0.01], [0.0, 1.0]]
    """

    #: The state at the end.
    t: float
    q: Vector
    u: Vector
    #: Rows of all derivatives, and columns of `state`.
    names: List[str]
    #: With respect to the state at the start; without columns if that was left out.
    state: Vector
    #: With respect to each parameter that was asked for, the state at the start fixed.
    parameters: Dict[str, Vector]
    #: With respect to forces: of a step one column for each velocity; of a run rows, parts and velocities.
    controls: Optional[Vector]
    #: Contacts at whose change of mode derivatives hold to one side only.
    one_sided: List[str]

    @classmethod
    def from_answer(
        cls, answer: Mapping[str, Any], names: List[str], parameters: Sequence[str], parts: Optional[int]
    ) -> MotionJacobian:
        """From what the native part found: columns, one after the other."""
        n = len(names)
        columns = answer["parameters"].reshape(len(parameters), n)
        controls = None if parts is None else answer["controls"].reshape(parts, n // 2, n).transpose(2, 0, 1)
        return cls.of(
            {
                **answer,
                "names": names,
                "state": answer["state"].reshape(-1, n).T,
                "parameters": dict(zip(parameters, columns)),
                "controls": controls,
            }
        )
