"""From a shape to a system: each particle looks at its ports, and agents link through the bonds.

Everything here is linear in the number of nodes and makes no Python object per particle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.jit import compilable, compiled, inlined
from amoebot.shapes import ShapeLike, as_shape
from amoebot.system.model import WIRING, Boundary, System


class Wires(NamedTuple):
    """What never changes about the agents of a system, as arrays."""

    particle_of_node: NDArray[np.int32]
    node: NDArray[np.int32]  # of each agent
    wiring: NDArray[Any]  # WIRING of each agent
    first_agent: NDArray[np.int32]  # of each particle, -1 for an interior one
    pairs: NDArray[np.int32]  # the nodes of each expanded particle, in the order in which they run
    cycles: NDArray[np.int64]  # of each boundary, the outer one first: first agent, length, turns


def build(shape: ShapeLike, seed: int = 0) -> System:
    """Put particles on a shape.

    The order in which a particle runs its agents comes from the seed, and so do port offsets that
    the shape does not give.
    """
    shape = as_shape(shape)
    offsets = shape.offsets
    if offsets is None:
        offsets = random_offsets(len(shape), np.uint64(seed))
    wires = wire(shape.neighbours, shape.expanded, offsets, np.uint64(seed))
    boundaries = tuple(Boundary(*cycle) for cycle in wires.cycles.tolist())
    return System(shape, offsets, *wires[:-1], boundaries)


@compilable
def random_offsets(count: int, seed: np.uint64) -> NDArray[np.uint8]:
    """Return port offsets that depend on a seed."""
    offsets = np.empty(count, dtype=np.uint8)
    draw_offsets(offsets, np.uint64(rng.key(seed, rng.OFFSETS, 0)))
    return offsets


@compilable
def wire(
    neighbours: NDArray[np.int32],
    expanded: NDArray[np.int32],
    offsets: NDArray[np.uint8],
    seed: np.uint64,
) -> Wires:
    """Find all agents and link them, number them along their cycles, and put them in order."""
    particle_of_node = number_particles(len(neighbours), expanded)
    count = count_agents(neighbours)
    found = np.zeros(count, dtype=WIRING)
    node = np.empty(count, dtype=np.int32)
    facing = np.empty((count, 2), dtype=np.uint8)
    first_of_node = np.full(len(neighbours), -1, dtype=np.int32)
    find_agents(neighbours, offsets, found, node, facing, first_of_node)
    link_agents(neighbours, found, node, facing, first_of_node)
    rank, cycles = number_agents(found)
    wiring = np.empty_like(found)
    at = np.empty_like(node)
    renumber(rank, found, node, wiring, at)
    first_agent = np.full(len(neighbours) - len(expanded), -1, dtype=np.int32)
    orders = np.uint64(rng.key(seed, rng.ORDERS, 0))
    link_siblings(wiring, at, particle_of_node, first_agent, orders)
    pairs = order_nodes(expanded, orders)
    return Wires(particle_of_node, at, wiring, first_agent, pairs, cycles)


@compiled
def draw_offsets(offsets: NDArray[np.uint8], stream: np.uint64) -> None:
    """Turn every node's port labels at random (Figure 1)."""
    for node in range(len(offsets)):
        offsets[node] = rng.below(6, stream, node)


@compilable
def number_particles(nodes: int, expanded: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the particles in the order of their first nodes."""
    if len(expanded) == 0:
        return np.arange(nodes, dtype=np.int32)
    leads = np.ones(nodes, dtype=np.int32)
    leads[expanded[:, 1]] = 0
    particle = (np.cumsum(leads) - 1).astype(np.int32)
    particle[expanded[:, 1]] = particle[expanded[:, 0]]
    return particle


@compiled
def count_agents(neighbours: NDArray[np.int32]) -> int:
    """Return the number of empty sequences that have an occupied node before them."""
    count = 0
    for node in range(len(neighbours)):
        for direction in range(6 if has_empty(neighbours, node) else 0):
            if neighbours[node, direction] >= 0 and neighbours[node, (direction + 1) % 6] < 0:
                count += 1
    return count


@inlined
def has_empty(neighbours: NDArray[np.int32], node: int) -> bool:
    """Whether a node has an empty one beside it: most of a solid shape have none."""
    found = neighbours[node, 0] | neighbours[node, 1] | neighbours[node, 2]
    found |= neighbours[node, 3] | neighbours[node, 4] | neighbours[node, 5]
    return bool(found < 0)


@compiled
def find_agents(
    neighbours: NDArray[np.int32],
    offsets: NDArray[np.uint8],
    wiring: NDArray[Any],
    node_of: NDArray[np.int32],
    facing: NDArray[np.uint8],
    first_of_node: NDArray[np.int32],
) -> None:
    """Make one agent for each maximal sequence of empty nodes around a node.

    That is Section 2.1, whatever is around the node (Figure 2). ``facing`` gets the directions of
    predecessor and successor. Agent identifiers follow the particle's own port labels; the
    numbering does not, so it is the same for all offsets.
    """
    agent = 0
    for node in range(len(neighbours)):
        if not has_empty(neighbours, node):
            continue
        first = agent
        for direction in range(6):
            if neighbours[node, direction] < 0 or neighbours[node, (direction + 1) % 6] >= 0:
                continue
            empty = 1
            while neighbours[node, (direction + empty + 1) % 6] < 0:
                empty += 1
            wiring[agent].empty = empty
            node_of[agent] = node
            facing[agent, 0] = direction
            facing[agent, 1] = (direction + empty + 1) % 6
            agent += 1
        if agent > first:
            first_of_node[node] = first
        for a in range(first, agent):
            identifier = 1
            for b in range(first, agent):
                port_of_a = (facing[a, 0] + 6 - offsets[node]) % 6
                if (facing[b, 0] + 6 - offsets[node]) % 6 < port_of_a:
                    identifier += 1
            wiring[a].agent_identifier = identifier


@compiled
def link_agents(
    neighbours: NDArray[np.int32],
    wiring: NDArray[Any],
    node_of: NDArray[np.int32],
    facing: NDArray[np.uint8],
    first_of_node: NDArray[np.int32],
) -> None:
    """Link each agent to the one agent of the next particle whose predecessor port faces it.

    So the agents form disjoint cycles, one for each boundary (Figure 3).
    """
    for agent in range(len(wiring)):
        succ = first_of_node[neighbours[node_of[agent], facing[agent, 1]]]
        while facing[succ, 0] != (facing[agent, 1] + 3) % 6:
            succ += 1
        wiring[agent].succ = succ
        wiring[succ].pred = agent


@compilable
def number_agents(wiring: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the number of each agent along its cycle, and the cycles, the outer one first."""
    cycle = np.full(len(wiring), -1, dtype=np.int32)
    place = np.empty(len(wiring), dtype=np.int32)
    count = walk_cycles(wiring, cycle, place)
    lengths = np.zeros(count, dtype=np.int64)
    turns = np.zeros(count, dtype=np.int64)
    measure_cycles(wiring, cycle, lengths, turns)
    is_outer = turns > 0  # only the outer boundary turns clockwise
    order = np.concatenate((np.flatnonzero(is_outer), np.flatnonzero(~is_outer)))
    first = np.empty(count, dtype=np.int64)
    first[order] = np.cumsum(lengths[order]) - lengths[order]
    cycles = np.empty((count, 3), dtype=np.int64)
    cycles[:, 0], cycles[:, 1], cycles[:, 2] = first[order], lengths[order], turns[order]
    return (first[cycle] + place).astype(np.int32), cycles


@compiled
def walk_cycles(wiring: NDArray[Any], cycle: NDArray[np.int32], place: NDArray[np.int32]) -> int:
    """Tell each agent its cycle and its place there; return how many cycles there are."""
    count = 0
    for start in range(len(wiring)):
        if cycle[start] >= 0:
            continue
        agent = start
        steps = 0
        while cycle[agent] < 0:
            cycle[agent] = count
            place[agent] = steps
            steps += 1
            agent = wiring[agent].succ
        count += 1
    return count


@compiled
def measure_cycles(
    wiring: NDArray[Any],
    cycle: NDArray[np.int32],
    lengths: NDArray[np.int64],
    turns: NDArray[np.int64],
) -> None:
    """Count the agents of each cycle, and the turns that it takes at them."""
    for agent in range(len(wiring)):
        lengths[cycle[agent]] += 1
        turns[cycle[agent]] += np.int64(wiring[agent].empty) - 2


@compiled
def renumber(
    rank: NDArray[np.int32],
    found: NDArray[Any],
    node: NDArray[np.int32],
    wiring: NDArray[Any],
    at: NDArray[np.int32],
) -> None:
    """Move each agent to the place of its number, and its links with it."""
    for agent in range(len(rank)):
        wiring[rank[agent]] = found[agent]
        wiring[rank[agent]].pred = rank[found[agent].pred]
        wiring[rank[agent]].succ = rank[found[agent].succ]
        at[rank[agent]] = node[agent]


@compiled
def link_siblings(
    wiring: NDArray[Any],
    node_of: NDArray[np.int32],
    particle_of_node: NDArray[np.int32],
    first_agent: NDArray[np.int32],
    stream: np.uint64,
) -> None:
    """Chain the agents of each particle in an arbitrary order, those of a node one after another.

    Section 2.1 leaves the order of a node's agents open, Appendix A.1 that of a particle's nodes.
    """
    for agent in range(len(wiring)):
        particle = particle_of_node[node_of[agent]]
        before = -1
        after = first_agent[particle]
        while after >= 0 and comes_first(stream, node_of[after], after, node_of[agent], agent):
            before = after
            after = wiring[after].sibling
        wiring[agent].sibling = after
        if before < 0:
            first_agent[particle] = agent
        else:
            wiring[before].sibling = agent


@compiled
def comes_first(
    stream: np.uint64, node: int, agent: int, other_node: int, other_agent: int
) -> bool:
    """Whether a particle runs an agent of one of its nodes before another."""
    if node != other_node:
        return bool(rng.draw(stream, 2 * node) < rng.draw(stream, 2 * other_node))
    return bool(rng.draw(stream, 2 * agent + 1) < rng.draw(stream, 2 * other_agent + 1))


@compiled
def order_nodes(expanded: NDArray[np.int32], stream: np.uint64) -> NDArray[np.int32]:
    """Return the pairs of nodes of expanded particles, each in the order in which it runs them."""
    pairs = expanded.copy()
    for pair in range(len(pairs)):
        first, second = expanded[pair]
        if comes_first(stream, second, -1, first, -1):
            pairs[pair, 0] = second
            pairs[pair, 1] = first
    return pairs
