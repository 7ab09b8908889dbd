"""Run small elections and print a digest of every round's memory: a program for test_sequential."""

from __future__ import annotations

import hashlib
import itertools
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from amoebot import Simulation, shapes
from amoebot.shapes import Shape
from helpers import moments, naive
from helpers.full import FULL

SHAPES = (
    shapes.line(3),
    Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star"),
    shapes.annulus(1, 0),
    shapes.hexagon(1),
    shapes.line(4).with_expanded(0.5, seed=1),
)


def digest(simulation: Simulation) -> str:
    """Run to the end, round by round, and digest every moment in between."""
    told = hashlib.sha256()
    while not simulation.finished and simulation.rounds < 60:
        simulation.round()
        for array in moments.everything(simulation):
            told.update(array)
    told.update(repr(simulation.result()).encode())
    return told.hexdigest()


def digests() -> list[str]:
    """Return one line for each shape and scheduler, with one of the variants or with each."""
    lines = []
    for number, (shape, scheduler) in enumerate(itertools.product(SHAPES, naive.SCHEDULERS)):
        first = (number + number // 6) % 4
        for variant in range(first, first + (4 if FULL else 1)):
            almost_sure, terminate = naive.VARIANTS[variant % 4]
            own: dict[str, Any] = {"almost_sure": almost_sure, "terminate": terminate, "radix": 3}
            simulation = Simulation(shape, 4 * number + variant, scheduler, **own)
            told = digest(simulation)
            lines.append(f"{shape.name} {scheduler} {almost_sure} {terminate} {told}")
    return lines


if __name__ == "__main__":
    print("\n".join(digests()))
