"""The parts of a report: a figure with a title, a caption, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl
from matplotlib.figure import Figure

from amoebot.algorithms import registry
from amoebot.algorithms.description import Course
from amoebot.linking import PAPER
from amoebot.reports import analysis, comparison, figures
from amoebot.reports.statistics import MISFIT
from amoebot.reports.style import as_svg
from amoebot.results import ROUND_LIMIT
from amoebot.sweeps import variants

#: How the exponents of a report are fitted.
FITTED = (
    "Two exponents are fitted: b in rounds = a L^b + c log² L, whose second term stands for a "
    "setup that still counts on small systems, and the plain slope in a double logarithmic plot. "
    "Margins are 95 % intervals, with variances that may differ by size. Where the means of the "
    "sizes are too far from a curve to be there by chance (p < 0.001), it does not fit, and has no "
    "exponent (–)."
)

#: What the boxes of a comparison show.
BOXES = "Line: the middle 90 % of the elections; box: the middle half; stroke: the median."

#: What the numbers of elections side by side say beside rounds.
COSTS = (
    "Among the numbers, costs has activations, coins, bits of memory and failures on each shape."
)

#: A table with more rows is only among the numbers.
MOST_ROWS = 24


#: Why curves of rounds differ between schedulers.
UNIFORM = (
    " Under uniform a round is longer: it is over when the last particle has been activated, most "
    "of them about log n times."
)


@dataclass
class Section:
    """A figure, its caption, and its numbers."""

    name: str
    title: str
    caption: str
    figure: Figure
    numbers: dict[str, pl.DataFrame] = field(default_factory=dict)
    shown: pl.DataFrame | None = None  #: the table below the figure

    @cached_property
    def svg(self) -> str:
        """The figure as SVG."""
        return as_svg(self.figure, self.name)


def sections_of(frame: pl.DataFrame, elections: Sequence[str] = ()) -> list[Section]:
    """Return the sections that a dataset has data for.

    Args:
        frame: The rows of a sweep.
        elections: The elections as a plan names them: their settings, and where to find them.
    """
    paths = variants.paths_of(elections)
    every = comparison.named_elections(analysis.named_options(frame, paths), elections)
    algorithms = every["algorithm"].unique(maintain_order=True).to_list()
    made: list[Section] = []
    if every["election"].n_unique() > 1:
        ran = analysis.elected(every.filter(pl.col("rules") == PAPER))
        usual = pl.concat(map(usual_rows, ran.partition_by("election"))) if ran.height else ran
        made += _side_by_side(every, usual, paths)
        made += _compared(usual, "election") if usual.height else []
    for name in algorithms:
        election = registry.find(paths.get(name, name))
        course = election.course
        sections = _sections(every.filter(pl.col("algorithm") == name), course)
        if len(algorithms) > 1:
            sections = [_renamed(section, name, election.title) for section in sections]
        made += sections
    return made


def _renamed(section: Section, algorithm: str, title: str) -> Section:
    """Return a section of a report in which other elections have the same section."""
    numbers = {f"{name}-{algorithm}": table for name, table in section.numbers.items()}
    name, heading = f"{section.name}-{algorithm}", f"{title}: {section.title}"
    return replace(section, name=name, title=heading, numbers=numbers)


def _sections(every: pl.DataFrame, course: Course) -> list[Section]:
    """Return the sections of one election.

    All but the comparison of rules are about one set of rules, the paper's if they were run.
    """
    rules = sorted(every["rules"].unique(), key=lambda name: (name != PAPER, name))
    frame = every.filter(pl.col("rules") == rules[0])
    ran = analysis.elected(frame)
    made = []
    if len(rules) > 1 and ran.height:
        made.append(_rules(every))
    if ran.height:
        usual = usual_rows(ran)
        made += _growth(ran, usual)
        if usual["candidates_left"].list.len().max() not in (None, 0):
            made.append(_candidates(usual))
        if course.bands(usual.row(0, named=True), usual["rounds"][0]):
            made.append(_phases(usual, course))
    if set(frame["outcome"].unique()) - {"leader", ROUND_LIMIT}:
        made.append(_failures(one_scheduler(frame)))
    if ran["scheduler"].n_unique() > 1:
        made += _compared(ran, "scheduler")
    if ran.drop_nulls("rounds_terminated").height:
        made.append(_termination(usual_rows(ran.drop_nulls("rounds_terminated"))))
    return made


def one_scheduler(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of one scheduler: others have the same coins."""
    scheduler = analysis.reference(rows["scheduler"].unique().to_list(), "scheduler")
    return rows.filter(pl.col("scheduler") == scheduler)


def usual_rows(ran: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of one scheduler, of the options with the most shapes, and one expansion.

    They have no faults, if there are such.
    """
    return least_expanded(most_shapes(one_scheduler(unharmed(ran))))


def unharmed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows without faults, if there are any."""
    without = rows.filter(pl.col("faults") == "")
    return without if without.height else rows


def least_expanded(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the smallest share of expanded particles."""
    return rows.filter(pl.col("expanded") == pl.col("expanded").min())


def most_shapes(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the options that were run on the most shapes."""
    shapes = rows.group_by("options").agg(pl.col("shape").n_unique())
    options = shapes.sort("shape", "options", descending=[True, False])["options"][0]
    return rows.filter(pl.col("options") == options)


def _which(rows: pl.DataFrame) -> str:
    scheduler, options, rules, share = rows.select("scheduler", "options", "rules", "expanded").row(
        0
    )
    changed = "" if rules == PAPER else f", rules {rules}"
    expanded = f", {share:.0%} of the nodes expanded" if share else ""
    return f"Scheduler {scheduler}, options: {options}{changed}{expanded}."


def _growth(ran: pl.DataFrame, usual: pl.DataFrame) -> list[Section]:
    table = analysis.exponents(ran)
    against_length = Section(
        "rounds-against-length",
        "Rounds against L",
        "Rounds until the leader is declared, and the same in units of L. "
        f"{figures.BAND} {_which(usual)} {FITTED}",
        figures.growth(usual, "outer_boundary_length", figures.LENGTH, "L"),
        {"exponents": table, "rounds-against-length": _means(ran, "outer_boundary_length")},
        with_margins(table),
    )
    against_particles = Section(
        "rounds-against-particles",
        "Rounds against n",
        f"As before, against the number of particles. {_which(usual)}",
        figures.growth(usual, "particles", figures.PARTICLES, "n"),
        {"rounds-against-particles": _means(ran, "particles")},
    )
    return [against_length, against_particles]


def with_margins(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table of exponents with each margin beside its exponent."""
    laws = [name.removeprefix("margin of ") for name in table.columns if name.startswith("margin")]
    columns = [
        pl.when(pl.col(f"misfit of {name}") < MISFIT)
        .then(pl.when(pl.col(name).is_not_null()).then(pl.lit("does not fit")))
        .otherwise(
            pl.format("{} ± {}", pl.col(name).round(3), pl.col(f"margin of {name}").round(3))
        )
        .alias(name)
        for name in laws
    ]
    groups = [name for name in analysis.GROUPS if name == "family" or table[name].n_unique() > 1]
    shown = table.select(*groups, "elections", "least L", "greatest L", *columns)
    return shown[[column.name for column in shown if column.null_count() < shown.height]]


def _means(ran: pl.DataFrame, x: str) -> pl.DataFrame:
    return analysis.mean_and_band(ran, [*analysis.GROUPS, x], "rounds")


def _candidates(usual: pl.DataFrame) -> Section:
    longest = usual.filter(
        pl.col("outer_boundary_length") >= pl.col("outer_boundary_length").max().over("family") / 2
    )
    return Section(
        "candidates",
        "Candidates over time",
        f"Candidates left, in units of L. {figures.BAND} {_which(usual)} The largest shapes of "
        "each "
        "family.",
        figures.candidates(longest, "family"),
        {"candidates": analysis.candidates_over_time(longest, "family")},
    )


def _phases(usual: pl.DataFrame, course: Course) -> Section:
    sizes = usual.group_by("family").agg(pl.col("outer_boundary_length").n_unique())
    family = sizes.sort("outer_boundary_length", "family", descending=[True, False])["family"][0]
    return Section(
        "phases",
        "The phases",
        "Rounds from the end of one phase to the end of the next, in units of L, on average. "
        f"{_which(usual)} The exponents are those of the rounds of each phase against L, in the "
        "family with the most sizes.",
        figures.phases(usual, course, "family"),
        {"phases": analysis.phases(usual, course, ["family", "outer_boundary_length"])},
        analysis.phase_growth(usual, course, family),
    )


def _failures(frame: pl.DataFrame) -> Section:
    table = analysis.failures(frame)
    return Section(
        "failures",
        "Elections without a leader",
        "How often nobody is elected, with exact binomial (Clopper–Pearson) 95 % intervals.",
        figures.failures(table, "options"),
        {"failures": table},
        table if table.height <= MOST_ROWS else None,
    )


def _compared(ran: pl.DataFrame, by: str) -> list[Section]:
    """Return how runs differ by scheduler or by election."""
    if ran[by].n_unique() < 2:
        return []
    family = ran.group_by("family").agg(pl.col(by).n_unique(), pl.len())
    family = family.sort(by, "len", "family")["family"][-1]
    rows = least_expanded(unharmed(ran.filter(pl.col("family") == family)))
    which = f"Family {family}. {figures.BAND}"
    if by == "scheduler":
        options = rows.group_by("options").agg(pl.col(by).n_unique())
        options = options.sort(by, "options")["options"][-1]
        rows = rows.filter(pl.col("options") == options)
        which = f"Family {family}, options: {options}. {figures.BAND}"
        if "uniform" in rows["scheduler"]:
            which += UNIFORM
    table = analysis.compared(ran, by)
    coins = "on the same coins" if by == "scheduler" else "on the same shapes"
    return [
        Section(
            f"rounds-by-{by}",
            f"Rounds against L by {by}",
            which,
            figures.growth(rows, "outer_boundary_length", figures.LENGTH, "L", by=by),
            {f"rounds-by-{by}": analysis.mean_and_band(rows, [by, "shape"], "rounds")},
        ),
        Section(
            f"{by}s",
            f"{by.capitalize()}s {coins}",
            f"Matched elections: every {by} ran {coins}.{analysis.unmatched(ran, by)} {BOXES}",
            figures.compared(ran, by),
            {f"{by}s": table},
            table,
        ),
    ]


def _side_by_side(
    every: pl.DataFrame, usual: pl.DataFrame, paths: Mapping[str, str]
) -> list[Section]:
    """Return how the rounds of elections grow on the same shapes, and where the curves cross."""
    if usual.height == 0 or usual["election"].n_unique() < 2:
        return []
    costs = comparison.side_by_side(every, paths)
    made = []
    for x, (unit, words) in figures.SIZES.items():
        table = comparison.crossings(usual, x)
        made.append(
            Section(
                f"elections-against-{unit}",
                f"Elections side by side, against {unit}",
                f"Rounds until the leader is declared, against {words}. {figures.BAND} The table "
                f"says which of two elections takes fewer rounds, from which {unit} to which: "
                "where one gives way to another, their curves cross."
                + (f" {COSTS}" if x == "particles" else ""),
                figures.elections(usual, x, unit),
                {f"crossings-{unit}": table, **({"costs": costs} if x == "particles" else {})},
                table,
            )
        )
    return made


def _rules(frame: pl.DataFrame) -> Section:
    ran = analysis.elected(frame)
    counted = frame.group_by("rules").agg(
        pl.len().alias("elections"), (pl.col("outcome") == "leader").sum().alias("leaders")
    )
    compared = analysis.compared(ran, "rules").drop("elections")
    table = counted.join(compared, on="rules", how="left").sort("rounds / L, mean", nulls_last=True)
    return Section(
        "rules",
        "Rules on the same coins",
        "Matched elections: compared are those that have a leader under all rules."
        f"{analysis.unmatched(ran, 'rules')} {BOXES} All other figures are about one set of rules.",
        figures.compared(ran, "rules"),
        {"rules": table},
        table,
    )


def _termination(ran: pl.DataFrame) -> Section:
    found = analysis.blend(ran)
    fitted = f" Least squares: {found[0]:.2f} L + {found[1]:.2f} D." if found else ""
    by = ["family", "shape", "scheduler", "outer_boundary_length", "diameter"]
    return Section(
        "termination",
        "Termination for all, against L + D",
        "Rounds until the last particle has terminated, against the length of the outer boundary "
        "plus the diameter of the system: one point for each shape, the most of its elections. "
        f"{_which(ran)}{fitted}",
        figures.termination(ran),
        {"termination": analysis.mean_and_band(ran, by, "rounds_terminated")},
    )
