"""What comes before a run: the nodes of a shape string, and what is around nodes."""

from __future__ import annotations

import numpy as np

from amoebot import rng
from amoebot.jit import compiled
from amoebot.shapes import GENERATORS
from amoebot.shapes.adjacency import Integers
from amoebot.shapes.growth import decayed, grown, grown_with_holes
from amoebot.shapes.regular import (
    full_hexagon,
    full_parallelogram,
    full_triangle,
    hexagon_without_middle,
    spine_with_teeth,
)
from amoebot.shapes.streams import BLOB, HOLES, SWISS, TREE
from amoebot.shapes.winding import ring_around_path, wound_up

_NUMBERS = {name: number for number, name in enumerate(GENERATORS)}
_HEXAGON, _LINE, _TRIANGLE = (_NUMBERS[name] for name in ("hexagon", "line", "triangle"))
_PARALLELOGRAM, _ANNULUS = _NUMBERS["parallelogram"], _NUMBERS["annulus"]
_SPIRAL, _COMB, _LABYRINTH = (_NUMBERS[name] for name in ("spiral", "comb", "labyrinth"))
_TREE, _RANDOM, _SWISS = (_NUMBERS[name] for name in ("tree", "random", "swiss"))


@compiled
def generated(shape: int, first: int, second: int, share: float, seed: np.uint64) -> Integers:
    """Return the nodes of a shape by the number of its generator."""
    if shape == _HEXAGON:
        return full_hexagon(first)
    if shape == _LINE:
        return full_parallelogram(first, 1)
    if shape == _TRIANGLE:
        return full_triangle(first)
    if shape == _PARALLELOGRAM:
        return full_parallelogram(first, second)
    if shape == _ANNULUS:
        return hexagon_without_middle(first, second)
    if shape == _SPIRAL:
        return wound_up(first)
    if shape == _COMB:
        return spine_with_teeth(first, second)
    if shape == _LABYRINTH:
        return ring_around_path(first)
    if shape == _TREE:
        return grown(first, 1, rng.key(seed, rng.SHAPE, TREE))
    if shape == _RANDOM:
        blob, holes = rng.key(seed, rng.SHAPE, BLOB), rng.key(seed, rng.SHAPE, HOLES)
        return grown_with_holes(first, second, blob, holes)
    if shape == _SWISS:
        return decayed(first, share, rng.key(seed, rng.SHAPE, SWISS))
    return np.empty((0, 2), np.int32)
