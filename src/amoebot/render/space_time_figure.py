"""The space-time diagram of a run as a figure with axes: SVG, PDF or PNG, by Matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from amoebot.algorithms.description import LEADER_DECLARED
from amoebot.algorithms.pictures import Trace
from amoebot.render.look import is_on_nodes, theme
from amoebot.render.space_time import SpaceTime
from amoebot.reports.style import as_svg, figure, write_pdf
from amoebot.simulation import Simulation

#: Columns and rows of the picture: with more, they could not be told apart in print.
COLUMNS, ROWS = 640, 520

#: The least width of the picture in pixels: where there are fewer agents, each has several.
WIDE = 1280

#: How strongly a column is coloured that has a single mark among many agents.
MARK = 0.7

#: Of all columns and rows, the part that a mark takes up at least: thinner ones are not seen.
THINNEST = 1 / 260

#: How much of a cell, on either side, is left free around a mark that is not dense.
MARGIN = 0.16

#: How wide the figure is by its height.
WIDTH_BY_HEIGHT = 0.92

Pixels = NDArray[np.float64]


def save(simulation: Simulation, file: Path, dark: bool, inches: float, dots: float) -> None:
    """Run a simulation from its beginning to its end, and write the diagram to a file."""
    if not simulation.system.agents:
        raise ValueError("a single particle has no boundary to unroll")
    recorded = SpaceTime(simulation, COLUMNS, ROWS)
    recorded.run(simulation.round_limit)
    colours = theme(simulation.options.algorithm, dark)
    with figure(height=inches) as (made, (axes,)):
        made.set_size_inches(WIDTH_BY_HEIGHT * inches, inches)
        made.set_facecolor(colours["paper"])
        draw(axes, recorded, colours, inches)
        kind = file.suffix.lower()
        if kind == ".svg":
            file.write_text(as_svg(made, "space-time"), encoding="utf-8", newline="\n")
        elif kind == ".pdf":
            write_pdf(made, file)
        else:
            made.savefig(file, dpi=dots)


def draw(axes: Axes, recorded: SpaceTime, colours: dict[str, str], inches: float) -> None:
    """Draw the diagram, its axes, the phases beside it and the legend above it."""
    simulation, last = recorded.simulation, max(1, recorded.rounds[-1])
    agents = simulation.system.agents
    axes.imshow(
        image(recorded, colours),
        extent=(0, max(1, agents), last, 0),
        aspect="auto",
        interpolation="none",
    )
    axes.grid(visible=False)
    axes.set_facecolor(colours["paper"])
    axes.set_ylabel("Round", color=colours["ink"])
    _name_boundaries(axes, simulation, colours)
    _name_phases(axes, simulation, last, colours)
    _mark_leader(axes, simulation, colours)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(8, integer=True))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axis.set_tick_params(colors=colours["muted"])
    for spine in axes.spines.values():
        spine.set_color(colours["muted"])
    _legend(axes, recorded, colours, inches)


def image(recorded: SpaceTime, colours: dict[str, str]) -> Pixels:
    """Return the diagram as pixels: one for each row and column, or more where there are few."""
    shares = np.stack(recorded.rows) / 255  # of rows, traces and columns
    finer = max(1, -(-WIDE // max(1, shares.shape[2])))
    made: Pixels = np.empty((len(shares), shares.shape[2] * finer, 3))
    made[:] = to_rgb(colours["paper"])
    inside = np.ones(finer, bool)
    edge = round(finer * MARGIN)
    if edge:
        inside[:edge] = inside[-edge:] = False
    for number, trace in enumerate(recorded.traces):
        cell = np.where(inside | (trace.tint is not None), 1.0, 0.0)
        alpha = strength(trace, shares[:, number])[:, :, None] * cell
        wide = alpha.reshape(len(shares), -1)[:, :, None]
        made += wide * (np.array(to_rgb(colours[trace.colour][:7])) - made)
    return np.repeat(made, rows_of_pixels(len(made)), axis=0)


def rows_of_pixels(rows: int) -> int:
    """Return how many pixels high a row is."""
    return max(1, -(-ROWS // max(1, rows)))


def strength(trace: Trace, share: Pixels) -> Pixels:
    """Return how strongly a column is coloured where a share of its agents show a trace."""
    if trace.tint is not None:
        return trace.tint * share
    strong = np.where(share > 0, MARK + (1 - MARK) * np.sqrt(share), 0.0)
    size = [2 * round(length * THINNEST / 2) + 1 for length in share.shape]
    return np.asarray(maximum_filter(strong, size, mode="constant"))


def _name_boundaries(axes: Axes, simulation: Simulation, colours: dict[str, str]) -> None:
    """Name the axis, and divide the boundaries, the outer one first."""
    boundaries = simulation.system.boundaries
    words = "Agent along the outer boundary"
    if len(boundaries) > 1:
        words += ", then along the inner ones"
        for boundary in boundaries[1:]:
            axes.axvline(boundary.first, color=colours["inner"], linewidth=0.8)
    axes.set_xlabel(words, color=colours["ink"])


def _name_phases(axes: Axes, simulation: Simulation, last: int, colours: dict[str, str]) -> None:
    """Name the phases to the right of the diagram, each beside its rounds."""
    course = simulation.course
    place: Any = axes.get_yaxis_transform()
    line: Any = {"color": colours["muted"], "linewidth": 0.8, "clip_on": False}
    for phase, begin, end in course.bands(simulation.milestones, last):
        axes.plot((1.012, 1.022), (begin, begin), transform=place, **line)
        if (end - begin) / last > 0.028:
            axes.text(
                1.03,
                (begin + end) / 2,
                course.phases[phase].title.replace(" ", "\n"),
                transform=place,
                va="center",
                fontsize=7.5,
                linespacing=1.1,
                color=colours["muted"],
            )
    axes.plot((1.012, 1.012), (0, last), transform=place, **line)


def _mark_leader(axes: Axes, simulation: Simulation, colours: dict[str, str]) -> None:
    """Put a star where and when the leader declared itself."""
    agents, when = declared(simulation), simulation.milestones.get(LEADER_DECLARED)
    if not len(agents) or not when:
        return
    axes.plot(
        agents[0] + 0.5,
        when,
        marker="*",
        markersize=15,
        color=colours["leader"],
        markeredgecolor=colours["ink"],
        markeredgewidth=0.8,
        clip_on=False,
        zorder=5,
    )


def declared(simulation: Simulation) -> NDArray[np.intp]:
    """Return the agents that have declared themselves, or whose node has."""
    declared = simulation.memory["leader"] != 0
    if is_on_nodes(simulation.options.algorithm):
        declared = declared[simulation.system.node]
    return np.flatnonzero(declared)


def _legend(axes: Axes, recorded: SpaceTime, colours: dict[str, str], inches: float) -> None:
    """Name the traces that occur, and the run, above the diagram."""
    simulation = recorded.simulation
    occur = [
        trace for n, trace in enumerate(recorded.traces) if any(r[n].any() for r in recorded.rows)
    ]
    keys = [
        Patch(
            facecolor=colours[trace.colour][:7],
            alpha=min(1.0, 1.6 * (trace.tint or 1.0)),
            label=trace.name,
        )
        for trace in occur
    ]
    axes.legend(
        handles=keys,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=max(1, min(4, round(inches * WIDTH_BY_HEIGHT / 1.75))),
        labelcolor=colours["ink"],
        handlelength=1.0,
        handleheight=1.0,
        columnspacing=1.4,
        borderaxespad=0.4,
    )
    length = simulation.system.outer_boundary_length
    axes.figure.suptitle(
        f"{simulation.shape.name}, L = {length:,}, seed {simulation.seed}: "
        f"{simulation.options.election.title}",
        x=0.01,
        ha="left",
        fontsize=10,
        fontweight="bold",
        color=colours["ink"],
    )
