"""Activations in the order of memory, many at once: the same run as ``sequential``, byte for byte.

An activation reads and writes an agent and its two neighbours on the ring, so only the order of
agents that are near each other matters. The agents are in two rows, by turns along the ring. In a
pass over one row every agent acts whose next activation is earlier than those of its neighbours;
some run ahead of others by a round or more. Agents that do nothing but what they do most of the
time act together, on the election's lanes of words. What others do besides is done one at a time,
if the agents two away are later as well: all of it where they are *delegated*, a part of it
*aside*. What an activation reports is noted with its time, and told to the observer in that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import borrowed, compiled, inlined, record, takes_long

from ..algorithms.interface import (
    ASIDE,
    AT_PRED,
    AT_SUCC,
    DELEGATED,
    LANES,
    NO_COIN,
    PLAIN,
    act_aside,
    act_on_lanes,
    lanes_are_ready,
    mark_lanes,
    mark_of,
    observe,
    pack,
    sides_of_coins,
    unpack,
)
from .activation import activate_flipped, flip
from .neighbour_order import (
    REFILL,
    Words,
    append,
    draw_times,
    is_first,
    lay_out_edges,
    least,
    mark_ready,
    pass_by,
)
from .schedulers import end_round
from .state import State

#: Rounds between two looks at how far the run has come; what is logged in between is limited.
STRETCH = 64

#: Passes over both rows between two looks at whether the order has to be laid out further.
PASSES = 2

#: Rows are a multiple of this long, and one more: as many words as a vector has.
VECTOR = 32

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

#: What is set in four marks if one of them is DELEGATED or ASIDE.
FOUR_ALONE = np.uint64((DELEGATED | ASIDE) * 0x0001_0001_0001_0001)

#: More rounds than there are in a stretch: of places that are nobody's.
NEVER_BEHIND = 0xFFFF


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
    times: NDArray[np.uint32]  # room for activation times
    earlier: Words  # whether an agent comes before its successor if their times are equal
    particles: NDArray[np.int32]  # of each place
    units: NDArray[np.int32]  # of each place
    places: NDArray[np.int64]  # of each unit
    rank: NDArray[np.int64]  # of each unit: in this order they act at equal times
    seams: NDArray[Any]  # of each boundary: places where it begins and ends, with copies
    queue: NDArray[np.int64]  # who acts alone in this pass
    streams: NDArray[np.uint64]  # of the schedule, one for each round of a stretch
    coins: NDArray[np.int64]
    log: NDArray[np.int64]  # round, time, rank, unit and events of each activation that tells
    saved: tuple[NDArray[Any], ...]  # room for the state at the beginning of a stretch


def new_wave(state: State, boundaries: NDArray[np.int64]) -> Wave:
    """Return the places for a run, given the first agent and the length of each boundary."""
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
    return Wave(
        lanes=lanes,
        own=is_agent.astype(np.uint16),
        marks=marks,
        four_marks=marks.view(np.uint64),
        edges=words(2 * row),
        done=words(2 * row),
        at_first=np.where(is_used, 0, NEVER_BEHIND).astype(np.uint16),
        laid=words(2 * row),
        times=np.zeros(2 * row, dtype=np.uint32),
        earlier=(of_place < of_place[succ]).astype(np.uint16),
        particles=world.particle[unit],
        units=unit,
        places=where,
        rank=rank,
        seams=seams,
        queue=np.zeros(row, dtype=np.int64),
        streams=np.zeros(STRETCH + 1, dtype=np.uint64),
        coins=np.full((1, 2), NO_COIN, dtype=np.int64),
        log=np.zeros((4 * len(unit) + 64, 5), dtype=np.int64),
        saved=(lanes.copy(), words(2 * row), world.memory.copy(), state.draws.copy()),
    )


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
def advance_in_waves(state: State, wave: Wave, last_round: int) -> None:
    """Run whole rounds up to a last one, or up to the one in which an outcome will appear."""
    cursor = state.cursor[0]
    memory, options = state.world.memory, state.world.options[0]
    for place in range(len(wave.units)):
        me = memory[wave.units[place]]
        pack(me, wave.lanes, place)
        if wave.own[place]:
            wave.own[place] = mark_of(me, options)
    going = True
    while going and cursor.current_round <= last_round:
        rounds = min(STRETCH, last_round + 1 - cursor.current_round)
        save(state, wave)
        logged, ended = run_rounds(state, wave, rounds)
        while ended > 0:  # again, and only as far as that
            going = False
            rounds = ended - 1
            restore(state, wave)
            logged, ended = run_rounds(state, wave, rounds)
        take_note(state, wave, logged)
        cursor.activations += rounds * len(state.actors)
        cursor.current_round += rounds
        if rounds > 0:
            cursor.latest = last_to_act(state) + 1
    for place in range(len(wave.units)):
        if wave.own[place]:
            unpack(memory[wave.units[place]], wave.lanes, place)
    cursor.current_round -= 1
    end_round(cursor)


@compiled
def run_rounds(state: State, wave: Wave, rounds: int) -> tuple[int, int]:
    """Run rounds; return how many activations are in the log, and in which round it ended, or 0.

    Where the log is full, the run counts as ended in the first round: it goes on without lanes.
    What this hands on is borrowed, so that no references are counted.
    """
    cursor, world = state.cursor[0], state.world
    lanes, own, edges, done = (
        borrowed(wave.lanes),
        borrowed(wave.own),
        borrowed(wave.edges),
        borrowed(wave.done),
    )
    marks, four_marks, queue = (
        borrowed(wave.marks),
        borrowed(wave.four_marks),
        borrowed(wave.queue),
    )
    laid, times, earlier = borrowed(wave.laid), borrowed(wave.times), borrowed(wave.earlier)
    particles, units, places = (
        borrowed(wave.particles),
        borrowed(wave.units),
        borrowed(wave.places),
    )
    rank, streams, seams = borrowed(wave.rank), borrowed(wave.streams), borrowed(wave.seams)
    coins, log = borrowed(wave.coins), borrowed(wave.log)
    memory, wiring, draws = borrowed(world.memory), borrowed(world.wiring), borrowed(state.draws)
    options, seed, count = world.options[0], cursor.seed, len(marks)
    for number in range(rounds):
        streams[number] = rng.key(seed, rng.SCHEDULE, cursor.current_round + number)
    edges[:] = 0
    done[:] = borrowed(wave.at_first)
    laid_out = logged = 0
    going = True
    while going:
        going = False
        while laid_out < rounds and least(done) + REFILL >= laid_out:
            going = True
            more = min(REFILL, rounds - laid_out)
            laid[:] = 0
            for number in range(more):
                draw_times(particles, times, streams[laid_out + number])
                lay_out_edges(times, earlier, laid, 2 * number)
            append(edges, laid, done, 2 * laid_out)
            laid_out += more
        for half_pass in range(2 * PASSES):
            # where those who act begin, and those before and behind them
            mine = 1 if half_pass % 2 == 0 else count + 1
            pred = count + 2 - mine if half_pass % 2 == 0 else 0
            copy_in(lanes, edges, done, seams)
            if not mark_ready(edges, own, marks, mine, pred):
                continue
            going = True
            marked, found = mark_lanes(lanes, mine, pred, marks, options)
            alone = 0
            if marked & (DELEGATED | ASIDE):
                alone = those_alone(
                    marks, four_marks, queue, mine, units, rank, done, particles, streams
                )
            act_on_lanes(lanes, mine, pred, pred + 1, marks, found)
            pass_by(edges, done, marks, mine, pred)
            copy_out(lanes, edges, marks, seams, mine)
            for number in range(alone):
                place = queue[number]
                events = act_alone(
                    place,
                    marks[place - mine],
                    lanes,
                    own,
                    units,
                    places,
                    memory,
                    wiring,
                    draws,
                    coins,
                    options,
                    seed,
                )
                if events:
                    unit, now = units[place], done[place] + 0  # no word any more
                    if memory[unit].leader:
                        return logged, now
                    if logged == len(log):
                        return logged, 1
                    log[logged, 0] = now - 1
                    log[logged, 1] = rng.activation_time(streams[now - 1], particles[place])
                    log[logged, 2] = rank[unit]
                    log[logged, 3] = unit
                    log[logged, 4] = events
                    logged += 1
    return logged, 0


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
def those_alone(
    marks: Words,
    four_marks: NDArray[np.uint64],
    queue: NDArray[np.int64],
    mine: int,
    units: NDArray[np.int32],
    rank: NDArray[np.int64],
    done: Words,
    particles: NDArray[np.int32],
    streams: NDArray[np.uint64],
) -> int:
    """Find those who do not act on lanes only; those who are not first yet do not act at all."""
    alone = 0
    for begin in range(0, len(marks), VECTOR):
        found = np.uint64(0)
        for four in range(VECTOR // 4):
            found |= four_marks[begin // 4 + four]
        if found & FOUR_ALONE == 0:
            continue
        for i in range(begin, begin + VECTOR):
            if marks[i] & (DELEGATED | ASIDE):
                if is_first(mine + i, units, rank, done, particles, streams):
                    queue[alone] = mine + i
                    alone += 1
                else:
                    marks[i] = 0
    return alone


@inlined
def act_alone(
    place: int,
    mark: int,
    lanes: NDArray[np.uint16],
    own: Words,
    units: NDArray[np.int32],
    places: NDArray[np.int64],
    memory: NDArray[Any],
    wiring: NDArray[Any],
    draws: NDArray[np.uint32],
    coins: NDArray[np.int64],
    options: Any,
    seed: np.uint64,
) -> int:
    """Let an agent do what it does not do on lanes; return the events."""
    unit = units[place]
    wires, me = wiring[unit], memory[unit]
    near = (places[wires.pred], place, places[wires.succ])
    first, second = sides_of_coins(me, options)
    if (first > 1) | (second > 1):
        flip(unit, 0, first, second, seed, draws, coins)
    if mark & DELEGATED:
        for other in near:
            unpack(memory[units[other]], lanes, other)
        events = activate_flipped(memory, wires, me, coins[0, 0], coins[0, 1], options)
        for other in near:
            pack(memory[units[other]], lanes, other)
    else:
        pred, succ = memory[wires.pred], memory[wires.succ]
        events = act_aside(me, pred, succ, lanes, place, near[0], near[2], coins[0, 1])
    if (first > 1) | (second > 1):
        coins[:] = NO_COIN
    for other in near:
        own[other] = mark_of(memory[units[other]], options)
    return events


@compiled
def save(state: State, wave: Wave) -> None:
    """Keep what changes in a stretch of rounds."""
    lanes, own, memory, draws = wave.saved
    lanes[:] = wave.lanes
    own[:] = wave.own
    memory[:] = state.world.memory
    draws[:] = state.draws


@compiled
def restore(state: State, wave: Wave) -> None:
    """Come back to the beginning of a stretch of rounds."""
    lanes, own, memory, draws = wave.saved
    wave.lanes[:] = lanes
    wave.own[:] = own
    state.world.memory[:] = memory
    state.draws[:] = draws


@compiled
def take_note(state: State, wave: Wave, logged: int) -> None:
    """Tell the observer what has happened, in the order of time."""
    log, world = wave.log, state.world
    current_round = state.cursor[0].current_round
    order = np.arange(logged)
    for place in range(1, logged):  # it is nearly in order already
        entry = order[place]
        while place > 0 and is_before(log, entry, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = entry
    for entry in order:
        unit = log[entry, 3]
        if unit < world.watched:
            observe(
                state.watch[0],
                state.withdrawals,
                world.memory,
                unit,
                log[entry, 4],
                current_round + log[entry, 0],
                world.options[0],
            )


@compiled
def is_before(log: NDArray[np.int64], one: int, other: int) -> bool:
    """Whether one entry of the log is earlier than another."""
    for field in range(3):
        if log[one, field] != log[other, field]:
            return bool(log[one, field] < log[other, field])
    return False


@compiled
def last_to_act(state: State) -> int:
    """Return the particle whose activation was the last one of the round before."""
    cursor = state.cursor[0]
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round - 1)
    last, latest = np.int64(-1), np.int64(-1)
    for particle in state.actors:
        time = np.int64(rng.activation_time(stream, particle))
        if time >= latest:
            last, latest = np.int64(particle), time
    return int(last)
