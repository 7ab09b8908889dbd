"""The claims on the whole running time: Theorem 2 and the corollaries, Appendix A.1 and A.2."""

from __future__ import annotations

import itertools
import math
from typing import Any

import polars as pl

from amoebot.reports import analysis, figures
from amoebot.reports.sections import BOXES
from amoebot.reproduction import curves, verdicts
from amoebot.reproduction.claims import (
    MARGIN,
    Measurement,
    Rows,
    claim,
    elected,
    greatest,
    slopes,
    span,
)
from amoebot.reproduction.correctness import linear
from amoebot.reproduction.verdicts import Check

_L, _N, _D = pl.col("outer_boundary_length"), pl.col("particles"), pl.col("diameter")

#: The longest outer boundary that exponents are fitted to: the full plan has longer ones too.
LONGEST = 5_500

#: Whose limits decide in most claims here.
LIMITS = f"to an exponent of at most {1 + MARGIN} (one-sided limits, Holm over all)"

#: Why two quantities.
TWO = (
    "Identifier setup takes T = O(log² n) rounds, which count on small systems and make the slope "
    "of "
    "all rounds smaller than 1; the rounds after T are free of it. Both have to pass."
)


def _ratios(frame: pl.DataFrame, x: str, y: str, labels: tuple[str, str]) -> Any:
    """Draw rounds in units of a size against the size, with a scale that shows the differences."""
    ratio = frame.with_columns((pl.col(y) / pl.col(x)).alias("ratio"))
    return curves.spread(curves.in_classes(ratio, x), x, "ratio", labels, from_zero=False)


@claim(
    "Theorem 2",
    "A leader is declared after O(L) rounds, w.h.p.",
    f"In each family, all rounds and the rounds after T grow like L {LIMITS}.",
    "growth",
)
def running_time(rows: Rows) -> Measurement:
    """Fit the exponent of L on every family of shapes."""
    frame = elected(rows["growth"])
    fitted = frame.filter(_L <= LONGEST)
    checks = linear(fitted, "outer_boundary_length", "L")
    half = len(checks) // 2
    longest = int(greatest(frame["outer_boundary_length"]))
    return Measurement(
        f"rounds / L ≤ {greatest(frame['rounds_per_length']):.2f} on {half} families with L up to "
        f"{longest:,}; exponents of L from {span(checks[:half])} for all rounds and from "
        f"{span(checks[half:])} for the rounds after T",
        checks,
        _ratios(frame, "outer_boundary_length", "rounds", (figures.LENGTH, "rounds / L")),
        f"{curves.BAND} {TWO}{_shorter(fitted)}",
        {"theorem-2": analysis.mean_and_band(frame, ["family", "outer_boundary_length"], "rounds")},
    )


def _shorter(frame: pl.DataFrame) -> str:
    """Return which families do not reach the lengths of the others, if there are any."""
    ends = frame.group_by("family").agg(_L.max().alias("most")).sort("family")
    ends = ends.filter(pl.col("most") < 0.9 * pl.col("most").max())
    named = ", ".join(f"{family} at {length:,}" for family, length in ends.iter_rows())
    return f" Families that end at a smaller L: {named}." if named else ""


@claim(
    "Corollary 2",
    "A leader is declared after O(C) rounds, w.h.p., for C particles on the outer boundary.",
    f"In each family, all rounds and the rounds after T grow like C {LIMITS}; and L ≤ 3 C on every "
    "shape.",
    "growth",
)
def by_outer_particles(rows: Rows) -> Measurement:
    """Compare the rounds with the number of particles on the outer boundary."""
    frame = elected(rows["growth"])
    c = pl.col("outer_boundary_particles")
    checks = linear(frame.filter(_L <= LONGEST), "outer_boundary_particles", "C")
    above = frame.filter(3 * c < _L)["shape"].n_unique()
    most = float(frame.select((pl.col("rounds") / c).max()).item())
    agents = float(frame.select((_L / c).max()).item())
    return Measurement(
        f"rounds / C ≤ {most:.2f}; L / C ≤ {agents:.2f}; exponents of C from {span(checks)}",
        [verdicts.exact("shapes with L > 3 C", above, frame["shape"].n_unique()), *checks],
        _ratios(
            frame,
            "outer_boundary_particles",
            "rounds",
            ("particles C on the outer boundary", "rounds / C"),
        ),
        f"{curves.BAND} Paths and trees have about two agents a particle, solid shapes one.",
        {
            "corollary-2": analysis.mean_and_band(
                frame, ["family", "outer_boundary_particles"], "rounds"
            )
        },
    )


#: A family on which L / n still grows at these sizes, up to at most 3.
GROWING = "swiss"


@claim(
    "Corollary 3",
    "A leader is declared after O(n) rounds, w.h.p.",
    f"In each family but {GROWING}, all rounds and the rounds after T grow like n {LIMITS}; and "
    "L ≤ 3 n on every shape.",
    "growth",
)
def by_particles(rows: Rows) -> Measurement:
    """Compare the rounds with the number of particles; on solid hexagons it is the root of n."""
    frame = elected(rows["growth"])
    fitted = frame.filter(_L <= LONGEST, pl.col("family") != GROWING)
    checks = linear(fitted, "particles", "n")
    above = frame.filter(_L > 3 * _N)["shape"].n_unique()
    most = float(frame.select((pl.col("rounds") / _N).max()).item())
    return Measurement(
        f"rounds / n ≤ {most:.2f}; exponents of n from {span(checks)}",
        [verdicts.exact("shapes with L > 3 n", above, frame["shape"].n_unique()), *checks],
        curves.spread(
            frame.with_columns((pl.col("rounds") / _N).alias("ratio")),
            "particles",
            "ratio",
            (figures.PARTICLES, "rounds / n"),
            scales=("log", "log"),
        ),
        f"{curves.BAND} A pessimistic bound, as the paper says: on solid shapes rounds / n "
        f"vanishes. On {GROWING}, with almost half of the nodes removed, holes open to the "
        "outside as the shape grows: L / n still climbs towards its bound, 3, and rounds / n with "
        "it. That family says nothing about the exponent of n, and is not tested.",
        {"corollary-3": analysis.mean_and_band(frame, ["family", "particles"], "rounds")},
    )


def _terminated(rows: Rows) -> pl.DataFrame:
    """Return elections with the rounds until all have terminated, and parts of them."""
    return elected(rows["termination"]).with_columns(
        (pl.col("rounds_terminated") - pl.col("rounds")).alias("spreading"),
        (pl.col("rounds_terminated") - pl.col("digit_tokens_created")).alias("terminated_after"),
    )


def _ends(frame: pl.DataFrame, size: pl.Expr, unit: str) -> list[Check]:
    """Check that all particles terminate, and soon after the leader is declared."""
    unended = frame["rounds_terminated"].null_count()
    late = frame.filter(pl.col("spreading") > size + 1).height
    return [
        verdicts.exact("elections in which not all terminate", unended, frame.height),
        verdicts.exact(
            f"elections in which the message takes more than {unit} + 1 rounds", late, frame.height
        ),
    ]


@claim(
    "Corollary 4",
    "All particles have terminated after O(L + D) rounds, w.h.p., where D is the diameter.",
    "All particles terminate in every election, at most D + 1 rounds after the leader is declared, "
    "since the message takes a step in each (one election in which they do not refutes the claim). "
    f"In each family the rounds after T until then grow like L + D {LIMITS}.",
    "termination",
)
def termination(rows: Rows) -> Measurement:
    """Compare the time until all have terminated with L + D."""
    frame = _terminated(rows)
    checks = [
        *_ends(frame.filter("diameter_exact"), _D, "D"),
        *slopes(frame, "length_and_diameter", "terminated_after", 1 + MARGIN, "exponent of L + D"),
    ]
    found = analysis.blend(frame)
    parts = "" if found is None else f"; least squares: {found[0]:.2f} L + {found[1]:.2f} D"
    ratio = frame["rounds_terminated"] / frame["length_and_diameter"]
    return Measurement(
        f"at most {greatest(ratio):.2f} (L + D) rounds{parts}; exponents from {span(checks[2:])}",
        checks,
        figures.termination(frame),
        "One point for each shape: the most rounds of its elections. In a labyrinth the outer "
        "boundary is short and the way inside is long; the message takes less than a round a step, "
        "because it may take several in one.",
        {
            "corollary-4": analysis.mean_and_band(
                frame, ["shape", "outer_boundary_length", "diameter"], "rounds_terminated"
            )
        },
    )


@claim(
    "Corollary 5",
    "All particles have terminated after O(n) rounds, w.h.p.",
    "All particles terminate in every election, at most n + 1 rounds after the leader is declared "
    "(one election in which they do not refutes the claim). In each family the rounds after T "
    "until "
    f"then grow like n {LIMITS}.",
    "termination",
)
def termination_by_particles(rows: Rows) -> Measurement:
    """Compare the time until all have terminated with n."""
    frame = _terminated(rows).with_columns((pl.col("rounds_terminated") / _N).alias("ratio"))
    worst = frame.drop_nulls("ratio").sort("ratio").row(-1, named=True)
    checks = [
        *_ends(frame, _N, "n"),
        *slopes(frame, "particles", "terminated_after", 1 + MARGIN, "exponent of n"),
    ]
    return Measurement(
        f"at most {worst['ratio']:.2f} n rounds ({worst['shape']}); exponents of n from "
        f"{span(checks[2:])}",
        checks,
        curves.spread(
            frame.drop_nulls("ratio"),
            "particles",
            "ratio",
            (figures.PARTICLES, "rounds until all have terminated / n"),
            scales=("log", "log"),
        ),
        curves.BAND,
        {"corollary-5": analysis.mean_and_band(frame, ["family", "particles"], "ratio")},
    )


@claim(
    "Appendix A.1, expanded particles",
    "Theorem 2 and its corollaries also hold for systems with expanded particles.",
    "Where half of the nodes belong to expanded particles, all rounds and the rounds after T grow "
    "in "
    f"each family like L {LIMITS}.",
    "expanded",
)
def expanded(rows: Rows) -> Measurement:
    """Fit the exponent of L where half of the nodes belong to expanded particles."""
    frame = elected(rows["expanded"])
    checks = linear(frame, "outer_boundary_length", "L")
    half = len(checks) // 2
    return Measurement(
        f"rounds / L ≤ {greatest(frame['rounds_per_length']):.2f}; exponents of L from "
        f"{span(checks[:half])} for all rounds and from {span(checks[half:])} for the rounds after "
        "T",
        checks,
        _ratios(frame, "outer_boundary_length", "rounds", (figures.LENGTH, "rounds / L")),
        f"Half of the nodes belong to expanded particles, paired at random in several ways. "
        f"{curves.BAND} {TWO}",
        {
            "appendix-a-1": analysis.mean_and_band(
                frame, ["family", "outer_boundary_length"], "rounds_per_length"
            )
        },
    )


@claim(
    "Schedulers, on the same coins",
    "The running time holds for any order of activations in which everyone is activated in "
    "each round.",
    f"In each family under each scheduler, the rounds after T grow like L {LIMITS}. Schedulers are "
    "compared in matched pairs: on the same shapes with the same coins.",
    "schedulers",
)
def schedulers(rows: Rows) -> Measurement:
    """Compare all schedulers on the same coins."""
    frame = analysis.named_options(elected(rows["schedulers"]))
    by = ("family", "scheduler")
    checks = slopes(
        frame, "outer_boundary_length", "rounds_after_tokens", 1 + MARGIN, "exponent of L", by
    )
    table = analysis.compared(frame, "scheduler")
    fastest, slowest = table.row(0, named=True), table.row(-1, named=True)
    worst = table.sort("rounds / L, most").row(-1, named=True)
    mean, most = "rounds / L, mean", "rounds / L, most"
    return Measurement(
        f"from {fastest[mean]:.2f} L ({fastest['scheduler']}) to {slowest[mean]:.2f} L "
        f"({slowest['scheduler']}) on average, at most {worst[most]:.2f} L ({worst['scheduler']}), "
        f"which is up to {worst['to permutation, most']:.2f} times the rounds of permutation on "
        f"the same coins; exponents from {span(checks)}",
        checks,
        figures.compared(frame, "scheduler"),
        f"{table['elections'][0]} matched elections of each scheduler. {BOXES}",
        {"schedulers": table},
    )


#: More rounds than this, in units of L, are the tail that has to vanish.
TAIL = 4.0


@claim(
    "Tails, how rare long elections are",
    f"With high probability: elections of more than {TAIL:g} L rounds become rarer like a power of "
    "n.",
    f"From the smallest solid hexagon to the largest, the probability of more than {TAIL:g} L "
    "rounds "
    "falls at least like 1 / n (conditional binomial test). The constant in the exponent is "
    "estimated between neighbouring sizes.",
    "tails",
)
def tails(rows: Rows) -> Measurement:
    """Count elections that take many rounds for their L, and see their share fall with n."""
    frame = elected(rows["tails"])
    table = frame.group_by("shape", "particles", "outer_boundary_length").agg(
        pl.len().alias("elections"),
        (pl.col("rounds_per_length") > TAIL).sum().cast(pl.Int64).alias("longer"),
        *(
            pl.col("rounds_per_length").quantile(q).alias(f"quantile {q}")
            for q in (0.5, 0.9, 0.99, 0.999, 0.9999)
        ),
        pl.col("rounds_per_length").max().alias("most"),
    )
    table = table.sort("particles")
    small, large = table.row(0, named=True), table.row(-1, named=True)
    factor = large["particles"] / small["particles"]
    checks = [
        verdicts.falls(
            f"probability of more than {TAIL:g} L rounds, n = {large['particles']:,} to "
            f"n = {small['particles']:,}",
            (small["longer"], small["elections"]),
            (large["longer"], large["elections"]),
            factor,
        )
    ]
    return Measurement(
        f"{frame.height:,} elections; more than {TAIL:g} L rounds in {_shares(table)}; at "
        f"n = {large['particles']:,} the 99.9 % quantile of rounds / L is "
        f"{large['quantile 0.999']:.2f}{_constant(table)}",
        checks,
        curves.exceeding(frame),
        "The share of elections that take more than x L rounds, by size: the steeper the curves "
        "and "
        "the further apart, the larger the constant in n^−c.",
        {"tails": table},
    )


def _shares(table: pl.DataFrame) -> str:
    return ", ".join(
        f"{row['longer'] / row['elections']:.2g} (n = {row['particles']:,})"
        for row in table.iter_rows(named=True)
    )


def _constant(table: pl.DataFrame) -> str:
    """Return the constants in the exponents between sizes that both have events."""
    rows = [row for row in table.iter_rows(named=True) if row["longer"]]
    found = [
        -math.log((high["longer"] / high["elections"]) / (low["longer"] / low["elections"]))
        / math.log(high["particles"] / low["particles"])
        for low, high in itertools.pairwise(rows)
    ]
    told = ", ".join(f"{c:.1f}" for c in found)
    return f"; the probability falls like n^−c with c = {told}" if found else ""
