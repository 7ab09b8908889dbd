"""Tables of sweeps, compared."""

from __future__ import annotations

import polars as pl

from amoebot.sweeps.schema import TIMES


def same(one: pl.LazyFrame, other: pl.LazyFrame) -> bool:
    """Whether two tables are equal row for row, but for how long each row took."""
    return one.drop(TIMES).collect().equals(other.drop(TIMES).collect())
