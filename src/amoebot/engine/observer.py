"""The observer: sees what no particle can, and changes nothing.

What an election reports of itself, it notes as the election's own ``observe`` says; leaders and
terminated particles are counted here, on all boundaries.
"""

from __future__ import annotations

from amoebot.jit import compiled

from ..algorithms.interface import DECLARED, LEADER, STUCK, Watch, observe
from .state import State


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
            observe(
                watch,
                state.withdrawals,
                world.memory,
                unit,
                events,
                cursor.current_round,
                world.options[0],
            )
        if events & DECLARED:
            watch.leaders += 1
            if watch.outcome != LEADER:
                watch.outcome = LEADER
                watch.leader = unit
                watch.leader_declared = cursor.current_round
        number += 1
        unit = int(world.wiring[unit].sibling)
    cursor.events |= happened
    return watch.outcome != before


@compiled
def observe_termination(watch: Watch, particles: int, now: int) -> None:
    """Count one particle more that has terminated, of so many, in round ``now``."""
    watch.terminated += 1
    if watch.terminated == particles:
        watch.all_terminated = now


@compiled
def observe_round(watch: Watch, events: int) -> None:
    """Recognise an election that is stuck: a whole round in which nothing has happened."""
    if STUCK and watch.outcome == 0 and events == 0:
        watch.outcome = STUCK
