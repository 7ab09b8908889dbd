"""The observer: sees what no particle can, and changes nothing.

What an election reports of itself, it notes as the election's own ``observe`` says; leaders and
terminated particles are counted here, on all boundaries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.engine.state import State
from amoebot.jit import compiled

from ..algorithms.interface import LEADER, STUCK, Watch
from .calls import call_observe


@compiled
def observe_activation(state: State, particle: int, happened: int) -> bool:
    """Take note of what the units of a particle did; return whether the run has an outcome now."""
    watch = state.watch[0]
    cursor = state.cursor[0]
    world = state.world
    before = watch.outcome
    number = 0
    unit = int(world.first_unit[particle])
    while unit >= 0:
        events = state.events[number]
        if events and unit < world.watched:
            call_observe(
                state.addresses,
                watch,
                state.withdrawals,
                world.memory,
                np.int64(unit),  # numbers come in all sizes
                events,
                cursor.current_round,
                world.options[0],
            )
        if events and world.memory[unit].leader:
            watch.leaders = count_leaders(world.memory, world.wiring, world.first_unit)
            if watch.outcome != LEADER:
                watch.outcome = LEADER
                watch.leader = unit
                watch.leader_declared = cursor.current_round
        number += 1
        unit = int(world.wiring[unit].sibling)
    cursor.events |= happened
    return watch.outcome != before


@compiled
def count_leaders(memory: NDArray[Any], wiring: NDArray[Any], first_unit: NDArray[np.int32]) -> int:
    """Return how many particles have a unit that told them to be the leader."""
    leaders = 0
    for particle in range(len(first_unit)):
        unit = int(first_unit[particle])
        while unit >= 0 and not memory[unit].leader:
            unit = int(wiring[unit].sibling)
        leaders += unit >= 0
    return leaders


@compiled
def observe_termination(watch: Watch, particles: int, now: int) -> None:
    """Count a particle that terminated in round ``now``."""
    watch.terminated += 1
    if watch.terminated == particles:
        watch.all_terminated = now


@compiled
def observe_round(watch: Watch, events: int) -> None:
    """Recognise an election that is stuck: a whole round in which nothing has happened."""
    if STUCK and watch.outcome == 0 and events == 0:
        watch.outcome = STUCK
