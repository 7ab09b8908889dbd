"""Find out which steps lead to new states, and number these in the order of the steps.

The order does not depend on the number of threads. So numbers, and with them the first state that
is wrong, are those of an exploration step by step.
"""

from __future__ import annotations

import numpy as np

from amoebot.jit import borrowed, compiled, inlined, prefetch, takes_long
from amoebot.verify.arrays import Batch, Model
from amoebot.verify.space import Space, load, read
from amoebot.verify.table import first_slot, next_slot, number_at, part_of

from ..algorithms.interface import ON_NODES
from ..engine.calls import call_violated
from .explore import BY_STATE, MOMENTS, note
from .properties import EMPTY_NODES, ONE_LEADER, flags_of, leaders_of

#: How many steps ahead entries and rows are brought into the cache.
AHEAD = 12

#: The slot of a step to a state that an earlier step of the batch has found.
NOWHERE = -1

_HALF = np.uint64(32)


@compiled
def look_up(space: Space, batch: Batch, part: int, threads: int) -> None:
    """Find the states that the steps of some threads lead to, those in one part of the table.

    A new state gets the number of its first step, counted from the number of states on.
    """
    space, batch = borrowed(space), borrowed(batch)
    parts = len(batch.first)
    for thread in range(threads):
        first = batch.first[thread]
        last = first + batch.tried[thread]
        for step in range(first, last):
            hint(space, batch, parts, part, step, last)
            if part_of(batch.marks[step], parts) == part:
                look_up_one(space, batch, parts, step)


@inlined
def hint(space: Space, batch: Batch, parts: int, part: int, step: int, last: int) -> None:
    """Bring into the cache what is needed for steps to come: first the entry, then the row."""
    if step + 2 * AHEAD < last and part_of(batch.marks[step + 2 * AHEAD], parts) == part:
        prefetch(space.table, first_slot(len(space.table), parts, batch.marks[step + 2 * AHEAD]))
    if step + AHEAD < last and part_of(batch.marks[step + AHEAD], parts) == part:
        entry = space.table[first_slot(len(space.table), parts, batch.marks[step + AHEAD])]
        number = number_at(entry)
        if number >= 0 and number < space.progress[0].states:
            prefetch(space.states, number)


@inlined
def look_up_one(space: Space, batch: Batch, parts: int, step: int) -> None:
    """Find the state that a step leads to, or enter it into the table."""
    table, states, known = space.table, space.states, space.progress[0].states
    mark = batch.marks[step]
    slot = first_slot(len(table), parts, mark)
    searching = True
    while searching and table[slot]:
        number = number_at(table[slot])
        same = table[slot] >> _HALF == mark
        for i in range(states.shape[1] if same else 0):
            if number < known:
                same &= states[number, i] == batch.rows[step, i]
            else:
                same &= batch.rows[number - known, i] == batch.rows[step, i]
        if same:
            batch.found[step] = number
            searching = False
        else:
            slot = next_slot(len(table), parts, slot)
    if searching:
        table[slot] = mark << _HALF | np.uint64(known + step + 1)
        batch.found[step] = known + step
    batch.slots[step] = slot


@compiled
def number_states(space: Space, batch: Batch, threads: int) -> None:
    """Number the new states in the order of their first steps, and enter the rest of them."""
    space, batch = borrowed(space), borrowed(batch)
    progress = space.progress[0]
    known = progress.states
    for thread in range(threads):
        first = batch.first[thread]
        batch.edges[thread] = progress.edges
        for step in range(first, first + batch.tried[thread]):
            if batch.found[step] == known + step:
                number = progress.states
                entry = space.table[batch.slots[step]]
                space.table[batch.slots[step]] = entry >> _HALF << _HALF | np.uint64(number + 1)
                batch.slots[step] = number
                batch.found[step] = number
                for i in range(space.states.shape[1]):
                    space.states[number, i] = batch.rows[step, i]
                progress.states += 1
            elif batch.found[step] >= known:
                batch.found[step] = batch.slots[batch.found[step] - known]
                batch.slots[step] = NOWHERE
        if batch.done[thread]:
            progress.edges += batch.tried[thread]
        progress.expanded += batch.done[thread]


@compiled
@takes_long("the explorer", 45)
def enter(model: Model, space: Space, batch: Batch, thread: int, known: int) -> None:
    """Check the new states that a thread has found, and keep the edges of its steps."""
    model, space, batch = borrowed(model), borrowed(space), borrowed(batch)
    latest = known - 1
    edge = batch.edges[thread]
    first = batch.first[thread]
    last = first + batch.tried[thread]
    for step in range(first, last):
        number = batch.found[step]
        parent = batch.parents[step]
        if parent >= 0:
            space.edges[edge] = number
            space.labels[edge] = batch.labels[step]
            edge += 1
            space.edge_start[parent + 1] = edge
        # The first step to a new state is the one with the next number.
        if number > latest and batch.slots[step] == number:
            latest = number
            enter_one(model, space, batch, thread, step)


@compiled
def enter_one(model: Model, space: Space, batch: Batch, thread: int, step: int) -> None:
    """Check a new state, and note where it comes from and what it is."""
    model, space = borrowed(model), borrowed(space)
    world, number, parent = model.world, batch.found[step], batch.parents[step]
    load(space.states, space.places, space.memories, model.words, world.particles, number)
    leaders = leaders_of(world)
    space.parent[number] = parent
    space.depth[number] = 0 if parent < 0 else space.depth[parent] + 1
    space.leaders[number] = leaders
    space.flags[number] = flags_of(
        model.addresses, world, leaders, 0 if parent < 0 else space.flags[parent]
    )
    problem = call_violated(model.addresses, world)
    if leaders & (leaders - 1):
        problem = ONE_LEADER
    if ON_NODES and read(space.states, space.places, number, len(world.wiring)) != 0:
        problem = EMPTY_NODES
    if problem:
        note(batch, thread, problem, MOMENTS * step + BY_STATE, step, -1)
