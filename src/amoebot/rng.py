"""Randomness as data: coins keyed by who flips them, activation times by round and particle.

They come from the counter-based generator SplitMix64 (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", 2014): value number i of a key is a hash of key and i, and no
state is kept anywhere. So the same seed gives every agent the same coins under every scheduler,
and the order of any round can be recomputed without running the rounds before it.
"""

from __future__ import annotations

import numpy as np

from amoebot.jit import compiled, wrapping

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53

#: The purposes that a seed is split into; each is a stream of its own.
COINS, SCHEDULE, OFFSETS, SHAPE, CLOCKS, LAST = (np.uint64(purpose) for purpose in range(1, 7))
SECOND_COINS, ORDERS, FAIR = np.uint64(7), np.uint64(8), np.uint64(9)

#: The bits of an activation time. Two of a word's 32 are left to tell rounds apart.
TIME_BITS = 30

# The multipliers of a hash of 32 bits with three rounds and little bias, by Christopher Wellons.
_GOLDEN_32, _HALF = np.uint32(0x9E3779B9), np.uint64(32)
_ROUND_1, _ROUND_2, _ROUND_3 = np.uint32(0xED5AD4BB), np.uint32(0xAC4C1B51), np.uint32(0x31848BAB)
_17, _11_32, _15, _14, _2 = (np.uint32(bits) for bits in (17, 11, 15, 14, 2))


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


@compiled
def unit(value: np.uint64) -> float:
    """Return 64 random bits as a number in [0, 1)."""
    return np.int64(value >> _11) * _UNIT


@compiled
def below(bound: int, stream: np.uint64, number: int) -> int:
    """Return value number ``number`` of a stream as an integer below ``bound``."""
    return int(unit(draw(stream, number)) * bound)


@compiled
def coin(seed: np.uint64, unit: int, lane: int, number: int, sides: int) -> int:
    """Return the outcome of a unit's coin number ``number`` in a lane, below ``sides``."""
    return below(sides, key(seed, SECOND_COINS if lane else COINS, unit), number)


@wrapping
def activation_time(stream: np.uint64, particle: int) -> np.uint32:
    """Return when a particle is activated in the round that a stream belongs to.

    Particles in the order of these times, ties by number, are in a uniformly random order. All
    operations are of 32 bits, so that compilers can do many at once.
    """
    value = np.uint32(np.uint32(np.uint32(particle) * _GOLDEN_32) ^ np.uint32(stream))
    value = np.uint32(np.uint32(value ^ np.uint32(value >> _17)) * _ROUND_1)
    value = np.uint32(np.uint32(value ^ np.uint32(value >> _11_32)) * _ROUND_2)
    value = np.uint32(np.uint32(value + np.uint32(stream >> _HALF)))
    value = np.uint32(np.uint32(value ^ np.uint32(value >> _15)) * _ROUND_3)
    return np.uint32(np.uint32(value ^ np.uint32(value >> _14)) >> _2)
