"""What faults do: who acts in rounds without those that have crashed, and what corrupted means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import State
from amoebot.jit import compiled
from amoebot.shapes.expansion import shuffled

from .calls import call_awaited
from .schedulers import ADVERSARIAL, PERMUTATION, UNIFORM, fixed_time, hold_back
from .termination import holders_of_message

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

#: Numbers of streams that are no round's: whom faults happen to, and what values they leave.
VICTIMS, VALUES = (1 << 62) - 1, (1 << 62) - 2


@compiled
def rest_of_round(
    state: State, scheduler: int, waiting: NDArray[np.uint8], first: int
) -> NDArray[np.int32]:
    """Return who is to be activated in the round under way, in the order of a scheduler.

    It must be the one that the run began with; the cursor's is another one once a run is by hand.
    ``waiting`` says who has not been activated yet. Under ``uniform`` these are picks among
    everyone, from number ``first`` on.
    """
    cursor, world, count = state.cursor[0], state.world, len(waiting)
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
    if scheduler == UNIFORM:
        picks = np.empty(count, np.int32)
        for number in range(count):
            picks[number] = rng.below(count, stream, first + number)
        return picks
    keys = np.empty(count, np.uint64)
    ahead, behind = -1, -1
    if scheduler == ADVERSARIAL:
        hold_back(state, holders_of_message(state, True))
        if state.watch[0].leaders == 0 or len(world.particles) == 0:
            ahead, behind = call_awaited(state.addresses, world)
    for particle in range(count):
        if scheduler == PERMUTATION:
            time = int(rng.activation_time(stream, particle))
        else:
            time = fixed_time(state.times, state.late, particle)
        if behind >= 0 and world.particle[behind] == particle:
            time = int(state.times[count])
        elif ahead >= 0 and world.particle[ahead] == particle:
            time = 0
        keys[particle] = (np.uint64(time) << _HALF) | np.uint64(particle)
    keys.sort()
    order = np.empty(count, np.int32)
    filled = 0
    for key in keys:
        particle = int(key & _LOW)
        if waiting[particle]:
            order[filled] = particle
            filled += 1
    return order[:filled]


@compiled
def victims(particles: int, seed: np.uint64) -> NDArray[np.int32]:
    """Return all particles, in the order in which a seed lets faults happen to them."""
    return shuffled(particles, rng.key(seed, rng.FAIR, VICTIMS))


@compiled
def corrupt(
    memory: NDArray[np.uint8],
    size: int,
    units: NDArray[np.int64],
    fields: NDArray[np.int64],
    seed: np.uint64,
) -> None:
    """Give each field of some units' memories the value that a random unit has there.

    Memories are bytes, ``size`` of them each. ``fields`` has where a field begins, and its length.
    """
    stream = rng.key(seed, rng.FAIR, VALUES)
    before, count, number = memory.copy(), len(memory) // size, 0
    for unit in units:
        for field in range(len(fields)):
            start, length = fields[field, 0], fields[field, 1]
            here, there = unit * size + start, rng.below(count, stream, number) * size + start
            memory[here : here + length] = before[there : there + length]
            number += 1


@compiled
def put(
    memory: NDArray[np.uint8],
    size: int,
    units: NDArray[np.int64],
    start: int,
    length: int,
    value: int,
) -> None:
    """Put a value into one field of some units' memories, least significant byte first."""
    for unit in units:
        for byte in range(length):
            memory[unit * size + start + byte] = np.uint8((value >> (8 * byte)) & 0xFF)


@compiled
def units_of(state: State, particle: int) -> NDArray[np.int64]:
    """Return the units of a particle."""
    return np.flatnonzero(state.world.particle == particle).astype(np.int64)
