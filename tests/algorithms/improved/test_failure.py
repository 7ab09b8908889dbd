"""How likely Section 2 fails: exactly, in floating-point numbers, and by brute force."""

from __future__ import annotations

from fractions import Fraction

import pytest

from amoebot.algorithms.improved.failure import (
    election_probability,
    probability_of_failure,
    sum_of_powers,
)
from helpers import naive


@pytest.mark.paper("Lemma 3")
def test_probabilities_by_hand() -> None:
    assert election_probability(0, 2) == 1
    assert election_probability(2, 2) == Fraction(5, 8)
    # Four agents: nobody heads (1 of 16), two segments of two that are equal (2 of 16, one in
    # four), or four of one digit and not exactly one of them highest (1 of 16, three in four).
    assert election_probability(4, 2) == 1 - Fraction(1 + Fraction(2, 4) + Fraction(3, 4), 16)


@pytest.mark.parametrize("radix", [2, 3, 16])
def test_fractions_and_numbers_are_those_of_the_definition(radix: int) -> None:
    for length in range(1, 25):
        expected = naive.failure_probability(length, radix)
        assert election_probability(length, radix) == 1 - expected
        assert probability_of_failure(length, radix) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("radix", [2, 3, 16])
def test_numbers_stay_exact_on_longer_boundaries(radix: int) -> None:
    """Once they were integrated where there are many values, and wrong in the eighth place."""
    exact = float(1 - election_probability(60, radix))
    assert probability_of_failure(60, radix) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("power", range(6))
def test_sums_of_powers_are_those_of_the_definition(power: int) -> None:
    for below in range(1, 9):
        assert sum_of_powers(power, below) == sum(k**power for k in range(below))


def test_long_identifiers_take_no_longer_to_compare() -> None:
    """Once the sum had as many terms as there are identifiers: 16^12 for this one."""
    assert 0.999 < election_probability(12, 16) < 1
