"""Arrays of any kind as the contiguous arrays of doubles that the native part takes."""

from __future__ import annotations

import math
from typing import Any, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._native import Error

Vector = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
SparseParts = Tuple[int, int, Index, Index, Vector]
MatrixLike = Union[Vector, SparseParts]


def vector(values: Any, what: str) -> Vector:
    """A vector of finite numbers."""
    array = numbers(values, what)
    if array.ndim != 1:
        raise Error(f"{what} has {array.ndim} dimensions; it must be a vector, with 1")
    if not np.isfinite(array).all():
        index = int(np.flatnonzero(~np.isfinite(array))[0])
        raise Error(f"{what}[{index}] is {array[index]}; it must be finite")
    return array


def bounds(values: Any, what: str, n: int, default: float) -> Vector:
    """Bounds of unknowns, which may be infinite; one number stands for all of them."""
    if values is None:
        return np.full(n, default)
    array = numbers(values, what)
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.ndim != 1:
        raise Error(f"{what} has {array.ndim} dimensions; it must be a vector, with 1")
    if np.isnan(array).any():
        index = int(np.flatnonzero(np.isnan(array))[0])
        raise Error(f"{what}[{index}] is nan; it must be a number, or infinite where there is no bound")
    return array


def matrix(values: Any, what: str) -> MatrixLike:
    """A matrix of finite numbers: a NumPy array, nested lists, or a sparse matrix of SciPy."""
    if hasattr(values, "tocoo"):
        coo = values.tocoo()
        data = numbers(coo.data, what)
        _all_finite(data, what)
        rows, cols = (np.ascontiguousarray(index, dtype=np.int64) for index in (coo.row, coo.col))
        return int(coo.shape[0]), int(coo.shape[1]), rows, cols, data
    array = numbers(values, what)
    if array.ndim != 2:
        raise Error(f"{what} has {array.ndim} dimensions; it must be a matrix, with 2")
    _all_finite(array, what)
    return array


def _all_finite(array: Vector, what: str) -> None:
    # A sum is finite only if its terms are; the search is for the message.
    if math.isfinite(float(array.sum())) or np.isfinite(array).all():
        return
    place = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
    raise Error(f"{what}{place} is {array[tuple(place)]}; it must be finite")


def numbers(values: Any, what: str) -> Vector:
    """Real numbers, contiguous and as doubles, without a copy where they are that already."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise Error(f"{what} is not an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        if array.dtype.kind == "O" and array.ndim > 0:
            try:
                return np.ascontiguousarray(array, dtype=np.float64)
            except (TypeError, ValueError):
                pass
        raise Error(f"{what} has entries of type {array.dtype}; they must be real numbers")
    if array.ndim == 0:
        return array.astype(np.float64)
    return np.ascontiguousarray(array, dtype=np.float64)
