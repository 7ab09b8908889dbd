"""The table of addresses by which loops call an election's functions (see ``calls``)."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.algorithms.interface import World
from amoebot.by_address import (
    NOTHING,
    NUMBER,
    TRUTH,
    TWO_NUMBERS,
    new_table,
    put,
    record_type,
    type_of,
)
from amoebot.jit import CompilerError, compiled

from ..algorithms.interface import (
    BY_ADDRESS,
    awaited,
    observe,
    sides_of_coins,
    state_flags,
    violated,
    violated_by_step,
)
from ..algorithms.termination import declare_particle, must_terminate, pass_message, terminate
from . import calls
from .calls import activate_unit
from .layouts import MEMORY, PARTICLE, SETTINGS, STORED, WATCH

#: Those of this link that have been compiled so far, by the type of the world.
_tables: dict[Any, NDArray[np.int64]] = {}

_NO_TABLE = new_table(0)

_filling = Lock()


def addresses(world: World, wanted: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the table, in which all rows that are wanted are filled, for worlds like this one."""
    if not BY_ADDRESS:
        return _NO_TABLE
    with _filling:
        table = _tables.setdefault(type_of(world), new_table(calls.ROWS))
        for row in wanted:
            if not table[row].any():
                _fill(table, row, world)
    return table


def _fill(table: NDArray[np.int64], row: int, world: World) -> None:
    """Compile the function of a row, without the fields that rules add if it needs none of them."""
    function, result, *arguments = _CALLED[row]
    layouts = [STORED] if row not in (calls.ACTIVATE, calls.COUNT_SIDES) else []
    layouts += [] if MEMORY in layouts else [MEMORY]
    for layout in layouts:
        try:
            put(table, row, function, result, _types(arguments, world, layout))
            return
        except (CompilerError, KeyError):  # there is no such field
            if layout is MEMORY:
                raise


def _types(arguments: list[str], world: World, layout: Any) -> tuple[Any, ...]:
    """Return the types of the arguments that ``_CALLED`` names."""
    world = world._replace(memory=world.memory.view(layout))
    known = {
        "world": world,
        "memory": world.memory,
        "numbers": np.zeros(0, np.int64),
        "number": 0,
    }
    records = {
        "me": layout,
        "wires": world.wiring.dtype,
        "options": SETTINGS,
        "particle": PARTICLE,
        "watch": WATCH,
    }
    return tuple(
        record_type(records[name]) if name in records else type_of(known[name])
        for name in arguments
    )


# Each function that is called, with a result of one type whatever the rules return.


@compiled
def _activate(memory: Any, wires: Any, me: Any, first: int, second: int, options: Any) -> Any:
    return np.int64(activate_unit(memory, wires, me, first, second, options))


@compiled
def _count_sides(me: Any, options: Any) -> Any:
    first, second = sides_of_coins(me, options)
    return np.int64(first), np.int64(second)


@compiled
def _declare(me: Any) -> None:
    declare_particle(me)


@compiled
def _must_terminate(me: Any) -> bool:
    return bool(must_terminate(me))


@compiled
def _pass_message(neighbour: Any) -> None:
    pass_message(neighbour)


@compiled
def _terminate(me: Any) -> None:
    terminate(me)


@compiled
def _observe(
    watch: Any, withdrawals: Any, memory: Any, unit: int, events: int, now: int, options: Any
) -> None:
    observe(watch, withdrawals, memory, unit, events, now, options)


@compiled
def _awaited(world: World) -> Any:
    first, last = awaited(world)
    return np.int64(first), np.int64(last)


@compiled
def _state_flags(world: World, before: int) -> Any:
    return np.int64(state_flags(world, before))


@compiled
def _violated(world: World) -> Any:
    return np.int64(violated(world))


@compiled
def _violated_by_step(before: Any, world: World, particle: int) -> Any:
    return np.int64(violated_by_step(before, world, particle))


#: What is in each row: the function, its result, and its arguments.
_CALLED: dict[int, tuple[Any, ...]] = {
    calls.ACTIVATE: (
        *(_activate, NUMBER),
        *("memory", "wires", "me", "number", "number", "options"),
    ),
    calls.COUNT_SIDES: (_count_sides, TWO_NUMBERS, "me", "options"),
    calls.DECLARE: (_declare, NOTHING, "particle"),
    calls.MUST_TERMINATE: (_must_terminate, TRUTH, "particle"),
    calls.PASS_MESSAGE: (_pass_message, NOTHING, "particle"),
    calls.TERMINATE: (_terminate, NOTHING, "particle"),
    calls.OBSERVE: (
        *(_observe, NOTHING),
        *("watch", "numbers", "memory", "number", "number", "number", "options"),
    ),
    calls.AWAITED: (_awaited, TWO_NUMBERS, "world"),
    calls.FLAGS: (_state_flags, NUMBER, "world", "number"),
    calls.VIOLATED: (_violated, NUMBER, "world"),
    calls.VIOLATED_BY_STEP: (_violated_by_step, NUMBER, "memory", "world", "number"),
}
