"""Docstrings: everything public has one, and their examples are true."""

import doctest
import importlib
import importlib.metadata
import inspect
import re
from pathlib import Path

import pytest

import stickslip

MODULES = ["stickslip", *(f"stickslip.{path.stem}" for path in sorted(Path(stickslip.__file__).parent.glob("[a-z]*.py")))]

#: Those without an example: what they do is a picture, or needs a library of its own.
WITHOUT = {"stickslip.plots", "stickslip.run", "stickslip.jax", "stickslip.torch"}


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name):
    if name in ("stickslip.jax", "stickslip.torch"):
        pytest.importorskip(name.split(".")[1])
    module = importlib.import_module(name)
    assert module.__doc__
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0 or name in WITHOUT


def test_everything_public_says_what_it_is():
    silent = []
    for name in stickslip.__all__:
        thing = getattr(stickslip, name)
        if not inspect.getdoc(thing):
            silent.append(name)
        if inspect.isclass(thing):
            for member, value in inspect.getmembers(thing):
                own = not member.startswith("_") and not member.endswith("_native")
                described = inspect.isroutine(value) or inspect.isdatadescriptor(value)
                if own and described and member not in dir(ValueError) and not inspect.getdoc(value):
                    silent.append(f"{name}.{member}")
    assert silent == []


def test_the_code_of_the_book_runs():
    page = Path(__file__).parents[3] / "book/src/guide/python.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 4
    import matplotlib

    matplotlib.use("Agg")
    names = {}
    for block in blocks:
        exec(compile(block.replace("linspace(0.25, 0.4, 31)", "linspace(0.29, 0.31, 3)"), "python.md", "exec"), names)
    assert names["sim"].t >= 3.0 - 1e-9 and names["sim"]["y"] == pytest.approx(0.5, abs=1e-3)
    assert names["run"]["x"][-1] == pytest.approx(1 / (2 * 0.3 * 9.81), rel=1e-3)
    matplotlib.pyplot.close("all")


def test_the_version_is_that_of_the_package():
    assert stickslip.__version__ == importlib.metadata.version("stickslip")
