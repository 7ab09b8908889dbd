"""Shapes that grow or decay at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoebot import rng
from amoebot.elementary import isqrt
from amoebot.jit import compilable, compiled
from amoebot.lattice import STEPS
from amoebot.shapes.adjacency import Integers, components, neighbour_table
from amoebot.shapes.errors import ShapeError, count
from amoebot.shapes.expansion import shuffled
from amoebot.shapes.generator import at_least, generator, share
from amoebot.shapes.regular import full_hexagon, hexagon_size
from amoebot.shapes.shape import refuse_too_many
from amoebot.shapes.streams import BLOB, HOLES, SWISS, TREE, stream

_EMPTY, _LISTED, _OCCUPIED = 0, 1, 2


@compiled
def _fits(cells: NDArray[np.uint8], cell: int, around: NDArray[np.int64], most: int) -> bool:
    """Say whether a cell touches few enough occupied ones, all side by side.

    A cell whose occupied neighbours lie side by side can close no ring, so that no hole forms.
    """
    touching, arcs = 0, 0
    for direction in range(6):
        if cells[cell + around[direction]] == _OCCUPIED:
            touching += 1
            if cells[cell + around[direction - 1]] != _OCCUPIED:
                arcs += 1
    return touching <= most and arcs <= 1


@compiled
def _grow(size: int, most: int, width: int, stream: np.uint64) -> NDArray[np.uint8]:
    """Occupy ``size`` cells of a square, each chosen uniformly among those that fit."""
    grid = np.zeros((width, width), np.uint8)
    # Cells on the edge count as listed without ever being in the list: growth stops there.
    grid[0, :], grid[-1, :], grid[:, 0], grid[:, -1] = _LISTED, _LISTED, _LISTED, _LISTED
    cells = grid.ravel()
    around = STEPS[:, 1].astype(np.int64) * width + STEPS[:, 0]
    listed = [width // 2 * (width + 1)]
    drawn = 0
    while size > 0:
        pick = rng.below(len(listed), stream, drawn)
        drawn += 1
        cell = listed[pick]
        listed[pick] = listed[-1]
        listed.pop()
        if not _fits(cells, cell, around, most):
            # It is listed again when another of its neighbours becomes occupied.
            cells[cell] = _EMPTY
            continue
        cells[cell] = _OCCUPIED
        size -= 1
        for step in around:
            if cells[cell + step] == _EMPTY:
                cells[cell + step] = _LISTED
                listed.append(cell + step)
    return grid


@compilable
def grown(size: int, most: int, stream: np.uint64) -> Integers:
    """Return the nodes of a random growth, around the origin and sorted.

    A node touches at most ``most`` others when it is added: one in a tree, any number in a blob.
    """
    # Far more room than needed: a blob of n nodes is about 1.5 √n wide, a tree 2 √n.
    middle = 2 * isqrt(size) + 4
    y, x = np.nonzero(_grow(size, most, 2 * middle, stream) == _OCCUPIED)
    nodes = np.empty((size, 2), np.int32)
    nodes[:, 0], nodes[:, 1] = x - middle, y - middle
    return nodes


@compilable
def grown_with_holes(size: int, holes: int, blob: np.uint64, order: np.uint64) -> Integers:
    """Return a blob without some of its inner nodes; it is larger if not all had room."""
    nodes = grown(size + holes, 6, blob)
    stays = _punch(neighbour_table(nodes), holes, shuffled(len(nodes), order))
    return nodes[np.flatnonzero(stays)]


@compilable
def decayed(radius: int, fraction: float, stream: np.uint64) -> Integers:
    """Return the largest part of what is left of a hexagon that loses a share of its nodes."""
    disc = full_hexagon(radius)
    lost = _choose(len(disc), int(fraction * len(disc)), stream)
    rest = disc[np.flatnonzero(~lost)]
    part = components(neighbour_table(rest))
    return rest[np.flatnonzero(part == np.bincount(part).argmax())]


@compiled
def _punch(neighbours: Integers, holes: int, order: Integers) -> NDArray[np.bool_]:
    """Take out the first nodes in the order that have all six neighbours; say which stay."""
    stays = np.ones(len(neighbours), np.bool_)
    for node in order:
        if holes == 0:
            break
        surrounded = True
        for other in neighbours[node]:
            surrounded = surrounded and other >= 0 and stays[other]
        if surrounded:
            # Its six neighbours are surrounded no more: they stay, and keep the rest connected.
            stays[node] = False
            holes -= 1
    return stays


@compiled
def _choose(size: int, chosen: int, stream: np.uint64) -> NDArray[np.bool_]:
    """Choose ``chosen`` of ``size`` things, each set of them equally likely."""
    mask = np.zeros(size, np.bool_)
    for thing in range(size):
        mask[thing] = rng.unit(rng.draw(stream, thing)) * (size - thing) < chosen
        if mask[thing]:
            chosen -= 1
    return mask


@generator
def tree(size: int, *, seed: int = 0) -> Integers:
    """A random tree of N nodes: each new node touches exactly one of the others.

    Args:
        size: N, 1 or more.
        seed: Another seed gives another shape, from 0 to 2^64 - 1.
    """
    size = at_least("N", size, 1)
    refuse_too_many(size)
    return grown(size, 1, stream(seed, TREE))


@generator
def random(size: int, holes: int = 0, *, seed: int = 0) -> Integers:
    """A random blob of N nodes with HOLES holes of one node each, or without any.

    Args:
        size: N, the nodes that are occupied, 1 or more.
        holes: HOLES, 0 or more; more than the blob has room for are refused.
        seed: Another seed gives another shape, from 0 to 2^64 - 1.
    """
    size = at_least("N", size, 1)
    holes = at_least("HOLES", holes, 0)
    refuse_too_many(size + holes)
    no_room = ShapeError(f"{count(size, 'node')} leave no room for {count(holes, 'hole')}")
    # Each hole has six nodes around it, and each of those is next to at most three holes.
    if 2 * holes > size:
        raise no_room
    nodes = grown_with_holes(size, holes, stream(seed, BLOB), stream(seed, HOLES))
    if len(nodes) > size:
        raise no_room
    return nodes


@generator
def swiss(radius: int, fraction: float, *, seed: int = 0) -> Integers:
    """A hexagon of R rings from which a random FRACTION is lost: the largest part of the rest.

    Args:
        radius: R, 0 or more.
        fraction: FRACTION, the share of the nodes that is lost, from 0 to less than 1.
        seed: Another seed gives another shape, from 0 to 2^64 - 1.
    """
    radius = at_least("R", radius, 0)
    fraction = share("FRACTION", fraction)
    refuse_too_many(hexagon_size(radius))
    return decayed(radius, fraction, stream(seed, SWISS))
