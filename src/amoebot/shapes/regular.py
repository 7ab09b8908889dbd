"""Shapes that a formula describes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.jit import compilable
from amoebot.shapes.adjacency import Integers
from amoebot.shapes.errors import ShapeError
from amoebot.shapes.generator import at_least, generator
from amoebot.shapes.shape import refuse_too_many


@compilable
def rows(first: NDArray[np.int64], lengths: NDArray[np.int64], bottom: int = 0) -> Integers:
    """Return rows of consecutive nodes, upwards from ``bottom``, each from its ``first`` x on."""
    starts = np.cumsum(lengths) - lengths
    nodes = np.empty((lengths.sum(), 2), np.int32)
    shifts, heights = starts - first, np.arange(bottom, bottom + len(lengths))
    nodes[:, 0] = np.arange(len(nodes), dtype=np.int32)
    nodes[:, 0] -= np.repeat(shifts.astype(np.int32), lengths)
    nodes[:, 1] = np.repeat(heights.astype(np.int32), lengths)
    return nodes


@compilable
def full_hexagon(radius: int) -> Integers:
    """Return all nodes within a distance of the origin."""
    y = np.arange(-radius, radius + 1)
    return rows(np.maximum(-radius, -radius - y), 2 * radius + 1 - np.abs(y), -radius)


@compilable
def full_triangle(side: int) -> Integers:
    """Return the nodes of a triangle, the longest row at the bottom."""
    return rows(np.zeros(side, np.int64), np.arange(side, 0, -1))


@compilable
def full_parallelogram(width: int, height: int) -> Integers:
    """Return rows of the same length, one above the other."""
    return rows(np.zeros(height, np.int64), np.full(height, width))


@compilable
def hexagon_without_middle(radius: int, hole: int) -> Integers:
    """Return the nodes that are farther from the origin than ``hole``."""
    nodes = full_hexagon(radius)
    return nodes[np.flatnonzero(distance(nodes) > hole)]


@compilable
def spine_with_teeth(teeth: int, length: int) -> Integers:
    """Return a row, and above it every second node of as many rows as teeth are long."""
    spine = 2 * teeth - 1
    nodes = np.zeros((spine + teeth * length, 2), np.int32)
    nodes[:spine, 0] = np.arange(spine)
    nodes[spine:, 0] = np.arange(teeth * length) % teeth * 2
    nodes[spine:, 1] = np.arange(teeth * length) // teeth + 1
    return nodes


@compilable
def distance(nodes: Integers) -> Integers:
    """Return how many steps each node is away from the origin."""
    x, y = nodes[:, 0], nodes[:, 1]
    farthest: Integers = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.abs(x + y))
    return farthest


def hexagon_size(radius: int) -> int:
    """Return how many nodes there are within a distance of the origin."""
    return 3 * radius * (radius + 1) + 1


@generator
def hexagon(radius: int) -> Integers:
    """A filled hexagon: R rings around a centre.

    Args:
        radius: R, 0 or more; there are 3 R (R + 1) + 1 nodes.
    """
    radius = at_least("R", radius, 0)
    refuse_too_many(hexagon_size(radius))
    return full_hexagon(radius)


@generator
def line(length: int) -> Integers:
    """A straight line of N nodes.

    Args:
        length: N, 1 or more.
    """
    length = at_least("N", length, 1)
    refuse_too_many(length)
    return full_parallelogram(length, 1)


@generator
def triangle(side: int) -> Integers:
    """A filled triangle with N nodes on each side.

    Args:
        side: N, 1 or more; there are N (N + 1) / 2 nodes.
    """
    side = at_least("N", side, 1)
    refuse_too_many(side * (side + 1) // 2)
    return full_triangle(side)


@generator
def parallelogram(width: int, height: int) -> Integers:
    """A filled parallelogram of W times H nodes.

    Args:
        width: W, the nodes of a row, 1 or more.
        height: H, the rows, 1 or more.
    """
    width = at_least("W", width, 1)
    height = at_least("H", height, 1)
    refuse_too_many(width * height)
    return full_parallelogram(width, height)


@generator
def annulus(radius: int, hole: int) -> Integers:
    """A hexagon of R rings without the concentric hexagon of HOLE rings.

    Args:
        radius: R, 1 or more.
        hole: HOLE, from 0, which takes out the centre alone, to R - 1.
    """
    radius = at_least("R", radius, 1)
    hole = at_least("HOLE", hole, 0)
    if hole >= radius:
        raise ShapeError("HOLE must be less than R")
    refuse_too_many(hexagon_size(radius))
    return hexagon_without_middle(radius, hole)


@generator
def comb(teeth: int, length: int) -> Integers:
    """A straight spine with TEETH teeth of LENGTH nodes, one node apart.

    Args:
        teeth: TEETH, 1 or more.
        length: LENGTH, without the spine, 1 or more.
    """
    teeth = at_least("TEETH", teeth, 1)
    length = at_least("LENGTH", length, 1)
    refuse_too_many(2 * teeth - 1 + teeth * length)
    return spine_with_teeth(teeth, length)
