"""Curves with their spread and their bounds, for single claims."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray

from amoebot.reports import analysis
from amoebot.reports.style import BOUND, figure, legend_beside, lines_only, plain_log, series

Floats = NDArray[np.float64]

#: Curves that bound what is drawn, by what they are called.
Bounds = dict[str, Callable[[Floats], Floats]]


def spread(
    frame: pl.DataFrame,
    x: str,
    y: str,
    labels: tuple[str, str],
    by: str = "family",
    *,
    bounds: Bounds | None = None,
    scales: tuple[str, str] = ("log", "linear"),
) -> Figure:
    """Draw a number against another: the mean, all values between least and most, and bounds."""
    names = sorted(frame[by].unique())
    looks = series(str(name) for name in names)
    with figure() as (made, (axes,)):
        for name in names:
            table = analysis.mean_and_band(frame.filter(pl.col(by) == name), [x], y)
            look = looks[str(name)]
            ends = (table["least"], table["most"])
            axes.fill_between(table[x], *ends, color=look["color"], alpha=0.13, linewidth=0)
            axes.plot(table[x], table["mean"], label=str(name), **look)
        xs = np.unique(frame[x].to_numpy()).astype(float)
        for label, curve in (bounds or {}).items():
            axes.plot(xs, curve(xs), label=label, **BOUND)
        axes.set_xlabel(labels[0])
        axes.set_title(labels[1])
        for which, scale in zip("xy", scales, strict=True):
            if scale == "log":
                plain_log(axes, which)
        if scales[1] == "linear":
            axes.set_ylim(bottom=0)
        legend_beside(axes)
    return made


def in_classes(frame: pl.DataFrame, x: str) -> pl.DataFrame:
    """Return the frame with sizes that differ little made equal, to draw one line through them."""
    size = pl.col(x).log(2).round()
    return frame.with_columns(pl.col(x).mean().over(size).round().alias(x))


def steps(table: pl.DataFrame) -> Figure:
    """Draw how many steps the slowest digit token has taken at the beginning of round T + i."""
    names = sorted(table["scheduler"].unique())
    looks = series(names)
    with figure() as (made, (axes,)):
        for name in names:
            part = table.filter(pl.col("scheduler") == name)
            part = part.group_by("i").agg(pl.col("least").min()).sort("i")
            ahead = part["least"] - part["i"]
            axes.plot(part["i"], ahead, label=name, **lines_only(looks[name]))
        last = float(np.max(table["i"].to_numpy()))
        axes.plot([0, last], [0, 0], label="the bound", **BOUND)
        axes.set_xlabel("i, in rounds after T")
        axes.set_title("Steps of the slowest digit token by round T + i, less i")
        legend_beside(axes, "scheduler")
    return made
