"""Shapes that wind: a path in the form of a hexagonal spiral, alone or inside a ring."""

from __future__ import annotations

import numpy as np

from amoebot.elementary import isqrt
from amoebot.jit import compilable
from amoebot.lattice import STEPS
from amoebot.shapes.adjacency import Integers
from amoebot.shapes.generator import at_least, generator
from amoebot.shapes.regular import distance, full_hexagon, hexagon_size
from amoebot.shapes.shape import refuse_too_many

# Side number i of the spiral runs in direction i at distance i // 3 from the centre, so that the
# same direction returns six sides later two rows farther out, and the row between stays empty.
# The first side that is long enough not to touch the next but one is number 4.
_FIRST_SIDE = 4
_START_Y = -1


@compilable
def winding_path(last_side: int) -> Integers:
    """Return the nodes of the spiral in order, from its inner end to the end of a side."""
    side = np.arange(_FIRST_SIDE, last_side + 1)
    lengths = (side - 1) // 3 + (side + 1) // 3 - side // 3
    steps = STEPS[np.repeat(side % 6, lengths)]
    nodes = np.zeros((len(steps) + 1, 2), np.int32)
    nodes[1:, 0] = np.cumsum(steps[:, 0])
    nodes[1:, 1] = np.cumsum(steps[:, 1])
    nodes[:, 1] += _START_Y
    return nodes


@compilable
def wound_up(length: int) -> Integers:
    """Return the first nodes of the spiral."""
    # Side i is about i / 3 long, so that i sides hold about i² / 6 nodes.
    return winding_path(_FIRST_SIDE + isqrt(6 * length))[:length]


@compilable
def ring_around_path(radius: int) -> Integers:
    """Return a ring, and the spiral inside as far as its first node that touches the ring."""
    disc = full_hexagon(radius)
    ring = disc[np.flatnonzero(distance(disc) == radius)]
    return np.concatenate((ring, winding_path(3 * radius - 4)))


@generator
def spiral(length: int) -> Integers:
    """A path of N nodes wound up so that its arms do not touch: a long outer boundary.

    Args:
        length: N, 1 or more.
    """
    length = at_least("N", length, 1)
    refuse_too_many(length)
    return wound_up(length)


@generator
def labyrinth(radius: int) -> Integers:
    """A ring of radius R around one long winding path: a short boundary, a long diameter.

    Args:
        radius: R, 2 or more; the path grows like its square.
    """
    radius = at_least("R", radius, 2)
    refuse_too_many(hexagon_size(radius))
    return ring_around_path(radius)
