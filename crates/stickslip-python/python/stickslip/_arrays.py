"""Arrays of any kind as the contiguous arrays of doubles that the native part takes."""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, List, Optional, Protocol, Tuple, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._native import Error

Vector = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
SparseParts = Tuple[int, int, Index, Index, Vector]
MatrixLike = Union[Vector, SparseParts]

T = TypeVar("T")


class Sparse(Protocol):
    """A sparse matrix of SciPy."""

    def tocoo(self) -> Any:
        """Its entries."""


#: What a matrix may be given as: an array, nested lists, or a sparse matrix.
AnyMatrix = Union[npt.ArrayLike, Sparse]

#: The largest number of something that the native part can count.
MOST = 2**63 - 1


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
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(array.sum())
    if math.isfinite(total) or np.isfinite(array).all():
        return
    place = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
    raise Error(f"{what}{place} is {array[tuple(place)]}; it must be finite")


def numbers(values: Any, what: str) -> Vector:
    """Real numbers, contiguous and as doubles, without a copy where they are that already."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise Error(f"{what} has masked entries; fill them first, as with numpy.ma.filled")
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise Error(f"{what} is not an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        if array.dtype.kind == "O" and array.ndim > 0:
            try:
                return np.ascontiguousarray(array, dtype=np.float64)
            except (TypeError, ValueError):
                pass
            except OverflowError:
                raise Error(f"{what} has an entry that is too large for a double") from None
        raise Error(f"{what} has entries of type {array.dtype}; they must be real numbers")
    if array.ndim == 0:
        return array.astype(np.float64)
    return np.ascontiguousarray(array, dtype=np.float64)


def spread(values: Any, what: str, n: int) -> Vector:
    """A vector of this size; one number stands for all entries."""
    array = numbers(values, what)
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.shape != (n,):
        raise Error(f"{what} has the shape {array.shape}; it must be a number, or a vector with {n} entries")
    return vector(array, what)


def listed(values: Any, what: str) -> List[float]:
    """Some numbers, or one; none for None."""
    return [] if values is None else [float(x) for x in vector(np.atleast_1d(numbers(values, what)), what)]


def real(value: Any, what: str) -> float:
    """A number; the native part judges its size."""
    try:
        return float(value)
    except OverflowError:
        raise Error(f"{what} is too large for a double") from None
    except (TypeError, ValueError):
        raise Error(f"{what} is {value!r}; it must be a number") from None


def count(value: Any, what: str) -> int:
    """A whole number that is not negative."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{what} is {value!r}; it must be a whole number") from None
    if not 0 <= number <= MOST:
        raise Error(f"{what} is {'negative' if number < 0 else 'too large'}; it must be between 0 and {MOST}")
    return number


def name(value: Any, what: str) -> str:
    """A word that chooses something."""
    if not isinstance(value, str):
        raise Error(f"{what} is {value!r}; it must be a name")
    return value


def names(values: Any, what: str) -> List[str]:
    """Some names, or one."""
    if isinstance(values, str):
        return [values]
    try:
        given = list(values)
    except TypeError:
        raise Error(f"{what} is {values!r}; it must be a name, or a list of names") from None
    return [name(value, f"{what}[{i}]") for i, value in enumerate(given)]


def switch(value: Any, what: str) -> bool:
    """True or False, of Python or of NumPy."""
    if not isinstance(value, (bool, np.bool_)):
        raise Error(f"{what} is {value!r}; it must be True or False")
    return bool(value)


def fixed(array: Vector) -> Vector:
    """An array of one's own that nobody changes: a change would be lost, since it is a copy."""
    array.flags.writeable = False
    return array


def optional(kind: Callable[[Any, str], T], value: Any, what: str) -> Optional[T]:
    """The same, or None."""
    return None if value is None else kind(value, what)
