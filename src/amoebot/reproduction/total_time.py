"""The claims on the whole running time: Theorem 2 and the corollaries, Appendix A.1 and A.2."""

from __future__ import annotations

import polars as pl

from amoebot.reports import analysis, figures
from amoebot.reports.sections import BOXES, with_margins
from amoebot.reports.statistics import fit_growth
from amoebot.reproduction import curves
from amoebot.reproduction.claims import (
    FITS,
    FITTED,
    LAWS,
    Measurement,
    Rows,
    claim,
    elected,
    greatest,
    larger_half,
)
from amoebot.reproduction.running_time import TOLERANCE

_L, _N = pl.col("outer_boundary_length"), pl.col("particles")


#: The longest outer boundary that exponents are fitted to: the full plan has longer ones too.
LONGEST = 5_500


@claim("Theorem 2", "A leader is declared after O(L) rounds, w.h.p.", "growth")
def running_time(rows: Rows) -> Measurement:
    """Fit the exponent of L on every family of shapes."""
    frame = elected(rows["growth"])
    table = analysis.exponents(frame.filter(_L <= LONGEST), LAWS)
    exponents = table["all rounds against L"]
    most = greatest(frame["rounds_per_length"])
    least, large = larger_half(frame, "outer_boundary_length")
    mean = float(large["rounds_per_length"].to_numpy().mean())
    longest = int(table["greatest L"].to_numpy().max())
    return Measurement(
        f"rounds / L ≤ {most:.2f}, and {mean:.2f} on average for L ≥ {least:,}; on "
        f"{table.height} families with L up to {longest:,}, all rounds grow "
        f"like a L^b + c log² L with b from {_span(table, 'all rounds against L')} (plain slope: "
        f"{_span(table, 'all rounds against L, plain slope')}), and the rounds after T with an "
        f"exponent from {_span(table, 'rounds after T against L')}",
        exponents.null_count() == 0 and bool(((exponents - 1).abs() <= TOLERANCE).all()),
        figures.growth(frame, "outer_boundary_length", figures.LENGTH, "L", fits=FITS),
        f"The proof splits the time in two: T = O(log² n) rounds until all digit tokens exist, and "
        f"O(L) rounds after that. {FITTED} T grows a little more slowly than log² L, so b may come "
        f"out a little above 1.{_shorter(table)}",
        {"theorem-2": table},
        with_margins(table).drop("scheduler", "options"),
    )


def _span(table: pl.DataFrame, law: str) -> str:
    """Return the least and the greatest of the exponents of a law."""
    exponents = table[law].drop_nulls().to_numpy()
    return f"{exponents.min():.3f} to {exponents.max():.3f}" if len(exponents) else "too few sizes"


def _shorter(table: pl.DataFrame) -> str:
    """Return which families do not reach the lengths of the others, if there are any."""
    ends = table.filter(pl.col("greatest L") < 0.9 * pl.col("greatest L").max())
    ends = ends.select("family", "greatest L")
    named = ", ".join(f"{family} at {length:,}" for family, length in ends.iter_rows())
    return f" Families that end at a smaller L: {named}." if named else ""


@claim("Corollary 2", "A leader is declared after O(C) rounds, w.h.p., for C particles on the "
       "outer boundary.", "growth")  # fmt: skip
def by_outer_particles(rows: Rows) -> Measurement:
    """Compare the rounds with the number of particles on the outer boundary."""
    frame = elected(rows["growth"])
    c = pl.col("outer_boundary_particles")
    agents = float(frame.select((_L / c).max()).item())
    most = float(frame.select((pl.col("rounds") / c).max()).item())
    return Measurement(
        f"rounds / C ≤ {most:.2f}; L / C ≤ {agents:.2f}, and at most 3 is possible",
        agents <= 3,
        figures.growth(
            frame, "outer_boundary_particles", "particles C on the outer boundary", "C", fits=FITS
        ),
        "Paths and trees have about two agents a particle, solid shapes one.",
        {"corollary-2": analysis.mean_and_band(frame, ["family", c.meta.output_name()], "rounds")},
    )


@claim("Corollary 3", "A leader is declared after O(n) rounds, w.h.p.", "growth")
def by_particles(rows: Rows) -> Measurement:
    """Compare the rounds with the number of particles; on solid hexagons it is the root of n."""
    frame = elected(rows["growth"])
    most = float(frame.select((pl.col("rounds") / _N).max()).item())
    hexagons = frame.filter(pl.col("family") == "hexagon", _L <= LONGEST)
    law = analysis.fit(hexagons, "particles", "rounds", fit_growth)
    after = analysis.fit(hexagons, "particles", "rounds_after_tokens")
    return Measurement(
        f"rounds / n ≤ {most:.2f}; on solid hexagons all rounds grow like a n^b + c log² n with "
        f"b = {law}, and the rounds after T like n to the {after}, since L is about √(12 n)",
        law is not None and abs(law.exponent - 0.5) <= TOLERANCE,
        figures.growth(frame, "particles", figures.PARTICLES, "n", fits=FITS),
        "A pessimistic bound, as the paper says: on solid shapes rounds / n vanishes.",
        {"corollary-3": analysis.mean_and_band(frame, ["family", "particles"], "rounds")},
    )


@claim(
    "Corollary 4",
    "All particles have terminated after O(L + D) rounds, w.h.p., where D is the diameter.",
    "termination",
)
def termination(rows: Rows) -> Measurement:
    """Compare the time until all have terminated with L + D."""
    frame = elected(rows["termination"])
    frame = frame.with_columns(
        (pl.col("rounds_terminated") / pl.col("length_and_diameter")).alias("ratio")
    )
    grows, families = _growing(frame)
    found = analysis.blend(frame)
    parts = "" if found is None else f"; least squares: {found[0]:.2f} L + {found[1]:.2f} D"
    most = greatest(frame["ratio"])
    return Measurement(
        f"at most {most:.2f} (L + D) rounds{parts}; the ratio grows with "
        f"the size on {grows} of {families} families",
        grows == 0 and not _is_open(frame),
        figures.termination(frame),
        "The most rounds on each shape. In a labyrinth the outer boundary is short and the way "
        "inside is long; the message takes less than a round a step, because it may take "
        "several in one.",
        {
            "corollary-4": analysis.mean_and_band(
                frame, ["shape", "outer_boundary_length", "diameter"], "rounds_terminated"
            )
        },
    )


def _growing(frame: pl.DataFrame) -> tuple[int, int]:
    """Return on how many families the ratio grows from the smallest shape to the largest."""
    by_family = frame.group_by("family").agg(
        pl.col("ratio").filter(_N.max() == _N).max().alias("large"),
        pl.col("ratio").filter(_N.min() == _N).max().alias("small"),
    )
    return by_family.filter(pl.col("large") > 1.1 * pl.col("small")).height, by_family.height


def _is_open(frame: pl.DataFrame) -> bool:
    """Whether some election has a leader and not all particles have terminated."""
    return frame["rounds_terminated"].null_count() > 0


@claim("Corollary 5", "All particles have terminated after O(n) rounds, w.h.p.", "termination")
def termination_by_particles(rows: Rows) -> Measurement:
    """Compare the time until all have terminated with n."""
    frame = elected(rows["termination"]).with_columns(
        (pl.col("rounds_terminated") / _N).alias("ratio")
    )
    worst = frame.sort("ratio").row(-1, named=True)
    grows, families = _growing(frame)
    return Measurement(
        f"at most {worst['ratio']:.2f} n rounds ({worst['shape']}); the ratio grows with n on "
        f"{grows} of {families} families",
        grows == 0 and not _is_open(frame),
        curves.spread(
            frame,
            "particles",
            "ratio",
            (figures.PARTICLES, "Rounds until all have terminated / n"),
        ),
        "Mean, and all elections between the least and the most.",
        {"corollary-5": analysis.mean_and_band(frame, ["family", "particles"], "ratio")},
    )


@claim(
    "Appendix A.1, expanded particles",
    "Theorem 2 and its corollaries also hold for systems with expanded particles.",
    "expanded",
)
def expanded(rows: Rows) -> Measurement:
    """Fit the exponent of L where half of the nodes belong to expanded particles."""
    frame = elected(rows["expanded"])
    law = analysis.fit(frame, "outer_boundary_length", "rounds_after_tokens")
    beside = analysis.fit(frame, "outer_boundary_length", "rounds", fit_growth)
    most = greatest(frame["rounds_per_length"])
    return Measurement(
        f"rounds / L ≤ {most:.2f}; exponent of the rounds after T {law}, on which the verdict "
        f"rests; of all rounds beside c log² L {beside}",
        law is not None and abs(law.exponent - 1) <= TOLERANCE,
        figures.growth(frame, "outer_boundary_length", figures.LENGTH, "L", fits=FITS),
        "Half of the nodes belong to expanded particles. T grows more slowly than log² L, which "
        "lifts the exponent of all rounds, the more the shorter the range of L: here it ends at "
        "1,500, with and without expanded particles.",
        {"appendix-a-1": analysis.exponents(frame, LAWS)},
    )


@claim(
    "Schedulers, on the same coins",
    "The running time holds for any order of activations in which everyone is activated in "
    "each round.",
    "schedulers",
)
def schedulers(rows: Rows) -> Measurement:
    """Compare all schedulers on the same coins."""
    frame = elected(rows["schedulers"])
    table = analysis.compared(frame, "scheduler")
    fastest, slowest = table.row(0, named=True), table.row(-1, named=True)
    worst = table.sort("rounds / L, most").row(-1, named=True)
    mean, most = "rounds / L, mean", "rounds / L, most"
    constants = frame.group_by("scheduler", "outer_boundary_length").agg(
        pl.col("rounds_per_length").mean()
    )
    law = analysis.fit(constants, "outer_boundary_length", "rounds_per_length")
    return Measurement(
        f"from {fastest[mean]:.2f} L ({fastest['scheduler']}) to {slowest[mean]:.2f} L "
        f"({slowest['scheduler']}) on average, at most {worst[most]:.2f} L ({worst['scheduler']}), "
        f"which is up to {worst['to permutation, most']:.2f} times the rounds of permutation on "
        "the same coins",
        law is not None and law.exponent <= TOLERANCE,
        figures.compared(frame, "scheduler"),
        BOXES,
        {"schedulers": table},
    )
