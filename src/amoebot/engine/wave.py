"""Where agents are when many act at once: two rows of places, and who looks after which of them.

The agents are in two rows, by turns along the ring. Threads that work together have a stretch of
the ring each, their *share*, and run some dozens of rounds in two phases, between which they wait
for each other. First each runs ahead within its share. Agents near the ends of the share have to
wait for those beyond, then their neighbours for them, and so on: so in each step of REFILL rounds a
thread acts in a range that is shorter by a vector on either side. Then each catches up where its
share begins and the one before ends, in a window that is larger in each step by what was left out
there. The first thread's window is where the boundary itself begins and ends.

In four rounds waiting spreads over seven agents on average, and a vector of both rows has 64. So a
thread needs nothing from the others within a phase, or else gives up (MOST_LOOKS), and no two of
them touch the same place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.state import State, Wave, Words
from amoebot.jit import compiled, record

from ..algorithms.interface import AT_PRED, AT_SUCC, LANES, NO_COIN
from .neighbour_order import REFILL
from .schedulers import UNIFORM

#: Rounds between two looks at how far the run has come; what is logged in between is limited.
STRETCH = 64

#: Rows are a multiple of this long, and one more: as many words as a vector has.
VECTOR = 32

#: The least number of vectors in a thread's share: with fewer, passes take little less time than
#: over twice as many.
LEAST_SHARE = 50

#: Numbers that threads tell each other are so far apart that no two share a line of the cache.
APART = 8

#: The places where a boundary begins and ends: copies, and the agents they are copies of.
SEAM = record(
    np.dtype(
        [
            (name, np.int32)
            for name in (
                *("before", "ahead", "first", "second"),
                *("before_last", "last", "behind", "after"),
            )
        ]
    )
)

#: More rounds than there are in a stretch: of places that are nobody's.
NEVER_BEHIND = 0xFFFF

#: The time of a tick that does not come in a slice of time.
NEVER = 1 << 62

#: How many ticks of a clock there is room for in a slice; those of two neighbours fit into a word.
MOST_TICKS = 31


def new_wave(
    state: State, boundaries: NDArray[np.int64], threads: int = 1, side_by_side: bool = False
) -> Wave:
    """Return the places for a run, given the first agent and the length of each boundary.

    It is for ``threads`` threads, or fewer: for one if there are several boundaries. Or these are
    the boundaries of several runs that are side by side, one of each, equally long.
    """
    lengths = boundaries[:, 1] + 4 + boundaries[:, 1] % 2
    bases = np.cumsum(lengths) - lengths
    row = -(-int(lengths.sum()) // (2 * VECTOR)) * VECTOR + 1
    unit, seams = np.zeros(2 * row, dtype=np.int32), np.zeros(len(boundaries), dtype=SEAM)
    is_agent, is_used = np.zeros(2 * row, dtype=np.bool_), np.zeros(2 * row, dtype=np.bool_)
    for number, (first, length) in enumerate(boundaries):
        slots = bases[number] + np.arange(length + 4)
        places = slots // 2 + slots % 2 * row
        unit[places] = first + np.arange(-2, length + 2) % length
        is_used[places] = True
        is_agent[places[2:-2]] = True
        seams[number] = *places[:4], *places[-4:]
    world = state.world
    where = np.zeros(len(world.memory), dtype=np.int64)
    where[unit[is_agent]] = np.flatnonzero(is_agent)
    rank = ranks(world.particle, world.first_unit, world.wiring["sibling"].copy())
    of_place = rank[unit]
    succ = np.concatenate((np.arange(row, 2 * row), np.arange(1, row), [row]))

    def words(*shape: int) -> Words:
        return np.zeros(shape, dtype=np.uint16)

    lanes, marks = words(LANES, 2 * row), words(row - 1)
    shares, ranges = shared(row, seams, threads)
    actor = np.searchsorted(state.actors, world.particle[unit]).astype(np.int32)
    if state.cursor[0]["scheduler"] != UNIFORM:
        actor = actor[:0]
    threads = len(shares)
    width = int(lengths[0]) // 2 if side_by_side else row
    runs = np.arange(2 * row) % row // width
    seeds = len(boundaries) if side_by_side else 1
    clocks = len(state.actors) if len(actor) else 0
    return Wave(
        lanes=lanes,
        own=is_agent.astype(np.uint16),
        marks=marks,
        four_marks=marks.view(np.uint64),
        edges=words(2 * row),
        done=words(2 * row),
        at_first=np.where(is_used, 0, NEVER_BEHIND).astype(np.uint16),
        laid=words(2 * row),
        earlier=(of_place < of_place[succ]).astype(np.uint16),
        particles=world.particle[unit],
        units=unit,
        places=where,
        rank=rank,
        seams=seams,
        runs=np.minimum(runs, seeds - 1).astype(np.int32),
        width=width,
        seeds=np.full(seeds, state.cursor[0]["seed"]),
        rounds=np.zeros(seeds, dtype=np.int64),
        ended=np.zeros(seeds, dtype=np.bool_),
        streams=np.zeros((STRETCH + 1, seeds), dtype=np.uint64),
        saved=(
            words(LANES, 2 * row),
            words(2 * row),
            np.zeros(len(world.memory), dtype=world.memory.dtype),
            np.zeros_like(state.draws),
        ),
        actor=actor,
        ticks=np.full((MOST_TICKS + 1, clocks), NEVER, dtype=np.int64),
        counts=np.zeros(clocks, dtype=np.int32),
        merged=np.zeros(len(actor), dtype=np.uint64),
        slice=np.zeros(3, dtype=np.int64),
        shares=shares,
        ranges=ranges,
        times=np.zeros((threads, 2 * row + 1), dtype=np.uint32),
        queue=np.zeros((threads, row), dtype=np.int64),
        coins=np.full((threads, 1, 2), NO_COIN, dtype=np.int64),
        log=np.zeros((threads, 4 * len(unit) + 64, 4), dtype=np.int64),
        standing=np.zeros((threads, APART), dtype=np.int64),
        arrivals=np.zeros(threads * APART, dtype=np.int64),
    )


def shared(
    row: int, seams: NDArray[Any], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the columns that each thread looks after, and the ranges in which it acts.

    Whoever is marked at i is in column i or i + 1, and touches no other columns than these.
    The ranges of a step are those for which the order is laid out further in it. Those who run
    ahead act there; those who catch up, where the next step does so.
    """
    vectors = (row - 1) // VECTOR
    threads = min(threads, vectors // LEAST_SHARE) if len(seams) == 1 else 1
    steps = STRETCH // REFILL
    if threads <= 1:
        return np.array([[0, row]]), np.array([[[[[0, row - 1]]] * (steps + 1)]])
    steps = min(steps, (vectors // threads - 4) // 2)
    bounds = [VECTOR * (vectors * thread // threads) for thread in range(threads)]
    # The last agent takes part in no share: whoever comes next is at the other end of the row.
    last = int(seams[0]["last"]) % row
    ends = [*bounds[1:], VECTOR * ((last - 1) // VECTOR) + VECTOR]
    ahead = np.zeros((threads, steps + 1, 2, 2), dtype=np.int64)
    behind = np.zeros_like(ahead)
    for step in range(steps + 1):
        left = [max(begin, VECTOR) + VECTOR * step for begin in bounds]
        right = [end - VECTOR * (step + 1) for end in ends]
        ahead[:, step, 0, 0], ahead[:, step, 0, 1] = left, right
        behind[:, step, 0, 0], behind[:, step, 0, 1] = [0, *right[:-1]], left
        behind[0, step, 1] = right[-1], row - 1
    return np.array([*zip(bounds, [*bounds[1:], row], strict=True)]), np.stack((ahead, behind), 1)


@compiled
def stretch(wave: Wave) -> int:
    """Return how many rounds are run at a time, at most."""
    return REFILL * (wave.ranges.shape[2] - 1)


@compiled
def ranks(
    particle: NDArray[np.int32], first_unit: NDArray[np.int32], sibling: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Number all units so that those of a particle are in their order, and particles in theirs."""
    rank = np.zeros(len(particle), dtype=np.int64)
    number = 0
    for first in first_unit:
        unit = first
        while unit >= 0:
            rank[unit] = number
            number += 1
            unit = sibling[unit]
    return rank


@compiled
def copy_in(lanes: NDArray[np.uint16], edges: Words, done: Words, seams: NDArray[Any]) -> None:
    """Let the copies at both ends of a boundary say what the agents do that they are copies of."""
    for number in range(len(seams)):
        seam = seams[number]
        done[seam.before], done[seam.ahead] = done[seam.before_last], done[seam.last]
        done[seam.behind], done[seam.after] = done[seam.first], done[seam.second]
        edges[seam.ahead] = edges[seam.last]
        for lane in range(LANES):
            lanes[lane, seam.ahead] = lanes[lane, seam.last]
            lanes[lane, seam.behind] = lanes[lane, seam.first]


@compiled
def copy_out(
    lanes: NDArray[np.uint16],
    edges: Words,
    marks: Words,
    seams: NDArray[Any],
    begin: int,
) -> None:
    """Let agents know what their neighbours at the other end of a boundary did to their copies."""
    for number in range(len(seams)):
        seam = seams[number]
        if 0 <= seam.first - begin < len(marks) and marks[seam.first - begin]:
            edges[seam.last] = edges[seam.ahead]
            for lane in range(AT_PRED):
                lanes[lane, seam.last] = lanes[lane, seam.ahead]
        if 0 <= seam.last - begin < len(marks) and marks[seam.last - begin]:
            for lane in range(AT_PRED, AT_SUCC):
                lanes[lane, seam.first] = lanes[lane, seam.behind]


@compiled
def save(state: State, wave: Wave, thread: int) -> None:
    """Keep what changes in a stretch of rounds, of a thread's share."""
    arrays = wave.lanes, wave.own, state.world.memory, state.draws
    copy_columns(wave.saved, arrays, *share(wave, thread))


@compiled
def restore(state: State, wave: Wave, thread: int) -> None:
    """Come back to the beginning of a stretch of rounds, in a thread's share."""
    arrays = wave.lanes, wave.own, state.world.memory, state.draws
    copy_columns(arrays, wave.saved, *share(wave, thread))


@compiled
def share(wave: Wave, thread: int) -> tuple[int, int, int, int]:
    """Return which columns a thread keeps, and which units."""
    begin, end = wave.shares[thread]
    threads, units = len(wave.shares), len(wave.places)
    return begin, end, units * thread // threads, units * (thread + 1) // threads


@compiled
def copy_columns(into: Any, arrays: Any, begin: int, end: int, first: int, last: int) -> None:
    """Copy lanes and marks of some columns, and memories and coins of some units."""
    lanes, own, memory, draws = into
    row = len(own) // 2
    for here, upto in ((begin, end), (row + begin, row + end)):
        lanes[:, here:upto] = arrays[0][:, here:upto]
        own[here:upto] = arrays[1][here:upto]
    memory[first:last] = arrays[2][first:last]
    draws[first:last] = arrays[3][first:last]
