"""Try every activation order and every coin in a state, on the compiled rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import acquire, borrowed, compiled, inlined, takes_long, write_shared
from amoebot.verify.arrays import Batch, Model
from amoebot.verify.space import SAME_ACTIVATION, Space, bits_of, load, number_memory, put, read
from amoebot.verify.table import UNMARKED, mark_of

from ..algorithms.interface import PROPERTIES
from ..engine.activation import activate_particle
from ..engine.calls import call_violated_by_step
from .model import choose_outcome, count_outcomes, link_units
from .properties import EMPTY_NODES, LEADER_STAYS, leaders_of

#: Properties are numbered from EMPTY_NODES to this one.
LAST_PROPERTY = max(PROPERTIES, default=0)

#: Of what a thread found against a property: when, or 0 for nothing, which step, and from where.
WHEN, STEP, OFFENDER = 0, 1, 2

#: When something is found about a step: with the state that it leads to, with the step itself,
#: or after all steps from the same state.
MOMENTS, BY_STATE, BY_STEP, AFTER_ALL = 3, 0, 1, 2


def new_batch(threads: int, room: int, size: int) -> Batch:
    """Return an empty batch: ``room`` steps for each thread, to rows of ``size`` words."""
    total = threads * room
    return Batch(
        rows=np.zeros((total, size), dtype=np.uint64),
        marks=np.zeros(total, dtype=np.uint64),
        parents=np.zeros(total, dtype=np.int32),
        labels=np.zeros(total, dtype=np.uint8),
        found=np.zeros(total, dtype=np.int32),
        slots=np.zeros(total, dtype=np.int64),
        first=np.arange(threads) * room,
        tried=np.zeros(threads, dtype=np.int64),
        done=np.zeros(threads, dtype=np.int64),
        needs=np.zeros(threads, dtype=np.int64),
        edges=np.zeros(threads, dtype=np.int64),
        problems=np.zeros((threads, LAST_PROPERTY - EMPTY_NODES + 1, 3), dtype=np.int64),
    )


@compiled
@takes_long("the explorer", 45)
def try_states(model: Model, space: Space, batch: Batch, thread: int, first: int, last: int) -> int:
    """Try all activations in some states, as long as there is room for what they lead to.

    Return 0, or how many activations the state has for which there is none.
    """
    model, space, batch = borrowed(model), borrowed(space), borrowed(batch)
    room = len(batch.marks) // len(batch.first)
    batch.problems[thread] = 0
    batch.tried[thread] = 0
    batch.done[thread] = 0
    for state in range(first, last):
        branches = look_ahead(model, space, state)
        if batch.tried[thread] + branches > room:
            return branches
        if not reserve(space, batch.needs, thread, branches * len(model.words)):
            return branches
        try_activations(model, space, batch, thread, state)
        batch.done[thread] += 1
    return 0


@inlined
def reserve(space: Space, needs: NDArray[np.int64], thread: int, memories: int) -> bool:
    """Whether there is room for new memories of a thread, with what others have reserved."""
    acquire(space.lock)
    needs[thread] = memories
    together = space.progress[0].memories
    for need in needs:
        together += need
    write_shared(space.lock, 0, 0)
    return together <= len(space.memories)


@compiled
def look_ahead(model: Model, space: Space, state: int) -> int:
    """Put the world into a state; return how many activations there are to try."""
    model, space = borrowed(model), borrowed(space)
    world = model.world
    load(space.states, space.places, space.memories, model.words, world.particles, state)
    model.past[:] = model.words
    branches = 0
    for particle in range(len(model.outcomes)):
        unit = link_units(model.orders[particle], 0, world.wiring)
        model.outcomes[particle] = count_outcomes(
            model.addresses,
            particle,
            unit,
            world.memory,
            world.wiring,
            world.particles,
            world.options[0],
            model.sides[particle],
        )
        branches += model.outcomes[particle] * model.order_counts[particle]
    return branches


@compiled
def try_activations(model: Model, space: Space, batch: Batch, thread: int, state: int) -> None:
    """Try every activation of a state with every outcome of its coins, after ``look_ahead``."""
    model, space, batch = borrowed(model), borrowed(space), borrowed(batch)
    world, outcomes = model.world, model.outcomes
    leaders = space.leaders[state]
    revoked = -1
    step = batch.first[thread] + batch.tried[thread]
    for particle in range(len(outcomes)):
        begin = step
        for choice in range(outcomes[particle] * model.order_counts[particle]):
            order, outcome = divmod(choice, outcomes[particle])
            activate(model, particle, order, outcome)
            batch.parents[step] = state
            batch.labels[step] = particle | (SAME_ACTIVATION if outcome > 0 else 0)
            if write_row(model, space, batch, particle, state, step):
                if is_another(batch, begin + outcome, step, outcomes[particle]):
                    problem = call_violated_by_step(model.addresses, model.before, world, particle)
                    if problem:
                        note(batch, thread, problem, MOMENTS * step + BY_STEP, step, state)
                    if revoked < 0 and leaders and leaders & ~leaders_of(world):
                        revoked = step
                undo(model, space, particle, state)
            step += 1
    if revoked >= 0:
        when = MOMENTS * (step - 1) + AFTER_ALL
        note(batch, thread, LEADER_STAYS, when, revoked, state)
    batch.tried[thread] = step - batch.first[thread]


@inlined
def activate(model: Model, particle: int, order: int, outcome: int) -> None:
    """Activate a particle, with one of its orders and one of the outcomes of its coins."""
    world, options = model.world, model.world.options[0]
    unit = link_units(model.orders[particle], order, world.wiring)
    flipped = model.outcomes[particle] > 1
    if flipped:
        sides = model.sides[particle]
        count_outcomes(
            model.addresses,
            particle,
            unit,
            world.memory,
            world.wiring,
            world.particles,
            options,
            sides,
        )
        choose_outcome(model.coins, sides, outcome)
    activate_particle(
        model.addresses,
        particle,
        unit,
        world.memory,
        world.wiring,
        world.particles,
        world.nodes,
        world.neighbours,
        options,
        len(world.particles) > 0,
        flipped,
        model.coins,
        model.events,
    )


@inlined
def write_row(
    model: Model, space: Space, batch: Batch, particle: int, state: int, step: int
) -> bool:
    """Write the row of the state that a step has led to; return whether it is another one."""
    words, past, particles = model.words, model.past, model.world.particles
    for i in range(space.states.shape[1]):
        batch.rows[step, i] = space.states[state, i]
    changed = False
    for place in range(model.touched.shape[1] - 1):
        unit = model.touched[particle, place]
        same = True
        for i in range(words.shape[1] if unit >= 0 else 0):
            same &= words[unit, i] == past[unit, i]
        if not same:
            now = number_memory(
                space.memories, space.memory_table, space.lock, space.progress[0], words, unit
            )
            change = read(space.states, space.places, state, unit) ^ now
            put(batch.rows, space.places, step, unit, change)
            changed = True
    if len(particles) > 0:
        change = read(space.states, space.places, state, len(words)) ^ bits_of(particles)
        put(batch.rows, space.places, step, len(words), change)
        changed |= change != 0
    batch.found[step] = state
    batch.marks[step] = mark_of(batch.rows, step) if changed else UNMARKED
    return changed


@inlined
def is_another(batch: Batch, begin: int, step: int, outcomes: int) -> bool:
    """Whether the same outcome in another order, from the first one on, led to another state."""
    for other in range(begin, step, outcomes):
        same = True
        for i in range(batch.rows.shape[1]):
            same &= batch.rows[other, i] == batch.rows[step, i]
        if same:
            return False
    return True


@inlined
def undo(model: Model, space: Space, particle: int, state: int) -> None:
    """Put the world back into the state before an activation."""
    words, particles = model.words, model.world.particles
    for place in range(model.touched.shape[1] - 1):
        unit = model.touched[particle, place]
        for i in range(words.shape[1] if unit >= 0 else 0):
            words[unit, i] = model.past[unit, i]
    if len(particles) > 0:
        bits = read(space.states, space.places, state, len(words))
        for one in range(len(particles)):
            particles[one].message = bits & 1
            particles[one].terminated = (bits >> 1) & 1
            bits >>= 2


@compiled
def note(batch: Batch, thread: int, problem: int, when: int, step: int, offender: int) -> None:
    """Note what a step shows against a property, unless an earlier one does."""
    noted = batch.problems[thread, problem - EMPTY_NODES]
    if noted[WHEN] == 0:
        noted[WHEN] = when + 1
        noted[STEP] = step
        noted[OFFENDER] = offender
