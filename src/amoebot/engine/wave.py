"""Rounds in which the termination message spreads (Appendix A.2).

An interior particle does nothing until the message reaches it, and nothing after it has passed
the message on. So only the particles that hold the message and still have to pass it on are
looked at, and the cost follows the wave. Every turn in a round has a time: the turns of particles
on boundaries come in the scheduler's order, and the time of an interior particle's turn has the
distribution that it has among all particles.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from amoebot import rng
from amoebot.jit import rule

from ..election.activation import activate_agent
from ..election.memory import Record
from ..election.termination import must_terminate
from .activation import MOST_NEIGHBOURS, broadcast, first_coin, report
from .observer import observe_termination
from .schedulers import (
    PERMUTATION,
    UNIFORM,
    end_round,
    interior_time,
    lay_out_turns,
    shuffle_step,
    waiting_time,
)
from .state import State

NEVER, BEFORE = np.inf, -1.0


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
        if run.place == 0 and run.interior_turns == 0:
            if run.scheduler != UNIFORM:
                lay_out_turns(state)
            run.time = BEFORE
        spread_round(state, holders, limit)
        holders = [p for p in holders if must_terminate(state.particles[p])]


@rule
def spread_round(state: State, holders: list[int], limit: int) -> None:
    """Go on with a round. ``holders`` are the interior particles with the message; it grows."""
    run = state.run[0]
    order, memory, wiring, actors = state.order, state.memory, state.wiring, len(state.basic)
    particles, nodes, neighbours = state.particles, state.nodes, state.neighbours
    first_agent, particle_of = state.first_agent, state.particle
    stream = rng.key(run.seed, rng.SCHEDULE, run.current_round)
    end = interior_time(run.interior, stream)
    last = last_interior(state, stream)
    reached = np.empty(MOST_NEIGHBOURS, dtype=np.int64)
    turns = [(NEVER, -1)]
    for particle in holders:
        time = interior_turn(run, stream, particle, run.time, actors, end, last)
        heapq.heappush(turns, (time, particle))
    latest, unseen = retrace(state, stream)
    while run.activations < limit and state.watch[0].terminated < len(particles):
        following = boundary_turn(run, stream, run.place, latest, actors)
        now = min(following, turns[0][0])
        if now == NEVER or (run.scheduler == UNIFORM and unseen == 0 and now >= end):
            end_round(state)
            return
        agent = -1
        if now < following:
            particle = heapq.heappop(turns)[1]
            run.interior_turns += 1
        else:
            if run.scheduler == UNIFORM:
                actor = rng.below(actors, stream, run.place)
                unseen -= not state.seen[actor]
                state.seen[actor] = 1
                agent = int(state.basic[actor])
            else:
                if run.scheduler == PERMUTATION:
                    shuffle_step(order, run.place, stream)
                agent = int(order[run.place])
            particle = particle_of[agent]
            latest = now
            run.place += 1
        run.time = now
        run.activations += 1
        if must_terminate(particles[particle]):
            count = broadcast(particle, nodes, neighbours, particles, first_agent, reached)
            observe_termination(state)
            for i in range(count):
                holders.append(reached[i])
                time = interior_turn(run, stream, reached[i], now, actors, end, last)
                heapq.heappush(turns, (time, reached[i]))
        elif not particles[particle].terminated:
            while 0 <= agent < run.active:
                wires = wiring[agent]
                me, pred, succ = memory[agent], memory[wires.pred], memory[wires.succ]
                coin = 0 if me.created else first_coin(run, me, agent)
                events = activate_agent(me, pred, succ, wires.sight, coin, run.almost_sure)
                if events:
                    report(state, agent, events)
                agent = int(wires.sibling)


@rule
def retrace(state: State, stream: np.uint64) -> tuple[float, int]:
    """Draw the turns on boundaries again that this round has had.

    Return the time of the last one, and how many particles with agents have had none.
    """
    run = state.run[0]
    actors = len(state.basic)
    state.seen[:] = 0
    latest = 0.0
    unseen = actors
    for place in range(run.place):
        latest = boundary_turn(run, stream, place, latest, actors)
        if run.scheduler == UNIFORM:
            actor = rng.below(actors, stream, place)
            unseen -= not state.seen[actor]
            state.seen[actor] = 1
    return latest, unseen


@rule
def boundary_turn(run: Record, stream: np.uint64, place: int, latest: float, actors: int) -> float:
    """Return the time of turn number ``place`` on the boundaries, after the one before it."""
    if run.scheduler == UNIFORM:
        return latest + waiting_time(actors, stream, place)
    if place == actors:
        return NEVER
    if run.scheduler == PERMUTATION and run.interior > 0:
        # The times of all particles are independent and uniform in [0, 1): these are the next
        # smallest of those on boundaries.
        drawn = 1.0 - rng.unit(rng.draw(~stream, place))
        return 1.0 - (1.0 - latest) * drawn ** (1.0 / (actors - place))
    return float(place)


@rule
def interior_turn(
    run: Record, stream: np.uint64, particle: int, after: float, actors: int, end: float, last: int
) -> float:
    """Return the time of an interior particle's next turn in this round."""
    own = rng.key(stream, rng.TURNS, particle)
    if run.scheduler == UNIFORM:
        # The greatest first turn is drawn beforehand, and whose it is; the others are
        # exponential times known to be smaller.
        drawn = rng.unit(rng.draw(own, 0))
        time = end if particle == last else -math.log1p(drawn * math.expm1(-end))
        turn = 1
        while time <= after:
            time += waiting_time(1, own, turn)
            turn += 1
        return time
    time = float(actors + particle)
    if run.scheduler == PERMUTATION:
        time = rng.unit(rng.draw(own, 0))
    return time if time > after else NEVER


@rule
def last_interior(state: State, stream: np.uint64) -> int:
    """Return the interior particle that has its first turn of a round last, under ``uniform``."""
    if state.run[0].scheduler != UNIFORM or state.run[0].interior == 0:
        return -1
    own = rng.key(stream, rng.LAST, 0)
    number = 0
    last = rng.below(len(state.particles), own, number)
    while state.first_agent[last] >= 0:
        number += 1
        last = rng.below(len(state.particles), own, number)
    return last
