"""Who of two neighbours acts next under ``uniform``, where clocks tick at any time.

A round is cut into slices of time. In each, the ticks of everyone's clock are noted, and those of
each agent and its successor merged into one word: a bit for each activation of either, the first
one lowest, 1 for the agent, 0 for its successor. What is left of that word is where ``edges`` come
from, as often as needed. A slice is over when nobody has anything left in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import State, Wave, Words
from amoebot.jit import compiled, inlined, wrapping

from .schedulers import UNIT, exponential, start_clocks, ticks
from .team import OVERFULL, wait_for_others
from .wave import NEVER

#: The longest slice: in ten units of time hardly any clock ticks more often than there is room for.
SLICE = 10 * UNIT

#: What the threads know of a slice: in which round of the stretch it is; and how many activations
#: the rounds before had.
ROUND, ACTIVATIONS = range(2)


@compiled
def lay_out_clocks(
    state: State, wave: Wave, number: int, begin: int, thread: int
) -> tuple[int, int]:
    """Lay out the next slice of a round; return when the next begins, and when the round ends."""
    cursor = state.cursor[0]
    if thread == 0:
        if begin == 0:
            start_clocks(
                cursor, wave.streams[number, 0], state.actors, state.next_time, state.clock_draws
            )
        wave.slice[ROUND] = number
    wait_for_others(wave, thread)
    end = int(cursor.end)
    following = begin + (end - begin) // ((end - begin) // SLICE + 1) + 1
    first_column, end_column = wave.shares[thread]
    count, threads = len(state.actors), len(wave.shares)
    first_actor, end_actor = count * thread // threads, count * (thread + 1) // threads
    has_room = False
    while not has_room:
        fits = note_ticks(state, wave, first_actor, end_actor, following)
        wave.standing[thread, OVERFULL] = not fits
        wait_for_others(wave, thread)
        has_room = wave.standing[:, OVERFULL].sum() == 0
        if not has_room:  # a shorter slice has fewer ticks
            take_back(state, wave, first_actor, end_actor)
            following = begin + (following - begin) // 2
            wait_for_others(wave, thread)
    merge(wave, first_column, end_column)
    wait_for_others(wave, thread)
    return following, end


@wrapping
def note_ticks(state: State, wave: Wave, first: int, end: int, following: int) -> bool:
    """Note the ticks of some actors' clocks in a slice; return whether there is room for all.

    The first tick of each is noted, then the second of those who have one, and so on, so that
    waiting times are drawn for many at once.
    """
    stream, count = wave.streams[wave.slice[ROUND], 0], end - first
    values, times = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.int64)
    waits, who = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    active = 0
    for actor in range(first, end):
        key = rng.key(stream, rng.CLOCKS, state.actors[actor])
        values[active] = key + np.uint64(state.clock_draws[actor] + 1) * rng.GOLDEN
        times[active], who[active] = state.next_time[actor], actor
        active += times[active] < following
        wave.counts[actor] = 0
    number = 0
    while active > 0 and number < len(wave.ticks) - 1:
        draw_waits(values[:active], waits[:active])
        noted = wave.ticks[number]
        number += 1
        left = 0
        for i in range(active):
            actor, time = who[i], times[i]
            noted[actor] = time
            time += waits[i]
            state.next_time[actor], wave.counts[actor] = time, number
            values[left], times[left], who[left] = values[i] + rng.GOLDEN, time, actor
            left += time < following
        active = left
    for actor in range(first, end):
        wave.ticks[wave.counts[actor], actor] = NEVER
        state.clock_draws[actor] += wave.counts[actor]
    return active == 0


@compiled
def draw_waits(values: NDArray[np.uint64], waits: NDArray[np.int64]) -> None:
    """Draw the times from one tick to the next, as ``waiting_time`` does."""
    for i in range(len(waits)):
        waits[i] = ticks(exponential(rng.mix(values[i])))


@compiled
def take_back(state: State, wave: Wave, first: int, end: int) -> None:
    """Turn some actors' clocks back to the beginning of the slice."""
    for actor in range(first, end):
        if wave.counts[actor] > 0:
            state.next_time[actor] = wave.ticks[0, actor]
            state.clock_draws[actor] -= wave.counts[actor]


@compiled
def merge(wave: Wave, begin: int, end: int) -> None:
    """Begin a slice in some columns: merge the ticks of neighbours, of whom nobody has acted."""
    row = len(wave.merged) // 2
    for here, succ, count in (
        (begin, row + begin, end - begin),
        (row + begin, begin + 1, min(end, row - 1) - begin),
    ):
        merge_row(
            wave.actor[here : here + count],
            wave.actor[succ : succ + count],
            wave.own[here : here + count],
            wave.earlier[here : here + count],
            wave.merged[here : here + count],
            wave.ticks,
            wave.counts,
        )
        wave.done[here : here + count] = wave.at_first[here : here + count]


@compiled
def merge_row(
    actor: NDArray[np.int32],
    succ: NDArray[np.int32],
    own: Words,
    earlier: Words,
    merged: NDArray[np.uint64],
    rows: NDArray[np.int64],
    counts: NDArray[np.int32],
) -> None:
    """Merge the ticks of a row's agents with their successors'; copies have nothing to do."""
    noted, width = rows.ravel(), np.uint64(rows.shape[1])
    for i in range(len(merged)):
        mine, theirs, word = np.uint64(actor[i]), np.uint64(succ[i]), np.uint64(0)
        equal_first = np.uint64(earlier[i])
        for bit in range(counts[mine] + counts[theirs] if own[i] else 0):
            is_equal = np.uint64(noted[mine] == noted[theirs])
            first = np.uint64(noted[mine] < noted[theirs]) | (is_equal & equal_first)
            word |= first << np.uint64(bit)
            mine += first * width
            theirs += (first ^ np.uint64(1)) * width
        merged[i] = word


@inlined
def is_left(wave: Wave, begin: int, end: int) -> bool:
    """Say in some columns who is next; return whether anyone has anything left in the slice."""
    row = len(wave.merged) // 2
    found = np.uint64(0)
    for here, succ, count in (
        (begin, row + begin, end - begin),
        (row + begin, begin + 1, min(end, row - 1) - begin),
    ):
        found |= take_next(
            wave.merged[here : here + count],
            wave.done[here : here + count],
            wave.done[succ : succ + count],
            wave.edges[here : here + count],
        )
    return found != 0


@compiled
def take_next(merged: NDArray[np.uint64], done: Words, done_succ: Words, edges: Words) -> np.uint64:
    """Say it for one row; return what is left of all its words."""
    found = np.uint64(0)
    for i in range(len(edges)):
        passed = np.uint64(np.uint16(done[i] + done_succ[i]) & np.uint16(63))
        left = np.uint64(merged[i] >> passed)
        edges[i] = np.uint16(left)
        found = np.uint64(found | left)
    return found
