"""Neighbours and connected components of nodes: linear sweeps over sorted nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compiled

Integers = NDArray[np.int32]

_RIGHT, _UPPER_LEFT, _UPPER_RIGHT = 0, 4, 5


@compiled
def ascending(nodes: Integers) -> bool:
    """Say whether nodes are sorted by (y, x), each one once."""
    for row in range(1, len(nodes)):
        rise = nodes[row, 1] - nodes[row - 1, 1]
        if rise < 0 or (rise == 0 and nodes[row, 0] <= nodes[row - 1, 0]):
            return False
    return True


@compiled
def _join(table: Integers, node: int, direction: int, other: int) -> None:
    """Write down that two nodes are neighbours, in both of their rows."""
    table[node, direction] = other
    table[other, (direction + 3) % 6] = node


@compiled
def neighbour_table(nodes: Integers) -> Integers:
    """Return the index of each sorted node's neighbour in each direction, −1 where it is empty."""
    count = len(nodes)
    table = np.full((count, 6), -1, np.int32)
    above = 0
    for node in range(count):
        x, y = nodes[node, 0], nodes[node, 1]
        after = node + 1
        if after < count and nodes[after, 1] == y and nodes[after, 0] == x + 1:
            _join(table, node, _RIGHT, after)
        # This pointer only ever moves on: its row lies above, in the same order as ours.
        while above < count and (
            nodes[above, 1] <= y or (nodes[above, 1] == y + 1 and nodes[above, 0] < x - 1)
        ):
            above += 1
        for other in range(above, min(above + 2, count)):
            if nodes[other, 1] == y + 1 and nodes[other, 0] == x - 1:
                _join(table, node, _UPPER_LEFT, other)
            elif nodes[other, 1] == y + 1 and nodes[other, 0] == x:
                _join(table, node, _UPPER_RIGHT, other)
    return table


@compiled
def components(neighbours: Integers) -> Integers:
    """Return the number of the connected part, counted from 0, that each node belongs to.

    Each node leads to an earlier one of its part, and the first of a part to itself.
    """
    count = len(neighbours)
    leads = np.empty(count, np.int32)
    for node in range(count):
        first = node
        for other in neighbours[node]:
            if 0 <= other < node:
                root = _root(leads, other)
                if root < first:
                    first, root = root, first
                leads[root] = first
        leads[node] = first
    parts = 0
    for node in range(count):
        if leads[node] == node:
            leads[node] = parts
            parts += 1
        else:
            leads[node] = leads[leads[node]]
    return leads


@compiled
def _root(leads: Integers, node: int) -> int:
    """Return the first node of a part, as far as it is known, and shorten the way to it."""
    while leads[node] != node:
        leads[node] = leads[leads[node]]
        node = leads[node]
    return node


@compiled
def distances(neighbours: Integers, start: int) -> Integers:
    """Return how many steps each node is away from one of them, −1 where no way leads."""
    count = len(neighbours)
    steps = np.full(count, -1, np.int32)
    waiting = np.empty(count, np.int32)
    waiting[0], steps[start] = start, 0
    reached = 1
    for place in range(count):
        if place == reached:
            break
        for neighbour in neighbours[waiting[place]]:
            if neighbour >= 0 and steps[neighbour] < 0:
                steps[neighbour] = steps[waiting[place]] + 1
                waiting[reached] = neighbour
                reached += 1
    return steps
