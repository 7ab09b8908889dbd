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
from amoebot.jit import compiled

from ..algorithms.termination import must_terminate
from .schedulers import (
    PERMUTATION,
    UNIFORM,
    UNIT,
    end_round,
    fixed_time,
    interior_time,
    latest_share,
    lay_out,
    ticks,
    waiting_time,
)
from .state import Cursor, State
from .step import activate_now

NEVER = 1 << 62

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


@compiled
def spread(state: State, last_round: int, limit: int) -> None:
    """Run rounds until everyone has terminated, or a limit is reached."""
    cursor = state.cursor[0]
    world = state.world
    holders = [
        particle
        for particle in range(len(world.particles))
        if world.first_unit[particle] < 0 and must_terminate(world.particles[particle])
    ]
    while (
        cursor.current_round <= last_round
        and cursor.activations < limit
        and state.watch[0].terminated < len(world.particles)
    ):
        spread_round(state, holders, limit)
        holders = [p for p in holders if must_terminate(world.particles[p])]


@compiled
def spread_round(state: State, holders: list[int], limit: int) -> None:
    """Go on with a round. ``holders`` are the interior particles with the message; it grows."""
    cursor = state.cursor[0]
    particles, first_unit = state.world.particles, state.world.first_unit
    if cursor.laid_out == 0:
        lay_out(state)  # and so, under ``uniform``, find out when this round is over
    stream = rng.key(cursor.seed, rng.SCHEDULE, cursor.current_round)
    last = last_interior(cursor, first_unit, stream)
    now, who = latest_activation(cursor, state.order)
    times = state.times
    waiting = [(NEVER, -1)]
    for particle in holders:
        time = next_activation(cursor, times, stream, particle, last, now, who)
        heapq.heappush(waiting, (time, particle))
    while True:
        if cursor.place == cursor.laid_out and not cursor.complete:
            lay_out(state)
        following = (NEVER, -1)
        if cursor.place < cursor.laid_out:
            key = state.order[cursor.place - cursor.batch]
            following = (time_of(cursor, key), int(state.actors[np.int64(key & _LOW)]))
        now, who = following if following < waiting[0] else waiting[0]
        if now == NEVER:
            end_round(cursor)
            return
        if cursor.activations >= limit or state.watch[0].terminated == len(particles):
            return
        if (now, who) == following:
            cursor.place += 1
        else:
            heapq.heappop(waiting)
            cursor.interior_activations += 1
        cursor.time = now
        cursor.activations += 1
        reached = [-1]
        if must_terminate(particles[who]):
            reached = interior_neighbours_without_message(
                who, state.world.nodes, state.world.neighbours, first_unit, particles
            )
        activate_now(state, who)
        for particle in reached:
            if particle >= 0 and first_unit[particle] < 0:
                holders.append(particle)
                time = next_activation(cursor, times, stream, particle, last, now, who)
                heapq.heappush(waiting, (time, particle))


@compiled
def interior_neighbours_without_message(
    particle: int,
    nodes: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    first_unit: NDArray[np.int32],
    particles: NDArray[Any],
) -> list[int]:
    """Return the interior particles that a particle's broadcast reaches first; -1 for nobody."""
    found = [-1]
    for end in range(2):
        node = nodes[particle, end]
        for direction in range(6 if node >= 0 else 0):
            neighbour = int(neighbours[node, direction])
            if (
                neighbour >= 0
                and first_unit[neighbour] < 0
                and not particles[neighbour].message
                and neighbour not in found
            ):
                found.append(neighbour)
    return found


@compiled
def time_of(cursor: Cursor, key: np.uint64) -> int:
    """Return the time of an activation that is laid out."""
    time = int(np.int64(key >> _HALF))
    return time + (cursor.slice - 1) * UNIT if cursor.scheduler == UNIFORM else time


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
            time = first_activation(cursor, state.times, stream, particle, last)
            found[particle] = (time, particle) <= (now, who)
        elif cursor.scheduler == UNIFORM:
            time = ticks(waiting_time(stream, particle, 0))
            found[particle] = (time, particle) <= (now, who)
    if cursor.scheduler != UNIFORM:
        for place in range(cursor.place):
            found[state.actors[np.int64(state.order[place] & _LOW)]] = True
    return found


@compiled
def first_activation(
    cursor: Cursor, times: NDArray[np.int32], stream: np.uint64, particle: int, last: int
) -> int:
    """Return when an interior particle is activated in this round for the first time."""
    if cursor.scheduler == UNIFORM:
        # The greatest first time is drawn for all at once, and whose it is; the others are
        # exponential times known to be smaller.
        if particle == last:
            return ticks(interior_time(cursor.interior, stream))
        drawn = rng.unit(rng.draw(rng.key(stream, rng.CLOCKS, particle), 0))
        return ticks(-elementary.log(1.0 - drawn * latest_share(cursor.interior, stream)))
    if cursor.scheduler == PERMUTATION:
        return int(rng.activation_time(stream, particle))
    return fixed_time(times, particle)


@compiled
def next_activation(
    cursor: Cursor,
    times: NDArray[np.int32],
    stream: np.uint64,
    particle: int,
    last: int,
    now: int,
    who: int,
) -> int:
    """Return when an interior particle is activated in this round, after all that has happened."""
    time = first_activation(cursor, times, stream, particle, last)
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
