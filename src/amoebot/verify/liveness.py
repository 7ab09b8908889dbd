"""What can be reached from where, decided on the finished graph of all states.

The question is always "from every state of this kind, can a state of that kind be reached?". Going
backwards from the goals along all edges answers it for all states at once, cycles included. Why
this is the right question: there are finitely many states, and if from each of them a goal can be
reached, then under fair random activation, where every finite sequence of activations and coins
has a probability bounded away from zero, a goal is reached with probability one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from amoebot.jit import compiled

from ..algorithms.interface import DECIDED, MAY_ELECT
from .properties import ALL_TERMINATED, HAS_LEADER
from .space import Space


def backward_reach(space: Space, goal: int) -> NDArray[np.bool_]:
    """Return for each state whether one with this flag can be reached from it."""
    states = int(space.progress["states"][0])
    start, sources = reverse_edges(space.edge_start[: states + 1], space.edges, states)
    reached = (space.flags[:states] & goal) != 0
    spread(start, sources, reached)
    return reached


@compiled
def reverse_edges(
    edge_start: NDArray[np.int64], edges: NDArray[np.int32], states: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the edges sorted by where they lead: the states that they come from."""
    start = np.zeros(states + 1, dtype=np.int64)
    for edge in range(edge_start[states]):
        start[edges[edge] + 1] += 1
    for state in range(states):
        start[state + 1] += start[state]
    place = start[:states].copy()
    sources = np.empty(edge_start[states], dtype=np.int32)
    for state in range(states):
        for edge in range(edge_start[state], edge_start[state + 1]):
            sources[place[edges[edge]]] = state
            place[edges[edge]] += 1
    return start, sources


@compiled
def spread(start: NDArray[np.int64], edges: NDArray[np.int32], reached: NDArray[np.bool_]) -> None:
    """Mark all states to which edges lead from a marked one.

    From many states at once that is four times as fast as with SciPy.
    """
    stack = np.flatnonzero(reached)
    waiting = np.empty(len(reached), dtype=np.int64)
    count = len(stack)
    waiting[:count] = stack
    while count > 0:
        count -= 1
        state = waiting[count]
        for i in range(start[state], start[state + 1]):
            if not reached[edges[i]]:
                reached[edges[i]] = True
                waiting[count] = edges[i]
                count += 1


def first(wrong: NDArray[np.bool_]) -> int | None:
    """Return the first state, and so one nearest to the start, that is wrong."""
    return int(np.argmax(wrong)) if wrong.any() else None


def ending(space: Space, wrong: NDArray[np.bool_]) -> int | None:
    """Return where it ends, if a state is wrong that leads to wrong ones only.

    A state from which a goal is out of reach looks innocent. What comes of it does not: states that
    are never left again, and the goal is not among them.
    """
    state = first(wrong)
    return None if state is None else never_left(space, state)


def never_left(space: Space, state: int) -> int:
    """Return the first of some states that can be reached and lead to each other only."""
    states = int(space.progress["states"][0])
    start = space.edge_start[: states + 1]
    edges = space.edges[: start[-1]]
    graph = csr_array((np.ones(len(edges)), edges, start), shape=(states, states))
    count, component = connected_components(graph, connection="strong")
    is_left = np.zeros(count, dtype=np.bool_)
    sources = np.repeat(component, np.diff(start))
    is_left[sources[sources != component[edges]]] = True
    reached = np.zeros(states, dtype=np.bool_)
    reached[breadth_first_order(graph, state, return_predecessors=False)] = True
    return int(np.argmax(reached & ~is_left[component]))


def elects_if_it_may(space: Space) -> int | None:
    """Return a state that may elect a leader and cannot, or elects one though it may not.

    The paper claims it in Theorem 1, without the probability that all coins allow a leader, and in
    Theorem 3, where every state may.
    """
    flags = space.flags[: space.progress["states"][0]]
    wrong = backward_reach(space, HAS_LEADER) != ((flags & MAY_ELECT) != 0)
    elected, decided = (wrong & ((flags & flag) != 0) for flag in (HAS_LEADER, DECIDED))
    if decided.any() and not elected.any():
        return ending(space, decided)
    return first(elected if elected.any() else wrong)


def always_terminates(space: Space) -> int | None:
    """Return a state with a leader from which not everyone can terminate (Appendix A.2)."""
    flags = space.flags[: space.progress["states"][0]]
    return ending(space, ((flags & HAS_LEADER) != 0) & ~backward_reach(space, ALL_TERMINATED))


def stays_terminated(space: Space) -> int | None:
    """Return a state in which everyone has terminated and that still changes (Appendix A.2)."""
    states = int(space.progress["states"][0])
    changes = np.diff(space.edge_start[: states + 1]) > 0
    return first(((space.flags[:states] & ALL_TERMINATED) != 0) & changes)
