"""Activations in the order of their times, one particle at a time (Section 1.1).

A round is over once each particle has been activated at least once.
"""

from __future__ import annotations

import numpy as np

from amoebot.jit import borrowed, compiled

from ..algorithms.interface import LEADER, NO_COIN
from ..algorithms.termination import terminate
from .activation import activate_particle, draw_coins
from .observer import observe_activation, observe_round, observe_termination
from .schedulers import HAND, end_round, lay_out
from .state import State
from .step import activate_now
from .termination import spread

_LOW = np.uint64(0xFFFFFFFF)


@compiled
def advance(state: State, last_round: int, activations: int) -> None:
    """Run until a round is over, or N activations later, or until an outcome appears."""
    cursor = state.cursor[0]
    watch = state.watch[0]
    outcome = watch.outcome
    limit = cursor.activations + activations
    if len(state.world.wiring) == 0:
        if watch.terminated == 0:
            declare_alone(state)
        return
    while (
        cursor.current_round <= last_round
        and cursor.activations < limit
        and watch.outcome == outcome
    ):
        if len(state.world.particles) > 0 and watch.leaders > 0:
            spread(state, last_round, limit)
            return
        if cursor.place == cursor.laid_out:
            lay_out(state)
        activate_in_order(state, limit)
        if cursor.place == cursor.laid_out and cursor.complete:
            observe_round(watch, cursor.events)
            end_round(cursor)


@compiled
def activate_in_order(state: State, limit: int) -> None:
    """Activate the particles that are laid out, one after another.

    This is the inner loop: what it hands on is borrowed, so that no references are counted.
    """
    cursor = state.cursor[0]
    world = state.world
    order, actors, units = borrowed(state.order), borrowed(state.actors), borrowed(state.units)
    memory, wiring, draws = borrowed(world.memory), borrowed(world.wiring), borrowed(state.draws)
    particles, nodes = borrowed(world.particles), borrowed(world.nodes)
    neighbours, coins, events = (
        borrowed(world.neighbours),
        borrowed(state.coins),
        borrowed(state.events),
    )
    options, seed = world.options[0], cursor.seed
    batch = cursor.batch
    first = cursor.place
    last = min(cursor.laid_out, first + limit - cursor.activations)
    place = first
    particle = 0
    while place < last:
        actor = np.int64(order[place - batch] & _LOW)
        particle = int(actors[actor])
        unit = int(units[actor])
        place += 1
        flipped = draw_coins(unit, memory, wiring, options, seed, draws, coins)
        happened = activate_particle(
            particle,
            unit,
            memory,
            wiring,
            particles,
            nodes,
            neighbours,
            options,
            False,
            flipped,
            coins,
            events,
        )
        if flipped:
            coins[:] = NO_COIN
        if happened and observe_activation(state, particle, happened):
            last = place
    if place > first:
        cursor.latest = particle + 1
    cursor.place = place
    cursor.activations += place - first


@compiled
def activate_by_hand(state: State, particle: int, ends_round: bool) -> None:
    """Activate any particle, whoever's activation would be next."""
    cursor = state.cursor[0]
    cursor.scheduler = HAND
    if len(state.world.wiring) == 0:
        declare_alone(state)
        return
    cursor.place += 1
    cursor.activations += 1
    activate_now(state, particle)
    if ends_round:
        observe_round(state.watch[0], cursor.events)
        end_round(cursor)


@compiled
def declare_alone(state: State) -> None:
    """Let the only particle of a system, which has no neighbour, be the leader (Section 2.1)."""
    cursor = state.cursor[0]
    watch = state.watch[0]
    if watch.outcome != LEADER:
        watch.outcome = LEADER
        watch.leaders = 1
        watch.leader_declared = cursor.current_round
        if len(state.world.particles) > 0:
            terminate(state.world.particles[0])
            observe_termination(watch, 1, cursor.current_round)
    cursor.latest = 1
    cursor.activations += 1
    cursor.current_round += 1
