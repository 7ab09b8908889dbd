"""Seeds that flip given coins.

A run is a function of shape, seed and schedule, so a schedule with coins becomes a run as soon as a
seed is found whose coins are these. Every seed is as good as any other, and short schedules flip
few coins: trying them one after another finds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import compiled
from amoebot.system import comes_first

#: Seeds tried before giving up: enough for about 28 coins of two sides.
MOST_SEEDS = 1 << 28


class Flip(NamedTuple):
    """A coin, as the engine knows it, and its outcome."""

    unit: int
    lane: int
    number: int  # among the coins of its unit in its lane
    sides: int
    outcome: int


class Precedence(NamedTuple):
    """A particle runs one unit before another, as the engine knows them."""

    node: int
    unit: int
    other_node: int
    other_unit: int


def find_seed(flips: Iterable[Flip], precedences: Iterable[Precedence] = ()) -> int | None:
    """Return the first seed with these coins and orders, or None if that takes too long."""
    coins = np.array([*flips], dtype=np.int64).reshape(-1, len(Flip._fields))
    orders = np.array([*precedences], dtype=np.int64).reshape(-1, len(Precedence._fields))
    seed = int(search(coins, orders, MOST_SEEDS))
    return None if seed < 0 else seed


@compiled
def search(flips: NDArray[np.int64], orders: NDArray[np.int64], most: int) -> int:
    """Try seeds one after another; return the first that fits, or -1."""
    for seed in range(most):
        fits = True
        stream = rng.key(np.uint64(seed), rng.ORDERS, 0)
        for i in range(len(orders)):
            node, unit, other_node, other_unit = orders[i]
            fits = fits and comes_first(stream, node, unit, other_node, other_unit)
        if not fits:
            continue
        for i in range(len(flips)):
            unit, lane, number, sides, outcome = flips[i]
            fits = rng.coin(np.uint64(seed), unit, lane, number, sides) == outcome
            if not fits:
                break
        if fits:
            return seed
    return -1
