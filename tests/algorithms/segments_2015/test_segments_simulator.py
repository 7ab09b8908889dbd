"""The rules against a second simulator, written from the description: the same distributions."""

from __future__ import annotations

import pytest

from amoebot import elect_many, shapes
from amoebot.shapes import Shape
from helpers.distributions import check_same
from helpers.full import FULL
from helpers.segments_simulator import Election

pytestmark = pytest.mark.compiled

#: Runs of the second simulator; the first one is quicker.
RUNS = 4_000 if FULL else 500

CASES = [
    (shapes.line(2), True),
    (shapes.triangle(2), False),
    (shapes.line(8), False),
    (shapes.hexagon(1), False),
    (shapes.annulus(1, 0), True),
    (shapes.line(6).with_expanded(1.0, seed=1), False),
    *([(shapes.triangle(4), False), (shapes.annulus(2, 0), True)] if FULL else []),
]


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "repaired"), CASES, ids=str)
def test_rounds_and_outcomes_are_those_of_the_description(shape: Shape, repaired: bool) -> None:
    expected = [Election(shape, seed, repaired).run() for seed in range(RUNS)]
    results = elect_many(
        shape, range(10 * RUNS), algorithm="segments-2015", repaired=repaired, terminate=False
    )
    check_same(expected, [(result.outcome, result.rounds) for result in results])
