"""The orders in which a particle can run its units: the explorer tries all that differ.

The agents of a node can be run in any order (Section 2.1), and so can the two nodes of an expanded
particle (Appendix A.1). An agent reads and writes its own memory and those of its two neighbours on
the ring. Two agents without a memory in common can be swapped, so of all orders that agree on the
other pairs one is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, permutations, product
from typing import NamedTuple

from amoebot.system import System


class Order(NamedTuple):
    """Units in the order in which they are run, and the share of all orders with this effect."""

    units: tuple[int, ...]
    share: float


def orders_of(system: System, particle: int, on_nodes: bool) -> list[Order]:
    """Return the orders of a particle's units of which no two have the same effect."""
    nodes = [node for node in system.nodes_of_particles()[particle].tolist() if node >= 0]
    units = [[node] if on_nodes else agents_at(system, node) for node in nodes]
    # The two nodes of a particle are neighbours.
    touched = {unit: set(nodes) if on_nodes else around(system, unit) for unit in chain(*units)}
    every = list(all_orders(units))
    found: dict[tuple[bool, ...], Order] = {}
    for order in every:
        place = {unit: number for number, unit in enumerate(order)}
        kind = tuple(
            place[one] < place[other]
            for one, other in combinations(sorted(order), 2)
            if touched[one] & touched[other]
        )
        known = found.get(kind, Order(order, 0.0))
        found[kind] = Order(known.units, known.share + 1 / len(every))
    return list(found.values())


def all_orders(units: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """Make all orders of units in which those of a node follow each other."""
    for nodes in permutations(units):
        for parts in product(*(permutations(node) for node in nodes)):
            yield tuple(chain(*parts))


def agents_at(system: System, node: int) -> list[int]:
    """Return the agents of a node."""
    return [agent for agent in range(system.agents) if system.node[agent] == node]


def around(system: System, agent: int) -> set[int]:
    """Return the agents whose memories an agent reads and writes."""
    wires = system.wiring[agent]
    return {agent, int(wires["pred"]), int(wires["succ"])}
