"""What happens eventually, decided on the finished graph of all states.

The scheduler is an adversary that has to be fair: it activates everyone again and again. It cannot
choose coins. Whether it can keep the system for ever within some states, with a probability above
zero, is decided by end components (de Alfaro, "Formal verification of probabilistic systems",
1997): strongly connected states, each with some activations of which no outcome leads out of them.
Where a fair scheduler never leaves, it ends in such a component with probability one, and takes all
of its activations again and again. So it can stay if and only if there is an end component in which
everyone is activated. If some particles may crash, at any moment, it need not activate these.

Where only finitely many coins can be flipped, as in Section 2 of the paper, no component has a
coin in it, and this is the same as trying every outcome of every coin.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled
from amoebot.verify.space import SAME_ACTIVATION, Space

from ..algorithms.interface import MAY_ELECT
from .properties import ALL_TERMINATED, HAS_LEADER

#: The component of states that are in none.
NONE = -1

#: States are left out one by one as long as a pass leaves out at least one in N of them.
WORTH_WHILE = 256

#: A step: a state, whose activation it is (or anybody's), and the state that it leads to.
Step = tuple[int, int, int]
ANYBODY = -1


def first(wrong: NDArray[np.bool_]) -> int | None:
    """Return the first state, and so one nearest to the start, that is wrong."""
    return int(np.argmax(wrong)) if wrong.any() else None


def close(space: Space) -> None:
    """Leave states without edges whose activations have not been tried.

    What is found then is there all the same: of the others, all edges are known.
    """
    done = space.progress[0]
    space.edge_start[done.expanded + 1 : done.states + 1] = space.edge_start[done.expanded]


def elects_where_it_may_not(space: Space) -> int | None:
    """Return a state with a leader that the coins flipped do not allow."""
    flags = space.flags[: space.progress["states"][0]]
    return first(((flags & HAS_LEADER) != 0) & ((flags & MAY_ELECT) == 0))


def never_elects(space: Space, crashes: int) -> NDArray[np.bool_] | None:
    """Return states without a leader that may elect one, and that a fair scheduler never leaves."""
    flags = space.flags[: space.progress["states"][0]]
    return fair_component(space, (flags & (HAS_LEADER | MAY_ELECT)) == MAY_ELECT, crashes)


def never_terminates(space: Space, crashes: int) -> NDArray[np.bool_] | None:
    """Return states with a leader in which a fair scheduler never lets everyone terminate."""
    flags = space.flags[: space.progress["states"][0]]
    return fair_component(space, (flags & (HAS_LEADER | ALL_TERMINATED)) == HAS_LEADER, crashes)


def stays_terminated(space: Space) -> int | None:
    """Return a state in which everyone has terminated and that still changes (Appendix A.2)."""
    flags = space.flags[: space.progress["states"][0]]
    state = first_that_changes(space.edge_start, space.edges, flags)
    return None if state == NONE else state


@compiled
def first_that_changes(
    start: NDArray[np.int64], edges: NDArray[np.int32], flags: NDArray[np.uint8]
) -> int:
    """Return the first state in which everyone has terminated and that leads to another one."""
    for state in range(len(flags)):
        if flags[state] & ALL_TERMINATED:
            for edge in range(start[state], start[state + 1]):
                if edges[edge] != state:
                    return state
    return NONE


def fair_component(
    space: Space, within: NDArray[np.bool_], crashes: int
) -> NDArray[np.bool_] | None:
    """Return an end component in which all but N at most are activated, among some states."""
    states = len(within)
    start = space.edge_start[: states + 1]
    edges, labels = space.edges[: start[-1]], space.labels[: start[-1]]
    least = particles_of(space) - crashes
    leave(start, edges, labels, within, least)
    component = np.where(within, np.int32(0), np.int32(NONE))
    before = None
    while (component != NONE).any():
        kept, _ = stay(start, edges, labels, component, states)
        if before is not None and (kept == before).all():
            found = component[np.argmax(component != NONE)]
            return np.asarray(component == found)
        inside = component != NONE
        count, component = strong_components(start, edges, kept, inside)
        _, activated = stay(start, edges, labels, component, count)
        unfair = np.bitwise_count(activated) < least
        component[inside & unfair[component]] = NONE
        before = kept
    return None


def leave(
    start: NDArray[np.int64],
    edges: NDArray[np.int32],
    labels: NDArray[np.uint8],
    within: NDArray[np.bool_],
    least: int,
) -> None:
    """Leave out states that are in no end component, as long as there are many.

    Where hardly anything can be repeated this leaves nothing, without the memory that finding
    components takes.
    """
    left = int(np.count_nonzero(within))
    removed = left
    while left and removed * WORTH_WHILE >= left:
        removed = leave_once(start, edges, labels, within, least)
        left -= removed


@compiled
def leave_once(
    start: NDArray[np.int64],
    edges: NDArray[np.int32],
    labels: NDArray[np.uint8],
    within: NDArray[np.bool_],
    least: int,
) -> int:
    """Leave out states that cannot be in an end component, the last one first; return how many.

    From a state of a larger one an activation leads on within it. If a state is one by itself,
    enough particles are activated without any effect.
    """
    removed = 0
    for state in range(len(start) - 2, -1, -1):
        edge = start[state]
        goes_on = not within[state]
        idle = np.int64(0)
        while edge < start[state + 1] and not goes_on:
            particle = np.int64(labels[edge])
            inside, moves = True, False
            end = edge
            while end == edge or (end < start[state + 1] and labels[end] & SAME_ACTIVATION):
                inside &= within[edges[end]]
                moves |= edges[end] != state
                end += 1
            goes_on = inside and moves
            idle |= np.int64(0) if moves else np.int64(1) << particle
            edge = end
        if not goes_on and count_bits(idle) < least:
            within[state] = False
            removed += 1
    return removed


@compiled
def count_bits(number: np.int64) -> int:
    """Return how many bits of a number are set."""
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


@compiled
def strong_components(
    start: NDArray[np.int64],
    edges: NDArray[np.int32],
    kept: NDArray[np.bool_],
    within: NDArray[np.bool_],
) -> tuple[int, NDArray[np.int32]]:
    """Return the number of strongly connected components among some states, and that of each.

    This is Tarjan's algorithm. SciPy's does not end within minutes on the graph of a line of three.
    """
    states = len(start) - 1
    component = np.full(states, NONE, dtype=np.int32)
    number = np.zeros(states, dtype=np.int32)  # in the order of discovery, from 1
    lowest = np.zeros(states, dtype=np.int32)
    place = start[:states].copy()  # the next edge of a state to look at
    path = np.empty(states, dtype=np.int32)  # from the root to where we are
    waiting = np.empty(states, dtype=np.int32)  # found, and not yet in a component
    count, found, held = 0, 0, 0
    for root in range(states):
        if not within[root] or number[root]:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            state = path[depth]
            if number[state] == 0:
                found += 1
                number[state] = found
                lowest[state] = found
                waiting[held] = state
                held += 1
            following = NONE
            while place[state] < start[state + 1] and following == NONE:
                edge = place[state]
                place[state] += 1
                target = edges[edge]
                if kept[edge] and number[target] == 0:
                    following = target
                elif kept[edge] and component[target] == NONE:
                    lowest[state] = min(lowest[state], number[target])
            if following != NONE:
                depth += 1
                path[depth] = following
                continue
            if lowest[state] == number[state]:
                while component[state] == NONE:
                    held -= 1
                    component[waiting[held]] = count
                count += 1
            depth -= 1
            if depth >= 0:
                lowest[path[depth]] = min(lowest[path[depth]], lowest[state])
    return count, component


@compiled
def stay(
    start: NDArray[np.int64],
    edges: NDArray[np.int32],
    labels: NDArray[np.uint8],
    component: NDArray[np.int32],
    count: int,
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Find the activations of which no outcome leaves its component.

    Return which edges are theirs, and who is activated in each component, one bit each.
    """
    kept = np.zeros(len(edges), dtype=np.bool_)
    activated = np.zeros(count, dtype=np.int64)
    for state in range(len(start) - 1):
        own = component[state]
        edge = start[state]
        while own != NONE and edge < start[state + 1]:
            particle = np.int64(labels[edge])
            end = edge
            inside = True
            while end == edge or (end < start[state + 1] and labels[end] & SAME_ACTIVATION):
                inside &= component[edges[end]] == own
                end += 1
            if inside:
                kept[edge:end] = True
                activated[own] |= np.int64(1) << particle
            edge = end
    return kept, activated


def activated_in(space: Space, component: NDArray[np.bool_]) -> set[int]:
    """Return the particles that can be activated for ever within an end component."""
    start = space.edge_start[: len(component) + 1]
    edges, labels = space.edges[: start[-1]], space.labels[: start[-1]]
    numbers = np.where(component, np.int32(0), np.int32(NONE))
    _, activated = stay(start, edges, labels, numbers, 1)
    return {one for one in range(particles_of(space)) if int(activated[0]) >> one & 1}


def round_trip(space: Space, component: NDArray[np.bool_]) -> list[Step]:
    """Return a cycle within a component, from its first state, in which all are who can be."""
    home = int(np.argmax(component))
    waiting = activated_in(space, component)
    trip: list[Step] = []
    state = home
    while waiting:
        trip += shortest_way(space, component, state, waiting)
        waiting -= {particle for _, particle, _ in trip}
        state = trip[-1][2]
    return trip if state == home else trip + shortest_way(space, component, state, home=home)


def shortest_way(
    space: Space,
    component: NDArray[np.bool_],
    state: int,
    who: Set[int] = frozenset(),
    home: int = -1,
) -> list[Step]:
    """Return a shortest way within a component to an activation of one of some, or to a state."""
    came_by: dict[int, Step] = {}
    queue = [state]
    for here in queue:
        for step in steps_within(space, component, here):
            _, particle, there = step
            if particle in who or there == home:
                way = [step]
                while way[-1][0] != state:
                    way.append(came_by[way[-1][0]])
                return way[::-1]
            if there != state and there not in came_by:
                came_by[there] = step
                queue.append(there)
    raise AssertionError("the component is not strongly connected")


def steps_within(space: Space, component: NDArray[np.bool_], state: int) -> Iterator[Step]:
    """Make the steps of a state of which no other outcome leaves the component."""
    edges = range(space.edge_start[state], space.edge_start[state + 1])
    starts = [edge for edge in edges if not space.labels[edge] & SAME_ACTIVATION]
    for begin, end in pairwise([*starts, edges.stop]):
        if component[space.edges[begin:end]].all():
            for following in space.edges[begin:end].tolist():
                yield state, int(space.labels[begin]), following


def particles_of(space: Space) -> int:
    """Return the number of particles: everyone can be activated in the first state."""
    labels = space.labels[: space.edge_start[1]]
    return 1 + int((labels & ~np.uint8(SAME_ACTIVATION)).max())
