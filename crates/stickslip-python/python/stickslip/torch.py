"""Runs as functions of PyTorch, with derivatives in reverse mode."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from ._native import Error
from .run_map import RunMap

try:
    torch: Any = import_module("torch")
except ImportError as error:
    raise ImportError("stickslip.torch needs PyTorch; `pip install torch` installs it") from error


class Run(torch.autograd.Function):  # type: ignore[misc]
    """A run; `run` makes functions of it."""

    @staticmethod
    def forward(ctx: Any, inner: RunMap, side: str, state: Any, values: Any, controls: Any) -> Any:
        """The state at the end; the derivatives are kept if somebody asks for one."""
        arrays = [None if x is None else x.detach().cpu().double().numpy() for x in (state, values, controls)]
        ctx.shape = None if controls is None else controls.shape
        if not any(ctx.needs_input_grad):
            return state.new_tensor(inner(*arrays))
        by_state = ctx.needs_input_grad[2]
        found = inner.linearise(*arrays, by_state=by_state, side=side)
        by_start = found.state if by_state else None
        ctx.rates = [None if part is None else state.new_tensor(part) for part in (by_start, *found[2:])]
        return state.new_tensor(found.end)

    @staticmethod
    def backward(ctx: Any, weight: Any) -> Any:
        """The derivatives of a weighted sum."""
        state, values, controls = (None if rate is None else weight @ rate for rate in ctx.rates)
        return None, None, state, values, None if controls is None else controls.reshape(ctx.shape)


def run(scene: Any, t_end: float, parameters: Any = (), *, side: str = "both", **keywords: Any) -> Callable[..., Any]:
    """The function end = f(state, parameters, controls) of `RunMap`, for tensors that require gradients.

    Derivatives are those of `Simulation.run_jacobian`, computed with doubles whatever the tensors have.
    """
    inner = RunMap(scene, t_end, parameters, **keywords)

    def run_map(state: Any, parameters: Any = (), controls: Any = None) -> Any:
        """The state at the end of the run."""
        start = torch.as_tensor(state)
        if not start.is_floating_point():
            raise Error(f"state has entries of type {start.dtype}; they must be floating-point numbers")
        values = torch.as_tensor(parameters, dtype=start.dtype)
        forces = None if controls is None else torch.as_tensor(controls, dtype=start.dtype)
        return Run.apply(inner, side, start, values, forces)

    return run_map
