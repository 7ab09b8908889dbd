"""What the processes of kill tests run; the server that forks them has imported it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import amoebot
from amoebot.sweeps import make_plan, store
from amoebot.sweeps.journal import Journal
from amoebot.sweeps.sweeping import carry_out

amoebot.elect(amoebot.shapes.hexagon(1))


INPUTS = ("shape", "shape_seed", "scheduler", "variant", "seed")


def sweep_in_small_blocks(content: dict[str, Any], folder: Path, log: Path) -> None:
    """Run a sweep that often completes a block, and log each election that it finishes."""
    store.BLOCK = 32
    add = Journal.add
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def logged(journal: Journal, number: int, row: dict[str, Any]) -> bool:
        last = add(journal, number, row)
        os.write(file, json.dumps([row[name] for name in INPUTS]).encode() + b"\n")
        return last

    Journal.add = logged  # type: ignore[method-assign,assignment]
    carry_out(make_plan(content), folder)
