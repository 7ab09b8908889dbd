"""One step of a run: coins are drawn, a particle is activated, the observer takes note."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.engine.state import State
from amoebot.jit import compiled

from ..algorithms.interface import COIN_LANES, NO_COIN
from .activation import MOST_UNITS, activate_particle, draw_coins
from .calls import call_count_sides, call_must_terminate
from .observer import observe_activation, observe_termination


@compiled
def activate_now(state: State, particle: int, chosen: NDArray[np.int64]) -> None:
    """Activate a particle, also an interior one or one that is to terminate, and take note.

    Its coins fall as ``chosen``, in their order; where that has NO_COIN or ends, as drawn.
    """
    cursor = state.cursor[0]
    world = state.world
    options = world.options[0]
    unit = int(world.first_unit[particle])
    cursor.latest = particle + 1
    message_is_out = len(world.particles) > 0
    has_message = message_is_out and world.particles[particle].message
    terminates = has_message and call_must_terminate(state.addresses, world.particles[particle])
    cursor.idle += unit < 0 and not terminates
    flipped = False
    if not has_message:
        flipped = draw_coins(
            state.addresses,
            unit,
            world.memory,
            world.wiring,
            options,
            cursor.seed,
            state.draws,
            state.coins,
        )
        choose_coins(state.coins, chosen)
    happened = activate_particle(
        state.addresses,
        particle,
        unit,
        world.memory,
        world.wiring,
        world.particles,
        world.nodes,
        world.neighbours,
        options,
        message_is_out,
        True,  # there may be none: this way the rules are compiled only once more, for coins
        state.coins,
        state.events,
    )
    if flipped:
        state.coins[:] = NO_COIN
    if happened:
        observe_activation(state, particle, happened)
    if terminates:
        observe_termination(state.watch[0], len(world.particles), cursor.current_round)


@compiled
def choose_coins(coins: NDArray[np.int64], chosen: NDArray[np.int64]) -> None:
    """Let coins that have been drawn fall as chosen."""
    place = 0
    for number in range(len(coins)):
        for lane in range(COIN_LANES):
            if coins[number, lane] != NO_COIN:
                if place < len(chosen) and chosen[place] != NO_COIN:
                    coins[number, lane] = chosen[place]
                place += 1


@compiled
def coins_ahead(state: State, particle: int) -> NDArray[np.int64]:
    """Return the coins that a particle's activation would draw: sides and outcome of each."""
    world = state.world
    found = np.empty((2 * MOST_UNITS, 2), np.int64)
    count = 0
    unit = int(world.first_unit[particle])
    if len(world.particles) > 0 and world.particles[particle].message:
        unit = -1
    while unit >= 0:
        first, second = call_count_sides(state.addresses, world.memory[unit], world.options[0])
        for lane in range(COIN_LANES):
            sides = second if lane else first
            if sides > 1:
                drawn = state.draws[unit, lane]
                found[count, 0] = sides
                found[count, 1] = rng.coin(state.cursor[0].seed, unit, lane, drawn, sides)
                count += 1
        unit = int(world.wiring[unit].sibling)
    return found[:count].copy()
