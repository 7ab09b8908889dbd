"""How often the algorithm of Section 2 fails, measured beside its exact probability."""

from __future__ import annotations

import math

import polars as pl

from amoebot.algorithms.improved.failure import bound, probability_of_failure
from amoebot.reports import analysis
from amoebot.reproduction.verdicts import Check, as_computed

#: The longest outer boundary for which the probability is computed here.
LONGEST = 500

#: The longest one for which that is quick.
QUICK = 250

#: The ways to fail.
OUTCOMES = ("no-candidates", "tied-identifiers")


def failures(frame: pl.DataFrame) -> pl.DataFrame:
    """Return how often Section 2 failed by shape and radix, and how often it has to."""
    table = analysis.failures(frame.filter(~pl.col("almost_sure")), by="radix")
    for name in OUTCOMES:
        if name not in table.columns:
            table = table.with_columns(pl.lit(0, pl.Int64).alias(name))
    inputs = table.select("outer_boundary_length", "particles", "radix").rows()
    exact = [
        probability_of_failure(length, radix) if 0 < length <= LONGEST else None
        for length, _, radix in inputs
    ]
    bounds = [bound(particles, radix) for _, particles, radix in inputs]
    return table.with_columns(
        pl.Series("exact", exact, dtype=pl.Float64), pl.Series("bound", bounds, dtype=pl.Float64)
    )


def expected_failures(lengths: pl.Series, radix: int) -> float:
    """Return how many elections on boundaries of some lengths are expected to fail, at most.

    The probability falls with the length, so beyond a length that is quick to compute its own will
    do.
    """
    counts = lengths.clip(upper_bound=QUICK).value_counts().iter_rows()
    return math.fsum(count * probability_of_failure(length, radix) for length, count in counts)


def agreement(table: pl.DataFrame) -> list[Check]:
    """Check in each group that failures are as frequent as the exact probability says."""
    return [
        as_computed(
            f"failures as computed, {row['shape']}, r = {row['radix']}",
            row["failed"],
            row["elections"],
            row["exact"],
        )
        for row in table.drop_nulls("exact").iter_rows(named=True)
    ]
