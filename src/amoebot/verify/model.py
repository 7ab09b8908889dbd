"""The world that is explored: its memory is put into one state after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import inlined
from amoebot.system import System

from ..algorithms.interface import NO_COIN, World
from ..engine.activation import MOST_UNITS, count_sides, no_coins
from ..engine.start import MEMORY, new_world


class Model(NamedTuple):
    """A world, with what it takes to try every activation."""

    world: World
    words: NDArray[np.uint64]  # its memory as words, one row for each unit
    sides: NDArray[np.int64]  # of each particle's coins
    outcomes: NDArray[np.int64]  # how many outcomes they have together
    coins: NDArray[np.int64]  # room for the coins of an activation
    events: NDArray[np.int64]  # room for what its units did


def new_model(system: System, options: Mapping[str, Any]) -> Model:
    """Build the model to explore, with empty memories."""
    world = new_world(system, options)
    particles = len(world.first_unit)
    return Model(
        world=world,
        words=world.memory.view(np.uint64).reshape(-1, MEMORY.itemsize // 8),
        sides=np.ones((particles, MOST_UNITS, 2), dtype=np.int64),
        outcomes=np.ones(particles, dtype=np.int64),
        coins=no_coins(),
        events=np.zeros(MOST_UNITS, dtype=np.int64),
    )


@inlined
def count_outcomes(
    particle: int,
    unit: int,
    memory: NDArray[Any],
    wiring: NDArray[Any],
    particles: NDArray[Any],
    options: Any,
    sides: NDArray[np.int64],
) -> int:
    """Return how many outcomes the coins have that a particle's activation begins with.

    ``unit`` is its first one. A particle that has the termination message flips none.
    """
    if len(particles) > 0 and particles[particle].message:
        return 1
    count = 1
    if count_sides(unit, memory, wiring, options, sides) > 0:
        for number in range(len(sides)):
            count *= sides[number, 0] * sides[number, 1]
    return count


@inlined
def choose_outcome(coins: NDArray[np.int64], sides: NDArray[np.int64], outcome: int) -> None:
    """Set the coins to one of their outcomes, by its number: the last coin changes fastest."""
    rest = outcome
    for number in range(len(coins) - 1, -1, -1):
        for lane in range(1, -1, -1):
            coins[number, lane] = NO_COIN
            if sides[number, lane] > 1:
                coins[number, lane] = rest % sides[number, lane]
                rest //= sides[number, lane]
