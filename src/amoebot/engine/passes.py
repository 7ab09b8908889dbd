"""One pass over a row: those act who can, many at once or alone, and note what they report.

In a pass over one row every agent acts whose next activation is earlier than those of its
neighbours. Agents that do nothing but what they do most of the time act together, on the election's
lanes of words, after those among them that flip a coin have done so. Whoever does more is
*delegated*: activated on its own, if the agents two away are later as well. What an activation
reports is noted with its time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import State, Wave, Words
from amoebot.jit import borrowed, inlined

from ..algorithms.interface import (
    DELEGATED,
    FLIPPED,
    FLIPS,
    NO_COIN,
    act_on_lanes,
    flip_on_lanes,
    mark_lanes,
    mark_of,
    pack,
    sides_of_coins,
    unpack,
)
from .activation import flip
from .calls import activate_flipped
from .neighbour_order import ROUND_SHIFT, is_first, mark_ready, next_moment, pass_by
from .wave import VECTOR, copy_in, copy_out

#: What is set in four marks if one of them is DELEGATED or FLIPS.
FOUR_ALONE = np.uint64((DELEGATED | FLIPS) * 0x0001_0001_0001_0001)


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
