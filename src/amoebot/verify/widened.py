"""Everyone's records with whole numbers of 64 bits, for properties of the user's to look at.

A byte of 0 minus 1 is -1 to the compiler, and 255 to NumPy; a byte minus a byte wraps around in
both, but at another end. In 64 bits both reckon alike, and as one does on paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoebot import jit
from amoebot.algorithms.records import read_only
from amoebot.jit import compiled

#: Bytes of a word: every field begins with one.
WORD = 8

#: Of each move: from which byte on, to which word, how many bytes, and whether they have a sign.
FIRST, PLACE, SIZE, SIGNED = range(4)


class Copied(NamedTuple):
    """Records, the same ones with wide fields, and how these are written anew."""

    octets: NDArray[np.uint8]  # of each record
    words: NDArray[np.int64]  # of each wide record
    moves: NDArray[np.int64]


def look_at(world: Any) -> tuple[Any, tuple[Copied, Copied]]:
    """Return a world in read-only wide arrays, and what is to be copied when it has changed."""
    arrays = {name: one for name, one in world._asdict().items() if isinstance(one, np.ndarray)}
    wide = {name: np.zeros(one.shape, widened(one.dtype)) for name, one in arrays.items()}
    copied = {name: _copied(one, wide[name]) for name, one in arrays.items()}
    for one in copied.values():
        copy(one)
    known = {name: read_only(one) for name, one in wide.items()}
    return world._replace(**known), (copied["memory"], copied["particles"])


def _copied(narrow: NDArray[Any], wide: NDArray[Any]) -> Copied:
    octets = narrow.reshape(-1).view(np.uint8).reshape(narrow.size, narrow.dtype.itemsize)
    words = wide.reshape(-1).view(np.int64).reshape(wide.size, wide.dtype.itemsize // WORD)
    return Copied(octets, words, _moves(narrow.dtype))


@compiled
def copy(one: Copied) -> None:
    """Write wide records anew."""
    octets, words, moves = one
    for record in range(len(octets)):
        for move in range(len(moves)):
            first, size = moves[move, FIRST], moves[move, SIZE]
            value = np.int64(octets[record, first])
            for i in range(1, size):
                value |= np.int64(octets[record, first + i]) << (8 * i)
            if moves[move, SIGNED] and value >> (8 * size - 1):
                value -= np.int64(1) << (8 * size)
            words[record, moves[move, PLACE]] = value


@cache
def widened(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return a type whose whole numbers have 64 bits, and whose fields begin with words."""
    if kind.subdtype is not None:
        base, shape = kind.subdtype
        return np.dtype((widened(base), shape))
    if kind.fields is None:
        return np.dtype(np.int64) if _grows(kind) else kind
    kinds = [widened(kind.fields[name][0]) for name in kind.fields]
    ends = np.cumsum([-(-one.itemsize // WORD) * WORD for one in kinds]).tolist()
    told: Any = {
        "names": [*kind.fields],
        "formats": kinds,
        "offsets": [0, *ends[:-1]],
        "itemsize": ends[-1],
    }
    return jit.record(np.dtype(told))


def _grows(kind: np.dtype[Any]) -> bool:
    return kind.kind in "iu" and kind.itemsize < WORD


@cache
def _moves(kind: np.dtype[Any]) -> NDArray[np.int64]:
    """Return how a record is copied, in moves."""
    return np.array([*_steps(kind, 0, 0)], np.int64).reshape(-1, 4)


def _steps(kind: np.dtype[Any], first: int, place: int) -> Iterator[tuple[int, int, int, bool]]:
    """Yield the moves of what is at some byte and goes to some place, in bytes too."""
    if kind.subdtype is not None and (_grows(kind.base) or kind.base.fields):
        wide = widened(kind.base).itemsize
        for number in range(kind.itemsize // kind.base.itemsize):
            yield from _steps(kind.base, first + number * kind.base.itemsize, place + number * wide)
    elif kind.fields is not None:
        there: Any = widened(kind).fields
        for name, (part, offset, *_) in kind.fields.items():
            yield from _steps(part, first + offset, place + there[name][1])
    else:  # a number, or bytes that stay as they are
        for done in range(0, kind.itemsize, WORD):
            size = min(WORD, kind.itemsize - done)
            yield first + done, (place + done) // WORD, size, kind.kind == "i" and size < WORD
