"""What the paper claims (Section 3 and Appendix A), and how each claim is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl
from matplotlib.figure import Figure

#: The rows of each part of the standard plan, by name.
Rows = dict[str, pl.DataFrame]


@dataclass
class Finding:
    """What was measured about a claim."""

    measured: str  #: the measured constant, in a sentence
    holds: bool
    figure: Figure
    caption: str
    numbers: dict[str, pl.DataFrame] = field(default_factory=dict)
    shown: pl.DataFrame | None = None  #: what is printed below the figure, if anything


@dataclass(frozen=True)
class Claim:
    """A lemma, theorem or corollary of the paper."""

    name: str
    title: str
    statement: str
    parts: tuple[str, ...]  #: of the standard plan that it is measured on
    judge: Callable[[Rows], Finding]

    def command(self, full: bool) -> str:
        """Return what to type to reproduce this figure alone."""
        return f"amoebot reproduce {'--full' if full else '--quick'} --only {self.name}"


#: The claims by name, in the order of the paper.
CLAIMS: dict[str, Claim] = {}


def claim(
    title: str, statement: str, *parts: str
) -> Callable[[Callable[[Rows], Finding]], Callable[[Rows], Finding]]:
    """Add a claim, measured by the function that follows."""

    def add(judge: Callable[[Rows], Finding]) -> Callable[[Rows], Finding]:
        name = title.partition(",")[0].lower().replace(" ", "-").replace(".", "-")
        CLAIMS[name] = Claim(name, title, statement, parts, judge)
        return judge

    return add


def larger_half(frame: pl.DataFrame, column: str) -> tuple[int, pl.DataFrame]:
    """Return the rows with the larger half of all sizes, and the size that they begin with."""
    sizes = sorted(frame[column].unique())
    least = int(sizes[len(sizes) // 2])
    return least, frame.filter(pl.col(column) >= least)


def agreement(table: pl.DataFrame) -> tuple[int, int]:
    """Return in how many groups the exact probability of failure fits what was seen, of how many.

    Each group has its interval, wide enough that all of them together err once in a thousand.
    """
    from amoebot.reports.statistics import clopper_pearson

    known = table.drop_nulls("exact")
    fits = 0
    for row in known.iter_rows(named=True):
        failed = row["no candidates"] + row["tied identifiers"]
        low, high = clopper_pearson(failed, row["elections"], 1 - 1e-3 / known.height)
        fits += low <= row["exact"] <= high
    return fits, known.height
