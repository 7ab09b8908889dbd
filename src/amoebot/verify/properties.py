"""The properties that every election must have, and the flags of a state.

Properties that a state or a step shows by itself are checked when it is found. Those about what can
be reached are decided afterwards, from the flags and the edges of all states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amoebot.algorithms.description import Property
from amoebot.algorithms.interface import World
from amoebot.jit import compiled

from ..algorithms.interface import DECIDED, MAY_ELECT, ON_NODES, PROPERTIES
from ..engine.calls import Addresses, call_state_flags

# flags of a state, beside MAY_ELECT and DECIDED.
HAS_LEADER, ALL_TERMINATED = 1, 2

# The properties of every election, by number; those of its own are numbered from 1 on.
ONE_LEADER, LEADER_STAYS, EMPTY_NODES = -1, -2, -3

_OWN = {
    ONE_LEADER: Property("never two leaders", "Section 1.3"),
    LEADER_STAYS: Property("a leader is never revoked", "Section 1.3"),
}
if ON_NODES:
    _OWN[EMPTY_NODES] = Property("nobody writes to an empty node")

AFTER_ELECTION = Property(
    "after an election every fair schedule terminates everyone", "Appendix A.2"
)
AFTER_TERMINATION = Property("when everyone has terminated nothing changes", "Appendix A.2")


def state_properties(options: Mapping[str, Any]) -> dict[int, str]:
    """Return the sentences of the properties of states and steps that say something here."""
    return {
        number: known.sentence
        for number, known in (_OWN | PROPERTIES).items()
        if not known.needs or options[known.needs]
    }


@compiled
def leaders_of(world: World) -> int:
    """Return the particles that are leaders, one bit each."""
    found = 0
    for unit in range(len(world.wiring)):
        if world.memory[unit].leader:
            found |= 1 << world.particle[unit]
    return found


@compiled
def flags_of(addresses: Addresses, world: World, leaders: int, before: int) -> int:
    """Return the flags of a state, given those of the state before it.

    Without an outer boundary, nobody may be elected.
    """
    flags = DECIDED
    if world.watched > 0:
        flags = call_state_flags(addresses, world, before) & (MAY_ELECT | DECIDED)
    if leaders:
        flags |= HAS_LEADER
    terminated = 0
    for particle in range(len(world.particles)):
        terminated += world.particles[particle].terminated
    if terminated > 0 and terminated == len(world.particles):
        flags |= ALL_TERMINATED
    return flags
