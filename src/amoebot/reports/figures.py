"""The figures of a report, each drawn from rows."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from amoebot.algorithms.description import Course
from amoebot.reports import analysis
from amoebot.reports.statistics import fit_growth, fit_power
from amoebot.reports.style import BOUND, figure, legend_beside, lines_only, plain_log, series

LENGTH = "length L of the outer boundary"
PARTICLES = "number of particles n"

#: The sizes against which elections are compared: columns, how they are written, and what they are.
SIZES = {
    "particles": ("n", "the number of particles"),
    "outer_boundary_length": ("L", "the length of the outer boundary"),
    "diameter": ("D", "the diameter"),
}

#: The exponents in the legend of a growth plot: the column that is fitted, and how.
Fits = dict[str, tuple[str, analysis.Fitting]]

FITS: Fits = {
    "all rounds, beside log² {unit}": ("rounds", fit_growth),
    "plain slope": ("rounds", fit_power),
}


#: What the bands of all figures show.
BAND = "Lines are means, and bands hold the middle 90 % of the elections."

#: Sizes that are further apart than this are not joined by a line.
GAP = 4.5


def growth(
    frame: pl.DataFrame, x: str, label: str, unit: str, by: str = "family", fits: Fits = FITS
) -> Figure:
    """Draw how the rounds grow with a size, and their ratio."""
    names = sorted(frame[by].unique())
    looks = series(names)
    with figure(2, width_ratios=[1, 1]) as (made, (left, right)):
        for name in names:
            group = frame.filter(pl.col(by) == name)
            laws = [analysis.fit(group, x, column, how) for column, how in fits.values()]
            fitted = " · ".join(f"{law.exponent:.2f}" if law and law.fits else "–" for law in laws)
            label_of = f"{name} ({group.height:,})  {fitted}"
            band(left, analysis.mean_and_band(group, [x], "rounds"), x, looks[name], label_of)
            ratio = group.with_columns((pl.col("rounds") / pl.col(x)).alias("ratio"))
            band(right, analysis.mean_and_band(ratio, [x], "ratio"), x, looks[name])
        for axes in (left, right):
            axes.set_xlabel(label)
            plain_log(axes, "x", narrow=True)
        plain_log(left, "y")
        left.set_ylabel("rounds")
        right.set_ylabel(f"rounds / {unit}")
        right.set_ylim(bottom=0)
        handles, texts = left.get_legend_handles_labels()
        told = " ·\n".join(fits).format(unit=unit)
        title = f"{by} (elections), exponents:\n{told}"
        made.legend(handles, texts, loc="outside right center", title=title, alignment="left")
    return made


def band(
    axes: Axes, table: pl.DataFrame, x: str, look: dict[str, Any], label: str | None = None
) -> None:
    """Draw means and the band around them, not joined where sizes are far apart."""
    for piece in pieces(table, x):
        axes.fill_between(
            piece[x], piece["low"], piece["high"], color=look["color"], alpha=0.15, linewidth=0
        )
        axes.plot(piece[x], piece["mean"], label=label, **look)
        label = None


def pieces(table: pl.DataFrame, x: str) -> list[pl.DataFrame]:
    """Split a table, sorted by a size, where the size jumps."""
    jumps = table.select((pl.col(x) > GAP * pl.col(x).shift()).fill_null(value=False).cum_sum())
    return table.with_columns(jumps.to_series().alias("_piece")).partition_by(
        "_piece", maintain_order=True, include_key=False
    )


def candidates(frame: pl.DataFrame, by: str) -> Figure:
    """Draw the candidates that are left over time."""
    table = analysis.candidates_over_time(frame, by)
    names = sorted(table[by].unique())
    looks = series(names)
    with figure() as (made, (axes,)):
        for name in names:
            part = table.filter(pl.col(by) == name)
            look = lines_only(looks[name])
            time = part["round / L"]
            axes.fill_between(
                time, part["low"], part["high"], color=look["color"], alpha=0.15, linewidth=0
            )
            count = frame.filter(pl.col(by) == name).height
            axes.plot(time, part["mean"], label=f"{name} ({count:,})", **look)
        axes.set_xlabel("round / L")
        axes.set_ylabel("candidates left / L")
        plain_log(axes, "y")
        legend_beside(axes, f"{by} (elections)")
    return made


def phases(frame: pl.DataFrame, course: Course, by: str) -> Figure:
    """Draw how long each phase takes, as bars in units of L."""
    table = analysis.phases(frame, course, [by]).sort(by, descending=True)
    titles = [name for name in table.columns if name not in (by, "elections")]
    shades = mpl.colormaps["Blues_r"](np.linspace(0, 0.8, len(titles)))
    hatches = ("", "////", "", "\\\\\\\\", "", "....")
    with figure(height=1.3 + 0.3 * table.height) as (made, (axes,)):
        start = np.zeros(table.height)
        for place, title in enumerate(titles):
            width = table[title].to_numpy()
            axes.barh(
                [f"{value} ({count:,})" for value, count in table[by, "elections"].iter_rows()],
                width,
                left=start,
                label=title,
                color=shades[place],
                hatch=hatches[place % len(hatches)],
                edgecolor="white",
                linewidth=0.6,
            )
            start += width
        axes.set_xlabel("rounds / L")
        axes.set_ylabel(f"{by} (elections)")
        axes.grid(visible=False, axis="y")
        handles, texts = axes.get_legend_handles_labels()
        made.legend(handles, texts, loc="outside upper center", ncols=3)
    return made


def failures(table: pl.DataFrame, by: str, bound: str | None = None) -> Figure:
    """Draw how often nobody is elected against n, with exact intervals.

    A column ``exact``, if there is one, has the probability that is computed; another one, if it
    is named, a bound.
    """
    names = sorted(table[by].unique())
    looks = series(str(name) for name in names)
    floor = 0.3 / float(np.max(table["elections"].to_numpy()))
    with figure() as (made, (axes,)):
        for name in names:
            part = table.filter(pl.col(by) == name).sort("particles")
            look = looks[str(name)]
            if "exact" in table.columns:
                exact = part.filter(pl.col("exact") > floor)
                axes.plot(exact["particles"], exact["exact"], color=look["color"], linewidth=0.9)
            seen, none = part.filter(pl.col("share") > 0), part.filter(pl.col("share") == 0)
            spread = [seen["share"] - seen["low"], seen["high"] - seen["share"]]
            points = {"color": look["color"], "marker": look["marker"], "linestyle": "none"}
            label = f"{name} ({int(part['elections'].sum()):,})"
            axes.errorbar(
                seen["particles"], seen["share"], spread, capsize=2, label=label, **points
            )
            if bound is not None:
                limits = part.filter(pl.col(bound) < 1)
                axes.plot(limits["particles"], limits[bound], **BOUND | {"color": look["color"]})
            # Where none was seen, there is an upper end only.
            axes.plot(none["particles"], none["high"], **points | {"marker": "v", "mfc": "white"})
        if "exact" in table.columns:
            axes.plot([], [], color="#777777", linewidth=0.9, label="exact")
        if bound is not None:
            axes.plot([], [], label="the bound", **BOUND)
        axes.plot([], [], "v", color="#777777", mfc="white", label="none seen: at most")
        axes.set_xlabel(PARTICLES)
        axes.set_ylabel("probability that nobody is elected")
        plain_log(axes, "x")
        plain_log(axes, "y")
        axes.set_ylim(bottom=floor)
        legend_beside(axes, f"{by} (elections)")
    return made


def compared(frame: pl.DataFrame, by: str) -> Figure:
    """Draw rounds / L by scheduler, rules or election, and against the usual one."""
    names = analysis.compared(frame, by)[by].to_list()
    pairs = analysis.pairs(frame, by)
    with figure(2, height=0.9 + 0.42 * len(names), sharey=True) as (made, (left, right)):
        for place, name in enumerate(names):
            part = pairs.filter(pl.col(by) == name)
            _box(left, part["rounds_per_length"].to_numpy(), place)
            _box(right, part["ratio"].to_numpy(), place)
        counts = dict(pairs.group_by(by).len().iter_rows())
        left.set_yticks(range(len(names)), [f"{name} ({counts[name]:,})" for name in names])
        left.set_ylabel(f"{by} (elections)")
        left.set_ylim(-0.6, len(names) - 0.4)
        left.set_xlim(left=0)
        right.axvline(1, **BOUND)
        left.set_xlabel("rounds / L")
        right.set_xlabel(f"rounds / rounds of {analysis.reference(names, by)}")
        for axes in (left, right):
            axes.grid(visible=False, axis="y")
    return made


def elections(frame: pl.DataFrame, x: str, label: str) -> Figure:
    """Draw how the rounds of elections grow with a size: a panel for each family of shapes."""
    families = sorted(frame["family"].unique())
    names = sorted(frame["election"].unique())
    looks = series(names)
    with figure(len(families), height=3.0, sharey=True) as (made, panels):
        for axes, family in zip(panels, families, strict=True):
            for name in names:
                group = frame.filter(pl.col("family") == family, pl.col("election") == name)
                if group.height == 0:
                    continue
                count = frame.filter(pl.col("election") == name).height
                table = analysis.mean_and_band(group, [x], "rounds")
                band(axes, table, x, looks[name], f"{name} ({count:,})")
            axes.set_title(str(family))
            axes.set_xlabel(label)
            plain_log(axes, "x", narrow=True)
        panels[0].set_ylabel("rounds")
        plain_log(panels[0], "y")
        labelled = {
            text: line
            for axes in panels
            for line, text in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        made.legend(labelled.values(), labelled, loc="outside upper center", ncols=len(names))
    return made


def _box(axes: Axes, values: np.ndarray[Any, Any], place: int) -> None:
    """Draw the spread of values: the middle 90 %, the middle half, and the median."""
    low, first, middle, third, high = np.percentile(values, [5, 25, 50, 75, 95])
    axes.plot([low, high], [place, place], color="#444444", linewidth=1)
    for end in (low, high):
        axes.plot([end, end], [place - 0.12, place + 0.12], color="#444444", linewidth=1)
    axes.barh(place, third - first, left=first, height=0.5, color="#8fb0c9", edgecolor="#324a5f")
    axes.plot([middle, middle], [place - 0.25, place + 0.25], color="black", linewidth=2)


def termination(frame: pl.DataFrame) -> Figure:
    """Draw the rounds until all particles have terminated against L + D."""
    by = ["family", "shape", "length_and_diameter", "diameter", "outer_boundary_length"]
    known = frame.drop_nulls("rounds_terminated")
    counts = dict(known.group_by("family").len().iter_rows())
    known = known.group_by(by).agg(pl.col("rounds_terminated").max()).sort(by)
    names = sorted(counts)
    looks = series(names)
    with figure(2) as (made, (left, right)):
        for name in names:
            part = known.filter(pl.col("family") == name)
            points = {key: value for key, value in looks[name].items() if key != "linestyle"}
            points |= {"linestyle": "none", "alpha": 0.8}
            label = f"{name} ({counts[name]:,})"
            left.plot(part["length_and_diameter"], part["rounds_terminated"], label=label, **points)
            ratio = part["rounds_terminated"] / part["length_and_diameter"]
            right.plot(part["diameter"] / part["outer_boundary_length"], ratio, **points)
        left.set_xlabel("L + D")
        left.set_ylabel("rounds until all have terminated, at most")
        plain_log(left, "x", narrow=True)
        plain_log(left, "y")
        right.set_xlabel("D / L")
        right.set_ylabel("those rounds / (L + D)")
        right.set_ylim(bottom=0)
        plain_log(right, "x", narrow=True)
        handles, texts = left.get_legend_handles_labels()
        title = "family (elections)"
        made.legend(handles, texts, loc="outside right center", title=title, alignment="left")
    return made
