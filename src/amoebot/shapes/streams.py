"""The randomness of shapes: one stream for each thing that is drawn."""

from __future__ import annotations

import numpy as np

from amoebot import rng
from amoebot.arguments import is_whole
from amoebot.shapes.errors import ShapeError, brief

#: What is drawn; each from a stream of its own.
TREE, BLOB, HOLES, SWISS, ORDER, PARTNERS = range(6)


def check_seed(seed: object) -> None:
    """Refuse what is not a seed of shapes."""
    if not is_whole(seed) or not 0 <= int(seed) < 2**64:  # type: ignore[call-overload]
        limits = "from 0 to 2^64 − 1, and a whole number"
        raise ShapeError(f"the shape seed must be {limits}, not {brief(seed)}")


def stream(seed: int, purpose: int) -> np.uint64:
    """Return the stream for one of the things that a seed of shapes decides."""
    check_seed(seed)
    # Compiled functions return plain integers, and take those that look small for signed ones.
    return np.uint64(rng.key(np.uint64(seed), rng.SHAPE, purpose))
