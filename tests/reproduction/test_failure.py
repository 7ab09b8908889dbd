"""The probability that Section 2 fails, by brute force; and measured failures beside it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import polars as pl
import pytest

from amoebot import sweeps
from amoebot.algorithms.improved import failure
from amoebot.reproduction.failures import agreement, failures


def naive_tie(length: int, radix: int) -> Fraction:
    """All coin flips one by one; then the chance that the highest of M identifiers is shared."""
    tie = Fraction(0)
    for coins in itertools.product((False, True), repeat=length):
        heads = [place for place in range(length) if coins[place]]
        if not heads:
            continue
        segments = [
            (b - a - 1) % length + 1 for a, b in zip(heads, heads[1:] + heads[:1], strict=True)
        ]
        rivals, values = segments.count(max(segments)), radix ** max(segments)
        unique = sum(
            Fraction(rivals, values) * Fraction(v, values) ** (rivals - 1) for v in range(values)
        )
        tie += (1 - unique) / 2**length
    return tie


@pytest.mark.parametrize(("length", "radix"), [(1, 2), (2, 2), (3, 2), (4, 3), (7, 2), (9, 2)])
def test_the_probability_of_a_tie_is_exact(length: int, radix: int) -> None:
    exact = float(naive_tie(length, radix))
    assert failure.probability_of_tie(length, radix) == pytest.approx(exact, abs=1e-12)


def test_failures_become_rare() -> None:
    for radix in (2, 16):
        rates = [failure.probability_of_failure(length, radix) for length in (6, 12, 24, 48, 96)]
        assert rates == sorted(rates, reverse=True)
    assert failure.bound(10_000, 16) == 1
    assert failure.bound(10_000, 256) == pytest.approx(1e-4)


def test_measured_failures_agree_with_the_exact_probability_and_not_with_another() -> None:
    plan = {"shapes": "hexagon:1", "variants": "whp", "radix": [2, 16], "seeds": 400}
    table = failures(sweeps.sweep(plan).collect())
    assert table["radix"].to_list() == [2, 16]
    assert agreement(table) == (2, 2)
    assert agreement(table.with_columns(pl.col("exact") * 3))[0] < 2
