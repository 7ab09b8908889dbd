"""What a system is (Section 1.1): particles, their agents and the boundaries, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoebot.shapes import Shape

#: A node has six ports, one for each neighbouring node.
PORTS = 6

#: What an agent's particle sees of its boundary here. Rules get this and no more.
VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("empty", np.uint8),  # k, the length of its empty sequence
                ("agent_identifier", np.uint8),  # 1, 2 or 3, unique within its node
            ]
        ),
    )
)

#: What never changes about an agent: its bonds, and its view, as a record and field by field.
WIRING = np.dtype(
    (
        np.record,
        np.dtype(
            {
                "names": ["pred", "succ", "sibling", "empty", "agent_identifier", "sight"],
                "formats": [np.int32, np.int32, np.int32, np.uint8, np.uint8, VIEW],
                "offsets": [0, 4, 8, 12, 13, 12],
                "itemsize": 16,
            }
        ),
    )
)

#: What never changes about a node, for elections that work on nodes.
NODE_WIRING = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("around", np.int32, 6),  # the nodes next to it, clockwise, -1 where empty
                (
                    "sibling",
                    np.int32,
                ),  # the other node of its particle, if that is run later
                ("sight", np.dtype((np.record, np.dtype([("occupied", np.uint8, 6)])))),
            ]
        ),
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

    def nodes_of_particles(self) -> NDArray[np.int32]:
        """Return each particle's nodes by number, -1 for the second one of a contracted one."""
        nodes = np.full((self.particles, 2), -1, dtype=np.int32)
        nodes[self.particle_of_node[::-1], 0] = np.arange(len(self.shape), dtype=np.int32)[::-1]
        second = self.shape.expanded[:, 1]
        nodes[self.particle_of_node[second], 1] = second
        return nodes

    def first_nodes(self) -> NDArray[np.int32]:
        """Return the node of each particle that its activation runs first (Appendix A.1)."""
        first = self.nodes_of_particles()[:, 0].copy()
        first[self.particle_of_node[self.pairs[:, 0]]] = self.pairs[:, 0]
        return first

    def node_wiring(self) -> NDArray[Any]:
        """Return the NODE_WIRING of each node."""
        wiring = np.zeros(len(self.shape), dtype=NODE_WIRING)
        wiring["around"] = self.shape.neighbours
        wiring["sight"]["occupied"] = self.shape.neighbours >= 0
        wiring["sibling"] = -1
        wiring["sibling"][self.pairs[:, 0]] = self.pairs[:, 1]
        return wiring

    def neighbouring_particles(self) -> NDArray[np.int32]:
        """Return the particles around each node, clockwise, -1 where it is empty."""
        around = self.shape.neighbours
        if len(self.shape.expanded) == 0:
            return around
        found: NDArray[np.int32] = np.where(around < 0, np.int32(-1), self.particle_of_node[around])
        found.setflags(write=False)  # as the shape's own: another type would be compiled for
        return found

    def nodes_of(self, particle: int) -> tuple[tuple[int, int], ...]:
        """Return the node of a contracted particle, or the two of an expanded one (Figure 1)."""
        where = np.flatnonzero(self.particle_of_node == particle)
        return tuple((int(x), int(y)) for x, y in self.shape.nodes[where])

    def agents_of(self, particle: int) -> list[int]:
        """Return a particle's agents in the order in which its activation runs them.

        An expanded particle runs those of its two nodes one after the other (Appendix A.1).
        """
        agents, agent = [], int(self.first_agent[particle])
        while agent >= 0:
            agents.append(agent)
            agent = int(self.wiring["sibling"][agent])
        return agents
