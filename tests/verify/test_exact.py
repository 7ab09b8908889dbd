"""Exact numbers of small systems, by hand and against simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from amoebot import Simulation, jit, shapes
from amoebot.verify import expected_activations


@pytest.mark.paper("Lemma 3")
def test_probabilities_by_hand() -> None:
    assert election_probability(0, 2) == 1
    assert election_probability(2, 2) == Fraction(5, 8)
    # Four agents: nobody heads (1 of 16), two segments of two that are equal (2 of 16, one in
    # four), or four of one digit and not exactly one of them highest (1 of 16, three in four).
    assert election_probability(4, 2) == 1 - Fraction(1 + Fraction(2, 4) + Fraction(3, 4), 16)


def test_too_many_coins_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 20"):
        election_probability(21, 2)


@pytest.mark.skipif(jit.INTERPRETED, reason="hours, interpreted")
@pytest.mark.parametrize(
    ("name", "almost_sure"),
    [("line:2", False), ("line:2", True), ("triangle:2", False), ("line:3", False)],
)
def test_expected_activations_are_those_of_simulation(name: str, almost_sure: bool) -> None:
    shape = shapes.parse(name)
    exact = expected_activations(shape, almost_sure=almost_sure)
    counts = []
    for seed in range(4_000):
        run = Simulation(shape, seed, "uniform", radix=2, almost_sure=almost_sure, terminate=False)
        run.run()
        counts.append(run.activations)
    assert abs(np.mean(counts) - exact) < 5 * np.std(counts) / len(counts) ** 0.5


@pytest.mark.skipif(jit.INTERPRETED, reason="hours, interpreted")
def test_expected_activations_on_two_particles_are_a_known_number() -> None:
    assert expected_activations(shapes.line(2), almost_sure=False) == pytest.approx(21.25)


@pytest.mark.parametrize("power", range(6))
def test_sums_of_powers_are_those_of_the_definition(power: int) -> None:
    for below in range(1, 9):
        assert sum_of_powers(power, below) == sum(k**power for k in range(below))


def test_long_identifiers_take_no_longer_to_compare() -> None:
    """Once the sum had as many terms as there are identifiers: 16^12 for this one."""
    assert 0.999 < election_probability(12, 16) < 1
