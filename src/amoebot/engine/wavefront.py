"""Activations in the order of memory, many at once: the same run as ``sequential``, byte for byte.

An activation reads and writes an agent and its two neighbours on the ring, so only the order of
agents that are near each other matters. In one pass every agent acts whose next activation is
earlier than those of its neighbours; some run ahead of others by a round or more. Agents that do
nothing but what they do most of the time act together, on the election's lanes of words. The others
are *delegated*: they are activated one at a time, as always, if those two agents away are later
as well. What an activation reports is noted with its time, and told to the observer in that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import borrowed, compiled, inlined, wrapping

from ..algorithms.interface import (
    DELEGATED,
    LANES,
    NO_COIN,
    PLAIN,
    act_on_lanes,
    has_more_to_do,
    lanes_are_ready,
    mark_lanes,
    observe,
    pack,
    show,
    sides_of_coins,
    unpack,
)
from .activation import activate_flipped, flip
from .schedulers import end_round
from .state import State

#: Rounds between two looks at how far the run has come; what is logged in between is limited.
STRETCH = 64

#: The order of two neighbours is laid out for this many rounds at a time; a word has room for
#: twice as many, since each round takes two bits.
REFILL = 4

#: Slots on each side of a boundary that repeat its other end.
PAD = 2

#: Passes between two looks at whether that order has to be laid out further.
PASSES = 3

Words = NDArray[np.uint16]

#: What is set in four marks if one of them is DELEGATED.
FOUR_DELEGATED = np.uint64(DELEGATED * 0x0001_0001_0001_0001)

_1, _2 = np.uint16(1), np.uint16(2)


class Wave(NamedTuple):
    """All agents in the order of memory: a slot each, and on both sides of a boundary two more.

    These *pads* are copies of the agents at its other end, so that every agent has those beside it
    that it meets, or that its neighbours do.
    """

    lanes: NDArray[np.uint16]  # the election's words: a row for each lane
    marks: Words  # who acts in this pass
    four_marks: NDArray[np.uint64]  # the same, four at a time
    busy: Words  # who has more to do than lanes show
    edges: Words  # who is next: a bit for each activation of an agent (1) or of its successor (0)
    done: Words  # activations in this stretch of rounds
    laid: Words  # room for the bits of REFILL rounds
    times: NDArray[np.uint32]  # room for activation times
    earlier: Words  # whether an agent comes before its successor if their times are equal
    particles: NDArray[np.int32]  # of each slot
    units: NDArray[np.int32]  # of each slot
    slots: NDArray[np.int32]  # of each unit
    rank: NDArray[np.int64]  # of each unit: in this order they act at equal times
    pads: NDArray[np.int32]
    originals: NDArray[np.int32]  # what the pads are copies of
    queue: NDArray[np.int32]  # slots that are busy, then those who act on their own in this pass
    streams: NDArray[np.uint64]  # of the schedule, one for each round of a stretch
    coins: NDArray[np.int64]
    log: NDArray[np.int64]  # round, time, rank, unit and events of each activation that tells
    saved: tuple[NDArray[Any], ...]  # room for the state at the beginning of a stretch


def new_wave(state: State, boundaries: NDArray[np.int64]) -> Wave:
    """Return the slots for a run, given the first agent and the length of each boundary."""
    units: list[NDArray[np.int64]] = []
    agents: list[NDArray[np.int64]] = []
    slot = 0
    for first, length in boundaries:
        units.append(first + np.arange(-PAD, length + PAD) % length)
        agents.append(slot + PAD + np.arange(length))
        slot += length + 2 * PAD
    units.append(np.zeros(-slot % 4, dtype=np.int64))
    world = state.world
    unit, agent = np.concatenate(units).astype(np.int32), np.concatenate(agents)
    slots = np.zeros(len(world.memory), dtype=np.int32)
    slots[unit[agent]] = agent
    pads = np.setdiff1d(np.arange(len(unit)), agent).astype(np.int32)
    rank = ranks(world.particle, world.first_unit, world.wiring["sibling"].copy())

    def words(*shape: int) -> Words:
        return np.zeros((*shape, len(unit)), dtype=np.uint16)

    marks, lanes = words(), words(LANES)
    return Wave(
        lanes=lanes,
        marks=marks,
        four_marks=marks.view(np.uint64),
        busy=words(),
        edges=words(),
        done=words(),
        laid=words(),
        times=np.zeros(len(unit), dtype=np.uint32),
        earlier=np.append(rank[unit[:-1]] < rank[unit[1:]], False).astype(np.uint16),
        particles=world.particle[unit],
        units=unit,
        slots=slots,
        rank=rank,
        pads=pads,
        originals=slots[unit[pads]],
        queue=np.zeros(2 * len(unit), dtype=np.int32),
        streams=np.zeros(STRETCH + 1, dtype=np.uint64),
        coins=np.full((1, 2), NO_COIN, dtype=np.int64),
        log=np.zeros((4 * len(unit) + 64, 5), dtype=np.int64),
        saved=(lanes.copy(), words(), world.memory.copy(), state.draws.copy()),
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
    busy = 0
    for boundary in range(len(boundaries)):
        first, length = boundaries[boundary]
        if not lanes_are_ready(memory, first, first + length):
            return False
        for unit in range(first, first + length):
            busy += has_more_to_do(memory[unit], options)
    return 3 * busy <= len(state.world.wiring)


@compiled
def advance_in_waves(state: State, wave: Wave, last_round: int) -> None:
    """Run whole rounds up to a last one, or up to the one in which an outcome will appear."""
    cursor = state.cursor[0]
    memory, options = state.world.memory, state.world.options[0]
    for slot in range(len(wave.units)):
        me = memory[wave.units[slot]]
        pack(me, wave.lanes, slot)
        show(me, wave.lanes, slot)
        wave.busy[slot] = has_more_to_do(me, options)
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
    for slot in range(len(wave.units)):
        unpack(memory[wave.units[slot]], wave.lanes, slot)
    cursor.current_round -= 1
    end_round(cursor)


@compiled
def run_rounds(state: State, wave: Wave, rounds: int) -> tuple[int, int]:
    """Run rounds; return how many activations are in the log, and in which round it ended, or 0.

    Where the log is full, the run counts as ended in the first round: it goes on without lanes.
    """
    cursor, world = state.cursor[0], state.world
    edges, done, laid, times = (
        borrowed(wave.edges),
        borrowed(wave.done),
        borrowed(wave.laid),
        borrowed(wave.times),
    )
    lanes, marks, busy = borrowed(wave.lanes), borrowed(wave.marks), borrowed(wave.busy)
    four_marks = borrowed(wave.four_marks)
    particles, earlier = borrowed(wave.particles), borrowed(wave.earlier)
    units, slots, rank = borrowed(wave.units), borrowed(wave.slots), borrowed(wave.rank)
    pads, originals, queue = borrowed(wave.pads), borrowed(wave.originals), borrowed(wave.queue)
    coins, log = borrowed(wave.coins), borrowed(wave.log)
    memory, wiring, draws = borrowed(world.memory), borrowed(world.wiring), borrowed(state.draws)
    options, seed, first_round = world.options[0], cursor.seed, cursor.current_round
    size = len(units)
    streams = borrowed(wave.streams)
    for number in range(rounds):
        streams[number] = rng.key(seed, rng.SCHEDULE, first_round + number)
    edges[:] = 0
    done[:] = 0
    queued = 0
    for slot in slots[: len(wiring)]:
        if slot > 0 and busy[slot]:
            queue[queued] = slot
            queued += 1
    laid_out = logged = 0
    while True:
        while laid_out < rounds and least(done, size) + REFILL >= laid_out:
            more = min(REFILL, rounds - laid_out)
            laid[:] = 0
            for number in range(more):
                draw_times(particles, times, streams[laid_out + number], size)
                lay_out_edges(times, earlier, laid, 2 * number, size)
            append(edges, laid, done, 2 * laid_out, size)
            laid_out += more
        for _ in range(PASSES):
            # who acts
            mark_ready(edges, busy, marks, size)
            acting = queued
            kept = 0
            for place in range(queued):
                slot = queue[place]
                if busy[slot]:
                    queue[kept] = slot
                    kept += 1
                    if (edges[slot] & _1) & ~edges[slot - 1] and is_first(
                        slot, units, rank, done, particles, streams
                    ):
                        marks[slot] = DELEGATED
                        queue[size + acting - queued] = slot
                        acting += 1
            alone = acting - queued
            queued = kept
            copy(marks, pads, originals)
            found = mark_lanes(lanes, marks, options)
            if found & 1:
                for four in range(len(four_marks)):
                    if four_marks[four] & FOUR_DELEGATED == 0:
                        continue
                    for slot in range(4 * four, 4 * four + 4):
                        if marks[slot] != DELEGATED or busy[slot] or slots[units[slot]] != slot:
                            continue
                        if is_first(slot, units, rank, done, particles, streams):
                            queue[size + alone] = slot
                            alone += 1
                        else:
                            marks[slot] = 0
            copy(marks, pads, originals)
            for lane in range(LANES):
                copy(lanes[lane], pads, originals)
            # they act
            act_on_lanes(lanes, marks, found)
            acted = pass_by(edges, done, marks, size)
            copy(edges, pads, originals)
            copy(done, pads, originals)
            for place in range(size, size + alone):
                slot = queue[place]
                unit = units[slot]
                wires = wiring[unit]
                me = memory[unit]
                before, after = slots[wires.pred], slots[wires.succ]
                for other in (before, slot, after):
                    unpack(memory[units[other]], lanes, other)
                first, second = sides_of_coins(me, options)
                if (first > 1) | (second > 1):
                    flip(unit, 0, first, second, seed, draws, coins)
                events = activate_flipped(memory, wires, me, coins[0, 0], coins[0, 1], options)
                coins[:] = NO_COIN
                for other in (before, slot, after):
                    it = memory[units[other]]
                    pack(it, lanes, other)
                    show(it, lanes, other)
                    more_to_do = has_more_to_do(it, options)
                    if more_to_do and not busy[other]:
                        queue[queued] = other
                        queued += 1
                    busy[other] = more_to_do
                if events:
                    number = int(done[slot])
                    if me.leader:
                        return logged, number
                    if logged == len(log):
                        return logged, 1
                    log[logged, 0] = number - 1
                    log[logged, 1] = rng.activation_time(streams[number - 1], particles[slot])
                    log[logged, 2] = rank[unit]
                    log[logged, 3] = unit
                    log[logged, 4] = events
                    logged += 1
            for lane in range(LANES):
                copy(lanes[lane], pads, originals)
            if not acted and laid_out == rounds:
                return logged, 0


@inlined
def copy(words: Words, pads: NDArray[np.int32], originals: NDArray[np.int32]) -> None:
    """Let the pads say what the agents say that they are copies of."""
    for pad in range(len(pads)):
        words[pads[pad]] = words[originals[pad]]


@compiled
def mark_ready(edges: Words, busy: Words, marks: Words, size: int) -> None:
    """Mark as PLAIN those who are earlier than both neighbours, and are not busy."""
    for slot in range(1, size - 1):
        first = np.uint16(edges[slot] & np.uint16(~edges[slot - 1]))
        marks[slot] = np.uint16(np.uint16(first & _1) & np.uint16(~busy[slot]))


@compiled
def pass_by(edges: Words, done: Words, marks: Words, size: int) -> bool:
    """Count the activations of this pass; return whether there were any."""
    any_acted = np.uint16(0)
    for slot in range(1, size - 1):
        acts = np.uint16(np.uint16(marks[slot] & np.uint16(PLAIN | DELEGATED)) != 0)
        next_acts = np.uint16(np.uint16(marks[slot + 1] & np.uint16(PLAIN | DELEGATED)) != 0)
        passed = np.uint16(np.uint16(acts | next_acts) * np.uint16(0xFFFF))
        edge = edges[slot]
        shifted = np.uint16(edge >> _1)
        edges[slot] = np.uint16(edge ^ np.uint16(np.uint16(edge ^ shifted) & passed))
        done[slot] = np.uint16(done[slot] + acts)
        any_acted = np.uint16(any_acted | acts)
    return any_acted != 0


@compiled
def least(done: Words, size: int) -> int:
    """Return how many rounds all agents have completed."""
    found = np.uint16(0xFFFF)
    for slot in range(size):
        found = min(found, done[slot])
    return int(found)


@compiled
def draw_times(
    particles: NDArray[np.int32], times: NDArray[np.uint32], stream: np.uint64, size: int
) -> None:
    """Draw everyone's activation time in one round."""
    for slot in range(size):
        times[slot] = rng.activation_time(stream, particles[slot])


@compiled
def lay_out_edges(
    times: NDArray[np.uint32], earlier: Words, laid: Words, place: int, size: int
) -> None:
    """Note for each agent whether it comes before its successor in a round, as two bits."""
    for slot in range(size - 1):
        mine, other = times[slot], times[slot + 1]
        equal = np.uint16(np.uint16(mine == other) & earlier[slot])
        first = np.uint16(np.uint16(mine < other) | equal)
        laid[slot] = np.uint16(laid[slot] | np.uint16(np.uint16(_2 - first) << np.uint16(place)))


@wrapping
def append(edges: Words, laid: Words, done: Words, bits: int, size: int) -> None:
    """Lay out the order of neighbours further, behind what is left of it."""
    for slot in range(size - 1):
        left = np.uint32(bits) - np.uint32(done[slot]) - np.uint32(done[slot + 1])
        more = np.uint32(np.uint32(laid[slot]) << np.uint32(left & np.uint32(15)))
        edges[slot] = np.uint16(np.uint32(edges[slot]) | more)


@inlined
def is_first(
    slot: int,
    units: NDArray[np.int32],
    rank: NDArray[np.int64],
    done: Words,
    particles: NDArray[np.int32],
    streams: NDArray[np.uint64],
) -> bool:
    """Whether an agent's next activation is earlier than those of the agents two away."""
    now = done[slot]
    stream = streams[now]
    mine = rng.activation_time(stream, particles[slot])
    first = True
    for other in (slot - 2, slot + 2):
        if done[other] <= now and units[other] != units[slot]:
            theirs = rng.activation_time(stream, particles[other])
            earlier = theirs < mine
            if theirs == mine:
                earlier = rank[units[other]] < rank[units[slot]]
            first = first and done[other] == now and not earlier
    return first


@compiled
def save(state: State, wave: Wave) -> None:
    """Keep what changes in a stretch of rounds."""
    lanes, busy, memory, draws = wave.saved
    lanes[:] = wave.lanes
    busy[:] = wave.busy
    memory[:] = state.world.memory
    draws[:] = state.draws


@compiled
def restore(state: State, wave: Wave) -> None:
    """Come back to the beginning of a stretch of rounds."""
    lanes, busy, memory, draws = wave.saved
    wave.lanes[:] = lanes
    wave.busy[:] = busy
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
