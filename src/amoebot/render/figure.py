"""Pictures as PDF and PNG, drawn by Matplotlib."""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

from amoebot.render.primitives import Circle, Label, Path, Picture

#: Points in an inch, by which Matplotlib measures lines and letters.
POINTS = 72.0


def save(picture: Picture, file: File, inches: float = 6.0, dots: float = 200.0) -> None:
    """Write a picture to a file of the kind that its name ends in, of the given size in inches."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    unit = inches / max(picture.width, picture.height)
    figure = Figure(figsize=(picture.width * unit, picture.height * unit))
    canvas = FigureCanvasPdf if file.suffix.lower() == ".pdf" else FigureCanvasAgg
    canvas(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(picture.left, picture.left + picture.width)
    axes.set_ylim(picture.top + picture.height, picture.top)
    axes.set_axis_off()
    for order, mark in enumerate(picture.marks):
        add(axes, mark, unit * POINTS, order)
    # Publishers refuse Type 3, which is what Matplotlib would embed.
    with rc_context({"pdf.fonttype": 42}):
        figure.savefig(file, dpi=dots, facecolor=picture.paper, metadata={"Creator": "amoebot"})


def add(axes: Any, mark: Circle | Path | Label, points: float, order: int) -> None:
    """Add one mark; ``points`` is the length of a unit."""
    from matplotlib import patches
    from matplotlib.path import Path as Outline

    if isinstance(mark, Label):
        axes.text(
            *mark.centre,
            mark.text,
            fontsize=mark.size * points,
            color=mark.fill,
            weight="bold" if mark.bold else "normal",
            ha="center",
            va="center_baseline",
            zorder=order,
            family="DejaVu Sans",
        )
        return
    style = {
        "facecolor": mark.fill or "none",
        "edgecolor": mark.stroke or "none",
        "linewidth": mark.width * points,
        "zorder": order,
    }
    if isinstance(mark, Circle):
        axes.add_patch(patches.Circle(mark.centre, mark.radius, **style))
        return
    corners = [*mark.points, mark.points[0]] if mark.closed else [*mark.points]
    codes = [Outline.MOVETO] + [Outline.LINETO] * (len(corners) - 1)
    if mark.closed:
        codes[-1] = Outline.CLOSEPOLY
    outline = Outline(corners, codes)
    ends = "butt" if mark.flat else "round"
    axes.add_patch(patches.PathPatch(outline, capstyle=ends, joinstyle="round", **style))
