"""How a run begins: everyone with empty memory."""

from __future__ import annotations

import numpy as np

from amoebot.election.memory import empty_memory
from amoebot.engine.schedulers import actors
from amoebot.engine.state import RUN, WATCH, State
from amoebot.system import System


def new_state(system: System, seed: int, radix: int, scheduler: int) -> State:
    """Return the state of a run in which nobody has been activated yet."""
    basic = actors(system, scheduler)
    run = np.zeros(1, dtype=RUN)
    run["seed"], run["radix"], run["scheduler"] = seed, radix, scheduler
    run["interior"] = system.particles - len(basic)
    run["current_round"] = 1
    return State(
        run=run,
        watch=np.zeros(1, dtype=WATCH),
        withdrawals=np.zeros(system.outer_boundary_length, dtype=np.int64),
        memory=empty_memory(system.agents),
        wiring=system.wiring,
        basic=basic,
        order=basic.copy(),
    )
