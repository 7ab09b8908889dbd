"""What the rows of a dataset say: tables of growth, phases, candidates, failures and schedulers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from amoebot.reproduction.failure import bound, probability_of_failure
from amoebot.reports.statistics import (
    PowerLaw,
    clopper_pearson,
    fit_growth,
    fit_power,
    student,
)

L = pl.col("outer_boundary_length")
N = pl.col("particles")

#: The phases of an election in the paper's words, each with the milestones it lies between.
PHASES = {
    "identifier setup": (None, "identifiers_set_up"),
    "creating digit tokens": ("identifiers_set_up", "digit_tokens_created"),
    "identifier comparison": ("digit_tokens_created", "last_solitude_verification"),
    "solitude verification": ("last_solitude_verification", "boundary_identification"),
    "boundary identification": ("boundary_identification", "leader_declared"),
    "termination for all": ("leader_declared", "all_terminated"),
}

#: What two elections with the same coins have in common.
COINS = ["shape", "shape_seed", "expanded", "variant", "radix", "seed", "max_rounds"]

#: By what else they may be compared, and with which one.
USUAL = {"scheduler": "permutation", "rules": "paper"}


def elected(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the elections that have a leader, with the quantities that figures need."""
    return frame.filter(pl.col("outcome") == "leader", L > 0).with_columns(
        (pl.col("rounds") / L).alias("rounds_per_length"),
        (pl.col("rounds") - pl.col("digit_tokens_created")).alias("rounds_after_tokens"),
        (L + pl.col("diameter")).alias("length_and_diameter"),
    )


def mean_and_band(frame: pl.DataFrame, by: list[str], value: str) -> pl.DataFrame:
    """Return the mean of a column in each group, with its confidence interval."""
    table = (
        frame.drop_nulls(value)
        .group_by(by)
        .agg(
            pl.len().alias("elections"),
            pl.col(value).mean().alias("mean"),
            (pl.col(value).std() / pl.len().sqrt()).alias("error"),
            pl.col(value).min().alias("least"),
            pl.col(value).max().alias("most"),
        )
        .sort(by)
    )
    margins = [
        (error or 0.0) * student(count - 1) if count > 1 else float("nan")
        for count, error in table.select("elections", "error").iter_rows()
    ]
    margin = pl.Series("margin", margins, dtype=pl.Float64)
    return table.drop("error").with_columns(
        (pl.col("mean") - margin).alias("low"), (pl.col("mean") + margin).alias("high")
    )


Fitting = Callable[[ArrayLike, ArrayLike], PowerLaw | None]


def fit(frame: pl.DataFrame, x: str, y: str, how: Fitting = fit_power) -> PowerLaw | None:
    """Fit a power law to two columns."""
    both = frame.drop_nulls([x, y])
    return how(both[x].to_numpy(), both[y].to_numpy())


#: The power laws of a report: which column grows with which, and what is fitted. Identifier setup
#: takes O(log² n) rounds (Corollary 1), so the first and the last but one have such a term.
LAWS: dict[str, tuple[str, str, Fitting]] = {
    "all rounds against L": ("outer_boundary_length", "rounds", fit_growth),
    "all rounds against L, plain slope": ("outer_boundary_length", "rounds", fit_power),
    "rounds after T against L": ("outer_boundary_length", "rounds_after_tokens", fit_power),
    "all rounds against n": ("particles", "rounds", fit_growth),
    "rounds until all terminated against L + D": (
        "length_and_diameter",
        "rounds_terminated",
        fit_power,
    ),
}


def exponents(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the fitted exponents by shape, scheduler and variant."""
    rows: list[dict[str, Any]] = []
    groups = frame.group_by(["family", "scheduler", "variant"], maintain_order=True)
    for (family, scheduler, variant), group in groups:
        lengths = group["outer_boundary_length"]
        row: dict[str, Any] = {
            "family": family,
            "scheduler": scheduler,
            "variant": variant,
            "elections": group.height,
            "least L": lengths.min(),
            "greatest L": lengths.max(),
        }
        for name, (x, y, how) in LAWS.items():
            law = fit(group, x, y, how)
            row[name] = law.exponent if law else None
            row[f"margin of {name}"] = law.margin if law else None
        rows.append(row)
    table = pl.DataFrame(rows).sort("family", "scheduler", "variant")
    fitted = [column for name in LAWS for column in (name, f"margin of {name}")]
    return table.with_columns(pl.col(fitted).cast(pl.Float64))


def phases(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return how long each phase took on average, in units of L.

    Phases overlap along the boundary; each is counted here until its last milestone, and those
    of an election that skipped one (the almost sure variant may) are left out.
    """
    spans = []
    for name, (begin, end) in PHASES.items():
        started = pl.lit(0) if begin is None else pl.col(begin)
        spans.append(((pl.col(end) - started) / L).alias(name))
    needed = [end for _, end in PHASES.values() if end != "all_terminated"]
    whole = frame.drop_nulls(needed).select(*by, *spans)
    whole = whole.filter(pl.all_horizontal(pl.col(*PHASES).fill_null(0) >= 0))
    means = [pl.col(name).mean() for name in PHASES]
    return whole.group_by(by).agg(pl.len().alias("elections"), *means).sort(by)


def candidates_over_time(frame: pl.DataFrame, by: str, points: int = 200) -> pl.DataFrame:
    """Return the candidates left over the rounds, both in units of L: mean, least and most."""
    last = float((frame["rounds"] / frame["outer_boundary_length"]).max() or 0)  # type: ignore[arg-type]
    grid = np.linspace(0, last, points)
    tables = []
    for (name,), group in frame.group_by([by], maintain_order=True):
        curves = []
        columns = ("outer_boundary_length", "candidates_round", "candidates_left")
        for length, rounds, left in group.select(columns).iter_rows():
            place = np.searchsorted(np.array(rounds) / length, grid, side="right") - 1
            curves.append(np.array(left)[np.maximum(place, 0)] / length)
        stack = np.array(curves)
        tables.append(
            pl.DataFrame(
                {
                    by: [name] * points,
                    "round / L": grid,
                    "mean": stack.mean(axis=0),
                    "least": stack.min(axis=0),
                    "most": stack.max(axis=0),
                }
            )
        )
    return pl.concat(tables)


def failures(frame: pl.DataFrame) -> pl.DataFrame:
    """Return how often Section 2 failed by shape and radix, and how often it has to."""
    table = (
        frame.filter(~pl.col("almost_sure"), pl.col("outcome") != "round-limit")
        .group_by(
            "family", "shape", "particles", "outer_boundary_length", "radix", maintain_order=True
        )
        .agg(
            pl.len().alias("elections"),
            (pl.col("outcome") == "no-candidates").sum().alias("no candidates"),
            (pl.col("outcome") == "tied-identifiers").sum().alias("tied identifiers"),
        )
        .sort("radix", "particles", "shape")
    )
    rows = []
    for row in table.iter_rows(named=True):
        failed = row["no candidates"] + row["tied identifiers"]
        low, high = clopper_pearson(failed, row["elections"])
        length = row["outer_boundary_length"]
        exact = probability_of_failure(length, row["radix"]) if 0 < length <= 500 else None
        paper = bound(row["particles"], row["radix"])
        share = {"share": failed / row["elections"], "low": low, "high": high}
        rows.append({**row, **share, "exact": exact, "bound": paper})
    return pl.DataFrame(rows, schema=_FAILURES)


_FAILURES: dict[str, Any] = {
    "family": pl.String,
    "shape": pl.String,
    "particles": pl.Int64,
    "outer_boundary_length": pl.Int64,
    "radix": pl.Int64,
    "elections": pl.Int64,
    "no candidates": pl.Int64,
    "tied identifiers": pl.Int64,
    "share": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "exact": pl.Float64,
    "bound": pl.Float64,
}


def pairs(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return all elections beside the usual one on the same coins, with the ratio of the rounds.

    They differ by the scheduler, or by the rules.
    """
    same = [*COINS, *(other for other in USUAL if other != by)]
    frame = frame.with_columns(pl.col("max_rounds").fill_null(0))  # so that no limit equals itself
    usual = frame.filter(pl.col(by) == USUAL[by]).select(*same, pl.col("rounds").alias("usual"))
    return frame.join(usual, on=same).with_columns(
        (pl.col("rounds") / pl.col("usual")).alias("ratio")
    )


def compared(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return how each scheduler, or all rules, compare with the usual ones on the same coins."""
    per_length, ratio = pl.col("rounds_per_length"), pl.col("ratio")
    return (
        pairs(frame, by)
        .group_by(by)
        .agg(
            pl.len().alias("elections"),
            per_length.mean().alias("rounds / L, mean"),
            per_length.min().alias("rounds / L, least"),
            per_length.max().alias("rounds / L, most"),
            ratio.median().alias(f"to {USUAL[by]}, median"),
            ratio.min().alias(f"to {USUAL[by]}, least"),
            ratio.max().alias(f"to {USUAL[by]}, most"),
        )
        .sort("rounds / L, mean")
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
