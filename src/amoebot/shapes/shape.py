"""A shape: the connected set of nodes that the particles of a system occupy."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoebot.shapes.adjacency import Integers, ascending, components, neighbour_table
from amoebot.shapes.errors import DisconnectedError, ShapeError
from amoebot.shapes.expansion import random_pairs, shuffled
from amoebot.shapes.streams import ORDER, PARTNERS, stream

#: The most nodes a shape may have, and the farthest from the origin that they may lie.
MOST_NODES = 100_000_000
FARTHEST = 2**30


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Shape:
    """Connected nodes, some of them paired to expanded particles; checked when it is made.

    The nodes are sorted by (y, x). Each row of ``expanded`` holds the indices of the two nodes of
    an expanded particle, the lower first. ``offsets`` are the nodes' port offsets, or None where
    they are still to be drawn. ``neighbours`` holds, for each node and each direction of
    ``lattice.STEPS``, the index of the node there, or −1. The arrays are read-only.
    """

    nodes: Integers
    expanded: Integers
    offsets: NDArray[np.uint8] | None
    name: str
    neighbours: Integers

    def __init__(
        self,
        nodes: ArrayLike,
        expanded: ArrayLike = (),
        offsets: ArrayLike | None = None,
        name: str = "shape",
    ) -> None:
        """Make a shape of nodes in any order; ``expanded`` and ``offsets`` refer to that order.

        Args:
            nodes: Pairs (x, y) of whole numbers: x steps to the right and y steps to the upper
                right, at most 2^30 from the origin. All must be different, and connected.
            expanded: The expanded particles, each as the numbers of its two nodes, from 0.
            offsets: For each node, the direction in which its particle's port 0 points, from 0
                to 5; by default, the seed of a run decides.
            name: What the shape is called in results.

        Raises:
            ShapeError: If the nodes are no shape; a sentence says where and why.
        """
        if not isinstance(name, str):
            raise ShapeError(f"the name of a shape is text, not {name!r}")
        grid = _checked_nodes(nodes)
        pairs = _checked_pairs(expanded, len(grid))
        ports = None if offsets is None else _checked_offsets(offsets, len(grid))
        if not ascending(grid):
            order = np.lexsort(grid.T)
            grid = grid[order]
            pairs = np.argsort(order)[pairs]
            ports = None if ports is None else ports[order]
            _refuse_duplicates(grid)
        neighbours = neighbour_table(grid)
        _refuse_disconnected(grid, neighbours)
        pairs = _sorted_pairs(pairs)
        _refuse_impossible_pairs(pairs, grid, neighbours)
        for array in (grid, pairs, ports, neighbours):
            if array is not None:
                array.setflags(write=False)
        # A frozen dataclass has no other way to set its fields.
        vars(self).update(
            nodes=grid, expanded=pairs, offsets=ports, name=name, neighbours=neighbours
        )

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    @property
    def particles(self) -> int:
        """The number of particles: an expanded one occupies two nodes."""
        return len(self.nodes) - len(self.expanded)

    def with_expanded(self, fraction: float, seed: int = 0) -> Shape:
        """Return this shape with nodes paired at random until ``fraction`` of them are.

        The nodes are visited in random order, and a free one is paired with a random free
        neighbour, as long as there is one. Pairs that the shape had before are forgotten.

        Args:
            fraction: The share of the nodes to be paired, from 0 to 1.
            seed: Another seed pairs other nodes, from 0 to 2^64 - 1.
        """
        if not isinstance(fraction, int | float | np.number) or not 0 <= fraction <= 1:
            raise ShapeError(f"the expanded fraction must be from 0 to 1, not {fraction}")
        order = shuffled(len(self), stream(seed, ORDER))
        wanted = float(fraction * len(self))
        pairs = random_pairs(self.neighbours, wanted, order, stream(seed, PARTNERS))
        return Shape(self.nodes, pairs, self.offsets, self.name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the shape to a .json file, or to a .txt picture if it holds nothing but nodes.

        Raises:
            ShapeError: If the file has another ending, or cannot be written.
        """
        from amoebot.shapes.files import write  # files make shapes: they import this module

        write(self, path)

    def __eq__(self, other: object) -> bool:
        """Say whether two shapes have the same nodes, pairs and offsets, whatever their names."""
        return isinstance(other, Shape) and self._content() == other._content()

    def __hash__(self) -> int:
        """Return a hash of what makes shapes equal."""
        return hash(self._content())

    def __repr__(self) -> str:
        """Return the name and the size."""
        return f"Shape({self.name!r}, nodes={len(self)}, expanded={len(self.expanded)})"

    def _repr_svg_(self) -> str:
        """Show the shape in a notebook."""
        from amoebot.render import picture_of_shape

        return picture_of_shape(self)

    def _content(self) -> tuple[bytes, bytes, bytes | None]:
        offsets = None if self.offsets is None else self.offsets.tobytes()
        return self.nodes.tobytes(), self.expanded.tobytes(), offsets


def refuse_too_many(nodes: int) -> None:
    """Refuse a number of nodes that no memory would hold, before any is taken."""
    if nodes > MOST_NODES:
        raise ShapeError(f"a shape has at most {MOST_NODES:,} nodes, and this one would have more")


def _integers(values: ArrayLike, row: tuple[int, ...], what: str) -> NDArray[np.integer]:
    """Return values as an array of integers whose rows have the given shape."""
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):  # rows of different lengths
        raise ShapeError(f"expected {what}") from None
    if array.size == 0:
        return np.empty((0, *row), np.int32)
    if array.dtype.kind not in "iu" or array.ndim == 0 or array.shape[1:] != row:
        raise ShapeError(f"expected {what}")
    return array


def _checked_nodes(nodes: ArrayLike) -> Integers:
    """Return a copy of the nodes, if they are pairs of coordinates within bounds."""
    grid = _integers(nodes, (2,), "nodes as pairs of whole numbers (x, y)")
    if len(grid) == 0:
        raise ShapeError("a shape needs at least one node")
    refuse_too_many(len(grid))
    if grid.min() < -FARTHEST or grid.max() > FARTHEST:
        far = grid[((grid < -FARTHEST) | (grid > FARTHEST)).any(axis=1)][0]
        raise ShapeError(f"the node {_point(far)} lies farther than 2^30 from the origin")
    return np.array(grid, dtype=np.int32, order="C")


def _checked_pairs(expanded: ArrayLike, count: int) -> NDArray[np.integer]:
    """Return the pairs, if they are numbers of nodes."""
    pairs = _integers(expanded, (2,), "expanded particles as pairs of node numbers")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= count):
        raise ShapeError(f"expanded particles must be pairs of node numbers below {count:,}")
    return pairs


def _checked_offsets(offsets: ArrayLike, count: int) -> NDArray[np.uint8]:
    """Return the offsets, if there is one in range for each node."""
    ports = _integers(offsets, (), "port offsets as whole numbers")
    if len(ports) != count:
        raise ShapeError(f"expected one port offset for each node: {count:,}, not {len(ports):,}")
    if ports.min() < 0 or ports.max() > 5:
        raise ShapeError("port offsets must be from 0 to 5")
    return ports.astype(np.uint8)


def _refuse_duplicates(nodes: Integers) -> None:
    twice = (nodes[1:] == nodes[:-1]).all(axis=1)
    if twice.any():
        raise ShapeError(f"the node {_point(nodes[twice.argmax()])} is given twice")


def _refuse_disconnected(nodes: Integers, neighbours: Integers) -> None:
    part = components(neighbours)
    parts = int(part.max()) + 1
    if parts > 1:
        sizes = np.bincount(part)
        node = int((part == sizes.argmin()).argmax())
        raise DisconnectedError(parts, int(sizes.min()), node, _point(nodes[node]))


def _sorted_pairs(pairs: NDArray[np.integer]) -> Integers:
    """Return the pairs with the lower node first, in ascending order."""
    inside = np.sort(pairs, axis=1)
    return inside[np.lexsort(inside.T[::-1])].astype(np.int32)


def _refuse_impossible_pairs(pairs: Integers, nodes: Integers, neighbours: Integers) -> None:
    apart = (neighbours[pairs[:, 0]] != pairs[:, 1:]).all(axis=1)
    if apart.any():
        first, second = (_point(nodes[node]) for node in pairs[apart.argmax()])
        raise ShapeError(f"the nodes {first} and {second} of an expanded particle are not adjacent")
    occupants = np.bincount(pairs.ravel(), minlength=1)
    if occupants.max() > 1:
        shared = _point(nodes[occupants.argmax()])
        raise ShapeError(f"expanded particles overlap: the node {shared} belongs to two of them")


def _point(node: NDArray[np.integer]) -> tuple[int, int]:
    """Return a node as it is printed."""
    return int(node[0]), int(node[1])
