"""Words of 16 bits, on which the rules of busy lanes are computed.

Each operation is cut to that width, so that a compiler can do many at once, and none has a branch:
tokens come in no order that a processor could foretell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from amoebot.jit import inlined

#: A word, or an integer of Python that fits into one.
Word = Any
word = np.uint16
ALL_BITS = 0xFFFF


@inlined
def choose(condition: Word, one: Word, other: Word) -> Word:
    """Return ``one if condition else other``, where the condition is 0 or 1."""
    return word(other ^ word(word(one ^ other) & word(condition * ALL_BITS)))


@inlined
def bit(value: Word, place: int) -> Word:
    """Return one bit of a word, 0 or 1."""
    return word(word(value >> place) & 1)
