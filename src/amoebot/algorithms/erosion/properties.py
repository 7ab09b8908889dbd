"""What must hold in every state of an erosion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from amoebot.algorithms.description import Property
from amoebot.algorithms.interface import DECIDED, MAY_ELECT, World
from amoebot.jit import compiled

from .memory import ERODED

CONNECTED, SOMEBODY = 1, 2

PROPERTIES = {
    CONNECTED: Property("the particles that have not eroded stay connected"),
    SOMEBODY: Property("never have all particles eroded"),
}


def elects(options: Mapping[str, Any]) -> str:
    """Return what is claimed of elections."""
    return "every fair schedule elects if and only if the shape has no hole"


@compiled
def state_flags(world: World, before: int) -> int:
    """Say whether a leader is possible: on a shape with a hole there never is one."""
    return DECIDED if world.holes else MAY_ELECT | DECIDED


@compiled
def violated(world: World) -> int:
    """Return the number of a property that a state violates, or 0."""
    nodes = world.watched
    first = 0
    while first < nodes and world.memory[first].state == ERODED:
        first += 1
    if first == nodes:
        return SOMEBODY
    reached = np.zeros(nodes, dtype=np.bool_)
    waiting = np.empty(nodes, dtype=np.int64)
    reached[first] = True
    waiting[0] = first
    count = 1
    while count > 0:
        count -= 1
        around = world.wiring[waiting[count]].around
        for port in range(6):
            node = around[port]
            if node >= 0 and not reached[node] and world.memory[node].state != ERODED:
                reached[node] = True
                waiting[count] = node
                count += 1
    for node in range(nodes):
        if not reached[node] and world.memory[node].state != ERODED:
            return CONNECTED
    return 0
