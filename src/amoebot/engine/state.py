"""The state of a run: its world, where it stands, and what the observer has seen of it."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import COUNT, World
from amoebot.algorithms.records import Record
from amoebot.jit import compilable
from amoebot.system import Ground

#: A 16-bit word for each place of a wave.
Words = NDArray[np.uint16]


class Cursor(Record):
    """Where a run stands."""

    seed: Annotated[np.uint64, np.uint64, "what coins and orders depend on"]
    scheduler: Annotated[int, COUNT]
    interior: Annotated[int, COUNT, "particles that never act before the termination message"]
    current_round: Annotated[int, COUNT, "the round under way, counted from 1"]
    place: Annotated[int, COUNT, "activations of acting particles in it so far"]
    interior_activations: Annotated[int, COUNT, "activations of other particles in it"]
    activations: Annotated[int, COUNT, "particle activations in all"]
    idle: Annotated[int, COUNT, "of these, those of particles that could do nothing"]
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
    addresses: NDArray[np.int64]  # of what loops call by address, see ``engine.calls``


class Wave(NamedTuple):
    """All agents, each at a place of one of the two rows.

    Before the first agent of a boundary there is a copy of the last one, behind the last a copy of
    the first, and where rounds are counted two of each.
    """

    lanes: NDArray[np.uint16]  # the election's words: a row for each lane
    own: Words  # how everyone acts, judging by its own memory; 0 for copies
    marks: Words  # who acts in this pass; the length is that of a row
    four_marks: NDArray[np.uint64]  # the same, four at a time
    edges: Words  # who is next: a bit for each activation of an agent (1) or of its successor (0)
    done: Words  # activations in this stretch of rounds
    at_first: Words  # the same at its beginning
    laid: Words  # room for the bits of REFILL rounds
    earlier: Words  # whether an agent comes before its successor if their times are equal
    particles: NDArray[np.int32]  # of each place
    units: NDArray[np.int32]  # of each place
    places: NDArray[np.int64]  # of each unit
    rank: NDArray[np.int64]  # of each unit: in this order they act at equal times
    seams: NDArray[Any]  # of each boundary: places where it begins and ends, with copies
    runs: NDArray[np.int32]  # of each place: which of the runs that are side by side
    width: int  # how many columns each run has
    seeds: NDArray[np.uint64]  # of each run
    rounds: NDArray[np.int64]  # of each run: with which one the stretch begins
    ended: NDArray[np.bool_]  # of each run: whether it has a leader in the stretch, if many
    streams: NDArray[np.uint64]  # of the schedule: for each round of a stretch, one of each run
    saved: tuple[NDArray[Any], ...]  # room for the state at the beginning of a stretch
    # Of the clocks of ``uniform``, and empty under other schedulers:
    actor: NDArray[np.int32]  # of each place
    ticks: NDArray[np.int64]  # in a slice of time: everyone's first, second, ..., then NEVER
    counts: NDArray[np.int32]  # how many these are
    merged: NDArray[np.uint64]  # the order of an agent's ticks and its successor's
    slice: NDArray[np.int64]  # what threads know of the slice, see ``clock_order``
    # Of each thread:
    shares: NDArray[np.int64]  # its columns, first and end
    ranges: NDArray[np.int64]  # of marks, in which it acts: of each phase and step one or two
    times: NDArray[np.uint32]  # room for activation times
    queue: NDArray[np.int64]  # who acts alone in this pass
    coins: NDArray[np.int64]
    log: NDArray[np.int64]  # moment, rank, unit and events of each activation that tells
    standing: NDArray[np.int64]  # how far it has come
    arrivals: NDArray[np.int64]  # how often it has waited for the others, and lost patience


class Common(NamedTuple):
    """What elections on one shape have in common."""

    ground: Ground  # that of any seed: what the seed decides about the wiring is found anew
    expanded: NDArray[np.int32]
    offsets: NDArray[np.uint8]  # of the shape's ports, empty if the seed decides
    options: NDArray[Any]
    scheduler: int
    outer_only: bool
    last_round: int
    stopped: NDArray[np.bool_]  # can be set from another thread


class Ends(NamedTuple):
    """How elections ended, one row each."""

    cursor: NDArray[Any]  # Cursor
    watch: NDArray[Any]  # Watch
    withdrawals: NDArray[np.int64]  # the round of each withdrawal
    memory: NDArray[Any]  # Memory of each unit that is watched
    draws: NDArray[np.uint32]  # coins that each of them has flipped in each lane


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
