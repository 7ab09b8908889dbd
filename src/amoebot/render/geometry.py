"""Where things are drawn: particles at their nodes, agents towards their empty sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amoebot.lattice import position
from amoebot.render.changes import facing
from amoebot.render.look import is_on_nodes, sizes
from amoebot.simulation import Simulation
from amoebot.system import System

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Geometry:
    """Points in units of the lattice, y downwards."""

    nodes: Floats
    agents: Floats
    units: Floats  # where the marks of each unit are drawn from: the middle of its node
    outward: Floats  # of each unit, a unit vector towards the middle of its empty sequence
    along: Floats  # at right angles to it, in the direction of the cycle


def geometry(simulation: Simulation) -> Geometry:
    """Return where everything of a system is drawn."""
    system = simulation.system
    nodes = position(system.shape.nodes) * (1.0, -1.0)
    # Directions turn clockwise by 60 degrees each, and so do angles where y points down.
    angle = (facing_directions(system) + (system.wiring["empty"] + 1) / 2) * (np.pi / 3)
    outward = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    agents = nodes[system.node] + sizes()["agent_out"] * outward
    if is_on_nodes(simulation.options.algorithm):
        outward, units = np.broadcast_to((0.0, -1.0), nodes.shape), nodes
    else:
        units = nodes[system.node]
    # From predecessor to successor one turns clockwise around the node.
    along = np.stack([-outward[:, 1], outward[:, 0]], axis=-1)
    return Geometry(nodes, agents, units, outward, along)


def facing_directions(system: System) -> NDArray[np.uint8]:
    """Return the direction in which each agent's predecessor lies."""
    return facing(system.shape.neighbours, system.node, system.wiring)
