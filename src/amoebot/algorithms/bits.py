"""Words of 16 bits, on which the rules of busy lanes are computed.

Each operation is cut to that width, so that a compiler can do many at once. It makes no branch of a
choice between two words: tokens come in no order that a processor could foretell.
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
    return one if condition else other


@inlined
def mask(condition: Word) -> Word:
    """Return all bits if a condition is 1, and none if it is 0."""
    return word(condition * ALL_BITS)


@inlined
def bit(value: Word, place: int) -> Word:
    """Return one bit of a word, 0 or 1."""
    return word(word(value >> place) & 1)


@inlined
def any_of_two(value: Word) -> Word:
    """Return 1 if one of the two lowest bits is set, otherwise 0."""
    return word(word(value | word(value >> 1)) & 1)


@inlined
def both_of_two(value: Word) -> Word:
    """Return 1 if the two lowest bits are set, otherwise 0."""
    return word(word(value & word(value >> 1)) & 1)
