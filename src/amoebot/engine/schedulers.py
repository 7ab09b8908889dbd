"""When each particle is activated: the order of a round is data, not a shuffle.

In round r, particle p is activated at a time that is a hash of seed, r and p. So any round's order
can be computed without those before it, and that of some particles without the others. Only
particles with units are laid out in their order; the others do nothing before the termination
message, and ``uniform`` waits for them all the same. Times are whole numbers; equal ones are told
apart by the particle's number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import elementary, rng
from amoebot.engine.state import Cursor, State
from amoebot.jit import borrowed, compilable, compiled, inlined

from .calls import call_awaited
from .names import BY_HAND, number_of

PERMUTATION, UNIFORM = number_of("permutation"), number_of("uniform")
WITH_CYCLE, AGAINST_CYCLE = number_of("with-cycle"), number_of("against-cycle")
ADVERSARIAL = number_of("adversarial")
HAND = number_of(BY_HAND)

#: One unit of time, in which a clock of ``uniform`` ticks once on average.
UNIT = 1 << rng.TIME_BITS

#: The least share above zero, which stands for zero too.
LEAST_SHARE = 2.0**-53

_TIME_BITS, _HALF, _LOW = np.uint64(rng.TIME_BITS), np.uint64(32), np.uint64(0xFFFFFFFF)


@compilable
def fixed_times(along: NDArray[np.int32], particles: int, scheduler: int) -> NDArray[np.int32]:
    """Return the time of each particle in an order that is the same in every round.

    ``along`` has the particles of all agents, which follow the boundaries, the outer one first;
    after them come the particles that are on none. Time 0 and the time between these two groups,
    which stands at the end, are left to the adversary.
    """
    if scheduler not in (WITH_CYCLE, AGAINST_CYCLE, ADVERSARIAL):
        return np.empty(0, dtype=np.int32)
    times = np.zeros(particles + 1, dtype=np.int32)
    free = number_along(along, times) + 1
    if scheduler == AGAINST_CYCLE:
        times[:] = np.where(times > 0, free - times, 0).astype(np.int32)
    inside = np.flatnonzero(times == 0).astype(np.int32)
    times[inside] = inside + np.int32(free + 1)
    times[-1] = free
    return times


@compiled
def number_along(along: NDArray[np.int32], times: NDArray[np.int32]) -> int:
    """Number particles from 1 on where they come first; return how many there are."""
    count = 0
    for particle in along:
        if times[particle] == 0:
            count += 1
            times[particle] = count
    return count


@compiled
def fixed_time(times: NDArray[np.int32], late: NDArray[np.uint8], particle: int) -> int:
    """Return when a particle is activated in this round; without a list, by its number.

    Those whom the adversary holds back come after all others.
    """
    if len(times) == 0:
        return particle
    held_back = len(late) > 0 and late[particle] > 0
    return int(times[particle]) + (2 * len(times) if held_back else 0)


@compiled
def lay_out(state: State) -> None:
    """Lay out the activations of a round in their order, or of the next unit of its time.

    The round has no fixed number of them under ``uniform``: they come in slices, until the last
    particle has been activated for the first time.
    """
    cursor = state.cursor[0]
    actors, keys, order = borrowed(state.actors), borrowed(state.keys), borrowed(state.order)
    times, late = borrowed(state.times), borrowed(state.late)
    count = len(actors)
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
    if cursor.scheduler == UNIFORM:
        if cursor.laid_out == 0:
            start_clocks(cursor, stream, actors, state.next_time, state.clock_draws)
        cursor.batch = cursor.laid_out
        count = 0
        while count == 0 and not cursor.complete:
            count = lay_out_slice(cursor, stream, actors, state.next_time, state.clock_draws, keys)
            cursor.slice += 1
            cursor.complete = cursor.slice * UNIT > cursor.end
        sort_by_time(keys, count, state.starts, order)
    elif cursor.scheduler == PERMUTATION:
        for place in range(count):
            drawn = rng.activation_time(stream, actors[place])
            keys[place] = (np.uint64(drawn) << _HALF) | np.uint64(place)
        sort_by_time(keys, count, state.starts, order)
        cursor.complete = 1
    else:
        for place in range(count):
            # Actors are in the order of their times, but for those who are held back.
            time = fixed_time(times, late, actors[place])
            order[place] = (np.uint64(time) << _HALF) | np.uint64(place)
        if cursor.scheduler == ADVERSARIAL:
            order_adversarially(state)
        cursor.complete = 1
    cursor.laid_out += count


@inlined
def is_laid_out(state: State) -> bool:
    """Whether the whole round is laid out: under ``uniform``, no clock ticks again before its end.

    The round may end later, when the last of those is activated who do nothing.
    """
    cursor = state.cursor[0]
    if cursor.scheduler == UNIFORM:
        return bool(state.next_time.min() > cursor.end)
    return bool(cursor.complete)


@compiled
def last_to_act(state: State) -> int:
    """Return the particle whose activation was the last one of the round before.

    That is asked under ``permutation``, and under ``uniform`` as long as the end of that round and
    everyone's clock are known.
    """
    cursor = state.cursor[0]
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round - 1)
    last, latest = np.int64(-1), np.int64(-1)
    for place in range(len(state.actors)):
        particle = state.actors[place]
        if cursor.scheduler == UNIFORM:
            wait = waiting_time(stream, particle, state.clock_draws[place] - 1)
            time = np.int64(state.next_time[place] - ticks(wait))
        else:
            time = np.int64(rng.activation_time(stream, particle))
        if time >= latest:
            last, latest = np.int64(particle), time
    return int(last)


@compiled
def end_round(cursor: Cursor) -> None:
    """Begin the next round."""
    cursor.current_round += 1
    cursor.place = 0
    cursor.interior_activations = 0
    cursor.batch = 0
    cursor.laid_out = 0
    cursor.complete = 0
    cursor.slice = 0
    cursor.events = 0
    cursor.time = -1


@compiled
def sort_by_time(
    keys: NDArray[np.uint64],
    count: int,
    starts: NDArray[np.int32],
    order: NDArray[np.uint64],
) -> None:
    """Sort keys whose upper halves are spread evenly over a unit of time.

    Each goes to the part of the result where it belongs if they are spread quite evenly; then
    those that share a part are put in order.
    """
    starts[: count + 1] = 0
    many = np.uint64(count)
    for i in range(count):
        starts[np.int64((keys[i] >> _HALF) * many >> _TIME_BITS) + 1] += 1
    for part in range(count):
        starts[part + 1] += starts[part]
    for i in range(count):
        own = np.int64((keys[i] >> _HALF) * many >> _TIME_BITS)
        order[starts[own]] = keys[i]
        starts[own] += 1
    for i in range(1, count):
        key = order[i]
        place = i
        while place > 0 and order[place - 1] > key:
            order[place] = order[place - 1]
            place -= 1
        order[place] = key


@compiled
def start_clocks(
    cursor: Cursor,
    stream: np.uint64,
    actors: NDArray[np.int32],
    next_time: NDArray[np.int64],
    clock_draws: NDArray[np.int32],
) -> None:
    """Draw the first time of everyone's clock, and so when the round is over.

    Independent uniform picks among all particles are the ticks of independent clocks. A clock does
    not know how long it has been running, so each round can start them anew.
    """
    end = ticks(interior_time(cursor.interior, stream))
    for place in range(len(actors)):
        first = ticks(waiting_time(stream, actors[place], 0))
        next_time[place] = first
        end = max(end, first)
    clock_draws[:] = 1
    cursor.end = end


@compiled
def lay_out_slice(
    cursor: Cursor,
    stream: np.uint64,
    actors: NDArray[np.int32],
    next_time: NDArray[np.int64],
    clock_draws: NDArray[np.int32],
    keys: NDArray[np.uint64],
) -> int:
    """Note all activations within one unit of time; return how many there are."""
    begin = cursor.slice * UNIT
    last = min(begin + UNIT - 1, cursor.end)
    count = 0
    for place in range(len(actors)):
        while next_time[place] <= last and count < len(keys):
            time = next_time[place] - begin
            keys[count] = (np.uint64(time) << _HALF) | np.uint64(place)
            count += 1
            wait = waiting_time(stream, actors[place], clock_draws[place])
            next_time[place] += ticks(wait)
            clock_draws[place] += 1
    return count


@compiled
def ticks(time: float) -> int:
    """Return a time in the smallest steps that are told apart."""
    return int(time * UNIT)


@compiled
def waiting_time(stream: np.uint64, particle: int, draw: int) -> float:
    """Return the time from one tick of a particle's clock to the next, exponential of mean one."""
    return exponential(rng.draw(rng.key(stream, rng.CLOCKS, particle), draw))


@compiled
def exponential(value: np.uint64) -> float:
    """Return 64 random bits as an exponential time of mean one."""
    return -elementary.log(1.0 - rng.unit(value))


@compiled
def interior_time(interior: int, stream: np.uint64) -> float:
    """Return when the last of the particles without units is activated for the first time.

    The greatest of as many exponential times is drawn at once: there may be millions of them.
    """
    return -elementary.log(1.0 - latest_share(interior, stream)) if interior else 0.0


@compiled
def latest_share(interior: int, stream: np.uint64) -> float:
    """Return the probability that an exponential time is below the one of ``interior_time``."""
    drawn = max(rng.unit(rng.mix(stream)), LEAST_SHARE)
    return elementary.exp(elementary.log(drawn) / interior)


@inlined
def hold_back(state: State, holders: list[int]) -> None:
    """Let the adversary hold back whoever has the termination message when a round begins.

    They come last, and whoever they pass it on to has been activated already. So it moves by one
    bond a round, and a fair schedule cannot make it slower.
    """
    if len(state.late) > 0:
        for particle in holders:
            state.late[particle] = 1


@compiled
def order_adversarially(state: State) -> None:
    """Move the particle that the election waits for to the front, the one it serves to the end.

    Once the termination message is out, those who have it come last.
    """
    world, order, keys, actors = state.world, state.order, state.keys, state.actors
    if len(state.late) > 0 and state.watch[0].leaders > 0:
        order[: len(actors)].sort()
        return
    first, last = call_awaited(state.addresses, world)
    ahead = -1 if first < 0 else world.particle[first]
    behind = -1 if last < 0 else world.particle[last]
    end = len(actors)
    for place in range(end):
        keys[place] = order[place]
    filled = 0
    for place in range(end):
        if actors[place] == ahead and ahead != behind:
            order[filled] = np.uint64(place)
            filled += 1
    for place in range(end):
        if actors[place] == behind:
            time = np.uint64(state.times[len(state.times) - 1])
            order[end - 1] = (time << _HALF) | np.uint64(place)
        elif actors[place] != ahead:
            order[filled] = keys[place]
            filled += 1
