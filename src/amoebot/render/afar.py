"""What is seen of a boundary from afar, where agents are smaller than marks would have to be.

Agents that lie close to each other on the paper form a piece of a ribbon along the boundary, tinted
by how many of them hold what. Candidates and single tokens are dots of a size that can be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.expressions import evaluate
from amoebot.algorithms.pictures import Layer, Trace
from amoebot.render.geometry import Floats
from amoebot.render.look import pictures_of
from amoebot.render.primitives import Circle, Mark, Path

if TYPE_CHECKING:
    from amoebot.render.scene import Scene

#: In pixels of a picture of usual size: the length of a piece, the width of the ribbon, the radius
#: of a dot.
PIECE, RIBBON, DOT = 3.0, 6.5, 4.0


def ribbons(scene: Scene, layer: Layer) -> Iterator[Mark]:
    """Yield the tinted ribbons of a layer."""
    for trace, holds, colour in traces(scene, layer):
        if trace.tint is None:
            continue
        for piece in pieces(scene):
            if share := float(holds[piece].mean()):
                opacity = round(255 * min(1.0, 1.5 * trace.tint * share))
                points = tuple((float(x), float(y)) for x, y in outside(scene)[piece])
                yield Path(points, f"{colour}{opacity:02x}", RIBBON * scene.pixel, flat=True)


def dots(scene: Scene, layer: Layer) -> Iterator[Mark]:
    """Yield the dots of a layer, which are drawn above all ribbons."""
    for trace, holds, colour in traces(scene, layer):
        for piece in pieces(scene) if trace.tint is None else ():
            if holds[piece].any():
                x, y = outside(scene)[piece[holds[piece]][0]]
                yield Circle((float(x), float(y)), DOT * scene.pixel, colour)


def traces(scene: Scene, layer: Layer) -> Iterator[tuple[Trace, NDArray[np.bool_], str]]:
    """Yield the traces of a layer, each with the agents that show it and its colour."""
    for trace in pictures_of(scene.simulation.options.algorithm).traces:
        if trace.layer == layer.id:
            there = np.broadcast_to(evaluate(trace.when, scene.places), len(scene.place.agents))
            yield trace, there != 0, scene.colour[trace.colour][:7]


def outside(scene: Scene) -> Floats:
    """Return the middle of the ribbon at each agent."""
    return scene.place.agents + scene.place.outward * scene.pixel * RIBBON / 2


def pieces(scene: Scene) -> Iterator[NDArray[np.int64]]:
    """Yield the agents of each piece of a boundary; neighbouring pieces share an agent."""
    for boundary in scene.simulation.system.boundaries:
        of = boundary.first + np.arange(boundary.length + 1) % boundary.length
        steps = np.hypot(*np.diff(scene.place.agents[of], axis=0).T)
        number = np.concatenate([[0.0], np.cumsum(steps)]) // (PIECE * scene.pixel)
        cuts = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), boundary.length]
        for begin, end in pairwise(cuts):
            if end > begin:
                yield of[begin : end + 1]
