"""What Python costs over Rust; `benchmarks/costs.py` prints the figures, which are a tenth of what is allowed here."""

import runpy
from pathlib import Path

COSTS = runpy.run_path(str(Path(__file__).parent.parent / "benchmarks/costs.py"))


def test_a_step_costs_little_more_than_in_rust():
    assert COSTS["step_costs"](steps=5000, rounds=5)[1] < 2e-6


def test_a_solve_of_many_contacts_costs_as_much_as_in_rust():
    assert COSTS["solve_costs"](rounds=5)[1] < 0.1
