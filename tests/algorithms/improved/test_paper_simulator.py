"""The rules against a second simulator, written from the paper alone: the same distributions."""

from __future__ import annotations

from typing import Any

import pytest

from amoebot import elect_many, shapes
from amoebot.shapes import Shape
from helpers.distributions import check_same
from helpers.full import FULL
from helpers.paper_simulator import Election

pytestmark = pytest.mark.compiled

#: Runs of the second simulator; the first one is quicker.
RUNS = 4_000 if FULL else 400

STAR = Shape([(0, 0), (1, 0), (0, -1), (-1, 1)], name="star")

CASES = [
    (shapes.line(2), 2, False),
    (shapes.line(6), 16, False),
    (shapes.triangle(3), 4, False),
    (STAR, 2, False),
    (shapes.annulus(1, 0), 16, False),
    (shapes.line(6).with_expanded(1.0, seed=1), 16, False),
    (shapes.hexagon(1), 16, True),
    (shapes.line(3), 2, True),
    (shapes.parallelogram(3, 2).with_expanded(0.7, seed=2), 2, True),
]


@pytest.mark.paper("Section 2.3", "Section 2.4", "Section 2.5", "Section 2.6", "Appendix A.3")
@pytest.mark.slow
@pytest.mark.parametrize(("shape", "radix", "almost_sure"), CASES if FULL else CASES[::4], ids=str)
def test_rounds_and_outcomes_are_those_of_the_paper(
    shape: Shape, radix: int, almost_sure: bool
) -> None:
    expected = [Election(shape, seed, radix, almost_sure).run() for seed in range(RUNS)]
    options: dict[str, Any] = {"radix": radix, "almost_sure": almost_sure, "terminate": False}
    results = list(elect_many(shape, range(10 * RUNS), **options))
    told = [(result.outcome, result.rounds) for result in results]
    check_same(expected, told)
