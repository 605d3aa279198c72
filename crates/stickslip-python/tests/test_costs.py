"""What Python costs over Rust; `benchmarks/costs.py` prints the figures, which are a tenth of what is allowed here."""

import os
import runpy
from pathlib import Path

import pytest

COSTS = runpy.run_path(str(Path(__file__).parent.parent / "benchmarks/costs.py"))


def test_a_step_costs_little_more_than_in_rust():
    assert COSTS["step_costs"](steps=5000, rounds=5)[1] < 2e-6


def test_a_solve_of_many_contacts_costs_as_much_as_in_rust():
    assert COSTS["solve_costs"](rounds=5)[1] < 0.1


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_stays_flat_over_a_million_steps():
    assert COSTS["memory"]()[0] < 1 << 20
