"""Mechanical systems with unilateral contact, dry friction and impacts.

>>> import stickslip
>>> stickslip.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]).solved
True
>>> run = stickslip.Simulation("woodpecker", mu=0.31).run(0.2)
>>> run.summary["end"]["status"]
'finished'

`stickslip.__version__` is the version of the package.
"""

from ._native import Error, StepError, __version__
from .contact import (
    Analysis,
    Contact,
    ContactProblem,
    ContactSolution,
    Derivative,
    Jacobian,
    Level,
    Solution,
)
from .jacobian import MotionJacobian
from .lagrangian import lagrangian
from .linear import (
    Classes,
    Enumeration,
    Face,
    LcpSolution,
    classify,
    enumerate_solutions,
    solve_lcp,
    solve_mlcp,
)
from .run import Run
from .run_map import RunMap
from .simulation import ContactState, Cycle, Simulation, analyze, gallery
from .sweep import Sweep, sweep
from .system import System
from .world import (
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Disc,
    Ellipsoid,
    HeightField,
    Hull,
    Part,
    Plane,
    Polygon,
    Sphere,
    World,
)

__all__ = [
    "Analysis",
    "Box",
    "Capsule",
    "Classes",
    "Compound",
    "Cone",
    "Contact",
    "ContactProblem",
    "ContactSolution",
    "ContactState",
    "Cycle",
    "Cylinder",
    "Derivative",
    "Disc",
    "Ellipsoid",
    "Enumeration",
    "Error",
    "Face",
    "HeightField",
    "Hull",
    "Jacobian",
    "LcpSolution",
    "Level",
    "MotionJacobian",
    "Part",
    "Plane",
    "Polygon",
    "Run",
    "RunMap",
    "Simulation",
    "Solution",
    "Sphere",
    "StepError",
    "Sweep",
    "System",
    "World",
    "__version__",
    "analyze",
    "classify",
    "enumerate_solutions",
    "gallery",
    "lagrangian",
    "solve_lcp",
    "solve_mlcp",
    "sweep",
]
