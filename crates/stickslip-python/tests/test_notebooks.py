"""The notebooks run from top to bottom, and their code passes a strict look at its types."""

import json
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_its_claims_hold(path):
    names = {"__name__": "notebook"}
    for number, cell in enumerate(code(path)):
        exec(compile(cell, f"{path.name}, code cell {number}", "exec"), names)
    matplotlib.pyplot.close("all")


def test_the_code_of_all_notebooks_passes_mypy(tmp_path):
    pytest.importorskip("mypy")
    for path in NOTEBOOKS:
        # The last line of a cell may be a value to be shown.
        (tmp_path / f"{path.stem}.py").write_text("\n\n".join(code(path)) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(tmp_path)]
    checked = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
