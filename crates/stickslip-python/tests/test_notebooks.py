"""The notebooks run from top to bottom, and their code passes a strict look at its types."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

import stickslip

matplotlib.use("Agg")

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def code(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks_without_outputs():
    assert len(NOTEBOOKS) >= 6
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


def show(value):
    """What a notebook shows of a value."""
    if value is not None:
        assert repr(value)
        table = getattr(value, "_repr_html_", lambda: "<table>")()
        assert table.startswith(("<table>", "<div>"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_its_claims_hold(path):
    names = {"__name__": "notebook"}
    for number, cell in enumerate(code(path)):
        place, tree = f"{path.name}, code cell {number}", ast.parse(cell)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, place, "exec"), names)
        if last is not None:
            show(eval(compile(ast.Expression(last.value), place, "eval"), names))
    matplotlib.pyplot.close("all")


def test_what_is_built_and_asked_is_shown_as_a_table():
    problem = stickslip.ContactProblem([[1.5, 1.0], [1.0, 0.75]], [-0.5, 0.0], [2.0])
    assert "N, T" in problem._repr_html_()
    assert "phi_S" in stickslip.Simulation("woodpecker")._repr_html_()
    world = stickslip.World(gravity=[0, 0, -9.81])
    world.body("<box>", mass=1.0, shape=stickslip.Sphere(0.1))
    assert "&lt;box&gt;" in world._repr_html_()
    system = stickslip.System(["x"], mass=[[1.0]], forces=lambda q, u, t: [0.0])
    assert "x_dot" in system._repr_html_()
    classes = stickslip.classify([[2.0, 1.0], [1.0, 2.0]])
    assert classes.classes["P"]["text"] in repr(classes) and "for every q" in classes._repr_html_()


def test_the_code_of_all_notebooks_passes_mypy(tmp_path):
    pytest.importorskip("mypy")
    for path in NOTEBOOKS:
        # The last line of a cell may be a value to be shown.
        (tmp_path / f"{path.stem}.py").write_text("\n\n".join(code(path)) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(tmp_path)]
    checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
