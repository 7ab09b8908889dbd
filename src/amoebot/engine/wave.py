"""Rounds in which the termination message spreads (Appendix A.2).

An interior particle does nothing until the message reaches it, and nothing after it has passed
the message on. So only the particles that hold the message and still have to pass it on are
looked at, and the cost follows the wave. Every turn in a round has a time: the turns of particles
on boundaries come in the scheduler's order, and the time of an interior particle's turn has the
distribution that it has among all particles.
"""

from __future__ import annotations

import heapq

import numpy as np

from amoebot import rng
from amoebot.election.termination import must_terminate
from amoebot.engine.activation import activate_particle
from amoebot.engine.schedulers import (
    PERMUTATION,
    ROUND_ROBIN,
    UNIFORM,
    begin_round,
    end_round,
    interior_time,
    shuffle_step,
    waiting_time,
)
from amoebot.engine.state import State
from amoebot.jit import rule

NEVER = np.inf


@rule
def spread(state: State, last_round: int, limit: int) -> None:
    """Run rounds until everyone has terminated, or a limit is reached."""
    run = state.run[0]
    holders = [
        particle
        for particle in range(len(state.particles))
        if state.first_agent[particle] < 0 and must_terminate(state.particles[particle])
    ]
    while (
        run.current_round <= last_round
        and run.activations < limit
        and state.watch[0].terminated < len(state.particles)
    ):
        if run.place == 0:
            begin_round(state)
        spread_round(state, holders, limit)
        holders = [p for p in holders if must_terminate(state.particles[p])]


@rule
def spread_round(state: State, holders: list[int], limit: int) -> None:
    """Go on with a round. ``holders`` are the interior particles with the message; it grows."""
    run = state.run[0]
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    turns = [(NEVER, -1)]
    for particle in holders:
        heapq.heappush(turns, (interior_turn(state, stream, particle, run.time), particle))
    # Turns on boundaries that were taken before are drawn again, to know when and whose they were.
    seen = np.zeros(len(state.basic), dtype=np.bool_)
    unseen = len(state.basic)
    latest = 0.0
    for place in range(run.place):
        latest = boundary_turn(state, stream, place, latest)
        actor = actor_at(state, stream, place)
        unseen -= not seen[actor]
        seen[actor] = True
    end = interior_time(run.interior, stream)
    while run.activations < limit:
        following = boundary_turn(state, stream, run.place, latest)
        now = min(following, turns[0][0])
        if now == NEVER or (run.scheduler == UNIFORM and unseen == 0 and now >= end):
            end_round(state)
            return
        if now < following:
            particle = heapq.heappop(turns)[1]
            run.interior_turns += 1
        else:
            if run.scheduler == PERMUTATION:
                shuffle_step(state.order, run.place, stream)
            actor = actor_at(state, stream, run.place)
            particle = state.particle[state.order[actor]]
            unseen -= not seen[actor]
            seen[actor] = True
            latest = now
            run.place += 1
        reached = unreached(state, particle)
        activate_particle(state, particle)
        run.time = now
        run.activations += 1
        for neighbour in reached:
            holders.append(neighbour)
            heapq.heappush(turns, (interior_turn(state, stream, neighbour, now), neighbour))


@rule
def unreached(state: State, particle: int) -> list[int]:
    """Return the interior particles that this particle's activation sends the message to."""
    found = [particle for _ in range(0)]
    if must_terminate(state.particles[particle]):
        for node in state.nodes[particle]:
            for direction in range(6 if node >= 0 else 0):
                other = state.neighbours[node, direction]
                if other >= 0 and state.first_agent[other] < 0:
                    if not state.particles[other].message and other not in found:
                        found.append(other)
    return found


@rule
def actor_at(state: State, stream: np.uint64, place: int) -> int:
    """Return who among the particles on boundaries has turn number ``place``."""
    if state.run[0].scheduler == UNIFORM:
        return rng.below(len(state.basic), stream, place)
    return place


@rule
def boundary_turn(state: State, stream: np.uint64, place: int, latest: float) -> float:
    """Return the time of turn number ``place`` on the boundaries, after the one before it."""
    run = state.run[0]
    actors = len(state.basic)
    if run.scheduler == UNIFORM:
        return latest + waiting_time(actors, stream, place)
    if place == actors:
        return NEVER
    if run.scheduler == PERMUTATION:
        # The times of all particles are independent and uniform in [0, 1): these are the next
        # smallest of those on boundaries.
        drawn = 1.0 - rng.unit(rng.draw(~stream, place))
        return 1.0 - (1.0 - latest) * drawn ** (1.0 / (actors - place))
    if run.scheduler == ROUND_ROBIN:
        return float(state.particle[state.order[place]])
    return float(place)


@rule
def interior_turn(state: State, stream: np.uint64, particle: int, after: float) -> float:
    """Return the time of an interior particle's next turn in this round."""
    run = state.run[0]
    own = rng.key(stream, rng.TURNS, particle)
    if run.scheduler == UNIFORM:
        time = first_interior_turn(state, stream, particle, rng.unit(rng.draw(own, 0)))
        turn = 1
        while time <= after:
            time += waiting_time(1, own, turn)
            turn += 1
        return time
    if run.scheduler == PERMUTATION:
        time = rng.unit(rng.draw(own, 0))
    elif run.scheduler == ROUND_ROBIN:
        time = float(particle)
    else:
        time = float(len(state.basic) + particle)
    return time if time > after else NEVER


@rule
def first_interior_turn(state: State, stream: np.uint64, particle: int, drawn: float) -> float:
    """Return when an interior particle has its first turn of a round under ``uniform``.

    The greatest of these times is drawn beforehand, and whose it is; the others are exponential
    times known to be smaller.
    """
    greatest = interior_time(state.run[0].interior, stream)
    number = 0
    last = rng.below(len(state.particles), rng.key(stream, rng.TURNS, -1), number)
    while state.first_agent[last] >= 0:
        number += 1
        last = rng.below(len(state.particles), rng.key(stream, rng.TURNS, -1), number)
    if particle == last:
        return greatest
    return float(-np.log1p(drawn * np.expm1(-greatest)))
