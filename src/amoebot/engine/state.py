"""The state of a run: its world, where it stands, and what the observer has seen of it."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import COUNT, World
from amoebot.algorithms.records import Record
from amoebot.jit import compilable


class Cursor(Record):
    """Where a run stands."""

    seed: Annotated[np.uint64, np.uint64, "what coins and orders depend on"]
    scheduler: Annotated[int, COUNT]
    interior: Annotated[int, COUNT, "particles that never act before the termination message"]
    current_round: Annotated[int, COUNT, "the round under way, counted from 1"]
    place: Annotated[int, COUNT, "activations of acting particles in it so far"]
    interior_activations: Annotated[int, COUNT, "activations of other particles in it"]
    activations: Annotated[int, COUNT, "particle activations in all"]
    events: Annotated[int, COUNT, "what happened in this round"]
    batch: Annotated[int, COUNT, "the place that the order laid out begins with"]
    laid_out: Annotated[int, COUNT, "places laid out so far in this round"]
    complete: Annotated[int, COUNT, "whether these are all places of this round"]
    slice: Annotated[int, COUNT, "the unit of time laid out last, under ``uniform``"]
    end: Annotated[int, COUNT, "when the round is over, under ``uniform``"]
    time: Annotated[int, COUNT, "of the last activation, while the message spreads"]
    latest: Annotated[int, COUNT, "the particle activated last, plus 1"]


class State(NamedTuple):
    """All arrays of a run."""

    cursor: NDArray[Any]  # Cursor, one record
    watch: NDArray[Any]  # Watch, one record
    withdrawals: NDArray[np.int64]  # the round of each withdrawal
    world: World
    draws: NDArray[np.uint32]  # coins that each unit has flipped in each lane
    actors: NDArray[np.int32]  # the particles that have units to activate, in a fixed order
    units: NDArray[np.int32]  # the first unit of each of these
    times: NDArray[np.int32]  # of each particle, under a scheduler with an order of its own
    late: NDArray[np.uint8]  # whom the adversary holds back, of those who can terminate
    order: NDArray[np.uint64]  # what is laid out: time and place in ``actors``, by time
    keys: NDArray[np.uint64]  # room to sort in
    starts: NDArray[np.int32]  # room to sort in
    next_time: NDArray[np.int64]  # of each actor, under ``uniform``
    clock_draws: NDArray[np.int32]  # times that each actor has drawn in this round, likewise
    coins: NDArray[np.int64]  # room for the coins of an activation
    events: NDArray[np.int64]  # room for what its units did


@compilable
def changing(state: State) -> tuple[NDArray[Any], ...]:
    """Return the arrays that change during a run, other than the particles' memories."""
    return (
        state.cursor,
        state.watch,
        state.withdrawals,
        state.world.memory,
        state.draws,
        state.late,
        state.order,
        state.next_time,
        state.clock_draws,
    )
