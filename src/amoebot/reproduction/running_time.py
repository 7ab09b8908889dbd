"""The claims of Section 3.2 on the phases of an election."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from amoebot.reports import analysis, figures
from amoebot.reproduction import curves, verdicts
from amoebot.reproduction.claims import (
    LARGE,
    MARGIN,
    RARE,
    Measurement,
    Rows,
    claim,
    elected,
    greatest,
    slopes,
    some,
    span,
)

_L, _N = pl.col("outer_boundary_length"), pl.col("particles")


def most_setup_rounds(length: Any) -> Any:
    """Return the rounds of identifier setup in a segment if its token takes one step in each.

    The token draws digits on its way out (ℓ steps), carries a digit of each end to the other
    and moves inwards by one (at most ℓ²/2 + ℓ steps), and goes home (at most ℓ/2 steps). One round
    more wakes everybody, and one the candidate.
    """
    return length**2 / 2 + 2.5 * length + 2


@claim(
    "Lemma 4",
    "Identifier setup takes O(ℓ²) rounds in a segment of length ℓ.",
    "In every election all identifiers are set up within ℓ²/2 + 2.5 ℓ + 2 rounds, the steps of the "
    "token in the proof, for the longest segment ℓ. One election that takes longer refutes it.",
    "segments",
)
def identifier_setup(rows: Rows) -> Measurement:
    """Compare the time until all identifiers are set up with the longest segment."""
    frame = some(rows["segments"].drop_nulls(["identifiers_set_up", "longest_segment"]))
    length = pl.col("longest_segment")
    later = frame.filter(pl.col("identifiers_set_up") > most_setup_rounds(length)).height
    long = frame.filter(length >= 8)
    most = greatest((long["identifiers_set_up"] / long["longest_segment"] ** 2).cast(pl.Float64))
    return Measurement(
        f"at most {most:.2f} ℓ² rounds for ℓ ≥ 8; {later} of {frame.height:,} elections take "
        "more rounds than the token steps",
        [verdicts.exact("elections above the bound", later, frame.height)],
        curves.spread(
            frame,
            "longest_segment",
            "identifiers_set_up",
            ("length ℓ of the longest segment", "rounds until all identifiers are set up"),
            bounds={"ℓ²/2 + 2.5 ℓ + 2, the bound": most_setup_rounds},
            scales=("linear", "linear"),
        ),
        f"Solid hexagons. {curves.BAND} A token that moves along the order of activations takes "
        "several steps in a round.",
        {"lemma-4": analysis.mean_and_band(frame, ["longest_segment"], "identifiers_set_up")},
    )


@claim(
    "Lemma 5",
    "Segments of the outer boundary have O(log n) agents, w.h.p.",
    "The mean length of the longest segment grows like log n to an exponent of at most 1 "
    f"(one-sided limit). For n ≥ {LARGE:,}, the probability of a segment of 2 log n or more is at "
    f"most {RARE} (exact binomial test, all sizes together), and at no size it is significantly "
    "above the 3 / n of the proof (binomial, Holm).",
    "segments",
)
def short_segments(rows: Rows) -> Measurement:
    """Compare the longest segment with the logarithm of n from above."""
    frame = some(rows["segments"].drop_nulls("longest_segment"))
    frame = frame.with_columns(_N.log(2).alias("log n"))
    frame = frame.with_columns((pl.col("longest_segment") / pl.col("log n")).alias("ratio"))
    long = pl.col("ratio") >= 2
    large = frame.filter(_N >= LARGE)
    hits = large.filter(long).height
    checks = slopes(frame, "log n", "longest_segment", 1.0, "exponent of log n")
    checks.append(verdicts.share("probability of 2 log n or more", hits, large.height, RARE))
    for (size,), group in frame.group_by(["particles"], maintain_order=True):
        name, bound = f"segments of 2 log n or more, n = {size:,}", min(1.0, 3 / float(str(size)))
        checks.append(verdicts.never_more(name, group.filter(long).height, group.height, bound))
    return Measurement(
        f"at most {greatest(large['ratio']):.2f} log n agents for n ≥ {LARGE:,}; "
        f"{hits} of {large.height:,} have a segment of 2 log n or more; the longest segment "
        f"grows like log n to the {checks[0].estimate:.2f}",
        checks,
        curves.spread(
            frame,
            "particles",
            "ratio",
            (figures.PARTICLES, "agents in the longest segment / log n"),
            bounds={"2, the bound": lambda n: 2 + 0 * n},
        ),
        f"Solid hexagons. {curves.BAND}",
        {"lemma-5": analysis.mean_and_band(frame, ["particles"], "ratio")},
    )


@claim(
    "Corollary 1",
    "All identifiers are set up after O(log² n) rounds, w.h.p.",
    "The mean number of rounds until then grows like log n to an exponent of at most 2 (one-sided "
    "limit), and so does its 95 % quantile over the elections of a size.",
    "segments",
)
def identifiers_set_up(rows: Rows) -> Measurement:
    """Compare the time until all identifiers are set up with the squared logarithm of n."""
    frame = some(rows["segments"].drop_nulls("identifiers_set_up").filter(_N > 1))
    frame = frame.with_columns(
        (pl.col("identifiers_set_up") / _N.log(2) ** 2).alias("ratio"),
        _N.log(2).alias("log n"),
    )
    checks = slopes(frame, "log n", "identifiers_set_up", 2.0, "exponent of log n, mean")
    quantiles = _quantiles(frame)
    law = analysis.fit(quantiles, "log n", "identifiers_set_up")
    checks.append(verdicts.slope("exponent of log n, 95 % quantile", law, 2.0, frame.height))
    last = frame.filter(_N.max() == _N)
    return Measurement(
        f"{float(last['ratio'].to_numpy().mean()):.2f} log² n on average at "
        f"n = {last['particles'][0]:,}; the mean grows like log n to the "
        f"{checks[0].estimate:.2f}, the 95 % quantile to the {checks[1].estimate:.2f}",
        checks,
        curves.spread(
            frame,
            "particles",
            "ratio",
            (figures.PARTICLES, "rounds until all identifiers are set up / log² n"),
        ),
        f"Solid hexagons. {curves.BAND}",
        {"corollary-1": analysis.mean_and_band(frame, ["particles"], "ratio")},
    )


def _quantiles(frame: pl.DataFrame, parts: int = 10) -> pl.DataFrame:
    """Return the 95 % quantiles of ten parts of each size's elections, whose spread is known."""
    numbered = frame.with_columns((pl.int_range(pl.len()) % parts).over("particles").alias("part"))
    return numbered.group_by("log n", "part").agg(
        pl.col("identifiers_set_up").quantile(0.95).cast(pl.Float64)
    )


@claim(
    "Lemma 6",
    "At the beginning of round T + i, each digit token has taken at least i steps, where T is the "
    "round at whose beginning all have been created.",
    "In every round of every run that is followed, the slowest token has taken at least i steps. "
    "One round in which it has not refutes the claim.",
    "token-steps",
)
def digit_tokens(rows: Rows) -> Measurement:
    """Follow every digit token, round by round, under every scheduler."""
    table = some(rows["token-steps"])
    slack = table["least"] - table["i"]
    late = int((slack < 0).sum())
    runs = table.select("shape", "seed", "scheduler").n_unique()
    others = table.filter(pl.col("scheduler") != "uniform")
    ahead = greatest(others["least"] - others["i"])
    return Measurement(
        f"steps − i ≥ {int(slack.to_numpy().min())} in {table.height:,} rounds of {runs} runs "
        "under "
        f"all schedulers; but for uniform, the slowest token is never more than {ahead:g} ahead",
        [verdicts.exact("rounds in which a token is late", late, table.height)],
        curves.steps(table),
        "The slowest of all digit tokens, and of all runs of a scheduler. Under uniform, most "
        "particles are activated several times in a round.",
        {"lemma-6": table},
    )


def _spans(rows: Rows, begin: str, end: str) -> pl.DataFrame:
    """Return how long a phase took in units of L, on all shapes and under all schedulers."""
    frames = [elected(rows[part]) for part in ("growth", "schedulers")]
    frame = some(pl.concat(frames, how="diagonal").drop_nulls([begin, end]))
    return frame.with_columns(
        (pl.col(end) - pl.col(begin)).alias("span"),
        ((pl.col(end) - pl.col(begin)) / _L).alias("ratio"),
    )


def _spread(frame: pl.DataFrame, what: str, bounds: curves.Bounds) -> Any:
    return curves.spread(
        curves.in_classes(frame, "outer_boundary_length", "scheduler"),
        "outer_boundary_length",
        "ratio",
        (figures.LENGTH, f"rounds of {what} / L"),
        by="scheduler",
        bounds=bounds,
    )


@claim(
    "Lemma 7",
    "Solitude verification takes O(ℓ) rounds in an extended segment of length ℓ.",
    "The rounds of the last verification, whose extended segment is the whole boundary (ℓ = L), "
    f"grow in each family under each scheduler like L to an exponent of at most {1 + MARGIN} "
    "(one-sided limits, Holm).",
    "growth",
    "schedulers",
)
def solitude_verification(rows: Rows) -> Measurement:
    """Measure the last verification, whose extended segment is the whole boundary: ℓ = L."""
    frame = _spans(rows, "last_solitude_verification_begins", "boundary_identification_begins")
    by = ("family", "scheduler")
    checks = slopes(frame, "outer_boundary_length", "span", 1 + MARGIN, "exponent of L", by)
    usual = frame.filter(pl.col("scheduler") == "permutation")
    worst, most = frame.group_by("scheduler").agg(pl.col("ratio").max()).sort("ratio").row(-1)
    return Measurement(
        f"{float(usual['ratio'].to_numpy().mean()):.2f} L on average under permutation, at most "
        f"{most:.2f} L ({worst}); exponents from {span(checks)}",
        checks,
        _spread(frame, "the last solitude verification", {}),
        f"All shapes. {curves.BAND}",
        {"lemma-7": analysis.mean_and_band(frame, ["scheduler", "outer_boundary_length"], "ratio")},
    )


@claim(
    "Lemma 8",
    "Boundary identification on the outer boundary takes O(L) rounds.",
    "In every election it takes at most L + 1 rounds, since the token takes a step in each. One "
    "election in which it takes longer refutes the claim.",
    "growth",
    "schedulers",
)
def boundary_identification(rows: Rows) -> Measurement:
    """Measure the rounds between the start of boundary identification and the declaration."""
    frame = _spans(rows, "boundary_identification_begins", "leader_declared")
    longer = frame.filter(pl.col("span") > _L + 1).height
    usual = frame.filter(pl.col("scheduler") == "permutation")
    worst, most = frame.group_by("scheduler").agg(pl.col("ratio").max()).sort("ratio").row(-1)
    return Measurement(
        f"{float(usual['ratio'].to_numpy().mean()):.2f} L on average under permutation, at most "
        f"{most:.2f} L ({worst})",
        [
            verdicts.exact(
                "elections in which it takes more than L + 1 rounds", longer, frame.height
            )
        ],
        _spread(frame, "boundary identification", {"1, the bound": _ones}),
        f"All shapes. {curves.BAND}",
        {"lemma-8": analysis.mean_and_band(frame, ["scheduler", "outer_boundary_length"], "ratio")},
    )


def _ones(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ones_like(lengths)
