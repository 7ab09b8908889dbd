"""Who of two neighbours acts next: the order of their activations, laid out some rounds ahead.

For each agent and its successor a word has a bit for each activation of either, the next one first:
1 for the agent, 0 for its successor. Here everyone acts once in a round; ``clock_order`` is for
clocks that tick any number of times. The agents are in two rows, by turns along the ring, so that
neighbours are in different rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import Words
from amoebot.jit import borrowed, compiled, disjoint, inlined, wrapping

#: The order is laid out for this many rounds at a time; a word has room for twice as many, since
#: each round takes two bits.
REFILL = 4

#: The bits of a moment below its round: times are less than a thousand units.
ROUND_SHIFT = 40


_1, _2 = np.uint16(1), np.uint16(2)


@compiled
def least(done: Words, begin: int, end: int) -> int:
    """Return how many rounds all agents have completed, of those in some columns of both rows."""
    done, row = borrowed(done), len(done) // 2
    return min(least_of(done[begin:end]), least_of(done[row + begin : row + end]))


@compiled
def least_of(done: Words) -> int:
    """Return the least of one row."""
    found = np.uint16(0xFFFF)
    for place in range(len(done)):
        found = min(found, done[place])
    return int(found)


@compiled
def draw_times(particles: NDArray[np.int32], times: NDArray[np.uint32], stream: np.uint64) -> None:
    """Draw activation times in one round."""
    for place in range(len(times)):
        times[place] = rng.activation_time(stream, particles[place])


@compiled
def lay_out_edges(
    particles: NDArray[np.int32],
    times: NDArray[np.uint32],
    earlier: Words,
    laid: Words,
    begin: int,
    end: int,
    streams: NDArray[np.uint64],
    width: int,
    shift: int,
) -> None:
    """Note whether agents in some columns come before their successors in a round, as two bits.

    ``times`` has room for two rows of times, those of one column more in the first. Each run has a
    stream, and ``width`` columns.
    """
    particles, times, earlier = borrowed(particles), borrowed(times), borrowed(earlier)
    laid, row, count = borrowed(laid), len(laid) // 2, end - begin
    last = min(end + 1, row)
    here, beside = times[: last - begin], times[count + 1 : 2 * count + 1]
    for run in range(len(streams)):
        first, following = max(begin, run * width), (run + 1) * width
        upto = min(last, following)
        draw_times(particles[first:upto], here[first - begin : upto - begin], streams[run])
        upto = min(end, following)
        draw_times(
            particles[row + first : row + upto], beside[first - begin : upto - begin], streams[run]
        )
    factor = np.uint16(1 << shift)
    note_first(here[:count], beside, earlier[begin:end], laid[begin:end], factor)
    count = last - begin - 1
    begin += row
    end = begin + count
    note_first(beside[:count], here[1:], earlier[begin:end], laid[begin:end], factor)


@disjoint
def note_first(
    times: NDArray[np.uint32],
    times_succ: NDArray[np.uint32],
    earlier: Words,
    laid: Words,
    factor: np.uint16,
) -> None:
    """Note it for one row, given the times of its agents and their successors."""
    for i in range(len(laid)):
        mine, other = times[i], times_succ[i]
        equal = np.uint16(np.uint16(mine == other) & earlier[i])
        first = np.uint16(np.uint16(mine < other) | equal)
        laid[i] = np.uint16(laid[i] | np.uint16(np.uint16(_2 - first) * factor))


@compiled
def append(edges: Words, laid: Words, done: Words, begin: int, end: int, bits: int) -> None:
    """Lay out the order of neighbours in some columns further, behind what is left of it."""
    edges, laid, done, row = borrowed(edges), borrowed(laid), borrowed(done), len(edges) // 2
    for here, succ, count in (
        (begin, row + begin, end - begin),
        (row + begin, begin + 1, min(end, row - 1) - begin),
    ):
        append_to_row(
            edges[here : here + count],
            laid[here : here + count],
            done[here : here + count],
            done[succ : succ + count],
            np.uint16(bits),
        )


@wrapping
def append_to_row(
    edges: Words, laid: Words, done: Words, done_succ: Words, bits: np.uint16
) -> None:
    """Append the bits of one row."""
    for i in range(len(laid)):
        left = np.uint16(np.uint16(bits - done[i]) - done_succ[i])
        more = np.uint16(laid[i] << np.uint16(left & np.uint16(15)))
        edges[i] = np.uint16(edges[i] | more)


@compiled
def mark_ready(edges: Words, own: Words, marks: Words, mine: int, pred: int) -> bool:
    """Mark those of a row who are earlier than both neighbours; return whether there are any."""
    edges, own, marks, end = borrowed(edges), borrowed(own), borrowed(marks), len(marks)
    return mark_first(
        edges[mine : mine + end], edges[pred : pred + end], own[mine : mine + end], marks
    )


@disjoint
def mark_first(right: Words, left: Words, own: Words, marks: Words) -> bool:
    """Mark them, given the words on both sides of the agents."""
    marked = np.uint16(0)
    for i in range(len(marks)):
        first = np.uint16(np.uint16(right[i] & np.uint16(~left[i])) & _1)
        mark = np.uint16(own[i] & np.uint16(first * np.uint16(0xFFFF)))
        marks[i] = mark
        marked = np.uint16(marked | mark)
    return marked != 0


@compiled
def pass_by(edges: Words, done: Words, marks: Words, mine: int, pred: int) -> None:
    """Count the activations of those who are marked."""
    edges, done, marks, end = borrowed(edges), borrowed(done), borrowed(marks), len(marks)
    shift(edges[mine : mine + end], edges[pred : pred + end], done[mine : mine + end], marks)


@disjoint
def shift(right: Words, left: Words, done: Words, marks: Words) -> None:
    """Count them, given the words on both sides of the agents."""
    for i in range(len(marks)):
        acts = np.uint16(marks[i] != 0)
        passed = np.uint16(acts * np.uint16(0xFFFF))
        after, before = right[i], left[i]
        right[i] = np.uint16(after ^ np.uint16(np.uint16(after ^ np.uint16(after >> _1)) & passed))
        left[i] = np.uint16(
            before ^ np.uint16(np.uint16(before ^ np.uint16(before >> _1)) & passed)
        )
        done[i] = np.uint16(done[i] + acts)


@inlined
def next_moment(
    place: int,
    number: int,
    particles: NDArray[np.int32],
    runs: NDArray[np.int32],
    streams: NDArray[np.uint64],
    actor: NDArray[np.int32],
    ticks: NDArray[np.int64],
    slice: NDArray[np.int64],
) -> int:
    """Return the moment of an agent's activation: the round of the stretch, and the time in it.

    It has a number among those of the stretch, or of the slice of time where there are clocks.
    """
    if len(actor) > 0:
        return int((slice[0] << ROUND_SHIFT) | ticks[number, actor[place]])
    time = rng.activation_time(streams[number, runs[place]], particles[place])
    return (int(number) << ROUND_SHIFT) | int(time)


@inlined
def is_first(
    place: int,
    units: NDArray[np.int32],
    rank: NDArray[np.int64],
    done: Words,
    particles: NDArray[np.int32],
    runs: NDArray[np.int32],
    streams: NDArray[np.uint64],
    actor: NDArray[np.int32],
    ticks: NDArray[np.int64],
    slice: NDArray[np.int64],
) -> bool:
    """Whether an agent's next activation is earlier than those of the agents two away."""
    mine = next_moment(place, done[place], particles, runs, streams, actor, ticks, slice)
    first = True
    for other in (place - 1, place + 1):
        if units[other] == units[place]:
            continue
        if len(actor) == 0 and done[other] != done[place]:  # then it acts in another round
            first = first and done[other] > done[place]
            continue
        theirs = next_moment(other, done[other], particles, runs, streams, actor, ticks, slice)
        earlier = theirs < mine
        if theirs == mine:
            earlier = rank[units[other]] < rank[units[place]]
        first = first and not earlier
    return first
