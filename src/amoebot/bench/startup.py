"""Start-up: how long a user waits for a command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from tempfile import TemporaryDirectory

from amoebot.bench.figures import Figure, best, seconds


def warm_starts(repeats: int = 3) -> Iterator[Figure]:
    """Measure commands whose compiled code is in the cache."""
    commands = {"--help": "under 0.4", "elect hexagon:10": "under 2"}
    times = best(*(partial(time_command, command) for command in commands), repeats=repeats)
    for (command, limit), spent in zip(commands.items(), times, strict=True):
        yield Figure("start-up", f"amoebot {command}", spent, "s", limit)


def cold_start() -> Figure:
    """Measure the very first election on a machine, which compiles the rules."""
    with TemporaryDirectory() as folder:
        spent = time_command("elect hexagon:10", AMOEBOT_CACHE=folder)
    return Figure("start-up", "the very first election", spent, "s", "under 20", "it compiles")


def time_command(command: str, **environment: str) -> float:
    """Return the seconds that a command takes as a process of its own."""
    program = [sys.executable, "-m", "amoebot", *command.split()]
    return seconds(
        lambda: subprocess.run(
            program, env=os.environ | environment, capture_output=True, check=True
        )
    )
