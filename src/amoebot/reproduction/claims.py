"""The claims of the paper (Section 3 and Appendix A), and how each is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl
from matplotlib.figure import Figure

from amoebot.reports import analysis, figures
from amoebot.reports.analysis import Laws
from amoebot.reports.statistics import fit_power

#: The rows of each part of the standard plan, by name.
Rows = dict[str, pl.DataFrame]


@dataclass
class Measurement:
    """What was measured about a claim, with its figure."""

    measured: str  #: the measured constant, in a sentence
    holds: bool
    figure: Figure
    caption: str
    numbers: dict[str, pl.DataFrame] = field(default_factory=dict)
    shown: pl.DataFrame | None = None  #: the table below the figure


Measure = Callable[[Rows], Measurement]


@dataclass(frozen=True)
class Claim:
    """A lemma, theorem or corollary of the paper."""

    name: str
    title: str
    statement: str
    parts: tuple[str, ...]  #: of the standard plan that it is measured on
    measure: Measure

    @property
    def anchor(self) -> str:
        """The anchor that the claim's heading gets, on the site and on a code host."""
        kept = "".join(c for c in self.title.lower() if c.isalnum() or c in " -")
        return kept.replace(" ", "-")

    def command(self, full: bool) -> str:
        """Return the command that reproduces this figure alone."""
        return f"amoebot reproduce {'--full' if full else '--quick'} --only {self.name}"


#: The claims by name, in the order of the paper.
CLAIMS: dict[str, Claim] = {}


def claim(title: str, statement: str, *parts: str) -> Callable[[Measure], Measure]:
    """Add a claim, measured by the function that follows."""

    def add(measure: Measure) -> Measure:
        name = title.partition(",")[0].lower().replace(" ", "-").replace(".", "-")
        CLAIMS[name] = Claim(name, title, statement, parts, measure)
        return measure

    return add


def larger_half(frame: pl.DataFrame, column: str) -> tuple[int, pl.DataFrame]:
    """Return the rows with the larger half of all sizes, and the size that they begin with."""
    sizes = sorted(frame[column].unique())
    least = int(sizes[len(sizes) // 2])
    return least, frame.filter(pl.col(column) >= least)


def greatest(values: pl.Series) -> float:
    """Return the greatest of some numbers."""
    return float(values.to_numpy().max())


# The rounds after T, in which the last digit token is created.


def elected(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the elections that have a leader, with the quantities that figures need."""
    after = pl.col("rounds") - pl.col("digit_tokens_created")
    named = analysis.named_options(frame)
    return analysis.elected(named).with_columns(after.alias("rounds_after_tokens"))


#: The exponents of the paper's claims: identifier setup takes O(log² n) rounds (Corollary 1).
LAWS: Laws = {
    **{
        name: analysis.LAWS[name]
        for name in ("all rounds against L", "all rounds against L, plain slope")
    },
    "rounds after T against L": ("outer_boundary_length", "rounds_after_tokens", fit_power),
    "all rounds against n": analysis.LAWS["all rounds against n"],
}

FITS: figures.Fits = {**figures.FITS, "after T": ("rounds_after_tokens", fit_power)}

#: How they are fitted.
FITTED = (
    "Identifier setup takes O(log² n) rounds, which still count on small systems. So three "
    "exponents are fitted: that of all rounds is b in rounds = a L^b + c log² L; the plain slope "
    "of all rounds in a double logarithmic plot has no such term; and the rounds after T, in which "
    "the last digit token is created, leave that part out. Margins are 95 % intervals."
)
