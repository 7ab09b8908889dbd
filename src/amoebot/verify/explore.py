"""Breadth-first exploration: every activation order and every coin, on the compiled rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import INTERPRETED, borrowed, compiled
from amoebot.linking import watchdog
from amoebot.verify.report import NotExploredError

from ..algorithms.interface import ON_NODES, violated, violated_by_step
from ..engine.activation import activate_particle
from .model import Model, choose_outcome, count_outcomes, link_units
from .properties import EMPTY_NODES, LEADER_STAYS, ONE_LEADER, flags_of, leaders_of
from .space import SAME_ACTIVATION, Space, find, load, number_memory, write_row

#: States expanded between two looks at the clock and the keyboard.
BATCH = 20 if INTERPRETED else 2_000

#: More outcomes than one state's coins may have.
MOST_BRANCHES = 1 << 24


def explore_batch(model: Model, space: Space, most: int = BATCH) -> int:
    """Expand some states, at most a batch of them; return the room that the next one lacks."""
    with watchdog.calling_rules():
        branches = explore(model, space, min(most, BATCH))
    if branches > MOST_BRANCHES:
        raise NotExploredError(
            f"the coins of one state have {branches:,} outcomes: too many to try"
        )
    return branches


@compiled
def explore(model: Model, space: Space, most: int) -> int:
    """Expand up to N states, in the order in which they were found.

    Return 0, or the room that the next state needs and the space lacks.
    """
    progress = space.progress[0]
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    if progress.states == 0:
        enter_first(model, space, row)
    last = min(progress.expanded + most, progress.states)
    while progress.expanded < last and progress.violation == 0:
        branches = look_ahead(model, space, progress.expanded)
        if lacks_room(space, branches):
            return branches
        expand(model, space, row)
    return 0


@compiled
def enter_first(model: Model, space: Space, row: NDArray[np.uint32]) -> None:
    """Enter the state that the world is in; the empty memory is number 0 in any case."""
    states, memories, table = space.states, space.memories, space.memory_table
    progress, words = space.progress[0], model.words
    number_memory(memories, table, progress, np.zeros_like(words), 0)
    for unit in range(len(words)):
        states[0, unit] = number_memory(memories, table, progress, words, unit)
    write_row(states, memories, table, progress, words, model.world.particles, 0, row)
    enter(model, space, row, np.int64(-1))


@compiled
def lacks_room(space: Space, branches: int) -> bool:
    """Whether there may be more new states, memories or edges than fit."""
    progress = space.progress[0]
    changed = branches * (space.states.shape[1] - 1)
    return (
        progress.states + branches > len(space.states)
        or progress.memories + changed > len(space.memories)
        or progress.edges + branches > len(space.edges)
        or branches > len(space.followers)
    )


@compiled
def look_ahead(model: Model, space: Space, state: int) -> int:
    """Put the world into a state; return how many activations there are to try."""
    world = model.world
    memory, wiring = borrowed(world.memory), borrowed(world.wiring)
    particles, options = borrowed(world.particles), world.options[0]
    load(space.states, space.memories, model.words, particles, state)
    model.before[:] = world.memory
    branches = 0
    for particle in range(len(model.outcomes)):
        unit = link_units(borrowed(model.orders)[particle], 0, wiring)
        model.outcomes[particle] = count_outcomes(
            particle, unit, memory, wiring, particles, options, borrowed(model.sides)[particle]
        )
        branches += model.outcomes[particle] * model.order_counts[particle]
    return branches


@compiled
def expand(model: Model, space: Space, row: NDArray[np.uint32]) -> None:
    """Find the states that the next state leads to, and keep the edges."""
    progress, leaders = space.progress[0], space.leaders
    state = progress.expanded
    tried = try_activations(model, space, row, state)
    write_labels(model, space.labels, progress.edges)
    for number in range(tried):
        following = space.followers[number]
        space.edges[progress.edges] = following
        progress.edges += 1
        if leaders[state] & ~leaders[following] and progress.violation == 0:
            progress.violation = LEADER_STAYS
            progress.culprit = following
            progress.offender = state
    progress.transitions += tried
    progress.expanded += 1
    space.edge_start[progress.expanded] = progress.edges


@compiled
def write_labels(model: Model, labels: NDArray[np.uint8], edge: int) -> None:
    """Label the edges of the latest state, from this one on."""
    for particle in range(len(model.outcomes)):
        for _ in range(model.order_counts[particle]):
            for outcome in range(model.outcomes[particle]):
                labels[edge] = particle | (SAME_ACTIVATION if outcome > 0 else 0)
                edge += 1


@compiled
def try_activations(model: Model, space: Space, row: NDArray[np.uint32], state: int) -> int:
    """Try every activation of a state with every outcome of its coins, after ``look_ahead``.

    ``space.followers`` gets the states that they lead to, particle by particle, order by order; new
    ones are entered. Return how many there are.

    This is the inner loop: what it hands on is borrowed, so that no references are counted.
    """
    world, progress = model.world, space.progress[0]
    memory, wiring, orders = borrowed(world.memory), borrowed(world.wiring), borrowed(model.orders)
    particles, nodes = borrowed(world.particles), borrowed(world.nodes)
    neighbours, words = borrowed(world.neighbours), borrowed(model.words)
    coins, events, sides = borrowed(model.coins), borrowed(model.events), borrowed(model.sides)
    states, memories = borrowed(space.states), borrowed(space.memories)
    memory_table, state_table = borrowed(space.memory_table), borrowed(space.state_table)
    options, outcomes, followers = world.options[0], model.outcomes, space.followers
    message_is_out = len(particles) > 0
    tried = 0
    for particle in range(len(outcomes)):
        flipped = outcomes[particle] > 1
        for choice in range(outcomes[particle] * model.order_counts[particle]):
            order, outcome = divmod(choice, outcomes[particle])
            load(states, memories, words, particles, state)
            unit = link_units(orders[particle], order, wiring)
            if flipped:
                count_outcomes(particle, unit, memory, wiring, particles, options, sides[particle])
                choose_outcome(coins, sides[particle], outcome)
            activate_particle(
                particle,
                unit,
                memory,
                wiring,
                particles,
                nodes,
                neighbours,
                options,
                message_is_out,
                flipped,
                coins,
                events,
            )
            write_row(states, memories, memory_table, progress, words, particles, state, row)
            following = int(state_table[find(state_table, states, row, 0)])
            if following < 0:
                following = enter(model, space, row, state)
            if following != state and progress.violation == 0:
                progress.violation = violated_by_step(model.before, world, particle)
                progress.culprit = following
                progress.offender = state
            followers[tried] = following
            tried += 1
    return tried


@compiled
def enter(model: Model, space: Space, row: NDArray[np.uint32], parent: int | np.int64) -> int:
    """Number a new state, and check it."""
    progress, world = space.progress[0], model.world
    number = progress.states
    leaders = leaders_of(world)
    space.state_table[find(space.state_table, space.states, row, 0)] = number
    for i in range(row.shape[1]):
        space.states[number, i] = row[0, i]
    space.parent[number] = parent
    space.depth[number] = 0 if parent < 0 else space.depth[parent] + 1
    space.leaders[number] = leaders
    space.flags[number] = flags_of(world, leaders, 0 if parent < 0 else space.flags[parent])
    progress.states += 1
    if progress.violation == 0:
        problem = violated(world)
        if leaders & (leaders - 1):
            problem = ONE_LEADER
        if ON_NODES and row[0, len(world.wiring)] != 0:
            problem = EMPTY_NODES
        progress.violation = problem
        progress.culprit = number
        progress.offender = -1
    return number
