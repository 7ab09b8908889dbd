"""What a system is (Section 1.1): particles, their agents and the boundaries, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compilable, compiled, record
from amoebot.shapes import Shape

#: A node has six ports, one for each neighbouring node.
PORTS = 6

#: What an agent's particle sees of its boundary here. Rules get this and no more.
VIEW = record(
    np.dtype(
        [
            ("empty", np.uint8),  # k, the length of its empty sequence
            ("agent_identifier", np.uint8),  # 1, 2 or 3, unique within its node
        ]
    )
)

#: What never changes about an agent: its bonds, and its view, as a record and field by field.
WIRING = record(
    np.dtype(
        {
            "names": ["pred", "succ", "sibling", "empty", "agent_identifier", "sight"],
            "formats": [np.int32, np.int32, np.int32, np.uint8, np.uint8, VIEW],
            "offsets": [0, 4, 8, 12, 13, 12],
            "itemsize": 16,
        }
    )
)

#: What never changes about a node, for elections that work on nodes.
NODE_WIRING = record(
    np.dtype(
        [
            ("around", np.int32, 6),  # the nodes next to it, clockwise, -1 where empty
            ("sibling", np.int32),  # the other node of its particle, if that is run later
            ("sight", record(np.dtype([("occupied", np.uint8, 6)]))),
        ]
    )
)

# pred and succ in WIRING are the agents before and after it on its boundary; sibling is the next
# agent of the same particle, or -1.


@dataclass(frozen=True)
class Boundary:
    """One boundary: a cycle of agents that are numbered along it (Figure 3)."""

    first: int
    length: int
    turns: int

    @property
    def outer(self) -> bool:
        """Whether this is the outer boundary, the only one that turns clockwise."""
        return self.turns == PORTS

    @property
    def agents(self) -> range:
        """The numbers of its agents, in the direction of the cycle."""
        return range(self.first, self.first + self.length)


class Ground(NamedTuple):
    """What a run takes place on, as arrays."""

    neighbours: NDArray[np.int32]  # of each node, clockwise, -1 where empty
    around: NDArray[np.int32]  # the same, as particles
    pairs: NDArray[np.int32]  # the nodes of each expanded particle, in the order in which they run
    nodes: NDArray[np.int32]  # of each particle, the second one -1 if contracted
    particle_of_node: NDArray[np.int32]
    node: NDArray[np.int32]  # of each agent
    wiring: NDArray[Any]  # WIRING of each agent
    first_agent: NDArray[np.int32]  # of each particle, -1 for an interior one
    lengths: NDArray[np.int64]  # of each boundary, the outer one first


@dataclass(frozen=True)
class System:
    """Particles on a shape. Agents are numbered along their cycles, the outer boundary first."""

    shape: Shape
    offsets: NDArray[np.uint8]  # port 0 of each node faces this direction
    particle_of_node: NDArray[np.int32]
    node: NDArray[np.int32]  # of each agent
    wiring: NDArray[Any]  # WIRING of each agent
    first_agent: NDArray[np.int32]  # of each particle, -1 for an interior one
    pairs: NDArray[np.int32]  # the nodes of each expanded particle, in the order in which they run
    boundaries: tuple[Boundary, ...]  # the outer one first

    @property
    def particles(self) -> int:
        """The number of particles, expanded ones counted once."""
        return len(self.first_agent)

    @property
    def agents(self) -> int:
        """The number of agents on all boundaries."""
        return len(self.wiring)

    @property
    def outer_boundary_length(self) -> int:
        """The paper's L: the number of agents on the outer boundary."""
        return self.boundaries[0].length if self.boundaries else 0

    @property
    def particle(self) -> NDArray[np.int32]:
        """The particle of each agent."""
        return self.particle_of_node[self.node]

    def ground(self) -> Ground:
        """Return all that a run needs to know of the system."""
        return Ground(
            neighbours=self.shape.neighbours,
            around=self.neighbouring_particles(),
            pairs=self.pairs,
            nodes=self.nodes_of_particles(),
            particle_of_node=self.particle_of_node,
            node=self.node,
            wiring=self.wiring,
            first_agent=self.first_agent,
            lengths=np.array([boundary.length for boundary in self.boundaries], dtype=np.int64),
        )

    def graph(self) -> Any:
        """Return the particles and their bonds as a NetworkX graph."""
        from amoebot.system.graph import graph_of

        return graph_of(self)

    def nodes_of_particles(self) -> NDArray[np.int32]:
        """Return each particle's nodes by number, -1 for the second one of a contracted one."""
        return nodes_of_particles(self.particle_of_node, self.shape.expanded)

    def first_nodes(self) -> NDArray[np.int32]:
        """Return the node of each particle that its activation runs first (Appendix A.1)."""
        return first_nodes(self.nodes_of_particles(), self.particle_of_node, self.pairs)

    def node_wiring(self) -> NDArray[Any]:
        """Return the NODE_WIRING of each node."""
        return node_wiring(self.shape.neighbours, self.pairs)

    def neighbouring_particles(self) -> NDArray[np.int32]:
        """Return the particles around each node, clockwise, -1 where it is empty."""
        around = self.shape.neighbours
        if len(self.shape.expanded) == 0:
            return around
        found = neighbouring_particles(around, self.particle_of_node)
        found.setflags(write=False)  # as the shape's own: another type would be compiled for
        return found

    def nodes_of(self, particle: int) -> tuple[tuple[int, int], ...]:
        """Return the node of a contracted particle, or the two of an expanded one (Figure 1)."""
        if len(self.shape.expanded) == 0:  # then particles have the numbers of their nodes
            where = np.array([particle])
        else:
            where = np.flatnonzero(self.particle_of_node == particle)
        return tuple((x, y) for x, y in self.shape.nodes[where].tolist())

    def agents_of(self, particle: int) -> list[int]:
        """Return a particle's agents in the order in which its activation runs them.

        An expanded particle runs those of its two nodes one after the other (Appendix A.1).
        """
        agents, agent = [], int(self.first_agent[particle])
        while agent >= 0:
            agents.append(agent)
            agent = int(self.wiring["sibling"][agent])
        return agents


@compilable
def nodes_of_particles(
    particle_of_node: NDArray[np.int32], expanded: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return each particle's nodes by number, -1 for the second one of a contracted one."""
    count = len(particle_of_node)
    nodes = np.full((count - len(expanded), 2), -1, dtype=np.int32)
    if len(expanded) == 0:
        nodes[:, 0] = np.arange(count, dtype=np.int32)
        return nodes
    first = np.ones(count, dtype=np.bool_)
    first[expanded[:, 1]] = False
    nodes[:, 0] = np.flatnonzero(first)
    nodes[:, 1][particle_of_node[expanded[:, 1]]] = expanded[:, 1]
    return nodes


@compilable
def first_nodes(
    nodes: NDArray[np.int32], particle_of_node: NDArray[np.int32], pairs: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the node of each particle that its activation runs first (Appendix A.1)."""
    first = nodes[:, 0].copy()
    first[particle_of_node[pairs[:, 0]]] = pairs[:, 0]
    return first


@compilable
def node_wiring(neighbours: NDArray[np.int32], pairs: NDArray[np.int32]) -> NDArray[Any]:
    """Return the NODE_WIRING of each node."""
    wiring = np.zeros(len(neighbours), dtype=NODE_WIRING)
    fill_node_wiring(neighbours, pairs, wiring)
    return wiring


@compiled
def fill_node_wiring(
    neighbours: NDArray[np.int32], pairs: NDArray[np.int32], wiring: NDArray[Any]
) -> None:
    """Write down what is around each node, and the nodes of expanded particles."""
    for node in range(len(neighbours)):
        for direction in range(PORTS):
            wiring[node].around[direction] = neighbours[node, direction]
            wiring[node].sight.occupied[direction] = neighbours[node, direction] >= 0
        wiring[node].sibling = -1
    for pair in range(len(pairs)):
        wiring[pairs[pair, 0]].sibling = pairs[pair, 1]


@compilable
def neighbouring_particles(
    neighbours: NDArray[np.int32], particle_of_node: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the particles around each node, clockwise, -1 where it is empty."""
    nodes = neighbours.ravel()
    particles = np.where(nodes < 0, np.int32(-1), particle_of_node[nodes])
    return particles.reshape(neighbours.shape)
