"""How a run begins: everyone with empty memory."""

from __future__ import annotations

import numpy as np

from amoebot.system import System

from ..election.memory import PARTICLE, empty_memory
from .schedulers import BY_HAND, actors
from .state import RUN, WATCH, State


def new_state(
    system: System,
    seed: int,
    radix: int,
    scheduler: int,
    almost_sure: bool,
    terminate: bool,
) -> State:
    """Return the state of a run in which nobody has been activated yet."""
    basic = actors(system, scheduler)
    run = np.zeros(1, dtype=RUN)
    run["seed"], run["radix"], run["scheduler"] = seed, radix, scheduler
    run["interior"] = system.particles - len(basic)
    run["almost_sure"], run["terminate"] = almost_sure, terminate
    run["active"] = system.agents
    run["current_round"] = 1
    return State(
        run=run,
        watch=np.zeros(1, dtype=WATCH),
        withdrawals=np.zeros(system.outer_boundary_length, dtype=np.int64),
        memory=empty_memory(system.agents),
        wiring=system.wiring,
        draws=np.zeros(system.agents, dtype=np.uint32),
        particles=np.zeros(system.particles if terminate else 0, dtype=PARTICLE),
        nodes=system.nodes_of_particles(),
        neighbours=system.neighbouring_particles(),
        particle=system.particle,
        first_agent=system.first_agent,
        basic=basic,
        order=np.zeros(max(1, len(basic)), dtype=np.int32),
        seen=np.zeros(len(basic), dtype=np.uint8),
    )


def without_inner_boundaries(state: State) -> State:
    """Return the state of the same run in which no agent on an inner boundary is activated.

    Boundaries do not influence each other, so the outer one fares the same. Everyone keeps their
    turns; a particle is named by its first agent on the outer boundary, if it has one there.
    """
    length = len(state.withdrawals)
    if length == len(state.memory) or state.run["scheduler"][0] == BY_HAND:
        return state
    wiring = state.wiring.copy()
    sibling = wiring["sibling"]
    while (inner := sibling >= length).any():
        sibling[inner] = sibling[sibling[inner]]
    outer = sibling[state.basic]
    basic = np.where((state.basic >= length) & (outer >= 0), outer, state.basic)
    state.run["active"] = length
    return state._replace(wiring=wiring, basic=basic)
