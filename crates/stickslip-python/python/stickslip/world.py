"""Bodies, joints, shapes and contacts built from Python. A world is a scene: what is added here is a table of its file."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import switch
from ._record import Table


#: Numbers in a row; in a World they may be expressions of its parameters.
Row = Union[Sequence[Any], npt.NDArray[Any]]


@dataclass(frozen=True)
class Box:
    """A box with these lengths, three or in the plane two."""

    lengths: Row


@dataclass(frozen=True)
class Sphere:
    """A ball."""

    radius: float


@dataclass(frozen=True)
class Disc:
    """A disc in the plane."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about z."""

    radius: float
    height: float


@dataclass(frozen=True)
class Capsule:
    """A capsule about z, in the plane about x; its length is between the centres of its ends."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """A cone about z with its apex up."""

    radius: float
    height: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid with these half-axes, for contacts that are given."""

    half_axes: Row


@dataclass(frozen=True)
class Hull:
    """The convex hull of points."""

    points: Union[Sequence[Row], npt.NDArray[Any]]


@dataclass(frozen=True)
class Polygon:
    """A convex polygon in the plane, by its corners."""

    points: Union[Sequence[Row], npt.NDArray[Any]]


@dataclass(frozen=True)
class HeightField:
    """A surface over x and y of a body that does not move freely: the height, an expression of x and y, on a grid of this size."""

    z: str
    size: Row
    cells: Row


@dataclass(frozen=True)
class Compound:
    """Shapes that move as one, each with where it is, and in space how it is turned, in the plane by which angle."""

    parts: Sequence[Any]


@dataclass(frozen=True)
class Plane:
    """A half-space below a plane through the position of its body, in the plane a half-plane, with this normal."""

    normal: Row


#: A shape, or as a scene file writes it: {"mesh": "rock.stl"}.
Shape = Union[
    Box, Sphere, Disc, Cylinder, Capsule, Cone, Ellipsoid, Hull, Polygon, HeightField, Compound, Plane, Mapping[str, Any]
]


SHAPES = (Box, Sphere, Disc, Cylinder, Capsule, Cone, Ellipsoid, Hull, Polygon, HeightField, Compound, Plane)


@dataclass(frozen=True)
class Part:
    """A body, or one of its points or surfaces, to be named in joints and contacts."""

    name: str

    def __getitem__(self, part: str) -> Part:
        """One of its parts by name, such as the corners `bottom` of a box."""
        return Part(f"{self.name}.{part}")


class World(Table):
    """Bodies and what connects them.

    Every method adds a table of a scene file, with the names that those have; what is not among the arguments here is given by
    keyword. Numbers may be expressions of `parameters`, as in a scene, and the errors are those of scene files. `Simulation(world)` takes the result;
    `text` is its file.

    With `collision` bodies touch wherever they meet, with these coefficients; without it where contacts say. In the plane
    (`dimension=2`) vectors have two numbers.

    >>> from stickslip import Simulation
    >>> world = World(gravity=[0, 0, -9.81], parameters={"mu": 0.3})
    >>> block = world.body("block", mass=2.0, shape=Box([0.4, 0.2, 0.1]), position=[0, 0, 0.05], velocity=[1, 0, 0])
    >>> world.contact("floor", block["bottom"], world.ground, mu="mu")
    >>> run = Simulation(world, dt=1e-3).run(0.5)
    >>> float(run["block.x"][-1].round(3))  # v^2 / (2 mu g)
    0.17
    """

    #: What does not move.
    ground = Part("ground")

    def __init__(
        self,
        *,
        gravity: Row = (0.0, 0.0, 0.0),
        dimension: int = 3,
        model: Optional[str] = None,
        parameters: Optional[Mapping[str, float]] = None,
        collision: Optional[Mapping[str, Any]] = None,
        title: str = "world",
    ) -> None:
        self.dimension = dimension
        self._head: Dict[str, Any] = {"title": title, "model": model, "gravity": list(gravity)}
        if dimension != 3:
            self._head["dimension"] = dimension
        self._single: Dict[str, Optional[Dict[str, Any]]] = {"parameters": dict(parameters or {}), "collision": dict(collision) if collision is not None else None}
        self._tables: List[Any] = []

    def body(
        self,
        name: str,
        *,
        mass: Any = None,
        inertia: Any = None,
        shape: Optional[Shape] = None,
        position: Any = None,
        velocity: Any = None,
        fixed: bool = False,
        **keys: Any,
    ) -> Part:
        """A body: mass, and inertia or a shape that it follows from; pose and velocity at the start. Further keys are orientation, angular_velocity,
        density, parts, motion, material; in the plane angle and spin."""
        own = {"mass": mass, "inertia": inertia, "shape": None if shape is None else self._shape(shape)}
        start = {"position": position, "velocity": velocity, "fixed": True if switch(fixed, "fixed") else None}
        self._add("body", {"name": name, **own, **start, **keys})
        return Part(name)

    def joint(self, name: str, kind: str, first: Part, second: Part, **keys: Any) -> None:
        """A joint between two bodies: "revolute", "prismatic", "spherical", "fixed" and the others of scene files, with `at`, `axis` and so on."""
        self._add("joint", {"name": name, "kind": kind, "between": _between(first, second), **keys})

    def contact(self, name: str, first: Part, second: Part, **keys: Any) -> None:
        """A contact between parts of two bodies, with mu, eps_n, eps_t, friction and the other keys of scene files."""
        self._add("contact", {"name": name, "between": _between(first, second), **keys})

    def force(self, body: Part, **keys: Any) -> None:
        """A force or torque on a body: force, torque, at; expressions of time and state as in scene files."""
        self._add("force", {"body": _part_name(body, "body"), **keys})

    def material(self, name: str, **keys: Any) -> str:
        """A material that bodies are made of where they collide: mu, eps_n, eps_t and so on; its name."""
        self._add("material", {"name": name, **keys})
        return name

    def table(self, kind: str, /, **keys: Any) -> None:
        """Any other table of a scene file, such as `[run]`: `world.table("run", t_end=2.0)`."""
        _rows(keys)
        self._single[kind] = {**(self._single.get(kind) or {}), **keys}

    def entry(self, kind: str, /, **keys: Any) -> None:
        """An entry of any other list of tables, such as `[[sensor]]`, `[[output]]` or `[[material_pair]]`."""
        self._add(kind, keys)

    @property
    def text(self) -> str:
        """The scene file."""
        lines = [f"{key} = {_toml(value, key)}" for key, value in self._head.items() if value is not None]
        for name, table in self._single.items():
            if table is not None:
                lines += ["", f"[{name}]", *_rows(table)]
        for name, table in self._tables:
            lines += ["", f"[[{name}]]", *_rows(table)]
        return "\n".join(lines) + "\n"

    def _add(self, table: str, keys: Mapping[str, Any]) -> None:
        given = {key: value for key, value in keys.items() if value is not None}
        # A wrong value is refused where it is given.
        _rows(given)
        self._tables.append((table, given))

    def _shape(self, shape: Shape) -> Dict[str, Any]:
        if isinstance(shape, Mapping):
            return dict(shape)
        if not isinstance(shape, SHAPES):
            kinds = ", ".join(kind.__name__ for kind in SHAPES)
            right = f"one of {kinds}, such as Box([1, 1, 1]), or a mapping as in a scene file"
            raise _native.Error(f"shape is {shape!r}; it must be {right}")
        if isinstance(shape, Compound):
            return {"compound": [self._part(part) for part in shape.parts]}
        values = {field.name: getattr(shape, field.name) for field in fields(shape)}
        name = {"Plane": "plane" if self.dimension == 3 else "half_plane", "HeightField": "height_field"}
        key = name.get(type(shape).__name__, type(shape).__name__.lower())
        return {key: next(iter(values.values())) if len(values) == 1 else values}

    def _part(self, part: Any) -> Dict[str, Any]:
        """A part of a compound: a shape, or a tuple of it, where it is, and how it is turned."""
        shape, *place = part if isinstance(part, (tuple, list)) else (part,)
        keys = ("at", "orientation" if self.dimension == 3 else "angle")
        if len(place) > len(keys):
            raise _native.Error("a part of a compound is a shape, where it is, and how it is turned")
        return {**self._shape(shape), **dict(zip(keys, place))}

    def _rows(self) -> List[Tuple[str, str]]:
        kinds = dict.fromkeys(kind for kind, _ in self._tables)
        names = {kind: [str(keys.get("name", keys.get("body", ""))) for own, keys in self._tables if own == kind] for kind in kinds}
        return [("title", str(self._head["title"])), *((kind, ", ".join(own)) for kind, own in names.items())]

    def __repr__(self) -> str:
        count = {kind: sum(1 for name, _ in self._tables if name == kind) for kind in ("body", "joint", "contact")}
        return f"World({count['body']} bodies, {count['joint']} joints, {count['contact']} contacts)"


def _part_name(part: Any, what: str) -> str:
    """The name of a body or of one of its parts, as a scene file writes it."""
    if not isinstance(part, Part):
        right = 'what World.body returns, one of its parts such as body["bottom"], or World.ground'
        raise _native.Error(f"{what} is {part!r}; it must be {right}")
    return part.name


def _between(first: Any, second: Any) -> List[str]:
    return [_part_name(first, "first"), _part_name(second, "second")]


def _rows(table: Mapping[str, Any]) -> List[str]:
    return [f"{key} = {_toml(value, key)}" for key, value in table.items()]


def _toml(value: Any, what: str) -> str:
    """A value as TOML writes it; strings are expressions or names."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise _native.Error(f"{what} is {value}; it must be finite")
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_rows(value)) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(entry, what) for entry in value) + "]"
    raise _native.Error(f"{what} is of type {type(value).__name__}; it must be a number, an expression, a list or a mapping")
