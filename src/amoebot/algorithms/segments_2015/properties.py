"""What must hold in every state of an election by segments."""

from __future__ import annotations

from amoebot.algorithms.description import Property
from amoebot.algorithms.interface import World
from amoebot.jit import compiled

from ..candidacy import CANDIDATE, NON_CANDIDATE, VERIFYING

SOMEBODY, VERIFICATIONS = 1, 2

PROPERTIES = {
    SOMEBODY: Property("somebody on the outer boundary is a candidate, or has not started"),
    VERIFICATIONS: Property("a verification has its activation tokens until it ends"),
}


@compiled
def violated(world: World) -> int:
    """Return the number of a property that a state violates, or 0."""
    left = False
    for agent in range(world.watched):
        me = world.memory[agent].candidacy
        left = left or me.role != NON_CANDIDATE
        if me.role == CANDIDATE and me.stage == VERIFYING and not has_its_tokens(world, agent):
            return VERIFICATIONS
    return 0 if left or world.watched == 0 else SOMEBODY


@compiled
def has_its_tokens(world: World, candidate: int) -> bool:
    """Whether each axis has one activation token between a candidate and the next one.

    Tokens beyond a clean-up token belong to a candidate that was covered.
    """
    x = 0
    y = 0
    agent = candidate
    while True:
        lanes = world.memory[agent].candidacy
        x += lanes.x.activation != 0
        y += lanes.y.activation != 0
        agent = int(world.wiring[agent].succ)
        if world.memory[agent].candidacy.role == CANDIDATE or world.memory[agent].clean_forth:
            return x == 1 and y == 1
