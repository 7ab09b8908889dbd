"""Seeds that flip given coins.

A run is a function of shape, seed and schedule, so a schedule with coins becomes a run as soon as a
seed is found whose coins are these. Every seed is as good as any other, and short schedules flip
few coins: trying them one after another finds it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import compiled

#: Seeds tried before giving up: enough for about 28 coins of two sides.
MOST_SEEDS = 1 << 28


class Flip(NamedTuple):
    """A coin, as the engine knows it, and its outcome."""

    unit: int
    lane: int
    number: int  # among the coins of its unit in its lane
    sides: int
    outcome: int


def find_seed(flips: list[Flip]) -> int | None:
    """Return the first seed that flips these coins, or None if that takes too long."""
    seed = int(search(np.array(flips, dtype=np.int64).reshape(-1, 5), MOST_SEEDS))
    return None if seed < 0 else seed


@compiled
def search(flips: NDArray[np.int64], most: int) -> int:
    """Try seeds one after another; return the first that fits, or -1."""
    for seed in range(most):
        fits = True
        for i in range(len(flips)):
            unit, lane, number, sides, outcome = flips[i]
            fits = rng.coin(np.uint64(seed), unit, lane, number, sides) == outcome
            if not fits:
                break
        if fits:
            return seed
    return -1
