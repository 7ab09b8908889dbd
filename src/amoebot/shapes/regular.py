"""Shapes that a formula describes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot.shapes.adjacency import Integers
from amoebot.shapes.errors import ShapeError
from amoebot.shapes.generator import generator, whole
from amoebot.shapes.shape import refuse_too_many


def rows(first: NDArray[np.int64], lengths: NDArray[np.int64], bottom: int = 0) -> Integers:
    """Return rows of consecutive nodes, upwards from ``bottom``, each from its ``first`` x on."""
    starts = np.cumsum(lengths) - lengths
    x = np.arange(lengths.sum()) - np.repeat(starts - first, lengths)
    y = np.repeat(np.arange(bottom, bottom + len(lengths)), lengths)
    return np.stack([x, y], axis=1, dtype=np.int32, casting="same_kind")


def full_hexagon(radius: int) -> Integers:
    """Return all nodes within a distance of the origin."""
    refuse_too_many(3 * radius * (radius + 1) + 1)
    y = np.arange(-radius, radius + 1)
    return rows(np.maximum(-radius, -radius - y), 2 * radius + 1 - abs(y), bottom=-radius)


def distance(nodes: Integers) -> Integers:
    """Return how many steps each node is away from the origin."""
    x, y = nodes[:, 0], nodes[:, 1]
    farthest: Integers = np.maximum(np.maximum(abs(x), abs(y)), abs(x + y))
    return farthest


@generator
def hexagon(radius: int) -> Integers:
    """A filled hexagon: R rings around a centre.

    Args:
        radius: R, 0 or more; there are 3 R (R + 1) + 1 nodes.
    """
    radius = whole("R", radius, 0)
    return full_hexagon(radius)


@generator
def line(length: int) -> Integers:
    """A straight line of N nodes.

    Args:
        length: N, 1 or more.
    """
    length = whole("N", length, 1)
    refuse_too_many(length)
    return rows(np.array([0]), np.array([length]))


@generator
def triangle(side: int) -> Integers:
    """A filled triangle with N nodes on each side.

    Args:
        side: N, 1 or more; there are N (N + 1) / 2 nodes.
    """
    side = whole("N", side, 1)
    refuse_too_many(side * (side + 1) // 2)
    return rows(np.zeros(side, np.int64), np.arange(side, 0, -1))


@generator
def parallelogram(width: int, height: int) -> Integers:
    """A filled parallelogram of W times H nodes.

    Args:
        width: W, the nodes of a row, 1 or more.
        height: H, the rows, 1 or more.
    """
    width = whole("W", width, 1)
    height = whole("H", height, 1)
    refuse_too_many(width * height)
    return rows(np.zeros(height, np.int64), np.full(height, width))


@generator
def annulus(radius: int, hole: int) -> Integers:
    """A hexagon of R rings without the concentric hexagon of HOLE rings.

    Args:
        radius: R, 1 or more.
        hole: HOLE, from 0, which takes out the centre alone, to R - 1.
    """
    radius = whole("R", radius, 1)
    hole = whole("HOLE", hole, 0)
    if hole >= radius:
        raise ShapeError("HOLE must be less than R")
    nodes = full_hexagon(radius)
    return nodes[distance(nodes) > hole]


@generator
def comb(teeth: int, length: int) -> Integers:
    """A straight spine with TEETH teeth of LENGTH nodes, one node apart.

    Args:
        teeth: TEETH, 1 or more.
        length: LENGTH, without the spine, 1 or more.
    """
    teeth = whole("TEETH", teeth, 1)
    length = whole("LENGTH", length, 1)
    refuse_too_many(2 * teeth - 1 + teeth * length)
    spine = rows(np.array([0]), np.array([2 * teeth - 1]))
    x, y = np.meshgrid(np.arange(0, 2 * teeth, 2), np.arange(1, length + 1))
    return np.concatenate([spine, np.stack([x.ravel(), y.ravel()], axis=1)]).astype(np.int32)
