"""Curves with their spread and their bounds, for single claims."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from amoebot.reports import analysis
from amoebot.reports.figures import BAND, band
from amoebot.reports.style import BOUND, figure, legend_beside, lines_only, plain_log, series

__all__ = ["BAND", "Bounds", "exceeding", "in_classes", "rings", "spread", "steps"]

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
    unit: str = "elections",
    bounds: Bounds | None = None,
    scales: tuple[str, str] = ("log", "linear"),
    from_zero: bool = True,
) -> Figure:
    """Draw a number against another: the mean, the middle 90 % of elections, and bounds."""
    names = sorted(frame[by].unique())
    looks = series(str(name) for name in names)
    with figure() as (made, (axes,)):
        for name in names:
            part = frame.filter(pl.col(by) == name)
            table = analysis.mean_and_band(part, [x], y)
            band(axes, table, x, looks[str(name)], f"{name} ({part.height:,})")
        xs = np.unique(frame[x].to_numpy()).astype(float)
        for label, curve in (bounds or {}).items():
            axes.plot(xs, curve(xs), label=label, **BOUND)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        for which, scale in zip("xy", scales, strict=True):
            if scale == "log":
                plain_log(axes, which)
        if scales[1] == "linear" and from_zero:
            axes.set_ylim(bottom=0)
        if scales[0] == "linear":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend_beside(axes, f"{by} ({unit})")
    return made


def in_classes(frame: pl.DataFrame, x: str, by: str = "family") -> pl.DataFrame:
    """Return the frame with sizes that differ little made equal, to draw one line through them."""
    size = (pl.col(x) / 100).log(2).round()
    return frame.with_columns(pl.col(x).mean().over(size, by).round().alias(x))


def steps(table: pl.DataFrame) -> Figure:
    """Draw how many steps the slowest digit token has taken at the beginning of round T + i."""
    names = sorted(table["scheduler"].unique())
    looks = series(names)
    with figure() as (made, (axes,)):
        for name in names:
            part = table.filter(pl.col("scheduler") == name)
            runs = part.select("shape", "seed").n_unique()
            part = part.group_by("i").agg(pl.col("least").min()).sort("i")
            ahead = part["least"] - part["i"]
            axes.plot(part["i"], ahead, label=f"{name} ({runs})", **lines_only(looks[name]))
        last = float(np.max(table["i"].to_numpy()))
        axes.plot([0, last], [0, 0], label="0, the bound", **BOUND)
        axes.set_xlabel("i, in rounds after T")
        axes.set_ylabel("steps of the slowest token − i")
        axes.set_yscale("symlog")
        axes.yaxis.set_major_formatter("{x:g}")
        legend_beside(axes, "scheduler (runs)")
    return made


def nothing() -> Figure:
    """Draw empty axes, for a claim without data."""
    with figure() as (made, (axes,)):
        axes.set_axis_off()
    return made


def rings(table: pl.DataFrame) -> Figure:
    """Draw how often automata on rings fail, by the length of the ring and what they count to."""
    looks = series(f"M = {memory}" for memory in sorted(table["memory"].unique()))
    with figure() as (made, (axes,)):
        for (memory,), part in table.group_by(["memory"], maintain_order=True):
            name = f"M = {memory}"
            ends = [part["share"] - part["low"], part["high"] - part["share"]]
            label = f"{name} ({int(part['runs'].sum()):,})"
            axes.errorbar(part["size"], part["share"], ends, capsize=2, label=label, **looks[name])
        axes.set_xlabel("nodes N of the ring")
        axes.set_ylabel("share of elections that fail")
        plain_log(axes, "x")
        axes.set_ylim(bottom=0)
        legend_beside(axes, "memory (elections)")
    return made


def exceeding(frame: pl.DataFrame) -> Figure:
    """Draw the share of elections that take more than x L rounds, by size."""
    sizes = sorted(frame["particles"].unique())
    looks = series(f"n = {size:,}" for size in sizes)
    with figure() as (made, (axes,)):
        for size in sizes:
            values = (
                frame.filter(pl.col("particles") == size)["rounds_per_length"].sort().to_numpy()
            )
            # The share of elections above each value, down to one election.
            share = 1 - np.arange(len(values)) / len(values)
            name = f"n = {size:,}"
            axes.step(
                values,
                share,
                where="post",
                label=f"{name} ({len(values):,})",
                **lines_only(looks[name]),
            )
        axes.set_xlabel("x = rounds / L")
        axes.set_ylabel("share of elections with more rounds")
        plain_log(axes, "y")
        legend_beside(axes, "size (elections)")
    return made
