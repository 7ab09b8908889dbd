"""Where things are drawn: particles at their nodes, agents towards their empty sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amoebot.lattice import position
from amoebot.render.look import sizes
from amoebot.system import System

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Geometry:
    """Points in units of the lattice, y downwards."""

    system: System
    nodes: Floats  # of each node
    facing: NDArray[np.uint8]  # direction of each agent's predecessor
    outward: Floats  # of each agent, a unit vector towards the middle of its empty sequence
    along: Floats  # at right angles to it, in the direction of the cycle
    agents: Floats
    crowd: NDArray[np.int64]  # how many agents share each agent's node

    def beside(self, agent: int, out: float, side: float = 0.0) -> tuple[float, float]:
        """Return a point relative to an agent's node: so far outward, so far along the cycle."""
        x, y = self.nodes[self.system.node[agent]]
        (ox, oy), (ax, ay) = self.outward[agent], self.along[agent]
        return float(x + out * ox + side * ax), float(y + out * oy + side * ay)


def geometry(system: System) -> Geometry:
    """Return where everything of a system is drawn."""
    nodes = position(system.shape.nodes) * (1.0, -1.0)
    facing = facing_directions(system)
    # Directions turn clockwise by 60 degrees each, and so do angles where y points down.
    angle = (facing + (system.wiring["empty"] + 1) / 2) * (np.pi / 3)
    outward = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    # From predecessor to successor one turns clockwise around the node.
    along = np.stack([-outward[:, 1], outward[:, 0]], axis=-1)
    agents = nodes[system.node] + sizes()["agent_out"] * outward
    crowd = np.bincount(system.node, minlength=len(nodes))[system.node]
    return Geometry(system, nodes, facing, outward, along, agents, crowd)


def facing_directions(system: System) -> NDArray[np.uint8]:
    """Return the direction in which each agent's predecessor lies."""
    around = system.shape.neighbours[system.node]
    before = system.node[system.wiring["pred"]]
    facing: NDArray[np.uint8] = (around == before[:, None]).argmax(axis=1).astype(np.uint8)
    return facing
