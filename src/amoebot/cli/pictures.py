"""Systems as the terminal shows them: a picture with the boundaries in colour, and the numbers."""

from __future__ import annotations

import numpy as np
from rich.table import Table
from rich.text import Text

from amoebot.shapes import Shape
from amoebot.shapes.errors import count
from amoebot.system import System
from amoebot.terminal import Mark, draw

OUTER, INNER, INTERIOR = "cyan", "magenta", "bright_black"
LEADER: Mark = ("★", "bold yellow")


def portrait(system: System, leader: int | None, width: int, height: int) -> Text:
    """Return a picture of a system with its leader particle, if there is one."""
    marks: dict[int, Mark] = {}
    if fits(system.shape, width, height) and len(system.shape.expanded) == 0:
        outer = system.outer_boundary_length
        marks |= dict.fromkeys(system.node[outer:].tolist(), ("o", INNER))
        marks |= dict.fromkeys(system.node[:outer].tolist(), ("o", OUTER))
    if leader is not None:
        nodes = np.flatnonzero(system.particle_of_node == leader)
        marks |= dict.fromkeys(nodes.tolist(), LEADER)
    picture = draw(system.shape, marks, width, height)
    picture.style = INTERIOR if marks else ""
    return picture


def thumbnail(shape: Shape, width: int, height: int) -> Text:
    """Return a small picture of a shape, without a line that explains its scale."""
    if fits(shape, width, height):
        return draw(shape, {}, width, height)
    *picture, _ = draw(shape, {}, width, height + 1).split("\n")
    return Text("\n").join(picture)


def fits(shape: Shape, width: int, height: int) -> bool:
    """Whether there is room for a character for each node."""
    x, y = shape.nodes.T
    return bool(np.ptp(y) < height and np.ptp(2 * x.astype(np.int64) + y) < width)


def facts(system: System) -> Table:
    """Return the counts of a system; the colours are those of the picture."""
    lengths = [boundary.length for boundary in system.boundaries[1:]]
    inner = "none"
    if lengths:
        each = ", ".join(f"{length:,}" for length in lengths)
        span = f"{min(lengths):,} to {max(lengths):,}"
        inner = f"{len(lengths):,}, of length {each if len(lengths) <= 6 else span}"
    table = Table.grid(padding=(0, 2))
    size = count(system.particles, "particle")
    if len(system.shape.expanded):
        size += f" ({len(system.shape.expanded):,} expanded)"
    size += f", {count(system.agents, 'agent')}"
    table.add_row("Shape", Text(f"{system.shape.name}: {size}"))
    table.add_row(Text("Outer boundary", OUTER), f"L = {system.outer_boundary_length:,}")
    table.add_row(Text("Inner boundaries", INNER), inner)
    return table
