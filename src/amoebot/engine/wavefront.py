"""Activations in the order of memory, many at once: the same run as ``sequential``, byte for byte.

An activation reads and writes an agent and its two neighbours on the ring, so only the order of
agents that are near each other matters. The agents are in two rows, by turns along the ring. In a
pass over one row every agent acts whose next activation is earlier than those of its neighbours
(see ``passes``); some run ahead of others by a round or more. What an activation reports is noted
with its time, and told to the observer in that order.

Several threads can do this together, each on a share of the ring (see ``wave``). All of them run
the same functions, and wait for each other after each phase of a stretch of rounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import State, Wave, Words
from amoebot.jit import borrowed, compiled, inlined, takes_long

from ..algorithms.interface import PLAIN, lanes_are_ready, mark_of, pack, unpack
from .clock_order import ACTIVATIONS, is_left, lay_out_clocks
from .log import take_note
from .names import NO_END
from .neighbour_order import REFILL, append, lay_out_edges, least
from .passes import act_in_row
from .schedulers import end_round, last_to_act
from .sequential import advance
from .team import (
    FOR_EVER,
    IMPATIENT,
    first_end,
    is_too_busy,
    lose_patience,
    tell,
    wait_for_others,
)
from .wave import NEVER_BEHIND, restore, save, stretch

#: Looks in a step after which a thread gives up what it cannot do without the others. It takes
#: about three, and no end of them only if 64 agents from the end of its share wait for one another.
MOST_LOOKS = 1000

#: Passes over both rows between two looks at whether the order has to be laid out further.
PASSES = 3

#: Rounds between two looks at whether lanes can be used.
LOOK_AFTER = 2


@compiled
@takes_long("large elections", 45)
def advance_to_lanes(
    state: State, boundaries: NDArray[np.int64], last_round: int, least: int
) -> bool:
    """Run rounds, one activation after another, until all agents can use their lanes.

    Return whether they can before an outcome appears, with at least so many rounds to go.
    """
    cursor, watch = state.cursor[0], state.watch[0]
    while cursor.current_round + least <= last_round and watch.outcome == 0:
        if cursor.place == 0 and can_use_lanes(state, boundaries):
            return True
        # Not the constant itself, for which everything would be compiled once more.
        advance(state, cursor.current_round + LOOK_AFTER - 1, int(np.int64(NO_END)))
    return False


@compiled
def can_use_lanes(state: State, boundaries: NDArray[np.int64]) -> bool:
    """Whether all agents can use their lanes, and few of them have more to do."""
    memory, options = state.world.memory, state.world.options[0]
    cost = 0
    for boundary in range(len(boundaries)):
        first, length = boundaries[boundary]
        if not lanes_are_ready(memory, first, first + length):
            return False
        for unit in range(first, first + length):
            cost += mark_of(memory[unit], options) != PLAIN
    return 2 * cost <= len(state.world.wiring)


@compiled
@takes_long("large elections", 45)
def advance_in_waves(state: State, wave: Wave, last_round: int, thread: int = 0) -> None:
    """Run whole rounds up to a last one, or up to the one in which an outcome will appear.

    Each of the threads that work together has to call this; the first one keeps the books.
    """
    cursor = state.cursor[0]
    begin, end = wave.shares[thread]
    enter_lanes(state, wave, begin, end)
    wait_for_others(wave, thread, FOR_EVER)
    going = True
    while going and cursor.current_round <= last_round:
        rounds = min(stretch(wave), last_round + 1 - cursor.current_round)
        if thread == 0:
            wave.rounds[0] = cursor.current_round
        save(state, wave, thread)
        ended = run_rounds(state, wave, rounds, thread)
        while ended > 0:  # again, and only as far as that
            going = False
            rounds = ended - 1
            restore(state, wave, thread)
            ended = run_rounds(state, wave, rounds, thread) if rounds > 0 else 0
        if thread == 0 and rounds > 0:
            take_note(state, wave)
            clocked = len(wave.merged) > 0
            cursor.activations += wave.slice[ACTIVATIONS] if clocked else rounds * len(state.actors)
            cursor.current_round += rounds
            cursor.latest = last_to_act(state) + 1
        wait_for_others(wave, thread, FOR_EVER)
    leave_lanes(state, wave, begin, end)
    wait_for_others(wave, thread, FOR_EVER)
    if thread == 0:
        cursor.current_round -= 1
        end_round(cursor)


@compiled
def enter_lanes(state: State, wave: Wave, begin: int, end: int) -> None:
    """Write what the agents of some columns are doing as words, and how they act."""
    memory, options = state.world.memory, state.world.options[0]
    row = len(wave.units) // 2
    for first in (begin, row + begin):
        for place in range(first, first + end - begin):
            me = memory[wave.units[place]]
            pack(me, wave.lanes, place)
            if wave.own[place]:
                wave.own[place] = mark_of(me, options)


@compiled
def leave_lanes(state: State, wave: Wave, begin: int, end: int) -> None:
    """Read what the agents of some columns are doing from the words."""
    row = len(wave.units) // 2
    for first in (begin, row + begin):
        for place in range(first, first + end - begin):
            if wave.own[place]:
                unpack(state.world.memory[wave.units[place]], wave.lanes, place)


@compiled
def run_rounds(state: State, wave: Wave, rounds: int, thread: int) -> int:
    """Run rounds; return in which one the run ended, or 0.

    Where a log is full, or threads have to wait for a core, the run counts as ended in the first
    round: it goes on without lanes, or alone.
    What this hands on is borrowed, so that no references are counted.
    """
    state, wave = borrowed(state), borrowed(wave)
    begin, end = wave.shares[thread]
    start_rounds(wave, rounds, begin, end, thread)
    wait_for_others(wave, thread)
    clocked = len(wave.merged) > 0
    steps = 1 if clocked else -(-rounds // REFILL)
    completed = following = round_end = logged = ended = 0
    while completed < rounds and ended == 0:
        if clocked:
            following, round_end = lay_out_clocks(state, wave, completed, following, thread)
        for phase in range(wave.ranges.shape[1]):
            for step in range(steps):
                if not clocked:
                    lay_out_step(wave, rounds, phase, step, thread)
                if ended == 0:
                    logged, ended = run_step(state, wave, rounds, phase, step, thread, logged)
            tell(wave, thread, ended, logged)
            wait_for_others(wave, thread)
            # A thread that is late may read what another tells after the next phase: an end then
            # comes earlier, and all of them read it again after the last one.
            ended = first_end(wave)
        if not clocked:
            completed = rounds
        elif following > round_end:
            completed += 1
            following = 0
            if thread == 0:
                wave.slice[ACTIVATIONS] += state.clock_draws.sum() - len(state.actors)
    if len(wave.shares) > 1 and is_too_busy(wave, thread):
        wave.standing[thread, IMPATIENT] = FOR_EVER  # nor is it asked again after more waits
        ended = 1
    return int(ended)


@compiled
def start_rounds(wave: Wave, rounds: int, begin: int, end: int, thread: int) -> None:
    """Begin a stretch of rounds, in which nobody has acted and no order is laid out."""
    row = len(wave.edges) // 2
    for first in (begin, row + begin):
        last = first + end - begin
        wave.edges[first:last] = 0
        wave.done[first:last] = wave.at_first[first:last]
    if thread == 0:
        wave.slice[:] = 0
        for number in range(rounds):
            for run in range(len(wave.seeds)):
                now = wave.rounds[run] + number
                wave.streams[number, run] = rng.key(wave.seeds[run], rng.SCHEDULE, now)


@inlined
def lay_out_step(wave: Wave, rounds: int, phase: int, step: int, thread: int) -> None:
    """Lay out the order further where a thread acts from this step on: eight rounds at first."""
    for number in range(wave.ranges.shape[3]):
        begin, end = wave.ranges[thread, phase, step, number]
        first = REFILL * (step + 1) if step > 0 else 0
        if begin == end:
            first = rounds
        elif end == len(wave.marks):
            end += 1  # a row has one column more
        for laid_out in range(first, min(REFILL * (step + 2), rounds), REFILL):
            lay_out(wave, begin, end, thread, laid_out, min(REFILL, rounds - laid_out))


@inlined
def lay_out(wave: Wave, begin: int, end: int, thread: int, laid_out: int, more: int) -> None:
    """Lay out the order in some columns for more rounds."""
    laid, row = wave.laid, len(wave.laid) // 2
    laid[begin:end] = 0
    laid[row + begin : row + end] = 0
    for number in range(more):
        lay_out_edges(
            wave.particles,
            wave.times[thread],
            wave.earlier,
            laid,
            begin,
            end,
            wave.streams[laid_out + number],
            wave.width,
            2 * number,
        )
    append(wave.edges, laid, wave.done, begin, end, 2 * laid_out)


@compiled
def run_step(
    state: State, wave: Wave, rounds: int, phase: int, step: int, thread: int, logged: int
) -> tuple[int, int]:
    """Let agents act until those that act in the next step are far enough for it.

    Return how many activations are in the log, and in which round the run ended, or 0.
    """
    state, wave = borrowed(state), borrowed(wave)
    ranges, clocked = wave.ranges[thread, phase], len(wave.merged) > 0
    is_last = phase == wave.ranges.shape[1] - 1
    is_sewn = thread == 0 and is_last
    needed = min(REFILL * (step + 1), rounds)
    # Behind those who catch up, order is laid out further: this one must not go on without them.
    held = ranges[step + 1, 0, 1]
    word = swap(wave.edges, held, np.uint16(0)) if phase > 0 else np.uint16(0)
    looks = ended = 0
    reached = False
    while not reached and ended == 0:
        if clocked:
            reached = not is_left_in(wave, ranges[step + phase], ranges[step + 1])
        for half_pass in range(2 * PASSES):
            for number in range(ranges.shape[1]):
                first, last = ranges[step + phase, number]
                if first < last and ended == 0 and not reached:
                    logged, ended = act_in_row(
                        state, wave, half_pass % 2, first, last, is_sewn, thread, logged
                    )
        if not clocked:
            reached = least_in(wave, ranges[step + 1]) >= needed
        looks += 1
        if looks == MOST_LOOKS and not is_last:
            lose_patience(wave, thread, FOR_EVER)
            ended = 1
    if phase > 0:
        swap(wave.edges, held, word)
    return logged, ended


@inlined
def swap(edges: Words, place: int, word: np.uint16) -> np.uint16:
    """Let a word be another one, 0 for an agent that has to wait; return the one before."""
    before = edges[place]
    edges[place] = word
    return before


@inlined
def least_in(wave: Wave, ranges: NDArray[np.int64]) -> int:
    """Return how many rounds all agents have completed, of those in some ranges."""
    found = NEVER_BEHIND
    for number in range(len(ranges)):
        first, last = ranges[number]
        if first < last:
            found = min(found, least(wave.done, first, last + 1))
    return found


@inlined
def is_left_in(wave: Wave, acting: NDArray[np.int64], ranges: NDArray[np.int64]) -> bool:
    """Say who is next where a thread acts; return whether anyone has anything left in ranges."""
    found = False
    for number in range(len(ranges)):
        first, last = ranges[number]
        if first < last:
            start, end = acting[number]
            left = False
            for begin, following in ((start, first), (last, end), (first, last + 1)):
                left = is_left(wave, begin, following)
            found = found or left
    return found
