"""Parallel workers: compile once what they all need, and begin with the longest files."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from amoebot.algorithms.registry import built_in
from amoebot.cli import whole_election
from amoebot.jit import INTERPRETED

#: Each is a process of its own; together they take as long as the longest.
WARM_UPS = (
    """
import amoebot
shape = amoebot.shapes.hexagon(2)
for scheduler in ("permutation", "uniform"):
    amoebot.elect(shape, seed=1, scheduler=scheduler)
amoebot.Simulation(shape).activate(0)
amoebot.elect(amoebot.shapes.line(200), max_rounds=100)
list(amoebot.elect_many(shape, range(4)))
""",
    """
import amoebot
amoebot.verify.verify(amoebot.shapes.line(2))
amoebot.elect(amoebot.shapes.hexagon(2), algorithm="erosion")
amoebot.elect(amoebot.shapes.hexagon(2), algorithm="segments-2015")
""",
)


def leave_whole_elections() -> None:
    """Let commands compile what they need, as after an edit, and wait for no more than that."""
    for name in built_in():
        if (mark := whole_election._mark(name)) is not None:
            mark.touch()


def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    parallel = getattr(config.option, "numprocesses", None)
    if not INTERPRETED:
        leave_whole_elections()
    if parallel and not in_worker and not INTERPRETED:
        started = [subprocess.Popen([sys.executable, "-c", code]) for code in WARM_UPS]
        for process, code in zip(started, WARM_UPS, strict=True):
            if process.wait():
                raise subprocess.CalledProcessError(process.returncode, code)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if {"browser", "tab"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
        if INTERPRETED and item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="minutes or hours without the compiler"))
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])
