"""What Python costs: a step, a solve of 100 contacts, and the memory of a million steps.

    python crates/stickslip-python/benchmarks/costs.py
"""

from __future__ import annotations

import os
import time
from typing import Callable, Tuple

import numpy as np

from stickslip import Contact, ContactProblem, Simulation


def step_costs(steps: int = 20_000, rounds: int = 7) -> Tuple[float, float]:
    """Seconds of a step of the woodpecker in Rust, and by how much `sim.step()` takes longer; each the least of some rounds."""
    sim = Simulation("woodpecker", dt=1e-5)
    rust, python = np.inf, np.inf
    for _ in range(rounds):
        sim.reset()
        rust = min(rust, sim.step_seconds_native(steps) / steps)
        sim.reset()
        step = sim.step
        start = time.perf_counter()
        for _ in range(steps):
            step()
        python = min(python, (time.perf_counter() - start) / steps)
    return float(rust), float(python - rust)


def hundred_contacts() -> Callable[[], ContactProblem]:
    """Poses a problem of 100 spatial contacts between bodies that hang together."""
    random = np.random.default_rng(5)
    rows, bodies = 300, 330
    h = random.normal(size=(rows, bodies)) / np.sqrt(bodies)
    w, b = h @ h.T, random.normal(size=rows)
    return lambda: ContactProblem(w, b, [Contact(mu=0.5, friction="disc")] * 100)


def solve_costs(rounds: int = 50) -> Tuple[float, float, float]:
    """Seconds of a solve of 100 contacts in Rust, the share by which `problem.solve()` takes longer, and the same with posing the problem
    from arrays; of the least of some rounds each."""
    pose, least = hundred_contacts(), np.full(3, np.inf)
    for _ in range(rounds):
        start = time.perf_counter()
        problem = pose()
        posed = time.perf_counter()
        answer = problem.solve()
        solved = time.perf_counter()
        assert answer.solved, answer.reason
        least = np.minimum(least, [answer.seconds, solved - posed, solved - start])
    rust, *python = least
    return float(rust), *(float(seconds / rust - 1.0) for seconds in python)


def resident() -> int:
    """Bytes of memory that the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory(steps: int = 1_000_000) -> Tuple[int, float]:
    """Bytes by which memory grows over so many steps, and their seconds."""
    sim = Simulation("woodpecker", dt=1e-4)
    for _ in range(20_000):
        sim.step()
    before, start = resident(), time.perf_counter()
    for _ in range(steps):
        sim.step()
    return resident() - before, time.perf_counter() - start


if __name__ == "__main__":
    rust, more = step_costs()
    print(f"a step of the woodpecker: {1e6 * rust:.2f} us in Rust, sim.step() {1e6 * more:.2f} us more")
    rust, more, posed = solve_costs()
    print(f"a solve of 100 contacts: {1e3 * rust:.2f} ms in Rust, problem.solve() {100 * more:.1f} % more,", end=" ")
    print(f"with posing it from arrays {100 * posed:.1f} %")
    if os.path.exists("/proc/self/statm"):
        grown, seconds = memory()
        print(f"a million steps: memory grows by {grown / 1024:.0f} KiB, {seconds:.1f} s")
