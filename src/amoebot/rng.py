"""Randomness as data: coins keyed by who flips them, schedules keyed by the round.

Both come from the counter-based generator SplitMix64 (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", 2014): value number i of a key is a hash of key and i, and no
state is kept anywhere. So the same seed gives every agent the same coins under every scheduler,
and the order of any round can be recomputed without running the rounds before it.
"""

from __future__ import annotations

import numpy as np

from amoebot.jit import rule, wrapping

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53

#: The purposes that a seed is split into; each is a stream of its own.
COINS, SCHEDULE, OFFSETS, SHAPE, TURNS, LAST = (np.uint64(purpose) for purpose in range(1, 7))


@wrapping
def mix(value: np.uint64) -> np.uint64:
    """Return a well-mixed hash of 64 bits."""
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@wrapping
def key(seed: np.uint64, purpose: np.uint64, number: int) -> np.uint64:
    """Return the key of one stream: a purpose of the seed, and an agent or a round."""
    return mix(mix(seed + purpose * GOLDEN) + np.uint64(number) * GOLDEN)


@wrapping
def draw(stream: np.uint64, number: int) -> np.uint64:
    """Return value number ``number`` of a stream."""
    return mix(stream + np.uint64(number + 1) * GOLDEN)


@rule
def unit(value: np.uint64) -> float:
    """Return 64 random bits as a number in [0, 1)."""
    return np.int64(value >> _11) * _UNIT


@rule
def below(bound: int, stream: np.uint64, number: int) -> int:
    """Return value number ``number`` of a stream as an integer below ``bound``."""
    return int(unit(draw(stream, number)) * bound)


@rule
def coin(seed: np.uint64, agent: int, number: int, sides: int) -> int:
    """Return the outcome of an agent's coin number ``number``: an integer below ``sides``."""
    return below(sides, key(seed, COINS, agent), number)
