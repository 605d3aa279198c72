"""What results of all kinds have in common."""

from __future__ import annotations

import html
from dataclasses import fields, is_dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar

import numpy as np

R = TypeVar("R", bound="Record")

#: Numbers of an array that are shown.
SHOWN = 6


class Table:
    """Something that notebooks show as a table."""

    def _rows(self) -> List[Tuple[str, str]]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for name, text in self._rows()
        )
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"


class Record(Table):
    """A result: a dataclass whose text is short."""

    @classmethod
    def of(cls: Type[R], answer: Mapping[str, Any]) -> R:
        """From a dictionary with the names of the fields, and perhaps others."""
        assert is_dataclass(cls)
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in answer.items() if name in names})

    def to_dict(self) -> Dict[str, Any]:
        """The fields by name."""
        return {name: value for name, value in self._fields()}

    def _fields(self) -> List[Tuple[str, Any]]:
        assert is_dataclass(self)
        return [(field.name, getattr(self, field.name)) for field in fields(self)]

    def _rows(self) -> List[Tuple[str, str]]:
        return [(name, short(value)) for name, value in self._fields() if value is not None]

    def __repr__(self) -> str:
        rows = self._rows()
        width = max((len(name) for name, _ in rows), default=0)
        lines = "".join(f"\n  {name:<{width}}  {text}" for name, text in rows)
        return type(self).__name__ + lines


def number(value: float) -> str:
    """A number for a person: 0.22685, not 0.22685000000000002."""
    return f"{value:.6g}"


def scientific(value: Optional[float]) -> str:
    """An error for a person: 1.6e-7. JSON has no number for one that is not finite."""
    return "not finite" if value is None else f"{value:.1e}"


def short(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.size <= SHOWN and value.dtype.kind in "fc":
            return "[" + ", ".join(f"{x:.6g}" for x in value) + "]"
        return f"array of shape {value.shape}"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, dict):
        if "worst" in value and isinstance(value["worst"], float):
            return f"worst {value['worst']:.1e}"
        if len(value) > SHOWN or any(isinstance(v, (dict, list)) for v in value.values()):
            return "{" + ", ".join(list(map(str, value))[:SHOWN]) + (", …}" if len(value) > SHOWN else "}")
        return ", ".join(f"{name} {short(v)}" for name, v in value.items())
    if isinstance(value, (list, tuple)):
        if len(value) > SHOWN or any(isinstance(v, (dict, list, Record)) for v in value):
            return f"{len(value)} entries"
        return ", ".join(short(v) for v in value)
    return str(value)
