"""The records of a run: a unit's memory, a particle's, the observer's, the cursor, the options."""

from __future__ import annotations

from typing import Any

import numpy as np

from amoebot.algorithms.interface import World
from amoebot.algorithms.records import ROOM, end_of, in_words, layout
from amoebot.algorithms.termination import Particle
from amoebot.engine.state import Cursor
from amoebot.jit import record

from ..algorithms.interface import BY_ADDRESS, CHANGED, MORE_MEMORY, OPTIONS, Memory, Watch

_OWN = layout(Memory)
MEMORY = in_words(
    layout(Memory, **MORE_MEMORY), _OWN.itemsize + ROOM if CHANGED or BY_ADDRESS else 0
)
PARTICLE, WATCH, CURSOR = layout(Particle), layout(Watch), layout(Cursor)
SETTINGS = record(
    np.dtype([(name, np.int64) for name in (*(o.name for o in OPTIONS), "terminate")])
)


def _without_names(memory: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a memory with nothing but bytes behind the election's own fields."""
    places: Any = memory.fields
    names, end = [*(_OWN.names or ())], end_of(_OWN)
    told: Any = {
        "names": [*names, "__more"],  # no field can be called so
        "formats": [*(places[name][0] for name in names), (np.uint8, memory.itemsize - end)],
        "offsets": [*(places[name][1] for name in names), end],
        "itemsize": memory.itemsize,
    }
    return record(np.dtype(told))


#: A unit's memory as loops see it that call rules by address: what rules have added are mere bytes.
STORED = _without_names(MEMORY) if BY_ADDRESS else MEMORY


def with_all_fields(world: World) -> World:
    """Return the world with all fields of everyone's memory."""
    return world._replace(memory=world.memory.view(MEMORY))
