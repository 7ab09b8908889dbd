"""Rounds in which the termination message spreads (Appendix A.2).

An interior particle does nothing until the message reaches it, and nothing after it has passed
the message on. So only the particles that hold the message and still have to pass it on are
looked at, and the cost follows the wave. Everyone is activated at the time that is theirs.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot import elementary, rng
from amoebot.engine.state import Cursor, State
from amoebot.jit import borrowed, compiled, inlined, prefetch

from ..algorithms.interface import CHANGED, LEADER
from .activation import broadcast
from .calls import call_must_terminate, call_pass_message, call_terminate
from .observer import observe_termination
from .schedulers import (
    ADVERSARIAL,
    PERMUTATION,
    UNIFORM,
    UNIT,
    fixed_time,
    interior_time,
    latest_share,
    ticks,
    waiting_time,
)

NEVER = 1 << 62

#: A moment is one number: a time, and in the lower bits a particle.
PARTICLE_BITS = 27
PARTICLES = (1 << PARTICLE_BITS) - 1

#: The neighbours of an expanded particle, at most.
MOST_NEIGHBOURS = 12

NOBODY = np.iinfo(np.int64).max

#: How many particles ahead of the wave their memories are brought near, in each of three steps.
AHEAD = 8

#: No moment: the message is passed on by one particle after another.
IN_ORDER = -1

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


@compiled
def holders_of_message(state: State, message_is_out: bool) -> list[int]:
    """Return the particles that have the message and are to pass it on."""
    particles = state.world.particles
    return [
        particle
        for particle in range(len(particles) if message_is_out else 0)
        if call_must_terminate(state.addresses, particles[particle])
    ]


@compiled
def leave_out_terminated(state: State, holders: list[int]) -> None:
    """Leave out those who have passed the message on already."""
    kept = 0
    for particle in holders:
        if call_must_terminate(state.addresses, state.world.particles[particle]):
            holders[kept] = particle
            kept += 1
    del holders[kept:]


@compiled
def spread_through_round(state: State, holders: list[int]) -> int:
    """Let the message spread through a whole round at once; return the last interior moment of it.

    Whoever holds it passes it on at their time, and whoever gets it before their own time does so
    too: these are the same particles in whatever order they are looked at. Where the order matters,
    as in the last round of all, or with rules of someone's own, nothing is done and IN_ORDER is
    returned. Afterwards, ``holders`` are those of the next round.
    """
    cursor, watch, world = state.cursor[0], state.watch[0], state.world
    if CHANGED or cursor.scheduler == UNIFORM or cursor.scheduler == ADVERSARIAL:
        return IN_ORDER
    particles, first_unit = borrowed(world.particles), borrowed(world.first_unit)
    nodes, neighbours = borrowed(world.nodes), borrowed(world.neighbours)
    times, late = borrowed(state.times), borrowed(state.late)
    addresses = borrowed(state.addresses)
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
    is_drawn = cursor.scheduler == PERMUTATION
    last = interior = 0
    ending = list(holders)
    for particle in ending:
        call_terminate(addresses, particles[particle])
    looked_at = 0
    reached = [0 for _ in range(0)]  # an empty list of integers
    while looked_at < len(ending):
        particle = ending[looked_at]
        looked_at += 1
        prefetch_ahead(ending, looked_at, nodes, neighbours, particles)
        now = moment(time_in_round(is_drawn, times, late, stream, particle), particle)
        if first_unit[particle] < 0:
            interior += 1
            last = max(last, now)
        for end in range(2):
            node = nodes[particle, end]
            for direction in range(6 if node >= 0 else 0):
                neighbour = int(neighbours[node, direction])
                if neighbour < 0 or particles[neighbour].terminated:
                    continue
                if not particles[neighbour].message:
                    call_pass_message(addresses, particles[neighbour])
                    reached.append(neighbour)
                due = time_in_round(is_drawn, times, late, stream, neighbour)
                if now < moment(due, neighbour):
                    call_terminate(addresses, particles[neighbour])
                    ending.append(neighbour)
    if watch.terminated + len(ending) == len(particles):
        for particle in ending:
            particles[particle].terminated = 0
        for particle in reached:
            particles[particle].message = 0
        return IN_ORDER
    watch.terminated += len(ending)
    cursor.interior_activations += interior
    cursor.activations += interior
    holders.clear()
    holders.extend(
        [particle for particle in reached if call_must_terminate(addresses, particles[particle])]
    )
    return last


@inlined
def prefetch_ahead(
    ending: list[int],
    looked_at: int,
    nodes: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    particles: NDArray[Any],
) -> None:
    """Prefetch what is needed for particles to come: one thing leads to another.

    The wave of a large system goes through more memory than caches hold, by leaps and bounds.
    """
    if looked_at + 3 * AHEAD < len(ending):
        prefetch(nodes, ending[looked_at + 3 * AHEAD])
    if looked_at + 2 * AHEAD < len(ending):
        prefetch(neighbours, nodes[ending[looked_at + 2 * AHEAD], 0])
    if looked_at + AHEAD < len(ending):
        node = nodes[ending[looked_at + AHEAD], 0]
        for direction in range(6):
            if neighbours[node, direction] >= 0:
                prefetch(particles, neighbours[node, direction])


@compiled
def moments_of_holders(state: State, holders: list[int]) -> list[int]:
    """Return when interior particles pass the message on in this round, as a heap.

    The last one is nobody.
    """
    cursor = state.cursor[0]
    first_unit, times, late = state.world.first_unit, state.times, state.late
    waiting = [NOBODY]
    if len(holders) > 0:
        stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
        last = last_interior(cursor, first_unit, stream)
        now, who = latest_activation(cursor, state.order)
        for particle in holders:
            if first_unit[particle] < 0:
                time = next_activation(cursor, times, late, stream, particle, last, now, who)
                if time != NEVER:
                    heapq.heappush(waiting, moment(time, particle))
    return waiting


@compiled
def pass_on(state: State, particle: int, last: int, holders: list[int], waiting: list[int]) -> None:
    """Let a particle pass the message on, now; who has it then is added to ``holders``.

    Interior particles among those are activated later in this round, if their time is to come:
    then it is added to ``waiting``. ``last`` is what ``last_interior`` returns.
    """
    cursor, world = state.cursor[0], state.world
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
    reached = np.empty(MOST_NEIGHBOURS, dtype=np.int64)
    found = neighbours_without_message(
        particle, world.nodes, world.neighbours, world.particles, reached
    )
    broadcast(state.addresses, particle, world.nodes, world.neighbours, world.particles)
    observe_termination(state.watch[0], len(world.particles), cursor.current_round)
    for neighbour in reached[:found]:
        holders.append(neighbour)
        if world.first_unit[neighbour] >= 0:
            continue
        due = next_activation(
            cursor, state.times, state.late, stream, neighbour, last, cursor.time, particle
        )
        if due != NEVER:
            heapq.heappush(waiting, moment(due, neighbour))


@inlined
def moment(time: int, particle: int) -> int:
    """Return when a particle is activated, so that moments are in order, ties by number."""
    return (time << PARTICLE_BITS) | particle


@inlined
def moment_of(
    cursor: Cursor, order: NDArray[np.uint64], actors: NDArray[np.int32], place: int
) -> int:
    """Return when the activation at a place of the order is; after the last one, what is left."""
    if place < cursor.laid_out:
        key = order[place - cursor.batch]
        return moment(time_of(cursor, key), int(actors[np.int64(key & _LOW)]))
    return NOBODY if cursor.complete else 0


@compiled
def neighbours_without_message(
    particle: int,
    nodes: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    particles: NDArray[Any],
    found: NDArray[np.int64],
) -> int:
    """Find the particles that a particle's broadcast reaches first; return how many."""
    count = 0
    for end in range(2):
        node = nodes[particle, end]
        for direction in range(6 if node >= 0 else 0):
            neighbour = int(neighbours[node, direction])
            if (
                neighbour >= 0
                and not particles[neighbour].message
                and neighbour not in found[:count]
            ):
                found[count] = neighbour
                count += 1
    return count


@compiled
def time_of(cursor: Cursor, key: np.uint64) -> int:
    """Return the time of an activation that is laid out."""
    return int(np.int64(key >> _HALF)) + start_of_slice(cursor)


@compiled
def start_of_slice(cursor: Cursor) -> int:
    """Return when the unit of time that is laid out begins: a round has more than one of them."""
    return (int(cursor.slice) - 1) * UNIT if cursor.scheduler == UNIFORM else 0


@compiled
def latest_activation(cursor: Cursor, order: NDArray[np.uint64]) -> tuple[int, int]:
    """Return when the last activation of this round was, and of whom; (-1, -1) before the first."""
    who = int(cursor.latest) - 1
    if cursor.place == 0 and cursor.interior_activations == 0:
        return -1, -1
    if cursor.time >= 0:
        return int(cursor.time), who
    return time_of(cursor, order[cursor.place - 1 - cursor.batch]), who


@compiled
def activated_so_far(state: State) -> NDArray[np.bool_]:
    """Say of each particle whether it has been activated in the round under way."""
    cursor = state.cursor[0]
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
    last = last_interior(cursor, state.world.first_unit, stream)
    now, who = latest_activation(cursor, state.order)
    found = np.zeros(len(state.world.first_unit), dtype=np.bool_)
    for particle in range(len(found)):
        if state.world.first_unit[particle] < 0:
            time = first_activation(cursor, state.times, state.late, stream, particle, last)
            found[particle] = (time, particle) <= (now, who)
        elif cursor.scheduler == UNIFORM:
            time = ticks(waiting_time(stream, particle, 0))
            found[particle] = (time, particle) <= (now, who)
    if cursor.scheduler != UNIFORM:
        for place in range(cursor.place):
            found[state.actors[np.int64(state.order[place] & _LOW)]] = True
    return found


@compiled
def activations_left_out(state: State) -> int:
    """Return how many activations more there have been where inner boundaries are left out.

    Particles that are on those alone count as interior ones: the engine has counted no more of them
    than that they terminated.
    """
    world, cursor = state.world, state.cursor[0]
    left_out = np.zeros(len(world.first_unit), dtype=np.bool_)
    for particle in world.particle:
        left_out[particle] = world.first_unit[particle] < 0
    rounds = cursor.current_round - 1
    if rounds > 0 and cursor.place == 0 and cursor.interior_activations == 0 and has_ended(state):
        # With the end of the run, the round was over for all but those left out.
        rounds -= 1
        activated = activated_before_the_end(state)
    else:
        activated = activated_so_far(state)
    found = 0
    for particle in np.flatnonzero(left_out):
        found += rounds + activated[particle]
        if len(world.particles) > 0:
            found -= world.particles[particle].terminated
    return int(found)


@compiled
def has_ended(state: State) -> bool:
    """Whether there is an outcome and, where everyone is to terminate, everyone has."""
    watch = state.watch[0]
    terminates = len(state.world.particles) > 0 and watch.outcome == LEADER
    return watch.outcome != 0 and (not terminates or watch.all_terminated != 0)


@compiled
def activated_before_the_end(state: State) -> NDArray[np.bool_]:
    """Say of each particle whether it was activated in the round with whose end the run ended.

    Every particle is activated once in a round here: never under ``uniform``.
    """
    cursor = state.cursor[0]
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round - 1)
    is_drawn, who = cursor.scheduler == PERMUTATION, int(cursor.latest) - 1
    now = time_in_round(is_drawn, state.times, state.late, stream, who)
    if cursor.scheduler == ADVERSARIAL and state.world.first_unit[who] >= 0:
        # Who was held back is known from the order alone.
        now = time_of(cursor, state.order[len(state.actors) - 1])
    found = np.zeros(len(state.world.first_unit), dtype=np.bool_)
    for particle in range(len(found)):
        time = time_in_round(is_drawn, state.times, state.late, stream, particle)
        found[particle] = (time, particle) <= (now, who)
    return found


@compiled
def first_activation(
    cursor: Cursor,
    times: NDArray[np.int32],
    late: NDArray[np.uint8],
    stream: np.uint64,
    particle: int,
    last: int,
) -> int:
    """Return when an interior particle is activated in this round for the first time."""
    if cursor.scheduler == UNIFORM:
        # The greatest first time is drawn for all at once, and whose it is; the others are
        # exponential times known to be smaller.
        if particle == last:
            return ticks(interior_time(cursor.interior, stream))
        drawn = rng.unit(rng.draw(rng.key(stream, rng.CLOCKS, particle), 0))
        return ticks(-elementary.log(1.0 - drawn * latest_share(cursor.interior, stream)))
    return time_in_round(cursor.scheduler == PERMUTATION, times, late, stream, particle)


@inlined
def time_in_round(
    is_drawn: bool,
    times: NDArray[np.int32],
    late: NDArray[np.uint8],
    stream: np.uint64,
    particle: int,
) -> int:
    """Return when a particle is activated that is so once in a round."""
    if is_drawn:
        return int(rng.activation_time(stream, particle))
    return fixed_time(times, late, particle)


@compiled
def next_activation(
    cursor: Cursor,
    times: NDArray[np.int32],
    late: NDArray[np.uint8],
    stream: np.uint64,
    particle: int,
    last: int,
    now: int,
    who: int,
) -> int:
    """Return when an interior particle is activated in this round, after all that has happened."""
    time = first_activation(cursor, times, late, stream, particle, last)
    if cursor.scheduler == UNIFORM:
        draw = 1
        while (time, particle) <= (now, who):
            time += ticks(waiting_time(stream, particle, draw))
            draw += 1
        return time if time <= cursor.end else NEVER
    return time if (time, particle) > (now, who) else NEVER


@compiled
def last_interior(cursor: Cursor, first_unit: NDArray[np.int32], stream: np.uint64) -> int:
    """Return the interior particle that is activated first after all others, under ``uniform``."""
    if cursor.scheduler != UNIFORM or cursor.interior == 0:
        return -1
    own = rng.key(stream, rng.LAST, 0)
    number = 0
    last = rng.below(len(first_unit), own, number)
    while first_unit[last] >= 0:
        number += 1
        last = rng.below(len(first_unit), own, number)
    return last
