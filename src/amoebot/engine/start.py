"""How a run begins: everyone with empty memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.by_address import COLUMNS
from amoebot.engine.state import State
from amoebot.jit import compilable, compiled
from amoebot.system import Ground, System
from amoebot.system.model import first_nodes, node_wiring

from ..algorithms.interface import (
    COIN_LANES,
    INNER_BOUNDARIES_MATTER,
    ON_NODES,
    STUCK,
)
from .activation import MOST_UNITS, no_coins
from .addresses import addresses
from .calls import BY_ENGINE
from .layouts import CURSOR, PARTICLE, SETTINGS, STORED, WATCH
from .names import BY_HAND, number_of
from .schedulers import ADVERSARIAL, UNIFORM, fixed_times

#: What the order of a unit of time under ``uniform`` has room for, beside twice the actors: more
#: ticks than that have a probability below 1e-60.
ROOM = 128


def new_world(system: System, options: Mapping[str, Any]) -> World:
    """Return a world in which nobody has been activated yet."""
    return empty_world(system.ground(), settings(options), False)


def new_state(
    system: System, seed: int, scheduler: str, options: Mapping[str, Any], outer_only: bool
) -> State:
    """Return the state of a run in which nobody has been activated yet."""
    number = number_of(scheduler)
    state = empty_state(system.ground(), settings(options), np.uint64(seed), number, outer_only)
    return state._replace(addresses=addresses(state.world, BY_ENGINE))


def inner_can_be_left_out(system: System, scheduler: str) -> bool:
    """Whether a run has the same outcome if agents on inner boundaries are never activated."""
    sound = not (INNER_BOUNDARIES_MATTER or ON_NODES or STUCK)
    return sound and len(system.boundaries) > 1 and scheduler not in ("uniform", BY_HAND)


def settings(options: Mapping[str, Any]) -> NDArray[Any]:
    """Return options as the one record that rules can look into."""
    made = np.zeros(1, dtype=SETTINGS)
    for name in SETTINGS.names or ():
        made[name] = options[name]
    return made


if ON_NODES:

    @compilable
    def units(ground: Ground) -> tuple[Any, ...]:
        """Return the wiring, particle and boundary of each unit, and each particle's first one."""
        wiring = node_wiring(ground.neighbours, ground.pairs)
        boundary = np.zeros(len(wiring), dtype=np.int32)
        first = first_nodes(ground.nodes, ground.particle_of_node, ground.pairs)
        return wiring, ground.particle_of_node, boundary, first

else:

    @compilable
    def units(ground: Ground) -> tuple[Any, ...]:
        """Return the wiring, particle and boundary of each unit, and each particle's first one."""
        numbers = np.arange(len(ground.lengths)).astype(np.int32)
        boundary = np.repeat(numbers, ground.lengths)
        return ground.wiring, ground.particle_of_node[ground.node], boundary, ground.first_agent


@compilable
def empty_world(ground: Ground, options: NDArray[Any], outer_only: bool) -> World:
    """Return a world in which nobody has been activated yet.

    With ``outer_only``, no agent on an inner boundary ever is. Where boundaries do not influence
    each other, the outer one fares the same: everyone keeps their times. Particles that are on
    inner boundaries alone count as interior ones.
    """
    wiring, particle, boundary, first_unit = units(ground)
    outer = ground.lengths[0] if len(ground.lengths) > 0 else 0
    if outer_only:
        wiring, first_unit = wiring.copy(), first_unit.copy()
        leave_out_inner(wiring, first_unit, int(outer))
    return World(
        options=options,
        memory=np.zeros(len(wiring) + ON_NODES, dtype=STORED),
        particles=np.zeros(len(first_unit) if options[0].terminate else 0, dtype=PARTICLE),
        wiring=wiring,
        particle=particle,
        first_unit=first_unit,
        boundary=boundary,
        nodes=ground.nodes,
        neighbours=ground.around,
        watched=len(wiring) if ON_NODES else int(outer),
        holes=max(0, len(ground.lengths) - 1),
    )


@compiled
def leave_out_inner(wiring: NDArray[Any], first_unit: NDArray[np.int32], outer: int) -> None:
    """Take the agents of inner boundaries out of their particles."""
    for particle in range(len(first_unit)):
        unit = first_unit[particle]
        first_unit[particle] = -1
        before = -1
        while unit >= 0:
            after = wiring[unit].sibling
            if unit < outer:
                wiring[unit].sibling = -1
                if before < 0:
                    first_unit[particle] = unit
                else:
                    wiring[before].sibling = unit
                before = unit
            unit = after


@compilable
def empty_state(
    ground: Ground, options: NDArray[Any], seed: np.uint64, scheduler: int, outer_only: bool
) -> State:
    """Return the state of a run in which nobody has been activated yet, without addresses."""
    world = empty_world(ground, options, outer_only)
    along = ground.particle_of_node[ground.node]
    times = fixed_times(along, len(world.first_unit), scheduler)
    actors = np.flatnonzero(world.first_unit >= 0).astype(np.int32)
    if len(times) > 0:
        actors = actors[np.argsort(times[actors])]
    held_back = len(world.particles) if scheduler == ADVERSARIAL else 0
    clocks = len(actors) if scheduler == UNIFORM else 0
    room = 2 * clocks + ROOM if clocks else len(actors)
    cursor = np.zeros(1, dtype=CURSOR)
    cursor[0].seed = seed
    cursor[0].scheduler = scheduler
    cursor[0].interior = len(world.first_unit) - len(actors)
    cursor[0].current_round = 1
    cursor[0].time = -1
    return State(
        cursor=cursor,
        watch=np.zeros(1, dtype=WATCH),
        withdrawals=np.zeros(world.watched, dtype=np.int64),
        world=world,
        draws=np.zeros((len(world.wiring), COIN_LANES), dtype=np.uint32),
        actors=actors,
        units=world.first_unit[actors],
        times=times,
        late=np.zeros(held_back, dtype=np.uint8),
        order=np.zeros(room, dtype=np.uint64),
        keys=np.zeros(room, dtype=np.uint64),
        starts=np.zeros(room + 1, dtype=np.int32),
        next_time=np.zeros(clocks, dtype=np.int64),
        clock_draws=np.zeros(clocks, dtype=np.int32),
        coins=no_coins(),
        events=np.zeros(MOST_UNITS, dtype=np.int64),
        addresses=np.zeros((0, COLUMNS), dtype=np.int64),
    )
