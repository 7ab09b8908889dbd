"""Activations in the order of memory, many at once: the same run as ``sequential``, byte for byte.

An activation reads and writes an agent and its two neighbours on the ring, so only the order of
agents that are near each other matters. The agents are in two rows, by turns along the ring. In a
pass over one row every agent acts whose next activation is earlier than those of its neighbours;
some run ahead of others by a round or more. Agents that do nothing but what they do most of the
time act together, on the election's lanes of words, after those among them that flip a coin have
done so. Whoever does more is *delegated*: activated on its own, if the agents two away are later as
well. What an activation reports is noted with its time, and told to the observer in that order.

Several threads can do this together, each on a share of the ring (see ``wave``). All of them run
the same functions, and wait for each other after each of its steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import borrowed, compiled, inlined, takes_long

from ..algorithms.interface import (
    DELEGATED,
    FLIPPED,
    FLIPS,
    NO_COIN,
    PLAIN,
    act_on_lanes,
    flip_on_lanes,
    lanes_are_ready,
    mark_lanes,
    mark_of,
    pack,
    sides_of_coins,
    unpack,
)
from .activation import activate_flipped, flip
from .clock_order import ACTIVATIONS, is_left, lay_out_clocks
from .log import take_note
from .names import NO_END
from .neighbour_order import (
    REFILL,
    ROUND_SHIFT,
    Words,
    append,
    is_first,
    lay_out_edges,
    least,
    mark_ready,
    next_moment,
    pass_by,
)
from .schedulers import end_round, last_to_act
from .sequential import advance
from .state import State
from .team import COMPLETED, ENDED, FOR_EVER, is_too_busy, tell, wait_for_others
from .wave import NEVER_BEHIND, STRETCH, VECTOR, Wave, copy_in, copy_out, restore, save

#: Passes over both rows between two looks at whether the order has to be laid out further.
PASSES = 3

#: Rounds between two looks at whether lanes can be used.
LOOK_AFTER = 2

#: What is set in four marks if one of them is DELEGATED or FLIPS.
FOUR_ALONE = np.uint64((DELEGATED | FLIPS) * 0x0001_0001_0001_0001)


@compiled
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
        rounds = min(STRETCH, last_round + 1 - cursor.current_round)
        if thread == 0:
            wave.rounds[0] = cursor.current_round
        save(state, wave, thread)
        ended = run_rounds(state, wave, rounds, thread)
        while ended > 0:  # again, and only as far as that
            going = False
            rounds = ended - 1
            restore(state, wave, thread)
            ended = run_rounds(state, wave, rounds, thread)
        if thread == 0:
            take_note(state, wave)
            clocked = len(wave.merged) > 0
            cursor.activations += wave.slice[ACTIVATIONS] if clocked else rounds * len(state.actors)
            cursor.current_round += rounds
            if rounds > 0:
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
    standing = wave.standing
    begin, end = wave.shares[thread]
    start_rounds(wave, rounds, begin, end, thread)
    wait_for_others(wave, thread)
    clocked, is_over, following, round_end = len(wave.merged) > 0, True, 0, 0
    laid_out = completed = logged = ended = 0
    going = True
    while going and ended == 0:
        if clocked:
            if is_over and completed < rounds:
                following, round_end = lay_out_clocks(state, wave, completed, following, thread)
        elif laid_out < rounds and completed + REFILL >= laid_out:
            while laid_out < rounds and completed + REFILL >= laid_out:
                more = min(REFILL, rounds - laid_out)
                lay_out(wave, begin, end, thread, laid_out, more)
                laid_out += more
            wait_for_others(wave, thread)
        for step in range(wave.parts.shape[1]):
            is_sewn = thread == 0 and step == wave.parts.shape[1] - 1
            for half_pass in range(2 * PASSES):
                for number in range(wave.parts.shape[2]):
                    first, last = wave.parts[thread, step, number]
                    if first < last and ended == 0:
                        logged, ended = act_in_row(
                            state, wave, half_pass % 2, first, last, is_sewn, thread, logged
                        )
            wait_for_others(wave, thread)
        # The others have read what they were told before: they have waited since.
        reached = not is_left(wave, begin, end) if clocked else least(wave.done, begin, end)
        tell(wave, thread, reached, ended, logged)
        wait_for_others(wave, thread)
        reached = NEVER_BEHIND
        for other in range(len(standing)):
            reached = min(reached, standing[other, COMPLETED])
            if standing[other, ENDED] > 0 and (ended == 0 or standing[other, ENDED] < ended):
                ended = standing[other, ENDED]
        if clocked:
            is_over = reached > 0
            if is_over and following > round_end:
                completed += 1
                following = 0
                if thread == 0:
                    wave.slice[ACTIVATIONS] += state.clock_draws.sum() - len(state.actors)
        else:
            completed = reached
        going = completed < rounds
        if rounds > 0 and len(standing) > 1 and is_too_busy(wave, thread):
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


@inlined
def act_in_row(
    state: State,
    wave: Wave,
    odd: int,
    first: int,
    last: int,
    is_sewn: bool,
    thread: int,
    logged: int,
) -> tuple[int, int]:
    """Let those act who can, in a range of a row.

    Return how many activations are in the log, and in which round the run ended, or 0.
    """
    world, log, alone_here = state.world, wave.log, len(wave.seeds) == 1
    memory, draws = borrowed(world.memory), borrowed(state.draws)
    lanes, edges, done, seams = wave.lanes, wave.edges, wave.done, wave.seams
    options, row = world.options[0], len(wave.marks) + 1
    # Where those who act begin, and those before them; those behind them are one further.
    base = row if odd else 1
    mine, pred = first + base, first + (0 if odd else row)
    marks, queue = wave.marks[first:last], wave.queue[thread]
    if is_sewn:
        copy_in(lanes, edges, done, seams)
    ended = 0
    if mark_ready(edges, wave.own, marks, mine, pred):
        marked, found = mark_lanes(lanes, mine, pred, marks, options)
        alone = 0
        if marked & (DELEGATED | FLIPS):
            alone = queue_delegated(
                marks,
                wave.four_marks[first // 4 : last // 4],
                queue,
                mine,
                wave.units,
                wave.rank,
                done,
                wave.particles,
                wave.runs,
                wave.streams,
                wave.actor,
                wave.ticks,
                wave.slice,
                lanes,
                draws,
                wave.seeds,
            )
        act_on_lanes(lanes, mine, pred, pred + 1, marks, found)
        pass_by(edges, done, marks, mine, pred)
        if is_sewn:
            copy_out(lanes, edges, wave.marks, seams, base)
        for number in range(alone):
            place = queue[number]
            events = act_alone(
                place,
                lanes,
                wave.own,
                wave.units,
                wave.places,
                memory,
                borrowed(world.wiring),
                draws,
                wave.coins[thread],
                options,
                wave.runs[place],
                wave.seeds,
            )
            if events:
                unit = wave.units[place]
                now = next_moment(
                    place,
                    done[place] - 1,
                    wave.particles,
                    wave.runs,
                    wave.streams,
                    wave.actor,
                    wave.ticks,
                    wave.slice,
                )
                if memory[unit].leader and not alone_here:
                    wave.ended[wave.runs[place]] = True  # and the others go on
                    continue
                if memory[unit].leader:
                    ended = (now >> ROUND_SHIFT) + 1
                    break
                if logged == log.shape[1]:
                    ended = 1
                    break
                log[thread, logged, 0] = now
                log[thread, logged, 1] = wave.rank[unit]
                log[thread, logged, 2] = unit
                log[thread, logged, 3] = events
                logged += 1
        if is_sewn and last - first < row - 1:
            marks[:] = 0  # or they would count where another range is sewn
    return logged, ended


@inlined
def queue_delegated(
    marks: Words,
    four_marks: NDArray[np.uint64],
    queue: NDArray[np.int64],
    mine: int,
    units: NDArray[np.int32],
    rank: NDArray[np.int64],
    done: Words,
    particles: NDArray[np.int32],
    runs: NDArray[np.int32],
    streams: NDArray[np.uint64],
    actor: NDArray[np.int32],
    ticks: NDArray[np.int64],
    slice: NDArray[np.int64],
    lanes: NDArray[np.uint16],
    draws: NDArray[np.uint32],
    seeds: NDArray[np.uint64],
) -> int:
    """Flip coins, and find who is delegated; those who are not first yet do not act at all."""
    alone = 0
    for begin in range(0, len(marks), VECTOR):
        found = np.uint64(0)
        for four in range(begin // 4, (begin + VECTOR) // 4):
            found |= four_marks[four]
        if found & FOUR_ALONE == 0:
            continue
        for four in range(begin // 4, (begin + VECTOR) // 4):
            if four_marks[four] & FOUR_ALONE == 0:
                continue
            for i in range(4 * four, 4 * four + 4):
                place = mine + i
                if marks[i] & FLIPS:
                    unit, run = units[place], runs[place]
                    own_unit = unit - first_unit(run, seeds, draws)
                    coin = rng.coin(seeds[run], own_unit, FLIPPED, draws[unit, FLIPPED], 2)
                    draws[unit, FLIPPED] += 1
                    flip_on_lanes(lanes, place, coin)
                elif marks[i] & DELEGATED:
                    if is_first(
                        place, units, rank, done, particles, runs, streams, actor, ticks, slice
                    ):
                        queue[alone] = place
                        alone += 1
                    else:
                        marks[i] = 0
    return alone


@inlined
def first_unit(run: int, seeds: NDArray[np.uint64], draws: NDArray[np.uint32]) -> int:
    """Return the number of a run's first unit among those of all runs: they have equally many."""
    return int(run) * (len(draws) // len(seeds))


@inlined
def act_alone(
    place: int,
    lanes: NDArray[np.uint16],
    own: Words,
    units: NDArray[np.int32],
    places: NDArray[np.int64],
    memory: NDArray[Any],
    wiring: NDArray[Any],
    draws: NDArray[np.uint32],
    coins: NDArray[np.int64],
    options: Any,
    run: int,
    seeds: NDArray[np.uint64],
) -> int:
    """Activate an agent that is delegated; return the events."""
    unit = units[place]
    wires, me = wiring[unit], memory[unit]
    near = (places[wires.pred], place, places[wires.succ])
    for other in near:
        unpack(memory[units[other]], lanes, other)
    first, second = sides_of_coins(me, options)
    if (first > 1) | (second > 1):
        start = first_unit(run, seeds, draws)
        flip(unit - start, 0, first, second, seeds[run], draws[start:], coins)
    events = activate_flipped(memory, wires, me, coins[0, 0], coins[0, 1], options)
    if (first > 1) | (second > 1):
        coins[:] = NO_COIN
    for other in near:
        pack(memory[units[other]], lanes, other)
        own[other] = mark_of(memory[units[other]], options)
    return events
