"""The arrays of an exploration, the same classes for all elections and rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World


class Model(NamedTuple):
    """A world, with what it takes to try every activation."""

    world: World
    words: NDArray[np.uint64]  # its memory as words, one row for each unit
    before: NDArray[Any]  # the memory in the state that activations are tried in
    past: NDArray[np.uint64]  # the same as words
    touched: NDArray[np.int32]  # the units whose memory each particle can write to, then -1
    orders: NDArray[np.int32]  # of each particle's units, one row for each order, then -1
    order_counts: NDArray[np.int64]  # how many orders each particle has
    node: NDArray[np.int32]  # of each unit
    sides: NDArray[np.int64]  # of each particle's coins
    outcomes: NDArray[np.int64]  # how many outcomes they have together
    coins: NDArray[np.int64]  # room for the coins of an activation
    events: NDArray[np.int64]  # room for what its units did
    addresses: NDArray[np.int64]  # of what loops call by address, see ``engine.calls``


class Batch(NamedTuple):
    """Steps that were tried, in the order of the states that they come from.

    Each thread has a stretch of its own, and the stretches follow each other.
    """

    rows: NDArray[np.uint64]  # the state that a step leads to
    marks: NDArray[np.uint64]  # of this state in the table
    parents: NDArray[np.int32]  # the state that a step comes from
    labels: NDArray[np.uint8]  # see ``Space``
    found: NDArray[np.int32]  # the number of the state that a step leads to
    slots: NDArray[np.int64]  # where it is in the table
    first: NDArray[np.int64]  # of each thread's steps
    tried: NDArray[np.int64]  # how many there are
    done: NDArray[np.int64]  # the states from which they are
    needs: NDArray[np.int64]  # the memories that the thread may be about to number
    edges: NDArray[np.int64]  # where the thread's edges begin in the space
    problems: NDArray[np.int64]  # of each thread and property: WHEN, STEP, OFFENDER
