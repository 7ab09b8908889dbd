"""What the election waits for, and so what an adversary delays."""

from __future__ import annotations

from amoebot.algorithms.interface import World
from amoebot.jit import compiled

from ..candidacy import OUTWARD, is_candidate


@compiled
def awaited(world: World) -> tuple[int, int]:
    """Return the agent to which the token moves next that all wait for, and the one it serves.

    Digit tokens and homeward tokens move against the cycle, so activating along the cycle gives
    them single steps wherever particles have one agent. Once a single candidate is left, the
    election waits for its activation token or for that of boundary identification: the particle
    to which that token moves next comes first, so that it has to wait there for the next round,
    and the candidate comes last, so that what it sends out has to wait as well.
    """
    candidates = 0
    last = -1
    ahead = -1
    for agent in range(world.watched):
        me = world.memory[agent].candidacy
        if is_candidate(me):
            candidates += 1
            last = agent
        if me.identification or me.x.activation == OUTWARD:
            ahead = int(world.wiring[agent].succ)
        elif me.x.activation and ahead < 0:
            ahead = int(world.wiring[agent].pred)
    if candidates != 1:
        return -1, -1
    return ahead, last
