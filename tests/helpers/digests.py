"""Run small elections and print a digest of every round's memory: a program for test_engine."""

from __future__ import annotations

import hashlib
import itertools

from amoebot import Simulation, shapes
from amoebot.shapes import Shape
from helpers import looking, naive

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
        for array in looking.everything(simulation):
            told.update(array)
    told.update(repr(simulation.result()).encode())
    return told.hexdigest()


def digests() -> list[str]:
    """Return one line for each shape, scheduler and variant."""
    lines = []
    combinations = itertools.product(SHAPES, naive.SCHEDULERS, naive.VARIANTS)
    for number, (shape, scheduler, (almost_sure, terminate)) in enumerate(combinations):
        simulation = Simulation(
            shape, number, scheduler, almost_sure=almost_sure, terminate=terminate, radix=3
        )
        told = digest(simulation)
        lines.append(f"{shape.name} {scheduler} {almost_sure} {terminate} {told}")
    return lines


if __name__ == "__main__":
    print("\n".join(digests()))
