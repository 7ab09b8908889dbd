"""How a run begins: everyone with empty memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.records import in_words, layout
from amoebot.algorithms.termination import Particle
from amoebot.system import System

from ..algorithms.interface import COIN_LANES, MORE_MEMORY, ON_NODES, OPTIONS, Memory, Watch, World
from .activation import MOST_UNITS, no_coins
from .names import number_of
from .schedulers import fixed_times
from .state import Cursor, State

#: The records of a run: a unit's memory, a particle's, the observer's, the cursor, the options.
MEMORY = in_words(layout(Memory, **MORE_MEMORY))
PARTICLE, WATCH, CURSOR = layout(Particle), layout(Watch), layout(Cursor)
SETTINGS = np.dtype(
    (np.record, np.dtype([(name, np.int64) for name in (*(o.name for o in OPTIONS), "terminate")]))
)

#: What the order of a unit of time under ``uniform`` has room for, beside twice the actors: more
#: ticks than that have a probability below 1e-60.
ROOM = 128


def new_world(system: System, options: Mapping[str, Any]) -> World:
    """Return a world in which nobody has been activated yet."""
    settings = np.zeros(1, dtype=SETTINGS)
    for name in SETTINGS.names or ():
        settings[name] = options[name]
    units = len(system.shape) if ON_NODES else system.agents
    return World(
        options=settings,
        memory=np.zeros(units + ON_NODES, dtype=MEMORY),
        particles=np.zeros(system.particles if options["terminate"] else 0, dtype=PARTICLE),
        wiring=system.node_wiring() if ON_NODES else system.wiring,
        particle=system.particle_of_node if ON_NODES else system.particle,
        first_unit=system.first_nodes() if ON_NODES else system.first_agent,
        boundary=np.zeros(units, dtype=np.int32) if ON_NODES else boundaries(system),
        nodes=system.nodes_of_particles(),
        neighbours=system.neighbouring_particles(),
        watched=units if ON_NODES else system.outer_boundary_length,
        holes=max(0, len(system.boundaries) - 1),
    )


def boundaries(system: System) -> NDArray[np.int32]:
    """Return the boundary of each agent, 0 for the outer one."""
    lengths = [cycle.length for cycle in system.boundaries]
    return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)


def new_state(system: System, seed: int, scheduler: str, options: Mapping[str, Any]) -> State:
    """Return the state of a run in which nobody has been activated yet."""
    world = new_world(system, options)
    times = fixed_times(system, scheduler)
    actors = np.flatnonzero(world.first_unit >= 0).astype(np.int32)
    if len(times):
        actors = actors[np.argsort(times[actors])]
    clocks = len(actors) if scheduler == "uniform" else 0
    room = 2 * clocks + ROOM if clocks else len(actors)
    cursor = np.zeros(1, dtype=CURSOR)
    cursor["seed"], cursor["scheduler"] = seed, number_of(scheduler)
    cursor["interior"] = system.particles - len(actors)
    cursor["current_round"], cursor["time"] = 1, -1
    return State(
        cursor=cursor,
        watch=np.zeros(1, dtype=WATCH),
        withdrawals=np.zeros(world.watched, dtype=np.int64),
        world=world,
        draws=np.zeros((len(world.wiring), COIN_LANES), dtype=np.uint32),
        actors=actors,
        units=world.first_unit[actors],
        times=times,
        order=np.zeros(room, dtype=np.uint64),
        keys=np.zeros(room, dtype=np.uint64),
        starts=np.zeros(room + 1, dtype=np.int32),
        next_time=np.zeros(clocks, dtype=np.int64),
        clock_draws=np.zeros(clocks, dtype=np.int32),
        coins=no_coins(),
        events=np.zeros(MOST_UNITS, dtype=np.int64),
    )


def without_inner_boundaries(state: State) -> State:
    """Return the state of the same run in which no agent on an inner boundary is activated.

    Where boundaries do not influence each other, the outer one fares the same: everyone keeps
    their times. Particles that are on inner boundaries alone count as interior ones.
    """
    world = state.world
    wiring = world.wiring.copy()
    sibling = wiring["sibling"]
    while (inner := sibling >= world.watched).any():
        sibling[inner] = sibling[sibling[inner]]
    first = world.first_unit.copy()
    inside = first >= world.watched
    first[inside] = sibling[first[inside]]
    actors = state.actors[first[state.actors] >= 0]
    state.cursor["interior"] += len(state.actors) - len(actors)
    return state._replace(
        world=world._replace(wiring=wiring, first_unit=first), actors=actors, units=first[actors]
    )
