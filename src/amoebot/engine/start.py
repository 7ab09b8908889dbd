"""How a run begins: everyone with empty memory."""

from __future__ import annotations

import numpy as np

from amoebot.system import System

from ..election.memory import PARTICLE, empty_memory
from .schedulers import actors
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
