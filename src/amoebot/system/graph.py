"""A system as a graph of particles, for other tools."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amoebot.system.model import System


class NoNetworkXError(ImportError):
    """Graphs need NetworkX, which is not installed."""


def graph_of(system: System) -> Any:
    """Return a NetworkX graph: a vertex for each particle, an edge for each bond.

    A vertex has the node(s) of its particle as x, y (and second_x, second_y if it is expanded), and
    the number of its agents.
    """
    try:
        networkx: Any = import_module("networkx")
    except ImportError:
        raise NoNetworkXError("graphs need networkx: pip install networkx") from None
    graph = networkx.Graph(name=system.shape.name)
    for particle in range(system.particles):
        (x, y), *second = system.nodes_of(particle)
        more = {"second_x": second[0][0], "second_y": second[0][1]} if second else {}
        graph.add_node(particle, x=x, y=y, agents=len(system.agents_of(particle)), **more)
    around = system.neighbouring_particles()
    for node, own in enumerate(system.particle_of_node.tolist()):
        bonds = {int(one) for one in around[node] if one >= 0} - {own}
        graph.add_edges_from((own, one) for one in sorted(bonds))
    return graph
