"""Erosion on all small shapes under every schedule, and how its rounds grow."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean
from typing import Any

import numpy as np
import pytest

import amoebot
from amoebot import shapes
from amoebot.algorithms.erosion.memory import ERODED
from amoebot.cli.account import outcome_of
from amoebot.shapes import Shape
from amoebot.system import build
from amoebot.verify import HOLDS, all_shapes, verify
from helpers.full import FULL

#: Particles of the largest shapes explored.
LARGEST = 7 if FULL else 5

#: Nobody is left to erode or to be the leader.
EROSION_OF_ALL = ", ".join(f"corrupt {particle}@0 state={ERODED}" for particle in range(5))


def fixed_shapes(size: int) -> Iterator[Shape]:
    """Make every connected shape of N particles, rotations apart."""
    seen = set()
    for shape in all_shapes(size):
        nodes = [(int(x), int(y)) for x, y in shape.nodes]
        for _ in range(6):
            nodes = [(x + y, -x) for x, y in nodes]  # by 60 degrees clockwise
            left, low = min(x for x, _ in nodes), min(y for _, y in nodes)
            turned = tuple(sorted((x - left, y - low) for x, y in nodes))
            if turned not in seen:
                seen.add(turned)
                yield Shape(turned, name=shape.name)


def holes(shape: Shape) -> int:
    return max(0, len(build(shape).boundaries) - 1)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("setup", [True, False])
def test_it_elects_under_every_schedule_exactly_where_there_is_no_hole(setup: bool) -> None:
    """Every maximal schedule elects: no state is without a successor but those with a leader."""
    with_a_hole = without = 0
    for size in range(1, LARGEST + 1):
        for shape in fixed_shapes(size):
            report = verify(shape, algorithm="erosion", setup=setup, terminate=False)
            assert report.exhausted
            assert set(report.verdicts.values()) == {HOLDS}, shape.nodes.tolist()
            with_a_hole += holes(shape) > 0
            without += holes(shape) == 0
    assert (without, with_a_hole) == {5: (245, 0), 6: (1_058, 1), 7: (4_698, 13)}[LARGEST]


@pytest.mark.compiled
@pytest.mark.parametrize("setup", [True, False])
@pytest.mark.parametrize("terminate", [True, False])
def test_everybody_terminates_if_that_is_wanted(setup: bool, terminate: bool) -> None:
    options: dict[str, Any] = {"algorithm": "erosion", "setup": setup, "terminate": terminate}
    for seed in range(5):
        result = amoebot.elect(shapes.parse("random:80", seed), seed, **options)
        assert (result.outcome, result.leaders) == ("leader", 1)
        assert (result.rounds_terminated is not None) == terminate
    report = verify(shapes.triangle(2), **options)
    assert set(report.verdicts.values()) == {HOLDS}


@pytest.mark.compiled
@pytest.mark.parametrize("setup", [True, False])
def test_around_a_hole_it_is_stuck(setup: bool) -> None:
    result = amoebot.elect(shapes.annulus(5, 2), algorithm="erosion", setup=setup)
    assert (result.outcome, result.leader) == ("stuck", None)
    assert result.candidates[-1][1] >= 18  # the shortest ring around the hole


@pytest.mark.compiled
@pytest.mark.parametrize("faults", ["crash 0@0", EROSION_OF_ALL])
def test_what_is_said_of_a_fault_is_true(faults: str) -> None:
    """It spoke of candidates around a hole, on a line."""
    result = amoebot.elect("line:5", algorithm="erosion", faults=faults, max_rounds=100)
    assert result.outcome == "stuck"
    words = outcome_of(result)
    assert words.startswith("No leader: none of the candidates that are left can erode. Erosion ")
    assert "faults" in words


@pytest.mark.compiled
def test_who_wins_depends_on_the_schedule_and_no_coin_is_flipped() -> None:
    winners = set()
    for seed in range(12):
        simulation = amoebot.Simulation(shapes.line(9), seed, algorithm="erosion")
        simulation.run()
        winners.add(simulation.leader)
    assert len(winners) > 1


@pytest.mark.compiled
@pytest.mark.slow
def test_rounds_grow_no_faster_than_n() -> None:
    """At most n + 1 rounds on any shape; on a hexagon, about as many as its radius."""
    for name in ("line:{}", "tree:{}", "random:{}"):
        for size in (50, 100, 200, 400):
            shape = shapes.parse(name.format(size), 1)
            for scheduler in ("permutation", "adversarial", "round-robin"):
                options: dict[str, Any] = {"scheduler": scheduler, "algorithm": "erosion"}
                rounds = [amoebot.elect(shape, seed, **options).rounds for seed in range(5)]
                assert max(rounds) <= size + 1, (name, size, scheduler)
    radii = np.array([5, 10, 20, 40])
    means = [
        mean(amoebot.elect(hexagon, seed, algorithm="erosion").rounds for seed in range(5))
        for hexagon in map(shapes.hexagon, radii.tolist())
    ]
    assert np.polyfit(np.log(radii), np.log(means), 1)[0] < 1.15
