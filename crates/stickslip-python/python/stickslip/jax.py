"""Runs as functions of JAX, with derivatives in reverse mode."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Optional

import numpy as np

from ._native import Error
from .run_map import RunMap

try:
    jax: Any = import_module("jax")
except ImportError as error:
    raise ImportError("stickslip.jax needs JAX; `pip install jax` installs it") from error


def run(
    scene: Any, t_end: float, parameters: Any = (), *, by_state: bool = True, side: str = "both", **keywords: Any
) -> Callable[..., Any]:
    """The function end = f(state, parameters, controls) of `RunMap`, for `jax.grad`, `jax.vjp`, `jax.jit` and, run by run, `jax.vmap`.

    Derivatives are those of `Simulation.run_jacobian`. They are computed with doubles, and are no better than the arrays: enable
    `jax_enable_x64` for all their digits. With by_state=False the state is a constant, which may be one where a contact just
    touches.
    """
    inner = RunMap(scene, t_end, parameters, **keywords)

    def shape(rows: int, columns: Optional[int], like: Any) -> Any:
        return jax.ShapeDtypeStruct((rows,) if columns is None else (rows, columns), like.dtype)

    def value(state: Any, values: Any, controls: Any) -> Any:
        def call(*arguments: Any) -> Any:
            return inner(*(np.asarray(a, dtype=float) for a in arguments)).astype(state.dtype)

        given = (state, values) if controls is None else (state, values, controls)
        return jax.pure_callback(call, shape(inner.size, None, state), *given, vmap_method="sequential")

    def linearise(state: Any, values: Any, controls: Any) -> Any:
        given = (state, values) if controls is None else (state, values, controls)
        columns = [None, inner.size if by_state else 0, len(inner.names)] + ([] if controls is None else [controls.size])

        def call(*arguments: Any) -> Any:
            found = inner.linearise(*(np.asarray(a, dtype=float) for a in arguments), by_state=by_state, side=side)
            return tuple(part.astype(state.dtype) for part in found if part is not None)

        shapes = tuple(shape(inner.size, n, state) for n in columns)
        return jax.pure_callback(call, shapes, *given, vmap_method="sequential")

    mapped: Any = jax.custom_vjp(value)

    def forward(state: Any, values: Any, controls: Any) -> Any:
        end, *rates = linearise(state, values, controls)
        return end, (rates, controls)

    def backward(kept: Any, weight: Any) -> Any:
        rates, controls = kept
        by_controls = None if controls is None else (weight @ rates[2]).reshape(controls.shape)
        by_start = weight @ rates[0] if by_state else jax.numpy.zeros_like(weight)
        return by_start, weight @ rates[1], by_controls

    mapped.defvjp(forward, backward)

    def run_map(state: Any, parameters: Any = (), controls: Any = None) -> Any:
        """The state at the end of the run."""
        start = jax.numpy.asarray(state, dtype=float)
        values = jax.numpy.asarray(parameters, dtype=float)
        if values.ndim != 1:
            raise Error(f"parameters has {values.ndim} dimensions; it must be a vector, with 1")
        forces = None if controls is None else jax.numpy.asarray(controls, dtype=float)
        return mapped(start, values, forces)

    return run_map
