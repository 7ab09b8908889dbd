"""Tables of growth, phases, candidates, failures and comparisons, from the rows of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from amoebot.algorithms import registry
from amoebot.algorithms.description import Course
from amoebot.linking import PAPER
from amoebot.options import Options
from amoebot.reports.statistics import (
    PowerLaw,
    clopper_pearson,
    fit_growth,
    fit_power,
)
from amoebot.results import ROUND_LIMIT

L = pl.col("outer_boundary_length")

#: The inputs by which elections are compared, each with the usual one.
USUAL = {"scheduler": "permutation", "rules": PAPER, "election": registry.DEFAULT}

#: The inputs that are the same in both of two elections that are compared by another one.
SHARED = ["shape", "shape_seed", "expanded", "seed", "max_rounds", "scheduler"]
SHARED_BY_ONE_ALGORITHM = ["algorithm", "options", "rules"]


def named_options(frame: pl.DataFrame, paths: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Add a column ``options`` that names the options of each election.

    Args:
        frame: The rows of a sweep.
        paths: Where to find elections that are not known by the name in the table.
    """
    found: dict[str, str] = {}
    known = paths or {}
    algorithms = {name: known.get(name, name) for name in frame["algorithm"].unique()}
    own = {option.name for path in algorithms.values() for option in registry.options_of(path)}
    inputs = ["algorithm", "faults", *sorted(own)]
    key = pl.concat_str(
        [pl.col(name).cast(pl.String).fill_null("") for name in inputs], separator="|"
    )
    for row in frame.select(*inputs, key.alias("key")).unique().iter_rows(named=True):
        found[row["key"]] = _named(algorithms[row["algorithm"]], row)
    return frame.with_columns(key.replace_strict(found, return_dtype=pl.String).alias("options"))


def _named(algorithm: str, row: Mapping[str, Any]) -> str:
    """Return the name of a variant, the options that differ from it, and faults."""
    own = {option.name: row[option.name] for option in registry.options_of(algorithm)}
    variant = Options(algorithm=algorithm, own=own).variant
    usual = {option.name: option.default for option in registry.options_of(algorithm)}
    usual |= registry.preset(algorithm, variant) if variant else {}
    words = {True: "on", False: "off"}
    other = [
        f"{name} {words[value] if isinstance(value, bool) else value}"
        for name, value in own.items()
        if value != usual[name]
    ]
    told = ", ".join(filter(None, [variant, *other])) or "default"
    return f"{told}, faults {row['faults']}" if row["faults"] else told


def elected(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the elections that have a leader, with the quantities that figures need."""
    return frame.filter(pl.col("outcome") == "leader", L > 0).with_columns(
        (pl.col("rounds") / L).alias("rounds_per_length"),
        (L + pl.col("diameter")).alias("length_and_diameter"),
    )


#: The ends of the band that holds the middle of all elections.
MIDDLE = (0.05, 0.95)


def mean_and_band(frame: pl.DataFrame, by: list[str], value: str) -> pl.DataFrame:
    """Return the mean of a column in each group, its standard error, and the spread of its values.

    The band from ``low`` to ``high`` holds the middle 90 % of the elections.
    """
    column = pl.col(value)
    return (
        frame.drop_nulls(value)
        .group_by(by)
        .agg(
            pl.len().alias("elections"),
            column.mean().alias("mean"),
            (column.std() / pl.len().sqrt()).alias("error"),
            *(
                column.quantile(q).alias(end)
                for q, end in zip(MIDDLE, ("low", "high"), strict=True)
            ),
            column.min().alias("least"),
            column.max().alias("most"),
        )
        .sort(by)
    )


Fitting = Callable[[ArrayLike, ArrayLike], PowerLaw | None]


def fit(frame: pl.DataFrame, x: str, y: str, how: Fitting = fit_power) -> PowerLaw | None:
    """Fit a power law to two columns."""
    both = frame.drop_nulls([x, y])
    return how(both[x].to_numpy(), both[y].to_numpy())


#: Power laws by name: which column grows with which, and what is fitted.
Laws = Mapping[str, tuple[str, str, Fitting]]

LAWS: Laws = {
    "all rounds against L": ("outer_boundary_length", "rounds", fit_growth),
    "all rounds against L, plain slope": ("outer_boundary_length", "rounds", fit_power),
    "all rounds against n": ("particles", "rounds", fit_growth),
    "rounds until all terminated against L + D": (
        "length_and_diameter",
        "rounds_terminated",
        fit_power,
    ),
}

#: By what rows are grouped before power laws are fitted: no fit is to what has two of them.
GROUPS = ("family", "scheduler", "options", "expanded", "rules")


def exponents(frame: pl.DataFrame, laws: Laws = LAWS) -> pl.DataFrame:
    """Return the fitted exponents of rows that have all inputs but the size in common.

    Each has a margin, and the p-value of its lack of fit.
    """
    rows: list[dict[str, Any]] = []
    for names, group in frame.group_by(GROUPS, maintain_order=True):
        lengths = group["outer_boundary_length"]
        row = dict(zip(GROUPS, names, strict=True)) | {
            "elections": group.height,
            "least L": lengths.min(),
            "greatest L": lengths.max(),
        }
        for name, (x, y, how) in laws.items():
            law = fit(group, x, y, how)
            row[name] = law.exponent if law else None
            row[f"margin of {name}"] = law.margin if law else None
            row[f"misfit of {name}"] = law.misfit if law else None
        rows.append(row)
    fitted = [
        column for name in laws for column in (name, f"margin of {name}", f"misfit of {name}")
    ]
    return pl.DataFrame(rows).sort(GROUPS).with_columns(pl.col(fitted).cast(pl.Float64))


def spans(frame: pl.DataFrame, course: Course) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows with a column for the rounds of each phase, and the phases that occur."""
    rounds = np.zeros((frame.height, len(course.phases)))
    last = pl.coalesce("rounds_terminated", "rounds").alias("last")
    reached = frame.select(*course.milestones, last)
    for place, row in enumerate(reached.iter_rows(named=True)):
        for phase, first, end in course.bands(row, row["last"]):
            rounds[place, phase] = end - first
    occur = {
        phase.title: rounds[:, number]
        for number, phase in enumerate(course.phases)
        if rounds[:, number].any()
    }
    return frame.with_columns(**{name: pl.Series(column) for name, column in occur.items()}), [
        *occur
    ]


def phases(frame: pl.DataFrame, course: Course, by: list[str]) -> pl.DataFrame:
    """Return how long each phase took on average, in units of L."""
    rows, titles = spans(frame, course)
    means = [(pl.col(title) / L).mean().alias(title) for title in titles]
    return rows.group_by(by).agg(pl.len().alias("elections"), *means).sort(by)


def phase_growth(frame: pl.DataFrame, course: Course, family: str) -> pl.DataFrame:
    """Return for each phase its share of all rounds, and how it grows with L in a family."""
    rows, titles = spans(frame, course)
    total = rows.select(pl.sum_horizontal(titles).sum()).item()
    alone = rows.filter(pl.col("family") == family)
    laws = {title: fit(alone, "outer_boundary_length", title) for title in titles}
    return pl.DataFrame(
        {
            "phase": titles,
            "share of rounds": [float(rows[title].sum()) / total for title in titles],
            f"exponent of L, {family}": [str(law) if law else "" for law in laws.values()],
        }
    )


def candidates_over_time(frame: pl.DataFrame, by: str, points: int = 200) -> pl.DataFrame:
    """Return the candidates left over the rounds, both in units of L: mean and band."""
    last = float((frame["rounds"] / frame["outer_boundary_length"]).max() or 0)  # type: ignore[arg-type]
    grid = np.linspace(0, last, points)
    tables = []
    for (name,), group in frame.group_by([by], maintain_order=True):
        curves = []
        columns = ("outer_boundary_length", "candidates_round", "candidates_left")
        for length, rounds, left in group.select(columns).iter_rows():
            # Where nobody became a candidate, none were left from the beginning.
            place = np.searchsorted(np.array(rounds or [0]) / length, grid, side="right") - 1
            curves.append(np.array(left or [0])[np.maximum(place, 0)] / length)
        stack = np.array(curves)
        tables.append(
            pl.DataFrame(
                {
                    by: [name] * points,
                    "round / L": grid,
                    "mean": stack.mean(axis=0),
                    "low": np.quantile(stack, MIDDLE[0], axis=0),
                    "high": np.quantile(stack, MIDDLE[1], axis=0),
                }
            )
        )
    return pl.concat(tables)


#: By what rows are grouped before failures are counted.
SIZES = ("family", "shape", "particles", "outer_boundary_length")


def failures(frame: pl.DataFrame, by: str = "options") -> pl.DataFrame:
    """Return how often nobody was elected by shape and options, with exact intervals.

    There is a column for each outcome without a leader. Runs that were stopped do not count.
    """
    ended = frame.filter(pl.col("outcome") != ROUND_LIMIT)
    outcomes = sorted(set(ended["outcome"].unique()) - {"leader"})
    table = (
        ended.group_by(*SIZES, by)
        .agg(
            pl.len().alias("elections"),
            *((pl.col("outcome") == name).sum().cast(pl.Int64).alias(name) for name in outcomes),
            (pl.col("outcome") != "leader").sum().cast(pl.Int64).alias("failed"),
        )
        .sort(by, "particles", "shape")
    )
    counts = table.select("failed", "elections").iter_rows()
    intervals = [clopper_pearson(failed, elections) for failed, elections in counts]
    return table.with_columns(
        (pl.col("failed") / pl.col("elections")).alias("share"),
        pl.Series("low", [low for low, _ in intervals], dtype=pl.Float64),
        pl.Series("high", [high for _, high in intervals], dtype=pl.Float64),
    )


def reference(names: Sequence[str], by: str) -> str:
    """Return the scheduler, rules or election that others are compared with."""
    return USUAL[by] if USUAL[by] in names else min(names)


def _shared(by: str) -> list[str]:
    """Return the inputs that two elections have in common if they differ by another one."""
    same = SHARED + ([] if by == "election" else SHARED_BY_ONE_ALGORITHM)
    return [name for name in same if name != by]


def matched(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return the elections that were run under each of the schedulers, rules or elections.

    Where there are none, some were not run on the same shapes and seeds: those that were run
    beside the usual one the least often are left out, until there are.
    """
    frame = frame.with_columns(pl.col("max_rounds").fill_null(0))  # nulls do not equal each other
    usual = reference(frame[by].unique().to_list(), by)
    of_usual = frame.filter(pl.col(by) == usual).select(_shared(by))
    beside = frame.join(of_usual, on=_shared(by), how="semi").group_by(by).len()
    names = beside.sort("len", by, descending=[True, False])[by].to_list()
    while len(names) > 1:
        rows = frame.filter(pl.col(by).is_in(names))
        whole = rows.filter(pl.col(by).n_unique().over(_shared(by)) == len(names))
        if whole.height:
            return whole
        names.pop(-1 if names[-1] != usual else -2)
    return frame.filter(pl.col(by) == usual)


def pairs(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return matched elections with the ratio of their rounds to those of the usual one.

    They differ by the scheduler, by the rules or by the election.
    """
    rows = matched(frame, by)
    usual = rows.filter(pl.col(by) == reference(rows[by].unique().to_list(), by))
    usual = usual.select(*_shared(by), pl.col("rounds").alias("usual"))
    return rows.join(usual, on=_shared(by)).with_columns(
        (pl.col("rounds") / pl.col("usual")).alias("ratio")
    )


def unmatched(frame: pl.DataFrame, by: str) -> str:
    """Return a sentence about what is left out of a comparison, if anything is."""
    rows = matched(frame, by)
    missing = sorted(set(frame[by].unique()) - set(rows[by].unique()))
    if missing:
        named = ", ".join(missing)
        return f" Not compared, for want of elections on the same shapes and seeds: {named}."
    left = frame.height - rows.height
    return f" {left:,} elections without a match under all of them are left out." if left else ""


def compared(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return how schedulers, rules or elections compare with the usual one, in matched pairs."""
    usual = reference(frame[by].unique().to_list(), by)
    per_length, ratio = pl.col("rounds_per_length"), pl.col("ratio")
    return (
        pairs(frame, by)
        .group_by(by)
        .agg(
            pl.len().alias("elections"),
            per_length.mean().alias("rounds / L, mean"),
            per_length.min().alias("rounds / L, least"),
            per_length.max().alias("rounds / L, most"),
            ratio.median().alias(f"to {usual}, median"),
            ratio.min().alias(f"to {usual}, least"),
            ratio.max().alias(f"to {usual}, most"),
        )
        .sort("rounds / L, mean", by)
    )


def blend(frame: pl.DataFrame) -> tuple[float, float] | None:
    """Return a and b of the least squares fit: rounds until all terminated = a L + b D."""
    known = frame.drop_nulls("rounds_terminated")
    columns = known.select("outer_boundary_length", "diameter").to_numpy().astype(float)
    if known.height < 3 or np.linalg.matrix_rank(columns) < 2:
        return None
    # Relative errors count, or the largest systems would decide alone.
    y = known["rounds_terminated"].to_numpy().astype(float)
    found, *_ = np.linalg.lstsq(columns / y[:, None], np.ones(len(y)), rcond=None)
    return float(found[0]), float(found[1])
