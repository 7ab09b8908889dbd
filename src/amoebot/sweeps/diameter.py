"""The diameter D of a shape: the longest of all shortest ways between two nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.shapes import Shape
from amoebot.shapes.adjacency import distances

#: How many nodes to search from before giving up, and the most nodes for searching from all.
SEARCHES = 40
EXHAUSTIVE = 4_000


def diameter(shape: Shape) -> tuple[int, bool]:
    """Return the diameter, and whether it is exact: if not, it is at least this.

    Two nodes at distance i or less from a middle node are at most 2i apart. So it is enough to
    search from the nodes farthest from the middle, layer by layer, until the longest way found
    cannot be beaten (Crescenzi and others, "On computing the diameter of real-world undirected
    graphs", 2013). Where that takes too long, as on rings, small shapes are searched from all.
    """
    around = shape.neighbours
    one = distances(around, int(distances(around, 0).argmax()))
    other = distances(around, int(one.argmax()))
    layers = distances(around, int(np.maximum(one, other).argmin()))
    longest = max(int(one.max()), int(other.max()))
    searches = 0
    for layer in range(int(layers.max()), 0, -1):
        if longest >= 2 * layer:
            return longest, True
        nodes = np.flatnonzero(layers == layer).tolist()
        searches += len(nodes)
        if searches > SEARCHES:
            return (_exhaustive(around), True) if len(shape) <= EXHAUSTIVE else (longest, False)
        longest = max(longest, *(int(distances(around, node).max()) for node in nodes))
    return longest, True


def _exhaustive(around: NDArray[np.int32]) -> int:
    """Return the diameter by growing, step by step, the set of nodes that each node reaches."""
    size = len(around)
    reach = np.packbits(np.eye(size, dtype=bool), axis=1)
    everyone = np.packbits(np.ones((1, size), dtype=bool), axis=1)
    steps = 0
    while (reach != everyone).any():
        grown = reach.copy()
        for direction in range(6):
            bonded = around[:, direction] >= 0
            grown[bonded] |= reach[around[bonded, direction]]
        reach = grown
        steps += 1
    return steps
