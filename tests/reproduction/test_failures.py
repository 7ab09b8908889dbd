"""Failures of Section 2, measured beside their exact probability."""

from __future__ import annotations

import polars as pl
import pytest

from amoebot import sweeps
from amoebot.algorithms.improved import failure
from amoebot.reproduction.failures import agreement, failures
from amoebot.reproduction.verdicts import FAILS, HOLDS, decide


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
    assert decide(agreement(table)).word == HOLDS
    assert decide(agreement(table.with_columns(pl.col("exact") * 2))).word == FAILS
