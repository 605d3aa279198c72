"""Mechanical systems with unilateral contact, dry friction and impacts.

>>> import stickslip
>>> stickslip.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]).solved
True
>>> run = stickslip.Simulation("woodpecker", mu=0.31).run(0.2)
>>> run.summary["end"]["status"]
'finished'
"""

from ._native import Error, StepError
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

__all__ = [
    "Analysis",
    "Classes",
    "Contact",
    "ContactProblem",
    "ContactSolution",
    "ContactState",
    "Cycle",
    "Derivative",
    "Enumeration",
    "Error",
    "Face",
    "Jacobian",
    "LcpSolution",
    "Level",
    "MotionJacobian",
    "Run",
    "RunMap",
    "Simulation",
    "Solution",
    "StepError",
    "Sweep",
    "System",
    "analyze",
    "classify",
    "enumerate_solutions",
    "gallery",
    "solve_lcp",
    "solve_mlcp",
    "sweep",
]
