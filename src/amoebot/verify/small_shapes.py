"""All connected shapes of a given size, up to rotation."""

from __future__ import annotations

from collections.abc import Iterator

from amoebot.arguments import whole
from amoebot.lattice import STEPS
from amoebot.shapes import Shape

#: There are half a million shapes of 11 particles, and five times as many of each one more.
MOST_PARTICLES = 12

Nodes = frozenset[tuple[int, int]]


def all_shapes(size: int) -> Iterator[Shape]:
    """Make every connected shape of N contracted particles, once for all its rotations.

    Mirror images count as two: particles agree on what clockwise means.
    """
    whole(size, "the number of particles", 1, MOST_PARTICLES)
    found = {normal(frozenset({(0, 0)}))}
    for _ in range(size - 1):
        found = {normal(nodes | {node}) for nodes in found for node in around(nodes)}
    for number, nodes in enumerate(sorted(found, key=sorted), start=1):
        yield Shape(sorted(nodes), name=f"{size}-particle shape {number}")


def around(nodes: Nodes) -> Iterator[tuple[int, int]]:
    """Make the empty nodes next to a shape."""
    for x, y in nodes:
        for dx, dy in STEPS.tolist():
            if (x + dx, y + dy) not in nodes:
                yield x + dx, y + dy


def normal(nodes: Nodes) -> Nodes:
    """Return the one of a shape's six rotations, moved to the origin, that sorts first."""
    turned = []
    for _ in range(6):
        nodes = frozenset((x + y, -x) for x, y in nodes)  # by 60 degrees clockwise
        left, low = min(x for x, _ in nodes), min(y for _, y in nodes)
        turned.append(frozenset((x - left, y - low) for x, y in nodes))
    return min(turned, key=sorted)
