"""The claims of Section 3.2, on running time, and of Appendix A.1 and A.2."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from amoebot.reports import analysis, figures
from amoebot.reproduction import curves, probes, standard
from amoebot.reproduction.claims import Measurement, Rows, claim, elected, greatest, larger_half

_L, _N = pl.col("outer_boundary_length"), pl.col("particles")

#: How far a fitted exponent may be from the one that is claimed.
TOLERANCE = 0.02


@claim("Lemma 4", "Identifier setup takes O(ℓ²) rounds in a segment of length ℓ.", "segments")
def identifier_setup(rows: Rows) -> Measurement:
    """Compare the time until all identifiers are set up with the longest segment."""
    frame = rows["segments"].drop_nulls("identifiers_set_up").filter(_N > 100)
    square = pl.col("longest_segment") ** 2
    most = float(frame.select((pl.col("identifiers_set_up") / square).max()).item())
    law = analysis.fit(frame, "longest_segment", "identifiers_set_up")
    assert law is not None
    return Measurement(
        f"at most {most:.2f} ℓ² rounds for the longest segment; fitted exponent {law}",
        law.exponent <= 2 + TOLERANCE,
        curves.spread(
            frame.with_columns(pl.lit("all segments").alias("what")),
            "longest_segment",
            "identifiers_set_up",
            ("length ℓ of the longest segment", "Rounds until all identifiers are set up"),
            by="what",
            bounds={f"{most:.2f} ℓ²": lambda length: most * length**2},
            scales=("linear", "linear"),
        ),
        "The longest segment is the last to finish, or nearly so. Solid hexagons.",
        {"lemma-4": analysis.mean_and_band(frame, ["longest_segment"], "identifiers_set_up")},
    )


@claim("Lemma 5", "Segments of the outer boundary have O(log n) agents, w.h.p.", "segments")
def short_segments(rows: Rows) -> Measurement:
    """Compare the longest segment with the logarithm of n from above."""
    frame = rows["segments"].drop_nulls("longest_segment")
    frame = frame.with_columns((pl.col("longest_segment") / _N.log(2)).alias("ratio"))
    k = 2.0
    longer = frame.filter(pl.col("ratio") >= k).height
    allowed = float(frame.select((3 * _N ** (1 - k)).clip(upper_bound=1).sum()).item())
    least, large = larger_half(frame, "particles")
    most = greatest(large["ratio"])
    return Measurement(
        f"at most {most:.2f} log n agents for n ≥ {least:,}; {longer} of 2 log n or more, "
        f"and the union bound allows {allowed:.0f}",
        longer <= allowed + 4 * math.sqrt(allowed),
        curves.spread(
            frame,
            "particles",
            "ratio",
            (figures.PARTICLES, "Agents in the longest segment / log n"),
        ),
        "Mean, and all elections between the least and the most, on solid hexagons.",
        {"lemma-5": analysis.mean_and_band(frame, ["particles"], "ratio")},
    )


@claim("Corollary 1", "All identifiers are set up after O(log² n) rounds, w.h.p.", "segments")
def identifiers_set_up(rows: Rows) -> Measurement:
    """Compare the time until all identifiers are set up with the squared logarithm of n."""
    frame = rows["segments"].drop_nulls("identifiers_set_up").filter(_N > 1)
    frame = frame.with_columns((pl.col("identifiers_set_up") / _N.log(2) ** 2).alias("ratio"))
    table = analysis.mean_and_band(frame, ["particles"], "ratio")
    means = table["mean"].to_numpy()
    least, large = larger_half(frame, "particles")
    most = greatest(large["ratio"])
    return Measurement(
        f"{means[-1]:.2f} log² n on average at n = {table['particles'][-1]:,}, at most "
        f"{most:.2f} log² n for n ≥ {least:,}; the average does not grow",
        bool(means[-1] <= means[: len(means) // 2].max()),
        curves.spread(
            frame,
            "particles",
            "ratio",
            (figures.PARTICLES, "Rounds until all identifiers are set up / log² n"),
        ),
        "Mean, and all elections between the least and the most, on solid hexagons.",
        {"corollary-1": table},
    )


@claim(
    "Lemma 6",
    "At the beginning of round T + i, each digit token has taken at least i steps, where T is the "
    "round at whose beginning all have been created.",
)
def digit_tokens(_: Rows) -> Measurement:
    """Follow every digit token, activation by activation, under every scheduler."""
    table = probes.all_token_steps(standard.PROBED, 3)
    slack = int((table["least"] - table["i"]).to_numpy().min())
    runs = table.select("shape", "seed", "scheduler").n_unique()
    others = table.filter(pl.col("scheduler") != "uniform")
    ahead = int((others["least"] - others["i"]).to_numpy().max())
    return Measurement(
        f"steps − i ≥ {slack} in {table.height:,} rounds of {runs} runs under all schedulers; the "
        f"bound is tight: but for uniform, the slowest token is at most {ahead} ahead of it",
        slack >= 0,
        curves.steps(table),
        "The slowest of all digit tokens, and of all runs of a scheduler. Under uniform, most "
        "particles are activated several times in a round.",
        {"lemma-6": table},
    )


def _spans(rows: Rows, begin: str, end: str) -> pl.DataFrame:
    """Return how long a phase took in units of L, on all shapes and under all schedulers."""
    frames = [elected(rows[part]) for part in ("growth", "schedulers")]
    frame = pl.concat(frames).drop_nulls([begin, end])
    return frame.with_columns(
        (pl.col(end) - pl.col(begin)).alias("span"),
        ((pl.col(end) - pl.col(begin)) / _L).alias("ratio"),
    )


def _linear(frame: pl.DataFrame, what: str, name: str, limit: float | None) -> Measurement:
    usual = frame.filter(pl.col("scheduler") == "permutation")
    law = analysis.fit(usual, "outer_boundary_length", "span")
    assert law is not None
    ratios = frame.group_by("scheduler").agg(pl.col("ratio").max()).sort("ratio")
    worst, most = ratios.row(-1)
    bounds: curves.Bounds | None = {"1, the bound": np.ones_like} if limit else None
    return Measurement(
        f"{float(usual['ratio'].to_numpy().mean()):.2f} L on average, at most {most:.2f} L "
        f"({worst}); fitted exponent {law}",
        abs(law.exponent - 1) <= TOLERANCE and (limit is None or most <= limit),
        curves.spread(
            curves.in_classes(frame, "outer_boundary_length"),
            "outer_boundary_length",
            "ratio",
            (figures.LENGTH, f"Rounds of {what} / L"),
            by="scheduler",
            bounds=bounds,
        ),
        "Mean, and all elections on all shapes between the least and the most, by scheduler.",
        {name: analysis.mean_and_band(frame, ["scheduler", "outer_boundary_length"], "ratio")},
    )


@claim(
    "Lemma 7",
    "Solitude verification takes O(ℓ) rounds in an extended segment of length ℓ.",
    "growth",
    "schedulers",
)
def solitude_verification(rows: Rows) -> Measurement:
    """Measure the last verification, whose extended segment is the whole boundary: ℓ = L."""
    frame = _spans(rows, "last_solitude_verification", "boundary_identification")
    return _linear(frame, "the last solitude verification", "lemma-7", None)


@claim(
    "Lemma 8",
    "Boundary identification on the outer boundary takes O(L) rounds.",
    "growth",
    "schedulers",
)
def boundary_identification(rows: Rows) -> Measurement:
    """Measure the rounds between the start of boundary identification and the declaration."""
    frame = _spans(rows, "boundary_identification", "leader_declared")
    return _linear(frame, "boundary identification", "lemma-8", 1.0)
