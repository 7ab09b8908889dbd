"""The parts of a report: a figure with a title, a caption, and the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import polars as pl
from matplotlib.figure import Figure

from amoebot.reports import analysis, figures
from amoebot.reports.style import as_svg
from amoebot.linking import PAPER

#: How the exponents of a report are fitted.
FITTED = (
    "Identifier setup takes O(log² n) rounds, which still count on small systems. So three "
    "exponents are fitted: that of all rounds is b in rounds = a L^b + c log² L; the plain slope "
    "of all rounds in a double logarithmic plot has no such term; and the rounds after T, in which "
    "the last digit token is created, leave that part out. Margins are 95 % intervals."
)


@dataclass
class Section:
    """A figure, what it shows, and its numbers."""

    name: str
    title: str
    caption: str
    figure: Figure
    numbers: dict[str, pl.DataFrame] = field(default_factory=dict)
    shown: pl.DataFrame | None = None  #: what is printed below the figure, if anything

    @cached_property
    def svg(self) -> str:
        """The figure as SVG."""
        return as_svg(self.figure, self.name)


def sections_of(frame: pl.DataFrame) -> list[Section]:
    """Return the sections that a dataset has data for.

    All but the comparison of rules are about one set of rules, the paper's if they were run.
    """
    rules = sorted(frame["rules"].unique(), key=lambda name: (name != PAPER, name))
    every, frame = frame, frame.filter(pl.col("rules") == rules[0])
    ran = analysis.elected(frame)
    made = []
    if ran.height:
        usual = usual_rows(ran)
        made += _growth(ran, usual)
        if usual["candidates_left"].list.len().max() not in (None, 0):
            made.append(_candidates(usual))
        made.append(_phases(usual))
    if frame.filter(~pl.col("almost_sure")).height:
        made.append(_failures(frame))
    if ran["scheduler"].n_unique() > 1 and "permutation" in ran["scheduler"].unique():
        made += [_by_scheduler(ran), _schedulers(ran)]
    if ran.drop_nulls("rounds_terminated").height:
        made.append(_termination(ran))
    if len(rules) > 1 and rules[0] == PAPER and ran.height:
        made.insert(0, _rules(every))
    return made


def usual_rows(ran: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of one scheduler and of the variant with the most shapes."""
    schedulers = ran["scheduler"].unique().to_list()
    scheduler = "permutation" if "permutation" in schedulers else sorted(schedulers)[0]
    rows = ran.filter(pl.col("scheduler") == scheduler)
    shapes = rows.group_by("variant").agg(pl.col("shape").n_unique())
    variant = shapes.sort("shape", "variant", descending=True)["variant"][0]
    rows = rows.filter(pl.col("variant") == variant)
    contracted = rows.filter(pl.col("expanded") == 0)
    return contracted if contracted.height else rows


def _which(rows: pl.DataFrame) -> str:
    scheduler, variant, rules = rows.select("scheduler", "variant", "rules").row(0)
    changed = "" if rules == PAPER else f", rules {rules}"
    return f"Scheduler {scheduler}, variant {variant}{changed}."


def _growth(ran: pl.DataFrame, usual: pl.DataFrame) -> list[Section]:
    table = analysis.exponents(ran)
    against_length = Section(
        "rounds-against-length",
        "Rounds against L",
        "Mean number of rounds until the leader is declared, and the same in units of L, with the "
        f"95 % confidence band of the mean. {_which(usual)} {FITTED}",
        figures.growth(usual, "outer_boundary_length", figures.LENGTH, "L"),
        {"exponents": table, "rounds-against-length": _means(ran, "outer_boundary_length")},
        spelled(table),
    )
    against_particles = Section(
        "rounds-against-particles",
        "Rounds against n",
        f"As before, against the number of particles. {_which(usual)} Where the outer boundary "
        "grows like √n, as on solid hexagons, so do the rounds.",
        figures.growth(usual, "particles", figures.PARTICLES, "n"),
        {"rounds-against-particles": _means(ran, "particles")},
    )
    return [against_length, against_particles]


def spelled(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table of exponents with each margin beside its exponent."""
    columns = [
        pl.format("{} ± {}", pl.col(name).round(3), pl.col(f"margin of {name}").round(3)).alias(
            name
        )
        for name in analysis.LAWS
    ]
    inputs = ("family", "scheduler", "variant", "elections", "least L", "greatest L")
    shown = table.select(*inputs, *columns)
    return shown[[column.name for column in shown if column.null_count() < shown.height]]


def _means(ran: pl.DataFrame, x: str) -> pl.DataFrame:
    return analysis.mean_and_band(ran, ["family", "scheduler", "variant", x], "rounds")


def _candidates(usual: pl.DataFrame) -> Section:
    longest = usual.filter(
        pl.col("outer_boundary_length") >= pl.col("outer_boundary_length").max().over("family") / 2
    )
    return Section(
        "candidates",
        "Candidates over time",
        "Candidates left on the outer boundary, as a share of its agents: the mean, and all "
        f"elections between the least and the most. {_which(usual)} The largest shapes of each "
        "family.",
        figures.candidates(longest, "family"),
        {"candidates": analysis.candidates_over_time(longest, "family")},
    )


def _phases(usual: pl.DataFrame) -> Section:
    return Section(
        "phases",
        "The phases",
        "Rounds from the end of one phase to the end of the next, in units of L, on average. "
        f"{_which(usual)} Identifier comparison is counted until the last solitude verification "
        "begins.",
        figures.phases(usual, "family"),
        {"phases": analysis.phases(usual, ["family", "outer_boundary_length"])},
    )


def _failures(frame: pl.DataFrame) -> Section:
    table = analysis.failures(frame)
    return Section(
        "failures",
        "Failures of Section 2",
        "How often nobody is elected, because no agent flipped heads or the highest identifier is "
        "not unique, with exact binomial (Clopper–Pearson) 95 % intervals. Lines: the exact "
        "probability. The almost sure variant never fails.",
        figures.failures(table),
        {"failures": table},
        table if table.height <= 24 else None,
    )


def _by_scheduler(ran: pl.DataFrame) -> Section:
    family = ran.group_by("family").len().sort("len", "family")["family"][-1]
    rows = ran.filter(pl.col("family") == family)
    variant = rows.group_by("variant").agg(pl.col("scheduler").n_unique())
    variant = variant.sort("scheduler", "variant")["variant"][-1]
    rows = rows.filter(pl.col("variant") == variant)
    return Section(
        "rounds-by-scheduler",
        "Rounds against L by scheduler",
        f"Family {family}, variant {variant}. Under uniform a round is longer, because it is over "
        "only when the last particle has had a turn: about log n turns each. So the number of "
        "rounds grows a little more slowly than L.",
        figures.growth(rows, "outer_boundary_length", figures.LENGTH, "L", by="scheduler"),
        {"rounds-by-scheduler": _means(rows, "outer_boundary_length")},
    )


def _schedulers(ran: pl.DataFrame) -> Section:
    return Section(
        "schedulers",
        "Schedulers on the same coins",
        "Every scheduler met the same coin flips and identifiers. Line: least to most; box: the "
        "middle half of all elections; stroke: the median.",
        figures.compared(ran, "scheduler"),
        {"schedulers": analysis.compared(ran, "scheduler")},
        analysis.compared(ran, "scheduler"),
    )


def _rules(frame: pl.DataFrame) -> Section:
    ran = analysis.elected(frame)
    counted = frame.group_by("rules").agg(
        pl.len().alias("elections"), (pl.col("outcome") == "leader").sum().alias("leaders")
    )
    compared = analysis.compared(ran, "rules").drop("elections")
    table = counted.join(compared, on="rules", how="left").sort("rounds / L, mean", nulls_last=True)
    return Section(
        "rules",
        "Rules, on the same coins",
        "All rules met the same coin flips; compared are elections that have a leader under both. "
        "Line: least to most; box: the middle half of them; stroke: the median. All other "
        "figures are about the paper's rules alone.",
        figures.compared(ran, "rules"),
        {"rules": table},
        table,
    )


def _termination(ran: pl.DataFrame) -> Section:
    found = analysis.blend(ran)
    fitted = f" Least squares: {found[0]:.2f} L + {found[1]:.2f} D." if found else ""
    known = ran.drop_nulls("rounds_terminated")
    by = ["family", "shape", "scheduler", "outer_boundary_length", "diameter"]
    return Section(
        "termination",
        "Termination for all, against L + D",
        "Rounds until the last particle has terminated, against the length of the outer boundary "
        f"plus the diameter of the system.{fitted}",
        figures.termination(ran),
        {"termination": analysis.mean_and_band(known, by, "rounds_terminated")},
    )
