"""The records of a run: a unit's memory, a particle's, the observer's, the cursor, the options."""

from __future__ import annotations

import numpy as np

from amoebot.algorithms.interface import World
from amoebot.algorithms.records import in_words, layout
from amoebot.algorithms.termination import Particle
from amoebot.engine.state import Cursor
from amoebot.jit import record

from ..algorithms.interface import BY_ADDRESS, MORE_MEMORY, OPTIONS, Memory, Watch

MEMORY = in_words(layout(Memory, **MORE_MEMORY))
PARTICLE, WATCH, CURSOR = layout(Particle), layout(Watch), layout(Cursor)
SETTINGS = record(
    np.dtype([(name, np.int64) for name in (*(o.name for o in OPTIONS), "terminate")])
)

#: A unit's memory for whoever calls rules by address: fields that rules add are mere bytes, so that
#: this is the same type for all rules that add as much.
STORED = MEMORY
if BY_ADDRESS and MORE_MEMORY:
    STORED = layout(Memory, more=np.dtype((np.uint8, MEMORY.itemsize - layout(Memory).itemsize)))


def as_rules_see(world: World) -> World:
    """Return the world with all fields of everyone's memory."""
    return world._replace(memory=world.memory.view(MEMORY))
