"""What activations of a stretch of rounds report, told to the observer in the order of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.state import State, Wave
from amoebot.jit import compiled

from ..algorithms.interface import observe
from .neighbour_order import ROUND_SHIFT
from .team import LOGGED


@compiled
def take_note(state: State, wave: Wave) -> None:
    """Tell the observer what has happened, in the order of time."""
    world, current_round = state.world, state.cursor[0].current_round
    threads, logged = len(wave.log), wave.standing[:, LOGGED]
    orders = [in_order(wave.log[thread], logged[thread]) for thread in range(threads)]
    told = np.zeros(threads, dtype=np.int64)
    for _ in range(logged.sum()):
        first = -1
        for thread in range(threads):
            if told[thread] < len(orders[thread]):
                entry = wave.log[thread, orders[thread][told[thread]]]
                if first < 0 or is_before(entry, wave.log[first, orders[first][told[first]]]):
                    first = thread
        entry = wave.log[first, orders[first][told[first]]]
        told[first] += 1
        if entry[2] < world.watched:
            observe(
                state.watch[0],
                state.withdrawals,
                world.memory,
                entry[2],
                entry[3],
                current_round + (entry[0] >> ROUND_SHIFT),
                world.options[0],
            )


@compiled
def in_order(log: NDArray[np.int64], logged: int) -> NDArray[np.int64]:
    """Return the entries of a log in the order of time."""
    order = np.arange(logged)
    for place in range(1, logged):  # each phase is nearly in order already
        entry = order[place]
        while place > 0 and is_before(log[entry], log[order[place - 1]]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = entry
    return order


@compiled
def is_before(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether one entry of a log is earlier than another."""
    for field in range(2):
        if one[field] != other[field]:
            return bool(one[field] < other[field])
    return False
