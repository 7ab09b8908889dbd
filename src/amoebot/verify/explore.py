"""Breadth-first exploration: every activation order and every coin, on the compiled rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled

from ..algorithms.interface import NO_COIN, ON_NODES, violated
from ..engine.activation import activate_particle
from .model import Model, choose_outcome, count_outcomes
from .properties import EMPTY_NODES, LEADER_STAYS, ONE_LEADER, flags_of, leaders_of
from .space import Space, find, load, number_memory, write_row


@compiled
def explore(model: Model, space: Space, most: int) -> int:
    """Expand up to N states, in the order in which they were found.

    Return 0, or the room that the next state needs and the space lacks.
    """
    progress = space.progress[0]
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    if progress.states == 0:
        # The first memory is the empty one, so the first row is all zero.
        number_memory(space.memories, space.memory_table, progress, model.words, 0)
        enter(model, space, row, -1)
    last = min(progress.expanded + most, progress.states)
    while progress.expanded < last and progress.violation == 0:
        branches = look_ahead(model, space, progress.expanded)
        if lacks_room(space, branches):
            return branches
        expand(model, space, row)
    return 0


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
    memory, wiring, first_unit = world.memory, world.wiring, world.first_unit
    particles, options = world.particles, world.options[0]
    load(space.states, space.memories, model.words, particles, state)
    branches = 0
    for particle in range(len(first_unit)):
        model.outcomes[particle] = count_outcomes(
            particle, memory, wiring, first_unit, particles, options, model.sides[particle]
        )
        branches += model.outcomes[particle]
    return branches


@compiled
def expand(model: Model, space: Space, row: NDArray[np.uint32]) -> None:
    """Find the states that the next state leads to, and keep the edges."""
    progress, leaders = space.progress[0], space.leaders
    state = progress.expanded
    tried = try_activations(model, space, row, state)
    for number in range(tried):
        following = space.followers[number]
        if following != state:
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
def try_activations(model: Model, space: Space, row: NDArray[np.uint32], state: int) -> int:
    """Try every activation of a state with every outcome of its coins, after ``look_ahead``.

    ``space.followers`` gets the states that they lead to, particle by particle; new ones are
    entered. Return how many there are.

    This is the inner loop. The arrays are taken out of the model and the space beforehand, because
    every array that is handed to a function has its references counted.
    """
    world, progress = model.world, space.progress[0]
    memory, wiring, first_unit = world.memory, world.wiring, world.first_unit
    particles, nodes, neighbours = world.particles, world.nodes, world.neighbours
    options, words, coins, events = world.options[0], model.words, model.coins, model.events
    states, memories, memory_table = space.states, space.memories, space.memory_table
    state_table, followers = space.state_table, space.followers
    message_is_out = len(particles) > 0
    tried = 0
    for particle in range(len(first_unit)):
        for outcome in range(model.outcomes[particle]):
            load(states, memories, words, particles, state)
            if model.outcomes[particle] > 1:
                choose_outcome(coins, model.sides[particle], outcome)
            activate_particle(
                particle,
                memory,
                wiring,
                first_unit,
                particles,
                nodes,
                neighbours,
                options,
                message_is_out,
                coins,
                events,
            )
            write_row(states, memories, memory_table, progress, words, particles, state, row)
            following = int(state_table[find(state_table, states, row, 0)])
            if following < 0:
                following = enter(model, space, row, state)
            followers[tried] = following
            tried += 1
        coins[:] = NO_COIN
    return tried


@compiled
def enter(model: Model, space: Space, row: NDArray[np.uint32], parent: int) -> int:
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
    return number
