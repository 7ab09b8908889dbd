"""Expanded particles (Appendix A.1): neighbouring nodes paired at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import compiled
from amoebot.shapes.adjacency import Integers


@compiled
def shuffled(count: int, stream: np.uint64) -> Integers:
    """Return the numbers below ``count`` in a uniformly random order."""
    order = np.arange(count).astype(np.int32)
    for last in range(count - 1, 0, -1):
        other = rng.below(last + 1, stream, last)
        order[last], order[other] = order[other], order[last]
    return order


@compiled
def _partner(neighbours: Integers, paired: NDArray[np.bool_], node: int, pick: float) -> int:
    """Return one of the node's unpaired neighbours, or −1 if it has none."""
    free = 0
    for other in neighbours[node]:
        if other >= 0 and not paired[other]:
            free += 1
    chosen = int(pick * free)
    for other in neighbours[node]:
        if other >= 0 and not paired[other]:
            if chosen == 0:
                return int(other)
            chosen -= 1
    return -1


@compiled
def random_pairs(
    neighbours: Integers, wanted: float, order: Integers, stream: np.uint64
) -> Integers:
    """Pair nodes with free neighbours, in the given order, until ``wanted`` nodes are paired."""
    paired = np.zeros(len(neighbours), np.bool_)
    pairs = np.empty((len(neighbours) // 2, 2), np.int32)
    count = 0
    for node in order:
        if 2 * count >= wanted:
            break
        if paired[node]:
            continue
        other = _partner(neighbours, paired, node, rng.unit(rng.draw(stream, node)))
        if other >= 0:
            paired[node], paired[other] = True, True
            pairs[count, 0], pairs[count, 1] = node, other
            count += 1
    return pairs[:count]
