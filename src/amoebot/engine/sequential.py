"""Activations in the order of their times, one particle at a time (Section 1.1).

A round is over once each particle has been activated at least once.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import State
from amoebot.jit import borrowed, compiled, inlined, takes_long

from ..algorithms.interface import LEADER, NO_COIN
from .activation import activate_particle, draw_coins
from .calls import call_must_terminate, call_terminate
from .names import NO_END
from .observer import observe_activation, observe_round, observe_termination
from .schedulers import HAND, end_round, hold_back, is_laid_out, lay_out
from .step import activate_now
from .termination import (
    IN_ORDER,
    NOBODY,
    PARTICLE_BITS,
    PARTICLES,
    holders_of_message,
    last_interior,
    leave_out_terminated,
    moment_of,
    moments_of_holders,
    pass_on,
    spread_through_round,
    time_of,
)

_LOW = np.uint64(0xFFFFFFFF)


@compiled
@takes_long("elections", 30)
def advance(state: State, last_round: int, activations: int) -> None:
    """Run until a round is over, or N activations later, or until an outcome appears."""
    state = borrowed(state)
    cursor = state.cursor[0]
    watch = state.watch[0]
    outcome = watch.outcome
    limit = cursor.activations + activations
    particles = len(state.world.particles)
    if len(state.world.wiring) == 0:
        if watch.terminated == 0:
            declare_alone(state)
        return
    holders = holders_of_message(state, watch.leaders > 0)
    nobody = [NOBODY]
    while (
        cursor.current_round <= last_round
        and cursor.activations < limit
        and watch.outcome == outcome
        and (particles == 0 or watch.terminated < particles)
    ):
        leaders = watch.leaders
        if len(holders) > 0:
            leave_out_terminated(state, holders)
        if cursor.laid_out == 0:
            hold_back(state, holders)
            lay_out(state)
        waiting = nobody
        last = IN_ORDER
        if len(holders) > 0:
            begins = cursor.place == 0 and cursor.interior_activations == 0
            if activations == NO_END and begins:
                last = spread_through_round(state, holders)
            if last == IN_ORDER:
                waiting = moments_of_holders(state, holders)
        if cursor.place == cursor.laid_out and not cursor.complete:
            lay_out(state)
        activate_in_order(state, limit, last == IN_ORDER, holders, waiting)
        if last > moment_of(cursor, state.order, state.actors, cursor.place - 1):
            cursor.latest = (last & PARTICLES) + 1
        if cursor.place == cursor.laid_out and waiting[0] == NOBODY and is_laid_out(state):
            observe_round(watch, cursor.events)
            end_round(cursor)
        if watch.leaders > leaders:
            holders = holders_of_message(state, True)


@inlined
def activate_in_order(
    state: State, limit: int, with_message: bool, holders: list[int], waiting: list[int]
) -> None:
    """Activate the particles that are laid out, one after another.

    Once the termination message is out, so are interior particles that hold it, each at its time:
    ``waiting`` has those of this round, and all who are reached are added to ``holders``. Or the
    message has been spread through this round already, and those who passed it on are left out.
    This is the inner loop: what it hands on is borrowed, so that no references are counted.
    """
    cursor, watch = state.cursor[0], state.watch[0]
    world = state.world
    order, actors, units = borrowed(state.order), borrowed(state.actors), borrowed(state.units)
    memory, wiring, draws = borrowed(world.memory), borrowed(world.wiring), borrowed(state.draws)
    particles, nodes = borrowed(world.particles), borrowed(world.nodes)
    neighbours, coins, events = (
        borrowed(world.neighbours),
        borrowed(state.coins),
        borrowed(state.events),
    )
    addresses = borrowed(state.addresses)
    options, seed = world.options[0], cursor.seed
    batch, laid_out = cursor.batch, cursor.laid_out
    message_is_out = len(particles) > 0 and watch.leaders > 0
    with_message = with_message and message_is_out
    stream = rng.key(seed, rng.SCHEDULE, cursor.current_round)
    last = last_interior(cursor, world.first_unit, stream)
    place = cursor.place
    left = limit - cursor.activations
    particle = int(cursor.latest) - 1
    while left > 0:
        holder_is_next = with_message and waiting[0] < moment_of(cursor, order, actors, place)
        if place == laid_out and not holder_is_next:
            break
        left -= 1
        unit = -1
        if holder_is_next:
            now = heapq.heappop(waiting)
            particle, cursor.time = now & PARTICLES, now >> PARTICLE_BITS
            cursor.interior_activations += 1
        else:
            key = order[place - batch]
            actor = np.int64(key & _LOW)
            particle, unit = int(actors[actor]), int(units[actor])
            place += 1
            if message_is_out:
                cursor.time = time_of(cursor, key)
        if message_is_out:
            if with_message and call_must_terminate(addresses, particles[particle]):
                pass_on(state, particle, last, holders, waiting)
                if watch.terminated == len(particles):
                    break
            elif holder_is_next:
                cursor.idle += 1
            if particles[particle].terminated:
                continue
        flipped = draw_coins(addresses, unit, memory, wiring, options, seed, draws, coins)
        happened = activate_particle(
            addresses,
            particle,
            unit,
            memory,
            wiring,
            particles,
            nodes,
            neighbours,
            options,
            False,  # whoever has the message has been dealt with
            flipped,
            coins,
            events,
        )
        if flipped:
            coins[:] = NO_COIN
        if happened and observe_activation(state, particle, happened):
            break
    cursor.latest = particle + 1
    cursor.place = place
    cursor.activations = limit - left


@compiled
@takes_long("activations by hand", 10)
def activate_by_hand(
    state: State, particle: int, ends_round: bool, chosen: NDArray[np.int64]
) -> None:
    """Activate any particle, whoever's activation would be next; its coins fall as chosen."""
    cursor = state.cursor[0]
    cursor.scheduler = HAND
    if len(state.world.wiring) == 0:
        declare_alone(state)
        return
    cursor.place += 1
    cursor.activations += 1
    activate_now(state, particle, chosen)
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
            call_terminate(state.addresses, state.world.particles[0])
            observe_termination(watch, 1, cursor.current_round)
    cursor.latest = 1
    cursor.activations += 1
    cursor.current_round += 1
