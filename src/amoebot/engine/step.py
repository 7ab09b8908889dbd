"""One step of a run: coins are drawn, a particle is activated, the observer takes note."""

from __future__ import annotations

from amoebot.jit import compiled

from ..algorithms.interface import NO_COIN
from ..algorithms.termination import must_terminate
from .activation import activate_particle, draw_coins
from .observer import observe_activation, observe_termination
from .state import State


@compiled
def activate_now(state: State, particle: int) -> None:
    """Activate a particle, also an interior one or one that is to terminate, and take note."""
    cursor = state.cursor[0]
    world = state.world
    options = world.options[0]
    unit = int(world.first_unit[particle])
    cursor.latest = particle + 1
    message_is_out = len(world.particles) > 0
    has_message = message_is_out and world.particles[particle].message
    terminates = has_message and must_terminate(world.particles[particle])
    flipped = False
    if not has_message:
        flipped = draw_coins(
            unit,
            world.memory,
            world.wiring,
            options,
            cursor.seed,
            state.draws,
            state.coins,
        )
    happened = activate_particle(
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
