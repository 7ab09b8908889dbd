"""Start-up: how long a user waits for a command."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from amoebot.bench.figures import Figure

#: The commands that are started with a warm cache, and their limits in seconds.
WARM = {"--help": "under 0.4", "elect hexagon:10": "under 2"}


def warm_starts(repeats: int = 3) -> Iterator[Figure]:
    """Measure commands alternately, best of several."""
    runs = [[time_command(command) for command in WARM] for _ in range(repeats)]
    for (command, limit), times in zip(WARM.items(), zip(*runs, strict=True), strict=True):
        yield _figure(f"amoebot {command}", limit, min(times))


def cold_starts() -> Iterator[Figure]:
    """Measure the first election on a machine, which is interpreted, and one that compiles."""
    with TemporaryDirectory() as folder:
        for what, limit in {"the very first election": "under 6", "the one after it": ""}.items():
            yield _figure(what, limit, time_command("elect hexagon:10", AMOEBOT_CACHE=folder))


def time_command(command: str, **environment: str) -> tuple[float, float]:
    """Return the seconds that a command takes, by the clock and of processors."""
    program = [sys.executable, "-m", "amoebot", *command.split()]
    start, used = time.perf_counter(), _used_by_children()
    subprocess.run(program, env=os.environ | environment, capture_output=True, check=True)
    return time.perf_counter() - start, _used_by_children() - used


def _used_by_children() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system


def _figure(what: str, limit: str, times: tuple[float, float]) -> Figure:
    clock, processor = times
    return Figure("start-up", what, clock, "s", limit, f"{processor:.2f} s of processor time")
