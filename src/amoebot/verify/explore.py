"""Breadth-first exploration: every activation order and every coin, on the compiled rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled, source

from ..election.identifier_comparison import held_tokens
from ..election.memory import AGENT, PARTICLE
from .model import MOST_COINS, Model, Moment, activate, next_choices
from .properties import HAS_LEADER, LEADER_STAYS, violated, what_is
from .space import Space, find, load, number_memory, write_row


def new_moment(model: Model) -> Moment:
    """Return a moment at which nobody has been activated yet."""
    agents = np.zeros(len(model.wiring), dtype=AGENT)
    return Moment(
        agents=agents,
        words=agents.view(np.uint64).reshape(len(agents), -1),
        particles=np.zeros(len(model.first_agent), dtype=PARTICLE),
        choices=np.zeros(MOST_COINS, dtype=np.int64),
        sides=np.zeros(MOST_COINS, dtype=np.int64),
        flips=np.zeros((MOST_COINS, 2), dtype=np.int64),
        tokens=np.zeros(len(source(held_tokens)(agents[0])) * len(agents), dtype=np.int64),
    )


@compiled
def explore(model: Model, space: Space, moment: Moment, most: int) -> None:
    """Expand up to so many states, in the order in which they were found."""
    progress = space.progress[0]
    row = np.zeros((1, space.states.shape[1]), dtype=np.uint32)
    if progress.states == 0:
        # The first memory is the empty one, so the first row is all zero.
        number_memory(space.memories, space.memory_table, progress, moment.words, 0)
        enter(model, space, moment, row, -1)
    last = min(progress.expanded + most, progress.states)
    while progress.expanded < last and progress.violation == 0:
        expand(model, space, moment, row)


@compiled
def expand(model: Model, space: Space, moment: Moment, row: NDArray[np.uint32]) -> None:
    """Try every activation of the next state with every outcome of its coins."""
    progress = space.progress[0]
    states, memories, memory_table = space.states, space.memories, space.memory_table
    state_table, edges, flags = space.state_table, space.edges, space.flags
    words, particles = moment.words, moment.particles
    state = progress.expanded
    for particle in range(len(model.first_agent)):
        moment.choices[:] = 0
        more = True
        while more:
            load(states, memories, words, particles, state)
            used = activate(model, moment, particle)
            write_row(states, memories, memory_table, progress, words, particles, state, row)
            following = int(state_table[find(state_table, states, row, 0)])
            if following < 0:
                following = enter(model, space, moment, row, state)
            if following != state:
                edges[progress.edges] = following
                progress.edges += 1
                if (flags[state] & HAS_LEADER) > (flags[following] & HAS_LEADER):
                    progress.violation = LEADER_STAYS
                    progress.culprit = following
                    progress.offender = state
            progress.transitions += 1
            more = used > 0 and next_choices(moment, used)
    progress.expanded += 1
    space.edge_start[progress.expanded] = progress.edges


@compiled
def enter(model: Model, space: Space, moment: Moment, row: NDArray[np.uint32], parent: int) -> int:
    """Number a new state, and check it."""
    progress = space.progress[0]
    number = progress.states
    space.state_table[find(space.state_table, space.states, row, 0)] = number
    for i in range(row.shape[1]):
        space.states[number, i] = row[0, i]
    space.parent[number] = parent
    space.depth[number] = 0 if parent < 0 else space.depth[parent] + 1
    space.flags[number] = what_is(model, moment, 0 if parent < 0 else space.flags[parent])
    progress.states += 1
    problem = violated(model, moment)
    if problem and progress.violation == 0:
        progress.violation = problem
        progress.culprit = number
    return number
