"""The claims of the paper (Section 3 and Appendix A), and how each is measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl
from matplotlib.figure import Figure

from amoebot.reports import analysis
from amoebot.reproduction import curves, verdicts
from amoebot.reproduction.verdicts import Check, Decision, decide

#: A table of checks with more rows is only among the numbers.
MOST_ROWS = 40

#: The rows of each part of the standard plan and of each probe, by name.
Rows = dict[str, pl.DataFrame]


@dataclass
class Measurement:
    """What was measured about a claim, with the checks that decide and a figure."""

    measured: str  #: the measured constant, in a sentence
    checks: Sequence[Check]
    figure: Figure
    caption: str
    numbers: dict[str, pl.DataFrame] = field(default_factory=dict)

    @cached_property
    def decision(self) -> Decision:
        """The verdict."""
        return decide(self.checks)

    @property
    def shown(self) -> pl.DataFrame | None:
        """The checks as a table, where there are several."""
        return self.decision.table() if 1 < len(self.checks) <= MOST_ROWS else None


Measure = Callable[[Rows], Measurement]


class NothingToMeasureError(Exception):
    """No election got as far as a claim is about, as may be with changed rules."""


def some(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame that is not empty."""
    if frame.is_empty():
        raise NothingToMeasureError
    return frame


@dataclass(frozen=True)
class Claim:
    """A lemma, theorem or corollary of the paper."""

    name: str
    title: str
    statement: str
    test: str  #: what decides, stated beforehand
    parts: tuple[str, ...]  #: of the standard plan, or probes, that it is measured on
    measure: Measure

    @property
    def anchor(self) -> str:
        """The anchor that the claim's heading gets, on the site and on a code host."""
        kept = "".join(c for c in self.title.lower() if c.isalnum() or c in " -")
        return kept.replace(" ", "-")

    def measured(self, rows: Rows) -> Measurement:
        """Measure the claim; where there is nothing to measure, it is undecided."""
        try:
            return self.measure(rows)
        except NothingToMeasureError:
            told = "nothing, because no election got that far"
            return Measurement(told, [], curves.nothing(), "Nothing to draw.")

    def command(self, full: bool) -> str:
        """Return the command that reproduces this figure alone."""
        return f"amoebot reproduce {'--full' if full else '--quick'} --only {self.name}"


#: The claims by name, in the order of the paper.
CLAIMS: dict[str, Claim] = {}


def claim(title: str, statement: str, test: str, *parts: str) -> Callable[[Measure], Measure]:
    """Add a claim, measured by the function that follows."""

    def add(measure: Measure) -> Measure:
        name = title.partition(",")[0].lower().replace(" ", "-").replace(".", "-")
        CLAIMS[name] = Claim(name, title, statement, test, parts, measure)
        return measure

    return add


#: How far above the claimed exponent the upper limit of a measured one may be. On sizes from 100 to
#: 5,000 the slope of x log x is above 1.1, so the two are told apart.
MARGIN = 0.05

#: The least n at which "w.h.p." is taken to have begun, and how rare exceptions must be from there.
LARGE, RARE = 1_000, 0.01


def elected(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the elections that have a leader, with the quantities that figures need."""
    after = pl.col("rounds") - pl.col("digit_tokens_created")
    return some(analysis.elected(frame)).with_columns(after.alias("rounds_after_tokens"))


def units(frame: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """Return what counts as one observation: an election, or a random shape with several of them.

    Elections on the same random shape have that shape in common, so they are averaged.
    """
    known = frame.drop_nulls([x, y])
    drawn = pl.col("shape_seed").n_unique().over("shape") > 1
    alone = known.filter(~drawn).select("shape", x, pl.col(y).cast(pl.Float64))
    together = known.filter(drawn).group_by("shape", "shape_seed", x).agg(pl.col(y).mean())
    return pl.concat([alone, together.select("shape", x, y)])


def slopes(
    frame: pl.DataFrame, x: str, y: str, bound: float, words: str, by: Sequence[str] = ("family",)
) -> list[Check]:
    """Check in each group that a column grows at most like a power of another.

    Args:
        frame: Elections.
        x: The column of sizes.
        y: The column that grows.
        bound: The most that the exponent may be.
        words: What grows with what, for the table.
        by: The columns that make the groups.
    """
    checks = []
    for names, group in frame.group_by(by, maintain_order=True):
        law = analysis.fit(units(group, x, y), x, y)
        name = f"{words}, {' '.join(map(str, names))}"
        checks.append(verdicts.slope(name, law, bound, group.height))
    return sorted(checks, key=lambda check: check.what)


def span(checks: Sequence[Check]) -> str:
    """Return the least and the greatest estimate."""
    estimates = [check.estimate for check in checks if not math.isnan(check.estimate)]
    return f"{min(estimates):.3f} to {max(estimates):.3f}" if estimates else "too few sizes"


def greatest(values: pl.Series) -> float:
    """Return the greatest of some numbers."""
    return float(values.to_numpy().max()) if len(values) else math.nan
