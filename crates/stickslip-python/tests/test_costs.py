"""What Python costs over Rust; `benchmarks/costs.py` prints the figures, which are well below what is allowed here."""

import os
import runpy
from pathlib import Path

import pytest

COSTS = runpy.run_path(str(Path(__file__).parent.parent / "benchmarks/costs.py"))


def test_a_step_costs_little_more_than_in_rust():
    assert COSTS["step_costs"](steps=5000, rounds=5)[1] < 2e-6


def test_a_solve_of_many_contacts_costs_as_much_as_in_rust():
    _, solving, posing_too = COSTS["solve_costs"]()
    # In Rust posing takes time as well, which is not in the seconds of a solve.
    assert solving < 0.1 and posing_too < 0.3


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_stays_flat_over_a_million_steps():
    assert COSTS["memory"]()[0] < 1 << 20
